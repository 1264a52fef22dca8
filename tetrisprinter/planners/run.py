"""One run of a planner: its limits, its callbacks, and the plan it continues."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Final

from tetrisprinter.errors import Hint, InputError, JobError, Setting
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import DropBound
from tetrisprinter.support import format_count
from tetrisprinter.support.options import Limit
from tetrisprinter.support.signals import Stop


class Stage(StrEnum):
    """A stage that made a plan or some of its passes. ``scripts/quality`` lists unused stages."""

    KNOWN = "known plan"

    # The stages of the search.
    FIRST = "first plan"
    WHOLE = "whole games"
    TYPES = "boards and types"
    BANDS = "bands"
    WINDOWS = "windows"
    WHOLE_GAMES = "all games"
    PROOF = "proof"

    # Row by row: the planner and its beam; then the fallbacks that a row needed.
    ROWS = "rows"
    PAIRS = "cheapest pairs"
    PASSES = "cheapest passes"
    SEVERAL_GAMES = "several games"
    SINGLE_PASS = "pass by itself"
    CARRIED_AGAIN = "carried anew"
    CLEARED = "cleared what was carried"
    ALONE = "row printed alone"
    TOGETHER = "rows together printed alone"
    IN_PARTS = "row printed in parts"
    PLATFORM = "row printed on a platform"
    RESCUE = "row printed by a formula"
    FROM_BOARD = "from another picture"


LOG = logging.getLogger("tetrisprinter.planners")
"""The logger of the planners, mainly for the fallbacks that they use."""


ROW_HINT: Final = Hint(
    "try a larger board ({}), other types for the colours ({}) or a longer search ({})",
    Setting.AUTO_BOARD,
    Setting.TYPES,
    Setting.SHORTEST,
)
"""The hint of an error about a row that cannot be printed."""


class TimeUpError(JobError):
    """The time limit passed before there was a plan."""

    @classmethod
    def of(cls, name: str) -> TimeUpError:
        """Return the error for a picture of this name.

        The constructor keeps the arguments of all errors, because pickle calls it with them if
        an error comes from another process.
        """
        return cls(f"{name}: no plan was found in the time given", Hint("allow more time"))


class WorkSpentError(JobError):
    """A search has used up its work."""


@dataclass(slots=True)
class Work:
    """A counter of work with a limit, the same on every machine."""

    # Work units, about a CPU second each: counted from clauses and conflicts of formulas, and from
    # steps of the planner *rows*
    spent: float = 0.0
    most: float = inf  # the limit; if more is counted, :meth:`add` raises an error
    # Checked whenever work is counted, several times in a tenth of a second
    stop: Stop = field(default_factory=Stop)

    def add(self, work: float) -> None:
        """Count some work; raise an error if the limit is exceeded or a stop is requested."""
        self.spent += work
        if self.spent > self.most:
            raise WorkSpentError("the search has used all of its work units")
        if self.stop.is_set:
            raise TimeUpError.of("the search")


@dataclass(frozen=True, slots=True)
class Progress:
    """The current stage of a search and its progress.

    Attributes
    ----------
    stage : str
        The stage of the search, or the row that is printed.
    fraction : float
        The share of the work that is done, 0 to 1.
    drops : int or None
        Drops of the best complete plan so far, while a search for fewer runs.
    bound : DropBound or None
        A lower bound on the drops of all games on the best plan's board.
    game_fraction : float or None
        The share of the first game of a search that is printed, 0 to 1; None once there is a game.

    Examples
    --------
    >>> from tetrisprinter.game.field import CLASSIC_BOARD
    >>> bound = DropBound(61, CLASSIC_BOARD)
    >>> print(Progress("bands", 0.5, 80, bound))
    bands: 80 drops, at least 61 on 21x42
    >>> print(Progress("row 2 of 16, 75 pieces", 0.125))
    row 2 of 16, 75 pieces
    """

    stage: str
    fraction: float = 0.0
    drops: int | None = None
    bound: DropBound | None = None
    game_fraction: float | None = None

    def __str__(self) -> str:
        if self.bound is None:
            return self.stage
        best = "no plan yet" if self.drops is None else f"{self.drops} drops"
        return f"{self.stage}: {best}, at least {self.bound.drops} on {self.bound.board}"


def ignore(_: object) -> None:
    """Do nothing. The default callback."""


@dataclass(frozen=True, slots=True)
class Run:
    """The settings of one run: everything that a planner needs besides its task.

    Attributes
    ----------
    limit : Limit
        What ends the search.
    report : callable
        Called with a :class:`Progress` whenever there is news, from any thread.
    note : callable
        Called with a sentence that the user should see even if no progress is shown.
    keep : callable
        Called with the plan so far after each row that is finished for good, by planners
        that print row by row.
    known : tuple of Plan
        Complete plans to begin with, for a planner that improves them.
    unfinished : Plan or None
        An unfinished plan of the picture's lowest rows to continue, as ``keep`` received it.
    unfinished_name : str
        The name of the unfinished plan in messages: usually its file.
    stop : Stop
        Ends the run: when the limit's seconds are over, or on a request from outside.
    fallbacks : dict from str to int
        How often each fallback was used, counted by :meth:`log_fallback`. Copies of the run
        share it.
    work : Work
        The counter of the work done.
    any_board : bool
        Whether the board is open, so that the result may be a print on another board.
    can_play : callable or None
        Returns whether the player can steer every piece of a plan; None for hard drops only.
    gives_up : bool
        Whether a search without a game ends soon, because a simpler picture is tried then.
    """

    limit: Limit = field(default_factory=Limit)
    report: Callable[[Progress], None] = ignore
    note: Callable[[str], None] = ignore
    keep: Callable[[Plan], None] = ignore
    known: tuple[Plan, ...] = ()
    unfinished: Plan | None = None
    unfinished_name: str = "the unfinished plan"
    stop: Stop = field(default_factory=Stop)
    fallbacks: dict[str, int] = field(default_factory=dict)
    work: Work = field(default_factory=Work)
    any_board: bool = False
    can_play: Callable[[Plan], bool] | None = None
    gives_up: bool = False

    def __repr__(self) -> str:
        return f"<Run {self.limit}>"

    def __post_init__(self) -> None:
        if self.limit.seconds is not None and self.stop.deadline == inf:
            self.stop.deadline = time.monotonic() + self.limit.seconds
        self.work.stop = self.stop

    @property
    def is_over(self) -> bool:
        """Whether the time is up or a stop is requested."""
        return self.stop.is_set

    def check_time(self, name: str) -> None:
        """Raise :class:`TimeUpError` if the time is up."""
        if self.is_over:
            raise TimeUpError.of(name)

    def make_foreign_plan_error(self, name: str) -> InputError:
        """Return the error for an unfinished plan that is no part of a print of a picture."""
        return InputError(
            f"{self.unfinished_name}: not a part of a print of {name}; only an interrupted print "
            "of the same picture can be continued"
        )

    def log_fallback(self, fallback: str, place: str) -> None:
        """Log and count a fallback that was used at some place, such as a row of the picture."""
        self.fallbacks[fallback] = self.fallbacks.get(fallback, 0) + 1
        LOG.info("%s: %s", place, fallback)


@dataclass(slots=True)
class RowCallback:
    """The callback after each row: it passes the plan on, reports progress and checks the clock."""

    run: Run
    picture: Picture
    done: int = 0  # rows printed so far

    def __call__(self, plan: Plan, rows: int | None = None) -> None:
        """Take the plan so far and its number of rows; without ``rows`` one more row is done."""
        self.done = self.done + 1 if rows is None else rows
        self.run.keep(plan)
        height = self.picture.height
        shown_rows = min(self.done, height)  # the last step may lie above the picture
        stage = f"row {shown_rows} of {height}, {format_count(len(plan), 'piece')}"
        self.run.report(Progress(stage, shown_rows / height))
        if self.done < height:
            self.run.check_time(self.picture.name)
