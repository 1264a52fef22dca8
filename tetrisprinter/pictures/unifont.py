"""Glyphs of GNU Unifont's ``.hex`` format: one line, one glyph, one image.

A line is a code point, a colon and the rows of the glyph as hex digits, sixteen rows of 8 or 16
pixels (or 24, 32): ``0041:0000000018242442427E424242420000`` is the letter A. The font is not part
of this package, because it has its own licence (GPL with a font exception, or OFL).
:func:`find_unifont` looks where systems install it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tetrisprinter.errors import Hint, InputError, Setting
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.support.files import read_text

__all__ = ["GLYPH_COLOR", "Glyph", "find_unifont", "is_hex_line", "parse_hex_line", "read_hex"]

GLYPH_COLOR: Final[Color] = "f5f5f5"
"""The colour of a glyph if none is requested: it is visible on a black board."""

ROWS: Final = 16
_LINE: Final = re.compile(r"([0-9A-Fa-f]{4,6}):([0-9A-Fa-f]+)")
_PLACES: Final = (
    "/usr/share/unifont/unifont.hex",
    "/usr/local/share/unifont/unifont.hex",
    "/usr/share/fonts/unifont/unifont.hex",
    "/opt/homebrew/share/unifont/unifont.hex",
)


@dataclass(frozen=True, slots=True)
class Glyph:
    """A bitmap of a character."""

    code: int  # the Unicode code point
    rows: tuple[tuple[bool, ...], ...]  # top row first

    @property
    def name(self) -> str:
        """The code point as Unicode writes it, such as ``U+0041``."""
        return f"U+{self.code:04X}"

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0]) if self.rows else 0

    def picture(self, color: Color = GLYPH_COLOR) -> Picture:
        """Return the glyph as a picture, without the empty rows above and below."""
        rows = tuple(tuple(color if bit else None for bit in row) for row in reversed(self.rows))
        picture = Picture(rows, self.name).trim()
        if not picture.rows:
            raise InputError(f"{self.name}: blank glyph; nothing to print")
        return picture


def is_hex_line(text: str) -> bool:
    """Return whether a text is one line of a ``.hex`` font.

    >>> is_hex_line("0041:0000000018242442427E424242420000"), is_hex_line("a.png")
    (True, False)
    """
    return _LINE.fullmatch(text.strip()) is not None


def parse_hex_line(line: str, source: str = "glyph") -> Glyph:
    """Read one line of a ``.hex`` font as a glyph."""
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise InputError(
            f"{source}: not a line of a .hex font; expected e.g. "
            "0041:0000000018242442427E424242420000"
        )
    digits = match[2]
    if len(digits) % (2 * ROWS) or not digits:
        raise InputError(
            f"{source}: U+{match[1].upper()} has {len(digits)} hex digits; expected 32 (8 "
            "pixels wide), 64 (16), 96 or 128"
        )
    per_row = len(digits) // ROWS
    rows = tuple(
        tuple(bit == "1" for bit in f"{int(digits[i : i + per_row], 16):0{4 * per_row}b}")
        for i in range(0, len(digits), per_row)
    )
    return Glyph(int(match[1], 16), rows)


def read_hex(path: str | Path) -> Iterator[Glyph]:
    """Read all glyphs of a ``.hex`` file, in the order of its lines."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield parse_hex_line(line, f"{path}:{number}")


def find_unifont() -> Path:
    """Return the file of GNU Unifont on this machine."""
    for place in map(Path, _PLACES):
        if place.is_file():
            return place
    raise InputError(
        "GNU Unifont is not installed; install it (Debian and Ubuntu: apt install unifont; "
        "others: https://unifoundry.com/unifont)",
        Hint("or give {}", Setting.FONT),
    )
