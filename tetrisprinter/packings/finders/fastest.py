"""The finder for those who just want a matrix: the automaton, else the backtracker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from tetrisprinter.packings.finders import UNLIMITED
from tetrisprinter.packings.finders.automaton import AUTOMATON
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.packings.problem import PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit

__all__ = ["FASTEST", "Fastest"]


@dataclass(frozen=True, slots=True)
class Fastest:
    """At once and for certain where an automaton knows, by search elsewhere.

    Attributes
    ----------
    search : Backtracker
        Who searches where no automaton knows; by default until it is certain.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> FASTEST.find(emitter_problem(21, 3, [3]))
    Infeasible(reason='the automaton of 3 rows does not accept it')
    """

    name: ClassVar[str] = "fastest"

    search: Backtracker = field(default_factory=lambda: Backtracker(attempts=None))

    @property
    def certain(self) -> bool:
        """Whether the search is."""
        return self.search.certain

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing; the limit is the search's and changes no automaton's answer."""
        result = AUTOMATON.find(problem)
        return self.search.find(problem, limit) if isinstance(result, Unknown) else result


FASTEST: Final = Fastest()
