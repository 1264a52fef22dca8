import numpy as np
import pytest
from numpy.typing import NDArray

from tetrisprinter.packings import _kernel
from tetrisprinter.packings.finders import BACKTRACKER, Backtracker, Order
from tetrisprinter.packings.problem import (
    Packing,
    PackingProblem,
    Unknown,
    list_platform_problems,
    make_emitter_problem,
)
from tetrisprinter.support.options import Limit


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


def test_giving_up_is_not_a_proof() -> None:
    problem = make_emitter_problem(21, 7, [3])
    result = Backtracker(1, 2).find(problem, Limit(workers=2))
    assert isinstance(result, Unknown)


def test_few_permutation_sets_still_differ_by_their_first_piece() -> None:
    problem = make_emitter_problem(21, 3, [0])
    result = Backtracker(retries=500, permutations=3, order="random").find(problem, Limit(seed=1))
    assert isinstance(result, Packing)


def test_the_removable_piece_comes_last() -> None:
    problem = next(p for p in list_platform_problems(21, 8) if p.last and p.last.x == 0)
    result = Backtracker(retries=50).find(problem)
    assert isinstance(result, Packing)
    assert result.pieces[-1] == problem.last


def test_tall_and_wide_matrices() -> None:
    result = Backtracker(None).find(make_emitter_problem(161, 3, [40]))
    assert isinstance(result, Packing)
    result = Backtracker(100_000).find(make_emitter_problem(9, 19, [2]))
    assert isinstance(result, Packing)
