"""A CP-SAT model whose literals may be known beforehand.

A literal is a number: that of its variable, or ``~`` that for the opposite. Models have tens of
thousands of literals, and objects for them would take most of the time that building takes; so
constraints are written straight into the solver's form of the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

__all__ = ["FALSE", "TRUE", "Clauses", "Literal"]

Literal = int
"""The number of a variable, or ``~`` that for its opposite; or :data:`TRUE`, :data:`FALSE`."""

TRUE: Final = 1 << 40
"""Holds in any case."""
FALSE: Final = ~TRUE
"""Never holds."""


class Clauses:
    """Adds constraints to a model.

    Attributes
    ----------
    model : CpModel
        The solver's model. It knows a literal only when that has been asked for as a
        :meth:`variable`, or when the model is :meth:`complete`.
    """

    def __init__(self) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        self._proto = self.model.proto
        self._add = self._proto.constraints.add
        self._other = cp_model.CpModel()  # kept, as it owns what is copied from it
        self._bit = self._other.new_bool_var("").proto
        self._count = self._known = 0

    def new(self) -> int:
        """Return a new literal."""
        self._count += 1
        return self._count - 1

    def number(self, most: int) -> Any:
        """Return a new variable for a number from 0."""
        self.complete()
        self._count += 1
        self._known += 1
        return self.model.new_int_var(0, most, "")

    def complete(self) -> Any:
        """Let the model know all literals, and return it."""
        self._proto.variables.extend([self._bit] * (self._count - self._known))
        self._known = self._count
        return self.model

    def variable(self, literal: Literal) -> Any:
        """Return a literal as sums take it: 0 or 1."""
        if literal in (TRUE, FALSE):
            return int(literal == TRUE)
        self.complete()
        if literal < 0:
            return self.model.get_bool_var_from_proto_index(~literal).negated()
        return self.model.get_bool_var_from_proto_index(literal)

    def any_of(self, literals: Iterable[Literal]) -> None:
        """Add a disjunction."""
        known = list(literals)
        if TRUE not in known:
            self.clause([x for x in known if x != FALSE])

    def clause(self, literals: Sequence[int]) -> None:
        """Add a disjunction; none of them is known."""
        self._add().bool_or.literals.extend(literals)

    def implies(self, literal: Literal, *others: Literal) -> None:
        """If the first holds, one of the others does."""
        self.any_of((~literal, *others))

    def implication(self, literal: int, other: int) -> None:
        """If one holds, the other does; neither is known."""
        constraint = self._add()
        constraint.bool_and.literals.append(other)
        constraint.enforcement_literal.append(literal)

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Let one of them hold at most; none is known."""
        self._add().at_most_one.literals.extend(literals)

    def exactly_one(self, literals: Sequence[Literal], more: Sequence[int] = ()) -> None:
        """Let one of them hold and no other; none of the latter is known."""
        known = literals.count(TRUE)
        rest = [*(x for x in literals if x not in (TRUE, FALSE)), *more]
        if known == 0:
            self._add().exactly_one.literals.extend(rest)
        else:
            for x in rest:
                self.clause([~x])
            if known > 1:
                self.contradict()

    def contradict(self) -> None:
        """Leave no solution."""
        self.clause([])
