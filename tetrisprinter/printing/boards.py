"""The board that a picture needs.

**Width.** On odd widths a game can leave any number of squares, on even widths it cannot
(:mod:`~tetrisprinter.game.divisibility`). So even widths do not suit pictures in general.
Among the odd widths the cost of a single pixel decides. A piece that leaves one pixel puts
three squares into rows that clear, and the rest of these rows must be a multiple of four
squares. On widths 1 (mod 4) this takes 3 rows. On widths 3 (mod 4) it takes 5 rows: one
row has the right count, but a piece that lies flat in it has no support. A pixel costs 16 drops
on 21 columns and 29 on 23. Hence the widths 9, 13, 17, 21, ... The margin keeps every row from
being full, and pieces can come down beside the picture.

**Height.** While the last of ``N`` rows is printed, ``N - 1`` rows lie on the board. Above them are
the last row, three rows of a platform, and the matrix that leaves the row: at most seven rows in
the tables (eight in planners that search, which then need no platform). So the stack is never
higher than ``N + 10`` rows.
"""

from __future__ import annotations

from typing import Final

from tetrisprinter.game.divisibility import can_leave
from tetrisprinter.pictures.picture import Picture

MARGIN: Final = 4
"""The chosen board is wider than the picture by at least this number of columns."""

ROOM_ABOVE: Final = 10
"""The chosen board is higher than the picture by this number of rows."""

_MIN_WIDTH: Final = 9


def choose_board(picture: Picture) -> tuple[int, int]:
    """Return the width and height of the board for a picture, as the module explains."""
    width = max(_MIN_WIDTH, picture.width + MARGIN)
    return width + (1 - width) % 4, picture.height + ROOM_ABOVE


def find_smallest_width(picture: Picture) -> int:
    """Return the least board width on which no row is full and the number of pixels is possible."""
    width = picture.width + any(None not in row for row in picture.rows)
    return find_next_width(width, len(picture.cells()))


def list_narrow_widths(picture: Picture, count: int, *, any_count: bool = False) -> list[int]:
    """Return the ``count`` least widths where no row is full and the number of pixels is possible.

    With ``any_count`` every number of pixels is possible, because of don't-care squares.
    """
    width = picture.width + any(None not in row for row in picture.rows)
    squares = len(picture.cells())
    widths: list[int] = []
    while len(widths) < count:
        if any_count or can_leave(width, squares):
            widths.append(width)
        width += 1
    return widths


def find_next_width(width: int, squares: int) -> int:
    """Return the least width, from ``width`` on, on which a game can leave ``squares`` squares."""
    while not can_leave(width, squares):
        width += 1
    return width
