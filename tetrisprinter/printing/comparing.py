"""The comparison that decides whether a game leaves the picture, for all planners and commands.

The comparison looks at the types of squares, not at an image: a type without a colour must not
stay, even where its squares would be invisible.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import GREY, Cell, PieceType
from tetrisprinter.game.plan import GREY_COLOR
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.task import Task


def find_differences(task: Task, field: Playfield, colors: Mapping[PieceType, Color]) -> list[Cell]:
    """Return the squares of the board that differ from the task.

    Without a background, transparent squares must be empty. With a background, transparent squares
    and squares of the background's colour may be empty or hold a type of that colour.
    """
    background = task.background
    square_colors = {GREY: GREY_COLOR} | {int(piece): color for piece, color in colors.items()}
    differences: list[Cell] = []
    for y, (row, wanted_row) in enumerate(zip(field.rows, task.wanted.rows, strict=True)):
        for x, (value, color) in enumerate(zip(row, wanted_row, strict=True)):
            shown_color = square_colors.get(value)
            if color is None or color == background:
                is_right = not value or (background is not None and shown_color == background)
            else:
                is_right = shown_color == color
            if not is_right:
                differences.append((x, y))
    return differences
