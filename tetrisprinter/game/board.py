"""The size of a playfield, and the numbers of squares and drops that are possible on it.

After ``p`` drops and ``c`` cleared rows of width ``W``, ``S = 4p - Wc`` squares are left. So ``S``
is a multiple of ``gcd(W, 4)``, the *unit* of the width: any number on odd widths, even numbers on
widths 2, 6, 10, ..., multiples of four on widths divisible by 4. And ``p = (S + Wc) / 4``, so only
numbers ``c`` of one residue are possible, and the least of them bounds the drops of every game.
Don't-care squares widen ``S`` to an interval. If the board starts with squares, ``S`` is the
difference between the squares at the end and at the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from operator import index
from typing import Final

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.support.counts import format_size, parse_size

LARGEST: Final = 999
"""The largest width or height of a board."""


@dataclass(frozen=True, slots=True)
class Board:
    """A playfield's size.

    Attributes
    ----------
    width, height : int
        Columns and rows, at least one of each.

    Examples
    --------
    >>> Board.parse("10x22")
    Board(width=10, height=22)
    >>> print(CLASSIC_BOARD)
    21x42
    """

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise InputError(f"invalid board {self.width}x{self.height}; expected a positive size")

    def __str__(self) -> str:
        return format_size(self.width, self.height)

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read a board as ``WxH``: columns, then rows."""
        size = parse_size(text, LARGEST)
        if size is None:
            raise InputError(
                f"invalid board {text!r}; expected WxH, e.g. {CLASSIC_BOARD} or 10x22, "
                f"up to {LARGEST}x{LARGEST}"
            )
        return cls(*size)

    @classmethod
    def convert(cls, value: Board | str | tuple[int, int]) -> Board:
        """Return a board from a board, its text, or a pair of width and height.

        >>> Board.convert((10, 22)) == Board.convert("10x22") == Board.convert(Board(10, 22))
        True
        """
        if isinstance(value, Board):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        try:
            width, height = map(index, value)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"invalid board {value!r}; expected WxH, a pair of whole numbers, or a Board"
            ) from error
        return cls(width, height)

    def has_room_for(self, width: int, height: int) -> bool:
        """Return whether a rectangle of this size fits on the board.

        >>> CLASSIC_BOARD.has_room_for(10, 42), CLASSIC_BOARD.has_room_for(22, 10)
        (True, False)
        """
        return width <= self.width and height <= self.height


CLASSIC_BOARD: Final = Board(21, 42)
"""The board of the article."""

GUIDELINE_BOARD: Final = Board(10, 20)
"""The visible board of guideline games, which deal 7-bags."""


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
