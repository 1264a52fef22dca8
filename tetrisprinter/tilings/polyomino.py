"""Polyominoes and sets of them: shapes, orientations, names, and how often each may be used.

Tilings and Triplex are built on this module, as the game is on :mod:`tetrisprinter.game.pieces`;
neither imports the other. A :data:`GridCell` is ``(x, y)`` with x to the right and **y
downwards**; the game's :data:`~tetrisprinter.game.pieces.Cell` counts y upwards. Cells are listed
**row by row from the top left**. A tiling search places a polyomino by its first cell.

Names are the usual letter and the number of cells: ``V3``, ``T4``, ``F5``. The 35 hexominoes have
no usual letters; they are ``H01`` to ``H35`` in the order of :func:`list_free`. A prime mirrors a
piece (``F5'``), and ``@k`` turns it by k clockwise quarter turns (``V3@1``).

The grammar of a piece set, for the command line and for :meth:`PieceSet.parse`::

    set    =  item { "," item }
    item   =  kind [ "*" times ]
    kind   =  "monominoes" | "dominoes" | "trominoes" | "tetrominoes" | "pentominoes"
           |  "hexominoes" | "one-sided-" any of these | piece
    piece  =  a name ("V3", "F5'", "L4@1", "H07")
           |  a drawing with rows separated by "/" ("##/#.")
    times  =  number | "inf"

``times`` is the **maximum** number of uses. The default is one; ``monominoes`` and ``dominoes``
have one piece each, which is unlimited. ``*`` after a set applies to each of its pieces. Pieces
with the same orientations are interchangeable and become one piece with the sum of their numbers.

A file contains drawings separated by blank lines, with ``#`` for a cell and ``.`` for none. A
line ``NAME``, ``NAME*4`` or ``*inf`` may stand above a drawing. A ``;`` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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


SETS: Final = ("monominoes", "dominoes", "trominoes", "tetrominoes", "pentominoes", "hexominoes")
_ONE_SIDED: Final = "one-sided-"


@dataclass(frozen=True, slots=True)
class Piece:
    """A polyomino with the number of times that it may be used.

    Attributes
    ----------
    name : str
        The name of the piece in answers.
    shape : Polyomino
        The piece as given; the only one that is placed if orientations are fixed.
    most : int or None
        The maximum number of uses; None: unlimited.
    """

    name: str
    shape: Polyomino
    most: int | None = 1

    def __str__(self) -> str:
        return self.name + {None: "*inf", 1: ""}.get(self.most, f"*{self.most}")


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The pieces of a tiling problem.

    Parameters
    ----------
    pieces : sequence of Piece
        The pieces; equal ones are merged.
    orientations : {'fixed', 'rotations', 'all'}
        Whether pieces may be rotated, or rotated and reflected.
    use_all : bool
        Whether all pieces with a limit must be used up.

    Raises
    ------
    InputError
        If there are no pieces, or a limit is not positive.

    Examples
    --------
    >>> pieces = PieceSet.parse("I5, V3*4, T4*inf")
    >>> print(pieces)
    I5,V3*4,T4*inf
    >>> [piece.most for piece in pieces.pieces]
    [1, 4, None]
    >>> print(PieceSet.parse("V3,V3@1*3"))
    V3*4
    >>> print(PieceSet.parse("V3,V3@1*3", "fixed"))
    V3,V3@1*3
    """

    pieces: tuple[Piece, ...]
    orientations: Orientations = "all"
    use_all: bool = False

    def __post_init__(self) -> None:
        merged: dict[Polyomino, Piece] = {}
        for piece in self.pieces:
            if piece.most is not None and piece.most < 1:
                raise InputError(
                    f"invalid number of uses {piece.name}*{piece.most}; expected 1 or more, or inf"
                )
            # Pieces with the same orientations are interchangeable, so they get the same key.
            key = min(
                piece.shape.list_orientations(self.orientations), key=lambda shape: shape.cells
            )
            earlier = merged.get(key)
            if earlier is not None:
                limits = (earlier.most, piece.most)
                limit = None if None in limits else sum(n or 0 for n in limits)
                piece = Piece(earlier.name, earlier.shape, limit)
            merged[key] = piece
        if not merged:
            raise InputError("no pieces are given; expected at least one")
        object.__setattr__(self, "pieces", tuple(merged.values()))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The different numbers of cells of the pieces, ascending."""
        return tuple(sorted({piece.shape.size for piece in self.pieces}))

    @classmethod
    def parse(
        cls, text: str, orientations: Orientations = "all", *, use_all: bool = False
    ) -> PieceSet:
        """Read a piece set in the grammar that the module describes."""
        pieces: list[Piece] = []
        for item in text.split(","):
            set_or_piece, star, times = (part.strip() for part in item.partition("*"))
            if not set_or_piece:
                raise InputError(f"{text!r}: a piece is missing; separate pieces by one comma")
            base = set_or_piece.removeprefix(_ONE_SIDED)
            if base in SETS:
                new_pieces = [
                    Piece(name, get_polyomino(name)) for name in list_names(SETS.index(base) + 1)
                ]
                if base != set_or_piece:
                    new_pieces += [
                        Piece(f"{p.name}'", p.shape.reflect())
                        for p in new_pieces
                        if p.shape.is_chiral
                    ]
                default_limit = None if len(new_pieces) == 1 else 1
            else:
                new_pieces = [Piece(set_or_piece, _read_shape(set_or_piece))]
                default_limit = 1
            limit = _read_times(times, item) if star else default_limit
            pieces += [Piece(p.name, p.shape, limit) for p in new_pieces]
        return cls(tuple(pieces), orientations, use_all)

    @classmethod
    def parse_drawings(
        cls,
        text: str,
        source: str = "pieces",
        orientations: Orientations = "all",
        *,
        use_all: bool = False,
    ) -> PieceSet:
        """Read a file of drawings in the form that the module describes."""
        pieces: list[Piece] = []
        block: list[str] = []
        for number, line in enumerate([*text.splitlines(), ""], 1):
            line = line.partition(";")[0].rstrip()
            if line.strip():
                block.append(line)
            elif block:
                try:
                    pieces.append(_read_drawing(block))
                except InputError as error:
                    raise InputError(f"{source}:{number - len(block)}: {error}") from error
                block = []
        if not pieces:
            raise InputError(f"{source}: has no drawing of a piece; draw cells as '#'")
        return cls(tuple(pieces), orientations, use_all)

    def __str__(self) -> str:
        return ",".join(map(str, self.pieces))


def _read_shape(text: str) -> Polyomino:
    """Read a piece that is given by its name or as a drawing."""
    if set(text) <= set("#./"):
        return Polyomino.parse(text)
    try:
        return get_polyomino(text)
    except InputError as error:
        raise InputError(
            f"{error}; or a set ({', '.join(SETS)}, each also as {_ONE_SIDED}...), "
            "a drawing such as ##/#., or a file of drawings"
        ) from error


def _read_times(times: str, item: str) -> int | None:
    """Read the number of uses; None for ``inf``."""
    if times == "inf":
        return None
    if not re.fullmatch(r"[1-9]\d{0,8}", times):
        raise InputError(
            f"{item.strip()!r}: invalid number after '*'; expected 1 to 999999999, or inf"
        )
    return int(times)


def _read_drawing(lines: Sequence[str]) -> Piece:
    """Read a drawing; its first line may contain a name and a number of uses."""
    name = ""
    limit: int | None = 1
    if not set(lines[0].strip()) <= set("#."):
        head = re.fullmatch(r"\s*([^\s*#.,]*)\s*(?:\*\s*(\S+))?\s*", lines[0])
        if head is None:
            raise InputError(
                f"{lines[0]!r}: is not part of a drawing; expected '#' and '.', or NAME, NAME*4 or "
                "*inf above them"
            )
        name = head[1]
        if head[2] is not None:
            limit = _read_times(head[2], lines[0])
        lines = lines[1:]
        if not lines:
            raise InputError(f"the name {name!r} has no drawing under it")
    shape = Polyomino.parse("\n".join(lines))
    return Piece(name or _find_name(shape), shape, limit)


def _find_name(shape: Polyomino) -> str:
    """Return the name of a shape with its turn and mirror marks, or its drawing if it has none."""
    free_name = find_name(shape)
    if free_name is None:
        return str(shape).replace("\n", "/")
    for prime in ("", "'"):
        for turn in ("", "@1", "@2", "@3"):
            if get_polyomino(free_name + prime + turn) == shape:
                return free_name + prime + turn
    raise AssertionError  # each shape is a turn of the named piece or of its mirror image
