"""Rows that cannot be left by themselves, evened with squares that nobody sees.

Every row is printed for itself, so each must hold a number of squares that the width can
leave, and none may be empty. Where a type may have the background's colour, squares of that
colour make it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tetrisprinter.game.counting import find_unit
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.task import Task

__all__ = ["evened"]


def evened(task: Task, types: Mapping[PieceType, Color]) -> tuple[Picture, int]:
    """Give rows squares of the background's colour where their number cannot be left.

    Returns the picture and where its leftmost column stands: beside the picture only if
    there is no room in it. Types of their own are given to no more than seven colours.
    """
    picture, column, width = task.picture, task.column, task.board.width
    background = task.background
    assert background is not None
    empty = {background: None}
    rows = [tuple(empty.get(c or "", c) for c in row) for row in picture.rows]
    above = picture.rows_above
    while not any(rows[-1]):
        rows.pop()
        above += 1
    picture = replace(picture, rows=tuple(rows), rows_above=above)
    if background not in types.values() and (types or len(picture.colors()) == len(PieceType)):
        return picture, column
    wide = replace(picture.placed(width, picture.height, column), rows_above=picture.rows_above)
    for larger, at in ((picture, column), (wide, 0)):
        grid = [list(row) for row in larger.rows]
        if all(_make_even(grid, y, at, width, background) for y in range(len(grid))):
            return replace(larger, rows=tuple(map(tuple, grid))), at
    return picture, column


def _make_even(
    grid: list[list[Color | None]], y: int, column: int, width: int, color: Color | None
) -> bool:
    """Fill up a row to a number of squares that can be left; return whether that could be.

    Over a square, away from the walls and from other squares is where most pieces go; in an
    empty row, also where the row above finds something to stand on.
    """
    row = grid[y]
    filled = [x for x, c in enumerate(row) if c is not None]
    unit = find_unit(width)
    missing = -len(filled) % unit if filled else unit
    if missing and (color is None or len(filled) + missing >= width):
        return False

    is_empty = not filled

    def fits(x: int) -> tuple[bool, bool, bool, int]:
        over = y == 0 or grid[y - 1][x] is not None
        under = is_empty and y + 1 < len(grid) and grid[y + 1][x] is not None
        apart = min((abs(x - other) for other in filled), default=width)
        return over, under, 0 < x + column < width - 1, min(apart, 3)

    for _ in range(missing):
        free = [x for x, c in enumerate(row) if c is None]
        if not free:
            return False
        x = max(free, key=fits)
        row[x] = color
        filled.append(x)
    return True
