"""Print a picture from a board that is not empty.

The lowest rows that both have in common stay. The rows above them are cleared from the top
(:mod:`~tetrisprinter.planners.rows.clearing`) until one is left. The search for the picture's rows
treats that row as carried squares: it is completed and cleared, or stays if its squares are the
picture's. If this fails, fewer rows stay, and in the end none, as if the picture were printed on an
empty board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.start import Rows
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clearing import Clearing
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.segment import BehindError, Segment, SegmentResult
from tetrisprinter.planners.rows.target import RowState, RowTarget, make_row_target
from tetrisprinter.planners.run import Run, TimeUpError, WorkSpentError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.planners.unfinished import play_unfinished_plan
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors, share_types

__all__ = ["plan_from_board"]


class _Cleared(NamedTuple):
    """The passes that clear an old picture, and the remaining rows."""

    passes: list[Pass]
    state: RowState


def plan_from_board(task: Task, run: Run) -> SegmentResult:
    """Plan a picture from the field that its task begins with."""
    types = task.type_colors or share_types(task.picture, task.background)
    target = make_row_target(task, types)
    size = (task.board.width, task.board.height)
    plan = Plan((), list_plan_colors(task.board, types), *size, start=task.start)
    rows = task.start
    if run.unfinished is not None:
        plan = replace(plan, passes=run.unfinished.passes)
        rows = play_unfinished_plan(plan, run.unfinished_name).used_rows
    shared = target.find_first_incomplete(rows)
    if shared == target.rows == len(rows):
        return SegmentResult(plan, (Stage.FROM_BOARD,))
    until = run.work.spent + BUDGETS.most_branches * BUDGETS.limit_row_work(
        target.width, run.limit.effort
    )
    for cleared in _list_clearings(task, target, run, rows, shared):
        if run.work.spent > until:
            break
        # Trying other ways to clear saves more than a wider beam, unless there is time for both.
        games = 1 if run.limit.effort <= 1 else None
        segment = Segment.of(task, types, target, run, beam_width=games)
        try:
            made = _clear_and_print(segment, plan, cleared)
        except TimeUpError:
            raise
        except JobError:
            continue
        else:
            if run.limit.effort > 1:
                return made
            return _find_shortest(run, made, _try_other_ways(segment, plan, rows, cleared))
    return _print_from_nothing(Segment.of(task, types, target, run), plan, rows)


def _print_from_nothing(segment: Segment, plan: Plan, rows: Rows) -> SegmentResult:
    """Clear the whole board, then print as on an empty one."""
    task, target, run = segment.task, segment.target, segment.run
    for patience in (1, BUDGETS.dead_end_factor):
        run.check_time(task.name)
        for passes, _ in islice(
            _make_clearing(target, task, run, patience).clear_down_to(rows, 0), 1
        ):
            run.log_fallback("the whole board cleared first", task.name)
            return _clear_and_print(segment, plan, _Cleared(passes, target.make_clean_state(0)))
    raise JobError(f"{task.name}: the squares on the board of {task.board} could not be cleared")


Alternatives = Iterator[tuple[float, Callable[[Run], SegmentResult]]]
"""Functions that print again in another way, each with a lower bound of its drops."""


def _find_shortest(run: Run, made: SegmentResult, ways: Alternatives) -> SegmentResult:
    """Print again in other ways while the work lasts; return the shortest plan."""
    most = run.work.spent + BUDGETS.repeat_work
    best = made

    def stop_if_behind(plan: Plan) -> None:
        if len(plan) >= best.drops or run.work.spent > most:
            raise BehindError("another print is ahead")

    for least, way in ways:
        if run.work.spent > most:
            break
        if least >= best.drops:
            continue
        alone = Run(run.limit, keep=stop_if_behind, stop=run.stop, work=run.work)
        try:
            found = way(alone)
        except (WorkSpentError, TimeUpError):
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


def _clear_and_print(segment: Segment, plan: Plan, cleared: _Cleared) -> SegmentResult:
    """Clear the squares that cannot stay, then print the picture."""
    before = replace(plan, passes=(*plan.passes, *cleared.passes))
    made = segment.print_rows(before, cleared.state)
    return made._replace(made_by=(Stage.ROWS, Stage.FROM_BOARD, *made.made_by[1:]))


def _try_other_ways(segment: Segment, plan: Plan, rows: Rows, first: _Cleared) -> Alternatives:
    """Yield other ways to print: with other passes, or after the board is cleared differently.

    ``first`` is how the existing plan cleared the board.
    """
    task, target, together = segment.task, segment.target, segment.steps.together

    def print_again(cleared: _Cleared, together: bool, run: Run) -> SegmentResult:
        return _clear_and_print(segment.vary(run, together), plan, cleared)

    def list_clearings() -> Iterator[_Cleared]:
        clearing = _make_clearing(target, task, segment.run, 1)
        for kept in sorted({target.find_first_incomplete(rows), 0}, reverse=True):
            for passes, left in islice(clearing.clear_down_to(rows, kept), 1):
                yield _Cleared(passes, _read_state(target, left))

    def bound_drops(cleared: _Cleared) -> float:
        left = target.count_squares_from(cleared.state.rows) - len(cleared.state.carried)
        return len(plan) + sum(len(one.pieces) for one in cleared.passes) + left / 4

    yield bound_drops(first), partial(print_again, first, not together)
    known = []
    for cleared in list_clearings():
        known.append(cleared)
        yield bound_drops(cleared), partial(print_again, cleared, together)
    for cleared in known:
        yield bound_drops(cleared), partial(print_again, cleared, not together)


def _list_clearings(
    task: Task, target: RowTarget, run: Run, rows: Rows, shared: int
) -> Iterator[_Cleared]:
    """Yield ways to clear the squares that cannot stay, the best first."""
    tried = set()
    for patience, ways in (
        (1, 1),
        (1, BUDGETS.most_clearings),
        (BUDGETS.dead_end_factor, BUDGETS.most_clearings),
    ):
        clearing = _make_clearing(target, task, run, patience)
        for kept in range(shared, -1, -1):
            for more in (1, 0):
                run.check_time(task.name)
                for passes, left in islice(clearing.clear_down_to(rows, kept + more), ways):
                    if left not in tried:
                        tried.add(left)
                        yield _Cleared(passes, _read_state(target, left))


def _make_clearing(target: RowTarget, task: Task, run: Run, patience: int) -> Clearing:
    """Return the search for clearings; it keeps ``patience`` times the usual number of states."""
    beam = BUDGETS.choose_states(target.width, run.limit.effort) * patience
    return Clearing(PassContext.of(target, task.board.height, beam, run.work))


def _read_state(target: RowTarget, rows: Rows) -> RowState:
    """Return the state of a board: complete rows, perhaps with squares carried above them."""
    state = target.read_state(rows)
    assert state is not None
    return state
