"""Rolling horizon: a band of rows at a time.

The joint model of :mod:`~tetrisprinter.planners.cpsat.model` looks at the lowest
incomplete rows only. All of them must be completed, but only the passes that begin below
the band's upper edge are kept; the rest was looked at to see where they lead, and is
planned again with more of the picture in view. High bands with few matrices come first;
where that does not do, lower ones with more, and where it comes easily, higher ones again.

What can go wrong is that a pass leaves a row half printed in a way that cannot be
finished. Four rules keep that rare: nothing may bury a square that is still to be
printed; beyond the edge a row is begun only when the row below is complete; every square
still to be printed must be one that some piece could reach
(:func:`~tetrisprinter.planners.cpsat.reach.ways_to_reach`); and a row whose runs must
begin by standing (:func:`~tetrisprinter.planners.cpsat.reach.standing_runs`) gets all
of them at once. Squares beyond the edge cost nothing, for they are due anyway: only
cleared rows count, and that objective is solved in seconds.

If a band still cannot be completed, what was kept last is taken back and the next band looks
further ahead. After each band the rest of the picture is printed row by row, by the planner that
does nothing else: so there is a plan wherever the bands end. Which of equally short bands is taken
makes a difference of a fifth in the end, so several attempts are made: in other types if these
are open, and with other seeds of the solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.cpsat.problem import (
    Assignment,
    Drawn,
    Passes,
    PassProblem,
    PassSolution,
    drawn,
    drops_of,
    state_after,
)
from tetrisprinter.planners.cpsat.reach import lowest_open
from tetrisprinter.planners.shortest import windows
from tetrisprinter.planners.shortest.assignments import assignments_near
from tetrisprinter.planners.shortest.budgets import Pool
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.printing.target import Target, colored

__all__ = ["bands"]


_ATTEMPTS_AT_ONCE = 2
"""Attempts that are made together, so that the result does not depend on the workers."""
_LEAST_ROWS = 2
"""Fewer rows are not left for a last band of their own: how many squares there are in all has to
come out right, which is dear where there is little choice."""


def bands(search: Search, work: float) -> None:
    """Make attempts, two at a time, until the work is done."""
    run = search.run
    most = run.spent + 2 * work
    attempts = _attempts(search)

    def made(attempt: tuple[int, Assignment]) -> _Horizon:
        horizon = _Horizon(search, *attempt, colored(search.target, attempt[1]))
        horizon.go_up(work)
        return horizon

    while not search.is_over and run.spent < most:
        some = list(islice(attempts, _ATTEMPTS_AT_ONCE))
        if not some:
            return
        for horizon in run.side_by_side(made, some):
            run.spent += horizon.spent
            search.take(Candidate(horizon.best, horizon.assignment))


def _attempts(search: Search) -> Iterator[tuple[int, Assignment]]:
    """Yield seeds and assignments: those of short games, then some near to these."""
    target = search.target
    if target.shades is None:
        return ((seed, ()) for seed in range(_ATTEMPTS_AT_ONCE))
    known = tuple(filter(None, [search.incumbent.assignment, *search.assignments]))
    return ((0, one) for one in assignments_near(target, known, search.run.seed))


@dataclass(slots=True)
class _Horizon:
    """A picture that is being printed band by band: what was kept, and what went wrong.

    Attributes
    ----------
    search : Search
        Clock, budgets and the plan to beat.
    seed : int
        For the solver.
    assignment : tuple of (PieceType, int)
        Which type shows which colour, if that was open.
    target : Target
        The end of the game, in which the types have colours.
    best : tuple of Pass or None
        The shortest plan that begins with bands, if there is one that is worth a look.
    spent : float
        Deterministic time of all bands.
    kept : list of tuple of PlacedPass
        What was kept of each band.
    trial : int
        Where among the trials the next band begins.
    dead_ends : list of int
        The rows from which there was no way on, since that was overcome the last time.
    solved : dict
        For each state, and band over it, what was found if that is final. A way back often leads
        to what was there before.
    """

    search: Search
    seed: int
    assignment: Assignment
    target: Target
    best: Drawn | None = None
    spent: float = 0.0
    kept: list[Passes] = field(default_factory=list)
    trial: int = 0
    dead_ends: list[int] = field(default_factory=list)
    solved: dict[tuple[frozenset[Cell], int, Pool], PassSolution] = field(default_factory=dict)

    @property
    def passes(self) -> Passes:
        """What was kept."""
        return tuple(one for some in self.kept for one in some)

    @property
    def state(self) -> frozenset[Cell]:
        """What is printed."""
        return state_after(frozenset(), self.passes)

    @property
    def row(self) -> int:
        """The lowest row that is not complete."""
        return lowest_open(self.target, self.state)

    @property
    def most(self) -> float:
        """The drops that a plan must stay below."""
        best = self.best or self.search.incumbent.passes
        return float("inf") if best is None else drops_of(best)

    def go_up(self, work: float) -> None:
        """Print the whole picture, unless that ends nowhere, or falls behind the plan to beat."""
        run, rows = self.search.run, self.target.rows
        while self.row < rows:
            run.report(self.search.stage, self.row / rows)
            if run.stopped or self.spent > work or self._is_behind() or not self._go_on():
                return
        whole = drawn(self.passes)
        self.best = min(whole, self.best or whole, key=drops_of)

    def _is_behind(self) -> bool:
        """Whether it will take no fewer drops than the plan to beat."""
        missing = len(self.target.required - self.state)
        return drops_of(drawn(self.passes)) + -(-missing // 4) >= self.most

    def _go_on(self) -> bool:
        """Print a band, or take back the last one; False if there is no way left.

        Up to the highest dead end, bands look a row further ahead for each that there was.
        """
        row = self.row
        if row > max(self.dead_ends, default=-1):
            self.dead_ends.clear()
        band = self._band(row, len(self.dead_ends))
        if band is not None:
            self.kept.append(band)
            self._hand_over()
            return True
        self.dead_ends.append(row)
        if self.kept:
            self.kept.pop()
        return len(self.dead_ends) <= self.search.budgets.band_ahead

    def _band(self, row: int, ahead: int) -> Passes | None:
        """Complete some rows; return the passes to keep.

        If that came easily, the next band begins a trial higher.
        """
        state, rows, budgets = self.state, self.target.rows, self.search.budgets
        most = budgets.band_work * self.target.width
        for at in range(self.trial, len(budgets.band_trials)):
            pool, many = budgets.band_trials[at]
            top = row + many + ahead
            top = top if top + _LEAST_ROWS <= rows else rows
            found = self.solved.get((state, top, pool))
            if found is None:
                problem = windows.band(self.target, budgets, state, row, top, pool)
                found = self._solved(problem, most * max(1.0, (top - row) / many))
                if found.complete:
                    self.solved[state, top, pool] = found
            if self.search.run.stopped:
                break
            if found.passes is None:
                continue
            easy = found.complete and found.work < most / 2
            self.trial = max(0, at - easy)
            # If nothing begins below the edge, all of it can stay: the rows are complete.
            return (found.passes if top == rows else _kept(found.passes, top)) or found.passes
        return None

    def _hand_over(self) -> None:
        """Let the rest of the picture be printed row by row; that may be the shortest plan."""
        budgets, target = self.search.budgets, self.target
        base = 1 + max((y for _, y in self.state), default=0)
        if base + 1 >= target.rows:
            return
        for problem in windows.joint(target, budgets, self.state, base):
            found = self._solved(problem, budgets.rest_work)
            if self.search.run.stopped:
                return
            if found.passes is not None:
                whole = self.search.rest(drawn((*self.passes, *found.passes)), self.assignment)
                if whole is not None and drops_of(whole) < self.most:
                    self.best = whole
                return

    def _solved(self, problem: PassProblem, work: float) -> PassSolution:
        found = self.search.run.solve(problem, work, self.seed)
        self.spent += found.work
        return found


def _kept(passes: Passes, top: int) -> Passes:
    """Return the passes below the edge, and what lies in the picture before any other."""
    return tuple(takewhile(lambda one: one.shape.base < top or not one.shape.lines, passes))
