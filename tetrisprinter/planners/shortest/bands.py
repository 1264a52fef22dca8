"""Rolling horizon: a band of rows at a time.

The joint model of :mod:`~tetrisprinter.planners.shortest.model` looks at the lowest
incomplete rows only. All of them must be completed, but only the passes that begin below
the band's upper edge are kept; the rest was looked at to see where they lead, and is
planned again with more of the picture in view. High bands with few matrices come first;
where that does not do, lower ones with more, and where it comes easily, higher ones again.

What can go wrong is that a pass leaves a row half printed in a way that cannot be
finished. Four rules keep that rare: nothing may bury a square that is still to be
printed; beyond the edge a row is begun only when the row below is complete; every square
still to be printed must be one that some piece could reach
(:func:`~tetrisprinter.planners.shortest.reach.ways_to_reach`); and a row whose runs must
begin by standing (:func:`~tetrisprinter.planners.shortest.reach.standing_runs`) gets all
of them at once. Squares beyond the edge cost nothing, for they are due anyway: only
cleared rows count, and that objective is solved in seconds.

If a band still cannot be completed, what was kept last is taken back and the next band looks
further ahead. Now and then the rest of the picture is printed row by row, by the planner that does
nothing else: so there is a plan wherever the bands end. Which of equally short bands is taken
makes a difference of a fifth in the end, so several attempts are made: in other types if these
are open, and with other seeds of the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, takewhile

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.assignments import covering_assignments
from tetrisprinter.planners.shortest.budgets import Budgets, Pool
from tetrisprinter.planners.shortest.pool import offer
from tetrisprinter.planners.shortest.problem import (
    Assignment,
    Passes,
    PassProblem,
    PassSolution,
    PlacedPass,
    drops_of,
    state_after,
)
from tetrisprinter.planners.shortest.reach import lowest_open
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.search import Candidate, Rest, Search, step_of
from tetrisprinter.planners.shortest.shape import CARRIED, PICTURE, Stack
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
    attempts = islice(_attempts(search), search.budgets.band_attempts)
    while not search.is_over and run.spent < most:
        some = list(islice(attempts, _ATTEMPTS_AT_ONCE))
        if not some:
            return
        incumbent = search.incumbent
        made = [partial(_attempt, search, incumbent, seed, one, work) for seed, one in some]
        plans = run.in_order(made, lambda passes: bool(passes) and drops_of(passes) <= run.bound)
        for (_, assignment), passes in zip(some, plans, strict=True):
            search.take(passes or None, assignment)


def _attempt(
    search: Search,
    incumbent: Candidate,
    seed: int,
    assignment: Assignment,
    work: float,
    run: SolverRun,
) -> Passes:
    """Print the whole picture band by band; return no passes if that ends nowhere.

    It ends as well when it falls behind the plan to beat. The rest of the picture may have been
    printed otherwise.
    """
    run.seed = seed
    target = colored(search.target, assignment)
    horizon = _Horizon(
        target, run, search.budgets, search.budgets.bands * search.squares,
        partial(_rest, search.rest, assignment), incumbent.passes or (),
    )  # fmt: skip
    most = run.spent + work
    while not horizon.is_done:
        run.report(search.stage, horizon.row / target.rows)
        if run.stopped or run.spent > most or horizon.is_longer or not horizon.go_on():
            return horizon.joined
    whole = tuple(horizon.passes)
    return min(whole, horizon.joined or whole, key=drops_of)


def _rest(rest: Rest, assignment: Assignment, passes: Passes) -> Passes | None:
    return rest(passes, assignment)


def _attempts(search: Search) -> Iterator[tuple[int, Assignment]]:
    """Yield seeds and assignments: by turns those of short games, and those that cover most."""
    seed = search.run.seed
    if search.target.shades is None:
        yield from ((seed + number, ()) for number in range(_ATTEMPTS_AT_ONCE))
        return
    short = iter(dict.fromkeys(filter(None, [search.incumbent.assignment, *search.assignments])))
    covering = covering_assignments(search.target, search.budgets)
    given: set[Assignment] = set()
    while True:
        some = [one for ways in (short, covering) if (one := next(ways, None)) is not None]
        if not some:
            return
        for one in some:
            if one not in given:
                given.add(one)
                yield seed, one


@dataclass(slots=True)
class _Horizon:
    """A picture that is being printed band by band: what was kept, and what went wrong.

    Attributes
    ----------
    target : Target
        The end of the game, in which the types have colours.
    run : SolverRun
        Clock, workers and seed.
    budgets : Budgets
        What is offered.
    work : float
        For all bands.
    rest : callable
        Prints the rest of the picture row by row.
    incumbent : tuple of PlacedPass
        The plan to beat.
    joined : tuple of PlacedPass
        The shortest plan that begins with bands and ends otherwise, if it is shorter.
    state : frozenset of (int, int)
        What is printed.
    passes : list of PlacedPass
        What was kept.
    back : list of (int, frozenset)
        For each time that something was kept: how many passes there were, and the state.
    trial : int
        Where among the trials the next band begins.
    ahead : int
        Rows to look further ahead, after a dead end.
    trouble : int
        Up to this row.
    ends : int
        How many dead ends there were.
    next_rest : int
        The row from which on the rest is to be printed again.
    solved : dict
        For each state, and band over it, what was found if that is final. A way back often leads
        to what was there before.
    """

    target: Target
    run: SolverRun
    budgets: Budgets
    work: float
    rest: Callable[[Passes], Passes | None]
    incumbent: Passes = ()
    joined: Passes = ()
    state: frozenset[Cell] = frozenset()
    passes: list[PlacedPass] = field(default_factory=list)
    back: list[tuple[int, frozenset[Cell]]] = field(default_factory=list)
    trial: int = 0
    ahead: int = 0
    trouble: int = 0
    ends: int = 0
    next_rest: int = 1
    solved: dict[tuple[frozenset[Cell], int, Pool], PassSolution] = field(default_factory=dict)

    @property
    def row(self) -> int:
        """The lowest row that is not complete."""
        return lowest_open(self.target, self.state)

    @property
    def is_done(self) -> bool:
        """Whether all rows are complete."""
        return self.row >= self.target.rows

    @property
    def is_longer(self) -> bool:
        """Whether it will take no fewer drops than the plan to beat, or is far behind it."""
        best = self.joined or self.incumbent
        if not best:
            return False
        played = drops_of(self.passes)
        missing = len(self.target.required - self.state)
        behind = played - _drops_until(self.target, best, self.row)
        is_behind = behind > self.budgets.band_behind * step_of(self.target)
        return is_behind or played + -(-missing // 4) >= drops_of(best)

    def go_on(self) -> bool:
        """Print a band, or go back; False if there is no way left."""
        if self.row >= self.trouble:
            self.ahead = 0
        kept = self._band(self.row)
        if kept is not None:
            self.back.append((len(self.passes), self.state))
            self.passes.extend(kept)
            self.state = state_after(self.state, kept)
            if not self.is_done:
                self._print_rest()
            return True
        self.ends += 1
        self.ahead += 1
        self.trouble = max(self.trouble, self.row + 1)
        if self.ahead > self.budgets.band_ahead or self.ends > self.budgets.band_ends:
            return False
        if self.back:
            first, self.state = self.back.pop()
            del self.passes[first:]
        return True

    def _band(self, row: int) -> Passes | None:
        """Complete some rows; return the passes to keep.

        If that came easily, the next band begins a trial higher.
        """
        rows, budgets = self.target.rows, self.budgets
        most = min(budgets.band_work, budgets.band_share * self.work)
        for at in range(self.trial, len(budgets.band_trials)):
            trial = budgets.band_trials[at]
            top = row + trial.rows + self.ahead
            top = top if top + _LEAST_ROWS <= rows else rows
            work = most * max(1.0, (top - row) / trial.rows)
            found = self._solved(row, top, trial.pool, work)
            if self.run.stopped:
                break
            if found.passes is None:
                continue
            # If nothing begins below the edge, all of it can stay: the rows are complete.
            kept = found.passes if top == rows else _kept(found.passes, top)
            easy = found.complete and found.work < most / 2
            self.trial = max(0, at - easy)
            return kept or found.passes
        return None

    def _solved(self, row: int, top: int, pool: Pool, work: float) -> PassSolution:
        """Solve a band, but none again that came to its end from here."""
        band = (self.state, top, pool)
        if band in self.solved:
            return self.solved[band]
        found = self.run.solve(self._problem(row, top, pool), work)
        if found.complete:
            self.solved[band] = found
        return found

    def _print_rest(self) -> None:
        """Let the rest of the picture be printed at once, if that is shorter than the incumbent.

        What is open must hang from one matrix over all that lies there; it prints one row
        more and carries what does not come out even.
        """
        budgets, target = self.budgets, self.target
        base = 1 + max((y for _, y in self.state), default=0)
        if self.row < self.next_rest or base + 1 >= target.rows:
            return
        self.next_rest = self.row + 1
        stacks = tuple(stack + Stack((PICTURE, CARRIED)) for stack in budgets.rest)
        jobs = []
        for shape in offer(target, budgets, [base], stacks, target.rows, lying=False):
            goal = self.state | _up_to(target, base + 1)
            problem = PassProblem(target, (shape,), self.state, goal, all_used=True)
            jobs.append((problem, budgets.rest_work, False))
        found = next((one.passes for one in self.run.solve_all(jobs) if one.passes), None)
        if found is None or self.run.stopped:
            return
        self.next_rest = self.row + budgets.rest_rows
        whole = self.rest((*self.passes, *found))
        best = self.joined or self.incumbent
        if whole is not None and (not best or drops_of(whole) < drops_of(best)):
            self.joined = whole

    def _problem(self, row: int, top: int, pool: Pool) -> PassProblem:
        """Ask for all rows below the edge."""
        target, budgets = self.target, self.budgets
        shapes = offer(target, budgets, range(row, top + 1), pool, top)
        if top == target.rows:
            # All that is left of the last row hangs from the last matrices.
            shapes += offer(target, budgets, [top], budgets.band_last, top, lying=False)
        return PassProblem(target, shapes, self.state, self.state | _up_to(target, top), ahead=True)


def _drops_until(target: Target, passes: Passes, row: int) -> int:
    """Return the drops after which all rows below one are complete."""
    state: frozenset[Cell] = frozenset()
    drops = 0
    for one in passes:
        if lowest_open(target, state) >= row:
            break
        state = state_after(state, [one])
        drops += one.drops
    return drops


def _kept(passes: Passes, top: int) -> Passes:
    """Return the passes below the edge, and what lies in the picture before any other."""
    return tuple(takewhile(lambda one: one.shape.base < top or not one.shape.lines, passes))


def _up_to(target: Target, row: int) -> frozenset[Cell]:
    return frozenset(cell for cell in target.required if cell[1] < row)
