"""Candidates, levels and the clauses of the model."""

import pytest
from pysat.solvers import Solver

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType, Placement, list_orientations
from tetrisprinter.packings.model import PackingModel, solve_trivial
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    make_emitter_problem,
)


def test_arithmetic_and_full_matrices_are_settled_without_a_search() -> None:
    assert isinstance(solve_trivial(make_emitter_problem(20, 3, [4])), Infeasible)
    full = make_emitter_problem(21, 1, range(0, 21, 3))
    assert solve_trivial(full) == Packing(full, ())
    assert solve_trivial(make_emitter_problem(21, 3, [4])) is None


def test_a_last_piece_below_others_is_settled() -> None:
    (bar,) = (o for o in list_orientations(PieceType.I) if o.height == 1)
    assert isinstance(solve_trivial(PackingProblem(4, 2, last=Placement(bar, 0, 0))), Infeasible)


def test_dimacs_says_what_the_clauses_say() -> None:
    formula = PackingModel([make_emitter_problem(13, 3, [2])])
    lines = formula.to_dimacs(variable_map=True).splitlines()
    assert lines[0] == "c 1 choose 0"
    body = [line for line in lines if not line.startswith("c")]
    assert body[0] == f"p cnf {formula.variables} {len(formula.clauses)}"
    assert [tuple(map(int, line.split())) for line in body[1:]] == [
        (*clause, 0) for clause in formula.clauses
    ]
    assert formula.to_dimacs() == "\n".join(body) + "\n"


def test_what_is_no_model_is_refused() -> None:
    formula = PackingModel([make_emitter_problem(13, 3, [2])])
    with pytest.raises(InputError, match="not a model"):
        formula.decode([])
    with Solver("minisat22", bootstrap_with=formula.clauses) as solver:
        assert solver.solve()
        model = [v for v in solver.get_model() if v > 0]
    dropped = next(
        v for v in model if formula.get_piece_variable(0) <= v < formula.get_cover_variable((0, 0))
    )
    with pytest.raises(InputError, match="not a model"):
        formula.decode([v for v in model if v != dropped])


def test_what_cannot_be_written_as_one_formula() -> None:
    with pytest.raises(InputError, match="no problems are given"):
        PackingModel([])
    with pytest.raises(InputError, match="of one size"):
        PackingModel([make_emitter_problem(13, 3, [2]), make_emitter_problem(13, 2, [2])])
    with pytest.raises(InputError, match="no free cells"):
        PackingModel([make_emitter_problem(21, 1, range(0, 21, 3))])
