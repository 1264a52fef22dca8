"""Fill the wells of an old picture from below before its rows are cleared.

A *well* is a column that is lower than its neighbours. Its cells must be filled in any case. A well
far below the rows that are cleared next is filled from below: pieces that rest without a gap waste
no squares and support the rows above.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tetrisprinter.game.field import Playfield, Rows
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, Placement
from tetrisprinter.game.plan import Pass

_SHAPES: Final = tuple({one.cells: one for one in ORIENTATIONS}.values())


def fill_wells(rows: Rows, first: int, last: int) -> tuple[tuple[Pass, ...], Rows, int]:
    """Fill the open cells of some rows without gaps; return passes, the rows then, and lines."""
    field = Playfield.from_rows(len(rows[0]), len(rows), rows)
    dropped: list[list[Placement]] = [[]]
    line_count = 0
    given_up: set[tuple[int, int]] = set()
    while True:
        tops = field.tops
        lowest = [(top, x) for x, top in enumerate(tops) if first <= top < last]
        lowest = [cell for cell in lowest if cell not in given_up]
        if not lowest:
            break
        placement = _find_smoothest(tops, min(lowest)[1], first, last)
        if placement is None:
            given_up.add(min(lowest))
            continue
        landed = field.drop(*placement)
        dropped[-1].append(Placement(landed.orientation, landed.x, landed.y))
        if landed.cleared:
            dropped.append([])
            line_count += len(landed.cleared)
            last -= len(landed.cleared)
    return tuple(Pass.make(pieces) for pieces in dropped if pieces), field.used_rows, line_count


def _find_smoothest(
    tops: tuple[int, ...], x: int, first: int, last: int
) -> tuple[Orientation, int] | None:
    """Return the piece and the first column that fill column ``x`` most smoothly, or None."""
    best, least = None, len(tops) * last
    for shape in _SHAPES:
        for column in range(max(0, x - shape.width + 1), min(x, len(tops) - shape.width) + 1):
            y = tops[x] - shape.bottom[x - column]
            below = tops[column : column + shape.width]
            if (
                y < first
                or y + shape.height > last
                or below != tuple(y + low for low in shape.bottom)
            ):
                continue
            tops_after = list(tops)
            tops_after[column : column + shape.width] = [y + high for high in shape.top]
            added = _measure_roughness(tops_after, column, shape.width, last) - _measure_roughness(
                tops, column, shape.width, last
            )
            if added < least:
                best, least = (shape, column), added
    return best


def _measure_roughness(tops: Sequence[int], column: int, width: int, last: int) -> int:
    """Return the roughness of the surface around some columns.

    Walls, and columns higher than ``last``, count as ``last`` rows high.
    """
    surface = [last, *(min(top, last) for top in tops), last][column : column + width + 2]
    return sum(abs(left - right) for left, right in pairwise(surface))
