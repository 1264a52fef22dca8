"""Stacks: the pieces that a pass could use, for any position and any squares.

A pass is a slice of the virtual rows of a game. Its **stack** is a word, lowest row first: ``p``
is the next row of the picture; ``c`` is a row that is filled and clears, after those below it. On
top there may be rows in which the pass carries squares, and which the next one clears: in ``b`` it
may leave squares of any type; in ``q`` only those that the picture has there, so that the next
pass may also let them stay. A pass without ``c`` clears nothing: its pieces lie in the picture.

A piece in a stack is an orientation, its lowest row and its **level**: at least ``r + 1``
means "dropped when or after clearing row ``r`` completes". If level and rows do not ensure its
support, it needs one square: of the picture in one of its columns, or right below the stack.
Such a piece occurs once for each column that could support it, with that square as a
condition.

All of this is the same for every row of every picture, so it is worked out once per stack,
as arrays that the compiled search reads.
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
"""A state of the search is two 64-bit numbers; more does not fit."""

_ALWAYS_SUPPORTED = -2  # the piece always has support
_GROUND = -1


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to place a piece in the rows of a pass, at any column."""

    orientation: Orientation  # the piece
    y: int  # its lowest row in the stack
    level: int  # how many clearing rows are complete before it, see the module
    # The column of the piece that must be supported, and the stack row of the square that supports
    # it (-1: the row right below the stack). None if the piece always has support
    held: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class PassStack:
    """A stack with the pieces that fit into it."""

    word: str  # its rows
    clearing: int  # its clearing rows, as a bit set
    # Every piece; those whose lowest cell in their first column is in row ``v`` are
    # ``begin[v]:begin[v + 1]``
    variants: tuple[Variant, ...]
    begin: array[int]  # of each row, and the number of all pieces
    # For each: type, level, clearing rows that it completes, its rows in columns 0 to 3, the column
    # and row of the square that must support it (row -2 if none), whether it completes nothing,
    # and its cells (column and row, four times)
    fields: Any
    # For each, the bits that it adds to the two numbers of a state of the search (1, 3), and those
    # that must not be set before (0, 2): its cells but for the first, and rows that it completes.
    # Last 0 if its level may exceed the level reached, 2 if it may not, 1 if it may only over a
    # cell of its own level
    masks: Any

    @property
    def level_bits(self) -> int:
        """The number of bits of a cell in a state: its level plus one, or 0 if it is empty."""
        return _count_level_bits(self.clearing.bit_count())


def _count_level_bits(lines: int) -> int:
    return (lines + 1).bit_length()


@lru_cache(maxsize=128)
def make_stack(word: str) -> PassStack:
    """Return the stack of a word, with all of its pieces."""
    if not re.fullmatch(f"[cp]+[{CARRIED}]*|[{CARRIED}]+", word):
        raise ValueError(f"{word!r} is not a stack")
    if len(word) > MAX_ROWS or word.count("c") > MAX_LINES:
        raise ValueError(f"a stack of {word} is too large")
    rows, lines = len(word), [v for v, kind in enumerate(word) if kind == "c"]
    variants = sorted(_list_variants(word), key=lambda one: one.y + one.orientation.bottom[0])
    counts = [0] * rows
    for one in variants:
        counts[one.y + one.orientation.bottom[0]] += 1
    assert max(counts) < 1 << 63 // rows
    fields = [_make_fields(lines, one) for one in variants]
    masks = [_make_masks(one, rows, len(lines)) for one in fields]
    begin = make_numbers(accumulate(counts, initial=0))
    return PassStack(
        word,
        sum(1 << v for v in lines),
        tuple(variants),
        begin,
        _make_table(fields),
        _make_table(masks),
    )


def _make_table(rows: list[list[int]]) -> memoryview[Any]:
    """Return rows of 64-bit numbers, whose highest bit may be the sign, as a table."""
    bits = array("Q", (value & (1 << 64) - 1 for row in rows for value in row))
    return memoryview(bits).cast("B").cast("q", (len(rows), len(rows[0])))


def _make_masks(fields: list[int], rows: int, lines: int) -> list[int]:
    """Return the masks of a piece of a stack."""
    bits = _count_level_bits(lines)
    full = (1 << bits) - 1
    at_level = 2 * rows * bits
    level, completes, columns = fields[1], fields[2], fields[3:7]
    free1 = completes << at_level + bits
    sets1, free2, sets2 = free1 | level << at_level, 0, columns[3] << rows * bits
    first = columns[0] & -columns[0]  # the lowest of the first column begins the piece
    for r in range(rows):
        for column, shift in ((columns[0] & ~first, r * bits), (columns[1], (rows + r) * bits)):
            if column >> r & 1:
                free1 |= full << shift
                sets1 |= level + 1 << shift
        if columns[2] >> r & 1:
            free2 |= full << r * bits
            sets2 |= level + 1 << r * bits
    stands = 0 if not fields[9] else 2 if not columns[1] else 1
    return [free1, sets1, free2, sets2, stands]


def _list_variants(word: str) -> Iterator[Variant]:
    lowest = word.find("c")
    for o in ORIENTATIONS:
        for y in range(len(word) - o.height + 1):
            if y + o.height <= lowest:
                continue  # wholly below the clearing rows: no clear is needed
            for level in range(word[: y + o.height].count("c") + 1):
                supports = _find_supports(word, o, y, level)
                if supports is None:
                    yield Variant(o, y, level, None)
                else:
                    yield from (Variant(o, y, level, held) for held in supports)


def _find_supports(word: str, o: Orientation, y: int, level: int) -> list[tuple[int, int]] | None:
    """Return the squares that could support each column of a piece; None if support is certain."""
    found = []
    clearing = [v for v, kind in enumerate(word) if kind == "c"]
    gone = sum(1 << v for v in clearing[:level] if v < y)
    for dx, bottom in enumerate(o.bottom):
        below = find_row_under(y + bottom, gone)
        if below >= 0 and word[below] == "c":
            return None  # a row that is not complete yet, or that the piece covers itself
        found.append((dx, below))
    return found


def _make_fields(lines: list[int], one: Variant) -> list[int]:
    piece, columns, cells = _describe_shape(one.orientation, one.y)
    covered = columns[0] | columns[1] | columns[2] | columns[3]
    completes = 0
    for r, v in enumerate(lines[: one.level]):
        completes |= (covered >> v & 1) << r
    held = one.held or (0, _ALWAYS_SUPPORTED)
    return [piece, one.level, completes, *columns, *held, not completes, *cells]


@cache
def _describe_shape(o: Orientation, y: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the type of a piece in some row, its rows in columns 0 to 3, and its cells."""
    columns = [0] * 4
    for dx, cy in o.cells:
        columns[dx] |= 1 << (y + cy)
    return (
        int(o.piece),
        tuple(columns),
        tuple(value for dx, cy in o.cells for value in (dx, y + cy)),
    )
