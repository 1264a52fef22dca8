"""From a field on which squares lie to a picture.

The lowest rows that both have in common stay. What lies above them is cleared from its top
(:mod:`~tetrisprinter.planners.rows.clearing`) until one row is left; that is what is
carried, as the search for the picture's rows knows them: it is completed and cleared, or stays if
its squares are the picture's. Where that leads nowhere, less stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.start import Rows
from tetrisprinter.planners.begun import field_after
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clearing import Clearing
from tetrisprinter.planners.rows.segment import BehindError, Segment
from tetrisprinter.planners.rows.segments import target_of
from tetrisprinter.planners.rows.site import Site
from tetrisprinter.planners.rows.target import RowTarget, State
from tetrisprinter.planners.run import Run, TimeUpError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import plan_colors, share_types

__all__ = ["plan_onward", "shared_rows"]


class _Way(NamedTuple):
    """What is dropped to clear an old picture, and what lies there then."""

    passes: list[Pass]
    state: State


def shared_rows(target: RowTarget, rows: Rows) -> int:
    """Return how many of the lowest rows of a field are complete rows of a picture."""
    shared = 0
    while shared < min(target.rows, len(rows)) and target.is_complete(shared, rows[shared]):
        shared += 1
    return shared


def plan_onward(task: Task, run: Run) -> tuple[Plan, tuple[str, ...]]:
    """Plan a picture from the field that its task begins with.

    Returns
    -------
    (Plan, tuple of str)
        The plan, and the stages that made it.

    Raises
    ------
    JobError
        If no way was found; :class:`TimeUpError` if the time was up before there was a plan.
    """
    types = task.type_colors or share_types(task.picture, task.background)
    target = target_of(task, types)
    size = (task.board.width, task.board.height)
    plan = Plan((), plan_colors(task.board, types), *size, start=task.start)
    rows = task.start
    if run.begun is not None:
        plan = replace(plan, passes=run.begun.passes)
        rows = field_after(plan, run.begun_name).used_rows
    shared = shared_rows(target, rows)
    if shared == target.rows == len(rows):
        return plan, (Stage.ONWARD,)
    problem: JobError | None = None
    for way in _ways(task, target, run, rows, shared):
        segment = Segment(task, types, target, run, [], way.state.rows)
        try:
            made = _printed(segment, plan, way)
        except TimeUpError:
            raise
        except JobError as error:
            problem = error
        else:
            return _shortest(segment, plan, _others(target, task, run, rows, way, shared), made)
    raise problem or JobError(
        f"{task.name}: no way was found to clear what lies on the board of {task.board}"
    )


def _printed(segment: Segment, plan: Plan, way: _Way) -> tuple[Plan, tuple[str, ...]]:
    """Clear what cannot stay, and print; return the plan and its stages."""
    cleared = replace(plan, passes=(*plan.passes, *way.passes))
    segment.passes = list(cleared.passes)
    made = segment.printed(cleared, way.state)
    return made, (Stage.ROWS, Stage.ONWARD, *segment.stages()[1:])


def _shortest(
    segment: Segment, plan: Plan, ways: Iterator[_Way], made: tuple[Plan, tuple[str, ...]]
) -> tuple[Plan, tuple[str, ...]]:
    """Print in other ways, too, as long as that takes little work; return the shortest plan.

    The first of the ways is that of the plan that there is; its passes are chosen otherwise.
    """
    run, together = segment.run, segment.steps.together
    if run.limit.effort > 1:
        return made
    most = run.work.spent + BUDGETS.again
    best = made

    def look(plan: Plan) -> None:
        if len(plan) >= len(best[0]) or run.work.spent > most:
            raise BehindError("another print is ahead")

    alone = Run(run.limit, keep=look, deadline=run.deadline, work=run.work)
    for number, way in enumerate(ways):
        for choice in (not together, together)[: 2 if number else 1]:
            left = int(segment.target.required[way.state.rows :].sum()) - len(way.state.carried)
            drops = len(plan) + sum(len(one.pieces) for one in way.passes) + left / 4
            if drops < len(best[0]) and run.work.spent <= most:
                other = segment.alternative(alone, together=choice)
                other.farthest = way.state.rows
                with suppress(JobError):
                    found = _printed(other, plan, way)
                    best = min(best, found, key=lambda one: len(one[0]))
    return best


def _others(
    target: RowTarget, task: Task, run: Run, rows: Rows, way: _Way, shared: int
) -> Iterator[_Way]:
    """Yield a way to clear what cannot stay, and others: all of it, and all that lies there."""
    yield way
    clearing = _clearing(target, task, run, 1)
    for kept in sorted({shared, 0}, reverse=True):
        for passes, left in islice(clearing.down_to(rows, kept), 1):
            yield _Way(passes, _state(target, left))


def _ways(task: Task, target: RowTarget, run: Run, rows: Rows, shared: int) -> Iterator[_Way]:
    """Yield ways to clear what cannot stay; the best first."""
    tried = set()
    for patience, ways in ((1, 1), (1, BUDGETS.ways), (BUDGETS.patience, BUDGETS.ways)):
        clearing = _clearing(target, task, run, patience)
        for kept in range(shared, -1, -1):
            for more in (1, 0):
                run.check_time(task.name)
                for passes, left in islice(clearing.down_to(rows, kept + more), ways):
                    if left not in tried:
                        tried.add(left)
                        yield _Way(passes, _state(target, left))


def _clearing(target: RowTarget, task: Task, run: Run, patience: int) -> Clearing:
    """Return what clears rows, with so many times as many states as is usual."""
    beam = BUDGETS.states(target.width, run.limit.effort) * patience
    return Clearing(Site.of(target, task.board.height, beam, run.work))


def _state(target: RowTarget, rows: Rows) -> State:
    """Return what lies there: complete rows, perhaps one that has been begun."""
    kept = shared_rows(target, rows)
    columns = [frozenset(x for x, value in enumerate(row) if value) for row in rows]
    ground = columns[kept - 1] if kept else frozenset(range(target.width))
    if len(rows) == kept:
        return State(kept, ground, frozenset())
    stays = kept < target.rows and all(
        not value or mask >> value & 1
        for value, mask in zip(rows[kept], target.allowed[kept].tolist(), strict=True)
    )
    return State(kept, ground, columns[kept], stays)
