"""Estimate how long a search takes, from its work and the speed of this machine.

The search counts its work (:mod:`~tetrisprinter.planners.search`), so its work limit is known
beforehand. The search may still end early, with a proof that no game is shorter, and the work
of a large picture depends on its colours. So the estimate only decides whether to ask before a
long job; no number is shown.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Final

from tetrisprinter.planners.search import Request, estimate_default_work

_LOOP_COUNT: Final = 200_000
"""Iterations of the loop that measures the speed of this machine."""
_REFERENCE_SECONDS: Final = 0.011
"""Seconds of that loop on the reference machine, where a unit of work takes _WORK_UNIT_SECONDS."""
_WORK_UNIT_SECONDS: Final = 0.6


def estimate_seconds(request: Request) -> float:
    """Estimate the processor seconds that a search takes at most."""
    return (
        request.limit.effort
        * estimate_default_work(request)
        * _WORK_UNIT_SECONDS
        / _measure_speed()
    )


@cache
def _measure_speed() -> float:
    """Return the present speed of this machine relative to the reference machine."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        total = 0
        for number in range(_LOOP_COUNT):
            total += number
        times.append(time.perf_counter() - began)
    return _REFERENCE_SECONDS / min(times)
