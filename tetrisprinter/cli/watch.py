"""``tetrisprinter watch``: a print, live in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import click

from tetrisprinter.cli.options import Real
from tetrisprinter.errors import InputError
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan


@click.command("watch")
@click.argument("plan", type=click.Path())
@click.option(
    "--speed",
    type=Real(0.25, 1000),
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

    Keys: space pauses, + and - change the speed, n and b step forward and back (the arrow
    keys do, too), q quits.
    """
    check_terminal()
    watch_plan(read_game(plan), title=Path(plan).stem, speed=speed, color=color)


def check_terminal() -> None:
    """Refuse early to watch where there is no terminal."""
    if not sys.stdout.isatty():
        raise InputError(
            "watching needs a terminal, and the output is none (-o FILE.gif writes a file)"
        )


def watch_plan(
    plan: Plan, *, title: str = "", speed: float | None = None, color: str = "auto"
) -> None:
    """Watch a plan, then leave its picture in the terminal if the end was reached."""
    from tetrisprinter.render.halfblocks import ColorMode, detect_color_mode, draw_as_text
    from tetrisprinter.render.viewer import watch

    mode = detect_color_mode() if color == "auto" else cast("ColorMode", color)
    if watch(plan, speed=speed, mode=mode, title=title):
        # click would strip the colours where it sees no terminal; there is one.
        click.echo(draw_as_text(plan, mode), nl=False, color=True)
