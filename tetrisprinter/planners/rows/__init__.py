"""The planner *rows*: prints pictures of any size row by row, by searching for passes.

:data:`ROWS` is the entry point. The modules behind it, from the bottom up: ``passes`` (the
search for a pass), ``target`` (what rows must hold), ``chooser`` (which pass comes next),
``row_print`` (all rows) and ``from_board`` (boards that are not empty).
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, replace
from typing import Final

from tetrisprinter.errors import Obstacle
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.run import LOG, Run
from tetrisprinter.printing.obstacles import describe_i_risk, find_obstacle
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["EASY_COLORS", "ROWS", "RowsPlanner", "estimate_photo_seconds"]


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
        printed = plan_from_board(task, run) if task.start else plan_rows(task, run)
        result = PrintResult.of(task, printed.plan, self.name, time.monotonic() - began)
        return replace(result, made_by=printed.made_by)


ROWS = RowsPlanner()


_SQUARE_SECONDS: Final = 0.0006
_CHANGE_SECONDS: Final = 0.007
"""Seconds that *rows* takes on an idle machine for each square, and for each change of colour along
the rows."""

_SINGLE_SURCHARGE: Final = 45.0
"""I and O can hardly leave single squares. So each colour that needs I or O adds to the time of a
change: this factor times the squared ratio of changes to squares."""

EASY_COLORS: Final = len(set(PieceType) - {PieceType.I, PieceType.O})
"""The largest number of colours that need neither I nor O."""


def estimate_photo_seconds(picture: Picture, colors: int | None = None) -> float:
    """Estimate the CPU seconds that the planner *rows* takes for a photograph.

    It depends on the number of colour changes along the rows: grain is expensive, a sky is not.
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    surcharge = max(0, (colors or len(picture.colors())) - EASY_COLORS) * (changes / squares) ** 2
    change_seconds = _CHANGE_SECONDS * changes * (1 + _SINGLE_SURCHARGE * surcharge)
    return _SQUARE_SECONDS * squares + change_seconds
