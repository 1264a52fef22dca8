"""Pictures: grids of colours, read from image files.

A picture does not depend on pieces or boards. Its rows are counted from the bottom, like the rows
of a playfield, so that both can be compared square by square.

Its text form is a *drawing*: rows of letters, top row first, with ``.`` for transparent squares,
below a line that gives each letter its colour (``r=d03020 w=ffffff``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tetrisprinter.errors import InputError
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.registry import PNG

if TYPE_CHECKING:
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.pieces import Cell
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
        checked: set[Color | None] = set()
        for y, row in enumerate(self.rows):
            if len(row) != len(self.rows[0]):
                raise PictureError(
                    f"{self.name}: row {self.image_row(y)} from the top has {len(row)} "
                    f"squares, but the lowest has {len(self.rows[0])}; expected rows of equal "
                    "length"
                )
            # A picture has few colours, so check each colour once instead of every square.
            new = set(row) - checked
            if not all(map(_is_square, new)):
                x = next(x for x, square in enumerate(row) if not _is_square(square))
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

    def find_differences(self, other: Picture) -> list[Cell]:
        """Return the squares in which two pictures of the same size differ."""
        return [
            (x, y)
            for y, (row, other_row) in enumerate(zip(self.rows, other.rows, strict=True))
            for x, (square, other_square) in enumerate(zip(row, other_row, strict=True))
            if square != other_square
        ]

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
        return PNG["picture"](self)

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


def _is_square(value: object) -> bool:
    return value is None or (isinstance(value, str) and read_color(value) == value)
