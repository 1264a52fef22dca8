"""The compiled search for games, up the rows of the stack.

A **state** is what matters of the pieces that begin below some row, or further left in it: the
cells they fill in this row and the three above, and when they drop; for each column the latest
drop below; the outlook; which of its rows have got the piece that completes them. It takes five
64-bit numbers; :mod:`~tetrisprinter.planners.games.bits` says what stands where.

The **time** of a piece is twice the number of rows that have gone when it drops, plus one if it
completes the next of them (``docs/bounds.md``); counted from ``DEPTH`` rows before those below
this row, so it fits. What follows in a column has no earlier time, unless it lies in a row that
has gone. A piece stands on something if there is a cell below one of its columns, not counting
rows that have gone.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
import numpy as np
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.games._kernel_states import Squares, penalty
    from cython.cimports.tetrisprinter.planners.games._kernel_uses import Uses
    from cython.cimports.tetrisprinter.planners.games.bits import (
        cell,
        completed,
        held,
        is_after_clear,
        is_complete,
        latest,
        outlook_of,
        scaled,
        with_latest,
    )
    from cython.cimports.tetrisprinter.support.words import begun, mixed, smallest, spread
else:
    from tetrisprinter.planners.games._kernel_states import Squares, penalty
    from tetrisprinter.planners.games._kernel_uses import Uses
    from tetrisprinter.planners.games.bits import (
        cell,
        completed,
        held,
        is_after_clear,
        is_complete,
        latest,
        outlook_of,
        scaled,
        with_latest,
    )
    from tetrisprinter.support.words import begun, mixed, smallest, spread

__all__ = ["DEPTH", "Room", "swept"]

DEPTH = 3
"""So many rows at most of those below a piece may still be due to go when it drops."""
_depth = cython.declare(Int, 3)


@cython.cclass
class Room:
    """Room to work in, for one search at a time.

    Attributes
    ----------
    states
        The states before a column and after it, five words each, or the other way round.
    keys, some
        What each is worth: the least is the best; and room for as many.
    slots, stamp
        Where a state is found by its hash, with which column is met in the upper half.
    parents, steps
        For each column and state: the state before it, the piece that begins there.
    most
        States that are kept after a column.
    """

    states: Word[:, ::1]
    keys: Word[::1]
    some: Word[::1]
    slots: Int[::1]
    stamp: Int
    parents: Short[:, ::1]
    steps: Short[:, ::1]
    most: Int

    def __init__(self, width: int, most: int, kept: int) -> None:
        self.states = memoryview(np.zeros((10, most), np.uint64))
        self.keys = memoryview(np.zeros(most, np.uint64))
        self.some = memoryview(np.zeros(most, np.uint64))
        self.slots = memoryview(np.zeros(1 << (2 * most).bit_length(), np.int64))
        self.stamp = 1
        self.parents = memoryview(np.zeros((width, most), np.int32))
        self.steps = memoryview(np.zeros((width, most), np.int32))
        self.most = kept


@cython.cclass
class _Place:
    """Where the search is, and what it looks at.

    Attributes
    ----------
    row, height, x
        The number of the row; rows of the board; the column.
    now, live, met
        The first word of the states before the column, 0 or 5; how many before and after.
    a, b, c, d, last
        A state: its four rows, from below, and the rest.
    outlook, y
        Its outlook, and the next row of the picture.
    u
        A use of a piece.
    low, high, cut
        Its earliest and its latest time (rows that have gone, if not timed); whether room lacked.
    """

    row: Int
    height: Int
    x: Int
    now: Int
    live: Int
    met: Int
    a: Word
    b: Word
    c: Word
    d: Word
    last: Word
    outlook: Int
    y: Int
    u: Int
    low: Int
    high: Int
    cut: cython.bint


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _word(at: _Place, row: Int) -> Word:
    """Return a row of the state."""
    if row < 2:
        return at.a if row == 0 else at.b
    return at.c if row == 2 else at.d


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _picture_row(at: _Place, row: Int) -> Int:
    """Return which row of the picture a row of the outlook is."""
    y: Int = at.y
    for below in range(row):
        y += 1 - (at.outlook >> below & 1)
    return y


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _held(uses: Uses, squares: Squares, at: _Place, gone: Int) -> Int:
    """Return whether a piece stands on something: 0 if not, 1 if so.

    Or more, if it does as long as what comes below its cell in the column ``(found - 2) // 4``
    and the row ``(found - 2) % 4`` does not wait for the row to go.
    """
    found: Int = 0
    for column in range(uses.feet[at.u]):
        xx: Int = at.x + uses.foot_columns[at.u, column]
        foot: Int = uses.foot_rows[at.u, column]
        row: Int = foot - 1
        while row >= 0 and at.outlook >> row & 1 and uses.ranks[at.outlook, row] + _depth < gone:
            row -= 1
        late: Int = 99
        if at.outlook >> foot & 1:
            late = uses.ranks[at.outlook, foot] + _depth
        if row < 0:
            if (is_after_clear(at.last) and gone < _depth) or at.y == 0:
                return 1
            if squares.due[at.y - 1, xx] and latest(at.last, xx) >> 1 <= late:
                return 1
            continue
        if at.outlook >> row & 1:
            return 1
        if not squares.due[_picture_row(at, row), xx]:
            continue
        if late == 99:
            return 1
        there: Int = held(_word(at, row), xx) & 15
        if there:
            if (there - 1) >> 1 <= late:
                return 1
        elif row == 0 and xx < at.x:
            if latest(at.last, xx) >> 1 <= late:
                return 1
        elif not found:
            found = 2 + 4 * xx + foot
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _follows(uses: Uses, at: _Place, row: Int, time: Int) -> cython.bint:
    """Let a cell of a piece come after one below it; whether it can."""
    its: Int = uses.ranks[at.outlook, row] + _depth
    gone: Int = uses.late[at.u] + _depth
    if at.outlook >> row & 1:
        # what drops when this row has gone does not lie under it
        at.low = max(at.low, 2 * its if time >> 1 > its else time)
        return True
    if time & 1 and uses.timed[at.u] and its <= time >> 1 < gone:
        return False  # it completes a row above that has not gone yet
    at.low = max(at.low, time)
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _precedes(uses: Uses, at: _Place, other: Int, code: Int) -> cython.bint:
    """Let a cell of a piece come before one above it; whether it can."""
    time: Int = (code & 15) - 1
    gone: Int = uses.late[at.u] + _depth
    its: Int = uses.ranks[at.outlook, other] + _depth
    if at.outlook >> other & 1:
        if uses.timed[at.u] and gone > its and not code & 16:
            return True
    elif uses.completes[at.u] >= 0 and time >> 1 > gone >= its:
        return False
    at.high = min(at.high, time)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _times(uses: Uses, at: _Place) -> cython.bint:
    """Find the earliest and the latest time at which a piece can drop; whether there is any."""
    at.low, at.high = 0, 15
    some: Word = at.a | at.b | at.c | at.d
    for part in range(4):
        xx: Int = at.x + uses.columns[at.u, part]
        row: Int = uses.rows[at.u, part]
        below: Int = latest(at.last, xx)
        if below and not _follows(uses, at, row, below):
            return False
        if not held(some, xx):
            continue
        for other in range(4):
            code: Int = held(_word(at, other), xx)
            if other == row or code == 0:
                continue
            if other < row:
                if not _follows(uses, at, row, (code & 15) - 1):
                    return False
            elif not _precedes(uses, at, other, code):
                return False
    return at.low <= at.high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _overhangs(uses: Uses, squares: Squares, at: _Place) -> cython.bint:
    """Whether something is still to come under a piece."""
    for column in range(uses.feet[at.u]):
        xx: Int = at.x + uses.foot_columns[at.u, column]
        foot: Int = uses.foot_rows[at.u, column]
        if (
            foot > 0
            and xx > at.x
            and not held(at.a, xx)
            and (at.outlook & 1 or squares.due[at.y, xx])
        ):
            return True
        upper: Int = at.y + 1 - (at.outlook & 1)
        if foot > 1 and not held(at.b, xx) and (at.outlook >> 1 & 1 or squares.due[upper, xx]):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _range(uses: Uses, squares: Squares, at: _Place) -> cython.bint:
    """Find when a piece can drop, in rows that have gone, from the lowest; whether ever."""
    completes: Int = uses.completes[at.u]
    if completes >= 0 and is_complete(at.last, completes):
        return False
    if not _times(uses, at):
        return False
    if uses.timed[at.u]:
        gone: Int = uses.late[at.u] + _depth
        time: Int = 2 * gone + (1 if completes >= 0 else 0)
        if time < at.low or time > at.high:
            return False
        at.low = at.high = gone
        return True
    # as early as what lies below allows, unless something is to come there
    rank: Int = at.row - at.y
    first: Int = max((at.low + 1) >> 1, _depth - rank)
    first = max(first, at.row + uses.height[at.u] - at.height - rank + _depth)
    final: Int = min(_depth, at.high >> 1)
    if first > final:
        return False
    at.low = first
    at.high = final if _overhangs(uses, squares, at) else first
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_known(room: Room, code: Word, ahead: Int, met: Int) -> cython.bint:
    """Whether the state behind those that were met is one of them; if not, it counts as met."""
    last: Int = room.slots.shape[0] - 1
    slot: Int = cython.cast(Int, code & cython.cast(Word, last))
    while room.slots[slot] >> 32 == room.stamp:
        j: Int = room.slots[slot] & 0x7FFFFFFF
        if (
            room.states[ahead, j] == room.states[ahead, met]
            and room.states[ahead + 1, j] == room.states[ahead + 1, met]
            and room.states[ahead + 2, j] == room.states[ahead + 2, met]
            and room.states[ahead + 3, j] == room.states[ahead + 3, met]
            and room.states[ahead + 4, j] == room.states[ahead + 4, met]
        ):
            return True
        slot = slot + 1 & last
    room.slots[slot] = room.stamp << 32 | met
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _note(room: Room, at: _Place, width: Int, i: Int, step: Int) -> cython.void:
    """Meet the state that stands behind those that were met."""
    ahead: Int = 5 - at.now
    met: Int = at.met
    last: Word = room.states[ahead + 4, met]
    if at.x == width - 1 and at.outlook & 1 and not is_complete(last, 0):
        return  # the row is full, but nothing completes it
    code: Word = begun(room.states[ahead, met])
    for row in range(1, 5):
        code = mixed(code, room.states[ahead + row, met])
    code = spread(code)
    if _is_known(room, code, ahead, met):
        return
    room.keys[met] = code
    room.parents[at.x, met] = cython.cast(Short, i)
    room.steps[at.x, met] = cython.cast(Short, step)
    at.met = met + 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy(room: Room, at: _Place) -> cython.void:
    """Put the state behind those that were met."""
    ahead: Int = 5 - at.now
    room.states[ahead, at.met], room.states[ahead + 1, at.met] = at.a, at.b
    room.states[ahead + 2, at.met], room.states[ahead + 3, at.met] = at.c, at.d
    room.states[ahead + 4, at.met] = at.last


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _pass(room: Room, at: _Place, here: Int) -> cython.void:
    """Put the state there as it is after a cell in which no piece begins."""
    ahead: Int = 5 - at.now
    _copy(room, at)
    if here:
        room.states[ahead, at.met] = at.a & ~cell(at.x, 31)
        if here - 1 > latest(at.last, at.x):
            room.states[ahead + 4, at.met] = with_latest(at.last, at.x, here - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put(uses: Uses, room: Room, at: _Place, gone: Int, stands: Int) -> Int:
    """Put the state there as it is with a piece; return the step."""
    ahead: Int = 5 - at.now
    _copy(room, at)
    completes: Int = uses.completes[at.u]
    time: Int = 2 * gone + (1 if completes >= 0 else 0)
    for part in range(4):
        xx: Int = at.x + uses.columns[at.u, part]
        row: Int = uses.rows[at.u, part]
        if row == 0 and xx == at.x:
            if time > latest(at.last, xx):
                room.states[ahead + 4, at.met] = with_latest(
                    room.states[ahead + 4, at.met], xx, time
                )
            continue
        code: Word = cython.cast(Word, time + 1)
        if stands - 2 == 4 * xx + row:
            code |= 16
        room.states[ahead + row, at.met] |= cell(xx, code)
    if completes >= 0:
        room.states[ahead + 4, at.met] = completed(room.states[ahead + 4, at.met], completes)
    return 1 + (uses.orientation[at.u] | gone << 5 | (1 if completes >= 0 else 0) << 9)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _column(uses: Uses, squares: Squares, room: Room, at: _Place) -> cython.void:
    """Meet the states after a column."""
    width: Int = squares.due.shape[1]
    at.met = 0
    room.stamp += 1
    for i in range(at.live):
        at.a, at.b = room.states[at.now, i], room.states[at.now + 1, i]
        at.c, at.d = room.states[at.now + 2, i], room.states[at.now + 3, i]
        at.last = room.states[at.now + 4, i]
        at.outlook = outlook_of(at.last)
        at.y = squares.y_of[at.outlook]
        here: Int = held(at.a, at.x) & 15
        if here > 0 or (not at.outlook & 1 and not squares.due[at.y, at.x]):
            at.cut |= at.met == room.states.shape[1]
            if at.met < room.states.shape[1]:
                _pass(room, at, here)
                _note(room, at, width, i, 0)
            continue
        place: Int = (at.y * 16 + at.outlook) * width + at.x
        for one in range(squares.fits.ends[place], squares.fits.ends[place + 1]):
            if (
                at.a & squares.fits.masks[one, 0]
                | at.b & squares.fits.masks[one, 1]
                | at.c & squares.fits.masks[one, 2]
                | at.d & squares.fits.masks[one, 3]
            ):
                continue
            at.u = squares.fits.uses[one]
            if not _range(uses, squares, at):
                continue
            for gone in range(at.low, at.high + 1):
                stands: Int = _held(uses, squares, at, gone)
                at.cut |= at.met == room.states.shape[1]
                if stands and at.met < room.states.shape[1]:
                    _note(room, at, width, i, _put(uses, room, at, gone, stands))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(room: Room, at: _Place, i: Int, kept: Int) -> cython.void:
    ahead: Int = 5 - at.now
    for row in range(5):
        room.states[ahead + row, kept] = room.states[ahead + row, i]
    room.parents[at.x, kept], room.steps[at.x, kept] = room.parents[at.x, i], room.steps[at.x, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cut(squares: Squares, room: Room, at: _Place) -> cython.void:
    """Leave out states that lead nowhere, then those that have few ways to go on."""
    kept: Int = 0
    for i in range(at.met):
        price: Int = penalty(squares, room.states, 5 - at.now, i, at.x + 1)
        if price < 0:
            continue
        key: Word = cython.cast(Word, price) << 40
        room.keys[kept] = key | scaled(room.keys[i], squares.chance) >> 24
        _keep(room, at, i, kept)
        kept += 1
    at.met = kept
    if kept <= room.most:
        return
    at.cut = True
    worst: Word = smallest(room.keys, at.met, room.most - 1, room.some)
    kept = 0
    for i in range(at.met):
        if room.keys[i] <= worst and kept < room.most:
            _keep(room, at, i, kept)
            kept += 1
    at.met = kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _go(uses: Uses, squares: Squares, room: Room, at: _Place) -> cython.void:
    """Go through the columns."""
    for x in range(squares.due.shape[1]):
        at.x = x
        _column(uses, squares, room, at)
        if at.met > room.most:
            _cut(squares, room, at)
        at.live = at.met
        at.now = 5 - at.now
        if not at.live:
            return


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _trace(
    room: Room, at: _Place, states: Word[:, ::1], origins: Short[::1], ways: Short[:, ::1]
) -> cython.void:
    """Tell for each state the way to it."""
    for i in range(at.live):
        one: Int = i
        for back in range(ways.shape[1]):
            x: Int = ways.shape[1] - 1 - back
            ways[i, x] = room.steps[x, one]
            one = room.parents[x, one]
        origins[i] = cython.cast(Short, one)
        for row in range(5):
            states[row, i] = room.states[at.now + row, i]


def swept(
    uses: Uses,
    squares: Squares,
    room: Room,
    level: tuple[int, int],
    words: Any,
    count: int,
    found: tuple[Any, Any],
) -> tuple[int, bool]:
    """Go through a row, column by column.

    Parameters
    ----------
    uses, squares, room
        How pieces can be used; what must be filled; room to work in.
    level : (int, int)
        The number of the row; rows of the board.
    words, count
        The states before the row; are given those after it.
    found : (array, array)
        Are given for each state the one it comes from and, for each column, the piece that
        begins there: 0 if none, else one more than its orientation, the rows that have gone (from
        bit 5) and whether it completes one (bit 9).

    Returns
    -------
    int, bool
        How many states there are; whether others were left out for want of room.
    """
    at = _Place()
    at.row, at.height = level
    at.now, at.live, at.cut = 0, count, False
    states: Word[:, ::1] = memoryview(words)
    origins: Short[::1] = memoryview(found[0])
    ways: Short[:, ::1] = memoryview(found[1])
    with cython.nogil:
        for i in range(at.live):
            for row in range(5):
                room.states[row, i] = states[row, i]
        _go(uses, squares, room, at)
        _trace(room, at, states, origins, ways)
    return at.live, at.cut
