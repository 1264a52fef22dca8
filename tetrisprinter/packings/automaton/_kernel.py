"""The compiled loops behind automata: the ways to fill a column, and graphs of states."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import tetrisprinter.support.uncompiled  # noqa: F401  (refuses, unless asked)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import uchar as Byte
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.words import begun, distinct, mixed, spread
else:
    from tetrisprinter.support.words import begun, distinct, mixed, spread

__all__ = [
    "Edges",
    "Moves",
    "Prices",
    "Stepper",
    "cheapest",
    "explore",
    "fillings",
    "meets",
    "predecessors_reached",
    "signatures",
]

_ROOM = 1 << 16  # ways to fill one column
_DEEPEST = 8


@cython.cclass
class Moves:
    """The moves of a height, and room to fill a column with them.

    Attributes
    ----------
    rows
        Of the matrix.
    first, runs, values, blocked, added, lacking
        See ``Columns.tables``.
    state, at, below, pointer, trail
        At each depth: what has been filled, up to which row, the level there, the next move
        to try (-1 at first), the moves so far.
    ahead, trails
        The state after each way, and its moves.
    """

    rows: Int
    first: Int[::1]
    runs: Int[::1]
    values: Int[::1]
    blocked: Int[::1]
    added: Int[::1]
    lacking: Int[::1]
    state: Int[::1]
    at: Int[::1]
    below: Int[::1]
    pointer: Int[::1]
    trail: Int[::1]
    ahead: Int[::1]
    trails: Int[::1]

    def __init__(self, rows: int, tables: Sequence[Sequence[int]]) -> None:
        self.rows = rows
        first, runs, values, blocked, added, lacking = (
            memoryview(array("q", table)) for table in tables
        )
        self.first, self.runs, self.values = first, runs, values
        self.blocked, self.added, self.lacking = blocked, added, lacking
        self.state, self.at, self.below = _zeros(_DEEPEST), _zeros(_DEEPEST), _zeros(_DEEPEST)
        self.pointer, self.trail = _zeros(_DEEPEST), _zeros(_DEEPEST)
        self.ahead, self.trails = _zeros(_ROOM), _zeros(_ROOM)


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


def _zeros(count: int) -> Any:
    return memoryview(array("q", bytes(8 * count)))


def _filled(count: int, kind: str, value: int) -> Any:
    return memoryview(array(kind, [value]) * count)


def _doubled(view: Any) -> Any:
    """Return a copy with room for as much again."""
    import numpy as np

    return memoryview(np.concatenate((view, view)))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ones(count: Int) -> Int:
    one: Int = 1
    return (one << count) - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begin(moves: Moves, code: Int, letter: Int) -> Int:
    """Return what a column begins with in the columns ahead; -1 if a piece there cannot hang."""
    rows: Int = moves.rows
    begin: Int = code >> 3 * rows & _ones(6 * rows) | code & _ones(rows) << 9 * rows
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
def _passed(moves: Moves, column: Int, depth: Int) -> Int:
    """Pass what earlier columns left; return the row, -1 if its levels are out of order."""
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
def _rises(rows: Int, code: Int) -> cython.bint:
    """Whether levels do not decrease upwards in the columns ahead."""
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
def _after(moves: Moves, move: Int, depth: Int, column: Int, letter: Int) -> Int:
    """Return the state after a move; -1 if it does not fit."""
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
    return state if _rises(moves.rows, state) else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expand(moves: Moves, code: Int, letter: Int) -> Int:
    """Fill one column in every way, from the bottom up; return how many there are.

    Negative if there is no room for them. Depth-first.
    """
    column: Int = code & _ones(3 * moves.rows)
    begin: Int = _begin(moves, code, letter)
    if begin < 0 or (letter & 1 and column & 7):
        return 0
    column |= letter & 1
    count: Int = 0
    depth: Int = 0
    moves.state[0], moves.at[0], moves.below[0] = begin, 0, 0
    moves.pointer[0], moves.trail[0] = -1, 0
    while depth >= 0:
        if moves.pointer[depth] < 0:
            row: Int = _passed(moves, column, depth)
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
        after: Int = _after(moves, move, depth, column, letter)
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


def fillings(moves: Moves, code: int, letter: int) -> list[tuple[int, int]]:
    """List the ways to fill a column: the state after it, and the trail of its moves.

    Parameters
    ----------
    moves : Moves
        Those of the height.
    code, letter : int
        State and letter, as :mod:`tetrisprinter.packings.automaton.columns` has them.
    """
    count: Int = _expand(moves, code, letter)
    return [(moves.ahead[i], moves.trails[i]) for i in range(count)]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(code: Int, codes: Int[::1], slots: Short[::1]) -> Int:
    """Return the slot of a code: the one that holds it, or the free one for it."""
    last: Int = slots.shape[0] - 1
    slot: Int = cython.cast(Int, spread(begun(code)) & cython.cast(Word, last))
    while slots[slot] >= 0 and codes[slots[slot]] != code:
        slot = slot + 1 & last
    return slot


@cython.cclass
class _Known:
    """Codes that are known, in the order in which they were met.

    Attributes
    ----------
    codes, count
        The codes, with room for more; how many they are.
    slots
        Where they are found by their hash.
    """

    codes: Int[::1]
    slots: Short[::1]
    count: Int

    def __init__(self, room: int) -> None:
        self.codes, self.slots = _zeros(room), _filled(4 * room, "i", -1)
        self.count = 0


@cython.cfunc
def _grow(known: _Known) -> cython.void:
    known.codes = _doubled(known.codes)
    known.slots = _filled(8 * known.count, "i", -1)
    for i in range(known.count):
        known.slots[_slot(known.codes[i], known.codes, known.slots)] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _number(known: _Known, code: Int) -> Int:
    """Return the number of a code, which may be new."""
    slot: Int = _slot(code, known.codes, known.slots)
    if known.slots[slot] >= 0:
        return known.slots[slot]
    if known.count == known.codes.shape[0]:
        with cython.gil:
            _grow(known)
        slot = _slot(code, known.codes, known.slots)
    known.codes[known.count] = code
    known.slots[slot] = cython.cast(Short, known.count)
    known.count += 1
    return known.count - 1


def explore(moves: Moves, letters: int, limit: int) -> tuple[Any, Any, Any]:
    """Reach every state from the empty one, breadth first.

    Parameters
    ----------
    moves : Moves
        Those of the height.
    letters, limit : int
        How many letters there are; how many states are too many.

    Returns
    -------
    codes, offsets, targets
        The states; their successors by letter are
        ``targets[offsets[i * letters + k]:offsets[i * letters + k + 1]]``. No
        states at all if there are more than ``limit``.

    Raises
    ------
    MemoryError
        If there are more ways to fill a column than there is room for.
    """
    import numpy as np

    known = _Known(1024)
    offsets = array("q", [0])
    targets: Short[::1] = _filled(4096, "i", 0)
    edges: Int = 0
    current: Int = 0
    letter: Int
    ways: Int
    most: Int = limit
    _number(known, 0)
    while current < known.count:
        for letter in range(letters):
            with cython.nogil:
                ways = _expand(moves, known.codes[current], letter)
                if ways > 0:
                    ways = distinct(moves.ahead, ways)
            if ways < 0:
                raise MemoryError
            while edges + ways > targets.shape[0]:
                targets = _doubled(targets)
            for i in range(ways):
                targets[edges] = _number(known, moves.ahead[i])
                edges += 1
            if known.count > most:
                return np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32)
            offsets.append(edges)
        current += 1
    return (
        np.array(known.codes[: known.count]),
        np.array(offsets, np.int64),
        np.array(targets[:edges]),
    )


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

    begin: Int[::1] = _zeros(graph.states + 2)
    sources: Short[::1] = _filled(graph.targets.shape[0], "i", 0)
    stack: Short[::1] = _filled(graph.states, "i", 0)
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
    some: Short[::1] = _filled(most + 1, "i", 0)
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
        self.found = _filled(graph.states, "i", 0)

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

    known: _Known
    price: Short[::1]
    edge: Int[::1]
    parent: Short[::1]
    waiting: Int[::1]
    node: Short[::1]
    later: Int[::1]
    entries: Int

    def __init__(self, prices: int) -> None:
        room = 1 << 12
        self.known = _Known(room)
        self.price, self.edge = _filled(room, "i", 0), _zeros(room)
        self.parent, self.node = _filled(room, "i", 0), _filled(room, "i", 0)
        self.later, self.waiting = _zeros(room), _filled(prices, "q", -1)
        self.entries = 0


@cython.cfunc
def _grow_pairs(queue: _Queue) -> cython.void:
    queue.price, queue.edge = _doubled(queue.price), _doubled(queue.edge)
    queue.parent = _doubled(queue.parent)


@cython.cfunc
def _grow_entries(queue: _Queue) -> cython.void:
    queue.node, queue.later = _doubled(queue.node), _doubled(queue.later)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _offer(queue: _Queue, key: Int, cost: Int, edge: Int, parent: Int) -> cython.void:
    """Note a way to a pair, if it is new or cheaper than those known."""
    before: Int = queue.known.count
    pair: Int = _number(queue.known, key)
    if pair < before and queue.price[pair] <= cost:
        return
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
@cython.exceptval(check=False)
def _follow(graph: Edges, prices: Prices, queue: _Queue, word: Int[::1], pair: Int) -> cython.void:
    """Offer what can follow a pair."""
    place: Int = queue.known.codes[pair] // graph.states
    row: Int = queue.known.codes[pair] % graph.states * graph.letters + word[place]
    for j in range(graph.offsets[row], graph.offsets[row + 1]):
        cost: Int = queue.price[pair]
        if not prices.chosen[j]:
            cost += prices.edge
            if not prices.states[graph.targets[j]]:
                cost += prices.state
        _offer(queue, (place + 1) * graph.states + graph.targets[j], cost, j, pair)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
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
    stack: Int[::1] = _zeros(1 << 12)
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
                        stack = _doubled(stack)
                    stack[waiting] = after
                    waiting += 1
    return False
