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
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, list_plan_colors, share_types


def plan_from_board(task: Task, run: Run) -> PrintResult:
    """Print row by row; if that fails on a small board, search over whole games."""
    try:
        return ROWS.plan(task, run)
    except TimeUpError:
        raise
    except JobError:
        found = _search_whole_game(task, run)
        if found is None:
            raise
        return found


def search_from_board(task: Task, run: Run) -> PrintResult:
    """Search for the fewest drops: all games on a small board, otherwise row by row."""
    found = _search_whole_game(task, run)
    if found is not None and found.proof is Proof.ALL_GAMES:
        return found
    try:
        best = ROWS.plan(task, run)
    except JobError:
        if found is None:
            raise
        return found
    if found is not None and found.drops <= best.drops:
        return found
    if not _is_small(task) and best.proof is not Proof.ALL_GAMES:
        run.note(
            f"{task.name}: the board {task.board} is too large to search for the fewest drops over "
            f"existing squares (up to {_limit_squares()} squares); printed row by row"
        )
    return replace(best, stopped=run.is_over)


def _is_small(task: Task) -> bool:
    return task.board.width * task.board.height <= _limit_squares()


def _limit_squares() -> int:
    """Return the most squares of a board on which whole games are searched."""
    from tetrisprinter.planners.fields import SQUARES

    return SQUARES


def _search_whole_game(task: Task, run: Run) -> PrintResult | None:
    """Search over whole games; None if the board is too large or it takes too long."""
    from tetrisprinter.planners.fields import UnreachableError, find_shortest_game

    if not _is_small(task):
        return None
    began = time.monotonic()
    types = task.type_colors or TypeColors.of(share_types(task.picture, task.background))
    known = replace(task, types=types)
    size = (task.board.width, task.board.height)
    plan = Plan((), list_plan_colors(task.board, types), *size)
    try:
        found, proved = find_shortest_game(task.start, known.target, plan, run)
    except UnreachableError as error:
        if task.type_colors is None:
            return None  # with other types there may be a game
        raise UnreachableError(f"{task.name}: {error}") from error
    if found is None:
        return None
    result = PrintResult.of(task, found, "shortest", time.monotonic() - began)
    if proved and task.type_colors is not None:
        result = replace(result, proof=Proof.ALL_GAMES, bound=result.drops)
    return replace(result, made_by=(Stage.FROM_BOARD, Stage.WHOLE_GAMES))
