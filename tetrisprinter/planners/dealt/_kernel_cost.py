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
    - weights: the costs of a missing square of the picture, of a missing square under a filled one,
      and of an end of a run of missing squares; see :mod:`~tetrisprinter.planners.dealt.beam`.
    - missing, unvisited, group, lost: for each row, as bits, the missing squares: all, those
      not yet visited, those of the present group, and those of groups that cannot be filled.
    """

    def __init__(self, board: PictureTables, weights: Any) -> None:
        self.board, self.weights = board, memoryview(weights)
        self.missing, self.unvisited = zeros("i", ROWS), zeros("i", ROWS)
        self.group, self.lost = zeros("i", ROWS), zeros("i", ROWS)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _compute_end_cost(costs: StateCosts, columns: Int) -> Int:
    """Return the cost of the ends of the runs of adjacent columns."""
    return costs.weights[_END] * count_bits((columns ^ columns << 1) & (2 * costs.board.full + 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_cost(costs: StateCosts, state: Int[::1]) -> Int:
    """Return the cost of a state, which is less than :data:`DONE` for a dead end."""
    weights: Int[::1] = costs.weights
    used_rows: Int = state[_N]
    total: Int = 0
    filled_above: Int = 0
    missing_count: Int = 0
    row: Int
    count: Int
    missing: Int
    row_bits: Int
    for row in range(state[_OPENED], costs.board.height):
        missing = costs.board.wants[row, 0]
        missing_count += count_bits(missing)
        total += weights[_MISSING] * count_bits(missing) + _compute_end_cost(costs, missing)
    for row in range(used_rows - 1, -1, -1):
        row_bits = state[_HEAD + row]
        missing = get_wanted(costs.board, row_bits) & ~row_bits
        costs.missing[row] = missing
        if missing:
            count = count_bits(missing)
            missing_count += count
            if row_bits >> 16:
                total += weights[_MISSING] * count
            total += (
                weights[_COVERED] * count_bits(missing & filled_above)
                + _compute_end_cost(costs, missing)
                + count * (used_rows - 1 - row)
            )
        filled_above |= row_bits & costs.board.full
    if not missing_count:
        return _DONE
    return total if _can_be_filled(costs, state) else _DONE - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _flood(group: Int[::1], allowed: Int[::1], low: Int, used_rows: Int) -> Int:
    """Flood-fill a group from its first square, in row ``low``; return the highest row reached."""
    high: Int = low
    row: Int
    columns: Int
    has_grown: cython.bint = True
    while has_grown:
        has_grown = False
        row = low
        while row <= high:
            columns = group[row]
            columns = (columns | columns << 1 | columns >> 1) & allowed[row]
            if row > low:
                columns |= group[row - 1] & allowed[row]
            if row < high:
                columns |= group[row + 1] & allowed[row]
            if columns != group[row]:
                group[row] = columns
                has_grown = True
            if row == high and row < used_rows - 1 and columns & allowed[row + 1]:
                high += 1
                group[high] = columns & allowed[high]
                has_grown = True
            row += 1
    return high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _can_be_filled(costs: StateCosts, state: Int[::1]) -> cython.bint:
    """Return whether every group of missing squares may still be filled.

    Pieces that lie wholly in a connected group of missing squares must fill it, as long as no row
    beside it clears. So a group is lost if it has fewer than four squares, if nothing below
    supports a piece, or if it lies in rows of the picture only and its size is no multiple of four.
    A row that may clear beside a group saves it, unless that row has lost squares itself.
    """
    used_rows: Int = state[_N]
    row: Int
    low: Int
    high: Int
    any_lost: cython.bint = False
    for row in range(used_rows):
        costs.unvisited[row] = costs.missing[row]
        costs.lost[row] = costs.group[row] = 0
    for low in range(used_rows - 1):
        while costs.unvisited[low]:
            costs.group[low] = costs.unvisited[low] & -costs.unvisited[low]
            high = _flood(costs.group, costs.missing, low, used_rows)
            if high < used_rows - 1 and not _can_fill_group(costs, state, low, high):
                any_lost = True
                for row in range(low, high + 1):
                    costs.lost[row] |= costs.group[row]
            for row in range(low, high + 1):
                costs.unvisited[row] &= ~costs.group[row]
                costs.group[row] = 0
    while any_lost:
        for row in range(used_rows):
            costs.unvisited[row] = costs.lost[row]
        any_lost = False
        any_saved: cython.bint = False
        for low in range(used_rows - 1):
            while costs.unvisited[low]:
                costs.group[low] = costs.unvisited[low] & -costs.unvisited[low]
                high = _flood(costs.group, costs.lost, low, used_rows)
                if _has_clearing_neighbor(costs, state, low, high):
                    any_saved = True
                    for row in range(low, high + 1):
                        costs.lost[row] &= ~costs.group[row]
                else:
                    any_lost = True
                for row in range(low, high + 1):
                    costs.unvisited[row] &= ~costs.group[row]
                    costs.group[row] = 0
        if any_lost and not any_saved:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _can_fill_group(costs: StateCosts, state: Int[::1], low: Int, high: Int) -> cython.bint:
    """Return whether pieces inside the present group, in rows ``low`` to ``high``, may fill it."""
    size: Int = 0
    row: Int
    is_supported: cython.bint = False
    is_picture_only: cython.bint = True
    for row in range(low, high + 1):
        size += count_bits(costs.group[row])
        if not row or costs.group[row] & state[_HEAD + row - 1]:
            is_supported = True
        if not state[_HEAD + row] >> 16:
            is_picture_only = False
    return size >= 4 and is_supported and not (is_picture_only and size & 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_clearing_neighbor(costs: StateCosts, state: Int[::1], low: Int, high: Int) -> cython.bint:
    """Return whether a row that may clear and has no lost squares touches the present group."""
    row: Int
    for row in range(low, high + 1):
        if not state[_HEAD + row + 1] >> 16 and not costs.lost[row + 1]:
            return True
        if row and not state[_HEAD + row - 1] >> 16 and not costs.lost[row - 1]:
            return True
    return False
