"""Which board a picture needs.

**Width.** On odd widths a game can leave any number of squares, on even ones it cannot
(:mod:`~tetrisprinter.game.divisibility`). That rules out even widths for pictures in general.
Between the odd ones the price of a single pixel decides. What is left over of one piece must
make the rest of the cleared rows a multiple of four: on widths 1 (mod 4) this takes 3 rows, on
widths 3 (mod 4) it takes 5 (1 row would do for the count, but nothing holds a piece that lies
flat there). On 21 columns a pixel costs 16 drops, on 23 it costs 29. Hence widths 9, 13, 17,
21, ... are chosen. Two columns more than the picture has are the margin: no row can then be
full, and pieces that must come down beside the picture can.

**Height.** While the last of ``N`` rows is printed, ``N - 1`` rows lie there. The row
itself, what may stand under it for a while (three rows of a platform) and the matrix that
leaves it (seven rows at most in the tables, eight in the planners that search, but these
then need no platform) make ``N + 10`` rows the tallest moment.
"""

from __future__ import annotations

from typing import Final

from tetrisprinter.game.divisibility import can_leave
from tetrisprinter.pictures.picture import Picture

__all__ = [
    "MARGIN",
    "ROOM_ABOVE",
    "choose_board",
    "find_next_width",
    "find_smallest_width",
    "list_narrow_widths",
]

MARGIN: Final = 4
"""Columns that the chosen board has more than the picture, at least."""

ROOM_ABOVE: Final = 10
"""Rows that the chosen board has more than the picture."""

_NARROWEST: Final = 9


def choose_board(picture: Picture) -> tuple[int, int]:
    """Return the width and height of the board for a picture; see the module."""
    width = max(_NARROWEST, picture.width + MARGIN)
    return width + (1 - width) % 4, picture.height + ROOM_ABOVE


def find_smallest_width(picture: Picture) -> int:
    """Return the least width of a board on which arithmetic does not forbid a picture.

    A row may not be full, and the number of pixels must be one that the width can leave.
    """
    width = picture.width
    if any(None not in row for row in picture.rows):
        width += 1
    while not can_leave(width, len(picture.cells())):
        width += 1
    return width


def list_narrow_widths(picture: Picture, many: int, *, any_count: bool = False) -> list[int]:
    """Return the narrowest boards on which arithmetic does not forbid a picture."""
    width = picture.width + any(None not in row for row in picture.rows)
    squares = len(picture.cells())
    found: list[int] = []
    while len(found) < many:
        if any_count or can_leave(width, squares):
            found.append(width)
        width += 1
    return found


def find_next_width(width: int, squares: int) -> int:
    """Return the least width from this one on that can leave so many squares."""
    while not can_leave(width, squares):
        width += 1
    return width
