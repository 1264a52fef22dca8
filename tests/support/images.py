"""Images to print, and what an image asks for."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from tetrisprinter.pictures.picture import Picture


def draw_rows(rows: Sequence[str], inks: Mapping[str, str]) -> Image.Image:
    """Draw a pixel for each letter; what has no ink (``rrggbb`` or ``rrggbbaa``) is transparent."""
    image = Image.new("RGBA", (len(rows[0]), len(rows)))
    letters = (inks.get(letter, "00000000").ljust(8, "f") for row in rows for letter in row)
    image.putdata([tuple(bytes.fromhex(ink)) for ink in letters])
    return image


def draw_picture(picture: Picture, scale: int = 1) -> Image.Image:
    image = Image.new("RGBA", (picture.width, picture.height))
    for (x, y), color in picture.cells().items():
        image.putpixel((x, picture.height - 1 - y), (*bytes.fromhex(color), 255))
    size = (picture.width * scale, picture.height * scale)
    return image.resize(size, Image.Resampling.NEAREST)


def count_long_frames(film: bytes | Path, milliseconds: int = 2000) -> int:
    """Count the frames of an animation that stand so long."""
    with Image.open(io.BytesIO(film) if isinstance(film, bytes) else film) as image:
        held = 0
        for number in range(int(getattr(image, "n_frames", 1))):
            image.seek(number)
            held += image.info["duration"] >= milliseconds
    return held


def draw_identicon(size: int = 12, ground: str = "white") -> Image.Image:
    """Dots on a ground, with whole rows of nothing between them."""
    image = Image.new("RGB", (size, size), ground)
    for x, y in ((3, 3), (8, 3), (5, 5), (6, 5), (3, 8), (8, 8)):
        image.putpixel((x, y), (200, 30, 40))
    return image


def draw_gradient(width: int, height: int) -> Image.Image:
    """Smooth in every direction: tens of thousands of colours."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    rgb = np.dstack([x, y, (1 - x) * y]) * 255
    return Image.fromarray(rgb.astype(np.uint8), "RGB")


def read_squares(path: Path, column: int = 2) -> dict[tuple[int, int], str]:
    """Return the squares an image leaves on a board, read without the package."""
    image = Image.open(path).convert("RGBA")
    filled = {
        (x, image.height - 1 - y): image.tobytes()[4 * (y * image.width + x) :][:3].hex()
        for y in range(image.height)
        for x in range(image.width)
        if image.getchannel("A").getpixel((x, y)) == 255
    }
    floor = min(y for _, y in filled)
    return {(x + column, y - floor): color for (x, y), color in filled.items()}
