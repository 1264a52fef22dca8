"""The compiled inner loop of the backtracker. Importing it loads numba.

A depth-first search over column heights. Because packings are gap-free, the heights say
everything about a partly filled matrix: which cells are taken, which rows are complete
(as many as the lowest column is high), and so which columns still hold a piece. Two ways
to the same heights have the same futures, which is why a height vector that has been
left once without success is remembered and never entered again. That memory turns the
exhaustive search from hopeless into a matter of milliseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.game.pieces import ORIENTATIONS
from tetrisprinter.support.compiled import compiled, is_kept

__all__ = ["EXHAUSTED", "FOUND", "GAVE_UP", "is_compiled", "search"]

FOUND, EXHAUSTED, GAVE_UP = 0, 1, 2

WIDTHS = np.array([o.width for o in ORIENTATIONS], np.int64)
BOTTOMS = np.array([(o.bottom + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)
TOPS = np.array([(o.top + (0,) * 4)[:4] for o in ORIENTATIONS], np.int64)


def search(
    start: NDArray[np.int64],
    ceilings: NDArray[np.int64],
    squares: NDArray[np.bool_],
    order: NDArray[np.int64],
    limit: int,
    stop: NDArray[np.bool_],
    out: NDArray[np.int64],
) -> tuple[int, int]:
    """Fill a matrix from ``start`` up to ``ceilings``.

    Parameters
    ----------
    start, ceilings : array of int
        For each column its height now and when filled.
    squares : array of bool
        Columns that stand on a square and so hold a piece for good.
    order : array of int
        The placements in the order in which to try them at every node, each encoded as
        ``orientation * width + column``.
    limit : int
        Placements to try before giving up; negative for no limit.
    stop : array of one bool
        Another thread may set it to make the search give up soon.
    out : array of int
        Receives the placements in drop order.

    Returns
    -------
    (int, int)
        FOUND, EXHAUSTED or GAVE_UP, and how many placements were tried.
    """
    width = start.shape[0]
    heights = start.copy()
    pieces = (ceilings - start).sum() // 4
    pointer = np.zeros(pieces + 1, np.int64)

    # The height vectors already entered: rows of `seen`, found through open addressing.
    seen = np.empty((256, width), np.uint8)
    slots = np.full(1024, -1, np.int64)
    count = 0

    depth = 0
    tried = 0
    entering = True
    while True:
        if entering:
            entering = False
            pointer[depth] = 0
            if depth == pieces:
                return FOUND, tried
            if not _regions_divisible(heights, ceilings):
                pointer[depth] = order.shape[0]
            else:
                slot = _find(heights, seen, slots)
                if slots[slot] >= 0:
                    pointer[depth] = order.shape[0]
                else:
                    if count == seen.shape[0]:
                        grown = np.empty((2 * count, width), np.uint8)
                        grown[:count] = seen
                        seen = grown
                        slots = np.full(2 * slots.shape[0], -1, np.int64)
                        for i in range(count):
                            slots[_find(seen[i], seen, slots)] = i
                        slot = _find(heights, seen, slots)
                    for c in range(width):
                        seen[count, c] = heights[c]
                    slots[slot] = count
                    count += 1
        complete = heights.min()
        chosen = -1
        while pointer[depth] < order.shape[0]:
            candidate = order[pointer[depth]]
            pointer[depth] += 1
            if _fits(candidate, heights, ceilings, squares, complete):
                chosen = candidate
                break
        if chosen >= 0:
            if tried == limit or (tried & 0xFFF == 0xFFF and stop[0]):
                return GAVE_UP, tried
            tried += 1
            o, x = chosen // width, chosen % width
            y = heights[x] - BOTTOMS[o, 0]
            for i in range(WIDTHS[o]):
                heights[x + i] = y + TOPS[o, i]
            out[depth] = chosen
            depth += 1
            entering = True
        else:
            if depth == 0:
                return EXHAUSTED, tried
            depth -= 1
            o, x = out[depth] // width, out[depth] % width
            y = heights[x] - TOPS[o, 0]
            for i in range(WIDTHS[o]):
                heights[x + i] = y + BOTTOMS[o, i]


def _regions_divisible(heights: Any, ceilings: Any) -> bool:
    """Whether between full columns the free cells are everywhere a multiple of 4."""
    free = 0
    for c in range(heights.shape[0]):
        if heights[c] == ceilings[c]:
            if free & 3:
                return False
            free = 0
        else:
            free += ceilings[c] - heights[c]
    return not free & 3


def _find(key: Any, seen: Any, slots: Any) -> Any:
    """Return the slot of a height vector: the one that holds it, or the free one for it."""
    code = np.uint64(14695981039346656037)
    for c in range(key.shape[0]):
        code = (code ^ np.uint64(key[c])) * np.uint64(1099511628211)
    code ^= code >> np.uint64(29)
    mask = np.uint64(slots.shape[0] - 1)
    slot = np.int64(code & mask)
    while slots[slot] >= 0:
        other = seen[slots[slot]]
        equal = True
        for c in range(key.shape[0]):
            if other[c] != key[c]:
                equal = False
                break
        if equal:
            return slot
        slot = np.int64(np.uint64(slot + 1) & mask)
    return slot


def _fits(candidate: int, heights: Any, ceilings: Any, squares: Any, complete: int) -> bool:
    """Whether a placement lies gap-free below the ceilings and is held by a column."""
    width = heights.shape[0]
    o, x = candidate // width, candidate % width
    y = heights[x] - BOTTOMS[o, 0]
    if y < 0:
        return False
    held = False
    for i in range(WIDTHS[o]):
        c = x + i
        if heights[c] != y + BOTTOMS[o, i] or y + TOPS[o, i] > ceilings[c]:
            return False
        held = held or heights[c] > complete or squares[c]
    return held


_regions_divisible = compiled(_regions_divisible)
_find = compiled(_find)
_fits = compiled(_fits)
search = compiled(search)


def is_compiled() -> bool:
    """Whether an earlier run left the compiled search on disk."""
    return is_kept(search)
