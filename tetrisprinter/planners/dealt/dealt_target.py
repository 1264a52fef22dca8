"""The goal of a search with a piece queue: which squares each piece type may fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tetrisprinter.game.piece_queue import STANDARD_COLORS, QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.srs import Guideline
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types
from tetrisprinter.support.arrays import zeros

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
