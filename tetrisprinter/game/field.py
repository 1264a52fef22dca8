"""The playfield: its size, and the rules of Tetris that printing needs.

A piece enters at the top in its final orientation and column and falls straight down until it
rests. Then full rows vanish, and everything above each of them moves down by one row (the *naive*
gravity of the original game: nothing else falls). If a piece would rest above the top of the
field, the game tops out.

:class:`Playfield` is mutable. Each drop returns a :class:`Landing`, from which observers can follow
the game.

A game may *start* with squares on the board: the lowest rows of a field, bottom first, one byte per
square (a piece type, ``GREY``, or 0 for an empty cell). No row is full, and no row below a square
is empty, as in every game.

The size of a :class:`Board` decides which numbers of squares and drops are possible. After ``p``
drops and ``c`` cleared rows of width ``W``, ``S = 4p - Wc`` squares are left. So ``S`` is a
multiple of ``gcd(W, 4)``, the *unit* of the width: any number on odd widths, even numbers on widths
2, 6, 10, ..., multiples of four on widths divisible by 4. And ``p = (S + Wc) / 4``, so only numbers
``c`` of one residue are possible, and the least of them bounds the drops of every game. Don't-care
squares widen ``S`` to an interval. If the board starts with squares, ``S`` is the difference
between the squares at the end and at the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from operator import index
from typing import Final

from tetrisprinter.errors import ArgumentError, InputError, JobError
from tetrisprinter.game.pieces import Cell, Orientation, PieceType, Placement
from tetrisprinter.support import format_count, format_size, parse_size

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


def can_leave(width: int, squares: int, optional: int = 0) -> bool:
    """Return whether a game can leave ``squares`` squares and 0 to ``optional`` further squares.

    >>> can_leave(21, 7), can_leave(10, 7), can_leave(10, 6), can_leave(12, 6)
    (True, False, True, False)
    """
    return -squares % find_unit(width) <= optional


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


class TopOutError(JobError):
    """A piece cannot come to rest at the requested place of the playfield."""


@dataclass(frozen=True, slots=True)
class Landing:
    """The resting place of a piece, and the rows that it clears."""

    orientation: Orientation
    x: int  # lower left corner of the bounding box, row 0 at the bottom of the field
    y: int
    cleared: tuple[int, ...]  # the full rows, lowest first, numbered before any of them vanishes

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells, before any row clears."""
        return self.orientation.place(self.x, self.y)


def remove_row_numbers(rows: list[int], cleared: Sequence[int]) -> list[int]:
    """Remove the cleared rows from the numbers of a field's rows; return the removed numbers.

    The rows are numbered from below, and a row keeps its number when it moves down. New rows at
    the top get new numbers.
    """
    next_number = rows[-1] + 1
    removed = [rows.pop(row) for row in reversed(cleared)]
    rows.extend(range(next_number, next_number + len(removed)))
    return removed


class Playfield:
    """A playfield of ``width`` x ``height`` squares, row 0 at the bottom.

    Examples
    --------
    >>> from tetrisprinter.game.pieces import PieceType, list_orientations
    >>> field = Playfield(5, 4)
    >>> field.drop(list_orientations(PieceType.O)[0], 1).y
    0
    >>> field.drop(list_orientations(PieceType.I)[0], 0).cleared
    ()
    >>> str(field).split()
    ['.....', 'IIII.', '.OO..', '.OO..']
    """

    def __repr__(self) -> str:
        squares = sum(map(bool, (value for row in self.rows for value in row)))
        return f"<Playfield {self.width}x{self.height} with {format_count(squares, 'square')}>"

    def __init__(
        self, width: int = CLASSIC_BOARD.width, height: int = CLASSIC_BOARD.height
    ) -> None:
        if width < 1 or height < 1:
            raise ValueError(f"invalid playfield {width}x{height}; expected a positive size")
        self.width = width
        self.height = height
        self._rows = [bytearray(width) for _ in range(height)]
        self._filled = [0] * height
        self._tops = [0] * width

    @classmethod
    def from_rows(cls, width: int, height: int, rows: Iterable[Iterable[int]]) -> Playfield:
        """Return a field with squares in its lowest rows."""
        field = cls(width, height)
        for y, row in enumerate(rows):
            field._rows[y][:] = bytes(row)
            field._filled[y] = width - field._rows[y].count(0)
        field._tops = [height] * width
        field._lower_tops(0)
        return field

    def __getitem__(self, cell: Cell) -> int:
        """Return the piece type at (x, y), 0 where empty."""
        return self._rows[cell[1]][cell[0]]

    @property
    def rows(self) -> tuple[bytes, ...]:
        """All rows, bottom first, one byte per square: a PieceType, or 0 where empty."""
        return tuple(bytes(row) for row in self._rows)

    @property
    def used_rows(self) -> tuple[bytes, ...]:
        """The rows up to the highest square, in the form of a plan's start."""
        return tuple(bytes(row) for row in self._rows[: max(self._tops)])

    @property
    def tops(self) -> tuple[int, ...]:
        """For each column the row above its highest square; 0 for an empty column."""
        return tuple(self._tops)

    def find_landing_row(self, orientation: Orientation, x: int) -> int:
        """Return the lowest row of the piece's bounding box after a hard drop, 0 at the bottom."""
        if not 0 <= x <= self.width - orientation.width:
            raise TopOutError(
                f"{orientation.piece.name} at column {x} is outside the {self.width} columns"
            )
        y = max(0, *(top - b for top, b in zip(self._tops[x:], orientation.bottom, strict=False)))
        if y + orientation.height > self.height:
            raise TopOutError(
                f"{orientation.piece.name} at column {x} does not fit into {self.height} "
                f"rows; it would need row {y + orientation.height - 1}"
            )
        return y

    def can_rest(self, orientation: Orientation, x: int, y: int) -> bool:
        """Return whether a piece fits with its lower left corner at (x, y) and has support there.

        :mod:`tetrisprinter.game.steering` decides whether a player can steer it to this place.
        """
        if not (0 <= x <= self.width - orientation.width):
            return False
        if not (0 <= y <= self.height - orientation.height):
            return False
        cells = orientation.place(x, y)
        return not any(self._rows[cy][cx] for cx, cy in cells) and any(
            not cy or self._rows[cy - 1][cx] for cx, cy in cells
        )

    def can_hard_drop(self, placement: Placement) -> bool:
        """Return whether a hard drop brings a piece to this placement."""
        try:
            return self.find_landing_row(placement.orientation, placement.x) == placement.y
        except TopOutError:
            return False

    def drop(self, orientation: Orientation, x: int, tuck_row: int | None = None) -> Landing:
        """Drop a piece with its leftmost cell in column ``x``, and clear full rows.

        ``tuck_row`` is the piece's lowest row after a tuck; None: the piece falls straight.
        """
        if tuck_row is None:
            y = self.find_landing_row(orientation, x)
        elif self.can_rest(orientation, x, tuck_row):
            y = tuck_row
        else:
            raise TopOutError(
                f"{orientation.piece.name} cannot lie at column {x}, row {tuck_row}; the place is "
                "taken or has no support"
            )
        for dx, dy in orientation.cells:
            self._rows[y + dy][x + dx] = orientation.piece
        for dx, top in enumerate(orientation.top):
            self._tops[x + dx] = max(self._tops[x + dx], y + top)
        cleared: list[int] = []
        for dy, count in enumerate(orientation.row_widths):
            self._filled[y + dy] += count
            if self._filled[y + dy] == self.width:
                cleared.append(y + dy)
        for row in reversed(cleared):
            del self._rows[row], self._filled[row]
            self._rows.append(bytearray(self.width))
            self._filled.append(0)
        if cleared:
            self._lower_tops(len(cleared))
        return Landing(orientation, x, y, tuple(cleared))

    def _lower_tops(self, cleared_count: int) -> None:
        """Update the column heights after a number of rows cleared."""
        for x in range(self.width):
            top = self._tops[x] - cleared_count
            while top > 0 and not self._rows[top - 1][x]:
                top -= 1
            self._tops[x] = top

    def __str__(self) -> str:
        return "\n".join(draw_start(self.rows))


Rows = tuple[bytes, ...]
"""The lowest rows of a field, bottom first, one byte per square."""

_LETTERS: Final = "." + "".join(piece.name for piece in PieceType) + "G"
"""The letter of each value of a square; G is grey."""


def check_start(
    rows: Iterable[Iterable[int]], width: int, height: int, name: str = "the start"
) -> Rows:
    """Check a start; return the start without the empty rows at its top."""
    start = [bytes(row) for row in rows]
    while start and not any(start[-1]):
        start.pop()
    if len(start) > height or any(len(row) != width for row in start):
        max_width = max(map(len, start))
        raise InputError(f"{name}: {max_width}x{len(start)} squares do not fit on {width}x{height}")
    for y, row in enumerate(start):
        if max(row) >= len(_LETTERS):
            raise InputError(f"{name}: invalid piece type {max(row)} in row {y} from the floor")
        if all(row):
            raise InputError(
                f"{name}: row {y} from the floor is full; a full row would have been cleared"
            )
        if not any(row):
            raise InputError(
                f"{name}: row {y} from the floor is empty below a square; no game leaves that"
            )
    return tuple(start)


def draw_start(start: Rows) -> list[str]:
    """Draw a start, top row first: the letter of each square's type, ``.`` for an empty cell.

    >>> draw_start((b"\\x01\\x01\\x00", b"\\x00\\x04\\x00"))
    ['.O.', 'II.']
    """
    return ["".join(_LETTERS[value] for value in row) for row in reversed(start)]


def parse_start(lines: Iterable[str], width: int, height: int, name: str) -> Rows:
    """Return the start of a drawing as :func:`draw_start` makes it."""
    rows = []
    for line in lines:
        invalid_letters = sorted(set(line) - set(_LETTERS))
        if invalid_letters:
            raise InputError(
                f"{name}: invalid square {invalid_letters[0]!r} in the start; expected "
                f"{' '.join(_LETTERS[1:])} or '.'"
            )
        rows.append([_LETTERS.index(letter) for letter in line])
    return check_start(reversed(rows), width, height, f"{name}: the start")
