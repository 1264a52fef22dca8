"""Tiling problems: the board, its placements, and tilings.

A board is a rectangle with some blocked cells. A set of cells is one integer, a *mask*, with the
cells as bits row by row from the top left. The **least significant bit is the bottom right
corner**. So the binary number of a mask of one row looks like a drawing of that row. The first free
cell, where a search continues, is the highest set bit.

A search fills the first free cell, so it needs the placements by their *first* cell. Placements
beyond the board or on blocked cells are left out. So are those that **cut off a pocket**: when a
placement covers the first free cell, all cells before it are covered, too, and the free cells after
it may be split into regions. If no pieces can fill a small region (a pocket), the placement is in
no tiling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.support import format_count, load
from tetrisprinter.tilings.polyomino import GridCell, Piece, PieceSet, Polyomino, list_neighbours

MEMORY_LIMIT: Final = 2 << 30
"""Bytes that one table may need; larger tables are refused before they are built."""


def format_memory(size: float) -> str:
    """Format a number of bytes for messages."""
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            return f"{size:.3g} {unit}"
        size /= 1024
    raise AssertionError


def check_memory(size: float, table_name: str) -> None:
    """Raise InputError if a table would need more memory than the limit."""
    if size > MEMORY_LIMIT:
        raise InputError(
            f"{table_name} would need about {format_memory(size)} of memory; "
            f"the limit is {format_memory(MEMORY_LIMIT)}"
        )


@dataclass(frozen=True, init=False, slots=True)
class TilingBoard:
    """A rectangle of cells, some of them blocked.

    Parameters
    ----------
    width, height : int
        The size of the board, in cells.
    blocked : int or iterable of (int, int)
        The cells that stay empty, as a mask (see the module) or as cells ``(x, y)``
        with y downwards.

    Raises
    ------
    InputError
        If the size is not positive or takes too much memory, or a blocked cell lies
        outside the board.

    Examples
    --------
    >>> board = TilingBoard(4, 3, blocked=[(1, 0), (3, 2)])
    >>> print(board)
    .#..
    ....
    ...#
    >>> bin(board.blocked)
    '0b10000000001'
    >>> TilingBoard.parse(str(board)) == board
    True
    """

    width: int
    height: int
    blocked: int

    def __init__(self, width: int, height: int, blocked: int | Iterable[GridCell] = 0) -> None:
        if width < 1 or height < 1:
            raise InputError(f"invalid board {width}x{height}; expected a positive size")
        # All methods make a list of the cells, 8 bytes each, and a few masks.
        check_memory(16 * width * height, f"a board of {width}x{height} cells")
        if not isinstance(blocked, int):
            mask = 0
            for x, y in blocked:
                if not (0 <= x < width and 0 <= y < height):
                    raise InputError(f"blocked cell ({x}, {y}) is outside {width}x{height}")
                mask |= 1 << (width * height - 1 - (y * width + x))
            blocked = mask
        if not 0 <= blocked < 1 << (width * height):
            raise InputError(f"the mask of blocked cells has bits outside {width}x{height}")
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "height", height)
        object.__setattr__(self, "blocked", blocked)

    @property
    def area(self) -> int:
        """The number of free cells."""
        return self.free.bit_count()

    @property
    def free(self) -> int:
        """The free cells, as a mask."""
        return self.blocked ^ ((1 << (self.width * self.height)) - 1)

    def get_bit(self, x: int, y: int) -> int:
        """Return the mask of one cell."""
        return 1 << (self.width * self.height - 1 - (y * self.width + x))

    def make_mask(self, cells: Iterable[GridCell]) -> int:
        """Return the mask of some cells of the board."""
        return sum(self.get_bit(x, y) for x, y in set(cells))

    def list_cells(self, mask: int) -> Iterator[GridCell]:
        """Yield the cells of a mask, row by row from the top left."""
        last = self.width * self.height - 1
        while mask:
            high = mask.bit_length() - 1
            mask ^= 1 << high
            y, x = divmod(last - high, self.width)
            yield x, y

    @classmethod
    def parse(cls, text: str, source: str = "board") -> TilingBoard:
        """Read a size such as ``6x10``, or a drawing: ``.`` is free, ``#`` is blocked."""
        match = re.fullmatch(r"\s*(\d{1,9})[xX](\d{1,9})\s*", text)
        if match:
            return cls(int(match[1]), int(match[2]))
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        skipped = 0
        while lines and not lines[0]:
            lines.pop(0)
            skipped += 1
        if not lines:
            raise InputError(
                f"{source}: empty; expected a size such as 6x10 or a drawing of '.' and '#'"
            )
        width = len(lines[0])
        blocked = []
        for y, line in enumerate(lines):
            where = f"{source}:{y + 1 + skipped}"
            if len(line) != width:
                raise InputError(
                    f"{where}: this row has {format_count(len(line), 'cell')}, but the first has "
                    f"{width}; draw a rectangle with '#' for blocked cells"
                )
            for x, letter in enumerate(line):
                if letter == "#":
                    blocked.append((x, y))
                elif letter != ".":
                    raise InputError(
                        f"{where}: invalid cell {letter!r} in column {x + 1}; expected '.' (free) "
                        "or '#' (blocked)"
                    )
        return cls(width, len(lines), blocked)

    def __str__(self) -> str:
        size = self.width * self.height
        bits = f"{self.blocked:0{size}b}".replace("0", ".").replace("1", "#")
        return "\n".join(bits[i : i + self.width] for i in range(0, size, self.width))


_MAX_AREA_FOR_POCKETS: Final = 10_000
_MAX_AREA_FOR_MASKS: Final = 2_000  # on a larger board the integers of a drawing are too long
_MAX_POCKET_SIZE: Final = 4  # cells; larger regions are left to the search
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True)
class TilingPlacement:
    """A piece on the board.

    Attributes
    ----------
    kind : int
        The number of the piece in the set.
    shape : Polyomino
        The piece in its orientation.
    x, y : int
        The top left corner of its bounding box; y counts downwards.
    mask : int
        The cells that the piece covers.
    """

    kind: int
    shape: Polyomino
    x: int
    y: int
    mask: int

    @property
    def cells(self) -> tuple[GridCell, ...]:
        """The cells that the piece covers, row by row from the top left."""
        return self.shape.place(self.x, self.y)


@dataclass(frozen=True)
class TilingProblem:
    """A board, a piece set and the table of their placements.

    Raises
    ------
    InputError
        If the table would need more memory than the limit.

    Examples
    --------
    >>> problem = TilingProblem(TilingBoard(3, 2), PieceSet.parse("dominoes"))
    >>> len(problem.placements)
    7
    >>> [len(placements) for placements in problem.by_cell]
    [2, 2, 1, 1, 1, 0]
    """

    board: TilingBoard
    pieces: PieceSet

    def __post_init__(self) -> None:
        shapes = sum(
            len(p.shape.list_orientations(self.pieces.orientations)) for p in self.pieces.pieces
        )
        cells = self.board.width * self.board.height
        # A placement takes 200 bytes. Its mask has a bit for each cell, and 30 bits take 4 bytes.
        check_memory(
            shapes * self.board.area * (cells // 7 + 200),
            f"{shapes} oriented pieces on {self.board.width}x{self.board.height} cells",
        )

    @cached_property
    def all_placements(self) -> tuple[TilingPlacement, ...]:
        """All placements on free cells, in order of first cell and piece."""
        board = self.board
        last = board.width * board.height - 1
        entries: list[tuple[int, int, TilingPlacement]] = []
        order = 0
        for kind, piece in enumerate(self.pieces.pieces):
            for shape in piece.shape.list_orientations(self.pieces.orientations):
                order += 1
                if shape.width > board.width or shape.height > board.height:
                    continue
                # The mask for the bottom right corner; moving a piece is a shift of its mask.
                corner = sum(1 << (last - y * board.width - x) for x, y in shape.cells)
                first = shape.cells[0][0]
                for y in range(board.height - shape.height + 1):
                    for x in range(board.width - shape.width + 1):
                        mask = corner >> (y * board.width + x)
                        if not mask & board.blocked:
                            first_cell = y * board.width + x + first
                            entries.append(
                                (first_cell, order, TilingPlacement(kind, shape, x, y, mask))
                            )
        entries.sort(key=lambda entry: entry[:2])
        return tuple(placement for _, _, placement in entries)

    @cached_property
    def placements(self) -> tuple[TilingPlacement, ...]:
        """The placements that cut off no pocket, in order of first cell and piece.

        On a very large board all placements, because looking for pockets takes too long there.
        """
        if self.board.area > _MAX_AREA_FOR_POCKETS:
            return self.all_placements
        can_fill_pockets = _make_pocket_test(self.board, self.all_placements)
        return tuple(p for p in self.all_placements if can_fill_pockets(p.mask))

    @cached_property
    def by_cell(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, row by row, the numbers of the placements whose first cell it is."""
        cells = self.board.width * self.board.height
        table: list[list[int]] = [[] for _ in range(cells)]
        for number, placement in enumerate(self.placements):
            # The first cell of a placement is the highest bit of its mask.
            table[cells - placement.mask.bit_length()].append(number)
        return tuple(map(tuple, table))

    @cached_property
    def limits(self) -> tuple[int | None, ...]:
        """For each piece its maximum number of uses; None if the board's area limits it more."""
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
        """The encoding of the remaining pieces as one integer with a field per piece.

        Returns for each piece its step and the mask of its field; then the integer at the start and
        the one after all limited pieces are used. Using a piece subtracts its step. A piece
        may be used if its field is not 0. Unlimited pieces have step 0 and a field that is never 0.
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
        # A bit above all fields keeps the integer above 0, also when no limited piece is left. So
        # the field of an unlimited piece is never 0.
        return steps, fields, remaining | 1 << shift, 1 << shift

    @cached_property
    def coverable_areas(self) -> list[bool]:
        """For each area, whether it is a sum of piece sizes, each used any number of times."""
        return find_area_sums([(size, None) for size in self.pieces.sizes], self.board.area)

    def make_tiling(self, numbers: Iterable[int]) -> Tiling:
        """Return the tiling with these placements."""
        return Tiling(
            self.board, self.pieces.pieces, tuple(self.placements[n] for n in sorted(numbers))
        )


def find_area_sums(sizes: Sequence[tuple[int, int | None]], largest: int) -> list[bool]:
    """Return for each number from 0 to ``largest`` whether it is a sum of sizes with limits."""
    reached = 1  # bit n is set if n is such a sum
    full = (1 << (largest + 1)) - 1
    for size, limit in sizes:
        for _ in range(largest // size if limit is None else min(limit, largest // size)):
            extended = (reached | reached << size) & full
            if extended == reached:  # more pieces of this size give no new sum
                break
            reached = extended
    return [bool(reached >> n & 1) for n in range(largest + 1)]


def make_grower(board: TilingBoard) -> Callable[[int], int]:
    """Return a function that adds the neighbours of its cells to a mask.

    Cells beyond the top of the board may be among them, so the result needs a mask of free cells.
    """
    width = board.width
    size = width * board.height
    left_edge = sum(1 << (width * y + width - 1) for y in range(board.height))
    # A shift by one must not move a cell at an edge to the other edge of a neighbouring row.
    movable_left = ((1 << size) - 1) & ~left_edge
    movable_right = ((1 << size) - 1) & ~(left_edge >> (width - 1))

    def grow(cells: int) -> int:
        return (
            cells
            | (cells & movable_left) << 1
            | (cells & movable_right) >> 1
            | cells << width
            | cells >> width
        )

    return grow


def _choose_letters(pieces: Sequence[Piece]) -> tuple[str, ...] | None:
    """Return the pieces' initials if they differ and each piece may be used once, else None."""
    initials = tuple(piece.name[0] for piece in pieces)
    if len(set(initials)) < len(initials) or not set(initials) <= set(_LETTERS):
        return None
    return initials if all(piece.most == 1 for piece in pieces) else None


def _make_pocket_test(
    board: TilingBoard, placements: Sequence[TilingPlacement]
) -> Callable[[int], bool]:
    """Return a predicate: can pieces fill every small pocket that a placement's mask leaves?"""
    grow = make_grower(board)
    covering: list[list[int]] = [[] for _ in range(board.width * board.height)]
    for placement in placements:
        for bit in _iterate_bits(placement.mask):
            covering[bit].append(placement.mask)

    def find_region(start: int, free_cells: int) -> int:
        """Return the connected region around a cell, incomplete if it is larger than a pocket."""
        region = start
        while (
            region.bit_count() <= _MAX_POCKET_SIZE
            and (grown := grow(region) & free_cells) != region
        ):
            region = grown
        return region

    def can_fill(pocket: int, taken: int) -> bool:
        """Return whether pieces that avoid the taken cells can cover a pocket.

        This is only necessary: outside the pocket the pieces may overlap each other.
        """
        if not pocket:
            return True
        return any(
            not mask & taken and can_fill(pocket & ~mask, taken | (mask & pocket))
            for mask in covering[pocket.bit_length() - 1]
        )

    def can_fill_pockets(mask: int) -> bool:
        # All cells before the first one of the placement are covered when it is placed.
        later_cells = board.free & ((1 << (mask.bit_length() - 1)) - 1) & ~mask
        frontier = grow(mask) & later_cells
        while frontier:
            pocket = find_region(frontier & -frontier, later_cells)
            frontier &= ~pocket
            if pocket.bit_count() <= _MAX_POCKET_SIZE and not can_fill(pocket, mask):
                return False
        return True

    return can_fill_pockets


def _iterate_bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True, slots=True)
class Tiling:
    """A board covered by pieces.

    Attributes
    ----------
    board : TilingBoard
        The covered board.
    pieces : tuple of Piece
        The piece set.
    placements : tuple of TilingPlacement
        The placed pieces in the order of their first cells.
    """

    board: TilingBoard
    pieces: tuple[Piece, ...]
    placements: tuple[TilingPlacement, ...]

    @property
    def letters(self) -> tuple[str, ...]:
        """A letter for each placement; touching pieces have different letters.

        These are the first letters of the pieces' names if they differ and each piece may be used
        once, else A, B, C, ... in the order of the first cells. More than 62 pieces share letters.
        """
        initials = _choose_letters(self.pieces)
        if initials is not None:
            return tuple(initials[placement.kind] for placement in self.placements)
        if len(self.placements) <= len(_LETTERS):
            return tuple(_LETTERS[: len(self.placements)])
        return tuple(self.color_placements(_LETTERS))

    def color_placements(self, colors: Sequence[str]) -> list[str]:
        """Return a colour for each placement; touching pieces differ if there are enough.

        All colours are used about equally often.
        """
        chosen: list[str] = []
        owners = self.owners
        for number, placement in enumerate(self.placements):
            neighbours = {
                owners.get(neighbour)
                for cell in placement.cells
                for neighbour in list_neighbours(cell)
            }
            used_colors = {chosen[n] for n in neighbours if n is not None and n < number}
            offset = number % len(colors)
            rotated = [*colors[offset:], *colors[:offset]]
            chosen.append(
                next((color for color in rotated if color not in used_colors), rotated[0])
            )
        return chosen

    @property
    def owners(self) -> dict[GridCell, int]:
        """For each covered cell the number of its placement."""
        return {cell: n for n, placement in enumerate(self.placements) for cell in placement.cells}

    def __repr__(self) -> str:
        size = f"{self.board.width}x{self.board.height}"
        return f"<Tiling of {size}, {len(self.placements)} pieces>"

    def _repr_svg_(self) -> str:
        svg: str = load("tetrisprinter.render.still:draw_tilings_svg")([self])
        return svg

    def __str__(self) -> str:
        rows = [list(line) for line in str(self.board).split("\n")]
        for letter, placement in zip(self.letters, self.placements, strict=True):
            for x, y in placement.cells:
                rows[y][x] = letter
        return "\n".join(map("".join, rows))


def draw_tilings(problem: TilingProblem, covers: Iterable[tuple[int, ...]]) -> Iterator[str]:
    """Yield the drawings of solutions, each equal to ``str`` of its tiling.

    A drawing is one long integer with a byte per character. A placement adds its letter at its
    cells, so a drawing costs only one sum.
    """
    board = problem.board
    if board.area > _MAX_AREA_FOR_MASKS:
        yield from (str(problem.make_tiling(cover)) for cover in covers)
        return
    length = (board.width + 1) * board.height - 1
    empty = int.from_bytes(str(board).replace(".", "\0").encode("ascii"), "big")
    masks = [
        sum(1 << 8 * (length - 1 - (y * (board.width + 1) + x)) for x, y in placement.cells)
        for placement in problem.placements
    ]
    initials = _choose_letters(problem.pieces.pieces)
    if initials is not None:
        letter_masks = [
            mask * ord(initials[placement.kind])
            for mask, placement in zip(masks, problem.placements, strict=True)
        ]
        for cover in covers:
            total = empty + sum([letter_masks[number] for number in cover])
            yield total.to_bytes(length, "big").decode("ascii")
        return
    codes = _LETTERS.encode("ascii")
    for cover in covers:
        if len(cover) > len(codes):
            yield str(problem.make_tiling(cover))
            continue
        total = empty
        for number, code in zip(cover, codes, strict=False):
            total += masks[number] * code
        yield total.to_bytes(length, "big").decode("ascii")
