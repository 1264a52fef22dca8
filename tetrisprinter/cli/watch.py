"""``tetrisprinter watch``: a print, live in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from tetrisprinter.plan import Plan

__all__ = ["command", "watch_plan"]


@click.command("watch")
@click.argument("plan", type=click.Path())
@click.option(
    "--speed",
    type=click.FloatRange(0.25, 1000),
    help="Drops per second. [default: so that it takes about 20 seconds]",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "truecolor", "256", "none"]),
    default="auto",
    show_default=True,
    help="How many colours the terminal has.",
)
def command(plan: str, speed: float | None, color: str) -> None:
    """Play PLAN in the terminal, drop by drop.

    Keys: space pauses, + and - change the speed, n steps, q quits.
    """
    watch_plan(Plan.read(plan), title=Path(plan).stem, speed=speed, color=color)


def watch_plan(
    plan: Plan, *, title: str = "", speed: float | None = None, color: str = "auto"
) -> None:
    """Watch a plan, then leave its picture in the terminal if the end was reached."""
    from tetrisprinter.render.terminal import ColorMode, color_mode, picture_text, watch

    mode = color_mode() if color == "auto" else cast("ColorMode", color)
    if watch(plan, speed=speed, mode=mode, title=title):
        # click would strip the colours where it sees no terminal; there is one.
        click.echo(picture_text(plan, mode), nl=False, color=True)
