"""The pieces of a level that may start rotated.

A level gets harder if the player must first turn one of its pieces. The level must still have
exactly one solution: with this piece in any other orientation the pieces do not fill the rectangle.
Equal pieces are interchangeable, so a kind is chosen and one piece of this kind is turned.
"""

from __future__ import annotations

from dataclasses import dataclass

from tetrisprinter.triplex.levels import Puzzle
from tetrisprinter.triplex.pieces import list_other_turns
from tetrisprinter.triplex.solver import solve


@dataclass(frozen=True, slots=True)
class RotatablePiece:
    """A kind of which one piece may start turned."""

    kind: int  # the kind of the piece in the solution
    others: tuple[int, ...]  # its other orientations, with which there is no solution
    steps: int  # the solver's steps to prove that the other orientations have no solution


def find_rotatable_pieces(puzzle: Puzzle) -> list[RotatablePiece]:
    """List the kinds of which one piece can start turned without a second solution.

    Parameters
    ----------
    puzzle : Puzzle
        A puzzle with exactly one solution.

    Returns
    -------
    list of RotatablePiece
        Sorted by kind.

    Examples
    --------
    >>> [piece.kind for piece in find_rotatable_pieces(Puzzle.parse("4x3 I2h I2v*2 V1 V2"))]
    [0]
    """
    rotatable_pieces = []
    for kind, count in enumerate(puzzle.counts):
        if not count:
            continue
        steps = 0
        for turned_kind in list_other_turns(kind):
            counts = list(puzzle.counts)
            counts[kind] -= 1
            counts[turned_kind] += 1
            result = solve(Puzzle(puzzle.width, puzzle.height, tuple(counts)), limit=1)
            steps += result.steps
            if result.solutions:
                break
        else:
            rotatable_pieces.append(RotatablePiece(kind, list_other_turns(kind), steps))
    return rotatable_pieces


def choose_rotatable_piece(puzzle: Puzzle) -> RotatablePiece | None:
    """Return the rotatable piece with the longest search (on ties the first); None if none.

    Only the steps for the other orientations count: the steps for the original orientation are
    the same for all pieces.
    """
    return max(find_rotatable_pieces(puzzle), key=lambda piece: piece.steps, default=None)
