"""Remove the traces of lossy compression from drawings in few colours.

A sprite that was saved as JPEG or WebP has hundreds of colours where it had three. Its true colours
are the peaks of the histogram. Both formats keep the luma of each pixel but only one chroma for
2 x 2 pixels, which decoders interpolate; so each pixel gets the colour that predicts best what was
decoded. The result counts only if it predicts nearly all pixels: that of a photo does not.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[Any]

_MOST_PIXELS: Final = 640_000
"""An image with more pixels is not cleaned: it is averaged when it is scaled down."""
_FEW: Final = 32  # an image with at most this number of colours has little noise
_ALIKE: Final = (4.0, 6.0, 6.0)
"""Colours that differ by less, in luma and two chromas (of 255), look the same, even near black."""
_ALIKE_BLOCKS: Final = (9.0, 12.0, 12.0)
"""The same for the medians of blocks of at least this side, in which little noise is left."""
_SURE_BLOCK: Final = 4
_NOISY: Final = 0.002  # the least share of pixels with noise in an image that was compressed
_SLIGHT: Final = 10  # the most difference in a channel between slightly different pixels
_MOST: Final = 10  # the most colours of a drawing that is cleaned
_BIN: Final = (4.0, 6.0, 6.0)
_MOST_BINS: Final = 2000
"""An image with more different colours, counted in bins of this size, is a photo."""
_NEAR: Final = (9.0, 14.0, 14.0)  # the ellipsoid in which the pixels of a peak are counted
_FAR: Final = (24.0, 36.0, 36.0)
_FACTORS: Final = (1.0, 0.5, 0.3)
"""The ellipsoid, and factors of its size, in which there is one peak."""
_FLAT_SHARE: Final = 0.3  # a colour with a smaller share of flat pixels may be a mixture of chromas
_SMALL: Final = 6_400
"""An image with more pixels has flat patches, from which its colours are known."""
_PATCHES: Final = 0.5
_TIGHT: Final = 0.88
"""The least share of pixels in flat patches, and of those among them that are near a peak."""
_RIM: Final = 0.03  # a mixture of two colours with at most this share of the patches is their edge
_REACH: Final = 4  # a pixel outside patches gets the colour of a patch at most this far away
_LEAST: Final = 0.004  # the least share of pixels of a peak
_CHROMA: Final = 0.35  # the weight of squared differences in chroma beside those in luma
_ROUNDS: Final = 3
_MEDIAN, _MOST_ERRORS = 5.5, 12.5
"""The largest median error of a drawing, and the largest error of nine in ten pixels (of 255)."""
_CERTAIN, _TINY = 5, 1_024
"""A small image with more colours and more pixels than these may as well be a small photo."""
_GRID, _SURE_GRID = 0.85, 0.98
"""The least share of edges that lie between the blocks of enlarged pixel art; with few colours."""
_EDGE: Final = 24.0  # the least difference in luma of an edge


class _Fit(NamedTuple):
    """Colours that explain an image."""

    score: float  # the logarithm of the errors, and a penalty for each colour
    peaks: _Array  # luma and two chromas of each colour
    is_halved: bool  # whether 2 x 2 pixels share their chroma
    costs: _Array  # the squared error of each colour in each opaque pixel


def remove_noise(rgba: _Array) -> _Array | None:
    """Return an image, height x width x RGBA, in its true colours; None if it keeps its colours."""
    if rgba.shape[0] * rgba.shape[1] > _MOST_PIXELS:
        return None
    noise, has_few_colors = _measure_noise(rgba), count_colors(rgba) <= _FEW
    if noise <= _NOISY and not has_few_colors:
        return None
    block = 1
    if noise:
        luma = _to_ycc(rgba[..., :3])[..., 0]
        luma[rgba[..., 3] < 128] = -255  # the outline of a sticker is an edge, what it hides is not
        block = _find_block(luma, _SURE_GRID if has_few_colors else _GRID)
    if has_few_colors and block < _SURE_BLOCK:
        return _merge_alike(rgba, _ALIKE)
    small = rgba if block == 1 else _average_blocks(rgba, block)
    cleaned: _Array | None
    if block >= _SURE_BLOCK:
        merged = _merge_alike(small, _ALIKE_BLOCKS)
        cleaned = small if merged is None else merged
    elif small.shape[0] * small.shape[1] > _SMALL:
        cleaned = _clean_patches(small)
    else:
        cleaned = _clean(small)
    if cleaned is None or count_colors(cleaned) > _FEW:
        return None
    for grey in (0, 255):  # black and white are the commonest, and the noise is cut off there
        cleaned[(np.abs(cleaned[..., :3].astype(int) - grey) <= 5).all(-1), :3] = grey
    return cleaned.repeat(block, axis=0).repeat(block, axis=1)


def count_colors(rgba: _Array) -> int:
    """Return the number of colours of an image's opaque pixels."""
    codes = rgba[rgba[..., 3] >= 128][:, :3].astype(np.int64) @ (1 << 16, 1 << 8, 1)
    return len(np.unique(codes))


def _merge_alike(rgba: _Array, limits: tuple[float, float, float]) -> _Array | None:
    """Replace each colour that looks like a commoner one; None if there is no such colour."""
    opaque = rgba[..., 3] >= 128
    colors, counts = np.unique(rgba[opaque][:, :3], axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    points, result = _to_ycc(colors), None
    kept: list[int] = []
    for k in order:
        near = [n for n in kept if (np.abs(points[k] - points[n]) < limits).all()]
        if not near:
            kept.append(k)
            continue
        result = rgba.copy() if result is None else result
        result[opaque & (rgba[..., :3] == colors[k]).all(-1), :3] = colors[near[0]]
    return result


def _measure_noise(rgba: _Array) -> float:
    """Return the share of pixels that differ slightly from both neighbours, up and down in turn."""
    steps: _Array = np.diff(rgba[..., :3].astype(np.int16), axis=1)
    before, after = steps[:, :-1], steps[:, 1:]
    waves = (before * after < 0) & (np.abs(before) <= _SLIGHT) & (np.abs(after) <= _SLIGHT)
    return float(waves.any(-1).mean()) if waves.size else 0.0


def _find_block(luma: _Array, least: float) -> int:
    """Return the side in pixels of the blocks of enlarged pixel art with noise, or 1."""
    sums = []
    for axis in (0, 1):
        steps: _Array = np.abs(np.diff(luma, axis=axis))
        sums.append((steps * (steps > _EDGE)).sum(1 - axis))
    total = sum(float(line.sum()) for line in sums)
    side = math.gcd(*luma.shape)
    for k in range(side, 1, -1):
        inside = sum(float(line[k - 1 :: k].sum()) for line in sums)
        if not side % k and max(luma.shape) >= 8 * k and inside >= least * total > 0:
            return k
    return 1


def _average_blocks(rgba: _Array, k: int) -> _Array:
    """Return the median colour of the inner pixels of each block of k x k."""
    height, width = rgba.shape[0] // k, rgba.shape[1] // k
    margin = k // 4
    blocks = rgba.reshape(height, k, width, k, 4)
    inner = blocks[:, margin : k - margin, :, margin : k - margin]
    return np.median(inner.swapaxes(1, 2).reshape(height, width, -1, 4), axis=2).astype(np.uint8)


def _clean(rgba: _Array) -> _Array | None:
    """Return an image in the colours that explain it; None if no few colours do."""
    opaque = rgba[..., 3] >= 128
    fit = _fit_colors(rgba[..., :3], opaque)
    if fit is None:
        return None
    errors = np.sqrt(fit.costs.min(0))
    if len(fit.peaks) > _CERTAIN and errors.size > _TINY:
        return None
    if np.median(errors) > _MEDIAN or np.percentile(errors, 90) > _MOST_ERRORS:
        return None
    labels, peaks, _ = _label(_to_ycc(rgba[..., :3]), fit.peaks, fit.is_halved)
    result = rgba.copy()
    result[..., :3] = _to_rgb(peaks)[labels]
    return result


def _clean_patches(rgba: _Array) -> _Array | None:
    """Return an image of flat patches in their colours; None for a photo."""
    opaque = rgba[..., 3] >= 128
    ycc = _to_ycc(rgba[..., :3])
    flat = _find_flat(ycc) & opaque
    if flat.sum() < _PATCHES * opaque.sum():
        return None
    peaks = _find_peaks(ycc[flat], np.ones(int(flat.sum()), bool), 1.0)
    if peaks is None:
        return None
    distances = np.stack([_measure(ycc, peak, _NEAR) for peak in peaks])
    if (distances.min(0)[flat] <= 0.5).mean() < _TIGHT:
        return None
    labels = distances.argmin(0)
    shares = np.bincount(labels[flat], None, len(peaks)) / flat.sum()
    kept = [k for k, share in enumerate(shares) if share > _RIM or not _is_mixed(k, peaks)]
    peaks, distances = peaks[kept], distances[kept]
    labels = distances.argmin(0)
    for k in range(len(peaks)):  # a pixel at an edge has a colour that is near
        near = flat & (labels == k)
        for axis in (0, 1):
            for _ in range(_REACH):
                near = near | np.roll(near, 1, axis) | np.roll(near, -1, axis)
        distances[k][~near] += 1e6
    luma = ycc[..., 0][opaque]
    outside = (luma < peaks[:, 0].min() - _FAR[0]) | (luma > peaks[:, 0].max() + _FAR[0])
    if outside.mean() > _LEAST:  # no mixtures of these colours: small details, such as windows
        return None
    result = rgba.copy()
    result[..., :3] = _to_rgb(peaks)[np.where(flat, labels, distances.argmin(0))]
    return result


def _is_mixed(k: int, peaks: _Array) -> bool:
    """Return whether a colour lies between two others, so that it may be their common edge."""
    for first, second in itertools.combinations(np.delete(peaks, k, 0), 2):
        line, offset = second - first, peaks[k] - first
        share = float(offset @ line) / max(1.0, float(line @ line))
        if 0 < share < 1 and np.abs(offset - share * line).max() < _NEAR[0]:
            return True
    return False


def _fit_colors(rgb: _Array, opaque: _Array) -> _Fit | None:
    """Return the colours that explain an image best; None if it has too many."""
    ycc = _to_ycc(rgb)
    flat = _find_flat(ycc)
    best: _Fit | None = None
    for factor in _FACTORS:
        peaks = _find_peaks(ycc[opaque], flat[opaque], factor)
        if peaks is None:
            continue
        for is_halved in (False, True):
            fit = _score(ycc, opaque, peaks, is_halved)
            best = fit if best is None or fit.score < best.score else best
    while best is not None and len(best.peaks) > 1:
        # Without one colour, its pixels would get the second best.
        own, errors = best.costs.argmin(0), best.costs.min(0)
        second = np.partition(best.costs, 1, axis=0)[1]
        without = [np.where(own == k, second, errors).mean() for k in range(len(best.peaks))]
        fewer = np.delete(best.peaks, int(np.argmin(without)), 0)
        fit = _score(ycc, opaque, fewer, best.is_halved)
        if fit.score >= best.score:
            break
        best = fit
    return best


def _score(ycc: _Array, opaque: _Array, peaks: _Array, is_halved: bool) -> _Fit:
    """Return how well some colours explain an image, after they have been moved to fit it."""
    _, peaks, costs = _label(ycc, peaks, is_halved)
    costs = costs[:, opaque]
    count = costs.shape[1]
    penalty = max(0.15, 6 * math.log(count + 1) / count)
    return _Fit(math.log(costs.min(0).mean() + 1.5) + penalty * len(peaks), peaks, is_halved, costs)


def _to_ycc(rgb: _Array) -> _Array:
    """Convert RGB to luma and two chromas, as JPEG does; both chromas of grey are 0."""
    r, g, b = (rgb[..., k].astype(np.float64) for k in range(3))
    y = 0.299 * r + 0.587 * g + 0.114 * b
    return np.stack([y, 0.564 * (b - y), 0.713 * (r - y)], axis=-1)


def _to_rgb(ycc: _Array) -> _Array:
    """Return the bytes of RGB nearest to luma and two chromas."""
    y, cb, cr = ycc[..., 0], ycc[..., 1], ycc[..., 2]
    rgb = np.stack([y + 1.403 * cr, y - 0.714 * cr - 0.344 * cb, y + 1.773 * cb], axis=-1)
    return np.clip(np.round(rgb), 0, 255).astype(np.uint8)


def _find_flat(ycc: _Array) -> _Array:
    """Return which pixels hardly differ from their four neighbours."""
    flat = np.ones(ycc.shape[:2], bool)
    for rows, colors in ((flat, ycc), (flat.T, ycc.swapaxes(0, 1))):  # the columns are its rows
        steps = np.abs(np.diff(colors, axis=0)).max(axis=-1) <= _SLIGHT
        rows[:-1] &= steps
        rows[1:] &= steps
    return flat


def _find_peaks(ycc: _Array, flat: _Array, factor: float) -> _Array | None:
    """Return the commonest colours that are clearly different; None for a photo."""
    places = np.floor(ycc / _BIN).astype(np.int64) + 128
    _, owners = np.unique(places @ (1 << 20, 1 << 10, 1), return_inverse=True)
    owners = owners.reshape(-1)
    size = int(owners.max()) + 1
    if size > _MOST_BINS:
        return None
    weights = 1.0 + 3.0 * flat  # pixels in flat patches are no mixtures
    left = np.bincount(owners, weights, size)
    pixel_counts, flat_counts = np.bincount(owners, None, size), np.bincount(owners, flat, size)
    sums = [np.bincount(owners, weights * ycc[:, k], size) for k in range(3)]
    means = np.stack(sums, -1) / left[:, None]
    near = _measure(means[:, None], means[None], _NEAR) <= 1
    far = np.maximum(_NEAR, factor * np.array(_FAR))
    total, peaks = left.sum(), list[_Array]()
    while len(peaks) <= _MOST:
        density = near @ left
        best = int(density.argmax())
        if density[best] < _LEAST * total:
            break
        center = means[best]
        for _ in range(_ROUNDS):  # mean shift
            shares = left * (_measure(means, center, _NEAR) <= 1)
            center = shares @ means / max(1e-9, shares.sum())
        inside = (_measure(means, center, far) <= 1) & (left > 0)
        is_flat = flat_counts[inside].sum() >= _FLAT_SHARE * pixel_counts[inside].sum()
        left[inside] = left[best] = 0
        if not peaks or is_flat or not _is_bleeding(center, peaks):
            peaks.append(center)
    return np.array(peaks) if 0 < len(peaks) <= _MOST else None


def _measure(points: _Array, center: _Array, radii: _Array | tuple[float, float, float]) -> _Array:
    """Return squared distances in units of the radii."""
    distances: _Array = (((points - center) / radii) ** 2).sum(-1)
    return distances


def _is_bleeding(color: _Array, peaks: list[_Array]) -> bool:
    """Return whether a colour is that of a peak, mixed with the chroma of another one."""
    for peak, other in itertools.permutations(peaks, 2):
        line, offset = other[1:] - peak[1:], color[1:] - peak[1:]
        length = float(line @ line)
        if abs(color[0] - peak[0]) > 16 or length < 1:
            continue
        share = float(offset @ line) / length
        if 0 < share < 1.1 and np.abs(offset - share * line).max() < 16:
            return True
    return False


def _blur_chroma(chroma: _Array) -> _Array:
    """Return the chroma that decoders show: the means of 2 x 2 pixels, interpolated."""
    for axis in (0, 1):
        values = np.moveaxis(chroma, axis, 0)
        size = len(values)
        if size % 2:
            values = np.concatenate([values, values[-1:]])
        means = (values[::2] + values[1::2]) / 2
        before = np.concatenate([means[:1], means[:-1]])
        after = np.concatenate([means[1:], means[-1:]])
        shown = np.empty_like(values)
        shown[::2], shown[1::2] = 0.75 * means + 0.25 * before, 0.75 * means + 0.25 * after
        chroma = np.moveaxis(shown[:size], 0, axis)
    return chroma


def _label(ycc: _Array, peaks: _Array, is_halved: bool) -> tuple[_Array, _Array, _Array]:
    """Return for each pixel the number of its colour, the colours, and the costs of all."""
    peaks = peaks.copy()
    scaled = ycc * (1, 0.5, 0.5)
    labels = np.stack([((scaled - p * (1, 0.5, 0.5)) ** 2).sum(-1) for p in peaks]).argmin(0)
    weights = np.array([1.0, _CHROMA, _CHROMA])
    for _ in range(_ROUNDS):
        own = peaks[labels][..., 1:]
        shown = _blur_chroma(own) if is_halved else own
        costs = []
        for p in peaks:
            moved = shown + (0.25 if is_halved else 1.0) * (p[1:] - own)
            luma = np.broadcast_to(p[0], moved.shape[:2])[..., None]
            predicted = _to_ycc(_to_rgb(np.concatenate([luma, moved], -1)))
            costs.append((weights * (ycc - predicted) ** 2).sum(-1))
        labels = np.stack(costs).argmin(0)
        for k in range(len(peaks)):
            mine = labels == k
            if mine.any():
                pure = mine & (np.abs(shown - peaks[k][1:]).max(-1) < 8)
                if pure.sum() >= 4:
                    peaks[k] = np.median(ycc[pure], axis=0)
                else:
                    peaks[k][1:] += np.clip(1.5 * (ycc[mine][:, 1:] - shown[mine]).mean(0), -12, 12)
    return labels, peaks, np.stack(costs)
