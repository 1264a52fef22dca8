"""Drawings, told from photographs, and their inks.

A logo, an emoji or a screenshot has a few colours in patches and lines; thousands more lie only
on the edges between them, where they are mixed (antialiasing), and around these (JPEG). Averaged
down to some dozen squares, such an image would be all edge. So its *inks* are looked up: the
colours of patches, where the image is *calm*, and those of lines and letters, which are no
mixture of two colours that are there. Every pixel then takes the nearest ink.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

__all__ = ["Drawing", "as_drawing"]

_LOOKED_AT: Final = 640
"""Pixels of the long side of the image that is looked at; more tells nothing new."""

_CALM: Final = 14
"""How far two neighbours' channels differ at most inside a patch."""

_NEARLY: Final = 0.997
"""Share of the calm pixels that are looked at: what is left are specks."""

_SHADES: Final = 250
"""Shades (cubes of eight steps a channel) that a drawing's patches have at most, noise included."""

_PATCHES: Final = 0.6
"""Share of the image that is calm in a drawing, at least."""

_MISSED: Final = 0.009
"""An ink counts from here on: its distance to all others times the root of its share."""

_LEAST: Final = 0.04
"""So much of a square a line must cover, at least, to be seen..."""

_END: Final = 0.4
"""... and at its end so much of what it covers of the square before."""

_ACROSS: Final = 0.5
"""What is beside a line is covered less than so much of what it covers, on one side."""

_SOLID: Final = 0.75
"""A square of which so much is covered belongs to a patch."""

_THIN: Final = 0.6
"""So much of what is drawn lies away from patches where a drawing is one in lines."""

_ROOM: Final = 0.25
"""So many of its squares are drawn on at most, or lines run together, as those of letters do."""

_ODD: Final = 0.1
"""How far from every mixture of two inks something must be to be the ink of a line."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """An image in its own few colours.

    Attributes
    ----------
    inks : array of shape (n, 3)
        Its colours.
    index : array of shape (rows, columns)
        Which of them each pixel has; n where it is transparent.
    rgb : array of shape (rows, columns, 3)
        The pixels as they were.
    """

    inks: NDArray[np.uint8]
    index: NDArray[np.int64]
    rgb: NDArray[np.uint8]

    def shares(self, size: tuple[int, int]) -> NDArray[np.float64]:
        """Return how much of each square every ink has: shape (n + 1, rows, columns).

        The last is what is transparent.
        """
        return _shares([self.index == ink for ink in range(len(self.inks) + 1)], size)

    def _mixed(self, size: tuple[int, int], ground: int) -> NDArray[np.float64]:
        """Return the same where the pixels at the edges of lines are mixed with the ground.

        A pixel is of the ink whose mixtures with the ground are nearest to it, and so much of
        it as the mixture says.
        """
        import numpy as np

        count, rgb = len(self.inks), self.rgb.astype(np.float32)
        if ground == count:
            return self.shares(size)
        back = self.inks[ground].astype(np.float32)
        nearest = np.full(self.index.shape, np.inf, np.float32)
        covered, which = np.zeros_like(nearest), np.full(self.index.shape, ground)
        for ink in range(count):
            along = self.inks[ink] - back
            if ink != ground:
                share = np.clip((rgb - back) @ along / float(along @ along), 0, 1)
                far = ((rgb - back - share[..., None] * along) ** 2).sum(axis=2)
                nearer = far < nearest
                nearest = np.where(nearer, far, nearest)
                covered, which = np.where(nearer, share, covered), np.where(nearer, ink, which)
        solid = self.index < count
        masks = [np.where(solid & (which == ink), covered, 0) for ink in range(count)]
        masks[ground] = np.where(solid, 1 - covered, 0)
        return _shares([*masks, ~solid], size)

    def in_lines(self, size: tuple[int, int]) -> NDArray[np.intp] | None:
        """Return the drawing with each line a square wide, in its own ink.

        A line thinner than a square would be pale or lost. Of the squares that it crosses side
        by side the one is taken that has most of it.

        Returns
        -------
        array of shape (rows, columns) or None
            Which ink each square has; n where it is transparent. None if the drawing has more
            patches than lines, or no room between its lines.
        """
        import numpy as np

        ground = int(np.argmax(np.bincount(self.index.reshape(-1))))
        shares = self._mixed(size, ground)
        most = np.argmax(shares, axis=0)
        drawn = 1 - shares[ground]
        away = ~(_around(drawn[None]).max(axis=0)[0] >= _SOLID)
        if drawn[away].sum() < _THIN * drawn.sum():
            return None
        _, below, _, left, _, right, _, above, _ = _around(shares)
        kept = (shares >= _LEAST) & (
            _is_line(shares, (left, right), (below, above))
            | _is_line(shares, (below, above), (left, right))
        )
        kept |= shares >= 0.5
        kept[ground] = False
        if kept.any(axis=0).mean() > _ROOM:
            return None
        lines = np.argmax(np.where(kept, shares, 0), axis=0)
        others = np.where(drawn < 0.5, ground, most)
        return np.where(kept.any(axis=0), lines, others)


def _shares(masks: list[Any], size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the mean of each mask in every square."""
    import numpy as np
    from PIL import Image

    small = [
        Image.fromarray(mask.astype(np.float32)).resize(size, Image.Resampling.BOX)
        for mask in masks
    ]
    return np.stack([np.asarray(one) for one in small]).astype(np.float64)


def _is_line(shares: Any, beside: tuple[Any, Any], along: tuple[Any, Any]) -> Any:
    """Return where a line goes that has these squares beside it, and these before and after."""
    import numpy as np

    is_most = (shares >= beside[0]) & (shares > beside[1])
    stands_out = np.minimum(*beside) < _ACROSS * shares
    is_end = (np.minimum(*along) < _LEAST) & (shares < _END * np.maximum(*along))
    return is_most & stands_out & ~is_end


def _around(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each square the shares of it and its neighbours, row by row: shape (9, ...)."""
    import numpy as np

    rows, columns = shares.shape[1:]
    padded = np.pad(shares, ((0, 0), (1, 1), (1, 1)))
    return np.stack([padded[:, y : y + rows, x : x + columns] for y in range(3) for x in range(3)])


def as_drawing(image: Image.Image, most: int, *, flat: bool = False) -> Drawing | None:
    """Return an image as a drawing of few inks; None if it is none.

    Parameters
    ----------
    image : PIL.Image.Image
        In mode RGBA.
    most : int
        So many inks it may have.
    flat : bool
        Whether it is known to be one: pixel art, of which no colour need be mixed.

    Examples
    --------
    >>> from PIL import Image, ImageDraw
    >>> disc = Image.new("RGB", (400, 400), "white")
    >>> ImageDraw.Draw(disc).ellipse((40, 40, 360, 360), "red")
    >>> smooth = disc.resize((99, 99), Image.Resampling.BOX).convert("RGBA")
    >>> len(smooth.getcolors()), len(as_drawing(smooth, 3).inks)
    (29, 2)
    """
    import numpy as np

    from tetrisprinter.pictures.palette import FINE, distinct, error, nearest, reduced

    step = -(-max(image.size) // _LOOKED_AT)
    pixels = np.ascontiguousarray(np.asarray(image)[step // 2 :: step, step // 2 :: step])
    rgb, opaque = pixels[..., :3], pixels[..., 3] >= 128
    if not opaque.any():
        return None
    inks, counts = distinct(rgb[opaque])
    if len(inks) > most:
        calm = opaque & _is_calm(np.where(opaque[..., None], rgb, 0))
        enough = calm.sum() >= _PATCHES * opaque.sum()
        colors, often = _main_colors(rgb[calm]) if enough else (inks[:0], counts[:0])
        if (
            0 < len(colors) <= _SHADES
            and error(colors, often, reduced(colors, often, min(most, len(colors)))) <= FINE
        ):
            lines, rough = _main_colors(rgb[opaque & ~calm])
            inks = _inks(np.vstack([colors, lines]), often, rough, most)
        elif flat:
            inks = reduced(inks, counts, most)
        else:
            return None
    index = nearest(rgb.reshape(-1, 3), inks).reshape(opaque.shape)
    return Drawing(inks, np.where(opaque, index, len(inks)), rgb)


def _inks(colors: Any, calm: Any, rough: Any, most: int) -> Any:
    """Choose inks: again and again the colour that is missed most.

    Parameters
    ----------
    colors : array of shape (m + n, 3)
        Those of patches, then those of lines and edges.
    calm, rough : arrays of shape (m,) and (n,)
        How many pixels have each.
    """
    import numpy as np

    from tetrisprinter.pictures.palette import oklab, reduced

    points = oklab(colors)
    counts = np.concatenate([calm, rough])
    share = counts / counts.sum()
    chosen = [int(np.argmax(calm))]
    # A colour of a patch is no mixture, whatever it looks like; one of an edge is.
    missed = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < most:
        gain = share * missed
        best = int(np.argmax(gain))
        if gain[best] <= _MISSED**2:
            break
        patch = len(calm)
        missed[:patch] = np.minimum(
            missed[:patch], ((points[:patch] - points[best]) ** 2).sum(axis=1)
        )
        for other in chosen:
            apart = _from_line(points[patch:], points[other], points[best])
            missed[patch:] = np.minimum(missed[patch:], apart)
        missed[patch:][missed[patch:] < _ODD**2] = 0
        chosen.append(best)
    # Patches in many shades want their middle; mixtures have no say in it.
    weights = np.concatenate([calm, np.zeros_like(rough)])
    weights[chosen] = np.maximum(weights[chosen], counts[chosen])
    return reduced(colors, weights, len(chosen), start=colors[chosen])


def _from_line(points: Any, a: Any, b: Any) -> Any:
    """Return the squared distances of points from the line between two others."""
    import numpy as np

    along = b - a
    share = np.clip((points - a) @ along / max(float(along @ along), 1e-12), 0, 1)
    return ((points - a - share[:, None] * along) ** 2).sum(axis=1)


def _main_colors(rgb: Any) -> tuple[Any, Any]:
    """Return the colours that make up nearly all of the pixels, one for each small cube."""
    import numpy as np

    from tetrisprinter.pictures.palette import codes

    if not len(rgb):
        return np.empty((0, 3), np.uint8), np.empty(0, np.int64)
    cubes = (rgb >> 3).astype(np.int64) @ np.array([1 << 10, 1 << 5, 1])
    _, cube, sizes = np.unique(cubes, return_inverse=True, return_counts=True)
    _, first, counts = np.unique(codes(rgb), return_index=True, return_counts=True)
    best = np.zeros(len(sizes), dtype=np.intp)
    order = np.argsort(counts, kind="stable")
    best[cube[first[order]]] = order  # the commonest of each cube is written last
    largest = np.argsort(-sizes, kind="stable")
    enough = int(np.searchsorted(np.cumsum(sizes[largest]), _NEARLY * len(rgb))) + 1
    kept = largest[:enough]
    return rgb[first[best[kept]]], sizes[kept]


def _is_calm(rgb: Any) -> Any:
    """Return where a pixel is much like those on both sides of it, across and down."""
    import numpy as np

    channels = rgb.astype(np.int16)
    calm = np.ones(rgb.shape[:2], dtype=bool)
    for axis in (0, 1):
        rough = np.abs(np.diff(channels, axis=axis)).max(axis=2) > _CALM
        before: Any = [(0, 0), (0, 0)]
        after: Any = [(0, 0), (0, 0)]
        before[axis], after[axis] = (1, 0), (0, 1)
        calm &= ~np.pad(rough, before) & ~np.pad(rough, after)
    return calm
