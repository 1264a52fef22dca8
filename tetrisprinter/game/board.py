"""The size of a playfield, and the size that the article uses."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Final

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.support.sizes import format_size, parse_size

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
