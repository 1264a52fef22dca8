"""Compiled loops of column automata: fillings of a column, all states, and cheapest paths.

The search for cheapest paths is that of Dijkstra (1959), with a bucket for each price.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import tetrisprinter.support.kernels  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.kernels import (
        finish_hash,
        hash_first,
        sort_distinct,
    )
else:
    from tetrisprinter.support.kernels import finish_hash, hash_first, sort_distinct

__all__ = ["Moves", "explore", "find_cheapest", "list_fillings"]

_MAX_FILLINGS = 1 << 16  # the most ways to fill one column that the arrays can store
_STACK_LENGTH = 8  # depths of the search; at most six moves fill a column


@cython.cclass
class Moves:
    """The moves of a height, with the stack and the results of the search for fillings."""

    rows: Int
    # ``list_moves`` describes the six arrays from ``first`` to ``unsupported``
    first: Int[::1]
    runs: Int[::1]
    values: Int[::1]
    blocked: Int[::1]
    added: Int[::1]
    unsupported: Int[::1]
    state: Int[::1]  # at each depth the bits of the next state that are known
    lowest_free: Int[::1]  # at each depth the lowest row not yet filled
    level_below: Int[::1]  # at each depth the level below that row plus one; 0 at the bottom
    pointer: Int[::1]  # at each depth the next move to try; -1 before the first
    trail: Int[::1]  # at each depth the moves so far, packed as in ``decode_trail``
    next_states: Int[::1]  # for each way to fill the column, the state after it
    trails: Int[::1]  # for each way to fill the column, its moves, packed as in ``trail``

    def __init__(self, rows: int, tables: Sequence[Sequence[int]]) -> None:
        """Store the tables of the moves and reserve memory for the search."""
        self.rows = rows
        first, runs, values, blocked, added, unsupported = (
            memoryview(array("q", table)) for table in tables
        )
        self.first, self.runs, self.values = first, runs, values
        self.blocked, self.added, self.unsupported = blocked, added, unsupported
        self.state, self.lowest_free = make_zeros(_STACK_LENGTH), make_zeros(_STACK_LENGTH)
        self.level_below = make_zeros(_STACK_LENGTH)
        self.pointer, self.trail = make_zeros(_STACK_LENGTH), make_zeros(_STACK_LENGTH)
        self.next_states, self.trails = make_zeros(_MAX_FILLINGS), make_zeros(_MAX_FILLINGS)


def make_zeros(count: int) -> Any:
    """Return an array of 64-bit zeros."""
    return memoryview(array("q", bytes(8 * count)))


def make_filled(count: int, type_code: str, value: int) -> Any:
    """Return an array that repeats a value; ``type_code`` is one of the module ``array``."""
    return memoryview(array(type_code, [value]) * count)


def double_length(values: Any) -> Any:
    """Return an array of twice the length; the first half is a copy of ``values``."""
    import numpy as np

    return memoryview(np.concatenate((values, values)))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _make_ones(count: Int) -> Int:
    """Return a number whose lowest ``count`` bits are set."""
    one: Int = 1
    return (one << count) - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begin_column(moves: Moves, code: Int, letter: Int) -> Int:
    """Return the bits of the next state known before any move; -1 if a piece lacks support."""
    rows: Int = moves.rows
    next_state: Int = code >> 3 * rows & _make_ones(6 * rows) | code & _make_ones(rows) << 9 * rows
    if code >> 10 * rows and not letter & 2:
        for row in range(rows):
            columns_left: Int = code >> (10 * rows + 2 * row) & 3
            if columns_left == 1:
                return -1
            if columns_left:
                next_state |= (columns_left - 1) << (10 * rows + 2 * row)
    return next_state


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _skip_filled(moves: Moves, column: Int, depth: Int) -> Int:
    """Move up to the lowest free row, return it (``rows`` if none); -1 if levels decrease."""
    row: Int = moves.lowest_free[depth]
    level: Int = moves.level_below[depth]
    while row < moves.rows and column >> 3 * row & 7:
        value: Int = column >> 3 * row & 7
        if value < level:
            return -1
        level = value
        row += 1
    moves.lowest_free[depth], moves.level_below[depth] = row, level
    return row


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_nondecreasing(rows: Int, code: Int) -> cython.bint:
    """Return whether levels never decrease upwards in the three columns of a state."""
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
        moves.values[move] < moves.level_below[depth]
        or column & moves.runs[move]
        or state & moves.blocked[move]
    ):
        return -1
    state |= moves.added[move]
    if moves.unsupported[move] and not letter & 2:
        if moves.unsupported[move] < 0:
            return -1
        state |= moves.unsupported[move]
    return state if _is_nondecreasing(moves.rows, state) else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_column(moves: Moves, code: Int, letter: Int) -> Int:
    """Fill one column in every way, from the bottom up; return the number of ways.

    The search is depth-first. The result is -1 if there are more ways than the arrays can store.
    """
    column: Int = code & _make_ones(3 * moves.rows)
    first_state: Int = _begin_column(moves, code, letter)
    if first_state < 0 or (letter & 1 and column & 7):
        return 0
    column |= letter & 1
    count: Int = 0
    depth: Int = 0
    moves.state[0], moves.lowest_free[0], moves.level_below[0] = first_state, 0, 0
    moves.pointer[0], moves.trail[0] = -1, 0
    while depth >= 0:
        if moves.pointer[depth] < 0:
            row: Int = _skip_filled(moves, column, depth)
            if row < 0 or row == moves.rows:
                if row > 0:
                    if count == moves.next_states.shape[0]:
                        return -1
                    moves.next_states[count], moves.trails[count] = (
                        moves.state[depth],
                        moves.trail[depth],
                    )
                    count += 1
                depth -= 1
                continue
            moves.pointer[depth] = moves.first[row]
        row = moves.lowest_free[depth]
        move: Int = moves.pointer[depth]
        if move == moves.first[row + 1]:
            depth -= 1
            continue
        moves.pointer[depth] = move + 1
        next_state: Int = _apply_move(moves, move, depth, column, letter)
        if next_state < 0:
            continue
        length: Int = 0
        while moves.runs[move] >> 3 * (row + length) & 7:
            length += 1
        moves.state[depth + 1], moves.lowest_free[depth + 1] = next_state, row + length
        moves.level_below[depth + 1], moves.pointer[depth + 1] = moves.values[move], -1
        moves.trail[depth + 1] = moves.trail[depth] | (move + 1) << 10 * depth
        depth += 1
    return count


def list_fillings(moves: Moves, code: int, letter: int) -> list[tuple[int, int]]:
    """List the ways to fill a column, each as the next state and the trail of its moves."""
    count: Int = _fill_column(moves, code, letter)
    return [(moves.next_states[i], moves.trails[i]) for i in range(count)]


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

    codes: Int[::1]  # by number
    slots: Short[::1]  # the numbers by hash; -1 if free
    count: Int  # the number of codes

    def __init__(self, capacity: int) -> None:
        self.codes, self.slots = make_zeros(capacity), make_filled(4 * capacity, "i", -1)
        self.count = 0


@cython.cfunc
def _grow(table: CodeTable) -> cython.void:
    """Double the number of codes that a table can store."""
    table.codes = double_length(table.codes)
    table.slots = make_filled(8 * table.count, "i", -1)
    for i in range(table.count):
        table.slots[_find_slot(table.codes[i], table.codes, table.slots)] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def get_or_add_index(table: CodeTable, code: Int) -> Int:
    """Return the index of a code, from 0; a new code is added and gets the next index."""
    slot: Int = _find_slot(code, table.codes, table.slots)
    if table.slots[slot] >= 0:
        return table.slots[slot]
    if table.count == table.codes.shape[0]:
        with cython.gil:
            _grow(table)
        slot = _find_slot(code, table.codes, table.slots)
    table.codes[table.count] = code
    table.slots[slot] = cython.cast(Short, table.count)
    table.count += 1
    return table.count - 1


def explore(moves: Moves, letters: int, limit: int) -> tuple[Any, Any, Any]:
    """Find every state that can be reached from the empty one, breadth first.

    Returns the codes of the states, offsets and targets: by letter ``k``, state ``i`` leads to
    ``targets[offsets[i * letters + k]:offsets[i * letters + k + 1]]``. Codes and targets are empty
    if more than ``limit`` states exist. Raises a MemoryError if a column has more ways to fill it
    than can be stored.
    """
    import numpy as np

    table = CodeTable(1024)
    offsets = array("q", [0])
    targets: Short[::1] = make_filled(4096, "i", 0)
    transitions: Int = 0
    current: Int = 0
    letter: Int
    fillings: Int
    max_states: Int = limit
    get_or_add_index(table, 0)
    while current < table.count:
        for letter in range(letters):
            with cython.nogil:
                fillings = _fill_column(moves, table.codes[current], letter)
                if fillings > 0:
                    fillings = sort_distinct(moves.next_states, fillings)
            if fillings < 0:
                raise MemoryError
            while transitions + fillings > targets.shape[0]:
                targets = double_length(targets)
            for i in range(fillings):
                targets[transitions] = get_or_add_index(table, moves.next_states[i])
                transitions += 1
            if table.count > max_states:
                return np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32)
            offsets.append(transitions)
        current += 1
    return (
        np.array(table.codes[: table.count]),
        np.array(offsets, np.int64),
        np.array(targets[:transitions]),
    )


@cython.cclass
class _PathSearch:
    """A search for a cheapest path: a graph, a word, and a bucket queue of (position, state).

    Each transition of the graph has a price; those that are already chosen are free.
    """

    letters: Int  # the number of letters
    states: Int  # the number of states
    # State ``i`` leads by letter ``k`` to ``targets[offsets[i * letters + k]:offsets[i * letters +
    # k + 1]]``
    offsets: Int[::1]
    targets: Short[::1]
    chosen: Byte[::1]  # for each transition, whether it is chosen
    chosen_states: Byte[::1]  # for each state, whether it is chosen
    transition_price: Int  # of a transition that is not chosen
    state_price: Int  # extra price if the transition also leads to a state that is not chosen
    word: Int[::1]
    pairs: CodeTable  # the pairs, each as position * number of states + state
    price: Short[::1]  # for each pair the price of the cheapest path so far
    edge: Int[::1]  # for each pair the last transition of that path
    parent: Short[::1]  # for each pair the pair before it on that path; -1 for the first
    newest_entry: Int[::1]  # for each price its newest entry; -1 if there is none
    entry_pair: Short[::1]  # the index of the pair of each entry
    older_entry: Int[::1]  # for each entry the next older one of the same price
    entries: Int  # the number of entries

    def __init__(
        self,
        graph: tuple[int, Any, Any],
        chosen: Any,
        chosen_states: Any,
        prices: tuple[int, int],
        word: Any,
    ) -> None:
        self.letters, offsets, targets = graph
        self.states = (len(offsets) - 1) // self.letters
        self.offsets, self.targets = memoryview(offsets), memoryview(targets)
        self.chosen = memoryview(chosen).cast("B")
        self.chosen_states = memoryview(chosen_states).cast("B")
        self.transition_price, self.state_price = prices
        self.word = memoryview(word)
        capacity = 1 << 12
        self.pairs = CodeTable(capacity)
        self.price, self.edge = make_filled(capacity, "i", 0), make_zeros(capacity)
        self.parent, self.entry_pair = make_filled(capacity, "i", 0), make_filled(capacity, "i", 0)
        self.older_entry = make_zeros(capacity)
        self.newest_entry = make_filled((len(word) + 1) * sum(prices) + 1, "q", -1)
        self.entries = 0


@cython.cfunc
def _grow_pairs(search: _PathSearch) -> cython.void:
    """Double the number of pairs that a search can store."""
    search.price, search.edge = double_length(search.price), double_length(search.edge)
    search.parent = double_length(search.parent)


@cython.cfunc
def _grow_entries(search: _PathSearch) -> cython.void:
    """Double the number of entries that a search can store."""
    search.entry_pair = double_length(search.entry_pair)
    search.older_entry = double_length(search.older_entry)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _queue_path(search: _PathSearch, key: Int, cost: Int, edge: Int, parent: Int) -> Int:
    """Queue a path to a pair if the pair is new or the path is cheaper; return 1, else 0."""
    known_pairs: Int = search.pairs.count
    pair: Int = get_or_add_index(search.pairs, key)
    if pair < known_pairs and search.price[pair] <= cost:
        return 0
    if pair == search.price.shape[0]:
        with cython.gil:
            _grow_pairs(search)
    search.price[pair], search.edge[pair] = cython.cast(Short, cost), edge
    search.parent[pair] = cython.cast(Short, parent)
    if search.entries == search.entry_pair.shape[0]:
        with cython.gil:
            _grow_entries(search)
    search.entry_pair[search.entries] = cython.cast(Short, pair)
    search.older_entry[search.entries] = search.newest_entry[cost]
    search.newest_entry[cost] = search.entries
    search.entries += 1
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _queue_successors(search: _PathSearch, pair: Int) -> Int:
    """Queue the paths to all successors of a pair; return the number of queued paths."""
    queued: Int = 0
    position: Int = search.pairs.codes[pair] // search.states
    state: Int = search.pairs.codes[pair] % search.states
    row: Int = state * search.letters + search.word[position]
    for j in range(search.offsets[row], search.offsets[row + 1]):
        cost: Int = search.price[pair]
        target: Int = search.targets[j]
        if not search.chosen[j]:
            cost += search.transition_price
            if not search.chosen_states[target]:
                cost += search.state_price
        queued += _queue_path(search, (position + 1) * search.states + target, cost, j, pair)
    return queued


@cython.cfunc
@cython.nogil
@cython.exceptval(-2, check=False)
def _search_cheapest(search: _PathSearch, goal: Int) -> Int:
    """Return the index of the last pair of a cheapest path; -1 if there is no path."""
    price: Int = 0
    while price < search.newest_entry.shape[0]:
        entry: Int = search.newest_entry[price]
        if entry < 0:
            price += 1
            continue
        search.newest_entry[price] = search.older_entry[entry]
        pair: Int = search.entry_pair[entry]
        if search.price[pair] < price:
            continue
        if search.pairs.codes[pair] // search.states < search.word.shape[0]:
            _queue_successors(search, pair)
        elif search.pairs.codes[pair] % search.states == goal:
            return pair
    return -1


def find_cheapest(
    graph: tuple[int, Any, Any],
    chosen: Any,
    chosen_states: Any,
    prices: tuple[int, int],
    word: Any,
    ends: tuple[int, int],
) -> list[int]:
    """Return the transitions of a cheapest path that spells a word; empty if there is none.

    ``graph`` has the number of letters, offsets and targets, as :func:`explore` returns them.
    ``prices`` are those of a transition that is not chosen, and of its target if that is not chosen
    either. ``ends`` are the initial and the final state. The search is Dijkstra's (1959), over
    pairs of a position in the word and a state. Prices are small, so the queue has one list for
    each price.
    """
    search = _PathSearch(graph, chosen, chosen_states, prices, word)
    first: Int = ends[0]
    goal: Int = ends[1]
    pair: Int = -1
    with cython.nogil:
        _queue_path(search, first, 0, -1, -1)
        pair = _search_cheapest(search, goal)
    path = []
    while pair >= 0 and search.parent[pair] >= 0:
        path.append(search.edge[pair])
        pair = search.parent[pair]
    return path[::-1]
