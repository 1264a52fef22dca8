"""``tetrisprinter convert``: image -> plan."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import json_option, seed_option, workers_option
from tetrisprinter.cli.planning import make_plan, planner_option
from tetrisprinter.files import check_writable, write_text
from tetrisprinter.picture import load_picture

__all__ = ["command"]


@click.command("convert")
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="Plan to write."
)
@planner_option
@seed_option
@workers_option
@json_option
def command(
    image: Path, output: Path, planner: str, seed: int, workers: int, as_json: bool
) -> None:
    """Turn IMAGE into a plan that prints it."""
    check_writable(output)
    plan = make_plan(load_picture(image), planner, seed=seed, workers=workers)
    write_text(output, str(plan))
    if as_json:
        report = {
            "image": str(image),
            "plan": str(output),
            "planner": planner,
            "drops": len(plan),
            "passes": len(plan.passes),
        }
        click.echo(json.dumps(report))
    else:
        click.echo(f"{output}: {len(plan)} drops in {len(plan.passes)} passes")
