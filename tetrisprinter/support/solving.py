"""Questions to SAT solvers of python-sat and to CP-SAT that Ctrl-C can end.

Left alone, python-sat jumps out of the solver when it hears Ctrl-C: then it raises an error of
its own, and the process hears no other Ctrl-C. Here a signal interrupts the solver, which gives up;
then Python raises ``KeyboardInterrupt`` as everywhere. Solvers that cannot be interrupted (CaDiCaL)
first answer, or meet as many conflicts as they may.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tetrisprinter.support.signals import stoppable

__all__ = ["solve_model", "solve_sliced"]


def solve_sliced(solver: Any, assumptions: Sequence[int] = (), conflicts: int = -1) -> bool | None:
    """Return whether a formula has a model; None if it takes more conflicts, or a signal came.

    Raises NotImplementedError if the solver cannot be given a limit.
    """
    solver.conf_budget(conflicts)
    if type(solver.solver).__name__.startswith("Cadical"):
        return _ask_in_thread(solver, assumptions)
    with stoppable(solver.interrupt):
        answer: bool | None = solver.solve_limited(
            assumptions=list(assumptions), expect_interrupt=True
        )
    return answer


def _ask_in_thread(solver: Any, assumptions: Sequence[int]) -> bool | None:
    """Ask a solver that python-sat would jump out of at Ctrl-C, were it in the main thread."""
    from threading import Thread

    answers: list[bool | None] = []
    thread = Thread(target=lambda: answers.append(solver.solve_limited(list(assumptions))))
    thread.start()
    thread.join()
    return answers[0]


def solve_model(solver: Any, model: Any, *callback: Any) -> Any:
    """Return the status with which CP-SAT solves a model, or is stopped by a signal."""
    solver.parameters.catch_sigint_signal = False  # else Python never hears of it
    with stoppable(solver.stop_search):
        return solver.solve(model, *callback)
