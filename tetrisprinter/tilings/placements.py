"""Every way to lay a piece on a board, sorted by the first cell it covers.

A search fills the first free cell, so all that it asks is: which placements have this
cell as their *first* (row by row from the top left)? Left out beforehand are placements
that leave the board or lie on a blocked cell, and those that **cut off a pocket**: once a
placement covers the first free cell, everything before it is covered too, and the free
cells behind may fall apart. If a small part cannot be filled by any pieces, not even with
the help of pieces that come from before, the placement is in no tiling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tetrisprinter.support.displays import SVG
from tetrisprinter.tilings.board import Board, check_memory
from tetrisprinter.tilings.pieces import Piece, PieceSet
from tetrisprinter.tilings.polyomino import GridCell, Polyomino

__all__ = ["LETTERS", "Placement", "Tiling", "TilingProblem", "choose_letters", "find_area_sums"]

_POCKET: Final = 4  # cells; larger pockets are left to the search
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece on the board.

    Attributes
    ----------
    kind : int
        Which piece of the set.
    shape : Polyomino
        In which orientation.
    x, y : int
        Where the top left corner of its bounding box is; y counts downwards.
    mask : int
        The cells it covers.
    """

    kind: int
    shape: Polyomino
    x: int
    y: int
    mask: int

    @property
    def cells(self) -> tuple[GridCell, ...]:
        """The cells it covers, row by row from the top left."""
        return self.shape.place(self.x, self.y)


@dataclass(frozen=True)
class TilingProblem:
    """A board, a piece set and the table of their placements.

    Raises
    ------
    InputError
        If the table would take more memory than the limit; it is not begun then.

    Examples
    --------
    >>> problem = TilingProblem(Board(3, 2), PieceSet.parse("dominoes"))
    >>> len(problem.placements)
    7
    >>> [len(placements) for placements in problem.by_cell]
    [2, 2, 1, 1, 1, 0]
    """

    board: Board
    pieces: PieceSet

    def __post_init__(self) -> None:
        shapes = sum(
            len(p.shape.orientations(self.pieces.orientations)) for p in self.pieces.pieces
        )
        cells = self.board.width * self.board.height
        check_memory(
            shapes * self.board.area * (cells // 7 + 200),
            f"{shapes} oriented pieces on {self.board.width}x{self.board.height} cells",
        )

    @cached_property
    def raw(self) -> tuple[Placement, ...]:
        """All placements on free cells, pockets or not, in order of first cell and piece."""
        board = self.board
        last = board.width * board.height - 1
        found: list[tuple[int, int, Placement]] = []
        order = 0
        for kind, piece in enumerate(self.pieces.pieces):
            for shape in piece.shape.orientations(self.pieces.orientations):
                order += 1
                if shape.width > board.width or shape.height > board.height:
                    continue
                # The mask in the bottom right corner; moving a piece is a shift.
                corner = sum(1 << (last - y * board.width - x) for x, y in shape.cells)
                first = shape.cells[0][0]
                for y in range(board.height - shape.height + 1):
                    for x in range(board.width - shape.width + 1):
                        mask = corner >> (y * board.width + x)
                        if not mask & board.blocked:
                            at = y * board.width + x + first
                            found.append((at, order, Placement(kind, shape, x, y, mask)))
        found.sort(key=lambda entry: entry[:2])
        return tuple(placement for _, _, placement in found)

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """The placements that are worth trying, in order of first cell and piece."""
        pockets = _Pockets(self.board, self.raw)
        return tuple(p for p in self.raw if pockets.can_be_filled_after(p))

    @cached_property
    def by_cell(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, row by row from the top left, the numbers of its placements."""
        cells = self.board.width * self.board.height
        table: list[list[int]] = [[] for _ in range(cells)]
        for number, placement in enumerate(self.placements):
            table[cells - placement.mask.bit_length()].append(number)
        return tuple(map(tuple, table))

    @cached_property
    def limits(self) -> tuple[int | None, ...]:
        """For each piece how often it may be used; None where the area sets no tighter limit."""
        area = self.board.area
        return tuple(
            piece.most
            if piece.most is not None
            and (self.pieces.use_all or piece.most < area // piece.shape.size)
            else None
            for piece in self.pieces.pieces
        )

    @cached_property
    def counters(self) -> tuple[list[int], list[int], int, int]:
        """What is left of every piece, as fields of one integer.

        For each piece the step that takes one, and the mask of the bits that tell whether
        there is one; the integer of the beginning, and that of all limited pieces used up.
        Pieces without limit take nothing, and share a bit that is always set.
        """
        steps, fields = [], []
        remaining = shift = 0
        for limit in self.limits:
            if limit is None:
                steps.append(0)
                fields.append(-1)
                continue
            steps.append(1 << shift)
            width = limit.bit_length()
            fields.append(((1 << width) - 1) << shift)
            remaining |= limit << shift
            shift += width
        return steps, fields, remaining | 1 << shift, 1 << shift

    @cached_property
    def sums(self) -> list[bool]:
        """For each number of cells whether pieces, used without limit, can have that many."""
        return find_area_sums([(size, None) for size in self.pieces.sizes], self.board.area)

    def tiling(self, numbers: Iterable[int]) -> Tiling:
        """Return the tiling made of these placements."""
        return Tiling(
            self.board, self.pieces.pieces, tuple(self.placements[n] for n in sorted(numbers))
        )


def find_area_sums(sizes: Sequence[tuple[int, int | None]], most: int) -> list[bool]:
    """Say for each number up to ``most`` whether it is a sum of sizes with limits."""
    reached = 1
    full = (1 << (most + 1)) - 1
    for size, limit in sizes:
        for _ in range(most // size if limit is None else min(limit, most // size)):
            more = (reached | reached << size) & full
            if more == reached:
                break
            reached = more
    return [bool(reached >> n & 1) for n in range(most + 1)]


def choose_letters(pieces: Sequence[Piece]) -> tuple[str, ...] | None:
    """Return the first letters of the pieces' names if they tell all that is used apart."""
    initials = tuple(piece.name[0] for piece in pieces)
    if len(set(initials)) < len(initials) or not set(initials) <= set(LETTERS):
        return None
    return initials if all(piece.most == 1 for piece in pieces) else None


class _Pockets:
    """Judges the small parts into which a placement cuts what comes after it."""

    def __init__(self, board: Board, placements: Sequence[Placement]) -> None:
        self.board = board
        width, height = board.width, board.height
        size = width * height
        self.neighbours: list[int] = []
        for bit in range(size):
            y, x = divmod(size - 1 - bit, width)
            mask = 0
            if x:
                mask |= 1 << (bit + 1)
            if x < width - 1:
                mask |= 1 << (bit - 1)
            if y:
                mask |= 1 << (bit + width)
            if y < height - 1:
                mask |= 1 << (bit - width)
            self.neighbours.append(mask & board.free)
        self.covering: list[list[int]] = [[] for _ in range(size)]
        for placement in placements:
            for bit in _list_bits(placement.mask):
                self.covering[bit].append(placement.mask)

    def can_be_filled_after(self, placement: Placement) -> bool:
        """Return whether every small pocket that a placement leaves can be filled."""
        mask = placement.mask
        later = self.board.free & ((1 << (mask.bit_length() - 1)) - 1) & ~mask
        edge = 0
        for bit in _list_bits(mask):
            edge |= self.neighbours[bit]
        edge &= later
        while edge:
            pocket = self._part(edge & -edge, later)
            edge &= ~pocket
            if pocket.bit_count() <= _POCKET and not self._can_fill(pocket, mask):
                return False
        return True

    def _part(self, start: int, within: int) -> int:
        part = new = start
        while new:
            grown = 0
            for bit in _list_bits(new):
                grown |= self.neighbours[bit]
            new = grown & within & ~part
            part |= new
            if part.bit_count() > _POCKET:
                # More than is looked at; the rest of its edge is looked at again, in vain.
                return part
        return part

    def _can_fill(self, pocket: int, taken: int) -> bool:
        """Return whether pieces that avoid the taken cells can cover a pocket.

        Pieces may come from before the placement, and are not compared with each other there: a
        part of the truth, which is enough to rule out.
        """
        if not pocket:
            return True
        return any(
            not mask & taken and self._can_fill(pocket & ~mask, taken | (mask & pocket))
            for mask in self.covering[pocket.bit_length() - 1]
        )


def _list_bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True, slots=True)
class Tiling:
    """A board covered by pieces.

    Attributes
    ----------
    board : Board
        What is covered.
    pieces : tuple of Piece
        The pieces that could be used.
    placements : tuple of Placement
        Those that are, in the order of their first cells.
    """

    board: Board
    pieces: tuple[Piece, ...]
    placements: tuple[Placement, ...]

    def check(self) -> None:
        """Make sure that every free cell is covered once, and no piece used too often."""
        covered = 0
        for placement in self.placements:
            if covered & placement.mask or placement.mask & self.board.blocked:
                raise ValueError("a cell is covered twice")
            if self.board.mask(placement.cells) != placement.mask:
                raise ValueError("a mask is not that of its cells")
            covered |= placement.mask
        if covered != self.board.free:
            raise ValueError("a cell is not covered")
        for kind, piece in enumerate(self.pieces):
            used = sum(placement.kind == kind for placement in self.placements)
            if piece.most is not None and used > piece.most:
                raise ValueError(f"{piece.name} is used {used} times")

    @property
    def letters(self) -> tuple[str, ...]:
        """A letter for each placement; touching pieces never share one.

        The first letters of the pieces' names where each piece may be used once and these
        letters tell them apart, else A, B, C, ... in the order of the first cells; beyond
        62 pieces letters come again.
        """
        initials = choose_letters(self.pieces)
        if initials is not None:
            return tuple(initials[placement.kind] for placement in self.placements)
        if len(self.placements) <= len(LETTERS):
            return tuple(LETTERS[: len(self.placements)])
        return tuple(self.color_cells(LETTERS))

    def color_cells(self, colors: Sequence[str]) -> list[str]:
        """Give each placement a colour that no touching one has, as evenly as possible.

        Should the colours not suffice, one of them is repeated.
        """
        given: list[str] = []
        owner = self.owners
        for number, placement in enumerate(self.placements):
            around = {
                owner.get(cell)
                for x, y in placement.cells
                for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
            }
            taken = {given[n] for n in around if n is not None and n < number}
            turn = number % len(colors)
            turned = [*colors[turn:], *colors[:turn]]
            given.append(next((c for c in turned if c not in taken), turned[0]))
        return given

    @property
    def owners(self) -> dict[GridCell, int]:
        """For each covered cell the number of its placement."""
        return {cell: n for n, placement in enumerate(self.placements) for cell in placement.cells}

    def __repr__(self) -> str:
        size = f"{self.board.width}x{self.board.height}"
        return f"<Tiling of {size}, {len(self.placements)} pieces>"

    def _repr_svg_(self) -> str:
        return SVG["tilings"]([self])

    def __str__(self) -> str:
        rows = [list(line) for line in str(self.board).split("\n")]
        for letter, placement in zip(self.letters, self.placements, strict=True):
            for x, y in placement.cells:
                rows[y][x] = letter
        return "\n".join(map("".join, rows))
