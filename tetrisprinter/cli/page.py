"""``tetrisprinter page``: the studio as files that any web server can serve."""

from __future__ import annotations

from pathlib import Path

import click

from tetrisprinter.cli.options import FOLDER, option


@click.command("page")
@option(
    "-o --output folder",
    FOLDER,
    "The folder for the page's files.",
    required=True,
    metavar="FOLDER",
)
def command(folder: Path) -> None:
    """Write a web page that prints pictures in the browser, without a server.

    Any web server can serve the folder. The page sends nothing to any server, and works offline
    after the first visit. The first call fetches Pyodide from npm and compiles the inner loops for
    WebAssembly, which takes about a minute.
    """
    from tetrisprinter.studio.page_files import publish

    size = publish(folder)
    click.echo(f"{folder / 'index.html'} ({size / 1e6:.1f} MB in all)")
