"""The planner *auto*: realtime, and where that finds nothing the one for the fewest drops.

The second looks longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tetrisprinter.errors import JobError, Obstacle
from tetrisprinter.planners.realtime import REALTIME
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.shortest import SHORTEST
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["AUTO", "AutoPlanner"]


@dataclass(frozen=True, slots=True)
class AutoPlanner:
    """The planner ``auto``; the result names who made it."""

    name: str = "auto"
    summary: str = "is realtime, and shortest where that finds nothing"
    resumes: bool = True

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask realtime."""
        return REALTIME.refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Let the one or the other do it."""
        try:
            return REALTIME.plan(task, run)
        except JobError:
            if run.begun is not None:
                raise
        run.note(f"{task.name}: not to be printed in real time; the shortest plan is looked for")
        return SHORTEST.plan(task, replace(run, candidates=()))


AUTO = AutoPlanner()
