"""``tetrisprinter studio`` and ``page``: printing in the browser, with and without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from tetrisprinter.cli.options import (
    FOLDER,
    flag,
    option,
    quiet_option,
    real,
    whole,
    workers_option,
)
from tetrisprinter.errors import InputError, format_install_command

_PORT: Final = 8421


@click.command("studio")
@option("--port", whole(0, 65535), "Port to listen on; 0: any free port.", default=_PORT)
@option(
    "--folder",
    FOLDER,
    "The folder of the prints. [default: tetrisprinter-studio in the user's data folder]",
)
@flag("--open open_page", "Open the page in the browser.")
@option("--memory", real(1), "Memory limit of a job (address space).", default=6.0, metavar="GIB")
@option(
    "--minutes", real(0.1), "Time limit of a job; then its best plan so far is used.", default=60.0
)
@workers_option
def command(
    port: int, folder: Path | None, open_page: bool, memory: float, minutes: float, workers: int
) -> None:
    """Start the studio: a local web server for printing in the browser.

    Only this machine can reach it. Ctrl-C ends it; finished prints are there when it starts again.
    """
    try:
        from tetrisprinter.studio.app import serve
        from tetrisprinter.studio.jobs import JobLimits
    except ImportError as error:
        raise InputError(
            f"the studio needs the package {error.name}; install it with: "
            f"{format_install_command('starlette', 'uvicorn')}"
        ) from error

    def announce_address(address: str) -> None:
        click.echo(f"the studio is at {address} (Ctrl-C ends it)")
        if open_page:
            click.launch(address)

    limits = JobLimits(round(memory * 2**30), round(minutes * 60), workers)
    serve(port, folder, limits, announce_address)


@click.command("page")
@option("-o --output folder", FOLDER, "The folder for the page's files.", required=True)
@quiet_option
def page(folder: Path) -> None:
    """Write a web page that prints pictures in the browser, without a server.

    Any web server can serve the folder. The page sends nothing to any server, and works offline
    after the first visit. The command needs a checkout, installed with pip install -e '.[page]',
    and node 20, npm and patch. The first call fetches Pyodide from npm and compiles inner loops and
    solvers for WebAssembly, which takes some minutes; a later call takes seconds.
    """
    from tetrisprinter.studio.page import publish

    size = publish(folder, report=lambda sentence: click.echo(f"{sentence} ...", err=True))
    click.echo(f"{folder / 'index.html'} ({size / 1e6:.1f} MB in all)")
