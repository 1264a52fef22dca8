"""``tetrisprinter print --race``: planners print the same picture side by side."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.cli.image_options import ImageOptions
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.cli.print_steps import StepReport, plan_source
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.pictures.sources import Source
from tetrisprinter.planners import PLANNERS
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_apart, open_atomically

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.render import Rendering


ALLOWED: Final = frozenset(
    ("images", "outputs", "race", "as_json", "fit", "resample", "colors", "contrast",
     "saturation", "sharpness", "dither", "original", "crop", "background", "frame", "exact",
     "types", "board", "classic", "time_limit", "effort", "seed", "workers", "verbose",
     "scale", "style", "field", "seconds", "first", "last")
)  # fmt: skip
"""The options of `print` that also apply to a race."""

_SECONDS: Final = 20.0
"""The time limit of each planner without --time-limit."""
_PLAYED: Final = 14.0
"""How long the longest game plays without --seconds."""


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
    check_apart([target], [source.path])
    limit = planner_options.limit
    limit = replace(limit, seconds=limit.seconds or _SECONDS)

    def work(
        found: PreparedTask, step_report: StepReport, planner_options: PlannerOptions
    ) -> tuple[list[tuple[str, Plan]], dict[str, int]]:
        runners, drops = [], {}
        for name in names:
            try:
                result = make_plan(found.task, name, limit)
            except (JobError, InputError) as error:
                click.echo(f"tetrisprinter: {name} is left out: {error.message}", err=True)
                continue
            drops[name] = result.drops
            runners.append((f"{name}: {format_count(result.drops, 'piece')}", result.plan))
        if not runners:
            raise JobError(f"{source.name}: no planner of {', '.join(names)} can print it")
        return runners, drops

    unlimited = replace(planner_options, limit=replace(planner_options.limit, seconds=None))
    runners, drops = plan_source(source, image_options, unlimited, work)
    timing = how.timing
    animation = make_race(
        runners,
        seconds=timing.seconds or _PLAYED,
        first=timing.first,
        last=timing.hold,
        look=how.look,
    )
    with open_atomically(target) as file:
        writer.draw(file, animation)
    if as_json:
        click.echo(json.dumps({"image": source.name, "output": str(target), "drops": drops}))
    else:
        counts = ", ".join(f"{name} {number}" for name, number in drops.items())
        click.echo(f"{target}: pieces: {counts}")
