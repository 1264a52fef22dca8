"""The options for converting an image to a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from tetrisprinter.cli.options import (
    MAYBE_PATH,
    ParsedType,
    Real,
    Whole,
    add_group,
    flag,
    make_size_type,
    option,
)
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Adjustments, Conversion
from tetrisprinter.pictures.scaling import Resampling
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from tetrisprinter.pictures.images import Box
    from tetrisprinter.pictures.picture import Picture


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """The values of the image options."""

    conversion: Conversion
    preview: str | None  # the file name; empty: NAME-preview.png; None: no preview
    repair: bool  # whether pixels may change so that the picture becomes printable
    all_frames: bool = False  # whether every frame of an animated image is printed


def _read_frame(text: str) -> int:
    """Read the value of ``--frame``."""
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise InputError(f"invalid frame {text!r}; expected 0 or more")
    return int(text)


_OPTIONS = (
    flag("--exact", "Print the image unchanged, or explain why that is impossible."),
    option("--fit", make_size_type("size such as 64x64"),
           "Scale a larger image down to at most this size. "
           f"[default: {format_size(*DEFAULT_LIMITS.side)}, unless the image can be printed "
           "unchanged]"),
    option("--resample", list(get_args(Resampling)), "How to scale; auto: Lanczos, and thin "
           "lines are kept.", default="auto"),
    option("--colors", Whole(1, 7), "The number of colours, not counting the background. "
           f"[default: as many as the image needs, up to {DEFAULT_LIMITS.max_colors}]",
           metavar="1..7"),
    *(
        option(f"--{name}", Real(0, 4),
               f"{text}; 1 is the default, 0.5 is half as much, 2 is twice as much.", default=1.0,
               metavar="0..4", show_default=False)
        for name, text in (
            ("contrast", "Contrast"),
            ("saturation", "Strength of colours"),
            ("sharpness", "Sharpness of edges"),
        )
    ),
    flag("--dither", "Reduce colours with Floyd-Steinberg dithering."),
    flag("--original", "Keep contrast, edges and specks as they are."),
    option("--crop", ParsedType("pictures.images:parse_crop"), "Print a part of the image: size "
           "and offset in pixels, e.g. 300x200+40+10.", metavar="WxH+X+Y"),
    option("--background", ParsedType("pictures.convert:parse_color", "auto", "transparent"),
           "The colour that is left empty. [default: auto, unless the image can be printed "
           "unchanged]", metavar="COLOUR|auto|transparent"),
    option("--frame", ParsedType(_read_frame, "all"), "The frame of an animated image, from 0; "
           "all: print each frame. [default: 0]", metavar="N|all"),
    option("--preview", MAYBE_PATH, "Write the picture that would be printed, to "
           "NAME-preview.png or to this file; without -o nothing is printed.", metavar="[FILE.png]",
           is_flag=False, flag_value=""),
)  # fmt: skip


def _build_image_options(
    exact: bool,
    fit: tuple[int, int] | None,
    resample: Resampling,
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
) -> ImageOptions:
    """Build the image options from the values of the command line."""
    if dither and colors is None and exact:
        raise InputError("--dither: the number of colours is missing; add --colors N")
    frame_number = None if frame == "all" else frame
    defaults = None if exact else DEFAULT_LIMITS
    adjustments = Adjustments(contrast, saturation, sharpness, dither, original)
    conversion = Conversion(
        fit, resample, colors, background, frame_number, defaults, adjustments, crop
    )
    return ImageOptions(conversion, preview, not exact, frame == "all")


add_image_options = add_group("image_options", _build_image_options, _OPTIONS)
"""The decorator that adds the image options."""


def name_preview(image_options: ImageOptions, stem: str) -> Path | None:
    """Return the file name of the preview; None without --preview."""
    if image_options.preview is None:
        return None
    path = Path(image_options.preview or "{}-preview.png")
    return path.with_name(path.name.replace("{}", stem))


def write_preview(picture: Picture, path: Path) -> None:
    """Write a picture as PNG with transparent empty squares."""
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.still import draw_png
    from tetrisprinter.support.files import write_bytes

    write_bytes(path, draw_png(picture, look=Look(), transparent=True))
