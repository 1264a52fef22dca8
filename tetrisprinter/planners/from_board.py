"""Plan from a board that is not empty: row by row, or by whole games on small boards.

The planners *auto* and *shortest* use this if squares lie on the board at the beginning.
"""

from __future__ import annotations

import time
from dataclasses import replace

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.run import Run, TimeUpError
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import DropBound, PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, list_plan_colors, share_types


def plan_from_board(task: Task, run: Run) -> PrintResult:
    """Print row by row; if that fails on a small board, search over whole games."""
    try:
        return ROWS.plan(task, run)
    except TimeUpError:
        raise
    except JobError:
        result = search_whole_game(task, run)
        if result is None:
            raise
        return result


def search_from_board(task: Task, run: Run) -> PrintResult:
    """Search for the fewest drops: all games on a small board, otherwise row by row."""
    result = search_whole_game(task, run)
    if result is not None and result.proof is Proof.ALL_GAMES:
        return result
    try:
        row_result = ROWS.plan(task, run)
    except JobError:
        if result is None:
            raise
        return result
    if result is not None and result.drops <= row_result.drops:
        return result
    if not _is_small(task) and row_result.proof is not Proof.ALL_GAMES:
        run.note(
            f"{task.name}: the board {task.board} is too large to search for the fewest drops over "
            f"existing squares (up to {_get_square_limit()} squares); printed row by row"
        )
    return replace(row_result, stopped=run.is_over)


def _is_small(task: Task) -> bool:
    """Return whether whole games can be searched on the board of a task."""
    return task.board.width * task.board.height <= _get_square_limit()


def _get_square_limit() -> int:
    """Return the most squares of a board on which whole games are searched."""
    from tetrisprinter.planners.fields import SQUARES

    return SQUARES


def search_whole_game(task: Task, run: Run) -> PrintResult | None:
    """Search all games on a small board; return None if it is too large or time runs out."""
    from tetrisprinter.planners.fields import UnreachableError, find_shortest_game

    if not _is_small(task):
        return None
    began = time.monotonic()
    types = task.type_colors or TypeColors.of(share_types(task.picture, task.background))
    typed_task = replace(task, types=types)
    size = (task.board.width, task.board.height)
    plan = Plan((), list_plan_colors(task.board, types), *size)
    try:
        game, is_proved = find_shortest_game(task.start, typed_task.target, plan, run)
    except UnreachableError as error:
        if task.type_colors is None:
            return None  # with other types there may be a game
        raise UnreachableError(f"{task.name}: {error}") from error
    if game is None:
        return None
    result = PrintResult.of(task, game, "shortest", time.monotonic() - began)
    if is_proved and task.type_colors is not None:
        result = result.raise_bound(DropBound(result.drops, task.board))
    return replace(result, made_by=(Stage.FROM_BOARD, Stage.WHOLE_GAMES))
