"""One look at a view: is there any game that looks like that there?

A pure function of what is asked, so it does not matter where it is called, and what was
looked at before.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

from tetrisprinter.bounds.catalogue import Question
from tetrisprinter.bounds.formula import WindowFormula
from tetrisprinter.bounds.stacks import Assigned, Scene, View, scene
from tetrisprinter.game.pieces import Orientation
from tetrisprinter.printing.target import Target

__all__ = ["Look", "Seen", "conflicts_of", "cost", "look", "work_of"]

_SOLVER: Final = "glucose4"
"""Glucose by Audemard and Simon: can be told after how many conflicts to stop."""


_CLAUSES: Final = 450_000
_CONFLICTS: Final = 10_000
"""What is made of clauses and done of conflicts in a second, about."""

_SLICE: Final = 2_000
"""Conflicts between two looks at the clock."""


_AT_ONCE: Final = 50_000
"""Clauses that the solver is given between two looks at the clock."""


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
    spare : int
        If it is impossible: for games that leave at most so many squares too many there.
    """

    impossible: bool
    types: Assigned = ()
    unknown: bool = False
    drops: tuple[tuple[Orientation, int], ...] = ()
    work: float = 0.0
    spare: int = 0


class _OutOfTimeError(Exception):
    """The clock's limit is over while a formula is made."""


_KEPT: Final = 5_000_000
"""Clauses of formulas that are kept, 150 bytes each: views are looked at again with more work."""

_formulas: OrderedDict[Scene, WindowFormula] = OrderedDict()


def _formula(seen: Scene, deadline: float) -> WindowFormula:
    """Make the formula of what is seen, unless it is kept; the largest take many seconds."""

    def pulse() -> None:
        if time.monotonic() >= deadline:
            raise _OutOfTimeError

    formula = _formulas.get(seen)
    if formula is None:
        formula = _formulas[seen] = WindowFormula(seen, pulse)
        kept = sum(len(one.cnf.clauses) for one in _formulas.values())
        while kept > _KEPT and len(_formulas) > 1:
            kept -= len(_formulas.popitem(last=False)[1].cnf.clauses)
    _formulas.move_to_end(seen)
    return formula


def look(asked: Look) -> Seen:
    """Look at a view.

    At first any number of squares may be left that need not be: what is impossible then is
    impossible for all questions.
    """
    deadline = time.monotonic() + asked.seconds
    target, spare = asked.question.target, asked.question.spare
    any_number = target.spare()
    wide = scene(target, asked.view, any_number)
    narrow = scene(target, asked.view, spare)
    seen = _look(asked, wide, deadline)
    if wide == narrow or seen.impossible:
        return replace(seen, spare=any_number)
    again = _look(asked, narrow, deadline)
    return replace(again, spare=spare, work=seen.work + again.work)


def _look(asked: Look, seen: Scene, deadline: float) -> Seen:
    from pysat.solvers import Solver

    try:
        formula = _formula(seen, deadline)
    except _OutOfTimeError:
        return Seen(False, unknown=True)
    keys = {formula.shows[key]: key for key in asked.types}
    clauses = formula.cnf.clauses
    with Solver(_SOLVER) as solver:
        for first in range(0, len(clauses), _AT_ONCE):
            solver.append_formula(clauses[first : first + _AT_ONCE])
            if time.monotonic() >= deadline:
                return Seen(False, unknown=True)
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
    """Return how many conflicts are so much work, as in :attr:`Seen.work`; some at least."""
    return max(_SLICE / 10, work * _CONFLICTS)


def cost(target: Target, view: View) -> float:
    """Return about how much work it is to write down what a view asks, as in :attr:`Seen.work`."""
    lines = sum(view.counts)
    rows = len(view.picture_rows) + lines
    return 2 * target.width * (rows * (1 + lines)) ** 2 / _CLAUSES


def work_of(clauses: int, conflicts: int) -> float:
    """Return how much work it is to make and to do so much, as in :attr:`Seen.work`."""
    return clauses / _CLAUSES + conflicts / _CONFLICTS


def _work(formula: WindowFormula, solver: Any) -> float:
    return work_of(len(formula.cnf.clauses), int(solver.accum_stats()["conflicts"]))


def _ask(solver: Any, asked: Look, deadline: float, literals: Sequence[int]) -> bool | None:
    answer: bool | None = None
    part = int(min(_SLICE, asked.effort))
    for _ in range(ceil(asked.effort / part)):
        solver.conf_budget(part)
        answer = solver.solve_limited(assumptions=list(literals))
        if answer is not None or time.monotonic() >= deadline:
            break
    return answer
