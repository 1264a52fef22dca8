"""Beam search over the piece queue, on a field whose rows are assigned in advance.

When a piece first reaches a row of the field, the search decides whether this row will clear or is
assigned to a row of the picture. A piece may then lie wherever the picture wants its squares; in a
row that will clear, any piece may lie. Only rows that will clear can be full. So a game that ends
with no square missing in any row leaves the picture.

All states that are compared have equally many drops, so the fewest cleared rows win. A state also
costs its remaining work (:class:`~tetrisprinter.planners.dealt.states.DealtBudgets`). If few types
may show squares of the picture, most pieces must clear. So missing squares then cost more, by the
factor ``DealtTarget.scarcity``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.srs import CENTERED_CELLS, get_kicks
from tetrisprinter.planners.dealt.states import BUDGETS, DealtTarget, GameState, make_empty_state
from tetrisprinter.support.arrays import copy_view, zeros

if TYPE_CHECKING:
    from tetrisprinter.planners.dealt._kernel import QueueExpander
    from tetrisprinter.planners.dealt._kernel_states import PictureTables

__all__ = ["Beam", "BeamMove", "DropSequence", "advance_state", "beam_search", "is_lost"]


@dataclass(frozen=True, slots=True)
class Beam:
    """The width, the depth and the randomness of a search."""

    breadth: int  # how many states are kept after each drop
    drops: int  # the search ends after this number of drops
    # The range of the random part of costs; it is multiplied by ``DealtTarget.scarcity``
    chance: int = 0
    salt: int = 0  # the seed of the random part of costs


@dataclass(frozen=True, slots=True)
class BeamMove:
    """A drop: the orientation, its leftmost column and lowest row."""

    orientation: Orientation
    x: int
    y: int

    @classmethod
    def of(cls, code: int) -> BeamMove:
        """Decode a move from the kernel's integer."""
        return cls(ORIENTATIONS[code & 31], code >> 5 & 15, code >> 9 & 63)


@dataclass(frozen=True, slots=True)
class DropSequence:
    """A sequence of drops."""

    moves: tuple[int, ...]  # in the encoding of the kernel
    state: GameState  # the state after the last drop
    cost: int  # the cost of ``state``
    is_done: bool  # whether ``state`` is the complete picture


@cache
def _make_form_tables() -> tuple[memoryview[Any], memoryview[Any]]:
    """Return a row of numbers for each orientation, and the index of each type's first one."""
    rows = []
    for o in ORIENTATIONS:
        bottoms = [*o.bottom, *[0] * (4 - o.width)]
        columns = [sum(1 << x for x, cell_y in o.cells if cell_y == y) for y in range(4)]
        rows.append([o.width, o.height, *bottoms, *columns])
    first = [sum(o.piece < piece for o in ORIENTATIONS) for piece in range(9)]
    return _make_table(rows), _make_array(first)


@cache
def _make_spin_table() -> memoryview[Any]:
    """Return the quarter turns of each type and their kicks, as the kernel reads them."""
    rows = []
    for piece in PieceType:
        for turn in range(4):
            cells = CENTERED_CELLS[piece][turn % len(CENTERED_CELLS[piece])]
            placement = Placement.find(cells)
            assert placement is not None
            kicks = [
                kick
                for next_turn in (turn + 1, turn + 3)
                for kick in get_kicks(piece, turn, next_turn % 4)
            ]
            numbers = [placement.orientation.index, placement.x, placement.y]
            rows.append(numbers + [n for pair in (*cells, *kicks) for n in pair])
    return _make_table(rows)


def _make_array(values: Sequence[int]) -> memoryview[Any]:
    """Return numbers as the kernels read them."""
    return memoryview(array("i", values))


def _make_table(rows: Sequence[Sequence[int]]) -> memoryview[Any]:
    """Return rows of numbers, all of the same length, as the kernels read them."""
    table = zeros("i", len(rows), len(rows[0]))
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            table[y, x] = value
    return table


def _make_picture_tables(target: DealtTarget) -> PictureTables:
    """Return the picture and the orientations as the kernels read them."""
    from tetrisprinter.planners.dealt._kernel_states import ROWS, PictureTables

    return PictureTables(
        target.width, min(target.limit, ROWS), target.wants, _make_form_tables(), target.steered
    )


def _make_expander(
    target: DealtTarget, queue: Sequence[PieceType], chance: int = 0, salt: int = 0
) -> QueueExpander:
    """Return the kernel that lists and makes the drops of a queue; see :class:`Beam`."""
    from tetrisprinter.planners.dealt._kernel import QueueExpander

    scarcity = target.scarcity
    missing, rough = round(scarcity * BUDGETS.missing), round(scarcity * BUDGETS.rough)
    weights = _make_array([missing, rough, BUDGETS.rough])
    spins = _make_spin_table() if target.steered else zeros("i", 1, 1)
    noise = round(scarcity * chance)
    return QueueExpander(
        _make_picture_tables(target), weights, spins, _make_array(queue), target.hold, noise, salt
    )


def is_lost(target: DealtTarget, state: GameState) -> bool:
    """Return whether some missing square can provably no longer be filled."""
    from tetrisprinter.planners.dealt._kernel_reach import ReachabilityTest

    return not ReachabilityTest(_make_picture_tables(target)).mark_live(state, 1, zeros("i", 1))


def advance_state(
    target: DealtTarget, queue: Sequence[PieceType], state: GameState, move: int
) -> GameState:
    """Return the state after a drop, which is given in the kernel's encoding."""
    next_state = make_empty_state()
    _make_expander(target, queue).advance(
        state, _make_array([0]), _make_array([move]), 1, next_state
    )
    return next_state


class _Layer:
    """The states after some number of drops, and the moves that led to these states."""

    def __init__(self, target: DealtTarget, first_state: GameState, breadth: int) -> None:
        from tetrisprinter.planners.dealt._kernel import MoveBuffer
        from tetrisprinter.planners.dealt._kernel_reach import ReachabilityTest

        self.reach, self.breadth = ReachabilityTest(_make_picture_tables(target)), breadth
        self.states, self.count, self.size = copy_view(first_state), 1, len(first_state)
        self.cost = 0
        self.history: list[tuple[Sequence[int], Sequence[int]]] = []
        # A state has at most 8 * width hard drops: two pieces, four rotations, any column. If
        # steered pieces have more moves, :meth:`advance` enlarges the buffer.
        self.moves, self.capacity = (
            MoveBuffer(8 * target.width * breadth),
            8 * target.width * breadth,
        )

    def advance(self, lister: QueueExpander, mover: QueueExpander) -> bool | None:
        """Advance all states by one drop: ``lister`` lists the drops, ``mover`` makes them.

        Returns True if states remain, False if no state has a drop, because the pieces ran out or
        have no position, and None if no new state can still become the picture.
        """
        from tetrisprinter.planners.dealt._kernel import MoveBuffer

        while (move_count := lister.expand(self.states, self.count, self.moves)) > self.capacity:
            self.moves, self.capacity = MoveBuffer(2 * move_count), 2 * move_count
        if not move_count:
            return False
        # Take twice the beam width, because some states turn out to be dead ends.
        choice_count = min(move_count, 2 * self.breadth)
        costs, parents, moves = (
            zeros("i", choice_count),
            zeros("i", choice_count),
            zeros("i", choice_count),
        )
        count = self.moves.choose(move_count, choice_count, costs, parents, moves)
        next_states, is_live = zeros("i", count * self.size), zeros("i", count)
        mover.advance(self.states, parents, moves, count, next_states)
        self.reach.mark_live(next_states, count, is_live)
        chosen = [k for k in range(count) if is_live[k]][: self.breadth]
        if not chosen:
            return None
        self.history.append(
            (_make_array([parents[k] for k in chosen]), _make_array([moves[k] for k in chosen]))
        )
        states = [next_states[k * self.size : (k + 1) * self.size] for k in chosen]
        self.states = memoryview(bytearray().join(states)).cast("i")
        self.count, self.cost = len(chosen), costs[chosen[0]]
        return True

    def has_piece(self, queue: Sequence[PieceType], hold: bool) -> bool:
        """Return whether some state still has a piece to drop."""
        used_counts, held_pieces = self.states[4 :: self.size], self.states[3 :: self.size]
        return min(used_counts) < len(queue) or (hold and max(held_pieces) > 0)

    def trace_moves(self) -> Iterator[int]:
        """Yield the moves that led to the best state, the last one first."""
        index = 0
        for parents, moves in reversed(self.history):
            yield moves[index]
            index = parents[index]


def beam_search(
    target: DealtTarget,
    queue: Sequence[PieceType],
    first_state: GameState,
    beam: Beam,
    visible_count: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> DropSequence | None:
    """Return the best drop sequence; None if the search is stopped or all states are stuck.

    The first drop uses only the first ``visible_count`` pieces of the queue (None: all).
    """
    from tetrisprinter.planners.dealt._kernel_cost import DONE

    layer = _Layer(target, first_state, beam.breadth)
    expander = _make_expander(target, queue, beam.chance, beam.salt)
    first_expander = _make_expander(target, queue[:visible_count], beam.chance, beam.salt)
    lowest_cost, best_depth = 1 << 30, 0
    while len(layer.history) < beam.drops:
        if is_over():
            return None
        advanced = layer.advance(expander if layer.history else first_expander, expander)
        if advanced is None or (not advanced and not layer.history):
            return None
        if not advanced:
            if layer.has_piece(queue, target.hold):
                return None
            break
        if layer.cost <= DONE:
            break
        if layer.cost < lowest_cost:
            lowest_cost, best_depth = layer.cost, len(layer.history)
        if len(layer.history) - best_depth >= BUDGETS.patience:
            break
    moves = tuple(reversed(list(layer.trace_moves())))
    best = copy_view(layer.states[: layer.size])
    return DropSequence(moves, best, layer.cost, layer.cost <= DONE)
