"""The compiled loops that follow graphs: back, in classes, by sets, at the least price."""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.packings.automaton._kernel import Known, number
    from cython.cimports.tetrisprinter.support.words import begun, distinct, mixed, spread
else:
    from tetrisprinter.packings.automaton._kernel import Known, number
    from tetrisprinter.support.words import begun, distinct, mixed, spread

from tetrisprinter.packings.automaton._kernel import doubled, filled, zeros

__all__ = [
    "Edges",
    "Prices",
    "Stepper",
    "cheapest",
    "meets",
    "predecessors_reached",
    "signatures",
]


@cython.cclass
class Edges:
    """A graph whose states lead to others by letters.

    Attributes
    ----------
    letters, states
        How many there are.
    offsets, targets
        State ``i`` leads by letter ``k`` to
        ``targets[offsets[i * letters + k]:offsets[i * letters + k + 1]]``.
    """

    letters: Int
    states: Int
    offsets: Int[::1]
    targets: Short[::1]

    def __init__(self, letters: int, offsets: Any, targets: Any) -> None:
        self.letters, self.states = letters, (len(offsets) - 1) // letters
        self.offsets, self.targets = memoryview(offsets), memoryview(targets)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sources(graph: Edges, begin: Int[::1], sources: Short[::1]) -> cython.void:
    """Turn the edges round: list for each state those that lead to it, from its ``begin``."""
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


def predecessors_reached(graph: Edges, goal: int) -> Any:
    """Mark the states from which one can be reached.

    Parameters
    ----------
    graph : Edges
        The graph.
    goal : int
        The state.

    Returns
    -------
    array of bool
        One for each state.
    """
    import numpy as np

    begin: Int[::1] = zeros(graph.states + 2)
    sources: Short[::1] = filled(graph.targets.shape[0], "i", 0)
    stack: Short[::1] = filled(graph.states, "i", 0)
    found = np.zeros(graph.states, np.uint8)
    marked: Byte[::1] = memoryview(found)
    end: Int = goal
    with cython.nogil:
        _sources(graph, begin, sources)
        _reach(end, begin, sources, marked, stack)
    return found.view(np.bool_)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sign(graph: Edges, classes: Short[::1], some: Short[::1], out: Word[::1]) -> cython.void:
    for i in range(graph.states):
        code: Word = begun(classes[i])
        for k in range(graph.letters):
            row: Int = i * graph.letters + k
            code = mixed(code, cython.cast(Word, 0xFFFFFFFFFFFFFFFF))  # no class
            for j in range(graph.offsets[row], graph.offsets[row + 1]):
                some[j - graph.offsets[row]] = classes[graph.targets[j]]
            for j in range(distinct(some, graph.offsets[row + 1] - graph.offsets[row])):
                code = mixed(code, some[j])
        out[i] = spread(code)


def signatures(graph: Edges, classes: Any) -> Any:
    """Hash each state's class and the set of classes it leads to by each letter.

    Parameters
    ----------
    graph : Edges
        The graph.
    classes : array of 32-bit int
        One for each state.

    Returns
    -------
    array of 64-bit unsigned int
        One for each state.
    """
    import numpy as np

    most = int(np.diff(np.asarray(graph.offsets)).max(initial=0))
    some: Short[::1] = filled(most + 1, "i", 0)
    found = np.empty(graph.states, np.uint64)
    out: Word[::1] = memoryview(found)
    names: Short[::1] = memoryview(classes)
    with cython.nogil:
        _sign(graph, names, some, out)
    return found


@cython.cclass
class Stepper:
    """Follows sets of states through a graph.

    Attributes
    ----------
    graph
        The graph.
    marks
        For each state, whether it has been found.
    found
        Those that have.
    """

    graph: Edges
    marks: Byte[::1]
    found: Short[::1]

    def __init__(self, graph: Edges) -> None:
        self.graph = graph
        self.marks = memoryview(bytearray(graph.states))
        self.found = filled(graph.states, "i", 0)

    def step(self, members: bytes, letter: int) -> bytes:
        """Return, sorted, where a set of states leads to; sets are written as 32-bit numbers.

        Parameters
        ----------
        members : bytes
            The states.
        letter : int
            By which letter.
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
        distinct(self.found, count)
        return bytes(self.found[:count])


@cython.cclass
class _Queue:
    """Pairs of a place in a word and a state, and those that are to be looked at.

    Attributes
    ----------
    known
        The pairs that were met, each as one number.
    price, edge, parent
        What it costs to get to each, by which transition, from which.
    waiting, node, later
        For each price the last entry; of each entry the pair, and the entry before.
    entries
        How many there are.
    """

    known: Known
    price: Short[::1]
    edge: Int[::1]
    parent: Short[::1]
    waiting: Int[::1]
    node: Short[::1]
    later: Int[::1]
    entries: Int

    def __init__(self, prices: int) -> None:
        room = 1 << 12
        self.known = Known(room)
        self.price, self.edge = filled(room, "i", 0), zeros(room)
        self.parent, self.node = filled(room, "i", 0), filled(room, "i", 0)
        self.later, self.waiting = zeros(room), filled(prices, "q", -1)
        self.entries = 0


@cython.cfunc
def _grow_pairs(queue: _Queue) -> cython.void:
    queue.price, queue.edge = doubled(queue.price), doubled(queue.edge)
    queue.parent = doubled(queue.parent)


@cython.cfunc
def _grow_entries(queue: _Queue) -> cython.void:
    queue.node, queue.later = doubled(queue.node), doubled(queue.later)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _offer(queue: _Queue, key: Int, cost: Int, edge: Int, parent: Int) -> Int:
    """Note a way to a pair, if it is new or cheaper than those known; whether it is."""
    before: Int = queue.known.count
    pair: Int = number(queue.known, key)
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
    """What the transitions of a path cost.

    Attributes
    ----------
    chosen, states
        For each transition and for each state, whether it is chosen.
    edge, state
        What a transition costs that is not chosen; what comes on top if it leads to a state that
        is not.
    """

    chosen: Byte[::1]
    states: Byte[::1]
    edge: Int
    state: Int

    def __init__(self, chosen: Any, states: Any, edge: int, state: int) -> None:
        self.chosen, self.states = memoryview(chosen).cast("B"), memoryview(states).cast("B")
        self.edge, self.state = edge, state


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _follow(graph: Edges, prices: Prices, queue: _Queue, word: Int[::1], pair: Int) -> Int:
    """Offer what can follow a pair; return how many ways were noted."""
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
def _cheapest(graph: Edges, prices: Prices, queue: _Queue, word: Int[::1], goal: Int) -> Int:
    """Return the pair at the end of a path; -1 if there is none."""
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


def cheapest(graph: Edges, word: Any, ends: tuple[int, int], prices: Prices) -> list[int]:
    """Find the transitions of a path that spells a word at the least price.

    Best first (Dijkstra 1959) over pairs of a place in the word and a state; prices are small,
    so a list for each is the whole queue.

    Parameters
    ----------
    graph : Edges
        The graph.
    word : array of int
        The letters.
    ends : (int, int)
        The states to begin and to end in.
    prices : Prices
        What transitions cost.

    Returns
    -------
    list of int
        As long as the word; empty if the word is not accepted.

    Raises
    ------
    MemoryError
        If there is no room for more pairs.
    """
    letters: Int[::1] = memoryview(word)
    queue = _Queue((letters.shape[0] + 1) * (prices.edge + prices.state) + 1)
    pair: Int = -1
    goal: Int = ends[1]
    first: Int = ends[0]
    with cython.nogil:
        _offer(queue, first, 0, -1, -1)
        pair = _cheapest(graph, prices, queue, letters, goal)
    path = []
    while pair >= 0 and queue.parent[pair] >= 0:
        path.append(queue.edge[pair])
        pair = queue.parent[pair]
    return path[::-1]


def meets(graph: Edges, ends: tuple[int, int], table: Any, accepts: Any) -> bool:
    """Whether a graph accepts a word that a deterministic automaton accepts, too.

    Parameters
    ----------
    graph : Edges
        The graph.
    ends : (int, int)
        The states to begin and to end in.
    table : two-dimensional array of 32-bit int
        Where each state of the automaton leads by each letter; it begins in the first.
    accepts : array of bool
        Its final states.
    """
    after_of: Short[:, ::1] = memoryview(table)
    final: Byte[::1] = memoryview(accepts).cast("B")
    size: Int = after_of.shape[0]
    seen: Byte[::1] = memoryview(bytearray(graph.states * size))
    stack: Int[::1] = zeros(1 << 12)
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
                        stack = doubled(stack)
                    stack[waiting] = after
                    waiting += 1
    return False
