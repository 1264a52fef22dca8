"""What may be printed, and how the commands read it: images, glyphs, texts."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from tetrisprinter.errors import InputError

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Conversion, Converted
    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.pictures.unifont import Glyph

__all__ = ["Imaging", "Source", "imaging_options", "sources", "write_preview"]

_SIZE = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Source:
    """Something that can be printed.

    Attributes
    ----------
    name : str
        What messages call it.
    stem : str
        What its files are called when there are several.
    read : callable
        Makes a picture of it.
    """

    name: str
    stem: str
    read: Callable[[Conversion], Converted]


@dataclass(frozen=True, slots=True)
class Imaging:
    """The options that say how an image becomes a picture."""

    conversion: Conversion
    preview: Path | None
    repair: bool


def sources(images: Sequence[Path]) -> list[Source]:
    """Turn the arguments of a command into what is to be printed.

    An image file is one source; a ``.hex`` file is one for each of its lines; an argument
    that is a line of such a file is a glyph.

    Raises
    ------
    InputError
        If a ``.hex`` file cannot be read.
    """
    return [source for image in images for source in _sources(image)]


def _sources(image: Path) -> Iterator[Source]:
    from tetrisprinter.pictures.unifont import is_hex_line, parse_hex_line, read_hex

    if is_hex_line(str(image)):
        yield _of_glyph(parse_hex_line(str(image)))
    elif image.suffix.lower() == ".hex":
        yield from map(_of_glyph, read_hex(image))
    else:
        yield Source(str(image), image.stem, functools.partial(_read_file, image))


def _of_glyph(glyph: Glyph) -> Source:
    return Source(glyph.name, glyph.name, functools.partial(_read_glyph, glyph))


# Sources travel to other processes, so what reads them belongs to the module.


def _read_glyph(glyph: Glyph, how: Conversion) -> Converted:
    return convert_picture(glyph.picture(), how)


def _read_file(image: Path, how: Conversion) -> Converted:
    from tetrisprinter.pictures.convert import read_image

    return read_image(image, how)


def convert_picture(picture: Picture, how: Conversion) -> Converted:
    """Convert what is a picture already; it is left alone if it fits."""
    from tetrisprinter.pictures.convert import Converted, convert_image

    if how.fit is None or (picture.width <= how.fit[0] and picture.height <= how.fit[1]):
        return Converted(picture)
    from PIL import Image

    image = Image.new("RGBA", (picture.width, picture.height))
    for (x, y), color in picture.cells().items():
        image.putpixel((x, picture.height - 1 - y), (*bytes.fromhex(color), 255))
    return convert_image(image, how, picture.name)


def _read_size(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    match = _SIZE.fullmatch(value)
    if match is None:
        raise InputError(f"--fit: {value!r} is not a size such as 64x64")
    return int(match[1]), int(match[2])


def _read_background(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    if value in (None, "auto", "transparent"):
        return value
    from tetrisprinter.pictures.convert import parse_color

    assert value is not None
    try:
        return parse_color(value)
    except InputError as error:
        raise InputError(f"--background: {error}; or say auto or transparent") from error


_OPTIONS = (
    click.option(
        "--fit",
        metavar="WxH",
        callback=_read_size,
        help="Scale a larger image down to this size, keeping its proportions.",
    ),
    click.option(
        "--resample",
        type=click.Choice(["auto", "nearest", "area"]),
        default="auto",
        show_default=True,
        help="nearest is for pixel art, area for photos; auto looks at the image.",
    ),
    click.option(
        "--colors",
        type=click.IntRange(1, 7),
        help="Reduce the image to so many colours, not counting the background.",
    ),
    click.option("--dither", is_flag=True, help="Reduce colours with Floyd-Steinberg dithering."),
    click.option(
        "--background",
        metavar="COLOUR|auto|transparent",
        callback=_read_background,
        help="What stays empty; a piece type of that colour may fill it all the same.",
    ),
    click.option(
        "--frame",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Which frame of an animated image.",
    ),
    click.option(
        "--preview",
        type=click.Path(path_type=Path),
        metavar="FILE.png",
        help="Write what will be printed, before the work starts ({} is the name).",
    ),
    click.option(
        "--repair",
        is_flag=True,
        help="Print the nearest printable picture where the image cannot be; say what changed.",
    ),
)


def imaging_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; it gets them as ``imaging``."""

    @functools.wraps(command)
    def gathered(
        *,
        fit: tuple[int, int] | None,
        resample: str,
        colors: int | None,
        dither: bool,
        background: str | None,
        frame: int,
        preview: Path | None,
        repair: bool,
        **rest: Any,
    ) -> Any:
        from tetrisprinter.pictures.convert import Conversion, Resampling

        assert resample in get_args(Resampling)
        how: Any = resample
        if dither and colors is None:
            raise InputError("--dither needs --colors: it is a way to reduce them")
        conversion = Conversion(fit, how, colors, dither, background, frame)
        return command(imaging=Imaging(conversion, preview, repair), **rest)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def write_preview(picture: Picture, path: Path, stem: str) -> None:
    """Write a picture as PNG, eight pixels per square, transparent where it is empty."""
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.still import png_bytes
    from tetrisprinter.support.files import write_bytes

    named = path.with_name(path.name.replace("{}", stem))
    write_bytes(named, png_bytes(picture, look=Look(8), transparent=True))
