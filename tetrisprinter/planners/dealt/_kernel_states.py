"""The compiled states of the beam search over dealt pieces, and how a drop changes a state.

A state is an array: the number of rows in use; how many rows are assigned to the picture
(*opened*); how many are or were assigned to clear (*clears*); the held piece (0: none); the number
of pieces taken from the queue. Then follows a number for each row in use, lowest first: its filled
columns as bits and, from bit 16 on, its *assignment*: 0 if it will clear, else the number of the
picture row that it becomes, from 1. A *form* is an orientation by its index.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next

__all__ = [
    "COLUMNS",
    "HEAD",
    "ROWS",
    "PictureTables",
    "count_bits",
    "get_wanted",
    "hash_state",
    "lay_piece",
]

HEAD = 5
"""How many numbers of a state come before its rows."""
COLUMNS = 15
"""The most columns of a board: a move has four bits for a column, a row has 16 bits."""
ROWS = 40
"""The most rows of a board; this only limits the memory."""

_HEAD = cython.declare(Int, 5)
_N = cython.declare(Int, 0)
_OPENED = cython.declare(Int, 1)
_CLEARS = cython.declare(Int, 2)


@cython.cclass
class PictureTables:
    """A picture on a board, and the tables of the pieces.

    - width, full, limit: the number of columns, all columns as bits, the number of usable rows.
    - height: rows of the picture.
    - steered: whether pieces are steered to where they lie; else they are hard-dropped.
    - wants: for each row of the picture the columns that each type may fill, and at index 0 those
      that must be filled.
    - forms: for each orientation its width, its height, the lowest cell of each of four
      columns, and the columns of each of four rows as bits.
    - first: the first orientation of each type, then the number of orientations.
    """

    def __init__(self, width: int, limit: int, wants: Any, forms: Any, steered: bool) -> None:
        self.width, self.limit, self.steered = width, limit, steered
        self.full, self.height = (1 << width) - 1, len(wants)
        self.wants = memoryview(wants)
        self.forms, self.first = memoryview(forms[0]), memoryview(forms[1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_bits(columns: Int) -> Int:
    """Count the set bits of a 16-bit number."""
    columns = columns - ((columns >> 1) & 0x5555)
    columns = (columns & 0x3333) + ((columns >> 2) & 0x3333)
    columns = (columns + (columns >> 4)) & 0x0F0F
    return (columns + (columns >> 8)) & 31


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def get_wanted(board: PictureTables, row: Int) -> Int:
    """Return the columns that a row must fill in the end; all columns if it will clear."""
    picture_row: Int = row >> 16
    return board.wants[picture_row - 1, 0] if picture_row else board.full


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lay_piece(
    board: PictureTables,
    state: Int[::1],
    out: Int[::1],
    form: Int,
    x: Int,
    y: Int,
    clear_bits: Int,
    piece: Int,
) -> cython.bint:
    """Write the state after a piece is placed; return whether the placement is allowed.

    ``clear_bits`` has a bit for each row that is used for the first time: 1 if it will clear. The
    caller updates the hold and the queue.
    """
    used_rows: Int = state[_N]
    top: Int = y + board.forms[form, 1]
    printed_columns: Int = 0
    has_full_row: cython.bint = False
    row: Int
    mask: Int
    row_bits: Int
    out[_OPENED], out[_CLEARS] = state[_OPENED], state[_CLEARS]
    for row in range(used_rows):
        out[_HEAD + row] = state[_HEAD + row]
    for row in range(used_rows, top):
        if clear_bits >> (row - used_rows) & 1:
            out[_HEAD + row] = 0
            out[_CLEARS] += 1
        else:
            if out[_OPENED] == board.height:
                return False
            out[_OPENED] += 1
            out[_HEAD + row] = out[_OPENED] << 16
    out[_N] = max(used_rows, top)
    for row in range(y, top):
        mask = board.forms[form, 6 + row - y] << x
        row_bits = out[_HEAD + row]
        if row_bits >> 16:
            if mask & ~board.wants[(row_bits >> 16) - 1, piece]:
                return False
            printed_columns |= mask
        elif (row_bits | mask) == board.full:
            has_full_row = True
        out[_HEAD + row] = row_bits | mask
    if printed_columns and not board.steered and _buries_gap(board, out, y, top, printed_columns):
        return False
    if has_full_row:
        _clear_full_rows(board, out, y)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _buries_gap(
    board: PictureTables, state: Int[::1], y: Int, top: Int, printed_columns: Int
) -> cython.bint:
    """Return whether printed squares cover missing ones, which hard drops can no longer reach."""
    missing: Int = 0
    row: Int
    row_bits: Int
    for row in range(top):
        row_bits = state[_HEAD + row]
        if row >= y and row_bits >> 16 and row_bits & printed_columns & missing:
            return True
        missing |= get_wanted(board, row_bits) & ~row_bits
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear_full_rows(board: PictureTables, state: Int[::1], y: Int) -> cython.void:
    """Remove full rows; the lowest of them is row ``y`` or higher."""
    target_row: Int = y
    row: Int
    row_bits: Int
    for row in range(y, state[_N]):
        row_bits = state[_HEAD + row]
        if row_bits != board.full:
            state[_HEAD + target_row] = row_bits
            target_row += 1
    state[_N] = target_row


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hash_state(state: Int[::1]) -> Word:
    """Return the hash of a state."""
    code: Word = hash_first(0)
    i: Int
    for i in range(_HEAD + state[_N]):
        code = hash_next(code, state[i])
    return finish_hash(code)
