"""The planner for the fewest drops: any board, any type colours, any printable picture.

:data:`SHORTEST` is all there is to call. ``portfolio`` is the table of what it tries, ``budgets``
for how long; ``optional`` is the formula that says what a game is.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

from tetrisprinter.bounds.stacks import Assigned
from tetrisprinter.errors import JobError, Obstacle, Remedy, TetrisPrinterError, Thing
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.onward import shortest_from
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.run import Progress, Run, TimeUpError
from tetrisprinter.planners.shortest.assignments import any_assignment, types_assigned
from tetrisprinter.planners.shortest.budgets import DEFAULT, ShortestBudgets
from tetrisprinter.planners.shortest.portfolio import STAGES, Entry, climb
from tetrisprinter.planners.shortest.proved import refute
from tetrisprinter.planners.shortest.running import SearchRun
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.obstacles import obstacle, risk_of_i, target_of
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.target import Target, fewest_drops
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import plan_colors

__all__ = ["SHORTEST", "Progress", "ShortestPlanner"]

_NAME = "shortest"


@dataclass(frozen=True, slots=True)
class ShortestPlanner:
    """The planner ``shortest``.

    Attributes
    ----------
    budgets : ShortestBudgets
        For how long things are tried.
    stages : tuple of Entry
        What is tried, in its order.
    """

    name: str = _NAME
    summary: str = "takes the fewest drops and longest"
    resumes: bool = False
    starts: bool = True
    budgets: ShortestBudgets = DEFAULT
    stages: tuple[Entry, ...] = STAGES

    def refuses(self, task: Task) -> Obstacle | None:
        """Return what forbids the picture to everybody, or whichever type shows which colour."""
        known = obstacle(task)
        if known is None and task.type_colors is None and any_assignment(target_of(task)) is None:
            return Obstacle(
                "whichever type shows which colour, some row cannot be made up of pieces that "
                "leave as many squares above it as the picture has there (theorems 'O alone' and "
                "'cut')",
                (Remedy("{} 6 may help, or an odd width", Thing.COLORS),),
                "cut",
            )
        return known

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Look for the fewest drops, beginning with a plan that is made at once.

        That is the shortest of ``run.candidates``, or that of the planner *rows*. Candidates
        that leave something else, or have other types, are not counted. The result does not
        depend on the clock, unless the time was up.

        Raises
        ------
        JobError
            If nothing was found in time.
        KeyboardInterrupt
            If it was interrupted before anything was found.
        """
        if task.start:
            return shortest_from(task, run)
        began = time.monotonic()
        risk = None if task.type_colors is None or run.candidates else risk_of_i(task)
        if risk is not None:
            run.note(risk)
        limit = run.limit
        shared = SearchRun(limit.seed, limit.effort, limit.workers, run.deadline, run.tell)
        target = target_of(task)
        known = self._known(task, run)
        search = Search(target, shared, self.budgets, check=partial(_played, task, target))
        if known is not None:
            search.incumbent, search.played = _candidate(known, target), known
            shared.found(known.drops)
        try:
            climb(search, self.stages)
        except KeyboardInterrupt:  # between two jobs
            shared.interrupted = True
        run.work.add(shared.spent)
        best = search.played
        if best is None:
            raise search.fault or _nothing(task, run, shared)
        seconds = time.monotonic() - began
        result = replace(best, planner=self.name, seconds=seconds, stopped=shared.stopped)
        return _bounded(result, shared)

    def at_once(self, task: Task, run: Run, drops: int) -> PrintResult | None:
        """Look for a game in fewer drops than which there is none, with little work.

        Parameters
        ----------
        task : Task
            What is to be printed.
        run : Run
            Clock, seed and workers.
        drops : int
            Those of the best plan so far.
        """
        target = target_of(task)
        if drops <= fewest_drops(target) or self.refuses(task) is not None:
            return None
        shared = SearchRun(deadline=run.deadline)
        search = Search(target, shared, self.budgets, check=partial(_played, task, target))
        search.stage = Stage.PROOF
        refute(search, self.budgets.at_once)
        best = search.played
        return _bounded(best, shared) if best is not None and best.drops < drops else None

    def _known(self, task: Task, run: Run) -> PrintResult | None:
        """Return the shortest plan that is to be beaten; *rows* makes one, if nobody gave any."""
        if run.candidates is None:
            alone = Run(run.limit, run.tell, deadline=run.deadline, work=run.work)
            try:
                return None if ROWS.refuses(task) else ROWS.plan(task, alone)
            except TetrisPrinterError:
                return None
        best: PrintResult | None = None
        for plan in run.candidates:
            try:
                one = PrintResult.of(task, plan, self.name)
            except TetrisPrinterError:  # of another picture, or in other types
                continue
            if best is None or one.drops < best.drops:
                best = replace(one, made_by=(Stage.KNOWN,))
        return best


SHORTEST = ShortestPlanner()


def _bounded(result: PrintResult, shared: SearchRun) -> PrintResult:
    """Say of a result what is proved: how few drops no game has, and whether it has so few."""
    result = replace(result, bound=max(result.bound, shared.bound))
    return replace(result, proof=Proof.ALL_GAMES) if result.drops <= result.bound else result


def _played(task: Task, target: Target, found: Candidate) -> PrintResult:
    """Play a candidate."""
    colors = plan_colors(task.board, types_assigned(task, target, found.assignment))
    plan = Plan(found.passes or (), colors, task.board.width, task.board.height)
    return replace(PrintResult.of(task, plan, _NAME), made_by=found.made_by)


def _candidate(known: PrintResult, target: Target) -> Candidate:
    """Return a plan as passes; if types have no colours yet, with those that it gives them."""
    assignment: Assigned = ()
    if target.shades is not None:
        task = known.task
        number = {color: shade for shade, color in enumerate(task.colors, 1)}
        if target.unseen and task.background:
            number[task.background] = target.unseen
        assignment = tuple((p, number[c]) for p, c in known.plan.colors if c in number)
    return Candidate(known.plan.passes, assignment, made_by=known.made_by)


def _nothing(task: Task, run: Run, shared: SearchRun) -> BaseException:
    """Return what to raise if there is no plan."""
    if shared.interrupted and not run.is_over:
        return KeyboardInterrupt()
    if run.is_over:
        return TimeUpError.of(task.name)
    chosen = task.types == "auto"
    return JobError(
        f"{task.name}: no plan was found with this effort",
        Remedy("try {}", Thing.EFFORT),
        Remedy("or a higher or a wider board"),
        *([] if chosen else [Remedy("or {}", Thing.AUTO_TYPES)]),
    )
