"""Any image -> a picture that can be printed.

:func:`~tetrisprinter.pictures.images.load_picture` takes an image as it is and refuses what a
board cannot show. Here an image is made to fit: cropped, scaled, and drawn in few colours, its
background left empty. An image that fits already is never altered.

What is requested is done. What is not named is left alone, or, where *usual* ways are given,
done only if the image cannot be printed as it is: see :class:`Usual`. Opening and scaling are
here; what happens to the small picture is in :mod:`~tetrisprinter.pictures.reduction`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from tetrisprinter.errors import ARGUMENTS, InputError, Setting
from tetrisprinter.pictures.images import Box, as_rgba, crop_image, open_image, picture_of
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
from tetrisprinter.pictures.scaling import (
    Resampling,
    has_dither,
    is_pixel_art,
    resize,
    sample_pixels,
    shrink_pixel_art,
    shrunk,
    size_within,
)
from tetrisprinter.pictures.squares import Rgb
from tetrisprinter.pictures.strokes import Strokes, draw_strokes, find_present
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PIL import Image

__all__ = [
    "USUAL",
    "Adjustments",
    "Conversion",
    "Converted",
    "Resampling",
    "Step",
    "Usual",
    "convert_image",
    "draw_squares",
    "join_squares",
    "parse_color",
    "read_image",
]

MAX_COLORS: Final = 7
_OPAQUE: Final = 128
_FEW: Final = 5
"""A photo that takes long to print is smoothed before it has fewer colours than this."""
_LEGIBLE: Final = 7
"""Squares that a line of text is high, at least, where it can be read."""
_LONG: Final = 4
"""So many times as long as wide is a banner."""


@dataclass(frozen=True, slots=True)
class Usual:
    """The default limits of a conversion, for images that cannot be printed unchanged."""

    # Columns and rows to which an image is fitted. Banners, more than four times as long as wide,
    # may be up to twice as long, so that something is left to be seen
    side: tuple[int, int] = (48, 48)
    as_is: tuple[int, int] = (64, 64)  # pixel art of up to this size is not scaled
    # An image of up to this size that has no more than ``most`` colours and nothing half
    # transparent is not scaled, unless it is enlarged pixel art
    flat: tuple[int, int] = (128, 128)
    # Any image of up to this size is not scaled: the size of a board that was named
    holds: tuple[int, int] = (0, 0)
    # An image with at most this number of colours keeps them. Any other gets as many as it
    # needs, up to this number
    most: int = MAX_COLORS
    # The colours of named piece types: an image gets no others. Empty: any colours
    palette: frozenset[Color] = frozenset()
    # About how many seconds the plan of a picture takes. Where it takes more than ``seconds``, a
    # photo is drawn smoother and in fewer colours
    costs: Callable[[Picture], float] | None = None
    seconds: float = 15.0  # see ``costs``

    def box(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the size to which an image of some size is scaled.

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
        Which frame of an animated image, from 0. None: the first, which is said.
    usual : Usual or None
        What is done, where nothing is said, to an image that cannot be printed as it is.
        None: nothing.
    adjust : Adjustments
        What is done to tone and edges of an image that is scaled or has too many colours.
    crop : (int, int, int, int) or None
        Left, top, width and height in pixels of the part that is converted.
    """

    fit: tuple[int, int] | None = None
    resampling: Resampling = "auto"
    colors: int | None = None
    background: str | None = None
    frame: int | None = None
    usual: Usual | None = None
    adjust: Adjustments = UNADJUSTED
    crop: Box | None = None

    @property
    def is_strict(self) -> bool:
        """Whether the image must be printable unchanged, apart from the choice of a frame."""
        asked = (self.fit, self.colors, self.background, self.usual)
        return all(one is None for one in asked)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a conversion, with the option that changes it."""

    text: str
    setting: Setting

    @property
    def argument(self) -> str:
        """The option of this step as an argument of the library."""
        return ARGUMENTS.get(self.setting, str(self.setting))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Step {self.text} ({self.argument})>"


@dataclass(frozen=True, slots=True)
class Converted:
    """A picture and the steps of its conversion."""

    picture: Picture  # trimmed; the background is transparent in it
    background: Color | None = None  # the colour that was taken for background
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
) -> Converted:
    """Read an image and convert it."""
    how = conversion or Conversion()
    name = name or str(file)
    room = how.fit or (None if how.usual is None else how.usual.as_is)
    opened = open_image(file, name, how.frame or 0, room, how.crop)
    converted = _convert(opened.image, how, name, opened.size)
    if opened.frames == 1 or how.frame is not None:
        return converted
    step = Step(f"frame 0 of {opened.frames}; `slideshow` prints all", Setting.FRAME)
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
    if conversion.crop is not None:
        rgba, size = crop_image(rgba, rgba.size, conversion.crop, name), None
    return _convert(rgba, conversion, name, size or rgba.size)


def _convert(rgba: Image.Image, how: Conversion, name: str, size: tuple[int, int]) -> Converted:
    if how.is_strict or (how.adjust.is_default and _is_printable(rgba, how)):
        return Converted(picture_of(rgba, name))
    steps: list[Step] = []
    is_open = how.background in (None, "auto")
    if how.usual is not None and is_open:
        # What is transparent is the background, even if its margins are cut off now.
        how = replace(how, background="transparent" if _has_transparent(rgba) else "auto")
    image, small = _scale(rgba, how, size, steps)
    pixels, ground = _draw(image, small, how, steps)
    picture = join_squares(pixels, small.width, ground, name).trim()
    background = None if ground is None else bytes(ground).hex()
    if background is not None:
        steps.append(Step(f"{background} left empty", Setting.BACKGROUND))
    if not picture.rows:
        if ground is not None and how.usual is not None and is_open:
            # All of it is background: then it is the figure.
            return _convert(rgba, replace(how, background="transparent"), name, size)
        raise InputError(f"{name}: only background; nothing to print")
    return Converted(picture, background, tuple(steps))


def _has_transparent(rgba: Image.Image) -> bool:
    return bool(rgba.getchannel("A").histogram()[0])


def _scale(
    rgba: Image.Image, how: Conversion, size: tuple[int, int], steps: list[Step]
) -> tuple[Image.Image, Image.Image]:
    """Return the part of an image that is drawn, in its own size and in the final one."""
    usual = how.usual
    fit = how.fit or (rgba.size if usual is None else _room(rgba, usual))
    image = rgba
    if rgba.width > fit[0] or rgba.height > fit[1]:
        if usual is not None:
            image = rgba.crop(rgba.getchannel("A").getbbox())
        if how.resampling != "area":
            lossless = usual is not None and how.fit is None
            image, said = shrunk(image) if lossless else shrink_pixel_art(image, fit)
            if said:
                steps.append(Step(said, Setting.FIT))
                fit = how.fit or (image.size if usual is None else _room(image, usual))
    new = size_within(image.size, fit)
    if new == image.size:
        half = sum(image.getchannel("A").histogram()[1:255])
        if half:
            steps.append(
                Step(f"{half} half-transparent pixels made opaque or empty", Setting.BACKGROUND)
            )
        return image, image
    steps[:] = [Step(f"scaled from {format_size(*size)} to {format_size(*new)}", Setting.FIT)]
    return image, resize(image, new, how.resampling)


def _draw(
    image: Image.Image, small: Image.Image, how: Conversion, steps: list[Step]
) -> tuple[list[Rgb | None], Rgb | None]:
    """Return the colour of each square of a scaled image, and that of its background."""
    wanted = how.background
    fixed = None if wanted in (None, "auto", "transparent") else parse_color(str(wanted))
    background: Any = "auto" if wanted == "auto" else fixed and parse_rgb(fixed)
    pixels = _pixels_of(small)
    known = {pixel for pixel in pixels if pixel is not None}
    most = how.colors or (len(known) if how.usual is None else how.usual.most)
    adjust = how.adjust if how.usual is not None else replace(how.adjust, original=True)
    is_scaled = small is not image
    is_few = len(known) - (background in known or background == "auto") <= most
    if is_few and not (is_scaled and how.resampling == "auto" and how.usual):
        inks = sorted(known)  # all of them are kept
        adjust = replace(adjust, original=True)
        scaled = ScaledImage(pixels, small.width, pixels, inks, is_smaller=is_scaled)
    else:
        scaled = _inspect(image, small, how, steps)
    squares, ground_color = draw_squares(scaled, adjust, background, most, how)
    drawn = {square for square in squares if square not in (None, ground_color)}
    before = len(known) - (ground_color is not None)
    named = " of the named types" if how.usual is not None and how.usual.palette else ""
    if before > len(drawn) and drawn:
        steps.append(Step(f"{before} colours reduced to {len(drawn)}{named}", Setting.COLORS))
    elif named and not drawn <= known:
        steps.append(Step("colours replaced by those of the named types", Setting.TYPES))
    return squares, ground_color


def _inspect(
    image: Image.Image, small: Image.Image, how: Conversion, steps: list[Step]
) -> ScaledImage:
    """Return a scaled image with its analysis: inks and strokes if it is a drawing."""
    sample, right, below = map(_pixels_of, sample_pixels(image))
    is_scaled = small is not image
    if not how.usual or has_dither(image):
        return ScaledImage(_pixels_of(small), small.width, sample, is_smaller=is_scaled)
    beside = list(zip(right, below, strict=True))
    drawn = Strokes(small)
    grounds = find_grounds(sample, beside)
    if is_scaled and how.resampling == "auto" and grounds:
        drawn = draw_strokes(image, small, grounds)
    if 0 < drawn.letters < _LEGIBLE:
        enough = [round(_LEGIBLE / drawn.letters * side) for side in small.size]
        steps.append(
            Step(f"small text drawn as bars, legible at {format_size(*enough)}", Setting.FIT)
        )
    squares = small.width * small.height
    inks = find_inks(sample, beside, drawn.inks, squares, drawn.mixtures)
    present = find_present(image, drawn.image, inks) if is_scaled and inks else ()
    return ScaledImage(
        _pixels_of(drawn.image), small.width, sample, inks, present, is_smaller=is_scaled
    )


def draw_squares(
    scaled: ScaledImage,
    adjust: Adjustments,
    background: Rgb | Literal["auto"] | None,
    most: int,
    how: Conversion,
) -> tuple[list[Rgb | None], Rgb | None]:
    """Draw a picture in its inks or as a photo, whichever is nearer to its image.

    It has as many colours as it needs and its print can afford.
    """
    named = [] if how.usual is None else sorted(map(parse_rgb, how.usual.palette))
    reduction = Reduction(scaled, adjust, background, most, named)
    plain = adjust.original or adjust.dither or len(scaled.pixels) > MOST_COMPARED
    if scaled.inks and not plain:
        photo = Reduction(replace(scaled, inks=(), present=()), adjust, background, most, named)
        if photo.is_better(reduction, how.colors):
            reduction = photo
    usual, needed = how.usual, how.colors or reduction.needed
    if how.colors is not None or usual is None or usual.costs is None:
        return reduction.draw(needed)
    for colors, smooth in _ways(needed):
        squares, ground = reduction.draw(colors, smooth)
        picture = join_squares(squares, reduction.width, ground)
        if not picture.cells() or usual.costs(picture) <= usual.seconds:
            break
    return squares, ground


def _ways(needed: int) -> Iterator[tuple[int, float]]:
    """Yield numbers of colours with degrees of smoothing, each cheaper to print than the last."""
    for colors in range(needed, min(needed, _FEW) - 1, -1):
        yield from ((colors, smooth) for smooth in (1.0, 2.0, 4.0))
    yield from ((colors, 8.0) for colors in range(min(needed, _FEW), 1, -1))


def join_squares(
    squares: list[Rgb | None], width: int, ground: Rgb | None, name: str = "picture"
) -> Picture:
    """Return squares as a picture whose background is transparent."""
    colors = [None if rgb is None or rgb == ground else bytes(rgb).hex() for rgb in squares]
    rows = [tuple(colors[at : at + width]) for at in range(0, len(colors), width)]
    return Picture(tuple(reversed(rows)), name)


def _pixels_of(rgba: Image.Image) -> list[Rgb | None]:
    """Return the pixels of an image row by row from the top; None where it is transparent."""
    data = rgba.tobytes()
    alphas = data[3::4]
    least = (
        _OPAQUE if not alphas or max(alphas) >= _OPAQUE else 1
    )  # a shadow is better than nothing
    return [
        (red, green, blue) if alpha >= least else None
        for red, green, blue, alpha in zip(data[::4], data[1::4], data[2::4], alphas, strict=True)
    ]


def _is_printable(rgba: Image.Image, conversion: Conversion) -> bool:
    """Return whether an image can be printed unchanged, without loading a heavy library."""
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
    if usual.palette and not seen <= set(map(parse_rgb, usual.palette)):
        return False
    return alphas <= {0, 255} and len(seen) <= (conversion.colors or usual.most)


def _is_flat(rgba: Image.Image, most: int) -> bool:
    """Return whether an image has few colours and no half-transparent pixels."""
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
