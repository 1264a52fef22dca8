"""Still pictures: every pixel, against colours looked up one by one."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given, settings
from PIL import Image

from tests.render.plans import plans, random_plan
from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through, shown
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.render.paint import Look
from tetrisprinter.render.still import png_bytes

PICTURE = Picture((("ff0000", None, "00ff00"), (None, "0000ff", "ff0000")))


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@settings(max_examples=20, deadline=None)
@given(plans())
def test_scale_one_is_a_pixel_per_square(plan: Plan) -> None:
    picture = shown(plan, play_through(plan).field)
    image = opened(png_bytes(picture, 1))
    assert image.size == (plan.width, plan.height)
    for y, row in enumerate(picture.rows):
        for x, color in enumerate(row):
            expected = tuple(bytes.fromhex(color or "000000"))
            assert image.getpixel((x, plan.height - 1 - y)) == expected


@pytest.mark.parametrize(
    ("scale", "grid"),
    [(2, False), (3, False), (8, False), (13, False), (3, True), (8, True), (13, True)],
)
@pytest.mark.parametrize("bevel", [False, True])
def test_every_square_has_its_colour_in_the_middle(scale: int, grid: bool, bevel: bool) -> None:
    look = Look(scale, "bevel" if bevel else "plain", grid)
    image = opened(png_bytes(PICTURE, look=look))
    assert image.size == (3 * scale, 2 * scale)
    inside = range(1, scale) if grid else range(scale)
    for y, row in enumerate(PICTURE.rows):
        for x, color in enumerate(row):
            base = tuple(bytes.fromhex(color or "000000"))
            left, top = x * scale, (1 - y) * scale
            square = {image.getpixel((left + i, top + j)) for i in inside for j in inside}
            assert base in square
            if not bevel or not color or len(inside) < 3:
                assert square == {base}
            else:
                assert len(square) == 3, "a bevelled block has a light and a dark edge"
                light = image.getpixel((left + inside[0], top + inside[0]))
                dark = image.getpixel((left + scale - 1, top + scale - 1))
                assert isinstance(light, tuple)
                assert isinstance(dark, tuple)
                assert sum(light) > sum(base) > sum(dark)
            if grid:
                assert image.getpixel((left, top)) == (0x26, 0x26, 0x2B)


def test_transparent_squares() -> None:
    image = opened(png_bytes(PICTURE, 4, transparent=True))
    assert image.mode == "RGBA"
    assert image.getpixel((4, 4)) == (0, 0, 0, 0)
    assert image.getpixel((0, 4)) == (255, 0, 0, 255)


def test_black_squares_of_the_picture_stay_opaque() -> None:
    image = opened(png_bytes(Picture((("000000", None),)), 1, transparent=True))
    assert [image.getpixel((x, 0)) for x in (0, 1)] == [(0, 0, 0, 255), (0, 0, 0, 0)]


def test_limits_are_sentences() -> None:
    with pytest.raises(InputError, match="choose a scale of"):
        png_bytes(PICTURE, 6000)
    with pytest.raises(InputError, match="grid"):
        Look(2, "plain", grid=True)
    with pytest.raises(InputError, match="scale"):
        Look(0)


def test_is_a_plain_rgb_file() -> None:
    plan = random_plan(10, 20, 20, seed=1)
    data = png_bytes(shown(plan, play_through(plan).field), 1)
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (width, height, depth, kind) == (10, 20, 8, 2)
