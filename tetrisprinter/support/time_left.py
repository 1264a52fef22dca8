"""How long a job still takes, estimated from the share that is done."""

from __future__ import annotations

import time
from math import inf
from typing import Final

_FIRST_FRACTION: Final = 0.01
"""The time left is not estimated before this share of the work is done."""

_NEWS_SHARE: Final = 0.3
"""The weight of a new estimate of the time left; the rest is the earlier estimate."""


class TimeLeft:
    """A smoothed estimate of the seconds that a job still takes, from the share that is done."""

    def __init__(self) -> None:
        self._began = self._estimated_at = time.monotonic()
        self._seconds = inf

    def update(self, fraction: float) -> None:
        """Record the share of the work that is done, from 0 to 1."""
        now = time.monotonic()
        if not _FIRST_FRACTION <= fraction <= 1:
            return
        news = (now - self._began) * (1 - fraction) / fraction
        earlier = self._seconds - (now - self._estimated_at)
        # Reports may come often; the estimate follows the job within about three seconds.
        weight = 1.0 if earlier == inf else min(1.0, _NEWS_SHARE * (now - self._estimated_at))
        self._seconds = news if weight == 1.0 else (1 - weight) * max(0.0, earlier) + weight * news
        self._estimated_at = now

    @property
    def seconds(self) -> float | None:
        """The seconds left; None if nothing is known yet."""
        if self._seconds == inf:
            return None
        return max(0.0, self._seconds - (time.monotonic() - self._estimated_at))
