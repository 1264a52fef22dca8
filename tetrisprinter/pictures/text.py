"""Set a text as a picture, with bitmap fonts or with outline fonts in black and white.

A font here gives the bitmap of a character on a common baseline. Bitmap fonts
(``.hex``, ``.bdf``) are read by this package; outline fonts (``.ttf``, ``.otf``) are
rendered by FreeType through Pillow, in black and white, at a size in pixels. ``builtin``
is a small font beside this module, so that text can be printed on any machine. Its letters never
touch. An emoji that a font does not have is drawn from a colour font of the system
(:func:`draw_emoji`).

A character that a font does not have is an error, because it would waste work to print a box in its
place.
"""

from __future__ import annotations

import re
import subprocess
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from tetrisprinter.errors import Hint, InputError, Setting
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.support.files import is_file, read_text

if TYPE_CHECKING:
    from PIL import Image

GLYPH_COLOR: Final[Color] = "f5f5f5"
"""The colour of a glyph if none is requested: it is visible on a black board."""

DEFAULT_SIZE: Final = 16
_BUILTIN: Final = Path(__file__).with_name("builtin.bdf")
"""A font of Latin, Cyrillic and Greek letters, punctuation and symbols."""

_TAB: Final = 4  # a tab moves to the next multiple of this number of characters

_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u2060\ufe0e\ufeff"))
"""Characters that are not drawn: soft hyphens, spaces without width, and marks of text style."""


@dataclass(frozen=True, slots=True)
class Bitmap:
    """A character's image."""

    # The filled pixels: x to the right from the pen, y upwards from the baseline
    ink: frozenset[tuple[int, int]]
    advance: int  # how many pixels the pen moves to the right
    colors: Mapping[tuple[int, int], Color] | None = None  # of an emoji: the colours of the pixels


@dataclass(frozen=True, slots=True)
class Font:
    """A font for :func:`set_text`."""

    line_height: int  # rows from one baseline to the next
    bitmap: Callable[[str], Bitmap | None]  # a character's image; None if the font lacks it


def _make_bitmap_font(bitmaps: Mapping[int, Bitmap], line_height: int) -> Font:
    """Return a font whose bitmaps were read from a file, by code point."""
    return Font(line_height, lambda character: bitmaps.get(ord(character)))


def _read_bdf(path: Path) -> Font:
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
    return _make_bitmap_font(bitmaps, ascent + descent or height)


def _make_bitmap(rows: list[str], box: tuple[int, int, int, int], advance: int) -> Bitmap:
    """Convert rows of hex digits, the highest first, to a bitmap; ``box`` is the BBX of BDF."""
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


def _open_outline_font(path: Path, size: int) -> Font:
    """Return a font that FreeType renders through Pillow."""
    from PIL import Image, ImageDraw, ImageFont

    try:
        font = ImageFont.truetype(str(path), size)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as a font: {error}") from error
    ascent, descent = font.getmetrics()
    line_height = ascent + descent

    def draw(character: str) -> Bitmap:
        advance = round(font.getlength(character))
        margin = line_height  # glyphs may reach to the left of the pen
        width = advance + 2 * margin
        image = Image.new("1", (width, 3 * line_height))
        canvas = ImageDraw.Draw(image)
        canvas.fontmode = "1"
        canvas.text((margin, line_height), character, fill=1, font=font)
        top = line_height + ascent - 1  # the row above the baseline
        ink = frozenset(
            (index % width - margin, top - index // width)
            for index, value in enumerate(image.convert("L").tobytes())
            if value
        )
        return Bitmap(ink, advance)

    missing = draw(_MISSING)

    def find(character: str) -> Bitmap | None:
        drawn = draw(character)
        # FreeType draws the same image for every character that a font lacks.
        return None if drawn == missing and not character.isspace() else drawn

    return Font(line_height, find)


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
        codes = frozenset(map(ord, _normalize(text)))
        glyphs = {code: _make_glyph(digits) for code, digits in read_hex(path) if code in codes}
        return _make_bitmap_font(glyphs, ROWS)
    if suffix == ".bdf":
        return _read_bdf(path)
    return _open_outline_font(path, size)


def wrap_text(text: str, font: Font, columns: int) -> str:
    """Break a text between words into lines of at most ``columns`` columns.

    A wider word is the only word of its line.
    """
    lines = []
    for line in _normalize(text).splitlines():
        words = line.split(" ")
        lines.append(words[0])
        for word in words[1:]:
            if _measure_width(f"{lines[-1]} {word}", font) <= columns:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
    return "\n".join(lines)


def _measure_width(line: str, font: Font) -> int:
    """Return the columns of a line; characters without an image have none."""
    bitmaps = (_find_bitmap(font, cluster) for cluster in split_clusters(line))
    return sum(bitmap.advance for bitmap in bitmaps if bitmap is not None)


def _normalize(text: str) -> str:
    """Return a text with composed letters, spaces for tabs, and no invisible characters."""
    return unicodedata.normalize("NFC", text).translate(_INVISIBLE).expandtabs(_TAB)


def _find_bitmap(font: Font, cluster: str) -> Bitmap | None:
    """Return the image of a character or of an emoji; None if no font has it."""
    characters = cluster.replace("\ufe0f", "")  # it asks for the colours of an emoji
    if characters in ("", "\u200d"):  # what remains of an emoji
        return Bitmap(frozenset(), 0)
    bitmap = font.bitmap(characters) if len(characters) == 1 else None
    if bitmap is not None or not is_emoji(cluster):
        return bitmap
    return draw_emoji(cluster, font.line_height)


def set_text(
    text: str, font: Font | str = "builtin", color: Color = GLYPH_COLOR, font_name: str = "the font"
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
    (7, 7)
    """
    if isinstance(font, str):
        font_name, font = font, load_font(font, text)
    squares: dict[tuple[int, int], Color] = {}
    baseline = lowest = 0
    for number, line in enumerate(_normalize(text).splitlines()):
        pen, line_squares = 0, {}
        for cluster in split_clusters(line):
            bitmap = _find_bitmap(font, cluster)
            if bitmap is None:
                raise _make_glyph_error(cluster, font_name)
            for x, y in bitmap.ink:
                line_squares[pen + x, y] = color if bitmap.colors is None else bitmap.colors[x, y]
            pen += bitmap.advance
        if number:  # between the letters of two lines at least one row stays empty
            highest = max((y for _, y in line_squares), default=0)
            baseline -= max(font.line_height, highest + 2 - lowest)
        lowest = min((y for _, y in line_squares), default=0)
        squares.update({(x, baseline + y): shade for (x, y), shade in line_squares.items()})
    if not squares:
        raise InputError(f"the text {text!r} is blank; nothing to print")
    left, right = min(x for x, _ in squares), max(x for x, _ in squares)
    low, high = min(y for _, y in squares), max(y for _, y in squares)
    rows = tuple(
        tuple(squares.get((x, y)) for x in range(left, right + 1)) for y in range(low, high + 1)
    )
    return Picture(rows, text.splitlines()[0] if "\n" in text else text)


_CAPITAL: Final = 0.7  # the share of a font's size that a capital letter is high
_CAPITAL_ROWS: Final = 7  # the height of a capital letter of the built-in font


def draw_label(text: str, size: float, max_width: float) -> tuple[Image.Image, int] | None:
    """Draw a line in the built-in font if Pillow's own font lacks a letter of it, else return None.

    Pillow's font has hardly a letter beyond ASCII and draws boxes for others. Return a grey mask,
    at most ``max_width`` wide, and the row of its baseline. What neither font has is left out, such
    as an emoji; return None, too, if nothing would be left.
    """
    from PIL import Image, ImageFont

    own_font = ImageFont.load_default(size)
    box = bytes(own_font.getmask(_MISSING))
    text = _normalize(text).strip()
    if all(bytes(own_font.getmask(character)) != box for character in text):
        return None
    find_bitmap = load_font("builtin", text).bitmap
    bitmaps = [bitmap for bitmap in map(find_bitmap, text) if bitmap is not None]
    rows = [y for bitmap in bitmaps for _, y in bitmap.ink]
    if not rows:
        return None
    top, lowest = max(rows), min(rows)
    mask = Image.new("L", (sum(bitmap.advance for bitmap in bitmaps), top + 1 - lowest))
    pen = 0
    for bitmap in bitmaps:
        for x, y in bitmap.ink:
            mask.putpixel((pen + x, top - y), 255)
        pen += bitmap.advance
    scale: float = max(1, round(_CAPITAL * size / _CAPITAL_ROWS))
    scale = min(scale, max_width / mask.width)
    scaled_size = (max(1, round(scale * mask.width)), max(1, round(scale * mask.height)))
    return mask.resize(scaled_size, Image.Resampling.BOX), round(scale * (top + 1))


def _make_glyph_error(cluster: str, font_name: str) -> InputError:
    """Return the error for a character that no font has."""
    names = " + ".join(name_character(ord(character)) for character in cluster)
    if is_emoji(cluster):  # a terminal may not show it
        names = " + ".join(unicodedata.name(character, names) for character in cluster)
    hint = Hint("{} may have it", Setting.FONT)
    message = f"{font_name}: no glyph for {cluster!r} ({names})"
    if is_emoji(cluster) and not find_emoji_fonts():
        return InputError(
            f"{message}, and no colour font for emoji is installed; install one (Debian and "
            "Ubuntu: apt install fonts-noto-color-emoji)",
            Hint("or {} may have it", Setting.FONT),
        )
    return InputError(message, hint)


# Emoji, drawn with a colour font of the system through Pillow. An emoji may consist of several
# characters: a flag of two letters, a person with a skin tone, a family joined by U+200D.
# split_clusters keeps them together. No colour font comes with this package, because the usual ones
# have ten megabytes; fontconfig or the usual folders name an installed one. A font without the
# emoji as a whole, such as a family, does not draw its parts side by side.

_JOINER: Final = "\u200d"
_SYMBOL: Final = (
    "[\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
)
"""The characters among which are all emoji but flags and keycaps."""

_EMOJI: Final = (
    "(?:[\U0001f1e6-\U0001f1ff]{2}"  # a flag
    "|[0-9#*]\ufe0f?\u20e3"  # a keycap
    # a symbol, with its skin tone or the tags of a flag
    f"|{_SYMBOL}\ufe0f?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*)"
)
_CLUSTER: Final = re.compile(f"{_EMOJI}(?:{_JOINER}{_EMOJI})*|.\ufe0f?", re.DOTALL)

_SIZES: Final = (109, 160, 136, 128, 96, 72, 64, 48, 40, 32, 20)
"""Sizes in pixels to try: a font of bitmaps has only one or some of them."""

_MISSING: Final = "\U0010fffe"  # a character that no font has

_WIDEST: Final = 1.6
"""An emoji at most this many times as wide as high is one picture, not its parts side by side."""

_OPAQUE: Final = 128
_COLORS: Final = 4  # the most colours of an emoji
_BELOW: Final = 0.18  # the share of an emoji's height that is below the baseline

_EMOJI_PLACES: Final = (
    "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf",
    "/usr/share/fonts/noto/NotoColorEmoji.ttf",
    "/usr/share/fonts/google-noto-emoji/NotoColorEmoji.ttf",
    "/usr/share/fonts/google-noto-color-emoji-fonts/Noto-COLRv1.ttf",
    "/System/Library/Fonts/Apple Color Emoji.ttc",
    "C:/Windows/Fonts/seguiemj.ttf",
)


def split_clusters(text: str) -> list[str]:
    """Split a text into characters, but keep the characters of an emoji together.

    >>> [len(cluster) for cluster in split_clusters("a\\U0001f44d\\U0001f3fdb")]
    [1, 2, 1]
    """
    return _CLUSTER.findall(text)


def is_emoji(cluster: str) -> bool:
    """Return whether a cluster is drawn as an emoji if the font of the text does not have it."""
    return re.match(_EMOJI, cluster) is not None


@cache
def find_emoji_fonts() -> tuple[Path, ...]:
    """Return the installed colour fonts, those of fontconfig first."""
    try:
        listed = subprocess.run(
            ["fc-list", ":color=true", "file"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=20,
            check=False,
        ).stdout
    except (OSError, subprocess.SubprocessError):  # no fontconfig, as in a browser
        listed = ""
    names = sorted(line.rstrip(": ") for line in listed.splitlines())
    names.sort(key=lambda name: "emoji" not in name.lower())
    home = Path.home() / ".local/share/fonts/NotoColorEmoji.ttf"
    paths = [*map(Path, names), *map(Path, _EMOJI_PLACES), home]
    return tuple(path for path in dict.fromkeys(paths) if is_file(path))


def draw_emoji(cluster: str, height: int) -> Bitmap | None:
    """Draw an emoji ``height`` pixels high; None if no installed font has it."""
    for path in find_emoji_fonts():
        image = _draw_large(cluster, path)
        if image is not None:
            return _shrink(image, height)
    return None


def _draw_large(cluster: str, path: Path) -> Image.Image | None:
    """Draw an emoji at a size that a font has; None if the font does not have the emoji."""
    from PIL import Image, ImageDraw, ImageFont

    for size in _SIZES:
        try:
            font = ImageFont.truetype(str(path), size)
        except (OSError, ValueError):
            continue
        images = []
        for text in (cluster, _MISSING):
            image = Image.new("RGBA", (4 * size, 2 * size))
            ImageDraw.Draw(image).text(
                (size // 2, size // 2), text, fill="black", font=font, embedded_color=True
            )
            images.append(image)
        box = images[0].getbbox()
        if box is None or images[0].tobytes() == images[1].tobytes():
            return None
        if box[2] - box[0] > _WIDEST * (box[3] - box[1]):
            return None
        return images[0].crop(box)
    return None


def _shrink(image: Image.Image, height: int) -> Bitmap:
    """Shrink an emoji to a height, and draw it in few colours."""
    from PIL import Image as Images

    scale = height / max(image.size)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    small = image.convert("RGBa").resize(size, Images.Resampling.BOX).convert("RGBA")
    flat = small.convert("RGB").quantize(_COLORS, Images.Quantize.MEDIANCUT).convert("RGB")
    bottom = -round(_BELOW * height) + (height - size[1]) // 2
    alphas, rgb = small.getchannel("A").tobytes(), flat.tobytes()
    colors = {}
    for index, alpha in enumerate(alphas):
        if alpha >= _OPAQUE:
            row, x = divmod(index, size[0])
            colors[x, bottom + size[1] - 1 - row] = rgb[3 * index : 3 * index + 3].hex()
    return Bitmap(frozenset(colors), size[0] + 1, colors)


# Glyphs of GNU Unifont's .hex format: one line, one glyph, one image. A line is a code point, a
# colon and the rows of the glyph as hex digits, sixteen rows of 8 or 16 pixels (or 24, 32):
# 0041:0000000018242442427E424242420000 is the letter A. The font is not part of this package,
# because it has its own licence (GPL with a font exception, or OFL). find_unifont looks where
# systems install it.

ROWS: Final = 16
_DESCENT: Final = 2  # the rows below the baseline
_WIDTHS: Final = (8, 16, 24, 32)  # the widths of glyphs in pixels
_LINE: Final = re.compile(r"([0-9A-Fa-f]{4,6}):([0-9A-Fa-f]+)")
_UNIFONT_PLACES: Final = (
    "/usr/share/unifont/unifont.hex",
    "/usr/local/share/unifont/unifont.hex",
    "/usr/share/fonts/unifont/unifont.hex",
    "/opt/homebrew/share/unifont/unifont.hex",
)


def is_hex_line(text: str) -> bool:
    """Return whether a text is one line of a ``.hex`` font.

    >>> is_hex_line("0041:0000000018242442427E424242420000"), is_hex_line("a.png")
    (True, False)
    """
    return _LINE.fullmatch(text.strip()) is not None


def parse_hex_line(line: str, source: str = "glyph") -> tuple[int, str]:
    """Read one line of a ``.hex`` font: a code point, and the hex digits of its glyph."""
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise InputError(
            f"{source}: not a line of a .hex font; expected e.g. "
            "0041:0000000018242442427E424242420000"
        )
    digits = match[2]
    if len(digits) not in [ROWS * width // 4 for width in _WIDTHS]:
        raise InputError(
            f"{source}: U+{match[1].upper()} has {len(digits)} hex digits; expected 32 (8 "
            "pixels wide), 64 (16), 96 or 128"
        )
    return int(match[1], 16), digits


def read_hex(path: str | Path) -> Iterator[tuple[int, str]]:
    """Read all glyphs of a ``.hex`` file as :func:`parse_hex_line` does, in their order."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield parse_hex_line(line, f"{path}:{number}")


def name_character(code: int) -> str:
    """Return a code point as Unicode writes it.

    >>> name_character(65)
    'U+0041'
    """
    return f"U+{code:04X}"


def _make_glyph(digits: str) -> Bitmap:
    """Convert the hex digits of a glyph to a bitmap."""
    per_row = len(digits) // ROWS
    rows = [digits[start : start + per_row] for start in range(0, len(digits), per_row)]
    return _make_bitmap(rows, (4 * per_row, ROWS, 0, -_DESCENT), 4 * per_row)


def draw_glyph(code: int, digits: str) -> Picture:
    """Return a glyph of a ``.hex`` font as a picture, without the empty rows above and below."""
    glyph = _make_glyph(digits)
    rows = tuple(
        tuple(GLYPH_COLOR if (x, y) in glyph.ink else None for x in range(glyph.advance))
        for y in range(-_DESCENT, ROWS - _DESCENT)
    )
    picture = Picture(rows, name_character(code)).trim()
    if not picture.rows:
        raise InputError(f"{name_character(code)}: blank glyph; nothing to print")
    return picture


def find_unifont() -> Path:
    """Return the file of GNU Unifont on this machine."""
    for place in map(Path, _UNIFONT_PLACES):
        if place.is_file():
            return place
    raise InputError(
        "GNU Unifont is not installed; install it (Debian and Ubuntu: apt install unifont; "
        "others: https://unifoundry.com/unifont)",
        Hint("or give {}", Setting.FONT),
    )


# The time of day, in which a new minute changes few of the low rows. A game prints again only the
# rows from the lowest changed row upwards. So in the layout "steps" the minutes are above and to
# the right of the hours. In "line" all digits stand in one line.

Layout = Literal["steps", "line"]

_DIGITS: Final = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# ..# .#. .#.",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
    ":": ". # . # .",
    " ": "... ... ... ... ...",
}
SMALL: Final = "small"
"""The name of these digits."""
_DAY: Final = 24 * 60


def parse_minutes(text: str) -> int:
    """Read a time of day as minutes after midnight."""
    hours, colon, minutes = text.partition(":")
    is_numeric = hours.isdecimal() and minutes.isdecimal() and len(minutes) == 2 and len(hours) <= 2
    if not (colon and is_numeric and text.isascii() and int(hours) < 24 and int(minutes) < 60):
        raise InputError(f"invalid time {text!r}; expected HH:MM, e.g. 09:58")
    return 60 * int(hours) + int(minutes)


def format_time(minutes: int, hours: int = 24) -> str:
    """Return minutes after midnight as a time of day; of 12 hours, without a leading zero.

    >>> format_time(598), format_time(598, 12), format_time(0, 12)
    ('09:58', ' 9:58', '12:00')
    """
    hour, minute = divmod(minutes % _DAY, 60)
    return f"{hour:02}:{minute:02}" if hours == 24 else f"{(hour - 1) % 12 + 1:2}:{minute:02}"


def draw_clock(
    minutes: int,
    color: Color = "f5f5f5",
    layout: Layout = "steps",
    hours: int = 24,
    font: str = SMALL,
) -> tuple[Picture, int]:
    """Return a time of day as a picture, and the index of its first filled column.

    ``font`` is ``"small"``, or the name of a font as for texts.

    >>> picture, left = draw_clock(598)
    >>> picture.height, picture.width + left, draw_clock(598, layout="line")[0].height
    (10, 15, 5)
    """
    text, digits = format_time(minutes, hours), _read_digits(font)
    if layout == "line":
        lines = _draw_line(text, digits)
    else:
        hour_lines, minute_lines = _draw_line(text[:2], digits), _draw_line(text[3:], digits)
        hours_width, minutes_width = len(hour_lines[0]), len(minute_lines[0])
        lines = ["." * (hours_width + 1) + row for row in minute_lines]
        lines += [row + "." * (minutes_width + 1) for row in hour_lines]
    return _make_face(lines, color, text.strip())


def draw_seconds(seconds: int, color: Color = "f5f5f5", font: str = SMALL) -> tuple[Picture, int]:
    """Return two digits as a picture, as :func:`draw_clock` returns a time of day.

    >>> picture, left = draw_seconds(7)
    >>> picture.name, picture.width, picture.height, left
    ('07', 7, 5, 0)
    """
    text = f"{seconds:02}"
    return _make_face(_draw_line(text, _read_digits(font)), color, text)


def _make_face(lines: list[str], color: Color, name: str) -> tuple[Picture, int]:
    """Return lines of ``#`` and ``.`` as a picture, and the index of its first filled column."""
    rows = [tuple(color if c == "#" else None for c in row) for row in reversed(lines)]
    picture = Picture(tuple(rows), name).trim().trim_columns()
    return picture, picture.columns_left


def _draw_line(text: str, digits: dict[str, list[str]]) -> list[str]:
    """Return rows of characters, top row first, in which # is filled and . is empty."""
    return [".".join(row) for row in zip(*(digits[c] for c in text), strict=True)]


@cache
def _read_digits(font: str) -> dict[str, list[str]]:
    """Return the digits, a colon and a space of a font, as rows of characters of one height.

    All digits are as wide as the widest, so that a digit never moves another one.
    """
    if font == SMALL:
        return {character: drawing.split() for character, drawing in _DIGITS.items()}
    pictures = {character: set_text(character, font) for character in "0123456789"}
    width = max(picture.width for picture in pictures.values())
    height = max(picture.height for picture in pictures.values())
    digits = {}
    for character, picture in pictures.items():
        left = (width - picture.width) // 2
        rows = ["".join("#" if square else "." for square in row) for row in picture.rows[::-1]]
        rows = [f"{'.' * left}{row}".ljust(width, ".") for row in rows]
        digits[character] = ["." * width] * (height - len(rows)) + rows
    dots = (height // 3, height - 1 - height // 3)
    digits[":"] = ["#" if row in dots else "." for row in range(height)]
    digits[" "] = ["." * width] * height
    return digits
