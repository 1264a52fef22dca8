"""Packed matrices: the problem, finders, column automata, tables and proofs.

Examples
--------
>>> from tetrisprinter import packings
>>> problem = packings.make_emitter_problem(21, 7, [4])
>>> packing = packings.FINDERS["fastest"].find(problem)
>>> len(packing.pieces)
36

The terms are defined in docs/glossary.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tetrisprinter.support import make_lazy

if TYPE_CHECKING:
    from tetrisprinter.packings.finders import FINDERS, Finder
    from tetrisprinter.packings.problem import (
        Infeasible,
        Packing,
        PackingProblem,
        Unknown,
        make_emitter_problem,
    )

__all__ = [
    "FINDERS",
    "Finder",
    "Infeasible",
    "Packing",
    "PackingProblem",
    "Unknown",
    "make_emitter_problem",
]

# Loaded on first use, so that the verifier of certificates imports no finder.
__getattr__, __dir__ = make_lazy(
    __name__,
    {
        "FINDERS": "finders",
        "Finder": "finders",
        "Infeasible": "problem",
        "Packing": "problem",
        "PackingProblem": "problem",
        "Unknown": "problem",
        "make_emitter_problem": "problem",
    },
)
