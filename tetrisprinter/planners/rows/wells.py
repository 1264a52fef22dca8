"""Fill the wells of an old picture from below before its rows are cleared.

Open squares must be filled in any case. A well far below the rows that are cleared next
is filled from below. Pieces that rest without a gap waste no squares, and they
support the rows above.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.game.start import Rows

_SHAPES: Final = tuple({one.cells: one for one in ORIENTATIONS}.values())


def fill_wells(rows: Rows, first: int, last: int) -> tuple[tuple[Pass, ...], Rows, int]:
    """Fill the open squares of some rows without gaps; return passes, rows and number of lines."""
    field = Playfield.from_rows(len(rows[0]), len(rows), rows)
    dropped: list[list[Placement]] = [[]]
    cleared = 0
    given_up: set[tuple[int, int]] = set()
    while True:
        tops = field.tops
        low = [(top, x) for x, top in enumerate(tops) if first <= top < last]
        low = [one for one in low if one not in given_up]
        if not low:
            break
        best = _find_smoothest(tops, min(low)[1], first, last)
        if best is None:
            given_up.add(min(low))
            continue
        landed = field.drop(*best)
        dropped[-1].append(Placement(landed.orientation, landed.x, landed.y))
        if landed.cleared:
            dropped.append([])
            cleared += len(landed.cleared)
            last -= len(landed.cleared)
    return tuple(Pass.make(one) for one in dropped if one), field.used_rows, cleared


def _find_smoothest(
    tops: tuple[int, ...], x: int, first: int, last: int
) -> tuple[Orientation, int] | None:
    """Return the piece and its first column that fill column ``x`` most smoothly, or None."""
    best, least = None, len(tops) * last
    for one in _SHAPES:
        for left in range(max(0, x - one.width + 1), min(x, len(tops) - one.width) + 1):
            y = tops[x] - one.bottom[x - left]
            under = tops[left : left + one.width]
            if y < first or y + one.height > last or under != tuple(y + low for low in one.bottom):
                continue
            after = list(tops)
            after[left : left + one.width] = [y + high for high in one.top]
            more = _measure_roughness(after, left, one.width, last) - _measure_roughness(
                tops, left, one.width, last
            )
            if more < least:
                best, least = (one, left), more
    return best


def _measure_roughness(tops: Sequence[int], left: int, width: int, last: int) -> int:
    """Return the roughness of the surface around some columns.

    Walls, and columns higher than ``last``, count as ``last`` rows high.
    """
    around = [last, *(min(top, last) for top in tops), last][left : left + width + 2]
    return sum(abs(one - two) for one, two in pairwise(around))
