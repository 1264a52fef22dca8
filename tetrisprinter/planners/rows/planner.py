"""Row by row, carrying what does not come out even, and looking one row ahead.

Squares come in fours, so a row printed alone has to wait for a number of lines that leaves
no remainder. Here a pass may leave squares of any type in the row above what it prints, and
the next pass, whose lowest row that is, fills it and clears it. What is carried decides how
few lines the next row takes, three if it is left to chance, two or one if it is chosen: so
the ways to play a pass and the ways to play the next one are chosen together.

Where the search does not know how to go on, what is carried is cleared and something else
carried in its place; what cannot be printed that way is printed alone
(:mod:`~tetrisprinter.planners.rows.stretch`). The real-time plan is made only if
there is no other, or, for a small picture, before a limit of time is up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.at_once import RealtimePlanner
from tetrisprinter.planners.begun import check_begun, field_after
from tetrisprinter.planners.direct.evening import counted
from tetrisprinter.planners.rows.alone import clean_state, row_alone
from tetrisprinter.planners.rows.steps import State
from tetrisprinter.planners.rows.stretch import NowhereError, Stretch
from tetrisprinter.planners.rows.stretches import print_stretches, state_of, target_of
from tetrisprinter.planners.rows.target import RowTarget
from tetrisprinter.planners.run import Progress, Run, TimeUpError, WorkSpentError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import (
    TypeColors,
    other_shares,
    plan_colors,
    share_types,
    too_many_colors,
)

__all__ = ["Planned", "plan_rows"]

_FIRST: Final = (1200, 4, 200)
"""With a limit of time, pictures of up to so many squares and colours on so many columns have a
real-time plan before anything else: it takes a part of a second."""
_NARROW: Final = 12
"""On so few columns the types are shared in several ways: it takes a part of a second."""
_SMALL: Final = 700
"""On so many squares of the board passes are chosen in two ways: it takes a part of a second."""
_DEAD_ENDS: Final = 4
"""With more of these, which take long, the second way is given up."""


class Planned(NamedTuple):
    """A plan, whether it is one because the time was up, and the stages that made it."""

    plan: Plan
    stopped: bool
    made_by: tuple[str, ...] = ()

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return len(self.plan)


class _LongerError(Exception):
    """The real-time plan has got longer than the one that is known."""


def plan_rows(task: Task, run: Run) -> Planned:
    """Plan a picture row by row, in any types: :func:`share_types` where they are left open.

    Told the plan so far after each row, above which may lie squares that the next row is to
    clear, and goes on from such a plan, or begins anew if that leads nowhere. The effort says
    how many more states to keep than usual. When the time is up, the plan to be beaten counts:
    the shortest of ``run.candidates``, or, of a small picture, that of the real-time planner.

    Returns
    -------
    Planned
        Never with more drops than the shortest of ``run.candidates``.

    Raises
    ------
    InputError
        If a colour has no type, the picture is not on the board, or the plan that was begun
        is not the beginning of such a plan.
    JobError
        Naming the row that could not be printed and what would help; :class:`TimeUpError` if
        the time was up before there was a plan.
    """
    types = _types(task, run.begun)
    missing = too_many_colors(task.picture, TypeColors.of(types), task.background)
    if missing is not None:
        raise missing.error(task.name)
    target = target_of(task, types)
    plan = Plan((), plan_colors(task.board, types), task.board.width, task.board.height)
    state = clean_state(target, 0)
    if run.begun is not None:
        seen = task
        if task.background not in types.values():
            seen = replace(task, picture=_without(task.picture, task.background))
        check_begun(run.begun, seen, types, run.begun_name)
        plan = replace(plan, passes=run.begun.passes)
        state = _state_after(plan, target, task, run.begun_name)
    # What there is when the time is up must be there before; else it is made when nothing else is.
    size = (task.pixels, len(task.colors), target.width)
    small = all(map(int.__le__, size, _FIRST))
    early = run.candidates is not None or (run.limit.seconds is not None and small)
    known = _known(task, run, state) if early else None
    made: Planned | None = None
    problem: JobError | None = None
    try:
        parts = print_stretches(task, types, run, plan, state)
        if parts is None:
            stretch = Stretch(task, types, target, run, list(plan.passes), state.rows)
            made = _planned(stretch, plan, state)
            made = _chosen_otherwise(stretch, made)
        else:
            made = Planned(parts[0], False, (Stage.ROWS, Stage.SEGMENTS, *parts[1]))
    except WorkSpentError:
        raise
    except JobError as error:
        problem = error
    stopped = isinstance(problem, TimeUpError)
    if problem is not None and not stopped and run.begun is None:
        made = _settled(task, types, run)
    if made is not None and run.begun is None:
        made = _shared_otherwise(task, types, run, made)
    if not early and not stopped and made is None:
        known = _known(task, run, state)
    if known is not None and (made is None or len(known) < made.drops):
        if made is None and not stopped:
            run.fell_back("not to be printed row by row", str(problem or ""))
        elif not stopped:
            better = "in real time" if run.candidates is None else "that was known"
            run.fell_back(f"the plan {better} is the shorter one", task.name)
        run.keep(known)
        return Planned(
            known, stopped, (Stage.REAL_TIME if run.candidates is None else Stage.KNOWN,)
        )
    if made is not None:
        return made
    if isinstance(problem, NowhereError):
        run.note(f"{run.begun_name}: leads nowhere; {task.name} is begun anew")
        return plan_rows(task, replace(run, begun=None))
    raise problem or JobError(f"{task.name}: no plan was found")


def _planned(stretch: Stretch, plan: Plan, state: State) -> Planned:
    """Print all rows that are left."""
    return Planned(stretch.printed(plan, state), False, stretch.stages())


def _types(task: Task, begun: Plan | None) -> Mapping[PieceType, Color]:
    """Return the types; the background's colour has some if there are enough of them."""
    if task.type_colors is not None:
        return task.type_colors
    if begun is not None:
        return begun.color_of
    return share_types(task.picture, task.background)


def _chosen_otherwise(stretch: Stretch, made: Planned) -> Planned:
    """Choose the passes of a small picture in another way, too; return the shorter plan."""
    target, run = stretch.target, stretch.run
    is_small = target.width * target.rows <= _SMALL
    if not is_small or run.begun or run.candidates is not None or run.limit.effort > 1:
        return made

    def look(plan: Plan) -> None:
        if len(plan) >= made.drops or stretch.steps.dead_ends > _DEAD_ENDS:
            raise _LongerError

    alone = Run(run.limit, keep=look, deadline=run.deadline, work=run.work)
    empty = replace(made.plan, passes=())
    try:
        look(empty)
        again = stretch.otherwise(alone, together=not stretch.steps.together)
        other = _planned(again, empty, clean_state(target, 0))
    except WorkSpentError:
        raise
    except (JobError, _LongerError):
        return made
    if other.drops >= made.drops:
        return made
    run.fallbacks.clear()
    run.fallbacks.update(alone.fallbacks)
    run.keep(other.plan)
    return other


def _shared_otherwise(
    task: Task, types: Mapping[PieceType, Color], run: Run, made: Planned
) -> Planned:
    """Share the types of a narrow board in other ways, too; return the shortest plan.

    Of many ways only those count that made the plans to be beaten, if there are such plans.
    """
    if task.types != "auto" or task.board.width > _NARROW:
        return made
    others = other_shares(task.picture, task.background)
    if len(others) > 1 and run.candidates:
        best = [plan.color_of for plan in run.candidates]
        others = [other for other in others if other in best]
    shortest = made

    def look(plan: Plan) -> None:
        if len(plan) >= shortest.drops:
            raise _LongerError

    for other in others:
        again = replace(task, types=TypeColors.of(other))
        if other == types or not target_of(again, other).can_end(0, 0):
            continue
        alone = Run(run.limit, keep=look, candidates=(), deadline=run.deadline, work=run.work)
        try:
            shortest = plan_rows(again, alone)
        except WorkSpentError:
            raise
        except (JobError, _LongerError):
            continue
    if shortest is not made:
        run.keep(shortest.plan)
        shortest = shortest._replace(made_by=(*shortest.made_by, Stage.OTHER_TYPES))
    return shortest


def _settled(task: Task, types: Mapping[PieceType, Color], run: Run) -> Planned | None:
    """Print with all squares of the background settled before, and their number with them.

    On even widths not every number of squares can be left, and a row whose turn comes last has
    nothing to choose any more.
    """
    if task.background is None or task.background not in types.values():
        return None
    settled = replace(task, picture=counted(task), types=TypeColors.of(types), background=None)
    try:
        made = plan_rows(settled, replace(run, candidates=()))
    except WorkSpentError:
        raise
    except JobError:
        return None
    run.fell_back("squares of the background settled before", task.name)
    return made._replace(made_by=(*made.made_by, Stage.SETTLED))


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
    state = state_of(target, field_after(plan, name))
    if state is None:
        raise InputError(
            f"{name}: does not leave the lowest rows of {task.name} and above them no more than "
            "squares of one row; only what an interrupted print of the same picture left can be "
            "continued"
        )
    return state


def _known(task: Task, run: Run, state: State) -> Plan | None:
    """Return the plan to be beaten, or the real-time plan; None if there is none."""
    if run.candidates is not None:
        return min(run.candidates, key=len, default=None)
    if run.begun is not None and state.carried:
        return None
    alone = Run(replace(run.limit, seconds=None), begun=run.begun, deadline=run.deadline)
    planner = RealtimePlanner(row_alone)
    try:
        plan = None if planner.refuses(task) else planner.plan(task, alone).plan
    except TetrisPrinterError:
        return None
    if plan is not None:
        run.tell(Progress(f"in real time: {len(plan)} drops"))
    return plan
