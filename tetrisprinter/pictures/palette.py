"""Choosing few colours that stand for many.

A palette is found by weighted k-means in OKLab (Ottosson 2020), where equal distances
look about equally large. The start is deterministic: the most frequent colour, then again
and again the one whose distance to what is chosen, weighted by its frequency, is largest.
In the end each centre is replaced by the colour of the picture that is nearest to it, or by one
that much of its group has, so a palette never contains a colour that the picture does not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "FINE",
    "codes",
    "distinct",
    "error",
    "nearest",
    "number_needed",
    "oklab",
    "reduced",
    "without_specks",
]

_ROUNDS: Final = 60

FINE: Final = 0.03
"""A distance in OKLab (root of the mean square) that is hardly seen."""

_SHARE: Final = 0.07
"""Which share of a photograph's distance to one single colour may be left."""

_USUAL: Final = 0.2
"""Which share of a group one colour has that is preferred to the one in the middle."""


def reduced(
    colors: NDArray[np.uint8],
    counts: NDArray[np.int64],
    size: int,
    fixed: bytes | None = None,
    start: NDArray[np.uint8] | None = None,
) -> NDArray[np.uint8]:
    """Return a palette for a picture.

    Parameters
    ----------
    colors : array of shape (n, 3)
        The distinct colours of the picture.
    counts : array of shape (n,)
        How many pixels have each.
    size : int
        How many colours to choose, at most ``n``.
    fixed : bytes, optional
        A colour (three bytes) that is in the palette anyway, as its last entry, and is not
        counted: what is nearest to it is left to it.
    start : array of shape (size, 3), optional
        Where the search begins; by default with colours that are frequent and far apart.

    Returns
    -------
    array of shape (size, 3), or (size + 1, 3) with a fixed colour

    Examples
    --------
    >>> import numpy as np
    >>> many = np.array([[250, 0, 0], [255, 0, 0], [0, 0, 255]], np.uint8)
    >>> reduced(many, np.array([5, 4, 2]), 2).tolist()
    [[250, 0, 0], [0, 0, 255]]
    """
    import numpy as np

    points = oklab(colors)
    centres = np.empty((0, 3))
    anchor = np.empty((0, 3))
    distance = np.full(len(points), np.inf)
    if fixed is not None:
        anchor = oklab(np.frombuffer(fixed, np.uint8).reshape(1, 3))
        distance = _squared(points, anchor)[:, 0]
    if start is not None:
        centres = oklab(start)
    for _ in range(size - len(centres)):
        score = counts * np.where(np.isinf(distance), 1.0, distance)
        centres = np.vstack([centres, points[int(np.argmax(score))]])
        distance = np.minimum(distance, _squared(points, centres[-1:])[:, 0])
    owner = np.full(len(points), -1)
    for _ in range(_ROUNDS):
        before = owner
        owner = np.argmin(_squared(points, np.vstack([centres, anchor])), axis=1)
        if np.array_equal(owner, before):
            break
        for index in range(size):
            mine = owner == index
            if mine.any():
                centres[index] = np.average(points[mine], axis=0, weights=counts[mine])
    chosen = np.argmin(_squared(centres, points), axis=1)
    for index in range(size):
        # A drawing has its colours in large patches, with mixtures along their edges.
        mine = np.where(owner == index, counts, 0)
        if mine.max() > _USUAL * mine.sum():
            chosen[index] = int(np.argmax(mine))
    palette: NDArray[np.uint8] = colors[chosen]
    if fixed is not None:
        palette = np.vstack([palette, np.frombuffer(fixed, np.uint8).reshape(1, 3)])
    return palette


def number_needed(
    colors: NDArray[np.uint8],
    counts: NDArray[np.int64],
    most: int,
    fixed: bytes | None = None,
) -> int:
    """Return how many colours do for a picture: the least number that leaves little error.

    Parameters
    ----------
    colors, counts, fixed
        As for :func:`reduced`.
    most : int
        The answer is at most this.

    Examples
    --------
    >>> import numpy as np
    >>> many = np.array([[250, 0, 0], [255, 0, 0], [0, 0, 255]], np.uint8)
    >>> number_needed(many, np.array([5, 4, 2]), 3)
    2
    """
    one = error(colors, counts, reduced(colors, counts, 1))
    bound = max(FINE, _SHARE * one)
    for number in range(1, min(most, len(colors)) + 1):
        if error(colors, counts, reduced(colors, counts, number, fixed)) <= bound:
            return number
    return min(most, len(colors))


def error(
    colors: NDArray[np.uint8], counts: NDArray[np.int64], palette: NDArray[np.uint8]
) -> float:
    """Return how far colours are from those of a palette: root of the mean square in OKLab."""
    import numpy as np

    squares = _squared(oklab(colors), oklab(palette)).min(axis=1)
    return float(np.sqrt(np.average(squares, weights=counts)))


def nearest(colors: NDArray[np.uint8], palette: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return for each colour the index of the palette entry that looks most like it."""
    import numpy as np

    flat = colors.reshape(-1, 3)
    _, first, which = np.unique(codes(flat), return_index=True, return_inverse=True)
    distinct = flat[first]
    found: NDArray[np.int64] = np.argmin(_squared(oklab(distinct), oklab(palette)), axis=1)
    return found[which.reshape(-1)]


def codes(colors: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return colours, of shape (n, 3), as numbers: sorting these is fast."""
    import numpy as np

    numbers: NDArray[np.int64] = colors.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    return numbers


def distinct(colors: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the colours that occur, of shape (n, 3), and how often each does.

    >>> import numpy as np
    >>> found, counts = distinct(np.array([[9, 0, 0], [1, 2, 3], [9, 0, 0]], np.uint8))
    >>> found.tolist(), counts.tolist()
    ([[1, 2, 3], [9, 0, 0]], [1, 2])
    """
    import numpy as np

    flat = colors.reshape(-1, 3)
    _, first, counts = np.unique(codes(flat), return_index=True, return_counts=True)
    return flat[first], counts


def without_specks(index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a grid of numbers in which no cell stands alone among others that agree.

    >>> import numpy as np
    >>> without_specks(np.array([[1, 1, 1], [1, 2, 1], [1, 1, 3]])).tolist()
    [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    """
    import numpy as np

    padded = np.pad(index, 1, constant_values=-1)
    sides = np.stack([padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]])
    there = sides >= 0
    one = np.where(there[0], sides[0], sides[1])
    alone = (sides != index).all(axis=0)
    agree = ((sides == one) | ~there).all(axis=0)
    return np.where(alone & agree, one, index)


def _squared(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    # One coordinate after the other: an array of all differences would be three times as large.
    squared = np.zeros((len(a), len(b)))
    for axis in range(3):
        difference = np.subtract.outer(a[:, axis], b[:, axis])
        squared += np.square(difference, out=difference)
    return squared


def oklab(colors: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return colours, of shape (n, 3), as points of OKLab."""
    import numpy as np

    srgb = np.arange(256) / 255
    light = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = light[colors]
    to_cone = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    to_lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    lab: NDArray[np.float64] = np.cbrt(linear @ to_cone.T) @ to_lab.T
    return lab
