"""SAT solvers in processes of their own, which can be killed at any moment.

A solver of python-sat cannot be interrupted reliably while it runs, and several solvers run side by
side only in several processes. So each question is pickled and sent to a process that runs this
module; the process answers and waits for the next question. The number of processes changes only
the time: questions do not depend on each other, and each has a limit of conflicts instead of
seconds. When the search is stopped, the processes are killed.

A plain subprocess is used, not :mod:`multiprocessing`, because the latter imports the main module
of the user's program again, which runs a script or a notebook twice.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import count
from typing import IO, Any, Final

from tetrisprinter.errors import InternalError
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.support.signals import Stop, block_interrupts

_MOST_PROCESSES: Final = 4
"""The most processes. No round has more questions, and each process may take 0.35 GB."""

_PULSE: Final = 0.05
"""Seconds between two checks of the stop while the solvers run."""


def can_start_solvers() -> bool:
    """Return whether there are SAT solvers and processes; a browser has no processes."""
    return sys.platform != "emscripten" and find_spec("pysat") is not None


class SolverProcesses:
    """Some processes that answer questions side by side.

    A question is a call of a module's function with its arguments. It is begun, and its number is
    used to wait for the answer. Questions that were begun earlier are asked earlier.

    Parameters
    ----------
    workers : int
        The most processes that run at the same time.
    stop : Stop
        Ends all questions within 0.2 seconds.
    """

    def __init__(self, workers: int, stop: Stop) -> None:
        self._workers, self._stop = min(workers, _MOST_PROCESSES), stop
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._idle: list[int] = []
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()  # not asked yet
        self._question_of: dict[int, int] = {}  # the number of the question that a process works on
        self._answers: dict[int, Any] = {}  # that :meth:`wait` has not returned yet
        self._received: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._numbers = count()

    def start(self) -> None:
        """Start all processes, so that they have loaded their modules when they are needed."""
        while len(self._processes) < self._workers:
            self._start_process()

    def begin(self, question: Callable[[], Any]) -> int:
        """Return the number of a question, for :meth:`wait`."""
        number = next(self._numbers)
        self._waiting.append((number, question))
        return number

    def work_beside(self) -> None:
        """Keep all processes but one at work, while the caller works itself."""
        with suppress(queue.Empty):
            while True:
                self._receive(*self._received.get_nowait())
        self._ask_waiting(self._workers - 1)

    def wait(self, number: int) -> Any:
        """Return the answer to a question. An exception that it raised is raised here.

        Raises
        ------
        TimeUpError
            If the search was stopped; the processes are killed then.
        """
        while number not in self._answers:
            self._ask_waiting(self._workers)
            if self._stop.is_set:
                self.close()
                raise TimeUpError.of("the search")
            with suppress(queue.Empty):
                self._receive(*self._received.get(timeout=_PULSE))
        return self._answers.pop(number)

    def drop(self, numbers: Collection[int]) -> None:
        """Forget questions; a process that works on one is killed, and another one started."""
        self._waiting = deque(one for one in self._waiting if one[0] not in numbers)
        for number in numbers:
            self._answers.pop(number, None)
        for process, number in list(self._question_of.items()):
            if number in numbers:
                del self._question_of[process]
                _kill(self._processes.pop(process))
                self._start_process()

    def ask_all(self, questions: Sequence[Callable[[], Any]]) -> list[Any]:
        """Return the answers to some questions in their order; see :meth:`wait`."""
        numbers = [self.begin(question) for question in questions]
        return [self.wait(number) for number in numbers]

    def close(self) -> None:
        """Kill all processes, and forget all questions."""
        for process in self._processes.values():
            process.kill()  # all at once, before any is waited for
        for process in self._processes.values():
            _kill(process)
        self._processes, self._idle, self._question_of = {}, [], {}
        self._waiting.clear()
        self._answers.clear()
        self._received = queue.SimpleQueue()  # late answers go to the old queue

    def _ask_waiting(self, most: int) -> None:
        """Ask the questions that wait, until ``most`` processes are at work."""
        while self._waiting and len(self._question_of) < most:
            if not self._idle:
                self._start_process()
            process = self._idle.pop(0)
            number, question = self._waiting.popleft()
            self._question_of[process] = number
            stream = self._processes[process].stdin
            assert stream is not None
            with suppress(BrokenPipeError, OSError):  # the thread that reads reports the end
                pickle.dump(question, stream, pickle.HIGHEST_PROTOCOL)
                stream.flush()

    def _receive(self, process: int, answer: Any) -> None:
        """Keep the answer of a process, unless it was killed since; raise an error that it sent."""
        if process not in self._processes:
            return
        if isinstance(answer, BaseException):
            self.close()
            raise answer
        self._answers[self._question_of.pop(process)] = answer
        self._idle.append(process)

    def _start_process(self) -> None:
        """Start a process, and a thread that reads its answers.

        Ctrl-C in a terminal is for the program, which kills the process.
        """
        with block_interrupts():
            process = subprocess.Popen(
                # -P: a queue.py in the current folder is not ours
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # Windows
            )
        number = next(self._numbers)
        self._processes[number] = process
        self._idle.append(number)
        assert process.stdout is not None
        reader = threading.Thread(
            target=_read_answers, args=(number, process.stdout, self._received), daemon=True
        )
        reader.start()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, and wait for its end."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        with suppress(OSError):
            stream.close()


def _read_answers(
    number: int, stream: IO[bytes], answers: queue.SimpleQueue[tuple[int, Any]]
) -> None:
    """Put each answer of a process into a queue, and an error when the process ends."""
    while True:
        try:
            answer = pickle.load(stream)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            answers.put((number, InternalError("a process with a SAT solver ended unexpectedly")))
            return
        answers.put((number, answer))


def _answer_questions() -> None:
    """Answer the questions on the standard input until it ends; run by each process."""
    questions: queue.SimpleQueue[Callable[[], Any]] = queue.SimpleQueue()
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but answers may be written to the pipe

    def read() -> None:
        try:
            while True:
                questions.put(pickle.load(sys.stdin.buffer))
        finally:  # the program that asked has ended, or asks what this version does not know
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        question = questions.get()
        try:
            answer = question()
        except Exception as error:
            answer = error
        pickle.dump(answer, output, pickle.HIGHEST_PROTOCOL)
        output.flush()


if __name__ == "__main__":
    _answer_questions()
