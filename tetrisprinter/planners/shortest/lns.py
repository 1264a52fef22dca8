"""Large neighbourhood search (LNS): change the incumbent in some rows, and keep the rest.

A SAT solver looks for shorter ways to lay the pieces in a *window* of the picture's rows. The
idea is from Shaw (1998, *Using constraint programming and local search methods to solve vehicle
routing problems*).

The formula (:mod:`~tetrisprinter.planners.shortest.formula`) is not written for each window, but
for a *band* of rows: all of a small picture, overlapping parts of a large one. A window of it is
asked about under assumptions: the pieces outside stay. So the solver keeps what it learnt from
window to window, and begins each with the values that it had last. Most windows have no shorter
game, which is then seen at nearly no cost.

The search goes up a ladder. Each round does twice as much work for each window; every second one
begins a *generation* with larger bands, more rows that may clear, and another solver. A window
that has no shorter game is not opened again until something near it changes. After a success the
search goes one round down. So easy gains come first, and the size of the windows adapts to the
picture (compare Ropke and Pisinger 2006, *An adaptive large neighbourhood search heuristic for
the pickup and delivery problem with time windows*).
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterator, Sequence
from math import gcd
from typing import Any, Final

from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.errors import InputError
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.formula import (
    FormulaTooLargeError,
    GameFormula,
    Neighbourhood,
    PieceReach,
    open_window,
)
from tetrisprinter.planners.shortest.search import Candidate, ShortestSearch
from tetrisprinter.planners.shortest.stack import StackedGame, stack_game
from tetrisprinter.printing.target import Target, extend_upwards
from tetrisprinter.support.solving import solve_sliced

_SOLVERS: Final = ("glucose3", "glucose4", "glucose42")
"""Which of them finds a game first is a matter of luck, so they take turns."""

_CLAUSES: Final = 3_000_000
_CONFLICTS: Final = 6_000
_PROPAGATIONS: Final = 9_000_000
"""Clauses written, clauses loaded, conflicts and propagations in a unit of work:
about a second of a fast processor."""

_CLAUSES_AT_ONCE: Final = 200_000
_CONFLICTS_AT_ONCE: Final = 300
_PROPAGATIONS_AT_ONCE: Final = 900_000
"""Work between two checks of the stop: less than 0.1 s."""

_ASKED: Final = 0.001
"""The work of asking at all, about."""

_FOREVER: Final = 1 << 30
"""No round is as late."""

_ROUNDS: Final = 2
"""Rounds of a generation."""

_REACHES: Final = (PieceReach(across=4, early=4), PieceReach())
"""The limits of the first generation, and of all later ones: smaller formulas find most games."""

_UNSEEN_ABOVE: Final = 3
"""Rows above the picture that may hold squares that are not seen."""

_Asking = Generator[float, None, bool | None]
"""Yields work; returns whether there is a game, or None if the work was not enough."""

_Rows = tuple[int, int]
"""Rows of the picture: the first one, and the first one behind them."""


def improve_windows(search: ShortestSearch) -> Iterator[float]:
    """Improve the incumbent of a search, window by window.

    Another incumbent may replace it between two slices. Without an incumbent, any game is searched.

    Parameters
    ----------
    search : ShortestSearch
        With the incumbent; better ones are handed to it.

    Yields
    ------
    float
        The work of the next slice: about a second of a processor each, without a clock.
    """
    while search.incumbent.passes is None:
        if search.is_over or not (yield from _find_any(search)):
            return
    with _Ladder(search) as ladder:
        while not search.is_over:
            done = yield from ladder.climb()
            if done:
                return


def _find_any(search: ShortestSearch) -> Generator[float, None, bool]:
    """Search for any game, with more and more clearing rows; return whether to continue."""
    target, budgets = extend_upwards(search.target, _UNSEEN_ABOVE), search.budgets
    for turn in range(64):
        rows: list[int] = []
        for slot in range(target.rows + 1):
            rows += [CLEARING] * (turn // len(_SOLVERS) + 1)
            rows += [slot] * (slot < target.rows)
        try:
            question = NeighbourhoodSolver(search, target, Neighbourhood(tuple(rows)), turn)
        except FormulaTooLargeError:
            return False
        with question:
            yield from question.load()
            answer = yield from question.ask(None, budgets.lns_any * 2.0**turn)
            if answer and question.take():
                return True
        if search.run.stopped:
            return False
    return False


class _Ladder:
    """The windows of a search: those without a shorter game, their bands, and the round."""

    def __init__(self, search: ShortestSearch) -> None:
        self.search = search
        self.target = extend_upwards(search.target, _UNSEEN_ABOVE)
        self.round = self.generation = 0
        self.given_up: dict[tuple[int, _Rows, frozenset[Hashable]], int] = {}  # until which round
        self.bands: dict[_Rows, NeighbourhoodSolver | None] = {}  # None: too large

    def __enter__(self) -> _Ladder:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop_bands()

    @property
    def _free(self) -> int:
        """The least number of rows that may clear in each slot."""
        return 1 + self.generation % 2 + self.generation // 4

    def _drop_bands(self, but: _Rows | None = None) -> None:
        kept = self.bands.pop(but, None) if but is not None else None
        for question in self.bands.values():
            if question is not None:
                question.solver.delete()
        self.bands.clear()
        if but is not None and kept is not None:
            self.bands[but] = kept

    def climb(self) -> Generator[float, None, bool]:
        """Search all windows of a round; return whether no window can be improved any more."""
        search, target = self.search, self.target
        if self.generation != self.round // _ROUNDS:
            self.generation = self.round // _ROUNDS
            self._drop_bands()
        shorter = left = False
        bands = self._list_bands(stack_game(search.incumbent.passes or (), target))
        for window, band in self._list_windows(bands):
            if search.is_over:
                return False
            answer = yield from self._improve(window, band)
            shorter |= answer is True
            left |= answer is None
        if shorter:
            self.round = max(self.generation * _ROUNDS, self.round - 1)
            return False
        self.round += 1
        is_all = (0, target.rows) in bands
        return is_all and not left and self.generation > 2 * len(_SOLVERS)

    def _list_bands(self, game: StackedGame) -> list[_Rows]:
        """Cut the picture into overlapping bands whose stacks have a limited number of cells."""
        target, budgets = self.target, self.search.budgets
        most = (budgets.lns_band << self.generation // 2) // target.width
        rows = [1 + max(n, self._free) for n in game.slots(target.rows)]
        if not game.is_upward or sum(rows) <= most:
            return [(0, target.rows)]
        found: list[_Rows] = []
        first = 0
        while not found or found[-1][1] < target.rows:
            last = first + 1
            while last < target.rows and sum(rows[first : last + 2]) <= most:
                last += 1
            last = max(last, min(target.rows, first + budgets.lns_heights[0]))
            found.append((first, last))
            first += max(1, (last - first) // 2)
        return found

    def _list_windows(self, bands: Sequence[_Rows]) -> list[tuple[_Rows, _Rows]]:
        """Return the windows of the round with their bands, in the order of promise.

        Windows with many cleared rows for their height come first.
        """
        target, budgets = self.target, self.search.budgets
        counts = stack_game(self.search.incumbent.passes or (), target).slots(target.rows)
        listed: dict[_Rows, _Rows] = {}
        for band in bands:
            begin, end = band
            for height in (*budgets.lns_heights, end - begin):
                step = max(1, height // budgets.lns_overlap)
                highest = end - height
                for first in {*range(begin + self.round % step, highest, step), highest}:
                    if first >= begin:
                        listed.setdefault((first, first + height), band)

        def rank(window: _Rows) -> tuple[bool, float, _Rows]:
            first, last = window
            rows = sum(counts[first : last + 1])
            # The whole is last: it takes long to see that nothing is shorter.
            return window == (0, target.rows), -rows / (last - first + budgets.lns_apart), window

        return [(window, listed[window]) for window in sorted(listed, key=rank)]

    def _improve(self, window: _Rows, band: _Rows) -> _Asking:
        """Search a window until it has no shorter game or its work is spent."""
        search, target, budgets = self.search, self.target, self.search.budgets
        game = stack_game(search.incumbent.passes or (), target)
        if not game.is_upward:  # then only the whole can be asked about
            window = band = (0, target.rows)
        saves = 0 if target.spare() else target.width // gcd(target.width, 4) * 4 // target.width
        if sum(game.slots(target.rows)[window[0] : window[1] + 1]) < saves:
            return False  # so few rows cannot be saved
        key = (self.generation, window, game.surroundings(*window))
        if self.given_up.get(key, -1) >= self.round:
            return False
        question = yield from self._question(game, band)
        answer: bool | None = False
        if question is not None:
            before = search.incumbent
            fixed = question.formula.fix(game, *window)
            answer = yield from question.shorten(budgets.lns_work * 2.0**self.round, fixed)
            if search.incumbent is not before:
                # The stack of another band is not that of the game any more.
                self._drop_bands(band)
        self.given_up[key] = self.round if answer is None else _FOREVER
        return answer

    def _question(
        self, game: StackedGame, band: _Rows
    ) -> Generator[float, None, NeighbourhoodSolver | None]:
        """Return the formula of a band that contains the incumbent; None if it is too large.

        A formula is reused while the incumbent has no more rows in any slot.
        """
        search, target = self.search, self.target
        if band in self.bands:
            question = self.bands[band]
            if question is None or question.formula.has(game):
                return question
            self._drop_bands()
        reach = PieceReach(early=search.budgets.lns_slack)
        window = open_window(game, target.width, *band, self._free, reach)
        try:
            limits = _REACHES[min(self.generation, len(_REACHES) - 1)]
            question = NeighbourhoodSolver(search, target, window, self.generation, limits)
        except FormulaTooLargeError:
            question = None
        self.bands[band] = question
        if question is not None:
            yield from question.load()
        return question


class NeighbourhoodSolver:
    """A solver loaded with the formula of a window.

    Parameters
    ----------
    search : ShortestSearch
        With the incumbent.
    target : Target
        What every row must and may hold at the end of the game.
    window : Neighbourhood
        The open rows.
    turn : int
        Which solver is asked.
    reach : PieceReach
        How far from its turn a piece may drop, and across how many rows it may lie.
    """

    def __init__(
        self,
        search: ShortestSearch,
        target: Target,
        window: Neighbourhood,
        turn: int,
        reach: PieceReach = _REACHES[-1],
    ) -> None:
        from pysat.solvers import Solver

        self.search, self.target = search, target
        self.formula = GameFormula(target, window, reach, search.budgets.lns_clauses)
        self.more: list[int] = []
        if search.most is not None:
            self.step = 1 if target.spare() else target.width // gcd(target.width, 4)
            self.room = self.formula.cells_of(search.most + 1 - self.step)
            self.more = self.formula.count_cells(max(0, self.room))
        self.done = 0.0  # by the solver
        self.solver: Any = Solver(_SOLVERS[(turn + search.run.seed) % len(_SOLVERS)])

    def __enter__(self) -> NeighbourhoodSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def load(self) -> Iterator[float]:
        """Pass the formula to the solver."""
        at = 0
        while at >= 0:
            at = self.formula.hand_over(self.solver.add_clause, at, _CLAUSES_AT_ONCE)
            yield min(self.formula.size, _CLAUSES_AT_ONCE) / _CLAUSES
        self.formula.forget_clauses()

    def shorten(self, work: float, fixed: Sequence[int]) -> _Asking:
        """Search for much shorter games, then for slightly shorter ones; return whether one exists.

        A much shorter game is easier to find than a slightly shorter one, and its absence is nearly
        always proved at once.
        """
        search, found, step = self.search, False, self.step
        few = self._much_shorter()
        for drops in () if fixed else few:
            if (yield from self.ask(self.formula.cells_of(drops), work, fixed)):
                found = self.take()
                break
        while search.most is not None and not search.is_over:
            room = self.formula.cells_of(search.most + 1 - step)
            answer = False if room < 0 else (yield from self.ask(room, work, fixed))
            if answer and not self.take():
                return found or None  # this game is not wanted, perhaps another one is
            if answer:
                found = True
                step *= 2 if self.step == 1 else 1  # where drops can be saved one by one
            elif step > self.step:
                step = self.step
            else:
                return found or answer
        return found or None

    def _much_shorter(self) -> list[int]:
        """List some numbers of drops that save more than one step, fewest first."""
        search, formula = self.search, self.formula
        most = (search.most or 0) + 1 - 2 * self.step
        every = range(most, search.run.bound - 1, -self.step)
        listed = [drops for drops in every if formula.cells_of(drops) >= 0]
        return listed[:: 1 + len(listed) // search.budgets.lns_aims][::-1]

    def ask(self, room: int | None, work: float, fixed: Sequence[int] = ()) -> _Asking:
        """Search for a game with at most ``room`` cells."""
        few = [*fixed, *(() if room is None else self.formula.at_most(self.more, room))]
        answer = None
        while answer is None and work > 0 and not self.search.run.stopped:
            self.solver.prop_budget(_PROPAGATIONS_AT_ONCE)
            conflicts = min(_CONFLICTS_AT_ONCE, max(1, round(work * _CONFLICTS)))
            answer = solve_sliced(self.solver, few, conflicts)
            count = self.solver.accum_stats()
            before = self.done
            self.done = max(count["conflicts"] / _CONFLICTS, count["propagations"] / _PROPAGATIONS)
            used = max(_ASKED, self.done - before)
            work -= used
            yield used
        return answer

    def take(self) -> bool:
        """Offer the found game as the incumbent; return whether it was shorter."""
        model = self.solver.get_model()
        known = self.search.incumbent
        drops = self.formula.game(model)
        try:
            plan = make_plan_from_drops(drops, (), self.target.width, self.target.height)
        except InputError as error:  # a fault; the incumbent stays
            LOG.error("%s: %s", self.search.stage, error)
            return False
        self.search.take(Candidate(plan.passes, self.formula.assignment(model)))
        return self.search.incumbent is not known
