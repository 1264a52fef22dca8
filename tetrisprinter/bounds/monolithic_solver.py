"""A solver for the monolithic encoding, which runs beside the search for nogoods.

Windows are faster where a few nogoods exclude most stacks. Where each stack needs nogoods of its
own, one formula for all stacks (:mod:`~tetrisprinter.bounds.monolithic_formula`) is faster, and
each nogood is a clause that helps its solver. It is unknown beforehand which method is faster, so
both get equal work.

If types are open, the formula leaves them open: a refutation holds for every assignment of types to
colours, and a model has one assignment.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

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
from tetrisprinter.sat.cnf import OutOfTimeError, check_time
from tetrisprinter.sat.solve import solve_interruptibly

_WORTH: Final = 2
"""The formula is written when the work limit reaches this multiple of the writing work."""

_LARGEST: Final = 4_000_000
"""The greatest number of clauses; each takes 150 bytes until the solver has them."""

_PROPAGATIONS: Final = 5_000_000
"""Propagations in about a work unit; the cost of conflicts varies widely in large formulas."""

_TURN: Final = 500
"""Conflicts between two readings of the clock."""


def is_solution(target: Target, drops: Sequence[tuple[Orientation, int]]) -> bool:
    """Return whether a game leaves exactly the required squares, in their colours."""
    playfield = Playfield(target.width, target.height)
    try:
        for orientation, x in drops:
            playfield.drop(orientation, x)
    except TopOutError:
        return False
    squares = {(x, y): piece for y, row in enumerate(playfield.rows) for x, piece in enumerate(row)}
    squares = {cell: piece for cell, piece in squares.items() if piece}
    if squares.keys() != target.required:
        return False
    shades = target.shades
    type_colors = {(piece, shades[y][x]) for (x, y), piece in squares.items()} if shades else ()
    return len(type_colors) == len({piece for piece, _ in type_colors}) and all(
        target.may_hold(x, y, PieceType(piece)) for (x, y), piece in squares.items()
    )


@dataclass(slots=True)
class MonolithicSolver:
    """An incremental solver of the monolithic encoding of one question."""

    question: BoundQuestion
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    work: float = 0.0  # work units so far
    certified: bool = False  # whether a certificate will be written; ``used`` is then filled
    drops: tuple[tuple[Orientation, int], ...] = ()  # the game, if one was found
    types: TypeColors = ()  # the colours of the types in that game, if they were open
    # Whether a model was no game, because rows out of reach have no order: the solver then gives up
    has_invalid_model: bool = False
    used: set[Nogood] = field(default_factory=set)  # the nogoods that the refutation needed
    _switches: dict[int, Nogood] = field(default_factory=dict)  # by literal that switches one on
    _formula: MonolithicFormula | None = None
    _solver: Any = field(default=None, repr=False)
    _making: float = 0.0  # work units of writing the formula
    _added: int = 0  # how many of the known nogoods have been added

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

    def find_nogood(self, nogoods: Sequence[Nogood], work_limit: float) -> Nogood | None:
        """Look for a game within a work limit; return the nogood of all stacks if there is none."""
        if not self.is_suitable or work_limit <= self.work:
            return None
        if self._formula is None and (
            work_limit < _WORTH * self.writing_work or not self._write_formula()
        ):
            return None
        for nogood in nogoods[self._added :]:
            self._add_nogood(nogood)
        self._added = len(nogoods)
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

    def _store_game(self, model: set[int]) -> None:
        """Store the game of a model, given its literals; give up if the model is no game."""
        assert self._formula is not None
        drops = self._formula.read_game(model)
        self.has_invalid_model = not is_solution(self.question.target, drops)
        if not self.has_invalid_model:
            self.drops = drops
            self.types = tuple(key for key, one in self._formula.shows.items() if one in model)

    def _add_nogood(self, nogood: Nogood) -> None:
        """Add the clause of a nogood; with ``certified`` a literal switches the clause on."""
        assert self._formula is not None
        clause = self._formula.make_exclusion_clause(nogood)
        if self.certified and nogood.window != ALL_STACKS:
            switch = self._formula.cnf.add_variable()
            self._switches[switch] = nogood
            clause.append(-switch)
        if not self.certified or nogood.window != ALL_STACKS:
            self._solver.add_clause(clause)

    def _write_formula(self) -> bool:
        """Write the formula and load it into a solver; return False if time ran out."""
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
