"""``tetrisprinter print --avatar``: an image -> two square animations, light and dark."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.cli.imaging import Imaging
from tetrisprinter.cli.planning import Planning
from tetrisprinter.cli.preparing import Telling, attempt
from tetrisprinter.cli.words import counted
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, Source
from tetrisprinter.support.files import check_apart

if TYPE_CHECKING:
    from tetrisprinter.api import Prepared
    from tetrisprinter.pictures.convert import Conversion, Converted
    from tetrisprinter.printing.result import PrintResult

__all__ = ["ALLOWED", "print_avatar"]

ALLOWED: Final = frozenset(
    ("images", "outputs", "avatar", "as_json", "fit", "resample", "colors", "contrast",
     "saturation", "sharpness", "dither", "original", "crop", "background", "frame", "exact",
     "planner", "types", "board", "classic", "time_limit", "effort", "seed", "workers", "sure",
     "verbose")
)  # fmt: skip
"""The options of `print` that an avatar has."""

_FIELDS: Final = {"light": "ffffff", "dark": "16181d"}
_SECONDS: Final = 6.0
_SIDE: Final = 24
"""Squares of the longer side, if --fit does not say."""
_DRAWN: Final = 48
"""Pixels of the shorter side up to which an image is a drawing in squares."""


def print_avatar(
    source: Source, output: str | None, imaging: Imaging, planning: Planning, as_json: bool
) -> None:
    """Print an image as two square animations of nine seconds, on light and on dark."""
    from tetrisprinter.cli.rendering import animator_for
    from tetrisprinter.render import Rendering
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.save import check_output, save

    if source.path is None:
        raise InputError(f"--avatar: {source.name} is not a file; give the name of an image")
    target = Path(output) if output else source.path.with_name(f"{source.stem}-avatar.gif")
    paths = {name: target.with_name(f"{target.stem}-{name}{target.suffix}") for name in _FIELDS}
    animator_for(target, "an avatar")
    for path in paths.values():
        check_output(path)
    check_apart(list(paths.values()), [source.path])
    conversion = replace(imaging.conversion, fit=imaging.conversion.fit or (_SIDE, _SIDE))
    square = replace(source, read=functools.partial(_read_square, source.read, source.path))

    def work(found: Prepared, telling: Telling, planning: Planning) -> PrintResult:
        return planning.make(found)

    result = attempt(square, replace(imaging, conversion=conversion), planning, work)
    base = Rendering(timing=Timing(seconds=_SECONDS, hold=2.0), margin=1, shape=(1, 1))
    for name, path in paths.items():
        save(result.plan, path, replace(base, look=Look(field=_FIELDS[name])))
    written = [str(path) for path in paths.values()]
    if as_json:
        click.echo(json.dumps({"image": source.name, "outputs": written, "drops": result.drops}))
    else:
        click.echo(f"{', '.join(written)}: {counted(result.drops, 'piece')}")


def _read_square(
    read: Callable[[Conversion], Converted], path: Path, conversion: Conversion
) -> Converted:
    """Read the middle square of a photo; drawings in few squares, and cut-outs, stay whole."""
    if conversion.crop is None and path.suffix.lower() in IMAGE_SUFFIXES:
        from tetrisprinter.pictures.images import open_image

        image = open_image(path).image
        side = min(image.size)
        if side > _DRAWN and image.getextrema()[-1] == (255, 255):
            left, top = (image.width - side) // 2, (image.height - side) // 2
            conversion = replace(conversion, crop=(left, top, side, side))
    return read(conversion)
