"""The planner *rows*: prints pictures of any size row by row, by searching for passes.

:data:`ROWS` is the entry point. The modules behind it, from the bottom up: ``passes`` (the
search for a pass), ``target`` (what rows must hold), ``chooser`` (which pass comes next),
``row_print`` (all rows) and ``from_board`` (boards that are not empty).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from tetrisprinter.errors import Obstacle
from tetrisprinter.planners.run import LOG, Run
from tetrisprinter.printing.obstacles import describe_i_risk, find_obstacle
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["ROWS", "RowsPlanner"]


@dataclass(frozen=True, slots=True)
class RowsPlanner:
    """The planner ``rows``."""

    name: str = "rows"
    summary: str = "carries squares from row to row for few drops, at any size"
    resumes: bool = True
    can_start_from_board: bool = True

    def find_refusal(self, task: Task) -> Obstacle | None:
        """Return an obstacle that applies to all planners; None if there is none."""
        return find_obstacle(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Print a picture row by row."""
        from tetrisprinter.planners.rows.from_board import plan_from_board
        from tetrisprinter.planners.rows.row_print import plan_rows

        began = time.monotonic()
        risk = describe_i_risk(task)
        if risk is not None:
            LOG.info(risk)
        planned = plan_from_board(task, run) if task.start else plan_rows(task, run)
        result = PrintResult.of(task, planned.plan, self.name, time.monotonic() - began)
        return replace(result, made_by=planned.made_by)


ROWS = RowsPlanner()
