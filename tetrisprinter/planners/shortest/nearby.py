"""Games near a known one: some of its cleared rows and others, in its types and in others.

The rows that clear in the plan to beat, and some more in each slot between two rows of the
picture, are candidates of a formula (:mod:`~tetrisprinter.planners.shortest.optional`). A solver
is asked for a game with fewer of them; where the types of the colours are open, in one assignment
after the other. What it finds is the next plan to beat; where it finds nothing, each slot gets
one candidate more. Without a plan to beat any number of candidates will do, until there is one.

Where that is too hard, the plan is changed a few rows at a time: outside of a window of these its
pieces stay (large neighbourhood search). To the formula that is a list of assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

from tetrisprinter.bounds.cnf import PULSE
from tetrisprinter.bounds.looking import work_of
from tetrisprinter.bounds.stacks import Assigned
from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, vanish
from tetrisprinter.game.from_drops import plan_of_drops
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.run import LOG
from tetrisprinter.planners.shortest.assignments import assignments_near
from tetrisprinter.planners.shortest.optional import OptionalRows
from tetrisprinter.planners.shortest.search import Candidate, Search
from tetrisprinter.printing.target import Target, colored, raised
from tetrisprinter.support.solving import ask

__all__ = ["Stacked", "nearby", "stacked"]

_BETWEEN_LOOKS: Final = 1000
"""Conflicts between two looks at the clock."""
_UNSEEN_ABOVE: Final = 3
"""Rows above the picture that may hold squares that are not seen."""


class _TooMuchError(Exception):
    """A formula is larger than the work that is left, or the time is up."""


def nearby(search: Search, work: float) -> None:
    """Look for shorter games near the plan to beat until the work is done.

    As long as all is answered each slot gets one candidate more, up to all rows that a shorter
    game clears. What was not answered is asked again with twice as much work, in windows twice as
    high.
    """
    run, budgets = search.run, search.budgets
    end = run.spent + work
    most, height = budgets.turn * run.effort, budgets.nearby_window
    sure = False
    while not sure:
        sure = True
        for free in count(1):
            found = True
            while found and not search.is_over and run.spent < end:
                known = search.incumbent
                sure &= _fewer_rows(search, free, end, most, height)
                found = search.incumbent is not known
            if search.is_over or run.spent >= end:
                return
            if search.most is not None:
                all_rows = 4 * search.most // search.target.width
                if free >= (all_rows if sure else budgets.nearby_rows):
                    break
        most, height = 2 * most, 2 * height


def _fewer_rows(search: Search, free: int, end: float, most: float, height: int) -> bool:
    """Look for a game with so many candidates in each slot; return whether all was answered."""
    run, target = search.run, raised(search.target, _UNSEEN_ABOVE)
    known = search.incumbent
    there = stacked(known.passes or (), target, free)
    sure = True
    for assignment in _assignments(search):
        if run.stopped or run.spent >= end:
            return False
        try:
            asked = _Question(search, assignment, colored(target, assignment), there.rows, end)
        except _TooMuchError:
            run.spent = end
            return False
        with asked:
            answered = asked.whole(most)
            sure &= answered
            if not answered and search.incumbent is known and assignment == known.assignment:
                asked.in_windows(there.pieces, height, most)
        if search.incumbent is not known:
            break
    return sure


def _assignments(search: Search) -> Iterator[Assigned]:
    """Yield the assignment of the plan to beat, then others near it."""
    if search.target.shades is None:
        return iter([()])
    known = [search.incumbent.assignment] if search.incumbent.passes is not None else []
    near = assignments_near(search.target, known, search.run.seed)
    return islice(near, search.budgets.nearby_types)


class _Question:
    """Games with some candidates, asked of a solver.

    Parameters
    ----------
    search : Search
        Who is told, and what ends it.
    assignment : tuple of (PieceType, int)
        Which type shows which colour, if that is open.
    target : Target
        The end of the game, in types that have colours.
    rows : tuple of int
        The stack.
    end : float
        How much work the run may have done in the end.
    """

    def __init__(
        self, search: Search, assignment: Assigned, target: Target, rows: Sequence[int], end: float
    ) -> None:
        from pysat.solvers import Solver

        run, made = search.run, 0
        self.search, self.assignment, self.target, self.end = search, assignment, target, end

        def pulse() -> None:
            nonlocal made
            made += 1
            if run.stopped or run.spent + work_of(made * PULSE, 0) > end:
                raise _TooMuchError

        self.formula = OptionalRows(target, rows, pulse=pulse)
        aims = self._aims()
        self.more = self.formula.more_cells(aims[-1]) if aims and search.most is not None else []
        self.known = {
            (part.orientation.piece, frozenset(part.cells)): literal
            for part, literal in self.formula.parts
        }
        self.began = run.spent
        run.spent += work_of(len(self.formula.cnf.clauses), 0)
        self.solver: Any = Solver("glucose4", bootstrap_with=self.formula.cnf.clauses)

    def __enter__(self) -> _Question:
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def whole(self, most: float) -> bool:
        """Ask for a game with few cells, then with some more; return whether all was answered.

        It is easier to find a game with few than one with hardly fewer than the plan to beat, and
        that there is none is nearly always seen at once.

        Parameters
        ----------
        most : float
            The work for each number of cells, once the formula is there.
        """
        answer: bool | None = False
        aims = self._aims()
        step = 1 + len(aims) // self.search.budgets.nearby_aims
        for aim in aims[(len(aims) - 1) % step :: step]:
            answer = self._ask(aim, most)
            if answer:
                self._take()
                break
        return answer is not None  # where there is none with so many there is none with fewer

    def in_windows(self, pieces: Iterable[_Lying], height: int, most: float) -> None:
        """Change the plan to beat in a few rows of the picture, then in the next ones.

        Parameters
        ----------
        pieces : iterable of (PieceType, cells)
            Those of the plan to beat.
        height : int
            How many rows.
        most : float
            The work for each window.
        """
        formula = self.formula
        at = {row: v for v, row in enumerate(formula.rows) if row != CLEARING}
        first = 0
        while first < self.target.rows:
            aims = self._aims()
            if not aims or self.search.run.stopped or self.search.run.spent >= self.end:
                return
            inside = range(at.get(first - 1, -1) + 1, at.get(first + height, len(formula.rows)))
            fixed = [
                self.known.get(piece, 0)
                for piece in pieces
                if not any(v in inside for _, v in piece[1])
            ]
            if all(fixed) and self._ask(aims[-1], most, fixed) and self._take():
                true = {literal for literal in self.solver.get_model() if literal > 0}
                pieces = [piece for piece, literal in self.known.items() if literal in true]
            else:
                first += (height + 1) // 2

    def _aims(self) -> list[int]:
        """List how many cells a shorter game may have beside what is due, fewest first.

        Where each square of the picture is due, these are rows that clear.
        """
        search, target = self.search, self.target
        if search.most is None:
            return [0]  # any game will do
        width, due = target.width, len(target.required)
        cells = [4 * drops - due for drops in range(search.run.bound, search.most + 1)]
        if target.spare():
            return [one for one in cells if one >= 0]
        return [one // width for one in cells if one >= 0 and one % width == 0]

    def _ask(self, aim: int, most: float, fixed: Sequence[int] = ()) -> bool | None:
        """Ask for a game with so many cells; None if that takes too much work."""
        run, clauses = self.search.run, len(self.formula.cnf.clauses)
        answer, until = None, min(self.end, run.spent + most)
        while answer is None and run.spent < until and not run.stopped:
            few = [-one for one in self.more[aim : aim + 1]]
            answer = ask(self.solver, [*few, *fixed], _BETWEEN_LOOKS)
            conflicts = self.solver.accum_stats()["conflicts"]
            run.spent = self.began + work_of(clauses, conflicts)
        return answer

    def _take(self) -> bool:
        """Hand in the game that was found; return whether it was one."""
        drops = self.formula.game(self.solver.get_model())
        known = self.search.incumbent
        try:
            plan = plan_of_drops(drops, (), self.target.width, self.target.height)
        except InputError as error:  # a fault; the plan to beat stays
            LOG.error("%s: %s", self.search.stage, error)
            return False
        self.search.take(Candidate(plan.passes, self.assignment))
        return self.search.incumbent is not known


_Lying = tuple[PieceType, frozenset[Cell]]
"""A piece, and its cells: columns and rows of the stack."""


@dataclass(frozen=True, slots=True)
class Stacked:
    """A game in the rows of its stack.

    Attributes
    ----------
    rows : tuple of int
        Rows of the picture by their numbers, those that clear, and perhaps more of these.
    pieces : tuple of (PieceType, cells)
        Where pieces lie.
    """

    rows: tuple[int, ...]
    pieces: tuple[_Lying, ...]


def stacked(passes: tuple[Pass, ...], target: Target, free: int = 0) -> Stacked:
    """Return a game in its stack.

    Parameters
    ----------
    passes : tuple of Pass
        The game.
    target : Target
        What it leaves.
    free : int
        How many rows that clear each slot of the stack has at least, whether they are used or not.
    """
    field, numbers = Playfield(target.width, target.height), list(range(target.height))
    lying: list[tuple[PieceType, list[Cell]]] = []
    gone: list[int] = []
    for one in passes:
        for piece in one.pieces:
            landing = field.drop(piece.orientation, piece.x)
            cells = [(x, numbers[y]) for x, y in landing.cells]
            lying.append((piece.orientation.piece, cells))
            gone += vanish(numbers, landing.cleared)
    stay = numbers[: target.rows]
    rows: list[int] = []
    place: dict[int, int] = {}
    for slot in range(target.rows + 1):
        its = sorted(row for row in gone if sum(other < row for other in stay) == slot)
        place |= {number: len(rows) + k for k, number in enumerate(its)}
        rows += [CLEARING] * max(len(its), free)
        if slot < target.rows:
            place[stay[slot]] = len(rows)
            rows.append(slot)
    pieces = tuple(
        (piece, frozenset((x, place.get(number, -1)) for x, number in cells))
        for piece, cells in lying
    )
    return Stacked(tuple(rows), pieces)
