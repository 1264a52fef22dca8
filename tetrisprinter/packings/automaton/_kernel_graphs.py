"""Compiled graph loops: ancestors, signatures, sets of states, cheapest paths."""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses, unless asked)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.packings.automaton._kernel import Known, get_number
    from cython.cimports.tetrisprinter.support.word_ops import (
        finish_hash,
        hash_first,
        hash_next,
        sort_distinct,
    )
else:
    from tetrisprinter.packings.automaton._kernel import Known, get_number
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next, sort_distinct

from tetrisprinter.packings.automaton._kernel import double_room, make_filled, make_zeros

__all__ = [
    "Edges",
    "Prices",
    "Stepper",
    "find_cheapest",
    "has_common_word",
    "hash_signatures",
    "mark_ancestors",
]


@cython.cclass
class Edges:
    """A graph whose states lead to others by letters."""

    letters: Int
    states: Int
    # State ``i`` leads by letter ``k`` to ``targets[offsets[i * letters + k]:offsets[i * letters +
    # k + 1]]``
    offsets: Int[::1]
    targets: Short[::1]

    def __init__(self, letters: int, offsets: Any, targets: Any) -> None:
        self.letters, self.states = letters, (len(offsets) - 1) // letters
        self.offsets, self.targets = memoryview(offsets), memoryview(targets)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reverse_edges(graph: Edges, begin: Int[::1], sources: Short[::1]) -> cython.void:
    """Reverse the edges: list for each state the states that lead to it, from its ``begin``."""
    count: Int = graph.states
    for j in range(graph.targets.shape[0]):
        begin[graph.targets[j] + 2] += 1
    for i in range(2, count + 2):
        begin[i] += begin[i - 1]
    # filling moves each beginning to its end, which is where the next begins
    for i in range(count):
        for j in range(graph.offsets[i * graph.letters], graph.offsets[(i + 1) * graph.letters]):
            after: Int = graph.targets[j] + 1
            sources[begin[after]] = cython.cast(Short, i)
            begin[after] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach(
    goal: Int, begin: Int[::1], sources: Short[::1], marked: Byte[::1], stack: Short[::1]
) -> cython.void:
    """Mark the states that lead to the goal, depth first."""
    stack[0] = cython.cast(Short, goal)
    marked[goal] = 1
    size: Int = 1
    while size:
        size -= 1
        state: Int = stack[size]
        for j in range(begin[state], begin[state + 1]):
            if not marked[sources[j]]:
                marked[sources[j]] = 1
                stack[size] = sources[j]
                size += 1


def mark_ancestors(graph: Edges, goal: int) -> Any:
    """Mark the states from which the goal can be reached."""
    import numpy as np

    begin: Int[::1] = make_zeros(graph.states + 2)
    sources: Short[::1] = make_filled(graph.targets.shape[0], "i", 0)
    stack: Short[::1] = make_filled(graph.states, "i", 0)
    found = np.zeros(graph.states, np.uint8)
    marked: Byte[::1] = memoryview(found)
    end: Int = goal
    with cython.nogil:
        _reverse_edges(graph, begin, sources)
        _reach(end, begin, sources, marked, stack)
    return found.view(np.bool_)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hash_states(
    graph: Edges, classes: Short[::1], some: Short[::1], out: Word[::1]
) -> cython.void:
    """Hash each state's class and the sets of classes behind its letters."""
    for i in range(graph.states):
        code: Word = hash_first(classes[i])
        for k in range(graph.letters):
            row: Int = i * graph.letters + k
            code = hash_next(code, cython.cast(Word, 0xFFFFFFFFFFFFFFFF))  # no class
            for j in range(graph.offsets[row], graph.offsets[row + 1]):
                some[j - graph.offsets[row]] = classes[graph.targets[j]]
            for j in range(sort_distinct(some, graph.offsets[row + 1] - graph.offsets[row])):
                code = hash_next(code, some[j])
        out[i] = finish_hash(code)


def hash_signatures(graph: Edges, classes: Any) -> Any:
    """Hash each state's class and the set of classes it leads to by each letter."""
    import numpy as np

    most = int(np.diff(np.asarray(graph.offsets)).max(initial=0))
    some: Short[::1] = make_filled(most + 1, "i", 0)
    found = np.empty(graph.states, np.uint64)
    out: Word[::1] = memoryview(found)
    names: Short[::1] = memoryview(classes)
    with cython.nogil:
        _hash_states(graph, names, some, out)
    return found


@cython.cclass
class Stepper:
    """Follows sets of states through a graph."""

    graph: Edges
    marks: Byte[::1]  # whether each state has been found
    found: Short[::1]  # the states found

    def __init__(self, graph: Edges) -> None:
        self.graph = graph
        self.marks = memoryview(bytearray(graph.states))
        self.found = make_filled(graph.states, "i", 0)

    def step(self, members: bytes, letter: int) -> bytes:
        """Return, sorted, where a set of states leads by a letter; sets are bytes of 32-bit
        numbers.
        """
        states: cython.const[Short][::1] = memoryview(members).cast("i")
        graph: Edges = self.graph
        count: Int = 0
        by: Int = letter
        for i in range(states.shape[0]):
            row: Int = states[i] * graph.letters + by
            for j in range(graph.offsets[row], graph.offsets[row + 1]):
                target: Int = graph.targets[j]
                if not self.marks[target]:
                    self.marks[target] = 1
                    self.found[count] = cython.cast(Short, target)
                    count += 1
        for i in range(count):
            self.marks[self.found[i]] = 0
        sort_distinct(self.found, count)
        return bytes(self.found[:count])


@cython.cclass
class _PathQueue:
    """A bucket queue of pairs (place in the word, state), by price."""

    known: Known  # the pairs, each as one number
    price: Short[::1]  # the price, the last transition and the parent of each pair
    edge: Int[::1]
    parent: Short[::1]
    waiting: Int[::1]  # for each price the last entry
    node: Short[::1]  # of each entry the pair
    later: Int[::1]  # of each entry the one before
    entries: Int

    def __init__(self, prices: int) -> None:
        room = 1 << 12
        self.known = Known(room)
        self.price, self.edge = make_filled(room, "i", 0), make_zeros(room)
        self.parent, self.node = make_filled(room, "i", 0), make_filled(room, "i", 0)
        self.later, self.waiting = make_zeros(room), make_filled(prices, "q", -1)
        self.entries = 0


@cython.cfunc
def _grow_pairs(queue: _PathQueue) -> cython.void:
    """Double the room for pairs."""
    queue.price, queue.edge = double_room(queue.price), double_room(queue.edge)
    queue.parent = double_room(queue.parent)


@cython.cfunc
def _grow_entries(queue: _PathQueue) -> cython.void:
    """Double the room for entries."""
    queue.node, queue.later = double_room(queue.node), double_room(queue.later)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _offer(queue: _PathQueue, key: Int, cost: Int, edge: Int, parent: Int) -> Int:
    """Record a path to a pair if it is new or cheaper; return whether it is."""
    before: Int = queue.known.count
    pair: Int = get_number(queue.known, key)
    if pair < before and queue.price[pair] <= cost:
        return 0
    if pair == queue.price.shape[0]:
        with cython.gil:
            _grow_pairs(queue)
    queue.price[pair], queue.edge[pair] = cython.cast(Short, cost), edge
    queue.parent[pair] = cython.cast(Short, parent)
    if queue.entries == queue.node.shape[0]:
        with cython.gil:
            _grow_entries(queue)
    queue.node[queue.entries] = cython.cast(Short, pair)
    queue.later[queue.entries] = queue.waiting[cost]
    queue.waiting[cost] = queue.entries
    queue.entries += 1
    return 1


@cython.cclass
class Prices:
    """The prices of transitions."""

    chosen: Byte[::1]  # for each transition, whether it is chosen
    states: Byte[::1]  # for each state, whether it is chosen
    edge: Int  # price of a transition that is not chosen
    state: Int  # price on top if it leads to a state that is not chosen

    def __init__(self, chosen: Any, states: Any, edge: int, state: int) -> None:
        self.chosen, self.states = memoryview(chosen).cast("B"), memoryview(states).cast("B")
        self.edge, self.state = edge, state


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _follow(graph: Edges, prices: Prices, queue: _PathQueue, word: Int[::1], pair: Int) -> Int:
    """Offer all successors of a pair; return the number of new or cheaper paths."""
    noted: Int = 0
    place: Int = queue.known.codes[pair] // graph.states
    row: Int = queue.known.codes[pair] % graph.states * graph.letters + word[place]
    for j in range(graph.offsets[row], graph.offsets[row + 1]):
        cost: Int = queue.price[pair]
        if not prices.chosen[j]:
            cost += prices.edge
            if not prices.states[graph.targets[j]]:
                cost += prices.state
        noted += _offer(queue, (place + 1) * graph.states + graph.targets[j], cost, j, pair)
    return noted


@cython.cfunc
@cython.nogil
@cython.exceptval(-2, check=False)
def _search_cheapest(
    graph: Edges, prices: Prices, queue: _PathQueue, word: Int[::1], goal: Int
) -> Int:
    """Return the last pair of a cheapest path; -1 if there is none."""
    now: Int = 0
    while now < queue.waiting.shape[0]:
        entry: Int = queue.waiting[now]
        if entry < 0:
            now += 1
            continue
        queue.waiting[now] = queue.later[entry]
        pair: Int = queue.node[entry]
        if queue.price[pair] < now:
            continue
        if queue.known.codes[pair] // graph.states < word.shape[0]:
            _follow(graph, prices, queue, word, pair)
        elif queue.known.codes[pair] % graph.states == goal:
            return pair
    return -1


def find_cheapest(graph: Edges, word: Any, ends: tuple[int, int], prices: Prices) -> list[int]:
    """Return the transitions of a cheapest path that spells a word; empty if there is none.

    Best first (Dijkstra 1959) over pairs of a place in the word and a state. Prices are small, so
    one list for each price is the whole queue.
    """
    letters: Int[::1] = memoryview(word)
    queue = _PathQueue((letters.shape[0] + 1) * (prices.edge + prices.state) + 1)
    pair: Int = -1
    goal: Int = ends[1]
    first: Int = ends[0]
    with cython.nogil:
        _offer(queue, first, 0, -1, -1)
        pair = _search_cheapest(graph, prices, queue, letters, goal)
    path = []
    while pair >= 0 and queue.parent[pair] >= 0:
        path.append(queue.edge[pair])
        pair = queue.parent[pair]
    return path[::-1]


def has_common_word(graph: Edges, ends: tuple[int, int], table: Any, accepts: Any) -> bool:
    """Return whether a graph and a deterministic automaton accept a common word.

    ``ends`` are the first and last states of the graph; the automaton starts in state 0 of
    ``table``.
    """
    after_of: Short[:, ::1] = memoryview(table)
    final: Byte[::1] = memoryview(accepts).cast("B")
    size: Int = after_of.shape[0]
    seen: Byte[::1] = memoryview(bytearray(graph.states * size))
    stack: Int[::1] = make_zeros(1 << 12)
    stack[0] = ends[0] * size
    seen[stack[0]] = 1
    goal: Int = ends[1]
    waiting: Int = 1
    while waiting:
        waiting -= 1
        state: Int = stack[waiting] // size
        other: Int = stack[waiting] % size
        if state == goal and final[other]:
            return True
        for letter in range(graph.letters):
            row: Int = state * graph.letters + letter
            for j in range(graph.offsets[row], graph.offsets[row + 1]):
                after: Int = graph.targets[j] * size + after_of[other, letter]
                if not seen[after]:
                    seen[after] = 1
                    if waiting == stack.shape[0]:
                        stack = double_room(stack)
                    stack[waiting] = after
                    waiting += 1
    return False
