"""Pictures that the measurements draw from seeds."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["bitmap", "noise", "photo", "shape", "sine_bands", "sprite"]

_WHITE = (240, 240, 240, 255)
_SHADES = ("d03030", "f0c040", "3060c0", "30a050", "8040a0")
_INKS = ((200, 40, 40, 255), (50, 170, 60, 255), (50, 80, 210, 255))


def photo(width: int = 300, height: int = 300) -> Any:
    """Return an image with the gradients and the grain of a photo."""
    import numpy as np
    from PIL import Image

    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    waves = np.dstack([np.sin(5 * x + 3 * y) ** 2, np.cos(4 * y * x) ** 2, (1 - x) * y])
    grain = np.random.default_rng(0).normal(0, 8, (height, width, 3))
    return Image.fromarray(np.clip(waves * 255 + grain, 0, 255).astype(np.uint8))


def bitmap(size: int = 128) -> Any:
    """Return rings and dots, half of them empty."""
    from PIL import Image

    pick, middle = random.Random(0), size // 2
    image = Image.new("RGBA", (size, size))
    for x in range(size):
        for y in range(size):
            far = ((x - middle) ** 2 + (y - middle) ** 2) ** 0.5
            if (far // 9) % 2 < 1 or pick.random() < 0.05:
                image.putpixel((x, y), _WHITE)
    return image


def noise(width: int, height: int, share: float = 0.5, colors: int = 3) -> Any:
    """Return squares of a few colours by chance, on nothing."""
    from PIL import Image

    pick = random.Random(width)
    image = Image.new("RGBA", (width, height))
    for y in range(height):
        # No row is empty, none is full: neither can be printed.
        columns = [x for x in range(width) if pick.random() < share] or [0]
        for x in columns[: width - 1]:
            image.putpixel((x, y), pick.choice(_INKS[:colors]))
    return image


def sprite(width: int, height: int, seed: int) -> Any:
    """Return a figure in three colours: chance, smoothed and mirrored, with an outline."""
    import numpy as np
    from PIL import Image, ImageFilter

    chance = np.random.default_rng(seed)
    half = (width + 1) // 2

    def smooth(radius: float) -> Any:
        raw = Image.fromarray((chance.random((height, half)) * 255).astype(np.uint8))
        grey = np.asarray(raw.filter(ImageFilter.GaussianBlur(radius)), float)
        return np.concatenate([grey[:, : width // 2], grey[:, ::-1]], 1)

    body, shade = smooth(1.4), smooth(0.9)
    filled = body >= np.quantile(body, 0.4)
    image = Image.new("RGBA", (width, height))
    for y in range(height):
        columns = [x for x in range(width) if filled[y, x]] or [width // 2]
        for x in columns[: width - 1]:
            edge = x in (columns[0], columns[-1])
            ink = 2 if edge else int(shade[y, x] > np.quantile(shade, 0.65))
            image.putpixel((x, y), _INKS[ink])
    return image


def sine_bands(size: int = 64, noise: float = 0.25, colors: int = 5) -> Any:
    """Return bands of grey shades, noisy or smooth."""
    import numpy as np
    from PIL import Image

    x, y = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size))
    waves = 0.5 + 0.5 * np.sin(9 * y + 3 * x)
    grey = np.clip(waves + np.random.default_rng(0).normal(0, noise, (size, size)), 0, 1)
    steps = np.minimum(colors - 1, (grey * colors).astype(int))
    return Image.fromarray((steps * (255 // (colors - 1))).astype(np.uint8)).convert("RGB")


def shape(seed: int) -> Any:
    """Return nine of ten columns of coherent shapes, some mirrored, some with stray squares."""
    from PIL import Image

    rng = random.Random(seed)
    height, colors = rng.randint(12, 18), 2 + seed % 4
    sites = [
        (rng.uniform(0, 9), rng.uniform(0, height), rng.randrange(colors))
        for _ in range(rng.choice((5, 8, 12)) * colors // 2)
    ]
    stretch, stray = rng.choice((0.6, 1, 1.7)), rng.choice((0, 0, 0.04, 0.1))
    mirrored = rng.random() < 0.4
    image = Image.new("RGBA", (10, height))
    for y in range(height):
        for column in range(9):
            x = min(column, 8 - column) if mirrored else column
            near = min((((sx - x) * stretch) ** 2 + (sy - y) ** 2, n) for sx, sy, n in sites)
            index = rng.randrange(colors) if rng.random() < stray else near[1]
            color = (*bytes.fromhex(_SHADES[index]), 255)
            image.putpixel((column, height - 1 - y), color)
    if height % 2:  # ten columns leave an even number of squares
        image.putpixel((0, 0), (0, 0, 0, 0))
    return image
