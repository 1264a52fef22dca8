"""Image files, opened so that every pixel has the colour that the image's maker saw.

Pillow reads nearly everything, but its plain conversion to RGBA cuts 16-bit greys off at 255,
ignores the orientation of a photo, and ignores the colour profile that a CMYK image needs.
This module corrects all of this for every source: files, standard input, Pillow images,
arrays.
"""

from __future__ import annotations

import io
import math
import re
import warnings
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from tetrisprinter.errors import Hint, InputError, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

    from tetrisprinter.pictures.picture import Picture

# Sprites are small. An early refusal keeps decompression bombs from filling the memory.
MAX_PIXELS: Final = 4_000_000
"""The most pixels of an image that is not scaled down."""

MAX_SCALED: Final = 178_000_000
"""The most pixels of an image that is scaled down; Pillow refuses more."""

_READ: Final = 1024
"""Large images that are scaled down are first shrunk to at least this number of pixels a side."""

_FEW: Final = 32
"""An image with at most this number of colours is read at full size, since its edges are sharp."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

_HEAD: Final = 4096
_LARGEST_SVG: Final = 20_000_000
_HEIC: Final = (b"ftypheic", b"ftypheix", b"ftyphevc", b"ftypmif1", b"ftypmsf1")
"""Bytes 4 to 11 of photos in the format HEIC, which some phones write."""
_GZIP: Final = b"\x1f\x8b"
_DRAWN: Final = 1024
"""How many pixels wide an SVG is drawn."""
_DPI: Final = 96
"""Pixels per inch (CSS), needed for an SVG whose size is in points or millimetres."""
_OUTSIDE: Final = re.compile(r"""(href\s*=\s*)(["'])(?!#|data:).*?\2""", re.DOTALL)
"""References of an SVG to other files."""

_REDUCED: Final = ("L", "LA", "RGB", "RGBA", "CMYK", "I;16")
"""Modes in which a large image can be shrunk before it is converted to RGBA."""

_ORIENTATION: Final = 0x0112

_ONE_PICTURE: Final = frozenset({"MPO"})
"""Formats whose later frames repeat the first picture, as in photos of some phones."""


@dataclass(frozen=True, slots=True)
class OpenedImage:
    """An image as it was read, and its original size."""

    image: Image.Image  # in mode RGBA, upright
    # Width and height in the file, after turning it upright; ``image`` may be smaller
    size: tuple[int, int]
    frames: int = 1  # the number of frames in the file


def open_image(
    file: str | Path | IO[bytes],
    name: str = "",
    frame: int = 0,
    fit: tuple[int, int] | None = None,
    crop: Box | None = None,
) -> OpenedImage:
    """Read one frame of an image; shrink it if it is large and will be scaled down to ``fit``."""
    name = name or str(file)
    with _open_safely(file, name) as image:
        frames = _count_frames(image)
        if not 0 <= frame < frames:
            raise InputError(
                f"{name}: no frame {frame}; "
                + ("the image has one frame" if frames == 1 else f"frames are 0 to {frames - 1}")
            )
        if image.width * image.height > (MAX_PIXELS if fit is None else MAX_SCALED):
            raise _make_size_error(name, image.size, fit)
        image.seek(frame)
        size = image.size
        min_side = _READ if fit is None else max(_READ, 4 * max(fit))
        if crop is not None:
            min_side = math.ceil(min_side * max(size) / max(1, *crop[2:]))
        if fit is not None and image.format == "JPEG":
            # The JPEG decoder can shrink a large image while reading it, in an eighth of the time.
            image.draft(None, (min_side, min_side))
        rgba = as_rgba(image if fit is None else _reduce(image, min_side))
        if (rgba.width < rgba.height) != (size[0] < size[1]):
            size = (size[1], size[0])
        if crop is not None:
            rgba, size = crop_image(rgba, size, crop, name), crop[2:]
        return OpenedImage(rgba, size, frames)


def _reduce(image: Image.Image, min_side: int) -> Image.Image:
    """Shrink a large image by a whole factor, to save memory; keep at least ``min_side``."""
    factor = min(image.size) // min_side
    if factor < 2 or image.mode not in _REDUCED or "transparency" in image.info:
        return image
    exif = image.getexif()
    image.load()
    source = _convert_from_numbers(image) if image.mode == "I;16" else image
    if source.getcolors(_FEW) is not None:
        return image
    info = dict(image.info)
    reduced = source.reduce(factor)
    reduced.info = info
    if exif.get(_ORIENTATION, 1) != 1:
        reduced.info["exif"] = exif.tobytes()
    return reduced


def parse_crop(text: str) -> Box:
    """Parse a crop ``WIDTHxHEIGHT+LEFT+TOP``; return left, top, width and height."""
    match = re.fullmatch(r"(\d{1,6})x(\d{1,6})\+(\d{1,6})\+(\d{1,6})", text, re.ASCII)
    if match is None:
        raise InputError(
            f"invalid part {text!r}; expected WIDTHxHEIGHT+LEFT+TOP in pixels, e.g. 300x200+40+10"
        )
    width, height, left, top = map(int, match.groups())
    return left, top, width, height


def crop_image(
    rgba: Image.Image, size: tuple[int, int], crop: Box, name: str = "picture"
) -> Image.Image:
    """Crop an image to a box in pixels of its full size, even if it was shrunk while reading."""
    left, top, width, height = crop
    if (
        min(left, top) < 0
        or min(width, height) < 1
        or left + width > size[0]
        or top + height > size[1]
    ):
        raise InputError(
            f"{name}: crop {width}x{height}+{left}+{top} is outside the image; "
            f"it has {size[0]}x{size[1]} pixels"
        )
    x_scale, y_scale = rgba.width / size[0], rgba.height / size[1]
    box = [left * x_scale, top * y_scale, (left + width) * x_scale, (top + height) * y_scale]
    edges = [round(value) for value in box]
    return rgba.crop((edges[0], edges[1], max(edges[0] + 1, edges[2]), max(edges[1] + 1, edges[3])))


def count_image_frames(file: str | Path | IO[bytes], name: str = "") -> int:
    """Return the number of frames of an image; raise the errors of :func:`open_image`."""
    with _open_safely(file, name or str(file)) as image:
        return _count_frames(image)


def _count_frames(image: Image.Image) -> int:
    """Return the number of frames that show different pictures."""
    return 1 if image.format in _ONE_PICTURE else getattr(image, "n_frames", 1)


@contextmanager
def _open_safely(file: str | Path | IO[bytes], name: str) -> Iterator[Image.Image]:
    """Open an image in a ``with`` block; turn every error there into an InputError."""
    from PIL import Image, UnidentifiedImageError

    try:
        raster = _rasterize_svg(file, name)
        with _silence_pillow(), Image.open(raster) as image:
            yield image
    except UnidentifiedImageError as error:
        raise InputError(
            f"{name}: unknown image format; use PNG, GIF, BMP, WebP, JPEG or SVG"
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error) or "damaged file").lower()
        raise InputError(f"{name}: cannot be read: {reason}") from error
    except Image.DecompressionBombError as error:
        raise InputError(f"{name}: too many pixels; expected at most {MAX_SCALED:,}") from error
    except InputError:
        raise
    except MemoryError as error:
        raise InputError(f"{name}: not enough memory to read the image") from error
    except Exception as error:  # a decoder may raise anything on damaged data
        raise InputError(f"{name}: damaged image: {error or type(error).__name__}") from error


def _rasterize_svg(file: str | Path | IO[bytes], name: str) -> str | Path | IO[bytes]:
    """Return an SVG drawn as a PNG, and any other file unchanged."""
    if isinstance(file, str | Path):
        with Path(file).open("rb") as opened:
            head = opened.read(_HEAD)
            data = head + opened.read(_LARGEST_SVG) if _is_svg(head) else b""
    else:
        head = file.read(_HEAD)
        data = head + file.read(_LARGEST_SVG) if _is_svg(head) else b""
        file.seek(0)
    if not head:
        raise InputError(f"{name}: the file is empty; expected an image")
    if head[4:12] in _HEIC:
        try:
            import pillow_heif
        except ImportError as error:
            raise InputError(
                f"{name}: HEIC needs another package: pip install pillow-heif; or save it as JPEG"
            ) from error
        pillow_heif.register_heif_opener()
    if not data:
        return file
    try:
        import resvg_py
    except ImportError as error:
        raise InputError(
            f"{name}: SVG needs the package resvg-py; install it with: pip install resvg-py"
        ) from error
    try:
        if data.startswith(_GZIP):
            data = zlib.decompressobj(31).decompress(data, _LARGEST_SVG)
        # Remove outside references: an SVG must not show other files of this machine.
        text = _OUTSIDE.sub(r"\1\2\2", data.decode("utf-8", "replace"))
        return io.BytesIO(resvg_py.svg_to_bytes(svg_string=text, width=_DRAWN, dpi=_DPI))
    except (ValueError, zlib.error) as error:
        raise InputError(f"{name}: damaged image: {error}") from error


def _is_svg(head: bytes) -> bool:
    """Return whether the first bytes of a file are an SVG, perhaps compressed."""
    if head.startswith(_GZIP):
        with suppress(zlib.error):
            head = zlib.decompressobj(31).decompress(head, _HEAD)
    return b"<svg" in head and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


@contextmanager
def _silence_pillow() -> Iterator[None]:
    """Suppress Pillow's warnings about odd files; real faults raise errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _make_size_error(name: str, size: tuple[int, int], fit: tuple[int, int] | None) -> InputError:
    """Return the error for an image with too many pixels; ``fit`` None: it is not scaled."""
    size_text = f"{name}: {size[0]}x{size[1]} pixels are"
    if fit is None:
        message = f"{size_text} far more than a board of Tetris can hold"
        return InputError(message, Hint("{} is needed", Setting.FIT))
    return InputError(f"{size_text} too many; expected at most {MAX_SCALED:,}")


def as_rgba(image: Image.Image) -> Image.Image:
    """Convert an image to RGBA, turned upright and with correct colours."""
    from PIL import ImageOps

    mode, info = image.mode, image.info
    if mode.startswith(("I", "F")):
        rgba = _convert_from_numbers(image).convert("RGBA")
    elif mode in ("CMYK", "LAB"):
        rgba = _convert_by_profile(image).convert("RGBA")
    else:
        key = info.get("transparency")
        if mode == "RGB" and isinstance(key, tuple) and max(key) > 255:
            # Pillow shortens 16-bit colours to bytes, but not the transparent colour.
            image = image.copy()
            image.info["transparency"] = tuple(value >> 8 for value in key)
        rgba = (image.convert("LA") if mode == "La" else image).convert("RGBA")
    if image.getexif().get(_ORIENTATION, 1) != 1:
        rgba.info["exif"] = image.getexif().tobytes()
        rgba = ImageOps.exif_transpose(rgba)
    return rgba


def _convert_from_numbers(image: Image.Image) -> Image.Image:
    """Convert an image of integers or floating-point numbers to greys, and its transparency."""
    import numpy as np
    from PIL import Image as Images

    values = np.asarray(image)
    if values.dtype == object:  # Pillow has no array for some byte orders
        values = np.asarray(image.convert("I"))
    shades = _scale_to_bytes(values, is_16_bit=image.mode.startswith("I;16"))
    rgba = Images.fromarray(shades)
    key = image.info.get("transparency")
    if isinstance(key, int):
        rgba = rgba.convert("RGBA")
        rgba.putalpha(Images.fromarray(np.where(values == key, 0, 255).astype(np.uint8)))
    return rgba


def _scale_to_bytes(values: Any, *, is_16_bit: bool) -> Any:
    """Scale an array of numbers of any range to bytes from black to white."""
    import numpy as np

    if is_16_bit and values.dtype == np.uint16:
        return (values >> 8).astype(np.uint8)
    is_float = np.issubdtype(values.dtype, np.floating)
    numbers = np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    lowest, highest = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 0.0)
    if lowest < 0 or highest > 65535:
        numbers = (numbers - lowest) * (255 / (highest - lowest))
    elif is_16_bit or highest > 255:
        numbers = numbers // 256
    elif is_float and highest <= 1:
        numbers = numbers * 255
    return np.clip(np.round(numbers), 0, 255).astype(np.uint8)


def _convert_by_profile(image: Image.Image) -> Image.Image:
    """Convert CMYK or Lab to RGB, by the image's profile if that can be read."""
    from PIL import ImageCms

    profile = image.info.get("icc_profile")
    try:
        if image.mode == "LAB":
            source: Any = ImageCms.createProfile("LAB")
        elif profile:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        else:
            return image.convert("RGB")
        target = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(image, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image.convert("RGB")
    return converted or image.convert("RGB")


def convert_array(array: Any) -> Image.Image:
    """Convert an array, height x width or height x width x channels, to an image."""
    import numpy as np
    from PIL import Image

    values = np.asarray(array)
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    if values.ndim not in (2, 3) or (values.ndim == 3 and values.shape[2] not in (2, 3, 4)):
        raise InputError(
            f"invalid array of shape {values.shape}; expected height x width, or height x "
            "width x 3 or 4"
        )
    if not values.size:
        raise InputError(f"empty array of shape {values.shape}; expected at least one pixel")
    if values.dtype.kind not in "biuf":
        raise InputError(f"invalid array of {values.dtype}; expected numbers")
    if values.dtype == bool:
        values = values.astype(np.uint8) * 255
    if values.dtype != np.uint8:
        values = _scale_to_bytes(values, is_16_bit=values.dtype == np.uint16)
    return Image.fromarray(np.ascontiguousarray(values))


def make_picture(data: bytes, width: int, name: str) -> Picture:
    """Make a picture from RGBA, without the transparent rows above and below."""
    from tetrisprinter.pictures.picture import Picture

    pixels = zip(data[::4], data[1::4], data[2::4], data[3::4], strict=True)
    picture = Picture.from_pixels(width, pixels, name).trim()
    if not picture.rows:
        raise InputError(f"{name}: no opaque pixel; nothing to print")
    return picture


def load_picture(path: str | Path) -> Picture:
    """Read an image file as a picture, without the transparent rows above and below.

    Parameters
    ----------
    path : str or Path
        PNG, GIF, BMP, WebP or another format that Pillow reads; the first frame is used.

    Raises
    ------
    InputError
        If the file cannot be read, is no image, is damaged, too large, fully
        transparent, or has half-transparent pixels.
    """
    image = open_image(path).image
    return make_picture(image.tobytes(), image.width, str(path))
