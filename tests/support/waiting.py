"""Wait for events, not for time to pass: how long an event takes must not matter."""

import time
from collections.abc import Callable

_PAUSE = 0.02


def wait_until(done: Callable[[], object], what: str = "it", seconds: float = 300) -> None:
    """Wait until ``done()`` is true; after ``seconds`` fail with a message about ``what``."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(_PAUSE)


def linger(seconds: float) -> None:
    """Sleep, so that an event that must not happen in the meantime has time to happen."""
    time.sleep(seconds)
