"""The compiled inner loop of the solver: depth-first search with a table of dead ends.

A state is the first free cell, the mask of taken cells after it, and the remaining pieces. The
table has the states from which a complete search found no solution.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.kernels  # noqa: F401  (refuses to run uncompiled)
import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.kernels import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.kernels import finish_hash, hash_first, hash_next

__all__ = ["GAVE_UP", "search"]

GAVE_UP = -1

# Marks a free slot of the hash table; the highest bit of a mask is never set
_FREE = 0xFFFFFFFFFFFFFFFF


@cython.cclass
class _Search:
    """A puzzle, its pieces so far and the dead ends; the rectangle is filled row by row."""

    # Cells per row, and number of rows. Masks have room for rows of 31 cells, counts for 255
    # pieces. The shorter side of a rectangle of 400 cells has at most 20
    side: Int
    length: Int
    counts: Int[::1]  # unused pieces of each of the 8 kinds
    masks: Word[::1]  # the cells of each kind relative to its first cell: bit ``side * y + x``
    inside: Byte[:, ::1]  # whether a kind can begin at a cell; the last row: after the last cell
    # At each depth:
    position: Int[::1]  # the first free cell
    mask: Word[::1]  # the taken cells after it; the first free cell is bit 0
    next_kind: Int[::1]  # the next kind to try (8: all were tried, 9: the state is a dead end)
    solutions_before: Int[::1]  # the number of solutions when the state was entered
    kind: Int[::1]  # the kind of the placed piece
    depth: Int  # the number of placed pieces
    remaining: Word  # the unused pieces, eight bits for each kind
    keys: Word[:, ::1]  # the dead ends, in a hash table with linear probing
    remembered: Int  # the number of dead ends in the table
    solutions: Int  # the number of solutions
    placed: Int  # the number of pieces placed during the whole search

    def __init__(self, side: int, length: int, counts: Any, masks: Any, inside: Any) -> None:
        self.side, self.length = side, length
        self.counts = memoryview(counts.copy())
        self.masks, self.inside = memoryview(masks), memoryview(inside)
        max_depth = side * length // 2 + 1
        columns = np.zeros((4, max_depth + 1), np.int64)
        self.position, self.next_kind = memoryview(columns[0]), memoryview(columns[1])
        self.solutions_before, self.kind = memoryview(columns[2]), memoryview(columns[3])
        self.mask = memoryview(np.zeros(max_depth + 1, np.uint64))
        self.depth = self.remembered = self.solutions = self.placed = 0
        self.remaining = sum(count << 8 * kind for kind, count in enumerate(counts.tolist()))
        self.keys = _make_table(1024)


def _make_table(slot_count: int) -> Any:
    return memoryview(np.full((slot_count, 2), _FREE, np.uint64))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_slot(keys: Word[:, ::1], mask: Word, remaining: Word) -> Int:
    """Return the index of the slot that holds a state, or else of the free slot for it."""
    free: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
    last: Int = keys.shape[0] - 1
    slot: Int = cython.cast(
        Int, finish_hash(hash_next(hash_first(mask), remaining)) & cython.cast(Word, last)
    )
    while keys[slot, 0] != free and (keys[slot, 0] != mask or keys[slot, 1] != remaining):
        slot = slot + 1 & last
    return slot


@cython.cfunc
@cython.exceptval(-1)
def _enlarge_table(state: _Search) -> cython.int:
    """Make the table four times larger; an exception such as Ctrl-C ends the search."""
    free: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
    larger: Word[:, ::1] = _make_table(4 * state.keys.shape[0])
    for i in range(state.keys.shape[0]):
        if state.keys[i, 0] != free:
            slot: Int = _find_slot(larger, state.keys[i, 0], state.keys[i, 1])
            larger[slot, 0], larger[slot, 1] = state.keys[i, 0], state.keys[i, 1]
    state.keys = larger
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter_state(state: _Search, cells: Int, limit: Int, out: Int[:, ::1]) -> cython.bint:
    """Enter a state: record a solution or recognise a dead end; return whether the limit is met."""
    depth: Int = state.depth
    state.solutions_before[depth] = state.solutions
    if state.position[depth] == cells:
        for i in range(depth):
            out[state.solutions, i] = state.position[i] * 8 + state.kind[i]
        state.solutions += 1
        state.next_kind[depth] = 8
        return state.solutions == limit
    if state.remembered:
        free: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
        if state.keys[_find_slot(state.keys, state.mask[depth], state.remaining), 0] != free:
            state.next_kind[depth] = 9
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _choose_kind(state: _Search) -> Int:
    """Return the next untried kind that fits at the first free cell; -1 if none does."""
    depth: Int = state.depth
    while state.next_kind[depth] < 8:
        kind: Int = state.next_kind[depth]
        state.next_kind[depth] += 1
        if (
            state.counts[kind]
            and state.inside[state.position[depth], kind]
            and not state.mask[depth] & state.masks[kind]
        ):
            return kind
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place_piece(state: _Search, kind: Int) -> cython.void:
    """Place a piece at the first free cell and move on to the next state."""
    depth: Int = state.depth
    word_one: Word = 1
    state.kind[depth] = kind
    state.counts[kind] -= 1
    state.remaining -= word_one << 8 * kind
    new_mask: Word = state.mask[depth] | state.masks[kind]
    cell: Int = state.position[depth]
    while new_mask & 1:
        new_mask >>= 1
        cell += 1
    state.depth = depth + 1
    state.mask[depth + 1], state.position[depth + 1], state.next_kind[depth + 1] = new_mask, cell, 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _leave_state(state: _Search) -> cython.int:
    """Store the state as a dead end if it has no solution, and remove the last piece."""
    word_one: Word = 1
    depth: Int = state.depth
    if (
        state.next_kind[depth] == 8
        and state.solutions == state.solutions_before[depth]
        and state.remembered < 1 << 23  # 270 MB; further states are searched again
    ):
        if 2 * state.remembered >= state.keys.shape[0]:
            with cython.gil:
                _enlarge_table(state)
        slot: Int = _find_slot(state.keys, state.mask[depth], state.remaining)
        state.keys[slot, 0], state.keys[slot, 1] = state.mask[depth], state.remaining
        state.remembered += 1
    if depth:
        state.depth = depth - 1
        state.counts[state.kind[depth - 1]] += 1
        state.remaining += word_one << 8 * state.kind[depth - 1]
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _run_search(
    state: _Search, limit: Int, step_limit: Int, stop: Byte[::1], out: Int[:, ::1]
) -> cython.int:
    """Search until the end, a limit or a stop; return whether the end or ``limit`` was reached."""
    cells: Int = state.side * state.length
    while True:
        depth: Int = state.depth
        if state.next_kind[depth] == 0 and _enter_state(state, cells, limit, out):
            return True
        kind: Int = _choose_kind(state)
        if kind >= 0:
            state.placed += 1
            if state.placed == step_limit or (state.placed & 0xFFF == 0 and stop[0]):
                return False
            _place_piece(state, kind)
            continue
        _leave_state(state)
        if depth == 0:
            return True


def search(
    side: int,
    length: int,
    counts: Any,
    masks: Any,
    inside: Any,
    limit: int,
    step_limit: int,
    stop: Any,
    out: Any,
) -> tuple[int, int]:
    """Find up to ``limit`` solutions; return their number (or GAVE_UP) and the pieces placed.

    The rectangle has ``length`` rows of ``side`` cells. The fields of :class:`_Search` explain
    ``counts``, ``masks`` and ``inside``. Another thread may set ``stop`` to end the search soon.
    ``out`` receives the pieces of each solution: 8 times the first cell plus the kind.
    """
    state = _Search(side, length, counts, masks, inside)
    stop_flag: Byte[::1] = memoryview(stop).cast("B")
    solutions: Int[:, ::1] = memoryview(out)
    solution_limit: Int = limit
    max_steps: Int = step_limit
    is_complete: cython.int = 0
    with cython.nogil:
        is_complete = _run_search(state, solution_limit, max_steps, stop_flag, solutions)
    return state.solutions if is_complete else GAVE_UP, state.placed
