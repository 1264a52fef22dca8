"""Clean exits after Ctrl-C, a request to terminate, or the death of the parent process.

The first signal reports ``stopping`` at once and raises an exception in the main thread, so that
finished work can still be written. A watching thread (:func:`stop_cleanly`) stops the solvers that
can be stopped (:func:`call_on_stop`). The thread ends the process if the main thread does not end
in time, e.g. in a compiled library. A second signal ends the process at once.

A signal never interrupts an import or the change of a lock: half-loaded modules and code that
relies on the lock would fail. The exception waits until the import or change is done. Where
Python discards the exception (``__del__``, weak references), it is raised again a moment later.

A worker must not outlive its parent, however the parent dies. On Linux the system ends the
worker. On every system a thread of the worker waits for the end of a pipe that the parent holds
open.
"""

from __future__ import annotations

import _thread
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
from typing import Any, Final

__all__ = [
    "Terminated",
    "announce_on_stop",
    "announce_stop",
    "call_on_stop",
    "end_with_parent",
    "exit_at_once",
    "get_stop_signal",
    "hold_interrupts",
    "ignore_signals",
    "record_signal",
    "stop_cleanly",
]

_STOP_SECONDS: Final = 0.8
"""Seconds that a job without a result may continue after a signal."""

_STOP_SECONDS_WITH_RESULT: Final = 1.8
"""Seconds that a job may continue after a signal if it still has to report a result."""

_STOP_SECONDS_ELSEWHERE: Final = 5.0
"""Seconds that a job may continue after a request to terminate that other code handles."""

_REPEAT_SECONDS: Final = 0.3
"""Seconds within which signals count as one."""

_START_SECONDS: Final = 3.0
"""The maximum number of seconds to wait for the start of a worker process."""

_CLEANUP_SECONDS: Final = 0.6
"""The maximum number of seconds for ending workers and releasing shared resources."""

_PRINT_SECONDS: Final = 0.2
"""The maximum number of seconds to wait for another thread that prints why the job ends."""

_IMPORT_FILE: Final = "<frozen importlib._bootstrap>"
_LOCK_FUNCTIONS: Final = frozenset(("__enter__", "__exit__", "_acquire_restore", "_release_save"))
"""Functions of ``threading`` after which a caller relies on the state of its lock."""
_PYSAT: Final = f"pysat{os.sep}solvers.py"
_RETRY_SECONDS: Final = 0.02  # seconds between two checks whether an import is done
_PR_SET_PDEATHSIG: Final = 1
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
    """The state that the signal handler shares with the watching thread."""

    number: int = 0  # the first signal
    last_signal_time: float = -inf  # of the main thread, without repeats
    is_held: bool = False  # signals are held back: a process is being started
    is_raised: bool = False  # the exception was raised in the main thread
    is_deferred: bool = False  # the exception waits: the thread sends the signal again
    announce_lock: threading.Lock = field(default_factory=threading.Lock)  # never released
    announced: threading.Event = field(default_factory=threading.Event)
    announcements: list[tuple[str, float]] = field(
        default_factory=lambda: [("stopping", _STOP_SECONDS)]
    )
    solvers: list[Callable[[], None]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while solvers are stopped


_STATE: Final = _SignalState()


def get_stop_signal() -> int:
    """Return the number of the signal that stopped this process; 0 if there was none."""
    return _STATE.number


@contextmanager
def announce_on_stop(sentence: str, seconds: float = _STOP_SECONDS_WITH_RESULT) -> Iterator[None]:
    """Print a sentence if a signal comes while the block runs.

    Parameters
    ----------
    sentence : str
        The sentence to print at once, e.g. "stopping; what is proved so far follows".
    seconds : float
        How long the main thread may take to end after the signal.
    """
    announcement = (sentence, seconds)
    _STATE.announcements.append(announcement)
    try:
        yield
    finally:
        _STATE.announcements.remove(announcement)


@contextmanager
def call_on_stop(stop: Callable[[], None]) -> Iterator[None]:
    """Call a function in another thread if a signal comes while the block runs."""
    _STATE.solvers.append(stop)
    try:
        yield
    finally:
        _unregister_stop(stop)


def _unregister_stop(stop: Callable[[], None]) -> None:
    """Unregister a stop function, but not during its call: the caller then deletes the solver.

    Ctrl-C may interrupt this function, too, and must not prevent the removal: a call after the
    solver is deleted would crash the process.
    """
    interrupt: KeyboardInterrupt | None = None
    while stop in _STATE.solvers:
        try:
            with _STATE.lock:
                _STATE.solvers.remove(stop)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def _raise_on_signal(number: int, frame: FrameType | None) -> None:
    """Raise the first signal's exception, but not during an import or the change of a lock.

    Later signals raise nothing, because they must not interrupt the handling of the exception.
    """
    announce_stop(number)  # the thread may not have run yet
    if record_signal() or _STATE.is_raised:
        return
    _STATE.is_deferred = _is_uninterruptible(frame)
    if _STATE.is_deferred:
        _STATE.last_signal_time = -inf
        return
    _STATE.is_raised = True
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Terminated(number)


def _defer_discarded(discarded: sys.UnraisableHookArgs) -> bool:
    """Defer a signal's exception that Python discarded; return whether to hide the discarded error.

    If a SAT solver's constructor was interrupted, its destructor fails; this is not reported.
    """
    if not _STATE.is_raised:
        return False
    if not issubclass(discarded.exc_type, KeyboardInterrupt):
        module = getattr(discarded.object, "__module__", None)
        return discarded.exc_type is AttributeError and module == "pysat.solvers"
    _STATE.is_raised, _STATE.is_deferred, _STATE.last_signal_time = False, True, -inf
    return True


def record_signal() -> bool:
    """Record a signal in the main thread; return whether it repeats the signal just before it.

    Shells and terminals send several signals for one press.
    """
    now = time.monotonic()
    if now < _STATE.last_signal_time + _REPEAT_SECONDS:
        return True
    _STATE.last_signal_time = now
    return False


def _is_uninterruptible(frame: FrameType | None) -> bool:
    """Return whether an exception would leave a module, a lock or a SAT solver half changed."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename == _IMPORT_FILE:
            return True
        if code.co_name in _LOCK_FUNCTIONS and code.co_filename == threading.__file__:
            return True
        # python-sat frees a solver before dropping its pointer, so it would free the solver twice.
        if code.co_name == "delete" and code.co_filename.endswith(_PYSAT):
            return True
        frame = frame.f_back
    return False


def exit_at_once(number: int, frame: FrameType | None = None) -> None:
    """End this process at once; also a signal handler as long as nothing needs cleaning up."""
    announce_stop(number)
    # A new process prints a traceback if its parent ends before it has sent the work.
    deadline = time.monotonic() + _START_SECONDS
    while _STATE.is_held and time.monotonic() < deadline:
        time.sleep(_RETRY_SECONDS)
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
    _STATE.number, _STATE.announce_lock, _STATE.announced = 0, threading.Lock(), threading.Event()
    _STATE.last_signal_time, _STATE.is_raised, _STATE.is_deferred = -inf, False, False
    print_discarded = sys.unraisablehook
    sys.unraisablehook = lambda discarded: _defer_discarded(discarded) or print_discarded(discarded)
    watcher = threading.Thread(target=_watch, args=(read_end, set(handlers)), daemon=True)
    watcher.start()
    for number in handlers:
        signal.signal(number, _raise_on_signal)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        announce_stop(getattr(interrupt, "number", signal.SIGINT))
        raise
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = print_discarded
        signal.set_wakeup_fd(previous_fd)
        os.close(write_end)  # which ends the thread, unless it waits for the end of the process


def _watch(read_end: int, numbers: set[int]) -> None:
    """Announce the first signal, ensure that it takes effect, and obey a second signal."""
    exit_time, first_signal_time = inf, -inf
    resent = 0  # signals that this thread sent
    try:
        while True:
            # After the first signal, the main thread may defer its exception at any moment.
            pause = _RETRY_SECONDS if exit_time < inf or _STATE.is_deferred else 60.0
            ready = select.select([read_end], [], [], pause)[0]
            now = time.monotonic()
            if ready:
                data = os.read(read_end, 1)
                if not data:  # the block has ended; the process gets the rest of its seconds
                    if exit_time < inf:
                        time.sleep(max(0.0, exit_time - now))
                        exit_at_once(_STATE.number)
                    return
                number = data[0]
                if number not in numbers:
                    continue
                if resent:
                    resent -= 1
                elif first_signal_time == -inf:
                    first_signal_time, exit_time = now, now + _handle_first_signal(number)
                elif now > first_signal_time + _REPEAT_SECONDS:
                    if _raises_our_exception(number):
                        exit_at_once(number)
                    exit_time = min(exit_time, now + _STOP_SECONDS)  # another handler ends the job
            elif _STATE.is_deferred:
                _STATE.is_deferred = False
                resent += 1
                _signal_main_thread(_STATE.number)
            if now >= exit_time:
                exit_at_once(_STATE.number)
    finally:
        os.close(read_end)


def _signal_main_thread(number: int) -> None:
    """Signal the main thread again, so that its system calls are interrupted as well."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


def _handle_first_signal(number: int) -> float:
    """Announce a signal and stop the solvers; return how many seconds the process may still run."""
    _STATE.number = number
    is_ours = _raises_our_exception(number)
    if is_ours:
        announce_stop(number)
    with _STATE.lock:
        for stop in _STATE.solvers:
            with contextlib.suppress(Exception):  # some solvers cannot be stopped
                stop()
    if is_ours:
        return _STATE.announcements[-1][1]
    return inf if number == signal.SIGINT else _STOP_SECONDS_ELSEWHERE


def _raises_our_exception(number: int) -> bool:
    """Return whether a signal raises our exception, because no other code handles it."""
    handler = signal.getsignal(number)
    return handler is _raise_on_signal or isinstance(handler, _DeferringHandler)


def announce_stop(number: int, sentence: str | None = None) -> None:
    """Print once that a signal stops the job; return when the sentence is printed."""
    _STATE.number = _STATE.number or number
    if not _STATE.announce_lock.acquire(blocking=False):
        # Another thread prints the sentence, and would die with the process if the main thread
        # ended first. A handler that interrupts this function in the main thread waits in vain.
        _STATE.announced.wait(_PRINT_SECONDS)
        return
    line = f"tetrisprinter: {sentence or _STATE.announcements[-1][0]}\n"
    with contextlib.suppress(OSError):  # nothing reads standard error any more
        prefix = "\r\x1b[2K" if os.isatty(2) else ""  # erase a progress bar
        os.write(2, f"{prefix}{line}".encode())
    _STATE.announced.set()


class _DeferringHandler:
    """A signal handler that stores signals for later."""

    def __init__(self) -> None:
        self.signals: list[int] = []

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.signals.append(number)


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay Ctrl-C and termination until the end of the block.

    Used for starting processes, which print long errors if their parent ends before it has sent
    them work. Processes that start in the block never receive Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    deferring_handler = _DeferringHandler()
    handlers = {n: signal.getsignal(n) for n in SIGNALS}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    was_held, _STATE.is_held = _STATE.is_held, True
    for number in handlers:
        signal.signal(number, deferring_handler)
    try:
        with _block_ctrl_c():
            yield
    finally:
        _STATE.is_held = was_held
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in deferring_handler.signals[:1]:
            handler = handlers[number]
            assert callable(handler)
            handler(number, None)


@contextmanager
def _block_ctrl_c() -> Iterator[None]:
    """Block Ctrl-C in this thread, and permanently in the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # A first process starts Python's resource tracker, which lets Ctrl-C through again.
    resource_tracker.ensure_running()
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def end_with_parent(parent: int) -> None:
    """Let this worker process end as soon as its parent ends.

    Parameters
    ----------
    parent : int
        The process ID of the parent, which may have ended already.
    """
    from multiprocessing import parent_process

    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    parent_handle = parent_process()
    if parent_handle is not None:
        threading.Thread(
            target=_exit_with_parent, args=(parent_handle.sentinel,), daemon=True
        ).start()


def _exit_with_parent(sentinel: Any) -> None:
    """Wait until the parent process ends, then end this process."""
    from multiprocessing.connection import wait

    wait([sentinel])
    os._exit(1)
