"""Searches that can pause: generators that yield after each small piece of work.

Whenever a search pauses, the caller checks the clock and the work done.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

T = TypeVar("T")
Slices = Generator[None, None, T]


def run_to_end(search: Slices[T], check: Callable[[], None] = lambda: None) -> T:
    """Return the result of a search; ``check`` is called at each pause and may raise an error."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            result: T = end.value
            return result
        check()
