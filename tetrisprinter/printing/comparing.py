"""Whether a game left the picture: the one place where that is decided.

Every planner and every command asks here, so that what is accepted does not depend on who
asks. It is about squares, not about how they would look: a type without a colour must not
stay anywhere, even where an image of the field would show nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.task import Task

__all__ = ["find_differences"]


def find_differences(task: Task, field: Playfield, colors: Mapping[PieceType, Color]) -> list[Cell]:
    """Return the squares of the board that are not as the task asks.

    Without a background, what the picture leaves transparent must be empty. With one, that and all
    squares of its colour may be empty or hold a type of its colour.
    """
    background = task.background
    wrong: list[Cell] = []
    for y, (there, asked) in enumerate(zip(field.rows, task.wanted.rows, strict=True)):
        for x, (value, color) in enumerate(zip(there, asked, strict=True)):
            shown = colors.get(PieceType(value)) if value else None
            if color is None or color == background:
                right = not value or (background is not None and shown == background)
            else:
                right = shown == color
            if not right:
                wrong.append((x, y))
    return wrong
