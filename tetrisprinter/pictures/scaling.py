"""The interface of an image that is converted, and its implementation with Pillow.

The steps of a conversion use :class:`Pixels`. This module implements it with Pillow; the web page
implements it with the browser. Enlarged pixel art consists of equal blocks of pixels, so it is
shrunk without loss. Any other image is averaged (Lanczos).
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Final, Literal, Protocol

from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["PillowPixels", "Pixels", "Resampling", "fit_size"]

Resampling = Literal["auto", "nearest", "area"]

_FEW: Final = 32
"""An image with at most this number of colours may be pixel art."""

_COUNTED: Final = 300
"""The colours of an image are counted up to this number."""

_SPECKLED: Final = 0.04
"""An image is dithered if more than this share of its pixels differ from all neighbours."""

_SAMPLE: Final = 4096
"""About this number of pixels of an image is examined."""


class Pixels(Protocol):
    """An RGBA image that is going to be converted."""

    width: int  # in pixels
    height: int
    was: str  # its original size as text, such as ``4000x3000``
    clear: int  # the number of transparent pixels
    half: int  # the number of half-transparent pixels

    @property
    def block(self) -> int:
        """The side in pixels of the one-coloured blocks of enlarged pixel art, or 1."""

    @property
    def colors(self) -> int:
        """The number of colours; counting stops at some hundreds."""

    @property
    def is_dithered(self) -> bool:
        """Whether the image has few colours and many pixels unlike all four neighbours."""

    @property
    def is_art(self) -> bool:
        """Whether the image has few colours and is not dithered."""

    def rgba(self) -> bytes:
        """Return the image as RGBA."""

    def crop_visible(self) -> Pixels:
        """Return the smallest rectangle of the image that contains all visible pixels."""

    def shrink(self, k: int) -> Pixels:
        """Shrink the image by a factor: keep the middle pixel of each block of k x k."""

    def scale(self, width: int, height: int, resampling: Resampling) -> bytes:
        """Scale the image; return the result as RGBA."""

    def sample(self, right: int, down: int) -> bytes:
        """Return some thousand pixels as RGBA, or the pixels at an offset from these pixels."""

    def points(self, width: int, height: int, max_points: int) -> bytes:
        """Return points of each square of a smaller picture, up to ``max_points`` a side: RGBA."""


class PillowPixels:
    """An image of Pillow in mode RGBA; see :class:`Pixels`."""

    def __init__(self, image: Image.Image, was: str = "") -> None:
        self._image = image
        self.width, self.height = image.size
        self.was = was or format_size(*image.size)
        alphas = image.getchannel("A").histogram()
        self.clear, self.half = alphas[0], sum(alphas[1:255])

    @functools.cached_property
    def block(self) -> int:
        """See :class:`Pixels`."""
        across, _ = self._compare_with_neighbors(1, 0).getprojection()
        _, down = self._compare_with_neighbors(0, 1).getprojection()
        edges = (i for line in (across, down) for i, edge in enumerate(line, 1) if edge)
        return math.gcd(self.width, self.height, *edges)

    @functools.cached_property
    def colors(self) -> int:
        """See :class:`Pixels`."""
        counts = self._image.getcolors(_COUNTED)
        if counts is None:
            return _COUNTED
        return len({color[:3] for _, color in counts if color[3]})  # type: ignore[index]

    @functools.cached_property
    def _has_few_colors(self) -> bool:
        return self._image.getcolors(_FEW) is not None

    @functools.cached_property
    def is_dithered(self) -> bool:
        """See :class:`Pixels`."""
        from PIL import ImageChops

        if not self._has_few_colors or min(self.width, self.height) < 3:
            return False
        across, down = self._compare_with_neighbors(1, 0), self._compare_with_neighbors(0, 1)
        size = (self.width - 2, self.height - 2)
        corners = ((across, 0, 1), (across, 1, 1), (down, 1, 0), (down, 1, 1))
        unlike_all = functools.reduce(
            ImageChops.darker,
            (part.crop((x, y, x + size[0], y + size[1])) for part, x, y in corners),
        )
        return 1 - unlike_all.histogram()[0] / (size[0] * size[1]) > _SPECKLED

    @property
    def is_art(self) -> bool:
        """See :class:`Pixels`."""
        return self._has_few_colors and not self.is_dithered

    def _compare_with_neighbors(self, right: int, down: int) -> Image.Image:
        """Return a grey image that is black where a pixel equals the pixel at an offset."""
        from PIL import ImageChops

        size = (self.width, self.height)
        moved = self._image.crop((right, down, *size))
        own = self._image.crop((0, 0, size[0] - right, size[1] - down))
        return functools.reduce(ImageChops.lighter, ImageChops.difference(own, moved).split())

    def rgba(self) -> bytes:
        """See :class:`Pixels`."""
        return self._image.tobytes()

    def crop_visible(self) -> PillowPixels:
        """See :class:`Pixels`."""
        return PillowPixels(self._image.crop(self._image.getchannel("A").getbbox()), self.was)

    def shrink(self, k: int) -> PillowPixels:
        """See :class:`Pixels`."""
        from PIL import Image as Images

        size = (self.width // k, self.height // k)
        return PillowPixels(self._image.resize(size, Images.Resampling.NEAREST), self.was)

    def scale(self, width: int, height: int, resampling: Resampling = "auto") -> bytes:
        """See :class:`Pixels`."""
        from PIL import Image as Images

        if resampling == "nearest":
            return self._image.resize((width, height), Images.Resampling.NEAREST).tobytes()
        filters = {"auto": Images.Resampling.LANCZOS, "area": Images.Resampling.BOX}
        small = self._average((width, height), filters[resampling])
        # Average the transparency, too: so an outline lies where half of a square is covered.
        alphas = self._image.getchannel("A").resize((width, height), Images.Resampling.LANCZOS)
        small.putalpha(alphas)
        return small.tobytes()

    def _average(self, size: tuple[int, int], filter_: Image.Resampling) -> Image.Image:
        """Scale premultiplied colours, so that colours of transparent pixels do not bleed in."""
        return self._image.convert("RGBa").resize(size, filter_).convert("RGBA")

    def sample(self, right: int, down: int) -> bytes:
        """See :class:`Pixels`."""
        from PIL import Image as Images

        image = self._image
        scale = min(1.0, math.sqrt(_SAMPLE / (self.width * self.height)))
        size = (max(1, round(scale * self.width)), max(1, round(scale * self.height)))
        if right < self.width and down < self.height and (right or down):
            moved = image.crop((right, down, *image.size))
            image = image.copy()  # the last column and row are their own neighbours
            image.paste(moved)
        return image.resize(size, Images.Resampling.NEAREST).tobytes()

    def points(self, width: int, height: int, max_points: int) -> bytes:
        """See :class:`Pixels`."""
        from PIL import Image as Images

        across = min(max_points, -(-self.width // width))
        sampled_size = (across * width, across * height)
        if self.width > 2 * sampled_size[0]:
            return self._average(sampled_size, Images.Resampling.BOX).tobytes()
        return self._image.resize(sampled_size, Images.Resampling.NEAREST).tobytes()


def fit_size(size: tuple[int, int], fit: tuple[int, int]) -> tuple[int, int]:
    """Return the largest size with the same proportions that fits into a box.

    >>> fit_size((300, 200), (48, 48)), fit_size((9, 9), (48, 48))
    ((48, 32), (9, 9))
    """
    scale = min(1.0, fit[0] / size[0], fit[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
