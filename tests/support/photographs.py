"""Photographs, faces and a moon, drawn by code: gradients, noise of all sizes, grain."""

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


def landscape(width: int = 1200, height: int = 800) -> Image.Image:
    """Return a sunset over hills and water, with grain."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    sky = blend([40, 60, 130.0], [250, 170, 90.0], np.clip(y / 0.6, 0, 1))
    sky[np.hypot((x - 0.66) * width / height, y - 0.42) < 0.11] = (255, 240, 190)
    sky[y > 0.5 - 0.12 * np.sin(7 * x) ** 2] = (110, 70, 110)
    sky[y > 0.68 - 0.1 * np.sin(4 * x + 1)] = (40, 50, 40)
    sky[(y > 0.82) & (np.abs(x - 0.6) < 0.3 + 0.05 * np.sin(40 * y))] = (200, 140, 110)
    grain = np.random.default_rng(3).normal(0, 6, sky.shape)
    return Image.fromarray(np.clip(sky + grain, 0, 255).astype(np.uint8))


register_scene("photo")(landscape)


def portrait(width: int = 300, height: int = 390) -> Image.Image:
    """Return a face in soft light before a dark wall."""
    x, y = make_grid(width, height, 1.3)
    shade = np.clip(1.1 - 0.5 * np.hypot(x + 0.4, y + 0.3), 0.2, 1.1)[..., None]
    image = np.array([50, 60, 70]) * (0.7 + 0.3 * shade)
    body = ((x / 0.85) ** 2 + ((y - 1.3) / 0.62) ** 2) < 1
    hair = ((x / 0.6) ** 2 + ((y + 0.2) / 0.78) ** 2) < 1
    face = ((x / 0.46) ** 2 + (y / 0.62) ** 2) < 1
    for mask, color in ((body, (60, 90, 150)), (hair, (70, 42, 28)), (face, (232, 180, 150))):
        image[mask] = (np.array(color) * shade)[mask]
    for left in (-0.18, 0.18):
        image[((x - left) / 0.07) ** 2 + ((y + 0.1) / 0.05) ** 2 < 1] = (30, 25, 25)
    image[((x / 0.17) ** 2 + ((y - 0.3) / 0.05) ** 2) < 1] = (180, 70, 70)
    grain = np.random.default_rng(5).normal(0, 5, image.shape)
    return Image.fromarray(np.clip(image + grain, 0, 255).astype(np.uint8))


register_scene("face")(portrait)


@register_scene("photo")
def flower() -> Image.Image:
    """Draw one pink flower before soft green."""
    size = 700
    x, y = make_grid(size, size)
    image = blend([40, 75, 30], [130, 165, 80], make_clouds((size, size), 41, 3.0))
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    petals = r < 0.45 + 0.3 * np.abs(np.cos(3.5 * angle))
    image[petals] = blend([180, 30, 100], [255, 170, 205], np.clip(r / 0.75, 0, 1))[petals]
    image[petals & (np.abs(np.sin(3.5 * angle)) > 0.97)] *= 0.75
    image[r < 0.2] = (240, 190, 50)
    image[(r < 0.2) & (make_clouds((size, size), 8, 1.1) > 0.55)] = (170, 110, 20)
    return finish_photo(image, 6, 5, 1.5)


@register_scene("photo")
def cat_photo() -> Image.Image:
    """Draw the head of a tabby on a sofa, slightly blurred."""
    size = 600
    x, y = make_grid(size, size)
    image = blend([120, 60, 60], [165, 95, 90], make_clouds((size, size), 61))
    fur = 0.85 + 0.3 * make_clouds((size, size), 62, 1.3)
    head = (x / 0.62) ** 2 + ((y - 0.12) / 0.54) ** 2 < 1
    ears = np.zeros_like(head)
    for side in (-1, 1):
        ears |= (y > -0.82) & (np.abs(x - 0.42 * side) < 0.2 * (y + 0.82) / 0.6) & (y < 0)
    for mask in (ears, head):
        image[mask] = (np.array([196, 150, 100]) * fur[..., None])[mask]
    stripes = head & (np.sin(22 * x + 5 * np.sin(6 * y)) > 0.55) & (y < 0.05)
    image[stripes] = (np.array([120, 80, 48]) * fur[..., None])[stripes]
    image[head & ((x / 0.3) ** 2 + ((y - 0.42) / 0.22) ** 2 < 1)] = (235, 222, 205)
    for side in (-1, 1):
        image[((x - 0.26 * side) / 0.13) ** 2 + ((y - 0.06) / 0.1) ** 2 < 1] = (150, 180, 60)
        image[((x - 0.26 * side) / 0.04) ** 2 + ((y - 0.06) / 0.1) ** 2 < 1] = (15, 15, 15)
    image[(np.abs(x) < 0.09 - 0.6 * (y - 0.3)) & (y > 0.3) & (y < 0.42)] = (205, 120, 120)
    return finish_photo(image, 6, 7, 1.2)


@register_scene("photo")
def grey_street() -> Image.Image:
    """Draw a street in black and white that leads into the distance."""
    width, height = 700, 500
    x, y = make_grid(width, height, 0.7)
    light = 210 - 60 * y + 30 * make_clouds((height, width), 71)
    wall = np.abs(x) > 0.12 + 0.9 * np.abs(y + 0.05)
    light[wall] = 120 - 60 * np.sign(x[wall]) + 25 * np.sin(60 / (np.abs(x[wall]) + 0.2))
    road = (y > 0) & (np.abs(x) < 0.15 + 1.3 * y)
    light[road] = 95 - 40 * y[road]
    light[road & (np.abs(x) < 0.03 * (y + 0.1)) & (np.sin(8 / (y + 0.08)) > 0)] = 230
    return finish_photo(np.repeat(light[..., None], 3, axis=2), 9, 8)


def moon(size: int = 400) -> Image.Image:
    """Return a moon that is three quarters full, with seas and craters, on black."""
    x, y = make_grid(size, size)
    r = np.hypot(x, y)
    light = np.clip(1 - ((x + 0.4) ** 2 + (y + 0.3) ** 2) / 2.4, 0.1, 1)
    light *= 0.85 + 0.25 * make_clouds((size, size), 81, 1.5)
    for cx, cy, far in ((0.2, 0.1, 0.18), (-0.3, 0.35, 0.12), (-0.1, -0.4, 0.2), (0.4, -0.2, 0.1)):
        light[np.hypot(x - cx, y - cy) < far] *= 0.7
    light = np.where(r < 0.8, light, 0.02)
    return finish_photo(np.repeat(235 * light[..., None], 3, axis=2), 4, 9, 1.0)


register_scene("moon")(moon)
