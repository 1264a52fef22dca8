"""What is asked of the pass model, and what it answers.

A game to solve is a list of passes offered and the squares before and after; the answer is
which of them happen and what is dropped in each. Whoever states such games and uses the
answers needs to know neither the solver nor its variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tetrisprinter.game.pieces import Cell, PieceType, Placement
from tetrisprinter.planners.shortest.passes import BEGUN, Slice
from tetrisprinter.printing.target import Target

__all__ = ["Found", "Game", "Limits", "Played"]


@dataclass(frozen=True, slots=True)
class Played:
    """A pass that happened.

    Attributes
    ----------
    cut : Slice
        Its shape.
    parts : tuple of tuple of Placement
        What is dropped, in order, as drawings: y counts the slice's rows that are there.
    printed : frozenset of (int, int)
        The picture squares it fills.
    """

    cut: Slice
    parts: tuple[tuple[Placement, ...], ...]
    printed: frozenset[Cell]

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return sum(map(len, self.parts))


def state_after(state: frozenset[Cell], played: Iterable[Played]) -> frozenset[Cell]:
    """Return what some passes leave: rows that were begun go with the next clear."""
    for one in played:
        if one.cut.lines:
            state = frozenset(cell for cell in state if cell[1] < BEGUN)
        state |= one.printed
    return state


@dataclass(frozen=True, slots=True)
class Game:
    """What to solve.

    Attributes
    ----------
    target : Target
        What may stay where.
    slices : tuple of Slice
        The passes offered, in their order.
    start : frozenset of (int, int)
        Squares printed before.
    goal : frozenset of (int, int)
        Squares that must be printed in the end.
    exact : bool
        Whether nothing but ``start`` and ``goal`` may be printed in the end.
    most : int or None
        No more drops than this.
    all_used : bool
        Whether every pass offered has to happen.
    ahead : bool
        Whether required squares beyond the goal cost nothing, for they are due anyway. So
        that few of them are hard to reach later, none is printed over an incomplete row.
    """

    target: Target
    slices: tuple[Slice, ...]
    start: frozenset[Cell]
    goal: frozenset[Cell]
    exact: bool = False
    most: int | None = None
    all_used: bool = False
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard to try.

    Attributes
    ----------
    work : float
        Deterministic time of the solver, about a second each on a fast machine. The
        result depends on this, not on the clock.
    seconds : float
        The clock's limit, infinite unless the caller wants to stop early.
    seed : int
        Of the solver.
    core : bool
        Core-based optimisation: proves best; without it, improves step by step.
    """

    work: float = 30.0
    seconds: float = float("inf")
    seed: int = 0
    core: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """What came of it.

    Attributes
    ----------
    played : tuple of Played or None
        The passes that happen, in order; None if no solution was found.
    complete : bool
        Whether the answer is final for these passes: the fewest drops, or none possible.
    bound : int
        No solution with these passes has fewer drops.
    work : float
        Deterministic time used.
    shades : tuple of (PieceType, int)
        Which type shows which colour, if that was left open.
    cost : float
        What was minimized: cells that clear or go beyond the goal.
        Infinite if no solution was found.
    """

    played: tuple[Played, ...] | None
    complete: bool
    bound: int
    work: float
    shades: tuple[tuple[PieceType, int], ...] = ()
    cost: float = float("inf")

    @property
    def drops(self) -> int:
        """How many pieces are dropped."""
        return sum(p.drops for p in self.played or ())
