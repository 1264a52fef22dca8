"""How far a small picture of few colours is from its image, as an eye sees it.

Both are seen from a distance at which squares blend (a blur of 0.6 squares), in
OKLab with hues stretched as in S-CIELAB's idea of channels (Zhang and Wandell 1996). What is no
fault: other brightness, a little more or less contrast and colour. So contrast of the image is
stretched first, and lightness and colour of the picture are fitted to it within 30 %. What is one:

- *tone*: the mean difference, in which rare colours count more than their share, so that an eye
  or a flag that has lost its hue is noticed;
- *lost edges*: gradients of the image that the picture lacks;
- *false edges*: what it has instead, a quarter as bad.

Strokes thinner than a square on an even ground count as if they were a square wide: a pale
line is a lost line.
"""

import math
from typing import Any, Final

import numpy as np
from PIL import Image

_FINE: Final = 4
"""Points across a square at which both are compared."""
_BLUR: Final = 0.6
_REACH: Final = math.ceil(2.5 * _BLUR * _FINE)
_HUE: Final = 1.8
_GAIN: Final = 1.3
_FALSE: Final = 0.25
_OVER: Final = 1.5
"""An edge may be so many times as strong as in the image before it counts as false."""
_CELL: Final = 0.08
_TEXTURE: Final = 0.2
"""Where more of an image is thin strokes these are a texture, such as dither, and mix."""


class Eye:
    """Looks at an RGB image, and then at pictures of some size that were made of it."""

    def __init__(self, image: Image.Image, size: tuple[int, int]) -> None:
        large = (_FINE * size[0], _FINE * size[1])
        shrinks = image.width > large[0]
        how = Image.Resampling.BOX if shrinks else Image.Resampling.BICUBIC
        pixels = np.asarray(image.resize(large, how)).astype(float)
        pixels = _widen_strokes(image, large, pixels)
        low = np.quantile(pixels.min(axis=2), 0.01)
        high = np.quantile(pixels.max(axis=2), 0.99)
        gain = min(3.0, 255 / max(high - low, 1))
        points = _points(np.clip((pixels - low) * gain, 0, 255))
        self._frame = np.pad(points, [(_REACH, _REACH), (_REACH, _REACH), (0, 0)], mode="edge")
        self._seen = _blur(self._frame)
        cells = np.floor(self._seen.reshape(-1, 3) / _CELL).astype(int) + 50
        _, which, counts = np.unique(
            cells @ [1, 1000, 1000000], return_inverse=True, return_counts=True
        )
        weights = (1 / np.sqrt(counts))[which].reshape(large[::-1])
        self._weights = weights / weights.sum()
        middle = (self._weights[..., None] * self._seen).sum(axis=(0, 1))
        spread = (self._weights * ((self._seen - middle) ** 2).sum(axis=2)).sum()
        self._spread = max(float(np.sqrt(spread)), 0.02)
        self._edges = _gradients(self._seen)
        self._strength = np.maximum(np.sqrt((self._edges**2).sum(axis=2)), 1e-9)

    def distance(self, picture: Image.Image) -> float:
        """Return how far an RGB picture is from the image; 0 is the same, 2 an empty one."""
        squares = _points(np.asarray(picture).astype(float))
        framed = self._frame.copy()  # both lie in the same surroundings: those of the image
        framed[_REACH:-_REACH, _REACH:-_REACH] = squares.repeat(_FINE, axis=0).repeat(_FINE, axis=1)
        seen = _blur(framed)
        weights = self._weights
        fitted = seen.copy()
        own, wanted = seen[..., 0], self._seen[..., 0]
        own_mean, wanted_mean = (weights * own).sum(), (weights * wanted).sum()
        both = (weights * (own - own_mean) * (wanted - wanted_mean)).sum()
        gain = both / max((weights * (own - own_mean) ** 2).sum(), 1e-9)
        fitted[..., 0] = (own - own_mean) * np.clip(gain, 1 / _GAIN, _GAIN) + wanted_mean
        own, wanted = seen[..., 1:], self._seen[..., 1:]
        weight = weights[..., None]
        gain = (weight * own * wanted).sum() / max((weight * own**2).sum(), 1e-9)
        fitted[..., 1:] = own * np.clip(gain, 1 / _GAIN, _GAIN)
        off = (weights * ((fitted - self._seen) ** 2).sum(axis=2)).sum()
        tone = float(np.sqrt(off)) / self._spread
        edges, strength = _gradients(fitted), self._strength
        along = np.clip((edges * self._edges).sum(axis=2) / strength, 0, None)
        total = max(float(strength.sum()), 1e-3)
        lost = np.clip(strength - along, 0, None).sum() / total
        kept = np.clip(along / strength, 0, _OVER)[..., None] * self._edges
        false = np.sqrt(((edges - kept) ** 2).sum(axis=2)).sum() / total
        return tone + float(lost) + _FALSE * float(false)


def _points(pixels: Any) -> Any:
    linear = pixels / 255
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    cones = linear @ np.array(
        [
            [0.4122214708, 0.2119034982, 0.0883024619],
            [0.5363325363, 0.6806995451, 0.2817188376],
            [0.0514459929, 0.1073969566, 0.6299787005],
        ]
    )
    points = np.cbrt(cones) @ np.array(
        [
            [0.2104542553, 1.9779984951, 0.0259040371],
            [0.7936177850, -2.4285922050, 0.7827717662],
            [-0.0040720468, 0.4505937099, -0.8086757660],
        ]
    )
    return points * [1, _HUE, _HUE]


def _gradients(values: Any) -> Any:
    return np.concatenate([np.diff(values, axis=0)[:, :-1], np.diff(values, axis=1)[:-1]], axis=2)


def _blur(values: Any) -> Any:
    """Return a framed array under a Gaussian over its first two axes, without its frame."""
    deviation = _BLUR * _FINE
    kernel = np.exp(-0.5 * (np.arange(-_REACH, _REACH + 1) / deviation) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        long = values.shape[axis] - 2 * _REACH
        parts = (values.take(range(n, n + long), axis=axis) for n in range(len(kernel)))
        values = sum(weight * part for weight, part in zip(kernel, parts, strict=True))
    return values


def _widen_strokes(image: Image.Image, size: tuple[int, int], pixels: Any) -> Any:
    """Return an image's pixels with thin strokes on an even ground nearly a square wide."""
    codes = np.asarray(image.convert("RGB")).reshape(-1, 3)
    colors, counts = np.unique(codes[:: max(1, len(codes) // 4096)], axis=0, return_counts=True)
    ground = colors[counts.argmax()].astype(float)
    if counts.max() < 0.5 * counts.sum():
        return pixels
    times = max(1, min(8, -(-image.width // size[0])))
    large = image.resize((times * size[0], times * size[1]), Image.Resampling.NEAREST)
    blocks = np.asarray(large).astype(float).reshape(size[1], times, size[0], times, 3)
    blocks = blocks.swapaxes(1, 2).reshape(size[1], size[0], times * times, 3)

    def farthest(parts: Any) -> Any:
        index = np.abs(parts - ground).max(axis=3).argmax(axis=2)
        return np.take_along_axis(parts, index[..., None, None], 2)[:, :, 0]

    def around(values: Any) -> Any:
        padded = np.pad(values, [(1, 1), (1, 1)] + [(0, 0)] * (values.ndim - 2), mode="edge")
        rows, columns = values.shape[:2]
        parts = [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
        return np.stack(parts, axis=2)

    ink = farthest(blocks)
    far = np.abs(ink - ground).max(axis=2)
    solid = around(around(far).min(axis=2)).max(axis=2)
    thin = (far > 24) & (solid < 0.5 * far)
    if thin.mean() > _TEXTURE:
        return pixels
    wide = farthest(np.where(around(thin)[..., None], around(ink), ground))
    return np.where((around(thin).any(axis=2) & (solid < 24))[..., None], wide, pixels)
