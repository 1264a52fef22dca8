"""``tetrisprinter convert``: an image or a game -> a plan, or a game for another program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from tetrisprinter.api import PreparedTask
from tetrisprinter.api.request import BLACK
from tetrisprinter.cli.export_options import ExportOptions, add_export_options, make_start_command
from tetrisprinter.cli.grouped_help import GroupedCommand
from tetrisprinter.cli.image_options import ImageOptions, add_image_options, name_preview
from tetrisprinter.cli.options import FILE, flag, json_option, option, refuse_options
from tetrisprinter.cli.output_files import list_extensions, list_other_formats
from tetrisprinter.cli.planner_options import PlannerOptions, add_planner_options, collect_figures
from tetrisprinter.cli.print_steps import (
    StepReport,
    adapt_to_formats,
    plan_source,
    warn_about_art_game,
)
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, find_format, list_skipped_moves, read_game
from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, sources
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_apart, check_writable, is_file, write_text

_START: Final = 1024
"""The number of bytes from which a text is told from an image."""

_FOR_GAMES: Final = frozenset(
    ("file", "output", "board", "hold", "unseen", "rules", "strict", "as_json", "verbose")
)
"""The parameters that apply when a game is converted; the others are for images."""


@click.command(
    "convert",
    cls=GroupedCommand,
    help=f"""Turn FILE, an image or a game, into a plan or into a game for another program.

    An image is planned as by `print`. A game is a plan, {list_other_formats()}; it is played by
    the rules of its format. Options for images are refused for a game.

    An art file (.json) is for the seigot/tetris game, whose board is 10x22 (--board 10x22). Other
    boards are written, too, with a warning. The command that shows the file in that game is
    printed.
    """,
)
@click.argument("file", type=click.Path(path_type=Path))
@option(
    "-o --output",
    FILE,
    f"What to write: {list_extensions()}; any other name is a plan.",
    required=True,
)
@add_image_options
@add_planner_options()
@add_export_options
@flag("--strict", "Art files: list the moves that the art game would skip.")
@json_option
def command(
    file: Path,
    output: Path,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    export_options: ExportOptions,
    strict: bool,
    as_json: bool,
) -> None:
    """Turn an image or a game into a plan or into a game for another program."""
    check_writable(output)
    if _is_game(file):
        refuse_options(_FOR_GAMES, f"{file} is a game, but the option is for images")
        _convert_game(file, output, planner_options.board, export_options, strict, as_json)
    elif strict:
        raise InputError(f"--strict: {file} is an image; expected a game")
    else:
        _convert_image(file, output, image_options, planner_options, export_options, as_json)


def _is_game(path: Path) -> bool:
    """Return whether a file is a game: it has the extension of a game, or it is text."""
    if find_format(path) is not None:
        return True
    if path.suffix.lower() in (*IMAGE_SUFFIXES, ".hex") or not is_file(path):
        return False
    with path.open("rb") as file:
        start = file.read(_START)
    return b"\0" not in start  # every image format has zero bytes in its header


def _convert_game(
    file: Path,
    output: Path,
    board: Board | str | None,
    export_options: ExportOptions,
    strict: bool,
    as_json: bool,
) -> None:
    """Write a game in the format of the output file."""
    check_apart([output], [file])
    export_options.make_writer(output)
    if isinstance(board, str):
        raise InputError(f"--board auto: {file} is a game; expected WxH, the board of the game")
    size = None if board is None else (board.width, board.height)
    plan = read_game(file, size)
    skipped = list_skipped_moves(file, size) if strict else []
    for sentence in skipped:
        click.echo(sentence, err=True)
    plan, text = export_options.make_export(output).format_plan(plan, str(file))
    write_text(output, text)
    report: dict[str, object] = {
        "file": str(file),
        "plan": str(output),
        "board": f"{plan.width}x{plan.height}",
        "drops": len(plan),
        "passes": len(plan.passes),
        **({"skipped": skipped} if strict else {}),
    }
    _report(output, plan, report, as_json)


def _convert_image(
    image: Path,
    output: Path,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    export_options: ExportOptions,
    as_json: bool,
) -> None:
    """Plan a game for an image and write it in the format of the output file."""
    check_apart([output, name_preview(image_options, image.stem)], [image])
    export_options.make_writer(output)
    found = sources([image])
    if len(found) != 1:
        raise InputError(f"{image}: {len(found)} glyphs; convert takes one image, print several")

    def work(
        ready: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> tuple[PreparedTask, StepReport, PrintResult, str]:
        export = export_options.make_export(output)
        return ready, step_report, *planner_options.plan_for_export(ready, export, output)

    planner_options = adapt_to_formats(planner_options, [output])
    # None: another program chooses the colour of empty squares.
    field = BLACK if (find_format(output) or FORMATS["text"]) is FORMATS["text"] else None
    ready, step_report, result, text = plan_source(
        found[0], image_options, planner_options, work, field, adds_result=True
    )
    step_report.add(result.steps, is_result=True)
    plan = result.plan
    write_text(output, text)
    warn_about_art_game(output, result.task)
    report = {
        "image": str(image),
        "plan": str(output),
        "board": str(plan.board),
        "planner": result.planner,
        "drops": len(plan),
        "passes": len(plan.passes),
        **step_report.report(ready.find_printed(result).changes),
        **collect_figures(result),
    }
    _report(output, plan, report, as_json)


def _report(output: Path, plan: Plan, report: dict[str, object], as_json: bool) -> None:
    """Print what was written, and the command that shows it in the art game."""
    start = make_start_command(output)
    if as_json:
        click.echo(json.dumps(report | ({"start": start} if start else {})))
        return
    passes = format_count(len(plan.passes), "pass", "passes")
    board = f"{plan.width}x{plan.height}"
    click.echo(f"{output}: {format_count(len(plan), 'drop')} in {passes} on a board of {board}")
    if start:
        click.echo(f"in the game's folder: {start}")
