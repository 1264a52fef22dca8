"""An executor without threads, for the browser: it runs each call when it is submitted.

Results never depend on the number of workers, so they are the same as those of threads.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

_T = TypeVar("_T")


class SerialExecutor(Executor):
    """An executor that runs calls in the thread that submits them."""

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
    """Replace ThreadPoolExecutor by SerialExecutor in all modules that are imported later."""
    concurrent.futures.ThreadPoolExecutor = SerialExecutor  # type: ignore[misc, assignment]
