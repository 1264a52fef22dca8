"""Palettes are read from all formats, and a picture has no other colours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scenes import SCENES
from tetrisprinter.api import prepare
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, convert_image
from tetrisprinter.pictures.picture import PALETTES, read_palette

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
