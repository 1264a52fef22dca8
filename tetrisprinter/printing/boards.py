"""Which board a picture needs.

**Width.** After ``p`` drops and ``c`` cleared rows, ``4p - Wc`` squares are left, so a
board of width ``W`` can leave ``S`` squares only if ``S`` is a multiple of ``gcd(W, 4)``:
any number on odd widths, even numbers on widths 2, 6, 10, ..., multiples of four on
widths divisible by 4. That rules out even widths for pictures in general. Between the odd
ones the price of a single pixel decides. What is left over of one piece must make the
rest of the cleared rows a multiple of four: on widths 1 (mod 4) this takes 3 rows, on
widths 3 (mod 4) it takes 5 (1 row would do for the count, but nothing holds a piece that
lies flat there). On 21 columns a pixel costs 16 drops, on 23 it costs 29. Hence widths 9,
13, 17, 21, ... are chosen. Two columns more than the picture has are the margin: no row
can then be full, and pieces that must come down beside the picture can.

**Height.** While the last of ``N`` rows is printed, ``N - 1`` rows lie there. The row
itself, what may stand under it for a while (three rows of a platform) and the matrix that
leaves it (seven rows at most in the tables, eight in the planners that search, but these
then need no platform) make ``N + 10`` rows the tallest moment.
"""

from __future__ import annotations

from math import gcd
from typing import Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.pictures.picture import Picture

__all__ = ["MARGIN", "ROOM_ABOVE", "can_leave", "check_board", "choose_board", "smallest_width"]

MARGIN: Final = 4
"""Columns that the chosen board has more than the picture, at least."""

ROOM_ABOVE: Final = 10
"""Rows that the chosen board has more than the picture."""

_NARROWEST: Final = 9


def can_leave(width: int, squares: int) -> bool:
    """Whether any game on a board of this width can leave so many squares.

    >>> can_leave(21, 7), can_leave(10, 7), can_leave(10, 6), can_leave(12, 6)
    (True, False, True, False)
    """
    return squares % gcd(width, 4) == 0


def choose_board(picture: Picture) -> tuple[int, int]:
    """Return the width and height of the board for a picture; see the module.

    Parameters
    ----------
    picture : Picture
        Trimmed.

    Examples
    --------
    >>> row = ("ff0000",) * 64
    >>> choose_board(Picture((row,) * 64))
    (69, 74)
    >>> choose_board(Picture((row[:17],) * 32))
    (21, 42)
    """
    width = max(_NARROWEST, picture.width + MARGIN)
    return width + (1 - width) % 4, picture.height + ROOM_ABOVE


def smallest_width(picture: Picture) -> int:
    """Return the least width of a board on which arithmetic does not forbid a picture.

    A row may not be full, and the number of pixels must be one that the width can leave.
    """
    width = picture.width
    if any(None not in row for row in picture.rows):
        width += 1
    while not can_leave(width, len(picture.cells())):
        width += 1
    return width


def check_board(picture: Picture, width: int, height: int, *, background: bool = False) -> None:
    """Refuse a board on which a picture cannot be printed by any game.

    Parameters
    ----------
    picture : Picture
        Trimmed.
    width, height : int
        The board.
    background : bool
        Whether its transparent squares may be filled by a type of the background's colour,
        so that more than arithmetic decides how many squares are left.

    Raises
    ------
    InputError
        If the picture does not fit.
    JobError
        If a theorem forbids it on this board, with the nearest remedy.
    """
    name = picture.name
    needed = smallest_width(picture)
    chosen = "x".join(map(str, choose_board(picture)))
    if picture.width > width or picture.height > height:
        raise InputError(
            f"{name}: the figure of {picture.width}x{picture.height} pixels does not fit on a "
            f"board of {width}x{height}; the smallest that can hold it is "
            f"{needed}x{picture.height}, --board auto takes {chosen}"
        )
    for y, row in reversed(list(enumerate(picture.rows))):
        if picture.width == width and None not in row:
            raise JobError(
                f"{name}: row {picture.image_row(y)} from the top (counted from 0) fills the whole "
                f"width of {width}, and a full row vanishes; take a board of at least "
                f"{needed} columns (--board auto takes {chosen}), or leave a pixel of it empty "
                "(--repair)"
            )
    gap = next((y for y, row in enumerate(picture.rows) if not any(row)), None)
    if gap is not None and not background:
        raise JobError(
            f"{name}: row {picture.image_row(gap)} from the top (counted from 0) is transparent "
            "but has squares above it, and a game never leaves an empty row below a square "
            "(theorem 'gap row'); --repair fills a pixel of it"
        )
    squares = len(picture.cells())
    if not background and not can_leave(width, squares):
        step = gcd(width, 4)
        below = squares - squares % step
        kept = "an even number of squares" if step == 2 else "a multiple of four squares"
        raise JobError(
            f"{name}: has {squares} pixels, but every game on a board of {width} columns leaves "
            f"{kept} (4 x drops - {width} x cleared rows); nearest are {below} and "
            f"{below + step} pixels, or a board of {_next_width(width, squares)} columns; "
            + _fill_hint(picture, width, below + step - squares)
        )


def _next_width(width: int, squares: int) -> int:
    while not can_leave(width, squares):
        width += 1
    return width


def _fill_hint(picture: Picture, width: int, missing: int) -> str:
    from tetrisprinter.printing.repair import cells_to_fill

    cells = cells_to_fill(picture, missing, width)
    places = ", ".join(f"column {x}, row {picture.image_row(y)}" for (x, y), _ in cells)
    return f"--repair would fill {places} (counted from the top left)"
