"""The master problem: all stacks that no nogood excludes, as a formula.

The formula has a variable for each slot (see ``stacks``) and number of rows that clear in it, and
one for each type and colour if the types of colours are open. If the formula has no model, no game
clears the number of rows in question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.stacks import Nogood, TypeColor, TypeColors
from tetrisprinter.errors import JobError
from tetrisprinter.game.board import is_possible_count
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.target import Target
from tetrisprinter.sat.cnf import Cnf, Literal, negate


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """Does a game clear this number of rows and leave at most this number of optional squares?"""

    target: Target  # what the game leaves, with every row that may then hold a square
    lines: int  # the number of rows that clear
    spare: int = 0  # the most optional squares that the game may leave


def list_questions(target: Target, drops: int) -> list[BoundQuestion]:
    """List the pairs of cleared rows and optional squares that a number of drops allows."""
    questions = []
    most_spare = target.count_spare()
    for lines in range(4 * drops // target.width + 1):
        spare = 4 * drops - len(target.required) - target.width * lines
        if 0 <= spare <= most_spare:
            questions.append(BoundQuestion(target, lines, spare))
    return questions


def find_next_drops(target: Target, drops: int) -> int:
    """Return the next number of drops that arithmetic allows."""
    if not is_possible_count(len(target.required), target.width, target.count_spare()):
        raise JobError(f"no game on {target.width} columns leaves {len(target.required)} squares")
    drops += 1
    while not list_questions(target, drops):
        drops += 1
    return drops


def iterate_questions_below(target: Target, bound: int) -> Iterator[BoundQuestion]:
    """Yield the questions that must be refuted for a bound to hold.

    Questions that the least number of parts already refutes are left out, and those that another
    question with as many cleared rows and more optional squares includes.
    """
    drops = find_drop_bound(target)
    largest: dict[int, BoundQuestion] = {}
    while drops < bound:
        for question in list_questions(target, drops):
            largest[question.lines] = question  # more drops leave more optional squares
        drops = find_next_drops(target, drops)
    if drops != bound:
        raise JobError(f"invalid bound {bound}: no game has that number of drops")
    yield from largest.values()


def make_exclusion_clause(
    nogood: Nogood, more_than: Sequence[Sequence[Literal]], shows: Mapping[TypeColor, Literal]
) -> list[Literal]:
    """Return a nogood's clause: a slot has another count, or a type of ``without`` its colour."""
    clause: list[Literal] = []
    for slot, count in zip(nogood.window.slots, nogood.window.counts, strict=True):
        at_least = [True, *more_than[slot], False]  # [n]: at least n rows clear in the slot
        clause += [negate(at_least[count]), at_least[count + 1]]
    clause += [shows[key] for key in nogood.without]
    return [literal for literal in clause if literal is not False]


class MasterProblem:
    """The formula whose models are the stacks that no known nogood excludes."""

    def __init__(
        self,
        question: BoundQuestion,
        nogoods: Iterable[Nogood] = (),
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        self.question = question
        self.cnf = Cnf(pulse)
        lines, slots = question.lines, question.target.rows + 1
        # [slot][n]: whether more than n rows clear in the slot
        self.more_than = [[self.cnf.add_variable() for _ in range(lines)] for _ in range(slots)]
        for counts in self.more_than:
            for fewer, more in pairwise(counts):
                self.cnf.add_clause(fewer, -more)
        self._require_sum(lines)
        self.shows: dict[tuple[PieceType, int], int] = {}
        if question.target.shades is not None:
            for piece in PieceType:
                pairs = [(piece, number) for number in question.target.list_shades()]
                self.shows.update((key, self.cnf.add_variable()) for key in pairs)
                self.cnf.add_exactly_one([self.shows[key] for key in pairs])
        for nogood in nogoods:
            self.cnf.add_clause(*self.make_clause(nogood))

    def _require_sum(self, lines: int) -> None:
        """Require that the counts of all slots add up to a number."""
        below: list[Literal] = [True, *([False] * (lines + 1))]  # [n]: at least n in lower slots
        for counts in self.more_than:
            here: list[Literal] = [True, *counts, False]
            up_to: list[Literal] = [True, *(self.cnf.add_variable() for _ in range(lines)), False]
            for n in range(lines + 1):
                for m in range(lines + 1 - n):
                    self.cnf.add_clause(negate(below[n]), negate(here[m]), up_to[n + m])
                    self.cnf.add_clause(below[n + 1], here[m + 1], negate(up_to[n + m + 1]))
                self.cnf.add_clause(negate(below[n + 1]), negate(here[lines - n]))
            below = up_to
        self.cnf.add_clause(below[lines])

    def make_clause(self, nogood: Nogood) -> list[int]:
        """Return the clause of a nogood."""
        return make_exclusion_clause(nogood, self.more_than, self.shows)

    def read_model(self, model: Sequence[int]) -> tuple[tuple[int, ...], TypeColors]:
        """Return a model's stack (the number of rows that clear in each slot) and type colours."""
        true = set(model)
        counts = tuple(sum(literal in true for literal in slot) for slot in self.more_than)
        return counts, tuple(key for key, literal in self.shows.items() if literal in true)
