"""Games near a known one: some of its cleared rows and others, in its types and in others.

The rows that clear in the plan to beat, and some more in each slot between two rows of the
picture, are candidates of a formula (:mod:`~tetrisprinter.planners.shortest.optional`). A solver
is asked for a game with fewer of them; where the types of the colours are open, in one assignment
after the other. What it finds is the next plan to beat; where it finds nothing, each slot gets
one candidate more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Final

from tetrisprinter.bounds.cnf import PULSE
from tetrisprinter.bounds.looking import work_of
from tetrisprinter.errors import InputError
from tetrisprinter.game.counting import unit_of
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.from_drops import plan_of_drops
from tetrisprinter.planners.cpsat.problem import Assignment, Drawn
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.assignments import assignments_near
from tetrisprinter.planners.shortest.optional import CANDIDATE, OptionalRows
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.printing.target import Target, colored

__all__ = ["cleared_in", "is_near_something", "nearby"]

_SOLVER: Final = "glucose4"
_SLICE: Final = 1000
"""Conflicts between two looks at the clock."""


class _TooMuchError(Exception):
    """A formula is larger than the work that is left, or the time is up."""


def is_near_something(search: Search) -> bool:
    """Whether there is a plan to beat, and nothing may stay unseen."""
    return search.incumbent.passes is not None and search.is_closed


def nearby(search: Search, work: float) -> None:
    """Look for shorter games near the plan to beat until the work is done."""
    left = work
    for free in count(1):
        while not search.is_over and left > 0:
            left, found = _shorter(search, free, left)
            if not found:
                break
        if search.is_over or left <= 0 or free == search.budgets.nearby_rows:
            return


def _shorter(search: Search, free: int, work: float) -> tuple[float, bool]:
    """Look for one with so many candidates in each slot; return the work left, and whether."""
    target, known = search.target, search.incumbent
    slots = cleared_in(known.passes or (), target)
    lines = sum(slots) - 4 // unit_of(target.width)
    if lines < 0:
        return work, False
    rows = [
        row
        for slot, clear in enumerate(slots)
        for row in [CANDIDATE] * max(clear, free) + [slot] * (slot < target.rows)
    ]
    for assignment in _assignments(search):
        if search.run.stopped or work <= 0:
            break
        ask = _Question(search, colored(target, assignment), rows, lines)
        spent, passes = ask.answer(min(work, search.budgets.nearby_try * search.run.effort))
        search.run.spent += spent
        work -= spent
        if passes is not None:
            search.take(Candidate(passes, assignment))
            return work, search.incumbent is not known
    return work, False


def _assignments(search: Search) -> Iterator[Assignment]:
    """Yield the assignment of the plan to beat, then others near it."""
    if search.target.shades is None:
        return iter([()])
    known = [search.incumbent.assignment]
    near = assignments_near(search.target, known, search.run.seed)
    return islice(near, search.budgets.nearby_types)


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether a game clears so few rows.

    Attributes
    ----------
    search : Search
        What ends it.
    target : Target
        The end of the game, in types that have colours.
    rows : list of int
        The stack.
    lines : int
        How many candidates at most are in the game.
    """

    search: Search
    target: Target
    rows: list[int]
    lines: int

    def answer(self, work: float) -> tuple[float, Drawn | None]:
        """Return the work that was done, and a game if one was found."""
        from pysat.solvers import Solver

        made = 0

        def pulse() -> None:
            nonlocal made
            made += 1
            if self.search.run.stopped or work_of(made * PULSE, 0) > work:
                raise _TooMuchError

        try:
            formula = OptionalRows(self.target, self.rows, pulse=pulse)
        except _TooMuchError:
            return work, None
        formula.at_most(self.lines)
        clauses = formula.cnf.clauses
        with Solver(_SOLVER, bootstrap_with=clauses) as solver:
            answer, spent = None, work_of(len(clauses), 0)
            while answer is None and spent < work and not self.search.run.stopped:
                solver.conf_budget(_SLICE)
                answer = solver.solve_limited()
                spent = work_of(len(clauses), solver.accum_stats()["conflicts"])
            if not answer:
                return spent, None
            drops = formula.game(solver.get_model())
        try:
            plan = plan_of_drops(drops, (), self.target.width, self.target.height)
        except InputError as error:  # a fault; the plan to beat stays
            LOG.error("%s: %s", self.search.stage, error)
            return spent, None
        return spent, plan.passes


def cleared_in(passes: Drawn, target: Target) -> list[int]:
    """Return how many rows clear in each slot of a game's stack: under each row, and on top."""
    field = Playfield(target.width, target.height)
    live = list(range(target.height))
    gone: list[int] = []
    rows = target.height
    for one in passes:
        for piece in one.pieces:
            for row in reversed(field.drop(piece.orientation, piece.x).cleared):
                gone.append(live.pop(row))
                live.append(rows)
                rows += 1
    slots = [0] * (target.rows + 1)
    for row in gone:
        slots[sum(other < row for other in live[: target.rows])] += 1
    return slots
