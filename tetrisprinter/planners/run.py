"""One run of a planner: what it may use, whom it tells, what it goes on from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tetrisprinter.game.plan import Plan
from tetrisprinter.support.limits import Limit

__all__ = ["Progress", "Run"]


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, and how far it is.

    Attributes
    ----------
    stage : str
        What is being tried, or which row is printed.
    fraction : float
        How much of it is done, 0 to 1.
    drops : int or None
        Drops of the best complete plan so far, if a search for fewer is on.
    bound : int or None
        No game has fewer drops.

    Examples
    --------
    >>> print(Progress("bands", 0.5, 80, 61))
    bands: 80 drops, at least 61
    >>> print(Progress("row 3 of 16", 0.125))
    row 3 of 16
    """

    stage: str
    fraction: float = 0.0
    drops: int | None = None
    bound: int | None = None

    def __str__(self) -> str:
        if self.bound is None:
            return self.stage
        best = "no plan yet" if self.drops is None else f"{self.drops} drops"
        return f"{self.stage}: {best}, at least {self.bound}"


def _nobody(_: object) -> None:
    """Hear what nobody wants to hear."""


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that a planner is given beside its task.

    Attributes
    ----------
    limit : Limit
        What ends the search.
    tell : callable
        Called with a :class:`Progress` whenever there is news, from whichever thread has it.
    note : callable
        Called with a sentence that a person should read even where no progress is shown.
    keep : callable
        Called with the plan so far after each row that is finished for good, by planners
        that print row by row.
    begun : Plan or None
        A plan of the picture's lowest rows to go on from, as ``keep`` was told.
    begun_name : str
        What messages call it: usually the file it came from.
    candidates : tuple of Plan or None
        Plans of the same task by others, for a planner that looks for a better one. None:
        it may make its own first plan.
    """

    limit: Limit = field(default_factory=Limit)
    tell: Callable[[Progress], None] = _nobody
    note: Callable[[str], None] = _nobody
    keep: Callable[[Plan], None] = _nobody
    begun: Plan | None = None
    begun_name: str = "the plan to go on from"
    candidates: tuple[Plan, ...] | None = None

    def each_row(self, rows: int, done: int = 0) -> Callable[[Plan], None]:
        """Return what a planner that prints row by row calls with the plan after each row.

        Parameters
        ----------
        rows : int
            How many the picture has.
        done : int
            How many were printed before.
        """

        def keep(plan: Plan) -> None:
            nonlocal done
            done += 1
            self.keep(plan)
            self.tell(Progress(f"row {done} of {rows}", min(1.0, done / rows)))

        return keep
