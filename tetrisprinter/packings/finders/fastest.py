"""The finder for those who just want a matrix: the automaton, else the backtracker."""

from __future__ import annotations

from tetrisprinter.packings.finders import automaton
from tetrisprinter.packings.problem import PackingProblem, Result, Unknown

__all__ = ["find"]


def find(
    problem: PackingProblem,
    *,
    max_attempts: int | None = None,
    retries: int = 1,
    seed: int = 0,
    workers: int = 1,
) -> Result:
    """Find a packing: at once and for certain where an automaton knows, by search elsewhere.

    Parameters
    ----------
    problem : PackingProblem
        What to pack.
    max_attempts, retries, seed, workers
        For the backtracker, see there; they change nothing about the automaton's answer.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> find(emitter_problem(21, 3, [3]))
    Infeasible(reason='the automaton of 3 rows does not accept it')
    """
    result = automaton.find(problem)
    if not isinstance(result, Unknown):
        return result
    from tetrisprinter.packings.finders import backtracker

    return backtracker.find(
        problem, max_attempts=max_attempts, retries=retries, seed=seed, workers=workers
    )
