"""Beam search over the piece queue, on a field whose rows are assigned in advance.

Each row of the field is assigned to one row of the picture or will clear; this is decided when a
piece first reaches it. A piece may then lie wherever its squares in rows of the picture are wanted
there; anything may lie in a row that clears. A row that is full can only be one that clears. So a
game that ends with no square missing in any row leaves the picture.

All states of a step have equally many drops, so the fewest cleared rows win. A state also costs its
remaining work (:class:`~tetrisprinter.planners.dealt.budgets.DealtBudgets`). If few types may show
squares of the picture, missing squares cost more, by the factor ``DealtTarget.scarcity``: then most
pieces must clear.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.srs import CENTERED_CELLS, get_kicks
from tetrisprinter.planners.dealt.budgets import BUDGETS
from tetrisprinter.planners.dealt.dealt_target import DealtTarget
from tetrisprinter.planners.dealt.states import GameState, make_empty_state
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
    salt: int = 0  # the seed of the random part


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

    moves: tuple[int, ...]  # as the kernel writes them
    state: GameState  # the state after them
    cost: int  # the cost of that state
    is_done: bool  # whether that state is the complete picture


@cache
def _list_forms() -> tuple[memoryview[Any], memoryview[Any]]:
    rows = []
    for o in ORIENTATIONS:
        bottoms = [*o.bottom, *[0] * (4 - o.width)]
        columns = [sum(1 << x for x, at in o.cells if at == y) for y in range(4)]
        rows.append([o.width, o.height, *bottoms, *columns])
    first = [sum(o.piece < piece for o in ORIENTATIONS) for piece in range(9)]
    return _make_table(rows), _pack(first)


@cache
def _list_spins() -> memoryview[Any]:
    """Return the quarter turns of each type and their kicks, as the kernel reads them."""
    rows = []
    for piece in PieceType:
        for turn in range(4):
            cells = CENTERED_CELLS[piece][turn % len(CENTERED_CELLS[piece])]
            lies = Placement.find(cells)
            assert lies is not None
            kicks = [k for to in (turn + 1, turn + 3) for k in get_kicks(piece, turn, to % 4)]
            numbers = [lies.orientation.index, lies.x, lies.y]
            rows.append(numbers + [n for pair in (*cells, *kicks) for n in pair])
    return _make_table(rows)


def _pack(values: Sequence[int]) -> memoryview[Any]:
    """Return numbers as the kernels read them."""
    return memoryview(array("i", values))


def _make_table(rows: Sequence[Sequence[int]]) -> memoryview[Any]:
    """Return rows of numbers, all of the same length, as the kernels read them."""
    table = zeros("i", len(rows), len(rows[0]))
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            table[y, x] = value
    return table


def make_tables(target: DealtTarget) -> PictureTables:
    from tetrisprinter.planners.dealt._kernel_states import ROWS, PictureTables

    return PictureTables(
        target.width, min(target.limit, ROWS), target.wants, _list_forms(), target.steered
    )


def _make_expander(
    target: DealtTarget, queue: Sequence[PieceType], chance: int = 0, salt: int = 0
) -> QueueExpander:
    from tetrisprinter.planners.dealt._kernel import QueueExpander

    scarce = target.scarcity
    missing, rough = round(scarce * BUDGETS.missing), round(scarce * BUDGETS.rough)
    weights = _pack([missing, rough, BUDGETS.rough])
    spins = _list_spins() if target.steered else zeros("i", 1, 1)
    noise = round(scarce * chance)
    return QueueExpander(
        make_tables(target), weights, spins, _pack(queue), target.hold, noise, salt
    )


def is_lost(target: DealtTarget, state: GameState) -> bool:
    """Return whether some missing square provably cannot be filled any more."""
    from tetrisprinter.planners.dealt._kernel_reach import ReachabilityTest

    return not ReachabilityTest(make_tables(target)).mark_live(state, 1, zeros("i", 1))


def advance_state(
    target: DealtTarget, queue: Sequence[PieceType], state: GameState, move: int
) -> GameState:
    """Return the state after a drop, which is given in the kernel's encoding."""
    out = make_empty_state()
    _make_expander(target, queue).advance(state, _pack([0]), _pack([move]), 1, out)
    return out


class _Layer:
    """The states after some number of drops, and the moves that led to them."""

    def __init__(self, target: DealtTarget, start: GameState, breadth: int) -> None:
        from tetrisprinter.planners.dealt._kernel import MoveBuffer
        from tetrisprinter.planners.dealt._kernel_reach import ReachabilityTest

        self.reach, self.breadth = ReachabilityTest(make_tables(target)), breadth
        self.states, self.count, self.size = copy_view(start), 1, len(start)
        self.cost = 0
        self.history: list[tuple[Sequence[int], Sequence[int]]] = []
        # A state has at most 8 * width hard drops: two pieces, four rotations, any column. If
        # steered pieces have more moves, :meth:`advance` enlarges the buffer.
        self.steps, self.room = MoveBuffer(8 * target.width * breadth), 8 * target.width * breadth

    def advance(self, lister: QueueExpander, mover: QueueExpander) -> bool | None:
        """Advance all states by one drop: ``lister`` lists the drops, ``mover`` makes them.

        Returns True if states remain, False if there is no piece or no position for one, and None
        if no new state can still become the picture.
        """
        from tetrisprinter.planners.dealt._kernel import MoveBuffer

        while (found := lister.expand(self.states, self.count, self.steps)) > self.room:
            self.steps, self.room = MoveBuffer(2 * found), 2 * found
        if not found:
            return False
        # Take twice the beam width, because some states turn out to be dead ends.
        most = min(found, 2 * self.breadth)
        costs, came, done = zeros("i", most), zeros("i", most), zeros("i", most)
        count = self.steps.choose(found, most, costs, came, done)
        following, alive = zeros("i", count * self.size), zeros("i", count)
        mover.advance(self.states, came, done, count, following)
        self.reach.mark_live(following, count, alive)
        kept = [k for k in range(count) if alive[k]][: self.breadth]
        if not kept:
            return None
        self.history.append((_pack([came[k] for k in kept]), _pack([done[k] for k in kept])))
        states = [following[k * self.size : (k + 1) * self.size] for k in kept]
        self.states = memoryview(bytearray().join(states)).cast("i")
        self.count, self.cost = len(kept), costs[kept[0]]
        return True

    def has_piece(self, queue: Sequence[PieceType], hold: bool) -> bool:
        """Return whether some state still has a piece to drop."""
        came, held = self.states[4 :: self.size], self.states[3 :: self.size]
        return min(came) < len(queue) or (hold and max(held) > 0)

    def list_moves(self) -> Iterator[int]:
        """Yield the moves that led to the best state, the last one first."""
        at = 0
        for came, done in reversed(self.history):
            yield done[at]
            at = came[at]


def beam_search(
    target: DealtTarget,
    queue: Sequence[PieceType],
    start: GameState,
    beam: Beam,
    seen: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> DropSequence | None:
    """Return the best drop sequence; None if the search is stopped or all states are stuck."""
    from tetrisprinter.planners.dealt._kernel_cost import DONE

    search = _Layer(target, start, beam.breadth)
    expander = _make_expander(target, queue, beam.chance, beam.salt)
    first_expander = _make_expander(target, queue[:seen], beam.chance, beam.salt)
    nearest, since = 1 << 30, 0
    while len(search.history) < beam.drops:
        if is_over():
            return None
        advanced = search.advance(expander if search.history else first_expander, expander)
        if advanced is None or (not advanced and not search.history):
            return None
        if not advanced:
            if search.has_piece(queue, target.hold):
                return None
            break
        if search.cost <= DONE:
            break
        if search.cost < nearest:
            nearest, since = search.cost, len(search.history)
        if len(search.history) - since >= BUDGETS.patience:
            break
    moves = tuple(reversed(list(search.list_moves())))
    best = copy_view(search.states[: search.size])
    return DropSequence(moves, best, search.cost, search.cost <= DONE)
