"""Packing by constraint programming, with OR-tools CP-SAT.

The same model as the formula of :mod:`tetrisprinter.packings.finders.cnf`: an exact cover in
which every piece has a level, said cell by cell in unary. "Exactly one" is a constraint
of CP-SAT's own, so cells and rows need no pairs. It is the finder for questions with a
preference among the packings (an objective). Models with a boolean for each pair of a
placement and its level were twice as slow; so was presolving, which gains nothing on a
model that has already been pared down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.packings.placements import candidates, drop_order, settled
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown

__all__ = ["count", "find", "find_all"]


class _Model:
    """The CP-SAT model of a problem.

    ``chosen[i]`` says that candidate ``i`` is part of the packing, ``at_least[cell, k]``
    that the piece over a cell has level ``k`` or more.
    """

    def __init__(self, problem: PackingProblem) -> None:
        from ortools.sat.python import cp_model

        self.problem = problem
        self.pieces = candidates(problem)
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
        self._levels(cells)
        self._completion(cover)
        self._last()

    def _levels(self, cells: list[Cell]) -> None:
        """Levels never decrease upwards, and are the same within a piece."""
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

    def _completion(self, cover: dict[Cell, list[int]]) -> None:
        """In every row exactly one piece has a level above the row's number."""
        model, problem = self.model, self.problem
        for y in range(problem.rows):
            # A piece is counted where its leftmost cell of the row is.
            completing = []
            for x in range(problem.width):
                if ((x, y), y + 1) not in self.at_least:
                    continue
                late = self.at_least[(x, y), y + 1]
                heads = [
                    self.chosen[i] for i in cover[x, y] if (x - 1, y) not in self.pieces[i].cells
                ]
                completes = model.new_bool_var("")
                model.add_implication(completes, late)
                model.add_bool_or(~late, completes, *self._joined(cover, x, y))
                model.add_bool_or(~completes, *heads)
                for head in heads:
                    model.add_bool_or(~late, ~head, completes)
                completing.append(completes)
            model.add_exactly_one(completing)

    def _joined(self, cover: dict[Cell, list[int]], x: int, y: int) -> list[Any]:
        """The pieces that cover a cell and the one to its left."""
        return [self.chosen[i] for i in cover[x, y] if (x - 1, y) in self.pieces[i].cells]

    def _last(self) -> None:
        """The piece that must be the last is there, on top, and comes last."""
        last, rows = self.problem.last, self.problem.rows
        if last is None:
            return
        index = next((i for i, c in enumerate(self.pieces) if c.placement == last), None)
        if index is None:  # nothing would ever hold it
            self.model.add_bool_or([])
            return
        self.model.add(self.chosen[index] == 1)
        self.model.add(self.at_least[last.cells[0], rows] == 1)

    def packing(self, value: Callable[[Any], bool]) -> Packing:
        """Read the packing off a solution, and replay it."""
        placed = [
            (
                c.placement,
                sum(value(self.at_least[c.cells[0], k + 1]) for k in range(self.problem.rows)),
            )
            for c, chosen in zip(self.pieces, self.chosen, strict=True)
            if value(chosen)
        ]
        return drop_order(self.problem, placed)


def find(
    problem: PackingProblem,
    *,
    seed: int = 0,
    workers: int = 1,
    time_limit: float | None = None,
    cost: Callable[[Placement], int] | None = None,
    log: Callable[[str], None] | None = None,
) -> Result:
    """Find a packing, if asked the cheapest one, or show that there is none.

    Parameters
    ----------
    problem : PackingProblem
        What to pack.
    seed : int
        Another seed, another packing. The same seed and number of workers give the same
        one unless the time limit cuts in.
    workers : int
        Threads of the solver.
    time_limit : float or None
        Seconds. With a cost, the cheapest packing found by then is the answer.
    cost : callable or None
        What a placement costs; the sum over the packing is minimised.
    log : callable or None
        Receives the solver's own report of its progress, piece by piece.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> find(emitter_problem(21, 3, [7]))
    Infeasible(reason='exhausted')
    >>> no_s_or_z = lambda piece: piece.orientation.piece.name in "SZ"
    >>> packing = find(emitter_problem(13, 3, [6]), cost=no_s_or_z)
    >>> sum(map(no_s_or_z, packing.pieces))
    5
    """
    known = settled(problem)
    if known is not None:
        return known
    built = _Model(problem)
    if cost is not None:
        built.model.minimize(
            sum(
                cost(c.placement) * chosen
                for c, chosen in zip(built.pieces, built.chosen, strict=True)
            )
        )
    return _solve(built, seed, workers, time_limit, log, presolve=cost is not None)


def find_all(problem: PackingProblem, *, seed: int = 0, workers: int = 1) -> Iterator[Packing]:
    """Find all packings, one at a time, each by a search of its own.

    Two packings are the same if their pieces lie in the same places, in whatever order
    they were dropped. :func:`tetrisprinter.packings.finders.sat.find_all` does the same faster.
    """
    known = settled(problem)
    if known is not None:
        if isinstance(known, Packing):
            yield known
        return
    built = _Model(problem)
    while isinstance(answer := _solve(built, seed, workers, None, None, presolve=False), Packing):
        yield answer
        placed = set(answer.pieces)
        built.model.add_bool_or(
            [
                ~chosen
                for c, chosen in zip(built.pieces, built.chosen, strict=True)
                if c.placement in placed
            ]
        )


def count(problem: PackingProblem, *, workers: int = 1) -> int:
    """Count the packings that :func:`find_all` finds."""
    return sum(1 for _ in find_all(problem, workers=workers))


def _solve(
    built: _Model,
    seed: int,
    workers: int,
    time_limit: float | None,
    log: Callable[[str], None] | None,
    *,
    presolve: bool,
) -> Result:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = seed
    parameters.randomize_search = bool(seed)
    parameters.num_workers = workers
    parameters.interleave_search = workers > 1  # deterministic in spite of the threads
    parameters.linearization_level = 0
    parameters.cp_model_presolve = presolve
    if time_limit is not None:
        parameters.max_time_in_seconds = time_limit
    if log is not None:
        parameters.log_search_progress = True
        parameters.log_to_stdout = False
        solver.log_callback = log
    status = solver.solve(built.model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return built.packing(lambda variable: bool(solver.value(variable)))
    if status == cp_model.INFEASIBLE:
        return Infeasible()
    if status == cp_model.MODEL_INVALID:
        raise JobError(f"CP-SAT refuses the model: {built.model.validate()}")
    return Unknown(f"no answer within {time_limit or 0:g} s")
