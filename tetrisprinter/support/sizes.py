"""Sizes as people write them: ``21x42``, width first."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["format_size", "parse_size"]

_SIZE: Final = re.compile(r"([0-9]+)[xX]([0-9]+)")


def parse_size(text: str, most: int = 9999) -> tuple[int, int] | None:
    """Read a size; None if it is none, so that the caller can say what it is a size of."""
    match = _SIZE.fullmatch(text)
    # More digits are too many anyway, and the longest numbers cannot be read at all.
    if match is None or max(map(len, match.groups())) > len(str(most)):
        return None
    width, height = int(match[1]), int(match[2])
    return (width, height) if 1 <= width <= most and 1 <= height <= most else None


def format_size(width: int, height: int) -> str:
    """Return what :func:`parse_size` reads."""
    return f"{width}x{height}"
