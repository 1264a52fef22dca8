"""Large-neighbourhood search: make any plan shorter, a few passes at a time.

Take the passes of two to four neighbouring bases, fix what is printed before and after
them, and ask for the same change in fewer drops. Because the states at both ends are
kept, everything before and after stays valid as it is. Squares come in fours, so
"fewer" means at least ``width / gcd(width, 4) * 4`` cells fewer, which the model knows.

Where rows hold few squares a second kind of move gains more. Such rows need tall matrices,
each for itself: squares come in fours, so one more or less makes three rows of difference.
Two rows printed in *one* matrix, one of them between its clearing rows, often do with
``4 / gcd(width, 4)`` clearing rows fewer than apart. All such stacks offered at once would
make a model too large to solve, but one stack at a time is decided in a second or two.

Windows that do not overlap are independent: they are solved side by side. A window that
gave nothing is not tried again until something in it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.problem import (
    Passes,
    PassProblem,
    PlacedPass,
    drops_of,
    state_after,
)
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.strategies.offers import interleaved, offer
from tetrisprinter.planners.shortest.tuning import Offers
from tetrisprinter.printing.counting import unit_of
from tetrisprinter.printing.target import Target

__all__ = ["improve", "merged", "shortened"]

_Tried = set[tuple[frozenset[Cell], frozenset[Cell], int]]
"""Windows by the states at both ends and their drops."""


@dataclass(frozen=True, slots=True)
class _Window:
    first: int  # passes first..last - 1
    last: int
    before: frozenset[Cell]
    after: frozenset[Cell]


def improve(target: Target, run: SolverRun, passes: Sequence[PlacedPass]) -> Passes:
    """Merge rows, then shorten what is left; parameters and result as there."""
    return shortened(target, run, merged(target, run, passes))


def shortened(target: Target, run: SolverRun, passes: Sequence[PlacedPass]) -> Passes:
    """Shorten a plan until no window gives anything, time is up, or the run is stopped.

    Parameters
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers and seed.
    passes : sequence of PlacedPass
        A complete plan; bases must not decrease.

    Returns
    -------
    tuple of PlacedPass
        A complete plan with no more drops.
    """
    current = list(passes)
    tuning = run.tuning
    most = run.spent + tuning.window_budget * run.effort
    left = tuning.window_count * run.effort
    in_vain, patience = 0, max(2.0, tuning.window_patience * target.rows)
    for number, trial in enumerate(tuning.windows):
        tried: _Tried = set()
        while not run.stopped and run.spent < most and left > 0 and in_vain < patience:
            batch = _batch(run, current, trial.rows, tried, least=2)
            if not batch:
                break
            run.report(f"improving ({number + 1}/{len(tuning.windows)})", _share(target, tried))
            jobs = []
            for window in batch:
                part = current[window.first : window.last]
                offers = _offers(part, trial.offers)
                jobs.append((_shorter(target, run, window, part, offers), trial.work, True))
                tried.add((window.before, window.after, drops_of(part)))
            results = run.solve_all(jobs)
            left -= len(jobs)
            in_vain = 0 if any(found.passes for found in results) else in_vain + len(jobs)
            _replace(current, batch, [found.passes for found in results])
            run.found(drops_of(current))
    return tuple(current)


def _share(target: Target, tried: _Tried) -> float:
    return len(tried) / (target.rows + len(tried))


def _offers(part: Sequence[PlacedPass], offers: Offers) -> Offers:
    """Return what is offered in a window: the stacks in use and some more, the tallest first."""
    used = [one.shape.stack.bare() for one in part if one.shape.lines]
    listed = list(offers)
    for stack in used:
        if used.count(stack) > listed.count(stack):
            listed.append(stack)
    return tuple(sorted(listed, key=lambda stack: -len(stack)))


def _shorter(
    target: Target, run: SolverRun, window: _Window, part: Sequence[PlacedPass], offers: Offers
) -> PassProblem:
    """Ask for the same change in fewer drops."""
    bases = range(part[0].shape.base, part[-1].shape.base + 1)
    shapes = offer(target, run.tuning, bases, offers, target.rows)
    most = drops_of(part) - 1
    return PassProblem(target, shapes, window.before, window.after, exact=True, most=most)


def merged(target: Target, run: SolverRun, passes: Sequence[PlacedPass]) -> Passes:
    """Print two rows in one matrix where that takes fewer clearing rows."""
    current = list(passes)
    fewer = 4 // unit_of(target.width)
    tried: _Tried = set()
    most = run.spent + run.tuning.merging_budget * run.effort
    while not run.stopped and run.spent < most:
        batch = _batch(run, current, 2, tried, least=run.tuning.merging_least + fewer)
        if not batch:
            break
        run.report("merging rows", _share(target, tried))
        problems = []
        for window in batch:
            part = current[window.first : window.last]
            tried.add((window.before, window.after, drops_of(part)))
            problems.append(_merging(target, run, window, part, fewer))
        branches = [run.branch() for _ in batch]
        jobs = list(zip(problems, branches, strict=True))
        results = run.side_by_side(lambda job: _first_solved(*job), jobs)
        run.spent += sum(branch.spent for branch in branches)
        _replace(current, batch, results)
        run.found(drops_of(current))
    return tuple(current)


def _merging(
    target: Target, run: SolverRun, window: _Window, part: Sequence[PlacedPass], fewer: int
) -> list[PassProblem]:
    """List ways to print a window in one matrix, the lowest and most even first."""
    lines = sum(one.shape.lines for one in part)
    lowest = run.tuning.merging_least
    bases = [part[0].shape.base]
    problems = []
    for total in range(lowest + (lines - lowest) % fewer, lines, fewer):
        for stack in interleaved(total, 2, run.tuning.splits):
            shapes = offer(target, run.tuning, bases, (stack,), target.rows, lying=False)
            problems += [
                PassProblem(target, (one,), window.before, window.after, exact=True, all_used=True)
                for one in shapes
            ]
    return problems


def _first_solved(problems: Sequence[PassProblem], run: SolverRun) -> Passes | None:
    for problem in problems:
        found = run.solve(problem, run.tuning.merging_work, core=False)
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


def _batch(
    run: SolverRun, passes: Sequence[PlacedPass], span: int, tried: _Tried, least: int
) -> list[_Window]:
    """Choose windows that clear so many rows, have not been tried and do not overlap."""
    states: list[frozenset[Cell]] = [frozenset()]
    for one in passes:
        states.append(state_after(states[-1], [one]))
    chosen: list[_Window] = []
    bases = sorted({one.shape.base for one in passes if one.shape.lines})
    for base in bases:
        inside = [i for i, one in enumerate(passes) if base <= one.shape.base < base + span]
        window = _Window(inside[0], inside[-1] + 1, states[inside[0]], states[inside[-1] + 1])
        part = passes[window.first : window.last]
        lines = sum(one.shape.lines for one in part)
        if lines < least or (window.before, window.after, drops_of(part)) in tried:
            continue
        if chosen and window.first < chosen[-1].last:
            continue
        chosen.append(window)
        if len(chosen) == run.tuning.window_abreast:
            break
    return chosen
