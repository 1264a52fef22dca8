"""A builder of propositional formulas, in which literals may be constants.

The same calls always give the same bytes, because certificates compare them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

Literal = int
"""A variable, its negation as a negative number, or the constant ``True`` or ``False``."""

_PAIRWISE_SIZE = 5
"""At-most-one constraints of up to this number of literals are encoded pairwise."""

PULSE: Final = 4096
"""Clauses between two calls of ``pulse``, about 10 milliseconds; it may raise an error to stop."""


def negate(literal: Literal) -> Literal:
    """Return the opposite of a literal.

    >>> negate(7), negate(True)
    (-7, False)
    """
    return (not literal) if isinstance(literal, bool) else -literal


class OutOfTimeError(Exception):
    """Time ran out while a formula or a proof was written."""


def check_time(deadline: float) -> None:
    """Raise an OutOfTimeError if a deadline of ``time.monotonic()`` has passed."""
    if time.monotonic() >= deadline:
        raise OutOfTimeError


class Cnf:
    """A formula in conjunctive normal form: its clauses and the number of its variables."""

    def __init__(self, pulse: Callable[[], None] = lambda: None) -> None:
        self._pulse, self._next_pulse = pulse, PULSE
        self.variables = 0
        self.clauses: list[tuple[int, ...]] = []

    def add_variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def add_clause(self, *literals: Literal) -> None:
        """Add a clause; drop constants that are false, and the clause if a literal is ``True``."""
        if bool in map(type, literals):
            if any(literal is True for literal in literals):
                return
            literals = tuple(literal for literal in literals if literal is not False)
        self._append(literals)

    def _append(self, *clauses: tuple[int, ...]) -> None:
        """Add clauses that have no constants."""
        self.clauses += clauses
        if len(self.clauses) >= self._next_pulse:
            self._next_pulse += PULSE
            self._pulse()

    def add_at_most_one(self, literals: Sequence[Literal]) -> None:
        """Add clauses: at most one of some literals is true (a chain of helper variables)."""
        rest = [literal for literal in literals if literal is not False]
        begin = 0
        while len(rest) - begin > _PAIRWISE_SIZE:
            end = begin + _PAIRWISE_SIZE - 1
            head = rest[begin:end]
            chain = self.add_variable()
            for literal in head:
                self.add_clause(negate(literal), chain)
            self._exclude_pairs(head)
            begin = end - 1
            rest[begin] = chain
        self._exclude_pairs(rest[begin:])

    def add_at_most(self, limit: int, literals: Sequence[Literal]) -> None:
        """Add clauses: at most a given number of literals is true (sequential counter)."""
        if len(literals) <= limit:
            return
        counted: list[Literal] = []  # [n]: more than n of the literals so far are true
        for literal in literals:
            before = [True, *counted, False][: limit + 2]
            counted = []
            for enough_before, more_before in pairwise(before):
                count_literal = self.add_variable()
                self.add_clause(negate(more_before), count_literal)
                self.add_clause(negate(enough_before), negate(literal), count_literal)
                counted.append(count_literal)
            if len(counted) > limit:
                self.add_clause(negate(counted.pop()))

    def _exclude_pairs(self, literals: Sequence[Literal]) -> None:
        """Add a clause for each pair of literals: they are not both true."""
        opposites = [negate(literal) for literal in literals]
        pairs = [(first, second) for i, first in enumerate(opposites) for second in opposites[:i]]
        if bool not in map(type, opposites):
            self._append(*pairs)
            return
        for pair in pairs:
            self.add_clause(*pair)

    def add_exactly_one(self, literals: Iterable[Literal]) -> None:
        """Add clauses: exactly one of some literals is true."""
        listed = list(literals)
        self.add_clause(*listed)
        self.add_at_most_one(listed)

    def load_into(self, solver: Any, deadline: float) -> None:
        """Give the clauses to a solver of python-sat; raise an OutOfTimeError at the deadline."""
        for first in range(0, len(self.clauses), PULSE):
            solver.append_formula(self.clauses[first : first + PULSE])
            check_time(deadline)

    def to_dimacs(self) -> str:
        """Return the formula in the DIMACS format, which solvers and proof checkers read."""
        lines = [f"p cnf {self.variables} {len(self.clauses)}"]
        lines += [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join(lines) + "\n"
