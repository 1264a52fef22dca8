"""What a command says while something is prepared and worked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from tetrisprinter.cli.error_messages import format_steps
from tetrisprinter.cli.image_options import ImageOptions, preview_path, write_preview
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.errors import Hint, InputError, Setting
from tetrisprinter.formats import FORMATS, find_format
from tetrisprinter.game.board import GUIDELINE_BOARD, Board
from tetrisprinter.game.piece_queue import QueueRules
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
    from tetrisprinter.printing.task import Task
    from tetrisprinter.render.paint import Look


_T = TypeVar("_T")

_ALWAYS_CHOSEN: Final = (Setting.BOARD, Setting.TYPES, Setting.FIELD)
"""What is chosen for every picture, so that only experts read it."""

_TEN_COLUMNS: Final = (".fumen", ".lesson", ".tetrio")
"""Kinds of files that know one width."""


@dataclass(slots=True)
class StepReport:
    """Reports the steps of a print on stderr, each once, and keeps them for ``--json``.

    Board, piece types and field are chosen for every picture: only ``is_verbose`` reports them.
    """

    name: str
    is_verbose: bool = False
    steps: list[Step] = field(default_factory=list)

    def add(self, steps: tuple[Step, ...]) -> None:
        """Report those that are new."""
        new = [step for step in steps if step not in self.steps]
        said = [step for step in new if self.is_verbose or step.setting not in _ALWAYS_CHOSEN]
        if said:
            click.echo(f"{self.name}: {format_steps(said)}", err=True)
        self.steps += new

    def report(self, changes: tuple[Change, ...]) -> dict[str, object]:
        """Return what ``--json`` says of it, if there is anything to say."""
        said: dict[str, object] = {}
        if self.steps:
            said["conversion"] = list(map(str, self.steps))
        if changes:
            said["repaired"] = [
                {"x": c.x, "y": c.y, "before": c.before, "after": c.after, "reason": c.reason}
                for c in changes
            ]
        return said


def plan_source(
    source: Source,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    work: Callable[[PreparedTask, StepReport, PlannerOptions], _T],
    field: Color | None = BACKGROUND,
) -> _T:
    """Prepare a source and work on it; if that fails, on something easier.

    What is done is said on stderr in one line.
    """
    from tetrisprinter.api import PictureRequest, plan_with_fallbacks
    from tetrisprinter.api.preparation import prepare_source

    planner_options, preview = (
        planner_options.start_clock(),
        preview_path(image_options, source.stem),
    )
    conversion = image_options.conversion
    request = PictureRequest(
        conversion, planner_options.board, planner_options.types, image_options.repair, field=field
    )
    request = replace(request, pieces=planner_options.pieces)
    found = prepare_source(source, request, planner_options.planner)

    def report(easy: PreparedTask) -> _T:
        step_report = StepReport(source.name, planner_options.verbose)
        step_report.add(easy.certain_steps)
        if preview is not None:
            write_preview(easy.task.picture, preview)
        return work(easy, step_report, planner_options)

    return plan_with_fallbacks(
        found,
        report,
        lambda sentence: click.echo(sentence, err=True),
        planner_options.stop.deadline,
    )


def choose_field_color(plan: Plan, look: Look) -> tuple[str, tuple[Step, ...]]:
    """Return the colour of empty squares, and the step that chose it."""
    chosen = choose_field_for(plan, look.field)
    if look.field != AUTO or chosen == BACKGROUND:
        return chosen, ()
    from tetrisprinter.pictures.convert import Step

    return chosen, (Step(f"empty squares drawn {chosen}", Setting.FIELD),)


def board_of_format(game: str | Path | None) -> Board | None:
    """Return the only board that a kind of file knows; None if it knows any."""
    return Board(10, 22) if game is not None and find_format(game) is FORMATS["fumen"] else None


def adapt_to_format(
    planner_options: PlannerOptions, game: str | Path | None, name: str
) -> PlannerOptions:
    """Return the planning with what a kind of file needs: its only board, or a piece queue."""
    planner_options = planner_options.with_board(board_of_format(game), name)
    kind = "" if game is None else Path(game).suffix.lower()
    board = planner_options.board
    if kind in _TEN_COLUMNS and isinstance(board, Board) and board.width != GUIDELINE_BOARD.width:
        raise InputError(
            f"{game}: a {kind} file has 10 columns but the board has {board.width}",
            Hint(f"use {{}} 10x{min(board.height, 22)}", Setting.BOARD),
        )
    if kind != ".tetrio" or planner_options.pieces is not None:
        return planner_options
    click.echo(f"{name}: pieces from a 7-bag (set with --pieces)", err=True)
    return replace(planner_options, pieces=QueueRules.parse("bag"))


def warn_about_art_game(game: Path, task: Task) -> None:
    """Say what the art game shows otherwise: its own board, and nothing on empty squares."""
    if find_format(game) is not FORMATS["art"]:
        return
    from tetrisprinter.formats.art import ART_SIZE

    background, size = task.background, (task.board.width, task.board.height)
    if size != ART_SIZE:
        usual = format_size(*ART_SIZE)
        click.echo(
            f"{game}: the board is {task.board}, but the art game has {usual}; --board "
            f"{usual} fits",
            err=True,
        )
    if background is not None:
        click.echo(
            f"{game}: the art game shows empty squares in the colour of its window, not in "
            f"{background}; --background transparent prints these squares",
            err=True,
        )
