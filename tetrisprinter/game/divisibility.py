"""Divisibility: the numbers of squares and drops that are possible on a board.

After ``p`` drops and ``c`` cleared rows of width ``W``, ``S = 4p - Wc`` squares are left. So ``S``
is a multiple of ``gcd(W, 4)``, the *unit* of the width: any number on odd widths, even numbers on
widths 2, 6, 10, ..., multiples of four on widths divisible by 4. And ``p = (S + Wc) / 4``, so only
numbers ``c`` of one residue are possible, and the least of them bounds the drops of every game.
Don't-care squares widen ``S`` to an interval. If the board starts with squares, ``S`` is the
difference between the squares at the end and at the start.
"""

from __future__ import annotations

from math import gcd


def can_make_pieces(cells: int) -> bool:
    """Return whether pieces can have this number of cells in total.

    >>> can_make_pieces(8), can_make_pieces(21)
    (True, False)
    """
    return cells % 4 == 0


def find_unit(width: int) -> int:
    """Return the unit of a width: every game leaves a multiple of this number of squares.

    >>> [find_unit(width) for width in (9, 10, 12)]
    [1, 2, 4]
    """
    return gcd(width, 4)


def can_leave(width: int, squares: int) -> bool:
    """Return whether any game on a board of this width can leave this number of squares.

    >>> can_leave(21, 7), can_leave(10, 7), can_leave(10, 6), can_leave(12, 6)
    (True, False, True, False)
    """
    return squares % find_unit(width) == 0


def is_possible_count(pixels: int, width: int, optional: int = 0) -> bool:
    """Return whether a game can leave ``pixels`` squares and 0 to ``optional`` further squares.

    >>> is_possible_count(7, 10), is_possible_count(7, 21)
    (False, True)
    """
    return -pixels % find_unit(width) <= optional


def count_least_drops(width: int, squares: int, optional: int = 0, lines: int = 0) -> int:
    """Return the least number of drops that leave ``squares`` to ``squares + optional`` squares.

    At least ``lines`` rows are cleared. Five consecutive line counts have all residues modulo 4.
    The result is 0 if no game leaves such a number.
    """
    least_drops: int | None = None
    lines = max(lines, -squares // width)
    for cleared in range(lines, lines + 5):
        cells = squares + width * cleared
        added = -cells % 4
        if added <= optional and cells + added >= 0:
            drops = (cells + added) // 4
            least_drops = drops if least_drops is None else min(least_drops, drops)
    return least_drops if least_drops is not None else 0
