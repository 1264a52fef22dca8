"""``tetrisprinter text``: print a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tetrisprinter.cli.drawing_options import add_drawing_options
from tetrisprinter.cli.groups import GroupedCommand
from tetrisprinter.cli.image_options import ImageOptions, add_image_options
from tetrisprinter.cli.options import COLOR, Whole, flag, json_option, option
from tetrisprinter.cli.output_files import OutputOptions, add_output_options
from tetrisprinter.cli.planner_options import PlannerOptions, add_planner_options
from tetrisprinter.cli.print_batch import PrintSettings, print_all
from tetrisprinter.errors import InputError
from tetrisprinter.game.board import Board
from tetrisprinter.pictures.sources import WIDEST_LINE, Source, make_text_source

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering


@click.command("text", cls=GroupedCommand)
@click.argument("text")
@option(
    "--font",
    None,
    "builtin: a small font; unifont: GNU Unifont if installed; or a .hex, .bdf, .ttf or .otf file.",
    default="builtin",
    metavar="builtin|unifont|FILE",
)
@option("--size", Whole(4, 200), "Height of an outline font (.ttf, .otf) in pixels.", default=16)
@option("--color", COLOR, "Colour of the text.", default="f5f5f5")
@flag('--roll', "Print the lines of TEXT one after the other in one game.")  # fmt: skip
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
    rendering: Rendering,
    as_json: bool,
) -> None:
    """Print TEXT: set it in a font, find a game that leaves it, and write an animation.

    The options are those of `print`. The board is chosen for the text. A text wider than the board,
    or than 96 columns, is broken into lines between words.
    """
    settings = PrintSettings(rendering, image_options, planner_options, output, as_json)
    if roll:
        lines = [
            make_text_source(line, font, size, color) for line in text.splitlines() if line.strip()
        ]
        _print_lines(lines, settings)
        return
    board = planner_options.board
    columns = board.width - 2 if isinstance(board, Board) else WIDEST_LINE
    source = make_text_source(text, font, size, color, columns)
    print_all([source], settings, [font])


def _print_lines(lines: Sequence[Source], settings: PrintSettings) -> None:
    """Print lines one after the other in one game."""
    from tetrisprinter.api.slideshows import SharedSettings, make_slideshow_tasks
    from tetrisprinter.cli.slideshow import check_slideshow_outputs, write_slideshow
    from tetrisprinter.pictures.convert import Conversion

    output, planner_options = settings.output, settings.planner_options
    outputs = [*output.outputs, *output.plans]
    if not outputs:
        raise InputError("--roll: no output file; add -o FILE")
    check_slideshow_outputs(outputs)
    board = None if planner_options.board in (None, "auto") else str(planner_options.board)
    tasks, steps = make_slideshow_tasks(
        [line.read(Conversion()).picture.trim() for line in lines], SharedSettings(board)
    )
    for step in steps:
        click.echo(f"tetrisprinter: {step}", err=True)
    timing = settings.rendering.timing
    write_slideshow(
        tasks,
        False,
        settings.as_json,
        outputs=outputs,
        hold=timing.hold,
        seconds=timing.seconds,
        scale=settings.rendering.look.scale,
        smooth=timing.smooth,
        time_limit=planner_options.limit.seconds,
        resume=output.resume,
    )
