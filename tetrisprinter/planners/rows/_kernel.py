"""The compiled search for a pass, column by column. Importing it loads numba.

Between two cells all that matters of the pieces placed so far is what they occupy in the
rest of this column and in the next three, with their levels; which squares they count on
there; which clearing rows have got the piece that completes them; and the level reached in
this column. That is a state. All states that can be reached are followed side by side, the
cheapest way to each; so the search is exact and takes time linear in the width, unless
there are more states than it may keep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.compiling import compiled

__all__ = ["IMPOSSIBLE", "LOST", "search"]

IMPOSSIBLE, LOST = -1, -2
"""No such pass; none found, but not all was looked at."""


@compiled
def _slot(a: Any, b: Any, keys: Any, slots: Any, stamps: Any, stamp: Any) -> Any:
    """Return the slot of a state in a table, or the one in which it belongs."""
    code = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)
    code ^= code >> np.uint64(29)
    code += np.uint64(b) * np.uint64(0xD6E8FEB86659FD93)
    code ^= code >> np.uint64(32)
    code *= np.uint64(0x94D049BB133111EB)
    code ^= code >> np.uint64(29)
    mask = np.int64(slots.shape[0] - 1)
    slot = np.int64(code & np.uint64(mask))
    while stamps[slot] == stamp:
        at = slots[slot]
        if keys[at, 0] == a and keys[at, 1] == b:
            break
        slot = (slot + 1) & mask
    return slot


@compiled
def _cut(keys: Any, values: Any, count: Any, beam: Any) -> Any:
    """Keep the cheapest states; among equals a mixture that depends on nothing but them."""
    score = np.empty(count, np.int64)
    for i in range(count):
        code = np.uint64(keys[i, 0]) * np.uint64(0x9E3779B97F4A7C15)
        code += np.uint64(keys[i, 1]) * np.uint64(0xD6E8FEB86659FD93)
        code ^= code >> np.uint64(31)
        code *= np.uint64(0x94D049BB133111EB)
        score[i] = values[i, 0] * 4096 + np.int64(code >> np.uint64(52))
    most = np.partition(score, beam - 1)[beam - 1]
    kept = 0
    for i in range(count):
        if score[i] <= most and kept < beam:
            keys[kept] = keys[i]
            values[kept] = values[i]
            kept += 1
    return kept


@compiled
def _fitting(x: Any, begin: Any, fields: Any, before: Any, must: Any, allowed: Any,
             ground: Any, fits: Any, ends: Any, holds: Any) -> None:
    """List for each row the pieces that may begin there in a column, whatever the state.

    ``holds`` is given what a piece counts on: column * 16 + row, or -1.
    """
    width, rows = allowed.shape
    count = 0
    for v in range(rows):
        for one in range(begin[v], begin[v + 1]):
            possible = True
            for k in range(4):
                cx, cy = x + fields[one, 10 + 2 * k], fields[one, 11 + 2 * k]
                if (
                    cx >= width
                    or before[cx] >> cy & 1
                    or not allowed[cx, cy] >> fields[one, 0] & 1
                ):
                    possible = False
                    break
            if not possible:
                continue
            hold = np.int64(-1)
            row = fields[one, 8]
            if row > -2:
                cx = x + fields[one, 7]
                if row == -1:
                    if not ground[cx]:
                        continue
                elif not (must[cx] | before[cx]) >> row & 1:
                    if not allowed[cx, row]:
                        continue
                    hold = fields[one, 7] * 16 + row
            fits[count] = one
            holds[count] = hold
            count += 1
        ends[v + 1] = count


@compiled
def search(
    level_bits: Any, lines: Any, begin: Any, fields: Any, before: Any, must: Any, due: Any,
    allowed: Any, ground: Any, costs: Any, beam: Any, room: Any, work: Any, slots: Any,
    stamps: Any, layers: Any, trails: Any, result: Any,
) -> Any:
    """Find the cheapest way to fill all columns.

    Parameters
    ----------
    level_bits, lines, begin, fields
        The stack: bits for a level and one more, clearing rows, see ``Stack``.
    before, must, due
        For each column, as bit sets of rows: filled before; to be filled; not to be buried
        while empty.
    allowed
        ``allowed[x, row]``: the types that may be left there.
    ground
        Whether there is a square right below the stack.
    costs
        ``costs[x, row]`` of a square newly filled.
    beam
        States kept after each column; four times as many within it.
    room, work, slots, stamps, layers, trails
        Room to work in.
    result
        Is given the pieces that begin in each column.

    Returns
    -------
    int
        ``IMPOSSIBLE`` or ``LOST``; else the cost with 1 << 40 added.
    """
    width, rows = allowed.shape
    at1 = rows * level_bits
    at_level = 2 * at1
    at_done = at_level + level_bits
    at_closed = at_done + lines
    at_filled = at_closed + 1
    at_far = at1
    at_need = at1 + rows
    column = (np.int64(1) << at1) - 1
    level_mask = (np.int64(1) << level_bits) - 1
    full = (np.int64(1) << rows) - 1
    # the first key: this column, the next, level, lines done, closed, filled; the second: the
    # one after, the one after that, what is counted on in this and the next three columns
    all_done = (np.int64(1) << lines) - 1
    fits = np.empty(fields.shape[0], np.int64)
    holds = np.empty(fields.shape[0], np.int64)
    ends = np.zeros(rows + 1, np.int64)
    lost = False
    cap = room.shape[1]
    # room[k, i]: key a, key b; work[k, i]: cost, parent, trail
    now, ahead = 0, 1
    room[0, 0, 0] = 0
    room[0, 0, 1] = 0
    work[0, 0, 0] = 0
    live = 1
    stamp = stamps[slots.shape[0]]
    packed = 63 // rows
    for x in range(width):
        _fitting(x, begin, fields, before, must, allowed, ground, fits, ends, holds)
        remembered = np.int64(0)
        for v in range(rows):
            if before[x] >> v or (allowed[x, v] and not must[x] >> v & 1):
                remembered |= np.int64(1) << v
        for i in range(live):
            work[now, i, 1] = i
            work[now, i, 2] = 0
        for v in range(rows):
            bit = np.int64(1) << v
            shift = v * level_bits
            filled_before = before[x] >> v & 1
            needed = must[x] >> v & 1
            stamp += 1
            count = 0
            for i in range(live):
                a, b = room[now, i, 0], room[now, i, 1]
                cost, parent, trail = work[now, i, 0], work[now, i, 1], work[now, i, 2]
                here = (a >> shift) & level_mask
                level = (a >> at_level) & level_mask
                closed = a >> at_closed & 1
                counted = b >> (at_need + v) & 1
                occupied = here > 0 or filled_before
                b0 = b & ~(bit << at_need)
                for choice in range(ends[v] - 1, ends[v + 1]):
                    if choice < ends[v]:
                        # leave the cell as it is
                        new_a, new_b, new_cost, new_trail = a, b0, cost, trail
                        if here:
                            if filled_before or here - 1 < level or closed:
                                break
                            new_a &= ~(level_mask << shift)
                            new_a &= ~(level_mask << at_level)
                            new_a |= (here - 1) << at_level
                            new_a |= (bit & remembered) << at_filled
                            new_cost += costs[x, v]
                        elif filled_before:
                            if a >> at_filled & (bit - 1):
                                break
                        else:
                            if needed or counted:
                                continue
                            if due[x] & bit:
                                new_a |= np.int64(1) << at_closed
                    else:
                        if occupied or closed:
                            break
                        one = fits[choice]
                        own = fields[one, 3]
                        its = fields[one, 1]
                        if its < level:
                            continue
                        done = a >> at_done & all_done
                        if fields[one, 2] & done:
                            continue
                        clash = False
                        new_a, new_b, new_cost = a, b0, cost + costs[x, v]
                        code = its + 1
                        top = v + 1
                        while own >> top & 1:
                            if (a >> (top * level_bits)) & level_mask:
                                clash = True
                                break
                            new_a |= code << (top * level_bits)
                            top += 1
                        if clash:
                            continue
                        occ1, occ2, occ3 = fields[one, 4], fields[one, 5], fields[one, 6]
                        for r in range(rows):
                            if occ1 >> r & 1:
                                if (a >> (at1 + r * level_bits)) & level_mask:
                                    clash = True
                                    break
                                new_a |= code << (at1 + r * level_bits)
                            if occ2 >> r & 1:
                                if (b >> (r * level_bits)) & level_mask:
                                    clash = True
                                    break
                                new_b |= code << (r * level_bits)
                            if occ3 >> r & 1:
                                new_b |= np.int64(1) << (at_far + r)
                        if clash:
                            continue
                        if fields[one, 9] and its > level:
                            # A level is the least that what lies below allows, so something
                            # of that level must come to lie under the piece further right:
                            # it is there already, or follows from the piece that completes
                            # the row below the level.
                            if occ1 == 0:
                                continue
                            if done >> (its - 1) & 1:
                                waits = False
                                for r in range(rows):
                                    if (
                                        (a >> (at1 + r * level_bits)) & level_mask == code
                                        or (b >> (r * level_bits)) & level_mask == code
                                    ):
                                        waits = True
                                        break
                                if not waits:
                                    continue
                        hold = holds[choice]
                        if hold >= 0:
                            if hold < 16:
                                if not a >> (at_filled + hold) & 1:
                                    continue
                            else:
                                dx = hold >> 4
                                new_b |= np.int64(1) << (at_need + rows * dx + (hold & 15))
                        new_a &= ~(level_mask << at_level)
                        new_a |= (its << at_level) | (fields[one, 2] << at_done)
                        new_a |= (bit & remembered) << at_filled
                        new_trail = trail | (one - begin[v] + 1) << (packed * v)
                    # look it up
                    slot = _slot(new_a, new_b, room[ahead], slots, stamps, stamp)
                    if stamps[slot] == stamp:
                        at = slots[slot]
                        if work[ahead, at, 0] <= new_cost:
                            continue
                    else:
                        if count == cap:
                            lost = True
                            continue
                        at = count
                        count += 1
                        stamps[slot] = stamp
                        slots[slot] = at
                        room[ahead, at, 0] = new_a
                        room[ahead, at, 1] = new_b
                    work[ahead, at, 0] = new_cost
                    work[ahead, at, 1] = parent
                    work[ahead, at, 2] = new_trail
            if count > 4 * beam:
                count = _cut(room[ahead], work[ahead], count, 4 * beam)
                lost = True
            live = count
            now, ahead = ahead, now
            if not live:
                break
        if live > beam:
            live = _cut(room[now], work[now], live, beam)
            lost = True
        for i in range(live):
            a, b = room[now, i, 0], room[now, i, 1]
            next2 = b & column
            far = b >> at_far & full
            next3 = np.int64(0)
            for r in range(rows):
                if far >> r & 1:
                    next3 |= next2 & (level_mask << (r * level_bits))
            done = a >> at_done & all_done
            room[now, i, 0] = (a >> at1 & column) | (next2 << at1) | (done << at_done)
            room[now, i, 1] = next3 | (b >> (at_need + rows) << at_need)
            layers[x, i] = work[now, i, 1]
            trails[x, i] = work[now, i, 2]
        result[x] = live
        if not live:
            break
    stamps[slots.shape[0]] = stamp
    best = np.int64(-1)
    for i in range(live):
        a, b = room[now, i, 0], room[now, i, 1]
        if a == all_done << at_done and b == 0:
            best = np.int64(i)
    if best < 0:
        return np.int64(-2 if lost else -1)
    cost = work[now, best, 0]
    for x in range(width - 1, -1, -1):
        result[x] = trails[x, best]
        best = np.int64(layers[x, best])
    return cost + (np.int64(1) << 40)
