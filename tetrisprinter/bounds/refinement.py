"""Answer one question: propose stacks and refute them until none is left.

This is counterexample-guided refinement (Clarke, Grumberg, Jha, Lu and Veith 2000). The master
problem proposes a stack. Windows of that stack are solved, and one that no game fits becomes a
nogood: a clause of the master problem that excludes all stacks with the same window.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from tetrisprinter.bounds.master_problem import BoundQuestion, MasterProblem
from tetrisprinter.bounds.monolithic_solver import MonolithicSolver
from tetrisprinter.bounds.stacks import (
    ALL_STACKS,
    Nogood,
    TypeColor,
    TypeColors,
    Window,
    iterate_windows_by_height,
)
from tetrisprinter.bounds.window_solver import (
    WindowAnswer,
    WindowQuery,
    convert_to_conflicts,
    estimate_writing_work,
    solve_window,
)
from tetrisprinter.game.pieces import Orientation
from tetrisprinter.support.solving import solve_interruptibly

_ROUNDS: Final = (0.1, 0.4, 1.6)
"""Work units for each window in the first rounds, before any window gets more."""

_EFFORT: Final = 20_000
"""Conflicts after which the solver gives up on a window; a whole stack gets ten times as many."""

_ALONE: Final = 0.2
"""Work units up to which this process solves a window: sending it to a worker takes longer."""

_CORE: Final = 1_000
"""Conflicts for the check whether a nogood can be left out."""

_NEAR: Final = 8
"""The number of windows similar to a nogood that are solved after it is found."""


@dataclass(frozen=True, slots=True)
class BoundStep:
    """The outcome of one question."""

    question: BoundQuestion
    refuted: bool  # whether no game clears this number of rows
    # The nogoods. If the question is refuted, these exclude every stack, and few of them could be
    # left out. The nogood of all stacks (``ALL_STACKS``) is among them if the monolithic encoding
    # was needed
    known: tuple[Nogood, ...]
    stacks: int  # how many stacks were checked
    drops: tuple[tuple[Orientation, int], ...] = ()  # the game, if one was found
    types: TypeColors = ()  # the colours of the types in that game, if they were open
    seconds: float = 0.0  # wall time
    also: tuple[Nogood, ...] = ()  # further nogoods, which are not needed

    @property
    def is_monolithic(self) -> bool:
        """Whether the monolithic encoding was needed."""
        return self.refuted and any(one.window == ALL_STACKS for one in self.known)


@dataclass(slots=True)
class Refinement:
    """The search for nogoods that exclude every stack of one question."""

    question: BoundQuestion
    executor: Executor | None  # solves the windows that take long; None: this process does
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    work: float  # work units that are left
    report: Callable[[int, int], None]  # called with the numbers of stacks and nogoods so far
    certified: bool = False  # whether a certificate will be written
    _spent: float = 0.0  # work units that windows took
    _seen: dict[tuple[Window, TypeColors], tuple[WindowAnswer, float]] = field(default_factory=dict)
    _refuted: dict[Window, set[frozenset[TypeColor]]] = field(default_factory=dict)
    _fits: dict[Window, set[frozenset[TypeColor]]] = field(default_factory=dict)
    _found: list[Nogood] = field(default_factory=list)  # new ones, not yet in the formula

    @property
    def is_over(self) -> bool:
        """Whether time or work is used up."""
        return self.work <= 0 or time.monotonic() >= self.deadline

    def answer_question(
        self, known: Iterable[Nogood], remember: Callable[[Nogood], None]
    ) -> BoundStep:
        """Refute all stacks or find a game; call ``remember`` with each new nogood."""
        from pysat.solvers import Solver

        began = time.monotonic()
        listed = list(known)
        earlier_known = set(listed)
        monolithic = MonolithicSolver(self.question, self.deadline, certified=self.certified)
        master = MasterProblem(self.question, listed)
        stacks = 0
        drops: tuple[tuple[Orientation, int], ...] = ()
        types: TypeColors = ()
        refuted = is_open = False
        with (
            closing(monolithic),
            Solver("glucose4", bootstrap_with=master.cnf.clauses) as solver,
        ):
            while not (drops or self.is_over):
                is_left = solve_interruptibly(solver)
                if not is_left:
                    refuted = is_left is False  # None: a signal interrupted the solver
                    break
                counts, types = master.read_model(solver.get_model())
                if self._try_monolithic(monolithic, listed, last=is_open):
                    is_open = False
                elif monolithic.drops or is_open:
                    drops, types = monolithic.drops, monolithic.types
                    break
                else:
                    stacks += 1
                    is_open, last = self._check_stack(counts, types)
                    drops = last.drops
                found, self._found = self._found, []
                for one in found:
                    listed.append(one)
                    remember(one)
                    solver.add_clause(master.make_clause(one))
                self.report(stacks, len(listed))
        needed = self._minimise_nogoods(listed) if refuted else tuple(listed)
        # The nogoods in the proof of the nogood of all stacks are needed, too.
        if any(one.window == ALL_STACKS for one in needed):
            earlier = any(one.window == ALL_STACKS and one in earlier_known for one in needed)
            used = set(listed) if earlier else monolithic.used
            parts = (one for one in listed if one in used and one.window != ALL_STACKS)
            needed = tuple(dict.fromkeys((*needed, *parts)))
        also = tuple(sorted(set(listed) - set(needed)))
        seconds = time.monotonic() - began
        types = types if drops else ()
        return BoundStep(self.question, refuted, needed, stacks, drops, types, seconds, also)

    def _try_monolithic(
        self, monolithic: MonolithicSolver, known: Sequence[Nogood], *, last: bool
    ) -> bool:
        """Solve the monolithic encoding with as much work as the windows got.

        In the last attempt it gets twice that. Return whether all stacks are refuted.
        """
        had = monolithic.work
        one = monolithic.refute(known, min((1 + last) * self._spent, had + self.work))
        self.work -= monolithic.work - had
        self._found += [one] if one else []
        return one is not None

    def _minimise_nogoods(self, listed: Sequence[Nogood]) -> tuple[Nogood, ...]:
        """Remove nogoods that are not needed to exclude every stack."""
        from pysat.solvers import Solver

        master = MasterProblem(self.question)
        which = {master.cnf.add_variable(): one for one in listed}
        for literal, one in which.items():
            master.cnf.add_clause(-literal, *master.make_clause(one))
        with Solver("glucose4", bootstrap_with=master.cnf.clauses) as solver:
            if solve_interruptibly(solver, list(which)) is None:  # interrupted by a signal
                return tuple(listed)
            core = list(solver.get_core() or ())
            for literal in tuple(core):
                if literal not in core:
                    continue
                fewer = [other for other in core if other != literal]
                if solve_interruptibly(solver, fewer, _CORE) is False:
                    core = list(solver.get_core() or ())
        return tuple(which[literal] for literal in sorted(core))

    def _estimate_cost(self, window: Window) -> float:
        return estimate_writing_work(self.question.target, window)

    def _make_sort_key(self, window: Window) -> tuple[int, int]:
        """Return a key that sorts windows by cost, and those of about the same cost by height."""
        return int(self._estimate_cost(window) / _ALONE), len(window.picture_rows)

    def _check_stack(self, counts: tuple[int, ...], types: TypeColors) -> tuple[bool, WindowAnswer]:
        """Solve the windows of a stack; return whether none is a nogood, and the last answer.

        All windows get a little work, from the cheapest on, before any gets more: most nogoods are
        refuted at once, while a window that some game fits can take for ever.
        """
        every = sorted(
            (v for level in iterate_windows_by_height(counts) for v in level),
            key=self._make_sort_key,
        )
        last = WindowAnswer(False, unknown=True)
        for allowed in (*_ROUNDS, None):
            affordable = [v for v in every if allowed is None or self._estimate_cost(v) <= allowed]
            for _, group in groupby(affordable, key=self._make_sort_key):
                listed = list(group)
                answers = self._solve_windows(listed, types, allowed)
                pairs = zip(listed, answers, strict=True)
                found = [window for window, one in pairs if one.impossible]
                if found:
                    self._check_neighbours(found, types)
                    return False, last
                last = answers[-1]
                if self.is_over:
                    return True, WindowAnswer(False, unknown=True)
        return True, last

    def _check_neighbours(self, found: Sequence[Window], types: TypeColors) -> None:
        """Solve windows that differ from a nogood by one cleared row in one slot.

        It continues with the nogoods that it finds, until about ``_NEAR`` windows are solved.
        """
        known = set(found)
        waiting = list(found)
        solved = 0
        while waiting and solved < _NEAR and not self.is_over:
            window = waiting.pop(0)
            near = []
            for slot, count in enumerate(window.counts):
                for other in (count - 1, count + 1):
                    counts = (*window.counts[:slot], other, *window.counts[slot + 1 :])
                    one = Window(window.first, counts, window.floor, window.top)
                    fits = other >= 0 and sum(counts) <= self.question.lines
                    if fits and one not in known and self._estimate_cost(one) <= _ROUNDS[0]:
                        near.append(one)
            known.update(near)
            solved += len(near)
            answers = self._solve_windows(near, types, _ROUNDS[0])
            for one, answer in zip(near, answers, strict=True):
                if answer.impossible:
                    waiting.append(one)

    def _solve_windows(
        self, level: Sequence[Window], types: TypeColors, work_each: float | None
    ) -> list[WindowAnswer]:
        """Solve some windows; reuse an earlier answer if it had at least as much work."""
        queries: dict[Window, WindowQuery] = {}
        answered: dict[Window, WindowAnswer] = {}
        most = convert_to_conflicts(self.work)  # no window gets more than the work that is left
        for window in level:
            whole = window.floor and window.top
            effort = (
                _EFFORT * (10 if whole else 1)
                if work_each is None
                else convert_to_conflicts(work_each)
            )
            effort = min(most, effort)
            seen, had = self._seen.get((window, types), (WindowAnswer(False, unknown=True), 0.0))
            if any(one.isdisjoint(types) for one in self._refuted.get(window, ())):
                answered[window] = WindowAnswer(True)
            elif not whole and any(one <= set(types) for one in self._fits.get(window, ())):
                answered[window] = WindowAnswer(False)
            elif not seen.unknown or had >= effort:
                answered[window] = seen
            else:
                left = self.deadline - time.monotonic()
                queries[window] = WindowQuery(self.question, window, types, effort, left)
        costly = sum(self._estimate_cost(window) > _ALONE for window in queries) > 1
        if self.executor is not None and costly:
            answers: Iterator[WindowAnswer] = self.executor.map(solve_window, queries.values())
        else:
            answers = map(solve_window, queries.values())
        for window, seen in zip(queries, answers, strict=True):
            answered[window] = seen
            self._seen[window, types] = (seen, queries[window].effort)
            self.work -= seen.work
            self._spent += seen.work
            self._fits.setdefault(window, set()).update(map(frozenset, seen.fits))
            lacking = {frozenset(one.without) for one in seen.refuted}
            self._refuted.setdefault(window, set()).update(lacking)
            self._found += seen.refuted
            if self.work <= 0:  # ignore later answers of workers: they vary with timing
                break
        return [answered.get(window, WindowAnswer(False, unknown=True)) for window in level]
