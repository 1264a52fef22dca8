"""``tetrisprinter text``: a text -> picture -> game."""

from __future__ import annotations

from typing import Any

import click

from tetrisprinter.cli.helping import Grouped
from tetrisprinter.cli.imaging import Imaging, imaging_options
from tetrisprinter.cli.options import json_option
from tetrisprinter.cli.planning import Planning, planning_options
from tetrisprinter.cli.print import Output, output_options, print_all
from tetrisprinter.cli.rendering import rendering_options
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.sources import text_source

__all__ = ["command"]


@click.command("text", cls=Grouped)
@click.argument("text")
@click.option(
    "--font",
    default="builtin",
    show_default=True,
    metavar="builtin|unifont|FILE",
    help="Pillow's small font, GNU Unifont where it is installed, or a .hex, .bdf, .ttf or "
    ".otf file.",
)
@click.option(
    "--size",
    type=click.IntRange(4, 200),
    default=16,
    show_default=True,
    help="Height of an outline font (.ttf, .otf) in pixels.",
)
@click.option("--color", default="f5f5f5", show_default=True, help="Colour of the text.")
@output_options
@imaging_options
@planning_options(board="auto", types="auto")
@rendering_options
@json_option
def command(
    text: str,
    font: str,
    size: int,
    color: str,
    output: Output,
    imaging: Imaging,
    planning: Planning,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print TEXT: set it in a font, plan it, play every drop, compare, draw it.

    The options are those of `print`; the board is chosen for the text.
    """
    from tetrisprinter.pictures.convert import parse_color

    try:
        ink = parse_color(color)
    except InputError as error:
        raise InputError(f"--color: {error}") from error
    source = text_source(text, font, size, ink)
    print_all([source], output, imaging, planning, as_json, [font], **drawing)
