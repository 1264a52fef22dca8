"""The compiled inner loop of the solver. Importing it loads numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.support.compiled import compiled, is_kept

__all__ = ["GAVE_UP", "is_compiled", "search"]

GAVE_UP = -1

_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)  # no mask: its highest bit is never set
_MOST_REMEMBERED = (1 << 23) - 1  # dead ends: 270 MB; what is beyond is searched again


def search(
    side: int,
    length: int,
    counts: NDArray[np.int64],
    masks: NDArray[np.uint64],
    reach: NDArray[np.int64],
    limit: int,
    patience: int,
    stop: NDArray[np.bool_],
    out: NDArray[np.int64],
) -> tuple[int, int]:
    """Fill a rectangle cell by cell, row by row, kinds in their order.

    Parameters
    ----------
    side, length : int
        Cells of a row, and rows. Masks have room for 31 cells in a row, counts for 255;
        the shorter side of a rectangle of 400 cells has at most 20.
    counts : array of 8 int
        Pieces of each kind. Used up during the search, restored at its end.
    masks : array of 8 uint64
        The cells of each kind relative to its first one: bit ``side * y + x``.
    reach : array of (8, 3) int
        How far each kind reaches to the left, to the right and down of its first cell.
    limit : int
        How many solutions are enough.
    patience : int
        How many pieces to place before giving up; negative for no limit.
    stop : array of one bool
        Another thread may set it to make the search give up soon.
    out : array of (limit, cells // 2 + 1) int
        Receives the solutions: for each piece, in order, ``cell * 8 + kind``.

    Returns
    -------
    (int, int)
        How many solutions were found, or GAVE_UP, and how many pieces were placed.

    Notes
    -----
    What can follow depends only on which of the next cells are taken and on the pieces
    that are left (their area says which cell is next), so what has been left once
    without a solution is remembered and never entered again.
    """
    cells = side * length
    one = np.uint64(1)
    deepest = cells // 2 + 1
    position = np.zeros(deepest + 1, np.int64)
    mask = np.zeros(deepest + 1, np.uint64)  # bit 0: the cell at the position, which is free
    pointer = np.zeros(deepest + 1, np.int64)
    found_before = np.zeros(deepest + 1, np.int64)
    trail = np.zeros(deepest + 1, np.int64)
    left = np.uint64(0)  # the counts, packed
    for kind in range(8):
        left |= np.uint64(counts[kind]) << np.uint64(8 * kind)

    inside = np.zeros((cells + 1, 8), np.bool_)  # whether a kind can begin in a cell
    for cell in range(cells):
        y, x = cell // side, cell % side
        for kind in range(8):
            inside[cell, kind] = (
                x >= reach[kind, 0] and x + reach[kind, 1] < side and y + reach[kind, 2] < length
            )

    keys = np.full((1024, 2), _NONE, np.uint64)
    remembered = 0

    found = 0
    placed = 0
    depth = 0
    while True:
        chosen = -1
        if pointer[depth] == 0:
            found_before[depth] = found
            if position[depth] == cells:
                for i in range(depth):
                    out[found, i] = position[i] * 8 + trail[i]
                found += 1
                if found == limit:
                    break
                pointer[depth] = 8
            elif remembered and keys[_find(mask[depth], left, keys), 0] != _NONE:
                pointer[depth] = 9  # it is known already
        at = position[depth]
        while pointer[depth] < 8:
            kind = pointer[depth]
            pointer[depth] += 1
            if counts[kind] and inside[at, kind] and not mask[depth] & masks[kind]:
                chosen = kind
                break
        if chosen >= 0:
            placed += 1
            if placed == patience or (placed & 0xFFF == 0 and stop[0]):
                found = GAVE_UP
                break
            trail[depth] = chosen
            counts[chosen] -= 1
            left -= one << np.uint64(8 * chosen)
            after = mask[depth] | masks[chosen]
            while after & one:
                after >>= one
                at += 1
            depth += 1
            mask[depth], position[depth], pointer[depth] = after, at, 0
            continue
        if pointer[depth] == 8 and found == found_before[depth] and remembered < _MOST_REMEMBERED:
            if 2 * remembered >= keys.shape[0]:
                keys = _grown(keys)
            slot = _find(mask[depth], left, keys)
            keys[slot, 0], keys[slot, 1] = mask[depth], left
            remembered += 1
        if depth == 0:
            break
        depth -= 1
        counts[trail[depth]] += 1
        left += one << np.uint64(8 * trail[depth])
    for i in range(depth):
        counts[trail[i]] += 1
    return found, placed


def _find(mask: Any, left: Any, keys: Any) -> Any:
    """Return the slot of a state: the one that holds it, or the free one for it."""
    code = (mask + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(29)) ^ left) * np.uint64(0x94D049BB133111EB)
    code ^= code >> np.uint64(32)
    last = np.uint64(keys.shape[0] - 1)
    slot = np.int64(code & last)
    while keys[slot, 0] != _NONE and (keys[slot, 0] != mask or keys[slot, 1] != left):
        slot = np.int64(np.uint64(slot + 1) & last)
    return slot


def _grown(keys: Any) -> Any:
    more = np.full((4 * keys.shape[0], 2), _NONE, np.uint64)
    for i in range(keys.shape[0]):
        if keys[i, 0] != _NONE:
            slot = _find(keys[i, 0], keys[i, 1], more)
            more[slot, 0], more[slot, 1] = keys[i, 0], keys[i, 1]
    return more


_find = compiled(_find)
_grown = compiled(_grown)
search = compiled(search)


def is_compiled() -> bool:
    """Whether an earlier run left the compiled search on disk."""
    return is_kept(search)
