"""The time of day as a picture, in which a new minute changes few of the low rows.

A game prints again only the rows from the lowest changed row upwards. So in the layout ``steps``
the minutes are above and to the right of the hours. In ``line`` all digits stand in one line.
"""

from __future__ import annotations

from typing import Final, Literal

from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import Color, Picture

Layout = Literal["steps", "line"]

_DIGITS: Final = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# ..# .#. .#.",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
    ":": ". # . # .",
}
_ROWS: Final = 5
_DAY: Final = 24 * 60


def parse_minutes(text: str) -> int:
    """Read a time of day as minutes after midnight."""
    hours, colon, minutes = text.partition(":")
    is_numeric = hours.isdecimal() and minutes.isdecimal() and len(minutes) == 2 and len(hours) <= 2
    if not (colon and is_numeric and text.isascii() and int(hours) < 24 and int(minutes) < 60):
        raise InputError(f"invalid time {text!r}; expected HH:MM, e.g. 09:58")
    return 60 * int(hours) + int(minutes)


def format_time(minutes: int) -> str:
    """Return minutes after midnight as a time of day, such as ``09:58``."""
    return "{:02}:{:02}".format(*divmod(minutes % _DAY, 60))


def draw_clock(
    minutes: int, color: Color = "f5f5f5", layout: Layout = "steps"
) -> tuple[Picture, int]:
    """Return a time of day as a picture, and the index of its first filled column.

    >>> picture, left = draw_clock(598)
    >>> picture.height, picture.width + left, draw_clock(598, layout="line")[0].height
    (10, 15, 5)
    """
    text = format_time(minutes)
    if layout == "line":
        lines = _draw_line(text)
    else:
        hour_lines, minute_lines = _draw_line(text[:2]), _draw_line(text[3:])
        hours_width, minutes_width = len(hour_lines[0]), len(minute_lines[0])
        lines = ["." * (hours_width + 1) + row for row in minute_lines]
        lines += [row + "." * (minutes_width + 1) for row in hour_lines]
    rows = [tuple(color if c == "#" else None for c in row) for row in reversed(lines)]
    picture = Picture(tuple(rows), text)
    return picture.trim(), min(x for row in rows for x, c in enumerate(row) if c)


def _draw_line(text: str) -> list[str]:
    """Return rows of characters, top row first, in which # is filled and . is empty."""
    digits = [_DIGITS[c].split() for c in text]
    return [".".join(digit[row] for digit in digits) for row in range(_ROWS)]
