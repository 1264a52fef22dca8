"""From a field on which squares lie to a picture.

The lowest rows that both have in common stay. What lies above them is cleared from its top
(:mod:`~tetrisprinter.planners.rows.clearing`) until one row is left; that is what is
carried, as the search for the picture's rows knows them: it is completed and cleared, or stays if
its squares are the picture's. Where that leads nowhere, less stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.start import Rows
from tetrisprinter.planners.begun import field_after
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clearing import Clearing
from tetrisprinter.planners.rows.passes import Finder
from tetrisprinter.planners.rows.segment import Segment
from tetrisprinter.planners.rows.segments import target_of
from tetrisprinter.planners.rows.target import RowTarget, State
from tetrisprinter.planners.run import Run, TimeUpError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import plan_colors, share_types

__all__ = ["plan_onward", "shared_rows"]


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
        try:
            cleared = replace(plan, passes=(*plan.passes, *way[0]))
            segment = Segment(task, types, target, run, list(cleared.passes), way[1].rows)
            made = _shorter(segment, cleared, way[1], segment.printed(cleared, way[1]))
        except TimeUpError:
            raise
        except JobError as error:
            problem = error
        else:
            return made, (Stage.ROWS, Stage.ONWARD, *segment.stages()[1:])
    raise problem or JobError(
        f"{task.name}: no way was found to clear what lies on the board of {task.board}"
    )


def _shorter(segment: Segment, cleared: Plan, state: State, made: Plan) -> Plan:
    """Choose the passes of a small picture in another way, too; return the shorter plan."""
    run = segment.run
    if segment.target.width * segment.target.rows > BUDGETS.small or run.limit.effort > 1:
        return made
    alone = Run(run.limit, deadline=run.deadline, work=run.work)
    other = segment.alternative(alone, together=not segment.steps.together)
    other.passes = list(cleared.passes)
    other.farthest = state.rows
    try:
        plan = other.printed(cleared, state)
    except JobError:
        return made
    return plan if len(plan) < len(made) else made


def _ways(
    task: Task, target: RowTarget, run: Run, rows: Rows, shared: int
) -> Iterator[tuple[list[Pass], State]]:
    """Yield ways to clear what cannot stay, with what lies there then; the best first."""
    tried = set()
    for patience, ways in ((1, 1), (1, BUDGETS.ways), (BUDGETS.patience, BUDGETS.ways)):
        beam = BUDGETS.states(target.width, run.limit.effort) * patience
        clearing = Clearing(Finder(target.width, beam, run.work), target, task.board.height, beam)
        for kept in range(shared, -1, -1):
            for more in (1, 0):
                run.check_time(task.name)
                for passes, left in islice(clearing.down_to(rows, kept + more), ways):
                    if left not in tried:
                        tried.add(left)
                        yield passes, _state(target, left, min(kept, len(left)))


def _state(target: RowTarget, rows: Rows, kept: int) -> State:
    """Return what lies there: so many complete rows, perhaps squares that are carried."""
    columns = [frozenset(x for x, value in enumerate(row) if value) for row in rows]
    ground = columns[kept - 1] if kept else frozenset(range(target.width))
    if len(rows) == kept:
        return State(kept, ground, frozenset())
    stays = kept < target.rows and all(
        not value or mask >> value & 1
        for value, mask in zip(rows[kept], target.allowed[kept].tolist(), strict=True)
    )
    return State(kept, ground, columns[kept], stays)
