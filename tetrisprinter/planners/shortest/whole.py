"""Stages that ask for the whole picture at once.

A game that clears nothing is the physical limit where there is one; then those that clear a row or
two among squares that may stay unseen; then a few stacks offered at every row.
"""

from __future__ import annotations

from dataclasses import replace

from tetrisprinter.planners.shortest import windows
from tetrisprinter.planners.shortest.search import Search
from tetrisprinter.printing.target import fewest_drops

__all__ = ["few_lines", "no_clear", "whole"]

_PLACES_AT_ONCE = 2
"""Places that are looked at together, so that the result does not depend on the workers."""


def no_clear(search: Search, work: float) -> None:
    """Look for the game without a clear; that there is none raises the bound."""
    run = search.run
    (found,) = run.solve_all([windows.lying(search.target)], work / run.effort)
    if found.complete:
        least = fewest_drops(search.target, 1)
        run.bound = max(run.bound, least if found.passes is None else min(least, found.drops))
    search.take_found(found)


def few_lines(search: Search, work: float, most_lines: int = 2) -> None:
    """Try all ways to put one clearing row, then two, among the rows of the picture.

    Squares that may stay unseen take up any remainder, so there often is such a game; but they
    may lie nearly anywhere, and among many passes it is hard to find. A plan that is not longer
    than any with more of them is enough.
    """
    run, target = search.run, search.target
    most = run.spent + work
    for lines in range(1, most_lines + 1):
        problems = windows.each_place(target, lines)
        for first in range(0, len(problems), _PLACES_AT_ONCE):
            if search.is_over or run.spent >= most or search.is_met(fewest_drops(target, lines)):
                break
            batch = problems[first : first + _PLACES_AT_ONCE]
            limited = [replace(one, most=search.most) for one in batch]
            for found in run.solve_all(limited, search.budgets.place):
                search.take_found(found, listed=False)
        if run.spent < most:
            search.enough = fewest_drops(target, lines + 1)


def whole(search: Search, work: float) -> None:
    """Offer more and more stacks at every row; the model chooses the types if they are open."""
    run, budgets = search.run, search.budgets
    most = run.spent + work
    for pool in budgets.pools:
        problem = windows.whole_picture(search.target, budgets, pool)
        if search.is_over or run.spent >= most or problem is None:
            return
        limited = replace(problem, most=search.most)
        (found,) = run.solve_all([limited], (most - run.spent) / run.effort)
        if found.passes is not None:
            search.take_found(found)
        elif found.complete and search.incumbent.made_by == (search.stage,):
            search.incumbent = replace(search.incumbent, listed=True)
        if pool == budgets.pools[-1] and search.incumbent.listed:
            search.enough = max(search.enough, search.incumbent.drops)  # nobody offers more
