"""Numbers with their nouns, and sizes such as ``21x42`` (width first), as text."""

from __future__ import annotations

import re
from typing import Final


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> format_count(1, "level"), format_count(1200, "level"), format_count(2, "pass", "passes")
    ('1 level', '1200 levels', '2 passes')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


_SIZE: Final = re.compile(r"([0-9]+)[xX]([0-9]+)")


LARGEST_SIDE: Final = 9999


def parse_size(text: str, max_side: int = LARGEST_SIDE) -> tuple[int, int] | None:
    """Read a size such as 21x42; None if the text is invalid or a side is not 1 to ``max_side``."""
    match = _SIZE.fullmatch(text)
    # Longer numbers are out of range, and int() refuses the longest ones.
    if match is None or max(map(len, match.groups())) > len(str(max_side)):
        return None
    width, height = int(match[1]), int(match[2])
    return (width, height) if 1 <= width <= max_side and 1 <= height <= max_side else None


def format_size(width: int, height: int) -> str:
    """Return a size in the form that :func:`parse_size` reads."""
    return f"{width}x{height}"
