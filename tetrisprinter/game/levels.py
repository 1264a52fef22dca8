"""Levels and times: when a piece of a stack can be dropped, and what supports it.

Stack all rows of a game, or of a part of it, in one vertical order, those that will clear among
them. The clearing rows complete one after the other; the one that completes as the ``k``-th,
counted from 0, has the **rank** ``k``. Pieces cover some squares of the stack; can they be dropped,
and in which order? Two descriptions of time answer that.

The **level** of a piece is the number of rows that are complete once it lies. So a level of
``r + 1`` or more means "dropped when or after the row of rank ``r`` completes". Planners and
finders use levels: there are few of them, and every condition is about a column or a row.

The **time** of a piece is ``2k`` if ``k`` rows have gone when it drops and it completes none, and
``2k + 1`` if it completes some and ``k + 1`` have gone once it lies. Formulas of bounds use times,
because they leave the ranks open: a formula does not know which row a piece completes.

In a game a piece of the time ``t`` has the level ``(t + 1) // 2``, and one of the level ``l`` the
time ``2l``, less one if it completes a row. Both descriptions make the same demands, and pieces
that meet them can be dropped: a test compares both with dropping, on random stacks. Where a piece
completes several rows at once, a model may also give others levels between; sorted by these they
drop all the same. The demands:

* *columns*: a piece never drops before what lies below it, holes included, unless the row in which
  it lies above has gone by then. So levels never decrease upwards in a column;
* *completion*: exactly one piece of the row of rank ``r`` has a level above ``r`` (a time of
  ``2r + 1`` or more), the one that completes it;
* *support*: going down from the foot of some column, past rows that have gone, there is the floor
  or a square that came before (:func:`find_row_under`). A piece that covers a row itself
  proves that the row has not cleared;
* *order*: by level, and within a level each piece after what it lies above
  (:func:`order_drops`). Where a piece lies across rows that have gone, the piece that completes
  the last of these comes before all others of its level.

``docs/encoding.md`` proves that for packed matrices, ``docs/bounds.md`` for times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeVar

from tetrisprinter.game.pieces import Cell

Rank = TypeVar("Rank", int, tuple[int, bool])


def find_row_under(foot: int, gone: int) -> int:
    """Return the row that supports a cell in row ``foot``: the next lower row that remains."""
    below = foot - 1
    while below >= 0 and gone >> below & 1:
        below -= 1
    return below


def order_drops(pieces: Sequence[Iterable[Cell]], levels: Sequence[Rank]) -> list[int]:
    """Return an order in which the pieces can be dropped: topological, by level and column."""
    columns: dict[tuple[Rank, int], list[tuple[int, int]]] = defaultdict(list)
    for number, cells in enumerate(pieces):
        lowest: dict[int, int] = {}
        for x, y in cells:
            lowest[x] = min(y, lowest.get(x, y))
        for x, y in lowest.items():
            columns[levels[number], x].append((y, number))
    above: list[list[int]] = [[] for _ in pieces]
    waiting = [0] * len(pieces)  # in how many columns another piece of its level comes before
    for column in columns.values():
        column.sort()
        for (_, lower), (_, upper) in pairwise(column):
            above[lower].append(upper)
            waiting[upper] += 1
    ready = [(level, n) for n, level in enumerate(levels) if not waiting[n]]
    heapify(ready)
    ordered: list[int] = []
    while ready:
        level, number = heappop(ready)
        ordered.append(number)
        for upper in above[number]:
            waiting[upper] -= 1
            if not waiting[upper]:
                heappush(ready, (level, upper))
    return ordered
