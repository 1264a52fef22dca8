"""Levels and times: when a piece of a stack can be dropped, and what supports it.

Stack all rows of a game, or of a pass, in one vertical order, including the rows that will clear.
The clearing rows complete one after the other; the row of **rank** ``k`` is the ``k``-th to
complete, counted from 0. Pieces cover some squares of the stack. Two descriptions of time decide
whether the pieces can be dropped, and in which order.

The **level** of a piece is the number of rows that are complete after it lands. So a level of
``r + 1`` or more means "dropped when or after the row of rank ``r`` completes". Planners and
finders use levels: there are few levels, and each condition concerns one column or one row.

The **time** of a piece is ``2k`` if ``k`` rows have cleared when it drops and it completes no row,
and ``2k + 1`` if it completes rows and ``k + 1`` have cleared after it. Formulas of bounds use
times, because their ranks are variables: which row a piece completes is not known beforehand.

In a game a piece of the time ``t`` has the level ``(t + 1) // 2``. A piece of the level ``l`` has
the time ``2l - 1`` if it completes a row, and ``2l`` if not. Both descriptions set the same
conditions, and pieces that meet them can be dropped: a test checks both against real drops on
random stacks. If a piece completes several rows at once, a model may give other pieces levels in
between; the pieces can be dropped in that order, too. The conditions:

* *columns*: a piece never drops before a piece below it in a column, unless the row of its cell
  there has cleared when the lower piece drops. So levels never decrease upwards in a column, even
  over holes;
* *completion*: exactly one piece of the row of rank ``r`` has a level above ``r`` (a time of
  ``2r + 1`` or more): the piece that completes the row;
* *support*: in some column of a piece, the cell on which it would rest is the floor or a square of
  an earlier piece. This cell is in the next row below the piece's lowest cell there that has not
  cleared (:func:`find_row_under`). A row that the piece itself covers has not cleared;
* *order*: by level, and within a level each piece after the pieces below it
  (:func:`order_drops`). If a piece spans rows that have cleared, the piece that completes the last
  of these rows comes before all others of its level.

``docs/encoding.md`` proves the conditions for packed matrices, ``docs/bounds.md`` for times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeVar

from tetrisprinter.game.pieces import Cell

Rank = TypeVar("Rank", int, tuple[int, bool])


def find_row_under(row: int, cleared: int) -> int:
    """Return the next row below ``row`` that is not in the bit set ``cleared``; -1 is the floor."""
    below = row - 1
    while below >= 0 and cleared >> below & 1:
        below -= 1
    return below


def order_drops(pieces: Sequence[Iterable[Cell]], levels: Sequence[Rank]) -> list[int]:
    """Return the pieces' indices in an order of drops: by level, and lower pieces first."""
    columns: dict[tuple[Rank, int], list[tuple[int, int]]] = defaultdict(list)
    for number, cells in enumerate(pieces):
        lowest: dict[int, int] = {}
        for x, y in cells:
            lowest[x] = min(y, lowest.get(x, y))
        for x, y in lowest.items():
            columns[levels[number], x].append((y, number))
    next_above: list[list[int]] = [[] for _ in pieces]
    waiting = [0] * len(pieces)  # the number of columns in which another piece must drop first
    for column in columns.values():
        column.sort()
        for (_, lower), (_, upper) in pairwise(column):
            next_above[lower].append(upper)
            waiting[upper] += 1
    ready = [(level, number) for number, level in enumerate(levels) if not waiting[number]]
    heapify(ready)
    ordered: list[int] = []
    while ready:
        level, number = heappop(ready)
        ordered.append(number)
        for upper in next_above[number]:
            waiting[upper] -= 1
            if not waiting[upper]:
                heappush(ready, (level, upper))
    return ordered
