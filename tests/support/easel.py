"""Tools that draw photographs; each function that draws one registers it in SCENES."""

from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageFilter

SCENES: dict[str, tuple[str, Callable[[], Image.Image]]] = {}
"""The kind of each image and the function that draws it, by name."""

_Maker = Callable[[], Image.Image]


def register_scene(kind: str) -> Callable[[_Maker], _Maker]:
    """Return a decorator that registers a function under its name, as an image of a kind."""

    def add(make: _Maker) -> _Maker:
        SCENES[make.__name__.strip("_")] = (kind, make)
        return make

    return add


def make_grid(width: int, height: int, high: float = 1.0) -> tuple[Any, Any]:
    """Return x from -1 to 1 and y from -high to high for each pixel."""
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-high, high, height))
    return x, y


def make_clouds(shape: tuple[int, int], seed: int, rough: float = 2.0) -> Any:
    """Return noise from 0 to 1 like clouds or hills: the coarser a layer, the stronger it is."""
    rng = np.random.default_rng(seed)
    total = np.zeros(shape)
    size, weight = 2, 1.0
    while size < max(shape):
        coarse = Image.fromarray(rng.random((size + 1, size + 1)).astype(np.float32))
        total += weight * np.asarray(coarse.resize(shape[::-1], Image.Resampling.BICUBIC))
        size, weight = 2 * size, weight / rough
    total -= total.min()
    return total / total.max()


def finish_photo(pixels: Any, grain: float, seed: int, blur: float = 0.8) -> Image.Image:
    """Return an image of the pixels, blurred and with grain."""
    noise = np.random.default_rng(seed).normal(0, grain, pixels.shape)
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    soft = np.asarray(image.filter(ImageFilter.GaussianBlur(blur)), dtype=np.float64)
    return Image.fromarray(np.clip(soft + noise, 0, 255).astype(np.uint8))


def blend(low: Any, high: Any, share: Any) -> Any:
    """Return the colours between two, by their share of the second from 0 to 1."""
    return np.array(low) + (np.array(high, float) - np.array(low)) * share[..., None]
