"""Find and count tilings with OR-tools CP-SAT: exact cover with one boolean per placement.

It uses neither first cells nor profiles, so it is an independent check of the other methods. It
is also the best method for large boards where the search finds nothing.

The solver finds solutions in its own order. Up to a thousand are collected and sorted. If there
are more, they are found one by one in order: for each cell the solver decides which placements
have a solution. This is slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.support.solving import solve_model
from tetrisprinter.tilings.placements import TilingProblem

_COLLECTED: Final = 1_000


def find_covers(
    problem: TilingProblem, sorted_limit: int = _COLLECTED
) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in lexicographic order."""
    model = _TilingModel(problem)
    found: list[tuple[int, ...]] = []

    def collect(masks: list[int]) -> bool:
        found.append(model.list_numbers(masks))
        return len(found) <= sorted_limit

    if model.enumerate(collect):
        yield from sorted(found)
    else:
        yield from _sort_covers(problem, model)


def count_covers(problem: TilingProblem) -> int:
    """Count the solutions one by one without keeping them."""
    total = 0

    def count_one(masks: list[int]) -> bool:
        nonlocal total
        total += 1
        return True

    _TilingModel(problem).enumerate(count_one)
    return total


def _sort_covers(problem: TilingProblem, model: _TilingModel) -> Iterator[tuple[int, ...]]:
    """Yield the solutions in order; the solver decides which placements have a solution."""
    cells = problem.board.width * problem.board.height
    chosen: list[int] = []
    known = model.complete_cover(())  # a solution with the chosen placements
    free = problem.board.free
    frames = [(free, iter(problem.by_cell[cells - free.bit_length()]))]
    while frames:
        free, untried = frames[-1]
        for number in untried:
            mask = problem.placements[number].mask
            if mask & ~free:
                continue
            if known is None or number not in known:
                other = model.complete_cover((*chosen, number))
                if other is None:
                    continue
                known = other
            rest = free ^ mask
            if not rest:
                yield (*chosen, number)
                known = None
                continue
            chosen.append(number)
            frames.append((rest, iter(problem.by_cell[cells - rest.bit_length()])))
            break
        else:
            frames.pop()
            if frames:
                chosen.pop()
                known = None


class _TilingModel:
    """The exact cover model and its queries."""

    def __init__(self, problem: TilingProblem) -> None:
        from ortools.sat.python import cp_model

        self.problem = problem
        self.number_of = {p.mask: n for n, p in enumerate(problem.placements)}
        self.model = model = cp_model.CpModel()
        self.chosen = chosen = [model.new_bool_var("") for _ in problem.all_placements]
        for x, y in problem.board.list_cells(problem.board.free):
            bit = problem.board.get_bit(x, y)
            model.add_exactly_one(
                [var for var, p in zip(chosen, problem.all_placements, strict=True) if p.mask & bit]
            )
        for kind, piece in enumerate(problem.pieces.pieces):
            if piece.most is None:
                continue
            used = sum(
                var for var, p in zip(chosen, problem.all_placements, strict=True) if p.kind == kind
            )
            if problem.pieces.use_all:
                model.add(used == piece.most)
            else:
                model.add(used <= piece.most)

    def list_numbers(self, masks: list[int]) -> tuple[int, ...]:
        """Return the numbers of placements in ``problem.placements`` from their masks."""
        return tuple(sorted(self.number_of[mask] for mask in masks))

    def enumerate(self, accept: Callable[[list[int]], bool]) -> bool:
        """Pass solutions, as masks, to ``accept`` until it is false; return whether all passed."""
        from ortools.sat.python import cp_model

        pairs = list(zip(self.chosen, (p.mask for p in self.problem.all_placements), strict=True))
        enough = False

        class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                nonlocal enough
                if not enough and not accept([m for var, m in pairs if self.boolean_value(var)]):
                    enough = True
                    self.stop_search()

        solver = _configure_solver()
        solver.parameters.enumerate_all_solutions = True
        status = solve_model(solver, self.model, Collector())
        self._check_status(status, complete=not enough)
        return not enough

    def complete_cover(self, numbers: Sequence[int]) -> frozenset[int] | None:
        """Return a solution with these placements; None if there is none."""
        from ortools.sat.python import cp_model

        fixed = {self.problem.placements[number].mask for number in numbers}
        self.model.clear_assumptions()
        self.model.add_assumptions(
            [
                var
                for var, p in zip(self.chosen, self.problem.all_placements, strict=True)
                if p.mask in fixed
            ]
        )
        solver = _configure_solver()
        status = solve_model(solver, self.model)
        self._check_status(status, complete=False)
        if status == cp_model.INFEASIBLE:
            return None
        masks = [
            p.mask
            for var, p in zip(self.chosen, self.problem.all_placements, strict=True)
            if solver.boolean_value(var)
        ]
        return frozenset(self.list_numbers(masks))

    def _check_status(self, status: Any, *, complete: bool) -> None:
        from ortools.sat.python import cp_model

        if status == cp_model.MODEL_INVALID:
            raise JobError(f"internal error: CP-SAT refuses the model: {self.model.validate()}")
        if status == cp_model.UNKNOWN or (complete and status == cp_model.FEASIBLE):
            raise KeyboardInterrupt  # only a signal stops the solver early


def _configure_solver() -> Any:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    return solver
