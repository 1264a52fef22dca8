"""The compiled loops behind building an automaton. Importing it loads numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tetrisprinter.packings.automaton import columns

__all__ = ["cheapest", "explore", "meets", "predecessors_reached", "signatures", "step"]

Ints = NDArray[np.int64]

_ROOM = 1 << 16  # ways to fill one column


def _explore(
    rows: int, letters: Any, tables: Any, limit: int
) -> tuple[Ints, Ints, NDArray[np.int32]]:
    """Reach every state from the empty one, breadth first.

    Returns
    -------
    codes, offsets, targets
        The states; their successors by letter are
        ``targets[offsets[i * len(letters) + k]:offsets[i * len(letters) + k + 1]]``. No
        states at all if there are more than ``limit``.
    """
    codes = np.empty(1024, np.int64)
    slots = np.full(4096, -1, np.int32)
    offsets = np.zeros(1024 * letters.shape[0] + 1, np.int64)
    targets = np.empty(4096, np.int32)
    ahead = np.empty(_ROOM, np.int64)
    trails = np.empty(_ROOM, np.int64)
    codes[0] = 0
    slots[_slot(np.int64(0), codes, slots)] = 0
    count, edges, row = 1, 0, 0
    current = 0
    while current < count:
        for k in range(letters.shape[0]):
            ways = _expand(codes[current], letters[k], rows, tables, ahead, trails)
            if ways < 0:
                raise MemoryError
            found = np.unique(ahead[:ways])
            if edges + found.shape[0] > targets.shape[0]:
                grown = np.empty(2 * targets.shape[0] + found.shape[0], np.int32)
                grown[:edges] = targets[:edges]
                targets = grown
            for code in found:
                slot = _slot(code, codes, slots)
                if slots[slot] < 0:
                    if count == limit:
                        return codes[:0], offsets[:1], targets[:0]
                    if count == codes.shape[0]:
                        more = np.empty(2 * count, np.int64)
                        more[:count] = codes
                        codes = more
                        wider = np.zeros(2 * count * letters.shape[0] + 1, np.int64)
                        wider[: row + 1] = offsets[: row + 1]
                        offsets = wider
                        slots = np.full(8 * count, -1, np.int32)
                        for i in range(count):
                            slots[_slot(codes[i], codes, slots)] = i
                        slot = _slot(code, codes, slots)
                    codes[count] = code
                    slots[slot] = count
                    count += 1
                targets[edges] = slots[slot]
                edges += 1
            row += 1
            offsets[row] = edges
        current += 1
    return codes[:count], offsets[: row + 1], targets[:edges]


def _slot(code: Any, codes: Any, slots: Any) -> Any:
    mixed = np.uint64(code) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    mask = np.uint64(slots.shape[0] - 1)
    slot = np.int64(mixed & mask)
    while slots[slot] >= 0 and codes[slots[slot]] != code:
        slot = np.int64(np.uint64(slot + 1) & mask)
    return slot


def _predecessors_reached(
    letters: int, offsets: Ints, targets: NDArray[np.int32], goal: int
) -> NDArray[np.bool_]:
    """Mark the states from which ``goal`` can be reached."""
    count = (offsets.shape[0] - 1) // letters
    begin = np.zeros(count + 1, np.int64)
    for target in targets:
        begin[target + 1] += 1
    for i in range(count):
        begin[i + 1] += begin[i]
    filled = begin[:-1].copy()
    sources = np.empty(targets.shape[0], np.int32)
    for i in range(count):
        for j in range(offsets[i * letters], offsets[(i + 1) * letters]):
            sources[filled[targets[j]]] = i
            filled[targets[j]] += 1
    marked = np.zeros(count, np.bool_)
    stack = np.empty(count, np.int32)
    stack[0] = goal
    marked[goal] = True
    size = 1
    while size:
        size -= 1
        state = stack[size]
        for j in range(begin[state], begin[state + 1]):
            if not marked[sources[j]]:
                marked[sources[j]] = True
                stack[size] = sources[j]
                size += 1
    return marked


def _signatures(
    classes: NDArray[np.int32], letters: int, offsets: Ints, targets: NDArray[np.int32]
) -> NDArray[np.uint64]:
    """Hash of each state's class and of the set of classes it leads to by each letter."""
    count = classes.shape[0]
    out = np.empty(count, np.uint64)
    for i in range(count):
        code = _mix(np.uint64(classes[i]) + np.uint64(1))
        for k in range(letters):
            code = _mix(code ^ np.uint64(0xA5A5A5A5))
            successors = np.unique(
                classes[targets[offsets[i * letters + k] : offsets[i * letters + k + 1]]]
            )
            for successor in successors:
                code = _mix(code + np.uint64(successor))
        out[i] = code
    return out


def _mix(code: Any) -> Any:
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (code ^ (code >> np.uint64(31))) + np.uint64(0x9E3779B97F4A7C15)


def _step(
    members: NDArray[np.int32],
    letter: int,
    letters: int,
    offsets: Ints,
    targets: NDArray[np.int32],
    marks: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Return, sorted, where a set of states leads to. ``marks`` is all False, and stays so."""
    found = np.empty(marks.shape[0], np.int32)
    count = 0
    for member in members:
        for j in range(offsets[member * letters + letter], offsets[member * letters + letter + 1]):
            if not marks[targets[j]]:
                marks[targets[j]] = True
                found[count] = targets[j]
                count += 1
    found = np.sort(found[:count])
    for target in found:
        marks[target] = False
    return found


def _cheapest(
    word: Ints,
    letters: int,
    offsets: Ints,
    targets: NDArray[np.int32],
    ends: tuple[int, int],
    chosen: NDArray[np.bool_],
    states: NDArray[np.bool_],
    prices: tuple[int, int],
) -> Ints:
    """Find the transitions of a path that spells a word at the least price.

    A transition that is not chosen has the first price, and one into a state that is not
    among the states the second on top. Best first (Dijkstra 1959) over pairs of a place
    in the word and a state; prices are small, so a list for each is the whole queue.

    Returns
    -------
    array of int
        As long as the word; empty if the word is not accepted.
    """
    length = word.shape[0]
    count = np.int64(offsets.shape[0] // letters)
    keys = np.empty(1 << 12, np.int64)  # place * count + state
    slots = np.full(1 << 14, -1, np.int32)
    price = np.empty(1 << 12, np.int32)
    edge = np.empty(1 << 12, np.int64)
    parent = np.empty(1 << 12, np.int32)
    nodes = 1
    keys[0], price[0], edge[0], parent[0] = ends[0], 0, -1, -1
    slots[_slot(keys[0], keys, slots)] = 0
    # Entries of the queue: a node and the next entry of the same price.
    waiting = np.full((length + 1) * (prices[0] + prices[1]) + 1, -1, np.int64)
    entry_node = np.empty(1 << 12, np.int32)
    entry_next = np.empty(1 << 12, np.int64)
    entries = 1
    entry_node[0], entry_next[0] = 0, -1
    waiting[0] = 0
    now = 0
    while now < waiting.shape[0]:
        entry = waiting[now]
        if entry < 0:
            now += 1
            continue
        waiting[now] = entry_next[entry]
        node = entry_node[entry]
        if price[node] < now:
            continue
        place, state = keys[node] // count, keys[node] % count
        if place == length:
            if state != ends[1]:
                continue
            path = np.empty(length, np.int64)
            while parent[node] >= 0:
                place -= 1
                path[place] = edge[node]
                node = parent[node]
            return path
        row = state * letters + word[place]
        for j in range(offsets[row], offsets[row + 1]):
            cost = np.int32(now)
            if not chosen[j]:
                cost += prices[0]
                if not states[targets[j]]:
                    cost += prices[1]
            key = (place + 1) * count + targets[j]
            slot = _slot(key, keys, slots)
            after = slots[slot]
            if after < 0:
                if nodes == keys.shape[0]:
                    keys = _doubled(keys)
                    edge = _doubled(edge)
                    price = _doubled(price)
                    parent = _doubled(parent)
                    slots = np.full(8 * nodes, -1, np.int32)
                    for i in range(nodes):
                        slots[_slot(keys[i], keys, slots)] = i
                    slot = _slot(key, keys, slots)
                after = nodes
                keys[after] = key
                slots[slot] = after
                nodes += 1
            elif price[after] <= cost:
                continue
            price[after], edge[after], parent[after] = cost, j, node
            if entries == entry_node.shape[0]:
                entry_node = _doubled(entry_node)
                entry_next = _doubled(entry_next)
            entry_node[entries], entry_next[entries] = after, waiting[cost]
            waiting[cost] = entries
            entries += 1
    return np.empty(0, np.int64)


def _meets(
    letters: int,
    offsets: Ints,
    targets: NDArray[np.int32],
    ends: tuple[int, int],
    table: NDArray[np.int32],
    accepts: NDArray[np.bool_],
) -> bool:
    """Whether a graph accepts a word that a deterministic automaton accepts, too."""
    size = np.int64(table.shape[0])
    seen = np.zeros((offsets.shape[0] // letters) * size, np.bool_)
    stack = np.empty(1 << 12, np.int64)
    stack[0] = np.int64(ends[0]) * size
    seen[stack[0]] = True
    waiting = 1
    while waiting:
        waiting -= 1
        pair = stack[waiting]
        state, other = pair // size, pair % size
        if state == ends[1] and accepts[other]:
            return True
        for letter in range(letters):
            row = state * letters + letter
            for j in range(offsets[row], offsets[row + 1]):
                after = targets[j] * size + table[other, letter]
                if not seen[after]:
                    seen[after] = True
                    if waiting == stack.shape[0]:
                        stack = _doubled(stack)
                    stack[waiting] = after
                    waiting += 1
    return False


def _doubled(array: Any) -> Any:
    grown = np.empty(2 * array.shape[0], array.dtype)
    grown[: array.shape[0]] = array
    return grown


def _compile(function: Any) -> Any:
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to keep compiled code in: compile every time
        return njit(nogil=True)(function)


_expand = _compile(columns.expand)
_slot = _compile(_slot)
_mix = _compile(_mix)
explore = _compile(_explore)
predecessors_reached = _compile(_predecessors_reached)
signatures = _compile(_signatures)
step = _compile(_step)
_doubled = _compile(_doubled)
cheapest = _compile(_cheapest)
meets = _compile(_meets)
