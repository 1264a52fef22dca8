"""The compiled search for all resting places of a steered piece (rotation, kicks, shifts).

:mod:`~tetrisprinter.planners.dealt._kernel_states` describes a state. Rows and columns of a piece's
centre are counted from four squares below and to the left of the field.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Int

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.dealt._kernel_states import PictureTables
else:
    from tetrisprinter.planners.dealt._kernel_states import PictureTables

from tetrisprinter.planners.dealt._kernel_states import ROWS
from tetrisprinter.support.arrays import zeros

__all__ = ["Steering", "steer"]

_EDGE = cython.declare(Int, 4)
"""Margin around the field, in cells, that a piece's centre or a kick can reach."""

_HEAD = cython.declare(Int, 5)
_N = cython.declare(Int, 0)
_O = cython.declare(Int, 4)
"""The number of the type O, which need not be turned."""
_CELLS = cython.declare(Int, 3)
_KICKS = cython.declare(Int, 11)
"""The columns of ``spins`` in which the cells and the kicks of a quarter turn begin."""


@cython.cclass
class Steering:
    """The rotation and kick tables, and the positions that a piece can reach.

    - board: the board.
    - spins: for each type a row for each quarter turn: the orientation, its lower left corner
      (column, row) and its four cells relative to its centre, the five kicks clockwise, then
      those counterclockwise.
    - free, reached: for each quarter turn and row the columns, as bits, in which the centre fits,
      and those that it can reach.
    - rest: for each orientation and row of its lower left corner the columns, as bits, in which it
      can come to rest.
    """

    def __init__(self, board: PictureTables, spins: Any) -> None:
        rows = ROWS + 2 * 4
        self.board, self.spins = board, memoryview(spins)
        self.free, self.reached = zeros("i", 4, rows), zeros("i", 4, rows)
        self.rest = zeros("i", board.forms.shape[0], rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def steer(steering: Steering, s: Int[::1], piece: Int) -> Int:
    """Write all resting places of a piece into ``rest``; return 0.

    The search starts with all positions above the used rows: three rows below the spawn are free.
    It follows moves from there until no new position is found.
    """
    base: Int = 4 * (piece - 1)
    top: Int = s[_N] + 2 * _EDGE
    changed: cython.bint = True
    y: Int
    t: Int
    for t in range(4):
        _find_room(steering, s, base, t)
    while changed:
        changed = False
        for y in range(top - 1, -1, -1):
            for t in range(4):
                if _lower(steering, t, y, top):
                    changed = True
                if piece != _O and _turn(steering, base, t, y, top):
                    changed = True
    _come_to_rest(steering, s, piece)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_room(steering: Steering, s: Int[::1], base: Int, t: Int) -> Int:
    """Write where the centre fits in a quarter turn, and mark the positions above as reached."""
    full: Int = steering.board.full
    n: Int = s[_N]
    y: Int
    i: Int
    dx: Int
    row: Int
    mask: Int
    left: Int
    for y in range(n + 2 * _EDGE):
        mask = -1
        for i in range(4):
            dx = steering.spins[base + t, _CELLS + 2 * i]
            row = y - _EDGE + steering.spins[base + t, _CELLS + 2 * i + 1]
            left = 0
            if row >= n:
                left = full << _EDGE
            elif row >= 0:
                left = (~s[_HEAD + row] & full) << _EDGE
            mask &= left >> dx if dx >= 0 else left << -dx
        steering.free[t, y] = mask
        steering.reached[t, y] = mask if y >= n + _EDGE + 2 else 0
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lower(steering: Steering, t: Int, y: Int, top: Int) -> cython.bint:
    """Move a piece down one row and sideways; return whether it reached a new position."""
    free: Int = steering.free[t, y]
    mask: Int = steering.reached[t, y]
    grown: Int
    if y + 1 < top:
        mask |= steering.reached[t, y + 1] & free
    grown = (mask | mask << 1 | mask >> 1) & free
    while grown != mask:
        mask = grown
        grown = (mask | mask << 1 | mask >> 1) & free
    if mask == steering.reached[t, y]:
        return False
    steering.reached[t, y] = mask
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _turn(steering: Steering, base: Int, t: Int, y: Int, top: Int) -> cython.bint:
    """Rotate a piece both ways with the first kick that fits; return whether a position is new."""
    changed: cython.bint = False
    k: Int
    i: Int
    to: Int
    at: Int
    dx: Int
    dy: Int
    left: Int
    grown: Int
    for k in range(2):
        left = steering.reached[t, y]
        to = t + 3 if k else t + 1
        to &= 3
        for i in range(5):
            at = _KICKS + 10 * k + 2 * i
            dx, dy = steering.spins[base + t, at], steering.spins[base + t, at + 1]
            if y + dy >= top:
                left = 0  # the kick succeeds, but leads to positions already reached
            if not left or y + dy < 0:
                continue
            grown = (left << dx if dx >= 0 else left >> -dx) & steering.free[to, y + dy]
            left &= ~(grown >> dx if dx >= 0 else grown << -dx)
            if grown & ~steering.reached[to, y + dy]:
                steering.reached[to, y + dy] |= grown
                changed = True
    return changed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _come_to_rest(steering: Steering, s: Int[::1], piece: Int) -> Int:
    """Write for each orientation the lower left corners from which the piece cannot move down."""
    first: Int[::1] = steering.board.first
    rest: Int[:, ::1] = steering.rest
    base: Int = 4 * (piece - 1)
    t: Int
    y: Int
    i: Int
    dx: Int
    row: Int
    mask: Int
    for i in range(first[piece], first[piece + 1]):
        for y in range(s[_N] + _EDGE):
            rest[i, y] = 0
    for t in range(4):
        i = steering.spins[base + t, 0]
        dx = steering.spins[base + t, 1] - _EDGE
        for y in range(1, s[_N] + 2 * _EDGE):
            mask = steering.reached[t, y] & ~steering.free[t, y - 1]
            row = y - _EDGE + steering.spins[base + t, 2]
            if mask and row >= 0:
                rest[i, row] |= mask << dx if dx >= 0 else mask >> -dx
    return 0
