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
"""How many cells a piece's centre or a kick can reach beyond the field."""

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
def steer(steering: Steering, state: Int[::1], piece: Int) -> Int:
    """Write all resting places of a piece into ``rest``; return 0.

    The search starts with all positions above the used rows: three rows below the spawn are free.
    It follows moves from there until no new position is found.
    """
    first_spin: Int = 4 * (piece - 1)
    rows: Int = state[_N] + 2 * _EDGE
    changed: cython.bint = True
    y: Int
    turn: Int
    for turn in range(4):
        _write_free_positions(steering, state, first_spin, turn)
    while changed:
        changed = False
        for y in range(rows - 1, -1, -1):
            for turn in range(4):
                if _move_down(steering, turn, y, rows):
                    changed = True
                if piece != _O and _rotate(steering, first_spin, turn, y, rows):
                    changed = True
    _write_resting_places(steering, state, piece)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_free_positions(steering: Steering, state: Int[::1], first_spin: Int, turn: Int) -> Int:
    """Write where the centre fits in a quarter turn; mark positions above the field as reached."""
    full: Int = steering.board.full
    used_rows: Int = state[_N]
    y: Int
    i: Int
    dx: Int
    row: Int
    mask: Int
    free_columns: Int
    for y in range(used_rows + 2 * _EDGE):
        mask = -1
        for i in range(4):
            dx = steering.spins[first_spin + turn, _CELLS + 2 * i]
            row = y - _EDGE + steering.spins[first_spin + turn, _CELLS + 2 * i + 1]
            free_columns = 0
            if row >= used_rows:
                free_columns = full << _EDGE
            elif row >= 0:
                free_columns = (~state[_HEAD + row] & full) << _EDGE
            mask &= free_columns >> dx if dx >= 0 else free_columns << -dx
        steering.free[turn, y] = mask
        steering.reached[turn, y] = mask if y >= used_rows + _EDGE + 2 else 0
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move_down(steering: Steering, turn: Int, y: Int, rows: Int) -> cython.bint:
    """Move a piece down one row and sideways; return whether it reached a new position."""
    free: Int = steering.free[turn, y]
    mask: Int = steering.reached[turn, y]
    reached: Int
    if y + 1 < rows:
        mask |= steering.reached[turn, y + 1] & free
    reached = (mask | mask << 1 | mask >> 1) & free
    while reached != mask:
        mask = reached
        reached = (mask | mask << 1 | mask >> 1) & free
    if mask == steering.reached[turn, y]:
        return False
    steering.reached[turn, y] = mask
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rotate(steering: Steering, first_spin: Int, turn: Int, y: Int, rows: Int) -> cython.bint:
    """Rotate a piece both ways with the first kick that fits; return whether a position is new."""
    changed: cython.bint = False
    direction: Int
    kick: Int
    next_turn: Int
    kick_column: Int
    dx: Int
    dy: Int
    not_turned: Int
    turned: Int
    for direction in range(2):
        not_turned = steering.reached[turn, y]
        next_turn = turn + 3 if direction else turn + 1
        next_turn &= 3
        for kick in range(5):
            kick_column = _KICKS + 10 * direction + 2 * kick
            dx, dy = (
                steering.spins[first_spin + turn, kick_column],
                steering.spins[first_spin + turn, kick_column + 1],
            )
            if y + dy >= rows:
                not_turned = 0  # the kick succeeds, but leads to positions already reached
            if not not_turned or y + dy < 0:
                continue
            turned = (not_turned << dx if dx >= 0 else not_turned >> -dx) & steering.free[
                next_turn, y + dy
            ]
            not_turned &= ~(turned >> dx if dx >= 0 else turned << -dx)
            if turned & ~steering.reached[next_turn, y + dy]:
                steering.reached[next_turn, y + dy] |= turned
                changed = True
    return changed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_resting_places(steering: Steering, state: Int[::1], piece: Int) -> Int:
    """Write for each orientation the lower left corners from which the piece cannot move down."""
    first: Int[::1] = steering.board.first
    rest: Int[:, ::1] = steering.rest
    first_spin: Int = 4 * (piece - 1)
    turn: Int
    y: Int
    form: Int
    dx: Int
    row: Int
    mask: Int
    for form in range(first[piece], first[piece + 1]):
        for y in range(state[_N] + _EDGE):
            rest[form, y] = 0
    for turn in range(4):
        form = steering.spins[first_spin + turn, 0]
        dx = steering.spins[first_spin + turn, 1] - _EDGE
        for y in range(1, state[_N] + 2 * _EDGE):
            mask = steering.reached[turn, y] & ~steering.free[turn, y - 1]
            row = y - _EDGE + steering.spins[first_spin + turn, 2]
            if mask and row >= 0:
                rest[form, row] |= mask << dx if dx >= 0 else mask >> -dx
    return 0
