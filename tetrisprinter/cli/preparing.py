"""From a source to a task that the planner can be asked for, and on to a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from tetrisprinter.cli.imaging import Imaging, write_preview
from tetrisprinter.cli.planning import Planning
from tetrisprinter.cli.words import taken
from tetrisprinter.errors import JobError, Thing
from tetrisprinter.pictures.convert import Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import Source
from tetrisprinter.planners import PLANNERS
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.printing.suiting import Suited, Wishes, easier, suited
from tetrisprinter.printing.task import Task
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.empty import AUTO, choose_field

if TYPE_CHECKING:
    from tetrisprinter.printing.repair import Change
    from tetrisprinter.render.paint import Look

__all__ = ["Prepared", "attempt", "warn_of_empty"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What to print, and how it came to be.

    Attributes
    ----------
    task : Task
        What to print, perhaps repaired.
    conversion : tuple of str
        What was done to the image, and chosen for it.
    changes : tuple of Change
        Which pixels were repaired.
    field : str or None
        The colour of empty squares, if it is drawn.
    """

    task: Task
    conversion: tuple[str, ...]
    changes: tuple[Change, ...]
    field: str | None = None

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


def attempt(
    source: Source,
    imaging: Imaging,
    planning: Planning,
    work: Callable[[Prepared], _T],
    look: Look | None = None,
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
        Plans what it is given.
    look : Look, optional
        How the print is drawn, if it is.

    Raises
    ------
    InputError
        If the source cannot be used.
    JobError
        If no plan was found, and none of anything easier either, or the time was up.
    """
    wishes = Wishes(imaging.conversion, planning.board, planning.types, imaging.repair)
    found = _for_planner(source, wishes, planning)
    failed: JobError | None = None
    for said, easy in _in_turn(source, found):
        if failed is not None:
            click.echo(f"{source.name}: {failed.message}; tried again with {said}", err=True)
        try:
            return work(_prepared(source, imaging, easy, look))
        except TimeUpError:
            raise  # there is none for anything easier
        except JobError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _in_turn(source: Source, found: Suited) -> Iterator[tuple[str, Suited]]:
    yield "", found
    for wishes, said in easier(found):
        yield said, suited(source.read, wishes)


def _for_planner(source: Source, wishes: Wishes, planning: Planning) -> Suited:
    """Suit a source to the planner, too: some know the article's setting only."""
    found = suited(source.read, wishes)
    if wishes.board is None and wishes.types is None and not wishes.is_exact:
        obstacle = PLANNERS[planning.planner].refuses(found.task)
        if obstacle is not None and not obstacle.theorem:
            classic = suited(source.read, replace(wishes, types="classic"))
            if PLANNERS[planning.planner].refuses(classic.task) is None:
                return classic
    if wishes.is_exact:
        obstacle = PLANNERS[planning.planner].refuses(found.task)
        if obstacle is not None:
            raise obstacle.error(source.name)
    return found


def _prepared(source: Source, imaging: Imaging, found: Suited, look: Look | None) -> Prepared:
    task, steps = found.task, list(found.steps)
    field = None if look is None else look.field
    if field == AUTO:
        field = choose_field(task.colors, found.background)
        if field != BACKGROUND:
            steps.append(Step(f"empty squares drawn {field}", Thing.FIELD))
    if steps:
        click.echo(f"{source.name}: {taken(steps)}", err=True)
    if imaging.preview is not None:
        write_preview(task.picture, imaging.preview, source.stem)
    return Prepared(task, tuple(map(str, steps)), found.changes, field)


def warn_of_empty(game: Path, background: Color | None) -> None:
    """Say what the art game shows where squares of the background are left empty."""
    if background is not None and game.suffix.lower() == ".json":
        click.echo(
            f"{game}: the art game draws nothing on an empty square, so its window is seen there "
            f"and not {background}; with --background transparent every square of that colour is "
            "printed",
            err=True,
        )
