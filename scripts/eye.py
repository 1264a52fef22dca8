"""Measure how far a small picture of few colours looks from its image.

Both are blurred by 0.6 squares, as if seen from a distance at which squares blend, and compared in
OKLab. Its colour axes are stretched, after S-CIELAB's channels (Zhang and Wandell 1996). Other
brightness and slightly other contrast or colour are no faults: the contrast of the image is
stretched, and the picture's lightness and colour are fitted to it within 30 %. The distance adds:

- *tone*: the mean difference. Rare colours count more than their share, so that an eye or a flag
  without its hue is noticed;
- *lost edges*: gradients of the image that the picture lacks;
- *false edges*: gradients that only the picture has, with a quarter of the weight.

Strokes thinner than a square on an even ground are first widened to nearly a square: a pale line
counts as a lost line.
"""

import math
from typing import Any, Final

import numpy as np
from PIL import Image

_FINE: Final = 4
"""Points per side of a square; the picture and the image are compared at each point."""
_BLUR: Final = 0.6  # the standard deviation, in squares
_REACH: Final = math.ceil(2.5 * _BLUR * _FINE)  # the radius of the blur, in points
_HUE: Final = 1.8  # the factor by which the colour axes of OKLab are stretched
_GAIN: Final = 1.3  # the largest factor by which contrast or colour is fitted
_FALSE: Final = 0.25  # the weight of false edges
_OVER: Final = 1.5
"""The part of an edge above this multiple of its strength in the image counts as false."""
_CELL: Final = 0.08  # the side of the cells of OKLab by which rare colours are found
_TEXTURE: Final = 0.2
"""If thin strokes cover more than this part of an image, they are a texture, and stay thin."""


class Eye:
    """Compares an RGB image with pictures of one size that were made from it."""

    def __init__(self, image: Image.Image, size: tuple[int, int]) -> None:
        large = (_FINE * size[0], _FINE * size[1])
        shrinks = image.width > large[0]
        how = Image.Resampling.BOX if shrinks else Image.Resampling.BICUBIC
        pixels = np.asarray(image.resize(large, how)).astype(float)
        pixels = _widen_strokes(image, large, pixels)
        low = np.quantile(pixels.min(axis=2), 0.01)
        high = np.quantile(pixels.max(axis=2), 0.99)
        gain = min(3.0, 255 / max(high - low, 1))
        points = _convert_to_oklab(np.clip((pixels - low) * gain, 0, 255))
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
        self._edges = _compute_gradients(self._seen)
        self._strength = np.maximum(np.sqrt((self._edges**2).sum(axis=2)), 1e-9)

    def distance(self, picture: Image.Image) -> float:
        """Return the distance of an RGB picture from the image: 0 if equal, 2 if it is empty."""
        squares = _convert_to_oklab(np.asarray(picture).astype(float))
        framed = self._frame.copy()  # the picture gets the same surroundings as the image
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
        edges, strength = _compute_gradients(fitted), self._strength
        along = np.clip((edges * self._edges).sum(axis=2) / strength, 0, None)
        total = max(float(strength.sum()), 1e-3)
        lost = np.clip(strength - along, 0, None).sum() / total
        kept = np.clip(along / strength, 0, _OVER)[..., None] * self._edges
        false = np.sqrt(((edges - kept) ** 2).sum(axis=2)).sum() / total
        return tone + float(lost) + _FALSE * float(false)


def _convert_to_oklab(pixels: Any) -> Any:
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


def _compute_gradients(values: Any) -> Any:
    return np.concatenate([np.diff(values, axis=0)[:, :-1], np.diff(values, axis=1)[:-1]], axis=2)


def _blur(values: Any) -> Any:
    """Blur a padded array by a Gaussian along its first two axes; return it without the padding."""
    deviation = _BLUR * _FINE
    kernel = np.exp(-0.5 * (np.arange(-_REACH, _REACH + 1) / deviation) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        long = values.shape[axis] - 2 * _REACH
        parts = (values.take(range(n, n + long), axis=axis) for n in range(len(kernel)))
        values = sum(weight * part for weight, part in zip(kernel, parts, strict=True))
    return values


def _widen_strokes(image: Image.Image, size: tuple[int, int], pixels: Any) -> Any:
    """Return an image's pixels; widen thin strokes on an even ground to nearly a square."""
    codes = np.asarray(image.convert("RGB")).reshape(-1, 3)
    colors, counts = np.unique(codes[:: max(1, len(codes) // 4096)], axis=0, return_counts=True)
    ground = colors[counts.argmax()].astype(float)
    if counts.max() < 0.5 * counts.sum():
        return pixels
    times = max(1, min(8, -(-image.width // size[0])))
    large = image.resize((times * size[0], times * size[1]), Image.Resampling.NEAREST)
    blocks = np.asarray(large).astype(float).reshape(size[1], times, size[0], times, 3)
    blocks = blocks.swapaxes(1, 2).reshape(size[1], size[0], times * times, 3)

    def pick_farthest_color(parts: Any) -> Any:
        index = np.abs(parts - ground).max(axis=3).argmax(axis=2)
        return np.take_along_axis(parts, index[..., None, None], 2)[:, :, 0]

    def stack_neighbors(values: Any) -> Any:
        padded = np.pad(values, [(1, 1), (1, 1)] + [(0, 0)] * (values.ndim - 2), mode="edge")
        rows, columns = values.shape[:2]
        parts = [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
        return np.stack(parts, axis=2)

    ink = pick_farthest_color(blocks)
    far = np.abs(ink - ground).max(axis=2)
    solid = stack_neighbors(stack_neighbors(far).min(axis=2)).max(axis=2)
    thin = (far > 24) & (solid < 0.5 * far)
    if thin.mean() > _TEXTURE:
        return pixels
    wide = pick_farthest_color(
        np.where(stack_neighbors(thin)[..., None], stack_neighbors(ink), ground)
    )
    return np.where((stack_neighbors(thin).any(axis=2) & (solid < 24))[..., None], wide, pixels)
