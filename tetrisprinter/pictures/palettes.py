"""Palettes that people bring: names such as ``gameboy``, and the files of paint programs.

An image is drawn in those colours of a palette that suit it. The files are GIMP's ``.gpl``, lists
of hex colours (``.hex``, as Lospec offers them), ``.pal`` (JASC's text and Microsoft's RIFF) and
Photoshop's ``.act``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import STANDARD_COLORS
from tetrisprinter.pictures.picture import Color, read_color
from tetrisprinter.support.files import decode_text, read_bytes

GUIDELINE: Final = "guideline"
"""The palette whose colours are each shown by their own piece type."""

_NES: Final = (
    "626262 001fb2 2404c8 5200b2 730076 800024 730b00 522800 244400 005700 005c00 005324 003c76 "
    "000000 ababab 0d57ff 4b30ff 8a13ff bc08d6 d21269 c72e00 9d5400 607b00 209800 00a300 009942 "
    "007db4 ffffff 53aeff 9085ff d365ff ff57ff ff5dcf ff7757 fa9e00 bdc700 7ae700 43f611 26ef7e "
    "2cd5f6 4e4e4e b6e1ff ced1ff e9c3ff ffbcff ffbdf4 ffc6c3 ffd59a e9e681 cef481 b6fb9a a9fac3 "
    "a9f0f4 b8b8b8"
)
"""Nintendo's first console. Its signal has no RGB, so emulators show these colours differently."""

_PICO8: Final = (
    "000000 1d2b53 7e2553 008751 ab5236 5f574f c2c3c7 fff1e8 ff004d ffa300 ffec27 00e436 29adff "
    "83769c ff77a8 ffccaa"
)

PALETTES: Final[dict[str, tuple[Color, ...]]] = {
    GUIDELINE: tuple(STANDARD_COLORS.values()),
    "gameboy": ("0f380f", "306230", "8bac0f", "9bbc0f"),
    "nes": tuple(_NES.split()),
    "pico8": tuple(_PICO8.split()),
}
"""The named palettes."""

_MOST: Final = 256
"""The most colours of a palette."""


def read_palette(value: str) -> tuple[Color, ...]:
    """Return the colours of a named palette or of a palette's file, each once.

    >>> read_palette("gameboy")
    ('0f380f', '306230', '8bac0f', '9bbc0f')
    """
    if value in PALETTES:
        return PALETTES[value]
    readers = {".gpl": _read_gpl, ".hex": _read_hex, ".pal": _read_pal, ".act": _read_act}
    reader = readers.get(Path(value).suffix.lower())
    if reader is None:
        raise InputError(
            f"unknown palette {value!r}; choose from {', '.join(PALETTES)}, or give a file "
            f"({', '.join(readers)})"
        )
    try:
        colors = tuple(dict.fromkeys(reader(read_bytes(value))))
    except (ValueError, IndexError) as error:
        raise InputError(f"{value}: not a palette: {error}") from error
    if not 1 <= len(colors) <= _MOST:
        raise InputError(f"{value}: {len(colors)} colours; expected 1 to {_MOST}")
    return colors


def _read_gpl(data: bytes) -> list[Color]:
    """Read GIMP's format: a line of red, green, blue and a name for each colour."""
    head, *lines = decode_text(data, "palette").splitlines()
    if head.strip() != "GIMP Palette":
        raise ValueError("the first line of a .gpl file is 'GIMP Palette'")
    matches = (re.match(r"\s*(\d+)\s+(\d+)\s+(\d+)", line) for line in lines)
    return [_join_channels(match.groups()) for match in matches if match]


def _read_hex(data: bytes) -> list[Color]:
    """Read a list of hex colours, one a line."""
    colors = []
    for word in decode_text(data, "palette").split():
        color = read_color(word)
        if color is None:
            raise ValueError(f"{word!r} is not a colour rrggbb")
        colors.append(color)
    return colors


def _read_pal(data: bytes) -> list[Color]:
    """Read JASC's text: a head of three lines, then red, green and blue; or RIFF."""
    if data.startswith(b"RIFF"):
        at = data.index(b"data") + 8  # after the name and the length: version and count
        count = int.from_bytes(data[at + 2 : at + 4], "little")
        entries = data[at + 4 : at + 4 + 4 * count]
        return [entries[k : k + 3].hex() for k in range(0, len(entries) - 3, 4)]
    head, _, _, *lines = decode_text(data, "palette").splitlines()
    if head.strip() != "JASC-PAL":
        raise ValueError("a .pal file begins with JASC-PAL or RIFF")
    return [_join_channels(line.split()[:3]) for line in lines if line.strip()]


def _read_act(data: bytes) -> list[Color]:
    """Read Photoshop's table of 256 colours, with the number of its colours behind it."""
    if len(data) not in (768, 772):
        raise ValueError(f"an .act file has 768 or 772 bytes, not {len(data)}")
    count = int.from_bytes(data[768:770], "big") or 256
    return [data[3 * k : 3 * k + 3].hex() for k in range(min(count, 256))]


def _join_channels(channels: Sequence[str]) -> Color:
    """Return three decimal channels as ``rrggbb``."""
    if len(channels) != 3:
        raise ValueError("a colour has three numbers")
    return bytes(map(int, channels)).hex()
