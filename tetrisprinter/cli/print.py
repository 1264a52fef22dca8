"""``tetrisprinter print``: image -> plan -> game -> picture, compared with the image."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tetrisprinter.cli.options import json_option, scale_option, seed_option, workers_option
from tetrisprinter.cli.planning import make_plan, planner_option
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.files import check_writable, write_bytes, write_text
from tetrisprinter.picture import load_picture
from tetrisprinter.planners import default_column
from tetrisprinter.printer import drop_log, play_through, shown
from tetrisprinter.render.png import png_bytes

__all__ = ["command"]


@dataclass(frozen=True, slots=True)
class _Target:
    """An image and the files its print is written to."""

    image: Path
    output: Path
    plan: Path | None
    drops: Path | None


@click.command("print")
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="PNG to write; with several images, a folder.",
)
@click.option(
    "--plan", type=click.Path(path_type=Path), help="Write the plan too (or a folder of plans)."
)
@click.option(
    "--drops",
    type=click.Path(path_type=Path),
    help="Write the game as played too: JSON (or a folder).",
)
@planner_option
@scale_option
@seed_option
@workers_option
@json_option
def command(
    images: tuple[Path, ...],
    output: Path,
    plan: Path | None,
    drops: Path | None,
    planner: str,
    scale: int,
    seed: int,
    workers: int,
    as_json: bool,
) -> None:
    """Print IMAGES: convert each, play every drop, compare the field with it, draw it.

    With several images -o, --plan and --drops name folders; an image that fails does not
    keep the others from being printed. --json writes one object, or an array of objects
    if there are several images.
    """
    targets = _targets(images, output, plan, drops)
    reports: list[dict[str, object]] = []
    exit_code = 0
    for target in targets:
        try:
            report = _print(target, planner, scale, seed, workers)
        except TetrisPrinterError as error:
            if len(targets) == 1:
                raise
            click.echo(f"tetrisprinter: {error}", err=True)
            exit_code = max(exit_code, error.exit_code)
            continue
        reports.append(report)
        if not as_json:
            click.echo(
                "{image}: {width}x{height}, {pixels} squares printed as {output} with {drops} "
                "drops, {lines} lines, {passes} passes, {platforms} platforms, "
                "{cells_per_pixel} cells per pixel, in {seconds} s".format_map(report)
            )
    if as_json:
        click.echo(json.dumps(reports[0] if len(targets) == 1 else reports))
    if exit_code:
        raise click.exceptions.Exit(exit_code)


def _targets(
    images: Sequence[Path], output: Path, plan: Path | None, drops: Path | None
) -> list[_Target]:
    if len(images) == 1:
        for path in (output, plan, drops):
            if path is not None:
                check_writable(path)
        return [_Target(images[0], output, plan, drops)]
    stems = [image.stem for image in images]
    for stem in stems:
        if stems.count(stem) > 1:
            raise InputError(f"two images are named {stem}: their prints would overwrite another")
    for folder in (output, plan, drops):
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"{folder}: with several images this must be a folder: {error.strerror}"
                ) from error
    return [
        _Target(
            image,
            output / f"{image.stem}.png",
            None if plan is None else plan / f"{image.stem}.txt",
            None if drops is None else drops / f"{image.stem}.json",
        )
        for image in images
    ]


def _print(target: _Target, planner: str, scale: int, seed: int, workers: int) -> dict[str, object]:
    began = time.perf_counter()
    picture = load_picture(target.image)
    plan = make_plan(picture, planner, seed=seed, workers=workers)
    game = play_through(plan)
    left = shown(plan, game.field)
    wanted = picture.placed(plan.width, plan.height, default_column(picture.width, plan.width))
    wrong = left.differences(wanted)
    if wrong:
        x, y = wrong[0]
        raise JobError(
            f"{target.image}: the print differs from the image in {len(wrong)} squares, first "
            f"at column {x}, row {y} of the board; this is a fault of the planner"
        )
    if target.plan is not None:
        write_text(target.plan, str(plan))
    if target.drops is not None:
        write_text(target.drops, json.dumps(drop_log(plan, game)))
    write_bytes(target.output, png_bytes(left, scale))
    pixels = len(picture.cells())
    return {
        "image": str(target.image),
        "output": str(target.output),
        "planner": planner,
        "width": picture.width,
        "height": picture.height,
        "pixels": pixels,
        "drops": len(game.drops),
        "lines": game.lines,
        "passes": len(plan.passes),
        "platforms": plan.platforms,
        "cells_per_pixel": round(4 * len(game.drops) / pixels, 2),
        "seconds": round(time.perf_counter() - began, 2),
    }
