"""A pool of processes that a signal can end at any moment without a traceback.

The pools of the standard library share semaphores and a queue with their processes. If a signal
arrives while these are created or closed, a thread or the resource tracker prints a traceback. Here
each process has its own pipe and its own thread, and nothing else is shared.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from tetrisprinter.support.signals import end_with_parent, hold_interrupts

_SPAWN: Final = get_context("spawn")


class _Call(NamedTuple):
    """A call for a worker, and the future of its result."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


class WorkerPool(Executor):
    """An executor that starts processes on demand, up to a limit.

    A process ends with the thread that started it, so only the pool's own thread starts processes.
    """

    def __init__(self, workers: int) -> None:
        self._limit = workers
        self._owner = threading.get_ident()
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._processes: list[Any] = []
        self._submitted = 0
        self._ended = False  # whether shutdown was called
        self._broken = False  # whether a process died

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Pass a call to a worker; start a worker if there are more calls than workers."""
        if self._broken:
            raise BrokenExecutor("a worker died")
        if self._ended:
            raise RuntimeError("the pool is closed")
        call = _Call(Future(), fn, args, kwargs)
        self._submitted += 1
        if (
            len(self._processes) < min(self._limit, self._submitted)
            and threading.get_ident() == self._owner
        ):
            self._start_worker()
        self._calls.put(call)
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers after all calls are done, or at once with ``cancel_futures``."""
        self._ended = True
        processes = list(self._processes)
        if cancel_futures:
            for process in processes:
                process.kill()
        for _ in processes:
            self._calls.put(None)
        if wait:
            for process in processes:
                process.join()

    def _start_worker(self) -> None:
        """Start a process, and a thread that passes calls to it."""
        # Hold signals back until the process is in the list; otherwise nothing would end it.
        with hold_interrupts():
            own_end, worker_end = _SPAWN.Pipe()
            process = _SPAWN.Process(target=_work, args=(worker_end, os.getpid()), daemon=True)
            process.start()
            worker_end.close()  # so that the pipe ends when the process ends
            self._processes.append(process)
            threading.Thread(target=self._serve, args=(process, own_end), daemon=True).start()

    def _serve(self, process: Any, pipe: Connection) -> None:
        """Pass calls to one process, and the results to the futures of the calls."""
        while (call := self._calls.get()) is not None:
            if self._broken:
                call.future.set_exception(BrokenExecutor("a worker died"))
                continue
            if not call.future.set_running_or_notify_cancel():
                continue
            try:
                pipe.send(call[1:])
                is_result, value = pipe.recv()
            except (EOFError, OSError):
                self._broken = True
                call.future.set_exception(BrokenExecutor("a worker died"))
                continue
            except Exception as error:  # the call or the result cannot be pickled
                call.future.set_exception(error)
                continue
            if is_result:
                call.future.set_result(value)
            else:
                call.future.set_exception(value)
        pipe.close()
        process.join()


def _work(pipe: Connection, parent: int) -> None:
    """Run the calls that the parent sends until it closes the pipe."""
    end_with_parent(parent)
    with suppress(EOFError, OSError):
        while True:
            function, arguments, keywords = pipe.recv()
            try:
                answer: tuple[bool, Any] = True, function(*arguments, **keywords)
            except Exception as error:
                error.add_note(f"in a worker:\n{traceback.format_exc()}")
                answer = False, error
            try:
                pipe.send(answer)
            except (TypeError, AttributeError, ValueError) as error:  # cannot be pickled
                pipe.send((False, error))
