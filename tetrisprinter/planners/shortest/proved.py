"""Prove a lower bound on the drops of a print.

The proof refutes ever larger numbers of drops. If it reaches the number of the print, the print is
a shortest game. If the proof finds a shorter game, that game replaces the print.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from tetrisprinter.bounds.bound_search import Bound, ProofHooks, ProofLimits, prove_bound
from tetrisprinter.errors import InputError, InternalError, TetrisPrinterError
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.search import Candidate, ShortestSearch, assign_types
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors


def raise_search_bound(search: ShortestSearch, work: float) -> None:
    """Raise the bound of a search; offer the search the game, if the proof finds one."""
    target, stop = search.target, search.run.stop
    seconds = None if stop.deadline == inf else stop.seconds_left
    max_bound = None if search.max_drops is None else search.max_drops + 1
    limits = ProofLimits(max_bound=max_bound, seconds=seconds, work=work)
    bound = prove_bound(target, limits, ProofHooks(search.nogoods, search.remember))
    search.run.spent += work - max(0.0, bound.unused_work)
    search.run.bound = max(search.run.bound, bound.after)
    search.run.interrupted |= bound.stopped
    if bound.game_step is not None:
        plan = make_plan_from_drops(bound.game_step.drops, (), target.width, target.height)
        search.take(Candidate(plan.passes, bound.game_step.types))


def raise_bound(
    result: PrintResult,
    limits: ProofLimits,
    hooks: ProofHooks = ProofHooks(),  # noqa: B008
) -> PrintResult:
    """Raise the bound of a print; replace the print if a shorter game is found."""
    if result.proof is Proof.ALL_GAMES:
        return result
    task = result.task
    bound = prove_bound(task.target, replace(limits, max_bound=result.drops), hooks)
    best = result
    try:
        proof_result = find_game(task, bound, result.planner)
        if proof_result is not None and proof_result.drops < result.drops:
            best = proof_result
    except TetrisPrinterError as error:  # an internal error: keep the present print
        LOG.error("%s", error)
    after = max(bound.after, result.bound)
    is_shortest = best.drops <= after
    return replace(
        best,
        bound=after,
        proof=Proof.ALL_GAMES if is_shortest else result.proof,
        seconds=result.seconds + bound.seconds,
        stopped=not is_shortest and (result.stopped or bound.stopped),
        fallbacks=result.fallbacks,
    )


def find_game(task: Task, bound: Bound, planner: str) -> PrintResult | None:
    """Return the result for the game that the search for a bound met; None if it met none.

    That search is not limited to passes. So it also finds games on boards that are only as high as
    the picture, where some rows must clear before other pieces fit.
    """
    if bound.game_step is None:
        return None
    types = assign_types(task, bound.target, bound.game_step.types)
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
    return replace(result, bound=bound.after, proof=Proof.ALL_GAMES, made_by=(Stage.PROOF,))
