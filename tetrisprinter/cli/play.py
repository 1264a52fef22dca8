"""``tetrisprinter play``: plan -> game -> picture."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import json_option, scale_option
from tetrisprinter.files import check_writable, write_bytes, write_text
from tetrisprinter.plan import Plan
from tetrisprinter.printer import drop_log, play_through, shown
from tetrisprinter.render.png import png_bytes

__all__ = ["command"]


@click.command("play")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="PNG to write."
)
@scale_option
@click.option("--drops", type=click.Path(path_type=Path), help="Write the game as played (JSON).")
@json_option
def command(plan_file: Path, output: Path, scale: int, drops: Path | None, as_json: bool) -> None:
    """Play PLAN on an empty board and draw what it leaves, black where empty."""
    for path in (output, drops):
        if path is not None:
            check_writable(path)
    plan = Plan.read(plan_file)
    game = play_through(plan)
    if drops is not None:
        write_text(drops, json.dumps(drop_log(plan, game)))
    left = shown(plan, game.field)
    write_bytes(output, png_bytes(left, scale))
    report = {
        "plan": str(plan_file),
        "output": str(output),
        "drops": len(game.drops),
        "lines": game.lines,
        "squares": len(left.cells()),
    }
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"{output}: {report['squares']} squares left by {len(game.drops)} drops and "
            f"{game.lines} lines"
        )
