"""Convert any image to a picture that can be printed.

:func:`~tetrisprinter.pictures.images.load_picture` takes an image as it is and refuses what a
board cannot show. Here an image is made to fit: it is cropped, scaled, and drawn in few colours,
and its background is left empty. An image that fits already is never altered.

Requested changes are made. Other changes are made only with :class:`DefaultLimits`, if the image
cannot be printed as it is. This module opens and scales images;
:mod:`~tetrisprinter.pictures.reduction` handles the small picture.
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
from tetrisprinter.pictures.strokes import ACROSS, COARSE, Strokes, draw_strokes, find_present_inks
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
"""A photo that takes long to print is smoothed first, before it gets fewer colours than this."""
_LEGIBLE: Final = 7
"""The least height in squares of a line of text that can be read."""
_SMALLEST: Final = 8
"""The least longer side, in pixels, to which enlarged pixel art is shrunk."""
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
    # An image of up to this size that has at most ``max_colors`` colours and no half-transparent
    # pixel is not scaled, unless it is enlarged pixel art
    flat: tuple[int, int] = (128, 128)
    # No image of up to this size is scaled: the size of the board, if a board was named
    holds: tuple[int, int] = (0, 0)
    # An image with at most this number of colours keeps them. Any other image gets as many colours
    # as it needs, up to this number
    max_colors: int = MAX_COLORS
    # The colours of named piece types: an image gets no other colours. Empty: any colours
    palette: frozenset[Color] = frozenset()
    # Estimates how many seconds planning a picture takes. If the estimate exceeds ``seconds``, the
    # image is drawn smoother and in fewer colours
    costs: Callable[[Picture], float] | None = None
    seconds: float = 15.0  # see ``costs``

    def choose_box(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the box (width, height) into which an image of this size is scaled.

        >>> DEFAULT_LIMITS.choose_box((4000, 3000)), DEFAULT_LIMITS.choose_box((900, 100))
        ((48, 48), (96, 48))
        >>> DefaultLimits((9, 20), (9, 20)).choose_box((9, 90))
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
        Largest number of colours, without the background. None: keep all.
    background : str or None
        What stays empty beside transparent pixels: a colour as ``rrggbb``, ``"auto"`` (the
        colour that at least half of the border has, if nothing is transparent),
        ``"transparent"`` or None (nothing else).
    frame : int or None
        Which frame of an animated image, from 0. None: the first, reported as a step.
    defaults : DefaultLimits or None
        The limits of an image that cannot be printed as it is, unless an option sets a limit.
        None: no limits, and no change without an option.
    adjust : Adjustments
        How to change tone and edges of an image that is scaled or has too many colours.
    crop : (int, int, int, int) or None
        Left, top, width and height in pixels of the area that is converted.
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
        requests = (self.fit, self.colors, self.background, self.defaults)
        return all(one is None for one in requests)


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
    steps: tuple[Step, ...] = ()  # the changes; empty if the image fitted

    @property
    def changes(self) -> tuple[str, ...]:
        """The steps, one phrase each."""
        return tuple(map(str, self.steps))


def parse_color(text: str) -> Color:
    """Read a colour: ``rrggbb``, ``#rrggbb``, or a name that CSS knows."""
    from PIL import ImageColor

    name = text.strip().lower()
    if len(name) == 6 and not set(name) - set("0123456789abcdef"):
        return name
    try:
        red, green, blue = ImageColor.getrgb(name)[:3]
    except ValueError:
        raise InputError(
            f"invalid colour {text!r}; expected rrggbb, #rrggbb or a name such as white"
        ) from None
    return f"{red:02x}{green:02x}{blue:02x}"


def read_image(
    file: str | Path | IO[bytes], conversion: Conversion | None = None, name: str = ""
) -> ConvertedPicture:
    """Read an image and convert it."""
    options = conversion or Conversion()
    name = name or str(file)
    fit = options.fit or (None if options.defaults is None else options.defaults.as_is)
    opened = open_image(file, name, options.frame or 0, fit, options.crop)
    pixels = PillowPixels(opened.image, format_size(*opened.size))
    converted = convert_pixels(pixels, options, name)
    if opened.frames == 1 or options.frame is not None:
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


def convert_pixels(pixels: Pixels, conversion: Conversion, name: str) -> ConvertedPicture:
    """Convert an image of Pillow or of a browser."""
    if conversion.is_strict or (conversion.adjust.is_default and _is_printable(pixels, conversion)):
        return ConvertedPicture(make_picture(pixels.rgba(), pixels.width, name))
    steps: list[Step] = []
    is_background_open = conversion.background in (None, "auto")
    if conversion.defaults is not None and is_background_open:
        # Transparent pixels are the background, even if all of them are cropped later.
        conversion = replace(conversion, background="transparent" if pixels.clear else "auto")
    image, squares, width = _scale(pixels, conversion, steps)
    squares, ground = _draw(image, squares, width, conversion, steps)
    picture = _join_squares(squares, width, ground, name).trim()
    background = None if ground is None else bytes(ground).hex()
    if background is not None:
        steps.append(Step(f"{background} left empty", Setting.BACKGROUND))
    if not picture.rows:
        if ground is not None and conversion.defaults is not None and is_background_open:
            # Everything counts as background, so print it as the picture.
            return convert_pixels(pixels, replace(conversion, background="transparent"), name)
        raise InputError(f"{name}: only background; nothing to print")
    return ConvertedPicture(picture, background, tuple(steps))


def _scale(
    pixels: Pixels, conversion: Conversion, steps: list[Step]
) -> tuple[Pixels, _Squares, int]:
    """Return the image that is drawn, its colours in the final size, and its columns."""
    defaults, image = conversion.defaults, pixels
    fit = conversion.fit or (
        (image.width, image.height) if defaults is None else _find_size_limit(image, defaults)
    )
    if image.width > fit[0] or image.height > fit[1]:
        if defaults is not None:
            image = image.crop_visible()
        if conversion.resampling != "area":
            factors = _list_factors(image)
            if defaults is None or conversion.fit is not None:  # shrink no more than required
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
                own_size = (image.width, image.height)
                fit = conversion.fit or (
                    own_size if defaults is None else _find_size_limit(image, defaults)
                )
    new_size = fit_size((image.width, image.height), fit)
    if new_size == (image.width, image.height):
        if image.half:
            text = f"{image.half} half-transparent pixels made opaque or empty"
            steps.append(Step(text, Setting.BACKGROUND))
        return image, _read_pixels(image.rgba()), new_size[0]
    steps[:] = [Step(f"scaled from {pixels.was} to {format_size(*new_size)}", Setting.FIT)]
    return image, _read_pixels(image.scale(*new_size, conversion.resampling)), new_size[0]


def _list_factors(image: Pixels) -> list[int]:
    """Return the factors by which pixel art shrinks to its own size, the largest first."""
    block, side = image.block, max(image.width, image.height)
    return [k for k in range(block, 1, -1) if not block % k and side >= _SMALLEST * k]


def _draw(
    image: Pixels, squares: _Squares, width: int, conversion: Conversion, steps: list[Step]
) -> tuple[_Squares, Rgb | None]:
    """Return the colour of each square of a scaled image, and that of its background."""
    option = conversion.background
    hex_color = None if option in (None, "auto", "transparent") else parse_color(str(option))
    background: Any = "auto" if option == "auto" else hex_color and parse_rgb(hex_color)
    old_colors = {square for square in squares if square is not None}
    adjust, defaults = conversion.adjust, conversion.defaults
    max_colors = conversion.colors or (len(old_colors) if defaults is None else defaults.max_colors)
    adjust = adjust if defaults is not None else replace(adjust, original=True)
    is_scaled = len(squares) < image.width * image.height
    is_few = len(old_colors) - (background in old_colors or background == "auto") <= max_colors
    if is_few and not (is_scaled and conversion.resampling == "auto" and defaults):
        inks = sorted(old_colors)  # all colours are kept
        adjust = replace(adjust, original=True)
        scaled = ScaledImage(squares, width, squares, inks, is_smaller=is_scaled)
    else:
        scaled = _inspect(image, squares, width, conversion, steps)
    drawn, ground = _draw_squares(scaled, adjust, background, max_colors, conversion)
    new_colors = {square for square in drawn if square not in (None, ground)}
    old_count = len(old_colors) - (ground is not None)
    suffix = " of the given piece types" if defaults is not None and defaults.palette else ""
    if old_count > len(new_colors) and new_colors:
        text = f"{old_count} colours reduced to {len(new_colors)}{suffix}"
        steps.append(Step(text, Setting.COLORS))
    elif suffix and not new_colors <= old_colors:
        steps.append(Step("colours replaced by those of the given piece types", Setting.TYPES))
    return drawn, ground


def _inspect(
    image: Pixels, squares: _Squares, width: int, conversion: Conversion, steps: list[Step]
) -> ScaledImage:
    """Return a scaled image with its analysis: inks and strokes if it is a drawing."""
    offsets = ((0, 0), (1, 0), (0, 1))
    sample, right, below = (_read_pixels(image.sample(*offset)) for offset in offsets)
    is_scaled = len(squares) < image.width * image.height
    if not conversion.defaults or image.is_dithered:
        return ScaledImage(squares, width, sample, is_smaller=is_scaled)
    neighbors = list(zip(right, below, strict=True))
    grounds = find_grounds(sample, neighbors)
    size = (width, len(squares) // width)
    strokes = Strokes(squares)
    if is_scaled and conversion.resampling == "auto" and grounds:
        strokes = draw_strokes(image.points(*size, ACROSS), squares, width, grounds)
    height = strokes.letter_height
    if 0 < height < _LEGIBLE:
        legible_size = format_size(*(round(_LEGIBLE / height * side) for side in size))
        text = f"small text or marks drawn as bars; {legible_size} makes them legible"
        steps.append(Step(text, Setting.FIT))
    inks = find_inks(sample, neighbors, strokes.inks, len(squares))
    present: Sequence[tuple[int, ...]] = ()
    if is_scaled and inks:
        present = find_present_inks(image.points(*size, COARSE), strokes.squares, width, inks)
    return ScaledImage(strokes.squares, width, sample, inks, present, is_smaller=is_scaled)


def _draw_squares(
    scaled: ScaledImage,
    adjust: Adjustments,
    background: Rgb | Literal["auto"] | None,
    max_colors: int,
    conversion: Conversion,
) -> tuple[list[Rgb | None], Rgb | None]:
    """Draw a picture in its inks or as a photo, whichever resembles the image more.

    The picture gets the colours that it needs, or fewer if printing them would take too long.
    """
    defaults = conversion.defaults
    named_colors = [] if defaults is None else sorted(map(parse_rgb, defaults.palette))
    reduction = Reduction(scaled, adjust, background, max_colors, named_colors)
    keeps_drawing = adjust.original or adjust.dither or len(scaled.pixels) > MOST_COMPARED
    if scaled.inks and not keeps_drawing:
        inkless = replace(scaled, inks=(), present=())
        photo = Reduction(inkless, adjust, background, max_colors, named_colors)
        if photo.is_better(reduction, conversion.colors):
            reduction = photo
    color_count = conversion.colors or reduction.needed
    if conversion.colors is not None or defaults is None or defaults.costs is None:
        return reduction.draw(color_count)
    for colors, smooth in _iterate_reductions(color_count):
        squares, ground = reduction.draw(colors, smooth)
        picture = _join_squares(squares, reduction.width, ground)
        if not picture.cells() or defaults.costs(picture) <= defaults.seconds:
            break
    return squares, ground


def _iterate_reductions(needed: int) -> Iterator[tuple[int, float]]:
    """Yield pairs of a number of colours and a smoothing, each cheaper to print than the last."""
    for colors in range(needed, min(needed, _FEW) - 1, -1):
        yield from ((colors, smooth) for smooth in (1.0, 2.0, 4.0))
    yield from ((colors, 8.0) for colors in range(min(needed, _FEW), 1, -1))


def _join_squares(
    squares: list[Rgb | None], width: int, ground: Rgb | None, name: str = "picture"
) -> Picture:
    """Return squares as a picture whose background is transparent."""
    colors = [None if rgb is None or rgb == ground else bytes(rgb).hex() for rgb in squares]
    rows = [tuple(colors[start : start + width]) for start in range(0, len(colors), width)]
    return Picture(tuple(reversed(rows)), name)


def _read_pixels(data: bytes) -> _Squares:
    """Return RGBA bytes as a list of colours; None for a transparent pixel."""
    alphas = data[3::4]
    # If no pixel is opaque, show all pixels that are not fully transparent
    min_alpha = _OPAQUE if not alphas or max(alphas) >= _OPAQUE else 1
    return [
        (red, green, blue) if alpha >= min_alpha else None
        for red, green, blue, alpha in zip(data[::4], data[1::4], data[2::4], alphas, strict=True)
    ]


def _is_printable(image: Pixels, conversion: Conversion) -> bool:
    """Return whether an image can be printed unchanged."""
    defaults = conversion.defaults
    if defaults is None or conversion.background not in (None, "auto", "transparent"):
        return False
    if image.half or (conversion.background == "auto" and not image.clear):
        return False
    limit = conversion.fit or _find_size_limit(image, defaults)
    if image.width > limit[0] or image.height > limit[1]:
        return False
    named_colors = set(map(parse_rgb, defaults.palette))
    if named_colors and not named_colors.issuperset(filter(None, _read_pixels(image.rgba()))):
        return False
    return image.colors <= (conversion.colors or defaults.max_colors)


def _find_size_limit(image: Pixels, defaults: DefaultLimits) -> tuple[int, int]:
    """Return the width and height up to which an image is not scaled."""
    size = (image.width, image.height)
    # An opaque image may have one more colour: the background.
    is_flat = not image.half and image.colors <= defaults.max_colors + (not image.clear)
    for limit, applies in (
        (defaults.holds, True),
        (defaults.flat, is_flat and not _list_factors(image)),
    ):
        if applies and size[0] <= limit[0] and size[1] <= limit[1]:
            return limit
    box = defaults.choose_box(size)
    larger = (max(box[0], defaults.as_is[0]), max(box[1], defaults.as_is[1]))
    if size[0] <= box[0] and size[1] <= box[1]:
        return box
    is_small = size[0] <= larger[0] and size[1] <= larger[1]
    return larger if is_small and image.is_art else box
