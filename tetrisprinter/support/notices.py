"""What a person should read while a command works, said by whoever runs the commands.

The library prints nothing. Where something takes unexpectedly long, it gives notice here,
once for each sentence; nobody hears it unless somebody listens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["LISTENERS", "give_notice"]

LISTENERS: Final[list[Callable[[str], None]]] = []
"""Who is told; the command line adds itself."""

_given: Final[set[str]] = set()


def give_notice(sentence: str) -> None:
    """Tell all listeners a sentence, unless it was told before."""
    if sentence not in _given:
        _given.add(sentence)
        for listener in LISTENERS:
            listener(sentence)
