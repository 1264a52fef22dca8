"""Rolling horizon: large pictures, a band of rows at a time.

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

If a band still cannot be completed, the planner takes back what it kept last and looks
further ahead. If that does not help either, it goes back to a *clean* state (all rows
below some row complete, nothing in it or above) and goes on row by row from there until
it is past the place. If no band can be completed from a clean state, going back would lead
to the same state again, so the next row is printed alone at once. A row over a complete one
is a small problem, and every list of matrix heights with the right remainder can be tried
in turn, in the order of their sum. On even widths a row often cannot be printed alone; then
it goes together with the next, or with those before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from math import inf

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.problem import (
    Passes,
    PassProblem,
    PassSolution,
    PlacedPass,
    drops_of,
    state_after,
)
from tetrisprinter.planners.shortest.reach import lowest_open
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import (
    CARRIED,
    PICTURE,
    PassShape,
    Stack,
    plain,
)
from tetrisprinter.planners.shortest.strategies.offers import interleaved, offer
from tetrisprinter.planners.shortest.tuning import Offers, Trial, Tuning
from tetrisprinter.printing.counting import makes_pieces, unit_of
from tetrisprinter.printing.target import Target

__all__ = ["print_by_bands"]

_Band = tuple[int, Offers]
"""The row above it, and what is offered."""


def print_by_bands(
    target: Target,
    run: SolverRun,
    *,
    first: Sequence[Trial] = (),
    abreast: int = 2,
    budget: float = inf,
    known: Passes = (),
) -> Passes | None:
    """Print the whole picture band by band.

    Parameters
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers and seed.
    first : sequence of Trial
        How to plan bands, before what suits the number of squares in a row is tried.
    abreast : int
        How many trials are made side by side; the more ambitious result counts. Where few
        squares hold a row the models are large, and trials are made one after the other.
    budget : float
        Deterministic time for all bands together, after which it is given up.
    known : tuple of PlacedPass
        A plan to beat; when that cannot be done any more, it ends. Now and then the rest of the
        picture is printed as ``run.finish`` does, so that there is a plan wherever the bands end.

    Returns
    -------
    tuple of PlacedPass or None
        If the run was stopped, the budget was spent, or even row by row failed, None, or
        bands with the rest printed otherwise if that is shorter than the known plan.
    """
    tuning = run.tuning
    dense = len(target.required) > tuning.band_sparse_squares * target.rows
    trials = tuple(first)
    if not known or not first:
        trials += tuning.dense_bands if dense else tuning.sparse_bands
    horizon = _Horizon(target, run, trials, abreast if dense else 1, known)
    most = run.spent + budget * run.effort
    while not horizon.is_done:
        run.report("rolling horizon", horizon.row / target.rows)
        if run.stopped or run.spent > most or horizon.is_longer or not horizon.go_on():
            return horizon.joined
    return min(tuple(horizon.passes), horizon.joined or tuple(horizon.passes), key=drops_of)


@dataclass(slots=True)
class _Horizon:
    """A picture that is being printed band by band: what was kept, and what went wrong.

    Attributes
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers and seed.
    trials : sequence of Trial
        Ways to plan a band, from the most ambitious one.
    abreast : int
        How many of them are tried side by side.
    known : tuple of PlacedPass
        A plan to beat.
    joined : tuple of PlacedPass or None
        The shortest plan that begins with bands and ends otherwise, if it is shorter.
    state : frozenset of (int, int)
        What is printed.
    passes : list of PlacedPass
        What was kept.
    back : list of (int, frozenset)
        For each time that something was kept: how many passes there were, and the state.
    trial : int
        Where among the trials the next band begins.
    extra : int
        Rows to look further ahead, after a dead end.
    trouble : int
        The row above the highest dead end.
    careful : int
        Below this row, go row by row.
    dead_ends : int
        How often there was no way on.
    next_join : int
        The row from which on the rest is to be printed again.
    tried : dict from frozenset to int
        Clean states, and up to which row those over them were printed together.
    solved : dict
        For each state, and band over it, how long that was looked at (for ever, if it came to
        its end) and what was found. A way back often leads to what was there before.
    """

    target: Target
    run: SolverRun
    trials: Sequence[Trial]
    abreast: int
    known: Passes = ()
    joined: Passes | None = None
    state: frozenset[Cell] = frozenset()
    passes: list[PlacedPass] = field(default_factory=list)
    back: list[tuple[int, frozenset[Cell]]] = field(default_factory=list)
    trial: int = 0
    extra: int = 0
    trouble: int = 0
    careful: int = 0
    dead_ends: int = 0
    next_join: int = 1
    tried: dict[frozenset[Cell], int] = field(default_factory=dict)
    solved: dict[tuple[frozenset[Cell], int, Offers], tuple[float, PassSolution]] = field(
        default_factory=dict
    )

    @property
    def row(self) -> int:
        """The lowest row that is not complete."""
        return lowest_open(self.target, self.state)

    @property
    def wider(self) -> float:
        """How much more time a wide board takes."""
        return max(1.0, self.target.width / self.run.tuning.band_width)

    @property
    def is_done(self) -> bool:
        """Whether all rows are complete."""
        return self.row >= self.target.rows

    @property
    def is_longer(self) -> bool:
        """Whether it will take no fewer drops than the plan to beat, or is far behind it."""
        best = self.joined or self.known
        if not best:
            return False
        played = drops_of(self.passes)
        missing = len(self.target.required - self.state)
        step = self.target.width // unit_of(self.target.width)
        behind = played - _drops_until(self.target, best, self.row)
        is_behind = behind > self.run.tuning.band_behind * step
        return is_behind or played + -(-missing // 4) >= drops_of(best)

    @property
    def is_clean(self) -> bool:
        """Whether nothing lies in the lowest row that is not complete, or above."""
        row = self.row
        return not any(y >= row for _, y in self.state)

    def go_on(self) -> bool:
        """Print a band or a row, or go back; False if there is no way left."""
        row = self.row
        if row >= self.trouble:
            self.extra = 0
        alone = row < self.careful and self.is_clean
        taken = self._alone(row) if alone else self._band(row)
        if taken is not None:
            self.back.append((len(self.passes), self.state))
            self.passes.extend(taken)
            self.state = state_after(self.state, taken)
            if self.known:
                self._join()
            return True
        if row >= self.careful and self.is_clean:
            self.careful = row + 1  # whatever leads here leads to the same state
            return True
        self.dead_ends += 1
        if self.dead_ends > self.run.tuning.dead_ends:
            return False
        return self._go_back(row)

    def _go_back(self, row: int) -> bool:
        """Take back what was kept last; after some times, as far as a clean state."""
        if not self.back:
            if self.careful > row:
                return False
            self.careful = row + 1
            return True
        self.trouble = max(self.trouble, row + 1)
        self.extra += 1
        is_enough = self.extra > self.run.tuning.ahead_most
        if is_enough and self.joined is not None:
            return False  # a clean state may be far below
        count, self.state = self.back.pop()
        while self.back and is_enough and not self.is_clean:
            count, self.state = self.back.pop()
        if is_enough:
            self.careful, self.extra = max(self.careful, self.trouble + 1), 0
        del self.passes[count:]
        return True

    def _alone(self, row: int) -> Passes | None:
        """Print a row alone, or up to the dead end together; the same way is not gone twice."""
        top = row + 1 if self.state not in self.tried else self.trouble
        if not self.tried.get(self.state, row) < top <= row + self.run.tuning.rows_together:
            return None
        self.tried[self.state] = top
        return _Rows(self.target, self.run, self.state, row, top).printed()

    def _band(self, row: int) -> Passes | None:
        """Complete some rows; return the passes to keep.

        If that came easily, the next band begins a trial higher.
        """
        rows = self.target.rows
        # With a plan to beat, looking further ahead comes before the tallest matrices.
        waits = bool(self.known and self.back) and not self.extra
        last = max(self.trial + 1, len(self.trials) - waits)
        for at in range(self.trial, last, self.abreast):
            bands: dict[_Band, float] = {}
            for trial in self.trials[at : at + self.abreast]:
                top = row + trial.rows + self.extra
                top = top if top + self.run.tuning.band_least_rows <= rows else rows
                higher = max(1.0, (top - row) / trial.rows)
                bands.setdefault((top, trial.offers), trial.work * higher * self.wider)
            results = self._solved(row, bands)
            if self.run.stopped:
                break
            for i, ((top, _), found) in enumerate(zip(bands, results, strict=True)):
                if found.passes is None:
                    continue
                # If nothing begins below the edge, all of it can stay: the rows are complete.
                kept = found.passes if top == rows else _kept(found.passes, top)
                easy = found.complete and found.work < self.trials[at + i].work / 2
                self.trial = max(0, at + i - easy)
                return kept or found.passes
        return None

    def _solved(self, row: int, bands: Mapping[_Band, float]) -> list[PassSolution]:
        """Solve bands in so much time each, but none again that came to its end from here."""
        new = {
            band: work
            for band, work in bands.items()
            if self.solved.get((self.state, *band), (-1.0,))[0] < work
        }
        jobs = [(self._problem(row, *band), work, True) for band, work in new.items()]
        for (band, work), found in zip(new.items(), self.run.solve_all(jobs), strict=True):
            self.solved[self.state, *band] = (inf if found.complete else work, found)
        return [self.solved[self.state, *band][1] for band in bands]

    def _join(self) -> None:
        """Let the rest of the picture be printed at once, if that is shorter than what is known.

        What is open must hang from one matrix over all that lies there; it prints one row
        more and carries what does not come out even.
        """
        tuning, target = self.run.tuning, self.target
        base = 1 + max((y for _, y in self.state), default=0)
        if self.run.finish is None or self.row < self.next_join or base + 1 >= target.rows:
            return
        self.next_join = self.row + 1
        stacks = tuple(stack + Stack((PICTURE, CARRIED)) for stack in tuning.join.offers)
        jobs = []
        for shape in offer(target, tuning, [base], stacks, target.rows, lying=False):
            goal = self.state | _up_to(target, base + 1)
            problem = PassProblem(target, (shape,), self.state, goal, all_used=True)
            jobs.append((problem, tuning.join.work * self.wider, False))
        found = next((one.passes for one in self.run.solve_all(jobs) if one.passes), None)
        if found is None or self.run.stopped:
            return
        self.next_join = self.row + tuning.join_rows
        whole = self.run.finish((*self.passes, *found))
        if whole is not None and drops_of(whole) < drops_of(self.joined or self.known):
            self.joined = whole
            self.run.found(drops_of(whole))

    def _problem(self, row: int, top: int, offers: Offers) -> PassProblem:
        """Ask for all rows below the edge."""
        target, tuning = self.target, self.run.tuning
        shapes = offer(target, tuning, range(row, top + 1), offers, top)
        if top == target.rows:
            # All that is left of the last row hangs from the last matrices.
            shapes += offer(target, tuning, [top], tuning.band_last_offers, top, lying=False)
        goal = self.state | _up_to(target, top)
        enough = self._enough(top - row)
        return PassProblem(target, shapes, self.state, goal, ahead=True, enough=enough)

    def _enough(self, rows: int) -> int:
        """Return what is clearly less than so many rows of the plan to beat; -1 without one."""
        lines = sum(one.shape.lines for one in self.joined or self.known)
        cells = self.target.width * lines * rows / self.target.rows
        return int(self.run.tuning.band_enough * cells) if lines else -1


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


class _Rows:
    """A row that is printed alone from a clean state, leaving a clean state again.

    Where the width cannot leave that many squares, the next rows join in.
    """

    def __init__(
        self, target: Target, run: SolverRun, state: frozenset[Cell], row: int, top: int
    ) -> None:
        unit = 1 if target.above else unit_of(target.width)
        while top < target.rows and len(_up_to(target, top)) % unit:
            top += 1
        self.target, self.run, self.state = target, run, state
        self.row, self.top = row, top
        self.goal = state | _up_to(target, top)
        self.exact = not target.above  # squares that may stay unseen make it come out even

    def printed(self) -> Passes | None:
        """Try what is cheap, then picture rows between clearing rows, then list by list."""
        return self._any() or self._joined() or self._listed()

    def _any(self) -> Passes | None:
        for trial in self.run.tuning.row_trials:
            shapes = tuple(
                shape
                for shape in self._offered(trial.offers, self.top)
                if shape.base < self.top or not shape.stack.picture_rows or shape.lines
            )
            found = self.run.solve(self._problem(shapes), trial.work)
            if found.passes is not None or self.run.stopped:
                return found.passes
        return None

    def _joined(self) -> Passes | None:
        if self.top <= self.row + 1 or self.run.stopped:
            return None
        tuning = self.run.tuning
        problems = [
            self._problem(self._offered(look.offers, self.target.rows))
            for look in tuning.joined_looks
        ]
        results = self.run.solve_all([(p, tuning.row_joined_work, False) for p in problems])
        return next((found.passes for found in results if found.passes is not None), None)

    def _listed(self) -> Passes | None:
        if self.run.stopped:
            return None
        tuning = self.run.tuning
        pixels = len(self.goal) - len(self.state) if self.exact else None
        lists = _height_lists(self.target.width, pixels, self.top - self.row, tuning)
        for one in islice(lists, tuning.row_lists):
            shapes = tuple(
                shape
                for base, some in zip(range(self.row, self.top + 1), one, strict=True)
                for shape in offer(self.target, tuning, [base], some, self.top)
            )
            problem = replace(self._problem(shapes), all_used=True)
            found = self.run.solve(problem, tuning.row_list_work, core=False)
            if found.passes is not None or self.run.stopped:
                return found.passes
        return None

    def _offered(self, offers: Offers, top: int) -> tuple[PassShape, ...]:
        bases = range(self.row, self.top + 1)
        return offer(self.target, self.run.tuning, bases, offers, top)

    def _problem(self, shapes: Sequence[PassShape]) -> PassProblem:
        """Take the standing rows off passes at the edge: nothing may be printed there."""
        cut = [
            replace(one, stack=one.stack.bare()) if one.base >= self.top else one for one in shapes
        ]
        kept = tuple(one for one in cut if one.stack.rows or one.below)
        return PassProblem(self.target, kept, self.state, self.goal, exact=self.exact)


def _height_lists(
    width: int, pixels: int | None, rows: int, tuning: Tuning
) -> Iterator[tuple[Offers, ...]]:
    """Yield ways to give each base some matrices, by increasing sum.

    First single matrices, then those with picture rows between their clearing rows (on even
    widths there are pictures that nothing else prints), then several matrices.
    """
    tallest = tuning.row_tallest
    for total in range(tallest + tallest // 2 + 1):
        if pixels is not None and not makes_pieces(pixels + width * total):
            continue
        flat: list[tuple[Offers, ...]] = []
        if total <= tallest:
            most = tuning.row_matrices if total <= tallest // 2 else 2
            flat = [lists for lists in _split(total, rows + 1) if sum(map(len, lists)) <= most]
            flat.sort(key=lambda lists: (sum(map(len, lists)), lists))
        yield from (lists for lists in flat if sum(map(len, lists)) <= 1)
        for parts in range(2, rows + 2):
            mixed = interleaved(total, parts, tuning.splits)
            yield from (((stack,), *[()] * rows) for stack in mixed)
        yield from (lists for lists in flat if sum(map(len, lists)) > 1)


def _split(total: int, bases: int) -> Iterator[tuple[Offers, ...]]:
    """Yield the ways to share some clearing rows among some bases."""
    if bases == 0:
        if total == 0:
            yield ()
        return
    for here in range(total + 1):
        for lines in _partitions(here, here):
            for rest in _split(total - here, bases - 1):
                yield (plain(*lines), *rest)


def _partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)
