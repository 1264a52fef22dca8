"""The seven tetrominoes, their nineteen orientations, and drawings of them as text.

All other modules use :class:`Orientation` at a column and never turn a shape themselves.

Each type's orientations are listed by clockwise quarter turns. The first is the one in which the
piece enters the 1989 console game: J, T and L have three squares above and one square, the *nub*,
below.

Cells are ``(x, y)`` with x to the right and y upwards; the smallest x and y of an orientation are
0. All nineteen are column-convex: each column is one run of cells, so the bottom and the top
profile describe the shape completely.

Tables and plans draw pieces in *blocks*. A block is a rectangle of characters, top row first. ``.``
is empty; every other character is a piece. Pieces drop in the order of their characters: first the
62 ASCII characters from ``A`` to ``~``, then the letters from U+0100 to U+024F for 336 more pieces
(plans split their blocks instead). A text is a sequence of blocks separated by one blank line. The
meaning of the blocks is defined in :mod:`~tetrisprinter.packings.tables` and
:mod:`~tetrisprinter.game.plan`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tetrisprinter.errors import InputError, JobError

Cell = tuple[int, int]
"""A cell ``(x, y)`` of the game: x to the right, y upwards, row 0 at the bottom."""


class PieceType(IntEnum):
    """The seven piece types; 0 is left free for an empty square of a playfield."""

    I = 1  # noqa: E741 - the usual name of this piece
    J = 2
    L = 3
    O = 4  # noqa: E741
    S = 5
    T = 6
    Z = 7


GREY: Final = 8
"""The value of a square of no piece type. Only the start of a game has such squares; many programs
draw them grey and call them garbage."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """One of the nineteen fixed tetrominoes.

    Attributes
    ----------
    index : int
        Position in :data:`ORIENTATIONS`.
    piece : PieceType
        The type of which it is a rotation.
    turns : int
        Clockwise quarter turns from the orientation in which the piece spawns.
    cells : tuple of (int, int)
        The four cells, sorted by x, then y.
    width, height : int
        Size of the bounding box.
    bottom, top : tuple of int
        For each column the y of its lowest cell, and the y just above its highest cell.
    row_widths : tuple of int
        For each row, bottom first, its number of cells.
    """

    index: int
    piece: PieceType
    turns: int
    cells: tuple[Cell, ...]
    width: int
    height: int
    bottom: tuple[int, ...]
    top: tuple[int, ...]
    row_widths: tuple[int, ...]

    @property
    def is_flat(self) -> bool:
        """Whether all columns start at the same height."""
        return not any(self.bottom)

    def place(self, x: int, y: int) -> tuple[Cell, ...]:
        """Return the four cells with the bounding box's lower left corner at (x, y)."""
        return tuple((x + cx, y + cy) for cx, cy in self.cells)

    def __repr__(self) -> str:
        return f"<Orientation {self.piece.name}{self.turns}>"

    def __str__(self) -> str:
        return "\n".join(
            "".join("#" if (x, y) in self.cells else "." for x in range(self.width))
            for y in reversed(range(self.height))
        )


# Top row first, by clockwise quarter turns from the spawn orientation.
_DRAWINGS: Final[dict[PieceType, tuple[str, ...]]] = {
    PieceType.I: ("####", "#/#/#/#"),
    PieceType.J: ("###/..#", ".#/.#/##", "#../###", "##/#./#."),
    PieceType.L: ("###/#..", "##/.#/.#", "..#/###", "#./#./##"),
    PieceType.O: ("##/##",),
    PieceType.S: (".##/##.", "#./##/.#"),
    PieceType.T: ("###/.#.", ".#/##/.#", ".#./###", "#./##/#."),
    PieceType.Z: ("##./.##", ".#/##/#."),
}


@dataclass(frozen=True, slots=True)
class Placement:
    """An orientation with the lower left corner of its bounding box at (x, y)."""

    orientation: Orientation
    x: int
    y: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells, sorted by x, then y."""
        return self.orientation.place(self.x, self.y)

    @classmethod
    def find(cls, cells: Iterable[Cell]) -> Placement | None:
        """Return the placement with these cells; None if they do not form a tetromino.

        >>> print(Placement.find([(4, 7), (5, 7), (5, 8), (6, 7)]).orientation)
        .#.
        ###
        """
        sorted_cells = sorted(cells)
        if not sorted_cells:
            return None
        x0 = sorted_cells[0][0]
        y0 = min(y for _, y in sorted_cells)
        orientation = _BY_CELLS.get(tuple((x - x0, y - y0) for x, y in sorted_cells))
        return None if orientation is None else cls(orientation, x0, y0)


def _make_orientations() -> tuple[Orientation, ...]:
    """Return the nineteen orientations."""
    orientations: list[Orientation] = []
    for piece, drawings in _DRAWINGS.items():
        for turns, drawing in enumerate(drawings):
            rows = drawing.split("/")[::-1]
            width, height = len(rows[0]), len(rows)
            cells = tuple((x, y) for x in range(width) for y in range(height) if rows[y][x] == "#")
            columns = [[y for cx, y in cells if cx == x] for x in range(width)]
            orientations.append(
                Orientation(
                    index=len(orientations),
                    piece=piece,
                    turns=turns,
                    cells=cells,
                    width=width,
                    height=height,
                    bottom=tuple(min(column) for column in columns),
                    top=tuple(max(column) + 1 for column in columns),
                    row_widths=tuple(row.count("#") for row in rows),
                )
            )
    return tuple(orientations)


ORIENTATIONS: Final[tuple[Orientation, ...]] = _make_orientations()
_BY_CELLS: Final[dict[tuple[Cell, ...], Orientation]] = {o.cells: o for o in ORIENTATIONS}


def list_orientations(piece: PieceType) -> tuple[Orientation, ...]:
    """Return the orientations of a piece type, by clockwise turns from its spawn."""
    return tuple(o for o in ORIENTATIONS if o.piece is piece)


_FIRST_LETTER: Final = ord("A")
MAX_PIECES: Final = ord("~") - _FIRST_LETTER + 1
"""The number of pieces that one block can draw in ASCII."""

_LETTERS: Final = "".join(map(chr, range(_FIRST_LETTER, ord("~") + 1))) + "".join(
    map(chr, range(0x100, 0x250))
)
_LETTER_INDEX: Final = {letter: index for index, letter in enumerate(_LETTERS)}


@dataclass(frozen=True, slots=True)
class Block:
    """A drawing that was read from a text."""

    source: str  # the name of the text, for messages
    line: int  # the number of the block's first line, counted from 1
    width: int
    height: int
    # The cells of each piece in drop order, y upwards from the last line
    groups: tuple[tuple[Cell, ...], ...]

    def make_error(self, problem: str) -> InputError:
        """Return an error with the name of the text and the line."""
        return InputError(f"{self.source}:{self.line}: {problem}")

    def list_pieces(self, skipped: int = 0) -> tuple[Placement, ...]:
        """Return the pieces in drop order, without the first ``skipped`` groups of cells."""
        pieces = []
        for letter, cells in zip(_LETTERS[skipped:], self.groups[skipped:], strict=False):
            piece = Placement.find(cells)
            if piece is None:
                raise self.make_error(f"the {len(cells)} squares {letter!r} are not a tetromino")
            pieces.append(piece)
        return tuple(pieces)


def draw(width: int, height: int, groups: Iterable[Iterable[Cell]]) -> str:
    """Draw groups of cells as a block, with letters in the given order.

    >>> print(draw(4, 2, [[(0, 0), (1, 0)], [(0, 1), (1, 1), (2, 1), (3, 1)]]))
    BBBB
    AA..
    """
    rows = [["."] * width for _ in range(height)]
    for index, cells in enumerate(groups):
        if index >= len(_LETTERS):
            raise JobError(f"too many pieces for a drawing; expected at most {len(_LETTERS)}")
        for x, y in cells:
            rows[height - 1 - y][x] = _LETTERS[index]
    return "\n".join(map("".join, rows))


def split_blocks(text: str, source: str, first_line: int = 1) -> list[Block]:
    """Read the blocks of a text, which are separated by blank lines."""
    blocks: list[Block] = []
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], first_line):
        line = line.rstrip()
        if line:
            lines.append(line)
        elif lines:
            blocks.append(_read_block(lines, source, number - len(lines)))
            lines = []
    return blocks


def _read_block(lines: Sequence[str], source: str, first: int) -> Block:
    """Read one block; ``first`` is the number of its first line in the text."""
    width, height = len(lines[0]), len(lines)
    groups: dict[str, list[Cell]] = {}
    for row, line in enumerate(lines):
        location = f"{source}:{first + row}"
        if len(line) != width:
            raise InputError(
                f"{location}: {len(line)} characters; expected {width} as in the first line of "
                "the block"
            )
        for x, letter in enumerate(line):
            if letter == ".":
                continue
            if letter not in _LETTER_INDEX:
                raise InputError(
                    f"{location}: invalid {letter!r} at character {x + 1}; expected '.' or a "
                    "piece (the characters from 'A' to '~')"
                )
            groups.setdefault(letter, []).append((x, height - 1 - row))
    letters = sorted(groups)
    for index, letter in enumerate(letters):
        if letter != _LETTERS[index]:
            raise InputError(
                f"{source}:{first}: the block has a piece {letter!r} but no {_LETTERS[index]!r}"
            )
    return Block(
        source, first, width, height, tuple(tuple(sorted(groups[letter])) for letter in letters)
    )
