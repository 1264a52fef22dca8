"""Prepare a source and plan it, with simpler versions as fallbacks, and report each step.

:func:`print_from_start` is for ``print --from``: the game starts on the final board of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from tetrisprinter.cli.error_messages import TEN_COLUMNS, format_steps
from tetrisprinter.cli.image_options import ImageOptions, name_preview, write_preview
from tetrisprinter.cli.output_files import OutputOptions
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import (
    Hint,
    InputError,
    InternalError,
    JobError,
    Setting,
    TetrisPrinterError,
)
from tetrisprinter.formats import FORMATS, find_format
from tetrisprinter.formats.own_colors import OWN_COLORS, find_patchy_colors
from tetrisprinter.game.board import GUIDELINE_BOARD, Board
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.planners import PLANNERS
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.field_color import AUTO, choose_field_for
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.pictures.convert import Step
    from tetrisprinter.pictures.picture import Color
    from tetrisprinter.pictures.sources import Source
    from tetrisprinter.printing.repair import Change
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.printing.task import Task
    from tetrisprinter.render.paint import Look


_T = TypeVar("_T")

_ALWAYS_CHOSEN: Final = (Setting.BOARD, Setting.TYPES, Setting.FIELD)
"""Settings that are chosen for every picture, so only ``--verbose`` reports them."""

_FORMAT_BOARDS: Final = {".lesson": Board(10, 20), ".fumen": Board(10, 22)}
"""The boards of formats with ten columns, the lowest board first."""


@dataclass(slots=True)
class StepReport:
    """Prints each conversion step once on stderr, and keeps the steps for ``--json``."""

    name: str
    is_verbose: bool = False
    steps: list[Step] = field(default_factory=list)
    # Steps and settings that will be reported with the result, in one line
    postponed: tuple[tuple[Step, ...], tuple[str, ...]] = ((), ())

    def add(
        self, steps: tuple[Step, ...], chosen: tuple[str, ...] = (), *, is_result: bool = False
    ) -> None:
        """Report the new steps, after the settings that a format requires.

        With ``is_result`` only repairs and postponed steps are reported, unless ``--verbose`` is
        given.
        """
        postponed, self.postponed = self.postponed, ((), ())
        steps, chosen = (*postponed[0], *steps), (*postponed[1], *chosen)
        new_steps = [step for step in dict.fromkeys(steps) if step not in self.steps]
        shown_steps = [
            step for step in new_steps if self.is_verbose or step.setting not in _ALWAYS_CHOSEN
        ]
        if not self.is_verbose:
            if is_result:
                shown_steps = [
                    s for s in shown_steps if s.setting is Setting.EXACT or s in postponed[0]
                ]
            shown_steps = list(map(_drop_pixel_list, shown_steps))
        texts = [*chosen, *([format_steps(shown_steps)] if shown_steps else ())]
        if texts:
            click.echo(f"{self.name}: {', '.join(texts)}", err=True)
        self.steps += new_steps

    def report(self, changes: tuple[Change, ...]) -> dict[str, object]:
        """Return the entries of ``--json`` for the steps and for repaired pixels."""
        entries: dict[str, object] = {}
        if self.steps:
            entries["conversion"] = list(map(str, self.steps))
        if changes:
            entries["repaired"] = list(map(asdict, changes))
        return entries


def _drop_pixel_list(step: Step) -> Step:
    """Return a step, without the list of repaired pixels if there are several."""
    if step.setting is not Setting.EXACT or step.text.startswith("1 pixel "):
        return step
    return replace(step, text=step.text.partition(":")[0])


def plan_source(
    source: Source,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    plan: Callable[[PreparedTask, StepReport, PlannerOptions], _T],
    field: Color | None = BACKGROUND,
    *,
    adds_result: bool = False,
) -> _T:
    """Prepare a source and call ``plan`` on it; if that fails, call it on simpler versions.

    Each attempt reports its steps on stderr and writes the preview. ``field`` is the colour in
    which empty squares are drawn. With ``adds_result`` the caller reports the steps of the result;
    if the planner may choose which pixels are repaired, the first steps wait for this report.
    """
    from tetrisprinter.api import PictureRequest, plan_with_fallbacks
    from tetrisprinter.api.preparation import prepare_source

    planner_options = planner_options.start_clock()
    preview = name_preview(image_options, source.stem)
    request = PictureRequest(
        image_options.conversion,
        planner_options.board,
        planner_options.types,
        image_options.repair,
        field=field,
        pieces=planner_options.pieces,
    )

    def attempt(prepared: PreparedTask) -> _T:
        step_report = StepReport(source.name, planner_options.verbose)
        steps = prepared.certain_steps, planner_options.chosen
        if adds_result and prepared.alternative is not None:
            step_report.postponed = steps
        else:
            step_report.add(*steps)
        if preview is not None:
            write_preview(prepared.task.picture, preview)
        try:
            return plan(prepared, step_report, planner_options)
        except TetrisPrinterError:
            step_report.add(())
            raise

    return plan_with_fallbacks(
        prepare_source(source, request, planner_options.planner),
        attempt,
        lambda sentence: click.echo(sentence, err=True),
        planner_options.stop.deadline,
    )


def choose_field_color(plan: Plan, look: Look) -> tuple[str, tuple[Step, ...]]:
    """Return the colour of empty squares, and the step to report if it was not the usual choice."""
    chosen = choose_field_for(plan, look.field)
    if look.field != AUTO or chosen == BACKGROUND:
        return chosen, ()
    from tetrisprinter.pictures.convert import Step

    return chosen, (Step(f"empty squares drawn {chosen}", Setting.FIELD),)


def adapt_to_formats(planner_options: PlannerOptions, games: Sequence[Path]) -> PlannerOptions:
    """Return the options with the board and the piece queue that the files' formats require."""
    games_by_suffix, board = {game.suffix.lower(): game for game in games}, planner_options.board
    if not isinstance(board, Board) and (
        fitting_suffixes := [suffix for suffix in _FORMAT_BOARDS if suffix in games_by_suffix]
    ):
        board = _FORMAT_BOARDS[fitting_suffixes[0]]
        chosen = (
            *planner_options.chosen,
            f"board {board} for a {fitting_suffixes[0]} file (--board WxH)",
        )
        planner_options = replace(planner_options, board=board, chosen=chosen)
    for suffix in TEN_COLUMNS:
        if (
            suffix in games_by_suffix
            and isinstance(board, Board)
            and board.width != GUIDELINE_BOARD.width
        ):
            raise InputError(
                f"{games_by_suffix[suffix]}: the board has {board.width} columns; a {suffix} file "
                "has 10",
                Hint(f"use {{}} 10x{min(board.height, 22)}", Setting.BOARD),
            )
    if ".tetrio" not in games_by_suffix or planner_options.pieces is not None:
        return planner_options
    chosen = (*planner_options.chosen, "pieces from a 7-bag (set with --pieces)")
    return replace(planner_options, pieces=QueueRules.parse("bag"), chosen=chosen)


def describe_patchy_colors(games: Sequence[Path], result: PrintResult) -> str:
    """Return a clause on colours that other programs show patchily; empty if there are none."""
    names = [game.name for game in games if game.suffix.lower() in OWN_COLORS]
    patchy = [
        f"{color} ({', '.join(piece.name for piece in pieces)})"
        for color, pieces in find_patchy_colors(result.plan, result.game.field).items()
    ]
    if not (names and patchy):
        return ""
    verb = "looks" if len(patchy) == 1 else "look"
    return f"in {', '.join(names)} {', '.join(patchy)} {verb} patchy: set one piece with --types"


def warn_about_art_game(game: Path, task: Task) -> None:
    """Warn if the art game (seigot/tetris) has another board or cannot show the background."""
    if find_format(game) is not FORMATS["art"]:
        return
    from tetrisprinter.formats.art import ART_SIZE

    background, size = task.background, (task.board.width, task.board.height)
    if size != ART_SIZE:
        art_size = format_size(*ART_SIZE)
        click.echo(
            f"{game}: the board is {task.board}, but the art game has {art_size}; --board "
            f"{art_size} fits",
            err=True,
        )
    if background is not None:
        click.echo(
            f"{game}: the art game shows empty squares in the colour of its window, not in "
            f"{background}; --background transparent prints these squares",
            err=True,
        )


_NOT_BOTH: Final = "cannot be used with --from; leave one of them out"
"""The end of messages about options that ``--from`` excludes."""


def check_start_options(
    planner_options: PlannerOptions, plan: str | None, output: OutputOptions
) -> None:
    """Refuse options that cannot be used with ``--from``."""
    for is_used, option in (
        (output.resume, "--resume"),
        (output.prove, "--prove"),
        (output.dask, "--dask"),
        (planner_options.pieces, "--pieces"),
        (
            not PLANNERS[planner_options.planner].can_start_from_board,
            f"--planner {planner_options.planner}",
        ),
    ):
        if is_used:
            raise InputError(f"{option} {_NOT_BOTH}")
    if plan is not None and find_format(plan) is FORMATS["art"]:
        raise InputError(
            f"{plan}: the art game starts on an empty board, so it cannot be used with --from; "
            "write a plan (.txt), a drop log (.drops.json) or a fumen"
        )


def print_from_start(
    start_from: str, source: Source, image_options: ImageOptions, planner_options: PlannerOptions
) -> tuple[PreparedTask, StepReport, PrintResult]:
    """Plan a game that starts on the board which the file ``start_from`` leaves."""
    from tetrisprinter.api import PictureRequest, PreparedTask
    from tetrisprinter.api.slideshows import SharedSettings, continue_file, read_picture
    from tetrisprinter.printing.types import TypeColors

    planner_options = planner_options.start_clock()
    conversion = image_options.conversion
    if conversion.background is None and conversion.defaults is not None:
        conversion = replace(conversion, background="auto")
    picture, read_steps = read_picture(source, conversion)
    board = planner_options.board if isinstance(planner_options.board, Board) else None
    types = planner_options.types if isinstance(planner_options.types, TypeColors) else None
    if planner_options.types == "classic":
        raise InputError(f"--types classic {_NOT_BOTH}")
    with show_staged_progress(f"printing {start_from}") as report:
        tasks, steps, start = continue_file(
            start_from,
            [picture],
            SharedSettings(board, types, conversion.colors, image_options.repair),
            planner_options.limit,
            lambda progress: report(str(progress), progress.fraction),
        )
    task = tasks[0].with_start(start)
    request = PictureRequest(
        conversion, task.board, task.type_colors, image_options.repair, task.column
    )
    prepared = PreparedTask(source, request, task, read_steps + steps)
    step_report = StepReport(source.name, planner_options.verbose)
    step_report.add(prepared.steps)
    preview = name_preview(image_options, source.stem)
    if preview is not None:
        write_preview(task.picture, preview)
    try:
        return prepared, step_report, planner_options.plan(prepared)
    except InternalError:
        raise
    except JobError as error:
        reason = error.message.removeprefix(f"{source.name}: ")
        new_error = JobError(f"{source.name}: cannot follow {start_from}: {reason}", *error.hints)
        new_error.obstacle = error.obstacle
        raise new_error from error
