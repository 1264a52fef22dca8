"""Ask a SAT solver whether any game fits a window.

The answer is a pure function of the query, so it does not depend on the process that computes it
or on earlier queries.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from typing import Any, Final

from tetrisprinter.bounds.master_problem import BoundQuestion
from tetrisprinter.bounds.stacks import (
    Nogood,
    TypeColors,
    Window,
    WindowContents,
    make_window_contents,
)
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.printing.target import Target
from tetrisprinter.sat.cnf import Cnf, OutOfTimeError, check_time
from tetrisprinter.sat.solve import solve_interruptibly

_SOLVER: Final = "glucose4"
"""Glucose by Audemard and Simon, which accepts a limit of conflicts."""

_CLAUSES: Final = 450_000
_CONFLICTS: Final = 10_000
"""One work unit, about a second: to write this number of clauses or meet as many conflicts."""

_CALL: Final = 2
"""The least cost of a call to the solver, in conflicts."""

_SLICE: Final = 2_000
"""Conflicts between two readings of the clock."""


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """A window, and how much work its answer may take."""

    question: BoundQuestion
    window: Window
    types: TypeColors  # the colours to try for the types; empty if the task fixes the types
    effort: float  # the limit of conflicts
    seconds: float = float("inf")  # the limit of wall time


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """What the solver found about a window."""

    impossible: bool  # whether no game fits
    unknown: bool = False  # whether the solver gave up
    # If the window is a complete stack and a game fits: its pieces and columns, in drop order
    drops: tuple[tuple[Orientation, int], ...] = ()
    work: float = 0.0  # work units, about a second each
    # Nogoods: for the requested types, and for other types that were tried along the way
    nogoods: tuple[Nogood, ...] = ()
    # Type colours with which a game fits; with more type colours it fits, too
    fits: tuple[TypeColors, ...] = ()


_CACHED_CLAUSES: Final = 5_000_000
"""The most clauses in the cache, 150 bytes each; windows that get more work reuse formulas."""


class FormulaCache:
    """A cache of formulas that drops the least recently used formulas."""

    def __init__(self, capacity: int = _CACHED_CLAUSES) -> None:
        self.capacity = capacity
        # No OrderedDict: it hides an interrupt in the hash of a key behind a KeyError.
        self._formulas: dict[WindowContents, WindowFormula] = {}

    @property
    def sizes(self) -> list[int]:
        """The number of clauses of each formula, the most recently used last."""
        return [len(one.cnf.clauses) for one in self._formulas.values()]

    def get_formula(self, contents: WindowContents, deadline: float) -> WindowFormula:
        """Return the formula of a window, from the cache or newly written."""
        formula = self._formulas.pop(contents, None)
        formula = formula or WindowFormula(contents, partial(check_time, deadline))
        self._formulas[contents] = formula
        while sum(self.sizes) > self.capacity and len(self._formulas) > 1:
            del self._formulas[next(iter(self._formulas))]
        return formula


FORMULA_CACHE: Final = FormulaCache()
"""The cache of this process."""


def solve_window(query: WindowQuery, formulas: FormulaCache = FORMULA_CACHE) -> WindowAnswer:
    """Find out whether any game fits a window.

    The first attempt allows any number of optional squares, so that its nogoods hold for all
    questions.
    """
    deadline = time.monotonic() + query.seconds
    target, spare = query.question.target, query.question.spare
    optional_count = target.count_spare()
    wide_contents = make_window_contents(target, query.window, optional_count)
    narrow_contents = make_window_contents(target, query.window, spare)
    answer = _solve_contents(query, formulas, wide_contents, optional_count, deadline)
    if wide_contents == narrow_contents or answer.impossible:
        return answer if wide_contents == narrow_contents else replace(answer, fits=())
    second = _solve_contents(query, formulas, narrow_contents, spare, deadline)
    nogoods = (*answer.nogoods, *(one for one in second.nogoods if one not in answer.nogoods))
    return replace(second, nogoods=nogoods, work=answer.work + second.work)


def _solve_contents(
    query: WindowQuery,
    formulas: FormulaCache,
    contents: WindowContents,
    spare: int,
    deadline: float,
) -> WindowAnswer:
    """Solve the formula of a window in which at most ``spare`` optional squares stay."""
    from pysat.solvers import Solver

    with Solver(_SOLVER) as solver:
        try:
            formula = formulas.get_formula(contents, deadline)
            formula.cnf.load_into(solver, deadline)
        except OutOfTimeError:
            return WindowAnswer(False, unknown=True)
        window_solver = _WindowSolver(query, formula, solver, spare, deadline)
        answer = window_solver.solve_with(query.types)
        if answer is None:
            return WindowAnswer(False, unknown=True, work=window_solver.work)
        drops: tuple[tuple[Orientation, int], ...] = ()
        if answer and query.window.floor and query.window.top:
            drops = formula.read_game(solver.get_model())
        if query.types and not drops:
            window_solver.solve_with_others()
        results = tuple(window_solver.nogoods), tuple(window_solver.fits)
        return WindowAnswer(not answer, False, drops, window_solver.work, *results)


@dataclass(slots=True)
class _WindowSolver:
    """A solver of one window, which tries assignments of types one after the other."""

    query: WindowQuery
    formula: WindowFormula
    solver: Any  # a python-sat solver that has the formula's clauses
    spare: int  # how many optional squares may be left
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    nogoods: list[Nogood] = field(default_factory=list)  # see :class:`WindowAnswer`
    fits: list[TypeColors] = field(default_factory=list)
    calls: int = 0  # how often the solver was called

    @property
    def work(self) -> float:
        """Work units so far."""
        conflicts = int(self.solver.accum_stats()["conflicts"]) + _CALL * self.calls
        return estimate_work(len(self.formula.cnf.clauses), conflicts)

    def can_fit(self, without: TypeColors) -> bool | None:
        """Return whether a game fits in which some types must not show some colours.

        Return None if the answer takes too long.
        """
        answer: bool | None = None
        self.calls += 1
        literals = [-self.formula.shows[key] for key in without]
        conflict_limit = int(min(_SLICE, self.query.effort))
        for _ in range(ceil(self.query.effort / conflict_limit)):
            answer = solve_interruptibly(self.solver, literals, conflict_limit)
            if answer is not None or time.monotonic() >= self.deadline:
                break
        if answer:
            self.fits.append(self.formula.read_types(self.solver.get_model()))
        return answer

    def add_nogood(self) -> None:
        """Add the nogood of the last refutation, reduced to the type colours that matter."""
        keys = {-literal: key for key, literal in self.formula.shows.items()}
        core = [keys[literal] for literal in self.solver.get_core() or ()]
        for key in tuple(core):
            smaller_core = [other for other in core if other != key]
            if time.monotonic() >= self.deadline:
                break
            if self.can_fit(tuple(smaller_core)) is False:
                core = smaller_core
        self.nogoods.append(Nogood(self.query.window, tuple(sorted(core)), self.spare))

    def solve_with(self, types: TypeColors) -> bool | None:
        """Solve the window with some types; keep the nogood or the fit; return None if unknown."""
        without = [key for key in self.formula.shows if types and key not in types]
        answer = self.can_fit(tuple(without))
        if answer is False:
            self.add_nogood()
        return answer

    def solve_with_others(self) -> None:
        """Try other assignments of types that are still undecided; about double the work so far.

        This is much faster than a query for each assignment of types.
        """
        from pysat.solvers import Solver

        work_limit = 2 * self.work + convert_to_conflicts(0) / _CONFLICTS
        assignments = Cnf()
        shows = {key: assignments.add_variable() for key in self.formula.shows}
        for piece in PieceType:
            assignments.add_exactly_one([shows[key] for key in shows if key[0] == piece])
        with Solver(_SOLVER, bootstrap_with=assignments.clauses) as solver:
            added: set[tuple[int, ...]] = set()
            while self.work < work_limit and time.monotonic() < self.deadline:
                decided = {tuple(-shows[key] for key in types) for types in self.fits}
                decided |= {tuple(shows[key] for key in one.without) for one in self.nogoods}
                for clause in sorted(decided - added):
                    solver.add_clause(clause)
                added = decided
                if () in decided or not solve_interruptibly(solver):
                    return
                true = set(solver.get_model())
                types = tuple(key for key, literal in shows.items() if literal in true)
                if self.solve_with(types) is None:
                    return


def convert_to_conflicts(work: float) -> float:
    """Convert work units to conflicts, but to no fewer than 200."""
    return max(_SLICE / 10, work * _CONFLICTS)


def estimate_writing_work(target: Target, window: Window) -> float:
    """Estimate the work units that writing the formula of a window takes."""
    lines = sum(window.counts)
    rows = len(window.picture_rows) + lines
    return 2 * target.width * (rows * (1 + lines)) ** 2 / _CLAUSES


def estimate_work(clauses: int, conflicts: int) -> float:
    """Return the work units that a number of clauses and a number of conflicts take."""
    return clauses / _CLAUSES + conflicts / _CONFLICTS
