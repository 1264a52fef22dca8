"""The rules by which the ``seigot/tetris`` game, the art game, plays the entries of an art file.

An entry ``[index, direction, x, operation]`` is played like this:

1. The piece appears in direction 0 with its reference square in column 5 and its topmost square
   in the top row. If it does not fit there, the game is over and wipes the board.
2. It turns clockwise by quarters until it has the given direction, at most four times.
3. Its reference square moves towards column ``x``, at most five steps.
4. It drops (operation 1), or it sinks by one row and continues with step 2 (any other
   operation), until it rests.

*A turn or a step that does not fit is skipped*. It ends the turns, or the steps, in that row of
the board. After the last entry the game continues with the first one on the same field.

Five steps from column 5 reach every column of a board of ten. On wider boards a piece gets further
by sinking, since each row allows five more steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, product
from typing import Final

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation, PieceType, Placement

SPAWN_COLUMN: Final = 5
SPAWN_ROW: Final = 1
MAX_TURNS: Final = 4
MAX_STEPS: Final = 5
DROP: Final = 1
SINK: Final = 0
SMALLEST_BOARD: Final = (SPAWN_COLUMN + 2, 4)
"""The narrowest and lowest board on which every piece can appear."""

Row = tuple[int, int, int]
"""An entry of an art file without its piece: direction, x and operation."""

_ScreenCell = tuple[int, int]
"""A square ``(x, y)`` of the art game: x to the right, y DOWNWARDS from its top row."""

INDEX: Final = {p: i for i, p in enumerate((PieceType[c] for c in "ILJTOSZ"), 1)}
"""The game's number (``index``) of each piece."""
PIECE: Final = {index: piece for piece, index in INDEX.items()}

# The squares of the pieces in direction 0, relative to the reference square.
_SHAPE: Final[dict[PieceType, tuple[_ScreenCell, ...]]] = {
    PieceType.I: ((0, -1), (0, 0), (0, 1), (0, 2)),
    PieceType.L: ((0, -1), (0, 0), (0, 1), (1, 1)),
    PieceType.J: ((0, -1), (0, 0), (0, 1), (-1, 1)),
    PieceType.T: ((0, -1), (0, 0), (0, 1), (1, 0)),
    PieceType.O: ((0, 0), (0, -1), (1, 0), (1, -1)),
    PieceType.S: ((0, 0), (0, -1), (-1, 0), (1, -1)),
    PieceType.Z: ((0, 0), (0, -1), (1, 0), (-1, -1)),
}
_TWO_STATES: Final = (PieceType.I, PieceType.S, PieceType.Z)


def _turn_cells(piece: PieceType, direction: int) -> tuple[_ScreenCell, ...]:
    """Return a turned piece's squares relative to its reference square, y downwards."""
    if piece is PieceType.O:
        direction = 0
    elif piece in _TWO_STATES:
        direction %= 2
    cells = _SHAPE[piece]
    if direction == 1:
        return tuple((-y, x) for x, y in cells)
    if direction == 2:
        return tuple((-x, -y) for x, y in cells)
    if direction == 3:
        return tuple((y, -x) for x, y in cells)
    return cells


_SQUARES: Final = {
    piece: tuple(_turn_cells(piece, direction) for direction in range(4)) for piece in PieceType
}


def _map_orientations() -> dict[int, tuple[int, int]]:
    """Map each orientation, by index, to its direction and the column of its reference square."""
    directions: dict[int, tuple[int, int]] = {}
    for piece in PieceType:
        for direction in range(4):
            placement = Placement.find((x, -y) for x, y in _SQUARES[piece][direction])
            assert placement is not None
            directions.setdefault(placement.orientation.index, (direction, -placement.x))
    return directions


_DIRECTIONS: Final = _map_orientations()


@dataclass(frozen=True, slots=True)
class EntryOutcome:
    """The result of playing one entry of an art file."""

    rest: Placement  # the resting place of the piece
    # The turns and steps that were skipped in the row where the piece came to rest, as clauses. A
    # stop at a wall is not included: players write column 0 for "as far left as possible"
    skipped: tuple[str, ...]
    blocked: bool  # whether squares in the way caused a skipped move in any row


@dataclass(slots=True)
class _FallingCells:
    """A moving piece of the art game."""

    field: Playfield
    piece: PieceType
    direction: int = 0
    x: int = SPAWN_COLUMN
    y: int = SPAWN_ROW

    def list_cells(self, direction: int, x: int, y: int) -> list[_ScreenCell]:
        """Return the squares of the piece, moved there; y counts downwards from the top row."""
        return [(x + dx, y + dy) for dx, dy in _SQUARES[self.piece][direction]]

    def is_inside(self, direction: int, x: int, y: int) -> bool:
        """Return whether the piece, moved there, would lie inside the board."""
        width, height = self.field.width, self.field.height
        return all(
            0 <= cx < width and 0 <= cy < height for cx, cy in self.list_cells(direction, x, y)
        )

    def can_be_at(self, direction: int, x: int, y: int) -> bool:
        """Return whether the piece, moved there, would lie on empty cells of the board."""
        field, top = self.field, self.field.height - 1
        return self.is_inside(direction, x, y) and not any(
            field[cx, top - cy] for cx, cy in self.list_cells(direction, x, y)
        )

    def steer(self, direction: int, x: int) -> tuple[str, ...]:
        """Turn and step as far as possible in one row; return the skipped moves as clauses."""
        skipped = []
        for _ in range(MAX_TURNS):
            if self.direction == direction:
                break
            turned = (self.direction + 1) % 4
            if not self.can_be_at(turned, self.x, self.y):
                if self.direction != direction % 4:
                    skipped.append(f"has no room to turn at column {self.x}")
                break
            self.direction = turned
        for _ in range(MAX_STEPS):
            if self.x == x:
                break
            step = self.x + (1 if x > self.x else -1)
            if not self.can_be_at(self.direction, step, self.y):
                if self.is_inside(self.direction, step, self.y):
                    skipped.append(f"is stopped by the squares in its way at column {self.x}")
                break
            self.x = step
        return tuple(skipped)

    def move_down(self) -> bool:
        """Move down by a row if there is room; return whether the piece moved."""
        if not self.can_be_at(self.direction, self.x, self.y + 1):
            return False
        self.y += 1
        return True

    def find_placement(self) -> Placement:
        """Return the placement of the piece, with y upwards."""
        top = self.field.height - 1
        placement = Placement.find(
            (cx, top - cy) for cx, cy in self.list_cells(self.direction, self.x, self.y)
        )
        assert placement is not None
        return placement


def can_spawn(field: Playfield, piece: PieceType) -> bool:
    """Return whether a piece has room to appear; otherwise the game is over."""
    falling = _FallingCells(field, piece)
    return falling.can_be_at(0, falling.x, falling.y)


def drop_entry(field: Playfield, piece: PieceType, entry: Row) -> EntryOutcome | None:
    """Play an entry without changing the field; return None if the piece has no room to appear."""
    direction, x, operation = entry
    falling = _FallingCells(field, piece)
    if not falling.can_be_at(0, falling.x, falling.y):
        return None
    blocked = False
    while True:
        skipped = falling.steer(direction, x)
        blocked = blocked or bool(skipped)
        if operation == DROP:
            while falling.move_down():
                pass
        elif falling.move_down():
            continue
        return EntryOutcome(falling.find_placement(), skipped, blocked)


def can_steer(field: Playfield, orientation: Orientation, column: int) -> bool:
    """Return whether an art-file entry can bring the piece to its hard-drop landing place."""
    return not isinstance(format_entry(field, orientation, column), str)


def format_entry(
    field: Playfield, orientation: Orientation, column: int, *, direct_only: bool = False
) -> Row | str:
    """Return an entry that brings the piece to its hard-drop landing place, or why none does.

    Entries without skipped moves are preferred, then drops to sinks. ``direct_only`` tries only
    entries with the piece's own direction and column.
    """
    wanted = Placement(orientation, column, field.find_landing_row(orientation, column))
    direction, dx = _DIRECTIONS[orientation.index]
    direct = [(direction, column + dx, operation) for operation in (DROP, SINK)]
    indirect = () if direct_only else product(range(4), range(field.width), (DROP, SINK))
    blocked_entry: Row | None = None
    problem = ""
    for entry in chain(direct, indirect):
        outcome = drop_entry(field, orientation.piece, entry)
        if outcome is None:
            return "has no room to appear: squares are in the way at the top of the board"
        if outcome.rest == wanted:
            if not outcome.blocked:
                return entry
            blocked_entry = blocked_entry or entry
        if blocked_entry and entry not in direct:
            break
        problem = problem or next(
            iter(outcome.skipped), f"comes to rest before it has walked to column {column + dx}"
        )
    return blocked_entry or problem
