"""The planner for any board that searches packings while printing, and is done at once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tetrisprinter.errors import Obstacle
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.obstacles import obstacle, risk_of_i
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.planners.direct.planner import Otherwise

__all__ = ["DIRECT", "DirectPlanner"]


@dataclass(frozen=True, slots=True)
class DirectPlanner:
    """The planner ``direct``.

    Attributes
    ----------
    otherwise : callable or None
        Who prints a row that it cannot print:
        :data:`~tetrisprinter.planners.direct.planner.Otherwise`.
    """

    otherwise: Otherwise | None = None
    name: str = "direct"
    summary: str = "prints row by row on any board"
    resumes: bool = True
    starts: bool = False

    def refuses(self, task: Task) -> Obstacle | None:
        """Return what forbids the picture to everybody, or leaves a colour without a type."""
        return obstacle(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Print a picture row by row."""
        from tetrisprinter.planners.direct.planner import plan_rows

        began = time.monotonic()
        risk = risk_of_i(task)
        if risk is not None:
            run.note(risk)
        plan = plan_rows(task, run, self.otherwise)
        return PrintResult.of(task, plan, self.name, time.monotonic() - began)


DIRECT = DirectPlanner()
