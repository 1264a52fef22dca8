"""Estimate the time of a search before it begins, from its work and this machine's speed.

The search counts its work (:mod:`~tetrisprinter.planners.improve`), so how much it may do is known
beforehand; only the first full print of a large picture is estimated from its colours.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Final

from tetrisprinter.planners.context import Request
from tetrisprinter.planners.improve import usual_work

__all__ = ["Estimate", "estimate", "machine_speed"]

_LOOP: Final = 200_000
_REFERENCE: Final = 0.011
"""Seconds of the loop on the machine on which a unit of work takes _UNIT seconds."""
_UNIT: Final = 0.6


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how long a search takes."""

    seconds: float  # of a processor

    def __str__(self) -> str:
        return f"about {_time(self.seconds)}"


def estimate(request: Request) -> Estimate:
    """Estimate the time that a search takes."""
    return Estimate(request.limit.effort * usual_work(request) * _UNIT / machine_speed())


@cache
def machine_speed() -> float:
    """Return how many times as fast as the reference machine this one is, right now."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        total = 0
        for number in range(_LOOP):
            total += number
        times.append(time.perf_counter() - began)
    return _REFERENCE / min(times)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{_round(seconds)} s"
    if seconds < 90 * 60:
        return f"{_round(seconds / 60)} min"
    return f"{_round(seconds / 3600)} h"


def _round(number: float) -> int:
    """Return a number of which only two digits mean something."""
    size: int = 10 ** max(0, len(str(round(number))) - 2)
    return max(1, round(number / size) * size)
