"""Compiled loops that find all fillings of a column and all states of an automaton."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.word_ops import (
        finish_hash,
        hash_first,
        sort_distinct,
    )
else:
    from tetrisprinter.support.word_ops import finish_hash, hash_first, sort_distinct

__all__ = [
    "CodeTable",
    "Moves",
    "double_room",
    "explore",
    "get_or_add_index",
    "list_fillings",
    "make_filled",
    "make_zeros",
]

_ROOM = 1 << 16  # the most ways to fill one column that can be stored
_DEEPEST = 8  # length of the stack; at most six moves fill a column


@cython.cclass
class Moves:
    """The moves of a height, with the stack and the results of the search that fills a column."""

    rows: Int
    first: Int[::1]  # this and the next five: see ``ColumnMoves.tables``
    runs: Int[::1]
    values: Int[::1]
    blocked: Int[::1]
    added: Int[::1]
    lacking: Int[::1]
    state: Int[::1]  # at each depth the part of the next state that is known
    at: Int[::1]  # at each depth the lowest row not yet filled
    below: Int[::1]  # at each depth the level under that row plus one; 0 at the bottom
    pointer: Int[::1]  # at each depth the next move to try (-1 at first)
    trail: Int[::1]  # at each depth the moves so far, packed as in ``ColumnMoves.decode_trail``
    ahead: Int[::1]  # for each way to fill the column, the state after it
    trails: Int[::1]  # for each way, its moves, packed as in ``trail``

    def __init__(self, rows: int, tables: Sequence[Sequence[int]]) -> None:
        self.rows = rows
        first, runs, values, blocked, added, lacking = (
            memoryview(array("q", table)) for table in tables
        )
        self.first, self.runs, self.values = first, runs, values
        self.blocked, self.added, self.lacking = blocked, added, lacking
        self.state, self.at, self.below = (
            make_zeros(_DEEPEST),
            make_zeros(_DEEPEST),
            make_zeros(_DEEPEST),
        )
        self.pointer, self.trail = make_zeros(_DEEPEST), make_zeros(_DEEPEST)
        self.ahead, self.trails = make_zeros(_ROOM), make_zeros(_ROOM)


def make_zeros(count: int) -> Any:
    """Return an array of 64-bit zeros."""
    return memoryview(array("q", bytes(8 * count)))


def make_filled(count: int, kind: str, value: int) -> Any:
    """Return an array of one value; ``kind`` is a type code of the module ``array``."""
    return memoryview(array(kind, [value]) * count)


def double_room(view: Any) -> Any:
    """Return a copy of an array with twice its length."""
    import numpy as np

    return memoryview(np.concatenate((view, view)))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _make_ones(count: Int) -> Int:
    one: Int = 1
    return (one << count) - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begin_column(moves: Moves, code: Int, letter: Int) -> Int:
    """Return the next state as far as it is known before any move; -1 if a piece lacks support."""
    rows: Int = moves.rows
    begin: Int = code >> 3 * rows & _make_ones(6 * rows) | code & _make_ones(rows) << 9 * rows
    if code >> 10 * rows and not letter & 2:
        for row in range(rows):
            more: Int = code >> (10 * rows + 2 * row) & 3
            if more == 1:
                return -1
            if more:
                begin |= (more - 1) << (10 * rows + 2 * row)
    return begin


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _skip_filled(moves: Moves, column: Int, depth: Int) -> Int:
    """Advance to the lowest free row and return it (``rows`` if none); -1 if levels decrease."""
    row: Int = moves.at[depth]
    level: Int = moves.below[depth]
    while row < moves.rows and column >> 3 * row & 7:
        value: Int = column >> 3 * row & 7
        if value < level:
            return -1
        level = value
        row += 1
    moves.at[depth], moves.below[depth] = row, level
    return row


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_nondecreasing(rows: Int, code: Int) -> cython.bint:
    """Return whether levels never decrease from bottom to top in the columns ahead."""
    for x in range(3):
        level: Int = 0
        for y in range(rows):
            value: Int = code >> 3 * (x * rows + y) & 7
            if value:
                if value < level:
                    return False
                level = value
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _apply_move(moves: Moves, move: Int, depth: Int, column: Int, letter: Int) -> Int:
    """Return the state after a move; -1 if the move does not fit."""
    state: Int = moves.state[depth]
    if (
        moves.values[move] < moves.below[depth]
        or column & moves.runs[move]
        or state & moves.blocked[move]
    ):
        return -1
    state |= moves.added[move]
    if moves.lacking[move] and not letter & 2:
        if moves.lacking[move] < 0:
            return -1
        state |= moves.lacking[move]
    return state if _is_nondecreasing(moves.rows, state) else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expand(moves: Moves, code: Int, letter: Int) -> Int:
    """Fill one column in every way, from the bottom up; return the number of ways.

    The search is depth-first. It returns -1 if there are more ways than the arrays can store.
    """
    column: Int = code & _make_ones(3 * moves.rows)
    begin: Int = _begin_column(moves, code, letter)
    if begin < 0 or (letter & 1 and column & 7):
        return 0
    column |= letter & 1
    count: Int = 0
    depth: Int = 0
    moves.state[0], moves.at[0], moves.below[0] = begin, 0, 0
    moves.pointer[0], moves.trail[0] = -1, 0
    while depth >= 0:
        if moves.pointer[depth] < 0:
            row: Int = _skip_filled(moves, column, depth)
            if row < 0 or row == moves.rows:
                if row > 0:
                    if count == moves.ahead.shape[0]:
                        return -1
                    moves.ahead[count], moves.trails[count] = moves.state[depth], moves.trail[depth]
                    count += 1
                depth -= 1
                continue
            moves.pointer[depth] = moves.first[row]
        row = moves.at[depth]
        move: Int = moves.pointer[depth]
        if move == moves.first[row + 1]:
            depth -= 1
            continue
        moves.pointer[depth] = move + 1
        after: Int = _apply_move(moves, move, depth, column, letter)
        if after < 0:
            continue
        length: Int = 0
        while moves.runs[move] >> 3 * (row + length) & 7:
            length += 1
        moves.state[depth + 1], moves.at[depth + 1] = after, row + length
        moves.below[depth + 1], moves.pointer[depth + 1] = moves.values[move], -1
        moves.trail[depth + 1] = moves.trail[depth] | (move + 1) << 10 * depth
        depth += 1
    return count


def list_fillings(moves: Moves, code: int, letter: int) -> list[tuple[int, int]]:
    """List the ways to fill a column, each as the next state and a trail (packed moves)."""
    count: Int = _expand(moves, code, letter)
    return [(moves.ahead[i], moves.trails[i]) for i in range(count)]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_slot(code: Int, codes: Int[::1], slots: Short[::1]) -> Int:
    """Return the slot that holds a code, or the free slot for it."""
    last: Int = slots.shape[0] - 1
    slot: Int = cython.cast(Int, finish_hash(hash_first(code)) & cython.cast(Word, last))
    while slots[slot] >= 0 and codes[slots[slot]] != code:
        slot = slot + 1 & last
    return slot


@cython.cclass
class CodeTable:
    """A hash table that numbers the codes of states in the order in which they are added."""

    def __init__(self, room: int) -> None:
        self.codes, self.slots = make_zeros(room), make_filled(4 * room, "i", -1)
        self.count = 0


@cython.cfunc
def _grow(known: CodeTable) -> cython.void:
    """Double the number of codes that can be stored."""
    known.codes = double_room(known.codes)
    known.slots = make_filled(8 * known.count, "i", -1)
    for i in range(known.count):
        known.slots[_find_slot(known.codes[i], known.codes, known.slots)] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def get_or_add_index(known: CodeTable, code: Int) -> Int:
    """Return the index of a code (not negative); a new code gets the next index."""
    slot: Int = _find_slot(code, known.codes, known.slots)
    if known.slots[slot] >= 0:
        return known.slots[slot]
    if known.count == known.codes.shape[0]:
        with cython.gil:
            _grow(known)
        slot = _find_slot(code, known.codes, known.slots)
    known.codes[known.count] = code
    known.slots[slot] = cython.cast(Short, known.count)
    known.count += 1
    return known.count - 1


def explore(moves: Moves, letters: int, limit: int) -> tuple[Any, Any, Any]:
    """Find every state that can be reached from the empty one, breadth first.

    Returns codes, offsets and targets: by letter ``k``, state ``i`` leads to ``targets[offsets[i *
    letters + k]:offsets[i * letters + k + 1]]``. All are empty if more than ``limit`` states exist.
    Raises a MemoryError if a column has more ways to fill it than can be stored.
    """
    import numpy as np

    known = CodeTable(1024)
    offsets = array("q", [0])
    targets: Short[::1] = make_filled(4096, "i", 0)
    edges: Int = 0
    current: Int = 0
    letter: Int
    ways: Int
    max_states: Int = limit
    get_or_add_index(known, 0)
    while current < known.count:
        for letter in range(letters):
            with cython.nogil:
                ways = _expand(moves, known.codes[current], letter)
                if ways > 0:
                    ways = sort_distinct(moves.ahead, ways)
            if ways < 0:
                raise MemoryError
            while edges + ways > targets.shape[0]:
                targets = double_room(targets)
            for i in range(ways):
                targets[edges] = get_or_add_index(known, moves.ahead[i])
                edges += 1
            if known.count > max_states:
                return np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32)
            offsets.append(edges)
        current += 1
    return (
        np.array(known.codes[: known.count]),
        np.array(offsets, np.int64),
        np.array(targets[:edges]),
    )
