"""Row by row, carrying what does not come out even, and looking one row ahead.

Squares come in fours, so a row printed alone has to wait for a number of lines that leaves
no remainder. Here a pass may leave squares of any type in the row above what it prints, and
the next pass, whose lowest row that is, fills it and clears it. What is carried decides how
few lines the next row takes, three if it is left to chance, two or one if it is chosen: so
the ways to play a pass and the ways to play the next one are chosen together.

Where the search does not know how to go on, what is carried is cleared and something else
carried in its place; what cannot be printed that way is printed from a clean state
(:mod:`~tetrisprinter.planners.rows.clean`). The real-time plan is made if it may be shorter, if
there is no other, or, in a part of the time, before a limit of time is up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.begun import check_begun, field_after
from tetrisprinter.planners.direct.planner import DirectPlanner
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clean import row_alone
from tetrisprinter.planners.rows.segment import BehindError, NowhereError, Planned, Segment
from tetrisprinter.planners.rows.segments import print_segments
from tetrisprinter.planners.rows.target import State, row_target
from tetrisprinter.planners.run import Progress, Run, TimeUpError, WorkSpentError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.sharing import other_shares
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import (
    TypeColors,
    plan_colors,
    share_types,
    too_many_colors,
)

__all__ = ["plan_rows", "shortest_of"]


def plan_rows(task: Task, run: Run) -> Planned:
    """Plan a picture row by row, in any types: :func:`share_types` where they are left open.

    Told the plan so far after each row, above which may lie squares that the next row is to
    clear, and goes on from such a plan, or begins anew if that leads nowhere. The effort says
    how many more states to keep than usual. When the time is up, the plan to be beaten counts:
    the shortest of ``run.candidates``, or that of the real-time planner.

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
    types = _shown_by(task, run.begun)
    missing = too_many_colors(task.picture, TypeColors.of(types), task.background)
    if missing is not None:
        raise missing.error(task.name)
    plan, state = _begun(task, types, run)
    # What there is when the time is up must be there before; else it is made when nothing else is.
    early = run.candidates is not None or run.limit.seconds is not None
    known = _known(task, run, state) if early else None
    made: Planned | None = None
    problem: JobError | None = None
    try:
        made = _printed(task, types, run, plan, state)
    except WorkSpentError:
        raise
    except JobError as error:
        problem = error
    if made is None and not early:
        known = _known(task, run, state)
    if known is not None and (made is None or len(known) < made.drops):
        stopped = isinstance(problem, TimeUpError)
        way = Stage.REAL_TIME if run.candidates is None else Stage.KNOWN
        if made is not None:
            run.fell_back(f"the shorter plan: {way}", task.name)
        elif not stopped:
            run.fell_back("not to be printed row by row", str(problem or ""))
        run.keep(known)
        return Planned(known, (way,), stopped)
    if made is not None:
        return made
    if isinstance(problem, NowhereError):
        run.note(f"{run.begun_name}: leads nowhere; {task.name} is begun anew")
        return plan_rows(task, replace(run, begun=None))
    raise problem or JobError(f"{task.name}: no plan was found")


def _shown_by(task: Task, begun: Plan | None) -> Mapping[PieceType, Color]:
    """Return the types; the background's colour has some if there are enough of them."""
    if task.type_colors is not None:
        return task.type_colors
    if begun is not None:
        return begun.color_of
    return share_types(task.picture, task.background)


def _begun(task: Task, types: Mapping[PieceType, Color], run: Run) -> tuple[Plan, State]:
    """Return the plan that is gone on from, and what it leaves.

    Raises
    ------
    InputError
        If that is not complete rows, and perhaps squares that are carried.
    """
    target = row_target(task, types)
    plan = Plan((), plan_colors(task.board, types), task.board.width, task.board.height)
    if run.begun is None:
        return plan, target.clean(0)
    seen = task
    if task.background not in types.values():
        seen = replace(task, picture=_without(task.picture, task.background))
    check_begun(run.begun, seen, types, run.begun_name)
    plan = replace(plan, passes=run.begun.passes)
    state = target.state(field_after(plan, run.begun_name).rows)
    if state is None:
        raise InputError(
            f"{run.begun_name}: does not leave the lowest rows of {task.name} and above them no "
            "more than squares of one row; only what an interrupted print of the same picture "
            "left can be continued"
        )
    return plan, state


def _printed(
    task: Task, types: Mapping[PieceType, Color], run: Run, plan: Plan, state: State
) -> Planned:
    """Print all rows that are left, in the shortest of some ways."""
    parts = print_segments(task, types, run, plan, state)
    if parts is not None:
        return parts
    segment = Segment.of(task, types, row_target(task, types), run)
    made = segment.printed(plan, state)
    if run.begun:
        return made
    if run.candidates is None:
        made = shortest_of(run, made, iter([(0, partial(_alternative, segment, plan))]))
    return shortest_of(run, made, _other_types(task, types, run))


Ways = Iterator[tuple[float, Callable[[Run], Planned]]]
"""Other ways to print, each with the drops that it takes at least."""


def shortest_of(run: Run, made: Planned, ways: Ways) -> Planned:
    """Print in other ways, too, as long as that takes little work; return the shortest plan."""
    most = run.work.spent + BUDGETS.again
    best = made

    def look(plan: Plan) -> None:
        if len(plan) >= best.drops or run.work.spent > most:
            raise BehindError("another print is ahead")

    for least, way in ways:
        if run.work.spent > most:
            break
        if least >= best.drops:
            continue
        alone = Run(run.limit, keep=look, candidates=(), deadline=run.deadline, work=run.work)
        try:
            found = way(alone)
        except WorkSpentError:
            raise
        except JobError:
            continue
        if found.drops < best.drops:
            best = found
            run.fallbacks.clear()
            run.fallbacks.update(alone.fallbacks)
    if best is not made:
        run.keep(best.plan)
    return best


def _alternative(segment: Segment, plan: Plan, run: Run) -> Planned:
    """Print with passes chosen in another way."""
    other = segment.alternative(run, together=not segment.steps.together)
    return other.printed(plan, segment.target.clean(0))


def _in_real_time(task: Task, run: Run) -> Planned:
    """Print in real time."""
    planner = DirectPlanner(row_alone)
    refused = planner.refuses(task)
    if refused is not None:
        raise refused.error(task.name)
    return Planned(planner.plan(task, run).plan, (Stage.REAL_TIME,))


def _other_types(task: Task, types: Mapping[PieceType, Color], run: Run) -> Ways:
    """Yield prints with the types shared in other ways.

    Of many ways only those count that made the plans to be beaten, if there are such plans.
    """
    if task.types != "auto":
        return
    others = other_shares(task.picture, task.background)
    if len(others) > 1 and run.candidates:
        best = [plan.color_of for plan in run.candidates]
        others = [other for other in others if other in best]
    for other in others:
        again = replace(task, types=TypeColors.of(other))
        if other != types and row_target(again, other).can_end(0, 0):
            yield 0, partial(_in_types, again)


def _in_types(task: Task, run: Run) -> Planned:
    made = plan_rows(task, run)
    return made._replace(made_by=(*made.made_by, Stage.OTHER_TYPES))


def _without(picture: Picture, color: Color | None) -> Picture:
    """Return a picture with the squares of a colour transparent."""
    rows = tuple(tuple(None if c == color else c for c in row) for row in picture.rows)
    return replace(picture, rows=rows)


def _known(task: Task, run: Run, state: State) -> Plan | None:
    """Return the plan to be beaten, or the real-time plan; None if there is none."""
    if run.candidates is not None:
        return min(run.candidates, key=len, default=None)
    if run.begun is not None and state.carried:
        return None
    now = time.monotonic()
    deadline = now + (run.deadline - now) / 4  # the rest is for a shorter one
    alone = Run(replace(run.limit, seconds=None), begun=run.begun, deadline=deadline)
    try:
        plan = _in_real_time(task, alone).plan
    except TetrisPrinterError:
        return None
    run.tell(Progress(f"in real time: {len(plan)} drops"))
    return plan
