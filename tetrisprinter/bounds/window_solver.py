"""One look at a view: is there any game that looks like that there?

A pure function of what is asked, so it does not matter where it is called, and what was
looked at before.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Final

from tetrisprinter.bounds.cnf import PULSE, Cnf
from tetrisprinter.bounds.master_problem import BoundQuestion
from tetrisprinter.bounds.stacks import Nogood, TypeColors, Window, WindowContents, window_contents
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.printing.target import Target
from tetrisprinter.support.solving import solve_sliced

__all__ = [
    "FORMULA_CACHE",
    "FormulaCache",
    "WindowAnswer",
    "WindowQuery",
    "convert_to_conflicts",
    "estimate_making",
    "estimate_work",
    "solve_window",
]

_SOLVER: Final = "glucose4"
"""Glucose by Audemard and Simon: can be told after how many conflicts to stop."""


_CLAUSES: Final = 450_000
_CONFLICTS: Final = 10_000
"""What is made of clauses and done of conflicts in a second, about."""

_ASKED: Final = 2
"""Conflicts that cost as much as to be asked at all, about."""

_SLICE: Final = 2_000
"""Conflicts between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """What to look at."""

    question: BoundQuestion  # what is asked
    view: Window  # where
    types: TypeColors  # the colours of the types, if they are open
    effort: float  # after so many conflicts the solver gives up
    seconds: float = float("inf")  # the clock's limit


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """What was seen."""

    impossible: bool  # whether no game looks like that
    unknown: bool = False  # whether the solver gave up
    # If it is possible and the view is a whole stack: the pieces and their columns in the order in
    # which they drop
    drops: tuple[tuple[Orientation, int], ...] = ()
    work: float = 0.0  # how much that took, in seconds or so, but without a clock
    # That no game has the view, if some types lack some colours: those that were asked for, and
    # others that were seen by the way
    refuted: tuple[Nogood, ...] = ()
    # Types with which the view is possible; so it is with all that have these and more
    fits: tuple[TypeColors, ...] = ()


class _ViewTimeoutError(Exception):
    """The clock's limit is over while a formula is made."""


_KEPT: Final = 5_000_000
"""Clauses of formulas that are kept, 150 bytes each: views are looked at again with more work."""


class FormulaCache:
    """Formulas of what was seen, those that were used last."""

    def __init__(self, most: int = _KEPT) -> None:
        self.most = most
        self._kept: OrderedDict[WindowContents, WindowFormula] = OrderedDict()

    @property
    def sizes(self) -> list[int]:
        """How many clauses each has; the one that was used last comes last."""
        return [len(one.cnf.clauses) for one in self._kept.values()]

    def of(self, seen: WindowContents, deadline: float) -> WindowFormula:
        """Make the formula of what is seen, unless it is kept; the largest take many seconds."""

        def pulse() -> None:
            if time.monotonic() >= deadline:
                raise _ViewTimeoutError

        formula = self._kept.get(seen)
        if formula is None:
            formula = self._kept[seen] = WindowFormula(seen, pulse)
            while sum(self.sizes) > self.most and len(self._kept) > 1:
                self._kept.popitem(last=False)
        self._kept.move_to_end(seen)
        return formula


FORMULA_CACHE: Final = FormulaCache()
"""Those of this process."""


def solve_window(asked: WindowQuery, formulas: FormulaCache = FORMULA_CACHE) -> WindowAnswer:
    """Look at a view.

    At first any number of squares may be left that need not be: what is impossible then is
    impossible for all questions.
    """
    deadline = time.monotonic() + asked.seconds
    target, spare = asked.question.target, asked.question.spare
    any_number = target.spare()
    wide = window_contents(target, asked.view, any_number)
    narrow = window_contents(target, asked.view, spare)
    seen = _look(asked, formulas, wide, any_number, deadline)
    if wide == narrow or seen.impossible:
        return seen if wide == narrow else replace(seen, fits=())
    again = _look(asked, formulas, narrow, spare, deadline)
    refuted = (*seen.refuted, *(one for one in again.refuted if one not in seen.refuted))
    return replace(again, refuted=refuted, work=seen.work + again.work)


def _look(
    asked: WindowQuery, formulas: FormulaCache, seen: WindowContents, spare: int, deadline: float
) -> WindowAnswer:
    from pysat.solvers import Solver

    try:
        formula = formulas.of(seen, deadline)
    except _ViewTimeoutError:
        return WindowAnswer(False, unknown=True)
    clauses = formula.cnf.clauses
    with Solver(_SOLVER) as solver:
        for first in range(0, len(clauses), PULSE):
            solver.append_formula(clauses[first : first + PULSE])
            if time.monotonic() >= deadline:
                return WindowAnswer(False, unknown=True)
        eyes = _WindowSolver(asked, formula, solver, spare, deadline)
        answer = eyes.see(asked.types)
        if answer is None:
            return WindowAnswer(False, unknown=True, work=eyes.work)
        drops: tuple[tuple[Orientation, int], ...] = ()
        if answer and asked.view.floor and asked.view.top:
            drops = formula.game(solver.get_model())
        if asked.types and not drops:
            eyes.see_others()
        found = tuple(eyes.refuted), tuple(eyes.fits)
        return WindowAnswer(not answer, False, drops, eyes.work, *found)


@dataclass(slots=True)
class _WindowSolver:
    """A solver that looks at a view with one assignment of types after the other."""

    asked: WindowQuery  # what to look at
    formula: WindowFormula  # what it asks
    solver: Any  # who has its clauses
    spare: int  # at most so many squares too many are left
    deadline: float  # when to end
    refuted: list[Nogood] = field(default_factory=list)  # what was seen; see :class:`WindowAnswer`
    fits: list[TypeColors] = field(default_factory=list)
    asks: int = 0  # how often the solver was asked

    @property
    def work(self) -> float:
        """What was done so far."""
        conflicts = int(self.solver.accum_stats()["conflicts"]) + _ASKED * self.asks
        return estimate_work(len(self.formula.cnf.clauses), conflicts)

    def ask(self, without: TypeColors) -> bool | None:
        """Return whether the view is possible if some types do not show some colours.

        None if that takes too long.
        """
        answer: bool | None = None
        self.asks += 1
        literals = [-self.formula.shows[key] for key in without]
        part = int(min(_SLICE, self.asked.effort))
        for _ in range(ceil(self.asked.effort / part)):
            answer = solve_sliced(self.solver, literals, part)
            if answer is not None or time.monotonic() >= self.deadline:
                break
        if answer:
            self.fits.append(self.formula.read_types(self.solver.get_model()))
        return answer

    def blame(self) -> None:
        """Keep of what was just found to be impossible which types lack a colour that helps."""
        keys = {-literal: key for key, literal in self.formula.shows.items()}
        core = [keys[literal] for literal in self.solver.get_core() or ()]
        for key in tuple(core):
            fewer = [other for other in core if other != key]
            if time.monotonic() >= self.deadline:
                break
            if self.ask(tuple(fewer)) is False:
                core = fewer
        self.refuted.append(Nogood(self.asked.view, tuple(sorted(core)), self.spare))

    def see(self, types: TypeColors) -> bool | None:
        """Look with some types, and keep what was seen."""
        without = [key for key in self.formula.shows if types and key not in types]
        answer = self.ask(tuple(without))
        if answer is False:
            self.blame()
        return answer

    def see_others(self) -> None:
        """Look with other types of which nothing is known, for as much work again and a little.

        That is far quicker than to be asked for each of them.
        """
        from pysat.solvers import Solver

        most = 2 * self.work + convert_to_conflicts(0) / _CONFLICTS
        others = Cnf()
        shows = {key: others.new() for key in self.formula.shows}
        for piece in PieceType:
            others.exactly_one([shows[key] for key in shows if key[0] == piece])
        with Solver(_SOLVER, bootstrap_with=others.clauses) as solver:
            told: set[tuple[int, ...]] = set()
            while self.work < most and time.monotonic() < self.deadline:
                known = {tuple(-shows[key] for key in types) for types in self.fits}
                known |= {tuple(shows[key] for key in one.without) for one in self.refuted}
                for clause in sorted(known - told):
                    solver.add_clause(clause)
                told = known
                if () in known or not solve_sliced(solver):
                    return
                true = set(solver.get_model())
                types = tuple(key for key, literal in shows.items() if literal in true)
                if self.see(types) is None:
                    return


def convert_to_conflicts(work: float) -> float:
    """Convert work units to conflicts; at least a few hundred."""
    return max(_SLICE / 10, work * _CONFLICTS)


def estimate_making(target: Target, view: Window) -> float:
    """Estimate the work units that writing the formula of a window takes."""
    lines = sum(view.counts)
    rows = len(view.picture_rows) + lines
    return 2 * target.width * (rows * (1 + lines)) ** 2 / _CLAUSES


def estimate_work(clauses: int, conflicts: int) -> float:
    """Return the work units of writing some clauses and meeting some conflicts."""
    return clauses / _CLAUSES + conflicts / _CONFLICTS
