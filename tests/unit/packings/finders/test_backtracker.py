from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.brute_packing import Brute
from tetrisprinter.packings.finders import _kernel
from tetrisprinter.packings.finders.backtracker import BACKTRACKER, Backtracker, Order
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Unknown,
    emitter_problem,
    list_platform_problems,
)
from tetrisprinter.support.limits import Limit


def preset_rows(width: int) -> list[tuple[int, ...]]:
    """All bottom rows with some preset cells, the full and the empty one left out."""
    return [bits for bits in product((0, 1), repeat=width) if 0 < sum(bits) < width]


@pytest.mark.parametrize(("width", "most_rows"), [(4, 5), (5, 4), (6, 4), (7, 3)])
def test_exhaustive_search_agrees_with_brute_force(width: int, most_rows: int) -> None:
    for rows, bits in product(range(1, most_rows + 1), preset_rows(width)):
        problem = PackingProblem(width, rows, tuple(((x, 0),) for x in range(width) if bits[x]))
        expected = Packing if Brute(width, rows).can_fill(bits) else Infeasible
        assert isinstance(Backtracker(None).find(problem), expected), bits
        assert isinstance(Backtracker(None, order="random").find(problem), expected), bits


@settings(max_examples=60, deadline=None)
@given(data=st.data(), width=st.integers(4, 10), rows=st.integers(1, 4))
def test_squares_below_agree_with_brute_force(data: st.DataObject, width: int, rows: int) -> None:
    width = min(width, 32 // rows)  # trying every order takes long beyond that
    columns = st.frozensets(st.integers(0, width - 1), max_size=width - 1)
    preset, squares = data.draw(columns), data.draw(columns)
    problem = PackingProblem(width, rows, tuple(((x, 0),) for x in sorted(preset)), squares)
    result = Backtracker(None).find(problem)
    start = tuple(int(x in preset) for x in range(width))
    assert isinstance(result, Packing) == Brute(width, rows, squares).can_fill(start)


def test_no_single_square_with_three_rows_at_four_positions() -> None:
    infeasible = [
        x
        for x in range(19)
        if isinstance(Backtracker(None).find(emitter_problem(21, 3, [x])), Infeasible)
    ]
    assert infeasible == [3, 7, 11, 15]


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


def test_divisibility_needs_no_search() -> None:
    result = BACKTRACKER.find(emitter_problem(20, 3, [5]))
    assert isinstance(result, Infeasible)
    assert "57 free cells" in result.reason


@pytest.mark.parametrize("order", ["sweep", "random"])
def test_same_seed_same_packing_for_any_number_of_workers(order: Order) -> None:
    problem = emitter_problem(21, 4, [0, 5, 9, 16])
    finder = Backtracker(order=order, retries=3000)
    packings = {str(finder.find(problem, Limit(workers=w, seed=5))) for w in (1, 2, 3)}
    assert len(packings) == 1
    assert "Unknown" not in packings.pop()
    others = {str(BACKTRACKER.find(problem, Limit(seed=seed))) for seed in range(5)}
    assert len(others) > 1


def test_giving_up_is_not_a_proof() -> None:
    problem = emitter_problem(21, 7, [3])
    result = Backtracker(1, 2).find(problem, Limit(workers=2))
    assert isinstance(result, Unknown)


def test_few_permutation_sets_still_differ_by_their_first_piece() -> None:
    problem = emitter_problem(21, 3, [0])
    result = Backtracker(retries=500, permutations=3, order="random").find(problem, Limit(seed=1))
    assert isinstance(result, Packing)


def test_the_removable_piece_comes_last() -> None:
    problem = next(p for p in list_platform_problems(21, 8) if p.last and p.last.x == 0)
    result = Backtracker(retries=50).find(problem)
    assert isinstance(result, Packing)
    assert result.pieces[-1] == problem.last


def test_tall_and_wide_matrices() -> None:
    result = Backtracker(None).find(emitter_problem(161, 3, [40]))
    assert isinstance(result, Packing)
    result = Backtracker(100_000).find(emitter_problem(9, 19, [2]))
    assert isinstance(result, Packing)
