"""Raise a bound, from one number of drops to the next that arithmetic allows.

First ``fewest_lines`` looks for nogoods until no stack with so few rows remains, which is fast, or
until it makes no progress. Then for each number of cleared rows that a number of drops allows,
``refinement`` either refutes every stack or finds a game. If all stacks are refuted, the bound
rises. If a game is found, no other game has fewer drops.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tetrisprinter.bounds.fewest_lines import FewestLines
from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.refinement import BoundStep, Refinement
from tetrisprinter.bounds.stack_formulas import BoundQuestion, find_next_drops, list_questions
from tetrisprinter.bounds.stacks import ALL_STACKS, Nogood, trim_to_final_rows
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import is_possible_count
from tetrisprinter.printing.task import Target, compute_drop_bound
from tetrisprinter.sat.solve import OutOfTimeError
from tetrisprinter.support.executors import HERE, Machines

_PATIENCE: Final = 1.0
"""The search for the fewest lines ends without progress after this multiple of its work so far."""

_LEAST_PATIENCE: Final = 2.0
"""But it ends only after this number of work units without progress."""

_LARGE: Final = 200
"""The squares of a stack from which on the search for the fewest lines pays; ``refinement`` settles
smaller ones at once."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on the drops of any game, and how it was proved."""

    target: Target  # the squares that the board must and may hold at the end of the game
    before: int  # the bound by arithmetic alone
    parts: int  # the bound by arithmetic and by parts of pieces
    after: int  # the bound: no game has fewer drops
    steps: tuple[BoundStep, ...]  # questions and their outcomes, in order
    seconds: float  # wall time
    stopped: bool = False  # whether a limit or an interrupt ended the search early
    unused_work: float = 0.0  # work units that were allowed but not used

    @property
    def game_step(self) -> BoundStep | None:
        """The step that found a game, if any; the game has as many drops as the bound says."""
        return next((step for step in self.steps if step.drops), None)


@contextmanager
def _open_executor(machines: Machines) -> Iterator[Executor | None]:
    """Yield the executor that solves windows, None on this machine; lost workers are a JobError."""
    if machines == HERE:
        yield None
        return
    try:
        with machines.open_executor() as executor:
            yield executor
    except (BrokenExecutor, CancelledError) as error:
        where = f"the cluster at {machines.dask} is lost" if machines.dask else "a worker died"
        raise JobError(f"{where} while bounds were proved") from error


@dataclass(frozen=True, slots=True)
class ProofLimits:
    """Limits of a proof."""

    # Stop when the bound reaches this number, such as the drops of a known game
    max_bound: int | None = None
    steps: int | None = None  # raise the bound at most this many times
    seconds: float | None = None  # stop after this wall time
    machines: Machines = HERE  # where windows are solved; the answer does not depend on it
    # Stop after this number of work units; the same work gives the same answer everywhere
    work: float = float("inf")
    # Whether a certificate will be written: the steps then list the nogoods that its proofs need
    certified: bool = False


@dataclass(frozen=True, slots=True)
class ProofHooks:
    """Nogoods known beforehand, and callbacks of a proof."""

    # The nogoods of earlier runs, by question
    known_nogoods: Mapping[BoundQuestion, Sequence[Nogood]] = field(default_factory=dict)
    # Called with a question and each new nogood
    remember: Callable[[BoundQuestion, Nogood], None] = lambda _question, _nogood: None
    # Called to report progress: with the drops and cleared rows in question, and the numbers of
    # stacks and nogoods so far
    report: Callable[[int, int, int, int], None] = lambda _drops, _lines, _stacks, _nogoods: None
    # Called with each refuted question; may raise :class:`OutOfTimeError`
    settle: Callable[[BoundStep], None] = lambda _step: None


def prove_bound(
    target: Target, limits: ProofLimits = ProofLimits(), hooks: ProofHooks = ProofHooks()
) -> Bound:
    """Find and return a bound, and prove that no game that leaves the target has fewer drops."""
    max_bound, steps, seconds = limits.max_bound, limits.steps, limits.seconds
    began = time.monotonic()
    deadline = float("inf") if seconds is None else began + seconds
    target = trim_to_final_rows(target)
    if not is_possible_count(len(target.required), target.width, target.count_spare()):
        raise InputError(f"no game on {target.width} columns leaves {len(target.required)} squares")
    before = compute_drop_bound(target)
    bound = parts = find_drop_bound(target)
    answers: list[BoundStep] = []
    raises = 0
    work = limits.work
    stopped = False
    # From earlier runs and from all questions so far
    earlier_nogoods = {one: None for nogoods in hooks.known_nogoods.values() for one in nogoods}
    fewest_lines = FewestLines(target, earlier_nogoods)
    searching = fewest_lines.search(lambda: time.monotonic() >= deadline)
    try:
        with closing(searching), _open_executor(limits.machines) as executor:
            while (max_bound is None or bound < max_bound) and (steps is None or raises < steps):
                questions = list_questions(target, bound)
                most_lines = max(questions, key=lambda question: question.lines)
                windows_before = len(fewest_lines.nogoods)
                is_large = target.width * (target.rows + most_lines.lines) >= _LARGE
                steps_of_search = _raise_lines(fewest_lines, searching, most_lines.lines, work)
                for spent in steps_of_search if is_large else ():
                    work -= spent
                    hooks.report(bound, most_lines.lines, 0, len(fewest_lines.nogoods))
                for nogood in fewest_lines.nogoods[windows_before:]:
                    earlier_nogoods[nogood] = None
                    if _can_apply(nogood, most_lines):
                        hooks.remember(most_lines, nogood)
                for question in questions:
                    report = partial(hooks.report, bound, question.lines)
                    search = Refinement(
                        question, executor, deadline, work, report, limits.certified
                    )
                    nogoods = dict.fromkeys(hooks.known_nogoods.get(question, ()))
                    nogoods |= {one: None for one in earlier_nogoods if _can_apply(one, question)}
                    # Only a certificate needs a formula for the shortest path of ``fewest_lines``
                    if fewest_lines.count > question.lines and not limits.certified:
                        answers.append(BoundStep(question, True, tuple(nogoods), 0))
                    else:
                        answers.append(
                            search.answer_question(nogoods, partial(hooks.remember, question))
                        )
                    earlier_nogoods |= dict.fromkeys((*answers[-1].nogoods, *answers[-1].unneeded))
                    if answers[-1].refuted:
                        hooks.settle(answers[-1])
                    work = search.work
                    if not answers[-1].refuted:
                        break
                if not answers[-1].refuted:
                    stopped = time.monotonic() >= deadline
                    break
                bound = find_next_drops(target, bound)
                raises += 1
    except (KeyboardInterrupt, OutOfTimeError):
        stopped = True
    ended = time.monotonic() - began
    return Bound(target, before, parts, bound, tuple(answers), ended, stopped, work)


def _raise_lines(
    fewest_lines: FewestLines, searching: Iterator[float], lines: int, work: float
) -> Iterator[float]:
    """Search until no game clears so few lines, or without progress; yield the work of each step.

    A step is skipped if all work is used up.
    """
    idle, count = 0.0, fewest_lines.count
    while count <= lines and idle <= max(_LEAST_PATIENCE, _PATIENCE * fewest_lines.work):
        spent = next(searching, None) if work > 0 else None
        if spent is None:
            return
        work -= spent
        idle = idle + spent if fewest_lines.count == count else 0.0
        count = fewest_lines.count
        yield spent


def _can_apply(nogood: Nogood, question: BoundQuestion) -> bool:
    """Return whether a nogood of another question also excludes stacks of this one."""
    return (
        nogood.window != ALL_STACKS
        and nogood.spare >= question.spare
        and sum(nogood.window.counts) <= question.lines
    )
