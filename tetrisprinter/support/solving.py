"""A question to a SAT solver of python-sat that Ctrl-C can end.

Left to itself, python-sat jumps out of the solver when it hears Ctrl-C: then it raises an error of
its own, and the process hears no other Ctrl-C. Here the solver first answers, or has met as many
conflicts as it may; then Python raises ``KeyboardInterrupt`` as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["ask"]


def ask(solver: Any, assumptions: Sequence[int] = (), conflicts: int = -1) -> bool | None:
    """Ask whether a formula has a model."""
    solver.conf_budget(conflicts)
    answer: bool | None = solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
    return answer
