"""One look at a view: is there any game that looks like that there?

A pure function of what is asked, so it does not matter where it is called, and what was
looked at before.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any, Final

from tetrisprinter.bounds.catalogue import Question
from tetrisprinter.bounds.formula import WindowFormula
from tetrisprinter.bounds.stacks import Assigned, View
from tetrisprinter.game.pieces import Orientation

__all__ = ["Look", "Seen", "conflicts_of", "look"]

_SOLVER: Final = "glucose4"
"""Glucose by Audemard and Simon: can be told after how many conflicts to stop."""


_CLAUSES: Final = 450_000
_CONFLICTS: Final = 10_000
"""What is made of clauses and done of conflicts in a second, about."""

_SLICE: Final = 2_000
"""Conflicts between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Look:
    """What to look at.

    Attributes
    ----------
    question : Question
        What is asked.
    view : View
        Where.
    types : tuple of (PieceType, int)
        The colours of the types, if they are open.
    effort : float
        After so many conflicts the solver gives up.
    seconds : float
        The clock's limit.
    """

    question: Question
    view: View
    types: Assigned
    effort: float
    seconds: float = float("inf")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen.

    Attributes
    ----------
    impossible : bool
        Whether no game looks like that.
    types : tuple of (PieceType, int)
        If so: the types that are to blame.
    unknown : bool
        Whether the solver gave up.
    drops : tuple of (Orientation, int)
        If it is possible and the view is a whole stack: the pieces and their columns in the
        order in which they drop.
    work : float
        How much that took, in seconds or so, but without a clock.
    """

    impossible: bool
    types: Assigned = ()
    unknown: bool = False
    drops: tuple[tuple[Orientation, int], ...] = ()
    work: float = 0.0


@lru_cache(maxsize=256)
def _formula(question: Question, view: View) -> WindowFormula:
    return WindowFormula(question.target, view.window(question.spare))


def look(asked: Look) -> Seen:
    """Look at a view."""
    from pysat.solvers import Solver

    deadline = time.monotonic() + asked.seconds
    formula = _formula(asked.question, asked.view)
    keys = {formula.shows[key]: key for key in asked.types}
    with Solver(_SOLVER, bootstrap_with=formula.cnf.clauses) as solver:
        answer = _ask(solver, asked, deadline, list(keys))
        if answer is None:
            return Seen(False, unknown=True, work=_work(formula, solver))
        if answer:
            whole = asked.view.floor and asked.view.top
            drops = formula.game(solver.get_model()) if whole else ()
            return Seen(False, drops=drops, work=_work(formula, solver))
        core = list(solver.get_core() or ())
        for literal in tuple(core):  # what is not needed
            fewer = [other for other in core if other != literal]
            if _ask(solver, asked, deadline, fewer) is False:
                core = fewer
        work = _work(formula, solver)
    return Seen(True, tuple(sorted(keys[literal] for literal in core)), work=work)


def conflicts_of(work: float) -> float:
    """Return how many conflicts are so much work, as in :attr:`Seen.work`; a slice at least."""
    return max(_SLICE, work * _CONFLICTS)


def _work(formula: WindowFormula, solver: Any) -> float:
    clauses, conflicts = len(formula.cnf.clauses), solver.accum_stats()["conflicts"]
    return clauses / _CLAUSES + int(conflicts) / _CONFLICTS


def _ask(solver: Any, asked: Look, deadline: float, literals: Sequence[int]) -> bool | None:
    answer: bool | None = None
    for _ in range(ceil(asked.effort / _SLICE)):
        solver.conf_budget(_SLICE)
        answer = solver.solve_limited(assumptions=list(literals))
        if answer is not None or time.monotonic() >= deadline:
            break
    return answer
