"""``tetrisprinter studio``: print in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from tetrisprinter.cli.options import FOLDER, Real, Whole, flag, option, workers_option
from tetrisprinter.errors import InputError

_PORT: Final = 8421


@click.command("studio")
@option("--host", None, "Address to listen on.", default="127.0.0.1")
@option("--port", Whole(0, 65535), "Port to listen on; 0: any free port.", default=_PORT)
@option(
    "--name host_names",
    None,
    "Also accept requests for this host name; may be given several times.",
    multiple=True,
    metavar="HOST",
)
@option(
    "--folder",
    FOLDER,
    "The folder of the jobs. [default: tetrisprinter-studio in the user's data folder]",
)
@option(
    "--read-only-gallery gallery",
    FOLDER,
    "Only show the prints of this folder: plans, or the folder of a studio.",
    metavar="FOLDER",
)
@flag("--open open_page", "Open the page in the browser.")
@option("--memory", Real(1), "Memory limit of a job (address space).", default=6.0, metavar="GIB")
@option(
    "--minutes", Real(0.1), "Time limit of a job; then its best plan so far is used.", default=60.0
)
@workers_option
def command(
    host: str,
    port: int,
    host_names: tuple[str, ...],
    folder: Path | None,
    gallery: Path | None,
    open_page: bool,
    memory: float,
    minutes: float,
    workers: int,
) -> None:
    """Start the studio: a local web server for printing in the browser.

    Without --host only this machine can reach it. With another --host a visitor needs the token at
    the end of the printed address. Ctrl-C ends it; unfinished jobs continue when it starts again.
    """
    try:
        from tetrisprinter.studio.server import Settings, serve
    except ImportError as error:
        raise InputError(
            f"the studio needs the package {error.name}; install it with: "
            "pip install starlette uvicorn"
        ) from error
    settings = Settings(
        host,
        port,
        host_names,
        folder,
        gallery,
        memory=round(memory * 2**30),
        seconds=round(minutes * 60),
        workers=workers,
    )
    serve(settings, lambda address: _announce_address(address, open_page))


def _announce_address(address: str, open_page: bool) -> None:
    """Print the address of the studio; with ``open_page`` also open it in the browser."""
    click.echo(f"the studio is at {address} (Ctrl-C ends it)")
    if open_page:
        click.launch(address)
