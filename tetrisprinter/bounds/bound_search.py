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
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

from tetrisprinter.bounds.fewest_lines import FewestLines
from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.refinement import BoundStep, Refinement
from tetrisprinter.bounds.stack_formulas import BoundQuestion, find_next_drops, list_questions
from tetrisprinter.bounds.stacks import ALL_STACKS, Nogood, trim_to_final_rows
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import can_leave
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


def prove_bound(  # noqa: PLR0913 - limits and callbacks, which nothing else needs together
    target: Target,
    *,
    max_bound: int | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    work: float = inf,
    machines: Machines = HERE,
    certified: bool = False,
    known_nogoods: Mapping[BoundQuestion, Sequence[Nogood]] | None = None,
    remember: Callable[[BoundQuestion, Nogood], None] = lambda _question, _nogood: None,
    report: Callable[[int, int, int, int], None] = lambda _drops, _lines, _stacks, _nogoods: None,
    settle: Callable[[BoundStep], None] = lambda _step: None,
) -> Bound:
    """Find a bound, and prove that no game that leaves the target has fewer drops.

    Parameters
    ----------
    target : Target
        The squares that the game must and may leave.
    max_bound : int or None
        Stop when the bound reaches this number, such as the drops of a known game.
    steps : int or None
        Raise the bound at most this many times.
    seconds : float or None
        Stop after this wall time.
    work : float
        Stop after this number of work units; the same work gives the same answer everywhere.
    machines : Machines
        Where windows are solved; the answer does not depend on it.
    certified : bool
        Whether a certificate will be written: the steps then list the nogoods that its proofs need.
    known_nogoods : mapping or None
        The nogoods of earlier runs, by question.
    remember : callable
        Called with a question and each new nogood.
    report : callable
        Called to report progress: with the drops and cleared rows in question, and the numbers of
        stacks and nogoods so far.
    settle : callable
        Called with each refuted question; may raise :class:`OutOfTimeError`.

    Returns
    -------
    Bound
        The bound, with the questions that were answered on the way.

    Raises
    ------
    InputError
        If no game leaves the target's number of squares.
    JobError
        If the workers are lost.
    """
    known_nogoods = known_nogoods or {}
    began = time.monotonic()
    deadline = inf if seconds is None else began + seconds
    target = trim_to_final_rows(target)
    if not can_leave(target.width, len(target.required), target.count_spare()):
        raise InputError(f"no game on {target.width} columns leaves {len(target.required)} squares")
    before = compute_drop_bound(target)
    bound = parts = find_drop_bound(target)
    answers: list[BoundStep] = []
    raises = 0
    stopped = False
    # From earlier runs and from all questions so far
    earlier_nogoods = {one: None for nogoods in known_nogoods.values() for one in nogoods}
    fewest_lines = FewestLines(target, earlier_nogoods)
    searching = fewest_lines.search(lambda: time.monotonic() >= deadline)
    try:
        with closing(searching), _open_executor(machines) as executor:
            while (max_bound is None or bound < max_bound) and (steps is None or raises < steps):
                questions = list_questions(target, bound)
                most_lines = max(questions, key=lambda question: question.lines)
                windows_before = len(fewest_lines.nogoods)
                is_large = target.width * (target.rows + most_lines.lines) >= _LARGE
                steps_of_search = _raise_lines(fewest_lines, searching, most_lines.lines, work)
                for spent in steps_of_search if is_large else ():
                    work -= spent
                    report(bound, most_lines.lines, 0, len(fewest_lines.nogoods))
                for nogood in fewest_lines.nogoods[windows_before:]:
                    earlier_nogoods[nogood] = None
                    if _can_apply(nogood, most_lines):
                        remember(most_lines, nogood)
                for question in questions:
                    nogoods = dict.fromkeys(known_nogoods.get(question, ()))
                    nogoods |= {one: None for one in earlier_nogoods if _can_apply(one, question)}
                    if fewest_lines.count > question.lines and not certified:
                        # Only a certificate needs a formula for the shortest path
                        step = BoundStep(question, True, tuple(nogoods), 0)
                    else:
                        report_stacks = partial(report, bound, question.lines)
                        search = Refinement(
                            question, executor, deadline, work, report_stacks, certified
                        )
                        step = search.answer_question(nogoods, partial(remember, question))
                        work = search.work
                    answers.append(step)
                    earlier_nogoods |= dict.fromkeys((*step.nogoods, *step.unneeded))
                    if not step.refuted:
                        break
                    settle(step)
                if not step.refuted:
                    stopped = time.monotonic() >= deadline
                    break
                bound = find_next_drops(target, bound)
                raises += 1
    except (KeyboardInterrupt, OutOfTimeError):
        stopped = True
    seconds_used = time.monotonic() - began
    return Bound(target, before, parts, bound, tuple(answers), seconds_used, stopped)


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
