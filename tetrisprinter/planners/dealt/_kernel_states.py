"""The states of the beam search over dealt pieces, compiled: moves, costs, rests and dead ends.

A state is an array: the number of rows in use; how many rows are assigned to the picture
(*opened*); how many are or were assigned to clear (*clears*); the held piece (0: none); the number
of pieces taken from the queue. Then follows a number for each row in use, lowest first: its filled
columns as bits and, from bit 16 on, its *assignment*: 0 if it will clear, else the number of the
picture row that it becomes, from 1. A *form* is an orientation by its index.

In reading order: how a drop changes a state, what a state costs, where a steered piece can rest
(rotation, kicks, shifts), and whether every missing square of a state can still be filled. That
last test is slow, because it looks at each missing square, so it runs only on the states that a
search would keep.
"""

from __future__ import annotations

from typing import Any

from tetrisprinter.support.kernels import zeros  # first: it refuses to run uncompiled
import cython
from cython import int as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.kernels import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.kernels import finish_hash, hash_first, hash_next

__all__ = [
    "COLUMNS",
    "DONE",
    "HEAD",
    "ROWS",
    "PictureTables",
    "ReachabilityTest",
    "Steering",
    "compute_cost",
    "hash_state",
    "lay_piece",
    "steer",
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
    """A picture on a board, the tables of the pieces, and the weights for the costs of states.

    - width, full, limit: the number of columns, all columns as bits, the number of usable rows.
    - height: rows of the picture.
    - steered: whether pieces are steered to where they lie; else they are hard-dropped.
    - wants: for each row of the picture the columns that each type may fill, and at index 0 those
      that must be filled.
    - forms: for each orientation its width, its height, the lowest cell of each of four
      columns, and the columns of each of four rows as bits.
    - first: the first orientation of each type, then the number of orientations.
    - weights: the costs of a missing square of the picture, of a missing square under a filled one,
      and of an end of a run of missing squares; see :mod:`~tetrisprinter.planners.dealt.beam`.
    - missing, unvisited, group, lost: working memory of :func:`compute_cost`: for each row, as
      bits, the missing squares: all, those not yet visited, those of the present group, and those
      of groups that cannot be filled.
    """

    def __init__(
        self, width: int, limit: int, wants: Any, forms: Any, steered: bool, weights: Any
    ) -> None:
        self.width, self.limit, self.steered = width, limit, steered
        self.full, self.height = (1 << width) - 1, len(wants)
        self.wants = memoryview(wants)
        self.forms, self.first = memoryview(forms[0]), memoryview(forms[1])
        self.weights = memoryview(weights)
        self.missing, self.unvisited = zeros("i", ROWS), zeros("i", ROWS)
        self.group, self.lost = zeros("i", ROWS), zeros("i", ROWS)


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


DONE = -1_000_000
"""The cost of the complete picture; a dead end costs less."""

_DONE = cython.declare(Int, -1_000_000)

_MISSING = cython.declare(Int, 0)
_COVERED = cython.declare(Int, 1)
_END = cython.declare(Int, 2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _compute_end_cost(board: PictureTables, columns: Int) -> Int:
    """Return the cost of the ends of the runs of adjacent columns."""
    return board.weights[_END] * count_bits((columns ^ columns << 1) & (2 * board.full + 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_cost(board: PictureTables, state: Int[::1]) -> Int:
    """Return the cost of a state, which is less than :data:`DONE` for a dead end."""
    weights: Int[::1] = board.weights
    used_rows: Int = state[_N]
    total: Int = 0
    filled_above: Int = 0
    missing_count: Int = 0
    row: Int
    count: Int
    missing: Int
    row_bits: Int
    for row in range(state[_OPENED], board.height):
        missing = board.wants[row, 0]
        missing_count += count_bits(missing)
        total += weights[_MISSING] * count_bits(missing) + _compute_end_cost(board, missing)
    for row in range(used_rows - 1, -1, -1):
        row_bits = state[_HEAD + row]
        missing = get_wanted(board, row_bits) & ~row_bits
        board.missing[row] = missing
        if missing:
            count = count_bits(missing)
            missing_count += count
            if row_bits >> 16:
                total += weights[_MISSING] * count
            total += (
                weights[_COVERED] * count_bits(missing & filled_above)
                + _compute_end_cost(board, missing)
                + count * (used_rows - 1 - row)
            )
        filled_above |= row_bits & board.full
    if not missing_count:
        return _DONE
    return total if _can_be_filled(board, state) else _DONE - 1


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
def _can_be_filled(board: PictureTables, state: Int[::1]) -> cython.bint:
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
        board.unvisited[row] = board.missing[row]
        board.lost[row] = board.group[row] = 0
    for low in range(used_rows - 1):
        while board.unvisited[low]:
            board.group[low] = board.unvisited[low] & -board.unvisited[low]
            high = _flood(board.group, board.missing, low, used_rows)
            if high < used_rows - 1 and not _can_fill_group(board, state, low, high):
                any_lost = True
                for row in range(low, high + 1):
                    board.lost[row] |= board.group[row]
            for row in range(low, high + 1):
                board.unvisited[row] &= ~board.group[row]
                board.group[row] = 0
    while any_lost:
        for row in range(used_rows):
            board.unvisited[row] = board.lost[row]
        any_lost = False
        any_saved: cython.bint = False
        for low in range(used_rows - 1):
            while board.unvisited[low]:
                board.group[low] = board.unvisited[low] & -board.unvisited[low]
                high = _flood(board.group, board.lost, low, used_rows)
                if _has_clearing_neighbor(board, state, low, high):
                    any_saved = True
                    for row in range(low, high + 1):
                        board.lost[row] &= ~board.group[row]
                else:
                    any_lost = True
                for row in range(low, high + 1):
                    board.unvisited[row] &= ~board.group[row]
                    board.group[row] = 0
        if any_lost and not any_saved:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _can_fill_group(board: PictureTables, state: Int[::1], low: Int, high: Int) -> cython.bint:
    """Return whether pieces inside the present group, in rows ``low`` to ``high``, may fill it."""
    size: Int = 0
    row: Int
    is_supported: cython.bint = False
    is_picture_only: cython.bint = True
    for row in range(low, high + 1):
        size += count_bits(board.group[row])
        if not row or board.group[row] & state[_HEAD + row - 1]:
            is_supported = True
        if not state[_HEAD + row] >> 16:
            is_picture_only = False
    return size >= 4 and is_supported and not (is_picture_only and size & 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_clearing_neighbor(
    board: PictureTables, state: Int[::1], low: Int, high: Int
) -> cython.bint:
    """Return whether a row that may clear and has no lost squares touches the present group."""
    row: Int
    for row in range(low, high + 1):
        if not state[_HEAD + row + 1] >> 16 and not board.lost[row + 1]:
            return True
        if row and not state[_HEAD + row - 1] >> 16 and not board.lost[row - 1]:
            return True
    return False


_EDGE = cython.declare(Int, 4)
"""How many cells a piece's centre or a kick can reach beyond the field."""

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


_SIZE = cython.declare(Int, HEAD + ROWS)
"""The length of a state."""


@cython.cclass
class ReachabilityTest:
    """The test for squares that no piece can reach, with its tables.

    - full, wants, forms, first: as in ``PictureTables``.
    - _picture_row, _free, _rows, _reachable: for each layer (see :meth:`_is_live`) the number of
      its picture row or 0, the columns that are not filled, the number of rows, and the columns
      that some piece can fill.
    - _piece_layers: for each row of the present piece its layer.
    """

    full: Int
    wants: Int[:, ::1]
    forms: Int[:, ::1]
    first: Int[::1]
    _picture_row: Int[::1]
    _free: Int[::1]
    _rows: Int[::1]
    _reachable: Int[::1]
    _piece_layers: Int[::1]

    def __init__(self, board: PictureTables) -> None:
        self.full, self.wants = board.full, board.wants
        self.forms, self.first = board.forms, board.first
        rows = ROWS + 4
        self._picture_row, self._free, self._piece_layers = (
            zeros("i", rows),
            zeros("i", rows),
            zeros("i", rows),
        )
        self._rows, self._reachable = zeros("i", rows), zeros("i", rows)

    @cython.ccall
    def mark_live(self, states: Int[::1], count: Int, out: Int[::1]) -> Int:
        """Mark each state with 1 if every missing square can still be filled, else with 0.

        The states follow each other in one array. Returns the number of states marked with 1.
        """
        i: Int
        live_count: Int = 0
        for i in range(count):
            out[i] = self._is_live(states[i * _SIZE : (i + 1) * _SIZE])
            live_count += out[i]
        return live_count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_live(self, state: Int[::1]) -> Int:
        """Return whether every missing square has room for a piece that may fill it.

        Rows that will clear between two picture rows may or may not have cleared when that piece
        drops. So they form one *layer*, in which a square counts as missing if any of the rows
        lacks it; each picture row is a layer, too. In picture rows filled squares stay filled.
        Above the highest row all squares are free. The floor, a wanted square of a picture row,
        and a row that will clear can support a piece.
        """
        picture_row: Int[::1] = self._picture_row
        free: Int[::1] = self._free
        rows: Int[::1] = self._rows
        reachable: Int[::1] = self._reachable
        forms: Int[:, ::1] = self.forms
        piece_layers: Int[::1] = self._piece_layers
        used_rows: Int = state[0]
        layers: Int = 0
        row: Int
        number: Int
        layer: Int
        form: Int
        i: Int
        piece: Int
        skips: Int
        fits: Int
        mask: Int
        for row in range(used_rows):
            number = state[_HEAD + row] >> 16
            mask = ~state[_HEAD + row] & self.full
            if not number and layers and not picture_row[layers - 1]:
                free[layers - 1] |= mask
                rows[layers - 1] += 1
            else:
                picture_row[layers], free[layers] = number, mask
                rows[layers], reachable[layers] = 1, 0
                layers += 1
        for layer in range(layers):
            for piece in range(1, 8):
                for form in range(self.first[piece], self.first[piece + 1]):
                    for skips in range(1 << (forms[form, 1] - 1)):
                        if not self._write_layers(layer, layers, forms[form, 1], skips):
                            continue
                        fits = self.full
                        for i in range(forms[form, 1]):
                            if piece_layers[i] < layers:
                                fits &= self._find_fitting_columns(
                                    piece_layers[i], forms[form, 6 + i], piece
                                )
                        if fits:
                            fits &= self._find_support_columns(form, layers)
                        if not fits:
                            continue
                        for i in range(forms[form, 1]):
                            if piece_layers[i] < layers:
                                mask = forms[form, 6 + i]
                                while mask:
                                    reachable[piece_layers[i]] |= fits * (mask & -mask)
                                    mask &= mask - 1
        for layer in range(layers):
            number = picture_row[layer]
            if (
                free[layer]
                & (self.wants[number - 1, 0] if number else self.full)
                & ~reachable[layer]
            ):
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write_layers(self, layer: Int, layers: Int, height: Int, skips: Int) -> Int:
        """Write the layer of each row of a piece whose lowest row is in layer ``layer``.

        ``skips`` has a bit for each further row: 1 if the rows that clear below it have cleared.
        Returns 0 if no such placement exists.
        """
        piece_layers: Int[::1] = self._piece_layers
        i: Int
        rows_used: Int = 1
        piece_layers[0] = layer
        for i in range(1, height):
            if layer == layers:
                if skips & 1:
                    return 0
            elif self._picture_row[layer]:
                layer += 1
                if skips & 1:
                    if layer == layers or self._picture_row[layer]:
                        return 0
                    layer += 1
                rows_used = 1
            elif skips & 1:
                layer += 1
            else:
                rows_used += 1
                if rows_used > self._rows[layer]:
                    return 0
            piece_layers[i] = layer
            skips >>= 1
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_fitting_columns(self, layer: Int, mask: Int, piece: Int) -> Int:
        """Return the columns at which a row of a piece, given as bits, fits into a layer."""
        number: Int = self._picture_row[layer]
        free: Int = self._free[layer] & (self.wants[number - 1, piece] if number else self.full)
        fits: Int = self.full
        x: Int = 0
        while mask >> x:
            if mask >> x & 1:
                fits &= free >> x
            x += 1
        return fits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_support_columns(self, form: Int, layers: Int) -> Int:
        """Return the columns in which a piece in the layers ``_piece_layers`` may have support."""
        piece_layers: Int[::1] = self._piece_layers
        supported: Int = 0
        i: Int
        x: Int
        layer_below: Int
        mask: Int
        below: Int
        for i in range(self.forms[form, 1]):
            layer_below = piece_layers[i]
            below = self.full
            if i:
                layer_below = piece_layers[i - 1]
                if layer_below == layers or not self._picture_row[layer_below]:
                    layer_below = -1
            elif (
                layer_below < layers
                and not self._picture_row[layer_below]
                and self._rows[layer_below] > 1
            ):
                layer_below = -1
            else:
                layer_below -= 1
                if layer_below >= 0 and not self._picture_row[layer_below]:
                    layer_below = -1
            if layer_below >= 0:
                below = self.wants[self._picture_row[layer_below] - 1, 0]
            mask = self.forms[form, 6 + i] & ~(self.forms[form, 5 + i] if i else 0)
            x = 0
            while mask >> x:
                if mask >> x & 1:
                    supported |= below >> x
                x += 1
        return supported
