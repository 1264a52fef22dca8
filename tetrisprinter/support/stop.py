"""The object that ends a search; every search checks it at least every 0.2 seconds.

A search ends when its time is up or when it is stopped by Ctrl-C, a request to terminate, or the
caller. :meth:`Stop.stop_on_signals` turns the first signal into a request to stop, so that the
best game so far can still be written. A second signal ends the process at once.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from tetrisprinter.support.signals import Terminated, request_on_stop


class Stop:
    """A deadline and the requests to stop a search."""

    def __init__(self, seconds: float | None = None) -> None:
        self.deadline = inf if seconds is None else time.monotonic() + seconds
        self._requests: list[int] = []  # numbers of signals; 0: a request of the caller

    def __repr__(self) -> str:
        return f"<Stop {'requested' if self._requests else self.deadline}>"

    @property
    def is_set(self) -> bool:
        """Whether the search has to end."""
        return bool(self._requests) or time.monotonic() >= self.deadline

    @property
    def is_requested(self) -> bool:
        """Whether a signal or the caller, not the clock, stopped the search."""
        return bool(self._requests)

    @property
    def signal(self) -> int:
        """The number of the signal that stopped the search; 0 if no signal did."""
        return self._requests[0] if self._requests else 0

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline; 0 if it has passed."""
        return max(0.0, self.deadline - time.monotonic())

    def request(self, number: int = 0) -> None:
        """Stop the search, from any thread; ``number`` is the signal's number, 0 for a caller."""
        self._requests.append(number)

    def with_deadline(self, deadline: float) -> Stop:
        """Return a stop with the earlier deadline that shares the requests of this stop."""
        earlier = Stop()
        earlier.deadline = min(self.deadline, deadline)
        earlier._requests = self._requests
        return earlier

    def with_timeout(self, seconds: float) -> Stop:
        """Return a stop that ends after some seconds and shares the requests of this stop."""
        return self.with_deadline(time.monotonic() + seconds)

    def raise_signal(self) -> None:
        """Raise the exception of the signal that stopped the search."""
        if self.signal in (0, signal.SIGINT):
            raise KeyboardInterrupt
        raise Terminated(self.signal)

    @contextmanager
    def stop_on_signals(self, report: Callable[[], str]) -> Iterator[None]:
        """Let the first signal stop the search, and a second signal end the process.

        ``report`` returns the sentence to print. Signals count only inside
        :func:`~tetrisprinter.support.signals.stop_cleanly`.
        """
        with request_on_stop(self.request, report):
            yield
