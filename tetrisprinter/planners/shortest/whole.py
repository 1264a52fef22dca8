"""The whole picture at once: one model with a few stacks offered at every row.

Also the game that clears nothing, which is the physical limit where there is one, and those that
clear a row or two among squares that may stay unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, permutations

from tetrisprinter.planners.shortest.pool import offer
from tetrisprinter.planners.shortest.problem import PassProblem
from tetrisprinter.planners.shortest.search import Search
from tetrisprinter.planners.shortest.shape import PICTURE, PassShape, Stack
from tetrisprinter.printing.target import Target, fewest_drops, raised

__all__ = ["few_line_problems", "few_lines", "lying_problem", "no_clear", "whole"]

_LYING_ABOVE = 3
"""How many rows above the picture a game without a clear may need (:func:`lying_problem`)."""
_UNSEEN_ABOVE = 1
"""Rows above the picture that may hold squares that are not seen."""
_PLACES_AT_ONCE = 2
"""Places that are looked at together, so that the result does not depend on the workers."""


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


def no_clear(search: Search, work: float) -> None:
    """Look for the game without a clear; that there is none raises the bound."""
    run = search.run
    found = run.solve(lying_problem(search.target), work / run.effort)
    if found.complete:
        least = fewest_drops(search.target, 1)
        run.bound = max(run.bound, least if found.passes is None else min(least, found.drops))
    search.take(found.passes, found.assignment, listed=found.complete)


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


def few_lines(search: Search, work: float) -> None:
    """Try all ways to put one clearing row, then two, among the rows of the picture.

    Squares that may stay unseen take up any remainder, so there often is such a game; but they
    may lie nearly anywhere, and among many passes it is hard to find. A plan that is not longer
    than any with more of them is enough.
    """
    run, place = search.run, search.budgets.place
    target = raised(search.target, _UNSEEN_ABOVE)
    most = run.spent + work
    for lines in range(1, search.budgets.lines + 1):
        least = fewest_drops(target, lines)
        problems = few_line_problems(target, lines)
        for first in range(0, len(problems), _PLACES_AT_ONCE):
            if search.is_over or run.spent >= most or search.is_met(least):
                break
            batch = problems[first : first + _PLACES_AT_ONCE]
            jobs = [(replace(one, most=search.most), place, False) for one in batch]
            for found in run.solve_all(jobs):
                search.take(found.passes, found.assignment)
        if run.spent < most:
            search.enough = fewest_drops(target, lines + 1)


def whole(search: Search, work: float) -> None:
    """Offer more and more stacks at every row; the model chooses the types if they are open."""
    run, budgets = search.run, search.budgets
    target = raised(search.target, _UNSEEN_ABOVE) if search.target.above else search.target
    most = run.spent + work
    for pool in budgets.pools:
        shapes = offer(target, budgets, range(target.rows + 1), pool, target.rows)
        size = target.width * sum(len(shape.rows()) for shape in shapes)
        if search.is_over or run.spent >= most or size > budgets.model_squares:
            return
        problem = PassProblem(target, shapes, frozenset(), target.required, most=search.most)
        found = run.solve(problem, (most - run.spent) / run.effort)
        if found.passes is not None:
            search.take(found.passes, found.assignment, listed=found.complete)
        elif found.complete and search.incumbent.made_by == (search.stage,):
            search.incumbent = replace(search.incumbent, listed=True)
        if pool == budgets.pools[-1] and search.incumbent.listed:
            search.enough = max(search.enough, search.incumbent.drops)  # nobody offers more
