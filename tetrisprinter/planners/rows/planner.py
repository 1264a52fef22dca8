"""Row by row, carrying what does not come out even, and looking one row ahead.

Squares come in fours, so a row printed alone has to wait for a number of lines that leaves
no remainder. Here a pass may leave squares of any type in the row above what it prints, and
the next pass, whose lowest row that is, fills it and clears it. What is carried decides how
few lines the next row takes, three if it is left to chance, two or one if it is chosen: so
the ways to play a pass and the ways to play the next one are chosen together.

Where the search does not know how to go on, what is carried is cleared and something else
carried in its place; and what cannot be printed that way is printed as the planner *direct*
does. In the end the shorter of this plan and the real-time one counts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tetrisprinter.errors import InputError, JobError, Remedy, TetrisPrinterError, Thing
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.begun import check_begun, field_after
from tetrisprinter.planners.direct import planner as direct
from tetrisprinter.planners.realtime import REALTIME
from tetrisprinter.planners.rows.passes import drop_order
from tetrisprinter.planners.rows.steps import State, Steps, StuckError
from tetrisprinter.planners.rows.target import RowTarget, row_target
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.target import make_target
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, plan_colors, share_types, too_many_colors
from tetrisprinter.support.limits import Limit

__all__ = ["Planned", "plan_rows"]

_BEAM: Final = 500
"""States kept per column on a narrow board, at an effort of 1."""
_NARROW: Final = 21
_WIDEST: Final = 3.0
"""Wider boards need more, but no more than so many times as many: time is linear in the area."""
_ABREAST: Final = 3
"""Games that are followed side by side."""
_PATIENCE: Final = 6
"""How many times as many in a second attempt, if the first ends nowhere."""


class Planned(NamedTuple):
    """A plan, and whether it is one because the time was up."""

    plan: Plan
    stopped: bool


class _TimeUpError(Exception):
    """The time given is up."""


class _LongerError(Exception):
    """The real-time plan has got longer than the one that is known."""


def plan_rows(task: Task, run: Run) -> Planned:
    """Plan a picture row by row, in any types: :func:`share_types` where they are left open.

    Told the plan so far after each row, above which may lie squares that the next row is to
    clear, and goes on from such a plan, or begins anew if that leads nowhere. The effort says
    how many more states to keep than usual. When the time is up between two passes, the plan
    to be beaten counts: the shortest of ``run.candidates``, or that of the real-time planner.

    Returns
    -------
    Planned
        Never with more drops than the plan to be beaten, unless it goes on from squares
        that the real-time planner does not know what to do with.

    Raises
    ------
    InputError
        If a colour has no type, the picture is not on the board, or the plan that was begun
        is not the beginning of such a plan.
    JobError
        Naming the row that could not be printed and what would help.
    """
    began = time.monotonic()
    types = _types(task, run.begun)
    missing = too_many_colors(task.picture, TypeColors.of(types), task.background)
    if missing is not None:
        raise missing.error(task.name)
    size = (task.board.width, task.board.height)
    target = row_target(make_target(task.picture, types, *size, task.column, task.background))
    plan = Plan((), plan_colors(task.board, types), *size)
    state = State(0, frozenset(range(target.width)), frozenset())
    if run.begun is not None:
        seen = task
        if task.background not in types.values():
            seen = replace(task, picture=_without(task.picture, task.background))
        check_begun(run.begun, seen, types, run.begun_name)
        plan = replace(plan, passes=run.begun.passes)
        state = _state_after(plan, target, task, run.begun_name)
    seconds = run.limit.seconds
    deadline = float("inf") if seconds is None else began + seconds
    # What there is when the time is up must be there before.
    known = None if seconds is None else _known(task, run, state, None)
    job = _Job(task, types, target, run, deadline, state.rows)
    made, stopped = job.plan(plan, state)
    if seconds is None:
        known = _known(task, run, state, None if made is None else len(made))
    if known is not None and (made is None or len(known) < len(made)):
        run.keep(known)
        return Planned(known, stopped)
    if made is None and run.begun is not None and not stopped:
        run.note(f"{run.begun_name}: leads nowhere; {task.name} is begun anew")
        return plan_rows(task, replace(run, begun=None))
    if made is None:
        raise job.failure(stopped)
    return Planned(made, stopped)


def _types(task: Task, begun: Plan | None) -> Mapping[PieceType, Color]:
    """Return the types; the background's colour has some if there are enough of them."""
    if task.type_colors is not None:
        return task.type_colors
    if begun is not None:
        return begun.color_of
    picture = task.picture
    if len(picture.colors()) > len(PieceType):
        picture = _without(picture, task.background)
    return share_types(picture)


def _without(picture: Picture, color: Color | None) -> Picture:
    """Return a picture with the squares of a colour transparent."""
    rows = tuple(tuple(None if c == color else c for c in row) for row in picture.rows)
    return replace(picture, rows=rows)


def _state_after(plan: Plan, target: RowTarget, task: Task, name: str) -> State:
    """Return what a plan leaves: complete rows, perhaps one that has been begun.

    Raises
    ------
    InputError
        If it leaves anything else.
    """
    field = field_after(plan, name)
    rows = 0
    while rows < target.rows and target.is_complete(rows, field.rows[rows]):
        rows += 1
    left = [frozenset(x for x, v in enumerate(row) if v) for row in field.rows]
    left.append(frozenset())
    if any(left[rows + 1 :]) or (rows == target.rows and left[rows]):
        raise InputError(
            f"{name}: does not leave the lowest rows of {task.name} and above them no more than "
            "squares of one row; only what an interrupted print of the same picture left can be "
            "continued"
        )
    ground = left[rows - 1] if rows else frozenset(range(plan.width))
    return State(rows, ground, left[rows])


def _known(task: Task, run: Run, state: State, drops: int | None) -> Plan | None:
    """Return the plan to be beaten; none if it has more drops, or there is none."""
    if run.candidates is not None:
        return min(run.candidates, key=len, default=None)
    if run.begun is not None and state.carried:
        return None

    def look(plan: Plan) -> None:
        if drops is not None and len(plan) > drops:
            raise _LongerError

    alone = Run(replace(run.limit, seconds=None), keep=look, begun=run.begun)
    try:
        return None if REALTIME.refuses(task) else REALTIME.plan(task, alone).plan
    except (_LongerError, TetrisPrinterError):
        return None


@dataclass(slots=True)
class _Job:
    """What has to be done, and how far it got."""

    task: Task
    types: Mapping[PieceType, Color]
    target: RowTarget
    run: Run
    deadline: float
    farthest: int

    def plan(self, plan: Plan, state: State) -> tuple[Plan | None, bool]:
        """Return a plan, if there is one, and whether the time was up."""
        width, height = self.task.board.width, self.task.board.height
        beam = _BEAM * self.run.limit.effort * min(_WIDEST, max(1.0, width / _NARROW))
        keep = self.run.each_row(self.target.rows, self.farthest)
        for patience in (1, _PATIENCE):
            states = max(50, round(beam * patience))
            steps = Steps(self.target, height, states, _ABREAST)
            made, now = plan, state
            try:
                while now.rows < self.target.rows:
                    made, now = self._one_more(steps, made, now)
                    while now.rows > self.farthest:
                        self.farthest += 1
                        keep(made)
                return made, False
            except _TimeUpError:
                return None, True
            except StuckError:
                continue
        return None, False

    def _one_more(self, steps: Steps, plan: Plan, state: State) -> tuple[Plan, State]:
        """Play one more pass, or print a row in several.

        Raises
        ------
        StuckError
            If neither is known.
        """
        if time.monotonic() > self.deadline:
            raise _TimeUpError
        try:
            step = steps.next(state)
        except StuckError:
            passes = self._directly(plan, state)
            after = State(state.rows + 1, self.target.columns(state.rows), frozenset())
            return replace(plan, passes=plan.passes + passes), after
        passes = (Pass(len(step.word), drop_order(step.pieces)),)
        return replace(plan, passes=plan.passes + passes), step.after

    def _directly(self, plan: Plan, state: State) -> tuple[Pass, ...]:
        """Print the next row as the planner *direct* does, if nothing has been begun there."""
        if state.carried:
            raise StuckError
        picture = self.task.picture
        lowest = replace(picture, rows=picture.rows[: state.rows + 1])
        task = replace(self.task, picture=lowest, types=TypeColors.of(self.types))
        limit = Limit(workers=self.run.limit.workers, seed=self.run.limit.seed)
        try:
            whole = direct.plan_rows(task, Run(limit, begun=plan if state.rows else None))
        except TetrisPrinterError as error:
            raise StuckError from error
        return whole.passes[len(plan.passes) :]

    def failure(self, stopped: bool) -> JobError:
        """Return the error that says how far it got and what would help."""
        if stopped:
            return JobError(
                f"{self.task.name}: no plan was found in the time given", Remedy("give it more")
            )
        row = self.task.picture.image_row(self.farthest)
        return JobError(
            f"{self.task.name}: row {row} from the top could not be printed row by row on a "
            f"board of {self.task.board}",
            Remedy(
                "a board with more columns beside the picture and more rows above it helps ({}), "
                "other types for its colours ({}), or a planner that searches longer ({})",
                Thing.AUTO_BOARD,
                Thing.TYPES,
                Thing.SHORTEST,
            ),
        )
