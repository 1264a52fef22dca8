"""What may be printed, and how the commands read it: images, glyphs, texts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from tetrisprinter.cli.options import Size, Whole
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import USUAL, Adjustments, Conversion
from tetrisprinter.pictures.scaling import Resampling
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from tetrisprinter.pictures.images import Box
    from tetrisprinter.pictures.picture import Picture

__all__ = ["Imaging", "imaging_options", "preview_of", "write_preview"]


@dataclass(frozen=True, slots=True)
class Imaging:
    """The options that say how an image becomes a picture."""

    conversion: Conversion
    preview: str | None
    repair: bool
    all_frames: bool = False


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


def _read_frame(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | Literal["all"] | None:
    if value is None or value == "all":
        return "all" if value else None
    if not value.isascii() or not value.isdecimal() or len(value) > 9:
        raise InputError(f"--frame: {value!r} is neither a number from 0 on nor all")
    return int(value)


def _read_crop(context: click.Context, parameter: click.Parameter, value: str | None) -> Box | None:
    from tetrisprinter.pictures.images import parse_crop

    try:
        return None if value is None else parse_crop(value)
    except InputError as error:
        raise InputError(f"--crop: {error}") from error


_OPTIONS = (
    click.option(
        "--exact",
        is_flag=True,
        help="Print the image as it is, or say why not.",
    ),
    click.option(
        "--fit",
        type=Size("size such as 64x64"),
        help="Scale a larger image down to this many squares. "
        f"[default: {format_size(*USUAL.side)}, if it cannot be printed as it is]",
    ),
    click.option(
        "--resample",
        type=click.Choice(list(get_args(Resampling))),
        default="auto",
        show_default=True,
        help="How to scale: auto is Lanczos and keeps thin lines.",
    ),
    click.option(
        "--colors",
        type=Whole(1, 7),
        metavar="1..7",
        help="Use so many colours, not counting the background. "
        f"[default: as many as the image needs, up to {USUAL.most}]",
    ),
    *(
        click.option(
            f"--{name}",
            type=click.FloatRange(0, 4),
            default=1.0,
            metavar="0..4",
            help=f"{text}; 0.5 is half as much as suits the image, 2 is twice as much.",
        )
        for name, text in (
            ("contrast", "Contrast"),
            ("saturation", "Strength of colours"),
            ("sharpness", "Sharpness of edges"),
        )
    ),
    click.option("--dither", is_flag=True, help="Reduce colours with Floyd-Steinberg dithering."),
    click.option(
        "--original", is_flag=True, help="Change neither contrast nor edges, and keep specks."
    ),
    click.option(
        "--crop",
        metavar="WxH+X+Y",
        callback=_read_crop,
        help="Print only a part of the image, in pixels, e.g. 300x200+40+10.",
    ),
    click.option(
        "--background",
        metavar="COLOUR|auto|transparent",
        callback=_read_background,
        help="The colour that need not be printed. "
        "[default: auto, if the image cannot be printed as it is]",
    ),
    click.option(
        "--frame",
        metavar="N|all",
        callback=_read_frame,
        help="Which frame of an animated image, from 0; all prints every one. [default: the first]",
    ),
    click.option(
        "--preview",
        type=click.Path(),
        metavar="[FILE.png]",
        is_flag=False,
        flag_value="",
        help="Show what will be printed, as NAME-preview.png or this file; without -o nothing is "
        "printed.",
    ),
)


def imaging_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; it gets them as ``imaging``."""

    @functools.wraps(command)
    def gathered(
        *,
        exact: bool,
        fit: tuple[int, int] | None,
        resample: str,
        colors: int | None,
        contrast: float,
        saturation: float,
        sharpness: float,
        dither: bool,
        original: bool,
        crop: Box | None,
        background: str | None,
        frame: int | Literal["all"] | None,
        preview: str | None,
        **rest: Any,
    ) -> Any:
        how: Any = resample
        if dither and colors is None and exact:
            raise InputError("--dither needs --colors: it is a way to reduce them")
        which = None if frame == "all" else frame
        usual = None if exact else USUAL
        adjust = Adjustments(contrast, saturation, sharpness, dither, original)
        conversion = Conversion(fit, how, colors, background, which, usual, adjust, crop)
        return command(imaging=Imaging(conversion, preview, not exact, frame == "all"), **rest)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def preview_of(imaging: Imaging, stem: str) -> Path | None:
    """Return where the preview of an image goes, if one was asked for."""
    if imaging.preview is None:
        return None
    path = Path(imaging.preview or "{}-preview.png")
    return path.with_name(path.name.replace("{}", stem))


def write_preview(picture: Picture, path: Path) -> None:
    """Write a picture as PNG, transparent where it is empty."""
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.still import draw_png
    from tetrisprinter.support.files import write_bytes

    write_bytes(path, draw_png(picture, look=Look(), transparent=True))
