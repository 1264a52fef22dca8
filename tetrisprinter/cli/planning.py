"""How the commands choose and call a planner."""

from __future__ import annotations

import click

from tetrisprinter.cli.progress import progress
from tetrisprinter.picture import Picture
from tetrisprinter.plan import Plan

__all__ = ["make_plan", "planner_option"]

planner_option = click.option(
    "--planner",
    type=click.Choice(["realtime", "table"]),
    default="realtime",
    show_default=True,
    help="realtime searches its packings; table takes them from the tables.",
)


def make_plan(picture: Picture, planner: str, *, seed: int, workers: int) -> Plan:
    """Plan a picture with the planner of that name."""
    if planner == "table":
        from tetrisprinter.planners.table import plan_table

        return plan_table(picture)
    from tetrisprinter.planners.realtime import plan_realtime

    with progress(f"planning {picture.name}", picture.height) as on_row:
        return plan_realtime(picture, seed=seed, workers=workers, on_row=on_row)
