"""Processes that are asked to end, or whose parents are gone: they end, and leave nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from multiprocessing import util
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import pytest

from tests.support.processes import run_python
from tests.support.waiting import linger, wait_until
from tetrisprinter.support.executors import Machines, run_units
from tetrisprinter.support.files import open_atomically
from tetrisprinter.support.signals import announce_on_stop, get_stop_signal, stop_cleanly


def wait_for_ever(folder: str) -> None:
    """Be a unit of work that does not end, in the middle of writing a file."""
    with open_atomically(Path(folder) / "result") as file:
        file.write(b"half")
        file.flush()
        (Path(folder) / f"worker-{os.getpid()}").touch()
        while True:
            linger(1)


def work(folder: str, workers: int) -> None:
    """Do long work; what a child of these tests runs."""
    (Path(folder) / "begun").touch()
    try:
        with stop_cleanly():
            run_units(wait_for_ever, [folder] * workers, machines=Machines(workers))
    except KeyboardInterrupt:
        sys.exit(128 + get_stop_signal())


def start_work(folder: Path, workers: int) -> tuple[psutil.Process, list[psutil.Process]]:
    """Start a process that works for ever; return it and its workers once they work."""
    code = f"from {__name__} import work; work({str(folder)!r}, {workers})"
    child = subprocess.Popen([sys.executable, "-c", code])
    wait_until(lambda: len(list(folder.glob("worker-*"))) == workers, "the work")
    numbers = [int(path.name.split("-")[1]) for path in folder.glob("worker-*")]
    return psutil.Process(child.pid), [psutil.Process(number) for number in numbers]


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("number", "count"),
    [(signal.SIGTERM, 2), (signal.SIGKILL, 2), (signal.SIGTERM, 1), (signal.SIGHUP, 1)],
)
def test_workers_end_with_their_parent_and_leave_nothing(
    number: signal.Signals, count: int, tmp_path: Path
) -> None:
    parent, workers = start_work(tmp_path, count)
    assert (parent in workers) == (count == 1)
    parent.send_signal(number)
    assert parent.wait(150) == (-number if number == signal.SIGKILL else 128 + number)
    for worker in workers:
        wait_until(partial(is_gone, worker), "the end of a worker")
    left = {path.name.split("-")[0] for path in tmp_path.iterdir()}
    assert left == {"begun", "worker"}


def stop_while_starting(number: int, seconds: float = 60) -> None:
    """Ask this process to end, in some seconds, when its worker does not know what to do yet."""
    original, sent = util.spawnv_passfds, list[int]()

    def stop(path: bytes, args: Sequence[Any], passed: Sequence[int]) -> int:
        child = original(path, args, passed)
        if any("spawn_main" in str(word) for word in args) and not sent:
            sent.append(number)
            os.kill(os.getpid(), number)
            linger(0.5)
        return child

    try:
        with (
            mock.patch.object(util, "spawnv_passfds", stop),
            stop_cleanly(),
            announce_on_stop("stopping", seconds),
        ):
            run_units(abs, [1, 2], machines=Machines(2))
    except KeyboardInterrupt as end:
        sys.exit(f"{type(end).__name__}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_whose_parent_is_stopped_while_starting_it_is_silent(
    number: signal.Signals,
) -> None:
    code = f"from {__name__} import stop_while_starting; stop_while_starting({int(number)})"
    ended = run_python("-c", code)
    said = "tetrisprinter: stopping\nKeyboardInterrupt\n"
    assert (ended.returncode, ended.stderr) == (1, said)


def test_a_process_that_ends_late_has_passed_on_the_work_before() -> None:
    code = f"from {__name__} import stop_while_starting; stop_while_starting(15, 0.1)"
    ended = run_python("-c", code)
    assert ended.stderr in (
        "tetrisprinter: stopping\n",
        "tetrisprinter: stopping\nKeyboardInterrupt\n",
    )


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with stop_cleanly():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


SEVERAL = """
import os, signal
from tetrisprinter.support import signals
signals._REPEAT_SECONDS = 60  # the machine may be busy
with signals.stop_cleanly(), signals.announce_on_stop("stopping", 30):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
        print("tidied")
"""
"""Echoes of a signal while the command tidies up."""

SEARCH = """
import os, signal
from tetrisprinter.support import signals
from tetrisprinter.support.signals import Stop
signals._REPEAT_SECONDS = 60  # the machine may be busy
stop = Stop()
with signals.stop_cleanly(), signals.announce_on_stop("stopping", 30):
    with stop.stop_on_signals(lambda: "stopping the search"):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    print("written")
"""
"""Echoes of a signal that ended a search, during it and after it."""

FINAL = """
import os, signal
from tetrisprinter import cli
class Echo:
    def __del__(self, send=os.kill, process=os.getpid()):
        send(process, 15)
at_the_very_end = Echo()  # when Python has put its handlers away
cli._root.main = lambda **_: signal.raise_signal(signal.SIGTERM)
cli.main()
"""

TWICE = """
import os, signal, threading, time
from tetrisprinter.support import signals
signals._REPEAT_SECONDS = 0  # on a busy machine both may be heard at once
deaf = threading.Event()
def send():
    for _ in range(2):
        deaf.wait()
        deaf.clear()
        os.kill(os.getpid(), signal.SIGINT)
with signals.stop_cleanly(), signals.announce_on_stop("stopping; takes a minute", 60):
    threading.Thread(target=send, daemon=True).start()
    while True:
        try:
            deaf.set()
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""
"""A second signal, after some time, to a command that does not end."""

FAILING = """
import signal
from tetrisprinter import cli
def work(**_):
    try:
        signal.raise_signal(signal.SIGTERM)
    except KeyboardInterrupt:
        raise ImportError("half loaded") from None
cli._root.main = work
cli.main()
"""
"""An error of what a signal interrupted."""

LOADED = """
import builtins, os, signal
real = builtins.__import__
def import_after_signal(name, *rest):
    if name == "tetrisprinter.cli":
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest)
builtins.__import__ = import_after_signal
from tetrisprinter.__main__ import run
run()
"""
"""A signal while the command is loaded."""


@pytest.mark.parametrize(
    ("script", "code", "printed", "said"),
    [
        (SEVERAL, 0, "tidied\n", "stopping"),
        (SEARCH, 0, "written\n", "stopping the search"),
        (FINAL, 143, "", "stopping"),
        (TWICE, 130, "", "stopping; takes a minute"),
        (FAILING, 143, "", "stopping"),
        (LOADED, 130, "", "stopping"),
    ],
    ids=["several", "search", "final", "twice", "failing", "loaded"],
)
def test_a_signal_is_answered_once_and_never_by_a_traceback(
    script: str, code: int, printed: str, said: str
) -> None:
    child = run_python("-c", script)
    assert (child.returncode, child.stdout) == (code, printed)
    assert child.stderr == f"tetrisprinter: {said}\n"
