"""A stack can be read back from its text form; what is no stack is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.planners.shortest.shape import (
    CARRIED,
    PICTURE,
    PassShape,
    Stack,
    carried_row,
    is_carried,
    plain,
    row_carried,
    stacks,
)


@st.composite
def any_stack(draw: st.DrawFn) -> Stack:
    """Draw up to seven clearing rows in any order, with picture rows between."""
    rows: list[int] = list(draw(st.permutations(range(draw(st.integers(0, 7))))))
    for _ in range(draw(st.integers(0, 4))):
        rows.insert(draw(st.integers(0, len(rows))), PICTURE)
    if draw(st.booleans()):
        rows.append(CARRIED)
    return Stack(tuple(rows))


@given(any_stack())
def test_the_text_form_says_all_of_a_stack(stack: Stack) -> None:
    text = str(stack)
    assert Stack.parse(text) == stack
    assert len(text) == len(stack)
    assert stack.lines == sum(letter not in "pb" for letter in text)
    assert stack.picture_rows == text.count("p")
    assert stack.carries == text.endswith("b")


@given(any_stack(), st.integers(0, 9))
def test_virtual_rows_are_told_apart(stack: Stack, base: int) -> None:
    rows = PassShape(base, min(base, 3), stack).rows()
    assert len(set(rows)) == len(rows) == min(base, 3) + len(stack)
    picture = [y for y in rows if y >= 0 and not is_carried(y)]
    assert picture == list(range(base - min(base, 3), base + stack.picture_rows))
    assert sorted(~y for y in rows if y < 0) == list(range(stack.lines))
    carried = [row_carried(y) for y in rows if is_carried(y)]
    assert carried == [base + stack.picture_rows] * stack.carries


@pytest.mark.parametrize("text", ["bc", "1", "00", "c1", "02", "x", "cbp"])
def test_what_is_no_stack_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Stack.parse(text)


def test_rows_that_complete_from_below_need_no_numbers() -> None:
    assert stacks("01p2", "ccpc")[0] == Stack.parse("ccpc")
    assert plain(2, 0) == stacks("cc", "")
    assert not Stack.parse("10").completes_from_below


def test_a_carried_row_is_no_row_of_a_board() -> None:
    assert not is_carried(1000)
    assert [row_carried(carried_row(y)) for y in (0, 41)] == [0, 41]
