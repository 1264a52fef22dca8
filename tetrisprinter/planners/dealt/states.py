"""Make and change the states of a game with a piece queue, outside the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import STANDARD_COLORS, QueueRules
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.srs import Guideline
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types
from tetrisprinter.support.arrays import copy_view, zeros

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


@dataclass(frozen=True, slots=True)
class DealtBudgets:
    """The limits of the search over dealt pieces, and the costs of its states."""

    # A missing square costs 1 for each used row above it. ``missing`` is a further cost of each
    # missing square of the picture. ``rough`` is the cost of each end of a run of missing squares,
    # and of each missing square under a filled one
    missing: int = 2
    rough: int = 8
    chance: int = 2  # repeated searches add a random cost below this, times the scarcity
    # ``beam`` is the beam width of the first search; each further search has twice the width.
    # ``searches`` is the number of searches if all pieces are known
    beam: int = 100
    searches: int = 5
    quick_effort: float = 0.05  # of the first game with a preview if the time is limited
    most_states: int = 50_000  # the greatest beam width, about 250 MB
    # How many drops without progress end a search, or let a player give up unfinished rows. A game
    # has at most this number times (1 + the number of picture rows) drops
    patience: int = 56
    # How many random continuations of the queue a player with a preview draws per drop, and how
    # many drops are searched in each
    futures: int = 3
    horizon: int = 24


BUDGETS = DealtBudgets()


GameState: TypeAlias = "memoryview[Any]"
"""A state, as :mod:`~tetrisprinter.planners.dealt._kernel_states` describes it."""


def make_empty_state() -> GameState:
    """Return the state before the first drop."""
    from tetrisprinter.planners.dealt._kernel_states import HEAD, ROWS

    return zeros("i", HEAD + ROWS)


def give_up_rows(state: GameState, target: DealtTarget) -> GameState:
    """Return the state in which every row above the finished picture rows must clear."""
    from tetrisprinter.planners.dealt._kernel_states import HEAD

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
    from tetrisprinter.planners.dealt._kernel_states import HEAD

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
    from tetrisprinter.planners.dealt._kernel_states import HEAD

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
    from tetrisprinter.planners.dealt._kernel_states import HEAD

    missing: int = sum(target.wants[y, 0].bit_count() for y in range(state[1], len(target.wants)))
    for row in state[HEAD : HEAD + state[0]]:
        picture_row = row >> 16
        missing += (
            (target.wants[picture_row - 1, 0] & ~row).bit_count() if picture_row else target.width
        )
    return missing
