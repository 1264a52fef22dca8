"""``tetrisprinter race``: planners print the same picture side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from tetrisprinter.cli.options import Real, json_option
from tetrisprinter.cli.words import counted
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.support.files import check_apart, open_atomically

__all__ = ["command"]

_USUAL: Final = "article,rows,shortest"


@click.command("race")
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The film: .gif .apng .webp .mp4 .webm. [default: NAME-race.gif beside the image]",
)
@click.option(
    "--planners",
    default=_USUAL,
    show_default=True,
    metavar="NAME,NAME,...",
    help="Who takes part, from left to right.",
)
@click.option(
    "--time-limit",
    type=Real(min=0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="How long each planner may look.",
)
@click.option(
    "--seconds",
    type=Real(min=1),
    default=14.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the longest game plays.",
)
@json_option
def command(
    image: Path,
    output: Path | None,
    planners: str,
    time_limit: float,
    seconds: float,
    as_json: bool,
) -> None:
    """Let planners print IMAGE side by side, on the same board, as many pieces a second.

    Who needs fewer pieces is done first. A planner that cannot print the picture on that board
    is left out, and a line says so.
    """
    from tetrisprinter.api import prepare, print_picture
    from tetrisprinter.cli.rendering import animator_for
    from tetrisprinter.planners import PLANNERS
    from tetrisprinter.render.race import race
    from tetrisprinter.render.save import check_output

    names = planners.split(",")
    unknown = [name for name in names if name not in PLANNERS]
    if unknown:
        known = ", ".join(PLANNERS)
        raise InputError(f"--planners: {unknown[0]!r} is no planner; there are {known}")
    target = output or image.with_name(f"{image.stem}-race.gif")
    writer = animator_for(target, "a race")
    check_output(target)
    check_apart([target], [image])
    task = prepare(image).task
    runners, drops = [], {}
    for name in names:
        try:
            result = print_picture(
                task.picture,
                planner=name,
                limit=time_limit,
                board=task.board,
                exact=True,
                background=task.background,
            )
        except (JobError, InputError) as error:
            click.echo(f"tetrisprinter: {name} does not take part: {error.message}", err=True)
            continue
        drops[name] = result.drops
        runners.append((f"{name}: {counted(result.drops, 'piece')}", result.plan))
    if not runners:
        raise JobError(f"{image}: none of these planners prints it")
    film = race(runners, seconds=seconds)
    with open_atomically(target) as file:
        writer.draw(file, film)
    if as_json:
        report = {"image": str(image), "output": str(target), "drops": drops}
        click.echo(json.dumps(report))
    else:
        said = ", ".join(f"{name} {number}" for name, number in drops.items())
        click.echo(f"{target}: pieces: {said}")
