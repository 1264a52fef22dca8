"""The comparison that decides whether a game leaves the picture, for all planners and commands.

It compares squares, not what an image shows: a type without a colour must not stay, even if it
would be invisible.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.task import Task


def find_differences(task: Task, field: Playfield, colors: Mapping[PieceType, Color]) -> list[Cell]:
    """Return the squares of the board that differ from the task.

    Without a background, transparent squares must be empty. With a background, they and all
    squares of its colour may be empty or hold a type of its colour.
    """
    background = task.background
    wrong: list[Cell] = []
    for y, (row, wanted) in enumerate(zip(field.rows, task.wanted.rows, strict=True)):
        for x, (value, color) in enumerate(zip(row, wanted, strict=True)):
            shown = colors.get(PieceType(value)) if value else None
            if color is None or color == background:
                right = not value or (background is not None and shown == background)
            else:
                right = shown == color
            if not right:
                wrong.append((x, y))
    return wrong
