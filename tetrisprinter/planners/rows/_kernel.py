"""The compiled search for passes, column by column. Importing it loads numba.

Between two cells all that matters of the pieces placed so far is what they occupy in the
rest of this column and in the next three, with their levels; which squares they count on
there; which clearing rows have got the piece that completes them; and the level reached in
this column. That is a *state*. Every state that can be reached from the left is met once, so
the time is linear in the width, and the states with the steps between them are a graph whose
paths from end to end are all the ways to play the pass; unless there are more states than it
may keep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tetrisprinter.support.compiled import compiled, is_kept

__all__ = ["explore", "is_compiled"]


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
def _chosen(
    keys: Any,
    count: Any,
    beam: Any,
    rows: Any,
    level_bits: Any,
    needed1: Any,
    needed2: Any,
    names: Any,
) -> Any:
    """Number anew the states to keep: a mixture, in which those with many holes are fewer.

    A hole is a cell of the next two columns that must still be filled under one that is. Of
    states with a hole more, a third as many can be completed (measured on rows of noise), but
    in some places all others end.
    """
    score = np.empty(count, np.uint64)
    level_mask = (np.int64(1) << level_bits) - 1
    for i in range(count):
        next1, next2 = keys[i, 0] >> (rows * level_bits), keys[i, 1]
        holes = 0
        under1, under2 = 0, 0
        for r in range(rows):
            if (next1 >> (r * level_bits)) & level_mask:
                holes += under1
                under1 = 0
            elif needed1 >> r & 1:
                under1 += 1
            if (next2 >> (r * level_bits)) & level_mask:
                holes += under2
                under2 = 0
            elif needed2 >> r & 1:
                under2 += 1
        score[i] = (np.uint64(holes) << np.uint64(58)) + (_mixed(keys, i, 2) >> np.uint64(2))
    most = np.partition(score, beam - 1)[beam - 1]
    kept = 0
    for i in range(count):
        names[i] = -1
        if score[i] <= most and kept < beam:
            keys[kept, 0], keys[kept, 1] = keys[i, 0], keys[i, 1]
            names[i] = kept
            kept += 1
    return kept


@compiled
def _fitting(
    x: Any,
    width: Any,
    rows: Any,
    begin: Any,
    fields: Any,
    before: Any,
    must: Any,
    allowed: Any,
    ground: Any,
    fits: Any,
    ends: Any,
    holds: Any,
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
                if cx >= width or before[cx] >> cy & 1 or not allowed[cx, cy] >> fields[one, 0] & 1:
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
def explore(
    rows: Any,
    level_bits: Any,
    lines: Any,
    begin: Any,
    fields: Any,
    before: Any,
    must: Any,
    allowed: Any,
    ground: Any,
    free: Any,
    beam: Any,
    wide: Any,
    room: Any,
    slots: Any,
    stamps: Any,
    names: Any,
    kept_keys: Any,
    kept_live: Any,
    starts: Any,
    ends_at: Any,
    source: Any,
    target: Any,
    step: Any,
) -> Any:
    """Meet the states of a pass, cell by cell.

    Parameters
    ----------
    rows, level_bits, lines, begin, fields
        The stack: rows, bits for a level and one more, clearing rows; see ``Stack``.
    before, must
        For each column, as bit sets of rows: filled before; to be filled.
    allowed
        ``allowed[x, row]``: the types that may be left there.
    ground
        For each column, whether there is a square right below the stack.
    free
        For each column whether its lowest square may be filled before, as the pass likes.
    beam, wide
        States kept after each column; four times as many within it. The second counts for
        some columns before a dead end.
    room, slots, stamps, names, kept_keys, kept_live
        Room to work in.
    starts, ends_at
        Are given for each cell the number of states before it and the end of its steps; then
        the number of states in the end and which of them is the one in which nothing is open.
    source, target, step
        Are given the steps: a state before the cell, one after it, and twice the number of
        the piece that begins there (0 if none), plus 1 if the cell is filled.

    Returns
    -------
    int
        Steps, or -1 if they are too many; plus 1 << 40 if states were left out.
    """
    width = before.shape[0]
    cap = room.shape[1]
    fits = np.empty(fields.shape[0], np.int64)
    holds = np.empty(fields.shape[0], np.int64)
    ends = np.zeros(rows + 1, np.int64)
    mask = np.int64(slots.shape[0] - 1)
    stamp = stamps[slots.shape[0]]
    lost = False
    now, ahead = 0, 1
    room[0, 0, 0] = 0
    room[0, 0, 1] = 0
    live = 1
    steps = 0
    worst, tries, wide_until = -1, 0, 0
    goal = np.int64(-1)
    # the first key: this column, the next, level, lines done, filled; the second: the one
    # after, the one after that, what is counted on in this and the next three columns
    at1 = rows * level_bits
    at_level = 2 * at1
    at_done = at_level + level_bits
    at_filled = at_done + lines
    at_far = at1
    at_need = at1 + rows
    column = (np.int64(1) << at1) - 1
    level_mask = (np.int64(1) << level_bits) - 1
    all_done = (np.int64(1) << lines) - 1
    x = -1
    while x + 1 < width:
        x += 1
        kept_here = np.int64(wide if x < wide_until else beam)
        kept_live[x] = live
        for i in range(live):
            kept_keys[x, i, 0], kept_keys[x, i, 1] = room[now, i, 0], room[now, i, 1]
        _fitting(x, width, rows, begin, fields, before, must, allowed, ground, fits, ends, holds)
        remembered = np.int64(0)
        for v in range(rows):
            if before[x] >> v or (allowed[x, v] and not must[x] >> v & 1):
                remembered |= np.int64(1) << v
        for v in range(rows):
            bit = np.int64(1) << v
            shift = v * level_bits
            needed = must[x] >> v & 1 and not (free[x] and v == 0)
            filled_before = before[x] >> v & 1
            stamp += 1
            count = 0
            first = steps
            starts[x * rows + v] = live
            for i in range(live):
                a, b = room[now, i, 0], room[now, i, 1]
                here = (a >> shift) & level_mask
                level = (a >> at_level) & level_mask
                occupied = here > 0 or filled_before
                b0 = b & ~(bit << at_need)
                for choice in range(ends[v] - 1, ends[v + 1]):
                    new_a, new_b = a, b0
                    code_of_step = np.int64(0)
                    if choice < ends[v]:
                        # leave the cell as it is
                        if here:
                            if filled_before or here - 1 < level:
                                break
                            new_a &= ~(level_mask << shift) & ~(level_mask << at_level)
                            new_a |= (here - 1) << at_level | (bit & remembered) << at_filled
                            code_of_step = np.int64(1)
                        elif filled_before:
                            if a >> at_filled & (bit - 1):
                                break
                        elif needed or b >> (at_need + v) & 1:
                            continue
                    else:
                        if occupied:
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
                                    if (a >> (at1 + r * level_bits)) & level_mask == code or (
                                        b >> (r * level_bits)
                                    ) & level_mask == code:
                                        waits = True
                                        break
                                if not waits:
                                    continue
                        hold = holds[choice]
                        if hold >= 16:
                            new_b |= np.int64(1) << (at_need + rows * (hold >> 4) + (hold & 15))
                        elif hold >= 0 and not a >> (at_filled + hold) & 1:
                            continue
                        new_a &= ~(level_mask << at_level)
                        new_a |= its << at_level | fields[one, 2] << at_done
                        new_a |= (bit & remembered) << at_filled
                        code_of_step = 2 * (one - begin[v] + 1) + 1
                    # is it known?
                    if count == cap or steps == source.shape[0]:
                        lost = True
                        continue
                    room[ahead, count, 0] = new_a
                    room[ahead, count, 1] = new_b
                    slot = np.int64(_mixed(room[ahead], count, 2) & np.uint64(mask))
                    at = np.int64(count)
                    while stamps[slot] == stamp:
                        known = np.int64(slots[slot])
                        if room[ahead, known, 0] == new_a and room[ahead, known, 1] == new_b:
                            at = known
                            break
                        slot = (slot + 1) & mask
                    if at == count:
                        stamps[slot] = stamp
                        slots[slot] = count
                        count += 1
                    source[steps] = i
                    target[steps] = at
                    step[steps] = code_of_step
                    steps += 1
            most = kept_here if v == rows - 1 else 4 * kept_here
            if count > most:
                needed1 = must[x + 1] if x + 1 < width else 0
                needed2 = must[x + 2] if x + 2 < width else 0
                count = _chosen(room[ahead], count, most, rows, level_bits, needed1, needed2, names)
                lost = True
                kept = first
                for edge in range(first, steps):
                    if names[target[edge]] >= 0:
                        source[kept] = source[edge]
                        target[kept] = names[target[edge]]
                        step[kept] = step[edge]
                        kept += 1
                steps = kept
            ends_at[x * rows + v] = steps
            live = count
            now, ahead = ahead, now
            if not live:
                break
        for i in range(live):
            a, b = room[now, i, 0], room[now, i, 1]
            next2 = b & column
            next3 = np.int64(0)
            for r in range(rows):
                if b >> (at1 + r) & 1:
                    next3 |= next2 & (level_mask << (r * level_bits))
            done = a >> at_done & all_done
            room[now, i, 0] = a >> at1 & column | next2 << at1 | done << at_done
            room[now, i, 1] = next3 | b >> (at_need + rows) << at_need
        goal = np.int64(-1)
        if x == width - 1:
            # of the last states only the one in which nothing is open counts
            for i in range(live):
                if room[now, i, 0] == all_done << at_done and room[now, i, 1] == 0:
                    goal = np.int64(i)
        if not live or (x == width - 1 and goal < 0):
            # a dead end: some columns further left keep more states
            if x > worst:
                worst, tries = x, 0
            tries += 1
            if not lost or tries > 2 or wide <= beam:
                live = 0
                break
            wide_until = min(width, x + 4)
            x = max(0, x - 8 * tries)
            live = kept_live[x]
            for i in range(live):
                room[now, i, 0], room[now, i, 1] = kept_keys[x, i, 0], kept_keys[x, i, 1]
            steps = ends_at[x * rows - 1] if x else 0
            x -= 1
    stamps[slots.shape[0]] = stamp
    starts[width * rows] = live
    starts[width * rows + 1] = goal
    return (np.int64(1) << 40 if lost else np.int64(0)) + (steps if goal >= 0 else np.int64(0))


def is_compiled() -> bool:
    """Whether an earlier run left the compiled search on disk."""
    return is_kept(explore)
