"""The target of a game: the piece types that each square may hold in the end.

A picture has colours, but a game leaves piece types. Here colours become bit sets of types:
:attr:`Target.allowed` for each square, and :attr:`Target.required` for the squares that must
not end empty. Obstacles, passes and formulas work on targets and know nothing of colours.

With a background, squares of its colour and transparent squares are don't-care squares: they stay
empty or hold a type of the background's colour. So do all squares beside and above the picture.
Without a background a transparent square stays empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tetrisprinter.errors import InputError
from tetrisprinter.game.board import count_least_drops
from tetrisprinter.game.field import Rows
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture


def make_type_mask(types: Iterable[PieceType]) -> int:
    """Return the bit set of types: bit ``int(type)`` is set for each."""
    mask = 0
    for piece in types:
        mask |= 1 << piece
    return mask


@dataclass(frozen=True, slots=True)
class Target:
    """What a board may hold at the end of a game."""

    width: int  # of the board
    height: int
    # ``allowed[y][x]``: bit set of the types that may stay in the square; 0 if it must end empty.
    # There are only the rows that can hold a square
    allowed: tuple[tuple[int, ...], ...]
    required: frozenset[Cell]  # squares that must not end empty
    # The number (the shade) of each square's colour; None once the types have colours. All pieces
    # of a type that stay must lie in squares of the same shade
    shades: tuple[tuple[int, ...], ...] | None = None
    above: int = 0  # bit set of the types that may stay in the rows above, up to the ceiling
    # The shade of the background's colour while types have no colours; 0 if no type may show it
    dont_care_shade: int = 0

    @property
    def rows(self) -> int:
        """The number of rows that can hold a square in the end."""
        return len(self.allowed)

    def may_hold(self, x: int, y: int, piece: PieceType) -> bool:
        """Return whether a square of the type may stay at (x, y)."""
        return y < len(self.allowed) and bool(self.allowed[y][x] >> piece & 1)

    def optional(self) -> frozenset[Cell]:
        """Return the don't-care squares: they may hold a type or stay empty."""
        return frozenset(
            (x, y)
            for y, row in enumerate(self.allowed)
            for x, mask in enumerate(row)
            if mask and (x, y) not in self.required
        )

    def list_shades(self) -> tuple[int, ...]:
        """Return the shades that a type can have, while the types have no colours."""
        shades = {shade for row in self.shades or () for shade in row}
        return tuple(sorted((shades | {self.dont_care_shade}) - {0}))

    def count_spare(self) -> int:
        """Return the maximum number of further squares that can stay without filling a row."""
        total = 0
        for y, row in enumerate(self.allowed):
            required_count = sum((x, y) in self.required for x in range(self.width))
            total += max(0, min(sum(map(bool, row)), self.width - 1) - required_count)
        return total + bool(self.above) * (self.height - self.rows) * (self.width - 1)


def make_target(
    picture: Picture,
    types: Mapping[PieceType, Color],
    width: int,
    height: int,
    column: int,
    background: Color | None = None,
) -> Target:
    """Return the target of a picture on a board; ``types`` translate its colours."""
    _check_size(picture, width, height, column)
    by_color: dict[Color, int] = {}
    for piece, color in types.items():
        by_color[color] = by_color.get(color, 0) | 1 << piece
    missing = [c for c in picture.colors() if c not in by_color and c != background]
    if missing:
        raise InputError(
            f"{picture.name}: no piece type has the colour {missing[0]}; the types have "
            + (", ".join(sorted(by_color)) or "none")
        )
    dont_care_types = by_color.get(background, 0) if background else 0
    allowed: list[tuple[int, ...]] = []
    required: set[Cell] = set()
    for y, row in enumerate(picture.place_on_board(width, picture.height, column).rows):
        masks: list[int] = []
        for x, pixel_color in enumerate(row):
            if pixel_color is None or pixel_color == background:
                masks.append(dont_care_types)
            else:
                masks.append(by_color[pixel_color])
                required.add((x, y))
        allowed.append(tuple(masks))
    return Target(width, height, tuple(allowed), frozenset(required), above=dont_care_types)


def make_open_target(
    picture: Picture, width: int, height: int, column: int, background: Color | None = None
) -> Target:
    """Return the target of a picture on a board if no type has a colour yet.

    The background's colour gets the last shade, if there are enough types.
    """
    _check_size(picture, width, height, column)
    shade_of = {c: i for i, c in enumerate((c for c in picture.colors() if c != background), 1)}
    dont_care_shade = len(shade_of) + 1 if background and len(shade_of) < len(PieceType) else 0
    colors = picture.place_on_board(width, picture.height, column).rows
    shades = tuple(
        tuple(shade_of.get(c, dont_care_shade) if c else dont_care_shade for c in row)
        for row in colors
    )
    all_types = make_type_mask(PieceType)
    allowed = tuple(tuple(all_types if shade else 0 for shade in row) for row in shades)
    required = frozenset(
        (x, y)
        for y, row in enumerate(shades)
        for x, s in enumerate(row)
        if s not in (0, dont_care_shade)
    )
    types_above = all_types if dont_care_shade else 0
    return Target(width, height, allowed, required, shades, types_above, dont_care_shade)


def extend_upwards(target: Target, rows: int) -> Target:
    """Return the target with up to ``rows`` more rows, if squares may stay above the picture."""
    rows = min(rows, target.height - target.rows)
    if not target.above or not rows:
        return target
    mask_rows = ((target.above,) * target.width,) * rows
    shade_rows = ((target.dont_care_shade,) * target.width,) * rows
    shades = target.shades and target.shades + shade_rows
    return replace(target, allowed=target.allowed + mask_rows, shades=shades)


def compute_drop_bound(target: Target) -> int:
    """Return a lower bound of the number of drops, from the number of cells alone."""
    return count_least_drops(target.width, len(target.required), target.count_spare())


def count_rows_to_clear(start: Rows, target: Target) -> int:
    """Return the least number of rows of a start that a game must clear to reach a target.

    No new row appears below a row of the start. So the rows that stay are the target's lowest rows,
    in their order, perhaps with more squares.
    """
    kept_rows = 0
    for row in start:
        if kept_rows < target.rows and all(
            not value or allowed >> value & 1
            for value, allowed in zip(row, target.allowed[kept_rows], strict=True)
        ):
            kept_rows += 1
    return len(start) - kept_rows


def _check_size(picture: Picture, width: int, height: int, column: int) -> None:
    """Refuse a picture that does not fit on the board."""
    if picture.width > width or picture.height > height:
        raise InputError(
            f"{picture.name}: {picture.width}x{picture.height} squares are too large for a "
            f"board of {width}x{height}"
        )
    if column < 0 or column + picture.width > width:
        raise InputError(
            f"{picture.name}: the picture has {picture.width} columns and starts at column "
            f"{column}, so it exceeds the board of {width} columns"
        )
