"""The compiled listing of what fits where, for the search up the rows."""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
import numpy as np
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.shortest.upward.bits import cell
else:
    from tetrisprinter.planners.shortest.upward.bits import cell

__all__ = ["listed"]


@cython.cclass
class _Lists:
    """What fits where; see :func:`listed`.

    Attributes
    ----------
    allowed, height, table, counts
        What is asked.
    fit_ends, fits, fit_masks, cover_ends, cover_masks
        What is given; the second, third and last have no room at first.
    piece
        The masks of the cells of the last piece that was looked at.
    """

    allowed: Int[:, ::1]
    height: Int
    table: Int[:, ::1]
    counts: Int[::1]
    fit_ends: Int[::1]
    fits: Int[::1]
    fit_masks: Word[:, ::1]
    cover_ends: Int[::1]
    cover_masks: Word[:, ::1]
    piece: Word[::1]

    def __init__(self, allowed: Any, height: int, table: Any, counts: Any) -> None:
        self.allowed, self.height = memoryview(allowed), height
        self.table, self.counts = memoryview(table), memoryview(counts)
        self.piece = memoryview(np.zeros(4, np.uint64))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits(lists: _Lists, u: Int, x: Int, first: Int, outlook: Int, y: Int) -> cython.bint:
    """Whether a piece may lie at a column and row of an outlook; gives masks of its cells."""
    for k in range(4):
        lists.piece[k] = 0
    for part in range(4):
        xx: Int = x + lists.table[u, 5 + part]
        row: Int = first + lists.table[u, 9 + part]
        if xx < 0 or xx >= lists.allowed.shape[1]:
            return False
        if row > 3:
            continue
        if not outlook >> row & 1:
            yy: Int = y
            for below in range(row):
                yy += 1 - (outlook >> below & 1)
            if not lists.allowed[yy, xx] >> lists.table[u, 1] & 1:
                return False
        lists.piece[row] |= cell(xx, 31)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_fits(lists: _Lists, y: Int, outlook: Int, x: Int, number: Int, fill: cython.bint) -> Int:
    """List the pieces that begin in a column; return the number of the next."""
    most: Int = lists.table.shape[0] // 16
    for one in range(lists.counts[outlook]):
        u: Int = outlook * most + one
        # a timed piece lies on the picture's rows only
        if lists.table[u, 2] and y + lists.table[u, 14] > lists.height:
            continue
        if _fits(lists, u, x, 0, outlook, y):
            if fill:
                lists.fits[number] = u
                for row in range(4):
                    lists.fit_masks[number, row] = lists.piece[row]
            number += 1
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_covers(
    lists: _Lists, y: Int, outlook: Int, row: Int, x: Int, number: Int, fill: cython.bint
) -> Int:
    """List the pieces that cover a square; return the number of the next."""
    most: Int = lists.table.shape[0] // 16
    if outlook >> row & 1:
        return number
    for first in range(row + 1):
        upper: Int = outlook >> first
        for one in range(lists.counts[upper]):
            u: Int = upper * most + one
            if lists.table[u, 4] >= 0:
                continue
            for part in range(4):
                if first + lists.table[u, 9 + part] == row and _fits(
                    lists, u, x - lists.table[u, 5 + part], first, outlook, y
                ):
                    if fill:
                        for k in range(4):
                            lists.cover_masks[number, k] = lists.piece[k]
                    number += 1
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _go(lists: _Lists, rows: Int, fill: cython.bint) -> cython.void:
    width: Int = lists.allowed.shape[1]
    n: Int = 0
    m: Int = 0
    for y in range(rows + 1):
        for outlook in range(16):
            for x in range(width):
                n = _list_fits(lists, y, outlook, x, n, fill)
                lists.fit_ends[(y * 16 + outlook) * width + x + 1] = n
            for row in range(3):
                for x in range(width):
                    m = _list_covers(lists, y, outlook, row, x, m, fill)
                    lists.cover_ends[((y * 16 + outlook) * 3 + row) * width + x + 1] = m


def listed(
    allowed: Any, rows: int, height: int, table: Any, counts: Any
) -> tuple[tuple[Any, Any, Any], tuple[Any, Any]]:
    """List which uses of pieces fit where, and for each square due the pieces that cover it.

    Parameters
    ----------
    allowed
        The types that may stay in each square, as bit sets, with five rows more.
    rows, height
        Of the picture and of the board.
    table, counts
        The uses for each outlook.

    Returns
    -------
    (ends, fits, masks), (ends, masks)
        The uses, and the masks of their cells, for each ``y``, the next row of the picture, each
        outlook and each column in which they begin; where the lists of these end, after a zero.
        The masks of all pieces that cover a square, for each ``y``, each outlook, each of its
        lowest three rows and each column, and the ends of these.
    """
    lists = _Lists(allowed, height, table, counts)
    width = allowed.shape[1]
    fit_ends = np.zeros((rows + 1) * 16 * width + 1, np.int64)
    cover_ends = np.zeros((rows + 1) * 48 * width + 1, np.int64)
    lists.fit_ends, lists.cover_ends = memoryview(fit_ends), memoryview(cover_ends)
    count: Int = rows
    with cython.nogil:
        _go(lists, count, False)
    fits = np.zeros(max(1, fit_ends.item(-1)), np.int64)
    fit_masks = np.zeros((len(fits), 4), np.uint64)
    cover_masks = np.zeros((max(1, cover_ends.item(-1)), 4), np.uint64)
    lists.fits, lists.fit_masks = memoryview(fits), memoryview(fit_masks)
    lists.cover_masks = memoryview(cover_masks)
    with cython.nogil:
        _go(lists, count, True)
    return (fit_ends, fits, fit_masks), (cover_ends, cover_masks)
