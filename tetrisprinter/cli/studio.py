"""``tetrisprinter studio``: everything about printing, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from tetrisprinter.cli.options import Real, Whole, workers_option
from tetrisprinter.errors import InputError

_PORT: Final = 8421


@click.command("studio")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to answer at.")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=_PORT,
    show_default=True,
    help="Port to answer at; 0 takes any that is free.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Another name under which it may be asked for (repeatable).",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where jobs are kept. [default: tetrisprinter-studio among the user's data]",
)
@click.option(
    "--read-only-gallery",
    "gallery",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Only show the prints that lie there: plans, or a studio's folder.",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--memory",
    type=Real(1),
    default=6.0,
    show_default=True,
    metavar="GIB",
    help="Address space that a job may take.",
)
@click.option(
    "--minutes",
    type=Real(0.1),
    default=60.0,
    show_default=True,
    help="Time that a job may take; then the best plan counts.",
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
    """Open the studio: a web page on which printing is done by hand and eye.

    It answers on this machine only, unless --host says otherwise; then a visitor has to
    know the token at the end of the address that is printed. Ctrl-C ends it. Jobs that were
    at work then go on when it is started again.
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
    serve(settings, lambda address: _tell(address, show))


def _tell(address: str, show: bool) -> None:
    click.echo(f"the studio is at {address} (Ctrl-C ends it)")
    if show:
        click.launch(address)
