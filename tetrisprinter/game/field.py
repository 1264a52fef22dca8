"""The game of Tetris, as far as printing needs it.

A piece enters at the top in its final orientation and column and falls straight down
until something holds it; then full rows vanish and everything above each of them moves
down by one row (the *naive* gravity of the original game: nothing else ever falls).
A piece whose resting place reaches above the field cannot have entered: a top-out.

The class is mutable because a game is; everything that looks at a game works on the
:class:`Landing` that each drop returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tetrisprinter.errors import JobError
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.game.pieces import Cell, Orientation, Placement

__all__ = ["Landing", "Playfield", "TopOutError", "remove_row_numbers"]


class TopOutError(JobError):
    """A piece could not enter the playfield."""


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a piece came to rest."""

    orientation: Orientation  # the piece
    x: int  # lower left corner of its bounding box, row 0 at the bottom of the field
    y: int
    # The rows that were full once it lay there, lowest first, in the numbering before any of them
    # vanished
    cleared: tuple[int, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells, before any row clears."""
        return self.orientation.at(self.x, self.y)


def remove_row_numbers(rows: list[int], cleared: Sequence[int]) -> list[int]:
    """Let rows vanish from the numbers of a field's rows; return those numbers.

    Every row that ever comes into sight has a number, from below, and keeps it.
    """
    above = rows[-1] + 1
    gone = [rows.pop(row) for row in reversed(cleared)]
    rows.extend(range(above, above + len(gone)))
    return gone


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
        return f"<Playfield {self.width}x{self.height} with {squares} squares>"

    def __init__(
        self, width: int = CLASSIC_BOARD.width, height: int = CLASSIC_BOARD.height
    ) -> None:
        if width < 1 or height < 1:
            raise ValueError(f"a playfield needs a positive size, not {width}x{height}")
        self.width = width
        self.height = height
        self._rows = [bytearray(width) for _ in range(height)]
        self._filled = [0] * height
        self._tops = [0] * width

    @classmethod
    def from_rows(cls, width: int, height: int, rows: Iterable[Iterable[int]]) -> Playfield:
        """Return a field that already holds squares."""
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
        """The rows up to the highest square: what a game can begin with."""
        return tuple(bytes(row) for row in self._rows[: max(self._tops)])

    @property
    def tops(self) -> tuple[int, ...]:
        """For each column the height just above its highest square."""
        return tuple(self._tops)

    def landing_row(self, orientation: Orientation, x: int) -> int:
        """Return the row in which the piece's bounding box would come to rest."""
        if not 0 <= x <= self.width - orientation.width:
            raise TopOutError(
                f"{orientation.piece.name} at column {x} leaves the {self.width} columns"
            )
        y = max(0, *(top - b for top, b in zip(self._tops[x:], orientation.bottom, strict=False)))
        if y + orientation.height > self.height:
            raise TopOutError(
                f"{orientation.piece.name} at column {x} cannot enter the field of "
                f"{self.height} rows: it would need row {y + orientation.height - 1}"
            )
        return y

    def rests(self, orientation: Orientation, x: int, y: int) -> bool:
        """Say whether a piece can lie with its lower left corner there: it fits and is held.

        How it would get there is not asked; :mod:`tetrisprinter.game.srs` knows.
        """
        if not (0 <= x <= self.width - orientation.width):
            return False
        if not (0 <= y <= self.height - orientation.height):
            return False
        cells = orientation.at(x, y)
        return not any(self._rows[cy][cx] for cx, cy in cells) and any(
            not cy or self._rows[cy - 1][cx] for cx, cy in cells
        )

    def falls(self, placed: Placement) -> bool:
        """Say whether a piece comes to lie there by falling straight."""
        try:
            return self.landing_row(placed.orientation, placed.x) == placed.y
        except TopOutError:
            return False

    def drop(self, orientation: Orientation, x: int, slid: int | None = None) -> Landing:
        """Drop a piece with its leftmost cell in column ``x``; clear full rows."""
        if slid is None:
            y = self.landing_row(orientation, x)
        elif self.rests(orientation, x, slid):
            y = slid
        else:
            raise TopOutError(
                f"{orientation.piece.name} cannot lie at column {x}, row {slid}: something is "
                "there, or nothing holds it"
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

    def _lower_tops(self, cleared: int) -> None:
        for x in range(self.width):
            top = self._tops[x] - cleared
            while top > 0 and not self._rows[top - 1][x]:
                top -= 1
            self._tops[x] = top

    def __str__(self) -> str:
        letters = ".IJLOSTZ"
        return "\n".join("".join(letters[v] for v in row) for row in reversed(self._rows))
