"""The compiled search for games, up the rows of the stack. Importing it loads numba.

A **state** is what matters of the pieces that begin below some row, or further left in it: the
cells they fill in this row and the three above, and when they drop; for each column the latest
drop below; the outlook; which of its rows have got the piece that completes them. It takes five
64-bit numbers:

* four rows with five bits for each column: 0 if the cell is empty, else the piece's time plus
  one, and 16 if nothing below may come when the row of the cell has gone, because the piece
  stands there;
* four bits for each column: the latest time below (bits 0 to 47); whether the row below clears
  (bit 48); the outlook (from bit 49); which of its rows are complete (from bit 53).

The **time** of a piece is twice the number of rows that have gone when it drops, plus one if it
completes the next of them (``docs/bounds.md``); counted from ``DEPTH`` rows before those below
this row, so it fits. What follows in a column has no earlier time, unless it lies in a row that
has gone. A piece stands on something if there is a cell below one of its columns, not counting
rows that have gone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.planners.shortest.upward._kernel_states import (
    FORCED,
    code_of,
    latest,
    mixed,
    penalty,
)
from tetrisprinter.support.compiled import compiled, is_kept

__all__ = ["DEPTH", "is_compiled", "listed", "swept"]

DEPTH = 3
"""So many rows at most of those below a piece may still be due to go when it drops."""

_u = np.uint64


@compiled
def _fit(
    table: Any, u: Any, x: Any, first: Any, outlook: Any, y: Any, allowed: Any, masks: Any
) -> Any:
    """Whether a piece may lie at a column and row of an outlook; sets masks of its cells."""
    masks[:] = _u(0)
    for cell in range(4):
        xx, row = x + table[u, 5 + cell], first + table[u, 9 + cell]
        if xx < 0 or xx >= allowed.shape[1]:
            return False
        if row > 3:
            continue
        if not outlook >> row & 1:
            yy = y
            for below in range(row):
                yy += 1 - (outlook >> below & 1)
            if not allowed[yy, xx] >> table[u, 1] & 1:
                return False
        masks[row] |= _u(31) << _u(5 * xx)
    return True


@compiled
def listed(
    allowed: Any, rows: Any, height: Any, table: Any, counts: Any, is_filled: Any,
    fit_ends: Any, fits: Any, fit_masks: Any, cover_ends: Any, cover_masks: Any,
) -> Any:  # fmt: skip
    """List which uses of pieces fit where, and for each square due the pieces that cover it.

    Parameters
    ----------
    allowed
        The types that may stay in each square, as bit sets, with five rows more.
    rows, height
        Of the picture and of the board.
    table, counts
        The uses for each outlook.
    is_filled
        Whether the lists are to be filled; else they are counted.
    fit_ends, fits, fit_masks
        The uses, and the masks of their cells, for each ``y``, the next row of the picture, each
        outlook and each column in which they begin; where the lists of these end, after a zero.
    cover_ends, cover_masks
        The masks of all pieces that cover a square, for each ``y``, each outlook, each of its
        lowest three rows and each column.

    Returns
    -------
    (int, int)
        How many there are of both.
    """
    width = allowed.shape[1]
    counts_most = table.shape[0] // 16
    masks = np.zeros(4, np.uint64)
    n, m = 0, 0
    for y in range(rows + 1):
        for outlook in range(16):
            for x in range(width):
                for one in range(counts[outlook]):
                    u = outlook * counts_most + one
                    # a timed piece lies on the picture's rows only
                    if table[u, 2] and y + table[u, 14] > height:
                        continue
                    if _fit(table, u, x, 0, outlook, y, allowed, masks):
                        if is_filled:
                            fits[n] = u
                            fit_masks[n] = masks
                        n += 1
                fit_ends[(y * 16 + outlook) * width + x + 1] = n
            for row in range(3):
                for x in range(width):
                    for first in range(row + 1):
                        if outlook >> row & 1:
                            continue
                        upper = outlook >> first
                        for one in range(counts[upper]):
                            u = upper * counts_most + one
                            if table[u, 4] >= 0:
                                continue
                            for cell in range(4):
                                if first + table[u, 9 + cell] == row and _fit(
                                    table,
                                    u,
                                    x - table[u, 5 + cell],
                                    first,
                                    outlook,
                                    y,
                                    allowed,
                                    masks,
                                ):
                                    if is_filled:
                                        cover_masks[m] = masks
                                    m += 1
                    cover_ends[((y * 16 + outlook) * 3 + row) * width + x + 1] = m
    return n, m


@compiled
def _held(
    table: Any, u: Any, x: Any, gone: Any, a: Any, b: Any, c: Any, last: Any, outlook: Any,
    ranks: Any, after_clear: Any, y: Any, due: Any,
) -> Any:  # fmt: skip
    """Return whether a piece stands on something: 0 if not, 1 if so.

    Or more, if it does as long as what comes below its cell in the column ``(found - 2) // 4``
    and the row ``(found - 2) % 4`` does not wait for the row to go.
    """
    found = 0
    for column in range(table[u, 13]):
        xx, foot = x + table[u, 15 + 2 * column], table[u, 16 + 2 * column]
        row = foot - 1
        while row >= 0 and outlook >> row & 1 and ranks[outlook, row] + DEPTH < gone:
            row -= 1
        late = ranks[outlook, foot] + DEPTH if outlook >> foot & 1 else 99
        if row >= 0:
            if outlook >> row & 1:
                return 1
            yy = y
            for below in range(row):
                yy += 1 - (outlook >> below & 1)
            if not due[yy, xx]:
                continue
            if late == 99:
                return 1
            word = a if row == 0 else (b if row == 1 else c)
            there = code_of(word, xx) & 15
            if there:
                if (there - 1) >> 1 <= late:
                    return 1
            elif row == 0 and xx < x:
                if latest(last, xx) >> 1 <= late:
                    return 1
            elif not found:
                found = 2 + 4 * xx + foot
            continue
        if (after_clear and gone < DEPTH) or y == 0:
            return 1
        if due[y - 1, xx] and latest(last, xx) >> 1 <= late:
            return 1
    return found


@compiled
def _times(
    table: Any, u: Any, x: Any, a: Any, b: Any, c: Any, d: Any, last: Any, outlook: Any, ranks: Any
) -> Any:
    """Return the earliest and the latest time at which a piece can drop between others."""
    low, high = 0, 15
    gone = table[u, 3] + DEPTH
    completes = table[u, 4] >= 0
    some = a | b | c | d
    for cell in range(4):
        xx, row = x + table[u, 5 + cell], table[u, 9 + cell]
        its = ranks[outlook, row] + DEPTH
        for other in range(-1, 4 if code_of(some, xx) else 0):
            if other == row:
                continue
            if other < 0:
                time, code = latest(last, xx), 0
                if time == 0:
                    continue
            else:
                word = a if other == 0 else (b if other == 1 else (c if other == 2 else d))
                code = code_of(word, xx)
                if code == 0:
                    continue
                time = (code & 15) - 1
            if other < row:
                if outlook >> row & 1:
                    # what drops when this row has gone does not lie under it
                    low = max(low, 2 * its if time >> 1 > its else time)
                else:
                    if time & 1 and table[u, 2] and its <= time >> 1 < gone:
                        return 1, 0  # it completes a row above that has not gone yet
                    low = max(low, time)
            else:
                if outlook >> other & 1:
                    if table[u, 2] and gone > ranks[outlook, other] + DEPTH and not code & 16:
                        continue
                elif completes and time >> 1 > gone and gone >= ranks[outlook, other] + DEPTH:
                    return 1, 0
                high = min(high, time)
    return low, high


@compiled
def _overhangs(table: Any, u: Any, x: Any, a: Any, b: Any, outlook: Any, y: Any, due: Any) -> Any:
    """Whether something is still to come under a piece."""
    for column in range(table[u, 13]):
        xx, foot = x + table[u, 15 + 2 * column], table[u, 16 + 2 * column]
        if foot > 0 and xx > x and not code_of(a, xx) and (outlook & 1 or due[y, xx]):
            return True
        upper = y + 1 - (outlook & 1)
        if foot > 1 and not code_of(b, xx) and (outlook >> 1 & 1 or due[upper, xx]):
            return True
    return False


@compiled
def swept(
    states: Any, count: Any, row: Any, y_of: Any, height: Any, due: Any, table: Any,
    fit_ends: Any, fits: Any, fit_masks: Any, cover_ends: Any, cover_masks: Any,
    prices: Any, most: Any, chance: Any, room: Any, slots: Any, parents: Any, steps: Any,
    origins: Any, ways: Any,
) -> Any:  # fmt: skip
    """Go through a row, column by column.

    Parameters
    ----------
    states, count
        The states before the row; are given those after it.
    row, y_of
        The number of the row; for each outlook the next row of the picture.
    height, due
        Rows of the board; which squares must be filled.
    table, fit_ends, fits, fit_masks, cover_ends, cover_masks
        See :func:`listed`.
    prices
        See ``chosen`` in the module ``_kernel_states``.
    most, chance
        States that are kept after each column; an odd number that decides between equals.
    room, slots, parents, steps
        Room to work in. The last of the slots tells which column is met.
    origins, ways
        Are given for each state the one it comes from and, for each column, the piece that
        begins there: 0 if none, else one more than its orientation, the rows that have gone (from
        bit 5) and whether it completes one (bit 9).

    Returns
    -------
    int
        How many states there are.
    """
    width = due.shape[1]
    size = slots.shape[0] - 1
    mask = _u(size - 1)
    cap = room.shape[2]
    keys = np.empty(cap, np.uint64)
    forced = np.zeros((FORCED, 4), np.uint64)
    ranks = np.zeros((16, 4), np.int64)
    for kind in range(16):
        for i in range(1, 4):
            ranks[kind, i] = ranks[kind, i - 1] + (kind >> (i - 1) & 1)
    stamp = slots[size]
    now, ahead = 0, 1
    for i in range(count):
        for j in range(5):
            room[0, j, i] = states[j, i]
    live = count
    for x in range(width):
        stamp += 1
        met = 0
        for i in range(live):
            a, b, c, d, e = (
                room[now, 0, i],
                room[now, 1, i],
                room[now, 2, i],
                room[now, 3, i],
                room[now, 4, i],
            )
            outlook = np.int64(e >> _u(49)) & 15
            after_clear = np.int64(e >> _u(48)) & 1
            y = y_of[outlook]
            here = code_of(a, x) & 15
            below = latest(e, x)
            left = here > 0 or (not outlook & 1 and not due[y, x])
            at = (y * 16 + outlook) * width + x
            begin = fit_ends[at]
            for one in range(begin, begin + 1 if left else fit_ends[at + 1]):
                first, final = 0, 0
                u = 0
                if not left:
                    if (
                        (a & fit_masks[one, 0]) | (b & fit_masks[one, 1])
                        | (c & fit_masks[one, 2]) | (d & fit_masks[one, 3])
                    ):  # fmt: skip
                        continue
                    u = fits[one]
                    if table[u, 4] >= 0 and np.int64(e >> _u(53 + table[u, 4])) & 1:
                        continue
                    low, high = _times(table, u, x, a, b, c, d, e, outlook, ranks)
                    if low > high:
                        continue
                    if table[u, 2]:
                        time = 2 * (table[u, 3] + DEPTH) + (table[u, 4] >= 0)
                        if time < low or time > high:
                            continue
                        first = final = table[u, 3] + DEPTH
                    else:
                        # as early as what lies below allows, unless something is to come there
                        gone = row - y
                        first = max((low + 1) >> 1, DEPTH - gone)
                        first = max(first, row + table[u, 14] - height - gone + DEPTH)
                        final = min(DEPTH, high >> 1)
                        if first > final:
                            continue
                        if not _overhangs(table, u, x, a, b, outlook, y, due):
                            final = first
                for gone in range(first, final + 1):
                    na, nb, nc, nd, ne = a, b, c, d, e
                    step = 0
                    if left:
                        if here:
                            na = a & ~(_u(31) << _u(5 * x))
                            if here - 1 > below:
                                ne = e & ~(_u(15) << _u(4 * x)) | _u(here - 1) << _u(4 * x)
                    else:
                        held = _held(
                            table, u, x, gone, a, b, c, e, outlook, ranks, after_clear, y, due
                        )
                        if not held:
                            continue
                        completes = table[u, 4] >= 0
                        time = 2 * gone + completes
                        for cell in range(4):
                            xx, r = x + table[u, 5 + cell], table[u, 9 + cell]
                            if r == 0 and xx == x:
                                if time > below:
                                    ne = ne & ~(_u(15) << _u(4 * x)) | _u(time) << _u(4 * x)
                                continue
                            put = _u(time + 1)
                            if held - 2 == 4 * xx + r:
                                put |= _u(16)
                            put = put << _u(5 * xx)
                            if r == 0:
                                na |= put
                            elif r == 1:
                                nb |= put
                            elif r == 2:
                                nc |= put
                            else:
                                nd |= put
                        if completes:
                            ne |= _u(1) << _u(53 + table[u, 4])
                        step = 1 + (table[u, 0] | gone << 5 | np.int64(completes) << 9)
                    if x == width - 1 and outlook & 1 and not np.int64(ne >> _u(53)) & 1:
                        continue  # the row is full, but nothing completes it
                    if met == cap:
                        continue
                    code = mixed(na, nb, nc, nd, ne)
                    slot = np.int64(code & mask)
                    known = False
                    while slots[slot] >> 32 == stamp:
                        j = slots[slot] & 0xFFFFFFFF
                        if (
                            room[ahead, 0, j] == na and room[ahead, 1, j] == nb
                            and room[ahead, 2, j] == nc and room[ahead, 3, j] == nd
                            and room[ahead, 4, j] == ne
                        ):  # fmt: skip
                            known = True
                            break
                        slot = slot + 1 & size - 1
                    if known:
                        continue
                    slots[slot] = stamp << 32 | met
                    room[ahead, 0, met], room[ahead, 1, met], room[ahead, 2, met] = na, nb, nc
                    room[ahead, 3, met], room[ahead, 4, met] = nd, ne
                    keys[met] = code
                    parents[x, met], steps[x, met] = i, step
                    met += 1
        if met > most:
            # leave out those that lead nowhere, then those that have few ways to go on
            done = (_u(1) << _u(5 * (x + 1))) - _u(1)
            kept = 0
            for i in range(met):
                outlook = np.int64(room[ahead, 4, i] >> _u(49)) & 15
                price = penalty(
                    room[ahead, 0, i] | done, room[ahead, 1, i], room[ahead, 2, i],
                    room[ahead, 3, i], outlook, y_of[outlook], due, x + 1, cover_ends,
                    cover_masks, prices, forced,
                )  # fmt: skip
                if price < 0:
                    continue
                for j in range(5):
                    room[ahead, j, kept] = room[ahead, j, i]
                parents[x, kept], steps[x, kept] = parents[x, i], steps[x, i]
                keys[kept] = _u(price) << _u(40) | (keys[i] * chance) >> _u(24)
                kept += 1
            met = kept
            if met > most:
                worst = np.partition(keys[:met], most - 1)[most - 1]
                kept = 0
                for i in range(met):
                    if keys[i] <= worst and kept < most:
                        for j in range(5):
                            room[ahead, j, kept] = room[ahead, j, i]
                        parents[x, kept], steps[x, kept] = parents[x, i], steps[x, i]
                        kept += 1
                met = kept
        live = met
        now, ahead = ahead, now
        if not live:
            break
    slots[size] = stamp
    for i in range(live):
        at = i
        for x in range(width - 1, -1, -1):
            ways[i, x] = steps[x, at]
            at = parents[x, at]
        origins[i] = at
        for j in range(5):
            states[j, i] = room[now, j, i]
    return live


def is_compiled() -> bool:
    """Whether an earlier run left the compiled search on disk."""
    return is_kept(swept)
