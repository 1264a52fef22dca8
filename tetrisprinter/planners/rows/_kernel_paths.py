"""The compiled choice among the ways to play passes. Importing it loads numba.

Passes that follow one another are chosen together, as paths through their graphs that agree:
what one leaves in its top row lies in the lowest row of the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.support.compiled import compiled

__all__ = ["meet", "thin", "weigh"]


@compiled
def weigh(
    rows: Any,
    starts: Any,
    ends_at: Any,
    source: Any,
    target: Any,
    step: Any,
    goal: Any,
    lowest: Any,
    begins: Any,
    thrift: Any,
    weights: Any,
) -> None:
    """Count the paths from each state to the end, as a share of the most there are.

    A path that begins ``n`` squares of the next row counts as ``thrift ** n``.

    Parameters
    ----------
    rows, starts, ends_at, source, target, step
        As from ``explore`` in the module ``_kernel``; ``starts`` are the sums up to there.
    goal
        The last state.
    lowest
        For each column whether the lowest row is filled before: 0, 1, or -1 for either.
    begins
        Whether the top row is one that is begun.
    weights
        Is given the counts.
    """
    cells = starts.shape[0] - 2
    weights[:] = 0.0
    weights[starts[cells] + goal] = 1.0
    for cell in range(cells - 1, -1, -1):
        begin = ends_at[cell - 1] if cell else 0
        here, there = starts[cell], starts[cell + 1]
        fixed = lowest[cell // rows] if cell % rows == 0 else -1
        thrifty = begins and cell % rows == rows - 1
        most = 0.0
        for edge in range(begin, ends_at[cell]):
            if fixed >= 0 and (step[edge] & 1) == fixed:
                continue
            part = weights[there + target[edge]]
            if thrifty and step[edge] & 1:
                part *= thrift
            weights[here + source[edge]] += part
        for i in range(here, there):
            most = max(most, weights[i])
        if most > 0.0:
            for i in range(here, there):
                weights[i] /= most


@compiled
def thin(
    starts: Any, ends_at: Any, source: Any, target: Any, step: Any, weights: Any, names: Any
) -> Any:
    """Leave out, in place, the states that no way to the end begins at, and their steps.

    Most are such; those that are left are numbered anew.

    Parameters
    ----------
    starts, ends_at, source, target, step, weights
        As for :func:`weigh`, which has told how many paths there are from each state.
    names
        Room for twice as many numbers as there are states before any cell.

    Returns
    -------
    int
        How many steps are left.
    """
    cells = ends_at.shape[0]
    half = names.shape[0] // 2
    old, left, kept, begin = starts[0], np.int64(0), np.int64(0), np.int64(0)
    base = np.int64(half)
    for cell in range(cells + 1):
        # the states before this cell, or at the end
        here = half - base
        end = starts[cell + 1]
        starts[cell] = left
        for i in range(old, end):
            names[here + i - old] = -1
            if weights[i] > 0.0:
                names[here + i - old] = left - starts[cell]
                weights[left] = weights[i]
                left += 1
        old = end
        if cell:
            # the steps that lead to them
            for edge in range(begin, ends_at[cell - 1]):
                from_state, to_state = names[base + source[edge]], names[here + target[edge]]
                if from_state >= 0 and to_state >= 0:
                    source[kept], target[kept], step[kept] = from_state, to_state, step[edge]
                    kept += 1
            begin = ends_at[cell - 1]
            ends_at[cell - 1] = kept
        base = here
    starts[cells + 1] = left
    return kept


@compiled
def _first_of(source: Any, begin: Any, end: Any, state: Any) -> Any:
    """Return the first step, of some sorted by source, that is not of an earlier state."""
    while begin < end:
        middle = (begin + end) // 2
        if source[middle] < state:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def meet(
    beam: Any,
    rows1: Any,
    starts1: Any,
    ends1: Any,
    source1: Any,
    target1: Any,
    step1: Any,
    lowest: Any,
    weights1: Any,
    rows2: Any,
    starts2: Any,
    ends2: Any,
    source2: Any,
    target2: Any,
    step2: Any,
    weights2: Any,
    linked: Any,
    begins1: Any,
    begins2: Any,
    thrift: Any,
    keys: Any,
    scores: Any,
    gains: Any,
    slots: Any,
    stamps: Any,
    origin: Any,
    parents: Any,
    edges: Any,
    out1: Any,
    out2: Any,
) -> Any:
    """Find paths through two graphs that agree.

    Parameters
    ----------
    beam
        Pairs of states kept after each cell.
    rows1, starts1, ends1, source1, target1, step1, weights1
        The first graph; the steps are sorted by source within each cell.
    lowest
        As for :func:`weigh`, of the first graph.
    rows2, ..., weights2
        The second graph; no rows if there is none.
    linked
        For each column: 0 if what the first leaves in its top row does not lie in the lowest
        row of the second; 2 if that must be filled by the one or the other, 1 if it need not.
    begins1, begins2, thrift
        As for :func:`weigh`.
    keys, scores, gains, slots, stamps, origin, parents, edges
        Room to work in.
    out1, out2
        Are given the steps that were chosen, cell by cell.

    Returns
    -------
    bool
        Whether there are such paths.
    """
    width = lowest.shape[0]
    both = rows1 + rows2
    mask = np.int64(slots.shape[0] - 1)
    stamp = stamps[slots.shape[0]]
    now, ahead = 0, 1
    keys[0, 0, 0], keys[0, 0, 1], keys[0, 0, 2] = 0, 0, 0
    gains[0, 0] = 1.0
    live = 1
    cap = keys.shape[1]
    for cell in range(width * both):
        x, r = cell // both, cell % both
        first = r < rows1
        at = x * rows1 + r if first else x * rows2 + r - rows1
        if first:
            begin, end = (ends1[at - 1] if at else 0), ends1[at]
            base, source, target, step = starts1[at + 1], source1, target1, step1
            weights = weights1
        else:
            begin, end = (ends2[at - 1] if at else 0), ends2[at]
            base, source, target, step = starts2[at + 1], source2, target2, step2
            weights = weights2
        stamp += 1
        count = 0
        for i in range(live):
            s1, s2, left = keys[now, i, 0], keys[now, i, 1], keys[now, i, 2]
            own = s1 if first else s2
            edge = _first_of(source, begin, end, own)
            while edge < end and source[edge] == own:
                there = base + target[edge]
                filled = step[edge] & 1
                this = edge
                edge += 1
                if weights[there] <= 0.0:
                    continue
                if first and r == 0 and lowest[x] >= 0 and filled == lowest[x]:
                    continue
                joined = not first and r == rows1 and linked[x] > 0
                if joined and filled == left and (filled or linked[x] == 2):
                    continue
                n1, n2, bit = s1, s2, left
                if first:
                    n1 = np.int64(target[this])
                    if r == rows1 - 1:
                        bit = np.int64(filled)
                else:
                    n2 = np.int64(target[this])
                    bit = np.int64(0)
                if count == cap:
                    continue
                code = np.uint64(n1 << 32 | n2 << 1 | bit) * np.uint64(0x9E3779B97F4A7C15)
                slot = np.int64((code ^ code >> np.uint64(32)) & np.uint64(mask))
                gain = gains[now, i]
                if filled and ((begins1 and r == rows1 - 1) or (begins2 and r == both - 1)):
                    gain *= thrift
                at_j = count
                while stamps[slot] == stamp:
                    j = slots[slot]
                    if (
                        keys[ahead, j, 0] == n1
                        and keys[ahead, j, 1] == n2
                        and keys[ahead, j, 2] == bit
                    ):
                        at_j = j
                        break
                    slot = (slot + 1) & mask
                if at_j < count:
                    if gains[ahead, at_j] >= gain:
                        continue
                else:
                    stamps[slot] = stamp
                    slots[slot] = count
                    count += 1
                keys[ahead, at_j, 0], keys[ahead, at_j, 1], keys[ahead, at_j, 2] = n1, n2, bit
                value = gain * weights1[starts1[x * rows1 + min(r + 1, rows1)] + n1]
                if rows2:
                    value *= weights2[starts2[x * rows2 + max(0, r + 1 - rows1)] + n2]
                scores[at_j] = value
                gains[ahead, at_j] = gain
                origin[0, at_j], origin[1, at_j] = i, this
        best = 0.0
        for i in range(count):
            best = max(best, gains[ahead, i])
        for i in range(count):
            gains[ahead, i] /= best
        if count > beam:
            least = np.partition(scores[:count], count - beam)[count - beam]
            kept = 0
            for i in range(count):
                if scores[i] >= least and kept < beam:
                    keys[ahead, kept, 0] = keys[ahead, i, 0]
                    keys[ahead, kept, 1] = keys[ahead, i, 1]
                    keys[ahead, kept, 2] = keys[ahead, i, 2]
                    gains[ahead, kept] = gains[ahead, i]
                    origin[0, kept], origin[1, kept] = origin[0, i], origin[1, i]
                    kept += 1
            count = kept
        for i in range(count):
            parents[cell, i], edges[cell, i] = origin[0, i], origin[1, i]
        live = count
        now, ahead = ahead, now
        if not live:
            break
    stamps[slots.shape[0]] = stamp
    if not live:
        return False
    at = 0
    for cell in range(width * both - 1, -1, -1):
        x, r = cell // both, cell % both
        edge = edges[cell, at]
        if r < rows1:
            out1[x * rows1 + r] = step1[edge]
        else:
            out2[x * rows2 + r - rows1] = step2[edge]
        at = parents[cell, at]
    return True
