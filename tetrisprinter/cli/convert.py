"""``tetrisprinter convert``: image -> plan, or a game for another program."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.api import Prepared, make_game
from tetrisprinter.api.wishes import BLACK
from tetrisprinter.cli.exporting import Exporting, exporting_options, start_line
from tetrisprinter.cli.helping import Grouped
from tetrisprinter.cli.imaging import Imaging, imaging_options, preview_of
from tetrisprinter.cli.naming import formats_by_extension
from tetrisprinter.cli.options import json_option
from tetrisprinter.cli.planning import Planning, figures, planning_options
from tetrisprinter.cli.preparing import Telling, attempt, suit_format, warn_of_game
from tetrisprinter.cli.words import counted
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, find_format
from tetrisprinter.pictures.sources import sources
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.support.files import check_apart, check_writable, write_text

__all__ = ["command"]


@click.command("convert", cls=Grouped)
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help=f"What to write: {formats_by_extension()}, anything else is a plan.",
)
@imaging_options
@planning_options()
@exporting_options
@json_option
def command(
    image: Path,
    output: Path,
    imaging: Imaging,
    planning: Planning,
    exporting: Exporting,
    as_json: bool,
) -> None:
    """Turn IMAGE into a plan that prints it, or into a game for another program.

    An art file (.json) is for the seigot/tetris game, whose board is 10x22 (--board
    10x22); for any other board the same format is written and says so. The command that
    shows it in that game is printed.
    """
    check_writable(output)
    check_apart([output, preview_of(imaging, image.stem)], [image])
    exporting.writer(output)
    found = sources([image])
    if len(found) != 1:
        raise InputError(f"{image}: holds {len(found)} glyphs; convert takes one, print takes all")

    def work(
        ready: Prepared, telling: Telling, planning: Planning
    ) -> tuple[Prepared, Telling, PrintResult, str]:
        task, maker = ready.task, planning.maker(ready)
        export = exporting.export(output)
        others = planning.for_steering(ready)
        return ready, telling, *make_game(task, output, maker, str(image), export, others)

    planning = suit_format(planning, output, str(image))
    # What another program draws is drawn on its own ground.
    drawn = BLACK if (find_format(output) or FORMATS["text"]) is FORMATS["text"] else None
    ready, telling, result, text = attempt(found[0], imaging, planning, work, drawn)
    telling.tell(result.steps)
    plan = result.plan
    write_text(output, text)
    warn_of_game(output, result.task)
    start = start_line(output)
    if as_json:
        report = {
            "image": str(image),
            "plan": str(output),
            "planner": result.planner,
            "drops": len(plan),
            "passes": len(plan.passes),
            **telling.report(ready.made(result).changes),
            **figures(result),
            **({"start": start} if start else {}),
        }
        click.echo(json.dumps(report))
    else:
        passes = counted(len(plan.passes), "pass", "passes")
        click.echo(f"{output}: {counted(len(plan), 'drop')} in {passes}")
        if start:
            click.echo(f"in the game's folder: {start}")
