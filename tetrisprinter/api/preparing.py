"""From anything that is a picture to a task that can be done, and what to try when it cannot.

What somebody asks for is kept (:mod:`~tetrisprinter.api.wishes`). If no game leaves the
picture, the nearest one that some game leaves takes its place
(:mod:`~tetrisprinter.printing.repair`). Everything that was done is told as a
:class:`~tetrisprinter.pictures.convert.Step` with the thing that would have it otherwise.

Where even then no plan is found, :func:`easier` says what to ask for instead: a colour fewer
and a size smaller, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from tetrisprinter.api.wishes import Asked, Wishes, usual_for
from tetrisprinter.errors import JobError, Thing
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.pictures.convert import USUAL, Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import Source, source_of
from tetrisprinter.planners import PLANNERS, Planner
from tetrisprinter.planners.run import TimeUpError
from tetrisprinter.printing.repair import Change, repair
from tetrisprinter.printing.task import Task
from tetrisprinter.support.sizes import size_text

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.picture import Picture

__all__ = ["Prepared", "attempt", "easier", "prepare", "prepared"]

_T = TypeVar("_T")

_TOLD: Final = 3
"""How many changed pixels a step names."""

_LEAST: Final = 4
"""The shortest long side of a picture that is still tried."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is to be printed, and how it came to be.

    Attributes
    ----------
    source : Source
        What was given.
    wishes : Wishes
        What was asked for; ``wishes.names_board`` and ``wishes.names_types`` say whether the
        task's board and types may still be others.
    task : Task
        What to print, perhaps repaired.
    steps : tuple of Step
        What was done and chosen.
    changes : tuple of Change
        Which pixels were repaired.
    background : str or None
        The colour that was left empty.
    """

    source: Source
    wishes: Wishes
    task: Task
    steps: tuple[Step, ...] = ()
    changes: tuple[Change, ...] = ()
    background: Color | None = None


def prepare(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    **asked: Unpack[Asked],
) -> Prepared:
    """Make a task of a picture, without planning it.

    Parameters
    ----------
    picture : Picture, str, Path, PIL.Image.Image or array
        What to print; see :func:`~tetrisprinter.pictures.sources.as_picture`.
    planner : str or Planner
        Who is going to plan it; some know the article's setting only.
    **asked
        See :class:`~tetrisprinter.api.wishes.Asked`.

    Raises
    ------
    InputError
        If something cannot be read.

    Examples
    --------
    >>> found = prepare("r..\\n...\\nrrr")
    >>> print(found.task.board, *found.steps)
    21x42 1 pixel repaired: column 0, row 1: empty -> d03020 (the row was empty below squares)
    """
    return prepared(source_of(picture), Wishes.of(asked, ("planner",)), planner)


def prepared(source: Source, wishes: Wishes, planner: str | Planner = "auto") -> Prepared:
    """Make a task of a source; see :func:`prepare`."""
    found = _suited(source, wishes)
    if wishes.board is None and wishes.types is None and not wishes.is_exact:
        who = PLANNERS.pick(planner) if isinstance(planner, str) else planner
        if _does_not_know(who, found.task):
            classic = _suited(source, replace(wishes, types="classic"))
            if who.refuses(classic.task) is None:
                return classic
    return found


def _does_not_know(planner: Planner, task: Task) -> bool:
    """Whether a planner refuses a task that others may do."""
    why = planner.refuses(task)
    return why is not None and not why.theorem


def _suited(source: Source, wishes: Wishes) -> Prepared:
    conversion = wishes.conversion
    if conversion.usual == USUAL:
        conversion = replace(conversion, usual=usual_for(wishes.board, wishes.types))
    converted = source.read(conversion)
    steps = list(converted.steps)
    picture = converted.picture
    # Squares of a background that nobody asked for stay empty: plans that may fill some of
    # them are found less often, and a pixel that is repaired is told.
    background = converted.background if wishes.conversion.background is not None else None
    task = wishes.task(picture, background)
    changes: tuple[Change, ...] = ()
    if wishes.repairs:
        better, changes = repair(task)
        if changes:
            task = wishes.task(better, background)
            steps.append(Step(_repaired(changes), Thing.EXACT))
    if wishes.board is None and task.board != CLASSIC_BOARD:
        steps.append(Step(f"board {task.board}", Thing.BOARD))
        if wishes.types is None:
            steps.append(Step("all types shared among its colours", Thing.TYPES))
    return Prepared(source, wishes, task, tuple(steps), changes, converted.background)


def _repaired(changes: tuple[Change, ...]) -> str:
    pixels = "pixel" if len(changes) == 1 else "pixels"
    told = "; ".join(map(str, changes[:_TOLD]))
    more = f"; and {len(changes) - _TOLD} more" if len(changes) > _TOLD else ""
    return f"{len(changes)} {pixels} repaired: {told}{more}"


def attempt(
    found: Prepared,
    work: Callable[[Prepared], _T],
    again: Callable[[str], None] | None = None,
) -> _T:
    """Work on what was prepared; if that fails, on something easier.

    Parameters
    ----------
    found : Prepared
        What to print.
    work : callable
        Plans what it is given.
    again : callable, optional
        Called with a sentence that says why and with what it is tried again.

    Raises
    ------
    JobError
        If no plan was found, and none of anything easier either, or the time was up.
    """
    failed: JobError | None = None
    for said, easy in _in_turn(found):
        if failed is not None and again is not None:
            again(f"{found.source.name}: {failed.message}; tried again with {said}")
        try:
            return work(easy)
        except TimeUpError:
            raise  # there is none for anything easier
        except JobError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _in_turn(found: Prepared) -> Iterator[tuple[str, Prepared]]:
    yield "", found
    for wishes, said in easier(found):
        yield said, _suited(found.source, wishes)


def easier(found: Prepared) -> Iterator[tuple[Wishes, str]]:
    """Yield what to ask for instead, when no plan is found, and what it is in words.

    Nothing for a picture that is to be printed as it is or not at all.

    Examples
    --------
    >>> [said for _, said in easier(prepare("rrrrrrggg\\nrrrrrrggg"))]
    ['1 colour', '7x1 squares', '5x1 squares', '4x1 squares']
    """
    wishes, picture = found.wishes, found.task.picture
    if wishes.is_exact:
        return
    colors = len(found.task.colors)
    size = (float(picture.width), float(picture.height))
    conversion = wishes.conversion
    while True:
        if colors > 1:
            colors -= 1
            conversion = replace(conversion, colors=colors)
            yield (
                replace(wishes, conversion=conversion),
                f"{colors} colour{'s' if colors > 1 else ''}",
            )
        size = (size[0] * 0.8, size[1] * 0.8)
        fit = (max(1, int(size[0])), max(1, int(size[1])))
        if max(fit) < _LEAST:
            return
        conversion = replace(conversion, fit=fit)
        yield replace(wishes, conversion=conversion), f"{size_text(*fit)} squares"
