"""The question every finder answers, and what an answer is.

A **packed matrix** is a rectangle that tetrominoes fill and that clears completely. Its
**presets** are there first: the parts of the emitter pieces that lie inside it. The rest
is to be filled *gap-free* (a piece rests with every cell of its bottom profile directly
on filled cells or on row 0) and *supported* (when a piece drops, at least one of its
columns really holds it: on a cell of a row that is not complete yet, or, with nothing
missing between, on a square of the row below the matrix, row -1).

:meth:`Packing.check` replays an answer literally. It is deliberately independent of how
any finder thinks, and every finder's answer passes through it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tetrisprinter.errors import InputError, TetrisPrinterError
from tetrisprinter.game.counting import makes_pieces
from tetrisprinter.game.drawing import Block, draw, split_blocks
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType, Placement
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.support.views import SVG

__all__ = [
    "PLATFORM_ROWS",
    "Infeasible",
    "Packing",
    "PackingError",
    "PackingProblem",
    "Result",
    "Unknown",
    "emitter_problem",
    "platform_problems",
]


class PackingError(TetrisPrinterError):
    """A packing breaks a rule; the message says which piece and which rule."""


@dataclass(frozen=True, slots=True)
class PackingProblem:
    """A matrix to be packed.

    Attributes
    ----------
    width, rows : int
        Size of the matrix.
    presets : tuple of tuple of (int, int)
        For each piece dropped first, in drop order, the cells of the matrix it occupies.
        Together they must be gap-free.
    squares : frozenset of int
        Columns with a square in row -1, printed earlier or by the presets.
    last : Placement or None
        A piece that must be the last one dropped (a platform's removable piece).
    orientations : tuple of Orientation
        What the remaining cells may be filled with.

    Raises
    ------
    InputError
        If the size is not positive, presets overlap, leave the matrix, hang above a gap
        or complete a row, or ``last`` does not fit.
    """

    width: int
    rows: int
    presets: tuple[tuple[Cell, ...], ...] = ()
    squares: frozenset[int] = frozenset()
    last: Placement | None = None
    orientations: tuple[Orientation, ...] = ORIENTATIONS

    def __post_init__(self) -> None:
        if self.width < 1 or self.rows < 1:
            raise InputError(f"a matrix needs a positive size, not {self.width}x{self.rows}")
        if not all(0 <= x < self.width for x in self.squares):
            raise InputError("a square of the row below lies outside the matrix")
        cells = [cell for preset in self.presets for cell in preset]
        cells += self.last.cells if self.last else ()
        if len(set(cells)) < len(cells):
            raise InputError("presets overlap")
        if not all(0 <= x < self.width and 0 <= y < self.rows for x, y in cells):
            raise InputError(f"a preset lies outside the {self.width}x{self.rows} matrix")
        if min(self.start) and min(self.start) < self.rows:
            raise InputError("the presets alone complete a row")

    @property
    def start(self) -> tuple[int, ...]:
        """Column heights once the presets lie there."""
        heights = [0] * self.width
        for x, y in sorted(
            (cell for preset in self.presets for cell in preset), key=lambda c: c[1]
        ):
            if y != heights[x]:
                raise InputError(f"a preset leaves a gap in column {x}")
            heights[x] += 1
        return tuple(heights)

    @property
    def free_cells(self) -> int:
        """How many cells are left to fill."""
        return self.width * self.rows - sum(map(len, self.presets))

    @property
    def is_divisible(self) -> bool:
        """Whether the free cells are a multiple of 4, without which nothing can fit."""
        return makes_pieces(self.free_cells)


@dataclass(frozen=True, slots=True)
class Packing:
    """A filled matrix: the problem and the pieces that solve it, in drop order.

    ``str()`` gives the article's text form: the presets are the first letters, then the
    pieces follow; :meth:`from_block` reads it.
    """

    problem: PackingProblem
    pieces: tuple[Placement, ...]

    def __str__(self) -> str:
        groups = [*self.problem.presets, *(piece.cells for piece in self.pieces)]
        return draw(self.problem.width, self.problem.rows, groups)

    def __repr__(self) -> str:
        size = f"{self.problem.width}x{self.problem.rows}"
        return f"<Packing of {size}, {len(self.pieces)} pieces>"

    def _repr_svg_(self) -> str:
        """Show the packing in a notebook."""
        return SVG["packing"](self)

    def check(self) -> None:
        """Replay the packing drop by drop.

        Raises
        ------
        PackingError
            Naming the first piece that breaks a rule.
        """
        problem = self.problem
        heights = list(problem.start)
        filled = {cell for preset in problem.presets for cell in preset}
        allowed = frozenset(problem.orientations)
        at_height = Counter(heights)
        complete = 0
        for number, piece in enumerate(self.pieces, 1):
            name = f"piece {number} ({piece.orientation.piece.name} at column {piece.x})"
            if piece.orientation not in allowed:
                raise PackingError(f"{name} is of an orientation that is not allowed")
            for x, y in piece.cells:
                if not (0 <= x < problem.width and 0 <= y < problem.rows):
                    raise PackingError(f"{name} leaves the matrix")
                if (x, y) in filled:
                    raise PackingError(f"{name} overlaps")
            while not at_height[complete]:
                complete += 1
            held = False
            for dx, bottom in enumerate(piece.orientation.bottom):
                x = piece.x + dx
                if heights[x] != piece.y + bottom:
                    raise PackingError(f"{name} leaves a gap in column {x}")
                held = held or heights[x] > complete or x in problem.squares
            if not held:
                raise PackingError(f"{name} is not held by anything")
            filled.update(piece.cells)
            for dx, top in enumerate(piece.orientation.top):
                at_height[heights[piece.x + dx]] -= 1
                heights[piece.x + dx] = piece.y + top
                at_height[piece.y + top] += 1
        if len(filled) != problem.width * problem.rows:
            raise PackingError(
                f"{problem.width * problem.rows - len(filled)} cells are left unfilled"
            )
        if problem.last is not None and (not self.pieces or self.pieces[-1] != problem.last):
            raise PackingError("the removable piece is not the last one")

    @classmethod
    def from_block(cls, block: Block, presets: int, *, removable: bool = False) -> Packing:
        """Read the text form of a packing.

        Parameters
        ----------
        block : Block
            The drawing.
        presets : int
            How many of its first letters are presets.
        removable : bool
            Whether the last letter is a removable piece.

        Raises
        ------
        InputError
            Naming file and line, if a later letter is not a tetromino.
        """
        pieces: list[Placement] = []
        for index, cells in enumerate(block.groups[presets:], presets):
            piece = Placement.of(cells)
            if piece is None:
                raise block.error(f"the squares {chr(ord('A') + index)!r} are not a tetromino")
            pieces.append(piece)
        if removable and not pieces:
            raise block.error("the platform has no removable piece")
        try:
            problem = PackingProblem(
                block.width,
                block.height,
                block.groups[:presets],
                last=pieces[-1] if removable else None,
            )
        except InputError as error:
            raise block.error(str(error)) from error
        return cls(problem, tuple(pieces))

    @classmethod
    def parse(cls, text: str, presets: int = 0, source: str = "packing") -> Packing:
        """Read a single packing; see :meth:`from_block`."""
        blocks = split_blocks(text, source)
        if len(blocks) != 1:
            raise InputError(f"{source}: holds {len(blocks)} blocks where one is expected")
        return cls.from_block(blocks[0], presets)


@dataclass(frozen=True, slots=True)
class Infeasible:
    """No packing exists: the finder looked at everything, or arithmetic forbids it."""

    reason: str = "exhausted"


@dataclass(frozen=True, slots=True)
class Unknown:
    """The finder gave up before it knew."""

    reason: str


Result = Packing | Infeasible | Unknown


def emitter_problem(width: int, rows: int, positions: Iterable[int]) -> PackingProblem:
    """Return the problem of a table entry.

    Parameters
    ----------
    width, rows : int
        Size of the matrix.
    positions : iterable of int
        Leftmost columns of the emitter pieces. Each presets three cells of row 0, so
        that J, T and L, nub down, can leave a square below any of them. That square is
        not counted on for support.

    Raises
    ------
    InputError
        If the emitters overlap or leave the matrix.
    """
    presets = tuple(tuple((x + i, 0) for i in range(3)) for x in sorted(positions))
    return PackingProblem(width, rows, presets)


def platform_problems(width: int, column: int) -> tuple[PackingProblem, ...]:
    """Return the ways a platform could stand on a T at a column.

    A platform is a full rectangle of :data:`PLATFORM_ROWS` rows that starts with a T
    lying flat, nub up, on a square of the picture, and is taken away by a last piece
    while squares lie on top of it. That piece must fall through the two columns outside
    the picture at either edge, and it must be held although row 0 has vanished by then:
    only J and L standing with the hook at the top do both. One problem for each of these
    (left edge first, J before L).

    Parameters
    ----------
    width : int
        Columns of the matrix.
    column : int
        The leftmost column of the T.

    Returns
    -------
    tuple of PackingProblem
        Those in which the last piece does not overlap the T.
    """
    tee = next(o for o in ORIENTATIONS if o.piece is PieceType.T and o.row_widths == (3, 1))
    hooked = [o for o in ORIENTATIONS if o.width == 2 and o.row_widths == (1, 1, 2)]
    return tuple(
        PackingProblem(width, PLATFORM_ROWS, (tee.at(column, 0),), last=Placement(hook, x, 1))
        for x in (0, width - 2)
        for hook in hooked
        if not {*tee.at(column, 0)} & {*hook.at(x, 1)}
    )
