import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Board
from tetrisprinter.support.counts import format_size, parse_size


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_a_size_is_read_back(width: int, height: int) -> None:
    assert parse_size(format_size(width, height)) == (width, height)


@pytest.mark.parametrize(
    "text",
    ["", "x", "3", "3x", "x3", "0x3", "3x0", "-3x3", "3x3x3", "3 x 3", "3by3", "10000x3", "٣x٣"],
)
def test_what_is_no_size(text: str) -> None:
    assert parse_size(text) is None


def test_too_long_a_number_is_refused_before_it_is_read() -> None:
    assert parse_size("9" * 100_000 + "x1") is None


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_board_is_read_back(width: int, height: int) -> None:
    board = Board(width, height)
    assert Board.parse(str(board)) == Board.convert((width, height)) == board


@pytest.mark.parametrize("text", ["auto", "1000x2", "21by42"])
def test_what_is_no_board(text: str) -> None:
    with pytest.raises(InputError, match="expected WxH"):
        Board.parse(text)


def test_a_board_has_squares() -> None:
    with pytest.raises(InputError, match="positive size"):
        Board(0, 4)
