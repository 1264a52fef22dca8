from __future__ import annotations

import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.packings.finders import sat
from tetrisprinter.packings.finders.cnf import encode
from tetrisprinter.packings.problem import Infeasible, Packing, Unknown, emitter_problem


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose42", "minisat22"])
def test_any_solver_gives_the_same_verdict(solver: str) -> None:
    answers = [sat.find(emitter_problem(21, 3, [x]), solver=solver) for x in (6, 7)]
    assert isinstance(answers[0], Packing)
    assert isinstance(answers[1], Infeasible)


def test_same_seed_same_packing() -> None:
    problem = emitter_problem(21, 3, [6])
    assert sat.find(problem, seed=4) == sat.find(problem, seed=4)
    assert len({str(sat.find(problem, seed=seed)) for seed in range(6)}) > 1


def test_a_time_limit_ends_the_search() -> None:
    result = sat.find(emitter_problem(21, 11, [6]), time_limit=0.01, solver="glucose42")
    assert isinstance(result, Unknown)
    assert isinstance(sat.find(emitter_problem(21, 3, [7]), time_limit=60), Infeasible)


def test_unknown_solvers_are_named() -> None:
    with pytest.raises(InputError, match=r"no solver 'guess'; there are .*cadical195"):
        sat.find(emitter_problem(21, 3, [7]), solver="guess")
    assert "glucose42" in sat.solver_names()


def test_solvers_without_proofs_are_refused() -> None:
    with pytest.raises(InputError, match="writes no proofs"):
        sat.refute(encode([emitter_problem(21, 3, [7])]), solver="minisat22")


def test_nothing_to_fill_has_one_answer() -> None:
    assert sat.count(emitter_problem(21, 1, range(0, 21, 3))) == 1
    assert sat.count(emitter_problem(20, 3, [4])) == 0
