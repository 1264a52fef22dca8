"""The finders agree with each other and with trying every drop order; what each does on its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.brute_packing import Brute
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.packings import _kernel
from tetrisprinter.packings.finders import BACKTRACKER, CPSAT, SAT, Backtracker, CpSat, Order, Sat
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Unknown,
    list_platform_problems,
    make_emitter_problem,
)
from tetrisprinter.sat import solve
from tetrisprinter.support.options import Limit


def problem_of(start: tuple[int, ...], rows: int, squares: frozenset[int]) -> PackingProblem:
    presets = tuple(((x, y),) for x, height in enumerate(start) for y in range(height))
    return PackingProblem(len(start), rows, presets, squares)


def assert_all_say(expected: bool, problem: PackingProblem) -> None:
    for result in (
        Backtracker(attempts=None).find(problem),
        Backtracker(attempts=None, order="random").find(problem),
        SAT.find(problem),
        CPSAT.find(problem),
    ):
        assert not isinstance(result, Unknown)
        assert isinstance(result, Packing) == expected, problem
        if isinstance(result, Packing):
            assert result.problem == problem
            result.check()


@settings(max_examples=25, deadline=None)
@given(data=st.data(), width=st.integers(5, 8), rows=st.integers(2, 4))
def test_random_starts_of_any_height(data: st.DataObject, width: int, rows: int) -> None:
    heights = st.lists(st.integers(0, rows), min_size=width, max_size=width)
    start = tuple(data.draw(heights.filter(lambda h: min(h) == 0)))
    squares = data.draw(st.frozensets(st.integers(0, width - 1)))
    assert_all_say(Brute(width, rows, squares).can_fill(start), problem_of(start, rows, squares))


def is_skew(piece: Placement) -> bool:
    return piece.orientation.piece in {PieceType.S, PieceType.Z}


def test_the_cheapest_packing_is_found() -> None:
    problem = make_emitter_problem(13, 3, [8])
    cheapest = CpSat(cost=is_skew).find(problem)
    assert isinstance(cheapest, Packing)
    costs = [sum(map(is_skew, packing.pieces)) for packing in SAT.find_all(problem)]
    assert sum(map(is_skew, cheapest.pieces)) == min(costs) < max(costs)


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose42", "minisat22"])
def test_any_solver_gives_the_same_verdict(solver: str) -> None:
    answers = [Sat(solver).find(make_emitter_problem(21, 3, [x])) for x in (6, 7)]
    assert isinstance(answers[0], Packing)
    assert isinstance(answers[1], Infeasible)


def test_a_solver_that_is_listed_but_was_not_built_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solve, "list_solvers", lambda: ("nonesuch",))
    with pytest.raises(InputError, match="built without the solver 'nonesuch'"):
        Sat("nonesuch").find(make_emitter_problem(21, 3, [7]))


def test_solvers_without_proofs_are_refused() -> None:
    with pytest.raises(InputError, match="writes no proofs"):
        solve.find_model_or_proof([(1,)], solver="minisat22")


class _InterruptedNumpy:
    """Numpy during whose allocations Ctrl-C comes, once a search has begun."""

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)

    def empty(self, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[np.generic]:
        if shape[0] > 256:
            raise KeyboardInterrupt
        return np.empty(shape, dtype)


def test_ctrl_c_while_memory_grows_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "np", _InterruptedNumpy())
    presets = tuple(((x, 0),) for x in range(13) if x not in (1, 4, 11))
    with pytest.raises(KeyboardInterrupt):
        Backtracker(None).find(PackingProblem(13, 6, presets), Limit(workers=1))


@pytest.mark.parametrize("order", ["sweep", "random"])
def test_same_seed_same_packing_for_any_number_of_workers(order: Order) -> None:
    problem = make_emitter_problem(21, 4, [0, 5, 9, 16])
    finder = Backtracker(order=order, retries=3000)
    packings = {str(finder.find(problem, Limit(workers=w, seed=5))) for w in (1, 2, 3)}
    assert len(packings) == 1
    assert "Unknown" not in packings.pop()
    others = {str(BACKTRACKER.find(problem, Limit(seed=seed))) for seed in range(5)}
    assert len(others) > 1


def test_tall_and_wide_matrices() -> None:
    result = Backtracker(None).find(make_emitter_problem(161, 3, [40]))
    assert isinstance(result, Packing)
    assert Packing.parse(str(result), 1) == result, "its pieces are more than ASCII has letters"
    result = Backtracker(100_000).find(make_emitter_problem(9, 19, [2]))
    assert isinstance(result, Packing)


def test_giving_up_is_not_a_proof() -> None:
    problem = make_emitter_problem(21, 7, [3])
    result = Backtracker(1, 2).find(problem, Limit(workers=2))
    assert isinstance(result, Unknown)


def test_the_removable_piece_comes_last() -> None:
    problem = next(p for p in list_platform_problems(21, 8) if p.last and p.last.x == 0)
    result = Backtracker(retries=50).find(problem)
    assert isinstance(result, Packing)
    assert result.pieces[-1] == problem.last
