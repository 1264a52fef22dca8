"""The planners that choose another one for the task.

*realtime* is the article's search where its board and its rule of colours are asked for,
else the same idea for any board. *auto* is realtime, and where that finds nothing the
planner for the fewest drops, which looks longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tetrisprinter.errors import JobError, Obstacle
from tetrisprinter.planners.article.realtime import SEARCH
from tetrisprinter.planners.direct import DIRECT
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.shortest import SHORTEST
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["AUTO", "REALTIME", "AutoPlanner", "RealtimePlanner"]


@dataclass(frozen=True, slots=True)
class RealtimePlanner:
    """The planner ``realtime``."""

    name: str = "realtime"
    summary: str = "searches its packings"
    resumes: bool = True

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask whoever would do it."""
        return (SEARCH if task.is_classic else DIRECT).refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Let the one or the other do it; only the one for any board goes on from a plan."""
        chosen = SEARCH if task.is_classic and run.begun is None else DIRECT
        return replace(chosen.plan(task, run), planner=self.name)


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


REALTIME = RealtimePlanner()
AUTO = AutoPlanner()
