"""Key presses for a plan in the 1989 console game, and orders of drops that can be steered.

A plan has only the columns of hard drops. Here each piece enters as in the console game and is
steered by key presses. Every cell that a piece passes through must be free:

* It **spawns** with its centre in the top row of the board and in column ``width // 2``
  (column 5 of 10, column 10 of 21), in the orientation with no turns: J, L and T with
  the nub down, S, Z and I lying. The centre is the square about which a piece turns.
* It **turns** by quarter turns about its centre; I, S and Z alternate between two
  states and O does not turn. There are no wall kicks: a turn that does not fit is refused.
* It is **shifted** column by column, then **dropped**.

As in the console game, pieces may reach into two **hidden rows** above the board, e.g. when they
turn at the top; no square stays there. ``hidden=0`` is the strict game in which no piece ever
leaves the board. A piece that needs room above to turn then falls a row or two first. With
``hidden=4`` pieces enter wholly above the board, so that every hard drop can be steered.

The usual path (turn, shift, drop) is tried first. If it is blocked, a breadth-first search over
columns and orientations in the entry rows decides. If that fails, the drop is illegal.

In a real game the player must steer each piece past the squares that are already there. If that is
impossible, another order of the drops may be possible. For each pass a search finds an order
in which every piece rests on the same squares as before, so the final field is the same.

Rows may vanish in another order, too. So the squares of a piece are given in *virtual rows*: every
row gets a number, from below, and keeps its number when it moves down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, TypeVar

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Playfield, TopOutError, remove_row_numbers
from tetrisprinter.game.pieces import Cell, Orientation, PieceType, Placement, list_orientations
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import Drop, play

HIDDEN_ROWS: Final = 2
"""Rows above the board that a piece may use while it moves, as in the console game."""


class IllegalMoveError(JobError):
    """A piece cannot be steered to its column without overlapping something."""


class Key(StrEnum):
    """A key, or a key that is held down."""

    CLOCKWISE = "cw"
    COUNTERCLOCKWISE = "ccw"
    LEFT = "left"
    RIGHT = "right"
    DOWN = "down"
    DROP = "drop"
    FAR_LEFT = "hold left"
    FAR_RIGHT = "hold right"
    FAR_DOWN = "hold down"


_SEARCHED_KEYS: Final = (Key.CLOCKWISE, Key.COUNTERCLOCKWISE, Key.LEFT, Key.RIGHT, Key.DOWN)


@dataclass(frozen=True, slots=True)
class MovedDrop:
    """A drop with its key presses."""

    drop: Drop
    keys: tuple[Key, ...]  # the presses, :attr:`Key.DROP` last
    # The placements from spawn to landing: one more than there are keys
    path: tuple[Placement, ...]
    swapped: bool = False  # whether the player pressed hold for this piece

    @property
    def presses(self) -> tuple[str, ...]:
        """All presses: ``hold`` if the piece is swapped, then the keys."""
        return ("hold",) * self.swapped + tuple(map(str, self.keys))

    @property
    def rotations(self) -> int:
        """The number of clockwise quarter turns minus the anticlockwise quarter turns."""
        return self.keys.count(Key.CLOCKWISE) - self.keys.count(Key.COUNTERCLOCKWISE)

    @property
    def shift(self) -> int:
        """The number of presses to the right minus the presses to the left."""
        return self.keys.count(Key.RIGHT) - self.keys.count(Key.LEFT)


# The centre of each orientation within its bounding box, by clockwise turns from the spawn.
_CENTERS: Final[dict[PieceType, tuple[Cell, ...]]] = {
    PieceType.I: ((2, 0), (0, 1)),
    PieceType.J: ((1, 1), (1, 1), (1, 0), (0, 1)),
    PieceType.L: ((1, 1), (1, 1), (1, 0), (0, 1)),
    PieceType.O: ((1, 1),),
    PieceType.S: ((1, 1), (0, 1)),
    PieceType.T: ((1, 1), (1, 1), (1, 0), (0, 1)),
    PieceType.Z: ((1, 1), (0, 1)),
}
_CENTERED_STATES: Final = {
    piece: tuple(zip(list_orientations(piece), centers, strict=True))
    for piece, centers in _CENTERS.items()
}
_CELL_OFFSETS: Final = {
    piece: tuple(orientation.place(-cx, -cy) for orientation, (cx, cy) in states)
    for piece, states in _CENTERED_STATES.items()
}

_ROWS_ABOVE_CENTER: Final = 2
"""The number of rows that the tallest state, I upright, reaches above its centre."""

_State = tuple[int, int, int]  # turns, column and row of the centre
State = TypeVar("State", bound=Hashable)


def find_spawn_center(orientation: Orientation) -> Cell:
    """Return the square about which a piece turns, relative to its bounding box.

    >>> find_spawn_center(list_orientations(PieceType.T)[0])
    (1, 1)
    """
    return _CENTERS[orientation.piece][orientation.turns]


def _find_start(width: int, height: int, hidden: int) -> _State:
    """Return the state in which a piece spawns; ``hidden`` is the number of hidden rows."""
    return 0, width // 2, height - 1 + max(0, hidden - _ROWS_ABOVE_CENTER)


class _SteeringBoard:
    """A field on which one piece moves, with tests for its states (turns, column, row)."""

    def __init__(self, field: Playfield, piece: PieceType, hidden: int) -> None:
        self.field = field
        self.piece = piece
        self.tops = field.tops
        self.ceiling = field.height + hidden
        self.start = _find_start(field.width, field.height, hidden)
        self.offsets = _CELL_OFFSETS[piece]

    def is_free(self, state: _State) -> bool:
        """Return whether the piece fits on the field in a state."""
        turns, x, y = state
        width, height = self.field.width, self.field.height
        for dx, dy in self.offsets[turns]:
            cx, cy = x + dx, y + dy
            if not (0 <= cx < width and 0 <= cy < self.ceiling):
                return False
            if cy < self.tops[cx] and cy < height and self.field[cx, cy]:
                return False
        return True

    def is_open(self, state: _State) -> bool:
        """Return whether no square lies above the piece, as on the path of a hard drop."""
        turns, x, y = state
        return all(y + dy >= self.tops[x + dx] for dx, dy in self.offsets[turns])

    def press(self, state: _State, key: Key) -> _State:
        """Return the state after a press, which may not be free."""
        turns, x, y = state
        match key:
            case Key.CLOCKWISE:
                return (turns + 1) % len(self.offsets), x, y
            case Key.COUNTERCLOCKWISE:
                return (turns - 1) % len(self.offsets), x, y
            case Key.LEFT:
                return turns, x - 1, y
            case Key.RIGHT:
                return turns, x + 1, y
            case Key.DOWN:
                return turns, x, y - 1
            case Key.DROP:
                while self.is_free((turns, x, y - 1)):
                    y -= 1
                return turns, x, y
        raise ValueError(f"unknown key {key}")

    def can_press(self, keys: tuple[Key, ...]) -> bool:
        """Return whether all states on the path are free and no square is above the last state."""
        state = self.start
        for key in keys:
            if not self.is_free(state):
                return False
            state = self.press(state, key)
        return self.is_free(state) and self.is_open(state)


def walk(
    field: Playfield, piece: PieceType, keys: tuple[Key, ...], hidden: int = HIDDEN_ROWS
) -> tuple[Placement, ...]:
    """Press keys and return the placements of the piece, from its spawn on."""
    board = _SteeringBoard(field, piece, hidden)
    state = board.start
    path = []
    for number, key in enumerate((None, *keys)):
        state = state if key is None else board.press(state, key)
        if not board.is_free(state):
            problem = "cannot enter" if key is None else f"cannot do press {number} ({key})"
            raise IllegalMoveError(f"{piece.name} {problem}: no room there")
        turns, x, y = state
        orientation, (cx, cy) = _CENTERED_STATES[piece][turns]
        path.append(Placement(orientation, x - cx, y - cy))
    return tuple(path)


def find_keys(
    field: Playfield, orientation: Orientation, x: int, hidden: int = HIDDEN_ROWS
) -> tuple[Key, ...] | None:
    """Return the presses that drop a piece at column ``x``; None if it cannot be steered there."""
    board = _SteeringBoard(field, orientation.piece, hidden)
    goal = (orientation.turns, x + find_spawn_center(orientation)[0])
    turns_and_shifts = _list_usual_keys(orientation, x, board.start[1])
    # Without hidden rows, a piece that reaches above its centre must fall before it can turn.
    for rows_down in range(max(0, _ROWS_ABOVE_CENTER - hidden) + 1):
        usual_keys = (Key.DOWN,) * rows_down + turns_and_shifts
        keys = (
            usual_keys
            if board.can_press(usual_keys)
            else _search(board, goal, board.start[2] - rows_down)
        )
        if keys is not None:
            return (*keys, Key.DROP)
    return None


def _list_usual_keys(orientation: Orientation, x: int, spawn_column: int) -> tuple[Key, ...]:
    """Return the usual presses from the spawn column: the turns, then the shifts."""
    shift = x + find_spawn_center(orientation)[0] - spawn_column
    turns = orientation.turns
    rotations = (Key.COUNTERCLOCKWISE,) if turns == 3 else (Key.CLOCKWISE,) * turns
    return rotations + (Key.RIGHT if shift > 0 else Key.LEFT,) * abs(shift)


def _search(board: _SteeringBoard, goal: tuple[int, int], floor: int) -> tuple[Key, ...] | None:
    """Return the fewest presses to a goal (turns, column) in rows from ``floor`` up; else None."""

    def iterate_moves(state: _State) -> Iterator[tuple[Key, _State]]:
        for key in _SEARCHED_KEYS:
            next_state = board.press(state, key)
            if next_state[2] >= floor and board.is_free(next_state):
                yield key, next_state

    def is_goal(state: _State) -> bool:
        return state[:2] == goal and board.is_open(state)

    return find_presses(board.start, is_goal, iterate_moves) if board.is_free(board.start) else None


def find_presses(
    start: State,
    is_goal: Callable[[State], bool],
    iterate_moves: Callable[[State], Iterable[tuple[Key, State]]],
) -> tuple[Key, ...] | None:
    """Return the fewest presses from a state to a goal, breadth first; None if no presses do."""
    predecessors: dict[State, tuple[State, Key] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if is_goal(state):
            keys: list[Key] = []
            while (predecessor := predecessors[state]) is not None:
                state, key = predecessor
                keys.append(key)
            return tuple(reversed(keys))
        for key, next_state in iterate_moves(state):
            if next_state not in predecessors:
                predecessors[next_state] = state, key
                queue.append(next_state)
    return None


def play_moves(
    plan: Plan, field: Playfield, hidden: int = HIDDEN_ROWS, *, lenient: bool = False
) -> Iterator[MovedDrop]:
    """Play a plan by key presses; yield each drop after it happened.

    ``lenient`` gives each drop a path for display, even if the rules allow none.
    """
    drops, slides = play(plan, field), dict(plan.slides)
    for index, (pass_index, piece) in enumerate(plan.iterate_with_pass()):
        # play() makes this drop only at next(), so the field is still that before the drop.
        piece_type, column, hidden_rows = piece.orientation.piece, piece.x, hidden
        if index in slides and not lenient:
            raise IllegalMoveError(
                f"drop {index + 1} (pass {pass_index + 1}): {piece_type.name} is tucked under "
                "other squares; only the guideline rules allow that (--rules srs)"
            )
        keys = find_keys(field, piece.orientation, column, hidden_rows)
        if keys is None and lenient:
            hidden_rows = 2 * _ROWS_ABOVE_CENTER
            keys = find_keys(field, piece.orientation, column, hidden_rows)
        path = walk(field, piece_type, keys, hidden_rows) if keys else ()
        drop = next(drops)
        if keys is None and lenient:
            spawn_column = _find_start(plan.width, plan.height, hidden_rows)[1]
            keys = (*_list_usual_keys(piece.orientation, column, spawn_column), Key.DROP)
            entry = Placement(piece.orientation, column, plan.height)
            path = (entry, Placement(piece.orientation, column, drop.landing.y))
        if keys is None:
            raise IllegalMoveError(
                f"drop {index + 1} (pass {pass_index + 1}): {piece_type.name} cannot be steered to "
                f"column {column}: every path is blocked with {hidden} hidden rows above the "
                f"board; with {2 * _ROWS_ABOVE_CENTER} hidden rows it enters above all squares"
            )
        yield MovedDrop(drop, keys, path)


NES_BOARD: Final = (10, 20)
"""Width and height of the board of the 1989 console game."""
_NES_GRAVITY: Final = 48
"""Frames after which a piece falls by one row at level 0, unless it fell before."""
_NES_BUTTONS: Final = {
    Key.CLOCKWISE: "A",
    Key.COUNTERCLOCKWISE: "B",
    Key.LEFT: "L",
    Key.RIGHT: "R",
    Key.DOWN: "D",
    Key.DROP: "D",
}


ButtonRun = tuple[str, int]
"""A button (A, B, L, R or D; empty: none), and the number of frames for which it is held.

A second has sixty frames.
"""


def play_nes(plan: Plan) -> Iterator[tuple[MovedDrop, tuple[ButtonRun, ...]]]:
    """Play a plan on the console's board; yield each drop with the buttons of each frame.

    The frames of a drop begin with the first frame in which its piece obeys, and end with the one
    in which it locks, at level 0. A shift and a turn are taps of one frame, so the delayed auto
    shift (16 frames, then 6) never begins. Down makes a piece fall every second frame, first in
    the third frame. There is no hard drop.
    """
    width, height = NES_BOARD
    if plan.width != width:
        raise IllegalMoveError(
            f"the board has {plan.width} columns; the console's board is {width}x{height}"
        )
    for moved in play_moves(plan, Playfield.from_rows(width, height, plan.start)):
        runs: list[ButtonRun] = []
        waited = 0  # frames since the piece appeared or fell
        for number, key in enumerate(moved.keys):
            rows = moved.path[number].y - moved.path[number + 1].y
            # With down held it falls every second frame; the last attempt locks the piece.
            fall_frames = 2 * (rows + 1) + 1
            frames = {Key.DROP: fall_frames, Key.DOWN: 3}.get(key, 1)
            waited += min(frames, 3)
            if waited > _NES_GRAVITY:
                raise IllegalMoveError(
                    f"drop {moved.drop.index + 1}: the "
                    f"{moved.drop.landing.orientation.piece.name} would fall before it is steered: "
                    f"its presses take more than {_NES_GRAVITY} frames"
                )
            runs.append((_NES_BUTTONS[key], frames))
            if key is not Key.DROP:
                runs.append(("", 1))
                waited = 1 if key is Key.DOWN else waited + 1
        yield moved, tuple(runs)


def make_move_log(
    plan: Plan, moves: list[MovedDrop], hidden: int = HIDDEN_ROWS
) -> dict[str, object]:
    """Return the moves as plain data: the content of ``tetrisprinter moves --json``.

    ``spawn_column`` and ``spawn_row``: the centre of every piece at its spawn. ``column`` and
    ``row``: the lower left corner of its box at its landing, before rows clear. ``cleared``: the
    rows that vanish. Rows are counted from the floor, 0.
    """
    return {
        "width": plan.width,
        "height": plan.height,
        "hidden": hidden,
        "spawn_column": plan.width // 2,
        "spawn_row": _find_start(plan.width, plan.height, hidden)[2],
        "drops": [
            describe_move(moved, map(str, moved.keys), rotations=moved.rotations, shift=moved.shift)
            for moved in moves
        ],
    }


def describe_move(moved: MovedDrop, keys: Iterable[str], **extra_fields: int) -> dict[str, Any]:
    """Return a drop, its keys and further fields as plain data."""
    landing = moved.drop.landing
    return {
        "drop": moved.drop.index + 1,
        "pass": moved.drop.pass_index + 1,
        "piece": landing.orientation.piece.name,
        **extra_fields,
        "column": landing.x,
        "row": landing.y,
        "cleared": list(landing.cleared),
        "keys": list(keys),
    }


Steerable = Callable[[Playfield, Orientation, int], bool]
"""A function that tests whether a piece can be steered to a column on a field."""

_MAX_FIELDS: Final = 3000
"""The search of a pass gives up after this number of fields."""


def reorder_plan(
    plan: Plan,
    steerable: Steerable,
    can_start: Callable[[Playfield, PieceType], bool] | None = None,
) -> Plan | None:
    """Return the plan with drops that can all be steered; None if no order is found."""
    if plan.slides:  # a tuck may be impossible in another order
        return None
    field = plan.make_field()
    final_field = _apply_drops(field, plan.drops)

    def can_steer(current: Playfield, orientation: Orientation, x: int) -> bool:
        is_first_piece = not any(current.tops)
        if can_start is not None and is_first_piece:
            return can_start(final_field, orientation.piece) and steerable(current, orientation, x)
        return steerable(current, orientation, x)

    passes: list[Pass] = []
    for pass_ in plan.passes:
        order = find_order(field, pass_.pieces, can_steer)
        if order is None:
            return None
        passes.append(Pass(pass_.height, order))
        field = _apply_drops(field, order)
    return replace(plan, passes=tuple(passes))


def find_order(
    field: Playfield, pieces: Sequence[Placement], steerable: Steerable
) -> tuple[Placement, ...] | None:
    """Return the pieces in an order in which all can be steered; None if no order is found.

    The given order is tried first. Then the search is depth-first, low and outer pieces first, and
    visits each set of pieces once.
    """
    virtual_rows: list[tuple[int, ...]] = []  # the virtual rows of each piece
    current, rows = _copy_field(field), list(range(field.height))
    is_steerable = True
    for piece in pieces:
        is_steerable = is_steerable and steerable(current, piece.orientation, piece.x)
        landing = current.drop(piece.orientation, piece.x)
        virtual_rows.append(tuple(rows[landing.y : landing.y + piece.orientation.height]))
        remove_row_numbers(rows, landing.cleared)
    if is_steerable:
        return tuple(pieces)

    def iterate_next(
        field: Playfield, rows: list[int], dropped: int
    ) -> Iterator[tuple[int, Playfield, list[int]]]:
        """Yield each piece that can come next, with field and row numbers after its drop."""
        middle = (field.width - 1) / 2
        candidates = []
        for number, piece in enumerate(pieces):
            if dropped >> number & 1:
                continue
            try:
                y = field.find_landing_row(piece.orientation, piece.x)
            except TopOutError:
                continue
            height, width = piece.orientation.height, piece.orientation.width
            if tuple(rows[y : y + height]) == virtual_rows[number]:
                side_distance = abs(piece.x + (width - 1) / 2 - middle)
                candidates.append((y + height, -side_distance, number))
        for _, _, number in sorted(candidates):
            piece = pieces[number]
            if not steerable(field, piece.orientation, piece.x):
                continue
            next_field, next_rows = _copy_field(field), rows.copy()
            remove_row_numbers(next_rows, next_field.drop(piece.orientation, piece.x).cleared)
            yield number, next_field, next_rows

    visited: set[int] = set()
    order: list[int] = []
    stack = [iterate_next(field, list(range(field.height)), 0)]
    while stack and len(visited) < _MAX_FIELDS:
        for number, next_field, next_rows in stack[-1]:
            dropped = sum(1 << n for n in order) | 1 << number
            if dropped in visited:
                continue
            visited.add(dropped)
            order.append(number)
            if len(order) == len(pieces):
                return tuple(pieces[n] for n in order)
            stack.append(iterate_next(next_field, next_rows, dropped))
            break
        else:
            stack.pop()
            if order:
                order.pop()
    return None


def _copy_field(field: Playfield) -> Playfield:
    """Return a field of its own with the same squares."""
    return Playfield.from_rows(field.width, field.height, field.rows)


def _apply_drops(field: Playfield, pieces: Sequence[Placement]) -> Playfield:
    """Return a new field on which the pieces have been dropped."""
    field = _copy_field(field)
    for piece in pieces:
        field.drop(piece.orientation, piece.x)
    return field
