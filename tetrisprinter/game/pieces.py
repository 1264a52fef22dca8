"""The seven tetrominoes and their nineteen orientations.

All other modules use :class:`Orientation` at a column and never turn a shape themselves.

Each type's orientations are listed by clockwise quarter turns. The first is the one in which the
piece enters the 1989 console game: J, T and L have three squares above and one square, the *nub*,
below.

Cells are ``(x, y)`` with x to the right and y upwards; the smallest x and y of an orientation are
0. All nineteen are column-convex: each column is one run of cells, so the bottom and the top
profile describe the shape completely.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

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
