"""The true minimum: how few drops can print a small picture in any game at all?

Iterative deepening over real game states, with the rules written out once more and no
code of the package. A field is a few 64-bit integers (one per colour, one for all
squares), so boards of up to 64 squares fit. Compiled, because it looks at millions of
states.

For ``p`` drops exactly ``(4 p - pixels) / width`` rows vanish. A state can be abandoned
when its rows cannot be divided into rows that survive (the k-th of which holds squares
of the k-th picture row only) and rows that vanish, at most as many as are still to go:
squares never leave their row, and rows never change their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from tests.oracles.game import ROTATIONS

Square = tuple[int, int]
COLORS = 3
NAMES = sorted(ROTATIONS)


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
    color_of: Mapping[str, int],
    *,
    most: int = 8,
    states: int = 20_000_000,
) -> tuple[int, list[list[Square]]] | None:
    """Return the least number of drops that print a picture, and such a game.

    Parameters
    ----------
    width, height : int
        The board, of at most 64 squares.
    picture : mapping
        The colour, 0..2, of every square to print.
    color_of : mapping
        The colour of each piece type that may stay visible; others may only vanish.
    most : int
        Give up above this number of drops.
    states : int
        Give up after this many states.

    Returns
    -------
    (int, list of list of (int, int)) or None
        Drops, and for each of them the cells in which it comes to rest.
    """
    target = np.zeros((COLORS, height), np.uint64)
    for (x, y), color in picture.items():
        target[color, y] |= np.uint64(1 << x)
    rows = 1 + max(y for _, y in picture)
    masks = []
    for name, shape in SHAPES:
        w, h = 1 + max(x for x, _ in shape), 1 + max(y for _, y in shape)
        for x0 in range(width - w + 1):
            mask = sum(1 << (y * width + x + x0) for x, y in shape)
            masks.append((mask, h, color_of.get(NAMES[name], -1)))
    colors = np.array([m[2] for m in masks], np.int64)
    heights = np.array([m[1] for m in masks], np.int64)
    bits = np.array([m[0] for m in masks], np.uint64)
    for drops in range(1, most + 1):
        if 4 * drops < len(picture) or (4 * drops - len(picture)) % width:
            continue
        lines = (4 * drops - len(picture)) // width
        out = np.zeros((drops, 2), np.int64)
        answer = _search(
            width, height, rows, target, bits, heights, colors, drops, lines, states, out
        )
        if answer < 0:
            return None
        if answer:
            return drops, [_cells(int(bits[i]), int(y), width) for i, y in out]
    return None


def _cells(mask: int, y: int, width: int) -> list[Square]:
    return [(bit % width, bit // width + y) for bit in range(mask.bit_length()) if mask >> bit & 1]


def _search(
    width: Any,
    height: Any,
    rows: Any,
    target: Any,
    bits: Any,
    heights: Any,
    colors: Any,
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
    planes = np.zeros((drops + 1, COLORS + 1), np.uint64)  # colours, then all squares
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
        squares = planes[depth, COLORS]
        y = height - heights[i]
        if (bits[i] << np.uint64(y * width)) & squares:
            continue
        while y > 0 and not (bits[i] << np.uint64((y - 1) * width)) & squares:
            y -= 1
        piece = bits[i] << np.uint64(y * width)
        new = planes[depth + 1]
        new[:] = planes[depth]
        new[COLORS] |= piece
        if colors[i] >= 0:
            new[colors[i]] |= piece
        gone = 0
        for r in range(y + heights[i] - 1, y - 1, -1):
            if (new[COLORS] >> np.uint64(r * width)) & full == full:
                gone += 1
                low = (np.uint64(1) << np.uint64(r * width)) - np.uint64(1)
                for c in range(COLORS + 1):
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
            if total == lines and _equal(new, target, width, height, full):
                return 1
            continue
        if not _hopeful(new, target, width, height, rows, full, lines - total):
            continue
        code = np.uint64(depth + 1) * np.uint64(0x9E3779B97F4A7C15)
        for c in range(COLORS + 1):
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


def _equal(planes: Any, target: Any, width: Any, height: Any, full: Any) -> Any:
    for r in range(height):
        shift = np.uint64(r * width)
        seen = np.uint64(0)
        for c in range(COLORS):
            if (planes[c] >> shift) & full != target[c, r]:
                return False
            seen |= target[c, r]
        if (planes[COLORS] >> shift) & full != seen:
            return False
    return True


def _hopeful(
    planes: Any, target: Any, width: Any, height: Any, rows: Any, full: Any, lines: Any
) -> Any:
    """Whether at most ``lines`` of the rows have to vanish; best[k]: k survive so far."""
    best = np.full(rows + 1, 99, np.int64)
    best[0] = 0
    for r in range(height):
        shift = np.uint64(r * width)
        here = (planes[COLORS] >> shift) & full
        if here == 0:
            break
        for k in range(rows, -1, -1):
            stay = 99
            if k > 0 and best[k - 1] < 99:
                seen = np.uint64(0)
                fits = True
                for c in range(COLORS):
                    own = (planes[c] >> shift) & full
                    seen |= own
                    if own & ~target[c, k - 1]:
                        fits = False
                        break
                if fits and seen == here:
                    stay = best[k - 1]
            best[k] = min(stay, best[k] + 1)
    return best.min() <= lines


_equal = njit(cache=True)(_equal)
_hopeful = njit(cache=True)(_hopeful)
_search = njit(cache=True)(_search)
