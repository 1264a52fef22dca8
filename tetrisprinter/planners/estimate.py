"""How long a job is going to take, and how many drops, before it is begun.

Nothing is searched for this: what the stages may use stands in their budgets, and how long the
rest takes was measured on some pictures (:mod:`~tetrisprinter.planners.budgets`). So it says no
more than about how much, on a machine like that one.
"""

from __future__ import annotations

from dataclasses import dataclass

from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.planners import portfolio
from tetrisprinter.planners.budgets import PACE, seconds_of_photo
from tetrisprinter.planners.effort import STEPS, climbed, last_step
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.printing.boards import narrow_widths
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

__all__ = ["Estimate", "estimate", "what_more"]


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
    about 3200 drops and ten seconds
    """
    limit = limit or Limit()
    width, rows = task.board.width, task.picture.height
    if any_board:
        width = narrow_widths(task.picture, 1, any_count=task.may_be_unseen)[0]
    cells = width * rows
    drops: float = PACE.direct * task.pixels
    seconds = PACE.drop * drops
    if planner in ("auto", "rows", "shortest"):
        drops = (PACE.lines * cells + task.pixels) / 4
        effort = limit.effort if planner == "rows" else 1.0
        wider = BUDGETS.states(width) / BUDGETS.states(CLASSIC_BOARD.width)
        seconds = effort * wider * max(seconds_of_photo(task.picture), PACE.square * cells)
    if planner == "shortest":
        seconds += _shortest_takes(cells) * limit.effort
    if planner == "auto":
        last = last_step(limit.effort)
        seconds += _shortest_takes(cells) * sum(s.effort for s in climbed(limit.effort))
        if any_board or task.types == "auto":
            seconds += _choice(last)
    return Estimate(round(drops), min(seconds, limit.seconds or seconds))


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
    seconds = _shortest_takes(task.board.width * task.picture.height) * STEPS[step].effort
    if task.types == "auto":
        seconds += _choice(step)
    return f"--effort {step} looks for fewer, for {_time(seconds)} of a processor"


def _shortest_takes(cells: int) -> float:
    """Return the seconds that *shortest* may use with its usual effort."""
    return DEFAULT.work * cells


def _choice(step: int) -> float:
    """Return the seconds in which boards and types are tried up to a step."""
    budgets = portfolio.CHOICE
    return budgets.work * min(step, budgets.most) ** 3 * (1 + budgets.more)


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
