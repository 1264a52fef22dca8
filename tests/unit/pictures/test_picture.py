"""Pictures as drawings and as squares, and the palettes that limit their colours."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.scenes import SCENES
from tests.support.strategies import sprites
from tetrisprinter.api import prepare
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, convert_image
from tetrisprinter.pictures.picture import LETTERS, PALETTES, Picture, read_palette

A, B = "ff0000", "00ff00"


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


COLORS = ("1a2b3c", "ff8000", "000000")
CHANNELS = [tuple(bytes.fromhex(color)) for color in COLORS]
DATA = bytes(channel for color in CHANNELS for channel in color)
RIFF = b"".join(bytes((*color, 0)) for color in CHANNELS)
FILES: dict[str, str | bytes] = {
    "a.gpl": "GIMP Palette\nName: a\n#\n"
    + "".join(f"{r:3} {g:3} {b:3}\tcolour\n" for r, g, b in CHANNELS),
    "a.hex": "\n".join(COLORS).upper(),
    "jasc.pal": "JASC-PAL\r\n0100\r\n3\r\n" + "".join(f"{r} {g} {b}\r\n" for r, g, b in CHANNELS),
    "riff.pal": b"RIFF\x1c\0\0\0PAL data\x10\0\0\0\0\x03\x03\0" + RIFF,
    "short.act": DATA.ljust(768, b"\0") + b"\0\x03\xff\xff",
    "long.act": DATA.ljust(768, b"\0"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_has_the_same_colours(name: str, tmp_path: Path) -> None:
    data = FILES[name]
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    assert read_palette(str(tmp_path / name)) == COLORS


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.gpl", b"12 34 56", "GIMP Palette"),
        ("a.hex", b"12345", "not a colour rrggbb"),
        ("a.hex", b"", "0 colours"),
        ("a.pal", b"", "not a palette"),
        ("a.pal", b"JASC-PAL\n0100\n1\n1 2\n", "three numbers"),
        ("a.pal", b"JASC-PAL\n0100\n1\n1 2 300\n", "not a palette"),
        ("a.act", b"123", "768 or 772 bytes"),
        ("a.txt", b"", "choose from guideline, gameboy, nes, pico8"),
    ],
)
def test_what_is_no_palette_is_refused(
    name: str, data: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message):
        read_palette(str(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "scene"), [("gameboy", "portrait"), ("nes", "flag_cross"), ("pico8", "flower")]
)
def test_a_picture_has_colours_of_its_palette_only(name: str, scene: str) -> None:
    palette = read_palette(name)
    conversion = Conversion(defaults=DEFAULT_LIMITS, background="transparent", palette=palette)
    converted = convert_image(SCENES[scene][1](), conversion)
    assert set(converted.picture.colors()) <= set(palette)
    assert 2 <= len(converted.picture.colors()) <= 7


def test_each_guideline_colour_is_shown_by_its_own_type() -> None:
    prepared = prepare(SCENES["badge"][1](), palette="guideline")
    assert set(prepared.task.picture.colors()) <= set(PALETTES["guideline"])
    assert str(prepared.task.types).startswith("I=00f0f0,J=0000f0,L=f0a000")
