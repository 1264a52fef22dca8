"""The compiled inner loop of the beam search over dealt pieces.

A state is a row of numbers: how many rows of the field are in use, how many of them are or were
rows of the picture (*opened*), how many rows are meant to clear or did (*clears*), what is held
(0: nothing), how many pieces have come; then for each row in use, lowest first, its filled
columns as bits and, from bit 16 on, its *destiny*: 0 if it is to clear, else the number of the
picture's row that it becomes, from 1.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython import int as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.words import begun, mixed, spread
else:
    from tetrisprinter.support.words import begun, mixed, spread

__all__ = ["DONE", "HEAD", "ROWS", "Question"]

HEAD = 5
"""Numbers of a state before its rows."""
ROWS = 44
"""Most rows in use."""
DONE = -1_000_000
"""What the picture itself costs."""

_EDGE = cython.declare(Int, 4)
"""Rows and columns beyond the field that a centre or a kick may come to."""

_HEAD = cython.declare(Int, 5)
_DONE = cython.declare(Int, -1_000_000)
_N = cython.declare(Int, 0)
_OPENED = cython.declare(Int, 1)
_CLEARS = cython.declare(Int, 2)
_HELD = cython.declare(Int, 3)
_CAME = cython.declare(Int, 4)
_O = cython.declare(Int, 4)
"""The type that does not turn."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _bits(word: Int) -> Int:
    word = word - ((word >> 1) & 0x5555)
    word = (word & 0x3333) + ((word >> 2) & 0x3333)
    word = (word + (word >> 4)) & 0x0F0F
    return (word + (word >> 8)) & 31


@cython.cclass
class Question:
    """A picture, the pieces that come, and what states cost.

    Attributes
    ----------
    width, height
        Columns of the board, at most 16; rows of the picture.
    limit
        Rows of the board.
    hold
        Whether a piece may be laid aside.
    queue
        The pieces that come, 1 to 7.
    wants
        For each row of the picture the columns that each type may fill, and at 0 those that have
        to be filled.
    forms
        For each orientation: width, height, the bottoms of its columns, the columns of its rows.
    first
        The first orientation of each type, and the end.
    weights
        What a state costs; see :mod:`~tetrisprinter.planners.dealt.beam`.
    noise, salt
        How much of the cost is chance, and which.
    spins
        If pieces are steered, for each type a row for each quarter turn: the orientation, the
        column and the row of its lower left corner from its centre, its four cells, the five kicks
        clockwise, then those counterclockwise. Else empty: pieces fall straight.
    """

    width: Int
    height: Int
    limit: Int
    full: Int
    hold: Int
    noise: Int
    salt: Word
    queue: Int[::1]
    wants: Int[:, ::1]
    forms: Int[:, ::1]
    first: Int[::1]
    weights: Int[::1]
    spins: Int[:, ::1]
    _costs: Int[::1]
    _codes: Word[::1]
    _parents: Int[::1]
    _moves: Int[::1]
    _free: Int[:, ::1]
    _come: Int[:, ::1]
    _rest: Int[:, ::1]
    _next: Int[::1]
    _missing: Int[::1]
    _left: Int[::1]
    _seen: Int[::1]
    _lost: Int[::1]
    _tops: Int[::1]

    def __init__(
        self, sizes: Any, queue: Any, wants: Any, forms: Any, weights: Any, spins: Any
    ) -> None:
        self.width, self.height, self.limit, self.hold, self.noise, self.salt = sizes
        self.full = (1 << self.width) - 1
        self.queue, self.wants = memoryview(queue), memoryview(wants)
        self.forms, self.first = memoryview(forms[0]), memoryview(forms[1])
        self.weights = memoryview(weights)
        room = np.zeros((6, HEAD + ROWS), np.int32)
        self._next, self._missing = memoryview(room[0]), memoryview(room[1])
        self._left, self._seen = memoryview(room[2]), memoryview(room[3])
        self._lost, self._tops = memoryview(room[4]), memoryview(room[5])
        self.spins = memoryview(spins)
        self._free = memoryview(np.zeros((4, ROWS + 2 * _EDGE), np.int32))
        self._come = memoryview(np.zeros((4, ROWS + 2 * _EDGE), np.int32))
        self._rest = memoryview(np.zeros((forms[0].shape[0], ROWS + 2 * _EDGE), np.int32))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _grow(self, among: Int[::1], low: Int, n: Int) -> Int:
        """Let what is seen grow to all that is joined to it; return its highest row."""
        seen: Int[::1] = self._seen
        high: Int = low
        k: Int
        m: Int
        grown: Int = 1
        while grown:
            grown = 0
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
                    grown = 1
                if k == high and k < n - 1 and m & among[k + 1]:
                    high += 1
                    seen[high] = m & among[high]
                    grown = 1
                k += 1
        return high

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _enclosed(self) -> Int:
        """Count the groups of missing squares cut off from above; -1 if no game fills them.

        A group of missing squares that are joined side by side or one above the other is filled
        by pieces that lie wholly in it, as long as no row beside it clears. So it is lost if it has
        fewer than four squares, if nothing below it holds a piece, or if all of it lies in
        rows of the picture and four does not divide it; except that a row may clear beside
        it, which asks for nothing lost in that row.
        """
        s: Int[::1] = self._next
        missing: Int[::1] = self._missing
        left: Int[::1] = self._left
        seen: Int[::1] = self._seen
        lost: Int[::1] = self._lost
        n: Int = s[_N]
        r: Int
        q: Int
        k: Int
        high: Int
        size: Int
        held: Int
        pure: Int
        saved: Int
        changed: Int
        some: Int = 0
        groups: Int = 0
        for r in range(n):
            left[r] = missing[r]
            lost[r] = 0
            seen[r] = 0
        for q in range(n - 1):
            while left[q]:
                seen[q] = left[q] & -left[q]
                high = self._grow(missing, q, n)
                size, held, pure = 0, 0, 1
                for k in range(q, high + 1):
                    size += _bits(seen[k])
                    left[k] &= ~seen[k]
                    if not k or seen[k] & s[_HEAD + k - 1]:
                        held = 1
                    if not s[_HEAD + k] >> 16:
                        pure = 0
                if high < n - 1:
                    if size >= 4 and held and not (pure and size & 3):
                        groups += 1
                    else:
                        some = 1
                        for k in range(q, high + 1):
                            lost[k] |= seen[k]
                for k in range(q, high + 1):
                    seen[k] = 0
        while some:
            some, changed = 0, 0
            for r in range(n):
                left[r] = lost[r]
            for q in range(n - 1):
                while left[q]:
                    seen[q] = left[q] & -left[q]
                    high = self._grow(lost, q, n)
                    saved = 0
                    for k in range(q, high + 1):
                        left[k] &= ~seen[k]
                        if not s[_HEAD + k + 1] >> 16 and not lost[k + 1]:
                            saved = 1
                        if k and not s[_HEAD + k - 1] >> 16 and not lost[k - 1]:
                            saved = 1
                    for k in range(q, high + 1):
                        if saved:
                            lost[k] &= ~seen[k]
                        seen[k] = 0
                    if saved:
                        changed = 1
                    else:
                        some = 1
            if some and not changed:
                return -1
        return groups

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _cost(self) -> Int:
        """Return what the next state costs; less than :data:`DONE` if nobody can go on from it."""
        s: Int[::1] = self._next
        w: Int[::1] = self.weights
        missing: Int[::1] = self._missing
        n: Int = s[_N]
        r: Int
        c: Int
        d: Int
        m: Int
        word: Int
        single: Int
        cost: Int = w[0] * s[_CLEARS]
        cover: Int = 0
        above: Int = 0
        singles: Int = 0
        roof: Int = 0
        left: Int = 0
        for r in range(s[_OPENED], self.height):
            m = self.wants[r, 0]
            c = _bits(m)
            left += c
            cost += w[1] + w[2] * c + w[6] + w[8] * _bits((m ^ (m << 1)) & (2 * self.full + 1))
        for r in range(n - 1, -1, -1):
            word = s[_HEAD + r]
            d = word >> 16
            word &= self.full
            m = (self.wants[d - 1, 0] if d else self.full) & ~word
            missing[r] = m
            single = 0
            if m:
                c = _bits(m)
                left += c
                cost += w[2] * c + w[6] if d else w[7]
                single = m & ~(m << 1) & ~(m >> 1)
                cost += w[3] * _bits(m & cover) + w[4] * _bits(single)
                cost += w[5] * _bits(single & singles)
                cost += w[8] * _bits((m ^ (m << 1)) & (2 * self.full + 1))
                if roof:
                    cost += w[9] * _bits(m & ~above)
                cost += w[11] * c * (n - 1 - r if n - 1 - r < 6 else 6)
            singles = single
            above = m
            roof = d
            cover |= word
        if not left:
            return _DONE
        if s[_OPENED] == self.height and left & 3:
            cost += w[0]
        c = self._enclosed()
        return _DONE - 1 if c < 0 else cost + w[10] * c

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _put(self, s: Int[::1], form: Int, x: Int, y: Int, fates: Int, piece: Int) -> Int:
        """Make the next state by laying a piece; 0 if that is not allowed.

        ``fates`` has a bit for each row that is used for the first time: 1 if it is to clear.
        """
        out: Int[::1] = self._next
        n: Int = s[_N]
        top: Int = y + self.forms[form, 1]
        opened: Int = s[_OPENED]
        clears: Int = s[_CLEARS]
        printed: Int = 0
        lacking: Int = 0
        whole: Int = 0
        r: Int
        i: Int
        d: Int
        mask: Int
        word: Int
        to: Int
        for r in range(n):
            out[_HEAD + r] = s[_HEAD + r]
        for r in range(n, top):
            if fates >> (r - n) & 1:
                out[_HEAD + r] = 0
                clears += 1
            else:
                if opened == self.height:
                    return 0
                opened += 1
                out[_HEAD + r] = opened << 16
        n = max(n, top)
        for i in range(self.forms[form, 1]):
            mask = self.forms[form, 6 + i] << x
            word = out[_HEAD + y + i]
            d = word >> 16
            if d:
                if mask & ~self.wants[d - 1, piece]:
                    return 0
                printed |= mask
            elif (word | mask) == self.full:
                whole = 1
            out[_HEAD + y + i] = word | mask
        if printed and not self.spins.shape[0]:
            # What is missing below a square of the picture will always be.
            for r in range(top):
                word = out[_HEAD + r]
                d = word >> 16
                if d and r >= y and word & printed & lacking:
                    return 0
                lacking |= (self.wants[d - 1, 0] if d else self.full) & ~word
        if whole:
            to = y
            for r in range(y, n):
                word = out[_HEAD + r]
                if word != self.full:
                    out[_HEAD + to] = word
                    to += 1
            n = to
        out[_N], out[_OPENED], out[_CLEARS] = n, opened, clears
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _steer(self, s: Int[::1], piece: Int) -> Int:
        """Write where a piece comes to rest that is turned, kicked, shifted and let down.

        For each orientation and row of its lower left corner ``_rest`` gets its columns as bits.
        It can be everywhere above the rows in use: those that spawn it are not among them, and
        three below are free. From there it is followed until nothing new is found.
        """
        free: Int[:, ::1] = self._free
        come: Int[:, ::1] = self._come
        spins: Int[:, ::1] = self.spins
        n: Int = s[_N]
        top: Int = n + 2 * _EDGE  # rows and columns of centres are counted from -4
        base: Int = 4 * (piece - 1)
        t: Int
        y: Int
        i: Int
        k: Int
        to: Int
        dx: Int
        dy: Int
        row: Int
        mask: Int
        left: Int
        grown: Int
        changed: Int = 1
        for t in range(4):
            for y in range(top):
                mask = -1
                for i in range(4):
                    dx = spins[base + t, 3 + 2 * i]
                    row = y - _EDGE + spins[base + t, 4 + 2 * i]
                    left = 0
                    if row >= n:
                        left = self.full << _EDGE
                    elif row >= 0:
                        left = (~s[_HEAD + row] & self.full) << _EDGE
                    mask &= left >> dx if dx >= 0 else left << -dx
                free[t, y] = mask
                come[t, y] = mask if y >= n + _EDGE + 2 else 0
        while changed:
            changed = 0
            for y in range(top - 1, -1, -1):
                for t in range(4):
                    mask = come[t, y]
                    if y + 1 < top:
                        mask |= come[t, y + 1] & free[t, y]
                    grown = (mask | mask << 1 | mask >> 1) & free[t, y]
                    while grown != mask:
                        mask = grown
                        grown = (mask | mask << 1 | mask >> 1) & free[t, y]
                    if mask != come[t, y]:
                        come[t, y] = mask
                        changed = 1
                    for k in range(2 if piece != _O else 0):
                        left = mask
                        to = t + 1 if not k else t + 3
                        to &= 3
                        for i in range(5):
                            dx = spins[base + t, 11 + 10 * k + 2 * i]
                            dy = spins[base + t, 12 + 10 * k + 2 * i]
                            if y + dy >= top:
                                left = 0  # free above, where everything is known
                            if not left or y + dy < 0:
                                continue
                            grown = (left << dx if dx >= 0 else left >> -dx) & free[to, y + dy]
                            left &= ~(grown >> dx if dx >= 0 else grown << -dx)
                            if grown & ~come[to, y + dy]:
                                come[to, y + dy] |= grown
                                changed = 1
        for i in range(self.first[piece], self.first[piece + 1]):
            for y in range(n + _EDGE):
                self._rest[i, y] = 0
        for t in range(4):
            i = spins[base + t, 0]
            dx = spins[base + t, 1] - _EDGE
            for y in range(1, top):
                mask = come[t, y] & ~free[t, y - 1]
                row = y - _EDGE + spins[base + t, 2]
                if mask and row >= 0:
                    self._rest[i, row] |= mask << dx if dx >= 0 else mask >> -dx
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _lay(
        self,
        s: Int[::1],
        form: Int,
        x: Int,
        y: Int,
        piece: Int,
        held: Int,
        came: Int,
        swap: Int,
        parent: Int,
        found: Int,
    ) -> Int:
        """Write all states that follow when a piece lies there; return how many there are then."""
        out: Int[::1] = self._next
        fates: Int
        new: Int = y + self.forms[form, 1] - s[_N]
        cost: Int
        code: Word
        r: Int
        if y + self.forms[form, 1] > self.limit:
            return found
        for fates in range(1 << (new if new > 0 else 0)):
            if not self._put(s, form, x, y, fates, piece):
                continue
            cost = self._cost()
            if cost < _DONE or found == self._costs.shape[0]:
                continue
            out[_HELD], out[_CAME] = held, came
            code = begun(0)
            for r in range(_HEAD + out[_N]):
                code = mixed(code, out[r])
            code = spread(code)
            if self.noise and cost > _DONE:
                cost += (spread(code ^ self.salt) >> 40) % self.noise
            self._costs[found], self._codes[found], self._parents[found] = cost, code, parent
            self._moves[found] = form | x << 5 | y << 9 | fates << 15 | swap << 19 | piece << 20
            found += 1
        return found

    @cython.ccall
    def expand(
        self,
        states: Int[:, ::1],
        count: Int,
        costs: Int[::1],
        codes: Word[::1],
        parents: Int[::1],
        moves: Int[::1],
    ) -> Int:
        """Try everything that can be done next in some states.

        Parameters
        ----------
        states, count
            The states.
        costs, codes, parents, moves
            Where to write the cost of each state that follows, its hash, which state it comes
            from, and what is done: orientation, column from bit 5, row from bit 9, fates from
            bit 15, whether the hold is used at bit 19, the piece from bit 20.

        Returns
        -------
        int
            How many follow.
        """
        length: Int = self.queue.shape[0]
        forms: Int[:, ::1] = self.forms
        tops: Int[::1] = self._tops
        found: Int = 0
        i: Int
        x: Int
        y: Int
        r: Int
        f: Int
        word: Int
        swap: Int
        piece: Int
        held: Int
        came: Int
        self._costs, self._codes, self._parents, self._moves = costs, codes, parents, moves
        for i in range(count):
            s: Int[::1] = states[i]
            for x in range(self.width):
                tops[x] = 0
            for r in range(s[_N]):
                word = s[_HEAD + r]
                for x in range(self.width):
                    if word >> x & 1:
                        tops[x] = r + 1
            for swap in range(1 + self.hold):
                held, came = s[_HELD], s[_CAME]
                if not swap:
                    if came >= length:
                        continue
                    piece = self.queue[came]
                    came += 1
                elif held:
                    piece, held = held, 0
                    if came < length:
                        held = self.queue[came]
                        came += 1
                    if piece == held:
                        continue
                else:
                    if came + 1 >= length:
                        continue
                    held, piece = self.queue[came], self.queue[came + 1]
                    came += 2
                if self.spins.shape[0]:
                    self._steer(s, piece)
                for f in range(self.first[piece], self.first[piece + 1]):
                    if self.spins.shape[0]:
                        for y in range(s[_N] + 1):
                            for x in range(self.width - forms[f, 0] + 1):
                                if self._rest[f, y] >> x & 1:
                                    found = self._lay(s, f, x, y, piece, held, came, swap, i, found)
                        continue
                    for x in range(self.width - forms[f, 0] + 1):
                        y = 0
                        for r in range(forms[f, 0]):
                            y = max(y, tops[x + r] - forms[f, 2 + r])
                        found = self._lay(s, f, x, y, piece, held, came, swap, i, found)
        return found

    @cython.ccall
    def advance(
        self,
        states: Int[:, ::1],
        parents: Int[::1],
        moves: Int[::1],
        count: Int,
        out: Int[:, ::1],
    ) -> Int:
        """Write the states that follow from some moves; parameters as :meth:`expand`.

        Returns
        -------
        int
            0
        """
        length: Int = self.queue.shape[0]
        i: Int
        r: Int
        m: Int
        for i in range(count):
            m = moves[i]
            s: Int[::1] = states[parents[i]]
            self._put(s, m & 31, m >> 5 & 15, m >> 9 & 63, m >> 15 & 15, m >> 20)
            for r in range(_HEAD + self._next[_N]):
                out[i, r] = self._next[r]
            out[i, _HELD], out[i, _CAME] = s[_HELD], s[_CAME] + 1
            if m >> 19 & 1:
                out[i, _HELD] = self.queue[s[_CAME]] if s[_CAME] < length else 0
                if not s[_HELD]:
                    out[i, _CAME] = s[_CAME] + 2
        return 0
