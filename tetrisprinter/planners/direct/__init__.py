"""The real-time planner: it searches packings while printing, row by row, and is done at once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tetrisprinter.errors import Obstacle
from tetrisprinter.planners.article import SEARCH
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.obstacles import obstacle, risk_of_i
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.planners.direct.planner import Otherwise

__all__ = ["DirectPlanner"]


@dataclass(frozen=True, slots=True)
class DirectPlanner:
    """The planners ``direct`` and ``realtime``.

    Attributes
    ----------
    otherwise : callable
        Who prints a row that emitters do not reach:
        :data:`~tetrisprinter.planners.direct.planner.Otherwise`.
    article : bool
        Whether the article's search prints what is on its board and in its types.
    """

    otherwise: Otherwise
    article: bool = True
    name: str = "realtime"
    summary: str = "searches its packings"
    resumes: bool = True
    starts: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Return what forbids the picture to everybody, or leaves a colour without a type."""
        return SEARCH.refuses(task) if self.article and task.is_classic else obstacle(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Print a picture row by row; the article's search does not go on from a plan."""
        from tetrisprinter.planners.direct.planner import plan_directly

        if self.article and task.is_classic and run.begun is None:
            return SEARCH.plan(task, run)
        began = time.monotonic()
        risk = risk_of_i(task)
        if risk is not None:
            run.note(risk)
        plan = plan_directly(task, run, self.otherwise)
        return PrintResult.of(task, plan, self.name, time.monotonic() - began)
