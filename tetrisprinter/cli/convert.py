"""``tetrisprinter convert``: an image or a game -> a plan, or a game for another program."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from tetrisprinter import formats
from tetrisprinter.api.prints import Export
from tetrisprinter.api.request import BLACK
from tetrisprinter.cli import GroupedCommand, print_options, printing
from tetrisprinter.cli.files import choose_previews, name_outputs
from tetrisprinter.cli.options import (
    COLOR,
    FILE,
    PATH,
    REPORT_OPTIONS,
    add_options,
    flag,
    option,
    refuse_options,
    whole,
)
from tetrisprinter.cli.print_options import PrintJob
from tetrisprinter.cli.printing import StepReport
from tetrisprinter.errors import InputError
from tetrisprinter.formats.art import format_start_command
from tetrisprinter.formats.fumen import make_address
from tetrisprinter.game.field import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, Source, find_source, make_bytes_source
from tetrisprinter.support import files, format_count


def _make_export(
    path: Path, name: str, hold: int | None, unseen: Color | None, rules: str | None
) -> Export:
    """Return the export for a path, with the values of the options for games.

    ``hold`` and ``unseen`` are those of art files; ``rules`` are the rules by which a player must
    be able to steer every piece.
    """
    if formats.find_format(path) is not formats.FORMATS["art"]:
        for option_name, value in (("--hold", hold), ("--unseen", unseen)):
            if value is not None:
                raise InputError(f"{option_name}: {path} is not an art file; use a name with .json")
    export = Export.find_export(path, name, hold, unseen)
    return export if rules is None else export.require_guideline()


_OPTIONS: Final = (
    option("--hold", whole(0, 100_000), "Art files: the number of drops for which the finished "
           "picture stays, while rows above it fill and clear. [default: 350 on a board of "
           "10x22, if possible]", metavar="DROPS"),
    option("--unseen", COLOR, "Art files: the colour of unseen types and of the background, e.g. "
           "the colour of the game's window.", metavar="RRGGBB"),
    option("--rules", ["srs"], "Require that a player can steer all pieces by the guideline "
           "rules (see `moves`)."),
)  # fmt: skip


_STDOUT: Final = Path(print_options.STDOUT)
"""The output that means standard output."""

_TESTED_BYTES: Final = 1024
"""The number of bytes of a file that show whether it is text or an image."""

_FOR_GAMES: Final = frozenset(
    ("file", "output", "board", "hold", "unseen", "rules", "strict", "as_json", "verbose")
)
"""The parameters that apply to games; the other parameters are for images."""


@click.command(
    "convert",
    cls=GroupedCommand,
    help=f"""Turn FILE, an image or a game, into a plan or into a game for another program.

    An image is planned as by `print`. A game is a plan, {print_options.describe_other_formats()};
    it is played by the rules of its format. Options for images are refused for a game.

    An art file (.json) is for the seigot/tetris game, whose board is 10x22 (--board 10x22). Other
    boards are written, too, with a warning. The command that shows the file in that game is
    printed.
    """,
)
@click.argument("file", type=PATH)
@option(
    "-o --output",
    FILE,
    f"The file to write, by extension: {print_options.describe_extensions()}; any other name: a "
    "plan. - prints the address of a page that shows the game, a fumen.",
    required=True,
)
@add_options(*print_options.PICTURE_OPTIONS, *print_options.make_game_options(), *_OPTIONS)
@flag("--strict", "Art files: list the moves that the art game would skip.")
@add_options(*REPORT_OPTIONS)
def command(
    file: str,
    output: Path,
    hold: int | None,
    unseen: Color | None,
    rules: str | None,
    strict: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Turn an image or a game into a plan or into a game for another program."""
    target = _choose_target(output)
    if output != _STDOUT:
        print_options.check_game_name(output)
        files.check_writable(output)
    image, game_text = _read_file(file)
    if game_text is not None:
        name = formats.name_game(file)
        refuse_options(_FOR_GAMES, f"{name} is a game, but the option is for images")
        files.refuse_overwriting_inputs([output], [file])
        export = _make_export(target, name, hold, unseen, rules)
        _convert_game(file, game_text, output, values["board"], export, strict, as_json)
        return
    if strict:
        raise InputError(f"--strict: {file} is an image; expected a game")
    image = image or find_source(file)
    export = _make_export(target, image.name, hold, unseen, rules)
    _convert_image(image, output, values, export, as_json)


def _read_file(file: str) -> tuple[Source | None, str | None]:
    """Return the text of a game, and the source of an image from a pipe, which is read only once.

    Both are None for an image file.
    """
    if file == "-" or files.is_pipe(file):
        name = "standard input" if file == "-" else file
        data = files.read_standard_bytes() if file == "-" else files.read_bytes(file)
        game_text = formats.decode_game(data)
        stem = "stdin" if file == "-" else Path(file).stem
        return (
            (make_bytes_source(data, name, stem), None) if game_text is None else (None, game_text)
        )
    return None, formats.read_game_text(file) if _is_game(file) else None


def _is_game(file: str) -> bool:
    """Return whether a file has the extension of a game, or is text and no image."""
    if formats.is_pasted_fumen(file) or formats.find_format(file) is not None:
        return True
    path = Path(file)
    if path.suffix.lower() in (*IMAGE_SUFFIXES, ".hex") or not files.is_file(path):
        return False
    with path.open("rb") as opened:
        first_bytes = opened.read(_TESTED_BYTES)
    # Every image format has zero bytes in its header.
    return files.find_mark(first_bytes) is not None or b"\0" not in first_bytes


def _choose_target(output: Path) -> Path:
    """Return the name whose extension is the format of an output."""
    return Path("game.fumen") if output == _STDOUT else output


def _convert_game(
    file: str,
    game_text: str,
    output: Path,
    board: Board | str | None,
    export: Export,
    strict: bool,
    as_json: bool,
) -> None:
    """Write a game in the format of the output file."""
    name = formats.name_game(file)
    if isinstance(board, str):
        raise InputError(f"--board auto: {name} is a game; expected WxH, the board of the game")
    size = None if board is None else (board.width, board.height)
    plan = formats.parse_game(game_text, file, size)
    skipped = formats.list_skipped_moves(game_text, file, size) if strict else []
    for sentence in skipped:
        click.echo(sentence, err=True)
    plan, text = export.format_plan(plan)
    report: dict[str, object] = {
        "file": name,
        "plan": str(output),
        "board": f"{plan.width}x{plan.height}",
        "drops": len(plan),
        "passes": len(plan.passes),
        **({"skipped": skipped} if strict else {}),
    }
    _write_and_report(output, text, plan, report, as_json)


def _convert_image(
    image: Source,
    output: Path,
    values: Mapping[str, Any],
    export: Export,
    as_json: bool,
) -> None:
    """Plan a game for an image and write it in the format of the output file."""
    (preview,) = choose_previews([image], values["preview"])
    files.refuse_overwriting_inputs([output, preview], [image.path])
    target = _choose_target(output)
    if values["verbose"]:
        print_options.log_to_stderr()
    is_plan = (formats.find_format(target) or formats.FORMATS["text"]) is formats.FORMATS["text"]
    job = PrintJob(
        # None: another program chooses the colour of empty squares.
        print_options.read_request(values, field=BLACK if is_plan else None),
        print_options.read_limit(values),
        planner=values["planner"],
        verbose=values["verbose"],
        caches=not values["no_cache"],
    )
    step_report = StepReport(image.name, job.verbose)
    games = printing.list_games(job, image, step_report, [target], preview=preview, export=export)
    *_, (prepared, result, _) = games
    assert result is not None
    _, text = export.format_plan(result.plan)
    step_report.add(result.steps, is_result=True)
    plan = result.plan
    printing.warn_about_art_game(output, result.task)
    report = {
        "image": image.name,
        "plan": str(output),
        "board": str(plan.board),
        "planner": result.planner,
        "drops": len(plan),
        "passes": len(plan.passes),
        **step_report.report(prepared.find_printed(result).changes),
        **printing.collect_figures(result),
    }
    _write_and_report(output, text, plan, report, as_json)


def _write_and_report(
    output: Path, text: str, plan: Plan, report: dict[str, object], as_json: bool
) -> None:
    """Write a game; print what was written, and the command that shows it in the art game."""
    start_command = ""
    if formats.find_format(output) is formats.FORMATS["art"]:
        start_command = format_start_command(shlex.quote(str(output.resolve())))
    if output != _STDOUT:
        files.write_text(output, text)
    if formats.find_format(_choose_target(output)) is formats.FORMATS["fumen"]:
        report |= {"address": make_address(text)}
    if as_json:
        click.echo(json.dumps(report | ({"start": start_command} if start_command else {})))
        return
    if output == _STDOUT:
        click.echo(report["address"])
    passes = format_count(len(plan.passes), "pass", "passes")
    drops, board = format_count(len(plan), "drop"), f"{plan.width}x{plan.height}"
    click.echo(
        f"{name_outputs([output])}: {drops} in {passes} on a board of {board}",
        err=output == _STDOUT,
    )
    if start_command:
        click.echo(f"in the game's folder: {start_command}")
