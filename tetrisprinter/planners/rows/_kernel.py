"""The compiled search for passes, column by column. Importing it loads numba.

Between two cells all that matters of the pieces placed so far is what they occupy in the
rest of this column and in the next three, with their levels; which squares they count on
there; which clearing rows have got the piece that completes them; and the level reached in
this column. That is a state. All states that can be reached are followed side by side, the
cheapest way to each; so the search is exact and takes time linear in the width, unless
there are more states than it may keep.

Several passes that follow one another are searched together: what one leaves in its top row
lies in the lowest row of the next. A state is then one of each, and a column is filled pass
by pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.compiling import compiled

__all__ = ["IMPOSSIBLE", "LOST", "search"]

IMPOSSIBLE, LOST = -1, -2
"""No such passes; none found, but not all was looked at."""


@compiled
def _mixed(keys: Any, at: Any, count: Any) -> Any:
    code = np.uint64(0x2545F4914F6CDD1D)
    for k in range(count):
        code ^= np.uint64(keys[at, k])
        code *= np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    code *= np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(32))


@compiled
def _cut(keys: Any, values: Any, count: Any, beam: Any, used: Any) -> Any:
    """Keep the cheapest states; among equals a mixture that depends on nothing but them."""
    score = np.empty(count, np.int64)
    for i in range(count):
        score[i] = values[i, 0] * 65536 + np.int64(_mixed(keys, i, used) >> np.uint64(48))
    most = np.partition(score, beam - 1)[beam - 1]
    kept = 0
    for i in range(count):
        if score[i] <= most and kept < beam:
            keys[kept, :used] = keys[i, :used]
            values[kept] = values[i]
            kept += 1
    return kept


@compiled
def _fitting(
    x: Any, width: Any, rows: Any, begin: Any, fields: Any, before: Any, must: Any, allowed: Any,
    ground: Any, fits: Any, ends: Any, holds: Any,
) -> None:
    """List for each row the pieces that may begin there in a column, whatever the state.

    ``holds`` is given what a piece counts on: column * 16 + row, or -1.
    """
    count = 0
    ends[0] = 0
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
    shapes: Any, begins: Any, pieces: Any, before: Any, must: Any, due: Any, allowed: Any,
    ground: Any, costs: Any, beam: Any, room: Any, work: Any, slots: Any, stamps: Any,
    layers: Any, trails: Any, result: Any,
) -> Any:
    """Find the cheapest way to fill all columns of one or more passes.

    Parameters
    ----------
    shapes, begins, pieces
        For each pass: rows, bits for a level and one more, clearing rows, whether what the
        pass before leaves in its top row is in its lowest; see ``Stack.begin``,
        ``Stack.fields``.
    before, must, due
        For each pass and column, as bit sets of rows: filled before; to be filled; not to
        be buried while empty.
    allowed
        ``allowed[pass, x, row]``: the types that may be left there.
    ground
        For each pass and column, whether there is a square right below the stack.
    costs
        ``costs[pass, x, row]`` of a square newly filled.
    beam
        States kept after each column; four times as many within it.
    room, work, slots, stamps, layers, trails
        Room to work in.
    result
        ``result[x, pass]`` is given the pieces that begin in each column.

    Returns
    -------
    int
        ``IMPOSSIBLE`` or ``LOST``; else the cost with 1 << 40 added.
    """
    passes, width = before.shape
    used = 2 * passes
    cap = room.shape[1]
    most_pieces = pieces.shape[1]
    fits = np.empty(most_pieces, np.int64)
    holds = np.empty(most_pieces, np.int64)
    ends = np.zeros(9, np.int64)
    mask = np.int64(slots.shape[0] - 1)
    stamp = stamps[slots.shape[0]]
    lost = False
    now, ahead = 0, 1
    room[0, 0, :used] = 0
    work[0, 0, 0] = 0
    live = 1
    for x in range(width):
        for i in range(live):
            work[now, i, 1] = i
            work[now, i, 2 : 2 + passes] = 0
        for m in range(passes):
            rows, level_bits, lines, linked = (
                shapes[m, 0], shapes[m, 1], shapes[m, 2], shapes[m, 3],
            )
            fields = pieces[m]
            begin = begins[m]
            # the first key: this column, the next, level, lines done, closed, filled; the
            # second: the one after, the one after that, what is counted on in this and the
            # next three columns
            at1 = rows * level_bits
            at_level = 2 * at1
            at_done = at_level + level_bits
            at_closed = at_done + lines
            at_filled = at_closed + 1
            at_far = at1
            at_need = at1 + rows
            level_mask = (np.int64(1) << level_bits) - 1
            all_done = (np.int64(1) << lines) - 1
            packed = 63 // rows
            top_filled = np.int64(0)
            if linked:
                above = shapes[m - 1]
                top_filled = (
                    2 * above[0] * above[1] + above[1] + above[2] + 1 + above[0] - 1
                )
            _fitting(
                x, width, rows, begin, fields, before[m], must[m], allowed[m], ground[m], fits,
                ends, holds,
            )
            remembered = np.int64(0)
            for v in range(rows):
                if before[m, x] >> v or (allowed[m, x, v] and not must[m, x] >> v & 1):
                    remembered |= np.int64(1) << v
            for v in range(rows):
                bit = np.int64(1) << v
                shift = v * level_bits
                needed = must[m, x] >> v & 1
                stamp += 1
                count = 0
                for i in range(live):
                    a, b = room[now, i, 2 * m], room[now, i, 2 * m + 1]
                    here = (a >> shift) & level_mask
                    level = (a >> at_level) & level_mask
                    closed = a >> at_closed & 1
                    filled_before = before[m, x] >> v & 1
                    if linked and v == 0:
                        filled_before = room[now, i, 2 * m - 2] >> top_filled & 1
                    occupied = here > 0 or filled_before
                    b0 = b & ~(bit << at_need)
                    for choice in range(ends[v] - 1, ends[v + 1]):
                        extra = np.int64(0)
                        trail = np.int64(0)
                        new_a, new_b = a, b0
                        if choice < ends[v]:
                            # leave the cell as it is
                            if here:
                                if filled_before or here - 1 < level or closed:
                                    break
                                new_a &= ~(level_mask << shift) & ~(level_mask << at_level)
                                new_a |= (here - 1) << at_level | (bit & remembered) << at_filled
                                extra = costs[m, x, v]
                            elif filled_before:
                                if a >> at_filled & (bit - 1):
                                    break
                            else:
                                if needed or b >> (at_need + v) & 1:
                                    continue
                                if due[m, x] & bit:
                                    new_a |= np.int64(1) << at_closed
                        else:
                            if occupied or closed:
                                break
                            one = fits[choice]
                            its = fields[one, 1]
                            if its < level:
                                continue
                            done = a >> at_done & all_done
                            if fields[one, 2] & done:
                                continue
                            own = fields[one, 3]
                            clash = False
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
                            r = 0
                            while (occ1 | occ2 | occ3) >> r:
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
                                r += 1
                            if clash:
                                continue
                            if fields[one, 9] and its > level:
                                # A level is the least that what lies below allows, so
                                # something of that level must come to lie under the piece
                                # further right: it is there already, or follows from the
                                # piece that completes the row below the level.
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
                            if hold >= 16:
                                new_b |= np.int64(1) << (
                                    at_need + rows * (hold >> 4) + (hold & 15)
                                )
                            elif hold >= 0 and not a >> (at_filled + hold) & 1:
                                continue
                            new_a &= ~(level_mask << at_level)
                            new_a |= its << at_level | fields[one, 2] << at_done
                            new_a |= (bit & remembered) << at_filled
                            extra = costs[m, x, v]
                            trail = (one - begin[v] + 1) << (packed * v)
                        # is it known?
                        if count == cap:
                            lost = True
                            continue
                        room[ahead, count, :used] = room[now, i, :used]
                        room[ahead, count, 2 * m] = new_a
                        room[ahead, count, 2 * m + 1] = new_b
                        slot = np.int64(_mixed(room[ahead], count, used) & np.uint64(mask))
                        at = np.int64(count)
                        while stamps[slot] == stamp:
                            at = np.int64(slots[slot])
                            same = True
                            for k in range(used):
                                if room[ahead, at, k] != room[ahead, count, k]:
                                    same = False
                                    break
                            if same:
                                break
                            slot = (slot + 1) & mask
                            at = np.int64(count)
                        cost = work[now, i, 0] + extra
                        if at < count:
                            if work[ahead, at, 0] <= cost:
                                continue
                        else:
                            stamps[slot] = stamp
                            slots[slot] = count
                            count += 1
                        work[ahead, at] = work[now, i]
                        work[ahead, at, 0] = cost
                        work[ahead, at, 2 + m] |= trail
                if count > 4 * beam:
                    count = _cut(room[ahead], work[ahead], count, 4 * beam, used)
                    lost = True
                live = count
                now, ahead = ahead, now
                if not live:
                    break
            if not live:
                break
        if live > beam:
            live = _cut(room[now], work[now], live, beam, used)
            lost = True
        for m in range(passes):
            rows, level_bits, lines = shapes[m, 0], shapes[m, 1], shapes[m, 2]
            at1 = rows * level_bits
            at_done = 2 * at1 + level_bits
            at_need = at1 + rows
            column = (np.int64(1) << at1) - 1
            level_mask = (np.int64(1) << level_bits) - 1
            all_done = (np.int64(1) << lines) - 1
            for i in range(live):
                a, b = room[now, i, 2 * m], room[now, i, 2 * m + 1]
                next2 = b & column
                next3 = np.int64(0)
                for r in range(rows):
                    if b >> (at1 + r) & 1:
                        next3 |= next2 & (level_mask << (r * level_bits))
                done = a >> at_done & all_done
                room[now, i, 2 * m] = a >> at1 & column | next2 << at1 | done << at_done
                room[now, i, 2 * m + 1] = next3 | b >> (at_need + rows) << at_need
        for i in range(live):
            layers[x, i] = work[now, i, 1]
            for m in range(passes):
                trails[x, i, m] = work[now, i, 2 + m]
        result[x, 0] = live
        if not live:
            break
    stamps[slots.shape[0]] = stamp
    best = np.int64(-1)
    for i in range(live):
        whole = True
        for m in range(passes):
            done = (np.int64(1) << shapes[m, 2]) - 1
            goal = done << (2 * shapes[m, 0] * shapes[m, 1] + shapes[m, 1])
            if room[now, i, 2 * m] != goal or room[now, i, 2 * m + 1] != 0:
                whole = False
        if whole:
            best = np.int64(i)
    if best < 0:
        return np.int64(-2 if lost else -1)
    cost = work[now, best, 0]
    for x in range(width - 1, -1, -1):
        for m in range(passes):
            result[x, m] = trails[x, best, m]
        best = np.int64(layers[x, best])
    return cost + (np.int64(1) << 40)
