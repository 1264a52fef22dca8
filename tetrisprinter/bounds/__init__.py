"""Lower bounds: how few drops any game needs.

``docs/bounds.md`` has the theory. From the bottom: ``windows``, ``cnf``, ``stack_formula`` and
``window_formula`` (conditions that every game satisfies), ``stacks`` and ``master_problem`` (the
stacks that remain), ``window_solver``, ``refinement`` and ``bound_search`` (refute them).

Words: docs/glossary.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tetrisprinter.support.lazy import make_lazy

if TYPE_CHECKING:
    from tetrisprinter.bounds.bound_search import (
        Bound,
        BoundStep,
        ProofHooks,
        ProofLimits,
        prove_bound,
    )

__all__ = ["Bound", "BoundStep", "ProofHooks", "ProofLimits", "prove_bound"]

__getattr__, __dir__ = make_lazy(
    __name__,
    dict.fromkeys(
        ("Bound", "BoundStep", "ProofHooks", "ProofLimits", "prove_bound"), "bound_search"
    ),
)
