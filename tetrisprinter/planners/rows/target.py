"""What every row of the picture must and may hold, as piece types, row by row.

A picture says colours; a pass leaves piece types. Squares of the background's colour, and
transparent ones if there is a background, may stay empty or hold a type of that colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.rows.passes import Squares
from tetrisprinter.planners.rows.stacks import Stack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["RowTarget", "row_target"]

_ANY = sum(1 << piece for piece in PieceType)


@dataclass(frozen=True, slots=True)
class RowTarget:
    """The end of the game.

    Attributes
    ----------
    allowed : array of shape (rows, columns)
        The types that may stay in each square of the board, as a bit set.
    required : array of shape (rows, columns)
        Whether the square must not end empty.
    """

    allowed: Ints
    required: Ints

    @property
    def rows(self) -> int:
        """Rows of the picture."""
        return int(self.allowed.shape[0])

    @property
    def width(self) -> int:
        """Columns of the board."""
        return int(self.allowed.shape[1])

    def columns(self, y: int) -> frozenset[int]:
        """Return the columns in which a row must hold a square."""
        return frozenset(x for x, needed in enumerate(self.required[y].tolist()) if needed)

    def is_exact(self, y: int) -> bool:
        """Whether a row may hold nothing but what it must."""
        return bool(((self.allowed[y] > 0) == (self.required[y] > 0)).all())

    def is_complete(self, y: int, row: Sequence[int]) -> bool:
        """Whether a row of the field, given as piece types, is the picture's."""
        return all(
            mask >> piece & 1 if piece else not needed
            for mask, needed, piece in zip(
                self.allowed[y].tolist(), self.required[y].tolist(), row, strict=True
            )
        )

    def squares(
        self, stack: Stack, y: int, ground: frozenset[int], carried: frozenset[int] = frozenset()
    ) -> Squares:
        """Return what a pass finds whose lowest row is row ``y``.

        Parameters
        ----------
        stack : Stack
            Its rows.
        y : int
            The lowest picture row that is not printed.
        ground : frozenset of int
            Columns with a square in the row below.
        carried : frozenset of int
            Columns in which the lowest row is filled before.
        """
        import numpy as np

        before = np.zeros(self.width, np.int64)
        before[list(carried)] = 1
        must = np.full(self.width, stack.clearing, np.int64)
        allowed = np.full((self.width, len(stack.word)), _ANY, np.int64)
        row = y
        for v, kind in enumerate(stack.word):
            if kind == "p":
                allowed[:, v] = self.allowed[row]
                must |= self.required[row] << v
                row += 1
        below = np.zeros(self.width, np.int64)
        below[list(ground)] = 1
        return Squares(before, must & ~before, allowed, below)


def row_target(
    picture: Picture,
    types: Mapping[PieceType, Color],
    width: int,
    column: int,
    background: Color | None,
) -> RowTarget:
    """Put a picture on a board and translate its colours into piece types.

    Raises
    ------
    InputError
        If no type has one of its colours.
    """
    import numpy as np

    masks: dict[Color, int] = {}
    for piece, color in types.items():
        masks[color] = masks.get(color, 0) | 1 << piece
    for color in picture.colors():
        if color not in masks and color != background:
            raise InputError(f"{picture.name}: no piece type has the colour {color}")
    empty = masks.get(background, 0) if background is not None else 0
    rows = picture.placed(width, picture.height, column).rows
    shown = [[None if color == background else color for color in row] for row in rows]
    allowed = [[empty if color is None else masks[color] for color in row] for row in shown]
    required = [[color is not None for color in row] for row in shown]
    return RowTarget(np.array(allowed, np.int64), np.array(required, np.int64))
