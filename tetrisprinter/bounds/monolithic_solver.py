"""A solver for the monolithic encoding, which runs beside the search for nogoods.

Windows are faster where a few nogoods exclude most stacks. Where each stack needs nogoods of its
own, one formula for all stacks (:mod:`~tetrisprinter.bounds.monolithic_formula`) is faster, and
each nogood is a clause that helps it. Which case holds is not known, so both get equal work.

Open types stay open in the formula: a refutation holds for all assignments, and a model has one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tetrisprinter.bounds.cnf import OutOfTimeError, check_time
from tetrisprinter.bounds.master_problem import BoundQuestion
from tetrisprinter.bounds.monolithic_formula import (
    MonolithicFormula,
    choose_reach,
    estimate_clauses,
)
from tetrisprinter.bounds.stacks import ALL_STACKS, Nogood, TypeColors
from tetrisprinter.bounds.window_solver import estimate_work
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.printing.target import Target
from tetrisprinter.support.solving import solve_interruptibly

_WORTH: Final = 2
"""The formula is written when the work granted to it reaches this multiple of the writing work."""

_LARGEST: Final = 4_000_000
"""The limit of clauses, which take 150 bytes each until the solver has them."""

_PROPAGATIONS: Final = 5_000_000
"""Propagations in a work unit, about. In large formulas the cost of a conflict varies widely."""

_TURN: Final = 500
"""Conflicts between two readings of the clock."""


def is_solution(target: Target, drops: Sequence[tuple[Orientation, int]]) -> bool:
    """Return whether a game leaves exactly the required squares, in their colours."""
    field = Playfield(target.width, target.height)
    try:
        for orientation, x in drops:
            field.drop(orientation, x)
    except TopOutError:
        return False
    left = {(x, y): value for y, row in enumerate(field.rows) for x, value in enumerate(row)}
    left = {cell: value for cell, value in left.items() if value}
    if left.keys() != target.required:
        return False
    shades = target.shades
    shown = {(value, shades[y][x]) for (x, y), value in left.items()} if shades else ()
    return len(shown) == len({value for value, _ in shown}) and all(
        target.may_hold(x, y, PieceType(value)) for (x, y), value in left.items()
    )


@dataclass(slots=True)
class MonolithicSolver:
    """An incremental solver of the monolithic encoding of one question."""

    question: BoundQuestion
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    work: float = 0.0  # work units so far
    certified: bool = False  # whether the solver reports which nogoods it needed, for a proof
    drops: tuple[tuple[Orientation, int], ...] = ()  # the game, if one was found
    types: TypeColors = ()  # the colours of the types in that game, if they were open
    # Whether a model was no game, because distant rows have no order; then the solver gives up
    has_invalid_model: bool = False
    used: set[Nogood] = field(default_factory=set)  # with ``certified``: the nogoods it needed
    _switches: dict[int, Nogood] = field(default_factory=dict)  # nogoods by switching literal
    _formula: MonolithicFormula | None = None
    _solver: Any = field(default=None, repr=False)
    _making: float = 0.0  # work units of writing the formula
    _added: int = 0  # how many of the known nogoods the solver has

    @property
    def _clauses(self) -> int:
        """The estimated number of clauses."""
        target, lines = self.question.target, self.question.lines
        return estimate_clauses(target, lines, choose_reach(target, lines))

    @property
    def writing_work(self) -> float:
        """The estimated work units of writing the formula."""
        return estimate_work(self._clauses, 0)

    @property
    def is_suitable(self) -> bool:
        """Whether the formula is small, no square is optional, and each model gave a game."""
        lines, spare = self.question.lines, self.question.target.count_spare()
        return (
            bool(lines) and not spare and self._clauses <= _LARGEST and not self.has_invalid_model
        )

    def refute(self, known: Sequence[Nogood], work_limit: float) -> Nogood | None:
        """Look for a game within a work limit; return the nogood of all stacks if there is none."""
        if not self.is_suitable or work_limit <= self.work:
            return None
        if self._formula is None and (
            work_limit < _WORTH * self.writing_work or not self._write_formula()
        ):
            return None
        for one in known[self._added :]:
            self._add_nogood(one)
        self._added = len(known)
        answer: bool | None = None
        while answer is None and self.work < work_limit and time.monotonic() < self.deadline:
            answer = solve_interruptibly(self._solver, list(self._switches), _TURN)
            done = int(self._solver.accum_stats()["propagations"])
            self.work = self._making + done / _PROPAGATIONS
        if answer:
            self._store_game(set(self._solver.get_model()))
        if answer is not False:
            return None
        core = self._solver.get_core() or ()
        self.used |= {self._switches[literal] for literal in core}
        return Nogood(ALL_STACKS, (), self.question.spare)

    def _store_game(self, true: set[int]) -> None:
        """Store the game of a model, given its true literals; if it is no game, give up."""
        assert self._formula is not None
        drops = self._formula.read_game(true)
        self.has_invalid_model = not is_solution(self.question.target, drops)
        if not self.has_invalid_model:
            self.drops = drops
            self.types = tuple(key for key, one in self._formula.shows.items() if one in true)

    def _add_nogood(self, one: Nogood) -> None:
        """Add the clause of a nogood; with ``certified`` it has a literal that switches it on."""
        assert self._formula is not None
        clause = self._formula.make_exclusion_clause(one)
        if self.certified and one.window != ALL_STACKS:
            choice = self._formula.cnf.add_variable()
            self._switches[choice] = one
            clause.append(-choice)
        if not self.certified or one.window != ALL_STACKS:
            self._solver.add_clause(clause)

    def _write_formula(self) -> bool:
        """Write the formula; return False if time ran out."""
        from pysat.solvers import Solver

        try:
            formula = MonolithicFormula(self.question, partial(check_time, self.deadline))
            clauses = formula.cnf.clauses
            self._making = self.work = estimate_work(len(clauses), 0)
            self._solver = Solver("glucose4")
            formula.cnf.load_into(self._solver, self.deadline)
        except OutOfTimeError:
            return False
        clauses.clear()
        self._formula = formula
        return True

    def close(self) -> None:
        """Free the solver's memory."""
        if self._solver is not None:
            self._solver.delete()
