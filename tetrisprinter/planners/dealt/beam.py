"""Beam search over the piece queue, on a field whose rows are assigned in advance.

The first part has the states of a game with a queue, and what changes them outside the kernels; the
second part is the search.

When a piece first reaches a row of the field, the search decides whether this row will clear or is
assigned to a row of the picture. A piece may then lie wherever the picture wants its squares; in a
row that will clear, any piece may lie. Only rows that will clear can be full. So a game that ends
with no square missing in any row leaves the picture.

All states that are compared have equally many drops, so the fewest cleared rows win. A state also
costs its remaining work: see ``_MISSING``. If few types may show squares of the picture, most
pieces must clear. So missing squares then cost more, by the factor ``DealtTarget.scarcity``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import STANDARD_COLORS, QueueRules
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.steering import CENTERED_CELLS, Guideline, get_kicks
from tetrisprinter.planners.dealt._kernel import QueueExpander
from tetrisprinter.planners.dealt._kernel_states import (
    DONE,
    HEAD,
    ROWS,
    PictureTables,
    ReachabilityTest,
)
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types
from tetrisprinter.support.kernels import copy_view, zeros

SPAWN_ROOM: Final = 3
"""Visible rows that a search for steered pieces leaves free below those in which they spawn, so
that each piece can be turned and shifted before it goes down."""


@dataclass(frozen=True, slots=True)
class DealtTarget:
    """The squares that must be left on the board in the end."""

    width: int  # columns of the board
    limit: int  # how many rows of the board may be used
    # For each picture row, lowest first, the columns that each type may fill, as bits; index 0
    # holds all columns that must be filled
    wants: memoryview[Any]
    hold: bool = True  # whether hold is allowed
    # Whether pieces are steered by the guideline rules; if not, they are hard-dropped
    steered: bool = False

    @property
    def scarcity(self) -> float:
        """Seven divided by the average number of types that may show a square of the picture."""
        rows = range(len(self.wants))
        allowed_count: int = sum(
            self.wants[y, piece].bit_count() for y in rows for piece in PieceType
        )
        return len(PieceType) * self.squares / max(1, allowed_count)

    @property
    def squares(self) -> int:
        """The number of squares that must be left."""
        return sum(self.wants[y, 0].bit_count() for y in range(len(self.wants)))

    @property
    def fewest_drops(self) -> int:
        """The number of drops that no game can undercut: four squares for each."""
        return -(-self.squares // 4)


def choose_types(task: Task) -> TypeColors:
    """Return the colour of each type: the task's, or a choice that suits the picture.

    If there is one colour, all types show it. If all are standard colours, each is shown
    by its own type. Otherwise the types are shared out among the colours.
    """
    type_colors = task.type_colors
    if type_colors is not None:
        return type_colors
    colors = task.colors
    if len(colors) == 1:
        return TypeColors.of(dict.fromkeys(PieceType, colors[0]))
    if set(colors) <= set(STANDARD_COLORS.values()):
        return TypeColors.of({p: c for p, c in STANDARD_COLORS.items() if c in colors})
    return TypeColors.of(share_types(task.picture, task.background))


def make_dealt_target(task: Task, types: TypeColors) -> DealtTarget:
    """Return the target of a task if its types have these colours."""
    wants = zeros("i", task.picture.height, 8)
    for (x, y), color in task.picture.cells().items():
        if color == task.background:
            continue  # an empty square shows the same colour
        column = 1 << x + task.column
        wants[y, 0] |= column
        for piece in PieceType:
            if types.get(piece) == color:
                wants[y, piece] |= column
    pieces = task.pieces or QueueRules()
    limit = count_usable_rows(task) if pieces.steered else task.board.height
    return DealtTarget(task.board.width, limit, wants, pieces.hold, pieces.steered)


def count_usable_rows(task: Task) -> int:
    """Return the number of board rows that a search for steered pieces uses."""
    return min(
        task.board.height, Guideline(task.board.width, task.board.height).visible - SPAWN_ROOM
    )


_MISSING: Final = 2
_ROUGH: Final = 8
"""A missing square costs 1 for each used row above it. The first number is a further cost of each
missing square of the picture. The second is the cost of each end of a run of missing squares, and
of each missing square under a filled one."""

PATIENCE: Final = 56
"""How many drops without progress end a search, or let a player give up unfinished rows. A game has
at most this number times (1 + the number of picture rows) drops."""

GameState: TypeAlias = "memoryview[Any]"
"""A state, as :mod:`~tetrisprinter.planners.dealt._kernel_states` describes it."""


def make_empty_state() -> GameState:
    """Return the state before the first drop."""
    return zeros("i", HEAD + ROWS)


def give_up_rows(state: GameState, target: DealtTarget) -> GameState:
    """Return the state in which every row above the finished picture rows must clear."""
    new_state = copy_view(state)
    finished = 0
    for row in state[HEAD : HEAD + state[0]]:
        if row >> 16 != finished + 1 or target.wants[finished, 0] & ~row:
            break
        finished += 1
    for index in range(HEAD + finished, HEAD + new_state[0]):
        new_state[2] += new_state[index] >> 16 > 0
        new_state[index] &= 0xFFFF
    new_state[1] = finished
    return new_state


def make_state_from_field(rows: Sequence[Sequence[int | None]], target: DealtTarget) -> GameState:
    """Return a state that begins with these rows: finished picture rows stay, others clear."""
    used = max(
        (y + 1 for y, row in enumerate(rows) if any(square is not None for square in row)),
        default=0,
    )
    if used > target.limit:
        raise InputError(f"the field has squares above row {target.limit}")
    state, finished, is_finished = make_empty_state(), 0, True
    for y, row in enumerate(rows[:used]):
        filled = sum(1 << x for x, square in enumerate(row) if square is not None)
        is_finished = is_finished and y < len(target.wants) and filled == target.wants[y, 0]
        is_finished = is_finished and all(
            square is None or target.wants[y, square] >> x & 1 for x, square in enumerate(row)
        )
        finished += is_finished
        # the filled columns, and from bit 16 the picture row plus one (0: the row must clear)
        state[HEAD + y] = filled | (y + 1 << 16 if is_finished else 0)
    state[0], state[1], state[2] = used, finished, used - finished
    return state


def land_drop(state: GameState, target: DealtTarget, placed: Placement) -> GameState:
    """Return the state after a drop that the search did not choose.

    If its squares do not fit the picture there, the unfinished rows are given up.
    """

    def is_filled(x: int, y: int) -> bool:
        return y < 0 or (y < state[0] and bool(state[HEAD + y] >> x & 1))

    name = placed.orientation.piece.name
    if any(is_filled(x, y) for x, y in placed.cells):
        raise InputError(f"the {name} was played on squares that are taken")
    if not any(is_filled(x, y - 1) for x, y in placed.cells):
        raise InputError(f"the {name} was played without support")
    rows = {placed.y + dy for _, dy in placed.orientation.cells}
    assigned_rows = {y: state[HEAD + y] >> 16 for y in range(state[0])}
    fits = all(
        not assigned_rows.get(y)
        or target.wants[assigned_rows[y] - 1, placed.orientation.piece] >> x & 1
        for x, y in placed.cells
    )
    finished = give_up_rows(state, target)[1]
    new_state = copy_view(state) if fits else give_up_rows(state, target)
    if any(y < finished for y in rows):  # finished rows got squares that do not belong there
        for index in range(HEAD, HEAD + new_state[0]):
            new_state[index] &= 0xFFFF
        new_state[1], new_state[2] = 0, new_state[0]
    used = max(new_state[0], max(rows) + 1)
    new_state[2] += used - new_state[0]
    for x, y in placed.cells:
        new_state[HEAD + y] |= 1 << x
    full = (1 << target.width) - 1
    rows_left = [row for row in new_state[HEAD : HEAD + used] if row & 0xFFFF != full]
    new_state[HEAD:] = zeros("i", len(new_state) - HEAD)
    for y, row in enumerate(rows_left):
        new_state[HEAD + y] = row
    new_state[0] = len(rows_left)
    return new_state


def count_missing(state: GameState, target: DealtTarget) -> int:
    """Return the number of missing squares; a row that must clear counts with its full width."""
    missing: int = sum(target.wants[y, 0].bit_count() for y in range(state[1], len(target.wants)))
    for row in state[HEAD : HEAD + state[0]]:
        picture_row = row >> 16
        missing += (
            (target.wants[picture_row - 1, 0] & ~row).bit_count() if picture_row else target.width
        )
    return missing


def decode_move(code: int) -> Placement:
    """Return a drop from the kernel's integer."""
    return Placement(ORIENTATIONS[code & 31], code >> 5 & 15, code >> 9 & 63)


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
    """Return the picture, the orientations and the weights of costs as the kernels read them."""
    missing, rough = round(target.scarcity * _MISSING), round(target.scarcity * _ROUGH)
    weights = _make_array([missing, rough, _ROUGH])
    rows = min(target.limit, ROWS)
    forms = _make_form_tables()
    return PictureTables(target.width, rows, target.wants, forms, target.steered, weights)


def _make_expander(
    target: DealtTarget, queue: Sequence[PieceType], chance: int = 0, salt: int = 0
) -> QueueExpander:
    """Return the kernel that lists and makes the drops of a queue; see :class:`BeamSearch`."""
    spins = _make_spin_table() if target.steered else zeros("i", 1, 1)
    noise = round(target.scarcity * chance)
    return QueueExpander(
        _make_picture_tables(target), spins, _make_array(queue), target.hold, noise, salt
    )


def advance_state(
    target: DealtTarget, queue: Sequence[PieceType], state: GameState, move: int
) -> GameState:
    """Return the state after a drop, which is given in the kernel's encoding."""
    next_state = make_empty_state()
    _make_expander(target, queue).advance(
        state, _make_array([0]), _make_array([move]), 1, next_state
    )
    return next_state


class BeamSearch:
    """A beam search, and the best sequence of drops that it found.

    After each drop ``breadth`` states are kept. ``chance`` is the range of the random part of
    costs, which is multiplied by ``DealtTarget.scarcity``; ``salt`` is its seed. The first drop
    uses only the first ``visible_count`` pieces of the queue (None: all).
    """

    def __init__(
        self,
        target: DealtTarget,
        queue: Sequence[PieceType],
        breadth: int,
        *,
        chance: int = 0,
        salt: int = 0,
        visible_count: int | None = None,
    ) -> None:
        self.target, self.queue, self.breadth = target, queue, breadth
        self.cost = 0  # the cost of the best state
        self._expander = _make_expander(target, queue, chance, salt)
        self._first_expander = _make_expander(target, queue[:visible_count], chance, salt)
        self._reach = ReachabilityTest(_make_picture_tables(target))
        # The states after the last drop, the best first, and for each drop the state before it
        # and the move that led to each state
        self._states, self._count, self._size = make_empty_state(), 1, HEAD + ROWS
        self._history: list[tuple[Sequence[int], Sequence[int]]] = []

    @property
    def is_done(self) -> bool:
        """Whether the best state is the complete picture."""
        return self.cost <= DONE

    @property
    def state(self) -> GameState:
        """The best state."""
        return copy_view(self._states[: self._size])

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves that led to the best state, in the encoding of the kernel."""
        moves, index = [], 0
        for parents, moves_here in reversed(self._history):
            moves.append(moves_here[index])
            index = parents[index]
        return tuple(reversed(moves))

    def run(
        self, first_state: GameState, max_drops: int, is_over: Callable[[], bool] = lambda: False
    ) -> bool:
        """Search up to this number of drops; return False if stopped or if all states are stuck."""
        self._states = copy_view(first_state)
        lowest_cost, best_depth = 1 << 30, 0
        while len(self._history) < max_drops:
            if is_over():
                return False
            advanced = self._advance()
            if advanced is None or (not advanced and not self._history):
                return False
            if not advanced:
                return not self._has_piece()
            if self.is_done:
                break
            if self.cost < lowest_cost:
                lowest_cost, best_depth = self.cost, len(self._history)
            if len(self._history) - best_depth >= PATIENCE:
                break
        return True

    def _advance(self) -> bool | None:
        """Advance all states by one drop.

        Returns True if states remain, False if no state has a drop, because the pieces ran out or
        have no position, and None if no new state can still become the picture.
        """
        lister = self._expander if self._history else self._first_expander
        move_count = lister.expand(self._states, self._count)
        if not move_count:
            return False
        # Take twice the beam width, because some states turn out to be dead ends.
        chosen = lister.choose(move_count, min(move_count, 2 * self.breadth))
        count = len(chosen)
        parents, moves = (_make_array([one[place] for one in chosen]) for place in (1, 2))
        next_states, is_live = zeros("i", count * self._size), zeros("i", count)
        self._expander.advance(self._states, parents, moves, count, next_states)
        self._reach.mark_live(next_states, count, is_live)
        live = [k for k in range(count) if is_live[k]][: self.breadth]
        if not live:
            return None
        self._history.append(
            (_make_array([parents[k] for k in live]), _make_array([moves[k] for k in live]))
        )
        states = [next_states[k * self._size : (k + 1) * self._size] for k in live]
        self._states = memoryview(bytearray().join(states)).cast("i")
        self._count, self.cost = len(live), chosen[live[0]][0]
        return True

    def _has_piece(self) -> bool:
        """Return whether some state still has a piece to drop."""
        used_counts, held_pieces = self._states[4 :: self._size], self._states[3 :: self._size]
        return min(used_counts) < len(self.queue) or (self.target.hold and max(held_pieces) > 0)
