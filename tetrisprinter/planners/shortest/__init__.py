"""The planner for the fewest drops: any board, any type colours, any printable picture.

:data:`SHORTEST` is all there is to call. Behind it, from the bottom: ``shape``,
``placements`` and ``order`` (what a pass is), ``reach`` (what later passes can still print),
``problem`` and ``model`` (the joint optimisation of a list of passes), ``slices`` (any plan as
passes), ``run`` (clock and
workers), ``assignments`` (colours to types), ``strategies`` (which lists to try) and
``tuning`` (every number that is a matter of experience).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tetrisprinter.bounds.proving import Terms
from tetrisprinter.errors import FaultError, JobError, Obstacle, Remedy, TetrisPrinterError, Thing
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.run import LOG, Progress, Run, TimeUpError
from tetrisprinter.planners.shortest.assignments import any_assignment, types_assigned
from tetrisprinter.planners.shortest.problem import Passes, PlacedPass
from tetrisprinter.planners.shortest.proved import game_proved, proved
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.slices import passes_of
from tetrisprinter.planners.shortest.strategies.attempts import NONE, Candidate
from tetrisprinter.planners.shortest.strategies.choose import shortest_candidate
from tetrisprinter.planners.shortest.strategies.whole import few_line_problems, lying_problem
from tetrisprinter.planners.shortest.tuning import DEFAULT, Tuning
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.counting import fewest_drops
from tetrisprinter.printing.obstacles import obstacle, risk_of_i, target_of
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import plan_colors
from tetrisprinter.support.limits import Limit

__all__ = ["SHORTEST", "Progress", "ShortestPlanner"]

_LYING_WORK = 1.0
_PLACE_WORK = 0.3
"""Deterministic seconds for a game at once: without a clear, and with one in each place."""


Stages = tuple[str, ...]
"""What made a plan."""


@dataclass(frozen=True, slots=True)
class ShortestPlanner:
    """The planner ``shortest``.

    Attributes
    ----------
    tuning : Tuning
        What is tried, and for how long.
    """

    name: str = "shortest"
    summary: str = "takes the fewest drops and longest"
    resumes: bool = False
    tuning: Tuning = DEFAULT

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
        began = time.monotonic()
        risk = None if task.type_colors is None or run.candidates else risk_of_i(task)
        if risk is not None:
            run.note(risk)
        solver = SolverRun(
            seed=run.limit.seed,
            effort=run.limit.effort,
            workers=run.limit.workers,
            deadline=run.deadline,
            progress=run.tell,
            tuning=self.tuning,
        )
        plans = self._candidates(task, run, solver.stop)
        choices = [
            replace(result, made_by=made_by)
            for plan, made_by in plans
            if (result := self._checked(task, plan))
        ]
        for choice in choices:
            solver.found(choice.drops)
        target = target_of(task)
        known = min(choices, key=lambda choice: choice.drops, default=None)
        first = NONE if known is None else _candidate(known, target)
        if known is not None:
            solver.finish = partial(_finished, known, run, solver)
        found = NONE
        try:
            found = shortest_candidate(target, solver, first)
        except KeyboardInterrupt:  # between two solves
            solver.stop()
        run.work.add(solver.spent)
        fault: FaultError | None = None
        if found.passes is not None:
            types = types_assigned(task, target, found.assignment)
            try:
                made = PrintResult.of(task, _plan(found.passes, types, task), self.name)
            except FaultError as error:  # it costs no other plan
                LOG.error("%s", error)
                fault = error
            else:
                choices.insert(0, replace(made, made_by=found.made_by))
        if not choices and not solver.stopped:
            run.tell(Progress("all games, from the shortest"))
            choices += filter(None, [game_proved(task, self.name, self._terms(target, run))])
        if not choices:
            raise self._nothing(task, run, solver) if fault is None else fault
        best = min(choices, key=lambda choice: choice.drops)
        proof = best.proof
        if best.drops <= solver.bound:
            proof = Proof.ALL_GAMES
        elif found.listed and fault is None and best is choices[0]:
            proof = Proof.PASSES
        result = replace(
            best,
            planner=self.name,
            bound=max(best.bound, solver.bound),
            proof=proof,
            seconds=time.monotonic() - began,
            stopped=solver.stopped,
        )
        if solver.stopped:
            return result
        is_far = result.drops >= self.tuning.proof_far * solver.bound
        return proved(result, self._terms(target, run, is_far=is_far))

    def _terms(self, target: Target, run: Run, *, is_far: bool = False) -> Terms:
        """Return how far to go in looking at all games."""
        is_large = target.width * target.rows > self.tuning.whole_cells
        work = self.tuning.proof_work_large if is_large or is_far else self.tuning.proof_work
        seconds = None if run.deadline == float("inf") else run.deadline - time.monotonic()
        return Terms(seconds=seconds, work=work * run.limit.effort)

    @staticmethod
    def _nothing(task: Task, run: Run, solver: SolverRun) -> BaseException:
        """Return what to raise if there is no plan."""
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
        small = target.width * target.rows <= self.tuning.whole_cells
        if not small or drops <= fewest_drops(target) or self.refuses(task) is not None:
            return None
        seconds = run.limit.seconds
        solver = SolverRun(
            seed=run.limit.seed,
            workers=1,
            deadline=float("inf") if seconds is None else time.monotonic() + seconds,
        )
        found = solver.solve(lying_problem(target), _LYING_WORK)
        if found.passes is None and fewest_drops(target, 1) < drops:
            for problem in few_line_problems(target, 1):
                found = solver.solve(problem, _PLACE_WORK, core=False)
                if found.passes is not None:
                    break
        run.work.add(solver.spent)
        if found.passes is None or found.drops >= drops:
            return None
        types = types_assigned(task, target, found.assignment)
        result = self._checked(task, _plan(found.passes, types, task))
        way = (
            Stage.NO_CLEAR
            if found.passes and not any(p.shape.lines for p in found.passes)
            else Stage.FEW_LINES
        )
        return None if result is None else replace(result, made_by=(way,))

    def _candidates(
        self, task: Task, run: Run, stop: Callable[[], None] = lambda: None
    ) -> Sequence[tuple[Plan, Stages]]:
        """Return the plans to be beaten; what only this planner can print, or explain, has none."""
        from tetrisprinter.planners.rows import ROWS

        if run.candidates is not None:
            return [(plan, (Stage.KNOWN,)) for plan in run.candidates]
        with contextlib.suppress(TetrisPrinterError):
            if ROWS.refuses(task) is None:
                alone = Run(run.limit, run.tell, deadline=run.deadline, work=run.work)
                first = ROWS.plan(task, alone)
                try:
                    return self._abreast(task, alone, first)
                except KeyboardInterrupt:
                    stop()
                    return [(first.plan, first.made_by)]
        return []

    def _abreast(self, task: Task, run: Run, first: PrintResult) -> Sequence[tuple[Plan, Stages]]:
        """Return a plan of *rows*, and others with several games side by side."""
        from tetrisprinter.planners.rows import ROWS

        plans = [(first.plan, first.made_by)]
        cells = task.board.width * task.picture.height
        if first.stopped or run.limit.effort < self.tuning.look_effort:
            return plans
        few = task.type_colors is None or cells > self.tuning.large_cells
        for effort in () if few else self.tuning.abreast:
            more = replace(run, limit=replace(run.limit, effort=effort), candidates=(first.plan,))
            with contextlib.suppress(TetrisPrinterError):
                found = ROWS.plan(task, more)
                made_by = first.made_by if found.made_by == (Stage.KNOWN,) else found.made_by
                plans.append((found.plan, made_by))
        return plans

    def _checked(self, task: Task, plan: Plan) -> PrintResult | None:
        with contextlib.suppress(TetrisPrinterError):
            return PrintResult.of(task, plan, self.name)
        return None


SHORTEST = ShortestPlanner()


def _finished(known: PrintResult, run: Run, solver: SolverRun, passes: Passes) -> Passes | None:
    """Print the rest of a picture row by row, in the types of a known plan."""
    from tetrisprinter.planners.rows import ROWS

    begun = replace(known.plan, passes=_drawn(passes))
    effort = min(1.0, run.limit.effort)
    limit = Limit(workers=1, seed=run.limit.seed, effort=effort)
    rest = Run(limit, begun=begun, candidates=(), deadline=run.deadline, work=run.work)
    try:
        return passes_of(ROWS.plan(known.task, rest).plan)
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


def _plan(played: Sequence[PlacedPass], types: Mapping[PieceType, Color], task: Task) -> Plan:
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
