"""One question: stacks are proposed and refuted until none is left.

This is refinement guided by counterexamples (Clarke, Grumberg, Jha, Lu and Veith 2000): the
catalogue is the master problem, a stack that it proposes is looked at in windows, and a window
that no game has becomes a clause of the catalogue, which forbids all stacks that look like it.
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
from tetrisprinter.bounds.stacks import EVERY, Nogood, TypeColor, TypeColors, Window, list_windows
from tetrisprinter.bounds.window_solver import (
    WindowAnswer,
    WindowQuery,
    convert_to_conflicts,
    estimate_making,
    solve_window,
)
from tetrisprinter.game.pieces import Orientation
from tetrisprinter.support.solving import solve_sliced

__all__ = ["BoundStep", "Search"]

_ROUNDS: Final = (0.1, 0.4, 1.6)
"""Work that a view gets before harder ones get any, round by round."""

_EFFORT: Final = 20_000
"""Conflicts after which the solver gives a window up; a whole stack gets ten times as many."""

_ALONE: Final = 0.2
"""Views of so much work are looked at here: that is quicker than to ask others."""

_CORE: Final = 1_000
"""Conflicts that it may take to see that a view is not needed."""

_NEAR: Final = 8
"""Views near an impossible one that are looked at, too."""


@dataclass(frozen=True, slots=True)
class BoundStep:
    """What became of one question."""

    question: (
        BoundQuestion  # how many rows clear, and how many squares more than required may be left
    )
    refuted: bool  # whether no game does that
    # Views that no game has. If it is refuted, they forbid every stack, and few are left out that
    # are not needed for it. The view of all stacks is among them, if it was refuted
    known: tuple[Nogood, ...]
    stacks: int  # how many stacks were looked at
    drops: tuple[tuple[Orientation, int], ...] = ()  # A game that does it, if one was found
    types: TypeColors = ()  # the colours of the types in that game, if they were open
    seconds: float = 0.0  # wall time
    also: tuple[Nogood, ...] = ()  # other views that no game has

    @property
    def is_at_once(self) -> bool:
        """Whether it needs that all stacks were refuted at once."""
        return self.refuted and any(one.view == EVERY for one in self.known)


@dataclass(slots=True)
class Search:
    """A search for all stacks of one question that no game has."""

    question: BoundQuestion  # what is asked
    executor: Executor | None  # who looks at views that take long; None: this process
    deadline: float  # when to end, as ``time.monotonic()`` has it
    work: float  # how much work is left; see :attr:`WindowQuery.effort`
    # Called with the stacks looked at and the impossible views so far
    tell: Callable[[int, int], None]
    certified: bool = False  # whether a certificate is to be written
    _spent: float = 0.0
    _seen: dict[tuple[Window, TypeColors], tuple[WindowAnswer, float]] = field(default_factory=dict)
    _refuted: dict[Window, set[frozenset[TypeColor]]] = field(default_factory=dict)
    _fits: dict[Window, set[frozenset[TypeColor]]] = field(default_factory=dict)
    _found: list[Nogood] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether time or work is used up."""
        return self.work <= 0 or time.monotonic() >= self.deadline

    def step(self, known: Iterable[Nogood], remember: Callable[[Nogood], None]) -> BoundStep:
        """Ask the question."""
        from pysat.solvers import Solver

        began = time.monotonic()
        listed = list(known)
        earlier_known = set(listed)
        together = MonolithicSolver(self.question, self.deadline, certified=self.certified)
        catalogue = MasterProblem(self.question, listed)
        stacks = 0
        drops: tuple[tuple[Orientation, int], ...] = ()
        types: TypeColors = ()
        refuted = is_open = False
        with (
            closing(together),
            Solver("glucose4", bootstrap_with=catalogue.cnf.clauses) as solver,
        ):
            while not (drops or self.is_over):
                if not solve_sliced(solver):
                    refuted = True
                    break
                counts, types = catalogue.read(solver.get_model())
                if self._ask(together, types, listed, last=is_open):
                    is_open = False
                elif together.drops or is_open:
                    drops = together.drops
                    break
                else:
                    stacks += 1
                    is_open, last = self._look_at(counts, types)
                    drops = last.drops
                found, self._found = self._found, []
                for one in found:
                    listed.append(one)
                    remember(one)
                    solver.add_clause(catalogue.clause(one))
                self.tell(stacks, len(listed))
        needed = self._minimise_views(listed) if refuted else tuple(listed)
        if any(one.view == EVERY for one in needed):  # what it was told is needed, too
            earlier = any(one.view == EVERY and one in earlier_known for one in needed)
            used = set(listed) if earlier else together.used
            parts = (one for one in listed if one in used and one.view != EVERY)
            needed = tuple(dict.fromkeys((*needed, *parts)))
        also = tuple(sorted(set(listed) - set(needed)))
        seconds = time.monotonic() - began
        types = types if drops else ()
        return BoundStep(self.question, refuted, needed, stacks, drops, types, seconds, also)

    def _ask(
        self, together: MonolithicSolver, types: TypeColors, known: Sequence[Nogood], *, last: bool
    ) -> bool:
        """Ask of all stacks at once, for as much work as views got; at last for twice as much.

        Return whether these types are refuted.
        """
        had = together.work
        one = together.ask(types, known, min((1 + last) * self._spent, had + self.work))
        self.work -= together.work - had
        self._found += [one] if one else []
        return one is not None

    def _minimise_views(self, listed: Sequence[Nogood]) -> tuple[Nogood, ...]:
        """Leave out views that are not needed to forbid every stack."""
        from pysat.solvers import Solver

        catalogue = MasterProblem(self.question)
        which = {catalogue.cnf.new(): one for one in listed}
        for literal, one in which.items():
            catalogue.cnf.any_of(-literal, *catalogue.clause(one))
        with Solver("glucose4", bootstrap_with=catalogue.cnf.clauses) as solver:
            solve_sliced(solver, list(which))
            core = list(solver.get_core() or ())
            for literal in tuple(core):
                if literal not in core:
                    continue
                fewer = [other for other in core if other != literal]
                if solve_sliced(solver, fewer, _CORE) is False:
                    core = list(solver.get_core() or ())
        return tuple(which[literal] for literal in sorted(core))

    def _cost(self, view: Window) -> float:
        return estimate_making(self.question.target, view)

    def _turn(self, view: Window) -> tuple[int, int]:
        """When a view is looked at: the cheap ones first, of these the small ones."""
        return int(self._cost(view) / _ALONE), len(view.picture_rows)

    def _look_at(self, counts: tuple[int, ...], types: TypeColors) -> tuple[bool, WindowAnswer]:
        """Return whether nothing forbids a stack, and what was seen last.

        All views get a little work, from the cheapest on, before any gets more: impossible
        ones are mostly refuted at once, while possible ones can be endless.
        """
        every = sorted((v for level in list_windows(counts) for v in level), key=self._turn)
        last = WindowAnswer(False, unknown=True)
        for allowed in (*_ROUNDS, None):
            kept = [v for v in every if allowed is None or self._cost(v) <= allowed]
            for _, group in groupby(kept, key=self._turn):
                listed = list(group)
                seen = self._looks(listed, types, allowed)
                found = [view for view, one in zip(listed, seen, strict=True) if one.impossible]
                if found:
                    self._look_near(found, types)
                    return False, last
                last = seen[-1]
                if self.is_over:
                    return True, WindowAnswer(False, unknown=True)
        return True, last

    def _look_near(self, found: Sequence[Window], types: TypeColors) -> None:
        """Look at views near impossible ones: a row more or fewer in one slot, and so on."""
        known = set(found)
        waiting = list(found)
        looked = 0
        while waiting and looked < _NEAR and not self.is_over:
            view = waiting.pop(0)
            near = []
            for slot, count in enumerate(view.counts):
                for other in (count - 1, count + 1):
                    counts = (*view.counts[:slot], other, *view.counts[slot + 1 :])
                    one = Window(view.first, counts, view.floor, view.top)
                    fits = other >= 0 and sum(counts) <= self.question.lines
                    if fits and one not in known and self._cost(one) <= _ROUNDS[0]:
                        near.append(one)
            known.update(near)
            looked += len(near)
            for one, seen in zip(near, self._looks(near, types, _ROUNDS[0]), strict=True):
                if seen.impossible:
                    waiting.append(one)

    def _looks(
        self, level: Sequence[Window], types: TypeColors, allowed: float | None
    ) -> list[WindowAnswer]:
        """Look at some views, unless that was done before with as much work."""
        asked: dict[Window, WindowQuery] = {}
        answered: dict[Window, WindowAnswer] = {}
        most = convert_to_conflicts(self.work)  # one look may take longer than all before it
        for view in level:
            whole = view.floor and view.top
            effort = (
                _EFFORT * (10 if whole else 1) if allowed is None else convert_to_conflicts(allowed)
            )
            effort = min(most, effort)
            seen, had = self._seen.get((view, types), (WindowAnswer(False, unknown=True), 0.0))
            if any(one.isdisjoint(types) for one in self._refuted.get(view, ())):
                answered[view] = WindowAnswer(True)
            elif not whole and any(one <= set(types) for one in self._fits.get(view, ())):
                answered[view] = WindowAnswer(False)
            elif not seen.unknown or had >= effort:
                answered[view] = seen
            else:
                left = self.deadline - time.monotonic()
                asked[view] = WindowQuery(self.question, view, types, effort, left)
        costly = sum(self._cost(view) > _ALONE for view in asked) > 1
        if self.executor is not None and costly:
            answers: Iterator[WindowAnswer] = self.executor.map(solve_window, asked.values())
        else:
            answers = map(solve_window, asked.values())
        for view, seen in zip(asked, answers, strict=True):
            answered[view] = seen
            self._seen[view, types] = (seen, asked[view].effort)
            self.work -= seen.work
            self._spent += seen.work
            self._fits.setdefault(view, set()).update(map(frozenset, seen.fits))
            lacking = {frozenset(one.without) for one in seen.refuted}
            self._refuted.setdefault(view, set()).update(lacking)
            self._found += seen.refuted
            if self.work <= 0:  # whatever others have seen meanwhile
                break
        return [answered.get(view, WindowAnswer(False, unknown=True)) for view in level]
