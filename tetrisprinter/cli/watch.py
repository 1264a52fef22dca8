"""``tetrisprinter watch``: play a plan in the terminal."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import cast

import click

from tetrisprinter.cli.options import PATH, Real, option
from tetrisprinter.errors import InputError
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan


@click.command("watch")
@click.argument("plan", type=PATH)
@option("--speed", Real(0.25, 1000), "Drops per second. [default: the game takes about 20 seconds]")
@option(
    "--color",
    ["auto", "truecolor", "256", "none"],
    "The colours that the terminal can show.",
    default="auto",
)
def command(plan: str, speed: float | None, color: str) -> None:
    """Play PLAN in the terminal, drop by drop.

    Keys: space pauses, + and - change the speed, n and b step forward and back (the arrow
    keys do, too), q quits.
    """
    game_plan = read_game(plan)
    check_terminal(f"tetrisprinter play {shlex.quote(plan)} -o FILE.gif")
    watch_plan(game_plan, title=Path(plan).stem, speed=speed, color=color)


def check_terminal(alternative: str = "-o FILE.gif without --watch") -> None:
    """Refuse to play a game if stdout is not a terminal; name an option that writes a file."""
    if not sys.stdout.isatty():
        raise InputError(f"the output is not a terminal; {alternative} writes a file instead")


def watch_plan(
    plan: Plan, *, title: str = "", speed: float | None = None, color: str = "auto"
) -> None:
    """Play a plan in the terminal; print its picture if it was watched to the end."""
    from tetrisprinter.render.halfblocks import ColorMode, detect_color_mode, draw_as_text
    from tetrisprinter.render.viewer import watch

    mode = detect_color_mode() if color == "auto" else cast("ColorMode", color)
    if watch(plan, speed=speed, mode=mode, title=title):
        # color=True: click strips the colours when it does not recognise the terminal.
        click.echo(draw_as_text(plan, mode), nl=False, color=True)
