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

_at = np.uint64
"""Of an unsigned index nobody has to ask whether it counts from the end."""


@compiled
def _mixed(first: Any, second: Any) -> Any:
    code = np.uint64(0x2545F4914F6CDD1D) ^ np.uint64(first)
    code *= np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ code >> np.uint64(29)) ^ np.uint64(second)
    code *= np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ code >> np.uint64(29)) * np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(32))


@compiled
def _holes(column: Any, needed: Any, level_bits: Any) -> Any:
    """Count the cells of a column that are empty, needed, and under one that is filled."""
    filled = column
    if level_bits > 1:
        filled |= column >> 1
    if level_bits > 2:
        filled |= column >> 2
    under = filled >> level_bits
    under |= under >> level_bits
    under |= under >> 2 * level_bits
    under |= under >> 4 * level_bits
    left = needed & under & ~filled
    count = 0
    while left:
        left &= left - 1
        count += 1
    return count


@compiled
def _chosen(
    firsts: Any,
    seconds: Any,
    codes: Any,
    count: Any,
    beam: Any,
    rows: Any,
    level_bits: Any,
    needed1: Any,
    needed2: Any,
    often: Any,
    few: Any,
    names: Any,
) -> Any:
    """Number anew the states to keep: a mixture, in which those with many holes are fewer.

    A hole is a cell of the next two columns that must still be filled under one that is. Of
    states with a hole more, a third as many can be completed (measured on rows of noise), but
    in some places all others end.
    """
    spread1, spread2 = np.int64(0), np.int64(0)
    for r in range(rows):
        bit = np.int64(1) << (r * level_bits)
        spread1 |= bit if needed1 >> r & 1 else 0
        spread2 |= bit if needed2 >> r & 1 else 0
    at1 = rows * level_bits
    column = (np.int64(1) << at1) - 1
    often[:] = 0
    for i in range(count):
        holes = _holes(firsts[i] >> at1 & column, spread1, level_bits)
        holes += _holes(seconds[i] & column, spread2, level_bits)
        codes[i] = (np.uint64(holes) << np.uint64(58)) + (codes[i] >> np.uint64(2))
        often[codes[i] >> np.uint64(51)] += 1
    # those in lower places are kept, those in higher ones are not
    place = np.uint64(0)
    before = np.int64(0)
    while before + often[place] < beam:
        before += often[place]
        place += np.uint64(1)
    found = 0
    for i in range(count):
        if codes[i] >> np.uint64(51) == place:
            at = found
            while at and few[at - 1] > codes[i]:
                few[at] = few[at - 1]
                at -= 1
            few[at] = codes[i]
            found += 1
    most = few[beam - before - 1]
    kept = 0
    for i in range(count):
        names[i] = -1
        if codes[i] <= most and kept < beam:
            firsts[kept], seconds[kept] = firsts[i], seconds[i]
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
    masks: Any,
    at_filled: Any,
    at_need: Any,
    fits: Any,
    ends: Any,
) -> None:
    """List for each row the pieces that may begin there in a column, whatever the state.

    ``fits`` is given their masks (see ``Stack``), with what they count on, and their numbers.
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
            needs = np.int64(0)
            counts_on = np.int64(0)
            row = fields[one, 8]
            if row > -2:
                cx = x + fields[one, 7]
                if row == -1:
                    if not ground[cx]:
                        continue
                elif not (must[cx] | before[cx]) >> row & 1:
                    if not allowed[cx, row]:
                        continue
                    if fields[one, 7]:
                        needs = np.int64(1) << (at_need + rows * fields[one, 7] + row)
                    else:
                        counts_on = np.int64(1) << (at_filled + row)
            for k in range(4):
                fits[count, k] = masks[one, k]
            fits[count, 3] |= needs
            fits[count, 4] = counts_on
            fits[count, 5] = fields[one, 1]
            fits[count, 6] = masks[one, 4]
            fits[count, 7] = 2 * (one - begin[v] + 1) + 1
            count += 1
        ends[v + 1] = count


@compiled
def explore(
    rows: Any,
    level_bits: Any,
    lines: Any,
    begin: Any,
    fields: Any,
    masks: Any,
    before: Any,
    must: Any,
    allowed: Any,
    ground: Any,
    free: Any,
    beam: Any,
    wide: Any,
    sure: Any,
    room: Any,
    codes: Any,
    slots: Any,
    often: Any,
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
    rows, level_bits, lines, begin, fields, masks
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
    sure
        Whether to give up as soon as states would be left out.
    room, codes, slots, often, names, kept_keys, kept_live
        Room to work in. The last of the slots tells which cell is met; it must not get to
        ``1 << 30``.
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
    cap = room.shape[2]
    fits = np.empty((fields.shape[0], 8), np.int64)
    ends = np.zeros(rows + 1, np.int64)
    size = slots.shape[0] - 1
    stamp = slots[size]
    low = np.int64(0xFFFFFFFF)
    lost = False
    now1, now2, next1, next2 = room[0, 0], room[0, 1], room[1, 0], room[1, 1]
    now1[0] = 0
    now2[0] = 0
    live = np.int64(1)
    steps = np.int64(0)
    most_steps = np.int64(source.shape[0])
    worst, tries, wide_until = -1, 0, 0
    goal = np.int64(-1)
    # the first key: this column, the next, level, lines done, filled; the second: the one
    # after, the one after that, what is counted on in this and the next three columns
    at1 = rows * level_bits
    at_level = 2 * at1
    at_done = at_level + level_bits
    at_filled = at_done + lines
    at_need = at1 + rows
    column = (np.int64(1) << at1) - 1
    level_mask = (np.int64(1) << level_bits) - 1
    no_level = ~(level_mask << at_level)
    all_done = (np.int64(1) << lines) - 1
    ones = np.int64(0)
    for v in range(rows):
        ones |= np.int64(1) << (v * level_bits)
    x = -1
    while x + 1 < width:
        x += 1
        kept_here = np.int64(wide if x < wide_until else beam)
        kept_live[x] = live
        for i in range(live):
            kept_keys[x, 0, i], kept_keys[x, 1, i] = now1[i], now2[i]
        _fitting(
            x, width, rows, begin, fields, before, must, allowed, ground, masks, at_filled,
            at_need, fits, ends,
        )  # fmt: skip
        remembered = np.int64(0)
        for v in range(rows):
            if before[x] >> v or (allowed[x, v] and not must[x] >> v & 1):
                remembered |= np.int64(1) << v
        for v in range(rows):
            bit = np.int64(1) << v
            shift = v * level_bits
            needed = must[x] >> v & 1 and not (free[x] and v == 0)
            filled_before = before[x] >> v & 1
            noted = (bit & remembered) << at_filled
            no_need = ~(bit << at_need)
            stamp += 1
            begun = stamp << 32
            count = np.int64(0)
            # no more slots than are needed: they fit a nearer cache
            span = np.int64(256)
            while span < 4 * live and span < size:
                span *= 2
            mask = np.uint64(span - 1)
            first = steps
            starts[x * rows + v] = live
            for i in range(live):
                a, b = now1[i], now2[i]
                here = (a >> shift) & level_mask
                level = (a >> at_level) & level_mask
                b0 = b & no_need
                a0 = (a & no_level) | noted
                last = ends[v + 1]
                if here or filled_before:
                    last = ends[v]
                for choice in range(ends[v] - 1, last):
                    if choice < ends[v]:
                        # leave the cell as it is
                        new_a, new_b = a, b0
                        code_of_step = np.int64(0)
                        if here:
                            if filled_before or here - 1 < level:
                                break
                            new_a = a0 & ~(level_mask << shift) | (here - 1) << at_level
                            code_of_step = np.int64(1)
                        elif filled_before:
                            if a >> at_filled & (bit - 1):
                                break
                        elif needed or b >> (at_need + v) & 1:
                            continue
                    else:
                        if (a & fits[_at(choice), 0]) | (b & fits[_at(choice), 2]):
                            continue
                        its = fits[_at(choice), 5]
                        if its < level or fits[_at(choice), 4] & ~a:
                            continue
                        if its > level and fits[_at(choice), 6]:
                            # A level is the least that what lies below allows, so
                            # something of that level must come to lie under the piece
                            # further right: it is there already, or follows from the
                            # piece that completes the row below the level.
                            if fits[_at(choice), 6] == 2:
                                continue
                            if a >> (at_done + its - 1) & 1:
                                # does any row of the next two columns hold that level?
                                wanted = (its + 1) * ones
                                apart1 = (a >> at1 & column) ^ wanted
                                apart2 = (b & column) ^ wanted
                                waits = False
                                for _ in range(rows):
                                    if not apart1 & level_mask or not apart2 & level_mask:
                                        waits = True
                                        break
                                    apart1 >>= level_bits
                                    apart2 >>= level_bits
                                if not waits:
                                    continue
                        new_a, new_b = a0 | fits[_at(choice), 1], b0 | fits[_at(choice), 3]
                        code_of_step = fits[_at(choice), 7]
                    # is it known?
                    if count == cap or steps == most_steps:
                        lost = True
                        continue
                    code = _mixed(new_a, new_b)
                    slot = np.int64(code & mask)
                    at = count
                    while slots[_at(slot)] >= begun:
                        known = slots[_at(slot)] & low
                        if next1[_at(known)] == new_a and next2[_at(known)] == new_b:
                            at = known
                            break
                        slot = slot + 1 & span - 1
                    if at == count:
                        slots[_at(slot)] = begun | count
                        next1[_at(count)] = new_a
                        next2[_at(count)] = new_b
                        codes[0, _at(count)] = code
                        count += 1
                        if 2 * count > span and span < size:
                            span *= 4 if 2 * span < size else 2
                            mask = np.uint64(span - 1)
                            stamp += 1
                            begun = stamp << 32
                            for j in range(count):
                                slot = np.int64(codes[0, j] & mask)
                                while slots[_at(slot)] >= begun:
                                    slot = slot + 1 & span - 1
                                slots[_at(slot)] = begun | j
                    source[_at(steps)] = i
                    target[_at(steps)] = at
                    step[_at(steps)] = code_of_step
                    steps += 1
            most = kept_here if v == rows - 1 else 4 * kept_here
            if count > most and sure:
                slots[size] = stamp
                starts[width * rows + 1] = -1
                return np.int64(1) << 40
            if count > most:
                needed1 = must[x + 1] if x + 1 < width else 0
                needed2 = must[x + 2] if x + 2 < width else 0
                count = _chosen(
                    next1, next2, codes[0], count, most, rows, level_bits, needed1, needed2, often,
                    codes[1], names,
                )  # fmt: skip
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
            now1, now2, next1, next2 = next1, next2, now1, now2
            if not live:
                break
        for i in range(live):
            a, b = now1[i], now2[i]
            far = b & column
            farther = np.int64(0)
            for r in range(rows):
                if b >> (at1 + r) & 1:
                    farther |= far & (level_mask << (r * level_bits))
            done = a >> at_done & all_done
            now1[i] = a >> at1 & column | far << at1 | done << at_done
            now2[i] = farther | b >> (at_need + rows) << at_need
        goal = np.int64(-1)
        if x == width - 1:
            # of the last states only the one in which nothing is open counts
            for i in range(live):
                if now1[i] == all_done << at_done and now2[i] == 0:
                    goal = np.int64(i)
        if not live or (x == width - 1 and goal < 0):
            # a dead end: some columns further left keep more states
            if x > worst:
                worst, tries = x, 0
            tries += 1
            if not lost or tries > 2 or wide <= beam:
                live = np.int64(0)
                break
            wide_until = min(width, x + 4)
            x = max(0, x - 8 * tries)
            live = kept_live[x]
            for i in range(live):
                now1[i], now2[i] = kept_keys[x, 0, i], kept_keys[x, 1, i]
            steps = ends_at[x * rows - 1] if x else np.int64(0)
            x -= 1
    slots[size] = stamp
    starts[width * rows] = live
    starts[width * rows + 1] = goal
    return (np.int64(1) << 40 if lost else np.int64(0)) + (steps if goal >= 0 else np.int64(0))


def is_compiled() -> bool:
    """Whether an earlier run left the compiled search on disk."""
    return is_kept(explore)
