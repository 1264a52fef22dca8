"""``tetrisprinter print``: plan a game for an image, play it, compare it, and draw it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.api.presets import PRESETS
from tetrisprinter.cli.drawing_options import add_drawing_options
from tetrisprinter.cli.groups import GroupedCommand
from tetrisprinter.cli.image_options import ImageOptions, add_image_options
from tetrisprinter.cli.options import PATH, flag, json_option, option, refuse_options
from tetrisprinter.cli.output_files import OutputOptions, add_output_options
from tetrisprinter.cli.planner_options import PlannerOptions, add_planner_options
from tetrisprinter.cli.print_batch import PrintSettings, print_all
from tetrisprinter.errors import InputError

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering


DEFAULT_RACE: Final = "article,rows,shortest"
"""The planners of a race by default, from left to right."""


def _set_defaults(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Set the defaults of the other options to the values of a preset; return its name."""
    if value is not None:
        context.default_map = {**(context.default_map or {}), **PRESETS[value].options()}
    return value


_PLACE_OPTION = option(
    "--for place",
    list(PRESETS),
    "Choose board, pieces, rules, files and shape for a place: "
    + ", ".join(f"{name} ({preset.summary})" for name, preset in PRESETS.items())
    + ". Other options override it. Files go to the current folder.",
    is_eager=True,
    expose_value=False,
    callback=_set_defaults,
)


@click.command("print", cls=GroupedCommand)
@click.argument("images", nargs=-1, metavar="IMAGES...", type=PATH)
@add_output_options
@_PLACE_OPTION
@add_image_options
@add_planner_options()
@flag(
    "--avatar",
    "Write two square animations of 9 seconds instead, FILE-light and FILE-dark. "
    "[default: NAME-avatar.gif; --fit 24x24]",
)
@option(
    "--race",
    None,
    "Write an animation of several planners side by side instead; each gets 20 s or "
    f"--time-limit. [default: NAME-race.gif; {DEFAULT_RACE}]",
    is_flag=False,
    flag_value=DEFAULT_RACE,
    metavar="[NAME,NAME,...]",
)
@option(
    "--from start_from",
    PATH,
    "Start on the board that a game (a plan, an art file, a fumen) or a picture leaves.",
    metavar="FILE",
)
@add_drawing_options
@json_option
def command(
    images: tuple[str, ...],
    output: OutputOptions,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    start_from: str | None,
    avatar: bool,
    race: str | None,
    rendering: Rendering,
    as_json: bool,
) -> None:
    """Print IMAGES: find a game of Tetris that leaves each of them, and write an animation of it.

    An image is a photo, a drawing, a folder of images, a .hex file of glyphs, or - for standard
    input. If necessary it is adapted, and a line says how; --exact refuses it instead.

    Without -o the animation is NAME-print.gif beside the image. {} in an output name stands for the
    name of the image. With several images, out.gif means one such file for each, and out/ is a
    folder.
    """
    from tetrisprinter.pictures.sources import make_sources

    if not images:
        if not image_options.preview:
            raise click.UsageError("Missing argument 'IMAGES...'.")
        images, image_options = (image_options.preview,), replace(image_options, preview="")
    if avatar or race:
        _print_avatar_or_race(
            images, output, image_options, planner_options, avatar, race, rendering, as_json
        )
        return
    settings = PrintSettings(rendering, image_options, planner_options, output, as_json, start_from)
    print_all(make_sources(images), settings, [start_from] if start_from else [])


def _print_avatar_or_race(
    images: tuple[str, ...],
    output: OutputOptions,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    avatar: bool,
    race: str | None,
    rendering: Rendering,
    as_json: bool,
) -> None:
    """Write the animations of ``--avatar`` or ``--race`` for one image."""
    from tetrisprinter.cli.special_prints import FOR_AVATAR, FOR_RACE, print_avatar, print_race
    from tetrisprinter.pictures.sources import make_sources

    option_name = "--avatar" if avatar else "--race"
    refuse_options(FOR_AVATAR if avatar else FOR_RACE, f"{option_name} does not support it")
    names = output.outputs
    image_sources = make_sources(images)
    if len(image_sources) != 1:
        raise InputError(f"{option_name}: {len(image_sources)} images; expected one")
    if len(names) > 1:
        raise InputError(f"{option_name}: {len(names)} output files; expected one -o FILE")
    name = names[0] if names else None
    if avatar:
        print_avatar(image_sources[0], name, image_options, planner_options, as_json)
    else:
        print_race(
            image_sources[0],
            name,
            race or "",
            image_options,
            planner_options,
            rendering,
            as_json,
        )
