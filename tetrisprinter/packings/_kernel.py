"""The compiled inner loop of the backtracker: a depth-first search over column heights.

Packings are gap-free, so the heights describe a partly filled matrix completely: the filled cells,
the complete rows (as many as the lowest column is high) and the columns that still support a piece.
So the heights alone decide how the rest can be filled. The search therefore stores the heights that
it enters in a hash table and never enters them again: an exhaustive search takes milliseconds.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.kernels  # noqa: F401  (refuses to run uncompiled)
import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word
from cython import ushort as Height

from tetrisprinter.game.pieces import ORIENTATIONS

if cython.compiled:
    from cython.cimports.tetrisprinter.support.kernels import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.kernels import finish_hash, hash_first, hash_next

__all__ = ["EXHAUSTED", "FOUND", "GAVE_UP", "search"]

FOUND, EXHAUSTED, GAVE_UP = 0, 1, 2

_WIDTHS = np.array([o.width for o in ORIENTATIONS], np.int64)
_BOTTOMS = np.array([(o.bottom + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)
_TOPS = np.array([(o.top + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)


@cython.cclass
class _Backtracking:
    """The state of the search: the matrix, its pieces so far and the heights already entered."""

    width: Int  # the number of columns
    heights: Int[::1]  # the current height of each column
    ceilings: Int[::1]  # the height up to which each column must be filled
    squares: Byte[::1]  # for each column, whether it is over a square of row -1
    order: Int[::1]  # the placements in the order in which they are tried
    widths: Int[::1]  # the width of each orientation
    bottoms: Int[:, ::1]  # for each orientation the bottom of each column
    tops: Int[:, ::1]  # for each orientation the top of each column
    pointer: Int[::1]  # at each depth the index in ``order`` of the next placement to try
    out: Int[::1]  # at each depth the placement of the dropped piece
    depth: Int  # the number of pieces dropped
    pieces: Int  # the number of pieces that fill the matrix
    seen: Height[:, ::1]  # the heights entered so far
    slots: Int[::1]  # a hash table of indices into ``seen``; -1 if free
    count: Int  # the number of heights in ``seen``
    tried: Int  # the number of drops, including those that were undone

    def __init__(self, start: Any, ceilings: Any, squares: Any, order: Any, out: Any) -> None:
        self.width = len(start)
        self.heights, self.ceilings = memoryview(start.copy()), memoryview(ceilings)
        self.squares, self.order = memoryview(squares).cast("B"), memoryview(order)
        self.widths, self.bottoms = memoryview(_WIDTHS), memoryview(_BOTTOMS)
        self.tops = memoryview(_TOPS)
        self.pieces = int((ceilings - start).sum()) // 4
        self.pointer = memoryview(np.zeros(self.pieces + 1, np.int64))
        self.out = memoryview(out)
        self.seen = memoryview(np.empty((256, self.width), np.uint16))
        self.slots = memoryview(np.full(1024, -1, np.int64))
        self.depth = self.count = self.tried = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_divisible(state: _Backtracking) -> cython.bint:
    """Return whether each run of columns between full ones has a multiple of 4 free cells."""
    free: Int = 0
    for c in range(state.width):
        if state.heights[c] == state.ceilings[c]:
            if free & 3:
                return False
            free = 0
        else:
            free += state.ceilings[c] - state.heights[c]
    return not free & 3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_slot(state: _Backtracking, number: Int) -> Int:
    """Return the slot that holds heights equal to ``seen[number]``, or the free slot for them."""
    code: Word = hash_first(state.seen[number, 0])
    for c in range(1, state.width):
        code = hash_next(code, state.seen[number, c])
    last: Int = state.slots.shape[0] - 1
    slot: Int = cython.cast(Int, finish_hash(code) & cython.cast(Word, last))
    while state.slots[slot] >= 0:
        equal: cython.bint = True
        for c in range(state.width):
            if state.seen[state.slots[slot], c] != state.seen[number, c]:
                equal = False
                break
        if equal:
            break
        slot = slot + 1 & last
    return slot


@cython.cfunc
def _grow(state: _Backtracking) -> cython.void:
    """Double the number of heights that the table can store."""
    larger = np.empty((2 * state.count, state.width), np.uint16)
    larger[: state.count] = state.seen
    state.seen = memoryview(larger)
    state.slots = memoryview(np.full(8 * state.count, -1, np.int64))
    for i in range(state.count):
        state.slots[_find_slot(state, i)] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _enter_heights(state: _Backtracking) -> cython.int:
    """Store the current heights as entered; return 1 if they are new, else 0."""
    if state.count == state.seen.shape[0]:
        with cython.gil:
            _grow(state)
    for c in range(state.width):
        state.seen[state.count, c] = cython.cast(Height, state.heights[c])
    slot: Int = _find_slot(state, state.count)
    if state.slots[slot] >= 0:
        return 0
    state.slots[slot] = state.count
    state.count += 1
    return 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _can_place(state: _Backtracking, candidate: Int, complete_rows: Int) -> cython.bint:
    """Return whether a placement lies gap-free below the ceilings and a column supports it."""
    o: Int = candidate // state.width
    x: Int = candidate % state.width
    y: Int = state.heights[x] - state.bottoms[o, 0]
    if y < 0:
        return False
    has_support: cython.bint = False
    for i in range(state.widths[o]):
        c: Int = x + i
        if state.heights[c] != y + state.bottoms[o, i] or y + state.tops[o, i] > state.ceilings[c]:
            return False
        has_support = has_support or state.heights[c] > complete_rows or state.squares[c]
    return has_support


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_next_placement(state: _Backtracking) -> Int:
    """Return the next placement at this depth that fits; -1 if no other fits."""
    complete_rows: Int = state.heights[0]
    for c in range(1, state.width):
        complete_rows = min(complete_rows, state.heights[c])
    while state.pointer[state.depth] < state.order.shape[0]:
        candidate: Int = state.order[state.pointer[state.depth]]
        state.pointer[state.depth] += 1
        if _can_place(state, candidate, complete_rows):
            return candidate
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _drop(state: _Backtracking, placement: Int) -> cython.void:
    """Drop a piece: raise the heights and record the placement."""
    o: Int = placement // state.width
    x: Int = placement % state.width
    y: Int = state.heights[x] - state.bottoms[o, 0]
    for i in range(state.widths[o]):
        state.heights[x + i] = y + state.tops[o, i]
    state.out[state.depth] = placement
    state.depth += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _undo_last_drop(state: _Backtracking) -> cython.void:
    """Undo the last drop: restore the heights."""
    state.depth -= 1
    o: Int = state.out[state.depth] // state.width
    x: Int = state.out[state.depth] % state.width
    y: Int = state.heights[x] - state.tops[o, 0]
    for i in range(state.widths[o]):
        state.heights[x + i] = y + state.bottoms[o, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _run_search(state: _Backtracking, limit: Int, stop: Byte[::1]) -> Int:
    """Run the search until a result or ``limit`` drops; return FOUND, EXHAUSTED or GAVE_UP."""
    entering: cython.bint = True
    while True:
        if entering:
            entering = False
            if state.depth == state.pieces:
                return 0
            state.pointer[state.depth] = 0
            if not _is_divisible(state) or not _enter_heights(state):
                state.pointer[state.depth] = state.order.shape[0]
        chosen: Int = _find_next_placement(state)
        if chosen >= 0:
            if state.tried == limit or (state.tried & 0xFFF == 0xFFF and stop[0]):
                return 2
            state.tried += 1
            _drop(state, chosen)
            entering = True
        elif state.depth == 0:
            return 1
        else:
            _undo_last_drop(state)


def search(
    start: Any, ceilings: Any, squares: Any, order: Any, limit: int, stop: Any, out: Any
) -> tuple[int, int]:
    """Fill a matrix from ``start`` up to ``ceilings``; return status and placements tried.

    ``order`` lists placements as ``orientation * width + column``; ``squares`` marks the columns
    over a square, which always support a piece. ``limit`` is the number of placements to try; a
    negative number means no limit. Another thread may set ``stop`` to end the search soon. ``out``
    receives the placements in drop order.
    """
    state = _Backtracking(start, ceilings, squares, order, out)
    stop_flag: Byte[::1] = memoryview(stop).cast("B")
    max_placements: Int = limit
    status: Int = 0
    with cython.nogil:
        status = _run_search(state, max_placements, stop_flag)
    return status, state.tried
