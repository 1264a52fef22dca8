import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.strategies import sprites
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import LETTERS, Picture

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
    assert PICTURE.trim().place_on_board(5, 4, 2).cells() == {(3, 0): A, (2, 1): B}
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


@settings(max_examples=30, deadline=None)
@given(sprites(max_colors=7))
def test_a_drawing_is_read_back(sprite: Picture) -> None:
    assert Picture.parse(str(sprite)).rows == sprite.rows


@given(st.integers(63, 300))
def test_more_colours_than_the_alphabet_has_letters(count: int) -> None:
    picture = Picture((tuple(f"{n:06x}" for n in range(count)),))
    assert Picture.parse(str(picture)).rows == picture.rows


def test_letters_colours_and_ragged_ends() -> None:
    picture = Picture.parse("x=0000ff\nrx\n\nw", r="FF0000")
    assert picture.rows == ((LETTERS["w"], None), (None, None), ("ff0000", "0000ff"))
    assert Picture.parse("r=111111\nr", r="222222").rows == (("222222",),)
    assert Picture.parse("\n r\nrr\n").rows == Picture.parse(".r\r\nrr\r\n").rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("r\nrq", "drawing:2: unknown letter 'q'"),
        ("r=ff0000\nr\nz", "drawing:3: unknown letter 'z'"),
        ("r=red\nr", "invalid colour 'red'"),
        ("", "the picture is empty"),
        ("..\n..", "the picture is empty"),
        ("r=ff0000", "the picture is empty"),
    ],
)
def test_what_is_no_drawing(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Picture.parse(text)
