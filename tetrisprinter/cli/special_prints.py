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


_FOR_BOTH: Final = (
    "images", "outputs", "as_json", "fit", "resample", "colors", "contrast", "saturation",
     "sharpness", "dither", "original", "crop", "background", "frame", "exact", "types",
     "board", "classic", "time_limit", "effort", "seed", "workers", "verbose"
)  # fmt: skip
FOR_AVATAR: Final = frozenset((*_FOR_BOTH, "avatar", "planner", "sure"))
"""The options of `print` that also apply to an avatar."""

FOR_RACE: Final = frozenset(
    (*_FOR_BOTH, "race", "scale", "style", "field", "seconds", "first", "last")
)  # fmt: skip
"""The options of `print` that also apply to a race."""

_FIELDS: Final = {"light": "ffffff", "dark": "16181d"}
"""The two versions, each with its colour of empty squares."""
_AVATAR_SECONDS: Final = 6.0
"""How long the game plays; the finished picture stays for another three seconds."""
_AVATAR_SIDE: Final = 24
"""Squares of the longer side without --fit."""
_LARGEST_SPRITE: Final = 48
"""The longest shorter side, in pixels, of an image that counts as pixel art and is not cropped."""


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
    refuse_overwriting_inputs(list(paths.values()), [source.path])
    conversion = replace(
        image_options.conversion, fit=image_options.conversion.fit or (_AVATAR_SIDE, _AVATAR_SIDE)
    )
    square = replace(source, read=functools.partial(_read_square, source.read, source.path))

    def work(
        prepared: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> PrintResult:
        return planner_options.plan(prepared)

    result = plan_source(
        square, replace(image_options, conversion=conversion), planner_options, work
    )
    base = Rendering(timing=Timing(seconds=_AVATAR_SECONDS, hold=2.0), margin=1, shape=(1, 1))
    for name, path in paths.items():
        save(result.plan, path, replace(base, look=Look(field=_FIELDS[name])))
    written = [str(path) for path in paths.values()]
    print_report(
        as_json,
        {"image": source.name, "outputs": written, "drops": result.drops},
        f"{', '.join(written)}: {format_count(result.drops, 'piece')}",
    )


def _read_square(
    read: Callable[[Conversion], ConvertedPicture], path: Path, conversion: Conversion
) -> ConvertedPicture:
    """Read the middle square of a photo; read pixel art and transparent images whole."""
    if conversion.crop is None and path.suffix.lower() in IMAGE_SUFFIXES:
        from tetrisprinter.pictures.images import open_image

        image = open_image(path).image
        side = min(image.size)
        if side > _LARGEST_SPRITE and image.getextrema()[-1] == (255, 255):
            left, top = (image.width - side) // 2, (image.height - side) // 2
            conversion = replace(conversion, crop=(left, top, side, side))
    return read(conversion)


_RACE_TIME_LIMIT: Final = 20.0
"""The time limit of each planner without --time-limit."""
_RACE_GAME_SECONDS: Final = 14.0
"""How many seconds the longest game plays without --seconds."""


def print_race(
    source: Source,
    output: str | None,
    planners: str,
    image_options: ImageOptions,
    planner_options: PlannerOptions,
    how: Rendering,
    as_json: bool,
) -> None:
    """Write an animation in which planners print an image side by side, all at the same speed.

    The planner with the fewest pieces is done first. A planner that cannot print the picture is
    left out, and a line says so.
    """
    from tetrisprinter.cli.drawing_options import find_animator
    from tetrisprinter.planners import make_plan
    from tetrisprinter.render.save import check_output
    from tetrisprinter.render.side_by_side import make_race

    names = planners.split(",")
    for name in names:
        if name not in PLANNERS:
            known = ", ".join(PLANNERS)
            raise InputError(f"--race: unknown planner {name!r}; choose from {known}")
    beside = source.path or Path(source.stem)
    target = Path(output) if output else beside.with_name(f"{source.stem}-race.gif")
    writer = find_animator(target, "a race")
    check_output(target)
    refuse_overwriting_inputs([target], [source.path])
    limit = planner_options.limit
    limit = replace(limit, seconds=limit.seconds or _RACE_TIME_LIMIT)

    def work(
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

    unlimited = replace(planner_options, limit=replace(planner_options.limit, seconds=None))
    runners, drops = plan_source(source, image_options, unlimited, work)
    timing = how.timing
    animation = make_race(
        runners,
        seconds=timing.seconds or _RACE_GAME_SECONDS,
        first=timing.first,
        last=timing.hold,
        look=how.look,
    )
    with open_atomically(target) as file:
        writer.draw(file, animation)
    counts = ", ".join(f"{name} {number}" for name, number in drops.items())
    report = {"image": source.name, "output": str(target), "drops": drops}
    print_report(as_json, report, f"{target}: pieces: {counts}")
