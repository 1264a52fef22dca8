"""``tetrisprinter convert``: an image or a game -> a plan, or a game for another program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from tetrisprinter.api import Prepared
from tetrisprinter.api.wishes import BLACK
from tetrisprinter.cli.exporting import Exporting, exporting_options, start_line
from tetrisprinter.cli.helping import Grouped
from tetrisprinter.cli.imaging import Imaging, imaging_options, preview_of
from tetrisprinter.cli.naming import foreign_formats, formats_by_extension
from tetrisprinter.cli.options import json_option, refuse_options
from tetrisprinter.cli.planning import Planning, figures, planning_options
from tetrisprinter.cli.preparing import Telling, attempt, suit_format, warn_of_game
from tetrisprinter.cli.words import counted
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, count_skipped_moves, find_format, read_game
from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, sources
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.support.files import check_apart, check_writable, is_file, write_text

__all__ = ["command"]


_START: Final = 1024
"""Bytes that show whether a file is text."""

_FOR_GAMES: Final = frozenset(
    ("file", "output", "board", "hold", "unseen", "rules", "strict", "as_json", "verbose")
)
"""The parameters that mean something when a game is converted."""


@click.command(
    "convert",
    cls=Grouped,
    help=f"""Turn FILE, an image or a game, into a plan or into a game for another program.

    An image is planned as `print` does it. A game is {foreign_formats()}; it is played by its own
    rules. Options for images are refused for a game.

    An art file (.json) is for the seigot/tetris game, whose board is 10x22 (--board 10x22); for
    any other board the same format is written, and a line says so. The command that shows it in
    that game is printed.
    """,
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help=f"What to write: {formats_by_extension()}; any other name is a plan.",
)
@imaging_options
@planning_options()
@exporting_options
@click.option(
    "--strict",
    is_flag=True,
    help="Art files: list the moves that the art game does not make.",
)
@json_option
def command(
    file: Path,
    output: Path,
    imaging: Imaging,
    planning: Planning,
    exporting: Exporting,
    strict: bool,
    as_json: bool,
) -> None:
    """Turn an image or a game into a plan or into a game for another program."""
    check_writable(output)
    if _is_game(file):
        refuse_options(_FOR_GAMES, f"{file} is a game, and the option is for images")
        _convert_game(file, output, planning.board, exporting, strict, as_json)
    elif strict:
        raise InputError(f"--strict: {file} is an image; --strict lists the moves of a game")
    else:
        _convert_image(file, output, imaging, planning, exporting, as_json)


def _is_game(path: Path) -> bool:
    """Return whether a file is a game: by its extension, else by whether it is text."""
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
    exporting: Exporting,
    strict: bool,
    as_json: bool,
) -> None:
    check_apart([output], [file])
    exporting.writer(output)
    if isinstance(board, str):
        raise InputError(f"--board auto: {file} is a game, whose board is given; use WxH")
    size = None if board is None else (board.width, board.height)
    plan = read_game(file, size)
    skipped = count_skipped_moves(file, size) if strict else []
    for sentence in skipped:
        click.echo(sentence, err=True)
    plan, text = exporting.export(output).text(plan, str(file))
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
    imaging: Imaging,
    planning: Planning,
    exporting: Exporting,
    as_json: bool,
) -> None:
    check_apart([output, preview_of(imaging, image.stem)], [image])
    exporting.writer(output)
    found = sources([image])
    if len(found) != 1:
        raise InputError(f"{image}: has {len(found)} glyphs; convert takes one, print takes all")

    def work(
        ready: Prepared, telling: Telling, planning: Planning
    ) -> tuple[Prepared, Telling, PrintResult, str]:
        return ready, telling, *planning.make_for(ready, exporting.export(output), output)

    planning = suit_format(planning, output, str(image))
    # Another program draws its games on black.
    drawn = BLACK if (find_format(output) or FORMATS["text"]) is FORMATS["text"] else None
    ready, telling, result, text = attempt(found[0], imaging, planning, work, drawn)
    telling.tell(result.steps)
    plan = result.plan
    write_text(output, text)
    warn_of_game(output, result.task)
    report = {
        "image": str(image),
        "plan": str(output),
        "board": str(plan.board),
        "planner": result.planner,
        "drops": len(plan),
        "passes": len(plan.passes),
        **telling.report(ready.made(result).changes),
        **figures(result),
    }
    _report(output, plan, report, as_json)


def _report(output: Path, plan: Plan, report: dict[str, object], as_json: bool) -> None:
    """Print what was written, and the command that shows it in another program."""
    start = start_line(output)
    if as_json:
        click.echo(json.dumps(report | ({"start": start} if start else {})))
        return
    passes = counted(len(plan.passes), "pass", "passes")
    board = f"{plan.width}x{plan.height}"
    click.echo(f"{output}: {counted(len(plan), 'drop')} in {passes} on a board of {board}")
    if start:
        click.echo(f"in the game's folder: {start}")
