"""The compiled choice among states of the search up the rows. Importing it loads numba.

What a state is tells :mod:`~tetrisprinter.planners.shortest.upward._kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.support.compiled import compiled

__all__ = ["FORCED", "advanced", "chosen", "code_of", "latest", "mixed", "penalty"]

_CROWD = 1000
_OPTIONS = 4
"""More pieces than that for a square need not be told apart."""
FORCED = 40
"""Room for the pieces that some square has no other than."""

_u = np.uint64
_ONES = np.uint64(sum(1 << 5 * x for x in range(12)))


@compiled
def mixed(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    code = np.uint64(0x2545F4914F6CDD1D)
    for word in (a, b, c, d, e):
        code = (code ^ word) * np.uint64(0x9E3779B97F4A7C15)
        code = code ^ (code >> np.uint64(29))
    code *= np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(32))


@compiled
def code_of(word: Any, x: Any) -> Any:
    """Return what a row tells of a column."""
    return np.int64(word >> _u(5 * x)) & 31


@compiled
def latest(last: Any, x: Any) -> Any:
    """Return the latest time below in a column."""
    return np.int64(last >> _u(4 * x)) & 15


@compiled
def penalty(
    a: Any, b: Any, c: Any, d: Any, outlook: Any, y: Any, due: Any, begin: Any,
    ends: Any, masks: Any, prices: Any, forced: Any,
) -> Any:  # fmt: skip
    """Return what squares cost that few pieces cover; -1 if no piece covers some square.

    Nor do two pieces of which some squares have no other, and which meet. Squares of the lowest
    row before the column ``begin`` do not count.
    """
    width = due.shape[1]
    price, count, last, y_base = 0, 0, 0, y
    f0, f1, f2, f3 = _u(0), _u(0), _u(0), _u(0)
    for row in range(3):
        if outlook >> row & 1:
            continue
        word = a if row == 0 else (b if row == 1 else c)
        for x in range(begin if row == 0 else 0, width):
            if not due[y, x] or code_of(word, x):
                continue
            found = 0
            at = ((y_base * 16 + outlook) * 3 + row) * width + x
            for one in range(ends[at], ends[at + 1]):
                if (
                    (masks[one, 0] & a) | (masks[one, 1] & b)
                    | (masks[one, 2] & c) | (masks[one, 3] & d)
                ):  # fmt: skip
                    continue
                found += 1
                last = one
                if found == _OPTIONS:
                    break
            if found == 0:
                return -1
            if found == 1:
                g0, g1, g2, g3 = masks[last, 0], masks[last, 1], masks[last, 2], masks[last, 3]
                if (g0 & f0) | (g1 & f1) | (g2 & f2) | (g3 & f3):
                    same = False
                    for i in range(count):
                        if (
                            forced[i, 0] == g0 and forced[i, 1] == g1
                            and forced[i, 2] == g2 and forced[i, 3] == g3
                        ):  # fmt: skip
                            same = True
                    if not same:
                        return -1
                else:
                    forced[count, 0], forced[count, 1] = g0, g1
                    forced[count, 2], forced[count, 3] = g2, g3
                    count += 1
                    f0, f1, f2, f3 = f0 | g0, f1 | g1, f2 | g2, f3 | g3
            price += prices[row, found]
        y += 1
    return price


@compiled
def advanced(
    states: Any, count: Any, clears: Any, room: Any, last: Any, out: Any, sources: Any
) -> Any:
    """Let the row above the outlooks of some states be one that clears, or one of the picture.

    Parameters
    ----------
    states, count
        As they are after a row.
    clears
        Whether the row does.
    room
        For each outlook after it, whether such a row may follow.
    last
        Columns of the board.
    out, sources
        Are given the states before the next row and the numbers of those they come from.

    Returns
    -------
    int
        How many; some count on rows that are too far below now.
    """
    kept = 0
    for i in range(count):
        e = states[4, i]
        outlook = np.int64(e >> _u(49)) & 15
        if not room[outlook]:
            continue
        below = e & ((_u(1) << _u(48)) - _u(1))
        a, b, c = states[1, i], states[2, i], states[3, i]
        if outlook & 1:
            early = False
            for x in range(last):
                for word in (a, b, c):
                    early = early or 0 < code_of(word, x) & 15 < 3
                time = _u(max(0, latest(below, x) - 2))
                below = below & ~(_u(15) << _u(4 * x)) | time << _u(4 * x)
            if early:
                continue
            for x in range(last):
                two = _u(2) << _u(5 * x)
                a -= two if code_of(a, x) else _u(0)
                b -= two if code_of(b, x) else _u(0)
                c -= two if code_of(c, x) else _u(0)
        complete = e >> _u(54) << _u(53)
        after = _u(outlook >> 1 | clears << 3)
        out[0, kept], out[1, kept], out[2, kept], out[3, kept] = a, b, c, _u(0)
        out[4, kept] = below | _u(outlook & 1) << _u(48) | after << _u(49) | complete
        sources[kept] = i
        kept += 1
    return kept


@compiled
def chosen(
    states: Any, count: Any, most: Any, y_of: Any, due: Any, cover_ends: Any, cover_masks: Any,
    prices: Any, chance: Any, sources: Any, beginnings: Any,
) -> Any:  # fmt: skip
    """Keep some states, in place: of each outlook as many, and few that fill the same cells.

    Parameters
    ----------
    states, count, most
        The states; as many as are to be kept.
    y_of, due, cover_ends, cover_masks
        See :func:`swept`.
    prices
        What a square of the lowest three rows costs that so many pieces cover.
    chance
        An odd number that decides between equals.
    sources, beginnings
        What belongs to the states, and stays with them.

    Returns
    -------
    int
        How many are kept.
    """
    keys = np.empty(count, np.uint64)
    forced = np.zeros((FORCED, 4), np.uint64)
    kept = 0
    for i in range(count):
        outlook = np.int64(states[4, i] >> _u(49)) & 15
        price = penalty(
            states[0, i], states[1, i], states[2, i], states[3, i], outlook, y_of[outlook], due,
            0, cover_ends, cover_masks, prices, forced,
        )  # fmt: skip
        if price < 0:
            continue
        code = mixed(states[0, i], states[1, i], states[2, i], states[3, i], states[4, i])
        for j in range(5):
            states[j, kept] = states[j, i]
        sources[kept], beginnings[kept] = sources[i], beginnings[i]
        keys[kept] = _u(price) << _u(40) | (code * chance) >> _u(24)
        kept += 1
    count = kept
    if count <= most:
        return count
    # many games differ in times only
    size = 1
    while size < 4 * count:
        size *= 2
    known, crowd = np.zeros(size, np.uint64), np.zeros(size, np.int64)
    there = np.zeros(16, np.int64)
    for i in range(count):
        outlook = np.int64(states[4, i] >> _u(49)) & 15
        there[outlook] += 1
        code = _u(outlook)
        for row in range(4):
            word = states[row, i]
            word = (word | word >> _u(1) | word >> _u(2) | word >> _u(3)) & _ONES
            code = mixed(code, word, _u(row), _u(0), _u(0))
        slot = np.int64(code & _u(size - 1))
        code |= _u(1)
        while known[slot] != _u(0) and known[slot] != code:
            slot = slot + 1 & size - 1
        known[slot] = code
        keys[i] += _u(min(_CROWD, crowd[slot])) << _u(40)
        crowd[slot] += 1
    share = np.zeros(16, np.int64)
    left = most
    while left > 0:
        wanting = 0
        for kind in range(16):
            wanting += share[kind] < there[kind]
        for kind in range(16):
            more = min(max(1, left // wanting), there[kind] - share[kind], left)
            share[kind] += more
            left -= more
    worst = np.zeros(16, np.uint64)
    for kind in range(16):
        if share[kind]:
            some = np.empty(there[kind], np.uint64)
            n = 0
            for i in range(count):
                if np.int64(states[4, i] >> _u(49)) & 15 == kind:
                    some[n] = keys[i]
                    n += 1
            worst[kind] = np.partition(some, share[kind] - 1)[share[kind] - 1]
    kept = 0
    for i in range(count):
        outlook = np.int64(states[4, i] >> _u(49)) & 15
        if share[outlook] and keys[i] <= worst[outlook] and kept < most:
            for j in range(5):
                states[j, kept] = states[j, i]
            sources[kept], beginnings[kept] = sources[i], beginnings[i]
            kept += 1
    return kept
