"""The compiled inner loop of the backtracker.

A depth-first search over column heights. Because packings are gap-free, the heights say
everything about a partly filled matrix: which cells are taken, which rows are complete
(as many as the lowest column is high), and so which columns still hold a piece. Two ways
to the same heights have the same futures, which is why a height vector that has been
left once without success is remembered and never entered again. That memory turns the
exhaustive search from hopeless into a matter of milliseconds.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

from tetrisprinter.game.pieces import ORIENTATIONS

if cython.compiled:
    from cython.cimports.tetrisprinter.support.words import begun, mixed, spread
else:
    from tetrisprinter.support.words import begun, mixed, spread

__all__ = ["EXHAUSTED", "FOUND", "GAVE_UP", "search"]

FOUND, EXHAUSTED, GAVE_UP = 0, 1, 2

_WIDTHS = np.array([o.width for o in ORIENTATIONS], np.int64)
_BOTTOMS = np.array([(o.bottom + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)
_TOPS = np.array([(o.top + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)


@cython.cclass
class _Search:
    """A matrix, and what is known of it.

    Attributes
    ----------
    width, heights, ceilings, squares
        Its columns; see :func:`search`.
    order
        The placements in the order in which they are tried.
    widths, bottoms, tops
        Of the orientations.
    pointer, out, depth, pieces
        At each depth the next placement to try and the one that was made; how deep the search
        is and how deep it can get.
    seen, slots, count
        The heights entered so far, found by their hash; how many they are.
    tried
        Placements made.
    """

    width: Int
    heights: Int[::1]
    ceilings: Int[::1]
    squares: Byte[::1]
    order: Int[::1]
    widths: Int[::1]
    bottoms: Int[:, ::1]
    tops: Int[:, ::1]
    pointer: Int[::1]
    out: Int[::1]
    depth: Int
    pieces: Int
    seen: Byte[:, ::1]
    slots: Int[::1]
    count: Int
    tried: Int

    def __init__(self, start: Any, ceilings: Any, squares: Any, order: Any, out: Any) -> None:
        self.width = len(start)
        self.heights, self.ceilings = memoryview(start.copy()), memoryview(ceilings)
        self.squares, self.order = memoryview(squares).cast("B"), memoryview(order)
        self.widths, self.bottoms = memoryview(_WIDTHS), memoryview(_BOTTOMS)
        self.tops = memoryview(_TOPS)
        self.pieces = int((ceilings - start).sum()) // 4
        self.pointer = memoryview(np.zeros(self.pieces + 1, np.int64))
        self.out = memoryview(out)
        self.seen = memoryview(np.empty((256, self.width), np.uint8))
        self.slots = memoryview(np.full(1024, -1, np.int64))
        self.depth = self.count = self.tried = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_divisible(at: _Search) -> cython.bint:
    """Whether between full columns the free cells are everywhere a multiple of 4."""
    free: Int = 0
    for c in range(at.width):
        if at.heights[c] == at.ceilings[c]:
            if free & 3:
                return False
            free = 0
        else:
            free += at.ceilings[c] - at.heights[c]
    return not free & 3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slot_of_seen(at: _Search, number: Int) -> Int:
    """Return the free slot for heights that were entered before."""
    code: Word = begun(at.seen[number, 0])
    for c in range(1, at.width):
        code = mixed(code, at.seen[number, c])
    last: Int = at.slots.shape[0] - 1
    slot: Int = cython.cast(Int, spread(code) & cython.cast(Word, last))
    while at.slots[slot] >= 0:
        slot = slot + 1 & last
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slot(at: _Search) -> Int:
    """Return the slot of the heights: the one that holds them, or the free one for them."""
    code: Word = begun(at.heights[0])
    for c in range(1, at.width):
        code = mixed(code, at.heights[c])
    last: Int = at.slots.shape[0] - 1
    slot: Int = cython.cast(Int, spread(code) & cython.cast(Word, last))
    while at.slots[slot] >= 0:
        equal: cython.bint = True
        for c in range(at.width):
            if at.seen[at.slots[slot], c] != at.heights[c]:
                equal = False
                break
        if equal:
            break
        slot = slot + 1 & last
    return slot


@cython.cfunc
def _grow(at: _Search) -> cython.void:
    """Make room for twice as many heights."""
    more = np.empty((2 * at.count, at.width), np.uint8)
    more[: at.count] = at.seen
    at.seen = memoryview(more)
    at.slots = memoryview(np.full(8 * at.count, -1, np.int64))
    for i in range(at.count):
        at.slots[_slot_of_seen(at, i)] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_new(at: _Search) -> cython.bint:
    """Whether the heights have not been entered before; from now on they have."""
    slot: Int = _slot(at)
    if at.slots[slot] >= 0:
        return False
    if at.count == at.seen.shape[0]:
        with cython.gil:
            _grow(at)
        slot = _slot(at)
    for c in range(at.width):
        at.seen[at.count, c] = cython.cast(Byte, at.heights[c])
    at.slots[slot] = at.count
    at.count += 1
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _fits(at: _Search, candidate: Int, complete: Int) -> cython.bint:
    """Whether a placement lies gap-free below the ceilings and is held by a column."""
    o: Int = candidate // at.width
    x: Int = candidate % at.width
    y: Int = at.heights[x] - at.bottoms[o, 0]
    if y < 0:
        return False
    held: cython.bint = False
    for i in range(at.widths[o]):
        c: Int = x + i
        if at.heights[c] != y + at.bottoms[o, i] or y + at.tops[o, i] > at.ceilings[c]:
            return False
        held = held or at.heights[c] > complete or at.squares[c]
    return held


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(at: _Search) -> Int:
    """Return the next placement that fits; -1 if none does."""
    complete: Int = at.heights[0]
    for c in range(1, at.width):
        complete = min(complete, at.heights[c])
    while at.pointer[at.depth] < at.order.shape[0]:
        candidate: Int = at.order[at.pointer[at.depth]]
        at.pointer[at.depth] += 1
        if _fits(at, candidate, complete):
            return candidate
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(at: _Search, placement: Int) -> cython.void:
    o: Int = placement // at.width
    x: Int = placement % at.width
    y: Int = at.heights[x] - at.bottoms[o, 0]
    for i in range(at.widths[o]):
        at.heights[x + i] = y + at.tops[o, i]
    at.out[at.depth] = placement
    at.depth += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _take_back(at: _Search) -> cython.void:
    at.depth -= 1
    o: Int = at.out[at.depth] // at.width
    x: Int = at.out[at.depth] % at.width
    y: Int = at.heights[x] - at.tops[o, 0]
    for i in range(at.widths[o]):
        at.heights[x + i] = y + at.bottoms[o, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _searched(at: _Search, limit: Int, stop: Byte[::1]) -> Int:
    entering: cython.bint = True
    while True:
        if entering:
            entering = False
            if at.depth == at.pieces:
                return 0
            at.pointer[at.depth] = 0
            if not _is_divisible(at) or not _is_new(at):
                at.pointer[at.depth] = at.order.shape[0]
        chosen: Int = _choose(at)
        if chosen >= 0:
            if at.tried == limit or (at.tried & 0xFFF == 0xFFF and stop[0]):
                return 2
            at.tried += 1
            _place(at, chosen)
            entering = True
        elif at.depth == 0:
            return 1
        else:
            _take_back(at)


def search(
    start: Any, ceilings: Any, squares: Any, order: Any, limit: int, stop: Any, out: Any
) -> tuple[int, int]:
    """Fill a matrix from ``start`` up to ``ceilings``.

    Parameters
    ----------
    start, ceilings : array of int
        For each column its height now and when filled.
    squares : array of bool
        Columns that stand on a square and so hold a piece for good.
    order : array of int
        The placements in the order in which to try them at every node, each encoded as
        ``orientation * width + column``.
    limit : int
        Placements to try before giving up; negative for no limit.
    stop : array of one bool
        Another thread may set it to make the search give up soon.
    out : array of int
        Receives the placements in drop order.

    Returns
    -------
    (int, int)
        FOUND, EXHAUSTED or GAVE_UP, and how many placements were tried.
    """
    at = _Search(start, ceilings, squares, order, out)
    flag: Byte[::1] = memoryview(stop).cast("B")
    most: Int = limit
    status: Int = 0
    with cython.nogil:
        status = _searched(at, most, flag)
    return status, at.tried
