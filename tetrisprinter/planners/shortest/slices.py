"""The solver's operators: neighbourhood search and the proof.

Each is a generator of slices of work, as the scheduler wants it
(:mod:`~tetrisprinter.planners.context`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.context import Context, Slice
from tetrisprinter.planners.shortest.assignments import types_assigned
from tetrisprinter.planners.shortest.lns import improve_windows
from tetrisprinter.planners.shortest.proved import refute as refute_games
from tetrisprinter.planners.shortest.running import SearchRun
from tetrisprinter.planners.shortest.search import Candidate, ShortestSearch
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors

__all__ = ["refute", "search_neighbourhood", "solve"]

_PROOF = 0.3
"""Work of the first slice of a proof."""


def search_neighbourhood(context: Context) -> Iterator[Slice]:
    """Change the best plan window by window; another best plan takes its place in between."""
    search: ShortestSearch | None = None
    windows: Iterator[float] = iter(())
    while (best := context.best) is not None:
        target = best.task.target
        if search is None or search.target != target:
            search = _search(context, best)
            windows = improve_windows(search)
        elif search.played is None or search.played.drops > best.drops:
            search.incumbent, search.played = _candidate(best, target), best
            search.run.record_plan(best.drops)
        search.run.bound = max(search.run.bound, best.bound)
        work = next(windows, None)
        if work is None:
            return
        yield _slice(context, search, work)


def solve(context: Context) -> Iterator[Slice]:
    """Search for any game if no print succeeded, then for shorter ones."""
    request = context.request
    limit, task = request.limit, request.task
    target = task.target
    run = SearchRun(limit.seed, 1.0, limit.workers, context.stop)
    search = ShortestSearch(target, run, check=partial(_play, task, target))
    work, windows = _PROOF, improve_windows(search)
    while context.best is None:
        before = run.spent
        refute_games(search, work)
        yield _make_result(search, max(0.01, run.spent - before))
        until = 4 * work
        while context.best is None and until > 0 and (used := next(windows, None)) is not None:
            until -= used
            yield _make_result(search, used)
        work *= 2


def _make_result(search: ShortestSearch, work: float) -> Slice:
    plan = None if search.played is None else search.played.plan
    return Slice(work, plan, bound=search.run.bound)


def refute(context: Context) -> Iterator[Slice]:
    """Raise the bound on the best plan's board with growing work; nogoods are remembered."""
    search: ShortestSearch | None = None
    work = _PROOF
    while (best := context.best) is not None:
        target = best.task.target
        views = {} if search is None or search.target != target else search.views
        search = _search(context, best)
        search.views = views
        before = search.run.spent
        refute_games(search, work)
        spent = search.run.spent - before
        yield _slice(context, search, spent)
        if spent < work / 4:  # it came to its end
            return
        work *= 2


def _search(context: Context, best: PrintResult) -> ShortestSearch:
    limit = context.request.limit
    run = SearchRun(limit.seed, 1.0, limit.workers, context.stop)
    task, target = best.task, best.task.target
    search = ShortestSearch(target, run, check=partial(_play, task, target))
    search.incumbent, search.played = _candidate(best, target), best
    run.bound = best.bound
    run.record_plan(best.drops)
    return search


def _slice(context: Context, search: ShortestSearch, work: float) -> Slice:
    best, played = context.best, search.played
    assert best is not None
    if played is None or played.drops >= best.drops:
        return Slice(work, bound=search.run.bound)
    return Slice(work, played.plan, bound=search.run.bound)


def _play(task: Task, target: Target, found: Candidate) -> PrintResult:
    """Play a candidate."""
    colors = list_plan_colors(task.board, types_assigned(task, target, found.assignment))
    plan = Plan(found.passes or (), colors, task.board.width, task.board.height)
    return PrintResult.of(task, plan, "shortest")


def _candidate(known: PrintResult, target: Target) -> Candidate:
    """Return a plan as a candidate, with its type assignment if types are open."""
    assignment: TypeColors = ()
    if target.shades is not None:
        task = known.task
        number = {color: shade for shade, color in enumerate(task.colors, 1)}
        if target.dont_care_shade and task.background:
            number[task.background] = target.dont_care_shade
        assignment = tuple((p, number[c]) for p, c in known.plan.colors if c in number)
    return Candidate(known.plan.passes, assignment, made_by=known.made_by)
