"""Executors of long jobs: in this process, in several processes, or on a Dask cluster.

Other modules need not know where a job runs. A job is a list of *units* and a function that
processes one unit; units are independent and can be repeated. Results are reported as they arrive
and returned in the order of the units, so the output does not depend on where or in which order
they were computed. If a worker dies, its units are processed again. With a journal each finished
unit is on disk before the next unit is awaited, so the same job resumes there when it is started
again.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

from tetrisprinter.errors import InputError, JobError, format_install_command
from tetrisprinter.support.signals import end_with_parent, hold_signals

Unit = TypeVar("Unit")
Result = TypeVar("Result")

_MAX_LOSSES: Final = 3  # a job fails after this number of deaths of workers without a result


@dataclass(frozen=True, slots=True)
class Machines:
    """The processes or machines that do the work."""

    workers: int = 1  # number of processes on this machine; 1: this process alone
    # The address of a Dask scheduler, as ``tcp://host:8786``; its cluster then processes all units.
    # Needs the package distributed, here and on the cluster
    dask: str | None = None
    patience: float = 5.0  # seconds within which the scheduler must answer

    @contextmanager
    def open_executor(self) -> Iterator[Executor]:
        """Open an executor for the duration of a block."""
        if self.dask is None:
            from concurrent.futures import ProcessPoolExecutor
            from multiprocessing import active_children, get_context, resource_tracker

            # The first worker starts Python's resource tracker, which lets Ctrl-C through again.
            resource_tracker.ensure_running()
            pool = ProcessPoolExecutor(self.workers, get_context("spawn"), end_with_parent)
            try:
                yield pool
            except BaseException:  # e.g. after Ctrl-C
                for process in active_children():
                    process.kill()
                # Without waiting, Python may find the pool's pipe closed at its exit: a traceback
                pool.shutdown(cancel_futures=True)
                raise
            pool.shutdown(wait=False)
            return
        try:
            from distributed import Client
        except ImportError as error:
            raise InputError(
                "--dask needs the package distributed; install it with: "
                f"{format_install_command('distributed')}"
            ) from error
        try:
            client = Client(self.dask, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"{self.dask}: no Dask scheduler answers; check the address"
            ) from error
        with client:
            yield client.get_executor(pure=False)


HERE: Final = Machines()
"""This process alone."""


class Journal:
    """A file with a line for each finished unit, so that a job can be resumed.

    Results must be plain data. A line that was not written completely is ignored. The file is
    removed when the job is complete.
    """

    def __init__(self, path: Path, job: object) -> None:
        self.path = path
        self.job = json.dumps(job, sort_keys=True)

    def make_key(self, unit: object) -> str:
        """Return the key of a unit in the journal."""
        return sha256(f"{self.job}\n{unit!r}".encode()).hexdigest()[:24]

    def read(self) -> dict[str, Any]:
        """Return the stored results by key."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        except (OSError, UnicodeDecodeError):
            return {}
        results: dict[str, Any] = {}
        for line in lines:
            try:
                key, result = json.loads(line)
            except (ValueError, TypeError, RecursionError):
                continue
            results[key] = result
        return results

    def open(self) -> TextIO:
        """Open the journal for appending results."""
        try:
            ends_mid_line = self.path.exists() and not self.path.read_bytes().endswith(b"\n")
            file = self.path.open("a", encoding="utf-8")
            if ends_mid_line:
                file.write("\n")
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from error
        return file


def run_units(
    function: Callable[[Unit], Result],
    units: Sequence[Unit],
    *,
    machines: Machines = HERE,
    journal: Journal | None = None,
    on_result: Callable[[int, Result], None] = lambda _index, _result: None,
) -> list[Result]:
    """Process all units of a job; return the results in the order of the units."""
    results: dict[int, Result] = {}
    keys = [journal.make_key(unit) for unit in units] if journal else []
    if journal:
        stored_results = journal.read()
        for index, key in enumerate(keys):
            if key in stored_results:
                results[index] = stored_results[key]
                on_result(index, stored_results[key])
        file = journal.open()
    unfinished = [index for index in range(len(units)) if index not in results]
    try:
        for index, result in _receive_results(function, units, unfinished, machines):
            results[index] = result
            if journal:
                file.write(json.dumps([keys[index], result]) + "\n")
                file.flush()
                os.fsync(file.fileno())
            on_result(index, result)
    finally:
        if journal:
            file.close()
    if journal:
        journal.path.unlink(missing_ok=True)
    return [results[index] for index in range(len(units))]


def yield_in_order(
    function: Callable[[Unit], Result], units: Sequence[Unit], *, machines: Machines = HERE
) -> Iterator[Result]:
    """Process all units of a job; yield the results in unit order, each as soon as possible.

    Parameters and errors are those of :func:`run_units`.
    """
    early_results: dict[int, Result] = {}
    next_index = 0
    for index, result in _receive_results(function, units, range(len(units)), machines):
        early_results[index] = result
        while next_index in early_results:
            yield early_results.pop(next_index)
            next_index += 1


def _receive_results(
    function: Callable[[Unit], Result],
    units: Sequence[Unit],
    unfinished: Sequence[int],
    machines: Machines,
) -> Iterator[tuple[int, Result]]:
    """Yield (index, result) of the units ``unfinished`` in any order, and replace dead workers."""
    if machines.dask is None and (machines.workers == 1 or len(unfinished) < 2):
        for index in unfinished:
            yield index, function(units[index])
        return
    units_left = list(unfinished)
    losses = 0
    while units_left:
        finished: set[int] = set()
        try:
            with machines.open_executor() as executor:
                for index, result in _submit_units(executor, function, units, units_left):
                    finished.add(index)
                    yield index, result
        except BrokenExecutor as error:
            losses = 0 if finished else losses + 1
            if losses == _MAX_LOSSES:
                raise JobError(
                    f"workers died {losses} times without a result; earlier results are "
                    "kept if the command writes a checkpoint"
                ) from error
        except Exception as error:
            is_lost = isinstance(error, CancelledError) or type(error).__module__.startswith(
                "distributed"
            )
            if machines.dask is not None and is_lost:
                raise JobError(
                    f"lost the connection to the cluster at {machines.dask}; its log says why"
                ) from error
            raise
        units_left = [index for index in units_left if index not in finished]


def _submit_units(
    executor: Executor,
    function: Callable[[Unit], Result],
    units: Sequence[Unit],
    indices: Sequence[int],
) -> Iterator[tuple[int, Result]]:
    """Submit units to an executor; yield (index, result) as they finish."""
    with hold_signals():
        pending: dict[Future[Result], int] = {
            executor.submit(function, units[index]): index for index in indices
        }
    while pending:
        finished, _ = wait(pending, return_when=FIRST_COMPLETED)
        # Yield finished results first, even if another worker died at the same time.
        for future in sorted(finished, key=lambda f: f.exception() is not None):
            yield pending.pop(future), future.result()


class SerialExecutor(Executor):
    """An executor for the browser, which has no threads: it runs each call when it is submitted.

    Results never depend on the number of workers, so they are the same as those of threads.
    """

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Call a function now and return its result as a future."""
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def use_no_threads() -> None:
    """Replace ThreadPoolExecutor by SerialExecutor in all modules that are imported later."""
    concurrent.futures.ThreadPoolExecutor = SerialExecutor  # type: ignore[misc, assignment]
