from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from tests.support.commands import EXAMPLES
from tests.support.images import draw_gradient, draw_picture
from tests.support.strategies import sprites
from tetrisprinter.api.request import find_default_limits
from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Board
from tetrisprinter.pictures.convert import (
    DEFAULT_LIMITS,
    Conversion,
    DefaultLimits,
    convert_image,
    read_image,
)
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.reduction import Adjustments


@settings(deadline=None, max_examples=30)
@given(sprites(max_colors=5), st.integers(0, 5), st.integers(0, 2))
def test_what_fits_is_never_altered(sprite: Picture, room: int, more_colors: int) -> None:
    how = Conversion(
        fit=(sprite.width + room, sprite.height + room),
        colors=len(sprite.colors()) + more_colors,
        adjust=Adjustments(dither=True),
        background="transparent",
    )
    converted = convert_image(draw_picture(sprite), how)
    assert converted.picture.rows == sprite.rows
    assert converted.changes == ()


@settings(deadline=None, max_examples=40)
@given(sprites(max_width=12, max_height=12), st.integers(2, 5))
def test_enlarged_pixel_art_is_recovered_exactly(sprite: Picture, scale: int) -> None:
    converted = convert_image(
        draw_picture(sprite, scale), Conversion(fit=(sprite.width, sprite.height))
    )
    assert converted.picture.rows == sprite.rows


@pytest.mark.parametrize("scale", [1, 3, 13])
def test_colours_below_transparent_pixels_do_not_count(scale: int) -> None:
    sprite = draw_picture(load_picture(EXAMPLES / "penguin.png"), scale)
    hidden = Image.effect_noise(sprite.size, 99).convert("RGBA")
    hidden.putalpha(0)
    hidden.paste(sprite, mask=sprite.getchannel("A"))
    conversion = Conversion(defaults=DEFAULT_LIMITS)
    assert convert_image(hidden, conversion) == convert_image(sprite, conversion)


@pytest.mark.parametrize(("fit", "size"), [((64, 64), (64, 32)), ((200, 10), (20, 10))])
def test_proportions_are_kept(fit: tuple[int, int], size: tuple[int, int]) -> None:
    converted = convert_image(draw_gradient(200, 100), Conversion(fit=fit, colors=5))
    assert (converted.picture.width, converted.picture.height) == size
    assert len(converted.picture.colors()) == 5
    assert converted.changes[0] == f"scaled from 200x100 to {size[0]}x{size[1]}"


def test_a_palette_has_only_colours_of_the_image() -> None:
    original = draw_gradient(40, 40)
    colors = {bytes(p).hex() for p in np.array(original).reshape(-1, 3).tolist()}
    for dither in (False, True):
        reduced = convert_image(original, Conversion(colors=4, adjust=Adjustments(dither=dither)))
        assert len(reduced.picture.colors()) == 4
        assert set(reduced.picture.colors()) <= colors
        assert reduced.picture.width == reduced.picture.height == 40


@pytest.mark.parametrize("background", ["auto", "ffffff", "white"])
def test_background_and_transparency_are_alike(background: str, tmp_path: Path) -> None:
    figure = Picture(((None, "d02030", None), (None, "d02030", "3060c0"), (None,) * 3))
    opaque = Image.new("RGBA", (3, 3), (255, 255, 255, 255))
    opaque.alpha_composite(draw_picture(figure))
    path = tmp_path / "opaque.png"
    opaque.convert("RGB").save(path)
    converted = read_image(path, Conversion(background=background))
    assert converted.picture.rows == figure.trim().rows
    assert converted.background == "ffffff"
    # In an image with transparent pixels these are the background, and auto looks no further.
    kept = convert_image(draw_picture(figure), Conversion(background="auto"))
    assert (kept.picture.rows, kept.background) == (figure.trim().rows, None)


def test_background_does_not_count_as_a_colour() -> None:
    noise = np.random.default_rng(1).integers(-4, 5, (32, 32, 3))
    rgb = np.full((32, 32, 3), (250, 250, 240))
    rgb[8:24, 8:16] = (200, 30, 30)
    rgb[8:24, 16:24] = (30, 30, 200)
    image = Image.fromarray(np.clip(rgb + noise, 0, 255).astype(np.uint8), "RGB")
    for background in ("auto", "fafaf0"):
        converted = convert_image(image, Conversion(colors=2, background=background))
        assert len(converted.picture.colors()) == 2
        assert len(converted.picture.cells()) == 16 * 16
        assert (converted.picture.width, converted.picture.height) == (32, 16)


def test_half_transparent_pixels_are_decided_only_on_request(tmp_path: Path) -> None:
    image = Image.new("RGBA", (3, 1), (9, 9, 9, 255))
    image.putpixel((0, 0), (9, 9, 9, 127))
    image.putpixel((1, 0), (9, 9, 9, 128))
    image.save(tmp_path / "half.png")
    with pytest.raises(InputError, match="half transparent"):
        read_image(tmp_path / "half.png")
    with pytest.raises(InputError, match="half transparent"):
        load_picture(tmp_path / "half.png")
    converted = read_image(tmp_path / "half.png", Conversion(background="transparent"))
    assert converted.picture.rows == ((None, "090909", "090909"),)
    assert converted.changes == ("2 half-transparent pixels made opaque or empty",)


def test_big_photos_need_fit(tmp_path: Path) -> None:
    path = tmp_path / "big.jpg"
    draw_gradient(2100, 2000).save(path)
    with pytest.raises(InputError, match="a smaller size is needed"):
        read_image(path, Conversion(colors=3))
    converted = read_image(path, Conversion(fit=(21, 21), colors=3))
    assert (converted.picture.width, converted.picture.height) == (21, 20)
    defaults = read_image(path, Conversion(defaults=DEFAULT_LIMITS)).picture
    assert (defaults.width, defaults.height) == (49, 47)


def test_only_background_is_nothing_to_print() -> None:
    with pytest.raises(InputError, match="only background"):
        convert_image(Image.new("RGB", (3, 3), "red"), Conversion(background="auto"))


def test_eyes_beside_an_outline_of_their_colour_stay_eyes() -> None:
    limits = find_default_limits(Board(10, 20), None)
    picture = read_image(EXAMPLES / "penguin.png", Conversion(defaults=limits)).picture
    assert ".abababa." in str(picture).split("\n")


NOTHING_SAID = Conversion(defaults=DEFAULT_LIMITS)


@settings(deadline=None, max_examples=40)
@given(sprites(max_colors=7))
def test_what_can_be_printed_as_it_is_is_never_altered(sprite: Picture) -> None:
    converted = convert_image(draw_picture(sprite), NOTHING_SAID)
    result = converted.picture.rows, converted.steps, converted.background
    assert result == (sprite.rows, (), None)


@settings(deadline=None, max_examples=5)
@given(st.integers(1, 300), st.integers(1, 300))
def test_the_size_is_kept_in_bounds_and_in_proportion(width: int, height: int) -> None:
    picture = convert_image(draw_gradient(width, height), NOTHING_SAID).picture
    assert max(picture.width, picture.height) <= 96
    assert picture.width * picture.height <= 2400
    assert len(picture.colors()) <= 7


def smiley(size: int, ground: str | tuple[int, ...]) -> Image.Image:
    image = Image.new("RGBA", (4 * size, 4 * size), ground)
    pen = ImageDraw.Draw(image)
    pen.ellipse((2, 2, 4 * size - 3, 4 * size - 3), "#ffcc00")
    for x in (1.2, 2.4):
        pen.ellipse((x * size, size, (x + 0.4) * size, 1.6 * size), "black")
    return image.resize((size, size), Image.Resampling.LANCZOS)


def test_an_antialiased_drawing_gets_its_own_colours_and_no_more() -> None:
    for ground in ("white", (0, 0, 0, 0)):
        converted = convert_image(smiley(200, ground), NOTHING_SAID)
        colors = converted.picture.colors()
        assert len(colors) == 2, colors
        assert {"ffcc00", "000000"} == set(colors)
        assert converted.background == ("ffffff" if ground == "white" else None)
        assert None in converted.picture.rows[-1], "the corners are background"


def test_the_number_of_colours_is_decided_by_looking() -> None:
    many = draw_gradient(200, 150)
    assert len(convert_image(many, NOTHING_SAID).picture.colors()) == 7
    disc = Image.new("RGB", (400, 400), "navy")
    ImageDraw.Draw(disc).ellipse((124, 108, 280, 308), "white")
    assert len(convert_image(disc.reduce(4), NOTHING_SAID).picture.colors()) == 1
    soft = disc.filter(ImageFilter.GaussianBlur(8)).reduce(4)  # its edge is a part of the image
    assert 3 <= len(convert_image(soft, NOTHING_SAID).picture.colors()) <= 6
    three = convert_image(many, Conversion(colors=3, defaults=DEFAULT_LIMITS))
    assert len(three.picture.colors()) == 3


def test_an_image_of_one_colour_is_its_own_figure() -> None:
    picture = convert_image(Image.new("RGB", (100, 80), "teal"), NOTHING_SAID).picture
    assert picture.colors() == ("008080",)
    assert None not in picture.rows[0]
    shadow = convert_image(Image.new("RGBA", (4, 4), (9, 9, 9, 60)), NOTHING_SAID).picture
    assert shadow.colors() == ("090909",)
    with pytest.raises(InputError, match="nothing to print"):
        convert_image(Image.new("RGBA", (4, 4)), NOTHING_SAID)


def test_transparent_margins_do_not_count_where_the_image_must_be_fitted() -> None:
    image = Image.new("RGBA", (300, 300))
    image.paste("red", (100, 120, 140, 150))
    image.putpixel((120, 130), (0, 0, 255, 255))
    picture = convert_image(image, NOTHING_SAID).picture
    assert (picture.width, picture.height) == (40, 30)
    assert set(picture.colors()) == {"ff0000", "0000ff"}


def test_a_room_that_is_given_is_kept() -> None:
    narrow = Conversion(defaults=DefaultLimits((9, 20), (9, 20)))
    picture = convert_image(draw_gradient(200, 150), narrow).picture
    assert (picture.width, picture.height) == (9, 7)
