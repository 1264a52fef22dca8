"""``tetrisprinter text``: print a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tetrisprinter.cli.drawing_options import add_drawing_options
from tetrisprinter.cli.grouped_help import GroupedCommand
from tetrisprinter.cli.image_options import ImageOptions, add_image_options
from tetrisprinter.cli.options import Whole, json_option
from tetrisprinter.cli.output_options import OutputOptions, add_output_options
from tetrisprinter.cli.planner_options import PlannerOptions, add_planner_options
from tetrisprinter.cli.print_batch import print_all
from tetrisprinter.errors import InputError
from tetrisprinter.game.board import Board
from tetrisprinter.pictures.sources import WIDEST_LINE, Source, text_source


@click.command("text", cls=GroupedCommand)
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
    type=Whole(4, 200),
    default=16,
    show_default=True,
    help="Height of an outline font (.ttf, .otf) in pixels.",
)
@click.option("--color", default="f5f5f5", show_default=True, help="Colour of the text.")
@click.option("--roll", is_flag=True,
              help="Print the lines of TEXT one after the other in one game.")  # fmt: skip
@add_output_options
@add_image_options
@add_planner_options(board="auto", types="auto")
@add_drawing_options
@json_option
def command(
    text: str,
    font: str,
    size: int,
    color: str,
    roll: bool,
    output: OutputOptions,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print TEXT: set it in a font, find a game that leaves it, and write an animation.

    The options are those of `print`. The board is chosen for the text. A text wider than the board,
    or than 96 columns, is broken into lines between words.
    """
    from tetrisprinter.pictures.convert import parse_color

    try:
        ink = parse_color(color)
    except InputError as error:
        raise InputError(f"--color: {error}") from error
    if roll:
        lines = [text_source(line, font, size, ink) for line in text.splitlines() if line.strip()]
        _print_lines(lines, output, planner_options, as_json, **drawing)
        return
    board = planner_options.board
    columns = board.width - 2 if isinstance(board, Board) else WIDEST_LINE
    source = text_source(text, font, size, ink, columns)
    print_all([source], output, image_options, planner_options, as_json, [font], **drawing)


def _print_lines(
    lines: Sequence[Source],
    output: OutputOptions,
    planner_options: PlannerOptions,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print lines one after the other in one game."""
    from tetrisprinter.api.slideshows import SharedSettings, make_slideshow_tasks
    from tetrisprinter.cli.slideshow import check_slideshow_outputs, write_slideshow
    from tetrisprinter.pictures.convert import Conversion

    outputs = [*output.written.outputs, *output.written.plans]
    if not outputs:
        raise InputError("--roll: no output file; add -o FILE")
    check_slideshow_outputs(outputs)
    board = None if planner_options.board in (None, "auto") else str(planner_options.board)
    tasks, steps = make_slideshow_tasks(
        [line.read(Conversion()).picture.trim() for line in lines], SharedSettings(board)
    )
    for step in steps:
        click.echo(f"tetrisprinter: {step}", err=True)
    write_slideshow(tasks, False, as_json, outputs=outputs, hold=drawing["last"],
              seconds=drawing["seconds"], scale=drawing["scale"], smooth=drawing["smooth"],
              time_limit=planner_options.limit.seconds, resume=output.resume)  # fmt: skip
