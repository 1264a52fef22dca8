"""Ctrl-C and requests to terminate: the best result is kept, and the process ends in time.

Inside :func:`stop_cleanly` the first signal prints ``stopping`` and raises ``KeyboardInterrupt`` in
the main thread, or asks the search that runs to stop (:meth:`Stop.stop_on_signals`). A timer ends
the process if that takes too long, and a second signal ends it at once. Python runs handlers only
between two lines of Python, so long calls of compiled code wait in threads of their own, which ask
for :data:`STOPPED` from time to time (:mod:`tetrisprinter.sat.solve`).

A worker must not outlive its parent, however the parent dies: :func:`end_with_parent`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from types import FrameType
from typing import Final, NamedTuple

_STOP_SECONDS: Final = 0.8
"""Seconds that a job without a result may continue after a signal."""

_STOP_SECONDS_WITH_RESULT: Final = 1.8
"""Seconds that a job may continue after a signal if it still has to report a result."""

_STOP_SECONDS_OF_SEARCH: Final = 5.0
"""Seconds in which a search must have written its best game after a request to terminate."""

_REPEAT_SECONDS: Final = 0.3
"""Seconds within which signals count as one: shells and terminals send several for one press."""

_CLEANUP_SECONDS: Final = 0.6
"""The maximum number of seconds for ending workers and releasing shared resources."""

SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

STOPPED: Final = threading.Event()
"""Set by the first signal; a thread that waits for a solver then stops it."""


class _Reaction(NamedTuple):
    """What the first signal does."""

    sentence: Callable[[], str]  # returns what to print
    seconds: float  # how long the job may then continue; inf: until the next Ctrl-C
    request: Callable[[], None] | None = None  # called instead of raising an exception


_REACTIONS: Final = [_Reaction(lambda: "stopping", _STOP_SECONDS)]
"""The reactions of the running blocks; the last one counts."""


@dataclass(slots=True)
class _FirstSignal:
    """The first signal: its number, 0 if there was none, and when it came."""

    number: int = 0
    time: float = -inf
    held: list[int] | None = None  # signals that came during hold_signals


_FIRST: Final = _FirstSignal()


def get_stop_signal() -> int:
    """Return the number of the signal that stopped this process; 0 if there was none."""
    return _FIRST.number


@contextmanager
def announce_on_stop(
    sentence: str | Callable[[], str],
    seconds: float = _STOP_SECONDS_WITH_RESULT,
    request: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Print a sentence, or what a function returns, if a signal comes while the block runs.

    The process may then continue for some seconds. If ``request`` is given, the signal calls it and
    raises no exception in the block.
    """
    reaction = _Reaction(sentence if callable(sentence) else lambda: sentence, seconds, request)
    _REACTIONS.append(reaction)
    try:
        yield
    finally:
        _REACTIONS.remove(reaction)


def _handle_signal(number: int, frame: FrameType | None) -> None:
    """Stop the job at the first signal, and end the process at the second."""
    if _FIRST.held is not None:
        _FIRST.held.append(number)
        return
    if _FIRST.number:
        if time.monotonic() > _FIRST.time + _REPEAT_SECONDS:
            exit_at_once(number)
        return
    _, seconds, request = _REACTIONS[-1]
    announce_stop(number)
    _FIRST.time = time.monotonic()
    STOPPED.set()
    if seconds == inf and number != signal.SIGINT:
        seconds = _STOP_SECONDS_OF_SEARCH
    if seconds < inf:
        timer = threading.Timer(seconds, exit_at_once, [number])
        timer.daemon = True
        timer.start()
    if request is None:
        raise KeyboardInterrupt
    request()


def announce_stop(number: int) -> None:
    """Print once that a signal stops the job."""
    if _FIRST.number:
        return
    _FIRST.number = number
    with contextlib.suppress(OSError):  # nothing reads standard error any more
        prefix = "\r\x1b[2K" if os.isatty(2) else ""  # erase the progress line
        os.write(2, f"{prefix}tetrisprinter: {_REACTIONS[-1].sentence()}\n".encode())


def exit_at_once(number: int, frame: FrameType | None = None) -> None:
    """End this process at once; also a signal handler as long as nothing needs cleaning up."""
    announce_stop(number)
    if "multiprocessing.util" in sys.modules:
        cleanup = threading.Thread(target=_end_workers, daemon=True)
        cleanup.start()
        cleanup.join(_CLEANUP_SECONDS)
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\x1b[?25h")  # show the cursor, which `watch` hides
    os._exit(128 + number)


def _end_workers() -> None:
    """End all workers and release their shared resources, so that Python's tracker is silent."""
    from multiprocessing import active_children, util

    for child in active_children():
        child.kill()
    util._run_finalizers(0)  # type: ignore[attr-defined]


@contextmanager
def stop_cleanly() -> Iterator[None]:
    """Let a signal stop the block cleanly and within a time limit.

    Outside the main thread nothing changes. An ignored signal (as under ``nohup``) stays ignored.
    After a signal the handlers remain: what follows is not disturbed by an echo of the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    default_handlers = (signal.SIG_DFL, signal.default_int_handler, exit_at_once)
    handlers = {n: handler for n in SIGNALS if (handler := signal.getsignal(n)) in default_handlers}
    _FIRST.number = 0
    STOPPED.clear()
    print_discarded = sys.unraisablehook
    # After a signal Python reports exceptions that it discards in destructors, ours among them.
    sys.unraisablehook = lambda discarded: None if _FIRST.number else print_discarded(discarded)
    for number in handlers:
        signal.signal(number, _handle_signal)
    try:
        yield
    finally:
        sys.unraisablehook = print_discarded
        if not _FIRST.number:
            for number, handler in handlers.items():
                signal.signal(number, handler)


@contextmanager
def hold_signals() -> Iterator[None]:
    """Delay Ctrl-C and termination until the end of the block.

    Used for starting threads, and processes, which print long errors if their parent ends before
    it has sent them work. Both never receive Ctrl-C if they start in the block.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _FIRST.held = []
    try:
        with block_interrupts():
            yield
    finally:
        held, _FIRST.held = _FIRST.held, None
        if held:
            _handle_signal(held[0], None)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this thread, and permanently in the processes that it starts.

    A process that ignores Ctrl-C by itself does so too late: it may arrive during its imports.
    Windows has no signal masks, so the block has no effect there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def end_with_parent() -> None:
    """Let this worker process end as soon as its parent ends, however the parent ends."""
    from multiprocessing import parent_process

    def wait_for_end() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()


class Stop:
    """The end of a search: a deadline, or a request by a signal or by the caller."""

    def __init__(self, seconds: float | None = None) -> None:
        self.deadline = inf if seconds is None else time.monotonic() + seconds
        # One entry for each request, shared with derived stops; an Event cannot be pickled.
        self._requests: list[bool] = []

    def __repr__(self) -> str:
        return f"<Stop {'requested' if self.is_requested else self.deadline}>"

    @property
    def is_set(self) -> bool:
        """Whether the search has to end."""
        return self.is_requested or time.monotonic() >= self.deadline

    @property
    def is_requested(self) -> bool:
        """Whether a signal or the caller, not the clock, stopped the search."""
        return bool(self._requests)

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline; 0 if it has passed."""
        return max(0.0, self.deadline - time.monotonic())

    def request(self) -> None:
        """Stop the search, from any thread."""
        self._requests.append(True)

    def with_deadline(self, deadline: float) -> Stop:
        """Return a stop with the earlier deadline that shares the requests of this stop."""
        earlier = Stop()
        earlier.deadline = min(self.deadline, deadline)
        earlier._requests = self._requests
        return earlier

    @contextmanager
    def stop_on_signals(self, report: Callable[[], str]) -> Iterator[None]:
        """Let the first signal stop the search, and a second signal end the process.

        ``report`` returns the sentence to print. Signals count only inside :func:`stop_cleanly`.
        """
        with announce_on_stop(report, inf, self.request):
            yield


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
