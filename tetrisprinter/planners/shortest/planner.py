"""The planner ``shortest``, as others call it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from tetrisprinter.errors import Obstacle, TetrisPrinterError
from tetrisprinter.planners.run import Progress, Run
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task

__all__ = ["SHORTEST", "ShortestPlanner"]


@dataclass(frozen=True, slots=True)
class ShortestPlanner:
    """The planner for the fewest drops."""

    name: str = "shortest"
    summary: str = "takes the fewest drops and longest"

    def refuses(self, task: Task) -> Obstacle | None:
        """Return what forbids the picture to everybody."""
        return None

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Look for the fewest drops, beginning with a plan that is made at once."""
        from tetrisprinter.planners.auto import REALTIME
        from tetrisprinter.planners.shortest import plan_shortest
        from tetrisprinter.planners.shortest.session import Step

        candidates = list(run.candidates or ())
        if run.candidates is None and REALTIME.refuses(task) is None:
            # What only this planner can print, or explain, has no first plan.
            with contextlib.suppress(TetrisPrinterError):
                candidates.append(REALTIME.plan(task, Run(run.limit, run.tell)).plan)

        def show(step: Step) -> None:
            run.tell(Progress(step.stage, step.fraction, step.drops, step.bound))

        found = plan_shortest(
            task.picture,
            types=task.types,
            background=task.background,
            width=task.board.width,
            height=task.board.height,
            column=task.column,
            seed=run.limit.seed,
            effort=run.limit.effort,
            workers=run.limit.workers,
            time_limit=run.limit.seconds,
            candidates=candidates,
            progress=show,
        )
        return PrintResult(
            task,
            found.plan,
            PrintResult.of(task, found.plan, self.name).game,
            self.name,
            found.bound,
            Proof(found.proved),
            found.seconds,
            found.stopped,
        )


SHORTEST = ShortestPlanner()
