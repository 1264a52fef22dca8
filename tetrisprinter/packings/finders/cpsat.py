"""Packing by constraint programming with OR-tools CP-SAT.

The model is that of :mod:`tetrisprinter.packings.finders.cnf`, an exact cover in which every piece
has a unary level. CP-SAT has an "exactly one" constraint, so no pairwise clauses are needed. This
finder can minimise a cost of the packing. A variable for each placement and level was twice as
slow, and presolving gains nothing on a model that is already reduced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.packings.finders import UNLIMITED, stop_at_limit
from tetrisprinter.packings.placements import build_packing, list_candidates, solve_trivial
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.solving import solve_model


class _PackingModel:
    """The CP-SAT model of a problem.

    ``chosen[i]`` says that the packing contains candidate ``i``, and ``at_least[cell, k]`` that the
    piece on the cell has level ``k`` or more.
    """

    def __init__(self, problem: PackingProblem) -> None:
        from ortools.sat.python import cp_model

        self.problem = problem
        self.pieces = list_candidates(problem)
        self.model = cp_model.CpModel()
        model = self.model
        rows = problem.rows
        start = problem.start
        self.chosen = [model.new_bool_var("") for _ in self.pieces]
        cells = [(x, y) for x in range(problem.width) for y in range(start[x], rows)]
        self.at_least = {
            (cell, k): model.new_bool_var("") for cell in cells for k in range(1, rows + 1)
        }
        cover: dict[Cell, list[int]] = {cell: [] for cell in cells}
        for i, candidate in enumerate(self.pieces):
            for cell in candidate.cells:
                cover[cell].append(i)
        for cell in cells:
            model.add_exactly_one([self.chosen[i] for i in cover[cell]])
        self._add_levels(cells)
        self._add_completion(cover)
        self._add_last()

    def _add_levels(self, cells: list[Cell]) -> None:
        """Require that levels never decrease upwards, and that cells of a piece share a level."""
        add, rows, at_least = self.model.add_implication, self.problem.rows, self.at_least
        for x, y in cells:
            for k in range(1, rows):
                add(at_least[(x, y), k + 1], at_least[(x, y), k])
            if y + 1 < rows:
                for k in range(1, rows + 1):
                    add(at_least[(x, y), k], at_least[(x, y + 1), k])
        for chosen, candidate in zip(self.chosen, self.pieces, strict=True):
            first, *others = candidate.cells
            if candidate.latest < rows:
                for cell in candidate.cells:
                    add(chosen, ~at_least[cell, candidate.latest + 1])
            for cell in others:
                for k in range(1, min(candidate.latest, rows) + 1):
                    a, b = at_least[first, k], at_least[cell, k]
                    self.model.add_bool_or(~chosen, ~a, b)
                    self.model.add_bool_or(~chosen, a, ~b)

    def _add_completion(self, cover: dict[Cell, list[int]]) -> None:
        """Require that in every row exactly one piece has a level above the row's number."""
        model, problem = self.model, self.problem
        for y in range(problem.rows):
            # Count each piece once, at its leftmost cell in the row.
            completing = []
            for x in range(problem.width):
                if ((x, y), y + 1) not in self.at_least:
                    continue
                is_late = self.at_least[(x, y), y + 1]
                starting_pieces = [
                    self.chosen[i] for i in cover[x, y] if (x - 1, y) not in self.pieces[i].cells
                ]
                completes = model.new_bool_var("")
                model.add_implication(completes, is_late)
                model.add_bool_or(~is_late, completes, *self._list_joined(cover, x, y))
                model.add_bool_or(~completes, *starting_pieces)
                for piece in starting_pieces:
                    model.add_bool_or(~is_late, ~piece, completes)
                completing.append(completes)
            model.add_exactly_one(completing)

    def _list_joined(self, cover: dict[Cell, list[int]], x: int, y: int) -> list[Any]:
        """List the variables of the pieces that cover cell (x, y) and its left neighbour."""
        return [self.chosen[i] for i in cover[x, y] if (x - 1, y) in self.pieces[i].cells]

    def _add_last(self) -> None:
        """Require the piece that must drop last, if there is one, at the highest level."""
        last, rows = self.problem.last, self.problem.rows
        if last is None:
            return
        index = next((i for i, c in enumerate(self.pieces) if c.placement == last), None)
        if index is None:  # no candidate: make the model infeasible
            self.model.add_bool_or([])
            return
        self.model.add(self.chosen[index] == 1)
        self.model.add(self.at_least[last.cells[0], rows] == 1)

    def read_packing(self, value: Callable[[Any], bool]) -> Packing:
        """Return the packing of a solution, after a replay; ``value`` maps variables to values."""
        placed = [
            (
                c.placement,
                sum(value(self.at_least[c.cells[0], k + 1]) for k in range(self.problem.rows)),
            )
            for c, chosen in zip(self.pieces, self.chosen, strict=True)
            if value(chosen)
        ]
        return build_packing(self.problem, placed)


@dataclass(frozen=True, slots=True)
class CpSat:
    """The CP-SAT finder."""

    name: ClassVar[str] = "cpsat"
    is_complete: ClassVar[bool] = True

    # The cost of a placement; the finder minimises the sum of the costs. When the time is up, the
    # cheapest packing so far is the answer
    cost: Callable[[Placement], int] | None = None

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing (the cheapest, with a cost), or show that none exists."""
        answer = solve_trivial(problem)
        if answer is not None:
            return answer
        packing_model = _PackingModel(problem)
        if self.cost is not None:
            packing_model.model.minimize(
                sum(
                    self.cost(c.placement) * chosen
                    for c, chosen in zip(packing_model.pieces, packing_model.chosen, strict=True)
                )
            )
        return self._solve(packing_model, limit)

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Yield all packings; each needs another search, so the SAT finder is faster."""
        return stop_at_limit(self._find_each(problem, replace(limit, seconds=None)), limit)

    def _find_each(self, problem: PackingProblem, limit: Limit) -> Iterator[Packing]:
        """Yield all packings; exclude each one before the next search."""
        trivial_answer = solve_trivial(problem)
        if trivial_answer is not None:
            if isinstance(trivial_answer, Packing):
                yield trivial_answer
            return
        packing_model = _PackingModel(problem)
        while isinstance(answer := self._solve(packing_model, limit), Packing):
            yield answer
            placed = set(answer.pieces)
            packing_model.model.add_bool_or(
                [
                    ~chosen
                    for c, chosen in zip(packing_model.pieces, packing_model.chosen, strict=True)
                    if c.placement in placed
                ]
            )

    def _solve(self, packing_model: _PackingModel, limit: Limit) -> Result:
        """Run the solver with a limit and return its answer."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.random_seed = seed = limit.seed % 2**31
        parameters.randomize_search = bool(seed)
        parameters.num_workers = 1
        parameters.linearization_level = 0
        parameters.cp_model_presolve = self.cost is not None
        if limit.seconds is not None:
            parameters.max_time_in_seconds = limit.seconds
        status = solve_model(solver, packing_model.model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return packing_model.read_packing(lambda variable: bool(solver.value(variable)))
        if status == cp_model.INFEASIBLE:
            return Infeasible()
        if status == cp_model.MODEL_INVALID:
            raise JobError(f"CP-SAT refuses the model: {packing_model.model.validate()}")
        return Unknown(f"no answer within {limit.seconds or 0:g} s")


CPSAT: Final = CpSat()
