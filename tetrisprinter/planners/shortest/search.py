"""The state that the stages share: the task, the incumbent, and what was proved.

Stages do not call each other. Each plan that a stage finds is played and checked before it becomes
the incumbent, so a wrong plan never replaces a correct one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tetrisprinter.bounds.master_problem import BoundQuestion
from tetrisprinter.bounds.stacks import Nogood, TypeColors
from tetrisprinter.errors import JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.budgets import DEFAULT, ShortestBudgets
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task
from tetrisprinter.support.stop import Stop


class UnwantedGameError(JobError):
    """A game that prints the task, but whose pieces the player cannot steer."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that may become the incumbent, or no plan."""

    passes: tuple[Pass, ...] | None  # the passes; None if nothing was found
    # For each type the number of the colour that it shows; empty if the task fixes the colours
    assignment: TypeColors = ()

    @property
    def drops(self) -> int:
        """The number of drops."""
        return sum(len(group.pieces) for group in self.passes or ())

    def rank(self) -> tuple[bool, int]:
        """Return the sort key; the best candidate has the smallest."""
        return self.passes is None, self.drops


NONE = Candidate(None)


def assign_types(task: Task, target: Target, assignment: TypeColors) -> Mapping[PieceType, Color]:
    """Return the colour of each type: from the task or, if types are open, from ``assignment``."""
    if task.type_colors is not None:
        return task.type_colors
    dont_care_colors = (task.background,) if target.dont_care_shade and task.background else ()
    colors, shade_of = task.colors + dont_care_colors, dict(assignment)
    return {piece: colors[shade_of.get(piece, 1) - 1] for piece in PieceType}


@dataclass(slots=True)
class SearchRun:
    """The limits of a search, and the record of its work."""

    seed: int = 0  # the seed for choices between equally good options
    stop: Stop = field(default_factory=Stop)  # a stop request or deadline from outside
    bound: int = 0  # a lower bound on the number of hard drops that print the target
    spent: float = 0.0  # the work units used so far
    interrupted: bool = False  # whether a stop was requested

    @property
    def stopped(self) -> bool:
        """Whether the run should end with its present result."""
        return self.interrupted or self.stop.is_set


@dataclass(slots=True)
class ShortestSearch:
    """A search for a short game."""

    target: Target  # the squares that the board must and may have at the end of the game
    run: SearchRun  # the limits and the work so far; the bound is kept up to date
    budgets: ShortestBudgets = DEFAULT  # the work limits of the stages
    incumbent: Candidate = NONE  # the plan to beat
    played: PrintResult | None = None  # the result of playing the incumbent
    # Plays a candidate; raises an error if it does not print the task or cannot be steered
    check: Callable[[Candidate], PrintResult | None] = lambda _candidate: None
    # The nogoods that the proof has found so far, by question
    nogoods: dict[BoundQuestion, list[Nogood]] = field(default_factory=dict)
    fault: TetrisPrinterError | None = None  # the error of the last wrong plan

    @property
    def is_over(self) -> bool:
        """Whether the run was stopped, or no game can be shorter."""
        is_bound_met = self.incumbent.passes is not None and self.incumbent.drops <= self.run.bound
        return is_bound_met or self.run.stopped

    @property
    def max_drops(self) -> int | None:
        """The largest number of drops that would be an improvement."""
        return None if self.incumbent.passes is None else self.incumbent.drops - 1

    def remember(self, question: BoundQuestion, nogood: Nogood) -> None:
        """Store a nogood of the proof, so that the next slice need not find it."""
        self.nogoods.setdefault(question, []).append(nogood)

    def take(self, candidate: Candidate) -> None:
        """Make a candidate the incumbent if it is better and its plan is correct."""
        if candidate.rank() >= self.incumbent.rank():
            return
        try:
            self.played = self.check(candidate)
        except UnwantedGameError:
            return
        except TetrisPrinterError as error:
            LOG.error("%s", error)
            self.fault = error
            return
        self.incumbent = candidate
