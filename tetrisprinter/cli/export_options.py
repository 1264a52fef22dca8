"""The options of `convert` for games that other programs read."""

from __future__ import annotations

import functools
import shlex
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tetrisprinter.cli.options import Whole, add_group, option
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, find_format, format_game
from tetrisprinter.pictures.picture import Color, read_color

if TYPE_CHECKING:
    from tetrisprinter.api import Export
    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.pieces import Orientation
    from tetrisprinter.game.plan import Plan


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The values of the export options."""

    hold: int | None  # art files: the number of drops for which the picture stays complete
    unseen: Color | None  # art files: the colour of unseen types and of the background
    rules: str | None  # the rules by which a player must be able to steer every piece

    def make_export(self, path: Path) -> Export:
        """Return how to write a plan to a path; with ``rules`` it must be steerable by them."""
        from tetrisprinter.api import Export
        from tetrisprinter.game.srs import Guideline, play_by_guideline
        from tetrisprinter.game.steering import IllegalMoveError

        export = replace(Export.find_export(path), write=self.make_writer(path))
        if self.rules is None:
            return export
        make_rules = functools.cache(Guideline)  # the size of the board is known with the plan only
        format_allows = export.steerable

        def write(plan: Plan, name: str) -> str:
            text = export.write(plan, name)
            try:
                rules = make_rules(plan.width, plan.height)
                deque(play_by_guideline(plan, rules), maxlen=0)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"{name}: {error}") from error
            return text

        def can_steer(field: Playfield, orientation: Orientation, x: int) -> bool:
            rules = make_rules(field.width, field.height)
            return (
                format_allows is None or format_allows(field, orientation, x)
            ) and rules.can_steer(field, orientation, x)

        return replace(export, write=write, steerable=can_steer)

    def make_writer(self, path: Path) -> Callable[[Plan, str], str]:
        """Return the function from a plan and its name to the text of a file."""
        if find_format(path) is FORMATS["art"]:
            from tetrisprinter.formats.art import ArtOptions, format_art

            options = ArtOptions(self.hold, self.unseen)
            return lambda plan, name: format_art(plan, name, options)
        for name, value in (("--hold", self.hold), ("--unseen", self.unseen)):
            if value is not None:
                raise InputError(f"{name}: {path} is not an art file; use a name with .json")
        return lambda plan, name: format_game(plan, path, name)


def make_start_command(path: Path) -> str | None:
    """Return the command that shows an art file in its game; None for other files."""
    if find_format(path) is not FORMATS["art"]:
        return None
    from tetrisprinter.formats.art import format_start_command

    return format_start_command(shlex.quote(str(path.resolve())))


def _read_unseen(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Color | None:
    """Read the value of ``--unseen``."""
    color = None if value is None else read_color(value)
    if value is not None and color is None:
        raise InputError(
            f"--unseen: invalid colour {value!r}; expected six hex digits, e.g. f0f0f0"
        )
    return color


_OPTIONS = (
    option("--hold", Whole(0, 100_000), "Art files: the number of drops for which the finished "
           "picture stays, while rows above it fill and clear. [default: 350 on a board of "
           "10x22, if possible]", metavar="DROPS"),
    option("--unseen", None, "Art files: the colour of unseen types and of the background, e.g. "
           "the colour of the game's window.", metavar="RRGGBB", callback=_read_unseen),
    option("--rules", ["srs"], "Require that a player can steer all pieces by the guideline "
           "rules (see `moves`)."),
)  # fmt: skip


add_export_options = add_group("export_options", ExportOptions, _OPTIONS)
"""The decorator that adds the export options."""
