"""Searches that can pause: generators that yield after each small part of their work.

The caller looks at the clock, at the work that was done and at other searches in between.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

__all__ = ["Slices", "finish"]

T = TypeVar("T")
Slices = Generator[None, None, T]


def finish(search: Slices[T]) -> T:
    """Run a search to its end and return its result."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            result: T = end.value
            return result
