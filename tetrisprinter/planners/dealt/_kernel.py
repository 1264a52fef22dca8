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
    from cython.cimports.tetrisprinter.planners.dealt._kernel_states import (
        PictureTables,
        StateCosts,
        Steering,
        compute_cost,
        hash_state,
        lay_piece,
        steer,
    )
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, select_rank
else:
    from tetrisprinter.planners.dealt._kernel_states import (
        PictureTables,
        StateCosts,
        Steering,
        compute_cost,
        hash_state,
        lay_piece,
        steer,
    )
    from tetrisprinter.support.word_ops import finish_hash, select_rank

from tetrisprinter.planners.dealt._kernel_states import HEAD, ROWS
from tetrisprinter.support.arrays import zeros

__all__ = ["MoveBuffer", "QueueExpander"]

_DONE = cython.declare(Int, -1_000_000)
_HEAD = cython.declare(Int, 5)
_N = cython.declare(Int, 0)
_HELD = cython.declare(Int, 3)
_USED = cython.declare(Int, 4)
_SIZE = cython.declare(Int, HEAD + ROWS)
"""The length of a state."""


@cython.cclass
class MoveBuffer:
    """The possible moves of some states, and the memory for them.

    - costs, hashes, parents, moves: for each following state its cost, its hash, the number of the
      state before the move, and the move: the orientation, from bit 5 the column, from bit 9 the
      row, from bit 15 which new rows will clear, at bit 19 whether the hold is used, from bit 20
      the piece.
    """

    costs: Int[::1]
    hashes: Word[::1]
    parents: Int[::1]
    moves: Int[::1]
    _order: Int[::1]

    def __init__(self, capacity: int) -> None:
        self.costs, self.hashes = zeros("i", capacity), zeros("Q", capacity)
        self.parents, self.moves = zeros("i", capacity), zeros("i", capacity)
        self._order = zeros("i", capacity)

    def view_moves(self, count: int) -> Any:
        """Return the first ``count`` costs, hashes, parents and moves as memory views."""
        return (
            memoryview(self.costs)[:count],
            memoryview(self.hashes)[:count],
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
        candidates: Int = 0
        limit: Int = 0
        i: Int
        move: Int
        # Different moves often lead to the same state, so sort three times as many.
        if count > 3 * breadth:
            limit = select_rank(self.costs, count, 3 * breadth, order)
        for i in range(count):
            if count <= 3 * breadth or self.costs[i] <= limit:
                order[candidates] = i
                candidates += 1
        self._sort(candidates)
        for i in range(candidates):
            move = order[i]
            if i and self.hashes[move] == self.hashes[order[i - 1]]:
                continue
            costs[chosen], parents[chosen] = self.costs[move], self.parents[move]
            moves[chosen] = self.moves[move]
            chosen += 1
            if chosen == breadth:
                break
        return chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _comes_before(self, first: Int, second: Int) -> cython.bint:
        """Return whether a state sorts before another, by cost, then hash, then number."""
        if self.costs[first] != self.costs[second]:
            return self.costs[first] < self.costs[second]
        if self.hashes[first] != self.hashes[second]:
            return self.hashes[first] < self.hashes[second]
        return first < second

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sort(self, count: Int) -> cython.void:
        """Sort the first ``count`` numbers in ``_order`` by heapsort (Williams 1964)."""
        order: Int[::1] = self._order
        begin: Int = count // 2
        size: Int = count
        value: Int
        parent: Int
        child: Int
        while size > 1:
            if begin > 0:  # the heap is being built
                begin -= 1
                value = order[begin]
            else:
                size -= 1
                value = order[size]
                order[size] = order[0]
            parent = begin
            child = 2 * parent + 1
            while child < size:
                if child + 1 < size and self._comes_before(order[child], order[child + 1]):
                    child += 1
                if not self._comes_before(value, order[child]):
                    break
                order[parent] = order[child]
                parent = child
                child = 2 * parent + 1
            order[parent] = value


@cython.cclass
class QueueExpander:
    """The generator of all moves with a piece queue on a board.

    - board, costs, steering: the picture on its board, the costs of states, and the resting places
      of steered pieces.
    - hold: whether hold is allowed.
    - queue: the pieces of the queue in order, as type numbers 1 to 7.
    - noise, salt: the range of the random part of costs, and its seed.
    - buffer: receives the moves of :meth:`expand`.
    - piece, held, used: set by ``_take_piece``: the piece to play, the hold after it, and how many
      pieces were taken from the queue.
    """

    board: PictureTables
    costs: StateCosts
    steering: Steering
    hold: cython.bint
    queue: Int[::1]
    noise: Int
    salt: Word
    buffer: MoveBuffer
    piece: Int
    held: Int
    used: Int
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
    def _take_piece(self, state: Int[::1], use_hold: cython.bint) -> cython.bint:
        """Take the next piece from the queue or the hold; return whether there is one."""
        remaining: Int = self.queue.shape[0] - state[_USED]
        self.held, self.used = state[_HELD], state[_USED]
        if not use_hold:
            if remaining < 1:
                return False
            self.piece = self.queue[self.used]
            self.used += 1
        elif self.held:
            self.piece, self.held = self.held, 0
            if remaining > 0:
                self.held = self.queue[self.used]
                self.used += 1
        else:
            if remaining <= 1:
                return False
            self.held, self.piece = self.queue[self.used], self.queue[self.used + 1]
            self.used += 2
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _append_states(
        self, state: Int[::1], form: Int, x: Int, y: Int, use_hold: Int, parent: Int, count: Int
    ) -> Int:
        """Append all states after the piece is placed at a position; return their number so far.

        Rows that are used for the first time may clear or not, so one drop may give several states.
        States beyond the capacity of the buffer are counted, but not written.
        """
        out: Int[::1] = self._next
        top: Int = y + self.board.forms[form, 1]
        new_rows: Int = max(0, top - state[_N])
        clear_bits: Int
        cost: Int
        state_hash: Word
        if top > self.board.limit:
            return count
        for clear_bits in range(1 << new_rows):
            if not lay_piece(self.board, state, out, form, x, y, clear_bits, self.piece):
                continue
            cost = compute_cost(self.costs, out)
            if cost < _DONE:
                continue
            if count < self.buffer.costs.shape[0]:
                out[_HELD], out[_USED] = self.held, self.used
                state_hash = hash_state(out)
                if self.noise and cost > _DONE:
                    cost += (finish_hash(state_hash ^ self.salt) >> 40) % self.noise
                self.buffer.costs[count], self.buffer.hashes[count] = cost, state_hash
                self.buffer.parents[count] = parent
                self.buffer.moves[count] = (
                    form | x << 5 | y << 9 | clear_bits << 15 | use_hold << 19 | self.piece << 20
                )
            count += 1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write_tops(self, state: Int[::1]) -> Int:
        """Write for each column the row above its highest square; return 0."""
        row: Int
        x: Int
        row_bits: Int
        for x in range(self.board.width):
            self._tops[x] = 0
        for row in range(state[_N]):
            row_bits = state[_HEAD + row]
            for x in range(self.board.width):
                if row_bits >> x & 1:
                    self._tops[x] = row + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _append_hard_drops(
        self, state: Int[::1], form: Int, use_hold: Int, parent: Int, count: Int
    ) -> Int:
        """Hard-drop an orientation of the piece in every column; see :meth:`_append_states`."""
        forms: Int[:, ::1] = self.board.forms
        x: Int
        y: Int
        column: Int
        for x in range(self.board.width - forms[form, 0] + 1):
            y = 0
            for column in range(forms[form, 0]):
                y = max(y, self._tops[x + column] - forms[form, 2 + column])
            count = self._append_states(state, form, x, y, use_hold, parent, count)
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _append_steered_drops(
        self, state: Int[::1], form: Int, use_hold: Int, parent: Int, count: Int
    ) -> Int:
        """Place an orientation wherever it can be steered; see :meth:`_append_states`."""
        x: Int
        y: Int
        for y in range(state[_N] + 1):
            for x in range(self.board.width - self.board.forms[form, 0] + 1):
                if self.steering.rest[form, y] >> x & 1:
                    count = self._append_states(state, form, x, y, use_hold, parent, count)
        return count

    @cython.ccall
    def expand(self, states: Int[::1], count: Int, buffer: MoveBuffer) -> Int:
        """Write every possible next drop of some states into the buffer.

        Returns the number of drops; those beyond the capacity of the buffer are not written.
        """
        board: PictureTables = self.board
        found: Int = 0
        i: Int
        form: Int
        use_hold: Int
        self.buffer = buffer
        for i in range(count):
            state: Int[::1] = states[i * _SIZE : (i + 1) * _SIZE]
            self._write_tops(state)
            for use_hold in range(2 if self.hold else 1):
                if not self._take_piece(state, use_hold) or (use_hold and self.piece == self.held):
                    continue
                if board.steered:
                    steer(self.steering, state, self.piece)
                for form in range(board.first[self.piece], board.first[self.piece + 1]):
                    if board.steered:
                        found = self._append_steered_drops(state, form, use_hold, i, found)
                    else:
                        found = self._append_hard_drops(state, form, use_hold, i, found)
        return found

    @cython.ccall
    def advance(
        self, states: Int[::1], parents: Int[::1], moves: Int[::1], count: Int, out: Int[::1]
    ) -> Int:
        """Write the states after some moves into ``out``; see :class:`MoveBuffer`."""
        i: Int
        move: Int
        for i in range(count):
            move = moves[i]
            state: Int[::1] = states[parents[i] * _SIZE : (parents[i] + 1) * _SIZE]
            next_state: Int[::1] = out[i * _SIZE : (i + 1) * _SIZE]
            lay_piece(
                self.board,
                state,
                next_state,
                move & 31,
                move >> 5 & 15,
                move >> 9 & 63,
                move >> 15 & 15,
                move >> 20,
            )
            self._take_piece(state, move >> 19 & 1)
            next_state[_HELD], next_state[_USED] = self.held, self.used
        return 0
