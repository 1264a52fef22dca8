"""``tetrisprinter clock``: the time, minute after minute, printed in one game."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tetrisprinter.cli.options import COLOR, flag, json_option, option
from tetrisprinter.cli.slideshow import (
    add_slideshow_options,
    check_slideshow_outputs,
    make_output_option,
    write_slideshow,
)
from tetrisprinter.errors import InputError

if TYPE_CHECKING:
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.game.start import Rows


_LIVE_MINUTES: Final = 60
"""The number of minutes that a page with --live shows without --until."""
_PLANNING_SECONDS: Final = 20.0
"""The time for planning the next minute, whose game plays during the rest of the minute."""


@click.command("clock")
@make_output_option(False)
@add_slideshow_options
@option("--from first", None, "The first minute.", metavar="HH:MM")
@option("--until last", None, "The last minute.", metavar="HH:MM")
@flag(
    "--live",
    "Show the time of day, each minute complete when it begins: in the terminal, or "
    "on a page (-o clock.html; an hour without --from and --until).",
)
@option(
    "--layout",
    ["steps", "line"],
    "steps: the minutes in a line above the hours, so that fewer squares change; line: "
    "all digits side by side.",
    default="steps",
)
@option("--color", COLOR, "Colour of the digits.", default="f5f5f5")
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

    Rows below the lowest one that changes stay; the rest is cleared and printed again.
    """
    outputs = drawing["outputs"]
    if live and not outputs and (first or last or as_json):
        raise InputError(
            "--from, --until and --json cannot be used with --live in the terminal; leave them out "
            "or add -o clock.html"
        )
    if live and any(Path(path).suffix.lower() not in (".html", ".htm") for path in outputs):
        raise InputError("--live: only a page can follow the time of day; use -o clock.html")
    if not live and not (outputs and first and last):
        raise InputError("missing options: give -o FILE, --from HH:MM and --until HH:MM, or --live")
    from tetrisprinter.api.slideshows import make_clock_tasks
    from tetrisprinter.pictures.clock import parse_minutes

    if live and not outputs:
        _watch_clock(layout, color, board, types, drawing["time_limit"])
        return
    check_slideshow_outputs(outputs)
    first_minute = parse_minutes(first) if first else parse_minutes(time.strftime("%H:%M"))
    count = (parse_minutes(last) - first_minute) % 1440 + 1 if last else _LIVE_MINUTES
    tasks = make_clock_tasks(first_minute, count, color, layout, board, types)
    write_slideshow(tasks, False, as_json, **drawing, minute=first_minute if live else None)


def _watch_clock(
    layout: Any, color: str, board: str | None, types: str | None, time_limit: float | None
) -> None:
    """Show the clock in the terminal; plan each minute while the previous minute is shown."""
    from tetrisprinter.api.slideshows import make_clock_tasks
    from tetrisprinter.cli.watch import check_terminal
    from tetrisprinter.planners import make_plan
    from tetrisprinter.render.live_clock import watch_clock
    from tetrisprinter.support.limits import Limit

    check_terminal("-o FILE.gif without --live")

    def plan_minute(minute: int, start: Rows) -> Plan:
        (task,) = make_clock_tasks(minute, 1, color, layout, board, types)
        return make_plan(
            task.with_start(start), "auto", Limit(time_limit or _PLANNING_SECONDS, 1)
        ).plan

    watch_clock(plan_minute)
