"""The compiled inner loop of the solver: depth-first search with a table of dead ends.

A state is the first free cell, the mask of taken cells after it, and the remaining pieces. The
table has the states from which a complete search found no solution.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
import numpy as np
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next

__all__ = ["GAVE_UP", "Rectangle", "search"]

GAVE_UP = -1

_FREE = 0xFFFFFFFFFFFFFFFF  # marks a free slot; the highest bit of a mask is never set


@cython.cclass
class Rectangle:
    """A puzzle: a rectangle that is filled cell by cell, row by row."""

    # Cells per row, and rows. Masks have room for rows of 31 cells, counts for 255 pieces; the
    # shorter side of a rectangle of 400 cells has at most 20
    side: Int
    length: Int
    # Pieces of each of the 8 kinds; used up during the search, restored at its end
    counts: Int[::1]
    masks: Word[::1]  # the cells of each kind relative to its first one: bit ``side * y + x``
    inside: Byte[:, ::1]  # whether a kind can begin at a cell; the last row is for the end

    def __init__(self, side: int, length: int, counts: Any, masks: Any, inside: Any) -> None:
        self.side, self.length = side, length
        self.counts, self.masks = memoryview(counts), memoryview(masks)
        self.inside = memoryview(inside)


@cython.cclass
class _Trail:
    """The search stack and the table of dead ends."""

    # At each depth:
    position: Int[::1]  # the first free cell
    mask: Word[::1]  # the taken cells from that cell on, which is bit 0
    pointer: Int[::1]  # the next kind to try (8: none is left, 9: the state is a dead end)
    found: Int[::1]  # the number of solutions found before
    kind: Int[::1]  # the placed piece
    depth: Int  # the number of placed pieces
    left: Word  # the remaining counts, eight bits each
    keys: Word[:, ::1]  # the dead ends, in a hash table with linear probing
    remembered: Int  # the number of dead ends in the table
    solutions: Int  # the number of solutions
    placed: Int  # the number of pieces placed during the whole search

    def __init__(self, deepest: int, counts: list[int]) -> None:
        parts = np.zeros((4, deepest + 1), np.int64)
        self.position, self.pointer = memoryview(parts[0]), memoryview(parts[1])
        self.found, self.kind = memoryview(parts[2]), memoryview(parts[3])
        self.mask = memoryview(np.zeros(deepest + 1, np.uint64))
        self.depth = self.remembered = self.solutions = self.placed = 0
        self.left = sum(count << 8 * kind for kind, count in enumerate(counts))
        self.keys = _make_table(1024)


def _make_table(slots: int) -> Any:
    return memoryview(np.full((slots, 2), _FREE, np.uint64))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find(keys: Word[:, ::1], mask: Word, left: Word) -> Int:
    """Return the slot that has a state, or the free slot for it."""
    free: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
    last: Int = keys.shape[0] - 1
    slot: Int = cython.cast(
        Int, finish_hash(hash_next(hash_first(mask), left)) & cython.cast(Word, last)
    )
    while keys[slot, 0] != free and (keys[slot, 0] != mask or keys[slot, 1] != left):
        slot = slot + 1 & last
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _copy(keys: Word[:, ::1], more: Word[:, ::1]) -> cython.void:
    """Copy the dead ends to a larger table."""
    free: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
    for i in range(keys.shape[0]):
        if keys[i, 0] != free:
            slot: Int = _find(more, keys[i, 0], keys[i, 1])
            more[slot, 0], more[slot, 1] = keys[i, 0], keys[i, 1]


@cython.cfunc
@cython.exceptval(-1)
def _grow(at: _Trail) -> cython.int:
    """Enlarge the table fourfold; an exception such as Ctrl-C ends the search."""
    more: Word[:, ::1] = _make_table(4 * at.keys.shape[0])
    _copy(at.keys, more)
    at.keys = more
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter(at: _Trail, cells: Int, limit: Int, out: Int[:, ::1]) -> cython.bint:
    """Enter a state: record a solution or recognise a dead end; return whether the limit is met."""
    depth: Int = at.depth
    at.found[depth] = at.solutions
    if at.position[depth] == cells:
        for i in range(depth):
            out[at.solutions, i] = at.position[i] * 8 + at.kind[i]
        at.solutions += 1
        at.pointer[depth] = 8
        return at.solutions == limit
    if at.remembered:
        free: Word = cython.cast(Word, 0xFFFFFFFFFFFFFFFF)
        if at.keys[_find(at.keys, at.mask[depth], at.left), 0] != free:
            at.pointer[depth] = 9
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _choose(puzzle: Rectangle, at: _Trail) -> Int:
    """Return the next kind that fits at the first free cell; -1 if none does."""
    depth: Int = at.depth
    while at.pointer[depth] < 8:
        kind: Int = at.pointer[depth]
        at.pointer[depth] += 1
        if (
            puzzle.counts[kind]
            and puzzle.inside[at.position[depth], kind]
            and not at.mask[depth] & puzzle.masks[kind]
        ):
            return kind
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place(puzzle: Rectangle, at: _Trail, kind: Int) -> cython.void:
    depth: Int = at.depth
    one: Word = 1
    at.kind[depth] = kind
    puzzle.counts[kind] -= 1
    at.left -= one << 8 * kind
    after: Word = at.mask[depth] | puzzle.masks[kind]
    cell: Int = at.position[depth]
    while after & 1:
        after >>= 1
        cell += 1
    at.depth = depth + 1
    at.mask[depth + 1], at.position[depth + 1], at.pointer[depth + 1] = after, cell, 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _leave(puzzle: Rectangle, at: _Trail) -> cython.int:
    """Store a state without a solution as a dead end, and remove the last piece."""
    one: Word = 1
    depth: Int = at.depth
    if (
        at.pointer[depth] == 8
        and at.solutions == at.found[depth]
        and at.remembered < 1 << 23  # 270 MB; further states are searched again
    ):
        if 2 * at.remembered >= at.keys.shape[0]:
            with cython.gil:
                _grow(at)
        slot: Int = _find(at.keys, at.mask[depth], at.left)
        at.keys[slot, 0], at.keys[slot, 1] = at.mask[depth], at.left
        at.remembered += 1
    if depth:
        at.depth = depth - 1
        puzzle.counts[at.kind[depth - 1]] += 1
        at.left += one << 8 * at.kind[depth - 1]
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _run_search(
    puzzle: Rectangle, at: _Trail, limit: Int, patience: Int, stop: Byte[::1], out: Int[:, ::1]
) -> cython.int:
    """Search until the end, the limit or a stop; return whether it is complete."""
    cells: Int = puzzle.side * puzzle.length
    while True:
        depth: Int = at.depth
        if at.pointer[depth] == 0 and _enter(at, cells, limit, out):
            return True
        kind: Int = _choose(puzzle, at)
        if kind >= 0:
            at.placed += 1
            if at.placed == patience or (at.placed & 0xFFF == 0 and stop[0]):
                return False
            _place(puzzle, at, kind)
            continue
        _leave(puzzle, at)
        if depth == 0:
            return True


def search(puzzle: Rectangle, limit: int, patience: int, stop: Any, out: Any) -> tuple[int, int]:
    """Find up to ``limit`` solutions; return their number (or GAVE_UP) and the pieces placed."""
    at = _Trail(puzzle.side * puzzle.length // 2 + 1, list(puzzle.counts))
    flag: Byte[::1] = memoryview(stop).cast("B")
    answers: Int[:, ::1] = memoryview(out)
    most: Int = limit
    patience_left: Int = patience
    ended: cython.int = 0
    with cython.nogil:
        ended = _run_search(puzzle, at, most, patience_left, flag, answers)
    for i in range(at.depth):
        puzzle.counts[at.kind[i]] += 1
    return at.solutions if ended else GAVE_UP, at.placed
