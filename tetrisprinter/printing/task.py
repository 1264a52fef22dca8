"""A task: a picture on a board, with the types that may show its colours.

Planners get a :class:`Task`, and results are compared with it. A task may be impossible;
:mod:`~tetrisprinter.printing.obstacles` finds the reason in many cases.

The board that a picture needs has two measures.

**Width.** On odd widths a game can leave any number of squares, on even widths it cannot
(:mod:`~tetrisprinter.game.board`). So even widths do not suit pictures in general.
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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.board import CLASSIC_BOARD, GUIDELINE_BOARD, Board, can_leave
from tetrisprinter.game.field import Rows, check_start
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, Picture, read_color
from tetrisprinter.printing.target import Target, make_open_target, make_target
from tetrisprinter.printing.types import (
    TypeColors,
    TypesOption,
    assign_classic_types,
    has_dont_care_squares,
    list_colors_to_show,
    read_types,
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
    width = picture.width + any(None not in row for row in picture.rows)
    return find_next_width(width, len(picture.cells()))


def list_narrow_widths(picture: Picture, count: int, *, any_count: bool = False) -> list[int]:
    """Return the ``count`` least widths where no row is full and the number of pixels is possible.

    With ``any_count`` every number of pixels is possible, because of don't-care squares.
    """
    width = picture.width + any(None not in row for row in picture.rows)
    squares = len(picture.cells())
    widths: list[int] = []
    while len(widths) < count:
        if any_count or can_leave(width, squares):
            widths.append(width)
        width += 1
    return widths


def find_next_width(width: int, squares: int) -> int:
    """Return the least width, from ``width`` on, on which a game can leave ``squares`` squares."""
    while not can_leave(width, squares):
        width += 1
    return width


CLASSIC_WIDTH: Final = 17
"""The width of the widest picture that the article prints on its board."""


def default_column(picture_width: int, board_width: int) -> int:
    """Return the board column for the first column of a picture.

    A sprite of up to 17 columns on the classic board of 21 starts at column 2, as in the article.
    Every other picture is centred.

    >>> default_column(16, 21), default_column(19, 21), default_column(16, 25)
    (2, 1, 4)
    """
    if board_width == CLASSIC_BOARD.width and picture_width <= CLASSIC_WIDTH:
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
    board: Board = CLASSIC_BOARD
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
        if board == "auto" and pieces is not None and trimmed.width <= GUIDELINE_BOARD.width:
            board = GUIDELINE_BOARD
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
        return replace(self, start=check_start(start, self.board.width, self.board.height))

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
        return self.types == "classic" and self.board == CLASSIC_BOARD

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
