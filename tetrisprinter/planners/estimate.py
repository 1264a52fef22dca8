"""Estimate how long a search takes, from its work and the speed of this machine.

The search counts its work (:mod:`~tetrisprinter.planners.improve`), so its work limit is known
beforehand. Its end is not: it may prove early that nothing is shorter, and the work of a large
picture depends on its colours. So the estimate only decides whether to ask before a long job;
no number is shown.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Final

from tetrisprinter.planners.context import Request
from tetrisprinter.planners.improve import estimate_default_work

_LOOP: Final = 200_000
_REFERENCE: Final = 0.011
"""Seconds of the loop on the machine on which a unit of work takes _UNIT seconds."""
_UNIT: Final = 0.6


def estimate_seconds(request: Request) -> float:
    """Estimate the processor seconds that a search takes at most."""
    return request.limit.effort * estimate_default_work(request) * _UNIT / _measure_speed()


@cache
def _measure_speed() -> float:
    """Return the present speed of this machine relative to the reference machine."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        total = 0
        for number in range(_LOOP):
            total += number
        times.append(time.perf_counter() - began)
    return _REFERENCE / min(times)
