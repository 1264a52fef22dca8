"""The compiled inner loop of the beam search over dealt pieces.

:mod:`~tetrisprinter.planners.dealt._kernel_states` describes a state.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.dealt._kernel_cost import StateCosts, compute_cost
    from cython.cimports.tetrisprinter.planners.dealt._kernel_states import (
        PictureTables,
        hash_state,
        lay_piece,
    )
    from cython.cimports.tetrisprinter.planners.dealt._kernel_steer import Steering, steer
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, select_rank
else:
    from tetrisprinter.planners.dealt._kernel_cost import StateCosts, compute_cost
    from tetrisprinter.planners.dealt._kernel_states import PictureTables, hash_state, lay_piece
    from tetrisprinter.planners.dealt._kernel_steer import Steering, steer
    from tetrisprinter.support.word_ops import finish_hash, select_rank

from tetrisprinter.planners.dealt._kernel_states import HEAD, ROWS
from tetrisprinter.support.arrays import zeros

__all__ = ["MoveBuffer", "QueueExpander"]

_DONE = cython.declare(Int, -1_000_000)
_HEAD = cython.declare(Int, 5)
_N = cython.declare(Int, 0)
_HELD = cython.declare(Int, 3)
_CAME = cython.declare(Int, 4)
_SIZE = cython.declare(Int, HEAD + ROWS)
"""The length of a state."""


@cython.cclass
class MoveBuffer:
    """The possible moves of some states, and the memory for them.

    - costs, codes, parents, moves: for each following state its cost, its hash, the state before
      it, and the move: orientation, column from bit 5, row from bit 9, from bit 15 which new rows
      will clear, whether the hold is used at bit 19, the piece from bit 20.
    """

    costs: Int[::1]
    codes: Word[::1]
    parents: Int[::1]
    moves: Int[::1]
    _order: Int[::1]

    def __init__(self, capacity: int) -> None:
        self.costs, self.codes = zeros("i", capacity), zeros("Q", capacity)
        self.parents, self.moves = zeros("i", capacity), zeros("i", capacity)
        self._order = zeros("i", capacity)

    def view_moves(self, count: int) -> Any:
        """Return the first ``count`` costs, codes, parents and moves as memory views."""
        return (
            memoryview(self.costs)[:count],
            memoryview(self.codes)[:count],
            memoryview(self.parents)[:count],
            memoryview(self.moves)[:count],
        )

    @cython.ccall
    def choose(
        self, count: Int, breadth: Int, costs: Int[::1], parents: Int[::1], moves: Int[::1]
    ) -> Int:
        """Write costs, parents and moves of the cheapest states, each state once, cheapest first.

        Returns how many are written, at most ``breadth``.
        """
        order: Int[::1] = self._order
        chosen: Int = 0
        near: Int = 0
        limit: Int = 0
        i: Int
        at: Int
        # Different moves often lead to the same state, so sort three times as many.
        if count > 3 * breadth:
            limit = select_rank(self.costs, count, 3 * breadth, order)
        for i in range(count):
            if count <= 3 * breadth or self.costs[i] <= limit:
                order[near] = i
                near += 1
        self._sort(near)
        for i in range(near):
            at = order[i]
            if i and self.codes[at] == self.codes[order[i - 1]]:
                continue
            costs[chosen], parents[chosen] = self.costs[at], self.parents[at]
            moves[chosen] = self.moves[at]
            chosen += 1
            if chosen == breadth:
                break
        return chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _comes_before(self, one: Int, other: Int) -> cython.bint:
        """Return whether a state sorts before another: by cost, then hash, then number."""
        if self.costs[one] != self.costs[other]:
            return self.costs[one] < self.costs[other]
        if self.codes[one] != self.codes[other]:
            return self.codes[one] < self.codes[other]
        return one < other

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sort(self, count: Int) -> cython.void:
        """Sort the first numbers in ``_order``: heapsort (Williams 1964)."""
        order: Int[::1] = self._order
        begin: Int = count // 2
        left: Int = count
        value: Int
        at: Int
        below: Int
        while left > 1:
            if begin > 0:  # the heap is being built
                begin -= 1
                value = order[begin]
            else:
                left -= 1
                value = order[left]
                order[left] = order[0]
            at = begin
            below = 2 * at + 1
            while below < left:
                if below + 1 < left and self._comes_before(order[below], order[below + 1]):
                    below += 1
                if not self._comes_before(value, order[below]):
                    break
                order[at] = order[below]
                at = below
                below = 2 * at + 1
            order[at] = value


@cython.cclass
class QueueExpander:
    """The generator of all moves with a piece queue on a board.

    - board, costs, steering: the picture on its board; the costs of states; the resting places of
      steered pieces.
    - hold: whether hold is allowed.
    - queue: the pieces of the queue in order, as type numbers 1 to 7.
    - noise, salt: the range of the random part of costs, and its seed.
    - steps: the buffer into which :meth:`expand` writes.
    - piece, held, came: set by ``_take``: the piece to play, the hold, and the pieces used so far.
    """

    board: PictureTables
    costs: StateCosts
    steering: Steering
    hold: cython.bint
    queue: Int[::1]
    noise: Int
    salt: Word
    steps: MoveBuffer
    piece: Int
    held: Int
    came: Int
    _next: Int[::1]
    _tops: Int[::1]

    def __init__(
        self,
        board: PictureTables,
        weights: Any,
        spins: Any,
        queue: Any,
        hold: bool,
        noise: int,
        salt: int,
    ) -> None:
        self.board, self.costs = board, StateCosts(board, weights)
        self.steering = Steering(board, spins)
        self.queue, self.hold, self.noise, self.salt = memoryview(queue), hold, noise, salt
        self._next, self._tops = zeros("i", HEAD + ROWS), zeros("i", HEAD + ROWS)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take(self, s: Int[::1], swap: cython.bint) -> cython.bint:
        """Take the next piece from the queue or the hold; return whether there is one."""
        left: Int = self.queue.shape[0] - s[_CAME]
        self.held, self.came = s[_HELD], s[_CAME]
        if not swap:
            if left < 1:
                return False
            self.piece = self.queue[self.came]
            self.came += 1
        elif self.held:
            self.piece, self.held = self.held, 0
            if left > 0:
                self.held = self.queue[self.came]
                self.came += 1
        else:
            if left <= 1:
                return False
            self.held, self.piece = self.queue[self.came], self.queue[self.came + 1]
            self.came += 2
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _append_states(
        self, s: Int[::1], form: Int, x: Int, y: Int, swap: Int, parent: Int, found: Int
    ) -> Int:
        """Append all states after the piece is placed at a position; return their number so far.

        States beyond the capacity of ``steps`` are counted, but not written.
        """
        out: Int[::1] = self._next
        top: Int = y + self.board.forms[form, 1]
        new: Int = max(0, top - s[_N])
        clear_bits: Int
        price: Int
        hashed: Word
        if top > self.board.limit:
            return found
        for clear_bits in range(1 << new):
            if not lay_piece(self.board, s, out, form, x, y, clear_bits, self.piece):
                continue
            price = compute_cost(self.costs, out)
            if price < _DONE:
                continue
            if found < self.steps.costs.shape[0]:
                out[_HELD], out[_CAME] = self.held, self.came
                hashed = hash_state(out)
                if self.noise and price > _DONE:
                    price += (finish_hash(hashed ^ self.salt) >> 40) % self.noise
                self.steps.costs[found], self.steps.codes[found] = price, hashed
                self.steps.parents[found] = parent
                self.steps.moves[found] = (
                    form | x << 5 | y << 9 | clear_bits << 15 | swap << 19 | self.piece << 20
                )
            found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_tops(self, s: Int[::1]) -> Int:
        """Write for each column the row above its highest square; return 0."""
        r: Int
        x: Int
        word: Int
        for x in range(self.board.width):
            self._tops[x] = 0
        for r in range(s[_N]):
            word = s[_HEAD + r]
            for x in range(self.board.width):
                if word >> x & 1:
                    self._tops[x] = r + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _append_hard_drops(self, s: Int[::1], form: Int, swap: Int, parent: Int, found: Int) -> Int:
        """Hard-drop an orientation of the piece in every column; see :meth:`_append_states`."""
        forms: Int[:, ::1] = self.board.forms
        x: Int
        y: Int
        r: Int
        for x in range(self.board.width - forms[form, 0] + 1):
            y = 0
            for r in range(forms[form, 0]):
                y = max(y, self._tops[x + r] - forms[form, 2 + r])
            found = self._append_states(s, form, x, y, swap, parent, found)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _append_steered_drops(
        self, s: Int[::1], form: Int, swap: Int, parent: Int, found: Int
    ) -> Int:
        """Place an orientation wherever it can be steered; see :meth:`_append_states`."""
        x: Int
        y: Int
        for y in range(s[_N] + 1):
            for x in range(self.board.width - self.board.forms[form, 0] + 1):
                if self.steering.rest[form, y] >> x & 1:
                    found = self._append_states(s, form, x, y, swap, parent, found)
        return found

    @cython.ccall
    def expand(self, states: Int[::1], count: Int, steps: MoveBuffer) -> Int:
        """Write every possible next drop of some states into ``steps``.

        Returns the number of drops; those beyond the capacity of ``steps`` are not written.
        """
        board: PictureTables = self.board
        found: Int = 0
        i: Int
        f: Int
        swap: Int
        self.steps = steps
        for i in range(count):
            s: Int[::1] = states[i * _SIZE : (i + 1) * _SIZE]
            self._find_tops(s)
            for swap in range(2 if self.hold else 1):
                if not self._take(s, swap) or (swap and self.piece == self.held):
                    continue
                if board.steered:
                    steer(self.steering, s, self.piece)
                for f in range(board.first[self.piece], board.first[self.piece + 1]):
                    if board.steered:
                        found = self._append_steered_drops(s, f, swap, i, found)
                    else:
                        found = self._append_hard_drops(s, f, swap, i, found)
        return found

    @cython.ccall
    def advance(
        self, states: Int[::1], parents: Int[::1], moves: Int[::1], count: Int, out: Int[::1]
    ) -> Int:
        """Write the states after some moves; see :class:`MoveBuffer`."""
        i: Int
        m: Int
        for i in range(count):
            m = moves[i]
            s: Int[::1] = states[parents[i] * _SIZE : (parents[i] + 1) * _SIZE]
            to: Int[::1] = out[i * _SIZE : (i + 1) * _SIZE]
            lay_piece(self.board, s, to, m & 31, m >> 5 & 15, m >> 9 & 63, m >> 15 & 15, m >> 20)
            self._take(s, m >> 19 & 1)
            to[_HELD], to[_CAME] = self.held, self.came
        return 0
