"""``tetrisprinter clock``: the time, minute after minute, printed in one game."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tetrisprinter.cli.options import json_option
from tetrisprinter.cli.slideshow import (
    check_outputs_of,
    slideshow_options,
    slideshow_output,
    write_slideshow,
)
from tetrisprinter.errors import InputError

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.game.start import Rows


_HOUR: Final = 60
"""Minutes of a page that follows the time of day, if none are named."""
_PLANNING: Final = 20.0
"""Seconds in which the next minute must be planned, so that there is time to print it."""


@click.command("clock")
@slideshow_output(False)
@slideshow_options
@click.option("--from", "first", metavar="HH:MM", help="The first minute.")
@click.option("--until", "last", metavar="HH:MM", help="The last minute.")
@click.option("--live", is_flag=True,
              help="Be a clock in the terminal, or in a page (-o clock.html, an hour if no minutes "
              "are named): each minute stands when it begins.")  # fmt: skip
@click.option("--layout", type=click.Choice(["steps", "line"]), default="steps", show_default=True,
              help="steps: the minutes stand higher than the hours, so a minute changes less; "
              "line: all digits in a row.")  # fmt: skip
@click.option("--color", default="f5f5f5", show_default=True, help="Colour of the digits.")
@json_option
def command(
    first: str | None,
    last: str | None,
    live: bool,
    layout: Any,
    color: str,
    board: str | None,
    types: str | None,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print the time from one minute to another in one game.

    Of each minute only what lies above the lowest row that differs is printed anew.
    """
    outputs = drawing["outputs"]
    if live and not outputs and (first or last or as_json):
        raise InputError(
            "--live without -o shows the clock in the terminal; leave --from, --until and "
            "--json out, or add -o clock.html"
        )
    if live and any(Path(path).suffix.lower() not in (".html", ".htm") for path in outputs):
        raise InputError(
            "--live: only a page (.html) can follow the time of day; use -o clock.html"
        )
    if not live and not (outputs and first and last):
        raise InputError("missing options: give -o FILE, --from HH:MM and --until HH:MM, or --live")
    from tetrisprinter.api.slideshows import clock_tasks
    from tetrisprinter.pictures.clock import minutes_of
    from tetrisprinter.pictures.convert import parse_color

    try:
        ink = parse_color(color)
    except InputError as error:
        raise InputError(f"--color: {error}") from error
    if live and not outputs:
        _watch(layout, ink, board, types, drawing["time_limit"])
        return
    check_outputs_of(outputs)
    begin = minutes_of(first) if first else minutes_of(time.strftime("%H:%M"))
    many = (minutes_of(last) - begin) % 1440 + 1 if last else _HOUR
    tasks = clock_tasks(begin, many, ink, layout, board, types)
    write_slideshow(tasks, False, as_json, **drawing, minute=begin if live else None)


def _watch(
    layout: Any, ink: str, board: str | None, types: str | None, seconds: float | None
) -> None:
    from tetrisprinter.api.slideshows import clock_tasks
    from tetrisprinter.cli.watch import check_terminal
    from tetrisprinter.planners import make_plan
    from tetrisprinter.render.live_clock import watch_clock
    from tetrisprinter.support.limits import Limit

    check_terminal()

    def plan_of(minute: int, lies: Rows) -> Plan:
        (task,) = clock_tasks(minute, 1, ink, layout, board, types)
        return make_plan(task.over(lies), "auto", Limit(seconds or _PLANNING, 1)).plan

    watch_clock(plan_of)
