"""How few drops any game needs: what no game can do, whatever its passes.

``docs/bounds.md`` has the theory. From the bottom: ``windows``, ``cnf`` and ``formula`` (what
every game must satisfy in some rows), ``stacks`` and ``catalogue`` (all stacks there are),
``looking`` and ``proving`` (refuting them).

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
