"""``tetrisprinter print --avatar``: an image -> two square animations, light and dark."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.cli.image_options import ImageOptions
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.cli.print_steps import StepReport, plan_source
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, Source
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_apart

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.pictures.convert import Conversion, Converted
    from tetrisprinter.printing.result import PrintResult


ALLOWED: Final = frozenset(
    ("images", "outputs", "avatar", "as_json", "fit", "resample", "colors", "contrast",
     "saturation", "sharpness", "dither", "original", "crop", "background", "frame", "exact",
     "planner", "types", "board", "classic", "time_limit", "effort", "seed", "workers", "sure",
     "verbose")
)  # fmt: skip
"""The options of `print` that also apply to an avatar."""

_FIELDS: Final = {"light": "ffffff", "dark": "16181d"}
"""The two versions, each with its colour of empty squares."""
_SECONDS: Final = 6.0
"""How long the game plays; the finished picture stays for another three seconds."""
_SIDE: Final = 24
"""Squares of the longer side without --fit."""
_LARGEST_SPRITE: Final = 48
"""An image whose shorter side has at most this many pixels is taken for pixel art, not cropped."""


def print_avatar(
    source: Source,
    output: str | None,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    as_json: bool,
) -> None:
    """Write two square animations of nine seconds: one on a light field, one on a dark field."""
    from tetrisprinter.cli.drawing_options import find_animator
    from tetrisprinter.render import Rendering
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.save import check_output, save

    if source.path is None:
        raise InputError(f"--avatar: {source.name} is not a file; give the name of an image")
    target = Path(output) if output else source.path.with_name(f"{source.stem}-avatar.gif")
    paths = {name: target.with_name(f"{target.stem}-{name}{target.suffix}") for name in _FIELDS}
    find_animator(target, "an avatar")
    for path in paths.values():
        check_output(path)
    check_apart(list(paths.values()), [source.path])
    conversion = replace(
        image_options.conversion, fit=image_options.conversion.fit or (_SIDE, _SIDE)
    )
    square = replace(source, read=functools.partial(_read_square, source.read, source.path))

    def work(
        found: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> PrintResult:
        return planner_options.plan(found)

    result = plan_source(
        square, replace(image_options, conversion=conversion), planner_options, work
    )
    base = Rendering(timing=Timing(seconds=_SECONDS, hold=2.0), margin=1, shape=(1, 1))
    for name, path in paths.items():
        save(result.plan, path, replace(base, look=Look(field=_FIELDS[name])))
    written = [str(path) for path in paths.values()]
    if as_json:
        click.echo(json.dumps({"image": source.name, "outputs": written, "drops": result.drops}))
    else:
        click.echo(f"{', '.join(written)}: {format_count(result.drops, 'piece')}")


def _read_square(
    read: Callable[[Conversion], Converted], path: Path, conversion: Conversion
) -> Converted:
    """Read the middle square of a photo; read pixel art and transparent images whole."""
    if conversion.crop is None and path.suffix.lower() in IMAGE_SUFFIXES:
        from tetrisprinter.pictures.images import open_image

        image = open_image(path).image
        side = min(image.size)
        if side > _LARGEST_SPRITE and image.getextrema()[-1] == (255, 255):
            left, top = (image.width - side) // 2, (image.height - side) // 2
            conversion = replace(conversion, crop=(left, top, side, side))
    return read(conversion)
