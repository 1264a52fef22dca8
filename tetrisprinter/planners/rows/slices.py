"""Searches that can pause: generators that yield after each small part of their work.

The caller looks at the clock and at the work that was done in between.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
Slices = Generator[None, None, T]
