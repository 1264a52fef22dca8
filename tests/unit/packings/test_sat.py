import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.packings.certificates import find_packing_or_refutation
from tetrisprinter.packings.finders import SAT, Sat, count_by_listing
from tetrisprinter.packings.model import PackingModel
from tetrisprinter.packings.problem import Infeasible, Packing, Unknown, make_emitter_problem
from tetrisprinter.sat import solve
from tetrisprinter.support.options import Limit


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose42", "minisat22"])
def test_any_solver_gives_the_same_verdict(solver: str) -> None:
    answers = [Sat(solver).find(make_emitter_problem(21, 3, [x])) for x in (6, 7)]
    assert isinstance(answers[0], Packing)
    assert isinstance(answers[1], Infeasible)


def test_same_seed_same_packing() -> None:
    problem = make_emitter_problem(21, 3, [6])
    assert SAT.find(problem, Limit(seed=4)) == SAT.find(problem, Limit(seed=4))
    assert len({str(SAT.find(problem, Limit(seed=seed))) for seed in range(6)}) > 1


@pytest.mark.slow
def test_a_time_limit_ends_the_search() -> None:
    result = Sat("glucose42").find(make_emitter_problem(21, 11, [6]), Limit(0.01))
    assert isinstance(result, Unknown)
    assert isinstance(SAT.find(make_emitter_problem(21, 3, [7]), Limit(60)), Infeasible)


def test_a_solver_that_is_listed_but_was_not_built_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solve, "list_solvers", lambda: ("nonesuch",))
    with pytest.raises(InputError, match="built without the solver 'nonesuch'"):
        Sat("nonesuch").find(make_emitter_problem(21, 3, [7]))


def test_solvers_without_proofs_are_refused() -> None:
    with pytest.raises(InputError, match="writes no proofs"):
        find_packing_or_refutation(
            PackingModel([make_emitter_problem(21, 3, [7])]), solver="minisat22"
        )


def test_nothing_to_fill_has_one_answer() -> None:
    assert count_by_listing(SAT, make_emitter_problem(21, 1, range(0, 21, 3))) == 1
    assert count_by_listing(SAT, make_emitter_problem(20, 3, [4])) == 0
