"""Threads for where none can be started: each piece of work is done as it is submitted.

A browser runs the package in one thread. What is found is the same, as it is for any number of
workers.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

__all__ = ["SerialExecutor", "use_no_threads"]

_T = TypeVar("_T")


class SerialExecutor(Executor):
    """An executor that does its work in the thread that submits it."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Call a function now and return its result as a future."""
        future: Future[_T] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def use_no_threads() -> None:
    """Let pools of threads be serial, in all modules that are imported from now on."""
    concurrent.futures.ThreadPoolExecutor = SerialExecutor  # type: ignore[misc, assignment]
