"""All fields that games lead to from a field, by exhaustive search: small boards only.

It shares no code with the package. A field is a number: the square in column x of row y, counted
from the floor, is its bit ``width * y + x``. What a square's type is does not matter here.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tests.oracles.game import ROTATIONS

Fields = NDArray[np.int64]

NEVER = 255
"""Stands for a field to which no game leads."""

_SHAPES = sorted({tuple(sorted(cells)) for turned in ROTATIONS.values() for cells in turned})
_AT_ONCE = 1 << 19


def number_of(rows: Iterable[Sequence[object]]) -> int:
    """Return the number of a field, given by its rows, bottom first: what is true is filled."""
    bits = [bool(value) for row in rows for value in row]
    return sum(1 << place for place, filled in enumerate(bits) if filled)


def distances(start: int, width: int, height: int) -> NDArray[np.uint8]:
    """Return for every field the fewest drops with which a game leads there from a start.

    A board of 5x5 takes some minutes and 200 MB, one of 4x4 a part of a second.
    """
    drops = np.full(1 << width * height, NEVER, np.uint8)
    drops[start] = 0
    front = np.array([start], np.int64)
    for number in range(1, NEVER):
        for part in np.array_split(front, len(front) // _AT_ONCE + 1):
            for after in _drops(part, width, height):
                drops[after[drops[after] > number]] = number
        front = np.flatnonzero(drops == number)
        if not len(front):
            break
    return drops


def within(start: int, width: int, height: int, most: int) -> list[Fields]:
    """Return the fields that 0, 1, ... drops lead to and no fewer, as long as they are few."""
    levels = [np.array([start], np.int64)]
    known = levels[0]
    while len(levels[-1]) and len(levels[-1]) * 40 < most:
        found = np.unique(np.concatenate(list(_drops(levels[-1], width, height))))
        levels.append(np.setdiff1d(found, known, assume_unique=True))
        known = np.union1d(known, levels[-1])
    return levels


def _drops(fields: Fields, width: int, height: int) -> Iterator[Fields]:
    """Yield for every piece and column what it leaves, of the fields in which it has room."""
    for cells in _SHAPES:
        high = 1 + max(y for _, y in cells)
        for left in range(width - max(x for x, _ in cells)):
            falls = np.ones(len(fields), bool)
            lies = np.full(len(fields), height)
            for y in range(height - 1, -1, -1):
                falls &= fields & _mask(cells, left, y, width, height) == 0
                lies[falls] = y
            places = np.array([_mask(cells, left, y, width, height) for y in range(height)])
            has_room = lies <= height - high
            yield _cleared(fields[has_room] | places[lies[has_room]], width, height)


def _mask(cells: Iterable[tuple[int, int]], left: int, bottom: int, width: int, height: int) -> int:
    """Return the squares of a piece that lie within the board."""
    return sum(1 << width * (bottom + y) + left + x for x, y in cells if bottom + y < height)


def _cleared(fields: Fields, width: int, height: int) -> Fields:
    """Take full rows out; what lies above them moves down."""
    full = (1 << width) - 1
    for y in range(height - 1, -1, -1):
        lower, above = fields & ((1 << width * y) - 1), fields >> width * (y + 1) << width * y
        fields = np.where(fields >> width * y & full == full, lower | above, fields)
    return fields
