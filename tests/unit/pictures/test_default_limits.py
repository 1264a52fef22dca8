"""What happens to an image when nothing is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from tests.support.images import draw_gradient, draw_picture
from tests.support.strategies import sprites
from tetrisprinter.errors import InputError, Setting
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, DefaultLimits, convert_image
from tetrisprinter.pictures.picture import Picture

NOTHING_SAID = Conversion(defaults=DEFAULT_LIMITS)


@settings(deadline=None, max_examples=60)
@given(sprites(max_colors=7))
def test_what_can_be_printed_as_it_is_is_never_altered(sprite: Picture) -> None:
    converted = convert_image(draw_picture(sprite), NOTHING_SAID)
    told = converted.picture.rows, converted.steps, converted.background
    assert told == (sprite.rows, (), None)


def test_art_of_64_squares_is_not_scaled_and_a_photo_is() -> None:
    art = Image.new("RGBA", (64, 61), "navy")
    ImageDraw.Draw(art).ellipse((5, 4, 50, 55), "orange")
    assert convert_image(art, NOTHING_SAID).picture.width == 64
    converted = convert_image(draw_gradient(64, 60), NOTHING_SAID)
    assert (converted.picture.width, converted.picture.height) == (49, 46)
    assert [step.setting for step in converted.steps][:2] == [Setting.FIT, Setting.COLORS]


@settings(deadline=None, max_examples=15)
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


def test_what_is_asked_for_is_done_as_asked() -> None:
    fitted = convert_image(draw_gradient(64, 60), Conversion(fit=(20, 20), defaults=DEFAULT_LIMITS))
    assert (fitted.picture.width, fitted.picture.height) == (20, 19)
    kept = convert_image(
        smiley(60, "white"), Conversion(background="transparent", defaults=DEFAULT_LIMITS)
    )
    assert kept.background is None
    assert "ffffff" in kept.picture.colors()


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
