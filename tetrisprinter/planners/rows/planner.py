"""Print a picture row by row, carry surplus squares, and look one row ahead.

Pieces have four squares, so a row printed alone must wait for a number of lines that leaves no
remainder. Here a pass may leave squares of any type in the row above the one it prints; the next
pass begins with that row, fills and clears it. The carried squares determine how many lines the
next row takes: three if they are left to chance, two or one if they are chosen well. So a pass and
the next pass are chosen together.

Where the search finds no next pass, the carried squares are cleared and other squares are carried
instead. Rows for which this fails, too, are printed from a clean state
(:mod:`~tetrisprinter.planners.rows.clean`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.rows.row_print import NoContinuationError, PrintedRows, RowPrinter
from tetrisprinter.planners.rows.target import RowState, make_row_target
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.unfinished import check_unfinished_plan, play_unfinished_plan
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import (
    TypeColors,
    find_color_obstacle,
    list_plan_colors,
    share_types,
)


def plan_rows(task: Task, run: Run) -> PrintedRows:
    """Plan a picture row by row; :func:`share_types` assigns types that are left open.

    The plan so far is reported after each row; squares that the next row clears may lie above. An
    unfinished plan is continued or, if that is impossible, the print starts over. The effort
    multiplies the number of states that are kept.
    """
    types = _assign_types(task, run.unfinished)
    obstacle = find_color_obstacle(task.picture, TypeColors.of(types), task.background)
    if obstacle is not None:
        raise obstacle.error(task.name)
    plan, state = _read_existing_rows(task, types, run)
    try:
        return RowPrinter.of(task, types, make_row_target(task, types), run).print_rows(plan, state)
    except NoContinuationError:
        if run.unfinished is None:  # a second attempt would fail at the same place
            raise
        run.note(f"{run.unfinished_name}: cannot be continued; starting {task.name} over")
        return plan_rows(task, replace(run, unfinished=None))


def _assign_types(task: Task, unfinished: Plan | None) -> Mapping[PieceType, Color]:
    """Return the colour of each type; the background gets types, too, if there are enough."""
    if task.type_colors is not None:
        return task.type_colors
    if unfinished is not None:
        return unfinished.color_of
    return share_types(task.picture, task.background)


def _read_existing_rows(
    task: Task, types: Mapping[PieceType, Color], run: Run
) -> tuple[Plan, RowState]:
    """Return the unfinished plan, or an empty one, and the state that it leaves."""
    target = make_row_target(task, types)
    plan = Plan((), list_plan_colors(task.board, types), task.board.width, task.board.height)
    if run.unfinished is None:
        return plan, target.make_clean_state(0)
    checked_task = task
    if task.background not in types.values():
        checked_task = replace(task, picture=_remove_color(task.picture, task.background))
    check_unfinished_plan(run.unfinished, checked_task, types, run.unfinished_name)
    plan = replace(plan, passes=run.unfinished.passes)
    state = target.read_state(play_unfinished_plan(plan, run.unfinished_name).rows)
    if state is None:
        raise InputError(
            f"{run.unfinished_name}: not a part of a print of {task.name}; only an interrupted "
            "print of the same picture can be continued"
        )
    return plan, state


def _remove_color(picture: Picture, color: Color | None) -> Picture:
    """Return a picture without the squares of one colour."""
    rows = tuple(tuple(None if value == color else value for value in row) for row in picture.rows)
    return replace(picture, rows=rows)
