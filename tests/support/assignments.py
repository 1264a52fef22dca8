"""Which type shows which colour: some assignments that no theorem forbids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.planners.shortest.assignments import any_assignment, proposals
from tetrisprinter.printing.obstacles import find_theorem
from tetrisprinter.printing.target import Target, assign_shades


def assignments_near(
    target: Target, known: Sequence[TypeColors], seed: int
) -> Iterator[TypeColors]:
    """Yield assignments that no theorem forbids: some, then others that differ a little from them.

    Parameters
    ----------
    target : Target
        With ``shades``.
    known : sequence of tuple of (PieceType, int)
        Those to begin with; without any, one that no theorem forbids.
    seed : int
        Same seed, same assignments.
    """
    begun = tuple(known) or tuple(filter(None, [any_assignment(target)]))
    ways = proposals(target, seed, begun)
    while begun and (one := ways.next(begun)) is not None:
        if find_theorem(assign_shades(target, one)) is None:
            yield one
