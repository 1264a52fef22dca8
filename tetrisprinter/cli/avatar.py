"""``tetrisprinter avatar``: an image -> two square films that play for ever, light and dark."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.cli.options import Whole, json_option
from tetrisprinter.cli.words import counted, taken
from tetrisprinter.support.files import check_apart

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["command"]

_FIELDS: Final = {"light": "ffffff", "dark": "16181d"}
_SECONDS: Final = 6.0
_DRAWN: Final = 48
"""Pixels of the shorter side up to which an image is a drawing in squares."""


@click.command("avatar")
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="FILE-light and FILE-dark are written: .gif .apng .webp .mp4 .webm. "
    "[default: NAME-avatar.gif beside the image]",
)
@click.option(
    "--squares",
    type=Whole(8, 48),
    default=24,
    show_default=True,
    help="How many squares the picture is wide and high at most.",
)
@json_option
def command(image: Path, output: Path | None, squares: int, as_json: bool) -> None:
    """Print IMAGE as an avatar: two square films of 9 seconds, one on light, one on dark.

    A photo is cut to a square around its middle first.
    """
    from tetrisprinter.api import print_picture
    from tetrisprinter.cli.rendering import animator_for
    from tetrisprinter.pictures.images import open_image
    from tetrisprinter.render import Rendering
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.save import check_output, save

    target = output or image.with_name(f"{image.stem}-avatar.gif")
    paths = {name: target.with_name(f"{target.stem}-{name}{target.suffix}") for name in _FIELDS}
    animator_for(target, "an avatar")
    for path in paths.values():
        check_output(path)
    check_apart(list(paths.values()), [image])
    result = print_picture(_crop_square(open_image(image).image), fit=(squares, squares))
    if result.steps and not as_json:
        click.echo(f"{image}: {taken(result.steps)}", err=True)
    base = Rendering(timing=Timing(seconds=_SECONDS, hold=2.0), margin=1, square=True)
    for name, path in paths.items():
        save(result.plan, path, replace(base, look=Look(field=_FIELDS[name])))
    written = [str(path) for path in paths.values()]
    if as_json:
        click.echo(json.dumps({"image": str(image), "outputs": written, "drops": result.drops}))
    else:
        click.echo(f"{', '.join(written)}: {counted(result.drops, 'piece')}")


def _crop_square(image: Image.Image) -> Image.Image:
    """Cut a photo to a square; what is drawn in few squares, or has no ground, stays whole."""
    side = min(image.size)
    if side <= _DRAWN or image.getextrema()[-1] != (255, 255):
        return image
    left, top = (image.width - side) // 2, (image.height - side) // 2
    return image.crop((left, top, left + side, top + side))
