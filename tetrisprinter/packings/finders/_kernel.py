"""The compiled inner loop of the backtracker: a depth-first search over column heights.

Packings are gap-free, so the heights describe a partly filled matrix completely: the filled cells,
the complete rows (as many as the lowest column is high) and the columns that still support a piece.
So equal heights can be filled in the same ways. The search therefore stores the heights that it
enters in a hash table and never enters them again: an exhaustive search takes milliseconds.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

from tetrisprinter.game.pieces import ORIENTATIONS

if cython.compiled:
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next

__all__ = ["EXHAUSTED", "FOUND", "GAVE_UP", "search"]

FOUND, EXHAUSTED, GAVE_UP = 0, 1, 2

_WIDTHS = np.array([o.width for o in ORIENTATIONS], np.int64)
_BOTTOMS = np.array([(o.bottom + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)
_TOPS = np.array([(o.top + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)


@cython.cclass
class _Backtracking:
    """The state of the search: the matrix, its pieces so far and the heights already entered."""

    width: Int  # the number of columns; :func:`search` describes ceilings and squares
    heights: Int[::1]  # the current height of each column
    ceilings: Int[::1]
    squares: Byte[::1]
    order: Int[::1]  # the placements in the order in which they are tried
    widths: Int[::1]  # the width of each orientation
    bottoms: Int[:, ::1]  # for each orientation the bottom of each column
    tops: Int[:, ::1]  # for each orientation the top of each column
    pointer: Int[::1]  # at each depth the index in ``order`` of the next placement to try
    out: Int[::1]  # at each depth the placement made
    depth: Int  # the number of pieces dropped
    pieces: Int  # the number of pieces that fill the matrix
    seen: Byte[:, ::1]  # the heights entered so far
    slots: Int[::1]  # a hash table of indices into ``seen``; -1 if free
    count: Int  # the number of heights in ``seen``
    tried: Int  # placements made

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
def _is_divisible(at: _Backtracking) -> cython.bint:
    """Return whether each run of columns between full ones has a multiple of 4 free cells."""
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
def _find_free_slot(at: _Backtracking, number: Int) -> Int:
    """Return the slot for the heights ``seen[number]`` in a table that does not hold them yet."""
    code: Word = hash_first(at.seen[number, 0])
    for c in range(1, at.width):
        code = hash_next(code, at.seen[number, c])
    last: Int = at.slots.shape[0] - 1
    slot: Int = cython.cast(Int, finish_hash(code) & cython.cast(Word, last))
    while at.slots[slot] >= 0:
        slot = slot + 1 & last
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_slot(at: _Backtracking) -> Int:
    """Return the slot that holds the current heights, or the free slot for them."""
    code: Word = hash_first(at.heights[0])
    for c in range(1, at.width):
        code = hash_next(code, at.heights[c])
    last: Int = at.slots.shape[0] - 1
    slot: Int = cython.cast(Int, finish_hash(code) & cython.cast(Word, last))
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
def _grow(at: _Backtracking) -> cython.void:
    """Double the number of heights that can be stored."""
    more = np.empty((2 * at.count, at.width), np.uint8)
    more[: at.count] = at.seen
    at.seen = memoryview(more)
    at.slots = memoryview(np.full(8 * at.count, -1, np.int64))
    for i in range(at.count):
        at.slots[_find_free_slot(at, i)] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _enter_heights(at: _Backtracking) -> cython.int:
    """Store the current heights as entered; return whether they are new."""
    slot: Int = _find_slot(at)
    if at.slots[slot] >= 0:
        return 0
    if at.count == at.seen.shape[0]:
        with cython.gil:
            _grow(at)
        slot = _find_slot(at)
    for c in range(at.width):
        at.seen[at.count, c] = cython.cast(Byte, at.heights[c])
    at.slots[slot] = at.count
    at.count += 1
    return 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _can_place(at: _Backtracking, candidate: Int, complete: Int) -> cython.bint:
    """Return whether a placement lies gap-free below the ceilings and a column supports it."""
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
def _choose(at: _Backtracking) -> Int:
    """Return the next placement that fits; -1 if none does."""
    complete: Int = at.heights[0]
    for c in range(1, at.width):
        complete = min(complete, at.heights[c])
    while at.pointer[at.depth] < at.order.shape[0]:
        candidate: Int = at.order[at.pointer[at.depth]]
        at.pointer[at.depth] += 1
        if _can_place(at, candidate, complete):
            return candidate
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(at: _Backtracking, placement: Int) -> cython.void:
    """Drop a piece."""
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
def _take_back(at: _Backtracking) -> cython.void:
    """Undo the last drop."""
    at.depth -= 1
    o: Int = at.out[at.depth] // at.width
    x: Int = at.out[at.depth] % at.width
    y: Int = at.heights[x] - at.tops[o, 0]
    for i in range(at.widths[o]):
        at.heights[x + i] = y + at.bottoms[o, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _run_search(at: _Backtracking, limit: Int, stop: Byte[::1]) -> Int:
    """Run the search; return FOUND, EXHAUSTED or GAVE_UP."""
    entering: cython.bint = True
    while True:
        if entering:
            entering = False
            if at.depth == at.pieces:
                return 0
            at.pointer[at.depth] = 0
            if not _is_divisible(at) or not _enter_heights(at):
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
    """Fill a matrix from ``start`` up to ``ceilings``; return status and placements tried.

    ``order`` lists placements as ``orientation * width + column``; ``squares`` marks the columns
    over a square, which always support a piece. A negative ``limit`` means no limit; another thread
    may set ``stop`` to end the search soon. ``out`` receives the placements in drop order.
    """
    at = _Backtracking(start, ceilings, squares, order, out)
    flag: Byte[::1] = memoryview(stop).cast("B")
    max_placements: Int = limit
    status: Int = 0
    with cython.nogil:
        status = _run_search(at, max_placements, flag)
    return status, at.tried
