"""Image files, opened so that every pixel has the colour that the image's maker saw.

Pillow reads nearly everything, but its plain conversion to RGBA cuts 16-bit greys off at 255,
ignores the orientation of a photo, and ignores its colour profile: the photos of many phones are
in Display P3. This module corrects all of this for every source: files, standard input, Pillow
images, arrays. SVG and PSD have readers of their own.
"""

from __future__ import annotations

import functools
import io
import itertools
import math
import re
import struct
import warnings
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from tetrisprinter.errors import Hint, InputError, Setting, format_install_command
from tetrisprinter.support import LazyModule
from tetrisprinter.support.files import explain_error, find_mark, is_pipe, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.picture import Picture
else:
    np = LazyModule("numpy")
    Image = LazyModule("PIL.Image")

# Sprites are small. An early refusal keeps decompression bombs from filling the memory.
MAX_PIXELS: Final = 4_000_000
"""The most pixels of an image that is not scaled down."""

MAX_SCALED: Final = 178_000_000
"""The most pixels of an image that is scaled down."""

_MAX_JPEG: Final = 500_000_000
_MAX_PROGRESSIVE: Final = 250_000_000
"""The same for a JPEG, which is scaled down while it is read; a progressive one takes memory."""

_READ: Final = 1024
"""Large images that are scaled down are first shrunk to at least this number of pixels a side."""

_MAX_WHOLE: Final = 10_000_000
"""A larger image is always shrunk first: at full size its analysis takes 0.2 s a million pixels."""

_STRIP_PIXELS: Final = 4_000_000
"""A large image is shrunk in strips of about this number of pixels, to save memory."""

_STRIP_VALUES: Final = 16_000_000
"""An image is compared with itself in strips of about this number of values, to save memory."""

_FEW: Final = 32
"""An image with at most this number of colours is read at full size, since its edges are sharp."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

_HEAD: Final = 4096
_HEIC: Final = (b"ftypheic", b"ftypheix", b"ftyphevc", b"ftypmif1", b"ftypmsf1")
"""Bytes 4 to 11 of photos in the format HEIC, which some phones write."""
_JPEG: Final = ("JPEG", "MPO")
_JPEG_SIGNATURE: Final = b"\xff\xd8\xff"
_MAYBE_SVG: Final = (
    *(b"<", b" ", b"\t", b"\r", b"\n", b"\0<", b"\x1f\x8b"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"),
)
"""The first bytes of files that may be SVG: a tag, a space, a byte order mark, or gzip's mark."""
_REDUCED: Final = ("L", "LA", "RGB", "RGBA", "CMYK", "I;16")
"""Modes in which a large image can be shrunk before it is converted to RGBA."""

_ORIENTATION: Final = 0x0112
_SUBFILE_TYPE: Final = 254

_PROFILED: Final = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK", "Lab": "LAB"}
"""The colour space of a profile -> the mode of the images that it describes."""

_NEARLY_SRGB: Final = 3
"""A profile that changes no colour by more than this (of 255) is taken for sRGB."""

_DISPLAY_GAMMA: Final = 2.2  # the exponent of sRGB, which PNG writes as 1 / 2.2

BROKEN_PROFILE: Final = "the colour profile is damaged and was ignored"
"""What is said of such an image; also the key in ``info`` that marks it."""

_ONE_PICTURE: Final = frozenset({"MPO"})
"""Formats whose later frames repeat the first picture, as in photos of some phones."""


@dataclass(frozen=True, slots=True)
class OpenedImage:
    """An image as it was read, and its original size."""

    image: Image.Image  # in mode RGBA, upright
    # Width and height in the file, after turning it upright; ``image`` may be smaller
    size: tuple[int, int]
    frames: int = 1  # the number of frames in the file
    frame: int = 0  # the number of this frame
    notices: tuple[str, ...] = ()  # what could not be read, in sentences


def open_image(
    file: str | Path | IO[bytes],
    name: str = "",
    frame: int | None = 0,
    fit: tuple[int, int] | None = None,
    crop: Box | None = None,
) -> OpenedImage:
    """Read one frame of an image; shrink it if it is large and will be scaled down to ``fit``.

    Frame None is the first frame that is not blank.
    """
    name = name or str(file)
    notices: list[str] = []
    with _open_safely(file, name, notices) as image:
        places = _list_frames(image)
        frames = len(places)
        if not 0 <= (frame or 0) < frames:
            raise InputError(
                f"{name}: no frame {frame}; "
                + ("the image has one frame" if frames == 1 else f"frames are 0 to {frames - 1}")
            )
        for number in range(frames) if frame is None else [frame]:
            if getattr(image, "n_frames", 1) > 1:
                image.seek(places[number])
            check_pixel_count(image, name, fit)
            rgba, size = _read_frame(image, fit, crop, name)
            if is_visible := rgba.getchannel("A").getbbox() is not None:
                break
        if not is_visible and notices:
            raise InputError(f"{name}: no opaque pixel; nothing to print: {notices[0]}")
        if not is_visible and frames > 1 and frame is not None:
            raise make_blank_error(f"{name}, frame {frame}")
        if rgba.info.pop(BROKEN_PROFILE, False):
            notices.append(BROKEN_PROFILE)
        return OpenedImage(rgba, size, frames, number if is_visible else frame or 0, tuple(notices))


def _read_frame(
    image: Image.Image, fit: tuple[int, int] | None, crop: Box | None, name: str
) -> tuple[Image.Image, tuple[int, int]]:
    """Return the current frame of an image as RGBA, and its full size."""
    size = image.size
    min_side = _READ if fit is None else max(_READ, 4 * max(fit))
    if crop is not None:
        min_side = math.ceil(min_side * max(size) / max(1, *crop[2:]))
    if fit is not None and image.format in _JPEG:
        # The JPEG decoder can shrink a large image while reading it, in an eighth of the time.
        image.draft(None, (min_side, min_side))
        if image.width * image.height > MAX_SCALED:
            raise _make_size_error(name, image.size, fit)
    shown_pixels = math.prod(image.size)
    if crop is not None:  # in pixels of the file
        shown_pixels = math.ceil(math.prod(crop[2:]) * shown_pixels / math.prod(size))
    rgba = as_rgba(image if fit is None else _reduce(image, min_side, shown_pixels))
    if (rgba.width < rgba.height) != (size[0] < size[1]):
        size = (size[1], size[0])
    return (rgba, size) if crop is None else (crop_image(rgba, size, crop, name), crop[2:])


def check_pixel_count(image: Image.Image, name: str, fit: tuple[int, int] | None) -> None:
    """Refuse an image that would fill the memory."""
    limit = MAX_PIXELS if fit is None else MAX_SCALED
    if fit is not None and image.format in _JPEG:
        limit = _MAX_PROGRESSIVE if image.info.get("progressive") else _MAX_JPEG
    if image.width * image.height > limit:
        raise _make_size_error(name, image.size, fit, limit)


def _reduce(image: Image.Image, min_side: int, shown_pixels: int) -> Image.Image:
    """Shrink a large image by a whole factor, to save memory; keep at least ``min_side``.

    If very many pixels are shown, an image is shrunk even below ``min_side``.
    """
    factor, is_large = min(image.size) // min_side, shown_pixels > _MAX_WHOLE
    is_reduced = image.mode in _REDUCED and "transparency" not in image.info
    if not is_large and (factor < 2 or not is_reduced):
        return image
    exif = image.getexif()
    image.load()
    source = image
    if image.mode.startswith(("I", "F")):
        source = _convert_from_numbers(image)  # with the transparency
        source.info = {key: value for key, value in image.info.items() if key != "transparency"}
    is_sharp = not is_reduced or source.getcolors(_FEW) is not None
    if not is_large and is_sharp:
        return image
    if is_large:
        factor = max(factor, math.ceil(math.sqrt(shown_pixels / _MAX_WHOLE)))
    if is_sharp:  # already in RGBA, with its transparency and without its profile
        reduced = _shrink_sharp(source, factor)
        reduced.info = {key: True for key in reduced.info if key == BROKEN_PROFILE}
    else:
        reduced = source.reduce(factor)
        reduced.info = dict(source.info)
    if exif.get(_ORIENTATION, 1) != 1:
        reduced.info["exif"] = exif.tobytes()
    return reduced


def _shrink_sharp(image: Image.Image, max_factor: int) -> Image.Image:
    """Shrink a very large image to RGBA by a factor up to ``max_factor``.

    Pixel art, which consists of equal blocks, keeps its pixels; any other image is averaged.
    """
    block, pixels = find_block_side(image), image.width * image.height
    factors = [k for k in range(1, block + 1) if not block % k]
    enough = [k for k in factors if pixels <= k**2 * _MAX_WHOLE]
    if enough:
        factor = max((k for k in enough if k <= max_factor), default=enough[0])
        size = (image.width // factor, image.height // factor)
        box = (0, 0, *image.size)
        small = image.resize(size, Image.Resampling.NEAREST, box)
        return as_rgba(_drop_orientation(small, image))
    size = (-(-image.width // max_factor), -(-image.height // max_factor))
    small = Image.new("RGBA", size)
    rows = max(1, _STRIP_PIXELS // (image.width * max_factor))
    for top in range(0, size[1], rows):
        bottom = min(image.height, (top + rows) * max_factor)
        strip = image.crop((0, top * max_factor, image.width, bottom))
        # Premultiplied, so that colours of transparent pixels do not bleed in
        colors = as_rgba(_drop_orientation(strip, image)).convert("RGBa")
        small.info = colors.info
        small.paste(colors.reduce(max_factor).convert("RGBA"), (0, top))
    return small


def find_block_side(image: Image.Image) -> int:
    """Return the side in pixels of the one-coloured blocks of enlarged pixel art, or 1."""
    pixels = np.asarray(image)
    block = math.gcd(*image.size)
    for _ in range(2):  # the rows, then the columns
        strip = max(1, _STRIP_VALUES // max(1, pixels[0].size))
        for top in range(1, len(pixels), strip):
            part = pixels[top - 1 : top + strip]
            differs = (part[1:] != part[:-1]).reshape(len(part) - 1, -1).any(axis=1)
            block = math.gcd(block, *(np.flatnonzero(differs) + top).tolist())
            if block == 1:
                return 1
        # Rows that repeat the row above are not needed to compare columns.
        pixels = np.ascontiguousarray(pixels[::block].swapaxes(0, 1))
    return block


def _drop_orientation(part: Image.Image, image: Image.Image) -> Image.Image:
    """Return a part of an image with the image's palette and colours, but not its orientation."""
    unturned = ("exif", "XML:com.adobe.xmp", "xmp")
    part.info = {key: value for key, value in image.info.items() if key not in unturned}
    return part


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


def list_shown_frames(file: str | Path | IO[bytes], name: str = "") -> list[int]:
    """Return the numbers of the frames of an image that are not blank; all if all are blank.

    Raises the errors of :func:`open_image`.
    """
    with _open_safely(file, name or str(file), []) as image:
        places = _list_frames(image)
        if len(places) == 1:
            return [0]
        shown = []
        for number, place in enumerate(places):
            image.seek(place)
            # A frame of too many pixels is refused when it is read, so it is not decoded here
            may_be_blank = math.prod(image.size) <= MAX_PIXELS and image.has_transparency_data
            if not may_be_blank or image.convert("RGBA").getchannel("A").getbbox() is not None:
                shown.append(number)
        return shown or list(range(len(places)))


def _list_frames(image: Image.Image) -> Sequence[int]:
    """Return the places of the frames that show different pictures."""
    if image.format in _ONE_PICTURE:
        return [0]
    count = getattr(image, "n_frames", 1)
    if image.format == "TIFF" and count > 1:
        return [place for place in range(count) if not _is_thumbnail(image, place)] or [0]
    # An APNG may begin with a cover for viewers without animations
    return range(int(image.info.get("default_image", False)), count)


def _is_thumbnail(image: Image.Image, place: int) -> bool:
    """Return whether a page of a TIFF is a smaller version of another page."""
    image.seek(place)
    return bool(image.tag_v2.get(_SUBFILE_TYPE, 0) & 1)  # type: ignore[attr-defined]


@contextmanager
def _open_safely(
    file: str | Path | IO[bytes], name: str, notices: list[str]
) -> Iterator[Image.Image]:
    """Open an image in a ``with`` block; turn every error there into an InputError.

    What cannot be read is added to ``notices``.
    """
    from PIL import UnidentifiedImageError

    if isinstance(file, str | Path) and is_pipe(file):
        file = io.BytesIO(read_bytes(file))
    try:
        with silence_pillow(), _open_any(file, name, notices) as image:
            yield image
    except UnidentifiedImageError as error:
        raise InputError(
            f"{name}: unknown image format; use PNG, APNG, GIF, WebP, JPEG, HEIC, AVIF, JPEG 2000, "
            "BMP, TIFF, ICO, TGA, PPM, PSD or SVG"
        ) from error
    except OSError as error:
        reason = explain_error(error) if error.strerror or str(error) else "damaged file"
        raise InputError(f"{name}: cannot be read: {reason}") from error
    except Image.DecompressionBombError as error:
        raise InputError(f"{name}: too many pixels; expected at most {MAX_SCALED:,}") from error
    except InputError:
        raise
    except MemoryError as error:
        raise InputError(f"{name}: not enough memory to read the image") from error
    except Exception as error:  # a decoder may raise anything on damaged data
        raise InputError(
            f"{name}: damaged image: {error or 'its data cannot be decoded'}"
        ) from error


def _open_any(file: str | Path | IO[bytes], name: str, notices: list[str]) -> Image.Image:
    """Open an image by Pillow, or by the reader of its format."""
    from PIL import JpegImagePlugin

    if isinstance(file, str | Path):
        with Path(file).open("rb") as opened:
            own_image, head = _read_own_format(opened, name, notices)
    else:
        own_image, head = _read_own_format(file, name, notices)
        file.seek(0)
    if own_image is not None:
        return own_image
    if not head:
        raise InputError(f"{name}: the file is empty; expected an image")
    if head[4:12] in _HEIC:
        try:
            import pillow_heif
        except ImportError as error:
            raise InputError(
                f"{name}: HEIC needs another package: {format_install_command('pillow-heif')}; or "
                "save it as JPEG"
            ) from error
        pillow_heif.register_heif_opener()
    if head.startswith(_JPEG_SIGNATURE):
        try:
            return Image.open(file)
        except Image.DecompressionBombError:  # it is shrunk while it is read
            return JpegImagePlugin.JpegImageFile(file)
    return Image.open(file)


def _read_own_format(
    file: IO[bytes], name: str, notices: list[str]
) -> tuple[Image.Image | None, bytes]:
    """Return the image if the file is a PSD or an SVG, and the first bytes of the file."""
    head = file.read(_HEAD)
    if head.startswith(PSD_SIGNATURE):
        file.seek(0)
        return read_psd(file, name, MAX_SCALED), head
    if head.startswith(_MAYBE_SVG):
        data = head + file.read(LARGEST_SVG)
        if is_svg(data):
            drawn, new_notices = draw_svg(data, name)
            notices += new_notices
            return Image.open(drawn), head
    return None, head


@contextmanager
def silence_pillow() -> Iterator[None]:
    """Suppress Pillow's warnings about odd files and large images; real faults raise errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _make_size_error(
    name: str, size: tuple[int, int], fit: tuple[int, int] | None, limit: int = MAX_SCALED
) -> InputError:
    """Return the error for an image with too many pixels; ``fit`` None: it is not scaled."""
    size_text = f"{name}: {size[0]}x{size[1]} pixels are"
    if fit is None:
        message = f"{size_text} far more than a board of Tetris can hold"
        return InputError(message, Hint("{} is needed", Setting.FIT))
    return InputError(f"{size_text} too many; expected at most {limit:,}")


def as_rgba(image: Image.Image) -> Image.Image:
    """Convert an image to RGBA, turned upright and with correct colours."""
    from PIL import ImageOps

    mode, info, profile = image.mode, image.info, image.info.get("icc_profile")
    if mode == "LAB":
        rgba = _apply_profile(image, None).convert("RGBA")
    elif mode == "CMYK":
        rgba = (_apply_profile(image, profile) if profile else image.convert("RGB")).convert("RGBA")
    elif mode.startswith(("I", "F")):
        rgba = _convert_from_numbers(image).convert("RGBA")
    else:
        key = info.get("transparency")
        if mode == "RGB" and isinstance(key, tuple) and max(key) > 255:
            # Pillow shortens 16-bit colours to bytes, but not the transparent colour.
            image = image.copy()
            image.info["transparency"] = tuple(value >> 8 for value in key)
        rgba = (image.convert("LA") if mode == "La" else image).convert("RGBA")
    if profile and mode not in ("CMYK", "LAB"):
        rgba = _apply_profile(rgba, profile)
    elif not profile and "srgb" not in info and info.get("gamma"):
        rgba = _apply_gamma(rgba, info["gamma"])
    if image.getexif().get(_ORIENTATION, 1) != 1:
        rgba.info["exif"] = image.getexif().tobytes()
        rgba = ImageOps.exif_transpose(rgba)
    return rgba


def _apply_profile(image: Image.Image, profile: bytes | None) -> Image.Image:
    """Convert an image to sRGB by its colour profile; a damaged profile is ignored and marked."""
    from PIL import ImageCms

    try:
        mode, transform = _make_transform(profile)
        if transform is None:
            return image
        if (mode in ("CMYK", "LAB")) != (image.mode == mode):
            raise ValueError(f"a profile of {mode} in an image of {image.mode}")
        rgb = ImageCms.applyTransform(image.convert(mode), transform)
        if rgb is None:
            return image
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        rgb = image.convert("RGBA")
        rgb.info[BROKEN_PROFILE] = True
        return rgb
    rgb.info = {key: value for key, value in image.info.items() if key != "icc_profile"}
    if image.mode == "RGBA":
        rgb.putalpha(image.getchannel("A"))
    return rgb


def _apply_gamma(rgba: Image.Image, gamma: float) -> Image.Image:
    """Convert a PNG that names the gamma of its numbers to that of sRGB, as browsers do."""
    rgba.info.pop("gamma", None)  # a second conversion must not change it again
    exponent = 1 / (_DISPLAY_GAMMA * gamma)
    curve = [round(255 * (value / 255) ** exponent) for value in range(256)]
    if max(abs(shown - value) for value, shown in enumerate(curve)) <= _NEARLY_SRGB:
        return rgba
    return rgba.point(3 * curve + list(range(256)))


@functools.lru_cache(maxsize=8)
def _make_transform(profile: bytes | None) -> tuple[str, Any]:
    """Return the mode that a profile (None: Lab) describes, and the transform of that to sRGB.

    The transform is None if it hardly changes a colour, so that no sprite is altered by rounding.
    """
    from PIL import ImageCms

    if profile is None:
        source: Any = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))
    else:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    mode = _PROFILED.get(source.profile.xcolor_space.strip(), "")
    is_print = mode == "CMYK"  # its tables are made for the eye; others keep the colours they have
    intent = ImageCms.Intent.PERCEPTUAL if is_print else ImageCms.Intent.RELATIVE_COLORIMETRIC
    flags = ImageCms.Flags.NONE if is_print else ImageCms.Flags.BLACKPOINTCOMPENSATION
    target = ImageCms.createProfile("sRGB")
    transform = ImageCms.buildTransform(source, target, mode, "RGB", intent, flags)
    if mode not in ("L", "RGB"):
        return mode, transform
    levels = range(256) if mode == "L" else range(0, 256, 51)
    colors = Image.new("RGB", (len(levels) ** (1 if mode == "L" else 3), 1))
    values = [(v,) * 3 for v in levels] if mode == "L" else itertools.product(levels, repeat=3)
    colors.putdata(list(values))
    shown = ImageCms.applyTransform(colors.convert(mode), transform)
    before, after = colors.tobytes(), b"" if shown is None else shown.tobytes()
    changes = (abs(a - b) for a, b in zip(before, after, strict=True))
    return mode, transform if max(changes) > _NEARLY_SRGB else None


def _convert_from_numbers(image: Image.Image) -> Image.Image:
    """Convert an image of integers or floating-point numbers to greys, and its transparency."""
    values = np.asarray(image)
    if values.dtype == object:  # Pillow has no array for some byte orders
        values = np.asarray(image.convert("I"))
    shades = _scale_to_bytes(values, is_16_bit=image.mode.startswith("I;16"))
    rgba = Image.fromarray(shades)
    key = image.info.get("transparency")
    if isinstance(key, int):
        rgba = rgba.convert("RGBA")
        rgba.putalpha(Image.fromarray(np.where(values == key, 0, 255).astype(np.uint8)))
    return rgba


def _scale_to_bytes(values: NDArray[Any], *, is_16_bit: bool) -> NDArray[np.uint8]:
    """Scale an array of numbers of any range to bytes from black to white."""
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


def convert_array(array: Any) -> Image.Image:
    """Convert an array, height x width or height x width x channels, to an image."""
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
        raise make_blank_error(name)
    return picture


def make_blank_error(name: str) -> InputError:
    """Return the error for an image without an opaque pixel."""
    return InputError(f"{name}: no opaque pixel; nothing to print")


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


# Photoshop files (PSD and PSB): the merged image, which shows all visible layers. Pillow counts the
# layers as frames from 1, has no frame 0, and misreads compressed files with more channels than it
# expects. The format is described in Adobe's "Photoshop File Formats Specification".

PSD_SIGNATURE: Final = b"8BPS"
"""The first bytes of a Photoshop file."""

_MODES: Final = {1: "L", 2: "P", 3: "RGB", 4: "CMYK", 8: "L"}
"""Photoshop's number of a colour mode -> Pillow's mode; a duotone (8) is read as grey."""

_NAMES: Final = {0: "black and white", 7: "multichannel", 9: "Lab"}  # modes that are not read

_PROFILE, _VERSION, _ALPHA_NAMES, _TRANSPARENT_INDEX = 1039, 1057, 1006, 1047
"""Numbers of image resources."""

_RAW, _RLE = 0, 1


def read_psd(file: IO[bytes], name: str, max_pixels: int) -> Image.Image:
    """Read the merged image of a Photoshop file, with its transparency and colour profile."""
    header = struct.unpack(">4xH6xHIIHH", file.read(26))
    version, channel_count, height, width, depth, mode = header
    is_large = version == 2  # a PSB, whose layer section and rows have longer numbers
    if mode not in _MODES or depth != 8:
        name_of_mode = _NAMES.get(mode, f"mode {mode}")
        given = f"{depth} bits a channel" if mode in _MODES else name_of_mode
        raise InputError(
            f"{name}: this kind of PSD cannot be read: {given}; expected 8 bits a channel in RGB, "
            "CMYK, grey or indexed colours; or save it as PNG"
        )
    if width * height > max_pixels:
        raise InputError(
            f"{name}: {width}x{height} pixels are too many; expected at most {max_pixels:,}"
        )
    palette, resources, layers = _read_sections(file, is_large)
    version_data = resources.get(_VERSION, b"")
    if len(version_data) > 4 and not version_data[4]:
        raise InputError(
            f"{name}: the PSD contains no merged image; save it with maximum compatibility, or as "
            "PNG"
        )
    channels = _read_channels(file, channel_count, (width, height), is_large)
    image, alpha = _join_channels(_MODES[mode], channels, palette)
    if image.mode == "P" and _TRANSPARENT_INDEX in resources:
        image.info["transparency"] = int.from_bytes(resources[_TRANSPARENT_INDEX], "big")
    if _PROFILE in resources:
        image.info["icc_profile"] = resources[_PROFILE]
    # Without layers, extra channels are saved selections; simple programs write transparency.
    if alpha is not None and (layers < 0 or (not layers and _ALPHA_NAMES not in resources)):
        info = image.info
        if layers < 0:
            image = _remove_white(image, alpha)
        image = image.convert("RGBA") if image.mode == "RGB" else image.convert("LA")
        image.putalpha(alpha)
        image.info = info
    return image


def _read_sections(file: IO[bytes], is_large: bool) -> tuple[bytes, dict[int, bytes], int]:
    """Read what precedes the merged image: palette, resources by number, and count of layers.

    If the count is negative, the first extra channel of the merged image is its transparency.
    """
    palette = _read_block(file)
    resources, block = {}, io.BytesIO(_read_block(file))
    while len(head := block.read(7)) == 7:
        number, name_length = struct.unpack(">4xHB", head)
        block.seek(name_length | 1, io.SEEK_CUR)  # name and length: pairs of bytes
        resources[number] = _read_block(block)
        block.seek(len(resources[number]) & 1, io.SEEK_CUR)
    length_size = 8 if is_large else 4
    layers = io.BytesIO(_read_block(file, length_size))
    layer_info = _read_block(layers, length_size)
    count = struct.unpack_from(">h", layer_info)[0] if len(layer_info) > 1 else 0
    return palette, resources, count


def _read_block(file: IO[bytes], size: int = 4) -> bytes:
    """Read bytes after their number, which has ``size`` bytes; nothing at the end of the file."""
    return file.read(int.from_bytes(file.read(size), "big"))


def _read_channels(
    file: IO[bytes], count: int, size: tuple[int, int], is_large: bool
) -> list[Image.Image]:
    """Read the channels of the merged image as grey images."""
    width, height = size
    rows = height * count
    compression = int.from_bytes(file.read(2), "big")
    if compression not in (_RAW, _RLE):
        raise ValueError(f"unknown compression {compression}")
    lengths = [width] * rows
    if compression == _RLE:
        format_ = f">{rows}{'I' if is_large else 'H'}"
        lengths = list(struct.unpack(format_, file.read(struct.calcsize(format_))))
    channels = []
    for first in range(0, rows, height):
        data = file.read(sum(lengths[first : first + height]))
        decoder = ("raw", "L", 0, 1) if compression == _RAW else ("packbits", "L")
        channels.append(Image.frombytes("L", size, data, *decoder))
    return channels


def _join_channels(
    mode: str, channels: list[Image.Image], palette: bytes
) -> tuple[Image.Image, Image.Image | None]:
    """Join the channels of a merged image; return its first extra channel, too, or None."""
    from PIL import ImageChops

    bands = {"RGB": 3, "CMYK": 4}.get(mode, 1)
    if len(channels) < bands:
        raise ValueError(f"{len(channels)} channels instead of {bands}")
    image = channels[0]
    if mode == "P":
        reds, greens, blues = (palette[k * 256 : (k + 1) * 256] for k in range(3))
        image.putpalette(bytes(v for rgb in zip(reds, greens, blues, strict=True) for v in rgb))
    elif mode == "CMYK":
        image = Image.merge(mode, [ImageChops.invert(channel) for channel in channels[:4]])
    elif mode == "RGB":
        image = Image.merge(mode, channels[:3])
    has_extra = len(channels) > bands and mode in ("L", "RGB")
    return image, channels[bands] if has_extra else None


def _remove_white(image: Image.Image, alpha: Image.Image) -> Image.Image:
    """Return the colours of half-transparent pixels, which a merged image mixes with white."""
    values, shares = np.asarray(image).astype(np.int32), np.asarray(alpha).astype(np.int32)
    shares = shares if values.ndim == 2 else shares[..., None]
    colors = (255 * values - 255 * (255 - shares)) // np.maximum(1, shares)
    return Image.fromarray(np.clip(colors, 0, 255).astype(np.uint8), image.mode)


# SVG: recognised, made safe, and drawn by resvg. resvg knows no CSS variables and no other files,
# and it leaves text out if no font has its letters. So variables are replaced by their values here,
# and anything that cannot be drawn is reported.

LARGEST_SVG: Final = 20_000_000
"""The most bytes of an SVG."""

_GZIP: Final = b"\x1f\x8b"
_DRAWN: Final = 1024  # how many pixels wide an SVG is drawn
_LONG: Final = 4  # an SVG that is more than this number of times as high as wide is drawn narrower
_DPI: Final = 96  # pixels per inch (CSS), needed for an SVG whose size is in points or millimetres

_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?svg\b[^>]*>", re.IGNORECASE)
_SKIPPED: Final = (("<?", "?>"), ("<!--", "-->"), ("<!", ">"))
"""Beginnings and ends of declarations and comments before the root element."""
_SPACE: Final = re.compile(r"\s*")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_TEXT: Final = re.compile(r"<(?:[\w.-]+:)?text\b[^>]*>.*?</(?:[\w.-]+:)?text\s*>", re.DOTALL)
_OUTSIDE: Final = re.compile(r"""(href\s*=\s*)(["'])(?!\s*(?:#|data:))(.*?)\2""", re.DOTALL)
"""References of an SVG to other files."""
_DRAWN_REFERENCE: Final = re.compile(
    rf"""<(?:[\w.-]+:)?(?:image|use|feImage)\b[^>]{{0,5000}}?{_OUTSIDE.pattern}""", re.DOTALL
)
_MEDIA: Final = re.compile(r"@media[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
"""Styles for other media, such as dark pages; resvg ignores them."""
_VARIABLE: Final = re.compile(r"(--[\w-]+)\s*:\s*([^;{}\"'<>]+)")
_USE: Final = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*((?:[^()]|\([^()]*\))*))?\)")
_FAMILIES: Final = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "FreeSans")
"""Fonts that are tried if those of a text are not installed."""
_DEPTH: Final = 8  # variables may refer to each other in chains of this length


def is_svg(data: bytes) -> bool:
    """Return whether a file, or its beginning, is an SVG, perhaps compressed or in UTF-16."""
    with suppress(InputError):
        return bool(_find_root(_decode(data)))
    return False


def _find_root(text: str) -> str:
    """Return the tag of the root element if that is an SVG's."""
    at = _skip_space(text, 0)
    while ends := [end for start, end in _SKIPPED if text.startswith(start, at)]:
        after = text.find(ends[0], at)
        if ends[0] == ">" and -1 < text.find("[", at) < after:  # a DOCTYPE with declarations
            after = text.find(">", text.find("]", at))
        if after < 0:
            return ""
        at = _skip_space(text, after + len(ends[0]))
    root = _ROOT.match(text, at)
    return "" if root is None else str(root[0])


def _decode(data: bytes) -> str:
    """Return the text of an SVG, which may be compressed and have any encoding."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(31).decompress(data, LARGEST_SVG)
        except zlib.error as error:
            raise InputError(str(error)) from error
    if found := find_mark(data):
        mark, encoding, _ = found
        return data.removeprefix(mark).decode(encoding, "replace")
    for start, encoding in ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be")):
        if data.startswith(start):
            return data.decode(encoding, "replace")
    declared = re.match(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)""", data)
    encoding = "utf-8" if declared is None else declared[1].decode()
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def _skip_space(text: str, at: int) -> int:
    """Return the place of the first character from ``at`` on that is no space."""
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def draw_svg(data: bytes, name: str) -> tuple[io.BytesIO, list[str]]:
    """Draw an SVG as a PNG; return the PNG, and sentences on what could not be drawn."""
    try:
        import resvg_py
    except ImportError as error:
        raise InputError(
            f"{name}: SVG needs the package resvg-py; install it with: "
            f"{format_install_command('resvg-py')}"
        ) from error
    try:
        text = _replace_variables(_COMMENT.sub("", _decode(data)), name)
        notices = []
        if outside := [match[3] for match in _DRAWN_REFERENCE.finditer(text)]:
            notices.append(f"another file that the SVG refers to is not shown: {outside[0][:80]}")
        # Remove outside references: an SVG must not show other files of this machine.
        text = _OUTSIDE.sub(r"\1\2\2", text)
        height, width = (_LONG * _DRAWN, None) if _is_long(text) else (None, _DRAWN)
        draw = functools.partial(resvg_py.svg_to_bytes, dpi=_DPI, width=width, height=height)
        drawn, without_text = draw(svg_string=text), _TEXT.sub("", text)
        if without_text != text and drawn == draw(svg_string=without_text):
            drawn, notice = _draw_in_other_font(drawn, draw, text)
            notices.append(notice)
    except ValueError as error:
        raise InputError(f"{name}: damaged image: {error}") from error
    return io.BytesIO(drawn), notices


def _draw_in_other_font(
    without_text: bytes, draw: functools.partial[bytes], text: str
) -> tuple[bytes, str]:
    """Draw an SVG whose fonts are not installed; return the PNG and a sentence about the font."""
    for family in _FAMILIES:
        keys = ("font_family", "serif_family", "sans_serif_family", "monospace_family")
        drawn = draw(svg_string=text, **dict.fromkeys(keys, family))
        if drawn != without_text:
            return drawn, f"its fonts are not installed; its text is drawn in {family}"
    return without_text, "no installed font draws its text; convert the text to paths"


def _is_long(text: str) -> bool:
    """Return whether an SVG is much higher than wide."""
    tag = _find_root(text)
    numbers = [
        re.search(rf"""\s{key}\s*=\s*["']\s*([\d.]+)\s*(?!%)([a-z]*)\s*["']""", tag)
        for key in ("width", "height")
    ]
    box = re.search(r"""\sviewBox\s*=\s*["']\s*([-+\d.eE\s,]+)["']""", tag)
    width = height = 0.0
    with suppress(ValueError):
        if numbers[0] and numbers[1] and numbers[0][2] == numbers[1][2]:
            width, height = float(numbers[0][1]), float(numbers[1][1])
        elif box:
            *_, width, height = map(float, re.split(r"[\s,]+", box[1].strip()))
    return 0 < _LONG * width < height


def _replace_variables(text: str, name: str) -> str:
    """Replace CSS variables by their values; refuse a variable without one certain value."""
    if "var(" not in text:
        return text
    values: dict[str, set[str]] = {}
    for key, value in _VARIABLE.findall(_MEDIA.sub("", text)):
        values.setdefault(key, set()).add(value.strip())

    def find_value(match: re.Match[str]) -> str:
        key, fallback = match[1], match[2]
        own_values = values.get(key, set() if fallback is None else {fallback.strip()})
        if len(own_values) != 1:
            problem = "has several values" if own_values else "has no value"
            raise InputError(
                f"{name}: the CSS variable {key} {problem}; replace var({key}) by a colour"
            )
        return str(next(iter(own_values)))

    for _ in range(_DEPTH):
        text, count = _USE.subn(find_value, text)
        if not count:
            break
    return text
