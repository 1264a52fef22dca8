"""The compiled cost of the states of the search over dealt pieces.

:mod:`~tetrisprinter.planners.dealt._kernel_states` describes a state.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Int

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.dealt._kernel_states import (
        PictureTables,
        count_bits,
        get_wanted,
    )
else:
    from tetrisprinter.planners.dealt._kernel_states import PictureTables, count_bits, get_wanted

from tetrisprinter.planners.dealt._kernel_states import ROWS
from tetrisprinter.support.arrays import zeros

__all__ = ["DONE", "StateCosts", "compute_cost"]

DONE = -1_000_000
"""The cost of the complete picture; a dead end costs less."""

_DONE = cython.declare(Int, -1_000_000)
_HEAD = cython.declare(Int, 5)
_N = cython.declare(Int, 0)
_OPENED = cython.declare(Int, 1)

_MISSING = cython.declare(Int, 0)
_COVERED = cython.declare(Int, 1)
_END = cython.declare(Int, 2)


@cython.cclass
class StateCosts:
    """The weights and working memory for the costs of states.

    - board: the picture on its board.
    - weights: of a missing square of the picture, of one under a filled one, and of an end of a run
      of missing ones; see :mod:`~tetrisprinter.planners.dealt.budgets`.
    - missing, left, seen, lost: for each row, as bits, the missing squares: all of them, those not
      visited yet, those of the present group, and those of groups that cannot be filled.
    """

    def __init__(self, board: PictureTables, weights: Any) -> None:
        self.board, self.weights = board, memoryview(weights)
        self.missing, self.left = zeros("i", ROWS), zeros("i", ROWS)
        self.seen, self.lost = zeros("i", ROWS), zeros("i", ROWS)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _price_ends(costs: StateCosts, columns: Int) -> Int:
    """Return the cost of the ends of runs among some columns."""
    return costs.weights[_END] * count_bits((columns ^ columns << 1) & (2 * costs.board.full + 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_cost(costs: StateCosts, s: Int[::1]) -> Int:
    """Return the cost of a state; less than :data:`DONE` for a dead end."""
    w: Int[::1] = costs.weights
    n: Int = s[_N]
    total: Int = 0
    cover: Int = 0
    left: Int = 0
    r: Int
    c: Int
    m: Int
    word: Int
    for r in range(s[_OPENED], costs.board.height):
        m = costs.board.wants[r, 0]
        left += count_bits(m)
        total += w[_MISSING] * count_bits(m) + _price_ends(costs, m)
    for r in range(n - 1, -1, -1):
        word = s[_HEAD + r]
        m = get_wanted(costs.board, word) & ~word
        costs.missing[r] = m
        if m:
            c = count_bits(m)
            left += c
            if word >> 16:
                total += w[_MISSING] * c
            total += w[_COVERED] * count_bits(m & cover) + _price_ends(costs, m) + c * (n - 1 - r)
        cover |= word & costs.board.full
    if not left:
        return _DONE
    return total if _can_be_filled(costs, s) else _DONE - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _flood(seen: Int[::1], among: Int[::1], low: Int, n: Int) -> Int:
    """Flood-fill from the seen squares to all connected ones; return the highest row reached."""
    high: Int = low
    k: Int
    m: Int
    grown: cython.bint = True
    while grown:
        grown = False
        k = low
        while k <= high:
            m = seen[k]
            m = (m | m << 1 | m >> 1) & among[k]
            if k > low:
                m |= seen[k - 1] & among[k]
            if k < high:
                m |= seen[k + 1] & among[k]
            if m != seen[k]:
                seen[k] = m
                grown = True
            if k == high and k < n - 1 and m & among[k + 1]:
                high += 1
                seen[high] = m & among[high]
                grown = True
            k += 1
    return high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _can_be_filled(costs: StateCosts, s: Int[::1]) -> cython.bint:
    """Return whether every group of missing squares may still be filled.

    Pieces that lie wholly in a connected group of missing squares must fill it, as long as no row
    beside it clears. So a group is lost if it has fewer than four squares, if nothing below
    supports a piece, or if it lies in rows of the picture only and its size is no multiple of four.
    A row that may clear beside a group saves it, unless that row has lost squares itself.
    """
    n: Int = s[_N]
    r: Int
    q: Int
    high: Int
    any_lost: cython.bint = False
    for r in range(n):
        costs.left[r] = costs.missing[r]
        costs.lost[r] = costs.seen[r] = 0
    for q in range(n - 1):
        while costs.left[q]:
            costs.seen[q] = costs.left[q] & -costs.left[q]
            high = _flood(costs.seen, costs.missing, q, n)
            if high < n - 1 and not _can_fill_group(costs, s, q, high):
                any_lost = True
                for r in range(q, high + 1):
                    costs.lost[r] |= costs.seen[r]
            for r in range(q, high + 1):
                costs.left[r] &= ~costs.seen[r]
                costs.seen[r] = 0
    while any_lost:
        for r in range(n):
            costs.left[r] = costs.lost[r]
        any_lost = False
        any_saved: cython.bint = False
        for q in range(n - 1):
            while costs.left[q]:
                costs.seen[q] = costs.left[q] & -costs.left[q]
                high = _flood(costs.seen, costs.lost, q, n)
                if _has_clearing_neighbor(costs, s, q, high):
                    any_saved = True
                    for r in range(q, high + 1):
                        costs.lost[r] &= ~costs.seen[r]
                else:
                    any_lost = True
                for r in range(q, high + 1):
                    costs.left[r] &= ~costs.seen[r]
                    costs.seen[r] = 0
        if any_lost and not any_saved:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _can_fill_group(costs: StateCosts, s: Int[::1], low: Int, high: Int) -> cython.bint:
    """Return whether pieces inside the seen group may fill it."""
    size: Int = 0
    k: Int
    supported: cython.bint = False
    pure: cython.bint = True
    for k in range(low, high + 1):
        size += count_bits(costs.seen[k])
        if not k or costs.seen[k] & s[_HEAD + k - 1]:
            supported = True
        if not s[_HEAD + k] >> 16:
            pure = False
    return size >= 4 and supported and not (pure and size & 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_clearing_neighbor(costs: StateCosts, s: Int[::1], low: Int, high: Int) -> cython.bint:
    """Return whether a row that may clear touches the seen group."""
    k: Int
    for k in range(low, high + 1):
        if not s[_HEAD + k + 1] >> 16 and not costs.lost[k + 1]:
            return True
        if k and not s[_HEAD + k - 1] >> 16 and not costs.lost[k - 1]:
            return True
    return False
