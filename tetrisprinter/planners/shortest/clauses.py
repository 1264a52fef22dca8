"""A CP-SAT model whose literals may be known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["Clauses", "Literal", "negated"]

Literal = Any
"""A solver's literal, or a bool where the value is known."""


def negated(literal: Literal) -> Literal:
    """Return the opposite of a literal."""
    return (not literal) if isinstance(literal, bool) else literal.negated()


class Clauses:
    """Adds constraints to a model, dropping what is known.

    Attributes
    ----------
    model : CpModel
        The solver's model. What holds no known literal may be added to it directly.
    """

    def __init__(self) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        self._proto = self.model.proto
        self._variable = cp_model.IntVar
        self._bit = cp_model.Domain(0, 1)

    def new(self) -> Any:
        """Return a new literal.

        As ``CpModel.new_bool_var`` does, without a name and a domain for each of them.
        """
        return self._variable(self._proto).with_domain(self._bit)

    def any_of(self, literals: Iterable[Literal]) -> None:
        """Add a disjunction."""
        known = list(literals)
        if not any(literal is True for literal in known):
            self.model.add_bool_or([x for x in known if x is not False])

    def implies(self, literal: Literal, *others: Literal) -> None:
        """If the first holds, one of the others does."""
        self.any_of((negated(literal), *others))

    def exactly_one(self, literals: Sequence[Literal]) -> None:
        """Let one of them hold and no other."""
        known = sum(literal is True for literal in literals)
        rest = [x for x in literals if not isinstance(x, bool)]
        if known == 0:
            self.model.add_exactly_one(rest)
        else:
            for x in rest:
                self.model.add_bool_or([x.negated()])
            if known > 1:
                self.contradict()

    def contradict(self) -> None:
        """Leave no solution."""
        self.model.add_bool_or([])
