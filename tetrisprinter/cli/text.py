"""``tetrisprinter text``: a text -> picture -> game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tetrisprinter.cli.helping import Grouped
from tetrisprinter.cli.imaging import Imaging, imaging_options
from tetrisprinter.cli.options import Whole, json_option
from tetrisprinter.cli.planning import Planning, planning_options
from tetrisprinter.cli.print import Output, output_options, print_all
from tetrisprinter.cli.rendering import rendering_options
from tetrisprinter.errors import InputError
from tetrisprinter.game.board import Board
from tetrisprinter.pictures.sources import WIDEST_LINE, Source, text_source

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
    type=Whole(4, 200),
    default=16,
    show_default=True,
    help="Height of an outline font (.ttf, .otf) in pixels.",
)
@click.option("--color", default="f5f5f5", show_default=True, help="Colour of the text.")
@click.option("--roll", is_flag=True,
              help="Print the lines of TEXT one after the other in one game: a film.")  # fmt: skip
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
    roll: bool,
    output: Output,
    imaging: Imaging,
    planning: Planning,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print TEXT: set it in a font, plan it, play every drop, compare, draw it.

    The options are those of `print`; the board is chosen for the text. A text wider than the
    board, or than 96 columns, is broken into lines between words.
    """
    from tetrisprinter.pictures.convert import parse_color

    try:
        ink = parse_color(color)
    except InputError as error:
        raise InputError(f"--color: {error}") from error
    if roll:
        _roll([text_source(line, font, size, ink) for line in text.splitlines() if line.strip()],
              output, planning, as_json, **drawing)  # fmt: skip
        return
    board = planning.board
    columns = board.width - 2 if isinstance(board, Board) else WIDEST_LINE
    source = text_source(text, font, size, ink, columns)
    print_all([source], output, imaging, planning, as_json, [font], **drawing)


def _roll(
    lines: Sequence[Source], output: Output, planning: Planning, as_json: bool, **drawing: Any
) -> None:
    """Print lines one after the other in one game."""
    from tetrisprinter.api.slideshows import Shared, make_slideshow_tasks
    from tetrisprinter.cli.slideshow import check_outputs_of, write_slideshow
    from tetrisprinter.pictures.convert import Conversion

    written = output.written
    plans = [] if written.plan is None else [written.plan, *written.more_plans]
    outputs = [*written.outputs, *plans]
    if not outputs:
        raise InputError("--roll needs -o FILE: what to write")
    check_outputs_of(outputs)
    board = None if planning.board in (None, "auto") else str(planning.board)
    tasks, steps = make_slideshow_tasks(
        [line.read(Conversion()).picture.trimmed() for line in lines], Shared(board)
    )
    for step in steps:
        click.echo(f"tetrisprinter: {step}", err=True)
    write_slideshow(tasks, False, as_json, outputs=outputs, hold=drawing["last"],
              seconds=drawing["seconds"], scale=drawing["scale"], smooth=drawing["smooth"],
              time_limit=planning.limit.seconds, resume=output.resume)  # fmt: skip
