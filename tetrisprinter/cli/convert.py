"""``tetrisprinter convert``: an image or a game -> a plan, or a game for another program."""

from __future__ import annotations

import functools
import json
import shlex
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.api import PreparedTask
from tetrisprinter.api.request import BLACK
from tetrisprinter.cli.groups import GroupedCommand
from tetrisprinter.cli.image_options import ImageOptions, add_image_options, name_preview
from tetrisprinter.cli.options import (
    COLOR,
    FILE,
    Whole,
    add_group,
    flag,
    json_option,
    option,
    refuse_options,
)
from tetrisprinter.cli.output_files import describe_extensions, describe_other_formats
from tetrisprinter.cli.planner_options import PlannerOptions, add_planner_options, collect_figures
from tetrisprinter.cli.print_steps import (
    StepReport,
    adapt_to_formats,
    plan_source,
    warn_about_art_game,
)
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, find_format, format_game, list_skipped_moves, read_game
from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, make_sources
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import (
    check_writable,
    is_file,
    refuse_overwriting_inputs,
    write_text,
)

if TYPE_CHECKING:
    from tetrisprinter.api import Export
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.pieces import Orientation
    from tetrisprinter.game.plan import Plan


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The values of the export options."""

    hold: int | None  # art files: the number of drops for which the picture stays complete
    unseen: Color | None  # art files: the colour of unseen types and of the background
    rules: str | None  # the rules by which a player must be able to steer every piece

    def make_export(self, path: Path) -> Export:
        """Return the export for a path; ``rules`` require that a player can steer all pieces."""
        from tetrisprinter.api import Export
        from tetrisprinter.game.srs import Guideline, play_by_guideline
        from tetrisprinter.game.steering import IllegalMoveError

        export = replace(Export.find_export(path), write=self.make_writer(path))
        if self.rules is None:
            return export
        make_rules = functools.cache(Guideline)  # the size of the board is known only from the plan
        format_allows = export.steerable

        def write(plan: Plan, name: str) -> str:
            text = export.write(plan, name)
            try:
                rules = make_rules(plan.width, plan.height)
                deque(play_by_guideline(plan, rules), maxlen=0)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"{name}: {error}") from error
            return text

        def can_steer(field: Playfield, orientation: Orientation, x: int) -> bool:
            rules = make_rules(field.width, field.height)
            return (
                format_allows is None or format_allows(field, orientation, x)
            ) and rules.can_steer(field, orientation, x)

        return replace(export, write=write, steerable=can_steer)

    def make_writer(self, path: Path) -> Callable[[Plan, str], str]:
        """Return the function that formats a plan and its name as the text of a file."""
        if find_format(path) is FORMATS["art"]:
            from tetrisprinter.formats.art import ArtOptions, format_art

            options = ArtOptions(self.hold, self.unseen)
            return lambda plan, name: format_art(plan, name, options)
        for name, value in (("--hold", self.hold), ("--unseen", self.unseen)):
            if value is not None:
                raise InputError(f"{name}: {path} is not an art file; use a name with .json")
        return lambda plan, name: format_game(plan, path, name)


def make_start_command(path: Path) -> str | None:
    """Return the command that shows an art file in its game; None for other files."""
    if find_format(path) is not FORMATS["art"]:
        return None
    from tetrisprinter.formats.art import format_start_command

    return format_start_command(shlex.quote(str(path.resolve())))


_OPTIONS = (
    option("--hold", Whole(0, 100_000), "Art files: the number of drops for which the finished "
           "picture stays, while rows above it fill and clear. [default: 350 on a board of "
           "10x22, if possible]", metavar="DROPS"),
    option("--unseen", COLOR, "Art files: the colour of unseen types and of the background, e.g. "
           "the colour of the game's window.", metavar="RRGGBB"),
    option("--rules", ["srs"], "Require that a player can steer all pieces by the guideline "
           "rules (see `moves`)."),
)  # fmt: skip


add_export_options = add_group("export_options", ExportOptions, _OPTIONS)
"""The decorator that adds the export options."""


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

    An image is planned as by `print`. A game is a plan, {describe_other_formats()}; it is played by
    the rules of its format. Options for images are refused for a game.

    An art file (.json) is for the seigot/tetris game, whose board is 10x22 (--board 10x22). Other
    boards are written, too, with a warning. The command that shows the file in that game is
    printed.
    """,
)
@click.argument("file", type=FILE)
@option(
    "-o --output",
    FILE,
    f"The file to write, by extension: {describe_extensions()}; any other name: a plan.",
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
    """Return whether a file has the extension of a game, or is text and no image."""
    if find_format(path) is not None:
        return True
    if path.suffix.lower() in (*IMAGE_SUFFIXES, ".hex") or not is_file(path):
        return False
    with path.open("rb") as file:
        first_bytes = file.read(_TESTED_BYTES)
    return b"\0" not in first_bytes  # every image format has zero bytes in its header


def _convert_game(
    file: Path,
    output: Path,
    board: Board | str | None,
    export_options: ExportOptions,
    strict: bool,
    as_json: bool,
) -> None:
    """Write a game in the format of the output file."""
    refuse_overwriting_inputs([output], [file])
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
    _print_conversion(output, plan, report, as_json)


def _convert_image(
    image: Path,
    output: Path,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    export_options: ExportOptions,
    as_json: bool,
) -> None:
    """Plan a game for an image and write it in the format of the output file."""
    refuse_overwriting_inputs([output, name_preview(image_options, image.stem)], [image])
    export_options.make_writer(output)
    image_sources = make_sources([image])
    if len(image_sources) != 1:
        raise InputError(
            f"{image}: {len(image_sources)} glyphs; expected one image (print takes several)"
        )

    def plan_image(
        prepared: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> tuple[PreparedTask, StepReport, PrintResult, str]:
        export = export_options.make_export(output)
        return prepared, step_report, *planner_options.plan_for_export(prepared, export, output)

    planner_options = adapt_to_formats(planner_options, [output])
    # None: another program chooses the colour of empty squares.
    field = BLACK if (find_format(output) or FORMATS["text"]) is FORMATS["text"] else None
    prepared, step_report, result, text = plan_source(
        image_sources[0], image_options, planner_options, plan_image, field, adds_result=True
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
        **step_report.report(prepared.find_printed(result).changes),
        **collect_figures(result),
    }
    _print_conversion(output, plan, report, as_json)


def _print_conversion(output: Path, plan: Plan, report: dict[str, object], as_json: bool) -> None:
    """Print what was written, and the command that shows it in the art game."""
    start_command = make_start_command(output)
    if as_json:
        click.echo(json.dumps(report | ({"start": start_command} if start_command else {})))
        return
    passes = format_count(len(plan.passes), "pass", "passes")
    board = f"{plan.width}x{plan.height}"
    click.echo(f"{output}: {format_count(len(plan), 'drop')} in {passes} on a board of {board}")
    if start_command:
        click.echo(f"in the game's folder: {start_command}")
