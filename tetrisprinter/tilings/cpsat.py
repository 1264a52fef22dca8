"""Find and count tilings with OR-tools CP-SAT: exact cover with one boolean per placement.

The model uses neither first cells nor profiles, so it checks the other methods independently. It
is also the best method for large boards where the search finds nothing.

The solver finds solutions in its own order. Up to a thousand are collected and sorted. If there
are more, they are found one by one in order: for each cell the solver decides which placements
belong to a solution. This is slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.sat.solve import solve_model
from tetrisprinter.tilings.placements import TilingProblem

_SORTED_LIMIT: Final = 1_000


def find_covers(
    problem: TilingProblem, sorted_limit: int = _SORTED_LIMIT
) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in lexicographic order."""
    model = _TilingModel(problem)
    covers: list[tuple[int, ...]] = []

    def collect(masks: list[int]) -> bool:
        covers.append(model.list_numbers(masks))
        return len(covers) <= sorted_limit

    if model.enumerate(collect):
        yield from sorted(covers)
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
    """Yield the solutions in order; the solver decides which placements belong to one."""
    cells = problem.board.width * problem.board.height
    chosen: list[int] = []
    cover = model.complete_cover(())  # a solution with the chosen placements; None: not computed
    free = problem.board.free
    frames = [(free, iter(problem.by_cell[cells - free.bit_length()]))]
    while frames:
        free, untried = frames[-1]
        for number in untried:
            mask = problem.placements[number].mask
            if mask & ~free:
                continue
            if cover is None or number not in cover:
                new_cover = model.complete_cover((*chosen, number))
                if new_cover is None:
                    continue
                cover = new_cover
            rest = free ^ mask
            if not rest:
                yield (*chosen, number)
                cover = None
                continue
            chosen.append(number)
            frames.append((rest, iter(problem.by_cell[cells - rest.bit_length()])))
            break
        else:
            frames.pop()
            if frames:
                chosen.pop()
                cover = None


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
        is_stopped = False

        class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                nonlocal is_stopped
                if not is_stopped and not accept(
                    [m for var, m in pairs if self.boolean_value(var)]
                ):
                    is_stopped = True
                    self.stop_search()

        solver = _configure_solver()
        solver.parameters.enumerate_all_solutions = True
        status = solve_model(solver, self.model, Collector())
        self._check_status(status, complete=not is_stopped)
        return not is_stopped

    def complete_cover(self, numbers: Sequence[int]) -> frozenset[int] | None:
        """Return a solution that contains these placements; None if there is none."""
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
        """Raise an error if CP-SAT refused the model or was interrupted."""
        from ortools.sat.python import cp_model

        if status == cp_model.MODEL_INVALID:
            raise JobError(f"internal error: CP-SAT refuses the model: {self.model.validate()}")
        if status == cp_model.UNKNOWN or (complete and status == cp_model.FEASIBLE):
            raise KeyboardInterrupt  # only a signal stops the solver early


def _configure_solver() -> Any:
    """Return a CP-SAT solver with one thread and a fixed seed."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    return solver
