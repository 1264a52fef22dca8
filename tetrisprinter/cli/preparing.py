"""What a command says while something is prepared and worked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from tetrisprinter.api import Wishes
from tetrisprinter.api import attempt as attempt_any
from tetrisprinter.api.preparing import Prepared, prepared
from tetrisprinter.cli.imaging import Imaging, write_preview
from tetrisprinter.cli.planning import Planning
from tetrisprinter.cli.words import taken
from tetrisprinter.errors import Thing
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import Source
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.empty import AUTO, choose_field

if TYPE_CHECKING:
    from tetrisprinter.printing.repair import Change
    from tetrisprinter.render.paint import Look

__all__ = ["Telling", "attempt", "field_for", "warn_of_empty"]

_T = TypeVar("_T")


@dataclass(slots=True)
class Telling:
    """Tells the steps of a print on stderr, each once, and keeps them for ``--json``.

    Attributes
    ----------
    name : str
        What is printed.
    steps : list of Step
        What was told.
    """

    name: str
    steps: list[Step] = field(default_factory=list)

    def tell(self, steps: tuple[Step, ...]) -> None:
        """Tell those that were not told yet."""
        new = [step for step in steps if step not in self.steps]
        if new:
            click.echo(f"{self.name}: {taken(new)}", err=True)
        self.steps += new

    def report(self, changes: tuple[Change, ...]) -> dict[str, object]:
        """Return what ``--json`` says of it, if there is anything to say."""
        said: dict[str, object] = {}
        if self.steps:
            said["conversion"] = list(map(str, self.steps))
        if changes:
            said["repaired"] = [
                {"x": c.x, "y": c.y, "before": c.before, "after": c.after, "reason": c.reason}
                for c in changes
            ]
        return said


def attempt(
    source: Source,
    imaging: Imaging,
    planning: Planning,
    work: Callable[[Prepared, Telling], _T],
) -> _T:
    """Prepare a source and work on it; if that fails, on something easier.

    What is done is said on stderr in one line.

    Parameters
    ----------
    source : Source
        What to print.
    imaging, planning
        The options.
    work : callable
        Plans what it is given, and tells what comes of it.

    Raises
    ------
    InputError
        If the source cannot be used.
    JobError
        If no plan was found, and none of anything easier either, or the time was up.
    """
    wishes = Wishes(imaging.conversion, planning.board, planning.types, imaging.repair)
    found = prepared(source, wishes, planning.planner)

    def told(easy: Prepared) -> _T:
        telling = Telling(source.name)
        telling.tell(easy.steps)
        if imaging.preview is not None:
            write_preview(easy.task.picture, imaging.preview, source.stem)
        return work(easy, telling)

    return attempt_any(found, told, lambda sentence: click.echo(sentence, err=True))


def field_for(found: Prepared, look: Look) -> tuple[str, tuple[Step, ...]]:
    """Return the colour of empty squares, and the step that chose it."""
    if look.field != AUTO:
        return look.field, ()
    chosen = choose_field(found.task.colors, found.background)
    if chosen == BACKGROUND:
        return chosen, ()
    return chosen, (Step(f"empty squares drawn {chosen}", Thing.FIELD),)


def warn_of_empty(game: Path, background: Color | None) -> None:
    """Say what the art game shows where squares of the background are left empty."""
    if background is not None and game.suffix.lower() == ".json":
        click.echo(
            f"{game}: the art game draws nothing on an empty square, so its window is seen there "
            f"and not {background}; with --background transparent every square of that colour is "
            "printed",
            err=True,
        )
