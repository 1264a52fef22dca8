"""The whole picture at once: one model with a few stacks offered at every row.

Also the game that clears nothing, which is the physical limit where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, permutations

from tetrisprinter.planners.shortest.problem import PassProblem, PassSolution
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import PICTURE, PassShape, Stack
from tetrisprinter.planners.shortest.strategies.offers import offer
from tetrisprinter.planners.shortest.tuning import Trial, Tuning
from tetrisprinter.printing.target import Target, raised

__all__ = ["few_line_problems", "lying_problem", "print_whole"]

_LYING_ABOVE = 3
"""How many rows above the picture a game without a clear may need (:func:`lying_problem`)."""


def lying_problem(target: Target) -> PassProblem:
    """Return the problem of pieces that come to rest where they are to stay.

    If there is such a game, there is one whose squares lie in the picture or in the three
    rows above it. Take the pieces that reach into the picture, and for each piece taken one
    that holds it. Columns of a piece begin at most two rows above its lowest square, and none
    begins above the end of another: so each piece that holds one is held itself no higher
    than that one, and all are held in the second row above the picture or below. What holds a
    piece there has a column that ends in the first row above the picture or below, so nothing
    of it lies above the third. Dropped alone, in the same order, these pieces come to rest in
    the same places.
    """
    target = raised(target, _LYING_ABOVE)
    shape = PassShape(target.rows, target.rows)
    return PassProblem(target, (shape,), frozenset(), target.required)


def few_line_problems(target: Target, lines: int) -> list[PassProblem]:
    """List the games that clear so many rows, one problem for each place and order of these.

    Each problem is the picture with the clearing rows among its rows, and before and after
    it what lies in the picture alone. There is none if these rows do not fit on the board.

    Parameters
    ----------
    target : Target
        The end of the game.
    lines : int
        How many rows clear.
    """
    rows = target.rows
    if rows + lines > target.height:
        return []
    last = PassShape(rows, rows)
    problems = []
    for at in combinations_with_replacement(range(rows + 1), lines):
        base = at[0]
        first = (PassShape(base, base),) if base else ()
        for order in permutations(range(lines)):
            stack = Stack(tuple(_interleaved(rows, at, order)))
            shapes = (*first, PassShape(base, base, stack), last)
            problems.append(
                PassProblem(target, shapes, frozenset(), target.required, all_used=True)
            )
    return problems


def _interleaved(rows: int, at: Sequence[int], order: Sequence[int]) -> Iterator[int]:
    """Yield the rows of a stack: each clearing row under the picture row it is ``at``."""
    for base in range(at[0], rows + 1):
        yield from (number for number, its in zip(order, at, strict=True) if its == base)
        if base < rows:
            yield PICTURE


def print_whole(
    target: Target,
    run: SolverRun,
    looks: Sequence[Trial],
    tuning: Tuning,
    *,
    most: int | None = None,
    core: bool = True,
) -> tuple[PassSolution, bool]:
    """Look at the whole picture in one or more ways, side by side.

    Parameters
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers and seed.
    looks : sequence of Trial
        What is offered at each row, and for how long.
    tuning : Tuning
        Which picture rows a pass looks at, and in how tall stacks pieces bridge.
    most : int or None
        No more drops than this.
    core : bool
        Core-based optimisation, which proves.

    Returns
    -------
    (PassSolution, bool)
        The cheapest solution, and whether all ways came to their end.
    """
    run.report(f"whole picture, {max(len(look.offers) for look in looks)} matrices at each row")
    jobs = []
    for look in looks:
        shapes = offer(target, tuning, range(target.rows + 1), look.offers, target.rows)
        problem = PassProblem(target, shapes, frozenset(), target.required, most=most)
        jobs.append((problem, look.work, core))
    results = run.solve_all(jobs)
    best = min(results, key=lambda found: found.cost)
    if best.passes is not None:
        run.found(best.drops)
    return best, all(found.complete for found in results)
