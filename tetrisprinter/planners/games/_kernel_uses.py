"""How pieces can be used, and the compiled listing of what fits where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
import numpy as np
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.games.bits import cell
else:
    from tetrisprinter.planners.games.bits import cell

if TYPE_CHECKING:
    from tetrisprinter.planners.games.uses import Use

__all__ = ["Lists", "Uses", "listed"]


@cython.cclass
class Uses:
    """How pieces can be used: a number for each use, those of an outlook side by side.

    Attributes
    ----------
    orientation, piece, timed, late, completes, height
        Of each use what :class:`~tetrisprinter.planners.games.uses.Use` tells.
    columns, rows
        Its four cells, the first of them that in which it begins; columns count from there.
    feet, foot_columns, foot_rows
        In how many columns it lies, and the lowest cell in each.
    ends
        Where the uses of each outlook end, after a zero.
    ranks
        For each outlook how many rows clear below each of its rows.
    """

    def __init__(self, listed: Sequence[Sequence[Use]]) -> None:
        every = [use for some in listed for use in some]

        def numbers(told: Callable[[Use], Any]) -> Any:
            return memoryview(np.array([told(use) for use in every], np.int64))

        self.orientation = numbers(lambda use: use.orientation.index)
        self.piece = numbers(lambda use: use.orientation.piece)
        self.timed = memoryview(np.array([use.is_timed for use in every], np.uint8))
        self.late = numbers(lambda use: use.late)
        self.completes = numbers(lambda use: use.completes)
        self.height = numbers(lambda use: use.orientation.height)
        self.columns = numbers(lambda use: [x for x, _ in use.cells()])
        self.rows = numbers(lambda use: [row for _, row in use.cells()])
        self.feet = numbers(lambda use: use.orientation.width)
        some = np.zeros((2, len(every), 4), np.int64)
        for number, use in enumerate(every):
            for column, foot in enumerate(use.feet()):
                some[:, number, column] = foot
        self.foot_columns, self.foot_rows = memoryview(some[0]), memoryview(some[1])
        self.ends = memoryview(np.cumsum([0, *map(len, listed)], dtype=np.int64))
        clears = np.arange(len(listed))[:, None] >> np.arange(4) & 1
        self.ranks = memoryview((np.cumsum(clears, axis=1) - clears).astype(np.int64))


@cython.cclass
class Lists:
    """Lists of uses, one behind the other.

    Attributes
    ----------
    ends
        Where each list ends, after a zero.
    uses, masks
        The uses, and for each of four rows the cells that it takes there.
    """

    def __init__(self, count: int) -> None:
        self.ends = memoryview(np.zeros(count + 1, np.int64))

    def make_room(self) -> None:
        """Make room for what the ends say."""
        count = max(1, self.ends[self.ends.shape[0] - 1])
        self.uses = memoryview(np.zeros(count, np.int64))
        self.masks = memoryview(np.zeros((count, 4), np.uint64))


@cython.cclass
class _Place:
    """What is looked at; see :func:`listed`.

    Attributes
    ----------
    allowed, height
        The types that may stay in each square; rows of the board.
    y, outlook
        The next row of the picture, and the outlook.
    piece
        The masks of the cells of the last piece that was looked at.
    """

    allowed: Int[:, ::1]
    height: Int
    y: Int
    outlook: Int
    piece: Word[::1]

    def __init__(self, allowed: Any, height: int) -> None:
        self.allowed, self.height = memoryview(allowed), height
        self.piece = memoryview(np.zeros(4, np.uint64))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits(uses: Uses, at: _Place, u: Int, x: Int, first: Int) -> cython.bint:
    """Whether a piece may lie at a column and row of the outlook; gives masks of its cells."""
    for k in range(4):
        at.piece[k] = 0
    for part in range(4):
        xx: Int = x + uses.columns[u, part]
        row: Int = first + uses.rows[u, part]
        if xx < 0 or xx >= at.allowed.shape[1]:
            return False
        if row > 3:
            continue
        if not at.outlook >> row & 1:
            yy: Int = at.y
            for below in range(row):
                yy += 1 - (at.outlook >> below & 1)
            if not at.allowed[yy, xx] >> uses.piece[u] & 1:
                return False
        at.piece[row] |= cell(xx, 31)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list(lists: Lists, at: _Place, number: Int, u: Int, fill: cython.bint) -> Int:
    """Put the last piece that was looked at into a list; return the number of the next."""
    if fill:
        lists.uses[number] = u
        for row in range(4):
            lists.masks[number, row] = at.piece[row]
    return number + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_fits(uses: Uses, fits: Lists, at: _Place, x: Int, number: Int, fill: cython.bint) -> Int:
    """List the pieces that begin in a column; return the number of the next."""
    for u in range(uses.ends[at.outlook], uses.ends[at.outlook + 1]):
        # a timed piece lies on the picture's rows only
        if uses.timed[u] and at.y + uses.height[u] > at.height:
            continue
        if _fits(uses, at, u, x, 0):
            number = _list(fits, at, number, u, fill)
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_covers(
    uses: Uses, covers: Lists, at: _Place, row: Int, x: Int, number: Int, fill: cython.bint
) -> Int:
    """List the pieces that cover a square; return the number of the next."""
    if at.outlook >> row & 1:
        return number
    for first in range(row + 1):
        upper: Int = at.outlook >> first
        for u in range(uses.ends[upper], uses.ends[upper + 1]):
            if uses.completes[u] >= 0:
                continue
            for part in range(4):
                if first + uses.rows[u, part] == row and _fits(
                    uses, at, u, x - uses.columns[u, part], first
                ):
                    number = _list(covers, at, number, u, fill)
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _go(
    uses: Uses, fits: Lists, covers: Lists, at: _Place, rows: Int, fill: cython.bint
) -> cython.void:
    width: Int = at.allowed.shape[1]
    n: Int = 0
    m: Int = 0
    for y in range(rows + 1):
        at.y = y
        for outlook in range(16):
            at.outlook = outlook
            for x in range(width):
                n = _list_fits(uses, fits, at, x, n, fill)
                fits.ends[(y * 16 + outlook) * width + x + 1] = n
            for row in range(3):
                for x in range(width):
                    m = _list_covers(uses, covers, at, row, x, m, fill)
                    covers.ends[((y * 16 + outlook) * 3 + row) * width + x + 1] = m


def listed(uses: Uses, allowed: Any, rows: int, height: int) -> tuple[Lists, Lists]:
    """List which uses of pieces fit where, and for each square due the pieces that cover it.

    Parameters
    ----------
    uses : Uses
        How pieces can be used.
    allowed
        The types that may stay in each square, as bit sets, with five rows more.
    rows, height
        Of the picture and of the board.

    Returns
    -------
    Lists, Lists
        A list for each ``y``, the next row of the picture, each outlook and each column in which
        uses begin; and one for each ``y``, each outlook, each of its lowest three rows and each
        column, of all pieces that cover that square.
    """
    width = allowed.shape[1]
    fits, covers = Lists((rows + 1) * 16 * width), Lists((rows + 1) * 48 * width)
    at = _Place(allowed, height)
    count: Int = rows
    with cython.nogil:
        _go(uses, fits, covers, at, count, False)
    fits.make_room()
    covers.make_room()
    with cython.nogil:
        _go(uses, fits, covers, at, count, True)
    return fits, covers
