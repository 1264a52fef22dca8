"""``print --avatar`` and ``print --race``: other animations of one image.

An avatar is two square animations, for light and dark pages. In a race planners print the same
picture side by side.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.cli.image_options import ImageOptions
from tetrisprinter.cli.options import print_report
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.cli.print_steps import StepReport, plan_source
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, Source
from tetrisprinter.planners import PLANNERS
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import open_atomically, refuse_overwriting_inputs

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.pictures.convert import Conversion, ConvertedPicture
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.render import Rendering


_COMMON_OPTIONS: Final = (
    "images", "outputs", "as_json", "fit", "resample", "colors", "contrast", "saturation",
     "sharpness", "dither", "original", "crop", "background", "frame", "exact", "types",
     "board", "classic", "time_limit", "effort", "seed", "workers", "verbose"
)  # fmt: skip
FOR_AVATAR: Final = frozenset((*_COMMON_OPTIONS, "avatar", "planner", "sure"))
"""The options of `print` that also apply to an avatar."""

FOR_RACE: Final = frozenset(
    (*_COMMON_OPTIONS, "race", "scale", "style", "field", "seconds", "first", "last")
)  # fmt: skip
"""The options of `print` that also apply to a race."""

_FIELD_COLORS: Final = {"light": "ffffff", "dark": "16181d"}
"""The two versions of an avatar -> the colour of empty squares."""
_AVATAR_SECONDS: Final = 6.0
"""How long the game of an avatar plays; then the finished picture stays for three seconds."""
_AVATAR_SIDE: Final = 24
"""The longer side of an avatar in squares, without --fit."""
_MAX_SPRITE_SIDE: Final = 48
"""An image whose shorter side has more pixels than this is no pixel art, so it is cropped."""


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
    paths = {
        name: target.with_name(f"{target.stem}-{name}{target.suffix}") for name in _FIELD_COLORS
    }
    find_animator(target, "an avatar")
    for path in paths.values():
        check_output(path)
    refuse_overwriting_inputs(list(paths.values()), [source.path])
    conversion = replace(
        image_options.conversion, fit=image_options.conversion.fit or (_AVATAR_SIDE, _AVATAR_SIDE)
    )
    square_source = replace(source, read=functools.partial(_read_square, source.read, source.path))

    def plan_avatar(
        prepared: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> PrintResult:
        return planner_options.plan(prepared)

    result = plan_source(
        square_source, replace(image_options, conversion=conversion), planner_options, plan_avatar
    )
    rendering = Rendering(timing=Timing(seconds=_AVATAR_SECONDS, hold=2.0), margin=1, shape=(1, 1))
    for name, path in paths.items():
        save(result.plan, path, replace(rendering, look=Look(field=_FIELD_COLORS[name])))
    output_names = [str(path) for path in paths.values()]
    print_report(
        as_json,
        {"image": source.name, "outputs": output_names, "drops": result.drops},
        f"{', '.join(output_names)}: {format_count(result.drops, 'piece')}",
    )


def _read_square(
    read: Callable[[Conversion], ConvertedPicture], path: Path, conversion: Conversion
) -> ConvertedPicture:
    """Read the middle square of a photo, but pixel art and transparent images without cropping."""
    if conversion.crop is None and path.suffix.lower() in IMAGE_SUFFIXES:
        from tetrisprinter.pictures.images import open_image

        image = open_image(path).image
        side = min(image.size)
        if side > _MAX_SPRITE_SIDE and image.getextrema()[-1] == (255, 255):
            left, top = (image.width - side) // 2, (image.height - side) // 2
            conversion = replace(conversion, crop=(left, top, side, side))
    return read(conversion)


_RACE_TIME_LIMIT: Final = 20.0
"""The time limit of each planner without --time-limit."""
_RACE_GAME_SECONDS: Final = 14.0
"""The seconds that the longest game plays without --seconds."""


def print_race(
    source: Source,
    output: str | None,
    planners: str,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    rendering: Rendering,
    as_json: bool,
) -> None:
    """Write an animation in which planners print an image side by side, all at the same speed.

    The planner with the fewest pieces finishes first. A planner that cannot print the picture is
    left out with a warning.
    """
    from tetrisprinter.cli.drawing_options import find_animator
    from tetrisprinter.planners import make_plan
    from tetrisprinter.render.save import check_output
    from tetrisprinter.render.side_by_side import make_race

    names = planners.split(",")
    for name in names:
        if name not in PLANNERS:
            planner_names = ", ".join(PLANNERS)
            raise InputError(f"--race: unknown planner {name!r}; choose from {planner_names}")
    image_path = source.path or Path(source.stem)
    target = Path(output) if output else image_path.with_name(f"{source.stem}-race.gif")
    writer = find_animator(target, "a race")
    check_output(target)
    refuse_overwriting_inputs([target], [source.path])
    limit = planner_options.limit
    limit = replace(limit, seconds=limit.seconds or _RACE_TIME_LIMIT)

    def plan_race(
        prepared: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> tuple[list[tuple[str, Plan]], dict[str, int]]:
        runners, drops = [], {}
        for name in names:
            try:
                result = make_plan(prepared.task, name, limit)
            except (JobError, InputError) as error:
                click.echo(f"tetrisprinter: {name} is left out: {error.message}", err=True)
                continue
            drops[name] = result.drops
            runners.append((f"{name}: {format_count(result.drops, 'piece')}", result.plan))
        if not runners:
            raise JobError(f"{source.name}: no planner can print it; tried {', '.join(names)}")
        return runners, drops

    without_time_limit = replace(
        planner_options, limit=replace(planner_options.limit, seconds=None)
    )
    runners, drops = plan_source(source, image_options, without_time_limit, plan_race)
    timing = rendering.timing
    animation = make_race(
        runners,
        seconds=timing.seconds or _RACE_GAME_SECONDS,
        first=timing.first,
        last=timing.hold,
        look=rendering.look,
    )
    with open_atomically(target) as file:
        writer.draw(file, animation)
    counts = ", ".join(f"{name} {number}" for name, number in drops.items())
    report = {"image": source.name, "output": str(target), "drops": drops}
    print_report(as_json, report, f"{target}: pieces: {counts}")
