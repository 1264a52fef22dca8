"""``tetrisprinter convert``: image -> plan, or a game for another program."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from tetrisprinter.cli.imaging import Imaging, imaging_options, sources
from tetrisprinter.cli.options import json_option
from tetrisprinter.cli.planning import Planned, Planning, planning_options
from tetrisprinter.cli.preparing import Prepared, prepare
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.formats import game_text
from tetrisprinter.support.files import check_writable, write_text

__all__ = ["command"]

_LOWER = (0, 2, 4)
"""How many rows of the board to leave to the other game for moving pieces, in turn."""


@click.command("convert")
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="What to write: .json is an art file, .fumen a fumen, anything else a plan.",
)
@imaging_options
@planning_options()
@json_option
def command(image: Path, output: Path, imaging: Imaging, planning: Planning, as_json: bool) -> None:
    """Turn IMAGE into a plan that prints it, or into a game for another program.

    An art file (.json) is for the seigot/tetris game, whose board is 10x22 (--board
    10x22); for any other board the same format is written and says so.
    """
    check_writable(output)
    found = sources([image])
    if len(found) != 1:
        raise InputError(f"{image}: holds {len(found)} glyphs; convert takes one, print takes all")
    prepared = prepare(found[0], imaging, planning)
    planned, text = _game(prepared, output.suffix, str(image))
    plan = planned.plan
    write_text(output, text)
    if as_json:
        report = {
            "image": str(image),
            "plan": str(output),
            "planner": planned.planner,
            "drops": len(plan),
            "passes": len(plan.passes),
            **prepared.report,
            **planned.report,
        }
        click.echo(json.dumps(report))
    else:
        click.echo(f"{output}: {len(plan)} drops in {len(plan.passes)} passes")


def _game(prepared: Prepared, suffix: str, source: str) -> tuple[Planned, str]:
    """Plan, and write the plan in its format.

    The art game needs rows to move its pieces in. If a plan leaves too few, it is made
    again as if the board were lower.
    """
    planning, picture = prepared.planning, prepared.picture
    width, height = planning.size(picture)
    refused: JobError | None = None
    for rows in _LOWER if suffix.lower() == ".json" else (0,):
        lower = replace(planning, board=(width, height - rows)) if rows else planning
        try:
            planned = lower.plan(picture, prepared.background)
        except TetrisPrinterError:
            if refused is not None:
                raise refused from None
            raise
        planned = replace(planned, plan=replace(planned.plan, width=width, height=height))
        try:
            return planned, game_text(planned.plan, suffix, source)
        except JobError as error:
            refused = refused or error
    assert refused is not None
    raise refused
