"""What is asked of the pass model, and what it answers.

A problem is a list of passes offered and the squares before and after; the answer is
which of them happen and what is dropped in each. Whoever states such problems and uses the
answers needs to know neither the solver nor its variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.passes.shape import PassShape
from tetrisprinter.printing.target import Target

__all__ = [
    "Assignment",
    "Drawn",
    "PassProblem",
    "PassSolution",
    "Passes",
    "PlacedPass",
    "drawn",
    "drops_of",
    "state_after",
]

Assignment = tuple[tuple[PieceType, int], ...]
"""Which type shows which colour, by the colour's number in a target without types."""


@dataclass(frozen=True, slots=True)
class PlacedPass:
    """A pass that happens.

    Attributes
    ----------
    shape : PassShape
        Its shape.
    parts : tuple of Pass
        What is dropped, in order, drawn: anew where rows have gone that a piece bridges.
    printed : frozenset of (int, int)
        The picture squares it fills.
    """

    shape: PassShape
    parts: tuple[Pass, ...]
    printed: frozenset[Cell]


Passes = tuple[PlacedPass, ...]
"""The passes of a game, or of a part of it, in their order."""
Drawn = tuple[Pass, ...]
"""The same as a plan tells it."""


def drawn(passes: Iterable[PlacedPass]) -> Drawn:
    """Return some passes as a plan tells them."""
    return tuple(part for one in passes for part in one.parts)


def drops_of(passes: Iterable[Pass]) -> int:
    """Return how many pieces some passes drop."""
    return sum(len(one.pieces) for one in passes)


def state_after(state: frozenset[Cell], passes: Iterable[PlacedPass]) -> frozenset[Cell]:
    """Return what some passes leave."""
    return state.union(*(one.printed for one in passes))


@dataclass(frozen=True, slots=True)
class PassProblem:
    """What to solve: which of these passes lead from the start to the goal in fewest drops.

    Attributes
    ----------
    target : Target
        What may stay where.
    shapes : tuple of PassShape
        The passes offered, in their order.
    start : frozenset of (int, int)
        Squares printed before.
    goal : frozenset of (int, int)
        Squares that must be printed in the end.
    most : int or None
        No more drops than this.
    all_used : bool
        Whether every pass offered has to happen: then the question is whether that can be, and
        the solver looks for some solution before it looks for a better one.
    ahead : bool
        Whether required squares beyond the goal cost nothing, for they are due anyway. So
        that few of them are hard to reach later, none is printed over an incomplete row.
    """

    target: Target
    shapes: tuple[PassShape, ...]
    start: frozenset[Cell]
    goal: frozenset[Cell]
    most: int | None = None
    all_used: bool = False
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class PassSolution:
    """What came of it.

    Attributes
    ----------
    passes : tuple of PlacedPass or None
        The passes that happen, in order; None if no solution was found.
    complete : bool
        Whether the answer is final for the passes offered: the fewest drops, or none possible.
    work : float
        Deterministic time used.
    assignment : tuple of (PieceType, int)
        Which type shows which colour, if that was left open.
    """

    passes: Passes | None
    complete: bool
    work: float = 0.0
    assignment: Assignment = ()

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return drops_of(drawn(self.passes or ()))
