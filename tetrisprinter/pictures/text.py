"""Set a text as a picture, with bitmap fonts or with outline fonts in black and white.

A font here gives the bitmap of a character on a common baseline. Bitmap fonts
(``.hex``, ``.bdf``) are read by this package; outline fonts (``.ttf``, ``.otf``) are
rendered by FreeType through Pillow, in black and white, at a size in pixels. ``builtin``
is a small font beside this module, so that text can be printed on any machine.

A character that a font does not have is an error, because it would waste work to print a box in its
place.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tetrisprinter.errors import Hint, InputError, Setting
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.pictures.unifont import GLYPH_COLOR, Glyph, find_unifont, read_hex
from tetrisprinter.support.files import is_file, read_text

DEFAULT_SIZE: Final = 16
_BUILTIN: Final = Path(__file__).with_name("builtin.bdf")
"""A font of Latin, Cyrillic and Greek letters."""


@dataclass(frozen=True, slots=True)
class Bitmap:
    """A character's image."""

    # The filled pixels: x to the right from the pen, y upwards from the baseline
    ink: frozenset[tuple[int, int]]
    advance: int  # how many pixels the pen moves to the right


class Font(Protocol):
    """The protocol of fonts for :func:`set_text`."""

    @property
    def line_height(self) -> int:
        """Rows from one baseline to the next."""
        ...

    def bitmap(self, character: str) -> Bitmap | None:
        """Return a character's image; None if the font does not have it."""
        ...


@dataclass(frozen=True, slots=True)
class _BitmapFont:
    """A font whose bitmaps were read from a file, by code point."""

    bitmaps: dict[int, Bitmap]
    line_height: int

    def bitmap(self, character: str) -> Bitmap | None:
        return self.bitmaps.get(ord(character))


_UNIFONT_ASCENT: Final = 14


def _convert_glyph(glyph: Glyph) -> Bitmap:
    """Convert a glyph of Unifont, whose baseline is below its row 13 from the top."""
    ink = frozenset(
        (x, _UNIFONT_ASCENT - 1 - y)
        for y, row in enumerate(glyph.rows)
        for x, bit in enumerate(row)
        if bit
    )
    return Bitmap(ink, glyph.width)


def _read_hex_font(path: Path, codes: frozenset[int]) -> _BitmapFont:
    return _BitmapFont({g.code: _convert_glyph(g) for g in read_hex(path) if g.code in codes}, 16)


def _read_bdf(path: Path) -> _BitmapFont:
    """Read Adobe's Glyph Bitmap Distribution Format."""
    bitmaps: dict[int, Bitmap] = {}
    ascent, descent, height = 0, 0, 0
    code, advance, box = -1, 0, (0, 0, 0, 0)
    hex_rows: list[str] | None = None
    number = 0
    try:
        for number, line in enumerate(read_text(path).splitlines(), 1):  # noqa: B007
            words = line.split() or [""]
            key = words[0]
            if key == "ENDCHAR":
                if code >= 0:
                    bitmaps[code] = _make_bitmap(hex_rows or [], box, advance)
                code, hex_rows = -1, None
            elif hex_rows is not None:
                hex_rows.append(key)
            elif key == "FONTBOUNDINGBOX":
                height = int(words[2])
            elif key == "FONT_ASCENT":
                ascent = int(words[1])
            elif key == "FONT_DESCENT":
                descent = int(words[1])
            elif key == "ENCODING":
                code = int(words[1])
            elif key == "DWIDTH":
                advance = int(words[1])
            elif key == "BBX":
                box = (int(words[1]), int(words[2]), int(words[3]), int(words[4]))
            elif key == "BITMAP":
                hex_rows = []
    except (ValueError, IndexError) as error:
        raise InputError(f"{path}:{number}: not a line of a BDF font") from error
    if not bitmaps:
        raise InputError(f"{path}: not a BDF font; no glyph has a code")
    return _BitmapFont(bitmaps, ascent + descent or height)


def _make_bitmap(rows: list[str], box: tuple[int, int, int, int], advance: int) -> Bitmap:
    """Convert the rows of a BDF glyph, hex digits, to a bitmap; ``box`` is its BBX."""
    width, height, left, bottom = box
    if len(rows) != height:
        raise ValueError("the number of bitmap rows differs from BBX")
    ink = {
        (left + x, bottom + height - 1 - y)
        for y, digits in enumerate(rows)
        for x, bit in enumerate(f"{int(digits, 16):0{4 * len(digits)}b}"[:width])
        if bit == "1"
    }
    return Bitmap(frozenset(ink), advance)


class _OutlineFont:
    """A font that FreeType renders through Pillow."""

    def __init__(self, path: Path, size: int) -> None:
        from PIL import ImageFont

        try:
            self._font = ImageFont.truetype(str(path), size)
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read as a font: {error}") from error
        self.ascent, descent = self._font.getmetrics()
        self.line_height = self.ascent + descent
        self._missing = self._draw("\U0010fffe")

    def bitmap(self, character: str) -> Bitmap | None:
        drawn = self._draw(character)
        # FreeType draws the same image for every character that a font lacks.
        return None if drawn == self._missing and not character.isspace() else drawn

    def _draw(self, character: str) -> Bitmap:
        """Draw a character and return its bitmap."""
        from PIL import Image, ImageDraw

        advance = round(self._font.getlength(character))
        margin = self.line_height  # glyphs may reach to the left of the pen
        size = (advance + 2 * margin, 3 * self.line_height)
        image = Image.new("1", size)
        draw = ImageDraw.Draw(image)
        draw.fontmode = "1"
        draw.text((margin, self.line_height), character, fill=1, font=self._font)
        baseline = self.line_height + self.ascent
        data = image.convert("L").tobytes()
        ink = frozenset(
            (index % size[0] - margin, baseline - 1 - index // size[0])
            for index, value in enumerate(data)
            if value
        )
        return Bitmap(ink, advance)


def load_font(name: str, text: str, size: int = DEFAULT_SIZE) -> Font:
    """Open a font by name for the characters of a text; ``size`` in pixels is for outline fonts."""
    if name == "builtin":
        return _read_bdf(_BUILTIN)
    path = find_unifont() if name == "unifont" else Path(name)
    suffix = path.suffix.lower()
    if suffix not in (".hex", ".bdf", ".ttf", ".otf", ".ttc"):
        raise InputError(
            f"{name}: unknown font; use builtin, unifont, or a .hex, .bdf, .ttf or .otf file"
        )
    if not is_file(path):
        raise InputError(f"{path}: cannot be read: no such file")
    if suffix == ".hex":
        return _read_hex_font(path, frozenset(map(ord, text)))
    if suffix == ".bdf":
        return _read_bdf(path)
    return _OutlineFont(path, size)


def wrap_text(text: str, font: Font, columns: int) -> str:
    """Break a text between words into lines of at most ``columns`` columns.

    A wider word is the only word of its line.
    """
    lines = []
    for line in text.splitlines():
        words = line.split(" ")
        lines.append(words[0])
        for word in words[1:]:
            if _measure_width(f"{lines[-1]} {word}", font) <= columns:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
    return "\n".join(lines)


def _measure_width(line: str, font: Font) -> int:
    bitmaps = map(font.bitmap, line)
    return sum(bitmap.advance for bitmap in bitmaps if bitmap is not None)


def set_text(
    text: str,
    font: Font | str = "builtin",
    color: Color = GLYPH_COLOR,
    font_name: str = "the font",
) -> Picture:
    """Set a text as a picture.

    Parameters
    ----------
    text : str
        One line or several.
    font : Font or str
        The font, or its name as for :func:`load_font`.
    color : str
        Its colour as ``rrggbb``.
    font_name : str
        The font's name in messages.

    Raises
    ------
    InputError
        If the font lacks a character, or the text has no ink.

    Examples
    --------
    >>> picture = set_text("Hi")
    >>> picture.width, picture.height
    (12, 7)
    """
    if isinstance(font, str):
        font_name, font = font, load_font(font, text)
    ink: set[tuple[int, int]] = set()
    for number, line in enumerate(text.splitlines()):
        pen = 0
        for character in line:
            bitmap = font.bitmap(character)
            if bitmap is None:
                raise InputError(
                    f"{font_name}: no glyph for {character!r} (U+{ord(character):04X})",
                    Hint("{} may have it", Setting.FONT),
                )
            ink.update((pen + x, y - number * font.line_height) for x, y in bitmap.ink)
            pen += bitmap.advance
    if not ink:
        raise InputError(f"the text {text!r} is blank; nothing to print")
    left, right = min(x for x, _ in ink), max(x for x, _ in ink)
    low, high = min(y for _, y in ink), max(y for _, y in ink)
    rows = tuple(
        tuple(color if (x, y) in ink else None for x in range(left, right + 1))
        for y in range(low, high + 1)
    )
    return Picture(rows, text.splitlines()[0] if "\n" in text else text)
