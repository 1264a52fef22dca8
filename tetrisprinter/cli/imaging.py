"""What may be printed, and how the commands read it: images, glyphs, texts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from tetrisprinter.errors import InputError
from tetrisprinter.support.sizes import parse_size

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Conversion
    from tetrisprinter.pictures.picture import Picture

__all__ = ["Imaging", "imaging_options", "write_preview"]


@dataclass(frozen=True, slots=True)
class Imaging:
    """The options that say how an image becomes a picture."""

    conversion: Conversion
    preview: Path | None
    repair: bool


def _read_size(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    size = parse_size(value)
    if size is None:
        raise InputError(f"--fit: {value!r} is not a size such as 64x64")
    return size


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
