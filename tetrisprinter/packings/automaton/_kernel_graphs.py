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

from tetrisprinter.packings.automaton._kernel import double_room, make_filled, make_zeros

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

    known: CodeTable  # the pairs, each as position * number of states + state
    price: Short[::1]  # this and the next two: price, last transition and parent of each pair
    edge: Int[::1]
    parent: Short[::1]
    waiting: Int[::1]  # for each price its newest entry; -1 if there is none
    node: Short[::1]  # the index of the pair of each entry
    later: Int[::1]  # for each entry the next older one of the same price
    entries: Int

    def __init__(self, prices: int) -> None:
        room = 1 << 12
        self.known = CodeTable(room)
        self.price, self.edge = make_filled(room, "i", 0), make_zeros(room)
        self.parent, self.node = make_filled(room, "i", 0), make_filled(room, "i", 0)
        self.later, self.waiting = make_zeros(room), make_filled(prices, "q", -1)
        self.entries = 0


@cython.cfunc
def _grow_pairs(queue: _PathQueue) -> cython.void:
    """Double the number of pairs that can be stored."""
    queue.price, queue.edge = double_room(queue.price), double_room(queue.edge)
    queue.parent = double_room(queue.parent)


@cython.cfunc
def _grow_entries(queue: _PathQueue) -> cython.void:
    """Double the number of entries that can be stored."""
    queue.node, queue.later = double_room(queue.node), double_room(queue.later)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _offer(queue: _PathQueue, key: Int, cost: Int, edge: Int, parent: Int) -> Int:
    """Queue a path to a pair if the pair is new or the path cheaper; return 1 if queued."""
    before: Int = queue.known.count
    pair: Int = get_or_add_index(queue.known, key)
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
    state: Int  # extra price if it also leads to a state that is not chosen

    def __init__(self, chosen: Any, states: Any, edge: int, state: int) -> None:
        self.chosen, self.states = memoryview(chosen).cast("B"), memoryview(states).cast("B")
        self.edge, self.state = edge, state


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _follow(graph: Edges, prices: Prices, queue: _PathQueue, word: Int[::1], pair: Int) -> Int:
    """Queue the paths to all successors of a pair; return how many were new or cheaper."""
    noted: Int = 0
    position: Int = queue.known.codes[pair] // graph.states
    row: Int = queue.known.codes[pair] % graph.states * graph.letters + word[position]
    for j in range(graph.offsets[row], graph.offsets[row + 1]):
        cost: Int = queue.price[pair]
        if not prices.chosen[j]:
            cost += prices.edge
            if not prices.states[graph.targets[j]]:
                cost += prices.state
        noted += _offer(queue, (position + 1) * graph.states + graph.targets[j], cost, j, pair)
    return noted


@cython.cfunc
@cython.nogil
@cython.exceptval(-2, check=False)
def _search_cheapest(
    graph: Edges, prices: Prices, queue: _PathQueue, word: Int[::1], goal: Int
) -> Int:
    """Return the index of the last pair of a cheapest path; -1 if there is no path."""
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

    ``ends`` are the initial and the final state. The search is Dijkstra's (1959), over pairs of a
    position in the word and a state. Prices are small, so the queue has one list for each price.
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
