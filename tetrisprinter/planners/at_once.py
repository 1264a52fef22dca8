"""Whoever prints a task without a search for fewer drops.

That is the article's search where its board and its rule of colours are asked for, else the
same idea for any board. The planner *realtime* is made of this; so is the plan that the
planner *rows* has to beat, which is why it stands below both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
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


def least_in_real_time(task: Task) -> tuple[int, ...]:
    """Return numbers of drops that no plan in real time falls short of, by counting alone.

    Every row is printed by itself, over clean rows. What is left of its drops are its squares; if
    no row is cleared for it, all of them lie in it, as runs of four of the one colour that I has.

    Returns
    -------
    tuple of int
        For the whole picture, for all of it but the lowest row, and so on, 0 for nothing in the
        end. All are 0 before a background, of which any number of squares may be left.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> least_in_real_time(Task.of(Picture.parse("rr\\nrrrr"), "21x42"))
    (12, 11, 0)
    """
    rows = task.picture.rows
    if task.background is not None:
        return (0,) * (len(rows) + 1)
    least = [_least_of_a_row(task.board.width, row) for row in rows]
    return tuple(accumulate(reversed(least), initial=0))[::-1]


def _least_of_a_row(width: int, row: Sequence[Color | None]) -> int:
    """Return the least number of drops for a row that is printed by itself."""
    runs = [(color, len(list(run))) for color, run in groupby(row) if color is not None]
    lies_flat = len({color for color, _ in runs}) <= 1 and all(n % 4 == 0 for _, n in runs)
    return least_drops(width, sum(n for _, n in runs), lines=0 if lies_flat else 1)


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
