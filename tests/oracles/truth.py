"""The true minimum: how few drops can print a small picture in any game at all?

Iterative deepening over real game states, with the rules written out once more and no
code of the package. A field is a few 64-bit integers (one for each group of types that must
look alike, one for all squares), so boards of up to 64 squares fit. Compiled, because it
looks at millions of states.

With ``p`` drops at most ``(4 p - pixels) / width`` rows vanish, exactly so many if nothing
but the picture may be left. A state can be abandoned
when its rows cannot be divided into rows that survive (the k-th of which holds squares
of the k-th picture row only) and rows that vanish, at most as many as are still to go:
squares never leave their row, and rows never change their order.

Where the types may have any colours, each is a group of its own, and a field shows the
picture if each type's squares, looked at alone, lie in squares of one colour: several
types may have the same colour, so nothing else ties them. What has the background's colour
may stay wherever the picture shows nothing, on the whole board, and need not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from tests.oracles.game import ROTATIONS

Square = tuple[int, int]
COLORS = 3
UNSEEN = COLORS
"""The number of the background's colour."""

NAMES = sorted(ROTATIONS)


@dataclass(frozen=True)
class Truth:
    """What an exhaustive search found out.

    Attributes
    ----------
    drops : int or None
        The fewest drops of any game; None if no game was found.
    game : list of list of (int, int)
        For each drop of such a game the cells in which it comes to rest.
    searched : int
        No game has so many drops or fewer, but for the one found: all were looked at.
    gave_up : bool
        Whether the search ended before ``most`` because it met too many states.
    """

    drops: int | None
    game: list[list[Square]]
    searched: int
    gave_up: bool


def _shapes() -> list[tuple[int, frozenset[Square]]]:
    return [
        (NAMES.index(name), shape)
        for name in NAMES
        for shape in sorted(ROTATIONS[name], key=sorted)
    ]


SHAPES = _shapes()


def fewest_drops(
    width: int,
    height: int,
    picture: Mapping[Square, int],
    color_of: Mapping[str, int] | None,
    *,
    background: bool = False,
    most: int = 8,
    states: int = 20_000_000,
) -> Truth:
    """Return the least number of drops that print a picture, and such a game.

    Parameters
    ----------
    width, height : int
        The board, of at most 64 squares.
    picture : mapping
        The colour, 0..2, of every square to print.
    color_of : mapping or None
        The colour of each piece type that may stay visible; others may only vanish.
        None: any type may have any colour, one for the whole game.
    background : bool
        Whether a type may have the colour :data:`UNSEEN`.
    most : int
        Look for games of at most so many drops.
    states : int
        Give up after so many states for one number of drops.
    """
    targets = np.zeros((COLORS + 1, height), np.uint64)
    for (x, y), color in picture.items():
        targets[color, y] |= np.uint64(1 << x)
    due = np.bitwise_or.reduce(targets[:COLORS], axis=0)
    colors = sorted(set(picture.values()))
    if background:
        targets[UNSEEN] = ~due & np.uint64((1 << width) - 1)
        colors.append(UNSEEN)
    groups: dict[str, int] = {}
    if color_of is None:
        groups = {name: group for group, name in enumerate(NAMES)}
        may = np.zeros((len(groups), COLORS + 1), np.bool_)
        may[:, colors] = True
    else:
        seen = [c for c in colors if c in color_of.values()]
        groups = {name: seen.index(c) for name, c in color_of.items() if c in seen}
        may = np.zeros((len(seen), COLORS + 1), np.bool_)
        may[range(len(seen)), seen] = True
    masks = []
    for name, shape in SHAPES:
        w, h = 1 + max(x for x, _ in shape), 1 + max(y for _, y in shape)
        for x0 in range(width - w + 1):
            mask = sum(1 << (y * width + x + x0) for x, y in shape)
            masks.append((mask, h, groups.get(NAMES[name], -1)))
    group_of = np.array([m[2] for m in masks], np.int64)
    heights = np.array([m[1] for m in masks], np.int64)
    bits = np.array([m[0] for m in masks], np.uint64)
    rows = height if background else 1 + max(y for _, y in picture)
    for drops in range(1, most + 1):
        lines, rest = divmod(4 * drops - len(picture), width)
        if lines < 0 or (rest and not background):
            continue
        out = np.zeros((drops, 2), np.int64)
        answer = _search(
            width,
            height,
            rows,
            due,
            targets,
            may,
            bits,
            heights,
            group_of,
            drops,
            lines,
            states,
            out,
        )
        if answer < 0:
            return Truth(None, [], drops - 1, gave_up=True)
        if answer:
            game = [_cells(int(bits[i]), int(y), width) for i, y in out]
            return Truth(drops, game, drops, gave_up=False)
    return Truth(None, [], most, gave_up=False)


def _cells(mask: int, y: int, width: int) -> list[Square]:
    return [(bit % width, bit // width + y) for bit in range(mask.bit_length()) if mask >> bit & 1]


def _search(
    width: Any,
    height: Any,
    rows: Any,
    due: Any,
    targets: Any,
    may: Any,
    bits: Any,
    heights: Any,
    group_of: Any,
    drops: Any,
    lines: Any,
    states: Any,
    out: Any,
) -> Any:
    """Depth-first with a table of states seen; 1 found, 0 impossible, -1 gave up."""
    size = 1 << 12
    table = np.zeros(size, np.uint64)
    used = 0
    n = bits.shape[0]
    groups = may.shape[0]
    planes = np.zeros((drops + 1, groups + 1), np.uint64)  # groups, then all squares
    cleared = np.zeros(drops + 1, np.int64)
    pointer = np.zeros(drops + 1, np.int64)
    full = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    depth = 0
    while True:
        if pointer[depth] == n:
            if depth == 0:
                return 0
            depth -= 1
            continue
        i = pointer[depth]
        pointer[depth] += 1
        squares = planes[depth, groups]
        y = height - heights[i]
        if (bits[i] << np.uint64(y * width)) & squares:
            continue
        while y > 0 and not (bits[i] << np.uint64((y - 1) * width)) & squares:
            y -= 1
        piece = bits[i] << np.uint64(y * width)
        new = planes[depth + 1]
        new[:] = planes[depth]
        new[groups] |= piece
        if group_of[i] >= 0:
            new[group_of[i]] |= piece
        gone = 0
        for r in range(y + heights[i] - 1, y - 1, -1):
            if (new[groups] >> np.uint64(r * width)) & full == full:
                gone += 1
                low = (np.uint64(1) << np.uint64(r * width)) - np.uint64(1)
                for c in range(groups + 1):
                    above = np.uint64(0)
                    if r + 1 < height:
                        above = (new[c] >> np.uint64((r + 1) * width)) << np.uint64(r * width)
                    new[c] = (new[c] & low) | above
        total = cleared[depth] + gone
        if total > lines:
            continue
        out[depth, 0] = i
        out[depth, 1] = y
        if depth + 1 == drops:
            if _shows(new, due, targets, may, width, height, full):
                return 1
            continue
        if not _hopeful(new, targets, may, width, height, rows, full, lines - total):
            continue
        code = np.uint64(depth + 1) * np.uint64(0x9E3779B97F4A7C15)
        for c in range(groups + 1):
            code = (code ^ new[c]) * np.uint64(0xD6E8FEB86659FD93)
            code ^= code >> np.uint64(32)
        code |= np.uint64(1)
        slot = code & np.uint64(size - 1)
        while table[slot] != 0 and table[slot] != code:
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        if table[slot] == code:
            continue
        table[slot] = code
        used += 1
        if used >= states or 2 * used > size:
            if used >= states:
                return -1
            grown = np.zeros(2 * size, np.uint64)
            for old in table:
                if old:
                    s = old & np.uint64(2 * size - 1)
                    while grown[s] != 0:
                        s = (s + np.uint64(1)) & np.uint64(2 * size - 1)
                    grown[s] = old
            table = grown
            size *= 2
        depth += 1
        cleared[depth] = total
        pointer[depth] = 0


def _shows(
    planes: Any, due: Any, targets: Any, may: Any, width: Any, height: Any, full: Any
) -> Any:
    """Whether all that is due is there, and each group lies in squares of one of its colours."""
    groups = may.shape[0]
    for r in range(height):
        shift = np.uint64(r * width)
        here = (planes[groups] >> shift) & full
        if due[r] & ~here:
            return False
        for g in range(groups):
            here &= ~(planes[g] >> shift)
        if here:  # of a type without a colour
            return False
    for g in range(groups):
        fits = False
        for c in range(may.shape[1]):
            if may[g, c]:
                fits = True
                for r in range(height):
                    if (planes[g] >> np.uint64(r * width)) & full & ~targets[c, r]:
                        fits = False
                        break
                if fits:
                    break
        if not fits:
            return False
    return True


def _hopeful(
    planes: Any,
    targets: Any,
    may: Any,
    width: Any,
    height: Any,
    rows: Any,
    full: Any,
    lines: Any,
) -> Any:
    """Whether at most ``lines`` of the rows have to vanish; best[k]: k survive so far."""
    groups = may.shape[0]
    best = np.full(rows + 1, 99, np.int64)
    best[0] = 0
    for r in range(height):
        shift = np.uint64(r * width)
        here = (planes[groups] >> shift) & full
        if here == 0:
            break
        for k in range(rows, -1, -1):
            stay = 99
            if k > 0 and best[k - 1] < 99:
                seen = np.uint64(0)
                fits = True
                for g in range(groups):
                    own = (planes[g] >> shift) & full
                    if own == 0:
                        continue
                    seen |= own
                    fits = False
                    for c in range(may.shape[1]):
                        if may[g, c] and not own & ~targets[c, k - 1]:
                            fits = True
                            break
                    if not fits:
                        break
                if fits and seen == here:
                    stay = best[k - 1]
            best[k] = min(stay, best[k] + 1)
    return best.min() <= lines


_shows = njit(cache=True)(_shows)
_hopeful = njit(cache=True)(_hopeful)
_search = njit(cache=True)(_search)
