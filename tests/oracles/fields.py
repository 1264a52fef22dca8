"""All fields that games lead to from a field, by exhaustive search: small boards only.

It shares no code with the package. A field is its rows, bottom first, each a tuple of 0 and 1;
what a square's type is does not matter here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.oracles.game import ROTATIONS

Field = tuple[tuple[int, ...], ...]

SHAPES = sorted({tuple(sorted(cells)) for turned in ROTATIONS.values() for cells in turned})


def after_drops(field: Field, width: int, height: int) -> set[Field]:
    """Return what one drop can leave."""
    found = set()
    for cells in SHAPES:
        for left in range(width - max(x for x, _ in cells)):
            placed = _fallen(field, [(x + left, y) for x, y in cells], height)
            if placed is not None:
                found.add(placed)
    return found


def _fallen(field: Field, cells: list[tuple[int, int]], height: int) -> Field | None:
    filled = {(x, y) for y, row in enumerate(field) for x, value in enumerate(row) if value}
    width = len(field[0]) if field else None
    y0 = height + 4  # high above, then down step by step
    while all(y + y0 > 0 and (x, y + y0 - 1) not in filled for x, y in cells):
        y0 -= 1
    if any(y + y0 >= height for _, y in cells):
        return None
    filled |= {(x, y + y0) for x, y in cells}
    assert width is not None
    rows = [tuple(int((x, y) in filled) for x in range(width)) for y in range(height)]
    return tuple(row for row in rows if any(row) and not all(row))


def reached(start: Iterable[Sequence[int]], width: int, height: int) -> dict[Field, int]:
    """Return every field that a game from a start leaves, with the fewest drops to it."""
    first: Field = tuple(tuple(map(int, map(bool, row))) for row in start)
    drops = {tuple(row for row in first if any(row)): 0}
    front: list[Field] = [first]
    number = 0
    while front:
        number += 1
        later = []
        for field in front:
            for after in after_drops(field or ((0,) * width,), width, height):
                if after not in drops:
                    drops[after] = number
                    later.append(after)
        front = later
    return drops
