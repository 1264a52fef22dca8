"""How long a job is going to take, and how many drops, before it is begun.

Nothing is searched for this: the numbers below were measured on some pictures and say no
more than about how much, on a machine like the one they were measured on
(``docs/scale.md`` tells how, and how far off they were).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.effort import STEPS, climbed, last_step
from tetrisprinter.printing.boards import narrow_widths
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

__all__ = ["Estimate", "estimate", "seconds_of_photo", "what_more"]

_CLEARED: Final = 2.2
"""Rows that the planner *rows* clears for a row of the picture."""
_CELLS: Final = 16.0
"""Cells that the real-time planners drop for a square."""
_DROP: Final = 0.001
"""Seconds for one of their drops."""
_BY_ROWS: Final = 0.0005
"""Seconds for a square of the board's rows, for *rows* on 21 columns."""
_WIDER: Final = 1.35
_WIDEST: Final = 69
"""On wider boards it takes more for each square, with this power of the width, up to here."""
_SHORTEST: Final = 0.2
"""Seconds for a square of the board's rows, for *shortest* with its usual effort."""
_CHOICE: Final = 20.0
"""Seconds for the boards and types that are tried with an effort of 2; more are some minutes."""
_LONGEST: Final = 300.0
_LAID: Final = 0.0006
_CHANGE: Final = 0.007
"""Seconds that *rows* takes for each square of a photograph, and for each change of colour along
its rows (four made ones of 300 to 1,728 squares in two to seven colours, on a busy machine)."""
_FREE: Final = 5
_SINGLE: Final = 45.0
"""With each colour above so many a change takes so many times as long again, times the share of
squares that stand alone: the colour has I or O, which can hardly leave them."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how much a job takes.

    Attributes
    ----------
    drops : int
        Of the plan that there is first; more effort brings fewer.
    seconds : float
        Of a processor, for all of it.
    """

    drops: int
    seconds: float

    def __str__(self) -> str:
        return f"about {_rounded(self.drops)} drops and {_time(self.seconds)}"


def estimate(
    task: Task, planner: str = "auto", limit: Limit | None = None, *, any_board: bool = False
) -> Estimate:
    """Say about how long a job takes.

    Parameters
    ----------
    task : Task
        What is to be printed.
    planner : str
        Who is to plan it.
    limit : Limit, optional
        With which effort, in which time, by how many workers.
    any_board : bool
        Whether the planner may choose the board: then it is about as wide as the picture.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> print(estimate(Task.of(Picture((("d03020",) * 64,) * 64))))
    about 3500 drops and half a minute
    """
    limit = limit or Limit()
    width, rows = task.board.width, task.picture.height
    if any_board:
        width = narrow_widths(task.picture, 1, any_count=task.may_be_unseen)[0]
    cells = width * rows
    real_time = _CELLS * task.pixels / 4
    seconds = _DROP * real_time
    drops = real_time
    if planner in ("auto", "rows", "shortest"):
        drops = (_CLEARED * cells + task.pixels) / 4
        wider = (min(width, _WIDEST) / 21) ** _WIDER
        effort = limit.effort if planner == "rows" else 1.0
        seconds += cells * _BY_ROWS * wider * effort
    usual = cells * _SHORTEST
    if planner == "shortest":
        seconds += usual * limit.effort
    if planner == "auto":
        last = last_step(limit.effort)
        seconds += usual * sum(step.effort for step in climbed(limit.effort))
        seconds += _choice(last) if last > 1 else 0
    return Estimate(round(drops), min(seconds, limit.seconds or seconds))


def seconds_of_photo(picture: Picture, colors: int | None = None) -> float:
    """Say about how many seconds of a processor *rows* takes for a photograph.

    What decides is how often the colour changes along its rows: grain is dear, a sky is not.

    Parameters
    ----------
    picture : Picture
        What is to be printed.
    colors : int, optional
        In so many colours; by default those that it has.

    Examples
    --------
    >>> round(seconds_of_photo(Picture((("d03020", "2050c0") * 24,) * 48)))
    17
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    dear = max(0, (colors or len(picture.colors())) - _FREE) * (changes / squares) ** 2
    return _LAID * squares + _CHANGE * changes * (1 + _SINGLE * dear)


def what_more(result: PrintResult, limit: Limit) -> str | None:
    """Say how long the next step of the planner *auto* takes; None if nothing can come of it.

    How many drops it saves is up to the picture: on the examples none to a fifth.
    """
    step = last_step(limit.effort) + 1
    if result.stopped or result.proof is Proof.ALL_GAMES or step >= len(STEPS):
        return None
    if result.drops <= result.bound or step > 2 or result.planner != "rows":
        return None
    task = result.task
    cells = task.board.width * task.picture.height
    seconds = cells * _SHORTEST * STEPS[step].effort + _choice(step)
    return f"--effort {step} looks for fewer, for {_time(seconds)} of a processor"


def _choice(step: int) -> float:
    """Return the seconds in which boards and types are tried in a step."""
    return min(_LONGEST, _CHOICE * (step / 2) ** 4)


def _rounded(number: float) -> int:
    """Return a number of which only two digits mean something."""
    size: int = 10 ** max(0, len(str(round(number))) - 2)
    return round(number / size) * size


def _time(seconds: float) -> str:
    for limit, text in ((5, "a few seconds"), (20, "ten seconds"), (45, "half a minute"),
                        (90, "a minute")):  # fmt: skip
        if seconds < limit:
            return text
    if seconds < 90 * 60:
        return f"{_rounded(seconds / 60)} minutes"
    return f"{_rounded(seconds / 3600)} hours"
