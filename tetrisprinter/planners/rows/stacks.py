"""Stacks: the pieces that a pass could use, for any position and any squares.

A pass fills neighbouring rows among all rows of a game. Its **stack** has a letter, the *row kind*,
for each row, the lowest first: ``p`` is the next row of the picture; ``c`` is a row that is filled
and clears, after those below it. On top there may be rows in which the pass carries squares, and
which the next pass clears: in ``b`` it may leave squares of any type; in ``q`` only those that the
picture has there, so that they may also stay. A pass without ``c`` clears nothing.

A piece in a stack is an orientation, its lowest row and its **level**. A level of at least
``r + 1`` means that the piece completes clearing row ``r`` or lands later. If level and rows
do not ensure that the piece has support, it needs a square of the picture in one of its columns, or
a square right below the stack. Such a piece occurs once for each column that could support it,
with that square as a condition.

Stacks do not depend on the row or the picture, so the pieces are computed once per stack, as arrays
that the compiled search reads.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, Final

from tetrisprinter.game.levels import find_row_under
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation
from tetrisprinter.support.arrays import make_numbers

CARRIED: Final = "bq"
"""The letters of rows in which squares are carried."""

MAX_ROWS: Final = 7
MAX_LINES: Final = 6
"""The largest numbers of rows and lines for which a state fits into two 64-bit numbers."""

_ALWAYS_SUPPORTED = -2  # the piece always has support
_GROUND = -1


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to place a piece in the rows of a pass, at any column."""

    orientation: Orientation  # the piece
    y: int  # its lowest row in the stack
    level: int  # how many clearing rows are complete after it lands; see the module
    # The column of the piece that must be supported, and the stack row of the square that supports
    # it (-1: the row right below the stack). None if the piece always has support
    support: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class PassStack:
    """A stack with the pieces that fit into it."""

    row_kinds: str  # the kind of each row, the lowest first
    clearing: int  # its clearing rows, as a bit set
    # All pieces. Those whose lowest cell in their first column is in row ``v`` have the numbers
    # ``begin[v]:begin[v + 1]``
    variants: tuple[Variant, ...]
    begin: array[int]  # the first piece of each row, then the number of all pieces
    # For each piece: its type, its level, the clearing rows that it completes, its rows in columns
    # 0 to 3, the column and row of the square that must support it (row -2 if none), whether it
    # completes nothing, and its cells (column and row, four times)
    fields: Any
    # For each piece: the bits that it adds to the two numbers of a state of the search (entries 1
    # and 3), and the bits that must not be set before (0 and 2): its cells except the first, and
    # the rows that it completes. Entry 4 is 0 if its level may exceed the level reached, 2 if it
    # may not, and 1 if it may only over a cell of its own level
    masks: Any

    @property
    def level_bits(self) -> int:
        """The number of bits of a cell in a state: its level plus one, or 0 if it is empty."""
        return _count_level_bits(self.clearing.bit_count())


def _count_level_bits(lines: int) -> int:
    return (lines + 1).bit_length()


@lru_cache(maxsize=128)
def make_stack(row_kinds: str) -> PassStack:
    """Return the stack with these rows and all of its pieces."""
    if not re.fullmatch(f"[cp]+[{CARRIED}]*|[{CARRIED}]+", row_kinds):
        raise ValueError(f"{row_kinds!r} is not a stack")
    if len(row_kinds) > MAX_ROWS or row_kinds.count("c") > MAX_LINES:
        raise ValueError(f"a stack of {row_kinds} is too large")
    rows, lines = len(row_kinds), [row for row, kind in enumerate(row_kinds) if kind == "c"]
    variants = sorted(
        _list_variants(row_kinds), key=lambda variant: variant.y + variant.orientation.bottom[0]
    )
    counts = [0] * rows
    for variant in variants:
        counts[variant.y + variant.orientation.bottom[0]] += 1
    assert max(counts) < 1 << 63 // rows
    fields = [_make_fields(lines, variant) for variant in variants]
    masks = [_make_masks(entry, rows, len(lines)) for entry in fields]
    begin = make_numbers(accumulate(counts, initial=0))
    return PassStack(
        row_kinds,
        sum(1 << row for row in lines),
        tuple(variants),
        begin,
        _make_table(fields),
        _make_table(masks),
    )


def _make_table(rows: list[list[int]]) -> memoryview[Any]:
    """Return a table of 64-bit numbers; those with the highest bit set become negative."""
    bits = array("Q", (value & (1 << 64) - 1 for row in rows for value in row))
    return memoryview(bits).cast("B").cast("q", (len(rows), len(rows[0])))


def _make_masks(fields: list[int], rows: int, lines: int) -> list[int]:
    """Return the masks of a piece (see ``PassStack.masks``) from its fields."""
    bits = _count_level_bits(lines)
    full = (1 << bits) - 1
    at_level = 2 * rows * bits
    level, completes, columns = fields[1], fields[2], fields[3:7]
    free1 = completes << at_level + bits
    sets1, free2, sets2 = free1 | level << at_level, 0, columns[3] << rows * bits
    first = columns[0] & -columns[0]  # the lowest cell of the first column begins the piece
    for r in range(rows):
        for column, shift in ((columns[0] & ~first, r * bits), (columns[1], (rows + r) * bits)):
            if column >> r & 1:
                free1 |= full << shift
                sets1 |= level + 1 << shift
        if columns[2] >> r & 1:
            free2 |= full << r * bits
            sets2 |= level + 1 << r * bits
    level_rule = 0 if not fields[9] else 2 if not columns[1] else 1
    return [free1, sets1, free2, sets2, level_rule]


def _list_variants(row_kinds: str) -> Iterator[Variant]:
    """Yield all pieces of a stack."""
    lowest_line = row_kinds.find("c")
    for orientation in ORIENTATIONS:
        for y in range(len(row_kinds) - orientation.height + 1):
            if y + orientation.height <= lowest_line:
                continue  # entirely below the clearing rows: no clear is needed
            for level in range(row_kinds[: y + orientation.height].count("c") + 1):
                supports = _find_supports(row_kinds, orientation, y, level)
                if supports is None:
                    yield Variant(orientation, y, level, None)
                else:
                    yield from (Variant(orientation, y, level, support) for support in supports)


def _find_supports(
    row_kinds: str, orientation: Orientation, y: int, level: int
) -> list[tuple[int, int]] | None:
    """Return the column and row of each possible support of a piece; None if support is certain."""
    supports = []
    clearing = [row for row, kind in enumerate(row_kinds) if kind == "c"]
    cleared = sum(1 << row for row in clearing[:level] if row < y)
    for dx, bottom in enumerate(orientation.bottom):
        row_below = find_row_under(y + bottom, cleared)
        if row_below >= 0 and row_kinds[row_below] == "c":
            return None  # a row that is not complete yet, or that the piece covers itself
        supports.append((dx, row_below))
    return supports


def _make_fields(lines: list[int], variant: Variant) -> list[int]:
    """Return the fields of a piece (see ``PassStack.fields``) for some clearing rows."""
    piece, columns, cells = _describe_shape(variant.orientation, variant.y)
    covered = columns[0] | columns[1] | columns[2] | columns[3]
    completes = 0
    for r, v in enumerate(lines[: variant.level]):
        completes |= (covered >> v & 1) << r
    support = variant.support or (0, _ALWAYS_SUPPORTED)
    return [piece, variant.level, completes, *columns, *support, not completes, *cells]


@cache
def _describe_shape(
    orientation: Orientation, y: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the type of an orientation in row ``y``, its rows in columns 0 to 3, and its cells."""
    columns = [0] * 4
    for dx, cy in orientation.cells:
        columns[dx] |= 1 << (y + cy)
    return (
        int(orientation.piece),
        tuple(columns),
        tuple(value for dx, cy in orientation.cells for value in (dx, y + cy)),
    )
