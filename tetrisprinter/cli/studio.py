"""``tetrisprinter studio``: print in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from tetrisprinter.cli.options import Real, Whole, workers_option
from tetrisprinter.errors import InputError

_PORT: Final = 8421


@click.command("studio")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=_PORT,
    show_default=True,
    help="Port to listen on; 0: any free port.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Accept requests for this host name, too (repeatable).",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the jobs. [default: tetrisprinter-studio in the user's data folder]",
)
@click.option(
    "--read-only-gallery",
    "gallery",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Only show the prints of this folder: plans, or the folder of a studio.",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--memory",
    type=Real(1),
    default=6.0,
    show_default=True,
    metavar="GIB",
    help="Memory limit of a job (address space).",
)
@click.option(
    "--minutes",
    type=Real(0.1),
    default=60.0,
    show_default=True,
    help="Time limit of a job; then its best plan so far is used.",
)
@workers_option
def command(
    host: str,
    port: int,
    names: tuple[str, ...],
    folder: Path | None,
    gallery: Path | None,
    show: bool,
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
        names,
        folder,
        gallery,
        memory=round(memory * 2**30),
        seconds=round(minutes * 60),
        workers=workers,
    )
    serve(settings, lambda address: _announce_address(address, show))


def _announce_address(address: str, show: bool) -> None:
    """Print the address of the studio; with ``show`` also open it in the browser."""
    click.echo(f"the studio is at {address} (Ctrl-C ends it)")
    if show:
        click.launch(address)
