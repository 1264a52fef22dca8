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
from dataclasses import dataclass, replace
from functools import lru_cache

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture

__all__ = [
    "Target",
    "colored",
    "lowest_open",
    "make_open_target",
    "make_target",
    "mask_of",
    "standing_runs",
    "ways_to_reach",
]


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
    shades : tuple of tuple of int or None
        Set while the types have no colours yet: the number of each square's colour. A
        piece that stays may only lie in squares of one number, and all pieces of a type
        in squares of the same.
    """

    width: int
    height: int
    allowed: tuple[tuple[int, ...], ...]
    required: frozenset[Cell]
    shades: tuple[tuple[int, ...], ...] | None = None

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
    _check_size(picture, width, height, column)
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
        for x, shown in enumerate(row):
            if shown is None or shown == background:
                masks.append(empty)
            else:
                masks.append(by_color[shown])
                required.add((x, y))
        allowed.append(tuple(masks))
    return Target(width, height, tuple(allowed), frozenset(required))


def make_open_target(
    picture: Picture, width: int, height: int, column: int, background: Color | None = None
) -> Target:
    """Put a picture on a board, leaving open which type shows which colour.

    Background squares stay empty here. Otherwise as :func:`make_target`.
    """
    _check_size(picture, width, height, column)
    number = {c: i for i, c in enumerate((c for c in picture.colors() if c != background), 1)}
    colors = picture.placed(width, picture.height, column).rows
    shades = tuple(tuple(number.get(c, 0) if c else 0 for c in row) for row in colors)
    every = mask_of(PieceType)
    allowed = tuple(tuple(every if shade else 0 for shade in row) for row in shades)
    required = frozenset((x, y) for y, row in enumerate(shades) for x, s in enumerate(row) if s)
    return Target(width, height, allowed, required, shades)


def colored(target: Target, shades: Iterable[tuple[PieceType, int]]) -> Target:
    """Give the types their colours; a target whose types have them stays as it is.

    Parameters
    ----------
    target : Target
        As from :func:`make_open_target`.
    shades : iterable of (PieceType, int)
        The number of each type's colour. Other types are left nowhere.
    """
    if target.shades is None:
        return target
    masks: dict[int, int] = {}
    for piece, shade in shades:
        masks[shade] = masks.get(shade, 0) | 1 << piece
    allowed = tuple(tuple(masks.get(shade, 0) for shade in row) for row in target.shades)
    return replace(target, allowed=allowed, shades=None)


def _check_size(picture: Picture, width: int, height: int, column: int) -> None:
    if picture.width > width or picture.height > height:
        raise InputError(
            f"{picture.name}: {picture.width}x{picture.height} pixels are too large for a board of "
            f"{width}x{height}"
        )
    if column < 0 or column + picture.width > width:
        raise InputError(
            f"{picture.name}: {picture.width} columns from column {column} on leave the board of "
            f"{width} columns"
        )


def lowest_open(target: Target, state: frozenset[Cell]) -> int:
    """Return the lowest row with a square that is due and not printed; else one above all."""
    return min((y for x, y in target.required if (x, y) not in state), default=target.rows)


_HANGING = mask_of((PieceType.J, PieceType.L))


@lru_cache(maxsize=4096)
def standing_runs(target: Target, y: int) -> tuple[frozenset[Cell], ...]:
    """Return the runs of squares in a row that must begin by standing on a clearing row.

    Such a run has nothing below any of its squares. A piece that leaves a square in it
    can then only be held by a column that begins two rows higher, because a column that
    begins in the next row needs a square of the same run below it. Only the hooked J and
    L have such a column. Where neither may stay, the first square of the run must come
    down with a clearing row below it, in a pass that begins with this row empty.
    """
    if y == 0:
        return ()
    runs: list[frozenset[Cell]] = []
    run: list[Cell] = []
    for x in range(target.width + 1):
        if x < target.width and target.allowed[y][x]:
            run.append((x, y))
        elif run:
            if (
                target.required.intersection(run)
                and not any(target.allowed[y - 1][cx] for cx, _ in run)
                and not any(target.allowed[y][cx] & _HANGING for cx, _ in run)
            ):
                runs.append(frozenset(run))
            run = []
    return tuple(runs)


@lru_cache(maxsize=65536)
def ways_to_reach(target: Target, x: int, y: int) -> tuple[tuple[int, frozenset[Cell]], ...]:
    """Return the ways to print a square once something lies in its row or above.

    A way is a row and a set of squares that must still be empty: nothing may lie in the
    row or above (a matrix comes there), and a piece that hangs from it, or lies wholly in
    the picture (then the row is the top of the board), prints the squares, (x, y) among
    them. Ways that need more than another one needs are left out.
    """
    ways: list[tuple[int, frozenset[Cell]]] = []
    for o in ORIENTATIONS:
        for dx, dy in o.cells:
            left, low = x - dx, y - dy
            if left < 0 or left + o.width > target.width:
                continue
            cells = [(left + cx, low + cy) for cx, cy in o.cells]
            for base in (*range(y + 1, low + o.height), target.rows):
                stays = frozenset(cell for cell in cells if cell[1] < base)
                if low >= 0 and all(target.may_hold(cx, cy, o.piece) for cx, cy in stays):
                    ways.append((base, stays))
    return tuple(
        (base, stays)
        for base, stays in dict.fromkeys(ways)
        if not any(
            other >= base and fewer <= stays and (base, stays) != (other, fewer)
            for other, fewer in ways
        )
    )
