"""The options of games written for other programs: those of `convert`."""

from __future__ import annotations

import functools
import shlex
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tetrisprinter.cli.options import Whole
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, find_format, game_text
from tetrisprinter.pictures.picture import Color, read_color

if TYPE_CHECKING:
    from tetrisprinter.api import Export
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.pieces import Orientation
    from tetrisprinter.game.plan import Plan


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What was asked for of the file that is written."""

    hold: int | None  # for how many drops an art file holds its picture
    unseen: Color | None  # the colour an art file gives to what is not to be seen
    rules: str | None  # the rules by which a player must be able to steer every piece

    def make_export(self, path: Path) -> Export:
        """Return how a plan is written for a path, so that it can be steered as asked for."""
        from tetrisprinter.api import Export
        from tetrisprinter.game.srs import Guideline, play_by_guideline
        from tetrisprinter.game.steering import IllegalMoveError

        export = replace(Export.for_path(path), write=self.make_writer(path))
        if self.rules is None:
            return export
        rules_on = functools.cache(Guideline)  # the board may be chosen with the plan
        other = export.steerable

        def write(plan: Plan, name: str) -> str:
            text = export.write(plan, name)
            try:
                by = rules_on(plan.width, plan.height)
                deque(play_by_guideline(plan, by), maxlen=0)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"{name}: {error}") from error
            return text

        def steerable(field: Playfield, orientation: Orientation, x: int) -> bool:
            fine = other is None or other(field, orientation, x)
            by = rules_on(field.width, field.height)
            return fine and by.can_steer(field, orientation, x)

        return replace(export, write=write, steerable=steerable)

    def make_writer(self, path: Path) -> Callable[[Plan, str], str]:
        """Return what writes a plan for a path."""
        if find_format(path) is FORMATS["art"]:
            from tetrisprinter.formats.art import ArtOptions, format_art

            options = ArtOptions(self.hold, self.unseen)
            return lambda plan, name: format_art(plan, name, options)
        for option, value in (("--hold", self.hold), ("--unseen", self.unseen)):
            if value is not None:
                raise InputError(
                    f"{option} is for art files, but {path} is not one; expected a name that "
                    "ends with .json"
                )
        return lambda plan, name: game_text(plan, path, name)


def make_start_command(path: Path) -> str | None:
    """Return the command that shows a file in the program it is for; None if there is none."""
    if find_format(path) is not FORMATS["art"]:
        return None
    from tetrisprinter.formats.art import start_command

    return start_command(shlex.quote(str(path.resolve())))


def _read_unseen(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Color | None:
    color = None if value is None else read_color(value)
    if value is not None and color is None:
        raise InputError(
            f"--unseen: invalid colour {value!r}; expected six hex digits, e.g. f0f0f0"
        )
    return color


_OPTIONS = (
    click.option(
        "--hold",
        type=Whole(0, 100_000),
        metavar="DROPS",
        help="Art files: for how many drops the finished picture stays, while rows above it are "
        "filled and cleared. [default: 350 on a board of 10x22, if that is possible]",
    ),
    click.option(
        "--unseen",
        metavar="RRGGBB",
        callback=_read_unseen,
        help="Art files: the colour of unseen types and of the background, e.g. that of the "
        "game's window.",
    ),
    click.option(
        "--rules",
        type=click.Choice(["srs"]),
        help="Find a game whose pieces a player can steer by the guideline rules (see `moves`).",
    ),
)


def add_export_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; it gets them as ``export_options``."""

    @functools.wraps(command)
    def collect_options(
        *, hold: int | None, unseen: Color | None, rules: str | None, **rest: Any
    ) -> Any:
        return command(export_options=ExportOptions(hold, unseen, rules), **rest)

    for option in reversed(_OPTIONS):
        collect_options = option(collect_options)
    return collect_options
