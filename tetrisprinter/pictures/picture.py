"""Pictures: grids of colours, read from image files.

A picture knows nothing of pieces or boards. Its rows are counted from the bottom, like
those of a playfield, so that the two can be compared square by square.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import Cell

__all__ = ["MAX_PIXELS", "Color", "Picture", "load_picture"]

Color = str
"""Six lower-case hex digits, ``rrggbb``."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A grid of colours.

    Attributes
    ----------
    rows : tuple of tuple of (str or None)
        ``rows[y][x]``, bottom row first; None where the picture is transparent.
    name : str
        What messages call it: usually the file it came from.
    rows_above : int
        How many transparent rows above the figure have been trimmed away.
    """

    rows: tuple[tuple[Color | None, ...], ...]
    name: str = "picture"
    rows_above: int = 0

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def height(self) -> int:
        """Rows."""
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
        """Return its colours in order of first appearance: top row first, left to right."""
        found: dict[Color, None] = {}
        for row in reversed(self.rows):
            found.update((color, None) for color in row if color is not None)
        return tuple(found)

    def trimmed(self) -> Picture:
        """Return it without the transparent rows above and below the figure."""
        filled = [y for y, row in enumerate(self.rows) if any(c is not None for c in row)]
        if not filled:
            return Picture((), self.name)
        above = self.rows_above + self.height - 1 - filled[-1]
        return Picture(self.rows[filled[0] : filled[-1] + 1], self.name, above)

    def image_row(self, y: int) -> int:
        """Return the number from the top, in the image it came from, of a row."""
        return self.rows_above + self.height - 1 - y

    def placed(self, width: int, height: int, column: int) -> Picture:
        """Return it on a transparent board, lowest row on the floor, shifted to a column.

        Raises
        ------
        ValueError
            If it does not fit.
        """
        if column < 0 or column + self.width > width or self.height > height:
            raise ValueError(f"{self.width}x{self.height} at column {column} is outside")
        left: tuple[None, ...] = (None,) * column
        right: tuple[None, ...] = (None,) * (width - column - self.width)
        empty: tuple[None, ...] = (None,) * width
        rows = [left + row + right for row in self.rows]
        return Picture((*rows, *[empty] * (height - len(rows))), self.name)

    def differences(self, other: Picture) -> list[Cell]:
        """Return the squares in which two pictures of the same size differ."""
        return [
            (x, y)
            for y, (mine, theirs) in enumerate(zip(self.rows, other.rows, strict=True))
            for x, (a, b) in enumerate(zip(mine, theirs, strict=True))
            if a != b
        ]

    @classmethod
    def from_pixels(
        cls, width: int, pixels: Iterable[tuple[int, int, int, int]], name: str = "picture"
    ) -> Picture:
        """Build it from RGBA pixels, top row first.

        Raises
        ------
        InputError
            If a pixel is neither opaque nor fully transparent.
        """
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


# A sprite is small; refusing early keeps a decompression bomb from filling the memory.
MAX_PIXELS = 4_000_000


def load_picture(path: str | Path) -> Picture:
    """Read an image file as a picture, without the transparent rows above and below.

    Parameters
    ----------
    path : str or Path
        PNG, GIF, BMP, WebP, or whatever else Pillow reads; the first frame counts.

    Raises
    ------
    InputError
        If the file cannot be read, is no image, is damaged, too large, fully
        transparent, or has half-transparent pixels.
    """
    from PIL import Image, UnidentifiedImageError

    name = str(path)
    try:
        with Image.open(path) as image:
            if image.width * image.height > MAX_PIXELS:
                raise InputError(
                    f"{name}: {image.width}x{image.height} pixels are far more than a board "
                    "of Tetris can hold; scale the image down first"
                )
            rgba = image.convert("RGBA")
    except UnidentifiedImageError as error:
        raise InputError(
            f"{name}: is not an image that can be read (PNG, GIF, BMP, WebP)"
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error) or "damaged file").lower()
        raise InputError(f"{name}: cannot be read: {reason}") from error
    except (SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise InputError(f"{name}: is damaged: {error}") from error
    data = rgba.tobytes()
    pixels = ((data[i], data[i + 1], data[i + 2], data[i + 3]) for i in range(0, len(data), 4))
    picture = Picture.from_pixels(rgba.width, pixels, name).trimmed()
    if not picture.rows:
        raise InputError(f"{name}: has no opaque pixel, so there is nothing to print")
    return picture
