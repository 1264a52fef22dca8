"""Of all ways to draw an image in squares the one is taken that looks most like it."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.support.scenes import KINDS, SCENES
from tetrisprinter.api.wishes import usual_for
from tetrisprinter.errors import Thing
from tetrisprinter.pictures.candidates import Demands, averaged, best, size_that_keeps
from tetrisprinter.pictures.convert import USUAL, Conversion, convert_image
from tetrisprinter.pictures.drawing import as_drawing
from tetrisprinter.pictures.eye import Eye
from tetrisprinter.pictures.palette import distinct, nearest, reduced
from tetrisprinter.pictures.scaling import size_within

NOTHING_SAID = Conversion(usual=usual_for(None, None))


def scene(name: str) -> Image.Image:
    image = SCENES[name][1]().convert("RGBA")
    return image.crop(image.getchannel("A").getbbox())


def plain_average(image: Image.Image, size: tuple[int, int], colors: int) -> tuple[Any, Any]:
    """What every other program makes: the mean of each square, in the nearest of few colours."""
    rgb, opaque = averaged(image, size)
    found, counts = distinct(rgb[opaque])
    palette = reduced(found, counts, colors) if len(found) > colors else found
    return palette[nearest(rgb.reshape(-1, 3), palette)].reshape(rgb.shape), opaque


def test_there_are_forty_images_of_every_kind() -> None:
    assert len(SCENES) >= 40
    assert {"photo", "face", "moon", "emoji", "logo", "screenshot", "chart"} < set(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_image_looks_worse_than_an_average_in_as_many_colours(kind: str) -> None:
    distances = []
    for name in (name for name, (which, _) in SCENES.items() if which == kind):
        image = scene(name)
        size = size_within(image.size, USUAL.side)
        made = best(image, size, Demands(7, 5))
        if made.way == "lines":
            continue  # whose ink counts; see below
        average = Eye(image, size).distance(*plain_average(image, size, made.colors))
        # Its background is found before its colours are, which may cost a little.
        assert made.distance <= average + 0.002, (name, made.way, made.distance, average)
        assert not made.is_lost, name
        distances.append((made.distance, average))
    assert distances or kind == "line drawing"
    assert sum(a for a, _ in distances) <= sum(b for _, b in distances) + 0.002


Strokes = list[tuple[str, list[tuple[float, float]]]]


def strokes_of(seed: int, side: int) -> Strokes:
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


def drawn(strokes: Strokes, side: int, width: int, ground: str) -> Image.Image:
    large = Image.new("RGB", (3 * side, 3 * side), ground)
    for ink, points in strokes:
        ImageDraw.Draw(large).line([(3 * x, 3 * y) for x, y in points], ink, 3 * width, "curve")
    return large.resize((side, side), Image.Resampling.BOX)


@pytest.mark.parametrize(("seed", "width"), [(1, 3), (2, 4), (3, 5)])
def test_each_line_of_a_drawing_is_a_line_in_its_ink(seed: int, width: int) -> None:
    side, squares = 480, 48
    strokes = strokes_of(seed, side)
    image = drawn(strokes, side, width, "white").convert("RGBA")
    made = best(image, (squares, squares), Demands(7, 5))
    assert made.way == "lines"
    small = [(ink, [(x / 10, y / 10) for x, y in points]) for ink, points in strokes]
    inked = {(int(x), int(y)): made.rgb[y, x] for y, x in np.argwhere(made.inked)}
    shown = all_of = 0
    for ink, points in small:
        there = np.array(list(bytes.fromhex(ink[1:])))
        near = [c for c, rgb in inked.items() if np.abs(rgb.astype(int) - there).sum() < 60]
        assert near, ink
        for x, y in points:
            all_of += 1
            shown += any(abs(cx + 0.5 - x) <= 1 and abs(cy + 0.5 - y) <= 1 for cx, cy in near)
    assert shown >= 0.9 * all_of  # where lines cross, one of them is on top
    lines = [point for _, points in small for point in points]
    stray = [
        (cx, cy)
        for cx, cy in inked
        if not any(abs(cx + 0.5 - x) <= 1.2 and abs(cy + 0.5 - y) <= 1.2 for x, y in lines)
    ]
    assert len(stray) <= 0.02 * len(inked)
    # No more squares than lines that are one square wide take.
    assert len(inked) <= 1.2 * len({(int(x), int(y)) for x, y in lines})


def test_text_and_patches_are_no_lines() -> None:
    for name in ("page_of_text", "terminal_dark", "bars", "badge", "pie", "smiley"):
        image = scene(name)
        made = best(image, size_within(image.size, USUAL.side), Demands(7, 5))
        assert made.way != "lines", name


@pytest.mark.parametrize("name", ["flag_cross", "badge", "pizza"])
def test_a_drawing_gets_no_colour_that_it_does_not_have(name: str) -> None:
    image = scene(name)
    made = best(image, size_within(image.size, USUAL.side), Demands(7, 5))
    assert made.way == "majority"
    there = {tuple(color) for color in distinct(np.asarray(image)[..., :3])[0].tolist()}
    assert {tuple(color) for color in made.rgb[made.opaque].tolist()} <= there


def test_flat_pictures_keep_all_of_seven_colours() -> None:
    for name in ("seven_bars", "flag_bearer", "pie"):
        assert len(convert_image(scene(name), NOTHING_SAID).picture.colors()) == 7, name


def test_the_inks_of_lines_are_found_and_mixtures_are_not() -> None:
    drawing = as_drawing(scene("curves"), 8)
    assert drawing is not None
    for ink in ("1f77b4", "d62728", "2ca02c"):
        there = np.abs(drawing.inks.astype(int) - list(bytes.fromhex(ink))).sum(axis=1).min()
        assert there < 40, (ink, drawing.inks)
    house = as_drawing(scene("house_lines"), 8)
    assert house is not None
    assert sorted(house.inks.tolist()) == [[0, 0, 0], [255, 255, 255]]


def test_photographs_take_the_colours_that_they_can_pay() -> None:
    image = scene("flower")
    for pays, colors in ((lambda made: made.colors <= 4, 4), (lambda made: False, 2)):
        made = best(image, (48, 48), Demands(7, 7, None, False, pays))
        assert made.colors == colors
    assert len(convert_image(image, NOTHING_SAID).picture.colors()) >= 5
    grainy = len(convert_image(scene("forest"), NOTHING_SAID).picture.colors())
    assert 2 <= grainy <= 5, "grain takes long to print in six colours"


@pytest.mark.slow
def test_a_sky_is_no_background_and_a_sheet_of_paper_is() -> None:
    for name in ("landscape", "beach", "cat_photo", "child"):
        assert convert_image(scene(name), NOTHING_SAID).background is None, name
    for name, ground in (("badge", "ffffff"), ("terminal_dark", "1b1e26"), ("moon", "040404")):
        assert convert_image(scene(name), NOTHING_SAID).background == ground, name


@pytest.mark.slow
def test_lines_that_are_lost_are_told_with_a_size_that_keeps_them() -> None:
    image = Image.new("RGB", (600, 600), "white")
    pen = ImageDraw.Draw(image)
    for y in range(40, 600, 120):
        pen.line((30, y, 570, y), "#909090", 1)
    demands = Demands(7, 5)
    lost = best(image.convert("RGBA"), (8, 8), demands)
    assert lost.is_lost
    larger = size_that_keeps(image.convert("RGBA"), (8, 8), demands)
    steps = convert_image(image, Conversion(fit=(8, 8), usual=USUAL)).steps
    told = [str(step) for step in steps if step.thing is Thing.FIT and "left of lines" in str(step)]
    assert len(told) == 1
    assert larger is None or f"{larger[0]}x{larger[1]} would keep them" in told[0]


def test_what_is_lost_is_not_taken_where_something_else_keeps_it() -> None:
    page = scene("page_of_text")
    size = size_within(page.size, USUAL.side)
    made = best(page, size, Demands(7, 5))
    assert made.kept > 0.5
    empty = np.full((size[1], size[0], 3), 255, np.uint8)
    assert Eye(page, size).kept(empty, np.ones(empty.shape[:2], bool)) == 0


def test_enlarged_pixel_art_keeps_its_colours_when_it_is_shrunk() -> None:
    as_it_is = convert_image(scene("potion"), NOTHING_SAID)
    large = convert_image(scene("potion_large"), NOTHING_SAID)
    assert large.picture.rows == as_it_is.picture.rows
    assert [str(step) for step in large.steps] == ["shrunk 20 times"]
