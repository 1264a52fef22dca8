"""Whole games, found up the rows of their stack, and the types that show the colours with them.

How short a picture can be printed depends on which type shows which colour more than on anything
else, and nothing cheaper than printing it tells. So many assignments are printed quickly by
:mod:`~tetrisprinter.planners.games`: some chosen at random, then others that differ a
little from the best. The best of these are printed again, with more and more care.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import TYPE_CHECKING

from tetrisprinter.bounds.stacks import Assigned
from tetrisprinter.planners.games.uses import is_narrow
from tetrisprinter.planners.shortest.assignments import proposals
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.printing.target import colored

if TYPE_CHECKING:
    from tetrisprinter.planners.games.search import GameFound, Upward

__all__ = ["games_fit", "whole_games"]

_ASSIGNMENTS_AT_ONCE = 4
"""Assignments that are looked at together, so that the result does not depend on the workers."""


def games_fit(search: Search) -> bool:
    """Return whether a state has room for the board, and nothing can stay unseen."""
    return is_narrow(search.target.width) and not search.target.spare()


def whole_games(search: Search, _work: float) -> None:
    """Look for short games; if types have no colours, in many assignments.

    It ends after the searches of ``Budgets.games``: what they do is not counted as work.
    """
    found = _GameStage(search).best(search.incumbent.assignment)
    search.assignments = [one.assignment for one in found]
    for one in found:
        if one.found is not None:
            search.take(Candidate(one.found.passes(), one.assignment))


@dataclass(slots=True)
class _InTypes:
    """An assignment, and the shortest game that was found in it."""

    assignment: Assigned
    task: Upward
    found: GameFound | None = None
    tries: int = 0

    @property
    def lines(self) -> float:
        """Rows that clear."""
        return float("inf") if self.found is None else self.found.lines

    @property
    def rank(self) -> tuple[float, int]:
        """What the best is the smallest of: without a game, the one that got highest."""
        return self.lines, -self.task.reached


@dataclass(slots=True)
class _GameStage:
    """A search for an assignment."""

    search: Search
    choices: list[_InTypes] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to gain, or no more time."""
        run = self.search.run
        return run.stopped or (bool(self.choices) and self._above() <= 0)

    def _above(self) -> float:
        """How many drops the shortest game is above the bound."""
        target = self.search.target
        cells = len(target.required) + target.width * self._rank()[0].lines
        return cells / 4 - self.search.run.bound

    def _rank(self) -> list[_InTypes]:
        return sorted(self.choices, key=lambda choice: choice.rank)

    def best(self, first: Assigned) -> list[_InTypes]:
        """Return some choices, the best first; one is the assignment that is there first."""
        budgets, target, run = self.search.budgets, self.search.target, self.search.run
        states, most, looks = budgets.games
        most = 1 if target.shades is None else max(1, round(most * run.effort))
        proposed = islice(self._propose(first, most // looks), most)
        while not self.is_over and (some := list(islice(proposed, _ASSIGNMENTS_AT_ONCE))):
            new = [self._choice(one) for one in some]
            self.choices += new
            self._look(new, states)
            run.report(self.search.stage, len(self.choices) / most / 2)
        for look in range(1, looks + 1):
            for _ in range(looks):
                self._look(self._rank()[: max(1, most >> look + 1)], states << look)
        return self._rank()

    def _propose(self, first: Assigned, by_chance: int) -> Iterator[Assigned]:
        """Yield assignments: the first one, some by chance, then others near the best of these."""
        target = self.search.target
        if target.shades is None:
            yield ()
            return
        ways = proposals(target, self.search.run.seed, [first] if first else [])
        for number in count():
            best = self._rank()[: max(1, by_chance)]
            parents = [one.assignment for one in best] if number >= max(1, by_chance) else []
            one = ways.next(parents)
            if one is None:
                return
            yield one

    def _choice(self, assignment: Assigned) -> _InTypes:
        from tetrisprinter.planners.games.search import Upward

        return _InTypes(assignment, Upward(colored(self.search.target, assignment)))

    def _look(self, choices: Sequence[_InTypes], states: int) -> None:
        """Look for shorter games in some assignments, side by side."""
        from tetrisprinter.planners.games.search import Room

        run = self.search.run

        def look(choice: _InTypes) -> None:
            if not run.stopped:
                room, seed = Room(self.search.target.width, states), run.seed + choice.tries
                choice.found = choice.task.find(room, seed, choice.found) or choice.found
                choice.tries += 1

        if not self.is_over:
            run.side_by_side(look, choices)
