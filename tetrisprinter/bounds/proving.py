"""How a bound is raised: stacks are proposed and refuted until none is left.

The catalogue proposes a stack. It is looked at in windows of growing height, and what no game
looks like there is forbidden from then on, for all stacks. Either nothing is left in the
end, and no game clears so many rows; or a whole stack is possible, and its game is played.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tetrisprinter.bounds.catalogue import Catalogue, Question
from tetrisprinter.bounds.looking import Look, Seen, conflicts_of, look
from tetrisprinter.bounds.stacks import Assigned, Refuted, View, final_rows, views
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import Orientation
from tetrisprinter.printing.counting import fewest_drops, is_possible_count
from tetrisprinter.printing.target import Target
from tetrisprinter.support.executors import HERE, Machines

__all__ = ["Bound", "Notes", "Step", "Terms", "next_drops", "prove_bound", "questions"]

_EFFORT: Final = 20_000
"""Conflicts after which the solver gives a window up; a whole stack gets ten times as many."""

_ALONE: Final = 3
"""Windows of so many picture rows are looked at here: that is quicker than to ask others."""


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one question.

    Attributes
    ----------
    question : Question
        How many rows clear, and how many squares more than required may be left.
    refuted : bool
        Whether no game does that.
    known : tuple of Refuted
        Views that no game has. If it is refuted, they forbid every stack.
    stacks : int
        How many stacks were looked at.
    drops : tuple of (Orientation, int)
        A game that does it, if one was found.
    types : tuple of (PieceType, int)
        The colours of the types in that game, if they were open.
    seconds : float
        Wall time.
    """

    question: Question
    refuted: bool
    known: tuple[Refuted, ...]
    stacks: int
    drops: tuple[tuple[Orientation, int], ...] = ()
    types: Assigned = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Bound:
    """How few drops any game needs.

    Attributes
    ----------
    target : Target
        The end of the game.
    before : int
        What arithmetic says.
    after : int
        No game has fewer drops.
    steps : tuple of Step
        What was asked, in order.
    seconds : float
        Wall time.
    stopped : bool
        Whether a limit or an interrupt ended it early.
    """

    target: Target
    before: int
    after: int
    steps: tuple[Step, ...]
    seconds: float
    stopped: bool = False

    @property
    def found(self) -> Step | None:
        """The step that found a game, whose drops then are the bound."""
        return next((step for step in self.steps if step.drops), None)


@dataclass(slots=True)
class _Search:
    """A search that is going on."""

    question: Question
    executor: Executor | None
    deadline: float
    work: float
    tell: Callable[[int, int], None]
    seen: dict[tuple[View, Assigned], Seen] = field(default_factory=dict)
    cores: dict[View, list[Assigned]] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether time or work is used up."""
        return self.work <= 0 or time.monotonic() >= self.deadline

    def step(self, known: Iterable[Refuted], remember: Callable[[Refuted], None]) -> Step:
        """Ask the question."""
        from pysat.solvers import Solver

        began = time.monotonic()
        listed = list(known)
        catalogue = Catalogue(self.question, listed)
        stacks = 0
        last = Seen(False, unknown=True)
        types: Assigned = ()
        refuted = False
        with Solver("glucose4", bootstrap_with=catalogue.cnf.clauses) as solver:
            while not self.is_over:
                if not solver.solve():
                    refuted = True
                    break
                counts, types = catalogue.read(solver.get_model())
                stacks += 1
                found, last = self._look_at(counts, types)
                if not found:
                    break
                for one in found:
                    listed.append(one)
                    remember(one)
                    solver.add_clause(catalogue.clause(one))
                self.tell(stacks, len(listed))
        drops = () if refuted else last.drops
        seconds = time.monotonic() - began
        return Step(
            self.question, refuted, tuple(listed), stacks, drops, types if drops else (), seconds
        )

    def _look_at(self, counts: tuple[int, ...], types: Assigned) -> tuple[list[Refuted], Seen]:
        """Return what forbids a stack, in the lowest windows that do, and what was seen last."""
        last = Seen(False, unknown=True)
        for level in views(counts):
            found = []
            for view, seen in zip(level, self._looks(level, types), strict=True):
                if seen.impossible:
                    found.append(Refuted(view, seen.types))
                last = seen
            if found:
                return found, last
            if self.is_over:
                return [], Seen(False, unknown=True)
        return [], last

    def _looks(self, level: Sequence[View], types: Assigned) -> list[Seen]:
        asked: dict[View, Look] = {}
        most = conflicts_of(self.work)  # one look may take longer than all before it
        for view in level:
            for core in self.cores.get(view, ()):
                if set(core) <= set(types):
                    self.seen[view, types] = Seen(True, core)
            if (view, types) not in self.seen:
                effort = min(most, _EFFORT * (10 if view.floor and view.top else 1))
                asked[view] = Look(
                    self.question, view, types, effort, self.deadline - time.monotonic()
                )
        many = len(level[0].picture_rows) > _ALONE and len(asked) > 1
        if self.executor is not None and many:
            answers: Iterator[Seen] = self.executor.map(look, asked.values())
        else:
            answers = map(look, asked.values())
        for view, seen in zip(asked, answers, strict=True):
            self.seen[view, types] = seen
            self.work -= seen.work
            if seen.impossible:
                self.cores.setdefault(view, []).append(seen.types)
            if self.work <= 0:  # whatever others have seen meanwhile
                break
        return [self.seen.get((view, types), Seen(False, unknown=True)) for view in level]


@contextmanager
def _executor(machines: Machines) -> Iterator[Executor | None]:
    if machines == HERE:
        yield None
        return
    try:
        with machines.executor() as executor:
            yield executor
    except (BrokenExecutor, CancelledError) as error:
        where = f"the cluster at {machines.dask} is lost" if machines.dask else "a worker died"
        raise JobError(f"{where} while bounds were proved") from error


def questions(target: Target, drops: int) -> list[Question]:
    """List what a game of so many drops could be.

    Parameters
    ----------
    target : Target
        Its end, with all rows in which something may be left.
    drops : int
        How many pieces.
    """
    asked = []
    for lines in range(4 * drops // target.width + 1):
        spare = 4 * drops - len(target.required) - target.width * lines
        if 0 <= spare <= target.spare():
            asked.append(Question(target, lines, spare))
    return asked


@dataclass(frozen=True, slots=True)
class Terms:
    """How far to go.

    Attributes
    ----------
    most : int or None
        Don't try to prove more than this: there is a plan of so many drops, for instance.
    steps : int or None
        Raise the bound so many times at most.
    seconds : float or None
        Take what has been proved by then.
    machines : Machines
        Who looks at views. The answer does not depend on it.
    work : float
        Look no further after so much work, in seconds or so, but without a clock: the same
        work gives the same answer everywhere.
    """

    most: int | None = None
    steps: int | None = None
    seconds: float | None = None
    machines: Machines = HERE
    work: float = float("inf")


@dataclass(frozen=True, slots=True)
class Notes:
    """What is known beforehand, and who is told what is found.

    Attributes
    ----------
    known : mapping of Question to sequence of Refuted
        Views that are known to be impossible.
    remember : callable
        Called with a question and every other view that is found to be.
    tell : callable
        Called with the drops in question, and how many stacks and impossible views there were.
    """

    known: Mapping[Question, Sequence[Refuted]] = field(default_factory=dict)
    remember: Callable[[Question, Refuted], None] = lambda _question, _refuted: None
    tell: Callable[[int, int, int], None] = lambda _drops, _stacks, _views: None


def prove_bound(target: Target, terms: Terms = Terms(), notes: Notes = Notes()) -> Bound:
    """Prove that no game ends like this in fewer drops than the number returned.

    Parameters
    ----------
    target : Target
        The end of the game.
    terms : Terms
        How far to go.
    notes : Notes
        What is known, and who is told.

    Returns
    -------
    Bound
        Its ``after`` is proved, whatever ended the search.

    Raises
    ------
    InputError
        If no game leaves so many squares.
    """
    most, steps, seconds = terms.most, terms.steps, terms.seconds
    began = time.monotonic()
    deadline = float("inf") if seconds is None else began + seconds
    target = final_rows(target)
    if not is_possible_count(len(target.required), target.width, target.spare()):
        raise InputError(f"no game on {target.width} columns leaves {len(target.required)} squares")
    before = bound = fewest_drops(target)
    asked: list[Step] = []
    raised = 0
    work = terms.work
    stopped = False
    try:
        with _executor(terms.machines) as executor:
            while (most is None or bound < most) and (steps is None or raised < steps):
                for question in questions(target, bound):
                    tell = partial(notes.tell, bound)
                    search = _Search(question, executor, deadline, work, tell)
                    asked.append(
                        search.step(
                            notes.known.get(question, ()), partial(notes.remember, question)
                        )
                    )
                    work = search.work
                    if not asked[-1].refuted:
                        break
                if not asked[-1].refuted:
                    stopped = time.monotonic() >= deadline
                    break
                bound = next_drops(target, bound)
                raised += 1
    except KeyboardInterrupt:
        stopped = True
    return Bound(target, before, bound, tuple(asked), time.monotonic() - began, stopped)


def next_drops(target: Target, drops: int) -> int:
    """Return the next number of drops that arithmetic allows."""
    drops += 1
    while not questions(target, drops):
        drops += 1
    return drops
