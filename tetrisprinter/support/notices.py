"""Notices for the user during long work.

The library prints nothing. It passes notices to the listeners, each sentence once. Notices
without a listener are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

LISTENERS: Final[list[Callable[[str], None]]] = []
"""The listeners; the command line adds itself."""

_given_sentences: Final[set[str]] = set()


def give_notice(sentence: str) -> None:
    """Pass a sentence to all listeners, but only once."""
    if sentence not in _given_sentences:
        _given_sentences.add(sentence)
        for listener in LISTENERS:
            listener(sentence)
