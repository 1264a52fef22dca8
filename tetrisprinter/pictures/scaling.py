"""Making an image smaller without losing what it is.

Enlarged pixel art consists of equal blocks of pixels, so it is shrunk without
loss. Any other image is averaged (Lanczos). In a drawing, strokes thinner than a square would
become pale, or vanish; so each becomes a line of squares in its own ink.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

__all__ = [
    "Resampling",
    "has_dither",
    "is_pixel_art",
    "resize",
    "sample_pixels",
    "shrink_pixel_art",
    "shrunk",
    "size_within",
]

Resampling = Literal["auto", "nearest", "area"]

PIXEL_ART_COLORS: Final = 32
"""An image with at most this number of colours counts as pixel art."""

_SPECKLED: Final = 0.04
"""Share of pixels unlike all their neighbours from which on an image is dithered."""

_SMALLEST: Final = 8
"""Pixels that the long side of enlarged pixel art keeps when it is shrunk to its own size."""

_SAMPLE: Final = 4096
"""About this number of pixels of an image is examined."""


def size_within(size: tuple[int, int], fit: tuple[int, int]) -> tuple[int, int]:
    """Return the largest size with the same proportions that fits into a box.

    >>> size_within((300, 200), (48, 48)), size_within((9, 9), (48, 48))
    ((48, 32), (9, 9))
    """
    scale = min(1.0, fit[0] / size[0], fit[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def resize(image: Image.Image, size: tuple[int, int], how: Resampling = "auto") -> Image.Image:
    """Scale an RGBA image."""
    from PIL import Image as Images

    if how == "nearest":
        return image.resize(size, Images.Resampling.NEAREST)
    filters = {"auto": Images.Resampling.LANCZOS, "area": Images.Resampling.BOX}
    # Premultiplied, so that the colour of transparent pixels does not bleed in.
    small = image.convert("RGBa").resize(size, filters[how]).convert("RGBA")
    # An outline is where half of a square is covered.
    small.putalpha(image.getchannel("A").resize(size, Images.Resampling.LANCZOS))
    return small


def sample_pixels(image: Image.Image) -> tuple[Image.Image, Image.Image, Image.Image]:
    """Return some thousand pixels of an image, and for each the one to its right and below it."""
    from PIL import Image as Images

    scale = min(1.0, math.sqrt(_SAMPLE / (image.width * image.height)))
    size = (max(1, round(scale * image.width)), max(1, round(scale * image.height)))

    def pick(right: int, down: int) -> Image.Image:
        box = (right, down, image.width, image.height)
        moved = image.crop(box) if right < image.width and down < image.height else image
        canvas = image.copy() if right or down else image
        if right or down:
            canvas.paste(moved)
        return canvas.resize(size, Images.Resampling.NEAREST)

    return pick(0, 0), pick(1, 0), pick(0, 1)


def shrink_pixel_art(image: Image.Image, fit: tuple[int, int]) -> tuple[Image.Image, str]:
    """Shrink enlarged pixel art without loss until it fits; return it with its step.

    Other images are returned unchanged, and so is pixel art that does not fit in its own size.
    """
    blocks = _measure_blocks(_encode_colors(image))
    for divisor in range(2, blocks + 1):
        if (
            not blocks % divisor
            and image.width <= divisor * fit[0]
            and image.height <= divisor * fit[1]
        ):
            return _shrink(image, divisor)
    return image, ""


def shrunk(image: Image.Image) -> tuple[Image.Image, str]:
    """Shrink enlarged pixel art to its own size; return it with its step."""
    blocks = _measure_blocks(_encode_colors(image))
    for divisor in range(blocks, 1, -1):
        if not blocks % divisor and max(image.size) >= _SMALLEST * divisor:
            return _shrink(image, divisor)
    return image, ""


def is_pixel_art(image: Image.Image) -> bool:
    """Return whether an image has few colours and is not dithered."""
    return image.getcolors(PIXEL_ART_COLORS) is not None and not has_dither(image)


def _shrink(image: Image.Image, divisor: int) -> tuple[Image.Image, str]:
    import numpy as np
    from PIL import Image as Images

    half = divisor // 2
    small = Images.fromarray(np.ascontiguousarray(np.array(image)[half::divisor, half::divisor]))
    return small, f"shrunk {divisor} times"


def _encode_colors(image: Image.Image) -> NDArray[np.uint32]:
    import numpy as np

    return np.array(image).view(np.uint32)[..., 0]


def _measure_blocks(codes: NDArray[np.uint32]) -> int:
    """Return the largest k such that the image consists of one-coloured k x k blocks."""
    import numpy as np

    edges = [codes.shape[0], codes.shape[1]]
    edges += (np.flatnonzero((codes[1:] != codes[:-1]).any(axis=1)) + 1).tolist()
    edges += (np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1).tolist()
    return math.gcd(*edges)


def has_dither(image: Image.Image) -> bool:
    """Return whether an image has few colours and many pixels unlike all four neighbours."""
    if image.getcolors(PIXEL_ART_COLORS) is None:
        return False
    codes = _encode_colors(image)
    if min(codes.shape) < 3:
        return False
    middle = codes[1:-1, 1:-1]
    alone: Any = middle != codes[:-2, 1:-1]
    for other in (codes[2:, 1:-1], codes[1:-1, :-2], codes[1:-1, 2:]):
        alone &= middle != other
    return float(alone.mean()) > _SPECKLED
