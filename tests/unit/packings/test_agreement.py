"""The finders must agree with each other and with trying every drop order."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.brute_packing import Brute
from tetrisprinter.packings.finders import CPSAT, SAT, Backtracker
from tetrisprinter.packings.problem import Packing, PackingProblem, Unknown


def rows_of_presets(width: int, rows: int) -> Iterator[tuple[int, ...]]:
    for bits in range(1 << width):
        start = tuple(bits >> x & 1 for x in range(width))
        if not all(start) or rows == 1:
            yield start


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


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_every_preset_row_over_every_row_of_squares(width: int, rows: int) -> None:
    for under in range(1 << width):
        squares = frozenset(x for x in range(width) if under >> x & 1)
        brute = Brute(width, rows, squares)
        for start in rows_of_presets(width, rows):
            assert_all_say(brute.can_fill(start), problem_of(start, rows, squares))


@settings(max_examples=25, deadline=None)
@given(data=st.data(), width=st.integers(5, 8), rows=st.integers(2, 4))
def test_random_starts_of_any_height(data: st.DataObject, width: int, rows: int) -> None:
    heights = st.lists(st.integers(0, rows), min_size=width, max_size=width)
    start = tuple(data.draw(heights.filter(lambda h: min(h) == 0)))
    squares = data.draw(st.frozensets(st.integers(0, width - 1)))
    assert_all_say(Brute(width, rows, squares).can_fill(start), problem_of(start, rows, squares))
