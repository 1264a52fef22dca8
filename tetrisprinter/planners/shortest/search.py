"""What the stages of the planner share: what is asked, the plan to beat, how to hand one in.

Stages know nothing of each other. Whatever one finds is played before it counts, so a wrong plan
costs the stage that made it, and none that is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.planners.cpsat.problem import (
    Assignment,
    Drawn,
    PassSolution,
    drawn,
    drops_of,
)
from tetrisprinter.planners.cpsat.run import SolverRun
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.budgets import DEFAULT, ShortestBudgets
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.target import Target, closed

__all__ = ["NONE", "Candidate", "Rest", "Search"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that may be the shortest, or that there is none.

    Attributes
    ----------
    passes : tuple of Pass or None
        The passes; None if nothing was found.
    assignment : tuple of (PieceType, int)
        Which type shows which colour, if the target leaves that open.
    listed : bool
        Whether it is the shortest for the passes that were offered.
    made_by : tuple of str
        The stages that made it.
    """

    passes: Drawn | None
    assignment: Assignment = ()
    listed: bool = False
    made_by: tuple[str, ...] = ()

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return drops_of(self.passes or ())

    def rank(self) -> tuple[bool, int, bool]:
        """Return what the best is the smallest of."""
        return self.passes is None, self.drops, not self.listed


NONE = Candidate(None)

Rest = Callable[[Drawn, Assignment], Drawn | None]
"""Given passes that leave complete rows and perhaps carry something, prints the rest row by row
and returns all of it; None if that cannot be done."""


@dataclass(slots=True)
class Search:
    """A search for a short game.

    Attributes
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers, seed and effort; its bound is kept up to date.
    budgets : ShortestBudgets
        What each stage may use.
    incumbent : Candidate
        The plan to beat.
    played : PrintResult or None
        The same, played.
    check : callable
        Plays a candidate, and raises an error if that is not what was asked for.
    rest : callable
        See :data:`Rest`.
    enough : int
        A plan of so many drops, or fewer, ends the search.
    assignments : list
        Assignments of colours in which short games were found, the best first.
    stage : str
        What is being done.
    fault : TetrisPrinterError or None
        What was wrong with the last plan that was.
    """

    target: Target
    run: SolverRun
    budgets: ShortestBudgets = DEFAULT
    incumbent: Candidate = NONE
    played: PrintResult | None = None
    check: Callable[[Candidate], PrintResult | None] = lambda _candidate: None
    rest: Rest = lambda _passes, _assignment: None
    enough: int = 0
    assignments: list[Assignment] = field(default_factory=list)
    stage: str = ""
    fault: TetrisPrinterError | None = None

    @property
    def is_over(self) -> bool:
        """Whether the run was stopped, or nothing can be shorter."""
        return self.run.stopped or self.is_met(max(self.enough, self.run.bound))

    @property
    def is_closed(self) -> bool:
        """Whether nothing may stay unseen."""
        return closed(self.target) == self.target

    @property
    def squares(self) -> int:
        """How many squares the picture's rows have on the board."""
        return self.target.width * self.target.rows

    @property
    def most(self) -> int | None:
        """So many drops would be an improvement."""
        return None if self.incumbent.passes is None else self.incumbent.drops - 1

    def is_met(self, drops: int) -> bool:
        """Whether the plan to beat has so many drops, or fewer."""
        return self.incumbent.passes is not None and self.incumbent.drops <= drops

    def take_found(self, found: PassSolution, *, listed: bool = True) -> None:
        """Hand in a solution, if it is one.

        Parameters
        ----------
        found : PassSolution
            The solution.
        listed : bool
            Whether all passes were offered that the planner knows of, so that a solution that is
            final is the shortest of these.
        """
        if found.passes is not None:
            listed = listed and found.complete
            self.take(Candidate(drawn(found.passes), found.assignment, listed))

    def take(self, candidate: Candidate) -> None:
        """Make a plan the incumbent if it is better and right; this stage is named as its last."""
        candidate = replace(candidate, made_by=(*candidate.made_by, self.stage))
        if candidate.rank() >= self.incumbent.rank():
            return
        try:
            self.played = self.check(candidate)
        except TetrisPrinterError as error:
            LOG.error("%s: %s", self.stage, error)
            self.fault = error
            return
        self.incumbent = candidate
        self.run.found(candidate.drops)
