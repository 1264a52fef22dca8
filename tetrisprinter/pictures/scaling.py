"""Making an image smaller without spoiling what it is.

Pixel art is scaled by asking which colour most of a new pixel has, photographs by averaging.
An image is taken for pixel art if it has few colours, or if it consists of equal blocks of
k x k pixels, that is, pixel art that somebody enlarged; then it is first of all shrunk by a
divisor of k, which loses nothing. A *dithered* image has few colours too, but its greys are
speckles of black and white: many of its pixels differ from all of their neighbours, and only
averaging brings the greys back.
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
    "divided",
    "is_dithered",
    "is_pixel_art",
    "scaled",
    "shrunk",
    "size_within",
]

Resampling = Literal["auto", "nearest", "area", "majority"]

PIXEL_ART_COLORS: Final = 32
"""An image with at most so many colours counts as pixel art."""

_SPECKLED: Final = 0.04
"""Share of pixels unlike all their neighbours from which on an image is dithered."""

_RARE: Final = 0.7
"""How much more a colour counts that is hardly there."""

_SMALLEST: Final = 8
"""Pixels that the long side of enlarged pixel art keeps when it is shrunk to its own size."""


def scaled(
    image: Image.Image, fit: tuple[int, int], resampling: Resampling = "auto"
) -> tuple[Image.Image, str]:
    """Scale an image down to a size, keeping its proportions.

    Parameters
    ----------
    image : PIL.Image.Image
        In mode RGBA.
    fit : (int, int)
        Largest width and height.
    resampling : {"auto", "nearest", "area", "majority"}
        How: by picking pixels, by averaging, or by the commonest colour of each new pixel.

    Returns
    -------
    PIL.Image.Image and str
        The image, and what was done; the same image and nothing if it fits.
    """
    size = image.size
    if size[0] <= fit[0] and size[1] <= fit[1]:
        return image, ""
    if resampling != "area":
        small, said = divided(image, fit)
        if said:
            return small, said
    if resampling == "auto":
        codes = _codes(image)
        few = _few_colors(image) or _blocks(codes) > 1
        resampling = "majority" if few and not _is_dithered(codes) else "area"
    new = size_within(size, fit)
    how = {"nearest": _picked, "area": _averaged, "majority": _voted}[resampling]
    return how(image, new), (f"scaled from {size[0]}x{size[1]} to {new[0]}x{new[1]} ({resampling})")


def size_within(size: tuple[int, int], fit: tuple[int, int]) -> tuple[int, int]:
    """Return a size in the same proportions that is no larger than a box.

    >>> size_within((300, 200), (48, 48)), size_within((9, 9), (48, 48))
    ((48, 32), (9, 9))
    """
    scale = min(1.0, fit[0] / size[0], fit[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def divided(image: Image.Image, fit: tuple[int, int]) -> tuple[Image.Image, str]:
    """Return enlarged pixel art shrunk without loss until it fits, and what was done.

    Another image, and one that does not fit even in its own size, is returned as it is.
    """
    blocks = _blocks(_codes(image))
    for divisor in range(2, blocks + 1):
        if (
            not blocks % divisor
            and image.width <= divisor * fit[0]
            and image.height <= divisor * fit[1]
        ):
            return _divided(image, divisor)
    return image, ""


def shrunk(image: Image.Image) -> tuple[Image.Image, str]:
    """Return enlarged pixel art in its own size, and what was done; another image as it is."""
    blocks = _blocks(_codes(image))
    for divisor in range(blocks, 1, -1):
        if not blocks % divisor and max(image.size) >= _SMALLEST * divisor:
            return _divided(image, divisor)
    return image, ""


def is_pixel_art(image: Image.Image) -> bool:
    """Whether an image has few colours and is not dithered."""
    return _few_colors(image) and not _is_dithered(_codes(image))


def is_dithered(image: Image.Image) -> bool:
    """Whether an image shows more colours than it has, by speckles of few."""
    return _few_colors(image) and _is_dithered(_codes(image))


def _divided(image: Image.Image, divisor: int) -> tuple[Image.Image, str]:
    import numpy as np
    from PIL import Image as Images

    half = divisor // 2
    small = Images.fromarray(np.ascontiguousarray(np.array(image)[half::divisor, half::divisor]))
    return small, f"shrunk {divisor} times"


def _few_colors(image: Image.Image) -> bool:
    return image.getcolors(PIXEL_ART_COLORS) is not None


def _codes(image: Image.Image) -> NDArray[np.uint32]:
    import numpy as np

    return np.array(image).view(np.uint32)[..., 0]


def _blocks(codes: NDArray[np.uint32]) -> int:
    """Return the largest k such that the image consists of k x k pixels of one colour."""
    import numpy as np

    edges = [codes.shape[0], codes.shape[1]]
    edges += (np.flatnonzero((codes[1:] != codes[:-1]).any(axis=1)) + 1).tolist()
    edges += (np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1).tolist()
    return math.gcd(*edges)


def _is_dithered(codes: NDArray[np.uint32]) -> bool:
    """Whether many pixels are unlike every one of their four neighbours."""
    if min(codes.shape) < 3:
        return False
    middle = codes[1:-1, 1:-1]
    alone: Any = middle != codes[:-2, 1:-1]
    for other in (codes[2:, 1:-1], codes[1:-1, :-2], codes[1:-1, 2:]):
        alone &= middle != other
    return float(alone.mean()) > _SPECKLED


def _picked(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    from PIL import Image as Images

    return image.resize(size, Images.Resampling.NEAREST)


def _averaged(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    from PIL import Image as Images

    # Premultiplied, so that the colour of transparent pixels does not bleed in.
    return image.convert("RGBa").resize(size, Images.Resampling.BOX).convert("RGBA")


def _voted(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Give each new pixel the colour that most of it has, rare ones preferred."""
    import numpy as np
    from PIL import Image as Images

    codes = _codes(image)
    colors, which, counts = np.unique(codes, return_inverse=True, return_counts=True)
    which = which.reshape(codes.shape)
    # A rare colour is a line or an eye: it counts for more, or it would be lost.
    weights = 1 + _RARE * (1 - counts / counts.sum())
    most: Any = np.full((size[1], size[0]), -1.0)
    chosen = np.zeros((size[1], size[0]), dtype=np.intp)
    for index in range(len(colors)):
        share = np.asarray(
            Images.fromarray((which == index).astype(np.float32)).resize(
                size, Images.Resampling.BOX
            )
        )
        votes = weights[index] * share
        better = votes > most
        most = np.where(better, votes, most)
        chosen = np.where(better, index, chosen)
    pixels = np.ascontiguousarray(colors[chosen]).view(np.uint8).reshape(size[1], size[0], 4)
    return Images.fromarray(pixels)
