"""Print a picture from a board that is not empty.

The lowest rows that are already as in the picture stay. The rows above them are cleared from the
top (:mod:`~tetrisprinter.planners.rows.clearing`) until one row is left. The search for the
picture's rows treats that row as carried squares: the row is completed and cleared, or stays if its
squares are the picture's. If this fails, fewer rows stay; in the end no row stays, and the picture
is printed as on an empty board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Rows
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clearing import Clearing
from tetrisprinter.planners.rows.row_print import PrintedRows, RowPrinter, play_unfinished_plan
from tetrisprinter.planners.rows.target import PassContext, RowState, RowTarget, make_row_target
from tetrisprinter.planners.run import Run, Stage, TimeUpError, WorkSpentError
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors, share_types


class _BehindError(JobError):
    """A print takes more drops than an earlier one."""


class _Cleared(NamedTuple):
    """The passes that clear an old picture, and the state that they leave."""

    passes: list[Pass]
    state: RowState


def plan_from_board(task: Task, run: Run) -> PrintedRows:
    """Plan a picture from the field that its task begins with."""
    types = task.type_colors or share_types(task.picture, task.background)
    target = make_row_target(task, types)
    size = (task.board.width, task.board.height)
    plan = Plan((), list_plan_colors(task.board, types), *size, start=task.start)
    rows = task.start
    if run.unfinished is not None:
        plan = replace(plan, passes=run.unfinished.passes)
        rows = play_unfinished_plan(plan, run.unfinished_name).used_rows
    first_wrong = target.find_first_incomplete(rows)
    if first_wrong == target.rows == len(rows):
        return PrintedRows(plan, (Stage.FROM_BOARD,))
    work_end = run.work.spent + BUDGETS.most_branches * BUDGETS.compute_row_work_limit(
        target.width, run.limit.effort
    )
    for cleared in _list_clearings(task, target, run, rows, first_wrong):
        if run.work.spent > work_end:
            break
        # Trying other ways to clear saves more than a wider beam, unless there is time for both.
        beam_width = 1 if run.limit.effort <= 1 else None
        printer = RowPrinter.of(task, types, target, run, beam_width=beam_width)
        try:
            result = _clear_and_print(printer, plan, cleared)
        except TimeUpError:
            raise
        except JobError:
            continue
        else:
            if run.limit.effort > 1:
                return result
            return _find_shortest(run, result, _try_other_ways(printer, plan, rows, cleared))
    return _print_from_nothing(RowPrinter.of(task, types, target, run), plan, rows)


def find_clearing(task: Task, run: Run) -> tuple[Pass, ...] | None:
    """Return passes that clear all squares that lie on the board; None if none are found.

    Raises
    ------
    TimeUpError
        If the search was stopped.
    """
    types = task.type_colors or share_types(task.picture, task.background)
    target = make_row_target(task, types)
    try:
        clearing = _make_clearing(target, task, run, 1)
        return next((tuple(passes) for passes, _ in clearing.clear_down_to(task.start, 0)), None)
    except WorkSpentError:
        return None


def _print_from_nothing(printer: RowPrinter, plan: Plan, rows: Rows) -> PrintedRows:
    """Clear the whole board, then print as on an empty board."""
    task, target, run = printer.task, printer.target, printer.run
    for patience in (1, BUDGETS.dead_end_factor):
        run.check_time(task.name)
        for passes, _ in islice(
            _make_clearing(target, task, run, patience).clear_down_to(rows, 0), 1
        ):
            run.log_fallback("the whole board cleared first", task.name)
            return _clear_and_print(printer, plan, _Cleared(passes, target.make_clean_state(0)))
    raise JobError(f"{task.name}: the squares on the board of {task.board} could not be cleared")


Alternatives = Iterator[tuple[float, Callable[[Run], PrintedRows]]]
"""Functions that print again in another way, each after a lower bound on its drops."""


def _find_shortest(run: Run, first_result: PrintedRows, alternatives: Alternatives) -> PrintedRows:
    """Print again in other ways until the work is used up; return the shortest plan."""
    work_end = run.work.spent + BUDGETS.repeat_work
    best = first_result

    def stop_if_behind(plan: Plan) -> None:
        if len(plan) >= best.drops or run.work.spent > work_end:
            raise _BehindError("another print is ahead")

    for least_drops, print_again in alternatives:
        if run.work.spent > work_end:
            break
        if least_drops >= best.drops:
            continue
        trial_run = Run(run.limit, keep=stop_if_behind, stop=run.stop, work=run.work)
        try:
            result = print_again(trial_run)
        except (WorkSpentError, TimeUpError):
            raise
        except JobError:
            continue
        if result.drops < best.drops:
            best = result
            run.fallbacks.clear()
            run.fallbacks.update(trial_run.fallbacks)
    if best is not first_result:
        run.keep(best.plan)
    return best


def _clear_and_print(printer: RowPrinter, plan: Plan, cleared: _Cleared) -> PrintedRows:
    """Clear the squares that cannot stay, then print the picture."""
    before = replace(plan, passes=(*plan.passes, *cleared.passes))
    result = printer.print_rows(before, cleared.state)
    return result._replace(made_by=(Stage.ROWS, Stage.FROM_BOARD, *result.made_by[1:]))


def _try_other_ways(printer: RowPrinter, plan: Plan, rows: Rows, first: _Cleared) -> Alternatives:
    """Yield other ways to print: with other passes, or after clearing the board differently.

    ``first`` holds the passes with which the existing plan cleared the board.
    """
    task, target, by_pairs = printer.task, printer.target, printer.steps.by_pairs

    def print_again(cleared: _Cleared, by_pairs: bool, run: Run) -> PrintedRows:
        return _clear_and_print(printer.vary(run, by_pairs), plan, cleared)

    def list_clearings() -> Iterator[_Cleared]:
        clearing = _make_clearing(target, task, printer.run, 1)
        for rows_kept in sorted({target.find_first_incomplete(rows), 0}, reverse=True):
            for passes, remaining in islice(clearing.clear_down_to(rows, rows_kept), 1):
                yield _Cleared(passes, _read_state(target, remaining))

    def bound_drops(cleared: _Cleared) -> float:
        squares_left = target.count_squares_from(cleared.state.rows) - len(cleared.state.carried)
        return len(plan) + sum(len(one.pieces) for one in cleared.passes) + squares_left / 4

    yield bound_drops(first), partial(print_again, first, not by_pairs)
    clearings = []
    for cleared in list_clearings():
        clearings.append(cleared)
        yield bound_drops(cleared), partial(print_again, cleared, by_pairs)
    for cleared in clearings:
        yield bound_drops(cleared), partial(print_again, cleared, not by_pairs)


def _list_clearings(
    task: Task, target: RowTarget, run: Run, rows: Rows, first_wrong: int
) -> Iterator[_Cleared]:
    """Yield ways to clear the squares that cannot stay, the most promising first."""
    tried = set()
    for patience, count in (
        (1, 1),
        (1, BUDGETS.most_clearings),
        (BUDGETS.dead_end_factor, BUDGETS.most_clearings),
    ):
        clearing = _make_clearing(target, task, run, patience)
        for rows_kept in range(first_wrong, -1, -1):
            for extra in (1, 0):
                run.check_time(task.name)
                for passes, remaining in islice(
                    clearing.clear_down_to(rows, rows_kept + extra), count
                ):
                    if remaining not in tried:
                        tried.add(remaining)
                        yield _Cleared(passes, _read_state(target, remaining))


def _make_clearing(target: RowTarget, task: Task, run: Run, patience: int) -> Clearing:
    """Return the search for clearings; it keeps ``patience`` times the usual number of states."""
    beam = BUDGETS.choose_states(target.width, run.limit.effort) * patience
    return Clearing(PassContext.of(target, task.board.height, beam, run.work))


def _read_state(target: RowTarget, rows: Rows) -> RowState:
    """Return the state of a board: complete rows, perhaps with squares carried above them."""
    state = target.read_state(rows)
    assert state is not None
    return state
