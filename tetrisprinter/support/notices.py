"""Notices for the person at the terminal while a command works.

The library prints nothing. Where something takes unexpectedly long, it gives notice here,
once for each sentence; without a listener it is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["LISTENERS", "give_notice"]

LISTENERS: Final[list[Callable[[str], None]]] = []
"""The listeners; the command line adds itself."""

_given: Final[set[str]] = set()


def give_notice(sentence: str) -> None:
    """Give all listeners a sentence once."""
    if sentence not in _given:
        _given.add(sentence)
        for listener in LISTENERS:
            listener(sentence)
