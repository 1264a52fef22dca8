"""Solver processes: answers in order, errors that arrive, and no process that is left."""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.processes import obey_interrupts, run_python
from tests.support.shared_solvers import list_solver_processes
from tests.support.waiting import linger, wait_until
from tetrisprinter.errors import InputError, InternalError
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.planners.solver_processes import SolverProcesses
from tetrisprinter.support.signals import Stop

pytestmark = pytest.mark.usefixtures("own_solvers")  # the only ones that there are


def wait_and_answer(seconds: float) -> float:
    """Answer after some seconds."""
    linger(seconds)
    return seconds


def find_process(_: object) -> int:
    """Answer with the process that works on the question."""
    linger(0.05)
    return os.getpid()


def refuse(question: str) -> None:
    """Raise an error of the package."""
    raise InputError(f"{question}: not a question")


def end_process(_: object) -> None:
    """End the process without an answer."""
    os.kill(os.getpid(), signal.SIGKILL)


class Unknown:
    """A question that no other process can read, as after an upgrade of the package."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return importlib.import_module, ("tetrisprinter.gone",)


def print_a_line(question: str) -> str:
    """Write to the standard output, as a library may do."""
    print(question, flush=True)
    return question


def ask_all(
    solvers: SolverProcesses, function: Callable[[Any], object], values: Iterable[object]
) -> list[Any]:
    """Ask for some values of a function."""
    return solvers.ask_all([partial(function, value) for value in values])


@pytest.fixture
def solvers() -> Iterator[SolverProcesses]:
    two = SolverProcesses(2, Stop())
    yield two
    two.close()


def test_answers_come_in_the_order_of_the_questions(solvers: SolverProcesses) -> None:
    seconds = [0.2, 0.0, 0.1, 0.0, 0.05]
    assert ask_all(solvers, wait_and_answer, seconds) == seconds
    assert ask_all(solvers, wait_and_answer, []) == []
    assert ask_all(solvers, wait_and_answer, [0.01]) == [0.01]


def test_answers_after_those_that_are_enough_are_left_out(solvers: SolverProcesses) -> None:
    """A slow one is not waited for, and a quick one not taken; all can be asked again."""
    for last in (20.0, 0.0):
        started = time.monotonic()
        numbers = [solvers.begin(partial(wait_and_answer, seconds)) for seconds in (0.0, 0.1, last)]
        assert [solvers.wait(number) for number in numbers[:2]] == [0.0, 0.1]
        solvers.drop(numbers)
        assert time.monotonic() - started < 10
    first, second = (solvers.begin(partial(wait_and_answer, seconds)) for seconds in (0.1, 0.0))
    assert solvers.wait(first) == 0.1
    solvers.drop([second])
    assert ask_all(solvers, wait_and_answer, [0.1, 0.0]) == [0.1, 0.0]
    assert len(list_solver_processes()) == 2


def test_questions_are_answered_beside_other_work(solvers: SolverProcesses) -> None:
    """One process fewer is at work while the caller works itself."""
    slow, quick, dropped = (
        solvers.begin(partial(wait_and_answer, seconds)) for seconds in (20.0, 0.01, 0.02)
    )
    assert list_solver_processes() == [], "nothing begins before the caller lets it"
    solvers.work_beside()
    assert len(list_solver_processes()) == 1
    assert solvers.wait(quick) == 0.01
    solvers.drop([slow, dropped])
    assert ask_all(solvers, wait_and_answer, [0.04, 0.05, 0.06]) == [0.04, 0.05, 0.06]
    assert len(list_solver_processes()) == 2


def test_processes_are_used_again(solvers: SolverProcesses) -> None:
    solvers.start()
    first = ask_all(solvers, find_process, range(6))
    second = ask_all(solvers, find_process, range(6))
    assert set(second) <= {*first, *(one.pid for one in list_solver_processes())}
    assert len(list_solver_processes()) == 2
    assert os.getpid() not in first


def test_an_error_is_raised_here(solvers: SolverProcesses) -> None:
    with pytest.raises(InputError, match="what: not a question"):
        ask_all(solvers, refuse, ["what"])
    assert list_solver_processes() == []
    assert ask_all(solvers, wait_and_answer, [0.0]) == [0.0], "they can be asked again"


def test_a_process_that_is_killed_is_an_error(solvers: SolverProcesses) -> None:
    with pytest.raises(InternalError, match="ended unexpectedly"):
        ask_all(solvers, end_process, [1])
    assert list_solver_processes() == []


def test_a_question_that_cannot_be_read_is_an_error(solvers: SolverProcesses) -> None:
    with pytest.raises(InternalError, match="ended unexpectedly"):
        ask_all(solvers, find_process, [Unknown()])
    assert list_solver_processes() == []


def test_what_a_question_prints_is_no_answer(solvers: SolverProcesses) -> None:
    assert ask_all(solvers, print_a_line, ["one", "two", "three"]) == ["one", "two", "three"]


def test_a_stop_kills_the_processes_at_once() -> None:
    stop = Stop()
    solvers = SolverProcesses(2, stop)
    ask_all(solvers, wait_and_answer, [0.0, 0.0])
    threading.Timer(0.1, stop.request).start()
    began = time.monotonic()
    with pytest.raises(TimeUpError):
        ask_all(solvers, wait_and_answer, [600.0, 600.0, 600.0])
    assert time.monotonic() - began < 3, "0.2 s after the stop; a machine may be slow"
    assert list_solver_processes() == []


def test_after_a_stop_nothing_is_asked() -> None:
    stop = Stop()
    stop.request()
    with pytest.raises(TimeUpError):
        ask_all(SolverProcesses(1, stop), wait_and_answer, [600.0])
    assert list_solver_processes() == []


SCRIPT = """
import tetrisprinter as tp

print("the script runs")
picture = tp.Picture.parse("rrr.gg\\nr.rggg\\nrrrg.g")
print(tp.print_picture(picture, limit=tp.Limit(workers=2, effort=0.05)).drops, "drops")
"""


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    """A process of multiprocessing would import the main module again.

    The processes begin in the user's folder, which may have modules of other names.
    """
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "pickle.py").write_text("raise ImportError('the wrong module')")
    done = run_python("-P", "script.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the script runs") == 1
    assert done.stdout.endswith("drops\n")
    assert done.stderr == ""


WAITING = """
from functools import partial
from tests.support.waiting import linger
from tetrisprinter.planners.solver_processes import SolverProcesses
from tetrisprinter.support.signals import Stop

solvers = SolverProcesses(2, Stop())
solvers.ask_all([partial(linger, 0.0)] * 2)
print("ready", flush=True)
solvers.ask_all([partial(linger, 600.0)] * 2)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_program(number: signal.Signals) -> None:
    """Ctrl-C in a terminal reaches the whole group; a killed program cannot tell anybody."""
    root = Path(__file__).parents[3]
    with obey_interrupts():
        program = subprocess.Popen(
            [sys.executable, "-c", WAITING], cwd=root, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            env=os.environ | {"PYTHONPATH": str(root)},
        )  # fmt: skip
    assert program.stdout is not None
    try:
        assert program.stdout.readline() == "ready\n"
        children = psutil.Process(program.pid).children(recursive=True)
        assert len(children) == 2
        if number == signal.SIGINT:
            os.killpg(program.pid, number)
        else:
            program.send_signal(number)
        program.wait(60)
        wait_until(lambda: not any(map(is_alive, children)), "the end of the children", 60)
    finally:
        os.killpg(program.pid, signal.SIGKILL) if program.poll() is None else None
        program.stdout.close()


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_ctrl_c_does_not_reach_a_process_that_is_still_importing() -> None:
    """A process that ignored it only after its imports wrote a traceback into the terminal."""
    solvers = SolverProcesses(1, Stop())
    with obey_interrupts():
        solvers.start()
    try:
        (child,) = list_solver_processes()
        for _ in range(10):
            child.send_signal(signal.SIGINT)
            linger(0.01)
        assert ask_all(solvers, find_process, ["question"]) == [child.pid]
    finally:
        solvers.close()


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
