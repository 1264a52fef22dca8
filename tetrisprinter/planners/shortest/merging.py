"""Large-neighbourhood search: two rows printed in one matrix where that clears fewer rows.

Rows that hold few squares need tall matrices, each for itself: squares come in fours, so one more
or less makes three rows of difference. Two rows printed in *one* matrix, one of them between its
clearing rows, often do with ``4 / gcd(width, 4)`` clearing rows fewer than apart. The states
before and after are kept, so everything else of the plan stays valid as it is. All such stacks
offered at once would make a model too large to solve, but one at a time is decided soon.

Windows that do not overlap are independent: they are solved side by side. A window that
gave nothing is not tried again until something in it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tetrisprinter.game.counting import unit_of
from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.budgets import Budgets
from tetrisprinter.planners.shortest.offers import interleaved, offer
from tetrisprinter.planners.shortest.problem import (
    Passes,
    PassProblem,
    PlacedPass,
    drops_of,
    state_after,
)
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.search import Search
from tetrisprinter.printing.target import Target, colored

__all__ = ["merging"]

_ROWS = 2
_SIDE_BY_SIDE = 2
"""Windows that are tried together, so that the result does not depend on the workers."""

_Tried = set[tuple[frozenset[Cell], frozenset[Cell], int]]
"""Windows by the states at both ends and their drops."""


@dataclass(frozen=True, slots=True)
class _Window:
    first: int  # passes first..last - 1
    last: int
    before: frozenset[Cell]
    after: frozenset[Cell]


def merging(search: Search, work: float) -> None:
    """Print two rows of the plan to beat in one matrix, wherever that takes fewer clearing rows."""
    known, run, budgets = search.incumbent, search.run, search.budgets
    target = colored(search.target, known.assignment)
    current = list(known.passes or ())
    fewer = 4 // unit_of(target.width)
    tried: _Tried = set()
    most = run.spent + work
    while not run.stopped and run.spent < most:
        batch = _batch(current, tried, budgets.merged_lines + fewer)
        if not batch:
            break
        run.report(search.stage, len(tried) / (target.rows + len(tried)))
        problems = []
        for window in batch:
            part = current[window.first : window.last]
            tried.add((window.before, window.after, drops_of(part)))
            problems.append(_merging(target, budgets, window, part, fewer))
        branches = [run.branch() for _ in batch]
        jobs = list(zip(problems, branches, strict=True))
        results = run.side_by_side(lambda job: _first_solved(*job, budgets.merge), jobs)
        run.spent += sum(branch.spent for branch in branches)
        _replace(current, batch, results)
    search.take(tuple(current), known.assignment, before=known.made_by)


def _merging(
    target: Target, budgets: Budgets, window: _Window, part: Sequence[PlacedPass], fewer: int
) -> list[PassProblem]:
    """List ways to print a window in one matrix, the lowest and most even first."""
    lines = sum(one.shape.lines for one in part)
    lowest = budgets.merged_lines
    bases = [part[0].shape.base]
    problems = []
    for total in range(lowest + (lines - lowest) % fewer, lines, fewer):
        for stack in interleaved(total, 2, budgets.splits):
            shapes = offer(target, budgets, bases, (stack,), target.rows, lying=False)
            problems += [
                PassProblem(target, (one,), window.before, window.after, exact=True, all_used=True)
                for one in shapes
            ]
    return problems


def _first_solved(problems: Sequence[PassProblem], run: SolverRun, work: float) -> Passes | None:
    for problem in problems:
        found = run.solve(problem, work, core=False)
        if found.passes is not None:
            return found.passes
    return None


def _replace(
    current: list[PlacedPass], batch: Sequence[_Window], results: Sequence[Passes | None]
) -> None:
    """Put what was found in the place of the windows, the last of them first."""
    for window, found in sorted(zip(batch, results, strict=True), key=lambda pair: -pair[0].first):
        if found is not None:
            current[window.first : window.last] = found


def _batch(passes: Sequence[PlacedPass], tried: _Tried, least: int) -> list[_Window]:
    """Choose windows that clear so many rows, have not been tried and do not overlap."""
    states: list[frozenset[Cell]] = [frozenset()]
    for one in passes:
        states.append(state_after(states[-1], [one]))
    chosen: list[_Window] = []
    bases = sorted({one.shape.base for one in passes if one.shape.lines})
    for base in bases:
        inside = [i for i, one in enumerate(passes) if base <= one.shape.base < base + _ROWS]
        window = _Window(inside[0], inside[-1] + 1, states[inside[0]], states[inside[-1] + 1])
        part = passes[window.first : window.last]
        lines = sum(one.shape.lines for one in part)
        if lines < least or (window.before, window.after, drops_of(part)) in tried:
            continue
        if chosen and window.first < chosen[-1].last:
            continue
        chosen.append(window)
        if len(chosen) == _SIDE_BY_SIDE:
            break
    return chosen
