"""The compiled test whether every missing square of a state can still be filled.

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
    """

    full: Int
    wants: Int[:, ::1]
    forms: Int[:, ::1]
    first: Int[::1]
    _layer: Int[::1]
    _room: Int[::1]
    _rows: Int[::1]
    _met: Int[::1]
    _at: Int[::1]

    def __init__(self, board: PictureTables) -> None:
        self.full, self.wants = board.full, board.wants
        self.forms, self.first = board.forms, board.first
        rows = ROWS + 4
        self._layer, self._room, self._at = zeros("i", rows), zeros("i", rows), zeros("i", rows)
        self._rows, self._met = zeros("i", rows), zeros("i", rows)

    @cython.ccall
    def mark_live(self, states: Int[::1], count: Int, out: Int[::1]) -> Int:
        """Mark each state with 1 if every missing square can still be filled, else with 0.

        The states follow each other in one array. Returns the number of states marked with 1.
        """
        i: Int
        left: Int = 0
        for i in range(count):
            out[i] = self._can_be_reached(states[i * _SIZE : (i + 1) * _SIZE])
            left += out[i]
        return left

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _can_be_reached(self, s: Int[::1]) -> Int:
        """Return whether every missing square has room for a piece that may fill it.

        Rows that clear between two picture rows may be gone or not when that piece comes. So they
        form one *layer*, in which every square counts as missing that one of them misses. Picture
        rows with nothing between them stay neighbours. In picture rows filled squares stay filled.
        Above the highest row all squares are free. The floor, a wanted square of a picture row,
        and a row that clears can support a piece.
        """
        layer: Int[::1] = self._layer
        room: Int[::1] = self._room
        rows: Int[::1] = self._rows
        reachable: Int[::1] = self._met
        forms: Int[:, ::1] = self.forms
        at: Int[::1] = self._at
        n: Int = s[0]
        top: Int = 0
        r: Int
        d: Int
        v: Int
        f: Int
        i: Int
        piece: Int
        skips: Int
        fits: Int
        mask: Int
        for r in range(n):
            d = s[_HEAD + r] >> 16
            mask = ~s[_HEAD + r] & self.full
            if not d and top and not layer[top - 1]:
                room[top - 1] |= mask
                rows[top - 1] += 1
            else:
                layer[top], room[top], rows[top], reachable[top] = d, mask, 1, 0
                top += 1
        for v in range(top):
            for piece in range(1, 8):
                for f in range(self.first[piece], self.first[piece + 1]):
                    for skips in range(1 << (forms[f, 1] - 1)):
                        if not self._find_layers(v, top, forms[f, 1], skips):
                            continue
                        fits = self.full
                        for i in range(forms[f, 1]):
                            if at[i] < top:
                                fits &= self._find_fitting_columns(at[i], forms[f, 6 + i], piece)
                        if fits:
                            fits &= self._find_support_columns(f, top)
                        if not fits:
                            continue
                        for i in range(forms[f, 1]):
                            if at[i] < top:
                                mask = forms[f, 6 + i]
                                while mask:
                                    reachable[at[i]] |= fits * (mask & -mask)
                                    mask &= mask - 1
        for v in range(top):
            d = layer[v]
            if room[v] & (self.wants[d - 1, 0] if d else self.full) & ~reachable[v]:
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_layers(self, v: Int, top: Int, height: Int, skips: Int) -> Int:
        """Write the layer of each row of a piece whose lowest row is in layer ``v``.

        ``skips`` has a bit for each further row: 1 if clearing rows below it are gone. Returns 0
        if no such placement exists.
        """
        at: Int[::1] = self._at
        i: Int
        rows_used: Int = 1
        at[0] = v
        for i in range(1, height):
            if v == top:
                if skips & 1:
                    return 0
            elif self._layer[v]:
                v += 1
                if skips & 1:
                    if v == top or self._layer[v]:
                        return 0
                    v += 1
                rows_used = 1
            elif skips & 1:
                v += 1
            else:
                rows_used += 1
                if rows_used > self._rows[v]:
                    return 0
            at[i] = v
            skips >>= 1
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_fitting_columns(self, v: Int, mask: Int, piece: Int) -> Int:
        """Return the columns at which a row of a piece fits into a layer."""
        d: Int = self._layer[v]
        room: Int = self._room[v] & (self.wants[d - 1, piece] if d else self.full)
        fits: Int = self.full
        x: Int = 0
        while mask >> x:
            if mask >> x & 1:
                fits &= room >> x
            x += 1
        return fits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_support_columns(self, f: Int, top: Int) -> Int:
        """Return the columns in which something may support a piece in these layers."""
        at: Int[::1] = self._at
        supported: Int = 0
        i: Int
        x: Int
        v: Int
        mask: Int
        below: Int
        for i in range(self.forms[f, 1]):
            v = at[i]
            below = self.full
            if i:
                v = at[i - 1]
                if v == top or not self._layer[v]:
                    v = -1
            elif v < top and not self._layer[v] and self._rows[v] > 1:
                v = -1
            else:
                v -= 1
                if v >= 0 and not self._layer[v]:
                    v = -1
            if v >= 0:
                below = self.wants[self._layer[v] - 1, 0]
            mask = self.forms[f, 6 + i] & ~(self.forms[f, 5 + i] if i else 0)
            x = 0
            while mask >> x:
                if mask >> x & 1:
                    supported |= below >> x
                x += 1
        return supported
