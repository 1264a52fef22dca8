"""``tetrisprinter clock``: the time, minute after minute, printed in one game."""

from __future__ import annotations

from typing import Any

import click

from tetrisprinter.cli.film import check_outputs_of, film_options, make_film
from tetrisprinter.cli.options import json_option
from tetrisprinter.errors import InputError

__all__ = ["command"]


@click.command("clock")
@film_options
@click.option("--from", "first", required=True, metavar="HH:MM", help="The first minute.")
@click.option("--until", "last", required=True, metavar="HH:MM", help="The last minute.")
@click.option("--layout", type=click.Choice(["steps", "line"]), default="steps", show_default=True,
              help="steps: the minutes stand higher than the hours, so a minute changes less; "
              "line: all digits in a row.")  # fmt: skip
@click.option("--color", default="f5f5f5", show_default=True, help="Colour of the digits.")
@json_option
def command(
    first: str,
    last: str,
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
    from tetrisprinter.api.films import clock_tasks
    from tetrisprinter.pictures.clock import minutes_of
    from tetrisprinter.pictures.convert import parse_color

    check_outputs_of(drawing["outputs"])
    begin, end = minutes_of(first), minutes_of(last)
    try:
        ink = parse_color(color)
    except InputError as error:
        raise InputError(f"--color: {error}") from error
    many = (end - begin) % 1440 + 1
    make_film(clock_tasks(begin, many, ink, layout, board, types), False, as_json, **drawing)
