"""From a source to a task that the planner can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tetrisprinter.cli.imaging import Imaging, write_preview
from tetrisprinter.cli.planning import Planning
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import Source
from tetrisprinter.printing.task import Task

if TYPE_CHECKING:
    from tetrisprinter.printing.repair import Change

__all__ = ["Prepared", "prepare", "warn_of_empty"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What to print, and how it came to be.

    Attributes
    ----------
    task : Task
        What to print, perhaps repaired.
    conversion : tuple of str
        What was done to the image.
    changes : tuple of Change
        Which pixels were repaired.
    """

    task: Task
    conversion: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def report(self) -> dict[str, object]:
        """What ``--json`` says of it, if there is anything to say."""
        said: dict[str, object] = {}
        if self.conversion:
            said["conversion"] = list(self.conversion)
        if self.changes:
            said["repaired"] = [
                {"x": c.x, "y": c.y, "before": c.before, "after": c.after, "reason": c.reason}
                for c in self.changes
            ]
        return said


def prepare(source: Source, imaging: Imaging, planning: Planning) -> Prepared:
    """Read, convert, repair if wished, and preview a source.

    Raises
    ------
    InputError
        If it cannot be used as it is.
    """
    converted = source.read(imaging.conversion)
    if converted.changes:
        click.echo(f"{source.name}: {', '.join(converted.changes)}", err=True)
    task = planning.task(converted.picture, converted.background)
    changes: tuple[Change, ...] = ()
    if imaging.repair:
        from tetrisprinter.printing.repair import repair

        picture, changes = repair(task)
        task = planning.task(picture, converted.background)
        if changes:
            click.echo(f"{source.name}: {len(changes)} pixels repaired:", err=True)
            for change in changes:
                click.echo(f"  {change}", err=True)
    if imaging.preview is not None:
        write_preview(task.picture, imaging.preview, source.stem)
    return Prepared(task, converted.changes, changes)


def warn_of_empty(game: Path, background: Color | None) -> None:
    """Say what the art game shows where squares of the background are left empty."""
    if background is not None and game.suffix.lower() == ".json":
        click.echo(
            f"{game}: the art game draws nothing on an empty square, so its window is seen there "
            f"and not {background}; without --background every square of that colour has to be "
            "printed",
            err=True,
        )
