from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.brute_packing import Brute
from tetrisprinter.packings.finders.backtracker import Order, find
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Unknown,
    emitter_problem,
    platform_problems,
)


def preset_rows(width: int) -> list[tuple[int, ...]]:
    """All bottom rows with some preset cells, the full and the empty one left out."""
    return [bits for bits in product((0, 1), repeat=width) if 0 < sum(bits) < width]


@pytest.mark.parametrize(("width", "most_rows"), [(4, 5), (5, 4), (6, 4), (7, 3)])
def test_exhaustive_search_agrees_with_brute_force(width: int, most_rows: int) -> None:
    for rows, bits in product(range(1, most_rows + 1), preset_rows(width)):
        problem = PackingProblem(width, rows, tuple(((x, 0),) for x in range(width) if bits[x]))
        expected = Packing if Brute(width, rows).can_fill(bits) else Infeasible
        assert isinstance(find(problem, max_attempts=None), expected), bits
        assert isinstance(find(problem, max_attempts=None, order="random"), expected), bits


@settings(max_examples=60, deadline=None)
@given(data=st.data(), width=st.integers(4, 10), rows=st.integers(1, 4))
def test_squares_below_agree_with_brute_force(data: st.DataObject, width: int, rows: int) -> None:
    columns = st.frozensets(st.integers(0, width - 1), max_size=width - 1)
    preset, squares = data.draw(columns), data.draw(columns)
    problem = PackingProblem(width, rows, tuple(((x, 0),) for x in sorted(preset)), squares)
    result = find(problem, max_attempts=None)
    start = tuple(int(x in preset) for x in range(width))
    assert isinstance(result, Packing) == Brute(width, rows, squares).can_fill(start)


def test_no_single_square_with_three_rows_at_four_positions() -> None:
    infeasible = [
        x
        for x in range(19)
        if isinstance(find(emitter_problem(21, 3, [x]), max_attempts=None), Infeasible)
    ]
    assert infeasible == [3, 7, 11, 15]


def test_divisibility_needs_no_search() -> None:
    result = find(emitter_problem(20, 3, [5]))
    assert isinstance(result, Infeasible)
    assert "57 free cells" in result.reason


@pytest.mark.parametrize("order", ["sweep", "random"])
def test_same_seed_same_packing_for_any_number_of_workers(order: Order) -> None:
    problem = emitter_problem(21, 4, [0, 5, 9, 16])
    packings = {str(find(problem, order=order, retries=3000, seed=5, workers=w)) for w in (1, 2, 3)}
    assert len(packings) == 1
    assert "Unknown" not in packings.pop()
    others = {str(find(problem, seed=seed)) for seed in range(5)}
    assert len(others) > 1


def test_giving_up_is_not_a_proof() -> None:
    problem = emitter_problem(21, 7, [3])
    result = find(problem, max_attempts=1, retries=2, workers=2)
    assert isinstance(result, Unknown)


def test_few_permutation_sets_still_differ_by_their_first_piece() -> None:
    problem = emitter_problem(21, 3, [0])
    result = find(problem, order="random", permutation_sets=3, retries=500, seed=1)
    assert isinstance(result, Packing)


def test_the_removable_piece_comes_last() -> None:
    problem = next(p for p in platform_problems(21, 8) if p.last and p.last.x == 0)
    result = find(problem, retries=50)
    assert isinstance(result, Packing)
    assert result.pieces[-1] == problem.last


def test_tall_and_wide_matrices() -> None:
    result = find(emitter_problem(161, 3, [40]), max_attempts=None)
    assert isinstance(result, Packing)
    result = find(emitter_problem(9, 19, [2]), max_attempts=100_000)
    assert isinstance(result, Packing)
