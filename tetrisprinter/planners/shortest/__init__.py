"""The planner for the fewest drops: any board, any type colours, any printable picture.

:data:`SHORTEST` is all there is to call. Behind it, from the bottom: ``shape``,
``placements`` and ``order`` (what a pass is), ``reach`` (what later passes can still print),
``problem`` and ``model`` (the joint optimisation of a list of passes), ``slices`` (any plan as
passes), ``run`` (clock and workers), ``assignments`` (colours to types), ``search`` (what the
stages share), ``whole``, ``games`` and ``bands`` (the stages), ``portfolio`` (their
table) and ``budgets`` (every number that is a matter of experience).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tetrisprinter.bounds.proving import Terms
from tetrisprinter.errors import JobError, Obstacle, Remedy, TetrisPrinterError, Thing
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.run import Progress, Run, TimeUpError
from tetrisprinter.planners.shortest.assignments import any_assignment, types_assigned
from tetrisprinter.planners.shortest.budgets import DEFAULT, Budgets
from tetrisprinter.planners.shortest.portfolio import AT_ONCE, STAGES, climb
from tetrisprinter.planners.shortest.portfolio import Stage as Way
from tetrisprinter.planners.shortest.problem import Assignment, Passes, PlacedPass
from tetrisprinter.planners.shortest.proved import game_proved, proved
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.search import NONE, Candidate, Search
from tetrisprinter.planners.shortest.slices import passes_of
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.obstacles import obstacle, risk_of_i, target_of
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.target import Target, fewest_drops
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import plan_colors
from tetrisprinter.support.limits import Limit

__all__ = ["SHORTEST", "Progress", "ShortestPlanner"]


@dataclass(frozen=True, slots=True)
class ShortestPlanner:
    """The planner ``shortest``.

    Attributes
    ----------
    budgets : Budgets
        For how long things are tried.
    stages : tuple of Stage
        What is tried, in its order.
    """

    name: str = "shortest"
    summary: str = "takes the fewest drops and longest"
    resumes: bool = False
    starts: bool = True
    budgets: Budgets = DEFAULT
    stages: tuple[Way, ...] = STAGES

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
            from tetrisprinter.planners.onward import shortest_from

            return shortest_from(task, run)
        began = time.monotonic()
        risk = None if task.type_colors is None or run.candidates else risk_of_i(task)
        if risk is not None:
            run.note(risk)
        solver = SolverRun(
            seed=run.limit.seed,
            effort=run.limit.effort,
            workers=run.limit.workers,
            deadline=run.deadline,
            tell=run.tell,
        )
        target = target_of(task)
        best = self._known(task, run, solver)
        first = NONE
        if best is not None:
            first = _candidate(best, target)
            solver.found(best.drops)
        check = partial(self._played, task, target)
        rest = partial(_printed_by_rows, task, target, run, solver)
        search = Search(target, solver, self.budgets, first, check, rest)
        found = first
        try:
            found = climb(search, self.stages)
        except KeyboardInterrupt:  # between two solves
            solver.stop()
            found = search.incumbent
        run.work.add(solver.spent)
        if found.passes is not None and found.passes is not first.passes:
            best = self._played(task, target, found)
        if best is None and not solver.stopped:
            run.tell(Progress("all games, from the shortest"))
            best = game_proved(task, self.name, self._terms(run))
        if best is None:
            raise self._nothing(task, run, solver, search.fault)
        proof = best.proof
        if best.drops <= solver.bound:
            proof = Proof.ALL_GAMES
        elif found.listed:
            proof = Proof.PASSES
        result = replace(
            best,
            planner=self.name,
            bound=max(best.bound, solver.bound),
            proof=proof,
            seconds=time.monotonic() - began,
            stopped=solver.stopped,
        )
        return result if solver.stopped else proved(result, self._terms(run))

    def _terms(self, run: Run) -> Terms:
        """Return how far to go in looking at all games."""
        seconds = None if run.deadline == float("inf") else run.deadline - time.monotonic()
        return Terms(seconds=seconds, work=self.budgets.proof * run.limit.effort)

    def _played(self, task: Task, target: Target, found: Candidate) -> PrintResult:
        """Play a candidate."""
        types = types_assigned(task, target, found.assignment)
        result = PrintResult.of(task, _plan_of(found.passes or (), types, task), self.name)
        return replace(result, made_by=found.made_by)

    @staticmethod
    def _nothing(
        task: Task, run: Run, solver: SolverRun, fault: TetrisPrinterError | None
    ) -> BaseException:
        """Return what to raise if there is no plan."""
        if fault is not None:
            return fault
        if solver.interrupted:
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

    def at_once(self, task: Task, run: Run, drops: int) -> PrintResult | None:
        """Look for a game in fewer drops that clears one row or none, on a small board only.

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
        seconds = run.limit.seconds
        deadline = float("inf") if seconds is None else time.monotonic() + seconds
        solver = SolverRun(seed=run.limit.seed, workers=1, deadline=deadline)
        no_clear, few_lines, place = self.budgets.at_once
        budgets = replace(
            self.budgets, no_clear=no_clear, few_lines=few_lines, place=place, lines=1
        )
        search = Search(target, solver, budgets, check=partial(self._played, task, target))
        found = climb(search, AT_ONCE)
        run.work.add(solver.spent)
        if found.passes is None or found.drops >= drops:
            return None
        return self._played(task, target, found)

    def _known(self, task: Task, run: Run, solver: SolverRun) -> PrintResult | None:
        """Return the shortest plan that is to be beaten; others make it, if nobody gave one."""
        if run.candidates is not None:
            given = [self._checked(task, plan) for plan in run.candidates]
            known = [replace(one, made_by=(Stage.KNOWN,)) for one in given if one is not None]
            return min(known, key=lambda one: one.drops, default=None)
        from tetrisprinter.planners.rows import ROWS

        if ROWS.refuses(task) is not None:
            return None
        alone = Run(run.limit, run.tell, deadline=run.deadline, work=run.work)
        best: PrintResult | None = None
        for effort in (run.limit.effort, self.budgets.several):
            if best is not None:
                if best.stopped or task.type_colors is None or run.limit.effort < 1:
                    break
                limit = replace(run.limit, effort=effort)
                alone = replace(alone, limit=limit, candidates=(best.plan,))
            with contextlib.suppress(TetrisPrinterError):
                try:
                    found = ROWS.plan(task, alone)
                except KeyboardInterrupt:
                    if best is None:
                        raise
                    solver.stop()
                    break
                if best is None or found.drops < best.drops:
                    best = found
        return best

    def _checked(self, task: Task, plan: Plan) -> PrintResult | None:
        with contextlib.suppress(TetrisPrinterError):
            return PrintResult.of(task, plan, self.name)
        return None


SHORTEST = ShortestPlanner()


def _printed_by_rows(
    task: Task, target: Target, run: Run, solver: SolverRun, passes: Passes, assignment: Assignment
) -> Passes | None:
    """Print the rest of a picture row by row."""
    from tetrisprinter.planners.rows import ROWS

    limit = Limit(workers=1, seed=run.limit.seed, effort=min(1.0, run.limit.effort))
    begun = _plan_of(passes, types_assigned(task, target, assignment), task)
    rest = Run(limit, begun=begun, candidates=(), deadline=run.deadline)
    try:
        return passes_of(ROWS.plan(task, rest).plan)
    except TetrisPrinterError:
        return None
    except KeyboardInterrupt:
        solver.stop()
        return None


def _candidate(known: PrintResult, target: Target) -> Candidate:
    """Return a plan as passes; if types have no colours yet, with those that it gives them."""
    if target.shades is None:
        return Candidate(passes_of(known.plan), made_by=known.made_by)
    task = known.task
    number = {color: shade for shade, color in enumerate(task.colors, 1)}
    if target.unseen and task.background:
        number[task.background] = target.unseen
    assignment = tuple((p, number[c]) for p, c in known.plan.colors if c in number)
    return Candidate(passes_of(known.plan), assignment, made_by=known.made_by)


def _plan_of(played: Sequence[PlacedPass], types: Mapping[PieceType, Color], task: Task) -> Plan:
    colors = plan_colors(task.board, types)
    return Plan(_drawn(played), colors, task.board.width, task.board.height)


def _drawn(played: Sequence[PlacedPass]) -> tuple[Pass, ...]:
    """Draw the passes, each cut to the rows it uses."""
    passes: list[Pass] = []
    for one in played:
        for part in filter(None, one.parts):
            low = min(p.y for p in part)
            top = max(p.y + p.orientation.height for p in part)
            pieces = tuple(Placement(p.orientation, p.x, p.y - low) for p in part)
            passes.append(Pass(top - low, pieces))
    return tuple(passes)
