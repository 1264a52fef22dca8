"""A solver for the monolithic encoding, which runs beside the search for nogoods.

Windows are faster where a few nogoods exclude most stacks. Where each stack needs nogoods of its
own, one formula for all stacks (:mod:`~tetrisprinter.bounds.monolithic_formula`) is faster, and
each nogood is a clause that helps it. Which case holds is not known, so both get equal work.

With open types one assignment is tried after the other. The types and colours that the solver
used to refute it exclude many other assignments.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tetrisprinter.bounds.cnf import PULSE
from tetrisprinter.bounds.master_problem import BoundQuestion
from tetrisprinter.bounds.monolithic_formula import MonolithicFormula
from tetrisprinter.bounds.stacks import EVERY, Nogood, TypeColors, whole_stack
from tetrisprinter.bounds.window_solver import estimate_making, estimate_work
from tetrisprinter.game.pieces import Orientation
from tetrisprinter.support.solving import solve_sliced

_STACKS: Final = 3
"""The formula of all stacks has about this multiple of the clauses of the formula of one."""

_WORTH: Final = 2
"""The formula is written once its share of the work is this multiple of the work of writing it."""

_LARGEST: Final = 12_000_000
"""The limit of clauses, which take 150 bytes each until the solver has them."""

_PROVABLE: Final = 2_000_000
"""The limit of clauses with a certificate: a verifier has to write and check the formula."""

_PROPAGATIONS: Final = 5_000_000
"""Propagations in a second, about. In large formulas the cost of a conflict differs widely."""

_SHORTENING: Final = 30
"""The least limit of conflicts for the check whether a colour of a type matters. The limit is the
number of conflicts of the refutation itself if that is more."""

_TURN: Final = 500
"""Conflicts between two readings of the clock."""


class _EndedError(Exception):
    """The time limit passed while the formula was written."""


@dataclass(slots=True)
class MonolithicSolver:
    """An incremental solver of the monolithic encoding of one question."""

    question: BoundQuestion
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    work: float = 0.0  # work units so far
    certified: bool = False  # whether the solver reports which nogoods it needed, for a proof
    drops: tuple[tuple[Orientation, int], ...] = ()  # the game, if one was found
    used: set[Nogood] = field(default_factory=set)  # with ``certified``: the nogoods it needed
    _chosen: dict[int, Nogood] = field(default_factory=dict)
    _formula: MonolithicFormula | None = None
    _solver: Any = field(default=None, repr=False)
    _making: float = 0.0
    _added: int = 0

    @property
    def making(self) -> float:
        """The estimated work units of writing the formula."""
        slots = self.question.target.rows + 1
        window = whole_stack((self.question.lines, *(0,) * (slots - 1)))
        return _STACKS * estimate_making(self.question.target, window)

    @property
    def is_suitable(self) -> bool:
        """Whether the formula is small enough and no square is optional."""
        target = self.question.target
        small = self.making <= estimate_work(_PROVABLE if self.certified else _LARGEST, 0)
        return bool(self.question.lines) and not target.spare() and small

    def refute(self, types: TypeColors, known: Sequence[Nogood], most: float) -> Nogood | None:
        """Look for a game; return a nogood of these types if there is none."""
        if not self.is_suitable or most <= self.work:
            return None
        if self._formula is None and (most < _WORTH * self.making or not self._make()):
            return None
        assert self._formula is not None
        for one in known[self._added :]:
            self._add(one)
        self._added = len(known)
        shows = self._formula.shows
        lacking = [-literal for key, literal in shows.items() if key not in types]
        lacking += self._chosen
        before = self._conflicts
        answer: bool | None = None
        while answer is None and self.work < most and time.monotonic() < self.deadline:
            answer = self._solve(lacking, _TURN)
        if answer:
            self.drops = self._formula.game(self._solver.get_model())
        return self._make_nogood(self._conflicts - before) if answer is False else None

    def _add(self, one: Nogood) -> None:
        """Add the clause of a nogood; with ``certified`` it has a literal that switches it on."""
        assert self._formula is not None
        clause = self._formula.exclusion_clause(one)
        if self.certified and one.window != EVERY:
            choice = self._formula.cnf.new()
            self._chosen[choice] = one
            clause.append(-choice)
        if not self.certified or one.window != EVERY:
            self._solver.add_clause(clause)

    @property
    def _conflicts(self) -> int:
        return int(self._solver.accum_stats()["conflicts"])

    def _solve(self, lacking: Sequence[int], conflicts: int) -> bool | None:
        answer = solve_sliced(self._solver, lacking, conflicts)
        done = int(self._solver.accum_stats()["propagations"])
        self.work = self._making + done / _PROPAGATIONS
        return answer

    def _make_nogood(self, conflicts: int) -> Nogood:
        """Return a nogood for the types and colours that the last refutation used."""
        assert self._formula is not None
        keys = {-literal: key for key, literal in self._formula.shows.items()}
        core = list(self._solver.get_core() or ())
        for literal in tuple(core):
            if literal in core and literal in keys and time.monotonic() < self.deadline:
                fewer = [other for other in core if other != literal]
                if self._solve(fewer, max(_SHORTENING, conflicts)) is False:
                    core = list(self._solver.get_core() or ())
        without = tuple(sorted(keys[literal] for literal in core if literal in keys))
        self.used |= {self._chosen[literal] for literal in core if literal in self._chosen}
        return Nogood(EVERY, without, self.question.spare)

    def _make(self) -> bool:
        """Write the formula; return False if time ran out."""
        from pysat.solvers import Solver

        def pulse() -> None:
            if time.monotonic() >= self.deadline:
                raise _EndedError

        try:
            formula = MonolithicFormula(self.question, pulse)
            clauses = formula.cnf.clauses
            self._making = self.work = estimate_work(len(clauses), 0)
            self._solver = Solver("glucose4")
            for first in range(0, len(clauses), PULSE):
                self._solver.append_formula(clauses[first : first + PULSE])
                pulse()
        except _EndedError:
            return False
        clauses.clear()
        self._formula = formula
        return True

    def close(self) -> None:
        """Free the solver's memory."""
        if self._solver is not None:
            self._solver.delete()
