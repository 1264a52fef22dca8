"""Images to print, and what an image asks for."""

from pathlib import Path

import numpy as np
from PIL import Image


def identicon(size: int = 12, ground: str = "white") -> Image.Image:
    """Dots on a ground, with whole rows of nothing between them."""
    image = Image.new("RGB", (size, size), ground)
    for x, y in ((3, 3), (8, 3), (5, 5), (6, 5), (3, 8), (8, 8)):
        image.putpixel((x, y), (200, 30, 40))
    return image


def photo(width: int, height: int) -> Image.Image:
    """Smooth in every direction: tens of thousands of colours."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    rgb = np.dstack([x, y, (1 - x) * y]) * 255
    return Image.fromarray(rgb.astype(np.uint8), "RGB")


def squares_of(path: Path, column: int = 2) -> dict[tuple[int, int], str]:
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
