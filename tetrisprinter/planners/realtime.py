"""The planner *realtime*: whoever prints a task without a search for fewer drops.

That is the article's search where its board and its rule of colours are asked for, else the
same idea for any board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tetrisprinter.errors import Obstacle
from tetrisprinter.planners.article.realtime import SEARCH
from tetrisprinter.planners.direct import DIRECT
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["REALTIME", "RealtimePlanner"]


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


REALTIME = RealtimePlanner()
