"""Ways to draw an image in few squares and few colours, and the one that looks most like it.

No single way suits all images. *Area* gives each square the mean of what it covers: right for
photographs and for letters that are thinner than a square, but along the edges of a drawing it
makes colours that the drawing does not have. *Majority* gives it the ink that most of it has,
rare ones preferred: right for patches, but a line thinner than half a square is lost.
So both are made, in the same number of colours, and an :class:`~tetrisprinter.pictures.eye.Eye`
decides. A drawing in *lines* it cannot judge: a line has the ink it has, however thin it is, and
one that is a square wide is nearer to that than a pale one. So where most of what is drawn are
lines with room between them, each becomes a line of squares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.drawing import Drawing
    from tetrisprinter.pictures.picture import Picture

__all__ = ["Candidate", "Demands", "Way", "area", "averaged", "best", "by_inks", "size_that_keeps"]

Way = Literal["area", "majority", "lines"]

_RARE: Final = 0.7
"""How much more an ink counts, where most of a square decides, that is hardly there."""

_BORDER: Final = 0.5
"""So much of the border has the colour of a background, at least."""

_EVEN: Final = 0.03
"""How far in OKLab the border may be from that colour to count as having it."""

_COLOR: Final = 0.004
"""How much nearer a picture must be for each further colour, all of which have to be printed."""


_LOST: Final = 0.1
"""If so little of what is drawn is left, somebody is told."""

_LARGER: Final = (1.5, 2.0, 3.0)
"""How much larger a picture might have to be to keep it."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What is asked of a picture.

    Attributes
    ----------
    inks : int
        At most so many colours of a drawing, and a background.
    tones : int
        At most so many colours of a photograph.
    background : bytes or None
        A colour, three bytes, that is to be left empty.
    seeks : bool
        Whether a background is looked for.
    pays : callable or None
        Whether a photograph in so many colours may be had; two colours always may.
    """

    inks: int
    tones: int
    background: bytes | None = None
    seeks: bool = True
    pays: Callable[[Candidate], bool] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A picture that an image may become.

    Attributes
    ----------
    way : {"area", "majority", "lines"}
        How its squares were chosen.
    rgb : array of shape (rows, columns, 3)
        Their colours, top row first.
    opaque : array of shape (rows, columns)
        Which squares have any.
    ground : tuple of int or None
        The colour of those that are left empty as background; they count as opaque.
    before : int
        How many colours there were before they were reduced.
    distance : float
        How far it is from the image; 0 if nobody looked.
    kept : float
        How much of what is drawn on a ground is left, from 0 to 1.
    """

    way: Way
    rgb: NDArray[np.uint8]
    opaque: NDArray[np.bool_]
    ground: tuple[int, ...] | None = None
    before: int = 0
    distance: float = 0.0
    kept: float = 1.0

    @property
    def is_lost(self) -> bool:
        """Whether hardly anything is left of what is drawn."""
        return self.kept <= _LOST

    def picture(self, name: str = "") -> Picture:
        """Return it as a picture, its background empty."""
        import numpy as np

        from tetrisprinter.pictures.picture import Picture

        alpha = np.where(self.inked, np.uint8(255), np.uint8(0))
        flat = np.dstack([self.rgb, alpha]).reshape(-1, 4).tolist()
        pixels = ((r, g, b, a) for r, g, b, a in flat)
        return Picture.from_pixels(self.rgb.shape[1], pixels, name).trimmed()

    @property
    def colors(self) -> int:
        """How many colours it has, the background included."""
        import numpy as np

        return len(np.unique(self.rgb[self.opaque], axis=0))

    @property
    def printed(self) -> int:
        """How many colours it has without the background."""
        return self.colors - (self.ground is not None)

    @property
    def inked(self) -> NDArray[np.bool_]:
        """Which squares are to be printed."""
        if self.ground is None:
            return self.opaque
        seen: NDArray[np.bool_] = self.opaque & (self.rgb != self.ground).any(axis=2)
        return seen


def averaged(image: Image.Image, size: tuple[int, int]) -> tuple[Any, Any]:
    """Return an image in another size, averaged: colours, and where it is opaque."""
    import numpy as np
    from PIL import Image as Images

    if image.size != size:
        # Premultiplied, so that the colour of transparent pixels does not bleed in.
        image = image.convert("RGBa").resize(size, Images.Resampling.BOX).convert("RGBA")
    pixels = np.array(image)
    opaque = pixels[..., 3] >= 128
    if not opaque.any():
        opaque = pixels[..., 3] > 0  # a shadow is better than nothing
    return pixels[..., :3], opaque


def area(
    small: tuple[NDArray[np.uint8], NDArray[np.bool_]], colors: int, demands: Demands
) -> Candidate:
    """Return an averaged image in few colours.

    Parameters
    ----------
    small
        As :func:`averaged` returns it.
    colors : int
        At most so many, and the background.
    demands : Demands
        Which background it has.
    """
    from tetrisprinter.pictures.palette import distinct, nearest, reduced

    rgb, opaque = small
    found, counts = distinct(rgb[opaque])
    back = _ground(rgb, opaque, colors, demands)
    number = colors + (back is not None)
    if len(found) <= number:
        return Candidate("area", rgb, opaque, back, len(found))
    fixed = None if back is None else bytes(back)
    palette = reduced(found, counts, colors, fixed)
    index = nearest(rgb.reshape(-1, 3), palette).reshape(opaque.shape)
    return Candidate("area", palette[index], opaque, back, len(found))


def _ground(rgb: Any, opaque: Any, colors: int, demands: Demands) -> tuple[int, ...] | None:
    """Return the colour of the background: what was asked for, or what the border has."""
    import numpy as np

    from tetrisprinter.pictures.palette import distinct, nearest, oklab, reduced

    if demands.background is not None:
        return tuple(demands.background)
    if not demands.seeks or not opaque.all():
        return None  # its transparent pixels are its background
    found, counts = distinct(rgb)
    palette = found
    if len(found) > colors + 1:
        palette = reduced(found, counts, colors + 1)
    border = np.vstack([rgb[0], rgb[-1], rgb[1:-1, 0], rgb[1:-1, -1]])
    index = nearest(border, palette)
    most = int(np.argmax(np.bincount(index)))
    far = np.sqrt(((oklab(border) - oklab(palette[most : most + 1])) ** 2).sum(axis=1))
    # A sky is no background: what were left empty would have a border of its own.
    if ((index == most) & (far <= _EVEN)).sum() < _BORDER * len(border):
        return None
    return tuple(palette[most].tolist())


def by_inks(drawing: Drawing, size: tuple[int, int], demands: Demands) -> list[Candidate]:
    """Return a drawing in squares: in lines if it consists of these, and by majority."""
    import numpy as np

    shares, count = drawing.shares(size), len(drawing.inks)
    used = np.bincount(drawing.index.reshape(-1), minlength=count + 1) / drawing.index.size
    weights = 1 + _RARE * (1 - used)
    most = np.argmax(shares * weights[:, None, None], axis=0)
    inks = np.vstack([drawing.inks, np.zeros((1, 3), np.uint8)])
    made = []
    ways: tuple[tuple[Way, Any], ...] = (("lines", drawing.in_lines(size)), ("majority", most))
    for way, index in ways:
        if index is not None:
            rgb, opaque = inks[index], index < count
            made.append(Candidate(way, rgb, opaque, _ground(rgb, opaque, count, demands), count))
    return made


def best(image: Image.Image, size: tuple[int, int], demands: Demands) -> Candidate:
    """Return the picture of a size that looks most like an image.

    For every number of colours that another candidate has, there is one by area, too. What is
    taken looks no less like the image than an average in as many colours, unless in that
    hardly anything is left of lines and letters, or the image is a drawing in lines.

    Parameters
    ----------
    image : PIL.Image.Image
        In mode RGBA.
    size : (int, int)
        Columns and rows.
    demands : Demands
        How many colours it may have, and which background.
    """
    from tetrisprinter.pictures.eye import Eye

    made = _candidates(image, size, demands)
    eye = Eye(image, size)
    looked = [
        replace(one, distance=eye.distance(one.rgb, one.opaque), kept=eye.kept(one.rgb, one.opaque))
        for one in made
    ]
    return min(
        looked,
        key=lambda one: (one.is_lost, one.way != "lines", one.distance + _COLOR * one.colors),
    )


def _candidates(image: Image.Image, size: tuple[int, int], demands: Demands) -> list[Candidate]:
    from tetrisprinter.pictures.drawing import as_drawing
    from tetrisprinter.pictures.palette import distinct, number_needed
    from tetrisprinter.pictures.scaling import is_dithered, is_pixel_art

    small = averaged(image, size)
    colors, counts = distinct(small[0][small[1]])
    if size == image.size and len(colors) <= demands.inks:
        return [area(small, demands.inks, demands)]  # all of them are kept
    drawing = None
    if not is_dithered(image):
        drawing = as_drawing(image, demands.inks + 1, flat=is_pixel_art(image))
    made = [] if drawing is None else by_inks(drawing, size, demands)
    # One of the inks may have become the background in one of them, and one more in the other.
    made = [one for one in made if one.printed <= demands.inks]
    numbers = {one.printed for one in made}
    for number in sorted(numbers - {0}):
        made.append(area(small, number, demands))
    needed = number_needed(colors, counts, min(demands.tones, len(colors)))
    while drawing is None and needed > 2 and demands.pays is not None:
        tried = area(small, needed, demands)
        if demands.pays(tried):
            return [*made, tried]
        needed -= 1
    if needed not in numbers:
        made.append(area(small, needed, demands))
    return made


def size_that_keeps(
    image: Image.Image, size: tuple[int, int], demands: Demands
) -> tuple[int, int] | None:
    """Return a larger size in which more of what is drawn is left; None if none was found."""
    for factor in _LARGER:
        larger = (round(factor * size[0]), round(factor * size[1]))
        if larger[0] > image.width or larger[1] > image.height:
            break
        if not best(image, larger, demands).is_lost:
            return larger
    return None
