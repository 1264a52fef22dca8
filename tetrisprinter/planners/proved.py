"""Prove a lower bound on the drops of a print.

The proof refutes ever larger numbers of drops. If it reaches the number of the print, the print is
a shortest game. If the proof finds a shorter game, that game replaces the print.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tetrisprinter.bounds.bound_search import Bound, prove_bound
from tetrisprinter.bounds.parts import iterate_drop_bounds
from tetrisprinter.errors import InputError, InternalError
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.planners.run import Stage
from tetrisprinter.printing.result import DropBound, PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors


def raise_bound(result: PrintResult, prove: Callable[..., Bound] = prove_bound) -> PrintResult:
    """Raise the bound of a print; replace the print if a shorter game is found.

    ``prove`` is :func:`~tetrisprinter.bounds.bound_search.prove_bound`, with its limits.
    """
    if result.proof is Proof.ALL_GAMES:
        return result
    task = result.task
    bound = prove(task.target, max_bound=result.drops)
    best, proof_result = result, find_game(task, bound, result.planner)
    if proof_result is not None and proof_result.drops < result.drops:
        best = proof_result
    best = best.raise_bound(result.drop_bound).raise_bound(DropBound(bound.after, task.board))
    return replace(
        best,
        seconds=result.seconds + bound.seconds,
        stopped=best.proof is Proof.NONE and (result.stopped or bound.stopped),
        fallbacks=result.fallbacks,
    )


def raise_bound_within(result: PrintResult, work: float) -> PrintResult:
    """Raise the bound of a print with some work."""
    return raise_bound(result, partial(prove_bound, work=work))


def count_parts(task: Task, work: float, stop: Callable[[], bool] = lambda: False) -> DropBound:
    """Return the bound of a task's board by counting parts of pieces, with some work."""
    bounds = [bound for _, bound in iterate_drop_bounds(task, work, stop)]
    return DropBound(max(bounds, default=0), task.board)


def find_any_game(task: Task, work: float) -> PrintResult | None:
    """Search all games for a shortest one; return None if the work is used up, or there is none."""
    return find_game(task, prove_bound(task.target, work=work), "auto")


def find_game(task: Task, bound: Bound, planner: str) -> PrintResult | None:
    """Return the result for the game that the search for a bound met; None if it met none.

    That search is not limited to passes. So it also finds games on boards that are only as high as
    the picture, where some rows must clear before other pieces fit.
    """
    if bound.game_step is None:
        return None
    types = task.color_types(bound.game_step.types)
    colors = list_plan_colors(task.board, types)
    try:
        plan = make_plan_from_drops(
            bound.game_step.drops, colors, task.board.width, task.board.height
        )
    except InputError as error:
        raise InternalError(
            f"{task.name}: internal error in the planner: {error}; please report it"
        ) from error
    result = PrintResult.of(task, plan, planner)
    result = result.raise_bound(DropBound(bound.after, task.board))
    return replace(result, made_by=(Stage.PROOF,))
