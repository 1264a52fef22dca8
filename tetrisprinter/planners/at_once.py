"""Whoever prints a task without a search for fewer drops.

That is the article's search where its board and its rule of colours are asked for, else the
same idea for any board. The planner *realtime* is made of this; so is the plan that the
planner *rows* has to beat, which is why it stands below both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from tetrisprinter.errors import Obstacle
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.article.realtime import SEARCH
from tetrisprinter.planners.direct import DirectPlanner
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.counting import least_drops
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.planners.direct.planner import Otherwise

__all__ = ["RealtimePlanner", "least_in_real_time"]


def least_in_real_time(task: Task) -> int:
    """Return a number of drops that no plan in real time falls short of, by counting alone.

    Every row is printed by itself, over clean rows. What is left of its drops are its squares; if
    no row is cleared for it, all of them lie in it, as runs of four.

    Returns
    -------
    int
        0 before a background, of which any number of squares may be left.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> least_in_real_time(Task.of(Picture.parse("rr\\nrrrr"), "21x42"))
    12
    """
    if task.background is not None:
        return 0
    width = task.board.width
    return sum(
        least_drops(width, sum(runs), lines=int(any(run % 4 for run in runs)))
        for runs in map(_runs, task.picture.rows)
    )


def _runs(row: Sequence[Color | None]) -> list[int]:
    """Return the lengths of the runs of squares in a row."""
    return [len(list(run)) for filled, run in groupby(row, lambda c: c is not None) if filled]


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

    def refuses(self, task: Task) -> Obstacle | None:
        """Ask whoever would do it."""
        return (SEARCH if task.is_classic else DirectPlanner()).refuses(task)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Let the one or the other do it; only the one for any board goes on from a plan."""
        if task.is_classic and run.begun is None:
            return SEARCH.plan(task, run)
        return replace(DirectPlanner(self.otherwise).plan(task, run), planner=self.name)
