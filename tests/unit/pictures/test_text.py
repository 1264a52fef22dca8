"""Texts and glyphs as pictures, in all kinds of fonts."""

import io
import os
import string
from pathlib import Path

import pytest
from PIL import ImageFont, features

from tests.support.commands import Run
from tests.support.glyphs import LETTER_A, WIDE
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import Conversion
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import make_text_source
from tetrisprinter.pictures.text import (
    draw_glyph,
    find_emoji_fonts,
    find_unifont,
    is_hex_line,
    load_font,
    parse_hex_line,
    read_hex,
    set_text,
    wrap_text,
)

BDF = """STARTFONT 2.1
FONT tiny
SIZE 4 75 75
FONTBOUNDINGBOX 3 4 0 -1
STARTPROPERTIES 2
FONT_ASCENT 4
FONT_DESCENT 1
ENDPROPERTIES
CHARS 2
STARTCHAR p
ENCODING 112
SWIDTH 500 0
DWIDTH 4 0
BBX 3 4 0 -1
BITMAP
C0
A0
C0
80
ENDCHAR
STARTCHAR i
ENCODING 105
DWIDTH 2 0
BBX 1 3 0 0
BITMAP
80
00
80
ENDCHAR
ENDFONT
"""


def draw_letters(picture: Picture) -> list[str]:
    return ["".join("#" if c else "." for c in row) for row in reversed(picture.rows)]


def test_a_hex_line_is_an_image() -> None:
    assert draw_letters(draw_glyph(*parse_hex_line(LETTER_A))) == [
        "...##...", "..#..#..", "..#..#..", ".#....#.", ".#....#.", ".######.", ".#....#.",
        ".#....#.", ".#....#.", ".#....#.",
    ]  # fmt: skip
    assert len(parse_hex_line(WIDE)[1]) == 16 * 16 // 4
    assert draw_letters(draw_glyph(*parse_hex_line(WIDE))) == [".#############.."]
    assert is_hex_line(LETTER_A + "\n")
    assert not is_hex_line("a.png")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0041:00", "U[+]0041 has 2 hex digits; expected 32"),
        ("0041:" + 1_000_000 * "0", "U[+]0041 has 1000000 hex digits"),
        ("0041", "not a line of a .hex font"),
        ("0041:XY", "not a line of a .hex font"),
        ("00:" + "0" * 32, "not a line of a .hex font"),
    ],
)
def test_bad_hex_lines(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "f.hex"
    path.write_text(f"# a comment\n{LETTER_A}\n\n{line}\n")
    with pytest.raises(InputError, match=rf"f\.hex:4: {message}"):
        list(read_hex(path))


def test_a_blank_glyph_cannot_be_printed() -> None:
    with pytest.raises(InputError, match=r"U[+]0020: blank glyph"):
        draw_glyph(*parse_hex_line("0020:" + "0" * 32))


def test_text_in_a_hex_font(tmp_path: Path) -> None:
    path = tmp_path / "f.hex"
    path.write_text(f"{LETTER_A}\n{WIDE}\n")
    picture = set_text("A\u4e00", load_font(str(path), "A\u4e00"))
    assert (picture.width, picture.height) == (21, 10)
    assert draw_letters(picture)[3] == "#....#.." + 13 * "#"
    with pytest.raises(InputError, match=r"f\.hex: no glyph for 'B' \(U\+0042\).* may have it"):
        set_text("AB", load_font(str(path), "AB"), font_name=str(path))


def test_text_in_a_bdf_font(tmp_path: Path) -> None:
    path = tmp_path / "f.bdf"
    path.write_text(BDF)
    picture = set_text("pi", load_font(str(path), "pi"), "123456")
    assert draw_letters(picture) == ["##..#", "#.#..", "##..#", "#...."]
    assert picture.colors() == ("123456",)
    two_lines = draw_letters(set_text("i\ni", load_font(str(path), "i")))
    assert "".join(two_lines) == "#.#..#.#"
    path.write_text(BDF.replace("BBX 3 4", "BBX 3 5"))
    with pytest.raises(InputError, match=r"f\.bdf:20: not a line of a BDF font"):
        load_font(str(path), "p")
    path.write_text("hello")
    with pytest.raises(InputError, match="not a BDF font"):
        load_font(str(path), "p")


def test_text_in_an_outline_font(tmp_path: Path) -> None:
    default = ImageFont.load_default(12)
    if not isinstance(default, ImageFont.FreeTypeFont) or not isinstance(default.path, io.BytesIO):
        pytest.skip("this Pillow has no FreeType")
    path = tmp_path / "f.ttf"
    path.write_bytes(default.path.getvalue())
    picture = set_text("Hi g", load_font(str(path), "Hi g", 20))
    assert 15 <= picture.height <= 25
    assert picture.width > picture.height
    small = set_text("Hi g", load_font(str(path), "Hi g", 10))
    assert small.height < picture.height
    with pytest.raises(InputError, match="no glyph for"):
        set_text("\u8a9e", load_font(str(path), "\u8a9e", 20))
    path.write_text("unknown font")
    with pytest.raises(InputError, match="cannot be read as a font"):
        load_font(str(path), "a")


def count_gaps(picture: Picture) -> int:
    """Count the empty columns between letters, neighbouring ones as one."""
    columns = "".join("#" if any(column) else " " for column in zip(*picture.rows, strict=True))
    return len(columns.split()) - 1


@pytest.mark.parametrize(
    ("letters", "alike"),
    [
        (string.ascii_letters + string.digits + string.punctuation, 0),
        ("".join(map(chr, range(0xC0, 0x100))), 0),
        ("".join(map(chr, range(0x410, 0x450))) + "ЁёІіЇїЄє", 24),
        ("".join(map(chr, (*range(0x391, 0x3A2), *range(0x3A3, 0x3CA)))) + "άέήίόύώ", 24),
    ],
)
def test_letters_of_the_builtin_font_neither_touch_nor_look_alike(letters: str, alike: int) -> None:
    """Some letters of Cyrillic and Greek look the same in any font."""
    font, drawings = load_font("builtin", ""), set()
    for letter in letters:
        bitmap = font.bitmap(letter)
        assert bitmap is not None, letter
        columns = [x for x, _ in bitmap.ink]
        assert 0 <= min(columns) <= max(columns) < bitmap.advance - 1
        drawings.add(bitmap.ink)
    assert len(drawings) >= len(letters) - alike


@pytest.mark.parametrize(("text", "said"), [("漢", "no glyph for '漢'"), ("  ", "is blank")])
def test_what_the_builtin_font_does_not_draw(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        set_text(text)


@pytest.mark.parametrize("first", ["gjpqyþ", "Ågç"])
def test_lines_do_not_touch(first: str) -> None:
    alone, both = set_text(first), set_text(f"{first}\nÄŐŮÉŻĜ")
    rows = [any(row) for row in reversed(both.rows)]
    assert rows[: alone.height] == [True] * alone.height
    assert not rows[alone.height]


def test_the_builtin_font_has_typographic_characters() -> None:
    text = "’‘“”–—…€♥★☺→←•™№≤≥×÷½ąćęłńśźżčďěňřšťůžğışőűœ"
    pictures = {set_text(character).rows for character in text}
    assert len(pictures) == len(text)
    assert set_text("a\tb").rows == set_text("a   b").rows
    assert set_text("e\u0301").rows == set_text("é").rows
    assert set_text("♥\ufe0f\u00a0a\u00adb").rows == set_text("♥ ab").rows


EMOJI_FONT = Path(__file__).parents[2] / "data" / "emoji.ttf"
"""A colour font of one emoji, U+1F600: yellow, with a blue quarter at its upper left."""


def test_an_emoji_is_drawn_from_a_colour_font(monkeypatch: pytest.MonkeyPatch) -> None:
    if not features.check("freetype2"):
        pytest.skip("this Pillow has no FreeType")
    monkeypatch.setattr("tetrisprinter.pictures.text.find_emoji_fonts", lambda: (EMOJI_FONT,))
    picture = set_text("a😀b", color="ffffff")
    assert set(picture.colors()) >= {"ffffff", "ffcc00", "0000ff"}
    assert count_gaps(picture) == 2
    assert picture.height == 11
    blue = {cell for cell, color in picture.cells().items() if color == "0000ff"}
    yellow = {cell for cell, color in picture.cells().items() if color == "ffcc00"}
    assert min(x for x, _ in blue) == min(x for x, _ in yellow)
    assert max(y for _, y in blue) == max(y for _, y in yellow)
    assert set_text("😀\ufe0f").rows == set_text("😀").rows
    with pytest.raises(InputError, match="ROCKET"):
        set_text("🚀")
    with pytest.raises(InputError, match="WAVING HAND SIGN \\+ EMOJI MODIFIER"):
        set_text("👋🏽")


def test_without_a_colour_font_an_emoji_is_refused_by_its_name(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrisprinter.pictures.text.find_emoji_fonts", tuple)
    said = run("text 😀 -o x.gif", code=2).stderr
    assert "GRINNING FACE" in said
    assert "no colour font for emoji is installed" in said
    assert "or --font FILE may have it" in said
    run("text 😀 --font", EMOJI_FONT, "-o", "x.gif", "--effort", 0.05)


def test_fontconfig_names_the_colour_fonts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    (tmp_path / "fc-list").write_text(f"#!/bin/sh\necho '{EMOJI_FONT}: '\n")
    (tmp_path / "fc-list").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert find_emoji_fonts.__wrapped__()[0] == EMOJI_FONT
    monkeypatch.setenv("PATH", str(fonts))  # no fontconfig
    assert EMOJI_FONT not in find_emoji_fonts.__wrapped__()


@pytest.mark.parametrize("name", ["arial", "x.doc", "none.ttf", "none.hex", "none.bdf"])
def test_fonts_that_do_not_exist(name: str) -> None:
    with pytest.raises(InputError, match=name):
        load_font(name, "a")


def test_a_long_text_is_broken_between_words() -> None:
    text = "The quick brown fox jumps\nover the lazy dog"
    font = load_font("builtin", text)
    wrapped = wrap_text(text, font, 60)
    assert wrapped.replace("\n", " ").split() == text.split()
    assert set_text(wrapped).width <= 60 < set_text(text).width
    assert wrap_text("Pneumonia", font, 20) == "Pneumonia"
    assert (
        make_text_source(text).read(Conversion()).picture.rows
        == set_text(wrap_text(text, font, 96)).rows
    )


def test_without_unifont_another_font_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrisprinter.pictures.text._UNIFONT_PLACES", ("nowhere.hex",))
    with pytest.raises(InputError, match=r"Unifont is not installed; .*, or give"):
        find_unifont()
