"""Any image -> a picture that can be printed.

:func:`~tetrisprinter.pictures.picture.load_picture` takes an image as it is and refuses what a
board cannot show. Here an image is made to fit on request: scaled, its colours reduced,
its background left empty. The order matters: the image is scaled first, because scaling a
photo makes new colours; then what is half transparent is decided; then the background is
found, because it does not count as a colour; then colours are reduced. Every step leaves
alone what fits already: an image that is small enough is not scaled, one with few enough
colours keeps them exactly.

Scaling. Pixel art is scaled by picking pixels, photos by averaging areas. An image is
taken for pixel art if it has few colours, or if it consists of equal blocks of k x k
pixels, that is, pixel art that somebody enlarged; then it is first of all shrunk by a
divisor of k, which loses nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from tetrisprinter.errors import InputError, Remedy, Thing
from tetrisprinter.pictures.picture import MAX_PIXELS, Color, Picture, load_picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

__all__ = [
    "Conversion",
    "Converted",
    "Resampling",
    "convert_image",
    "parse_color",
    "read_image",
    "scaled",
]

Resampling = Literal["auto", "nearest", "area"]

PIXEL_ART_COLORS: Final = 32
"""An image with at most so many colours counts as pixel art."""

MAX_COLORS: Final = 7
_MAX_SCALED: Final = 100_000_000
_OPAQUE: Final = 128
_BORDER_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Conversion:
    """What may be done to an image.

    Attributes
    ----------
    fit : (int, int) or None
        Largest width and height; the proportions are kept. None: do not scale.
    resampling : {"auto", "nearest", "area"}
        How to scale; auto looks at the image.
    colors : int or None
        Largest number of colours, not counting the background. None: keep all.
    dither : bool
        Whether reducing colours spreads the error over the neighbours (Floyd-Steinberg).
    background : str or None
        What stays empty beside transparent pixels: a colour as ``rrggbb``, ``"auto"`` (the
        colour that at least half of the border has, if nothing is transparent),
        ``"transparent"`` or None (nothing else).
    frame : int
        Which frame of an animated image, from 0.
    """

    fit: tuple[int, int] | None = None
    resampling: Resampling = "auto"
    colors: int | None = None
    dither: bool = False
    background: str | None = None
    frame: int = 0

    @property
    def is_strict(self) -> bool:
        """Whether the image must be printable as it is, but for the frame."""
        return self.fit is None and self.colors is None and self.background is None


@dataclass(frozen=True, slots=True)
class Converted:
    """A picture and what was done to get it.

    Attributes
    ----------
    picture : Picture
        Trimmed; the background is transparent in it.
    background : str or None
        The colour that was taken for background.
    changes : tuple of str
        What was done to the image, one phrase each; empty if it fitted.
    """

    picture: Picture
    background: Color | None = None
    changes: tuple[str, ...] = ()


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


def read_image(path: str | Path, conversion: Conversion | None = None) -> Converted:
    """Read an image file and convert it.

    Parameters
    ----------
    path : str or Path
        Anything Pillow reads.
    conversion : Conversion, optional
        What may be done; by default nothing.

    Raises
    ------
    InputError
        As :func:`~tetrisprinter.pictures.picture.load_picture`, and if the frame does not exist.
    """
    how = conversion or Conversion()
    if how.is_strict and how.frame == 0:
        return Converted(load_picture(path))
    return convert_image(_open(path, how), how, str(path))


def _open(path: str | Path, how: Conversion) -> Image.Image:
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            frames = getattr(image, "n_frames", 1)
            if not 0 <= how.frame < frames:
                raise InputError(
                    f"{path}: has no frame {how.frame}: "
                    + ("it is a still image" if frames == 1 else f"frames are 0 to {frames - 1}")
                )
            if image.width * image.height > (MAX_PIXELS if how.fit is None else _MAX_SCALED):
                raise InputError(
                    f"{path}: {image.width}x{image.height} pixels are far more than a board of "
                    "Tetris can hold",
                    *([Remedy("{} is needed", Thing.FIT)] if how.fit is None else []),
                )
            image.seek(how.frame)
            return ImageOps.exif_transpose(image).convert("RGBA")
    except UnidentifiedImageError as error:
        raise InputError(
            f"{path}: is not an image that can be read (PNG, GIF, BMP, WebP, JPEG)"
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error) or "damaged file").lower()
        raise InputError(f"{path}: cannot be read: {reason}") from error
    except (SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise InputError(f"{path}: is damaged: {error}") from error


def convert_image(image: Image.Image, conversion: Conversion, name: str = "picture") -> Converted:
    """Convert an image that is in memory; see :func:`read_image`."""
    import numpy as np

    changes: list[str] = []
    rgba = image.convert("RGBA")
    if conversion.fit is not None:
        rgba = _scaled(rgba, conversion.fit, conversion.resampling, changes)
    pixels = np.array(rgba)
    rgb, alpha = pixels[..., :3], pixels[..., 3]
    if not conversion.is_strict:
        half = int(((alpha > 0) & (alpha < 255)).sum())
        if half:
            changes.append(f"{half} half-transparent pixels decided")
        alpha = np.where(alpha >= _OPAQUE, np.uint8(255), np.uint8(0))
    opaque = alpha > 0
    background = _background(rgb, opaque, conversion)
    if background is not None:
        opaque &= ~_has_color(rgb, background)
    rgb, opaque = _with_few_colors(rgb, opaque, background, conversion, changes)
    if background is not None:
        changes.append(f"{background} left empty")
    alpha = np.where(opaque, np.maximum(alpha, 1), np.uint8(0))
    flat = np.dstack([rgb, alpha]).reshape(-1, 4).tolist()
    picture = Picture.from_pixels(rgb.shape[1], ((r, g, b, a) for r, g, b, a in flat), name)
    picture = picture.trimmed()
    if not picture.rows:
        raise InputError(f"{name}: has nothing but background, so there is nothing to print")
    return Converted(picture, background, tuple(changes))


def _scaled(
    image: Image.Image, fit: tuple[int, int], resampling: Resampling, changes: list[str]
) -> Image.Image:
    import numpy as np
    from PIL import Image as Images

    size = image.size
    if size[0] <= fit[0] and size[1] <= fit[1]:
        return image
    codes = np.array(image).view(np.uint32)[..., 0]
    blocks = _blocks(codes)
    if resampling != "area":
        for divisor in range(2, blocks + 1):
            if (
                blocks % divisor == 0
                and size[0] <= divisor * fit[0]
                and size[1] <= divisor * fit[1]
            ):
                half = divisor // 2
                changes.append(f"shrunk to a {divisor}th of its size")
                return Images.fromarray(np.array(image)[half::divisor, half::divisor])
    if resampling == "auto":
        few = blocks > 1 or len(np.unique(codes)) <= PIXEL_ART_COLORS
        resampling = "nearest" if few else "area"
    scale = min(fit[0] / size[0], fit[1] / size[1])
    new = (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))
    changes.append(f"scaled from {size[0]}x{size[1]} to {new[0]}x{new[1]} ({resampling})")
    if resampling == "nearest":
        return image.resize(new, Images.Resampling.NEAREST)
    # Premultiplied, so that the colour of transparent pixels does not bleed in.
    return image.convert("RGBa").resize(new, Images.Resampling.BOX).convert("RGBA")


def scaled(image: Image.Image, fit: tuple[int, int], *, shrink_blocks: bool = False) -> Image.Image:
    """Return an image made to fit as it would be converted, with all its colours.

    Parameters
    ----------
    image : PIL.Image.Image
        In RGBA.
    fit : (int, int)
        Largest width and height.
    shrink_blocks : bool
        Undo the enlarging of pixel art even if it fits.
    """
    import numpy as np

    if shrink_blocks:
        blocks = _blocks(np.array(image).view(np.uint32)[..., 0])
        image = image.reduce(blocks) if blocks > 1 else image
    return _scaled(image, fit, "auto", [])


def _blocks(codes: NDArray[np.uint32]) -> int:
    """Return the largest k such that the image consists of k x k pixels of one colour."""
    import numpy as np

    edges = [codes.shape[0], codes.shape[1]]
    edges += (np.flatnonzero((codes[1:] != codes[:-1]).any(axis=1)) + 1).tolist()
    edges += (np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1).tolist()
    return math.gcd(*edges)


def _background(
    rgb: NDArray[np.uint8], opaque: NDArray[np.bool_], conversion: Conversion
) -> Color | None:
    wanted = conversion.background
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
    if conversion.colors is not None:
        colors, counts = np.unique(rgb.reshape(-1, 3), axis=0, return_counts=True)
        if len(colors) > conversion.colors + 1:
            palette = reduced(colors, counts, conversion.colors + 1)
            border = palette[nearest(border, palette)]
    colors, counts = np.unique(border, axis=0, return_counts=True)
    most = int(np.argmax(counts))
    if counts[most] < _BORDER_SHARE * len(border):
        return None
    return bytes(colors[most].tolist()).hex()


def _has_color(rgb: NDArray[np.uint8], color: Color) -> NDArray[np.bool_]:
    import numpy as np

    same: NDArray[np.bool_] = (rgb == np.frombuffer(bytes.fromhex(color), np.uint8)).all(axis=2)
    return same


def _with_few_colors(
    rgb: NDArray[np.uint8],
    opaque: NDArray[np.bool_],
    background: Color | None,
    conversion: Conversion,
    changes: list[str],
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    import numpy as np

    from tetrisprinter.pictures.palette import nearest, reduced

    colors, counts = np.unique(rgb[opaque], axis=0, return_counts=True)
    if conversion.colors is None or len(colors) <= conversion.colors:
        return rgb, opaque
    fixed = None if background is None else bytes.fromhex(background)
    palette = reduced(colors, counts, conversion.colors, fixed)
    changes.append(f"{len(colors)} colours reduced to {conversion.colors}")
    if conversion.dither:
        index = _dithered(rgb, opaque, palette)
    else:
        index = nearest(rgb.reshape(-1, 3), palette).reshape(opaque.shape)
    return palette[index], opaque & (index < conversion.colors)


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
