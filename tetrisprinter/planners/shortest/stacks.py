"""Search all stacks: one formula of every game with a given number of cleared rows.

The neighbourhood search mostly keeps the slots in which rows clear. Here the solver chooses these
slots, and the colours of open types. So on small boards it finds games that differ much from the
incumbent.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any, Final

from tetrisprinter.bounds.cnf import PULSE
from tetrisprinter.bounds.master_problem import BoundQuestion, find_next_drops, list_questions
from tetrisprinter.bounds.monolithic_formula import MonolithicFormula
from tetrisprinter.bounds.monolithic_solver import is_solution
from tetrisprinter.bounds.stacks import trim_to_final_rows
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.planners.context import Context, Slice
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.planners.shortest.lns import CALL_WORK, SOLVERS
from tetrisprinter.planners.shortest.search import Candidate, ShortestSearch
from tetrisprinter.planners.shortest.slices import make_slice, start_search
from tetrisprinter.printing.target import Target
from tetrisprinter.support.solving import solve_interruptibly

_REACH: Final = 4
"""The formula orders rows up to this distance in the first round, and one further in each round.
A short distance makes a small formula, which finds more games, but some models are no games."""

_WORK: Final = 3.0
"""The work limit of a question in the first round; the limit doubles in each round."""

_AIMS: Final = 2
"""How many numbers of drops are tried in each round, all below that of the incumbent."""

_CLAUSES: Final = 500_000
_PROPAGATIONS: Final = 12_000_000
"""How many clauses are written and loaded, or propagations made, in a unit of work."""

_CONFLICTS_AT_ONCE: Final = 300
"""Conflicts between two checks of the stop: about 0.1 s."""


_QuestionSlices = Generator[Slice, None, bool | None]
"""Yields slices of work; returns whether there is a game, or None at the work limit."""


def search_stacks(context: Context) -> Iterator[Slice]:
    """Search for shorter games on the best plan's board; each round doubles the work limit."""
    refuted: set[tuple[Target, int]] = set()
    turn = 0
    while (best := context.best) is not None:
        target = trim_to_final_rows(best.task.target)
        shorter = _list_shorter_drops(target, best.bound, best.drops)
        goals = [drops for drops in shorter if (target, drops) not in refuted]
        if not goals:
            yield Slice(0.0, bound=best.drops)
            return
        for drops in goals[:_AIMS]:
            answer = yield from _search_with_drops(context, drops, turn)
            if answer is False:
                refuted.add((target, drops))
            if context.drops < best.drops:
                break
        else:
            turn += 1


def _list_shorter_drops(target: Target, bound: int, drops: int) -> list[int]:
    """List the possible numbers of drops from ``bound`` to ``drops - 1``, the greatest first."""
    listed, candidate = list[int](), bound
    while candidate < drops:
        if list_questions(target, candidate):
            listed.append(candidate)
        candidate = find_next_drops(target, candidate)
    return listed[::-1]


def _search_with_drops(context: Context, drops: int, turn: int) -> _QuestionSlices:
    """Search for a game with ``drops`` drops; return whether one exists, or None if unknown."""
    best = context.best
    assert best is not None
    search = start_search(context, best)
    (question,) = list_questions(trim_to_final_rows(search.target), drops)
    work = _WORK * 2.0**turn
    solver = _StackSolver(question, turn, context)
    with solver.solver:
        yield from solver.load()
        while work > 0 and drops < context.drops:
            answer = solver.solve()
            work -= solver.used
            if answer and not solver.take(search):
                return None
            yield make_slice(context, search, solver.used)
            if answer is not None:
                return answer
    return None


class _StackSolver:
    """A solver loaded with the formula of one question."""

    def __init__(self, question: BoundQuestion, turn: int, context: Context) -> None:
        from pysat.solvers import Solver

        def check_stop() -> None:
            if context.stop.is_set:
                raise TimeUpError.of(context.request.task.name)

        self.question = question
        self.formula = MonolithicFormula(question, check_stop, _REACH + turn)
        seed = context.request.limit.seed
        self.solver: Any = Solver(SOLVERS[(turn + 1 + seed) % len(SOLVERS)])
        self.used = self._done = 0.0

    def load(self) -> Iterator[Slice]:
        """Pass the formula to the solver in slices, then forget its clauses."""
        clauses = self.formula.cnf.clauses
        for first in range(0, len(clauses), PULSE):
            self.solver.append_formula(islice(clauses, first, first + PULSE))
            yield Slice(min(PULSE, len(clauses) - first) / _CLAUSES)
        clauses.clear()

    def solve(self) -> bool | None:
        """Run the solver for some conflicts; return whether there is a model, None if undecided."""
        answer = solve_interruptibly(self.solver, (), _CONFLICTS_AT_ONCE)
        before, self._done = self._done, self.solver.accum_stats()["propagations"] / _PROPAGATIONS
        self.used = max(CALL_WORK, self._done - before)
        return answer

    def take(self, search: ShortestSearch) -> bool:
        """Offer the model's game as the incumbent; return whether it prints the target."""
        target = self.question.target
        true_variables = {v for v in self.solver.get_model() if v > 0}
        drops = self.formula.read_game(true_variables)
        if not is_solution(target, drops):
            return False
        plan = make_plan_from_drops(drops, (), target.width, target.height)
        types = tuple(
            key for key, variable in self.formula.shows.items() if variable in true_variables
        )
        search.take(Candidate(plan.passes, types))
        return True
