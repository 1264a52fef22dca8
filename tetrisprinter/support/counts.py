"""Numbers with their nouns, for messages."""

from __future__ import annotations


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> format_count(1, "level"), format_count(1200, "level"), format_count(2, "pass", "passes")
    ('1 level', '1200 levels', '2 passes')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
