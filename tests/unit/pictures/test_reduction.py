"""A small picture in few colours shows what the image shows."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from tests.support.images import draw_gradient
from tests.support.scenes import SCENES
from tetrisprinter.api.request import find_default_limits
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, DefaultLimits, convert_image
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.reduction import (
    Adjustments,
    Point,
    Reduction,
    ScaledImage,
    assign_colors,
    count_changes,
    measure_distance,
    to_point,
    to_rgb,
)

NOTHING_SAID = Conversion(defaults=find_default_limits(None, None))
WITH_MARGINS = replace(NOTHING_SAID, defaults=replace(DEFAULT_LIMITS, keeps_margins=True))


def scene(name: str) -> Image.Image:
    return SCENES[name][1]().convert("RGBA")


def hues(picture: Picture) -> list[Point]:
    return [to_point((r, g, b)) for r, g, b in map(bytes.fromhex, picture.colors())]


def strokes_of(seed: int, side: int) -> list[tuple[str, list[tuple[float, float]]]]:
    """Circles and zigzags, each in an ink, as points close to each other."""
    chance, strokes = random.Random(seed), []
    for number in range(4):
        ink = ("#101010", "#c02020", "#2040c0")[number % 3]
        if number % 2:
            x, y, r = (chance.uniform(0.3, 0.7) * side for _ in range(3))
            turns = [2 * math.pi * t / 90 for t in range(91)]
            points = [(x + 0.35 * r * math.cos(t), y + 0.35 * r * math.sin(t)) for t in turns]
        else:
            ends = [[chance.uniform(0.1, 0.9) * side for _ in range(2)] for _ in range(4)]
            points = [
                (a[0] + t / 40 * (b[0] - a[0]), a[1] + t / 40 * (b[1] - a[1]))
                for a, b in itertools.pairwise(ends)
                for t in range(41)
            ]
        strokes.append((ink, points))
    return strokes


@pytest.mark.parametrize(("seed", "width"), [(1, 3), (3, 5)])
def test_each_line_of_a_drawing_is_a_line_in_its_ink(seed: int, width: int) -> None:
    side = 480
    strokes = strokes_of(seed, side)
    large = Image.new("RGB", (3 * side, 3 * side), "white")
    for ink, points in strokes:
        ImageDraw.Draw(large).line([(3 * x, 3 * y) for x, y in points], ink, 3 * width, "curve")
    picture = convert_image(large.resize((side, side), Image.Resampling.BOX), WITH_MARGINS).picture
    inked = {(x, picture.image_row(y)): color for (x, y), color in picture.cells().items()}
    shown = all_of = 0
    for ink, points in strokes:
        there = np.array(list(bytes.fromhex(ink[1:])))
        near = [c for c, rgb in inked.items() if abs(there - list(bytes.fromhex(rgb))).sum() < 60]
        assert near, ink
        for x, y in points:
            all_of += 1
            at = x / 10 - 0.5, y / 10 - 0.5
            shown += any(max(abs(cx - at[0]), abs(cy - at[1])) <= 1 for cx, cy in near)
    assert shown >= 0.85 * all_of  # where lines cross, one of them is on top
    # Not many more squares than lines that are one square wide take.
    thin = {(int(x / 10), int(y / 10)) for _, points in strokes for x, y in points}
    assert len(inked) <= 1.3 * len(thin)


def test_one_thin_line_is_never_lost() -> None:
    for ink, ground in (("black", "white"), ("#2ca02c", "white"), ("#e0e0e0", "#203040")):
        image = Image.new("RGB", (1000, 20), ground)
        ImageDraw.Draw(image).line((0, 10, 1000, 10), ink, 1)
        picture = convert_image(image, NOTHING_SAID).picture
        assert len(picture.cells()) == picture.width == 96
        assert picture.colors() == (Image.new("RGB", (1, 1), ink).tobytes().hex(),)


@pytest.mark.parametrize("name", ["flag_cross", "badge", "seven_bars"])
def test_a_drawing_gets_no_colour_that_it_does_not_have(name: str) -> None:
    image = scene(name)
    data = image.convert("RGB").tobytes()
    there = {data[at : at + 3].hex() for at in range(0, len(data), 3)}
    assert set(convert_image(image, NOTHING_SAID).picture.colors()) <= there


def draw_lines(pen: ImageDraw.ImageDraw, left: int, top: int, ink: str) -> None:
    font = ImageFont.load_default(14)
    for line in range(2):
        text = "the quick brown fox jumps"
        pen.text((left, top + 34 * line), text, ink, font)


def test_lines_of_small_text_are_bars_on_every_ground_and_a_message_helps() -> None:
    image = Image.new("RGB", (768, 768), "#ece5dd")
    pen = ImageDraw.Draw(image)
    for top, ground in ((80, "#ffffff"), (320, "#d9fdd3"), (560, "#203040")):
        pen.rectangle((80, top, 400, top + 150), ground)
        draw_lines(pen, 130, top + 50, "white" if ground == "#203040" else "black")
    converted = convert_image(image, WITH_MARGINS)
    cells = {
        (x, converted.picture.image_row(y)): c for (x, y), c in converted.picture.cells().items()
    }
    for top in (80, 320, 560):
        box = [(x, y) for x in range(8, 22) for y in range(top // 16 + 2, (top + 140) // 16)]
        light = [to_point(tuple(bytes.fromhex(cells.get(at, "ece5dd"))))[0] for at in box]
        assert max(light) - min(light) > 0.25, top
    assert any("makes them legible" in change for change in converted.changes)


def test_a_line_of_letters_between_two_rows_is_one_even_bar() -> None:
    """If each square alone took the fuller row, the bar would be in pieces."""
    for down in (0, 6, 9):
        image = Image.new("RGB", (768, 768), "white")
        ImageDraw.Draw(image).rectangle((80, 600, 688, 720), "#2040a0")
        text = "the board is empty when a row of the picture has been left"
        ImageDraw.Draw(image).text((120, 320 + down), text, "black", ImageFont.load_default(14))
        picture = convert_image(image, WITH_MARGINS).picture
        black = {at for at, color in picture.cells().items() if color == "000000"}
        assert len({y for _, y in black}) == 1, down
        assert len(black) >= 20, down


def test_lines_meet_where_the_image_has_them_meet() -> None:
    """A line nearly fills one square; without those beside it, walls would hang below a beam."""
    image = Image.new("RGB", (480, 400), "white")
    pen = ImageDraw.Draw(image)
    for left, top in ((100, 183), (103, 187), (108, 181)):
        pen.rectangle((0, 0, 480, 400), "white")
        pen.line((left - 40, top, left + 200, top), "black", 8)
        for x in (left, left + 160):
            pen.line((x, top, x, top + 160), "black", 3)
        cells = convert_image(image, NOTHING_SAID).picture.cells()
        beam = max(y for _, y in cells)
        rows = [{x for x, at in cells if at == y} for y in range(beam - 4, beam)]
        assert all(row >= rows[0] for row in rows), (left, top)
        assert 2 <= len(rows[0]) <= 4


def test_an_axis_goes_on_under_the_bars_of_a_chart() -> None:
    image = Image.new("RGB", (600, 400), "white")
    pen = ImageDraw.Draw(image)
    for left in range(60, 560, 100):
        pen.rectangle((left, 400 - 40 - left // 2, left + 59, 359), "#3a7bd5")
    pen.line((20, 362, 580, 362), "black", 4)
    converted = convert_image(image, replace(WITH_MARGINS, fit=(60, 40)))
    cells = converted.picture.cells()
    dark = {(x, y) for (x, y), color in cells.items() if max(bytes.fromhex(color)) < 0x60}
    axis = max({y for _, y in dark}, key=lambda at: sum(y == at for _, y in dark))
    columns = {x for x, y in dark if y == axis}
    assert columns == set(range(min(columns), max(columns) + 1))
    assert len(columns) > 50


def test_a_drawn_line_is_not_taken_for_small_text() -> None:
    """Loops of a signature and marks that cross are strokes side by side, but no letters."""
    points = [
        (60 + 780 * t / 200, 200 + 90 * math.sin(t / 16) + 40 * math.sin(t / 5)) for t in range(201)
    ]
    for width in (3, 8):
        image = Image.new("RGB", (900, 400), "white")
        ImageDraw.Draw(image).line(points, "navy", width, "curve")
        converted = convert_image(image, NOTHING_SAID)
        assert not any("text" in text for text in converted.changes), width
        assert len({x for x, _ in converted.picture.cells()}) >= 40


def test_a_mixture_of_two_inks_is_never_drawn_in_a_third() -> None:
    image = Image.new("RGB", (400, 400), "white")
    pen = ImageDraw.Draw(image)
    pen.ellipse((20, 20, 120, 120), "#0047a0")
    for number in range(5):
        pen.line((180 + 40 * number, 200, 100 + 40 * number, 380), "black", 11)
    picture = convert_image(image, NOTHING_SAID).picture
    blue = [y for (_, y), color in picture.cells().items() if color == "0047a0"]
    assert blue
    assert min(blue) > picture.height / 2


def test_flat_pictures_keep_all_of_seven_colours() -> None:
    for name in ("seven_bars", "flag_bearer", "pie"):
        assert len(convert_image(scene(name), NOTHING_SAID).picture.colors()) == 7, name


def test_a_small_eye_keeps_its_hue() -> None:
    rng = np.random.default_rng(1)
    fur = (
        np.array([150, 110, 70])
        + rng.normal(0, 25, (300, 300, 1))
        + rng.normal(0, 4, (300, 300, 3))
    )
    y, x = np.mgrid[:300, :300]
    for middle in (90, 210):
        fur[(x - middle) ** 2 + (y - 120) ** 2 < 16**2] = (90, 150, 40)
    image = Image.fromarray(np.clip(fur, 0, 255).astype(np.uint8))
    picture = convert_image(image, Conversion(colors=5, defaults=DEFAULT_LIMITS)).picture
    assert any(a < 0 < b for _, a, b in hues(picture)), picture.colors()


def test_contrast_is_stretched_unless_the_original_is_wanted() -> None:
    pale = Image.effect_noise((200, 150), 120).resize((40, 30)).resize((200, 150), 0)
    pale = pale.point(lambda value: 90 + value // 4).convert("RGB")

    def spread(adjust: Adjustments) -> float:
        picture = convert_image(pale, Conversion(defaults=DEFAULT_LIMITS, adjust=adjust)).picture
        lights = [light for light, _, _ in hues(picture)]
        return max(lights) - min(lights)

    assert spread(Adjustments()) > 1.5 * spread(Adjustments(original=True))
    assert spread(Adjustments(contrast=1.5)) > 1.2 * spread(Adjustments())
    dull = convert_image(
        draw_gradient(200, 150),
        Conversion(defaults=DEFAULT_LIMITS, adjust=Adjustments(saturation=0)),
    ).picture
    assert all(abs(a) + abs(b) < 0.01 for _, a, b in hues(dull))


def test_a_dark_sky_stays_dark() -> None:
    chance, sky = random.Random(60), Image.new("RGB", (200, 150))
    for x, y in itertools.product(range(200), range(150)):
        sky.putpixel((x, y), (5 + y // 10, 6 + y // 8, 30 + y // 4 + chance.randrange(5)))
    for _ in range(60):
        sky.putpixel((chance.randrange(200), chance.randrange(150)), (200, 200, 200))
    picture = convert_image(sky, Conversion(defaults=DEFAULT_LIMITS)).picture
    brightest = [max(bytes.fromhex(color)) for color in picture.cells().values()]
    assert sorted(brightest)[int(0.9 * len(brightest))] < 80


def test_a_print_that_takes_long_has_fewer_colours_but_six() -> None:
    image = scene("flower")

    def convert(changes: float, least_colors: int = 6) -> Picture:
        def cost(picture: Picture) -> float:
            return sum(a != b for row in picture.rows for a, b in itertools.pairwise(row)) / changes

        limits = DefaultLimits(costs=cost, seconds=1.0, least_colors=least_colors)
        return convert_image(image, Conversion(defaults=limits)).picture

    free, dear, dearest = convert(1e9), convert(10), convert(10, 2)
    assert [len(picture.colors()) for picture in (free, dear, dearest)] == [7, 6, 2]


def test_a_large_photo_keeps_its_colours_though_it_takes_longer_to_print() -> None:
    """In two colours a face is a silhouette."""
    grain = np.random.default_rng(11).normal(0, 60, (384, 384, 1))
    photo = np.asarray(scene("portrait").convert("RGB").resize((384, 384))) + grain
    image = Image.fromarray(np.clip(photo, 0, 255).astype(np.uint8)).convert("RGBA")
    picture = convert_image(image, replace(NOTHING_SAID, fit=(128, 128))).picture
    assert len(picture.colors()) >= 6


@pytest.mark.slow
def test_a_sky_is_no_background_and_a_sheet_of_paper_is() -> None:
    for name, ground in (("landscape", None), ("badge", "ffffff"), ("moon", "030809")):
        assert convert_image(scene(name), NOTHING_SAID).background == ground, name


colors = st.tuples(*[st.integers(0, 255)] * 3)


@given(colors)
def test_a_colour_comes_back(rgb: tuple[int, int, int]) -> None:
    assert to_rgb(to_point(rgb)) == rgb


def test_a_speck_goes_and_a_dot_stays() -> None:
    grey, paler, red = (0.5, 0.0, 0.0), (0.53, 0.0, 0.0), (0.5, 0.4, 0.2)
    squares = [grey] * 25
    squares[12], squares[6] = paler, red
    chosen = assign_colors(squares, 5, [grey, paler, red])
    assert (chosen[12], chosen[6], set(chosen)) == (0, 2, {0, 2})


def test_a_line_of_a_photo_that_two_columns_share_is_not_lost() -> None:
    black, white, pale = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.45, 0.0, 0.0)
    squares = [pale if at % 10 in (4, 5) else black for at in range(60)]
    alone = assign_colors(squares, 10, [black, white])
    assert set(alone) == {0}
    mixed = assign_colors(squares, 10, [black, white], mixes=True)
    rows = [mixed[at : at + 10] for at in range(0, 60, 10)]
    assert all(sorted(row[4:6]) == [0, 1] for row in rows)  # type: ignore[type-var]
    assert not any(row[at] for row in rows for at in (*range(4), *range(6, 10)))


def test_grain_does_not_become_many_changes_of_colour() -> None:
    """Squares that mix would show the noise of a grainy photo, and each change costs pieces."""
    noise = np.random.default_rng(5).normal(0, 5, (32, 32))
    shades = np.clip(np.linspace(60, 190, 32)[None, :] + noise, 0, 255).astype(int).ravel()
    grainy: list[tuple[int, int, int] | None] = [(shade, shade, shade) for shade in shades.tolist()]
    reduction = Reduction(ScaledImage(grainy, 32, grainy), Adjustments(), None, 4)
    drawn, _ = reduction.draw(4)
    shown = sorted({color for color in drawn if color is not None})
    palette = [to_point(color) for color in shown]
    plain = assign_colors(reduction.points, 32, palette)
    mixed = assign_colors(reduction.points, 32, palette, mixes=True)
    assert count_changes(mixed, 32) > 1.3 * count_changes(plain, 32)
    indices = [None if color is None else shown.index(color) for color in drawn]
    assert count_changes(indices, 32) <= 1.1 * count_changes(plain, 32)


def test_a_photo_has_as_many_colours_as_look_better() -> None:
    """Bands of seven hues need seven colours; grain shows as well in six, with fewer changes."""
    chance = np.random.default_rng(7)
    y, _ = np.mgrid[:192, :192]
    grain = np.clip(120 + chance.normal(0, 60, (48, 48, 1)), 0, 255).repeat(4, 0).repeat(4, 1)
    hues = [(200, 40, 40), (230, 150, 40), (230, 220, 60), (60, 170, 60), (60, 180, 200)]
    bands = np.array([*hues, (50, 70, 190), (150, 60, 170)])[y * 7 // 192]
    soft = chance.normal(0, 4, (192, 192, 1))
    for pixels, least, most in ((grain.repeat(3, 2), 6, 6), (bands + soft, 7, 7)):
        image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        how = replace(NOTHING_SAID, background="transparent")
        colors = convert_image(image, how).picture.colors()
        assert least <= len(colors) <= most, colors


def test_squares_of_the_same_colours_are_near_and_a_missing_line_is_far() -> None:
    white, black, grey = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.9, 0.0, 0.0)
    lined = [black if at % 8 == 3 else white for at in range(64)]
    assert measure_distance(lined, lined, 8) == 0
    paler = [grey if square == white else square for square in lined]
    assert 0 < measure_distance(lined, paler, 8) < 0.5 < measure_distance(lined, [white] * 64, 8)
