"""One CP-SAT model for a whole list of passes.

The solver is given an ordered list of *optional* passes and decides together which of
them happen, what each prints and how its matrix is filled. Deciding jointly matters: a
pass that looks good alone often leaves squares that the next ones cannot reach.

**Variables.** A boolean per pass (does it happen); per picture square a boolean wherever
a pass may have changed whether it is printed; per placement and level one boolean; and
chains of booleans up the columns of a pass, which say that something below has level ``k``
or more. What holds of one pass is said in :mod:`~tetrisprinter.planners.cpsat.pass_model`;
here is what ties the passes together, and what must hold in the end.

The objective is the number of drops. One worker, no linear relaxation, no presolve and
core-based optimisation were chosen by measurement (``docs/experiments.md``); so was what
a quick solve leaves out: cores are taken as they come, and clauses left as they are.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.planners.cpsat.clauses import FALSE, TRUE, Clauses, Literal
from tetrisprinter.planners.cpsat.pass_model import PassModel, Printed
from tetrisprinter.planners.cpsat.problem import PassProblem, PassSolution, PlacedPass
from tetrisprinter.planners.cpsat.reach import standing_runs, ways_to_reach
from tetrisprinter.planners.passes.order import drawings, ordered

__all__ = ["ProblemModel", "solve"]


class StoppedError(Exception):
    """Nobody waits for the model any more."""


class ProblemModel:
    """The model of a problem, built pass by pass.

    Attributes
    ----------
    model : CpModel
        For the solver.
    passes : list of PassModel
        One for each pass offered.
    state : mapping of (int, int) to literal
        What is printed in the end.
    shows : mapping of (PieceType, int) to literal
        Which type shows which colour, if that is open.
    """

    def __init__(self, problem: PassProblem, stopped: Callable[[], bool] = lambda: False) -> None:
        self.problem = problem
        self.clauses = Clauses()
        self.width = problem.target.width
        self.state: Printed = dict.fromkeys(problem.start, TRUE)
        self.passes: list[PassModel] = []
        self.shows: dict[tuple[PieceType, int], int] = {}
        if problem.target.shades is not None:
            shades = {shade for row in problem.target.shades for shade in row if shade}
            for piece in PieceType:
                for shade in sorted(shades):
                    self.shows[piece, shade] = self.clauses.new()
                self.clauses.at_most_one([self.shows[piece, shade] for shade in shades])
        for shape in problem.shapes:
            if stopped():
                raise StoppedError
            one = PassModel(shape, problem, self.clauses, self.shows, self.state)
            self.passes.append(one)
            self.state = one.after
        self._finish()
        self.model = self.clauses.complete()

    # -- the end -----------------------------------------------------------------------

    def _finish(self) -> None:
        """Say what must be printed in the end, and what it costs."""
        problem = self.problem
        extra: list[Literal] = []
        rows: dict[int, list[Literal]] = defaultdict(list)
        for cell in problem.goal:
            if self.state.get(cell, FALSE) == FALSE:
                self.clauses.contradict()
        for cell, literal in self.state.items():
            rows[cell[1]].append(literal)
            if literal == TRUE:
                continue
            if cell in problem.goal:
                self.clauses.any_of([literal])
            elif not (problem.ahead and cell in problem.target.required):
                extra.append(literal)
        self._keep_alive()
        for literals in rows.values():
            if len(literals) == self.width:
                self.clauses.any_of(~x for x in literals)
        self._minimize(extra)

    def _minimize(self, extra: list[Literal]) -> None:
        """Drops = (cells of clearing rows + squares printed) / 4."""
        problem, variable = self.problem, self.clauses.variable
        cost = sum(
            self.width * one.shape.lines * variable(one.active)
            for one in self.passes
            if one.active != FALSE and one.shape.lines
        ) + sum(map(variable, extra))
        fixed = len(problem.goal - problem.start)
        if not isinstance(cost, int):
            if problem.most is not None:
                self.clauses.model.add(cost <= 4 * problem.most - fixed)
            self.clauses.model.minimize(cost)

    def _keep_alive(self) -> None:
        """Leave nothing that no later pass could repair."""
        problem, state = self.problem, self.state
        target = problem.target
        used: list[Literal] = [FALSE] * (target.rows + 1)  # something in this row or above
        for y in reversed(range(target.rows)):
            used[y] = self._used(y, used[y + 1])
            for run in standing_runs(target, y):
                if used[y] != FALSE and not problem.goal & run:
                    self.clauses.implies(used[y], *(state.get(cell, FALSE) for cell in run))
        for x, y in target.required - problem.goal:
            for above in range(y + 1, target.rows):
                if (x, above) in state:
                    self.clauses.implies(state[x, above], state.get((x, y), FALSE))
        self._keep_in_reach(used)

    def _used(self, y: int, above: Literal) -> Literal:
        """Return whether something lies in a row, or in those above it."""
        here = [self.state.get((x, y), FALSE) for x in range(self.width)]
        here = [literal for literal in here if literal != FALSE]
        if not here:
            return above
        used = self.clauses.new()
        for literal in (*here, above):
            self.clauses.implies(literal, used)
        return used

    def _keep_in_reach(self, used: list[Literal]) -> None:
        """Where something lies in the row or above, each square due is printed or reachable."""
        target, state = self.problem.target, self.state
        reached: dict[tuple[int, frozenset[Cell]], Literal] = {}
        for x, y in sorted(target.required - self.problem.goal):
            if used[y] == FALSE:
                continue
            if self.problem.ahead:
                self.clauses.any_of((state.get((x, y), FALSE), ~used[y + 1]))
            options: list[Literal] = [state.get((x, y), FALSE), ~used[y]]
            for base, cells in ways_to_reach(target, x, y):
                if (base, cells) not in reached:
                    blocked = [*(state.get(cell, FALSE) for cell in cells), used[base]]
                    reached[base, cells] = self._none_of(blocked)
                options.append(reached[base, cells])
            self.clauses.any_of(options)

    def _none_of(self, literals: list[Literal]) -> Literal:
        """Return a literal that holds only if none of some does."""
        if any(literal == TRUE for literal in literals):
            return FALSE
        if all(literal == FALSE for literal in literals):
            return TRUE
        none = self.clauses.new()
        for literal in literals:
            self.clauses.implies(none, ~literal)
        return none


@contextmanager
def _unswept() -> Iterator[None]:
    """Look for no rubbish meanwhile: all that is made stays, and looking takes a quarter longer."""
    sweeps = gc.isenabled()  # not while another thread builds, which then sees to it
    gc.disable()
    try:
        yield
    finally:
        if sweeps:
            gc.enable()


def solve(
    problem: PassProblem,
    work: float = 30.0,
    *,
    seed: int = 0,
    seconds: float = float("inf"),
    stopped: Callable[[], bool] = lambda: False,
    started: Callable[[Any], bool] = lambda _solver: True,
) -> PassSolution:
    """Find the fewest drops that the passes of a problem need.

    Parameters
    ----------
    problem : PassProblem
        The passes offered and what they must achieve.
    work : float
        Deterministic time of the solver, about a second each on a fast machine. The result
        depends on this, not on the clock.
    seed : int
        Of the solver.
    seconds : float
        The clock's limit, infinite unless the caller wants to stop early.
    stopped : callable
        Asked while the model is built, which may take seconds: whether to leave it.
    started : callable
        Given the solver just before it runs, so that another thread can stop it; returns
        whether to run at all.
    """
    from ortools.sat.python import cp_model

    try:
        with _unswept():
            built = ProblemModel(problem, stopped)
    except StoppedError:
        return PassSolution(None, False)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0
    solver.parameters.cp_model_presolve = False
    solver.parameters.optimize_with_core = not problem.all_used
    solver.parameters.symmetry_level = 0  # bands take a third longer with these
    solver.parameters.inprocessing_dtime_ratio = 0.0
    solver.parameters.core_minimization_level = 0
    solver.parameters.cover_optimization = False
    solver.parameters.random_seed = seed
    solver.parameters.max_deterministic_time = work
    if seconds != float("inf"):
        solver.parameters.max_time_in_seconds = seconds
    solver.parameters.catch_sigint_signal = False
    if not started(solver):
        return PassSolution(None, False)
    status = solver.solve(built.model)
    used_work = solver.response_proto.deterministic_time
    if status == cp_model.INFEASIBLE:
        return PassSolution(None, True, used_work)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return PassSolution(None, False, used_work)
    holds = list(solver.response_proto.solution)
    passes: list[PlacedPass] = []
    for one in built.passes:
        used = [(p, level) for p, level, literal in one.choices if holds[literal]]
        if used:
            parts = drawings(ordered(used), one.shape)
            printed = frozenset(cell for placement, _ in used for cell in placement.picture)
            passes.append(PlacedPass(one.shape, parts, printed))
    assignment = tuple(key for key, shown in built.shows.items() if holds[shown])
    complete = status == cp_model.OPTIMAL
    return PassSolution(tuple(passes), complete, used_work, assignment)
