"""Still pictures: every pixel, against colours looked up one by one."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.support.strategies import PALETTE
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.render import Rendering
from tetrisprinter.render.paint import (
    FIELDS,
    Look,
    choose_display_colors,
    choose_field,
    choose_field_for,
    is_distinct,
)
from tetrisprinter.render.still import PNG, crop_picture, draw_png, save_poster

PICTURE = Picture((("ff0000", None, "00ff00"), (None, "0000ff", "ff0000")))


def open_image(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize(
    ("scale", "grid"),
    [(2, False), (3, False), (8, False), (13, False), (3, True), (8, True), (13, True)],
)
@pytest.mark.parametrize("bevel", [False, True])
def test_every_square_has_its_colour_in_the_middle(scale: int, grid: bool, bevel: bool) -> None:
    look = Look(scale, "bevel" if bevel else "plain", grid)
    image = open_image(draw_png(PICTURE, look))
    assert image.size == (3 * scale + grid, 2 * scale + grid)
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
                corners = ((left, top), (left + scale, top), (left, top + scale))
                assert {image.getpixel(corner) for corner in corners} == {(0x26, 0x26, 0x2B)}


def test_transparent_squares() -> None:
    image = open_image(draw_png(PICTURE, Look(4), transparent=True))
    assert image.mode == "RGBA"
    assert image.getpixel((4, 4)) == (0, 0, 0, 0)
    assert image.getpixel((0, 4)) == (255, 0, 0, 255)
    black = open_image(draw_png(Picture((("000000", None),)), Look(1), transparent=True))
    assert [black.getpixel((x, 0)) for x in (0, 1)] == [(0, 0, 0, 255), (0, 0, 0, 0)]


def test_limits_are_sentences() -> None:
    with pytest.raises(InputError, match="choose a scale of"):
        draw_png(PICTURE, Look(6000))
    with pytest.raises(InputError, match="grid"):
        Look(2, "plain", grid=True)
    with pytest.raises(InputError, match="scale"):
        Look(0)


def test_a_field_from_which_every_colour_is_told() -> None:
    outlined = Picture((("000000", None, "ffffff"), ("101014", "d03020", None)))
    image = open_image(draw_png(outlined, Look(1)))
    empty = image.getpixel((1, 1))
    assert isinstance(empty, tuple)
    for color in outlined.colors():
        assert sum(abs(a - b) for a, b in zip(empty, bytes.fromhex(color), strict=True)) > 120
    asked = open_image(draw_png(outlined, Look(1, field="123456")))
    assert asked.getpixel((1, 1)) == (0x12, 0x34, 0x56)
    with pytest.raises(InputError, match="field: invalid colour 'reddish'"):
        Look(field="reddish")


@settings(deadline=None)
@given(st.lists(st.sampled_from([*FIELDS, *PALETTE, "ffffff", "101010"]), max_size=7))
def test_the_field_keeps_away_from_all_colours(colors: list[str]) -> None:
    field = choose_field(colors)
    assert field not in colors or len(set(colors)) > 3
    if all(is_distinct(color, "000000") for color in colors):
        assert field == "000000"
    pale = {"f4f1e8", "e8d5dc", "c9d6e2"}
    assert choose_field(colors, background="ffffff") == "ffffff" or pale & set(colors)


def test_a_colour_that_nothing_shows_does_not_choose_the_field() -> None:
    plan = Plan.parse("board 4x6 O=ff0000 J=000000\n\n.AA.\n.AA.\n")
    assert choose_field_for(plan) == "000000"
    black = Plan.parse("board 4x6 O=000000\n\n.AA.\n.AA.\n")
    assert choose_field_for(black) != "000000"
    assert choose_field_for(black, "445566") == "445566"
    assert choose_display_colors(black, choose_field_for(black))[PieceType.O] == "000000"


def test_a_still_has_a_margin_of_one_square_or_all_of_the_board() -> None:
    plan = Plan.parse("board 9x12 O=ff0000\n\n...AA....\n...AA....\n")
    for full, size in ((False, (2, 2)), (True, (9, 12))):  # a full rectangle has no margin
        out = io.BytesIO()
        PNG.write(out, plan, Rendering(Look(1), full=full))
        assert open_image(out.getvalue()).size == size
    assert crop_picture(Picture(((None,) * 3,))).width == 3
    unseen = replace(plan, colors=(*plan.colors, (PieceType.T, "ff0000")), background="ff0000")
    out = io.BytesIO()
    PNG.write(out, unseen, Rendering(Look(1)))
    assert open_image(out.getvalue()).getcolors() == [(9 * 12, (255, 0, 0))]


def test_a_poster_shows_every_letter_of_its_title(tmp_path: Path) -> None:
    plan = Plan.parse("board 4x6 O=ff0000\n\n.AA.\n.AA.\n")
    drawn = {}
    long_titles = "A long name of a picture, " * 9, "Ä long name, " * 9
    for title in ("Zoë", "Zoé", "Zoя", "Zo😂", "😂", *long_titles):
        save_poster(plan, tmp_path / "a.png", title)
        drawn[title] = Image.open(tmp_path / "a.png").convert("RGB")
        margin = drawn[title].crop((1140, 0, *drawn[title].size))
        assert len(margin.getcolors() or ()) == 1, "nothing runs over the margin"
    assert len({image.tobytes() for image in drawn.values()}) == len(drawn)
    save_poster(plan, tmp_path / "a.svg")
    poster = (tmp_path / "a.svg").read_text()
    assert "1 piece  ·  0 lines cleared  ·  4 squares left" in poster
    assert poster.count("#ff0000") == 2 * 2, "the picture and one moment, of two rows each"
