"""Pictures as drawings: what is written is read back, what is no drawing is refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.strategies import sprites
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import LETTERS, Picture


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
