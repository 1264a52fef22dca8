"""Levels and times: when a piece of a stack can be dropped, and what supports it.

Stack all rows of a game, or of a part of it, in one vertical order, including those that will
clear. The clearing rows complete one after the other; the row of **rank** ``k`` is the ``k``-th to
complete, counted from 0. Pieces cover some squares of the stack. Two descriptions of time decide
whether they can be dropped, and in which order.

The **level** of a piece is the number of rows that are complete after it lands. So a level of
``r + 1`` or more means "dropped when or after the row of rank ``r`` completes". Planners and
finders use levels: there are few of them, and each condition concerns one column or one row.

The **time** of a piece is ``2k`` if ``k`` rows have gone when it drops and it completes none, and
``2k + 1`` if it completes some and ``k + 1`` have gone after it. Formulas of bounds use times,
because their ranks are variables: which row a piece completes is not known beforehand.

In a game a piece of the time ``t`` has the level ``(t + 1) // 2``, and one of the level ``l`` the
time ``2l``, less one if it completes a row. Both descriptions set the same conditions, and pieces
that meet them can be dropped: a test checks both against real drops on random stacks. If a piece
completes several rows at once, a model may give other pieces levels in between; the pieces can be
dropped in that order, too. The conditions:

* *columns*: a piece never drops before a piece below it in a column, unless its row there has
  gone when the lower piece drops. So levels never decrease upwards in a column, also over holes;
* *completion*: exactly one piece of the row of rank ``r`` has a level above ``r`` (a time of
  ``2r + 1`` or more), the one that completes it;
* *support*: take the next row below the foot of a column that has not gone. In some column this
  is the floor or has a square of an earlier piece (:func:`find_row_under`). A row that the piece
  itself covers has not cleared;
* *order*: by level, and within a level each piece after the pieces below it
  (:func:`order_drops`). If a piece spans rows that have gone, the piece that completes the last of
  these rows comes before all others of its level.

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
    """Return the next row below ``foot`` that is not in the bit set ``gone``; -1 is the floor."""
    below = foot - 1
    while below >= 0 and gone >> below & 1:
        below -= 1
    return below


def order_drops(pieces: Sequence[Iterable[Cell]], levels: Sequence[Rank]) -> list[int]:
    """Return the pieces' indices in an order in which they can drop: by level, lower ones first."""
    columns: dict[tuple[Rank, int], list[tuple[int, int]]] = defaultdict(list)
    for number, cells in enumerate(pieces):
        lowest: dict[int, int] = {}
        for x, y in cells:
            lowest[x] = min(y, lowest.get(x, y))
        for x, y in lowest.items():
            columns[levels[number], x].append((y, number))
    above: list[list[int]] = [[] for _ in pieces]
    waiting = [0] * len(pieces)  # in how many columns a piece of its level must drop before it
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
