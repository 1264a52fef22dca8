"""Pictures, which are grids of colours, and the palettes that people bring for them.

A picture does not depend on pieces or boards. Its rows are counted from the bottom, like the rows
of a playfield, so that both can be compared square by square.

Its text form is a *drawing*: rows of letters, top row first, with ``.`` for transparent squares,
below a line that gives each letter its colour (``r=d03020 w=ffffff``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import STANDARD_COLORS
from tetrisprinter.game.pieces import Cell
from tetrisprinter.support import format_count, load
from tetrisprinter.support.files import decode_text, read_bytes

if TYPE_CHECKING:
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.plan import Plan


Color = str
"""Six lower-case hex digits, ``rrggbb``."""

LETTERS: Final[Mapping[str, Color]] = {
    "r": "d03020",
    "g": "208040",
    "b": "3060c0",
    "y": "f0c040",
    "o": "e87830",
    "p": "8040a0",
    "c": "40b0c0",
    "w": "f5f5f5",
    "k": "000000",
    "#": "f5f5f5",
}
"""The colours of letters in a drawing without a line of colours: red, green, blue, ..."""


class PictureError(InputError, ValueError):
    """The rows do not form a picture."""


_NAMES: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + "".join(
    map(chr, range(0x100, 0x250))
)


def read_color(text: str) -> Color | None:
    """Read ``rrggbb`` or ``#rrggbb``; return None for other text.

    >>> read_color("#FF8000"), read_color("red")
    ('ff8000', None)
    """
    word = text.removeprefix("#").lower()
    return word if len(word) == 6 and not set(word) - set("0123456789abcdef") else None


def is_color(value: object) -> bool:
    """Return whether a value is a colour in the form of pictures and plans: ``rrggbb``."""
    return isinstance(value, str) and read_color(value) == value


def parse_rgb(color: Color) -> tuple[int, int, int]:
    """Return the three channels of ``rrggbb``."""
    red, green, blue = bytes.fromhex(color)
    return red, green, blue


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A grid of colours.

    Attributes
    ----------
    rows : tuple of tuple of (str or None)
        ``rows[y][x]``, bottom row first; None where the picture is transparent.
    name : str
        Its name in messages: usually the name of its file.
    rows_above : int
        How many transparent rows above the figure have been trimmed away.
    columns_left : int
        How many transparent columns on its left have been trimmed away.

    Raises
    ------
    PictureError
        If its rows have different lengths, or a square is neither None nor a colour.

    Examples
    --------
    >>> Picture((("ff0000", None), (None, "Red")))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tetrisprinter.pictures.picture.PictureError: picture: invalid square 'Red' at column 1, ...
    """

    rows: tuple[tuple[Color | None, ...], ...]
    name: str = "picture"
    rows_above: int = 0
    columns_left: int = 0

    def __post_init__(self) -> None:
        checked: set[Color | None] = {None}
        for y, row in enumerate(self.rows):
            if len(row) != len(self.rows[0]):
                raise PictureError(
                    f"{self.name}: row {self.image_row(y)} from the top has {len(row)} "
                    f"squares, but the lowest has {len(self.rows[0])}; expected rows of equal "
                    "length"
                )
            # A picture has few colours, so check each colour once instead of every square.
            new = set(row) - checked
            if not all(map(is_color, new)):
                x = next(x for x in range(self.width) if row[x] in new and not is_color(row[x]))
                raise PictureError(
                    f"{self.name}: invalid square {row[x]!r} at column {self.image_column(x)}, row "
                    f"{self.image_row(y)} from the top; expected None or a colour such as "
                    "'ff0000'"
                )
            checked |= new

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def cells(self) -> dict[Cell, Color]:
        """Return the colour of every square that is not transparent."""
        return {
            (x, y): color
            for y, row in enumerate(self.rows)
            for x, color in enumerate(row)
            if color is not None
        }

    def colors(self) -> tuple[Color, ...]:
        """Return the colours in order of first appearance: top row first, left to right."""
        colors: dict[Color, None] = {}
        for row in reversed(self.rows):
            colors.update((color, None) for color in row if color is not None)
        return tuple(colors)

    def trim(self) -> Picture:
        """Return the picture without transparent rows above and below the figure."""
        filled = [y for y, row in enumerate(self.rows) if any(c is not None for c in row)]
        if not filled:
            return Picture((), self.name)
        above = self.rows_above + self.height - 1 - filled[-1]
        rows = self.rows[filled[0] : filled[-1] + 1]
        return Picture(rows, self.name, above, self.columns_left)

    def trim_columns(self) -> Picture:
        """Return the picture without transparent columns on the left and right of the figure."""
        filled = [x for row in self.rows for x, color in enumerate(row) if color is not None]
        if not filled:
            return self
        left, right = min(filled), max(filled) + 1
        rows = tuple(row[left:right] for row in self.rows)
        return Picture(rows, self.name, self.rows_above, self.columns_left + left)

    def image_row(self, y: int) -> int:
        """Return the number of a row in the original image, counted from the top."""
        return self.rows_above + self.height - 1 - y

    def image_column(self, x: int) -> int:
        """Return the number of a column in the original image, counted from the left."""
        return self.columns_left + x

    def place_on_board(self, width: int, height: int, column: int) -> Picture:
        """Return the picture on a transparent board: on the floor, its left edge at ``column``."""
        if column < 0 or column + self.width > width or self.height > height:
            raise ValueError(f"{self.width}x{self.height} at column {column} is outside")
        left: tuple[None, ...] = (None,) * column
        right: tuple[None, ...] = (None,) * (width - column - self.width)
        empty: tuple[None, ...] = (None,) * width
        rows = [left + row + right for row in self.rows]
        return Picture((*rows, *[empty] * (height - len(rows))), self.name)

    def __str__(self) -> str:
        """Return the drawing after its line of colours, in the form that :meth:`parse` reads."""
        colors = self.colors()
        if len(colors) > len(_NAMES):
            raise ValueError(f"too many colours for a drawing; expected at most {len(_NAMES)}")
        letter: dict[Color | None, str] = {None: ".", **dict(zip(colors, _NAMES, strict=False))}
        head = " ".join(f"{letter[color]}={color}" for color in colors)
        rows = ("".join(letter[color] for color in row) for row in reversed(self.rows))
        return "\n".join([head, *rows] if head else rows)

    @classmethod
    def parse(cls, text: str, name: str = "drawing", **colors: Color) -> Picture:
        """Read a drawing; ``colors`` gives letters other colours than ``LETTERS`` gives them."""
        lines = text.removeprefix("\ufeff").strip("\r\n").splitlines()
        color_of = dict(LETTERS)
        words = lines[0].split() if lines else []
        first_line = 1
        if words and all(word[1:2] == "=" for word in words):
            color_of.update((word[0], _parse_letter_color(word[2:], name)) for word in words)
            del lines[0]
            first_line = 2
        color_of.update(
            (letter, _parse_letter_color(color, name)) for letter, color in colors.items()
        )
        width = max(map(len, lines), default=0)
        rows: list[tuple[Color | None, ...]] = []
        for number, line in enumerate(lines, first_line):
            for letter in line:
                if letter not in ". " and letter not in color_of:
                    raise InputError(
                        f"{name}:{number}: unknown letter {letter!r}; expected one with a colour"
                    )
            rows.append(tuple(None if c in ". " else color_of[c] for c in line.ljust(width)))
        if not any(map(any, rows)):
            raise InputError(f"{name}: the picture is empty; nothing to print")
        return cls(tuple(reversed(rows)), name)

    def __repr__(self) -> str:
        named = "" if self.name == "picture" else f"{' '.join(self.name.split())} "
        colors = format_count(len(self.colors()), "colour")
        return f"<Picture {named}{self.width}x{self.height} of {colors}>"

    def _repr_png_(self) -> bytes | None:
        """Show the picture in a notebook."""
        png: bytes | None = load("tetrisprinter.render.still:draw_picture_png")(self)
        return png

    @classmethod
    def from_pixels(
        cls, width: int, pixels: Iterable[tuple[int, int, int, int]], name: str = "picture"
    ) -> Picture:
        """Make a picture from RGBA pixels, top row first."""
        rows: list[tuple[Color | None, ...]] = []
        row: list[Color | None] = []
        for red, green, blue, alpha in pixels:
            if alpha not in (0, 255):
                raise InputError(
                    f"{name}: the pixel at column {len(row)}, row {len(rows)} from the top is "
                    f"half transparent (alpha {alpha}); only alpha 0 and 255 can be printed"
                )
            row.append(f"{red:02x}{green:02x}{blue:02x}" if alpha else None)
            if len(row) == width:
                rows.append(tuple(row))
                row = []
        return cls(tuple(reversed(rows)), name)


def make_field_picture(plan: Plan, field: Playfield) -> Picture:
    """Return the picture that a field shows in a plan's colours.

    A square is transparent if its type has no colour or shows the background.
    """
    color_of = plan.square_colors
    return Picture(tuple(tuple(color_of.get(v) for v in row) for row in field.rows))


def _parse_letter_color(text: str, name: str) -> Color:
    """Read the colour of a drawing's letter; ``name`` is the name of the drawing."""
    color = read_color(text)
    if color is None:
        raise InputError(f"{name}: invalid colour {text!r}; expected six hex digits, e.g. d03020")
    return color


# Palettes that people bring. An image is drawn in those colours of a palette that suit it. The
# files are GIMP's .gpl, lists of hex colours (.hex, as Lospec offers them), .pal (JASC's text and
# Microsoft's RIFF) and Photoshop's .act.

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

_MOST: Final = 256  # the most colours of a palette


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
