"""Which piece of a level may be given turned.

A level gets harder if one of its pieces must first be turned by an unknown amount. It must keep
exactly one solution: with the piece in any of its other orientations the rectangle cannot be
filled. Equal pieces are interchangeable, so a kind is chosen and one piece of it is turned.
"""

from __future__ import annotations

from dataclasses import dataclass

from tetrisprinter.triplex.levels import Puzzle
from tetrisprinter.triplex.pieces import list_other_turns
from tetrisprinter.triplex.solver import solve

__all__ = ["Rotatable", "choose_rotatable", "find_rotatable"]


@dataclass(frozen=True, slots=True)
class Rotatable:
    """A kind of which one piece may be turned."""

    kind: int  # as it lies in the solution
    # The kinds that it becomes by 1, 2, ... clockwise quarter turns, for none of which there is a
    # solution
    others: tuple[int, ...]
    steps: int  # what the solver needs to know that, all orientations together


def find_rotatable(puzzle: Puzzle) -> list[Rotatable]:
    """List the kinds of which one piece of a level may be made rotatable.

    Parameters
    ----------
    puzzle : Puzzle
        One with exactly one solution.

    Returns
    -------
    list of Rotatable
        By kind.

    Examples
    --------
    >>> [piece.kind for piece in find_rotatable(Puzzle.parse("4x3 I2h I2v*2 V1 V2"))]
    [0]
    """
    found = []
    for kind, count in enumerate(puzzle.counts):
        if not count:
            continue
        steps = 0
        for other in list_other_turns(kind):
            counts = list(puzzle.counts)
            counts[kind] -= 1
            counts[other] += 1
            answer = solve(Puzzle(puzzle.width, puzzle.height, tuple(counts)), limit=1)
            steps += answer.steps
            if answer.solutions:
                break
        else:
            found.append(Rotatable(kind, list_other_turns(kind), steps))
    return found


def choose_rotatable(puzzle: Puzzle) -> Rotatable | None:
    """Return the rotatable piece that makes the search longest, the first of equals.

    The search through the orientation as it is takes the same steps whatever piece may be turned,
    so the steps of the others decide.
    """
    return max(find_rotatable(puzzle), key=lambda piece: piece.steps, default=None)
