"""Calls of python-sat and CP-SAT that Ctrl-C can end.

By default python-sat leaves the solver by a long jump on Ctrl-C. Then python-sat raises its own
error, and the process ignores every later Ctrl-C. Here a signal interrupts the solver, and Python
raises ``KeyboardInterrupt`` as usual. Solvers that cannot be interrupted (CaDiCaL) continue to
their answer or their conflict limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tetrisprinter.support.signals import call_on_stop


def solve_interruptibly(
    solver: Any, assumptions: Sequence[int] = (), conflicts: int = -1
) -> bool | None:
    """Return whether a formula is satisfiable; None after a signal or ``conflicts`` conflicts.

    Raises NotImplementedError if the solver has no conflict limit.
    """
    solver.conf_budget(conflicts)
    if type(solver.solver).__name__.startswith("Cadical"):
        return _solve_in_thread(solver, assumptions)
    with call_on_stop(solver.interrupt):
        answer: bool | None = solver.solve_limited(
            assumptions=list(assumptions), expect_interrupt=True
        )
    return answer


def _solve_in_thread(solver: Any, assumptions: Sequence[int]) -> bool | None:
    """Run a solver in another thread, because python-sat does not return on Ctrl-C."""
    from threading import Thread

    answers: list[bool | None] = []
    thread = Thread(target=lambda: answers.append(solver.solve_limited(list(assumptions))))
    thread.start()
    thread.join()
    return answers[0]


def solve_model(solver: Any, model: Any, *callback: Any) -> Any:
    """Solve a model with CP-SAT, or stop on a signal; return the status."""
    solver.parameters.catch_sigint_signal = False  # otherwise Python would not get the signal
    with call_on_stop(solver.stop_search):
        return solver.solve(model, *callback)
