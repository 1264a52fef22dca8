"""Any image -> a picture that can be printed.

:func:`~tetrisprinter.pictures.images.load_picture` takes an image as it is and refuses what a
board cannot show. Here an image is made to fit: scaled, its colours reduced, its background
left empty. The order matters: the image is scaled first, because scaling a photo makes new
colours; then what is half transparent is decided; then the background is found, because it
does not count as a colour; then colours are reduced. Every step leaves alone what fits
already: an image that is small enough is not scaled, one with few enough colours keeps them
exactly.

What is asked for is done. What is not said is left alone, or, where *usual* ways are given,
done only if the image cannot be printed as it is: see :class:`Usual`. Then the way to scale is
not decided by rules: :mod:`~tetrisprinter.pictures.candidates` makes several pictures, and the one
that looks most like the image is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from tetrisprinter.errors import ARGUMENTS, InputError, Thing
from tetrisprinter.pictures.images import as_rgba, open_image, picture_of
from tetrisprinter.pictures.scaling import (
    Resampling,
    divided,
    is_pixel_art,
    scaled,
    shrunk,
    size_within,
)
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.candidates import Candidate
    from tetrisprinter.pictures.picture import Color, Picture

__all__ = [
    "USUAL",
    "Conversion",
    "Converted",
    "Resampling",
    "Step",
    "Usual",
    "convert_image",
    "parse_color",
    "read_image",
]

MAX_COLORS: Final = 7
_OPAQUE: Final = 128
_BORDER_SHARE: Final = 0.5
_LONG: Final = 4
"""So many times as long as wide is a banner."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What happens, where nothing is said, to an image that cannot be printed as it is.

    Attributes
    ----------
    side : (int, int)
        Columns and rows to which an image is fitted. Banners, more than four times as long
        as wide, may be up to twice as long, so that something is left to be seen.
    as_is : (int, int)
        Pixel art of up to this size is not scaled.
    flat : (int, int)
        An image of up to this size that has no more than ``most`` colours and nothing half
        transparent is not scaled, unless it is pixel art that somebody enlarged.
    holds : (int, int)
        Any image of up to this size is not scaled: the size of a board that was named.
    colors : int
        To at most so many colours a photograph is reduced; how many it needs is decided by
        looking.
    most : int
        With up to so many colours an image keeps them, and a drawing has that many at most.
    costs : callable or None
        About how many seconds the plan of a picture takes. If it is given, a photograph has
        up to ``most`` colours, as long as it is ready in ``seconds``, and two in any case.
    seconds : float
        See ``costs``.
    """

    side: tuple[int, int] = (48, 48)
    as_is: tuple[int, int] = (64, 64)
    flat: tuple[int, int] = (128, 128)
    holds: tuple[int, int] = (0, 0)
    colors: int = 5
    most: int = MAX_COLORS
    costs: Callable[[Picture], float] | None = None
    seconds: float = 15.0

    def box(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the size that an image of some size is fitted to.

        >>> Usual().box((4000, 3000)), Usual().box((900, 100)), Usual((9, 20), (9, 20)).box((9, 90))
        ((48, 48), (96, 48), (9, 20))
        """
        short, long = sorted(size)
        if long <= _LONG * short or self.side[0] != self.side[1]:
            return self.side
        side = self.side[0]
        return (2 * side, side) if size[0] > size[1] else (side, 2 * side)


USUAL: Final = Usual()


@dataclass(frozen=True, slots=True)
class Conversion:
    """What may be done to an image.

    Attributes
    ----------
    fit : (int, int) or None
        Largest width and height; the proportions are kept. None: do not scale.
    resampling : {"auto", "nearest", "area", "majority"}
        How to scale; auto looks at the image.
    colors : int or None
        Largest number of colours, not counting the background. None: keep all.
    dither : bool
        Whether reducing colours spreads the error over the neighbours (Floyd-Steinberg).
    background : str or None
        What stays empty beside transparent pixels: a colour as ``rrggbb``, ``"auto"`` (the
        colour that at least half of the border has, if nothing is transparent),
        ``"transparent"`` or None (nothing else).
    frame : int or None
        Which frame of an animated image, from 0. None: the first, which is said.
    usual : Usual or None
        What is done, where nothing is said, to an image that cannot be printed as it is.
        None: nothing.
    """

    fit: tuple[int, int] | None = None
    resampling: Resampling = "auto"
    colors: int | None = None
    dither: bool = False
    background: str | None = None
    frame: int | None = None
    usual: Usual | None = None

    @property
    def is_strict(self) -> bool:
        """Whether the image must be printable as it is, but for the frame."""
        asked = (self.fit, self.colors, self.background, self.usual)
        return all(one is None for one in asked)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done to an image, and what to ask for to have it done otherwise."""

    text: str
    thing: Thing

    @property
    def argument(self) -> str:
        """What to ask the library for to have it done otherwise."""
        return ARGUMENTS.get(self.thing, str(self.thing))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Step {self.text} ({self.argument})>"


@dataclass(frozen=True, slots=True)
class Converted:
    """A picture and what was done to get it.

    Attributes
    ----------
    picture : Picture
        Trimmed; the background is transparent in it.
    background : str or None
        The colour that was taken for background.
    steps : tuple of Step
        What was done to the image; empty if it fitted.
    """

    picture: Picture
    background: Color | None = None
    steps: tuple[Step, ...] = ()

    @property
    def changes(self) -> tuple[str, ...]:
        """What was done, one phrase each."""
        return tuple(map(str, self.steps))


def parse_color(text: str) -> Color:
    """Read a colour: ``rrggbb``, ``#rrggbb``, or a name that CSS knows.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> parse_color("FF8000"), parse_color("#f80"), parse_color("white")
    ('ff8000', 'ff8800', 'ffffff')
    """
    from PIL import ImageColor

    word = text.strip().lower()
    if len(word) == 6 and not set(word) - set("0123456789abcdef"):
        return word
    try:
        red, green, blue = ImageColor.getrgb(word)[:3]
    except ValueError:
        raise InputError(
            f"{text!r} is no colour: give rrggbb, #rrggbb or a name such as white"
        ) from None
    return f"{red:02x}{green:02x}{blue:02x}"


def read_image(
    file: str | Path | IO[bytes], conversion: Conversion | None = None, name: str = ""
) -> Converted:
    """Read an image and convert it.

    Parameters
    ----------
    file : str, Path or binary file
        Anything Pillow reads.
    conversion : Conversion, optional
        What may be done; by default nothing.
    name : str
        What messages call it; the path if empty.

    Raises
    ------
    InputError
        As :func:`~tetrisprinter.pictures.images.load_picture`, and if the frame does not exist.
    """
    how = conversion or Conversion()
    name = name or str(file)
    room = how.fit or (None if how.usual is None else how.usual.as_is)
    opened = open_image(file, name, how.frame or 0, room)
    converted = _converted(opened.image, how, name, opened.size)
    if opened.frames == 1 or how.frame is not None:
        return converted
    step = Step(f"the first of {opened.frames} frames", Thing.FRAME)
    return Converted(converted.picture, converted.background, (step, *converted.steps))


def convert_image(
    image: Image.Image,
    conversion: Conversion,
    name: str = "picture",
    size: tuple[int, int] | None = None,
) -> Converted:
    """Convert an image that is in memory; see :func:`read_image`.

    Parameters
    ----------
    image : PIL.Image.Image
        Of any mode.
    conversion : Conversion
        What may be done.
    name : str
        What messages call it.
    size : (int, int), optional
        The size it had in its file, if it was read smaller: what is said is said of that.
    """
    rgba = as_rgba(image)
    return _converted(rgba, conversion, name, size or rgba.size)


def _converted(
    rgba: Image.Image, conversion: Conversion, name: str, size: tuple[int, int]
) -> Converted:
    if conversion.is_strict or _is_printable(rgba, conversion):
        return Converted(picture_of(rgba, name))
    steps: list[Step] = []
    unsaid = conversion.background in (None, "auto")
    if conversion.usual is not None and unsaid and _has_transparent(rgba):
        # What is transparent is the background, even if its margins are cut off now.
        conversion = replace(conversion, background="transparent")
    read = rgba.size
    if conversion.usual is None or conversion.resampling != "auto" or conversion.dither:
        made = _as_told(rgba, conversion, steps)
    else:
        made = _as_seen(rgba, conversion, conversion.usual, steps)
    if steps and size != read:
        text = steps[0].text.replace(format_size(*read), format_size(*size), 1)
        steps[0] = replace(steps[0], text=text)
    background = None if made.ground is None else bytes(made.ground).hex()
    if background is not None:
        steps.append(Step(f"{background} left empty", Thing.BACKGROUND))
    picture = made.picture(name)
    if not picture.rows:
        if background is not None and conversion.usual is not None and unsaid:
            # All of it is background: then it is the figure.
            kept = replace(conversion, background="transparent")
            return _converted(rgba, kept, name, size)
        raise InputError(f"{name}: has nothing but background, so there is nothing to print")
    return Converted(picture, background, tuple(steps))


def _has_transparent(rgba: Image.Image) -> bool:
    return bool(rgba.getchannel("A").histogram()[0])


def _as_seen(
    rgba: Image.Image, conversion: Conversion, usual: Usual, steps: list[Step]
) -> Candidate:
    """Convert an image in several ways, and take what looks most like it."""
    from tetrisprinter.pictures.candidates import Demands, best, size_that_keeps

    fit = conversion.fit or _room(rgba, usual)
    before = rgba.size
    if rgba.width > fit[0] or rgba.height > fit[1]:
        rgba = rgba.crop(rgba.getchannel("A").getbbox())
        rgba, said = shrunk(rgba) if conversion.fit is None else divided(rgba, fit)
        _took(steps, said, Thing.FIT)
        fit = conversion.fit or _room(rgba, usual)
    size = size_within(rgba.size, fit)
    if size == rgba.size:
        _tell_halves(rgba, steps)
    ground = conversion.background or "auto"
    flat = conversion.colors or usual.most
    many = conversion.colors or (usual.colors if usual.costs is None else usual.most)
    costs = None if conversion.colors else usual.costs
    demands = Demands(
        flat,
        many,
        None if ground in ("auto", "transparent") else bytes.fromhex(parse_color(ground)),
        ground == "auto",
        None if costs is None else lambda made: costs(made.picture()) <= usual.seconds,
    )
    made = best(rgba, size, demands)
    if size != rgba.size:
        steps.clear()  # it was shrunk on the way to what it is now
        said = f"scaled from {format_size(*before)} to {format_size(*size)} ({made.way})"
        _took(steps, said, Thing.FIT)
    if made.is_lost:
        larger = size_that_keeps(rgba, size, demands)
        would = f"; {format_size(*larger)} would keep them" if larger else ""
        share = f"{max(1, round(100 * made.kept))} %" if made.kept >= 0.005 else "nothing"
        _took(steps, f"{share} left of lines and letters{would}", Thing.FIT)
    colors = made.colors - (made.ground is not None)
    if made.before > colors + (made.ground is not None):
        steps.append(Step(f"{made.before} colours reduced to {colors}", Thing.COLORS))
    return made


def _as_told(rgba: Image.Image, conversion: Conversion, steps: list[Step]) -> Candidate:
    """Convert an image the way somebody asked for."""
    import numpy as np

    from tetrisprinter.pictures.candidates import Candidate

    fit, usual = conversion.fit, conversion.usual
    if usual is not None:
        room = fit or _room(rgba, usual)
        if rgba.width > room[0] or rgba.height > room[1]:
            rgba = rgba.crop(rgba.getchannel("A").getbbox())
            rgba, said = shrunk(rgba) if fit is None else (rgba, "")
            _took(steps, said, Thing.FIT)
        fit = fit or _room(rgba, usual)
    if fit is not None:
        rgba, said = scaled(rgba, fit, conversion.resampling)
        _took(steps, said, Thing.FIT)
    _tell_halves(rgba, steps)
    pixels = np.array(rgba)
    rgb, alpha = pixels[..., :3], pixels[..., 3]
    opaque = alpha >= _OPAQUE
    if not opaque.any() and alpha.any():
        opaque = alpha > 0  # a shadow is better than nothing
    background = _background(rgb, opaque, conversion)
    if background is not None:
        opaque = opaque & ~_has_color(rgb, background)
    wanted = conversion.colors or _usual_number(rgb, opaque, background, conversion)
    rgb, opaque = _with_few_colors(rgb, opaque, background, (wanted, conversion.dither), steps)
    ground = None if background is None else tuple(bytes.fromhex(background))
    return Candidate("area", rgb, opaque, ground)


def _tell_halves(rgba: Image.Image, steps: list[Step]) -> None:
    half = sum(rgba.getchannel("A").histogram()[1:255])
    if half:
        steps.append(Step(f"{half} half-transparent pixels decided", Thing.BACKGROUND))


def _is_printable(rgba: Image.Image, conversion: Conversion) -> bool:
    """Whether an image fits as it is, looked at without any heavy library."""
    usual = conversion.usual
    if usual is None or conversion.background not in (None, "auto", "transparent"):
        return False
    if conversion.background == "auto" and not _has_transparent(rgba):
        return False
    room = conversion.fit or _room(rgba, usual)
    if rgba.width > room[0] or rgba.height > room[1]:
        return False
    found: Any = rgba.getcolors(rgba.width * rgba.height) or []
    alphas = {color[3] for _, color in found}
    seen = {color[:3] for _, color in found if color[3]}
    return alphas <= {0, 255} and len(seen) <= (conversion.colors or usual.most)


def _is_flat(rgba: Image.Image, most: int) -> bool:
    """Whether an image has few colours and nothing half transparent."""
    found: Any = rgba.getcolors(rgba.width * rgba.height) or []
    alphas = {color[3] for _, color in found}
    # Of an opaque image one may be the background.
    seen = {color[:3] for _, color in found if color[3]}
    return alphas <= {0, 255} and len(seen) <= most + (0 not in alphas)


def _room(rgba: Image.Image, usual: Usual) -> tuple[int, int]:
    """Return the size up to which an image is not scaled."""
    for size in (usual.holds, usual.flat):
        if rgba.width <= size[0] and rgba.height <= size[1]:
            held = size is usual.holds
            if held or (_is_flat(rgba, usual.most) and shrunk(rgba)[0] is rgba):
                return size
    box = usual.box(rgba.size)
    if rgba.width <= box[0] and rgba.height <= box[1]:
        return box
    larger = (max(box[0], usual.as_is[0]), max(box[1], usual.as_is[1]))
    if rgba.width > larger[0] or rgba.height > larger[1]:
        return box
    return larger if is_pixel_art(rgba) else box


def _took(steps: list[Step], said: str, thing: Thing) -> None:
    if said:
        steps.append(Step(said, thing))


def _background(
    rgb: NDArray[np.uint8], opaque: NDArray[np.bool_], conversion: Conversion
) -> Color | None:
    wanted = conversion.background or ("auto" if conversion.usual is not None else None)
    if wanted in (None, "transparent"):
        return None
    if wanted != "auto":
        assert wanted is not None
        return parse_color(wanted)
    if not opaque.all():
        return None  # its transparent pixels are its background
    import numpy as np

    from tetrisprinter.pictures.palette import nearest, reduced

    border = np.vstack([rgb[0], rgb[-1], rgb[1:-1, 0], rgb[1:-1, -1]])
    few = conversion.colors or (None if conversion.usual is None else conversion.usual.colors)
    if few is not None:
        colors, counts = np.unique(rgb.reshape(-1, 3), axis=0, return_counts=True)
        if len(colors) > few + 1:
            palette = reduced(colors, counts, few + 1)
            border = palette[nearest(border, palette)]
    colors, counts = np.unique(border, axis=0, return_counts=True)
    most = int(np.argmax(counts))
    if counts[most] < _BORDER_SHARE * len(border):
        return None
    return bytes(colors[most].tolist()).hex()


def _usual_number(
    rgb: NDArray[np.uint8],
    opaque: NDArray[np.bool_],
    background: Color | None,
    conversion: Conversion,
) -> int | None:
    """Return how many colours an image needs that has too many; None if it may keep them."""
    if conversion.usual is None:
        return None
    import numpy as np

    from tetrisprinter.pictures.palette import number_needed

    colors, counts = np.unique(rgb[opaque], axis=0, return_counts=True)
    if len(colors) <= conversion.usual.most:
        return None
    fixed = None if background is None else bytes.fromhex(background)
    return number_needed(colors, counts, conversion.usual.colors, fixed)


def _has_color(rgb: NDArray[np.uint8], color: Color) -> NDArray[np.bool_]:
    import numpy as np

    same: NDArray[np.bool_] = (rgb == np.frombuffer(bytes.fromhex(color), np.uint8)).all(axis=2)
    return same


def _with_few_colors(
    rgb: NDArray[np.uint8],
    opaque: NDArray[np.bool_],
    background: Color | None,
    how: tuple[int | None, bool],
    steps: list[Step],
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    import numpy as np

    from tetrisprinter.pictures.palette import nearest, reduced, without_specks

    colors, counts = np.unique(rgb[opaque], axis=0, return_counts=True)
    number, dither = how
    # Grain that no square can show would be a square of its own here and there.
    smooth = any("(area)" in step.text for step in steps)
    if number is None or len(colors) <= number:
        return rgb, opaque
    fixed = None if background is None else bytes.fromhex(background)
    palette = reduced(colors, counts, number, fixed)
    steps.append(Step(f"{len(colors)} colours reduced to {number}", Thing.COLORS))
    if dither:
        index = _dithered(rgb, opaque, palette)
    else:
        index = nearest(rgb.reshape(-1, 3), palette).reshape(opaque.shape)
        if smooth:
            index = without_specks(np.where(opaque, index, len(palette)))
            opaque = opaque & (index < len(palette))
            index = np.minimum(index, len(palette) - 1)
    return palette[index], opaque & (index < number)


def _dithered(
    rgb: NDArray[np.uint8], opaque: NDArray[np.bool_], palette: NDArray[np.uint8]
) -> NDArray[np.int64]:
    import numpy as np
    from PIL import Image as Images

    quiet = np.where(opaque[..., None], rgb, palette[0])  # transparent pixels spread no error
    wanted = Images.new("P", (1, 1))
    # Pillow fills a short palette up; repeating the first colour adds nothing to choose.
    entries = np.vstack([palette, np.repeat(palette[:1], 256 - len(palette), axis=0)])
    wanted.putpalette(entries.reshape(-1).tolist())
    image = Images.fromarray(quiet.astype(np.uint8))
    index = np.array(
        image.quantize(palette=wanted, dither=Images.Dither.FLOYDSTEINBERG), dtype=np.int64
    )
    return np.where(index < len(palette), index, 0)
