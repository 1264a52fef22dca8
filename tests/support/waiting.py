"""Waiting for what happens, never for time to pass: how long it takes is nobody's business."""

import time
from collections.abc import Callable

_PAUSE = 0.02


def wait_until(done: Callable[[], object], what: str = "it", seconds: float = 300) -> None:
    """Wait until something is so; fail, saying what did not happen, if it takes too long."""
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, f"{what} did not happen"
        time.sleep(_PAUSE)


def never(wrong: Callable[[], object], seconds: float) -> bool:
    """Watch for a while that something does not happen; stop looking as soon as it does."""
    until = time.monotonic() + seconds
    while not wrong():
        if time.monotonic() >= until:
            return True
        time.sleep(_PAUSE)
    return False


def linger(seconds: float) -> None:
    """Stay where others must not come in meanwhile, so that they would be seen if they did."""
    time.sleep(seconds)
