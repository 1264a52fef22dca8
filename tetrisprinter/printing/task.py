"""A task: a picture on a board, with the types that may show its colours, and its target.

Planners get a :class:`Task`, and results are compared with it. A task may be impossible;
:mod:`~tetrisprinter.printing.obstacles` finds the reason in many cases.

The board that a picture needs has two measures.

**Width.** On odd widths a game can leave any number of squares, on even widths it cannot
(:mod:`~tetrisprinter.game.field`). So even widths do not suit pictures in general.
Among the odd widths the cost of a single pixel decides. A piece that leaves one pixel puts
three squares into rows that clear, and the rest of these rows must be a multiple of four
squares. On widths 1 (mod 4) this takes 3 rows. On widths 3 (mod 4) it takes 5 rows: one
row has the right count, but a piece that lies flat in it has no support. A pixel costs 16 drops
on 21 columns and 29 on 23. Hence the widths 9, 13, 17, 21, ... The margin keeps every row from
being full, and pieces can come down beside the picture.

**Height.** While the last of ``N`` rows is printed, ``N - 1`` rows lie on the board. Above them are
the last row, three rows of a platform, and the matrix that leaves the row: at most seven rows in
the tables (eight in planners that search, which then need no platform). So the stack is never
higher than ``N + 10`` rows.

**Target.** A picture has colours, but a game leaves piece types. So in a :class:`Target` colours
become bit sets of types: :attr:`Target.allowed` for each square, and :attr:`Target.required` for
the squares that must not end empty. Obstacles, passes and formulas work on targets and know nothing
of colours.

With a background, squares of its colour and transparent squares are don't-care squares: they stay
empty or hold a type of the background's colour. So do all squares beside and above the picture.
Without a background a transparent square stays empty.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game import field
from tetrisprinter.game.field import Board, Rows
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture, read_color
from tetrisprinter.printing.types import (
    TypeColors,
    TypesOption,
    assign_classic_types,
    assign_types_with_i_and_o,
    has_dont_care_squares,
    list_colors_to_show,
    read_types,
)


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


def cut_target(target: Target, need: int, last: int) -> Target:
    """Return the target below row ``last``; only squares below row ``need`` stay required."""
    return replace(
        target,
        allowed=target.allowed[:last],
        shades=target.shades and target.shades[:last],
        required=frozenset((x, y) for x, y in target.required if y < need),
        above=target.above if last == target.rows else 0,
    )


def raise_floor(target: Target, row: int) -> Target:
    """Return the target from a row upwards; no piece may lie in this row, which is there before."""
    return replace(
        target,
        height=target.height - row,
        allowed=((0,) * target.width, *target.allowed[row + 1 :]),
        required=frozenset((x, y - row) for x, y in target.required if y > row),
        shades=target.shades and ((0,) * target.width, *target.shades[row + 1 :]),
    )


def compute_drop_bound(target: Target) -> int:
    """Return a lower bound of the number of drops, from the number of cells alone."""
    return field.count_least_drops(target.width, len(target.required), target.count_spare())


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


MARGIN: Final = 4
"""The chosen board is wider than the picture by at least this number of columns."""

ROOM_ABOVE: Final = 10
"""The chosen board is higher than the picture by this number of rows."""

_MIN_WIDTH: Final = 9


def choose_board(picture: Picture) -> tuple[int, int]:
    """Return the width and height of the board for a picture, as the module explains."""
    width = max(_MIN_WIDTH, picture.width + MARGIN)
    return width + (1 - width) % 4, picture.height + ROOM_ABOVE


def find_smallest_width(picture: Picture) -> int:
    """Return the least board width on which no row is full and the number of pixels is possible."""
    return list_narrow_widths(picture, 1)[0]


def list_narrow_widths(picture: Picture, count: int, *, any_count: bool = False) -> list[int]:
    """Return the ``count`` least widths where no row is full and the number of pixels is possible.

    With ``any_count`` every number of pixels is possible, because of don't-care squares.
    """
    width = picture.width + any(None not in row for row in picture.rows)
    squares = len(picture.cells())
    widths = (w for w in itertools.count(width) if any_count or field.can_leave(w, squares))
    return list(itertools.islice(widths, count))


def find_next_width(width: int, squares: int) -> int:
    """Return the least width, from ``width`` on, on which a game can leave ``squares`` squares."""
    return next(w for w in itertools.count(width) if field.can_leave(w, squares))


CLASSIC_WIDTH: Final = 17
"""The width of the widest picture that the article prints on its board."""


def default_column(picture_width: int, board_width: int) -> int:
    """Return the board column for the first column of a picture.

    A sprite of up to 17 columns on the classic board of 21 starts at column 2, as in the article.
    Every other picture is centred.

    >>> default_column(16, 21), default_column(19, 21), default_column(16, 25)
    (2, 1, 4)
    """
    if board_width == field.CLASSIC_BOARD.width and picture_width <= CLASSIC_WIDTH:
        return 2
    return (board_width - picture_width) // 2


@dataclass(frozen=True)
class Task:
    """A picture to print, on a board, with types for its colours.

    Attributes
    ----------
    picture : Picture
        The trimmed picture: its lowest row stands on the floor.
    board : Board
        The size of the playfield.
    column : int
        The board column of the picture's first column.
    types : "classic", "auto" or TypeColors
        Which type shows which colour.
    background : str or None
        A colour whose squares may stay empty. Squares of this colour may be left where the picture
        is transparent.
    pieces : QueueRules or None
        The rules of the piece queue; None: the player chooses each piece freely.
    start : tuple of bytes
        The lowest rows of the board before the first drop, bottom first, one byte per square (a
        piece type, or 0).

    Examples
    --------
    >>> task = Task.of(Picture.parse("rr\\nrr"))
    >>> print(task.board, task.column, task.is_classic)
    9x12 3 False
    >>> Task.of(task.picture, board="21x42", types="classic").is_classic
    True
    """

    picture: Picture
    board: Board = field.CLASSIC_BOARD
    column: int = 2
    types: TypesOption = "classic"
    background: Color | None = None
    pieces: QueueRules | None = None
    start: Rows = ()

    @classmethod
    def of(
        cls,
        picture: Picture,
        board: Board | str | tuple[int, int] = "auto",
        types: str | Mapping[PieceType, Color] = "auto",
        background: Color | None = None,
        column: int | None = None,
        pieces: QueueRules | None = None,
    ) -> Task:
        """Make a task; choose the settings that are not given for the picture."""
        trimmed = picture.trim()
        if not trimmed.rows:
            raise InputError(f"{picture.name}: the picture is empty; nothing to print")
        if board == "auto" and pieces is not None and trimmed.width <= field.GUIDELINE_BOARD.width:
            board = field.GUIDELINE_BOARD
        playfield = Board(*choose_board(trimmed)) if board == "auto" else Board.convert(board)
        if background is not None and read_color(background) is None:
            raise InputError(f"invalid background {background!r}; expected six hex digits")
        return cls(
            picture=trimmed,
            board=playfield,
            column=default_column(trimmed.width, playfield.width) if column is None else column,
            types=read_types(types),
            background=None if background is None else read_color(background),
            pieces=pieces,
        )

    def place_on(self, board: Board, types: TypesOption | None = None) -> Task:
        """Return the task on another board, where its picture usually stands."""
        column = default_column(self.picture.width, board.width)
        return replace(self, board=board, column=column, types=types or self.types)

    def with_start(self, start: Iterable[Iterable[int]]) -> Task:
        """Return the task on a board that starts with these rows, bottom first."""
        return replace(self, start=field.check_start(start, self.board.width, self.board.height))

    def __repr__(self) -> str:
        details = "" if self.background is None else f" on background {self.background}"
        details += " from another picture" * bool(self.start)
        return f"<Task {self.picture!r} on {self.board}, types {self.types}{details}>"

    @property
    def name(self) -> str:
        """The picture's name."""
        return self.picture.name

    @property
    def is_classic(self) -> bool:
        """Whether the task has the article's board and its rule for the types' colours."""
        return self.types == "classic" and self.board == field.CLASSIC_BOARD

    @property
    def fits(self) -> bool:
        """Whether the picture lies completely on the board."""
        return (
            0 <= self.column <= self.board.width - self.picture.width
            and self.picture.height <= self.board.height
        )

    @property
    def squares_at_start(self) -> int:
        """The number of squares on the board before the first drop."""
        return sum(map(bool, b"".join(self.start)))

    @property
    def colors(self) -> tuple[Color, ...]:
        """The colours that need a type, in order of first appearance."""
        return list_colors_to_show(self.picture, self.background)

    @property
    def type_colors(self) -> TypeColors | None:
        """The colours of the types; None if the planner chooses them."""
        if self.types == "classic":
            return TypeColors.of(assign_classic_types(self.picture, self.background))
        return None if isinstance(self.types, str) else self.types

    def color_types(self, shades: Iterable[tuple[PieceType, int]]) -> Mapping[PieceType, Color]:
        """Return the colour of each type: the task's or, if they are open, those of a game.

        ``shades`` has the number of the colour that a type shows in the game; the numbers are those
        of the target. A type that shows none gets the first colour.
        """
        if self.type_colors is not None:
            return self.type_colors
        dont_care_colors = (self.background,) if self.target.dont_care_shade else ()
        colors, shade_of = (*self.colors, *dont_care_colors), dict(shades)
        colored = {piece: colors[shade_of.get(piece, 1) - 1] for piece in PieceType}
        return {piece: color for piece, color in colored.items() if color is not None}

    @property
    def known_types(self) -> Mapping[PieceType, Color]:
        """The types whose colours are given, or follow from the number of colours.

        Six colours need I, and seven also need O: these get the colours that suit them best.
        """
        if isinstance(self.types, TypeColors):
            return self.types
        if self.types == "auto" and 6 <= len(self.picture.colors()) <= len(PieceType):
            return assign_types_with_i_and_o(self.picture)
        return {}

    @property
    def has_dont_care_squares(self) -> bool:
        """Whether a type may have the background's colour, so that its squares may stay."""
        return has_dont_care_squares(self.picture, self.types, self.background)

    @property
    def pixels(self) -> int:
        """The number of squares to print."""
        return sum(color != self.background for color in self.picture.cells().values())

    @cached_property
    def target(self) -> Target:
        """The types that each square may hold in the end."""
        size, types = (self.board.width, self.board.height), self.type_colors
        if types is None:
            return make_open_target(self.picture, *size, self.column, self.background)
        return make_target(self.picture, types, *size, self.column, self.background)

    @property
    def wanted(self) -> Picture:
        """The picture in place on the board, with the board's width and height."""
        return self.picture.place_on_board(self.board.width, self.board.height, self.column)
