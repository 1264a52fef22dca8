"""The compiled test that finds out whether every missing square of a state can still be filled.

:mod:`~tetrisprinter.planners.dealt._kernel_states` describes a state. The test is slow, because it
looks at each missing square, so it runs only on the states that a search would keep.
"""

from __future__ import annotations

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Int

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.dealt._kernel_states import PictureTables
else:
    from tetrisprinter.planners.dealt._kernel_states import PictureTables

from tetrisprinter.planners.dealt._kernel_states import HEAD, ROWS
from tetrisprinter.support.arrays import zeros

__all__ = ["ReachabilityTest"]

_HEAD = cython.declare(Int, 5)
"""How many numbers of a state come before its rows; the first is the number of used rows."""
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
