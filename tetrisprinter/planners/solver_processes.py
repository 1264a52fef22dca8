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
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
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

    Parameters
    ----------
    workers : int
        The most processes that run at the same time.
    stop : Stop
        Ends all questions within 0.2 seconds.
    """

    def __init__(self, workers: int, stop: Stop) -> None:
        self._workers, self._stop = min(workers, _MOST_PROCESSES), stop
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: list[int] = []
        self._answers: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()

    def start(self) -> None:
        """Start all processes, so that they have loaded their modules when they are needed."""
        while len(self._processes) < self._workers:
            self._start_process()

    def ask_all(
        self,
        ask: Callable[[Any], Any],
        questions: Sequence[Any],
        needs_last: Callable[[list[Any]], bool] = lambda _: True,
    ) -> list[Any]:
        """Return the answers to some questions, in the order of the questions.

        ``ask`` is a function of a module. An exception that it raises is raised here.
        ``needs_last`` gets the answers to all questions but the last one. If it returns False, the
        last answer is None even if a process has found it, so that no answer depends on time.

        Raises
        ------
        TimeUpError
            If the search was stopped; the processes are killed then.
        """
        answers: list[Any] = [None] * len(questions)
        number_of: dict[int, int] = {}  # the number of the question that a process works on
        asked, open_ = 0, set(range(len(questions)))
        last = len(questions) - 1
        while open_:
            while asked < len(questions) and (self._idle or len(self._processes) < self._workers):
                if not self._idle:
                    self._start_process()
                process = self._idle.pop(0)
                number_of[process] = asked
                stream = self._processes[process].stdin
                assert stream is not None
                with suppress(BrokenPipeError, OSError):  # the thread that reads reports the end
                    pickle.dump((ask, questions[asked]), stream, pickle.HIGHEST_PROTOCOL)
                    stream.flush()
                asked += 1
            if self._stop.is_set:
                self.close()
                raise TimeUpError.of("the search")
            try:
                process, answer = self._answers.get(timeout=_PULSE)
            except queue.Empty:
                continue
            if isinstance(answer, BaseException):
                self.close()
                raise answer
            number = number_of.pop(process)
            answers[number] = answer
            self._idle.append(process)
            open_.discard(number)
            if open_ <= {last} and not needs_last(answers[:-1]):
                answers[-1] = None
                if number_of:
                    self.close()  # the only way to end a question
                    self.start()
                break
        return answers

    def close(self) -> None:
        """Kill all processes."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                with suppress(OSError):
                    stream.close()
        self._processes, self._idle = [], []
        self._answers = queue.SimpleQueue()  # late answers go to the old queue

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
        number = len(self._processes)
        self._processes.append(process)
        self._idle.append(number)
        assert process.stdout is not None
        reader = threading.Thread(
            target=_read_answers, args=(number, process.stdout, self._answers), daemon=True
        )
        reader.start()


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
    questions: queue.SimpleQueue[tuple[Callable[[Any], Any], Any]] = queue.SimpleQueue()
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
        ask, question = questions.get()
        try:
            answer = ask(question)
        except Exception as error:
            answer = error
        pickle.dump(answer, output, pickle.HIGHEST_PROTOCOL)
        output.flush()


if __name__ == "__main__":
    _answer_questions()
