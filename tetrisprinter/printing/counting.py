"""Lower bounds on the number of drops of any game that prints a picture.

After ``p`` drops and ``c`` cleared rows of width ``W``, ``S = 4p - Wc`` squares are left,
so ``p = (S + Wc) / 4``: only line counts of one residue are possible, and the least of
them bounds every game, whatever its passes. Squares that may but need not be filled
widen ``S`` to an interval.
"""

from __future__ import annotations

from math import gcd

from tetrisprinter.printing.target import Target

__all__ = ["fewest_drops", "is_possible_count", "least_drops"]


def is_possible_count(pixels: int, width: int, optional: int = 0) -> bool:
    """Whether a game on this width can leave that many squares.

    >>> is_possible_count(7, 10), is_possible_count(7, 21)
    (False, True)
    """
    unit = gcd(width, 4)
    return pixels % unit == 0 or pixels + optional >= pixels - pixels % unit + unit


def fewest_drops(target: Target, lines: int = 0) -> int:
    """Return the least number of drops that arithmetic allows.

    Parameters
    ----------
    target : Target
        What is to be left.
    lines : int
        At least so many rows are cleared.
    """
    return least_drops(target.width, len(target.required), len(target.optional()), lines)


def least_drops(width: int, squares: int, spare: int = 0, lines: int = 0) -> int:
    """Return the least number of drops of a game that leaves so many squares; 0 if none does.

    Parameters
    ----------
    width : int
        Columns of the board.
    squares : int
        Squares that are left at the end.
    spare : int
        Up to so many more may be left.
    lines : int
        At least so many rows are cleared.

    Examples
    --------
    >>> least_drops(21, 1), least_drops(21, 1, lines=4), least_drops(10, 17)
    (16, 37, 0)
    """
    best: int | None = None
    for cleared in range(lines, lines + 4):
        cells = squares + width * cleared
        filled = -cells % 4
        if filled <= spare:
            drops = (cells + filled) // 4
            best = drops if best is None else min(best, drops)
    return best if best is not None else 0
