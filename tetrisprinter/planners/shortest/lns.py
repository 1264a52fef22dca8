"""Large neighbourhood search (LNS): change the incumbent in some rows, and keep the rest.

In a *window* of the picture's rows the pieces are taken out, and a SAT solver looks for a shorter
way to put pieces there (:mod:`~tetrisprinter.planners.shortest.formula`). The idea is from Shaw
(1998, *Using constraint programming and local search methods to solve vehicle routing problems*).

The search goes up a ladder. Each round has windows up to twice as high as those of the round
before, and twice as much work for each of them, by another solver. A window that has no shorter
game is not opened again until something around it changes; one that was given up is, in a later
round. After a success the search goes one round down. So easy gains come first, and the size of
the windows adapts to the picture (compare Ropke and Pisinger 2006, *An adaptive large
neighbourhood search heuristic for the pickup and delivery problem with time windows*).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import gcd, inf
from typing import Any, Final

from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.errors import InputError
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.formula import (
    GameFormula,
    Neighbourhood,
    Reach,
    TooLargeError,
    open_window,
)
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.planners.shortest.stack import StackedGame, stack_game
from tetrisprinter.printing.target import Target, extend_upwards
from tetrisprinter.support.solving import solve_sliced

__all__ = ["improve_windows", "run_lns"]

_SOLVERS: Final = ("glucose3", "glucose4", "glucose42")
"""Which of them finds a game first is a matter of luck, so they take turns."""

_CLAUSES: Final = 2_500_000
_CONFLICTS: Final = 10_000
_PROPAGATIONS: Final = 15_000_000
"""What is written and loaded of clauses, and done of conflicts or propagations, in a unit of work:
about a second of a fast processor."""

_CLAUSES_AT_ONCE: Final = 200_000
_CONFLICTS_AT_ONCE: Final = 500
_PROPAGATIONS_AT_ONCE: Final = 1_500_000
"""What is done between two looks at the stop: less than 0.1 s."""

_ASKED: Final = 0.001
"""The work of asking at all, about."""

_FOREVER: Final = 1 << 30
"""No round is as late."""

_UNSEEN_ABOVE: Final = 3
"""Rows above the picture that may hold squares that are not seen."""

_Asking = Generator[float, None, bool | None]
"""Yields work; returns whether there is a game, or None if the work was not enough."""


def run_lns(search: Search, work: float) -> None:
    """Improve the incumbent of a search until some work is done."""
    run = search.run
    end = run.spent + work
    for used in improve_windows(search):
        run.spent += used
        if run.spent >= end:
            return


def improve_windows(search: Search) -> Iterator[float]:
    """Improve the incumbent of a search, window by window.

    It may be replaced by another one between two slices. Without one, any game is looked for.

    Parameters
    ----------
    search : Search
        With the incumbent; better ones are handed to it.

    Yields
    ------
    float
        The work of the next slice: about a second of a processor each, without a clock.
    """
    while search.incumbent.passes is None:
        if search.is_over or not (yield from _find_any(search)):
            return
    ladder = _Ladder(search)
    while not search.is_over:
        done = yield from ladder.climb()
        if done:
            return


def _find_any(search: Search) -> Generator[float, None, bool]:
    """Look for any game, with more and more rows that may clear; return whether to go on."""
    target, budgets = extend_upwards(search.target, _UNSEEN_ABOVE), search.budgets
    for turn in range(64):
        rows: list[int] = []
        for slot in range(target.rows + 1):
            rows += [CLEARING] * (turn // len(_SOLVERS) + 1)
            rows += [slot] * (slot < target.rows)
        try:
            question = _Question(search, target, Neighbourhood(tuple(rows)), turn, inf)
        except TooLargeError:
            return False
        with question:
            yield from question.load()
            answer = yield from question.ask(None, budgets.lns_work * 2.0**turn)
            if answer and question.take():
                return True
        if search.run.stopped:
            return False
    return False


class _Ladder:
    """The windows of a search: which are open, which have no shorter game, and the round."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.round = 0
        self.given_up: dict[tuple[int, int, int, Neighbourhood], int] = {}  # until which round

    def climb(self) -> Generator[float, None, bool]:
        """Open all windows of a round; return whether nothing is left to be opened."""
        search, budgets = self.search, self.search.budgets
        target = extend_upwards(search.target, _UNSEEN_ABOVE)
        shorter = left = False
        for first, height, free in self._places(target):
            if search.is_over:
                return False
            answer = yield from self._improve(target, first, height, free)
            shorter |= answer is True
            left |= answer is None
        if shorter:
            self.round = max(0, self.round - 1)
            return False
        self.round += 1
        is_all = budgets.lns_rows << self.round >= target.rows
        return is_all and not left and self.round > 2 * len(_SOLVERS)

    def _places(self, target: Target) -> list[tuple[int, int, int]]:
        """Return the windows of the round, those with most cleared rows for their height first.

        Each is its first row, its height, and how many rows may clear in each of its slots.
        """
        budgets, listed = self.search.budgets, []
        counts = self._game(target).slots(target.rows)
        tallest = min(target.rows, budgets.lns_rows << self.round)
        for height in sorted({min(tallest, h) for h in budgets.lns_heights}):
            highest = target.rows - height
            for first in {*range(0, highest, max(1, height // 3)), highest}:
                rows = sum(counts[first : first + height + 1])
                for free in range(1, budgets.lns_free + self.round // 2 + 1):
                    rank = -rows / (height + budgets.lns_apart) / free**0.5
                    listed.append((rank, first, height, free))
        ranked = [(first, height, free) for _, first, height, free in sorted(listed)]
        return [(0, target.rows, 1), *ranked]  # what is small is asked about as a whole

    def _game(self, target: Target) -> StackedGame:
        return stack_game(self.search.incumbent.passes or (), target)

    def _improve(self, target: Target, first: int, height: int, free: int) -> _Asking:
        """Open a window until it has no shorter game, or that is not seen in time."""
        search, budgets = self.search, self.search.budgets
        game = self._game(target)
        if not game.is_upward:  # then only the whole can be asked about
            first, height = 0, target.rows
        window = open_window(
            game, target.width, first, first + height, free, Reach(early=budgets.lns_slack)
        )
        saves = 0 if target.spare() else target.width // gcd(target.width, 4) * 4 // target.width
        if game.rows.count(CLEARING) - len(window.given) < saves:
            return False  # so few rows cannot be saved
        key = (first, height, free, window)
        if self.given_up.get(key, -1) >= self.round:
            return False
        answer: bool | None = None
        work = budgets.lns_work * 2.0**self.round
        size = work if window.staying else budgets.lns_whole * work
        try:
            with _Question(search, target, window, self.round, size) as question:
                yield from question.load()
                answer = yield from question.shorten(work)
        except TooLargeError:
            answer = None if size * _CLAUSES < budgets.lns_clauses else False
        self.given_up[key] = self.round if answer is None else _FOREVER
        return answer


class _Question:
    """A window in a solver.

    Parameters
    ----------
    search : Search
        With the incumbent.
    target : Target
        The end of the game.
    window : Neighbourhood
        What is open.
    turn : int
        Which solver is asked.
    work : float
        The formula may take so much.
    """

    def __init__(
        self, search: Search, target: Target, window: Neighbourhood, turn: int, work: float
    ) -> None:
        from pysat.solvers import Solver

        self.search, self.target = search, target
        clauses = min(search.budgets.lns_clauses, work * _CLAUSES)
        self.formula = GameFormula(target, window, Reach(), int(clauses))
        self.more: list[int] = []
        if search.most is not None:
            self.step = 1 if target.spare() else target.width // gcd(target.width, 4)
            self.room = self.formula.cells_of(search.most + 1 - self.step)
            self.more = self.formula.count_cells(max(0, self.room))
        self.done = 0.0  # by the solver
        self.solver: Any = Solver(_SOLVERS[(turn + search.run.seed) % len(_SOLVERS)])

    def __enter__(self) -> _Question:
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def load(self) -> Iterator[float]:
        """Hand the formula to the solver."""
        at = 0
        while at >= 0:
            at = self.formula.hand_over(self.solver.add_clause, at, _CLAUSES_AT_ONCE)
            yield min(self.formula.size, _CLAUSES_AT_ONCE) / _CLAUSES

    def shorten(self, work: float) -> _Asking:
        """Ask for much shorter games, then for some a step shorter; return whether one is found.

        It is easier to find a game that is much shorter than one that is hardly shorter, and that
        there is none is nearly always seen at once.
        """
        search, found, step = self.search, False, self.step
        few = self._much_shorter()
        for drops in few:
            if (yield from self.ask(self.formula.cells_of(drops), work)):
                found = self.take()
                break
        while search.most is not None and not search.is_over:
            room = self.formula.cells_of(search.most + 1 - step)
            answer = False if room < 0 else (yield from self.ask(room, work))
            if answer:
                found |= self.take()
                step *= 2 if self.step == 1 else 1  # where drops can be saved one by one
            elif step > self.step:
                step = self.step
            else:
                return found or answer
        return found or None

    def _much_shorter(self) -> list[int]:
        """List some numbers of drops that save more than a step, fewest first."""
        search, formula = self.search, self.formula
        most = (search.most or 0) + 1 - 2 * self.step
        every = range(most, search.run.bound - 1, -self.step)
        listed = [drops for drops in every if formula.cells_of(drops) >= 0]
        return listed[:: 1 + len(listed) // search.budgets.lns_aims][::-1]

    def ask(self, room: int | None, work: float) -> _Asking:
        """Ask for a game that needs so much room at most."""
        few = [] if room is None else [-one for one in self.more[room : room + 1]]
        answer = None
        while answer is None and work > 0 and not self.search.run.stopped:
            self.solver.prop_budget(_PROPAGATIONS_AT_ONCE)
            answer = solve_sliced(self.solver, few, _CONFLICTS_AT_ONCE)
            count = self.solver.accum_stats()
            before = self.done
            self.done = max(count["conflicts"] / _CONFLICTS, count["propagations"] / _PROPAGATIONS)
            used = max(_ASKED, self.done - before)
            work -= used
            yield used
        return answer

    def take(self) -> bool:
        """Hand in the game that was found; return whether it was shorter."""
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
