"""What an effort is worth: how far the planner *auto* climbs, and how hard each step tries."""

from __future__ import annotations

from math import floor
from typing import Final

__all__ = ["LAST_STEP", "effort_of", "last_step"]

LAST_STEP: Final = 10
"""Nobody climbs higher: the effort of *shortest* would be 256 times the usual."""


def last_step(effort: float) -> int:
    """Return how far an effort climbs.

    >>> last_step(0.1), last_step(2.5), last_step(float("inf"))
    (1, 2, 10)
    """
    return LAST_STEP if effort >= LAST_STEP else max(1, floor(effort))


def effort_of(step: int) -> float:
    """Return the effort of *shortest* in a step, from the second on."""
    return float(2 ** (step - 2))
