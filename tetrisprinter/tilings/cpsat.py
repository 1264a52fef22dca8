"""The same answers from OR-tools CP-SAT: an exact cover with one boolean per placement.

It knows nothing of first cells or profiles, so it is the independent witness among the
methods, and the one to ask where a search loses its way in a large board.
"""

from __future__ import annotations

from collections.abc import Iterator

from tetrisprinter.errors import JobError
from tetrisprinter.tilings.placements import Puzzle

__all__ = ["covers"]


def covers(puzzle: Puzzle, limit: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in their order.

    Parameters
    ----------
    puzzle : Puzzle
        What to solve. The model is made of all placements, also of those that cut off a
        pocket.
    limit : int, optional
        How many solutions are enough; which of them these are is up to the solver.

    Examples
    --------
    >>> from tetrisprinter.tilings.board import Board
    >>> from tetrisprinter.tilings.pieces import PieceSet
    >>> sorted(covers(Puzzle(Board(3, 2), PieceSet.parse("dominoes"))))
    [(0, 4, 5), (1, 2, 6), (1, 3, 4)]
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in puzzle.raw]
    for x, y in puzzle.board.cells(puzzle.board.free):
        bit = puzzle.board.bit(x, y)
        model.add_exactly_one(
            [var for var, p in zip(chosen, puzzle.raw, strict=True) if p.mask & bit]
        )
    for kind, piece in enumerate(puzzle.pieces.pieces):
        if piece.most is None:
            continue
        used = sum(var for var, p in zip(chosen, puzzle.raw, strict=True) if p.kind == kind)
        if puzzle.pieces.use_all:
            model.add(used == piece.most)
        else:
            model.add(used <= piece.most)

    found: list[tuple[int, ...]] = []
    number_of = {p.mask: n for n, p in enumerate(puzzle.placements)}

    class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            masks = [
                p.mask for var, p in zip(chosen, puzzle.raw, strict=True) if self.boolean_value(var)
            ]
            found.append(tuple(sorted(number_of[mask] for mask in masks)))
            if limit is not None and len(found) >= limit:
                self.stop_search()

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.random_seed = 0
    status = solver.solve(model, Collector())
    if status == cp_model.MODEL_INVALID:
        raise JobError(f"CP-SAT refuses the model: {model.validate()}")
    if status == cp_model.UNKNOWN or (
        status == cp_model.FEASIBLE and (limit is None or len(found) < limit)
    ):
        raise KeyboardInterrupt  # nothing else stops it early
    yield from sorted(found)
