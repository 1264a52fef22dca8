"""Ctrl-C and requests to terminate: the best result is kept, and the process ends in time.

Inside :func:`stop_cleanly` the first signal raises ``KeyboardInterrupt`` in the main thread, or
asks a search to stop (:meth:`Stop.stop_on_signals`). A thread reads the
same signal from Python's wakeup pipe, because the main thread may be deep in a compiled library.
The thread prints ``stopping``, stops the solvers (:func:`call_on_stop`) and ends the process if the
main thread does not end in time. A second signal ends the process at once.

A worker must not outlive its parent, however the parent dies: :func:`end_with_parent`.

A search ends when its time is up or when it is stopped by Ctrl-C, a request to terminate, or the
caller. :meth:`Stop.stop_on_signals` turns the first signal into a request to stop, so that the
best game so far can still be written. A second signal ends the process at once.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from types import FrameType
from typing import Final

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

_START_SECONDS: Final = 3.0
"""The maximum number of seconds to wait for the start of a worker process."""

_PRINT_SECONDS: Final = 0.2
"""The maximum number of seconds to wait until the thread has printed that the job stops."""

SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Terminated(KeyboardInterrupt):
    """The process was asked to terminate.

    Attributes
    ----------
    number : int
        The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass(slots=True)
class _SignalState:
    """What the signal handler, the watching thread and the running job share."""

    number: int = 0  # the first signal
    is_held: bool = False  # the exception waits: a process is being started
    is_raised: bool = False  # the exception was raised, or a search was asked to stop
    announced: threading.Event = field(default_factory=threading.Event)
    # What to print after a signal, and for how many seconds the job may then continue
    announcements: list[tuple[Callable[[], str], float]] = field(
        default_factory=lambda: [(lambda: "stopping", _STOP_SECONDS)]
    )
    requests: list[Callable[[int], None]] = field(default_factory=list)  # of searches
    solvers: list[Callable[[], None]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)  # held while solvers are stopped


_STATE: Final = _SignalState()


def get_stop_signal() -> int:
    """Return the number of the signal that stopped this process; 0 if there was none."""
    return _STATE.number


@contextmanager
def announce_on_stop(
    sentence: str | Callable[[], str], seconds: float = _STOP_SECONDS_WITH_RESULT
) -> Iterator[None]:
    """Print a sentence if a signal comes while the block runs.

    Parameters
    ----------
    sentence : str or callable
        The sentence to print at once, e.g. "stopping; what is proved so far follows".
    seconds : float
        How long the main thread may take to end after the signal.
    """
    announcement = (sentence if callable(sentence) else lambda: sentence, seconds)
    _STATE.announcements.append(announcement)
    try:
        yield
    finally:
        _STATE.announcements.remove(announcement)


@contextmanager
def request_on_stop(request: Callable[[int], None], sentence: Callable[[], str]) -> Iterator[None]:
    """Let the first signal call a function instead of raising an exception in the block."""
    _STATE.requests.append(request)
    try:
        with announce_on_stop(sentence, inf):
            yield
    finally:
        _STATE.requests.remove(request)


@contextmanager
def call_on_stop(stop: Callable[[], None]) -> Iterator[None]:
    """Call a function in another thread if a signal comes while the block runs.

    The function is never called after the block, because the caller then deletes the solver.
    """
    _STATE.solvers.append(stop)
    try:
        yield
    finally:
        with hold_interrupts(), _STATE.lock:
            _STATE.solvers.remove(stop)


def _handle_signal(number: int, frame: FrameType | None) -> None:
    """Raise the exception of the first signal; the watching thread obeys the second."""
    if not _STATE.number:
        _STATE.number = number
        # The thread prints the sentence of the block that is about to end.
        _STATE.announced.wait(_PRINT_SECONDS)
    _raise_once()


def _raise_once() -> None:
    """Stop the search that runs, or raise the exception of a signal; do so only once."""
    if _STATE.is_raised or _STATE.is_held:
        return
    _STATE.is_raised = True
    if _STATE.requests:
        _STATE.requests[-1](_STATE.number)
    elif _STATE.number == signal.SIGINT:
        raise KeyboardInterrupt
    else:
        raise Terminated(_STATE.number)


def exit_at_once(number: int, frame: FrameType | None = None) -> None:
    """End this process at once; also a signal handler as long as nothing needs cleaning up."""
    announce_stop(number)
    # A new process prints a traceback if its parent ends before it has sent the work.
    deadline = time.monotonic() + _START_SECONDS
    while _STATE.is_held and time.monotonic() < deadline:
        time.sleep(0.02)
    if "multiprocessing.util" in sys.modules:
        cleanup = threading.Thread(target=_end_workers, daemon=True)
        cleanup.start()
        cleanup.join(_CLEANUP_SECONDS)
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\x1b[?25h")  # show the cursor, which a progress bar hides
    os._exit(128 + number)


def ignore_signals() -> None:
    """Ignore all signals during the exit: Python removes its own handlers first."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


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
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    default_handlers = (signal.SIG_DFL, signal.default_int_handler, exit_at_once)
    handlers = {n: handler for n in SIGNALS if (handler := signal.getsignal(n)) in default_handlers}
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    previous_fd = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    _STATE.number, _STATE.is_raised, _STATE.announced = 0, False, threading.Event()
    print_discarded = sys.unraisablehook
    # After a signal Python reports exceptions that it discards in destructors, ours among them.
    sys.unraisablehook = lambda discarded: None if _STATE.number else print_discarded(discarded)
    threading.Thread(target=_watch, args=(read_end, set(handlers)), daemon=True).start()
    for number in handlers:
        signal.signal(number, _handle_signal)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = print_discarded
        signal.set_wakeup_fd(previous_fd)
        if _STATE.number:
            _STATE.announced.wait(_PRINT_SECONDS)
        os.close(write_end)  # which ends the thread, unless it waits for the end of the process


def _watch(read_end: int, numbers: set[int]) -> None:
    """Announce the first signal, ensure that it takes effect, and obey a second signal."""
    exit_time, first_signal_time = inf, -inf
    try:
        while True:
            seconds = None if exit_time == inf else max(0.0, exit_time - time.monotonic())
            ready = select.select([read_end], [], [], seconds)[0]
            data = os.read(read_end, 1) if ready else b""
            now = time.monotonic()
            if ready and not data:  # the block has ended; the process gets the rest of its seconds
                if exit_time == inf:
                    return
                time.sleep(max(0.0, exit_time - now))
            if not data:
                exit_at_once(_STATE.number)
            elif data[0] in numbers:
                if first_signal_time == -inf:
                    first_signal_time, exit_time = now, now + _stop_job(data[0])
                elif now > first_signal_time + _REPEAT_SECONDS:
                    exit_at_once(data[0])
    finally:
        os.close(read_end)


def _stop_job(number: int) -> float:
    """Announce a signal and stop the solvers; return how many seconds the process may still run."""
    seconds = _STATE.announcements[-1][1]
    announce_stop(number)
    with _STATE.lock:
        for stop in _STATE.solvers:
            with contextlib.suppress(Exception):  # some solvers cannot be stopped
                stop()
    return _STOP_SECONDS_OF_SEARCH if seconds == inf and number != signal.SIGINT else seconds


def announce_stop(number: int) -> None:
    """Print once that a signal stops the job."""
    _STATE.number = _STATE.number or number
    if _STATE.announced.is_set():
        return
    with contextlib.suppress(OSError):  # nothing reads standard error any more
        prefix = "\r\x1b[2K" if os.isatty(2) else ""  # erase a progress bar
        os.write(2, f"{prefix}tetrisprinter: {_STATE.announcements[-1][0]()}\n".encode())
    _STATE.announced.set()


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay Ctrl-C and termination until the end of the block.

    Used for starting processes, which print long errors if their parent ends before it has sent
    them work. Processes that start in the block never receive Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    was_held, _STATE.is_held = _STATE.is_held, True
    try:
        with block_interrupts():
            yield
    finally:
        _STATE.is_held = was_held
        if _STATE.number and signal.getsignal(_STATE.number) is _handle_signal:
            _raise_once()


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
