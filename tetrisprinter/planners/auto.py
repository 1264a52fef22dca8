"""The planner *auto*: rows, and where that finds nothing the one for the fewest drops.

The first takes a second or two and never more drops than the planner *realtime*; the second
looks longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tetrisprinter.errors import JobError, Obstacle
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.shortest import SHORTEST
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["AUTO", "AutoPlanner"]


@dataclass(frozen=True, slots=True)
class AutoPlanner:
    """The planner ``auto``; the result names who made it."""

    name: str = "auto"
    summary: str = "is rows, and shortest where that finds nothing"
    resumes: bool = True

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask rows."""
        return ROWS.refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Let the one or the other do it."""
        try:
            return ROWS.plan(task, run)
        except JobError:
            if run.begun is not None:
                raise
        run.note(f"{task.name}: not to be printed row by row; the shortest plan is looked for")
        return SHORTEST.plan(task, replace(run, candidates=()))


AUTO = AutoPlanner()
