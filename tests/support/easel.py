"""What the test images are drawn with; each drawer enters its image in SCENES."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SCENES: dict[str, tuple[str, Callable[[], Image.Image]]] = {}
"""Name -> kind, what draws it."""

_Maker = Callable[[], Image.Image]
NOTHING = (0, 0, 0, 0)


def scene(kind: str) -> Callable[[_Maker], _Maker]:
    def add(make: _Maker) -> _Maker:
        SCENES[make.__name__.strip("_")] = (kind, make)
        return make

    return add


def canvas(size: tuple[int, int], ground: Any = "white") -> tuple[Image.Image, Any]:
    """Return an image of four times the size, and a pen."""
    image = Image.new("RGBA", (4 * size[0], 4 * size[1]), ground)
    return image, ImageDraw.Draw(image)


def small(image: Image.Image) -> Image.Image:
    """Scale down what was drawn at four times the size: its edges are mixed."""
    size = (image.width // 4, image.height // 4)
    return image.convert("RGBa").resize(size, Image.Resampling.BOX).convert("RGBA")


def font(size: int) -> Any:
    return ImageFont.load_default(size)


def jpeg(image: Image.Image, quality: int = 80) -> Image.Image:
    data = io.BytesIO()
    image.convert("RGB").save(data, "JPEG", quality=quality)
    return Image.open(io.BytesIO(data.getvalue())).convert("RGB")


def blocks(rows: str, colors: dict[str, str], scale: int = 1) -> Image.Image:
    """Return pixel art, a letter for each pixel, rows parted by blanks."""
    lines = rows.split()
    image = Image.new("RGBA", (len(lines[0]), len(lines)), NOTHING)
    for y, line in enumerate(lines):
        for x, letter in enumerate(line):
            if letter in colors:
                image.putpixel((x, y), (*bytes.fromhex(colors[letter]), 255))
    return image.resize((scale * image.width, scale * image.height), Image.Resampling.NEAREST)


def grid(width: int, height: int, high: float = 1.0) -> tuple[Any, Any]:
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-high, high, height))
    return x, y


def waves(shape: tuple[int, int], seed: int, rough: float = 2.0) -> Any:
    """Return noise as clouds and hills have it, from 0 to 1: strong where it is coarse."""
    rng = np.random.default_rng(seed)
    total = np.zeros(shape)
    size, weight = 2, 1.0
    while size < max(shape):
        coarse = Image.fromarray(rng.random((size + 1, size + 1)).astype(np.float32))
        total += weight * np.asarray(coarse.resize(shape[::-1], Image.Resampling.BICUBIC))
        size, weight = 2 * size, weight / rough
    total -= total.min()
    return total / total.max()


def photo(pixels: Any, grain: float, seed: int, blur: float = 0.8) -> Image.Image:
    noise = np.random.default_rng(seed).normal(0, grain, pixels.shape)
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    soft = np.asarray(image.filter(ImageFilter.GaussianBlur(blur)), dtype=np.float64)
    return Image.fromarray(np.clip(soft + noise, 0, 255).astype(np.uint8))


def mix(low: Any, high: Any, share: Any) -> Any:
    return np.array(low) + (np.array(high, float) - np.array(low)) * share[..., None]
