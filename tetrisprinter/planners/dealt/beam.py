"""Beam search over the pieces that come, on a field whose rows have a destiny.

Each row of the field is meant for one row of the picture or is to clear; which, is decided when a
piece first reaches it. A piece may then lie wherever its squares in rows of the picture are wanted
there; anything may lie in a row that clears. A row that is full can only be one that clears. So a
game that ends with no square missing in any row leaves the picture.

All states of a step have as many drops, so the fewest rows that clear win. Beside these a
state costs what it leaves to do: see :data:`WEIGHTS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.srs import CENTRED, kicks_of

if TYPE_CHECKING:
    from tetrisprinter.planners.dealt._kernel import Question

__all__ = [
    "Aim",
    "Beam",
    "Move",
    "State",
    "Way",
    "advanced",
    "beam_search",
    "converted",
    "empty",
    "landed",
    "lost",
    "missing",
    "seated",
]

State = NDArray[np.int32]
"""A state, as :mod:`~tetrisprinter.planners.dealt._kernel` describes it."""

WEIGHTS: Final = (100, 20, 9, 29, 1, 5, 27, 7, 17, 4, 6, 8)
"""What a state costs, found by a random search on twenty pictures: a row that is to clear; a row
of the picture not begun; each square missing in the picture; one that is missing under a
filled one; one without a missing neighbour in its row; another such one above it; a row of the
picture, a clearing row with anything missing; each end of a run of missing squares; a missing one
under a square of the picture that stays empty; a group of missing squares cut off from above;
each missing square for each row above it."""
_SCARCE: Final = (100, 20, 80, 261, 1, 15, 81, 1, 18, 12, 4, 2)
"""The same where some types may not lie in the picture: most pieces are to clear then, so that
a square of the picture counts for more than order. Found on seven of them in two to four
colours."""

_PATIENCE: Final = 56
"""Drops, eight bags, after which a search that came no nearer ends."""

_CHILDREN: Final = 160
"""Room for what follows a state: more have hardly ever been seen, and none is needed."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be left, as the search sees it.

    Attributes
    ----------
    width, limit : int
        The board.
    wants : ndarray of int32, rows x 8
        For each row of the picture, lowest first, the columns that each type may fill as bits;
        at 0 all that have to be filled.
    hold : bool
        Whether a piece may be laid aside.
    steered : bool
        Whether a piece may come to lie wherever a player steers it by today's rules; else it falls
        straight.
    """

    width: int
    limit: int
    wants: NDArray[np.int32]
    hold: bool = True
    steered: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether a piece of any type may lie in all squares that have to be filled."""
        return bool((self.wants[:, 1:] == self.wants[:, :1]).all())

    @property
    def squares(self) -> int:
        """How many squares have to be left."""
        return sum(int(row).bit_count() for row in self.wants[:, 0])


@dataclass(frozen=True, slots=True)
class Beam:
    """How much is searched.

    Attributes
    ----------
    breadth : int
        How many states are kept after each drop.
    drops : int
        After so many the search ends.
    noise, salt : int
        How much of a state's cost is chance, and a number that says which.
    """

    breadth: int
    drops: int
    noise: int = 0
    salt: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """A drop: the orientation, its leftmost column and lowest row, and whether the hold is used."""

    orientation: Orientation
    x: int
    y: int
    swapped: bool

    @classmethod
    def of(cls, code: int) -> Move:
        """Read the kernel's number."""
        return cls(ORIENTATIONS[code & 31], code >> 5 & 15, code >> 9 & 63, bool(code >> 19 & 1))


@dataclass(frozen=True, slots=True)
class Way:
    """Drops one after the other.

    Attributes
    ----------
    moves : tuple of int
        As the kernel writes them.
    state : State
        Where they lead.
    cost : int
        What that costs.
    done : bool
        Whether that is the picture.
    """

    moves: tuple[int, ...]
    state: State
    cost: int
    done: bool


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
            kicks = [k for to in (turn + 1, turn + 3) for k in kicks_of(piece, turn, to % 4)]
            numbers = [lies.orientation.index, lies.x, lies.y]
            rows.append(numbers + [n for pair in (*cells, *kicks) for n in pair])
    return np.array(rows, np.int32)


def empty() -> State:
    """Return the state of a game that begins."""
    from tetrisprinter.planners.dealt._kernel import HEAD, ROWS

    return np.zeros(HEAD + ROWS, np.int32)


def converted(state: State, aim: Aim) -> State:
    """Give up what is begun: all rows above the finished ones of the picture are to clear."""
    from tetrisprinter.planners.dealt._kernel import HEAD

    out = state.copy()
    finished = 0
    for word in state[HEAD : HEAD + state[0]]:
        fate = int(word) >> 16
        if fate != finished + 1 or aim.wants[finished, 0] & ~word:
            break
        finished += 1
    rest = out[HEAD + finished : HEAD + out[0]]
    out[2] += int(np.count_nonzero(rest >> 16))
    rest &= 0xFFFF
    out[1] = finished
    return out


def seated(rows: Sequence[Sequence[int | None]], aim: Aim) -> State:
    """Return the state of a field: finished rows of the picture stay, all others are to clear.

    Parameters
    ----------
    rows : sequence of sequences
        The field, lowest row first: the type in each square (0: none that is known), None where
        it is empty.
    aim : Aim
        What is to be left.

    Raises
    ------
    InputError
        If it is higher than the board.
    """
    from tetrisprinter.planners.dealt._kernel import HEAD

    used = max((y + 1 for y, row in enumerate(rows) if any(s is not None for s in row)), default=0)
    if used > aim.limit:
        raise InputError(f"the field has squares above row {aim.limit}")
    out, finished, clean = empty(), 0, True
    for y, row in enumerate(rows[:used]):
        filled = sum(1 << x for x, square in enumerate(row) if square is not None)
        clean = clean and y < len(aim.wants) and filled == aim.wants[y, 0]
        clean = clean and all(
            square is None or aim.wants[y, square] >> x & 1 for x, square in enumerate(row)
        )
        finished += clean
        out[HEAD + y] = filled | (y + 1 << 16 if clean else 0)
    out[0], out[1], out[2] = used, finished, used - finished
    return out


def landed(state: State, aim: Aim, placed: Placement) -> State:
    """Return the state after a drop that was not searched for.

    If its squares are not wanted where it lies, what is not finished is given up.

    Raises
    ------
    InputError
        If something lies there already, or nothing holds it.
    """
    from tetrisprinter.planners.dealt._kernel import HEAD

    def is_filled(x: int, y: int) -> bool:
        return y < 0 or (y < state[0] and bool(state[HEAD + y] >> x & 1))

    name = placed.orientation.piece.name
    if any(is_filled(x, y) for x, y in placed.cells):
        raise InputError(f"something lies where the {name} was played")
    if not any(is_filled(x, y - 1) for x, y in placed.cells):
        raise InputError(f"nothing holds the {name} where it was played")
    rows = {placed.y + dy for _, dy in placed.orientation.cells}
    fates = {y: int(state[HEAD + y]) >> 16 for y in range(state[0])}
    fits = all(
        not fates.get(y) or aim.wants[fates[y] - 1, placed.orientation.piece] >> x & 1
        for x, y in placed.cells
    )
    finished = int(converted(state, aim)[1])
    out = state.copy() if fits else converted(state, aim)
    if any(y < finished for y in rows):  # even what was finished has squares too many now
        out[HEAD : HEAD + out[0]] &= 0xFFFF
        out[1], out[2] = 0, out[0]
    used = max(int(out[0]), max(rows) + 1)
    out[2] += used - out[0]
    for x, y in placed.cells:
        out[HEAD + y] |= 1 << x
    full = (1 << aim.width) - 1
    kept = [word for word in out[HEAD : HEAD + used].tolist() if word & 0xFFFF != full]
    out[HEAD:] = 0
    out[HEAD : HEAD + len(kept)] = kept
    out[0] = len(kept)
    return out


def missing(state: State, aim: Aim) -> int:
    """Return how many squares of the picture are missing, plus a row for each that must clear."""
    from tetrisprinter.planners.dealt._kernel import HEAD

    left = sum(int(row).bit_count() for row in aim.wants[state[1] :, 0])
    for word in state[HEAD : HEAD + state[0]].tolist():
        fate = word >> 16
        left += (int(aim.wants[fate - 1, 0]) & ~word).bit_count() if fate else aim.width
    return left


def lost(aim: Aim, state: State) -> bool:
    """Say whether a square is missing that no piece can fill any more, as far as is known."""
    from tetrisprinter.planners.dealt._kernel_reach import Reach

    alive = np.zeros(1, np.int32)
    return not Reach(aim.width, aim.wants, _forms()).live(state.reshape(1, -1), 1, alive)


def _question(aim: Aim, queue: Sequence[PieceType], chance: tuple[int, int] = (0, 0)) -> Question:
    from tetrisprinter.planners.dealt._kernel import ROWS, Question

    sizes = (aim.width, len(aim.wants), min(aim.limit, ROWS), int(aim.hold), *chance)
    pieces = np.array(queue, np.int32)
    weights = np.array(WEIGHTS if aim.is_plain else _SCARCE, np.int32)
    spins = _spins() if aim.steered else np.zeros((0, 1), np.int32)
    return Question(sizes, pieces, aim.wants, _forms(), weights, spins)


def advanced(aim: Aim, queue: Sequence[PieceType], state: State, move: int) -> State:
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


def beam_search(
    aim: Aim,
    queue: Sequence[PieceType],
    start: State,
    beam: Beam,
    seen: int | None = None,
) -> Way | None:
    """Drop pieces until the picture stands.

    Parameters
    ----------
    aim : Aim
        What is to be left.
    queue : sequence of PieceType
        The pieces that come, those before the start included.
    start : State
        Where to begin; it says how many have come.
    beam : Beam
        How much is searched.
    seen : int or None
        How many pieces of the queue are seen, so that the first drop may use them; None: all.

    Returns
    -------
    Way or None
        The shortest way found to the picture, else the way to the best state after the last
        piece that is known; None if every way is stuck before.
    """
    from tetrisprinter.planners.dealt._kernel import DONE, HEAD, ROWS
    from tetrisprinter.planners.dealt._kernel_reach import Reach

    question = _question(aim, queue, (beam.noise, beam.salt))
    first = _question(aim, queue[:seen], (beam.noise, beam.salt))
    reach = Reach(aim.width, aim.wants, _forms())
    breadth = beam.breadth
    room = breadth * _CHILDREN
    costs, parents, moves = (np.zeros(room, np.int32) for _ in range(3))
    codes = np.zeros(room, np.uint64)
    states = start.reshape(1, -1).copy()
    history: list[tuple[Any, Any]] = []
    cost, nearest, since = 0, 1 << 30, 0
    while len(history) < beam.drops:
        asked = question if history else first
        found = asked.expand(states, len(states), costs, codes, parents, moves)
        if not found:
            return (
                None
                if not history or _more(states, queue, aim.hold)
                else _way(history, states, cost)
            )
        # Twice as many as are kept, because some of them are lost.
        chosen = _best(costs[:found], codes[:found], 2 * breadth)
        came, done = parents[chosen], moves[chosen]
        following = np.zeros((len(chosen), HEAD + ROWS), np.int32)
        question.advance(states, came, done, len(chosen), following)
        alive = np.zeros(len(chosen), np.int32)
        reach.live(following, len(chosen), alive)
        kept = np.flatnonzero(alive)[:breadth]
        if not len(kept):
            return None
        history.append((came[kept], done[kept]))
        states, cost = following[kept], int(costs[chosen[kept[0]]])
        if cost <= DONE:
            break
        to_go = cost - WEIGHTS[0] * int(states[0, 2])  # without the rows that clear
        if to_go < nearest:
            nearest, since = to_go, len(history)
        if len(history) - since >= _PATIENCE:
            break
    return _way(history, states, cost)


def _more(states: State, queue: Sequence[PieceType], hold: bool) -> bool:
    """Whether some state still has a piece to drop."""
    return bool((states[:, 4] < len(queue)).any() or (hold and (states[:, 3] > 0).any()))


def _best(costs: State, codes: NDArray[np.uint64], breadth: int) -> State:
    """Return the indices of the cheapest states, each once, the cheapest first."""
    near = min(len(costs), 3 * breadth)
    if near < len(costs):
        near = int(np.count_nonzero(costs <= np.partition(costs, near)[near]))
    order = np.lexsort((codes, costs))[:near]
    _, first = np.unique(codes[order], return_index=True)
    return order[np.sort(first)][:breadth].astype(np.int32)


def _way(history: list[tuple[Any, Any]], states: State, cost: int) -> Way:
    from tetrisprinter.planners.dealt._kernel import DONE

    at, moves = 0, []
    for came, done in reversed(history):
        moves.append(int(done[at]))
        at = came[at]
    return Way(tuple(reversed(moves)), states[0].copy(), cost, cost <= DONE)
