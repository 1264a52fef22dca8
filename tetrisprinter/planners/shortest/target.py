"""What every square of the board must, may or must not hold when the game is over.

A picture says colours; a game can only leave piece types. This module is the border
between the two: given which type shows which colour, each square gets a bit set of the
types that may come to rest in it for good (:attr:`Target.allowed`), and the squares the
picture really asks for are :attr:`Target.required`. Everything behind this border (the
passes, the model, the ladder) knows nothing of colours.

Squares of the *background* colour, and transparent ones if a background is given, may
stay empty or hold a type of that colour. Without a background a transparent square stays
empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tetrisprinter.errors import InputError
from tetrisprinter.picture import Color, Picture
from tetrisprinter.tetromino import Cell, PieceType

__all__ = ["Target", "make_target", "mask_of"]


def mask_of(types: Iterable[PieceType]) -> int:
    """Return a set of types as a bit set, bit ``int(type)``."""
    mask = 0
    for piece in types:
        mask |= 1 << piece
    return mask


@dataclass(frozen=True, slots=True)
class Target:
    """The end of the game.

    Attributes
    ----------
    width, height : int
        The board.
    allowed : tuple of tuple of int
        ``allowed[y][x]``: bit set of the types that may stay in the square; 0 if it must
        end empty. Only the rows that may hold anything.
    required : frozenset of (int, int)
        Squares that must not end empty.
    """

    width: int
    height: int
    allowed: tuple[tuple[int, ...], ...]
    required: frozenset[Cell]

    @property
    def rows(self) -> int:
        """How many rows may hold squares in the end."""
        return len(self.allowed)

    def may_hold(self, x: int, y: int, piece: PieceType) -> bool:
        """Whether a square of this type may stay at (x, y)."""
        return y < len(self.allowed) and bool(self.allowed[y][x] >> piece & 1)

    def optional(self) -> frozenset[Cell]:
        """Return the squares that may hold something but need not."""
        return frozenset(
            (x, y)
            for y, row in enumerate(self.allowed)
            for x, mask in enumerate(row)
            if mask and (x, y) not in self.required
        )


def make_target(
    picture: Picture,
    types: Mapping[PieceType, Color],
    width: int,
    height: int,
    column: int,
    background: Color | None = None,
) -> Target:
    """Put a picture on a board and translate its colours into piece types.

    Parameters
    ----------
    picture : Picture
        What the field is to show.
    types : mapping of PieceType to str
        The colour of every type that may stay visible. Types it leaves out may only be
        used where they vanish.
    width, height : int
        The board.
    column : int
        Where the picture's leftmost column stands.
    background : str or None
        A colour whose squares may as well stay empty.

    Raises
    ------
    InputError
        If the picture does not fit, or no type has one of its colours.
    """
    if column < 0 or column + picture.width > width or picture.height > height:
        raise InputError(
            f"{picture.name}: {picture.width}x{picture.height} pixels at column {column} do not "
            f"fit on a board of {width}x{height}"
        )
    by_color: dict[Color, int] = {}
    for piece, color in types.items():
        by_color[color] = by_color.get(color, 0) | 1 << piece
    missing = [c for c in picture.colors() if c not in by_color and c != background]
    if missing:
        raise InputError(
            f"{picture.name}: no piece type has the colour {missing[0]}; the types have "
            + (", ".join(sorted(by_color)) or "no colours")
        )
    empty = by_color.get(background, 0) if background else 0
    allowed: list[tuple[int, ...]] = []
    required: set[Cell] = set()
    for y, row in enumerate(picture.placed(width, picture.height, column).rows):
        masks: list[int] = []
        for x, color in enumerate(row):
            if color is None or color == background:
                masks.append(empty)
            else:
                masks.append(by_color[color])
                required.add((x, y))
        allowed.append(tuple(masks))
    return Target(width, height, tuple(allowed), frozenset(required))
