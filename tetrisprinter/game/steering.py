"""Key presses for a plan: in the 1989 console game, and under the guideline rules (SRS).

A plan has only the columns of hard drops. Here each piece enters and is steered by key presses.
Every cell that a piece passes through must be free.

**The console game.**

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

**The guideline rules.** Modern games follow the *guideline* of 2001:

* A piece **spawns** lying flat side down in the two rows above the visible ones, in the
  middle, rounded to the left: on ten columns I in 3 to 6, O in 4 and 5, others in 3 to 5. It
  moves down by a row at once if there is room. If there is no room to spawn, the game is over.
* It **turns** by the *Super Rotation System*: about its centre. If the turned piece does not
  fit, four shifted places are tried, the *kicks*. Each shift is the difference of two offsets, one
  for the state before the turn and one for the state after it.
* It is **shifted** column by column and let down row by row (soft drop), or **dropped**
  (hard drop), which locks it. A piece that locks wholly above the visible rows ends the game.

Gravity is ignored: a path has the presses but not their timing. :meth:`Guideline.find_keys` finds
a path with the fewest presses, by breadth-first search over all moves of the piece.

There are 20 visible rows on ten columns. The guideline does not cover other boards; there the
pieces spawn in the two highest rows.

Source: the guideline's rotation system as the Tetris wiki and Hard Drop describe it
(https://tetris.wiki/Super_Rotation_System).

**Orders of drops.** In a real game the player must steer each piece past the squares that are
already there. If that is impossible, another order of the drops may be possible. For each pass a
search finds an order in which every piece rests on the same squares as before, so the final field
is the same.

Rows may vanish in another order, too. So the squares of a piece are given in *virtual rows*: every
row gets a number, from below, and keeps its number when it moves down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeVar

from tetrisprinter.errors import InputError, JobError
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


BUFFER: Final = 20
"""The number of rows above the visible rows that a piece may use while it moves."""

_VISIBLE: Final = 20
_GUIDELINE_WIDTH: Final = 10

_SPAWNS: Final[dict[PieceType, tuple[Cell, ...]]] = {
    PieceType.I: ((-1, 0), (0, 0), (1, 0), (2, 0)),
    PieceType.J: ((-1, 1), (-1, 0), (0, 0), (1, 0)),
    PieceType.L: ((1, 1), (-1, 0), (0, 0), (1, 0)),
    PieceType.O: ((0, 0), (1, 0), (0, 1), (1, 1)),
    PieceType.S: ((-1, 0), (0, 0), (0, 1), (1, 1)),
    PieceType.T: ((0, 1), (-1, 0), (0, 0), (1, 0)),
    PieceType.Z: ((-1, 1), (0, 1), (0, 0), (1, 0)),
}
"""The cells of a spawning piece relative to its centre, y upwards."""

# By state (clockwise quarter turns), the offsets whose differences are the five kicks.
_OFFSETS: Final[tuple[tuple[Cell, ...], ...]] = (
    ((0, 0), (0, 0), (0, 0), (0, 0), (0, 0)),
    ((0, 0), (1, 0), (1, -1), (0, 2), (1, 2)),
    ((0, 0), (0, 0), (0, 0), (0, 0), (0, 0)),
    ((0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)),
)
_OFFSETS_I: Final[tuple[tuple[Cell, ...], ...]] = (
    ((0, 0), (-1, 0), (2, 0), (-1, 0), (2, 0)),
    ((-1, 0), (0, 0), (0, 0), (0, 1), (0, -2)),
    ((-1, 1), (1, 1), (-2, 1), (1, 0), (-2, 0)),
    ((0, 1), (0, 1), (0, 1), (0, -1), (0, 2)),
)

_QUARTER_TURNS: Final = ((Key.CLOCKWISE, 1), (Key.COUNTERCLOCKWISE, 3))
_SINGLE_PRESS: Final = {Key.FAR_LEFT: Key.LEFT, Key.FAR_RIGHT: Key.RIGHT, Key.FAR_DOWN: Key.DOWN}

_Pose = tuple[int, int]
"""Quarter turns, and the index of the centre's cell in the walled field."""


def _turn_spawn(piece: PieceType) -> tuple[tuple[Cell, ...], ...]:
    """Return the cells of a piece around its centre, by clockwise quarter turns."""
    if piece is PieceType.O:
        return (_SPAWNS[piece],)
    states = [_SPAWNS[piece]]
    for _ in range(3):
        states.append(tuple((y, -x) for x, y in states[-1]))
    return tuple(states)


CENTERED_CELLS: Final = {piece: _turn_spawn(piece) for piece in PieceType}
"""The cells of each type around its centre, by clockwise quarter turns; O has one state."""


def get_kicks(piece: PieceType, before: int, after: int) -> Iterator[Cell]:
    """Yield the offsets that are tried when a piece turns from one state to another.

    >>> list(get_kicks(PieceType.T, 0, 1))
    [(0, 0), (-1, 0), (-1, 1), (0, -2), (-1, -2)]
    """
    offsets = _OFFSETS_I if piece is PieceType.I else _OFFSETS
    for (ax, ay), (bx, by) in zip(offsets[before], offsets[after], strict=True):
        yield ax - bx, ay - by


_WALL: Final = 4
"""The thickness of the wall around the field; no kick reaches beyond it."""


@dataclass(slots=True)
class Guideline:
    """The guideline rules on a board."""

    width: int  # of the plan's board
    height: int
    visible: int = 0  # the visible rows; pieces spawn in the two rows above them
    # Whether holding a key down (delayed auto shift) counts as one press: far left, far right, all
    # the way down
    long_presses: bool = False
    _keys_cache: dict[tuple[int, int], tuple[tuple[Key, ...], int]] = field(
        default_factory=dict, repr=False
    )

    def __post_init__(self) -> None:
        if not self.visible:
            default_rows = _VISIBLE if self.width == _GUIDELINE_WIDTH else self.height - 2
            self.visible = max(1, default_rows)
        if self.width < len(_SPAWNS[PieceType.I]):
            raise InputError(
                f"a board of {self.width} columns is too narrow; an I needs room to spawn"
            )

    @property
    def stride(self) -> int:
        """The distance between two rows in the walled field."""
        return self.width + 2 * _WALL

    def find_spawn_column(self, piece: PieceType) -> int:
        """Return the column of a piece's centre when it spawns.

        >>> rules = Guideline(10, 22)
        >>> [rules.find_spawn_column(piece) for piece in PieceType]
        [4, 4, 4, 4, 4, 4, 4]
        """
        columns = [x for x, _ in _SPAWNS[piece]]
        return (self.width - (max(columns) - min(columns) + 1)) // 2 - min(columns)

    def find_keys(
        self, playfield: Playfield, orientation: Orientation, x: int, tuck_row: int | None = None
    ) -> tuple[Key, ...] | str:
        """Return the fewest presses to a landing, or the reason why none exist.

        The landing is that of a hard drop at column ``x``, or in ``tuck_row`` after a tuck.
        """
        y = playfield.find_landing_row(orientation, x) if tuck_row is None else tuck_row
        if y >= self.visible:
            return f"would lock wholly above the {self.visible} visible rows, which ends the game"
        stack_height = max(playfield.tops)
        cached = None if tuck_row is not None else self._keys_cache.get((orientation.index, x))
        if cached is not None and stack_height <= cached[1]:
            return cached[0]
        search = _GuidelineSearch(self, playfield, orientation.piece)
        if search.start is None:
            return f"has no room to spawn above row {self.visible}, which ends the game"
        keys = search.find_keys(Placement(orientation, x, y))
        if keys is None:
            return f"cannot be steered to column {x}: every path is blocked"
        if tuck_row is None and stack_height <= search.lowest_row:
            self._keys_cache[orientation.index, x] = keys, search.lowest_row
        return keys

    def can_steer(self, playfield: Playfield, orientation: Orientation, x: int) -> bool:
        """Return whether some presses bring a piece to the landing place of its hard drop."""
        return not isinstance(self.find_keys(playfield, orientation, x), str)

    def walk(
        self, playfield: Playfield, piece: PieceType, keys: tuple[Key, ...]
    ) -> tuple[Placement, ...]:
        """Press keys and return the placements of the piece, from its spawn on."""
        search = _GuidelineSearch(self, playfield, piece)
        state = search.start
        if state is None:
            raise IllegalMoveError(f"{piece.name} has no room to spawn")
        path = [search.get_placement(state)]
        for number, key in enumerate(keys, 1):
            next_state = search.press(state, key)
            if next_state is None and key is not Key.DROP:
                raise IllegalMoveError(f"{piece.name}: press {number} ({key}) does nothing")
            state = state if next_state is None else next_state
            path.append(search.get_placement(state))
        return tuple(path)


class _GuidelineSearch:
    """The search for key presses: one piece on a field with walls around it."""

    def __init__(self, rules: Guideline, playfield: Playfield, piece: PieceType) -> None:
        stride = self.stride = rules.stride
        self.piece = piece
        row_count = max(rules.visible, rules.height) + BUFFER
        wall = b"\1" * _WALL
        rows_of_bytes = [b"\1" * stride * _WALL]
        rows_of_bytes += [wall + bytes(map(bool, row)) + wall for row in playfield.rows]
        rows_of_bytes.append((wall + bytes(rules.width) + wall) * (row_count - rules.height))
        rows_of_bytes.append(b"\1" * stride * _WALL)
        self.blocked = b"".join(rows_of_bytes)
        self.shapes = [
            tuple(dx + dy * stride for dx, dy in cells) for cells in CENTERED_CELLS[piece]
        ]
        self.turns = (
            [
                [
                    (key, after, [dx + dy * stride for dx, dy in get_kicks(piece, before, after)])
                    for key, turn_count in _QUARTER_TURNS
                    if (after := (before + turn_count) % 4) != before
                ]
                for before in range(len(self.shapes))
            ]
            if piece is not PieceType.O
            else [[]]
        )
        self.long_presses = rules.long_presses
        self.lowest_index = len(self.blocked)
        spawn_index = self.get_index(rules.find_spawn_column(piece), rules.visible)
        self.start: _Pose | None = None
        if self.is_free(0, spawn_index):
            self.start = (
                (0, spawn_index - stride)
                if self.is_free(0, spawn_index - stride)
                else (0, spawn_index)
            )

    def get_index(self, x: int, y: int) -> int:
        """Return the index of a cell in the walled field."""
        return (y + _WALL) * self.stride + x + _WALL

    @property
    def lowest_row(self) -> int:
        """The lowest row whose squares could affect the search."""
        # A piece reaches two rows below its centre, a kick moves it by two rows, a step by one.
        return 0 if self.long_presses else self.lowest_index // self.stride - _WALL - 5

    def is_free(self, turns: int, index: int) -> bool:
        """Return whether the piece fits in a state."""
        blocked = self.blocked
        a, b, c, d = self.shapes[turns]
        return not (
            blocked[index + a] or blocked[index + b] or blocked[index + c] or blocked[index + d]
        )

    def get_placement(self, state: _Pose) -> Placement:
        """Return the placement of the piece in a state."""
        y, x = divmod(state[1], self.stride)
        placement = Placement.find(
            (x - _WALL + dx, y - _WALL + dy) for dx, dy in CENTERED_CELLS[self.piece][state[0]]
        )
        assert placement is not None
        return placement

    def iterate_moves(self, state: _Pose) -> Iterator[tuple[Key, _Pose]]:
        """Yield the possible presses, each with the state after it."""
        turns, index = state
        for key, turned, kicks in self.turns[turns]:
            for kick in kicks:
                if self.is_free(turned, index + kick):
                    yield key, (turned, index + kick)
                    break
        steps = ((Key.LEFT, -1, Key.FAR_LEFT), (Key.RIGHT, 1, Key.FAR_RIGHT),
                 (Key.DOWN, -self.stride, Key.FAR_DOWN))  # fmt: skip
        for key, step, far_key in steps:
            if self.is_free(turns, index + step):
                yield key, (turns, index + step)
                if self.long_presses and self.is_free(turns, index + 2 * step):
                    end_index = index + 2 * step
                    while self.is_free(turns, end_index + step):
                        end_index += step
                    yield far_key, (turns, end_index)

    def press(self, state: _Pose, key: Key) -> _Pose | None:
        """Return the state after a press; None if the press has no effect."""
        if key is Key.DROP or key in _SINGLE_PRESS:
            single_key = _SINGLE_PRESS.get(key, Key.DOWN)
            end_state = None
            while (next_state := self.press(end_state or state, single_key)) is not None:
                end_state = next_state
            return end_state
        return dict(self.iterate_moves(state)).get(key)

    def find_goals(self, target: Placement) -> set[_Pose]:
        """Return all states from which a hard drop ends on the target."""
        goals: set[_Pose] = set()
        target_cells = set(target.cells)
        for turns, cells in enumerate(CENTERED_CELLS[self.piece]):
            min_dx = min(x for x, _ in cells)
            min_dy = min(y for _, y in cells)
            x, y = target.x - min_dx, target.y - min_dy
            if {(x + dx, y + dy) for dx, dy in cells} != target_cells:
                continue
            index = self.get_index(x, y)
            while self.is_free(turns, index):
                goals.add((turns, index))
                index += self.stride
        return goals

    def find_keys(self, target: Placement) -> tuple[Key, ...] | None:
        """Return the fewest presses to the target; None if it cannot be reached."""
        assert self.start is not None

        def iterate_moves(state: _Pose) -> Iterator[tuple[Key, _Pose]]:
            self.lowest_index = min(self.lowest_index, state[1])
            return self.iterate_moves(state)

        keys = find_presses(self.start, self.find_goals(target).__contains__, iterate_moves)
        return None if keys is None else (*keys, Key.DROP)


def play_by_guideline(plan: Plan, rules: Guideline | None = None) -> Iterator[MovedDrop]:
    """Play a plan by key presses under the guideline; yield each drop after it happened."""
    rules = rules or Guideline(plan.width, plan.height)
    playfield = plan.make_field()
    slides = dict(plan.slides)
    drops = play(plan, playfield)
    turns = () if plan.queue is None else plan.queue.trace_turns(plan.list_types())
    for index, (pass_index, piece) in enumerate(plan.iterate_with_pass()):
        # play() makes this drop only at next(), so the field is still that before the drop.
        piece_type = piece.orientation.piece
        try:
            keys = rules.find_keys(playfield, piece.orientation, piece.x, slides.get(index))
        except TopOutError:
            next(drops)  # raises the error with the number of the drop
            raise
        if isinstance(keys, str):
            raise IllegalMoveError(
                f"drop {index + 1} of {len(plan)} (pass {pass_index + 1}): "
                f"the {piece_type.name} {keys}"
            )
        path = rules.walk(playfield, piece_type, keys)
        yield MovedDrop(next(drops), keys, path, bool(turns) and turns[index].swapped)


def can_tuck(playfield: Playfield, placement: Placement) -> bool:
    """Return whether a placement has support and can be reached under the guideline rules."""
    if playfield.width < len(_SPAWNS[PieceType.I]):
        return False
    if not playfield.can_rest(placement.orientation, placement.x, placement.y):
        return False
    rules = Guideline(playfield.width, playfield.height)
    return not isinstance(
        rules.find_keys(playfield, placement.orientation, placement.x, placement.y), str
    )


def play_for_display(plan: Plan, field: Playfield) -> Iterator[MovedDrop]:
    """Play a plan with a path for each piece, by the guideline rules if it is tucked."""
    slides, playfield = dict(plan.slides), plan.make_field()
    pieces = plan.iterate_with_pass()
    rules = Guideline(plan.width, plan.height, max(_VISIBLE, plan.height)) if slides else None
    for moved in play_moves(plan, field, lenient=True):
        index, (_, piece) = moved.drop.index, next(pieces)
        if rules is None or index not in slides:
            yield moved
        else:
            keys = rules.find_keys(playfield, piece.orientation, piece.x, slides[index])
            if isinstance(keys, str):
                name = piece.orientation.piece.name
                raise IllegalMoveError(f"drop {index + 1} of {len(plan)}: the {name} {keys}")
            path = rules.walk(playfield, piece.orientation.piece, keys)
            visible = [
                number for number, placement in enumerate(path) if placement.y < plan.height
            ] or [len(path) - 1]
            first = max(0, min(visible[0] - 1, len(path) - 2))
            yield MovedDrop(moved.drop, keys[first:], path[first:])
        if rules is not None:
            playfield.drop(piece.orientation, piece.x, slides.get(index))


def make_guideline_log(rules: Guideline, moves: list[MovedDrop]) -> dict[str, object]:
    """Return the moves as plain data: the content of ``moves --rules srs --json``.

    ``column`` and ``row``: the lower left corner of a piece's box at its landing, before rows
    clear. ``cleared``: the rows that vanish. Rows are counted from the floor, 0.
    """
    return {
        "rules": "srs",
        "width": rules.width,
        "height": rules.height,
        "visible": rules.visible,
        "presses": sum(len(moved.presses) for moved in moves),
        "drops": [describe_move(moved, moved.presses) for moved in moves],
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
    return plan.with_passes(passes)


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
