"""The compiled search for cheapest paths through an automaton's graph (Dijkstra 1959)."""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import uchar as Byte

if cython.compiled:
    from cython.cimports.tetrisprinter.packings.automaton._kernel import CodeTable, get_or_add_index
else:
    from tetrisprinter.packings.automaton._kernel import CodeTable, get_or_add_index

from tetrisprinter.packings.automaton._kernel import double_length, make_filled, make_zeros

__all__ = ["Edges", "Prices", "find_cheapest"]


@cython.cclass
class Edges:
    """The transitions of a nondeterministic automaton, ordered by source state and letter."""

    letters: Int  # the number of letters
    states: Int  # the number of states
    # State ``i`` leads by letter ``k`` to ``targets[offsets[i * letters + k]:offsets[i * letters +
    # k + 1]]``
    offsets: Int[::1]
    targets: Short[::1]

    def __init__(self, letters: int, offsets: Any, targets: Any) -> None:
        self.letters, self.states = letters, (len(offsets) - 1) // letters
        self.offsets, self.targets = memoryview(offsets), memoryview(targets)


@cython.cclass
class _PathQueue:
    """A bucket queue of pairs (position in the word, state), ordered by price."""

    pairs: CodeTable  # the pairs, each as position * number of states + state
    price: Short[::1]  # for each pair the price of the cheapest path so far
    edge: Int[::1]  # for each pair the last transition of that path
    parent: Short[::1]  # for each pair the pair before it on that path; -1 for the first
    newest_entry: Int[::1]  # for each price its newest entry; -1 if there is none
    entry_pair: Short[::1]  # the index of the pair of each entry
    older_entry: Int[::1]  # for each entry the next older one of the same price
    entries: Int  # the number of entries

    def __init__(self, price_count: int) -> None:
        capacity = 1 << 12
        self.pairs = CodeTable(capacity)
        self.price, self.edge = make_filled(capacity, "i", 0), make_zeros(capacity)
        self.parent, self.entry_pair = make_filled(capacity, "i", 0), make_filled(capacity, "i", 0)
        self.older_entry, self.newest_entry = (
            make_zeros(capacity),
            make_filled(price_count, "q", -1),
        )
        self.entries = 0


@cython.cfunc
def _grow_pairs(queue: _PathQueue) -> cython.void:
    """Double the number of pairs that a queue can store."""
    queue.price, queue.edge = double_length(queue.price), double_length(queue.edge)
    queue.parent = double_length(queue.parent)


@cython.cfunc
def _grow_entries(queue: _PathQueue) -> cython.void:
    """Double the number of entries that a queue can store."""
    queue.entry_pair, queue.older_entry = (
        double_length(queue.entry_pair),
        double_length(queue.older_entry),
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _queue_path(queue: _PathQueue, key: Int, cost: Int, edge: Int, parent: Int) -> Int:
    """Queue a path to a pair if the pair is new or the path is cheaper; return 1, else 0."""
    known_pairs: Int = queue.pairs.count
    pair: Int = get_or_add_index(queue.pairs, key)
    if pair < known_pairs and queue.price[pair] <= cost:
        return 0
    if pair == queue.price.shape[0]:
        with cython.gil:
            _grow_pairs(queue)
    queue.price[pair], queue.edge[pair] = cython.cast(Short, cost), edge
    queue.parent[pair] = cython.cast(Short, parent)
    if queue.entries == queue.entry_pair.shape[0]:
        with cython.gil:
            _grow_entries(queue)
    queue.entry_pair[queue.entries] = cython.cast(Short, pair)
    queue.older_entry[queue.entries] = queue.newest_entry[cost]
    queue.newest_entry[cost] = queue.entries
    queue.entries += 1
    return 1


@cython.cclass
class Prices:
    """The prices of transitions; transitions that are already chosen are free."""

    chosen: Byte[::1]  # for each transition, whether it is chosen
    states: Byte[::1]  # for each state, whether it is chosen
    edge: Int  # price of a transition that is not chosen
    state: Int  # extra price if the transition also leads to a state that is not chosen

    def __init__(self, chosen: Any, states: Any, edge: int, state: int) -> None:
        self.chosen, self.states = memoryview(chosen).cast("B"), memoryview(states).cast("B")
        self.edge, self.state = edge, state


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _queue_successors(
    graph: Edges, prices: Prices, queue: _PathQueue, word: Int[::1], pair: Int
) -> Int:
    """Queue the paths to all successors of a pair; return the number of queued paths."""
    queued: Int = 0
    position: Int = queue.pairs.codes[pair] // graph.states
    row: Int = queue.pairs.codes[pair] % graph.states * graph.letters + word[position]
    for j in range(graph.offsets[row], graph.offsets[row + 1]):
        cost: Int = queue.price[pair]
        if not prices.chosen[j]:
            cost += prices.edge
            if not prices.states[graph.targets[j]]:
                cost += prices.state
        queued += _queue_path(
            queue, (position + 1) * graph.states + graph.targets[j], cost, j, pair
        )
    return queued


@cython.cfunc
@cython.nogil
@cython.exceptval(-2, check=False)
def _search_cheapest(
    graph: Edges, prices: Prices, queue: _PathQueue, word: Int[::1], goal: Int
) -> Int:
    """Return the index of the last pair of a cheapest path; -1 if there is no path."""
    price: Int = 0
    while price < queue.newest_entry.shape[0]:
        entry: Int = queue.newest_entry[price]
        if entry < 0:
            price += 1
            continue
        queue.newest_entry[price] = queue.older_entry[entry]
        pair: Int = queue.entry_pair[entry]
        if queue.price[pair] < price:
            continue
        if queue.pairs.codes[pair] // graph.states < word.shape[0]:
            _queue_successors(graph, prices, queue, word, pair)
        elif queue.pairs.codes[pair] % graph.states == goal:
            return pair
    return -1


def find_cheapest(graph: Edges, word: Any, ends: tuple[int, int], prices: Prices) -> list[int]:
    """Return the transitions of a cheapest path that spells a word; empty if there is none.

    ``ends`` are the initial and the final state. The search is Dijkstra's (1959), over pairs of a
    position in the word and a state. Prices are small, so the queue has one list for each price.
    """
    letters: Int[::1] = memoryview(word)
    queue = _PathQueue((letters.shape[0] + 1) * (prices.edge + prices.state) + 1)
    pair: Int = -1
    goal: Int = ends[1]
    first: Int = ends[0]
    with cython.nogil:
        _queue_path(queue, first, 0, -1, -1)
        pair = _search_cheapest(graph, prices, queue, letters, goal)
    path = []
    while pair >= 0 and queue.parent[pair] >= 0:
        path.append(queue.edge[pair])
        pair = queue.parent[pair]
    return path[::-1]
