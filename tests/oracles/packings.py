"""Brute force: does a gap-free, supported order of drops fill a matrix?

Plain recursion over what has been dropped so far, remembering the heights already seen.
No code of the package is used.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.oracles.game import ROTATIONS

_SHAPES = [
    [
        (min(y for cx, y in shape if cx == x), max(y for cx, y in shape if cx == x))
        for x in sorted({x for x, _ in shape})
    ]
    for rotations in ROTATIONS.values()
    for shape in rotations
]
"""For each shape and each of its columns the lowest and the highest cell."""


def can_pack(width: int, rows: int, start: Iterable[int], squares: Iterable[int] = ()) -> bool:
    """Whether a matrix can be filled from the given column heights.

    ``squares`` are columns that stand on a square of the row below the matrix.
    """
    standing = set(squares)
    seen: set[tuple[int, ...]] = set()

    def fill(heights: tuple[int, ...]) -> bool:
        if all(h == rows for h in heights):
            return True
        if heights in seen:
            return False
        seen.add(heights)
        complete = min(heights)
        for shape in _SHAPES:
            for x0 in range(width - len(shape) + 1):
                floor = heights[x0] - shape[0][0]
                if floor < 0 or any(
                    heights[x0 + i] != floor + low or floor + high >= rows
                    for i, (low, high) in enumerate(shape)
                ):
                    continue
                columns = range(x0, x0 + len(shape))
                if not any(heights[x] > complete or x in standing for x in columns):
                    continue
                after = list(heights)
                for x, (_, high) in zip(columns, shape, strict=True):
                    after[x] = floor + high + 1
                if fill(tuple(after)):
                    return True
        return False

    return fill(tuple(start))
