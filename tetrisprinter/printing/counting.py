"""Lower bounds on the number of drops of any game that prints a picture.

After ``p`` drops and ``c`` cleared rows of width ``W``, ``S = 4p - Wc`` squares are left,
so ``p = (S + Wc) / 4``: only line counts of one residue are possible, and the least of
them bounds every game, whatever its passes. Squares that may but need not be filled
widen ``S`` to an interval.
"""

from __future__ import annotations

from math import gcd

from tetrisprinter.printing.target import Target

__all__ = ["fewest_drops", "is_possible_count"]


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
    pixels, optional = len(target.required), len(target.optional())
    best: int | None = None
    for cleared in range(lines, lines + 4):
        cells = pixels + target.width * cleared
        filled = -cells % 4
        if filled <= optional:
            drops = (cells + filled) // 4
            best = drops if best is None else min(best, drops)
    return best if best is not None else 0
