from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strategies import sprites
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import Picture

A, B = "ff0000", "00ff00"
PICTURE = Picture(((None, A), (B, None), (None, None)))


def test_rows_count_from_the_bottom_and_colours_from_the_top() -> None:
    assert (PICTURE.width, PICTURE.height) == (2, 3)
    assert PICTURE.cells() == {(1, 0): A, (0, 1): B}
    assert PICTURE.colors() == (B, A)
    assert PICTURE.trim().height == 2
    assert Picture(((None,),)).trim().rows == ()


def test_placing() -> None:
    placed = PICTURE.trim().place_on_board(5, 4, 3)
    assert placed.cells() == {(4, 0): A, (3, 1): B}
    assert placed.find_differences(PICTURE.trim().place_on_board(5, 4, 2)) == [
        (3, 0),
        (4, 0),
        (2, 1),
        (3, 1),
    ]
    with pytest.raises(ValueError, match="outside"):
        PICTURE.place_on_board(5, 4, 4)


@given(sprites(max_width=5, max_height=5), st.data())
def test_rows_of_different_lengths_are_no_picture(sprite: Picture, data: st.DataObject) -> None:
    y = data.draw(st.integers(0, sprite.height - 1))
    more = data.draw(st.sampled_from([(None,), (A, None)]))
    rows = [row + more if n == y else row for n, row in enumerate(sprite.rows)]
    if sprite.height == 1:
        assert Picture(tuple(rows)).width == sprite.width + len(more)
        return
    with pytest.raises(
        InputError, match=r"^p\.png: row \d+ from the top has \d+ squares, .* of equal "
    ):
        Picture(tuple(rows), "p.png")


@pytest.mark.parametrize(
    "square",
    ["", "red", "#ff0000", "FF0000", "ff000", "ff00000", "ff0000\n", "f" * 5 + "g", 0, A[0]],
)
def test_squares_are_empty_or_colours(square: object) -> None:
    rows: Any = ((A, None, B), (A, None, square))
    with pytest.raises(
        InputError, match=r"^p: invalid square .* at column 2, row 3 from the top; .* 'ff0000'$"
    ) as told:
        Picture(rows, "p", 3)
    assert repr(square) in str(told.value)
    assert isinstance(told.value, ValueError)  # for who builds pictures and reads no files
