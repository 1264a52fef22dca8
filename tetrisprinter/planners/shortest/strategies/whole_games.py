"""Whole games, found up the rows of their stack, and the types that show the colours with them.

How short a picture can be printed depends on which type shows which colour more than on anything
else, and nothing cheaper than printing it tells. So many assignments are printed quickly by
:mod:`~tetrisprinter.planners.shortest.upward`: some chosen at random, then others that differ a
little from the best. The best of these are printed again, with more and more care.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.rows.target import row_target
from tetrisprinter.planners.shortest.problem import Assignment, Passes
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.slices import passes_of
from tetrisprinter.planners.shortest.tuning import Tuning
from tetrisprinter.planners.shortest.upward.search import WIDEST, Found, Room, Upward
from tetrisprinter.printing.counting import unit_of
from tetrisprinter.printing.target import Target, closed, colored
from tetrisprinter.printing.types import Assignments

__all__ = ["is_for_whole_games", "print_whole_games"]

_ABREAST = 4
"""Assignments that are looked at together, so that the result does not depend on the workers."""


def is_for_whole_games(target: Target) -> bool:
    """Whether whole games can be looked for: on narrow boards, where nothing may stay unseen."""
    return target.width <= WIDEST and closed(target) == target


def print_whole_games(
    target: Target, run: SolverRun, known: Assignment = ()
) -> list[tuple[Passes | None, Assignment]]:
    """Look for a short game; if types have no colours, in many assignments.

    Parameters
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers, seed and tuning.
    known : tuple of (PieceType, int)
        An assignment to begin with, if there is one.

    Returns
    -------
    list of (tuple of PlacedPass or None, tuple)
        The best assignments, the best first, each with a game if one was found.
    """
    return [
        (None if one.found is None else _passes(one.found, target), one.assignment)
        for one in _Search(target, run).best(known)
    ]


def _passes(found: Found, target: Target) -> Passes:
    return passes_of(Plan(found.passes(), (), target.width, target.height))


@dataclass(slots=True)
class _Choice:
    """An assignment, and the shortest game that was found in it."""

    assignment: Assignment
    task: Upward
    found: Found | None = None
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
class _Search:
    """A search for an assignment.

    Attributes
    ----------
    target : Target
        The end of the game.
    run : SolverRun
        Clock, workers, seed and tuning.
    """

    target: Target
    run: SolverRun
    choices: list[_Choice] = field(default_factory=list)
    rooms: dict[tuple[int, int], Room] = field(default_factory=dict)

    @property
    def tuning(self) -> Tuning:
        """The tuned numbers."""
        return self.run.tuning

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to gain, or no more time."""
        if self.run.stopped:
            return True
        return bool(self.choices) and self._drops(self._ranked()[0]) <= self.run.bound

    def _drops(self, choice: _Choice) -> float:
        return (len(self.target.required) + self.target.width * choice.lines) / 4

    def _ranked(self) -> list[_Choice]:
        return sorted(self.choices, key=lambda choice: choice.rank)

    def best(self, known: Assignment) -> list[_Choice]:
        """Return some choices, the best first."""
        tuning, run = self.tuning, self.run
        beam, tries = tuning.game_looks
        count = 1
        if self.target.shades is not None:
            count = max(1, round(tuning.game_types * run.effort))
        begun = max(1, round(count * tuning.game_types_random))
        shown = [shade for row in self.target.shades or () for shade in row if shade]
        proposals = Assignments({one: shown.count(one) for one in sorted(set(shown))}, run.seed)
        while len(self.choices) < count and not self.is_over:
            ranked = [one.assignment for one in self._ranked()[: tuning.game_parents]]
            some: list[Assignment] = []
            for _ in range(min(_ABREAST, count - len(self.choices))):
                if known and not self.choices and not some:
                    some.append(known)
                    continue
                parents = ranked if len(self.choices) + len(some) >= begun else ()
                one = proposals.next(parents)
                if one is None:
                    count = len(self.choices) + len(some)
                    break
                some.append(one)
            new = [self._choice(one) for one in some]
            self.choices += new
            self._look(new, beam, tries)
            run.report("whole games", len(self.choices) / max(1, count) / 2)
        self._look_again(tuning.game_finals, 0.5)
        if self.choices and self._drops(self._ranked()[0]) - run.bound <= self._near:
            self._look_again(tuning.game_care, 0.75)
        return self._ranked()

    @property
    def _near(self) -> float:
        """How many drops above the bound a game may be that more care may bring there."""
        width = self.target.width
        return self.tuning.game_steps * width / unit_of(width)

    def _look_again(self, looks: Sequence[tuple[int, int, int]], done: float) -> None:
        """Look at the best assignments once more, at fewer and fewer of them."""
        self.choices = self._ranked()[: looks[0][2]]
        for beam, tries, left in looks:
            for _ in range(tries):
                if not self.is_over:
                    self._look(self._ranked()[:left], beam, 1)
        self.run.report("whole games", done)

    def _choice(self, assignment: Assignment) -> _Choice:
        target = colored(self.target, assignment)
        return _Choice(assignment, Upward(row_target(target), target.height))

    def _look(self, choices: Sequence[_Choice], beam: int, tries: int) -> None:
        """Look for shorter games in some assignments, side by side."""

        def made(number: int) -> None:
            choice = choices[number]
            room = self.rooms.get((number % _ABREAST, beam))
            if room is None:
                room = self.rooms[number % _ABREAST, beam] = Room(self.target.width, beam)
            with self.run.seat:
                for _ in range(tries):
                    if self.run.stopped:
                        return
                    seed = self.run.seed + choice.tries
                    choice.found = choice.task.find(room, seed, choice.found) or choice.found
                    choice.tries += 1

        for first in range(0, len(choices), _ABREAST):
            numbers = range(first, min(first + _ABREAST, len(choices)))
            self.run.side_by_side(made, numbers)
        drops = [self._drops(choice) for choice in choices if choice.found is not None]
        if drops:
            self.run.found(int(min(drops)))
