"""A stack is a word; what is no stack is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.planners.passes.shape import PassShape
from tetrisprinter.planners.passes.stack import ranks_of


@st.composite
def any_stack(draw: st.DrawFn) -> str:
    """Draw up to seven clearing rows in any order, with picture rows between."""
    rows = list(map(str, draw(st.permutations(range(draw(st.integers(0, 7)))))))
    for _ in range(draw(st.integers(0, 4))):
        rows.insert(draw(st.integers(0, len(rows))), "p")
    return "".join(rows)


@given(any_stack(), st.integers(0, 9))
def test_virtual_rows_are_told_apart(stack: str, base: int) -> None:
    shape = PassShape(base, min(base, 3), stack)
    rows = shape.rows()
    assert len(set(rows)) == len(rows) == min(base, 3) + len(stack)
    picture = [y for y in rows if y >= 0]
    assert picture == list(range(base - min(base, 3), base + stack.count("p")))
    assert sorted(~y for y in rows if y < 0) == list(range(shape.lines))
    assert shape.lines == sum(letter != "p" for letter in stack)


@pytest.mark.parametrize(
    "stack", ["bc", "1", "00", "c1", "c0", "02", "x", "cbp", "cb", "cq", "pqp"]
)
def test_what_is_no_stack_is_refused(stack: str) -> None:
    with pytest.raises(ValueError, match=r"no stack|begins a row"):
        PassShape(0, 0, stack)


def test_rows_that_complete_from_below_need_no_numbers() -> None:
    assert ranks_of("01p2") == ranks_of("ccpc") == (0, 1, None, 2)
    assert ranks_of("10q") == (1, 0, None)
    assert ranks_of("cbb") == (0, None, None)
