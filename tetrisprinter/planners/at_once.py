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
from tetrisprinter.printing.counting import least_drops, unit_of
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.planners.direct.planner import Otherwise

__all__ = ["RealtimePlanner", "least_in_real_time"]


def least_in_real_time(task: Task) -> tuple[int, ...]:
    """Return numbers of drops that no plan in real time falls short of, by counting alone.

    Every row is printed by itself, over clean rows. What is left of its drops are its squares; if
    no row is cleared for it, all of them lie in it, as runs of four of the one colour that I has.
    Before a background a row has the fewest squares of its colour more that make it one that
    the width can leave.

    Returns
    -------
    tuple of int
        For the whole picture, for all of it but the lowest row, and so on, 0 for nothing in the
        end. All are 0 for the article's way of printing before a background.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> least_in_real_time(Task.of(Picture.parse("rr\\nrrrr"), "21x42"))
    (12, 11, 0)
    """
    rows, background = task.picture.rows, task.background
    if task.is_classic and background is not None:
        return (0,) * (len(rows) + 1)
    least = [_least_of_a_row(task.board.width, row, background) for row in rows]
    return tuple(accumulate(reversed(least), initial=0))[::-1]


def _least_of_a_row(width: int, row: Sequence[Color | None], background: Color | None) -> int:
    """Return the least number of drops for a row that is printed by itself."""
    seen = (c if c != background else None for c in row)
    runs = [(color, len(list(run))) for color, run in groupby(seen) if color is not None]
    squares = sum(n for _, n in runs)
    unseen = -squares % unit_of(width) if background is not None else 0
    lies_flat = len({color for color, _ in runs}) <= 1 and all(n % 4 == 0 for _, n in runs)
    lines = 0 if lies_flat and not unseen else 1
    return least_drops(width, squares + unseen, lines=lines)


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
