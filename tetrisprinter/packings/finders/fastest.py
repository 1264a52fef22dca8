"""The default finder: the automaton where one exists, else the backtracker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from tetrisprinter.packings.finders import UNLIMITED
from tetrisprinter.packings.finders.automaton import AUTOMATON
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.packings.problem import PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit


@dataclass(frozen=True, slots=True)
class Fastest:
    """The finder that uses the automaton first, and searches if the automaton gives no answer."""

    name: ClassVar[str] = "fastest"

    # The finder that searches; exhaustive by default
    search: Backtracker = field(default_factory=lambda: Backtracker(attempts=None))

    @property
    def is_complete(self) -> bool:
        """Whether the search is complete."""
        return self.search.is_complete

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing; the limit applies to the search only."""
        result = AUTOMATON.find(problem)
        return self.search.find(problem, limit) if isinstance(result, Unknown) else result


FASTEST: Final = Fastest()
