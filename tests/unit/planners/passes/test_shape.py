"""A stack is a word; what is no stack is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.planners.passes.stack import ranks_of


@given(st.permutations(range(7)), st.integers(0, 7), st.lists(st.integers(0, 9), max_size=4))
def test_rows_complete_in_the_order_of_their_digits(
    order: list[int], count: int, places: list[int]
) -> None:
    rows = [str(rank) for rank in order if rank < count]
    for place in places:
        rows.insert(place, "p")
    assert ranks_of("".join(rows)) == tuple(None if row == "p" else int(row) for row in rows)


@pytest.mark.parametrize("stack", ["bc", "1", "00", "c1", "c0", "02", "x", "pbp"])
def test_what_is_no_stack_is_refused(stack: str) -> None:
    with pytest.raises(ValueError, match="no stack"):
        ranks_of(stack)


def test_rows_that_complete_from_below_need_no_numbers() -> None:
    assert ranks_of("01p2") == ranks_of("ccpc") == (0, 1, None, 2)
    assert ranks_of("10q") == (1, 0, None)
    assert ranks_of("cbb") == (0, None, None)
