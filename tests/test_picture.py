from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from PIL import Image

from tests.strategies import sprites
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import Picture, load_picture
from tetrisprinter.render.still import png_bytes

A, B = "ff0000", "00ff00"
PICTURE = Picture(((None, A), (B, None), (None, None)))


def test_rows_count_from_the_bottom_and_colours_from_the_top() -> None:
    assert (PICTURE.width, PICTURE.height) == (2, 3)
    assert PICTURE.cells() == {(1, 0): A, (0, 1): B}
    assert PICTURE.colors() == (B, A)
    assert PICTURE.trimmed().height == 2
    assert Picture(((None,),)).trimmed().rows == ()


def test_placing() -> None:
    placed = PICTURE.trimmed().placed(5, 4, 3)
    assert placed.cells() == {(4, 0): A, (3, 1): B}
    assert placed.differences(PICTURE.trimmed().placed(5, 4, 2)) == [(3, 0), (4, 0), (2, 1), (3, 1)]
    with pytest.raises(ValueError, match="outside"):
        PICTURE.placed(5, 4, 4)


@given(sprites(max_height=8))
def test_what_is_drawn_can_be_read_back(sprite: Picture) -> None:
    image = Image.open(io.BytesIO(png_bytes(sprite, 1))).convert("RGBA")
    data = image.tobytes()
    pixels = [tuple(data[i : i + 4]) for i in range(0, len(data), 4)]
    again = Picture.from_pixels(image.width, [(r, g, b, a) for r, g, b, a in pixels])
    black = [[color or "000000" for color in row] for row in sprite.rows]
    assert [list(row) for row in again.rows] == black


def test_scale_multiplies_the_size() -> None:
    image = Image.open(io.BytesIO(png_bytes(PICTURE, 5)))
    assert image.size == (10, 15)
    assert image.getpixel((7, 12)) == (255, 0, 0)


def test_palettes_grey_images_and_gifs_are_images_too(tmp_path: Path) -> None:
    for mode, color, expected in (("L", 200, "c8c8c8"), ("1", 1, "ffffff"), ("P", 0, "000000")):
        path = tmp_path / f"{mode}.png"
        Image.new(mode, (2, 1), color).save(path)
        assert load_picture(path).rows == ((expected, expected),)


def test_huge_images_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    Image.new("1", (3000, 3000)).save(path)
    with pytest.raises(InputError, match="3000x3000 pixels"):
        load_picture(path)
