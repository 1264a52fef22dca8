"""Whoever prints a task without a search for fewer drops.

That is the article's search where its board and its rule of colours are asked for, else the
same idea for any board. The planner *realtime* is made of this; so is the plan that the
planner *rows* has to beat, which is why it stands below both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tetrisprinter.errors import Obstacle
from tetrisprinter.planners.article.realtime import SEARCH
from tetrisprinter.planners.direct import DirectPlanner
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.planners.direct.planner import Otherwise

__all__ = ["RealtimePlanner"]


@dataclass(frozen=True, slots=True)
class RealtimePlanner:
    """The planner ``realtime``.

    Attributes
    ----------
    otherwise : callable or None
        Who prints a row that it cannot print.
    """

    otherwise: Otherwise | None = None
    name: str = "realtime"
    summary: str = "searches its packings"
    resumes: bool = True
    starts: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask whoever would do it."""
        return (SEARCH if task.is_classic else DirectPlanner()).refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Let the one or the other do it; only the one for any board goes on from a plan."""
        if task.is_classic and run.begun is None:
            return SEARCH.plan(task, run)
        return replace(DirectPlanner(self.otherwise).plan(task, run), planner=self.name)
