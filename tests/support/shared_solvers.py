"""Solver processes that serve many searches, because each start takes half a second of a processor.

Plans do not depend on the process that answers, so the searches that run in the process of the
tests share some. Tests of the processes themselves use :func:`end_all` first.
"""

import psutil

from tetrisprinter.planners.solver_processes import SolverProcesses
from tetrisprinter.support.signals import Stop


class _SharedSolvers(SolverProcesses):
    """Processes that wait for another search when one ends and all its questions are answered."""

    def close(self) -> None:
        if self in _WAITING:
            return
        is_idle = len(self._idle) == len(self._processes)
        if self._processes and is_idle and not self._waiting and not self._answers:
            _WAITING.append(self)
        else:
            super().close()

    def can_serve(self, workers: int) -> bool:
        """Return whether as many processes are asked for, and all that were started live."""
        processes = self._processes.values()
        return self._workers == workers and all(one.poll() is None for one in processes)

    def serve(self, stop: Stop) -> SolverProcesses:
        """Serve another search, which has its own stop."""
        self._stop = stop
        return self


_WAITING: list[_SharedSolvers] = []


def get_solvers(workers: int, stop: Stop) -> SolverProcesses:
    """Return processes that wait, or start new ones."""
    for number, solvers in enumerate(_WAITING):
        if solvers.can_serve(workers):
            return _WAITING.pop(number).serve(stop)
    return _SharedSolvers(workers, stop)


def end_all() -> None:
    """End the processes that wait."""
    while _WAITING:
        SolverProcesses.close(_WAITING.pop())


def list_solver_processes() -> list[psutil.Process]:
    """Return the solver processes of this process."""
    children = psutil.Process().children(recursive=True)
    return [one for one in children if "solver_processes" in " ".join(one.cmdline())]
