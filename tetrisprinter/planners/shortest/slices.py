"""Operators that use a SAT solver: neighbourhood search, a first game, and the proof.

Each is a generator of slices of work, which the scheduler resumes
(:mod:`~tetrisprinter.planners.context`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd, inf
from typing import Final

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.context import Context, Slice
from tetrisprinter.planners.shortest.lns import improve_windows
from tetrisprinter.planners.shortest.proved import raise_search_bound
from tetrisprinter.planners.shortest.search import (
    Candidate,
    SearchRun,
    ShortestSearch,
    UnwantedGameError,
    assign_types,
)
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors

_PROOF: Final = 0.3
"""Work of the first slice of a proof."""

_PATIENCE: Final = 4.0
"""Work without a gain after which a starting plan is ranked as if it had twice as many drops."""

_RESTART: Final = 2.0
"""Work without a gain after which the search adds a starting plan. With half of it, the classic
mushroom stays at 165 drops instead of 144."""

_STARTS: Final = 5
"""The most starting plans that are kept; the shortest one of each board always stays."""

_MUCH_LONGER: Final = 1.25
"""Other plans are used only if they have fewer than this many times the best plan's drops."""


@dataclass(slots=True, eq=False)
class _StartingPlan:
    """A plan, and the neighbourhood search that shortens the plan."""

    board: Board
    search: ShortestSearch
    windows: Generator[float]
    fruitless: float = 0.0  # work since the plan was last shortened
    is_over: bool = False

    @classmethod
    def of(cls, context: Context, result: PrintResult) -> _StartingPlan:
        """Create a starting plan, with a search that shortens it, from the result of a print."""
        search = start_search(context, result)
        return cls(result.task.board, search, improve_windows(search))

    def take(self, result: PrintResult) -> None:
        """Continue from a plan that another search found, if it is shorter."""
        search = self.search
        search.run.bound = max(search.run.bound, result.bound)
        if search.played is None or search.played.drops > result.drops:
            search.incumbent, search.played = _make_candidate(result, search.target), result
            self.windows = improve_windows(search)  # easy gains come first again
            self.fruitless, self.is_over = 0.0, False

    def rank(self) -> float:
        """Return the sort key, lowest first: drops plus two steps, raised by fruitless work."""
        target, drops = self.search.target, self.search.incumbent.drops
        step = 1 if target.count_spare() else target.width // gcd(target.width, 4)
        return (drops + 2 * step) * (1 + self.fruitless / _PATIENCE)

    def run_slice(self) -> float:
        """Run a slice and return its work; mark the search as over if no window is left."""
        before = self.search.incumbent
        work = next(self.windows, None)
        self.is_over = work is None
        shortened = self.search.incumbent is not before
        self.fruitless = 0.0 if shortened else self.fruitless + (work or 0.0)
        return work or 0.0


def search_neighbourhood(context: Context, prints: Iterator[Slice]) -> Iterator[Slice]:
    """Shorten the best plans of some boards window by window, the most promising one first.

    The shortest plan may be hard to improve: on an odd width, only four cleared rows at once can be
    saved. Often the plan of another board becomes shorter in the end. If no plan gets shorter, the
    search starts from another plan, too. If every known plan has been a start, ``prints`` prints
    the picture anew.
    """
    starts: list[_StartingPlan] = []
    used: set[Plan] = set()
    idle_work = 0.0  # work since a starting plan was last added
    is_playable = context.is_playable
    while context.best is not None:
        if is_playable != context.is_playable:  # the best plan may now be a longer one
            is_playable = context.is_playable
            starts.clear()
        for result in _list_plans(context, starts):
            used.add(result.plan)
            start = _find_start(starts, result.task.board)
            if start is None:
                starts.append(_StartingPlan.of(context, result))
            else:
                start.take(result)
        active = [start for start in starts if not start.is_over]
        if not active or (
            idle_work >= _RESTART and all(start.fruitless >= _RESTART for start in active)
        ):
            idle_work = 0.0
            if not _add_start(context, starts, used):
                printed = next(prints, None)
                if printed is not None:
                    yield printed
                    continue
                if not active:
                    return
            active = [start for start in starts if not start.is_over]
        start = min(active, key=_StartingPlan.rank)
        work = start.run_slice()  # even the slice that ends a search may have found a plan
        idle_work += work
        yield make_slice(context, start.search, work)


def _find_start(starts: Sequence[_StartingPlan], board: Board) -> _StartingPlan | None:
    """Return the start with the shortest plan on a board; None if there is none."""
    on_board = (start for start in starts if start.board == board)
    return min(on_board, key=lambda start: start.search.incumbent.drops, default=None)


def _list_plans(context: Context, starts: Sequence[_StartingPlan]) -> list[PrintResult]:
    """Return the best plan, and plans of other boards that are new and not much longer."""
    best = context.best
    assert best is not None
    listed = [best]
    for board, plan in context.list_shortest_plans().items():
        start = _find_start(starts, board)
        drops = inf if start is None else start.search.incumbent.drops
        if board != best.task.board and len(plan) < min(drops, _MUCH_LONGER * best.drops):
            listed.append(PrintResult.of(context.request.make_task_on(board), plan, Stage.RACE))
    return listed


def _add_start(context: Context, starts: list[_StartingPlan], used: set[Plan]) -> bool:
    """Add a start from the shortest unused plan; return whether a short enough one exists."""
    for plan in context.plans:
        if plan not in used and len(plan) < _MUCH_LONGER * len(context.plans[0]):
            used.add(plan)
            result = PrintResult.of(context.request.make_task_on(plan.board), plan, Stage.RACE)
            starts.append(_StartingPlan.of(context, result))
            _drop_worst(starts)
            return True
    return False


def _drop_worst(starts: list[_StartingPlan]) -> None:
    """Remove the least promising start if there are too many, as each has a loaded solver."""
    droppable = [start for start in starts[:-1] if start is not _find_start(starts, start.board)]
    if len(starts) > _STARTS and droppable:
        worst = max(droppable, key=_StartingPlan.rank)
        worst.windows.close()
        starts.remove(worst)


def search_first_plan(context: Context) -> Iterator[Slice]:
    """Search for a first plan with the proof and the window search in turn."""
    request = context.request
    limit, task = request.limit, request.task
    target = task.target
    run = SearchRun(limit.seed, context.stop)
    search = ShortestSearch(target, run, check=partial(play_candidate, task, target))
    work, windows = _PROOF, improve_windows(search)
    while context.best is None:
        before = run.spent
        raise_search_bound(search, work)
        yield _make_first_slice(search, max(0.01, run.spent - before))
        window_work = 4 * work
        while (
            context.best is None and window_work > 0 and (used := next(windows, None)) is not None
        ):
            window_work -= used
            yield _make_first_slice(search, used)
        work *= 2


def _make_first_slice(search: ShortestSearch, work: float) -> Slice:
    """Return a slice with the plan of a search, if it has found one, and its bound."""
    plan = None if search.played is None else search.played.plan
    return Slice(work, plan, bound=search.run.bound)


def extend_proof(context: Context) -> Iterator[Slice]:
    """Raise the bound on the best plan's board; each slice has twice the work of the last."""
    search: ShortestSearch | None = None
    work = _PROOF
    while (best := context.best) is not None:
        target = best.task.target
        nogoods = {} if search is None or search.target != target else search.nogoods
        search = start_search(context, best)
        search.nogoods = nogoods
        before = search.run.spent
        raise_search_bound(search, work)
        spent = search.run.spent - before
        yield make_slice(context, search, spent)
        if spent < work / 4:  # the proof stopped on its own, not at the limit
            return
        work *= 2


def start_search(context: Context, best: PrintResult) -> ShortestSearch:
    """Return a search whose incumbent is the plan of ``best``."""
    limit = context.request.limit
    run = SearchRun(limit.seed, context.stop)
    task, target = best.task, best.task.target
    search = ShortestSearch(target, run, check=partial(_play_if_steerable, context, task, target))
    search.incumbent, search.played = _make_candidate(best, target), best
    run.bound = best.bound
    return search


def make_slice(context: Context, search: ShortestSearch, work: float) -> Slice:
    """Return a slice with the bound of a search and its plan, if that is shorter than the best."""
    best, played = context.best, search.played
    assert best is not None
    if played is None or played.drops >= best.drops:
        return Slice(work, bound=search.run.bound)
    return Slice(work, played.plan, bound=search.run.bound)


def play_candidate(task: Task, target: Target, candidate: Candidate) -> PrintResult:
    """Play a candidate; return the result, or raise an error if it does not print the task."""
    colors = list_plan_colors(task.board, assign_types(task, target, candidate.assignment))
    plan = Plan(candidate.passes or (), colors, task.board.width, task.board.height)
    return PrintResult.of(task, plan, "shortest")


def _play_if_steerable(
    context: Context, task: Task, target: Target, candidate: Candidate
) -> PrintResult:
    """Play a candidate; refuse it if the player can steer the best plan but not the candidate."""
    result = play_candidate(task, target, candidate)
    if context.is_playable and not context.can_play(result.plan):
        raise UnwantedGameError(f"{task.name}: the player cannot steer every piece of this game")
    return result


def _make_candidate(result: PrintResult, target: Target) -> Candidate:
    """Return a plan as a candidate, with its type assignment if types are open."""
    assignment: TypeColors = ()
    if target.shades is not None:
        task = result.task
        shade_of = {color: shade for shade, color in enumerate(task.colors, 1)}
        if target.dont_care_shade and task.background:
            shade_of[task.background] = target.dont_care_shade
        assignment = tuple((p, shade_of[c]) for p, c in result.plan.colors if c in shade_of)
    return Candidate(result.plan.passes, assignment)
