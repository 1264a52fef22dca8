"""How far a small picture of few colours is from the image it was made of, as an eye sees it.

All of it is measured in OKLab (Ottosson 2020), where equal distances look about equally large.
From afar an eye sees neither single pixels nor the borders of squares, so both images are
blurred, by about a square; what is left differs in *tone*, the root of a mean of squares, and in
*structure*, where a line is lost or one is there that was not: the structural similarity of
Wang, Bovik, Sheikh and Simoncelli (2004) in the lightness. From near it sees the colour of each
square, which is *strange* if the image has nothing like it there: along the edge of a red patch on
white nothing is pink. The distance is the sum of the three.

What is transparent has no colour: colours are weighted with their opacity, which is a
coordinate of its own.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.pictures.palette import oklab

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

__all__ = ["Eye", "blurred", "mixed", "points"]

_FINE: Final = 4
"""Points across a square at which both images are compared from afar."""

_NEAR: Final = 6
"""Points across a square among which its colour is looked for."""

_THERE: Final = 6
"""So many of these must be like it."""

_BLUR: Final = 0.6
"""Standard deviation of the blur, in squares."""

_CLEAR: Final = 0.7
"""How far nothing is from something of the same lightness: about as far as a field is."""

_STRUCTURE: Final = 0.12
"""How far in tone a picture would be from its image that is as bad as one without structure."""

_STRANGE: Final = 1.4
"""How much more a wrong colour counts from near: there is nothing else to look at."""

_QUIET: Final = 0.03
"""A contrast in lightness that is hardly seen, which steadies the quotient."""


_LOOKED_AT: Final = 640
"""Pixels of the long side among which ink is looked for."""

_GROUND: Final = 0.06
"""Up to here a colour counts as that of the ground."""

_HARDLY: Final = 0.02
"""And up to here a square is not told from it."""


class Eye:
    """Looks at an image, and then at pictures that were made of it.

    Parameters
    ----------
    image : PIL.Image.Image
        In mode RGBA.
    size : (int, int)
        Columns and rows of the pictures.

    Examples
    --------
    >>> import numpy as np
    >>> from PIL import Image
    >>> image = Image.new("RGBA", (40, 40), "white")
    >>> image.paste("black", (20, 0, 40, 40))
    >>> eye, opaque = Eye(image, (2, 2)), np.ones((2, 2), bool)
    >>> same = np.array([[[255] * 3, [0] * 3]] * 2, np.uint8)
    >>> eye.distance(same, opaque) < 0.001 < 0.3 < eye.distance(255 - same, opaque)
    True
    """

    def __init__(self, image: Image.Image, size: tuple[int, int]) -> None:
        import numpy as np

        self._image = image
        large = (_FINE * size[0], _FINE * size[1])
        self._seen = blurred(mixed(image, large), _BLUR * _FINE)
        near = mixed(image, (_NEAR * size[0], _NEAR * size[1])).astype(np.float32)
        near = near.reshape(size[1], _NEAR, size[0], _NEAR, 4).swapaxes(1, 2)
        self._inside = near.reshape(size[1], size[0], _NEAR * _NEAR, 4)
        self._light = self._seen[..., 0]
        self._spread = _moments(self._light, self._light)

    def distance(self, rgb: NDArray[np.uint8], opaque: NDArray[np.bool_]) -> float:
        """Return how far a picture is from the image; 0 is the same, 1 as black from white.

        Parameters
        ----------
        rgb : array of shape (rows, columns, 3)
            Its colours, top row first.
        opaque : array of shape (rows, columns)
            Where it has any.
        """
        import numpy as np

        squares = points(rgb, opaque)
        sharp = squares.repeat(_FINE, axis=0).repeat(_FINE, axis=1)
        other = blurred(sharp, _BLUR * _FINE)
        tone = float(np.sqrt(((other - self._seen) ** 2).sum(axis=2).mean()))
        light = other[..., 0]
        steady = _QUIET**2
        both, own = _moments(self._light, light), _moments(light, light)
        alike = (2 * both + steady) / (self._spread + own + steady)
        apart = ((self._inside - squares[:, :, None].astype(np.float32)) ** 2).sum(axis=3)
        apart.partition(_THERE - 1, axis=2)
        strange = float(np.sqrt(apart[:, :, _THERE - 1]).mean())
        return tone + _STRUCTURE * float(1 - alike.mean()) + _STRANGE * strange

    def kept(self, rgb: NDArray[np.uint8], opaque: NDArray[np.bool_]) -> float:
        """Return how much of what is drawn on a ground is left, from 0 to 1.

        The ground is the colour of at least half of the image; without one nothing is drawn on
        it, and all of it is left. What differs from the ground is ink, the more the farther.
        """
        import numpy as np

        ground, ink = self._ink
        if ink is None:
            return 1.0
        drawn = np.sqrt(((points(rgb, opaque) - ground) ** 2).sum(axis=2))
        drawn = np.where(drawn > _HARDLY, drawn, 0)
        return float(np.minimum(drawn, ink).sum() / ink.sum())

    @functools.cached_property
    def _ink(self) -> tuple[Any, Any]:
        """The ground as a point, and how much ink each square has; None if there is none."""
        import numpy as np
        from PIL import Image as Images

        step = -(-max(self._image.size) // _LOOKED_AT)
        pixels = np.ascontiguousarray(np.asarray(self._image)[step // 2 :: step, step // 2 :: step])
        shape = pixels.shape[:2]
        seen = points(pixels[..., :3], pixels[..., 3] >= 128).reshape(-1, 4)
        cubes = np.round(seen * 16).astype(np.int64) @ np.array([1, 64, 64**2, 64**3])
        _, which, counts = np.unique(cubes, return_inverse=True, return_counts=True)
        ground = np.median(seen[which.reshape(-1) == int(np.argmax(counts))], axis=0)
        far = np.sqrt(((seen - ground) ** 2).sum(axis=1))
        if (far <= _GROUND).mean() < 0.5 or far.max() <= _GROUND:
            return ground, None
        ink = np.where(far > _GROUND, far, 0).astype(np.float32).reshape(shape)
        rows, columns = self._light.shape
        size = (columns // _FINE, rows // _FINE)
        small = Images.fromarray(ink).resize(size, Images.Resampling.BOX)
        return ground, np.asarray(small, dtype=np.float64)


def points(rgb: NDArray[np.uint8], opaque: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return colours as points of four coordinates: OKLab and opacity, nothing being 0."""
    import numpy as np

    lab = oklab(rgb.reshape(-1, 3)).reshape(rgb.shape) * opaque[..., None]
    return np.dstack([lab, _CLEAR * opaque])


def mixed(image: Image.Image, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return an image in another size as points, its colours averaged where it becomes smaller."""
    import numpy as np
    from PIL import Image as Images

    how = Images.Resampling.BOX
    small = np.asarray(image.convert("RGBa").resize(size, how).convert("RGBA"))
    share = small[..., 3:] / 255
    lab = oklab(small[..., :3].reshape(-1, 3)).reshape(*small.shape[:2], 3)
    return np.dstack([lab * share, _CLEAR * share])


def _moments(a: Any, b: Any) -> Any:
    """Return the local covariance of two images in lightness."""
    far = 1.5 * _BLUR * _FINE
    return blurred(a * b, far) - blurred(a, far) * blurred(b, far)


def blurred(values: Any, deviation: float) -> Any:
    """Return an array under a Gaussian over its first two axes, its edges repeated."""
    import numpy as np

    reach = int(np.ceil(2.5 * deviation))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        around: Any = [(reach, reach) if n == axis else (0, 0) for n in range(values.ndim)]
        padded = np.pad(values, around, mode="edge")
        long = values.shape[axis]
        total = np.zeros_like(values, dtype=np.float64)
        for at, weight in enumerate(kernel):
            cut: Any = [slice(None)] * values.ndim
            cut[axis] = slice(at, at + long)
            total += weight * padded[tuple(cut)]
        values = total
    return values
