"""Large neighbourhood search (LNS): change the incumbent in some rows, and keep the rest.

A SAT solver looks for shorter ways to lay the pieces in a *window* of the picture's rows. The
idea is from Shaw (1998, *Using constraint programming and local search methods to solve vehicle
routing problems*).

The formula (:mod:`~tetrisprinter.planners.shortest.formula`) is written for a *band*, a window of
a few rows. A question about a smaller window in it adds assumptions that fix the pieces outside. So
several questions share one formula, which often takes longer to load than to solve. If a short
question shows that the band has no shorter game, no window in the band has one.

The search goes from one group of bands to the next. Small bands come first, because their formulas
are small: in a test of 370 windows, those of two to four rows gave the most improvements for their
work. Each group has larger bands, or more rows that may clear. After the last group the search
starts over with more work for each window and another solver: the next *generation*. After a
success it goes back by one group. A window without a shorter game is not opened again until
something near it changes. So easy gains come first, and the size of the windows adapts to the
picture (compare Ropke and Pisinger 2006, *An adaptive large neighbourhood search heuristic for the
pickup and delivery problem with time windows*).
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass
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
    make_neighbourhood,
)
from tetrisprinter.planners.shortest.search import Candidate, ShortestSearch
from tetrisprinter.planners.shortest.stack import StackedGame, stack_game
from tetrisprinter.printing.target import Target, extend_upwards
from tetrisprinter.support.solving import solve_interruptibly

SOLVERS: Final = ("glucose3", "glucose4", "glucose42")
"""The SAT solvers, used in turn, because none of them always finds a game first."""

_CLAUSES: Final = 2_100_000
_CONFLICTS: Final = 16_000
_PROPAGATIONS: Final = 12_000_000
"""How many clauses are written and loaded, or conflicts or propagations made, in a unit of work:
about a second of a fast processor."""

_CLAUSES_AT_ONCE: Final = 200_000
_CONFLICTS_AT_ONCE: Final = 500
_PROPAGATIONS_AT_ONCE: Final = 900_000
"""Work between two checks of the stop: less than 0.1 s."""

CALL_WORK: Final = 0.001
"""The least work that a call of the solver is counted as."""

_HEIGHTS: Final = (2, 3, 4, 6, 8, 12, 18, 27, 40, 60, 100)
"""The heights of windows in picture rows; the whole band is a further window."""

_UNSEEN_ABOVE: Final = 3
"""How many rows above the picture may keep don't-care squares."""

SolverSteps = Generator[float, None, bool | None]
"""Yields work units; returns whether there is a game, or None at the work limit."""

_Rows = tuple[int, int]
"""A range of picture rows: the first one, and the one after the last."""


def improve_windows(search: ShortestSearch) -> Generator[float]:
    """Improve the incumbent of a search, window by window.

    The caller may replace the incumbent between slices. Without an incumbent, the search first
    looks for any game.

    Parameters
    ----------
    search : ShortestSearch
        Has the incumbent, and receives better ones.

    Yields
    ------
    float
        The work units of each slice. A unit is about a second of a processor; it is counted, not
        timed.
    """
    while search.incumbent.passes is None:
        if search.is_over or not (yield from _find_any_game(search)):
            return
    schedule = _BandSchedule(search)
    while not search.is_over:
        is_done = yield from schedule.search_group()
        if is_done:
            return


def _find_any_game(search: ShortestSearch) -> Generator[float, None, bool]:
    """Search for any game, with more and more clearing rows; return whether one was found."""
    target, budgets = extend_upwards(search.target, _UNSEEN_ABOVE), search.budgets
    for turn in range(64):
        rows: list[int] = []
        for slot in range(target.rows + 1):
            rows += [CLEARING] * (turn // len(SOLVERS) + 1)
            rows += [slot] * (slot < target.rows)
        try:
            question = NeighbourhoodSolver(search, target, Neighbourhood(tuple(rows)), turn)
        except FormulaTooLargeError:
            return False
        with question.solver:
            yield from question.load()
            answer = yield from question.search_within(
                None, budgets.lns_first_game_work * 2.0**turn
            )
            if answer and question.take():
                return True
        if search.run.stopped:
            return False
    return False


@dataclass(frozen=True, slots=True)
class _BandGroup:
    """A group of bands with the same limits; groups are searched one after the other."""

    height: int  # rows of the picture in a band, at most
    strength: int  # index in ``_STRENGTHS``: how much may change in a band


_Strength = tuple[int, PieceReach]
"""The least number of candidate rows in each slot, and how far pieces may reach."""

_STRENGTHS: Final[tuple[_Strength, ...]] = tuple(
    (min_candidates, PieceReach(reach, reach))
    for min_candidates, reach in ((1, 3), (1, 4), (2, 7), (3, 7))
)
"""Each strength allows more games than the one before. Small formulas find most games."""

_WHOLE: Final = 1 << 30
"""The height of a band that is the whole picture."""

_GROUPS: Final = tuple(
    _BandGroup(height, strength)
    for height, strength in (
        *((4, 0), (6, 1), (6, 2), (10, 1), (10, 2), (18, 1)),
        *((18, 2), (_WHOLE, 1), (_WHOLE, 2), (_WHOLE, 3)),
    )
)
"""The groups in the order of the search."""


class _BandSchedule:
    """The order of the windows in a search, and the windows that have no shorter game."""

    def __init__(self, search: ShortestSearch) -> None:
        self.search = search
        self.target = extend_upwards(search.target, _UNSEEN_ABOVE)
        self.group_number = 0  # index in ``_GROUPS``
        self.generation = 0  # how often all groups have been searched
        self.has_unanswered = False  # whether some question of this generation has no answer
        # By window and surroundings: the greatest strength that gave no shorter game
        self.refuted: dict[_Rows, dict[Hashable, int]] = {}
        # By question without an answer: the generation in which it was last tried
        self.tried: dict[Hashable, int] = {}
        # The last incumbent that was stacked, and its game
        self._stacked: tuple[Candidate | None, StackedGame] = (None, StackedGame((), (), True))
        # By window of the stacked incumbent: the key of the window's surroundings
        self.surroundings: dict[_Rows, Hashable] = {}

    @property
    def game(self) -> StackedGame:
        """The incumbent in the rows of its stack."""
        if self._stacked[0] is not self.search.incumbent:
            incumbent = self.search.incumbent
            self._stacked = incumbent, stack_game(incumbent.passes or (), self.target)
            self.surroundings.clear()
        return self._stacked[1]

    def search_group(self) -> Generator[float, None, bool]:
        """Search all bands of the present group; return whether the whole search is finished."""
        search, target = self.search, self.target
        group = _GROUPS[self.group_number]
        height = min(group.height, target.rows)
        is_shortened = False
        if height == target.rows or self.game.is_upward:
            for band in self._list_bands(height):
                if search.is_over:
                    return False
                answer = yield from self._improve(band, group)
                is_shortened |= answer is True
                self.has_unanswered |= answer is None
        if is_shortened:
            self.group_number = max(0, self.group_number - 1)
            return False
        self.group_number += 1
        if self.group_number < len(_GROUPS):
            return False
        is_done = not self.has_unanswered
        self.group_number, self.has_unanswered = 0, False
        self.generation += 1
        return is_done

    def _list_bands(self, height: int) -> list[_Rows]:
        """Cut the picture into overlapping bands; those with fewest clearing rows come first."""
        rows = self.target.rows
        counts = self.game.count_slot_clears(rows)
        highest = rows - height
        firsts = {*range(0, highest, max(1, height // 2)), highest}
        return [
            (first, first + height)
            for first in sorted(firsts, key=lambda row: (sum(counts[row : row + height + 1]), row))
        ]

    def _list_windows(self, band: _Rows, group: _BandGroup) -> list[_Rows]:
        """List the open windows of a band, the smallest first and the band itself last."""
        begin, end = band
        windows = []
        for height in _HEIGHTS:
            if (end - begin) // self.search.budgets.lns_height_divisor <= height < end - begin:
                for first in range(begin, end - height + 1, max(1, height // 3)):
                    windows.append((first, first + height))
        listed = [*windows, band] if self.game.is_upward else [band]
        return [window for window in listed if self._is_open(window, group)]

    def _is_open(self, window: _Rows, group: _BandGroup) -> bool:
        """Return whether a window still needs a search in this generation."""
        if self.tried.get(self._make_question_key(window, group), -1) >= self.generation:
            return False
        return self._can_save(window) and not any(
            first <= window[0]
            and window[1] <= last
            and strengths.get(self._get_surroundings((first, last)), -1) >= group.strength
            for (first, last), strengths in self.refuted.items()
        )

    def _make_question_key(self, window: _Rows, group: _BandGroup) -> Hashable:
        """Return the key of a question: the group's strength, the window and its surroundings."""
        return group.strength, window, self._get_surroundings(window)

    def _get_surroundings(self, window: _Rows) -> Hashable:
        """Return the key of a window; windows with equal keys have the same shorter games."""
        if window not in self.surroundings:
            self.surroundings[window] = self.game.make_window_key(*window)
        return self.surroundings[window]

    def _record_answer(self, window: _Rows, group: _BandGroup, answer: bool | None) -> None:
        """Record that a window has no shorter game, or no answer at the work limit (None)."""
        if answer is None:
            self.tried[self._make_question_key(window, group)] = self.generation
        else:
            strengths = self.refuted.setdefault(window, {})
            key = self._get_surroundings(window)
            strengths[key] = max(strengths.get(key, -1), group.strength)

    def _can_save(self, window: _Rows) -> bool:
        """Return whether as many rows clear in a window as a shorter game must save at once."""
        target = self.target
        min_saved_rows = (
            0 if target.count_spare() else target.width // gcd(target.width, 4) * 4 // target.width
        )
        counts = self.game.count_slot_clears(target.rows)
        return sum(counts[window[0] : window[1] + 1]) >= min_saved_rows

    def _improve(self, band: _Rows, group: _BandGroup) -> SolverSteps:
        """Search the windows of a band until none has a shorter game, or up to the work limit.

        Returns whether a shorter game was found; None if not, but some question has no answer.
        """
        search, budgets = self.search, self.search.budgets
        windows = self._list_windows(band, group)
        if not windows:
            return False
        question = self._make_question(band, group)
        if question is None:
            return False
        is_shortened = has_unanswered = False
        is_whole = band == (0, self.target.rows)
        work = budgets.lns_work * budgets.lns_growth**self.generation
        if is_whole:  # one question; smaller bands have several windows instead
            work *= budgets.lns_picture_factor
        with question.solver:
            yield from question.load()
            # The formula of the whole picture fixes no pieces: the incumbent may not be its model.
            while (
                windows
                and not search.is_over
                and (is_whole or question.formula.contains_game(self.game))
            ):
                before = search.incumbent
                answer = yield from question.shorten(budgets.lns_band_work)
                if answer is False:  # then no window in the band has a shorter game
                    self._record_answer(band, group, False)
                    return is_shortened
                for window in windows:
                    if search.incumbent is not before or search.is_over:
                        break
                    fixed: Sequence[int] = ()
                    if window != band:
                        fixed = question.formula.assume_fixed_outside(self.game, *window)
                    answer = yield from question.shorten(work, fixed, is_whole and window == band)
                    if search.incumbent is before:
                        self._record_answer(window, group, answer)
                        has_unanswered |= answer is None
                if search.incumbent is before:
                    break
                is_shortened = True
                windows = self._list_windows(band, group)
        return is_shortened or (None if has_unanswered else False)

    def _make_question(self, band: _Rows, group: _BandGroup) -> NeighbourhoodSolver | None:
        """Write the formula of a band; return None if it is too large."""
        search, target = self.search, self.target
        reach = PieceReach(max_early=search.budgets.lns_slack)
        min_candidates, limits = _STRENGTHS[group.strength]
        window = make_neighbourhood(self.game, target.width, *band, min_candidates, reach)
        try:
            return NeighbourhoodSolver(search, target, window, self.generation, limits)
        except FormulaTooLargeError:
            return None


class NeighbourhoodSolver:
    """A solver loaded with the formula of a window.

    Parameters
    ----------
    search : ShortestSearch
        Has the incumbent, and receives better ones.
    target : Target
        What every row must and may hold at the end of the game.
    window : Neighbourhood
        The open rows.
    turn : int
        Selects one of the SAT solvers, added to the seed.
    reach : PieceReach
        How far from its turn a piece may drop, and how many cleared rows it may lie across.
    """

    def __init__(
        self,
        search: ShortestSearch,
        target: Target,
        window: Neighbourhood,
        turn: int,
        reach: PieceReach = PieceReach(),  # noqa: B008
    ) -> None:
        from pysat.solvers import Solver

        self.search, self.target = search, target
        self.formula = GameFormula(target, window, reach, search.budgets.lns_clauses)
        self.counter: list[int] = []
        if search.max_drops is not None:
            # The fewest drops that can be saved at once
            self.step = 1 if target.count_spare() else target.width // gcd(target.width, 4)
            self.weight_limit = self.formula.compute_weight(search.max_drops + 1 - self.step)
            self.counter = self.formula.add_weight_counter(max(0, self.weight_limit))
        self.spent = 0.0  # work units used by the solver
        self.solver: Any = Solver(SOLVERS[(turn + search.run.seed) % len(SOLVERS)])

    def load(self) -> Iterator[float]:
        """Pass the formula to the solver; yield the work units of each step."""
        offset, clauses_left = 0, self.formula.size
        while offset >= 0:
            offset = self.formula.pass_clauses(
                self.solver.solver.add_clause, offset, _CLAUSES_AT_ONCE
            )
            yield min(clauses_left, _CLAUSES_AT_ONCE) / _CLAUSES
            clauses_left -= _CLAUSES_AT_ONCE
        self.formula.forget_clauses()

    def shorten(
        self, work: float, fixed: Sequence[int] = (), try_large_savings: bool = False
    ) -> SolverSteps:
        """Search for shorter games; return whether one was found, None if that is undecided.

        With ``try_large_savings``, much shorter games are tried first. In a whole picture they are
        easier to find than slightly shorter ones, or the solver nearly always refutes them at once.
        """
        search, is_shortened, step = self.search, False, self.step
        for drops in self._list_larger_savings() if try_large_savings else ():
            if (yield from self.search_within(self.formula.compute_weight(drops), work, fixed)):
                is_shortened = self.take()
                break
        while search.max_drops is not None and not search.is_over:
            weight_limit = self.formula.compute_weight(search.max_drops + 1 - step)
            answer: bool | None = False
            if weight_limit >= 0:
                answer = yield from self.search_within(weight_limit, work, fixed)
            if answer and not self.take():
                return is_shortened or None  # this game was rejected, but others may be accepted
            if answer:
                is_shortened = True
                step *= 2 if self.step == 1 else 1  # large steps help if drops can be saved singly
            elif step > self.step:
                step = self.step
            else:
                return is_shortened or answer
        return is_shortened or None

    def _list_larger_savings(self) -> list[int]:
        """List some numbers of drops that save more than one step, fewest first."""
        search, formula = self.search, self.formula
        largest = (search.max_drops or 0) + 1 - 2 * self.step
        all_drops = range(largest, search.run.bound - 1, -self.step)
        possible = [drops for drops in all_drops if formula.compute_weight(drops) >= 0]
        return possible[:: 1 + len(possible) // search.budgets.lns_max_savings][::-1]

    def search_within(
        self, weight_limit: int | None, work: float, fixed: Sequence[int] = ()
    ) -> SolverSteps:
        """Search for a game whose weights sum to at most ``weight_limit`` (None: no limit).

        Returns whether a game exists, or None at the work limit.
        """
        assumptions = [*fixed]
        if weight_limit is not None:
            assumptions += self.formula.assume_at_most(self.counter, weight_limit)
        answer = None
        while answer is None and work > 0 and not self.search.run.stopped:
            self.solver.prop_budget(_PROPAGATIONS_AT_ONCE)
            conflicts = min(_CONFLICTS_AT_ONCE, max(1, round(work * _CONFLICTS)))
            answer = solve_interruptibly(self.solver, assumptions, conflicts)
            stats = self.solver.accum_stats()
            before = self.spent
            self.spent = max(stats["conflicts"] / _CONFLICTS, stats["propagations"] / _PROPAGATIONS)
            used = max(CALL_WORK, self.spent - before)
            work -= used
            yield used
        return answer

    def take(self) -> bool:
        """Offer the model's game as the incumbent; return whether it was accepted."""
        model = self.solver.get_model()
        before = self.search.incumbent
        drops = self.formula.read_game(model)
        try:
            plan = make_plan_from_drops(drops, (), self.target.width, self.target.height)
        except InputError as error:  # an internal error: keep the incumbent
            LOG.error("%s", error)
            return False
        self.search.take(Candidate(plan.passes, self.formula.read_types(model)))
        return self.search.incumbent is not before
