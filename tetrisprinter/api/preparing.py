"""From anything that is a picture to a task that can be done, and what to try when it cannot.

What somebody asks for is kept (:mod:`~tetrisprinter.api.wishes`). If no game leaves the
picture, the nearest one that some game leaves takes its place
(:mod:`~tetrisprinter.printing.repair`). Everything that was done is told as a
:class:`~tetrisprinter.pictures.convert.Step` with the setting that changes it.

Where even then no plan is found, :func:`easier` says what to ask for instead: a colour fewer
and a size smaller, in turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from tetrisprinter.api.wishes import Asked, Wishes, usual_for
from tetrisprinter.errors import FaultError, Hint, InputError, JobError, Setting
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.pictures.convert import USUAL, Conversion, Converted, Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import Source, source_of
from tetrisprinter.planners import Planner, planner_of
from tetrisprinter.planners.budgets import seconds_of_photo
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.repair import Change, repair_task
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import NEARLY_SINGLE, SINGLE
from tetrisprinter.render.field_color import is_distinct
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.printing.result import PrintResult

__all__ = ["Prepared", "attempt", "easier", "prepare", "prepared"]

_T = TypeVar("_T")

_CHOSEN: Final = (Setting.BOARD, Setting.TYPES)
"""What a planner may choose otherwise, if nobody named it."""

_TOLD: Final = 3
"""How many changed pixels a step names."""

_LEAST: Final = 4
"""The shortest long side of a picture that is still tried."""

_LESS: Final = 1 / 3
"""The least part of a picture's size that is still that picture."""

_READY: Final = 0.4
"""The part of the time that is left which the rows of a picture may take, as estimated."""

_AT_ONCE: Final = 0.5
"""Seconds: what takes no longer is tried in any time."""

_PART: Final = 0.6
"""The part of the time that is left in which a first plan must be there."""

_WITH_SIZE: Final = 1.7
"""With this power of its size the changes of colour in a photograph grow, and so the time."""

_SMALLER: Final = 0.6
"""Down to this part of its size a picture in a hurry keeps its colours, if it can."""

_FREE: Final = len(SINGLE) + len(NEARLY_SINGLE)
"""More colours than there are types that leave single squares are no matter of a moment."""

_GRACE: Final = 10.0
"""Seconds more for the smallest picture of all: rather late than nothing."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is to be printed, and how it came to be."""

    source: Source  # what was given
    # What was asked for; ``wishes.names_board`` and ``wishes.names_types`` say whether the task's
    # board and types may still be others
    wishes: Wishes
    task: Task  # what to print, perhaps repaired
    steps: tuple[Step, ...] = ()  # what was done and chosen
    changes: tuple[Change, ...] = ()  # which pixels were repaired
    background: Color | None = None  # the colour that was left empty
    # The repaired picture, where the task's is printed exactly only with squares that nobody sees.
    # Whichever takes clearly fewer drops is printed
    instead: Prepared | None = None
    # ``time.monotonic()`` at which there must be a first plan, so that there is time for something
    # easier
    until: float = inf

    def __repr__(self) -> str:
        done = f": {', '.join(map(str, self.steps))}" if self.steps else ""
        return f"<Prepared {self.task!r}{done}>"

    @property
    def certain(self) -> tuple[Step, ...]:
        """The steps that will have been made whatever board and types a planner chooses."""
        steps = tuple(step for step in self.steps if step.setting not in _CHOSEN)
        if self.instead is None:
            return steps
        return tuple(step for step in steps if step in self.instead.steps)

    def made(self, result: PrintResult) -> Prepared:
        """Return what a result printed: this or what was prepared instead."""
        if self.instead is None or result.task.picture == self.task.picture:
            return self
        return self.instead


def prepare(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    **asked: Unpack[Asked],
) -> Prepared:
    """Make a task of a picture, without planning it."""
    return prepared(source_of(picture), Wishes.of(asked, ("planner",)), planner)


def prepared(source: Source, wishes: Wishes, planner: str | Planner = "auto") -> Prepared:
    """Make a task of a source; see :func:`prepare`."""
    found = _suit_options(source, wishes)
    free = wishes.board is None and wishes.types in (None, "classic") and not wishes.is_exact
    if free and planner != "auto":  # which knows every board and all types
        who = planner_of(planner)
        if _does_not_know(who, found.task):
            classic = _suit_options(source, replace(wishes, board=CLASSIC_BOARD, types="classic"))
            if who.refuses(classic.task) is None:
                return classic
    return found


def _does_not_know(planner: Planner, task: Task) -> bool:
    """Return whether a planner refuses a task that others may do."""
    why = planner.refuses(task)
    return why is not None and not why.theorem


def _suit_options(source: Source, wishes: Wishes) -> Prepared:
    conversion = wishes.conversion
    if conversion.usual == USUAL:
        conversion = replace(conversion, usual=usual_for(wishes.board, wishes.types))
    if not wishes.is_exact and conversion.background is None:
        conversion = replace(conversion, background="auto")
    converted = source.read(conversion)
    if wishes.names_board:
        _check_size(source, wishes, converted)
    background = converted.background
    task = wishes.task(converted.picture, background)
    plain = Prepared(source, wishes, task, converted.steps, (), background)
    if not wishes.repairs:
        return _with_choices(plain)
    better, changes = repair_task(task)
    if not changes:
        return _with_choices(plain)
    said = Step(_repair_picture(changes), Setting.EXACT)
    mended = replace(
        plain,
        task=wishes.task(better, background),
        steps=(*converted.steps, said),
        changes=changes,
    )
    mended = _with_choices(mended)
    exact = None if wishes.is_exact else _exactly(plain)
    return mended if exact is None else replace(exact, instead=mended)


def _with_choices(found: Prepared) -> Prepared:
    """Add what was chosen to the steps."""
    wishes, task, steps = found.wishes, found.task, list(found.steps)
    if wishes.board is None and task.board != CLASSIC_BOARD:
        steps.append(Step(f"board {task.board}", Setting.BOARD))
        if wishes.types is None:
            steps.append(Step("all types shared among its colours", Setting.TYPES))
    return replace(found, steps=tuple(steps))


def _exactly(found: Prepared) -> Prepared | None:
    """Let types have the colour of what is empty, if some game leaves the picture then."""
    wishes, picture = found.wishes, found.task.picture
    ground = found.background or wishes.field
    if ground is None or wishes.names_types or found.task.has_dont_care_squares:
        return None
    if found.background is None and not all(is_distinct(c, ground) for c in picture.colors()):
        return None
    task = replace(wishes, types="auto").task(picture, ground)
    if not task.has_dont_care_squares or repair_task(task)[1] or find_obstacle(task) is not None:
        return None
    said = Step(f"squares of {ground} may be left where it is empty", Setting.BACKGROUND)
    return _with_choices(replace(found, task=task, steps=(*found.steps, said)))


def _check_size(source: Source, wishes: Wishes, converted: Converted) -> None:
    """Refuse to make less than a third of a picture that another board would hold as it is."""
    if wishes.conversion.fit or all(step.setting is not Setting.FIT for step in converted.steps):
        return
    free = source.read(wishes.conversion)
    if any(step.setting is Setting.FIT for step in free.steps):
        return  # it is scaled on any board
    left, whole = converted.picture, free.picture
    if left.width >= _LESS * whole.width and left.height >= _LESS * whole.height:
        return
    size = format_size(left.width, left.height)
    raise InputError(
        f"{source.name}: of its {format_size(whole.width, whole.height)} squares a board of "
        f"{wishes.board} would hold {size}, less than a third",
        Hint("{} holds it", Setting.AUTO_BOARD),
        Hint(f"{{}} {size} prints it so small all the same", Setting.FIT),
    )


def _repair_picture(changes: tuple[Change, ...]) -> str:
    pixels = "pixel" if len(changes) == 1 else "pixels"
    told = "; ".join(map(str, changes[:_TOLD]))
    more = f"; and {len(changes) - _TOLD} more" if len(changes) > _TOLD else ""
    return f"{len(changes)} {pixels} repaired: {told}{more}"


def attempt(
    found: Prepared,
    work: Callable[[Prepared], _T],
    again: Callable[[str], None] | None = None,
    deadline: float = inf,
) -> _T:
    """Work on what was prepared; if that fails, on something easier.

    A planner's fault is no reason to alter a picture.
    """
    failed: JobError | None = None
    for said, easy in _in_turn(found) if deadline == inf else _in_time(found, deadline):
        if said and again is not None:
            name = found.source.name
            why = "no time for more" if failed is None else failed.message
            tried = "printed" if failed is None else "tried again"
            again(f"{name}: {why.removeprefix(f'{name}: ')}; {tried} with {said}")
        try:
            return work(easy)
        except FaultError:
            raise
        except JobError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _in_turn(found: Prepared) -> Iterator[tuple[str, Prepared]]:
    """Yield a picture, then easier ones, with what each of them is in words."""
    yield "", found
    for wishes, said in easier(found):
        yield said, _suit_options(found.source, wishes)


def _in_time(found: Prepared, deadline: float) -> Iterator[tuple[str, Prepared]]:
    """Yield the richest picture that can be ready by then, as estimated; then poorer ones."""
    said, easy, poorest = "", found, found.wishes.is_exact
    left = max(0.0, deadline - time.monotonic())
    most = max(_READY * left, min(_AT_ONCE, left))
    while not poorest:
        if seconds_of_photo(easy.task.picture) > most:
            easy, poorest = _poorer(found, most)
            size = format_size(easy.task.picture.width, easy.task.picture.height)
            said = f"{size} squares in {_colors(len(easy.task.colors))}"
        if not poorest:
            yield said, _until(easy, deadline, _PART)
            left = max(0.0, deadline - time.monotonic())
            most = min(_READY * left, seconds_of_photo(easy.task.picture) / 2)
    # So small that it is done in a moment, and better late than never.
    yield said, _until(easy, deadline if easy is found else deadline + _GRACE, 1.0)


def _until(found: Prepared, deadline: float, part: float) -> Prepared:
    """Return what is to have its first plan in a part of the time that is left."""
    now = time.monotonic()
    return replace(found, until=now + part * max(0.0, deadline - now))


def _poorer(found: Prepared, seconds: float) -> tuple[Prepared, bool]:
    """Return the richest picture whose rows take so long, as estimated; and if it is the poorest.

    Of most of its size it keeps as many colours as can be ready, else of a third of it; what is
    never scaled has fewer colours.
    """
    conversion, picture = found.wishes.conversion, found.task.picture
    easy = found
    if not found.source.scales:
        for colors in range(len(found.task.colors) - 1, 1, -1):
            easy = _convert_again(found, replace(conversion, colors=colors))
            if seconds_of_photo(easy.task.picture) <= seconds:
                return easy, False
        return easy, True
    usual = conversion.usual
    if usual is None or usual == USUAL:
        usual = usual_for(found.wishes.board, found.wishes.types)
    few = min(_FREE, usual.most, conversion.colors or _FREE)
    usual = replace(usual, most=few, seconds=seconds)

    def scaled(part: float) -> Prepared:
        fit = (math.ceil(picture.width * part), math.ceil(picture.height * part))
        return _convert_again(found, replace(conversion, fit=fit, colors=None, usual=usual))

    known = seconds_of_photo(picture, min(few, len(found.task.colors)))
    part = min(1.0, (seconds / known) ** (1 / _WITH_SIZE))
    if part > _LESS:
        easy = scaled(max(part, _SMALLER))
        if seconds_of_photo(easy.task.picture) <= seconds:
            return easy, False
    return scaled(_LESS), True


def _convert_again(found: Prepared, conversion: Conversion) -> Prepared:
    """Prepare the same image, converted otherwise."""
    return _suit_options(found.source, replace(found.wishes, conversion=conversion))


def easier(found: Prepared) -> Iterator[tuple[Wishes, str]]:
    """Yield what to ask for instead, when no plan is found, and what it is in words.

    Nothing for a picture that is to be printed as it is or not at all, no other size for a text,
    and nothing that is less than a third as wide.
    """
    wishes, picture = found.wishes, found.task.picture
    if wishes.is_exact:
        return
    colors, conversion = len(found.task.colors), wishes.conversion
    size = (float(picture.width), float(picture.height))
    smaller = found.source.scales
    while colors > 1 or smaller:
        if colors > 1:
            colors -= 1
            conversion = replace(conversion, colors=colors)
            yield replace(wishes, conversion=conversion), _colors(colors)
        if smaller:
            size = (size[0] * 0.8, size[1] * 0.8)
            fit = (max(1, int(size[0])), max(1, int(size[1])))
            smaller = max(fit) >= _LEAST and max(size) >= _LESS * max(picture.width, picture.height)
        if smaller:
            conversion = replace(conversion, fit=fit)
            yield replace(wishes, conversion=conversion), f"{format_size(*fit)} squares"


def _colors(number: int) -> str:
    return f"{number} colour{'s' if number > 1 else ''}"
