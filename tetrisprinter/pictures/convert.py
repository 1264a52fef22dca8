"""Convert any image to a picture that can be printed.

:func:`~tetrisprinter.pictures.images.load_picture` takes an image as it is and refuses what a
board cannot show. Here an image is made to fit: cropped, scaled, and drawn in few colours, its
background left empty. An image that fits already is never altered.

Requested changes are made. Others are made only with :class:`DefaultLimits`, if the image cannot be
printed as it is. Opening and scaling are here; :mod:`~tetrisprinter.pictures.reduction` handles the
small picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from tetrisprinter.errors import ARGUMENTS, InputError, Setting
from tetrisprinter.pictures.images import Box, as_rgba, crop_image, make_picture, open_image
from tetrisprinter.pictures.picture import Color, Picture, parse_rgb
from tetrisprinter.pictures.reduction import (
    MOST_COMPARED,
    UNADJUSTED,
    Adjustments,
    Reduction,
    ScaledImage,
    find_grounds,
    find_inks,
)
from tetrisprinter.pictures.scaling import PillowPixels, Pixels, Resampling, fit_size
from tetrisprinter.pictures.squares import Rgb
from tetrisprinter.pictures.strokes import ACROSS, COARSE, Strokes, draw_strokes, find_present
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PIL import Image

__all__ = [
    "DEFAULT_LIMITS",
    "Adjustments",
    "Conversion",
    "ConvertedPicture",
    "DefaultLimits",
    "Resampling",
    "Step",
    "convert_image",
    "convert_pixels",
    "parse_color",
    "read_image",
]

MAX_COLORS: Final = 7
_OPAQUE: Final = 128
_FEW: Final = 5
"""A photo that takes long to print is smoothed before its colours go below this number."""
_LEGIBLE: Final = 7
"""The least height in squares of a line of text that can be read."""
_SMALLEST: Final = 8
"""The least long side in pixels of enlarged pixel art after it is shrunk to its own size."""
_LONG: Final = 4
"""An image is a banner if one side is more than this number of times the other."""


_Squares = list[Rgb | None]


@dataclass(frozen=True, slots=True)
class DefaultLimits:
    """The default limits of a conversion, for images that cannot be printed unchanged."""

    # Columns and rows to which an image is fitted. Banners, more than four times as long as wide,
    # may be up to twice as long, so that they stay recognisable
    side: tuple[int, int] = (48, 48)
    as_is: tuple[int, int] = (64, 64)  # pixel art of up to this size is not scaled
    # An image of up to this size that has no more than ``most`` colours and nothing half
    # transparent is not scaled, unless it is enlarged pixel art
    flat: tuple[int, int] = (128, 128)
    # Any image of up to this size is not scaled: the size of the board, if one was named
    holds: tuple[int, int] = (0, 0)
    # An image with at most this number of colours keeps them. Any other gets as many as it
    # needs, up to this number
    most: int = MAX_COLORS
    # The colours of named piece types: an image gets no others. Empty: any colours
    palette: frozenset[Color] = frozenset()
    # Estimates how many seconds planning a picture takes. If it is more than ``seconds``, the image
    # is drawn smoother and in fewer colours
    costs: Callable[[Picture], float] | None = None
    seconds: float = 15.0  # see ``costs``

    def box(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the box (width, height) into which an image of this size is scaled.

        >>> DefaultLimits().box((4000, 3000)), DefaultLimits().box((900, 100))
        ((48, 48), (96, 48))
        >>> DefaultLimits((9, 20), (9, 20)).box((9, 90))
        (9, 20)
        """
        short, long = sorted(size)
        if long <= _LONG * short or self.side[0] != self.side[1]:
            return self.side
        side = self.side[0]
        return (2 * side, side) if size[0] > size[1] else (side, 2 * side)


DEFAULT_LIMITS: Final = DefaultLimits()


@dataclass(frozen=True, slots=True)
class Conversion:
    """The options of a conversion.

    Attributes
    ----------
    fit : (int, int) or None
        Largest width and height; the proportions are kept. None: do not scale.
    resampling : {"auto", "nearest", "area"}
        How to scale: auto is Lanczos, and strokes thinner than a square are thickened.
    colors : int or None
        Largest number of colours, not counting the background. None: keep all.
    background : str or None
        What stays empty beside transparent pixels: a colour as ``rrggbb``, ``"auto"`` (the
        colour that at least half of the border has, if nothing is transparent),
        ``"transparent"`` or None (nothing else).
    frame : int or None
        Which frame of an animated image, from 0. None: the first, reported as a step.
    defaults : DefaultLimits or None
        The limits of an image that cannot be printed as it is, where no option sets them.
        None: no limits, and no change without an option.
    adjust : Adjustments
        How to change tone and edges of an image that is scaled or has too many colours.
    crop : (int, int, int, int) or None
        Left, top, width and height in pixels of the part that is converted.
    """

    fit: tuple[int, int] | None = None
    resampling: Resampling = "auto"
    colors: int | None = None
    background: str | None = None
    frame: int | None = None
    defaults: DefaultLimits | None = None
    adjust: Adjustments = UNADJUSTED
    crop: Box | None = None

    @property
    def is_strict(self) -> bool:
        """Whether the image must be printable unchanged, apart from the choice of a frame."""
        asked = (self.fit, self.colors, self.background, self.defaults)
        return all(one is None for one in asked)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a conversion, with the option that changes it."""

    text: str
    setting: Setting

    @property
    def argument(self) -> str:
        """The keyword argument of the library that changes this step."""
        return ARGUMENTS.get(self.setting, str(self.setting))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Step {self.text} ({self.argument})>"


@dataclass(frozen=True, slots=True)
class ConvertedPicture:
    """A picture and the steps of its conversion."""

    picture: Picture  # trimmed; the background is transparent in it
    background: Color | None = None  # the colour that was treated as background
    steps: tuple[Step, ...] = ()  # what was done to the image; empty if it fitted

    @property
    def changes(self) -> tuple[str, ...]:
        """The steps, one phrase each."""
        return tuple(map(str, self.steps))


def parse_color(text: str) -> Color:
    """Read a colour: ``rrggbb``, ``#rrggbb``, or a name that CSS knows."""
    from PIL import ImageColor

    word = text.strip().lower()
    if len(word) == 6 and not set(word) - set("0123456789abcdef"):
        return word
    try:
        red, green, blue = ImageColor.getrgb(word)[:3]
    except ValueError:
        raise InputError(
            f"invalid colour {text!r}; expected rrggbb, #rrggbb or a name such as white"
        ) from None
    return f"{red:02x}{green:02x}{blue:02x}"


def read_image(
    file: str | Path | IO[bytes], conversion: Conversion | None = None, name: str = ""
) -> ConvertedPicture:
    """Read an image and convert it."""
    how = conversion or Conversion()
    name = name or str(file)
    room = how.fit or (None if how.defaults is None else how.defaults.as_is)
    opened = open_image(file, name, how.frame or 0, room, how.crop)
    converted = convert_pixels(PillowPixels(opened.image, format_size(*opened.size)), how, name)
    if opened.frames == 1 or how.frame is not None:
        return converted
    step = Step(f"frame 0 of {opened.frames}; `slideshow` prints all", Setting.FRAME)
    return ConvertedPicture(converted.picture, converted.background, (step, *converted.steps))


def convert_image(
    image: Image.Image, conversion: Conversion, name: str = "picture", was: str = ""
) -> ConvertedPicture:
    """Convert an image that is in memory; see :func:`read_image`.

    Parameters
    ----------
    image : PIL.Image.Image
        Of any mode.
    conversion : Conversion
        The options.
    name : str
        The name of the image in messages.
    was : str
        The original size as text, such as ``4000x3000``, if it was shrunk while it was read.
    """
    rgba = as_rgba(image)
    if conversion.crop is not None:
        rgba, was = crop_image(rgba, rgba.size, conversion.crop, name), ""
    return convert_pixels(PillowPixels(rgba, was), conversion, name)


def convert_pixels(pixels: Pixels, how: Conversion, name: str) -> ConvertedPicture:
    """Convert an image of Pillow or of a browser."""
    if how.is_strict or (how.adjust.is_default and _is_printable(pixels, how)):
        return ConvertedPicture(make_picture(pixels.rgba(), pixels.width, name))
    steps: list[Step] = []
    is_open = how.background in (None, "auto")
    if how.defaults is not None and is_open:
        # Transparent pixels are the background, even if all of them are cropped later.
        how = replace(how, background="transparent" if pixels.clear else "auto")
    image, squares, width = _scale(pixels, how, steps)
    squares, ground = _draw(image, squares, width, how, steps)
    picture = _join_squares(squares, width, ground, name).trim()
    background = None if ground is None else bytes(ground).hex()
    if background is not None:
        steps.append(Step(f"{background} left empty", Setting.BACKGROUND))
    if not picture.rows:
        if ground is not None and how.defaults is not None and is_open:
            # Everything counts as background, so print it as the picture.
            return convert_pixels(pixels, replace(how, background="transparent"), name)
        raise InputError(f"{name}: only background; nothing to print")
    return ConvertedPicture(picture, background, tuple(steps))


def _scale(pixels: Pixels, how: Conversion, steps: list[Step]) -> tuple[Pixels, _Squares, int]:
    """Return the part of an image that is drawn, its colours in the final size, and its columns."""
    defaults, image = how.defaults, pixels
    fit = how.fit or (
        (image.width, image.height) if defaults is None else _find_size_limit(image, defaults)
    )
    if image.width > fit[0] or image.height > fit[1]:
        if defaults is not None:
            image = image.crop_visible()
        if how.resampling != "area":
            factors = _list_factors(image)
            if defaults is None or how.fit is not None:  # shrink no more than required
                factors = [
                    k
                    for k in range(2, image.block + 1)
                    if not image.block % k
                    and image.width <= k * fit[0]
                    and image.height <= k * fit[1]
                ]
            if factors:
                steps.append(Step(f"shrunk by a factor of {factors[0]}", Setting.FIT))
                image = image.shrink(factors[0])
                own = (image.width, image.height)
                fit = how.fit or (own if defaults is None else _find_size_limit(image, defaults))
    new = fit_size((image.width, image.height), fit)
    if new == (image.width, image.height):
        if image.half:
            text = f"{image.half} half-transparent pixels made opaque or empty"
            steps.append(Step(text, Setting.BACKGROUND))
        return image, _read_pixels(image.rgba()), new[0]
    steps[:] = [Step(f"scaled from {pixels.was} to {format_size(*new)}", Setting.FIT)]
    return image, _read_pixels(image.scale(*new, how.resampling)), new[0]


def _list_factors(image: Pixels) -> list[int]:
    """Return the factors by which pixel art shrinks to its own size, the largest first."""
    block, side = image.block, max(image.width, image.height)
    return [k for k in range(block, 1, -1) if not block % k and side >= _SMALLEST * k]


def _draw(
    image: Pixels, squares: _Squares, width: int, how: Conversion, steps: list[Step]
) -> tuple[_Squares, Rgb | None]:
    """Return the colour of each square of a scaled image, and that of its background."""
    wanted = how.background
    fixed = None if wanted in (None, "auto", "transparent") else parse_color(str(wanted))
    background: Any = "auto" if wanted == "auto" else fixed and parse_rgb(fixed)
    known = {square for square in squares if square is not None}
    most = how.colors or (len(known) if how.defaults is None else how.defaults.most)
    adjust = how.adjust if how.defaults is not None else replace(how.adjust, original=True)
    is_scaled = len(squares) < image.width * image.height
    is_few = len(known) - (background in known or background == "auto") <= most
    if is_few and not (is_scaled and how.resampling == "auto" and how.defaults):
        inks = sorted(known)  # all of them are kept
        adjust = replace(adjust, original=True)
        scaled = ScaledImage(squares, width, squares, inks, is_smaller=is_scaled)
    else:
        scaled = _inspect(image, squares, width, how, steps)
    drawn, ground = _draw_squares(scaled, adjust, background, most, how)
    shown = {square for square in drawn if square not in (None, ground)}
    before = len(known) - (ground is not None)
    named = " of the given piece types" if how.defaults is not None and how.defaults.palette else ""
    if before > len(shown) and shown:
        steps.append(Step(f"{before} colours reduced to {len(shown)}{named}", Setting.COLORS))
    elif named and not shown <= known:
        steps.append(Step("colours replaced by those of the given piece types", Setting.TYPES))
    return drawn, ground


def _inspect(
    image: Pixels, squares: _Squares, width: int, how: Conversion, steps: list[Step]
) -> ScaledImage:
    """Return a scaled image with its analysis: inks and strokes if it is a drawing."""
    sample, right, below = (_read_pixels(image.sample(*at)) for at in ((0, 0), (1, 0), (0, 1)))
    is_scaled = len(squares) < image.width * image.height
    if not how.defaults or image.is_dithered:
        return ScaledImage(squares, width, sample, is_smaller=is_scaled)
    beside = list(zip(right, below, strict=True))
    grounds = find_grounds(sample, beside)
    size = (width, len(squares) // width)
    drawn = Strokes(squares)
    if is_scaled and how.resampling == "auto" and grounds:
        drawn = draw_strokes(image.points(*size, ACROSS), squares, width, grounds)
    if 0 < drawn.letters < _LEGIBLE:
        enough = format_size(*(round(_LEGIBLE / drawn.letters * side) for side in size))
        steps.append(
            Step(f"small text or marks drawn as bars; {enough} makes them legible", Setting.FIT)
        )
    inks = find_inks(sample, beside, drawn.inks, len(squares))
    present: Sequence[tuple[int, ...]] = ()
    if is_scaled and inks:
        present = find_present(image.points(*size, COARSE), drawn.squares, width, inks)
    return ScaledImage(drawn.squares, width, sample, inks, present, is_smaller=is_scaled)


def _draw_squares(
    scaled: ScaledImage,
    adjust: Adjustments,
    background: Rgb | Literal["auto"] | None,
    most: int,
    how: Conversion,
) -> tuple[list[Rgb | None], Rgb | None]:
    """Draw a picture in its inks or as a photo, whichever resembles the image more.

    It gets the colours that it needs, or fewer if printing them would take too long.
    """
    named = [] if how.defaults is None else sorted(map(parse_rgb, how.defaults.palette))
    reduction = Reduction(scaled, adjust, background, most, named)
    plain = adjust.original or adjust.dither or len(scaled.pixels) > MOST_COMPARED
    if scaled.inks and not plain:
        photo = Reduction(replace(scaled, inks=(), present=()), adjust, background, most, named)
        if photo.is_better(reduction, how.colors):
            reduction = photo
    defaults, needed = how.defaults, how.colors or reduction.needed
    if how.colors is not None or defaults is None or defaults.costs is None:
        return reduction.draw(needed)
    for colors, smooth in _iterate_reductions(needed):
        squares, ground = reduction.draw(colors, smooth)
        picture = _join_squares(squares, reduction.width, ground)
        if not picture.cells() or defaults.costs(picture) <= defaults.seconds:
            break
    return squares, ground


def _iterate_reductions(needed: int) -> Iterator[tuple[int, float]]:
    """Yield (number of colours, smoothing), each pair cheaper to print than the one before."""
    for colors in range(needed, min(needed, _FEW) - 1, -1):
        yield from ((colors, smooth) for smooth in (1.0, 2.0, 4.0))
    yield from ((colors, 8.0) for colors in range(min(needed, _FEW), 1, -1))


def _join_squares(
    squares: list[Rgb | None], width: int, ground: Rgb | None, name: str = "picture"
) -> Picture:
    """Return squares as a picture whose background is transparent."""
    colors = [None if rgb is None or rgb == ground else bytes(rgb).hex() for rgb in squares]
    rows = [tuple(colors[at : at + width]) for at in range(0, len(colors), width)]
    return Picture(tuple(reversed(rows)), name)


def _read_pixels(data: bytes) -> _Squares:
    """Return RGBA bytes as a list of colours; None for a transparent pixel."""
    alphas = data[3::4]
    # If no pixel is opaque, show all that are not fully transparent
    least = _OPAQUE if not alphas or max(alphas) >= _OPAQUE else 1
    return [
        (red, green, blue) if alpha >= least else None
        for red, green, blue, alpha in zip(data[::4], data[1::4], data[2::4], alphas, strict=True)
    ]


def _is_printable(image: Pixels, how: Conversion) -> bool:
    """Return whether an image can be printed unchanged."""
    defaults = how.defaults
    if defaults is None or how.background not in (None, "auto", "transparent"):
        return False
    if image.half or (how.background == "auto" and not image.clear):
        return False
    room = how.fit or _find_size_limit(image, defaults)
    if image.width > room[0] or image.height > room[1]:
        return False
    named = set(map(parse_rgb, defaults.palette))
    if named and not named.issuperset(filter(None, _read_pixels(image.rgba()))):
        return False
    return image.colors <= (how.colors or defaults.most)


def _find_size_limit(image: Pixels, defaults: DefaultLimits) -> tuple[int, int]:
    """Return the size up to which an image is not scaled."""
    size = (image.width, image.height)
    # An opaque image may have one more colour: the background.
    is_flat = not image.half and image.colors <= defaults.most + (not image.clear)
    for room, suits in (
        (defaults.holds, True),
        (defaults.flat, is_flat and not _list_factors(image)),
    ):
        if suits and size[0] <= room[0] and size[1] <= room[1]:
            return room
    box = defaults.box(size)
    larger = (max(box[0], defaults.as_is[0]), max(box[1], defaults.as_is[1]))
    if size[0] <= box[0] and size[1] <= box[1]:
        return box
    is_small = size[0] <= larger[0] and size[1] <= larger[1]
    return larger if is_small and image.is_art else box
