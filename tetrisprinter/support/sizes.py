"""Sizes in the form ``21x42``, width first."""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = re.compile(r"([0-9]+)[xX]([0-9]+)")


LARGEST_SIDE: Final = 9999


def parse_size(text: str, most: int = LARGEST_SIDE) -> tuple[int, int] | None:
    """Read a size such as 21x42; None if the text is invalid or a side is not 1 to ``most``."""
    match = _SIZE.fullmatch(text)
    # Longer numbers are out of range, and int() refuses the longest ones.
    if match is None or max(map(len, match.groups())) > len(str(most)):
        return None
    width, height = int(match[1]), int(match[2])
    return (width, height) if 1 <= width <= most and 1 <= height <= most else None


def format_size(width: int, height: int) -> str:
    """Return a size in the form that :func:`parse_size` reads."""
    return f"{width}x{height}"
