"""Key presses under the guideline rules (SRS): spawns, turns, kicks, tucks and spins.

Modern games follow the *guideline* of 2001:

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
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import Cell, Orientation, PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.game.steering import (
    IllegalMoveError,
    Key,
    MovedDrop,
    describe_move,
    find_presses,
    play_moves,
)

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

_State = tuple[int, int]
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
        self.start: _State | None = None
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

    def get_placement(self, state: _State) -> Placement:
        """Return the placement of the piece in a state."""
        y, x = divmod(state[1], self.stride)
        placement = Placement.find(
            (x - _WALL + dx, y - _WALL + dy) for dx, dy in CENTERED_CELLS[self.piece][state[0]]
        )
        assert placement is not None
        return placement

    def iterate_moves(self, state: _State) -> Iterator[tuple[Key, _State]]:
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

    def press(self, state: _State, key: Key) -> _State | None:
        """Return the state after a press; None if the press has no effect."""
        if key is Key.DROP or key in _SINGLE_PRESS:
            single_key = _SINGLE_PRESS.get(key, Key.DOWN)
            end_state = None
            while (next_state := self.press(end_state or state, single_key)) is not None:
                end_state = next_state
            return end_state
        return dict(self.iterate_moves(state)).get(key)

    def find_goals(self, target: Placement) -> set[_State]:
        """Return all states from which a hard drop ends on the target."""
        goals: set[_State] = set()
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

        def iterate_moves(state: _State) -> Iterator[tuple[Key, _State]]:
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
