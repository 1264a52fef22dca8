"""Convert any image to a picture that can be printed.

:func:`~tetrisprinter.pictures.images.load_picture` takes an image as it is and refuses what a
board cannot show. Here an image is made to fit: it is cropped, scaled, and drawn in few colours,
and its background is left empty. An image that fits already is never altered.

Requested changes are made. Other changes are made only with :class:`DefaultLimits`, if the image
cannot be printed as it is. This module opens and scales images;
:mod:`~tetrisprinter.pictures.reduction` handles the small picture.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from tetrisprinter.errors import ARGUMENTS, ArgumentError, InputError, Setting
from tetrisprinter.pictures import drawings, images
from tetrisprinter.pictures.images import Box, OpenedImage
from tetrisprinter.pictures.picture import (
    PALETTES,
    Color,
    Picture,
    parse_rgb,
    read_color,
    read_palette,
)
from tetrisprinter.pictures.reduction import (
    MOST_COMPARED,
    UNADJUSTED,
    Adjustments,
    Reduction,
    Rgb,
    ScaledImage,
)
from tetrisprinter.support import LARGEST_SIDE, LazyModule, format_size, parse_size
from tetrisprinter.support.options import option, read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PIL import Image, ImageChops
else:
    Image = LazyModule("PIL.Image")
    ImageChops = LazyModule("PIL.ImageChops")

MAX_COLORS: Final = 7
_OPAQUE: Final = 128
_READ_FOR: Final = 256  # an image that is scaled to fewer pixels a side is read as for this number
_LEGIBLE: Final = 7  # the least height in squares of a line of text that can be read
_SMALLEST: Final = 8  # the least longer side, in pixels, to which enlarged pixel art is shrunk
_LONGEST: Final = 2
"""The longer side of a scaled image is at most this number of times the side of a square one."""
_MARGIN: Final = 16
"""The largest difference in a channel (of 255) between a margin and the colour of the corners.

JPEG of quality 30 to 90 changes a plain margin by at most 2. It makes rings around a disc; a limit
of 16 leaves about half of the pixels of such rings that 8 leaves.
"""


_Squares = list[Rgb | None]


@dataclass(frozen=True, slots=True)
class DefaultLimits:
    """The default limits of a conversion, for images that cannot be printed unchanged."""

    # Columns and rows to which an image is fitted, if a board was named. Otherwise an image gets as
    # many squares as this, in its own proportions, but at most twice as many on its longer side
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
    # image is drawn in fewer colours, down to ``least_colors``
    costs: Callable[[Picture], float] | None = None
    seconds: float = 15.0  # see ``costs``
    least_colors: int = 6  # see ``costs``: an image that needs this number of colours keeps it
    # Whether margins in the background's colour are scaled, too, so that pictures stay in register
    keeps_margins: bool = False

    def choose_box(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the box (width, height) into which an image of this size is scaled.

        >>> DEFAULT_LIMITS.choose_box((4000, 3000)), DEFAULT_LIMITS.choose_box((900, 300))
        ((55, 42), (83, 28))
        >>> DefaultLimits((9, 20), (9, 20)).choose_box((9, 90))
        (9, 20)
        """
        width, height = self.side
        if width != height or any(self.holds):  # the sides of a board
            return self.side
        scale = min(width / math.sqrt(size[0] * size[1]), _LONGEST * width / max(size))
        return max(1, round(scale * size[0])), max(1, round(scale * size[1]))


DEFAULT_LIMITS: Final = DefaultLimits()


def _read_fit(value: object) -> tuple[int, int]:
    """Read the largest size: ``64``, ``(64, 48)`` or ``"64x48"``."""
    size: Any = (value, value) if type(value) is int else value
    if isinstance(value, str):
        size = parse_size(value)
    is_pair = isinstance(size, tuple | list) and len(size) == 2
    if not (is_pair and all(isinstance(n, int) and n > 0 for n in size)):
        raise InputError(
            f"invalid size {value!r}; expected a size such as 64x64, up to "
            f"{LARGEST_SIDE}x{LARGEST_SIDE}"
        )
    return size[0], size[1]


def _read_background(value: object) -> str:
    """Read the colour that is left empty, ``"auto"`` or ``"transparent"``."""
    if not isinstance(value, str):
        raise ArgumentError(f"expected a colour, got {type(value).__name__}")
    if value in ("auto", "transparent"):
        return value
    try:
        return parse_color(value)
    except InputError as error:
        raise InputError(f"{error}, or auto or transparent") from error


def _read_crop(value: object) -> Box:
    """Read a rectangle of an image, from text or four numbers."""
    if isinstance(value, str):
        return images.parse_crop(value)
    if isinstance(value, tuple | list) and len(value) == 4 and all(type(n) is int for n in value):
        return value[0], value[1], value[2], value[3]
    raise InputError(f"invalid part {value!r}; expected (left, top, width, height) in pixels")


def _read_palette(value: object) -> tuple[Color, ...]:
    """Read a palette: its name, its file, or its colours."""
    if isinstance(value, str | PathLike):
        return read_palette(fspath(value))
    if not isinstance(value, Iterable):
        raise ArgumentError(f"expected a palette or colours, got {type(value).__name__}")
    return tuple(map(parse_color, value))


@dataclass(frozen=True, slots=True)
class Conversion:
    """The options of a conversion; the options of ``adjust`` belong to them.

    Attributes
    ----------
    defaults : DefaultLimits or None
        The limits of an image that cannot be printed as it is, unless an option sets a limit.
        None: no limits, and no change without an option.
    adjust : Adjustments
        How to change tone and edges of an image that is scaled or has too many colours.
    """

    fit: tuple[int, int] | None = option(
        None,
        "Scale a larger image down to at most this size. "
        f"[default: about {math.prod(DEFAULT_LIMITS.side):,} squares, unless the image can be "
        "printed unchanged]",
        _read_fit,
        "WxH",
        "int, (int, int) or str",
    )
    colors: int | None = option(
        None,
        "The number of colours, not counting the background. [default: as many as the image needs, "
        f"up to {MAX_COLORS}]",
        read_whole(1, MAX_COLORS),
        f"1..{MAX_COLORS}",
        "int",
    )
    background: str | None = option(
        None,
        "The colour that is left empty, beside transparent pixels; auto: the colour that at least "
        "half of the border has; transparent: none. [default: auto, unless the image can be "
        "printed unchanged]",
        _read_background,
        "COLOUR|auto|transparent",
        "str",
    )
    frame: int | None = option(
        None,
        "The frame of an animated image, from 0. [default: the first that is not blank]",
        read_whole(0),
        "N",
        "int",
    )
    defaults: DefaultLimits | None = None
    adjust: Adjustments = UNADJUSTED
    crop: Box | None = option(
        None,
        "Print a part of the image: size and offset in pixels, e.g. 300x200+40+10 (in Python also "
        "left, top, width and height).",
        _read_crop,
        "WxH+X+Y",
        "str or (int, int, int, int)",
    )
    palette: tuple[Color, ...] = option(
        (),
        "The only colours of the picture, beside its background: "
        f"{', '.join(PALETTES)}, or a .gpl, .hex, .pal or .act file (in Python also colours). "
        "[default: any colours]",
        _read_palette,
        "NAME|FILE",
        "str or iterable of str",
    )

    @property
    def named_colors(self) -> list[Rgb]:
        """The only colours that are allowed: those of named piece types, or of the palette."""
        types = () if self.defaults is None else sorted(self.defaults.palette)
        return [parse_rgb(color) for color in types or self.palette]

    @property
    def is_strict(self) -> bool:
        """Whether the image must be printable unchanged, apart from the choice of a frame."""
        requests = (self.fit, self.colors, self.background, self.defaults)
        return all(one is None for one in requests) and not self.palette


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
    color = read_color(text.strip())
    if color is not None:
        return color
    from PIL import ImageColor  # the page has no Pillow; its colours are never names

    name = text.strip().lower()
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
    if fit is not None:  # one reading serves all small sizes
        fit = (max(*fit, _READ_FOR),) * 2
    settings = name, options.frame, fit, options.crop
    # The same file is read again for each smaller version, which for a large file takes seconds.
    opened = (
        _open_file_once(str(file), *settings, _stamp(Path(file)))
        if isinstance(file, str | Path) and Path(file).is_file()
        else images.open_image(file, *settings)
    )
    steps = [Step(notice, Setting.FILE) for notice in opened.notices]
    if opened.frames > 1 and options.frame is None:
        text = f"frame {opened.frame} of {opened.frames}; `slideshow` prints all"
        steps.append(Step(text, Setting.FRAME))
    with images.silence_pillow():
        image = _remove_noise(opened.image, options, steps)
        pixels = Pixels(image, format_size(*opened.size))
        return convert_pixels(pixels, options, name, steps)


@functools.lru_cache(maxsize=1)
def _open_file_once(
    path: str,
    name: str,
    frame: int | None,
    fit: tuple[int, int] | None,
    crop: Box | None,
    stamp: tuple[int, ...],
) -> OpenedImage:
    """Open an image file; a file that is opened again is read again only if it changed."""
    return images.open_image(path, name, frame, fit, crop)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return numbers that change when a file is written."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


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
    steps: list[Step] = []
    images.check_pixel_count(image, name, (1, 1))
    with images.silence_pillow():
        rgba = images.as_rgba(image)
        if conversion.crop is not None:
            rgba, was = images.crop_image(rgba, rgba.size, conversion.crop, name), ""
        if rgba.info.get(images.BROKEN_PROFILE):
            steps.append(Step(images.BROKEN_PROFILE, Setting.FILE))
        pixels = Pixels(_remove_noise(rgba, conversion, steps), was)
        return convert_pixels(pixels, conversion, name, steps)


def _remove_noise(image: Image.Image, conversion: Conversion, steps: list[Step]) -> Image.Image:
    """Return an image without colours that nobody can tell apart, unless it has to stay."""
    import numpy as np

    from tetrisprinter.pictures.compression import count_colors, remove_noise

    if conversion.defaults is None or conversion.adjust.original:
        return image
    cleaned = remove_noise(np.asarray(image))
    if cleaned is None:
        return image
    before, after = count_colors(np.asarray(image)), count_colors(cleaned)
    if before == after:  # the noise is below transparent pixels
        return image
    steps.append(Step(f"{before} colours that look alike merged into {after}", Setting.COLORS))
    return Image.fromarray(cleaned, "RGBA")


def convert_pixels(
    pixels: Pixels, conversion: Conversion, name: str, done: Sequence[Step] = ()
) -> ConvertedPicture:
    """Convert an image of Pillow or of a browser; ``done`` are the steps before."""
    if conversion.is_strict or (conversion.adjust.is_default and _is_printable(pixels, conversion)):
        picture = images.make_picture(pixels.rgba(), pixels.width, name)
        return ConvertedPicture(picture, steps=tuple(done))
    steps: list[Step] = []
    background = conversion.background
    is_background_open = background in (None, "auto")
    if conversion.defaults is not None and is_background_open:
        # Transparent pixels are the background, even if all of them are cropped later.
        background = "transparent" if pixels.clear else "auto"
    may_crop = background == "auto"
    image, squares, width, margin = _scale(pixels, conversion, may_crop, steps)
    if margin is not None:
        background = bytes(margin).hex()
    if not any(squares):  # a colour is a tuple, which is never false
        raise images.make_blank_error(name)
    squares, ground = _draw(image, squares, width, conversion, background, steps)
    picture = _join_squares(squares, width, ground, name).trim()
    emptied = None if ground is None else bytes(ground).hex()
    if emptied is not None:
        steps.append(Step(f"{emptied} left empty", Setting.BACKGROUND))
    if not picture.rows:
        if ground is not None and conversion.defaults is not None and is_background_open:
            # Everything counts as background, so print it as the picture.
            return convert_pixels(pixels, replace(conversion, background="transparent"), name, done)
        raise InputError(f"{name}: only background; nothing to print")
    return ConvertedPicture(picture, emptied, (*done, *steps))


def _scale(
    pixels: Pixels, conversion: Conversion, may_crop: bool, steps: list[Step]
) -> tuple[Pixels, _Squares, int, Rgb | None]:
    """Return the image that is drawn, its colours in the final size, its columns, and its ground.

    With ``may_crop``, margins of one colour are cut off. The ground is their colour, or None.
    """
    defaults, image = conversion.defaults, pixels
    fit = conversion.fit or (
        (image.width, image.height) if defaults is None else _find_size_limit(image, defaults)
    )
    ground = None
    if image.width > fit[0] or image.height > fit[1]:
        if defaults is not None:
            ground = _find_margin(image, conversion) if may_crop else None
            cropped = image.crop_visible(ground)
            if (cropped.width, cropped.height) == (image.width, image.height):
                ground = None
            image = cropped
            fit = conversion.fit or _find_size_limit(image, defaults)
        factors = _list_factors(image)
        if defaults is None or conversion.fit is not None:  # shrink no more than required
            factors = [
                k
                for k in range(2, image.block + 1)
                if not image.block % k and image.width <= k * fit[0] and image.height <= k * fit[1]
            ]
        if factors:
            # The file may have been shrunk by another factor while it was read.
            factor = factors[0] * round(int(pixels.was.partition("x")[0]) / pixels.width)
            steps.append(Step(f"shrunk by a factor of {factor}", Setting.FIT))
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
        return image, _read_pixels(image.rgba()), new_size[0], ground
    steps[:] = [Step(f"scaled from {pixels.was} to {format_size(*new_size)}", Setting.FIT)]
    squares = _read_pixels(image.scale(*new_size))
    return image, squares, new_size[0], ground


def _find_margin(image: Pixels, conversion: Conversion) -> Rgb | None:
    """Return the colour of all four corners of an opaque image, if its margins may be cut off."""
    defaults = conversion.defaults
    if (
        defaults is None
        or defaults.keeps_margins
        or conversion.frame is not None  # all frames are cut alike
        or image.block > 1  # pixel art shows where it stands on the board
    ):
        return None
    sample = _read_pixels(image.sample(0, 0))
    columns = _choose_sample_size(image.width, image.height)[0]
    corners = [sample[0], sample[columns - 1], sample[-columns], sample[-1]]
    first = corners[0]
    for corner in corners:
        if first is None or corner is None:
            return None
        if any(abs(a - b) > _MARGIN for a, b in zip(first, corner, strict=True)):
            return None
    return first


def _choose_sample_size(width: int, height: int) -> tuple[int, int]:
    """Return the columns and rows of pixels that are examined of an image."""
    scale = min(1.0, math.sqrt(_SAMPLE / (width * height)))
    return max(1, round(scale * width)), max(1, round(scale * height))


def _list_factors(image: Pixels) -> list[int]:
    """Return the factors by which pixel art shrinks to its own size, the largest first."""
    block, side = image.block, max(image.width, image.height)
    return [k for k in range(block, 1, -1) if not block % k and side >= _SMALLEST * k]


def _draw(
    image: Pixels,
    squares: _Squares,
    width: int,
    conversion: Conversion,
    background_option: str | None,
    steps: list[Step],
) -> tuple[_Squares, Rgb | None]:
    """Return the colour of each square of a scaled image, and that of its background."""
    background: Rgb | Literal["auto"] | None = None
    if background_option == "auto":
        background = "auto"
    elif background_option is not None and background_option != "transparent":
        background = parse_rgb(parse_color(background_option))
    old_colors = {square for square in squares if square is not None}
    adjust, defaults = conversion.adjust, conversion.defaults
    max_colors = conversion.colors or (len(old_colors) if defaults is None else defaults.max_colors)
    is_scaled = len(squares) < image.width * image.height
    is_few = len(old_colors) - (background in old_colors or background == "auto") <= max_colors
    keeps_all = is_few and not (is_scaled and defaults)
    if keeps_all or defaults is None:
        adjust = replace(adjust, original=True)
    if keeps_all:
        scaled = ScaledImage(squares, width, squares, sorted(old_colors), is_smaller=is_scaled)
    else:
        scaled = _inspect(image, squares, width, conversion, steps)
    drawn, ground = _draw_squares(scaled, adjust, background, max_colors, conversion)
    new_colors = {square for square in drawn if square not in (None, ground)}
    # The colours of pixel art are counted before scaling mixes them
    old_count = image.colors if scaled.is_plain else len(old_colors)
    old_count -= ground is not None
    has_types = defaults is not None and defaults.palette
    owner = "given piece types" if has_types else "palette"
    suffix = f" of the {owner}" if conversion.named_colors else ""
    if old_count > len(new_colors) and new_colors:
        text = f"{old_count} colours reduced to {len(new_colors)}{suffix}"
        steps.append(Step(text, Setting.COLORS))
    elif suffix and not new_colors <= old_colors:
        setting = Setting.TYPES if has_types else Setting.COLORS
        steps.append(Step(f"colours replaced by those of the {owner}", setting))
    return drawn, ground


def _inspect(
    image: Pixels, squares: _Squares, width: int, conversion: Conversion, steps: list[Step]
) -> ScaledImage:
    """Return a scaled image with its analysis: inks and strokes if it is a drawing."""
    offsets = ((0, 0), (1, 0), (0, 1))
    sample, right, below = (_read_pixels(image.sample(*offset)) for offset in offsets)
    is_scaled = len(squares) < image.width * image.height
    if not conversion.defaults:
        return ScaledImage(squares, width, sample, is_smaller=is_scaled)
    # A sprite of this size has outlines and eyes that look like dithering
    is_sprite = max(image.width, image.height) <= max(conversion.defaults.as_is)
    if image.is_dithered and not is_sprite:
        return ScaledImage(squares, width, sample, is_smaller=is_scaled)
    neighbors = list(zip(right, below, strict=True))
    grounds = drawings.find_grounds(sample, neighbors)
    size = (width, len(squares) // width)
    stroke_colors: Sequence[Rgb] = ()
    letter_height = 0.0
    drawn: Sequence[Rgb | None] = squares
    if is_scaled and grounds:
        points = image.points(*size, drawings.ACROSS)
        drawn, stroke_colors, letter_height = drawings.draw_strokes(points, squares, width, grounds)
    if 0 < letter_height < _LEGIBLE:
        legible_size = format_size(*(round(_LEGIBLE / letter_height * side) for side in size))
        text = f"small text or marks drawn as bars; {legible_size} makes them legible"
        steps.append(Step(text, Setting.FIT))
    inks = drawings.find_inks(sample, neighbors, stroke_colors, len(squares))
    tones: Sequence[Rgb] = drawings.find_tones(sample, neighbors, inks)
    if is_scaled and is_sprite and image.colors <= MAX_COLORS + 1:
        # Pixel art with few patches: mixtures would be colours that its maker did not choose
        counts = Counter(pixel for pixel in sample if pixel is not None)
        tones = sorted(counts, key=lambda color: (-counts[color], color))
        art = (_read_pixels(image.rgba()), image.width)
        drawn = drawings.keep_details(*art, squares, width, tones)
    inks = list(tones) or inks
    present: Sequence[tuple[int, ...]] = ()
    if is_scaled and inks:
        present = drawings.find_present_inks(
            image.points(*size, drawings.COARSE), drawn, width, inks
        )
    return ScaledImage(
        drawn, width, sample, inks, present, is_smaller=is_scaled, is_plain=bool(tones)
    )


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
    named_colors = conversion.named_colors
    names_ground = bool(named_colors) and not (defaults is not None and defaults.palette)
    limits = adjust, background, max_colors, named_colors, names_ground
    reduction = Reduction(scaled, *limits)
    keeps_drawing = adjust.original or adjust.dither or len(scaled.pixels) > MOST_COMPARED
    if scaled.inks and not keeps_drawing and not scaled.is_plain:
        inkless = ScaledImage(
            scaled.pixels, scaled.width, scaled.sample, is_smaller=scaled.is_smaller
        )
        photo = Reduction(inkless, *limits)
        if photo.is_better(reduction, conversion.colors):
            reduction = photo
    color_count = conversion.colors or reduction.needed
    if conversion.colors is not None or defaults is None or defaults.costs is None:
        return reduction.draw(color_count)
    for colors in range(color_count, min(color_count, defaults.least_colors) - 1, -1):
        squares, ground = reduction.draw(colors)
        picture = _join_squares(squares, reduction.width, ground)
        if not picture.cells() or defaults.costs(picture) <= defaults.seconds:
            break
    return squares, ground


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
    named_colors = set(conversion.named_colors)
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


# The image that is converted, in Pillow; the web page replaces every method by the browser's.
# Enlarged pixel art consists of equal blocks of pixels, so it is shrunk without loss. Any other
# image is averaged (Lanczos).

_ART_COLORS: Final = 32  # an image with at most this number of colours may be pixel art
_COUNTED: Final = 300  # the colours of an image are counted up to this number

_SPECKLED: Final = 0.04
"""An image is dithered if more than this share of its pixels differ from all neighbours."""

_SAMPLE: Final = 4096  # about this number of pixels of an image is examined


class Pixels:
    """An RGBA image of Pillow that is going to be converted; the page has a subclass of its own."""

    def __init__(self, image: Image.Image, was: str = "") -> None:
        self.width, self.height = image.size
        self.was = was or format_size(*image.size)  # the original size as text, as in 4000x3000
        alpha = image.getchannel("A")
        alphas = alpha.histogram()
        self.clear, self.half = alphas[0], sum(alphas[1:255])  # transparent pixels, and half ones
        if self.clear:  # the colours that a cut-out leaves there would hide blocks and few colours
            image = image.copy()
            image.paste((0, 0, 0, 0), mask=alpha.point([255] + 255 * [0]))
        self._image = image

    @functools.cached_property
    def block(self) -> int:
        """The side in pixels of the one-coloured blocks of enlarged pixel art, or 1."""
        return images.find_block_side(self._image)

    @functools.cached_property
    def colors(self) -> int:
        """The number of colours; counting stops at some hundreds."""
        counts = self._image.getcolors(_COUNTED)
        if counts is None:
            return _COUNTED
        return len({color[:3] for _, color in counts if color[3]})  # type: ignore[index]

    @functools.cached_property
    def _has_few_colors(self) -> bool:
        """Whether the image may be pixel art, as far as its colours tell."""
        return self._image.getcolors(_ART_COLORS) is not None

    @functools.cached_property
    def is_dithered(self) -> bool:
        """Whether the image has few colours and many pixels unlike all four neighbours."""
        if not self._has_few_colors or min(self.width, self.height) < 3:
            return False
        across = _compare_with_neighbors(self._image, 1, 0)
        down = _compare_with_neighbors(self._image, 0, 1)
        size = (self.width - 2, self.height - 2)
        corners = ((across, 0, 1), (across, 1, 1), (down, 1, 0), (down, 1, 1))
        unlike_all = functools.reduce(
            ImageChops.darker,
            (part.crop((x, y, x + size[0], y + size[1])) for part, x, y in corners),
        )
        return 1 - unlike_all.histogram()[0] / (size[0] * size[1]) > _SPECKLED

    @functools.cached_property
    def is_art(self) -> bool:
        """Whether the image has few colours and is not dithered."""
        return self._has_few_colors and not self.is_dithered

    def rgba(self) -> bytes:
        """Return the image as RGBA."""
        return self._image.tobytes()

    def crop_visible(self, ground: Rgb | None) -> Pixels:
        """Return the smallest rectangle with all visible pixels that differ from a ground."""
        shown = self._image.getchannel("A")
        if ground is not None:
            paper = Image.new("RGB", self._image.size, ground)
            differences = ImageChops.difference(self._image.convert("RGB"), paper).split()
            shown = functools.reduce(ImageChops.lighter, differences).point(
                [255 * (value > _MARGIN) for value in range(256)]
            )
        box = shown.getbbox()
        if box is None:
            return self
        cropped = Pixels(self._image.crop(box), self.was)
        cropped.is_dithered = self.is_dithered  # soft edges look so without the margins
        return cropped

    def shrink(self, k: int) -> Pixels:
        """Shrink the image by a factor: keep the middle pixel of each block of k x k."""
        size = (self.width // k, self.height // k)
        return Pixels(self._image.resize(size, Image.Resampling.NEAREST), self.was)

    def scale(self, width: int, height: int) -> bytes:
        """Scale the image; return the result as RGBA."""
        small = self._average((width, height), Image.Resampling.LANCZOS)
        # Average the transparency, too: so an outline lies where half of a square is covered.
        alphas = self._image.getchannel("A").resize((width, height), Image.Resampling.LANCZOS)
        small.putalpha(alphas)
        return small.tobytes()

    def _average(self, size: tuple[int, int], filter_: Image.Resampling) -> Image.Image:
        """Scale premultiplied colours, so that colours of transparent pixels do not bleed in."""
        return self._image.convert("RGBa").resize(size, filter_).convert("RGBA")

    def sample(self, right: int, down: int) -> bytes:
        """Return some thousand pixels as RGBA, or the pixels at an offset from these pixels."""
        image = self._image
        size = _choose_sample_size(self.width, self.height)
        if right < self.width and down < self.height and (right or down):
            moved = image.crop((right, down, *image.size))
            image = image.copy()  # the last column and row are their own neighbours
            image.paste(moved)
        return image.resize(size, Image.Resampling.NEAREST).tobytes()

    def points(self, width: int, height: int, most: int) -> bytes:
        """Return points of each square of a smaller picture, up to ``most`` a side, as RGBA."""
        across = min(most, -(-self.width // width))
        sampled_size = (across * width, across * height)
        if self.width > 2 * sampled_size[0]:
            return self._average(sampled_size, Image.Resampling.BOX).tobytes()
        return self._image.resize(sampled_size, Image.Resampling.NEAREST).tobytes()


def _compare_with_neighbors(image: Image.Image, right: int, down: int) -> Image.Image:
    """Return a grey image that is black where a pixel equals the pixel at an offset."""
    moved = image.crop((right, down, *image.size))
    own = image.crop((0, 0, image.width - right, image.height - down))
    return functools.reduce(ImageChops.lighter, ImageChops.difference(own, moved).split())


def fit_size(size: tuple[int, int], fit: tuple[int, int]) -> tuple[int, int]:
    """Return the largest size with the same proportions that fits into a box.

    >>> fit_size((300, 200), (48, 48)), fit_size((9, 9), (48, 48))
    ((48, 32), (9, 9))
    """
    scale = min(1.0, fit[0] / size[0], fit[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
