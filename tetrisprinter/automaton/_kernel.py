"""The compiled loops behind building an automaton. Importing it loads numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tetrisprinter.automaton import columns

__all__ = ["explore", "layer", "predecessors_reached", "signatures", "step"]

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


def _layer(
    members: NDArray[np.int32],
    costs: NDArray[np.int32],
    letter: int,
    letters: int,
    offsets: Ints,
    targets: NDArray[np.int32],
    chosen: NDArray[np.bool_],
    states: NDArray[np.bool_],
    prices: tuple[int, int],
    best: NDArray[np.int32],
    via: Ints,
) -> tuple[NDArray[np.int32], NDArray[np.int32], Ints]:
    """Extend cheapest paths by a letter: states reached, costs, transitions taken.

    ``best`` is all -1, and stays so.
    """
    found = np.empty(best.shape[0], np.int32)
    count = 0
    for i in range(members.shape[0]):
        row = np.int64(members[i]) * letters + letter
        for edge in range(offsets[row], offsets[row + 1]):
            target = targets[edge]
            cost = costs[i]
            if not chosen[edge]:
                cost += prices[0]
                if not states[target]:
                    cost += prices[1]
            if best[target] < 0:
                found[count] = target
                count += 1
            elif best[target] <= cost:
                continue
            best[target] = cost
            via[target] = edge
    found = np.sort(found[:count])
    reached = best[found]
    edges = via[found]
    for target in found:
        best[target] = -1
    return found, reached, edges


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
layer = _compile(_layer)
