"""The compiled search for a pass, column by column. Importing it loads numba.

Between two columns all that matters of the pieces placed so far is what they occupy in the
next three columns, with their levels, which squares they count on there, and which clearing
rows have got the piece that completes them. That is a state; the squares of a column are a
*letter*; state and letter determine the ways to fill the column, whatever the picture and
its width. They are worked out when first met and kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.compiling import compiled

__all__ = ["FULL", "IMPOSSIBLE", "LOST", "search"]

IMPOSSIBLE, LOST, FULL = -1, -2, -3
"""No such pass; none found, but not all was looked at; no room for more states."""


@compiled
def _mixed(key: Any) -> Any:
    code = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    code ^= code >> np.uint64(32)
    code *= np.uint64(0xD6E8FEB86659FD93)
    return code ^ (code >> np.uint64(32))


@compiled
def _state(key: Any, keys: Any, slots: Any, counts: Any) -> Any:
    """Return the number of a state, a new one if need be; -1 if there is no room."""
    mask = np.uint64(slots.shape[0] - 1)
    slot = _mixed(key) & mask
    while slots[np.int64(slot)] >= 0:
        number = slots[np.int64(slot)]
        if keys[number] == key:
            return np.int64(number)
        slot = (slot + np.uint64(1)) & mask
    number = counts[0]
    if number == keys.shape[0]:
        return np.int64(-1)
    keys[number] = key
    slots[np.int64(slot)] = number
    counts[0] = number + 1
    return np.int64(number)


@compiled
def _expand(
    state: Any, letter: Any, layout: Any, begin: Any, fields: Any, frames: Any, out: Any
) -> Any:
    """List the ways to fill a column: next state, needs, pieces, rows filled.

    Depth first up the column. A frame holds the row, the next variant to try, the level
    reached, whether the column is closed above, the codes of the two next columns, the rows
    occupied in the three next columns, rows completed, squares counted on in four columns,
    rows filled, needs, pieces.
    """
    rows, level_bits, open_row = layout[0], layout[2], layout[3]
    at2, at3, need1, need2, need3, done_at = (
        layout[4], layout[5], layout[6], layout[7], layout[8], layout[9],
    )
    full = (np.int64(1) << rows) - 1
    column = (np.int64(1) << at2) - 1
    level_mask = (np.int64(1) << level_bits) - 1
    kept = (np.int64(1) << (rows - open_row)) - 1
    pre, due, must, ground = letter[0], letter[1], letter[2], letter[3]
    here = state & column
    next1 = (state >> at2) & column
    far = (state >> at3) & full
    next2 = np.int64(0)
    there = np.int64(0)
    there1 = np.int64(0)
    for v in range(rows):
        code = (next1 >> (v * level_bits)) & level_mask
        if code:
            there1 |= np.int64(1) << v
        if far >> v & 1:
            next2 |= code << (v * level_bits)
        if (here >> (v * level_bits)) & level_mask:
            there |= np.int64(1) << v
    if there & pre:
        return 0
    found = 0
    frames[0, 0] = 0
    frames[0, 1] = -1
    frames[0, 2] = 0
    frames[0, 3] = 0
    frames[0, 4] = next1
    frames[0, 5] = next2
    frames[0, 6] = there1
    frames[0, 7] = far
    frames[0, 8] = 0
    frames[0, 9] = state >> done_at
    frames[0, 10] = ((state >> need1) & kept) << open_row
    frames[0, 11] = ((state >> need2) & kept) << open_row
    frames[0, 12] = ((state >> need3) & kept) << open_row
    frames[0, 13] = 0
    frames[0, 14] = there
    frames[0, 15] = 0
    frames[0, 16] = 0
    depth = 0
    while depth >= 0:
        v = frames[depth, 0]
        if v == rows:
            filled = frames[depth, 14]
            solid = filled | pre | (ground << rows)
            if frames[depth, 10] & ~solid == 0:
                if found == out.shape[0]:
                    return -1
                key = (
                    frames[depth, 4]
                    | (frames[depth, 5] << at2)
                    | (frames[depth, 8] << at3)
                    | ((frames[depth, 11] >> open_row) << need1)
                    | ((frames[depth, 12] >> open_row) << need2)
                    | ((frames[depth, 13] >> open_row) << need3)
                    | (frames[depth, 9] << done_at)
                )
                out[found, 0] = key
                out[found, 1] = frames[depth, 15]
                out[found, 2] = frames[depth, 16]
                out[found, 3] = filled
                found += 1
            depth -= 1
            continue
        choice = frames[depth, 1]
        bit = np.int64(1) << v
        if choice == -1:
            frames[depth, 1] = begin[v]
            code = (here >> (v * level_bits)) & level_mask
            if code:
                # a piece from the left
                frames[depth, 1] = begin[v + 1]
                if code - 1 >= frames[depth, 2] and not frames[depth, 3]:
                    for k in range(17):
                        frames[depth + 1, k] = frames[depth, k]
                    depth += 1
                    frames[depth, 0] = v + 1
                    frames[depth, 1] = -1
                    frames[depth, 2] = code - 1
                continue
            if pre & bit:
                frames[depth, 1] = begin[v + 1]
                if frames[depth, 14] & (bit - 1) == 0:
                    for k in range(17):
                        frames[depth + 1, k] = frames[depth, k]
                    depth += 1
                    frames[depth, 0] = v + 1
                    frames[depth, 1] = -1
                continue
            if not must & bit:
                for k in range(17):
                    frames[depth + 1, k] = frames[depth, k]
                depth += 1
                frames[depth, 0] = v + 1
                frames[depth, 1] = -1
                if due & bit:
                    frames[depth, 3] = 1
            continue
        if choice == begin[v + 1] or frames[depth, 3]:
            depth -= 1
            continue
        frames[depth, 1] = choice + 1
        own = fields[choice, 3]
        if own & (there | ~letter[4 + fields[choice, 0]]):
            continue
        level = fields[choice, 1]
        if (
            level < frames[depth, 2]
            or fields[choice, 2] & frames[depth, 9]
            or fields[choice, 4] & frames[depth, 6]
            or fields[choice, 5] & frames[depth, 7]
        ):
            continue
        if fields[choice, 14] and level > frames[depth, 2]:
            # A level is the least that what lies below allows, so something of that level
            # must come to lie under the piece further to the right: it is there already, or
            # follows from the piece that completes the row below the level.
            if fields[choice, 4] == 0:
                continue
            if frames[depth, 9] >> (level - 1) & 1:
                waits = False
                for k in range(rows):
                    if (frames[depth, 4] >> (k * level_bits)) & level_mask == level + 1 or (
                        frames[depth, 5] >> (k * level_bits)
                    ) & level_mask == level + 1:
                        waits = True
                        break
                if not waits:
                    continue
        for k in range(17):
            frames[depth + 1, k] = frames[depth, k]
        depth += 1
        top = v
        while top < rows and own >> top & 1:
            top += 1
        frames[depth, 0] = top
        frames[depth, 1] = -1
        frames[depth, 2] = level
        frames[depth, 4] |= fields[choice, 7]
        frames[depth, 5] |= fields[choice, 8]
        frames[depth, 6] |= fields[choice, 4]
        frames[depth, 7] |= fields[choice, 5]
        frames[depth, 8] |= fields[choice, 6]
        frames[depth, 9] |= fields[choice, 2]
        frames[depth, 10] |= fields[choice, 10]
        frames[depth, 11] |= fields[choice, 11]
        frames[depth, 12] |= fields[choice, 12]
        frames[depth, 13] |= fields[choice, 13]
        frames[depth, 14] |= own
        frames[depth, 15] |= fields[choice, 9]
        frames[depth, 16] = (frames[depth, 16] << layout[10]) | (choice + 1)
    return found


@compiled
def _ways(
    number: Any, kind: Any, letters: Any, layout: Any, begin: Any, fields: Any, keys: Any,
    slots: Any, counts: Any, first: Any, ways: Any, fills: Any, frames: Any, out: Any,
    heads: Any, links: Any,
) -> Any:
    """Work out the ways from a state by a letter, unless they are known; False if no room.

    Of ways that lead to the same state with the same needs and rows filled one is enough.
    """
    if first[number, kind, 0] > 0:
        return True
    found = _expand(keys[number], letters[kind], layout, begin, fields, frames, out)
    edge = counts[1]
    if found < 0 or edge + found > ways.shape[0]:
        return False
    start = edge
    for i in range(found):
        ahead = _state(out[i, 0], keys, slots, counts)
        if ahead < 0:
            for j in range(start, edge):
                heads[ways[j, 0]] = -1
            return False
        j = heads[ahead]
        while j >= 0 and (ways[start + j, 1] != out[i, 1] or fills[start + j] != out[i, 3]):
            j = links[j]
        if j < 0:
            links[edge - start] = heads[ahead]
            heads[ahead] = edge - start
            ways[edge, 0] = ahead
            ways[edge, 1] = out[i, 1]
            ways[edge, 2] = out[i, 2]
            fills[edge] = out[i, 3]
            edge += 1
    for j in range(start, edge):
        heads[ways[j, 0]] = -1
    first[number, kind, 0] = start + 1
    first[number, kind, 1] = edge
    counts[1] = edge
    return True


@compiled
def search(
    word: Any, costs: Any, beam: Any, letters: Any, layout: Any, begin: Any, fields: Any,
    keys: Any, slots: Any, counts: Any, first: Any, ways: Any, fills: Any, frames: Any,
    out: Any, heads: Any, links: Any, place: Any, layer: Any, cost: Any, parent: Any, trail: Any, result: Any,
) -> Any:
    """Find the cheapest way to fill all columns.

    Parameters
    ----------
    word
        The letter of each column, and three more that nothing can be left in.
    costs
        ``costs[x, rows filled]``.
    beam
        States kept per column.
    letters
        For each letter: rows filled before, rows that must not be buried while empty, rows
        that must be filled, whether there is a square below the stack, rows in which types
        0 to 7 may be left, needs that it cannot meet one, two and three columns to the left.
    keys, slots, counts, first, ways, fills
        States and ways known so far.
    place, layer, cost, parent, trail, frames, out
        Room to work in; ``place`` is -1 before and after.
    result
        Is given the pieces that begin in each column.

    Returns
    -------
    int
        The cost, or one of the constants of this module.
    """
    width = costs.shape[0]
    lost = False
    start = _state(np.int64(0), keys, slots, counts)
    goal_key = ((np.int64(1) << layout[1]) - 1) << layout[9]
    goal = _state(goal_key, keys, slots, counts)
    if start < 0 or goal < 0:
        return np.int64(-3)
    layer[0, 0] = start
    cost[0, 0] = 0
    live = 1
    for x in range(width):
        kind = word[x]
        unmet = letters[word[x + 1], 12] | letters[word[x + 2], 13] | letters[word[x + 3], 14]
        ahead = 0
        for i in range(live):
            number = layer[x, i]
            if not _ways(
                number, kind, letters, layout, begin, fields, keys, slots, counts, first, ways,
                fills, frames, out, heads, links,
            ):
                for j in range(ahead):
                    place[layer[x + 1, j]] = -1
                return np.int64(-3)
            so_far = cost[x, i]
            for edge in range(first[number, kind, 0] - 1, first[number, kind, 1]):
                if ways[edge, 1] & unmet:
                    continue
                state = ways[edge, 0]
                total = so_far + costs[x, fills[edge]]
                at = place[state]
                if at < 0:
                    if ahead == layer.shape[1]:
                        lost = True
                        continue
                    at = ahead
                    place[state] = at
                    layer[x + 1, at] = state
                    ahead += 1
                elif cost[x + 1, at] <= total:
                    continue
                cost[x + 1, at] = total
                parent[x + 1, at] = i
                trail[x + 1, at] = ways[edge, 2]
        for j in range(ahead):
            place[layer[x + 1, j]] = -1
        if ahead > beam and x + 1 < width:
            lost = True
            score = np.empty(ahead, np.int64)
            for j in range(ahead):
                tie = np.int64(_mixed(keys[layer[x + 1, j]]) & np.uint64(0xFF))
                score[j] = cost[x + 1, j] * 256 + tie
            most = np.partition(score, beam - 1)[beam - 1]
            kept = 0
            for j in range(ahead):
                if score[j] <= most and kept < beam:
                    layer[x + 1, kept] = layer[x + 1, j]
                    cost[x + 1, kept] = cost[x + 1, j]
                    parent[x + 1, kept] = parent[x + 1, j]
                    trail[x + 1, kept] = trail[x + 1, j]
                    kept += 1
            ahead = kept
        live = ahead
        result[x] = live
        if not live:
            break
    for i in range(live):
        if layer[width, i] == goal:
            at = i
            for x in range(width, 0, -1):
                result[x - 1] = trail[x, at]
                at = parent[x, at]
            return cost[width, i]
    return np.int64(-2 if lost else -1)
