"""The compiled inner loop of the beam search over dealt pieces.

:mod:`~tetrisprinter.planners.dealt._kernel_states` describes a state.
"""

from __future__ import annotations

from typing import Any

from tetrisprinter.support.kernels import zeros  # first: it refuses to run uncompiled
import cython
from cython import int as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.dealt._kernel_states import (
        PictureTables,
        Steering,
        compute_cost,
        hash_state,
        lay_piece,
        steer,
    )
    from cython.cimports.tetrisprinter.support.kernels import finish_hash, select_rank
else:
    from tetrisprinter.planners.dealt._kernel_states import (
        PictureTables,
        Steering,
        compute_cost,
        hash_state,
        lay_piece,
        steer,
    )
    from tetrisprinter.support.kernels import finish_hash, select_rank

from tetrisprinter.planners.dealt._kernel_states import HEAD, ROWS

__all__ = ["QueueExpander"]

_DONE = cython.declare(Int, -1_000_000)
_HEAD = cython.declare(Int, 5)
_N = cython.declare(Int, 0)
_HELD = cython.declare(Int, 3)
_USED = cython.declare(Int, 4)
_SIZE = cython.declare(Int, HEAD + ROWS)
"""The length of a state."""


@cython.cclass
class QueueExpander:
    """The generator of all moves with a piece queue on a board.

    - board, steering: the picture on its board, and the resting places of steered pieces.
    - hold: whether hold is allowed.
    - queue: the pieces of the queue in order, as type numbers 1 to 7.
    - noise, salt: the range of the random part of costs, and its seed.
    - costs, hashes, parents, moves: what :meth:`expand` found: for each following state its cost,
      its hash, the number of the state before the move, and the move: the orientation, from bit 5
      the column, from bit 9 the row, from bit 15 which new rows will clear, at bit 19 whether the
      hold is used, from bit 20 the piece. This memory grows.
    - piece, held, used: set by ``_take_piece``: the piece to play, the hold after it, and how many
      pieces were taken from the queue.
    """

    board: PictureTables
    steering: Steering
    hold: cython.bint
    queue: Int[::1]
    noise: Int
    salt: Word
    costs: Int[::1]
    hashes: Word[::1]
    parents: Int[::1]
    moves: Int[::1]
    piece: Int
    held: Int
    used: Int
    _next: Int[::1]
    _tops: Int[::1]
    _scratch: Int[::1]

    def __init__(
        self,
        board: PictureTables,
        spins: Any,
        queue: Any,
        hold: bool,
        noise: int,
        salt: int,
    ) -> None:
        self.board, self.steering = board, Steering(board, spins)
        self.queue, self.hold, self.noise, self.salt = memoryview(queue), hold, noise, salt
        self._next, self._tops = zeros("i", HEAD + ROWS), zeros("i", HEAD + ROWS)
        self._reserve(0)

    def _reserve(self, capacity: int) -> None:
        """Reserve memory for this number of moves; moves found before are lost."""
        self.costs, self.hashes = zeros("i", capacity), zeros("Q", capacity)
        self.parents, self.moves = zeros("i", capacity), zeros("i", capacity)
        self._scratch = zeros("i", capacity)

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
        States beyond the reserved memory are counted, but not written.
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
            cost = compute_cost(self.board, out)
            if cost < _DONE:
                continue
            if count < self.costs.shape[0]:
                out[_HELD], out[_USED] = self.held, self.used
                state_hash = hash_state(out)
                if self.noise and cost > _DONE:
                    cost += (finish_hash(state_hash ^ self.salt) >> 40) % self.noise
                self.costs[count], self.hashes[count] = cost, state_hash
                self.parents[count] = parent
                self.moves[count] = (
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

    def expand(self, states: Any, count: int) -> int:
        """Find every possible next drop of some states, which follow each other in one array.

        Returns the number of drops.
        """
        # Mostly all hard drops fit: two pieces, four rotations, any column.
        if len(self.moves) < 8 * self.board.width * count:
            self._reserve(8 * self.board.width * count)
        found: int = self._expand(states, count)
        if found > len(self.moves):
            self._reserve(2 * found)
            found = self._expand(states, count)
        return found

    @cython.ccall
    def _expand(self, states: Int[::1], count: Int) -> Int:
        """Write the next drops of some states into the reserved memory; return their number."""
        board: PictureTables = self.board
        found: Int = 0
        i: Int
        form: Int
        use_hold: Int
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

    def choose(self, count: int, breadth: int) -> list[tuple[int, int, int]]:
        """Return costs, parents and moves of the cheapest states, each state once.

        The cheapest comes first, at most ``breadth`` are returned.
        """
        found: Int = count
        # Different moves often lead to the same state, so sort three times as many.
        most: Int = 3 * breadth
        limit: Int = 0
        i: Int
        if found > most:
            limit = select_rank(self.costs, found, most, self._scratch)
        cheapest = []
        for i in range(found):
            if found <= most or self.costs[i] <= limit:
                cheapest.append((self.costs[i], self.hashes[i], i))
        cheapest.sort()
        chosen: list[tuple[int, int, int]] = []
        last_hash = None
        for cost, state_hash, number in cheapest:
            if state_hash != last_hash:
                i = number
                chosen.append((cost, self.parents[i], self.moves[i]))
                if len(chosen) == breadth:
                    break
            last_hash = state_hash
        return chosen

    @cython.ccall
    def advance(
        self, states: Int[::1], parents: Int[::1], moves: Int[::1], count: Int, out: Int[::1]
    ) -> Int:
        """Write the states after some moves into ``out``."""
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
