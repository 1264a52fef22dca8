"""Images to print, and the squares that an image shows."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from tetrisprinter.pictures.picture import Picture


def draw_rows(rows: Sequence[str], colors: Mapping[str, str]) -> Image.Image:
    """Draw a pixel for each letter in its colour (``rrggbb`` or ``rrggbbaa``), else transparent."""
    image = Image.new("RGBA", (len(rows[0]), len(rows)))
    letters = (colors.get(letter, "00000000").ljust(8, "f") for row in rows for letter in row)
    image.putdata([tuple(bytes.fromhex(color)) for color in letters])
    return image


def draw_picture(picture: Picture, scale: int = 1) -> Image.Image:
    """Draw the squares of a picture on transparency, each ``scale`` pixels wide."""
    image = Image.new("RGBA", (picture.width, picture.height))
    for (x, y), color in picture.cells().items():
        image.putpixel((x, picture.height - 1 - y), (*bytes.fromhex(color), 255))
    size = (picture.width * scale, picture.height * scale)
    return image.resize(size, Image.Resampling.NEAREST)


def count_long_frames(animation: bytes | Path, milliseconds: int = 2000) -> int:
    """Count the frames of an animation that are shown for at least some milliseconds."""
    with Image.open(io.BytesIO(animation) if isinstance(animation, bytes) else animation) as image:
        count = 0
        for number in range(int(getattr(image, "n_frames", 1))):
            image.seek(number)
            count += image.info["duration"] >= milliseconds
    return count


def draw_gradient(width: int, height: int) -> Image.Image:
    """Draw an image that is smooth in every direction, with tens of thousands of colours."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    rgb = np.dstack([x, y, (1 - x) * y]) * 255
    return Image.fromarray(rgb.astype(np.uint8), "RGB")


def read_squares(path: Path, column: int = 2) -> dict[tuple[int, int], str]:
    """Return the squares of an image's opaque pixels on a board; this shares no package code."""
    image = Image.open(path).convert("RGBA")
    filled = {
        (x, image.height - 1 - y): image.tobytes()[4 * (y * image.width + x) :][:3].hex()
        for y in range(image.height)
        for x in range(image.width)
        if image.getchannel("A").getpixel((x, y)) == 255
    }
    lowest = min(y for _, y in filled)
    return {(x + column, y - lowest): color for (x, y), color in filled.items()}
