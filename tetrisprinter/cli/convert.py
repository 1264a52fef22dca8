"""``tetrisprinter convert``: image -> plan."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import json_option
from tetrisprinter.cli.planning import Planning, planning_options
from tetrisprinter.files import check_writable, write_text
from tetrisprinter.picture import load_picture

__all__ = ["command"]


@click.command("convert")
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="Plan to write."
)
@planning_options
@json_option
def command(image: Path, output: Path, planning: Planning, as_json: bool) -> None:
    """Turn IMAGE into a plan that prints it."""
    check_writable(output)
    planned = planning.plan(load_picture(image))
    plan = planned.plan
    write_text(output, str(plan))
    if as_json:
        report = {
            "image": str(image),
            "plan": str(output),
            "planner": planning.planner,
            "drops": len(plan),
            "passes": len(plan.passes),
            **planned.report,
        }
        click.echo(json.dumps(report))
    else:
        click.echo(f"{output}: {len(plan)} drops in {len(plan.passes)} passes")
