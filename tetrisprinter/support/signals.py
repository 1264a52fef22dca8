"""What ends a process from outside: a request to terminate, and the death of its parent.

A request to terminate (SIGTERM, or SIGHUP when a terminal is closed) is an interrupt: what
heeds Ctrl-C, and keeps what is finished, heeds it too. Only a process that is deep in a
compiled library cannot be interrupted; so a thread waits beside it, and ends the process
when nothing has come of the request for some seconds.

A worker must not outlive whoever gives it work. Workers are asked to die with their parent,
however that dies, by the system where it can (Linux), and everywhere by a thread that waits
for the end of a pipe that the parent holds.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

__all__ = [
    "Terminated",
    "end_with_parent",
    "ending_in_order",
    "interrupts_held",
    "plain_termination",
]

_GRACE: Final = 5.0  # seconds to come to an end in order
_PR_SET_PDEATHSIG: Final = 1
_REQUESTS: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to terminate."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Turn requests to terminate into :class:`Terminated` while the block runs.

    Elsewhere than in the main thread nothing changes, and a signal that is ignored (as under
    ``nohup``) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [n for n in _REQUESTS if signal.getsignal(n) is signal.SIG_DFL]
    over = threading.Event()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading, numbers, over), daemon=True).start()
    for number in numbers:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        over.set()
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(before)
        os.close(writing)  # which ends the thread


def _watch(reading: int, numbers: list[int], over: threading.Event) -> None:
    """End the process if a request to terminate comes and nothing comes of it."""
    try:
        while seen := os.read(reading, 1):
            if seen[0] in numbers and not over.wait(_GRACE):
                os._exit(128 + seen[0])
    finally:
        os.close(reading)


@contextmanager
def plain_termination() -> Iterator[None]:
    """Let requests to terminate end the process at once while the block runs.

    For libraries that let nothing else run, the thread of :func:`ending_in_order` included,
    where there is nothing to be kept.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {n: signal.getsignal(n) for n in _REQUESTS if signal.getsignal(n) is _raise}
    for number in before:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C and requests to terminate back until the block is over.

    For starting processes: one whose parent is stopped before it has told it what to do
    complains at length. Those started meanwhile never see Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, *_REQUESTS)}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        with _ctrl_c_blocked():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and for good in the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent(parent: int) -> None:
    """Let this process, a worker, end as soon as its parent does."""
    from multiprocessing import parent_process

    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    known = parent_process()
    if known is not None:
        threading.Thread(target=_outlive_nobody, args=(known.sentinel,), daemon=True).start()


def _outlive_nobody(sentinel: Any) -> None:
    from multiprocessing.connection import wait

    wait([sentinel])
    os._exit(1)
