"""Beam search over the piece queue, on a field whose rows are assigned in advance.

Each row of the field is meant for one row of the picture or is to clear; which, is decided when a
piece first reaches it. A piece may then lie wherever its squares in rows of the picture are wanted
there; anything may lie in a row that clears. A row that is full can only be one that clears. So a
game that ends with no square missing in any row leaves the picture.

All states of a step have as many drops, so the fewest rows that clear win. Beside these a
state costs what it leaves to do (:class:`~tetrisprinter.planners.dealt.budgets.DealtBudgets`).
Where not all types may show a square of the picture, what is missing of it costs as many times
more as there are types for each that may: most pieces are to clear then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.srs import CENTRED, get_kicks
from tetrisprinter.planners.dealt.aims import Aim
from tetrisprinter.planners.dealt.budgets import BUDGETS
from tetrisprinter.planners.dealt.states import GameState, empty

if TYPE_CHECKING:
    from tetrisprinter.planners.dealt._kernel import Question
    from tetrisprinter.planners.dealt._kernel_states import Board

__all__ = ["Beam", "BeamMove", "Way", "advance_state", "beam_search", "lost"]


@dataclass(frozen=True, slots=True)
class Beam:
    """How much is searched."""

    breadth: int  # how many states are kept after each drop
    drops: int  # the search ends after this number
    # How much of a state's cost is chance, for each type there is for one that may show a square
    chance: int = 0
    salt: int = 0  # which chance


@dataclass(frozen=True, slots=True)
class BeamMove:
    """A drop: the orientation, its leftmost column and lowest row, and whether the hold is used."""

    orientation: Orientation
    x: int
    y: int
    swapped: bool

    @classmethod
    def of(cls, code: int) -> BeamMove:
        """Read the kernel's number."""
        return cls(ORIENTATIONS[code & 31], code >> 5 & 15, code >> 9 & 63, bool(code >> 19 & 1))


@dataclass(frozen=True, slots=True)
class Way:
    """A sequence of drops."""

    moves: tuple[int, ...]  # as the kernel writes them
    state: GameState  # where they lead
    cost: int  # what that costs
    done: bool  # whether that is the picture


@cache
def _forms() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    forms = np.zeros((len(ORIENTATIONS), 10), np.int32)
    for o in ORIENTATIONS:
        forms[o.index, :2] = o.width, o.height
        forms[o.index, 2 : 2 + o.width] = o.bottom
        for x, y in o.cells:
            forms[o.index, 6 + y] |= 1 << x
    first = [sum(o.piece < piece for o in ORIENTATIONS) for piece in range(9)]
    return forms, np.array(first, np.int32)


@cache
def _spins() -> NDArray[np.int32]:
    """Return the quarter turns of each type and their kicks, as the kernel reads them."""
    rows = []
    for piece in PieceType:
        for turn in range(4):
            cells = CENTRED[piece][turn % len(CENTRED[piece])]
            lies = Placement.of(cells)
            assert lies is not None
            kicks = [k for to in (turn + 1, turn + 3) for k in get_kicks(piece, turn, to % 4)]
            numbers = [lies.orientation.index, lies.x, lies.y]
            rows.append(numbers + [n for pair in (*cells, *kicks) for n in pair])
    return np.array(rows, np.int32)


def board_of(aim: Aim) -> Board:
    from tetrisprinter.planners.dealt._kernel_states import ROWS, Board

    return Board(aim.width, min(aim.limit, ROWS), aim.wants, _forms(), aim.steered)


def _question(aim: Aim, queue: Sequence[PieceType], chance: int = 0, salt: int = 0) -> Question:
    from tetrisprinter.planners.dealt._kernel import Question

    scarce = aim.scarcity
    weights = np.array(
        [round(scarce * BUDGETS.missing), round(scarce * BUDGETS.rough), BUDGETS.rough], np.int32
    )
    spins = _spins() if aim.steered else np.zeros((0, 1), np.int32)
    pieces = np.array(queue, np.int32)
    return Question(board_of(aim), weights, spins, pieces, aim.hold, round(scarce * chance), salt)


def lost(aim: Aim, state: GameState) -> bool:
    """Return whether a missing square is known to be out of reach of every piece."""
    from tetrisprinter.planners.dealt._kernel_reach import Reach

    alive = np.zeros(1, np.int32)
    return not Reach(board_of(aim)).live(state.reshape(1, -1), 1, alive)


def advance_state(aim: Aim, queue: Sequence[PieceType], state: GameState, move: int) -> GameState:
    """Return the state after a drop, given as the kernel writes it."""
    out = empty()
    _question(aim, queue).advance(
        state.reshape(1, -1),
        np.zeros(1, np.int32),
        np.array([move], np.int32),
        1,
        out.reshape(1, -1),
    )
    return out


class _Layer:
    """States after as many drops, and how they were reached."""

    def __init__(self, aim: Aim, start: GameState, breadth: int) -> None:
        from tetrisprinter.planners.dealt._kernel import Steps
        from tetrisprinter.planners.dealt._kernel_reach import Reach

        self.reach, self.breadth = Reach(board_of(aim)), breadth
        self.states = start.reshape(1, -1).copy()
        self.cost = 0
        self.history: list[tuple[GameState, GameState]] = []
        # A piece or the held one, rotated in four ways, falls in any column. If more rows
        # begin with it than that has room for, there will be twice as much.
        self.steps, self.room = Steps(8 * aim.width * breadth), 8 * aim.width * breadth

    def went_on(self, asked: Question, known: Question) -> bool | None:
        """Advance all states by one drop, among pieces that are known or drawn at random.

        False if there is no piece or no place for one, None if no state is left from which the
        picture may be reached.
        """
        from tetrisprinter.planners.dealt._kernel import Steps

        while (found := asked.expand(self.states, len(self.states), self.steps)) > self.room:
            self.steps, self.room = Steps(2 * found), 2 * found
        if not found:
            return False
        costs, codes, parents, moves = self.steps.found(found)
        # Twice as many as are kept, because some of them are lost.
        chosen = _best(costs, codes, 2 * self.breadth)
        came, done = parents[chosen], moves[chosen]
        following = np.zeros((len(chosen), self.states.shape[1]), np.int32)
        known.advance(self.states, came, done, len(chosen), following)
        alive = np.zeros(len(chosen), np.int32)
        self.reach.live(following, len(chosen), alive)
        kept = np.flatnonzero(alive)[: self.breadth]
        if not len(kept):
            return None
        self.history.append((came[kept], done[kept]))
        self.states, self.cost = following[kept], int(costs[chosen[kept[0]]])
        return True

    def moves(self) -> Iterator[int]:
        """Yield the moves that led to the best state, the last one first."""
        at = 0
        for came, done in reversed(self.history):
            yield int(done[at])
            at = came[at]


def beam_search(
    aim: Aim,
    queue: Sequence[PieceType],
    start: GameState,
    beam: Beam,
    seen: int | None = None,
) -> Way | None:
    """Drop pieces until the picture stands."""
    from tetrisprinter.planners.dealt._kernel_cost import DONE

    search = _Layer(aim, start, beam.breadth)
    question = _question(aim, queue, beam.chance, beam.salt)
    first = _question(aim, queue[:seen], beam.chance, beam.salt)
    nearest, since = 1 << 30, 0
    while len(search.history) < beam.drops:
        went_on = search.went_on(question if search.history else first, question)
        if went_on is None or (not went_on and not search.history):
            return None
        if not went_on:
            if _more(search.states, queue, aim.hold):
                return None
            break
        if search.cost <= DONE:
            break
        if search.cost < nearest:
            nearest, since = search.cost, len(search.history)
        if len(search.history) - since >= BUDGETS.patience:
            break
    moves = tuple(reversed(list(search.moves())))
    return Way(moves, search.states[0].copy(), search.cost, search.cost <= DONE)


def _more(states: GameState, queue: Sequence[PieceType], hold: bool) -> bool:
    """Return whether some state still has a piece to drop."""
    return bool((states[:, 4] < len(queue)).any() or (hold and (states[:, 3] > 0).any()))


def _best(costs: GameState, codes: NDArray[np.uint64], breadth: int) -> GameState:
    """Return the indices of the cheapest states, each once, the cheapest first."""
    near = min(len(costs), 3 * breadth)
    if near < len(costs):
        near = int(np.count_nonzero(costs <= np.partition(costs, near)[near]))
    order = np.lexsort((codes, costs))[:near]
    _, first = np.unique(codes[order], return_index=True)
    return order[np.sort(first)][:breadth].astype(np.int32)
