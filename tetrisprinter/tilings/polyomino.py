"""Polyominoes: their shapes, orientations and names.

Tilings and Triplex are built on this module, as the game is on :mod:`tetrisprinter.game.pieces`;
neither imports the other. A :data:`GridCell` is ``(x, y)`` with x to the right and **y
downwards**; the game's :data:`~tetrisprinter.game.pieces.Cell` counts y upwards. Cells are listed
**row by row from the top left**. A tiling search places a polyomino by its first cell.

Names are the usual letter and the number of cells: ``V3``, ``T4``, ``F5``. The 35 hexominoes have
no usual letters; they are ``H01`` to ``H35`` in the order of :func:`list_free`. A prime mirrors a
piece (``F5'``), and ``@k`` turns it by k clockwise quarter turns (``V3@1``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

from tetrisprinter.errors import InputError

GridCell = tuple[int, int]
"""A cell ``(x, y)`` of a grid that is read from the top: x to the right, y downwards."""

Orientations = Literal["fixed", "rotations", "all"]
"""Whether a piece keeps its orientation, may be rotated, or may be rotated and reflected."""

_MAX_NAMED_SIZE: Final = 6  # cells

# The pieces look like their letters. Rows are listed from the top, with '/' between them.
_DRAWINGS: Final[dict[str, str]] = {
    "I1": "#",
    "I2": "##",
    "I3": "###",
    "V3": "#./##",
    "I4": "####",
    "L4": "#./#./##",
    "O4": "##/##",
    "S4": ".##/##.",
    "T4": "###/.#.",
    "F5": ".##/##./.#.",
    "I5": "#####",
    "L5": "#./#./#./##",
    "N5": ".#/.#/##/#.",
    "P5": "##/##/#.",
    "T5": "###/.#./.#.",
    "U5": "#.#/###",
    "V5": "#../#../###",
    "W5": "#../##./.##",
    "X5": ".#./###/.#.",
    "Y5": ".#/##/.#/.#",
    "Z5": "##./.#./.##",
}
# Other names in use: mirror images with a letter of their own, and the straight hexomino.
_ALIASES: Final[dict[str, str]] = {"J4": "L4'", "Z4": "S4'", "J5": "L5'", "S5": "Z5'", "I6": "H01"}


@dataclass(frozen=True, slots=True)
class Polyomino:
    """A fixed polyomino: a connected set of cells, up to translation."""

    # The cells row by row from the top left; the smallest x and the smallest y are 0
    cells: tuple[GridCell, ...]

    def __post_init__(self) -> None:
        cells = list(self.cells)
        if not cells:
            raise InputError("a polyomino needs at least one cell")
        if len(set(cells)) < len(cells):
            raise InputError("a polyomino has a cell twice")
        left = min(x for x, _ in cells)
        top = min(y for _, y in cells)
        normalized = sorted(((x - left, y - top) for x, y in cells), key=_get_reading_order)
        object.__setattr__(self, "cells", tuple(normalized))
        if len(next(split_regions(normalized))) < len(normalized):
            raise InputError(f"the cells of {str(self)!r} are not connected by their edges")

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.cells)

    @property
    def width(self) -> int:
        """Width of the bounding box."""
        return max(x for x, _ in self.cells) + 1

    @property
    def height(self) -> int:
        """Height of the bounding box."""
        return self.cells[-1][1] + 1

    def rotate(self, turns: int = 1) -> Polyomino:
        """Return the polyomino after some clockwise quarter turns."""
        cells = self.cells
        for _ in range(turns % 4):
            cells = tuple((-y, x) for x, y in cells)
        return Polyomino(cells)

    def reflect(self) -> Polyomino:
        """Return the mirror image, with left and right exchanged."""
        return Polyomino(tuple((-x, y) for x, y in self.cells))

    def list_orientations(self, allowed: Orientations = "all") -> tuple[Polyomino, ...]:
        """List the different orientations of the polyomino."""
        if allowed not in get_args(Orientations):
            raise InputError(f"invalid orientations {allowed!r}; choose from fixed, rotations, all")
        if allowed == "fixed":
            return (self,)
        sides = (self,) if allowed == "rotations" else (self, self.reflect())
        return tuple(dict.fromkeys(side.rotate(turns) for side in sides for turns in range(4)))

    @property
    def free(self) -> Polyomino:
        """The canonical orientation: equal for congruent polyominoes.

        It has the smallest height; on ties, its cells come first in reading order.
        """
        return min(self.list_orientations(), key=_make_sort_key)

    @property
    def is_chiral(self) -> bool:
        """Whether no rotation turns the polyomino into its mirror image."""
        return self.reflect() not in self.list_orientations("rotations")

    def place(self, x: int, y: int) -> tuple[GridCell, ...]:
        """Return the cells if the top left corner of the bounding box is at (x, y)."""
        return tuple((x + cx, y + cy) for cx, cy in self.cells)

    @classmethod
    def parse(cls, text: str) -> Polyomino:
        """Read a drawing: ``#`` is a cell, ``.`` is empty; '/' or a new line ends a row."""
        rows = [row.strip() for row in re.split(r"[/\n]", text.strip())]
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter not in "#.":
                    raise InputError(
                        f"invalid cell {letter!r} in row {y + 1}, column {x + 1} of a piece; "
                        "expected '#' (a cell) or '.' (no cell)"
                    )
        return cls(
            tuple(
                (x, y)
                for y, row in enumerate(rows)
                for x, letter in enumerate(row)
                if letter == "#"
            )
        )

    def __str__(self) -> str:
        return "\n".join(
            "".join("#" if (x, y) in self.cells else "." for x in range(self.width))
            for y in range(self.height)
        )


def _get_reading_order(cell: GridCell) -> tuple[int, int]:
    return cell[1], cell[0]


def list_neighbours(cell: GridCell) -> tuple[GridCell, ...]:
    """List the four cells that share an edge with a cell."""
    x, y = cell
    return (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)


def split_regions(cells: Iterable[GridCell]) -> Iterator[list[GridCell]]:
    """Yield the edge-connected regions of a set of cells, in the order of their first cells."""
    unvisited = dict.fromkeys(cells)
    while unvisited:
        region = [next(iter(unvisited))]
        del unvisited[region[0]]
        for member in region:  # the list grows during the loop
            for cell in list_neighbours(member):
                if cell in unvisited:
                    del unvisited[cell]
                    region.append(cell)
        yield region


def _make_sort_key(piece: Polyomino) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    return piece.height, -piece.width, tuple(map(_get_reading_order, piece.cells))


@cache
def list_fixed(size: int) -> tuple[Polyomino, ...]:
    """List all fixed polyominoes of a size; each orientation counts as a polyomino of its own."""
    if size < 1:
        raise InputError(f"polyominoes cannot have {size} cells; expected 1 or more")
    if size == 1:
        return (Polyomino(((0, 0),)),)
    larger_pieces: set[Polyomino] = set()
    for smaller in list_fixed(size - 1):
        adjacent_cells = {
            neighbour for cell in smaller.cells for neighbour in list_neighbours(cell)
        }
        larger_pieces |= {
            Polyomino((*smaller.cells, cell)) for cell in adjacent_cells.difference(smaller.cells)
        }
    return tuple(sorted(larger_pieces, key=_make_sort_key))


@cache
def list_free(size: int) -> tuple[Polyomino, ...]:
    """List one polyomino of each congruence class of a size, the straight one first."""
    return tuple(sorted({piece.free for piece in list_fixed(size)}, key=_make_sort_key))


@cache
def _build_named_pieces() -> dict[str, Polyomino]:
    pieces = {name: Polyomino.parse(drawing) for name, drawing in _DRAWINGS.items()}
    for number, piece in enumerate(list_free(_MAX_NAMED_SIZE), 1):
        pieces[f"H{number:02}"] = piece
    return pieces


def list_names(size: int) -> tuple[str, ...]:
    """Return the names of the free polyominoes of a size, 1 to 6 cells."""
    # The polyominoes themselves are not built: this takes long for six cells.
    all_names: Iterable[str] = (*_DRAWINGS, *(f"H{number:02}" for number in range(1, 36)))
    digit = "H" if size == _MAX_NAMED_SIZE else str(size)
    return tuple(name for name in all_names if (name[0] if digit == "H" else name[1:]) == digit)


def get_polyomino(name: str) -> Polyomino:
    """Return a polyomino of 1 to 6 cells by its name, such as F, F' (mirrored) or F@1 (turned)."""
    match = re.fullmatch(r"([A-Z]\d+)('?)(?:@([0-3]))?", name)
    base = _ALIASES.get(match[1], match[1]) if match else ""
    mirrored = base.endswith("'")
    base = base.rstrip("'")
    drawing = _DRAWINGS.get(base)
    if match is None or (drawing is None and base not in list_names(_MAX_NAMED_SIZE)):
        letters = ", ".join((*_DRAWINGS, *_ALIASES))
        raise InputError(
            f"unknown piece {name!r}; choose from {letters}, H01 to H35, "
            "with ' for the mirror image and @1, @2, @3 for quarter turns (V3@1)"
        )
    piece = Polyomino.parse(drawing) if drawing is not None else _build_named_pieces()[base]
    if mirrored != bool(match[2]):
        piece = piece.reflect()
    return piece.rotate(int(match[3] or 0))


@cache
def _build_name_table() -> dict[Polyomino, str]:
    return {piece.free: name for name, piece in _build_named_pieces().items()}


def find_name(piece: Polyomino) -> str | None:
    """Return the name of a piece's free polyomino; None if it has more than 6 cells."""
    return _build_name_table().get(piece.free) if piece.size <= _MAX_NAMED_SIZE else None
