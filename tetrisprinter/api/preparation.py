"""From anything that is a picture to a task that can be done, and what to try when it cannot.

All options are respected (:mod:`~tetrisprinter.api.request`). If no game leaves the
picture, the nearest one that some game leaves takes its place
(:mod:`~tetrisprinter.printing.repair`). Everything that was done is reported as a
:class:`~tetrisprinter.pictures.convert.Step` with the setting that changes it.

Where even then no plan is found, :func:`list_simpler_requests` says what to ask for: a colour fewer
and a size smaller, in turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from tetrisprinter.api.request import PictureRequest, PrintOptions, find_usual
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


_T = TypeVar("_T")

_PLANNER_SETTINGS: Final = (Setting.BOARD, Setting.TYPES)
"""Settings that a planner may choose differently, unless the user set them."""

_NAMED_CHANGES: Final = 3
"""How many changed pixels a step names."""

_LEAST_SIDE: Final = 4
"""The shortest long side of a picture that is still tried."""

_LEAST_PART: Final = 1 / 3
"""The least part of a picture's size that is still that picture."""

_ROWS_PART: Final = 0.4
"""The part of the time that is left which the rows of a picture may take, as estimated."""

_ANY_TIME: Final = 0.5
"""Seconds: what takes no longer is tried in any time."""

_FIRST_PLAN_PART: Final = 0.6
"""The part of the time that is left in which a first plan must be there."""

_TIME_POWER: Final = 1.7
"""With this power of its size the changes of colour in a photograph grow, and so the time."""

_COLORS_KEPT_PART: Final = 0.6
"""Down to this part of its size a picture in a hurry keeps its colours, if it can."""

_FREE_COLORS: Final = len(SINGLE) + len(NEARLY_SINGLE)
"""More colours than there are types that leave single squares are no matter of a moment."""

_GRACE: Final = 10.0
"""Seconds more for the smallest picture of all: rather late than nothing."""


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """What is to be printed, and how it came to be."""

    source: Source  # what was given
    # What was asked for; ``request.names_board`` and ``request.names_types`` say whether the task's
    # board and types may still be others
    request: PictureRequest
    task: Task  # what to print, perhaps repaired
    steps: tuple[Step, ...] = ()  # what was done and chosen
    changes: tuple[Change, ...] = ()  # which pixels were repaired
    background: Color | None = None  # the colour that was left empty
    # The repaired picture, if the task's own needs don't-care squares to be exact.
    # Whichever takes clearly fewer drops is printed
    alternative: PreparedTask | None = None
    # ``time.monotonic()`` at which there must be a first plan, so that there is time for something
    # easier
    first_plan_deadline: float = inf

    def __repr__(self) -> str:
        done = f": {', '.join(map(str, self.steps))}" if self.steps else ""
        return f"<PreparedTask {self.task!r}{done}>"

    @property
    def certain_steps(self) -> tuple[Step, ...]:
        """The steps that will have been made whatever board and types a planner chooses."""
        steps = tuple(step for step in self.steps if step.setting not in _PLANNER_SETTINGS)
        if self.alternative is None:
            return steps
        return tuple(step for step in steps if step in self.alternative.steps)

    def find_printed(self, result: PrintResult) -> PreparedTask:
        """Return what a result printed: this or what was prepared instead."""
        if self.alternative is None or result.task.picture == self.task.picture:
            return self
        return self.alternative


def prepare(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    **asked: Unpack[PrintOptions],
) -> PreparedTask:
    """Make a task of a picture, without planning it."""
    return prepare_source(source_of(picture), PictureRequest.of(asked, ("planner",)), planner)


def prepare_source(
    source: Source, request: PictureRequest, planner: str | Planner = "auto"
) -> PreparedTask:
    """Make a task of a source; see :func:`prepare`."""
    found = _suit_options(source, request)
    free = request.board is None and request.types in (None, "classic") and not request.is_exact
    if free and planner != "auto":  # which knows every board and all types
        who = planner_of(planner)
        if _refuses_task(who, found.task):
            classic = _suit_options(source, replace(request, board=CLASSIC_BOARD, types="classic"))
            if who.refuses(classic.task) is None:
                return classic
    return found


def _refuses_task(planner: Planner, task: Task) -> bool:
    """Return whether a planner refuses a task that others may do."""
    why = planner.refuses(task)
    return why is not None and not why.theorem


def _suit_options(source: Source, request: PictureRequest) -> PreparedTask:
    conversion = request.conversion
    if conversion.usual == USUAL:
        conversion = replace(conversion, usual=find_usual(request.board, request.types))
    if not request.is_exact and conversion.background is None:
        conversion = replace(conversion, background="auto")
    converted = source.read(conversion)
    if request.names_board:
        _check_size(source, request, converted)
    background = converted.background
    task = request.task(converted.picture, background)
    plain = PreparedTask(source, request, task, converted.steps, (), background)
    if not request.repairs:
        return _add_choice_steps(plain)
    better, changes = repair_task(task)
    if not changes:
        return _add_choice_steps(plain)
    said = Step(_describe_repair(changes), Setting.EXACT)
    mended = replace(
        plain,
        task=request.task(better, background),
        steps=(*converted.steps, said),
        changes=changes,
    )
    mended = _add_choice_steps(mended)
    exact = None if request.is_exact else _use_dont_care_squares(plain)
    return mended if exact is None else replace(exact, alternative=mended)


def _add_choice_steps(found: PreparedTask) -> PreparedTask:
    """Add what was chosen to the steps."""
    request, task, steps = found.request, found.task, list(found.steps)
    if request.board is None and task.board != CLASSIC_BOARD:
        steps.append(Step(f"board {task.board}", Setting.BOARD))
        if request.types is None:
            steps.append(Step("piece types: shared among the colours", Setting.TYPES))
    return replace(found, steps=tuple(steps))


def _use_dont_care_squares(found: PreparedTask) -> PreparedTask | None:
    """Let types have the colour of what is empty, if some game leaves the picture then."""
    request, picture = found.request, found.task.picture
    ground = found.background or request.field
    if ground is None or request.names_types or found.task.has_dont_care_squares:
        return None
    if found.background is None and not all(is_distinct(c, ground) for c in picture.colors()):
        return None
    task = replace(request, types="auto").task(picture, ground)
    if not task.has_dont_care_squares or repair_task(task)[1] or find_obstacle(task) is not None:
        return None
    said = Step(f"empty squares may show {ground}", Setting.BACKGROUND)
    return _add_choice_steps(replace(found, task=task, steps=(*found.steps, said)))


def _check_size(source: Source, request: PictureRequest, converted: Converted) -> None:
    """Refuse to make less than a third of a picture that another board would hold as it is."""
    if request.conversion.fit or all(step.setting is not Setting.FIT for step in converted.steps):
        return
    free = source.read(request.conversion)
    if any(step.setting is Setting.FIT for step in free.steps):
        return  # it is scaled on any board
    left, whole = converted.picture, free.picture
    if left.width >= _LEAST_PART * whole.width and left.height >= _LEAST_PART * whole.height:
        return
    size = format_size(left.width, left.height)
    raise InputError(
        f"{source.name}: too large for a board of {request.board}: "
        f"{format_size(whole.width, whole.height)} squares would be scaled to {size}, less "
        "than a third",
        Hint("{} is large enough", Setting.AUTO_BOARD),
        Hint(f"{{}} {size} prints it at that size", Setting.FIT),
    )


def _describe_repair(changes: tuple[Change, ...]) -> str:
    pixels = "pixel" if len(changes) == 1 else "pixels"
    listed = "; ".join(map(str, changes[:_NAMED_CHANGES]))
    more = f"; and {len(changes) - _NAMED_CHANGES} more" if len(changes) > _NAMED_CHANGES else ""
    return f"{len(changes)} {pixels} repaired: {listed}{more}"


def plan_with_fallbacks(
    found: PreparedTask,
    work: Callable[[PreparedTask], _T],
    again: Callable[[str], None] | None = None,
    deadline: float = inf,
) -> _T:
    """Work on what was prepared; if that fails, on something easier.

    A planner's fault is no reason to alter a picture.
    """
    failed: JobError | None = None
    for said, easy in (
        _iterate_simpler(found) if deadline == inf else _iterate_until_deadline(found, deadline)
    ):
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


def _iterate_simpler(found: PreparedTask) -> Iterator[tuple[str, PreparedTask]]:
    """Yield a picture, then easier ones, with what each of them is in words."""
    yield "", found
    for request, said in list_simpler_requests(found):
        yield said, _suit_options(found.source, request)


def _iterate_until_deadline(
    found: PreparedTask, deadline: float
) -> Iterator[tuple[str, PreparedTask]]:
    """Yield the richest picture that can be ready by then, as estimated; then poorer ones."""
    said, easy, poorest = "", found, found.request.is_exact
    left = max(0.0, deadline - time.monotonic())
    most = max(_ROWS_PART * left, min(_ANY_TIME, left))
    while not poorest:
        if seconds_of_photo(easy.task.picture) > most:
            easy, poorest = _reduce_to_time(found, most)
            size = format_size(easy.task.picture.width, easy.task.picture.height)
            said = f"{size} squares in {_count_colors(len(easy.task.colors))}"
        if not poorest:
            yield said, _set_first_plan_deadline(easy, deadline, _FIRST_PLAN_PART)
            left = max(0.0, deadline - time.monotonic())
            most = min(_ROWS_PART * left, seconds_of_photo(easy.task.picture) / 2)
    # So small that it is done in a moment, and better late than never.
    yield (
        said,
        _set_first_plan_deadline(easy, deadline if easy is found else deadline + _GRACE, 1.0),
    )


def _set_first_plan_deadline(found: PreparedTask, deadline: float, part: float) -> PreparedTask:
    """Return what is to have its first plan in a part of the time that is left."""
    now = time.monotonic()
    return replace(found, first_plan_deadline=now + part * max(0.0, deadline - now))


def _reduce_to_time(found: PreparedTask, seconds: float) -> tuple[PreparedTask, bool]:
    """Return the richest picture whose rows take so long, as estimated; and if it is the poorest.

    Of most of its size it keeps as many colours as can be ready, else of a third of it; what is
    never scaled has fewer colours.
    """
    conversion, picture = found.request.conversion, found.task.picture
    easy = found
    if not found.source.scales:
        for colors in range(len(found.task.colors) - 1, 1, -1):
            easy = _convert_again(found, replace(conversion, colors=colors))
            if seconds_of_photo(easy.task.picture) <= seconds:
                return easy, False
        return easy, True
    usual = conversion.usual
    if usual is None or usual == USUAL:
        usual = find_usual(found.request.board, found.request.types)
    few = min(_FREE_COLORS, usual.most, conversion.colors or _FREE_COLORS)
    usual = replace(usual, most=few, seconds=seconds)

    def scaled(part: float) -> PreparedTask:
        fit = (math.ceil(picture.width * part), math.ceil(picture.height * part))
        return _convert_again(found, replace(conversion, fit=fit, colors=None, usual=usual))

    known = seconds_of_photo(picture, min(few, len(found.task.colors)))
    part = min(1.0, (seconds / known) ** (1 / _TIME_POWER))
    if part > _LEAST_PART:
        easy = scaled(max(part, _COLORS_KEPT_PART))
        if seconds_of_photo(easy.task.picture) <= seconds:
            return easy, False
    return scaled(_LEAST_PART), True


def _convert_again(found: PreparedTask, conversion: Conversion) -> PreparedTask:
    """Prepare the same image, converted otherwise."""
    return _suit_options(found.source, replace(found.request, conversion=conversion))


def list_simpler_requests(found: PreparedTask) -> Iterator[tuple[PictureRequest, str]]:
    """Yield what to ask for instead, when no plan is found, and what it is in words.

    Nothing for a picture that is to be printed as it is or not at all, no other size for a text,
    and nothing that is less than a third as wide.
    """
    request, picture = found.request, found.task.picture
    if request.is_exact:
        return
    colors, conversion = len(found.task.colors), request.conversion
    size = (float(picture.width), float(picture.height))
    smaller = found.source.scales
    while colors > 1 or smaller:
        if colors > 1:
            colors -= 1
            conversion = replace(conversion, colors=colors)
            yield replace(request, conversion=conversion), _count_colors(colors)
        if smaller:
            size = (size[0] * 0.8, size[1] * 0.8)
            fit = (max(1, int(size[0])), max(1, int(size[1])))
            smaller = max(fit) >= _LEAST_SIDE and max(size) >= _LEAST_PART * max(
                picture.width, picture.height
            )
        if smaller:
            conversion = replace(conversion, fit=fit)
            yield replace(request, conversion=conversion), f"{format_size(*fit)} squares"


def _count_colors(number: int) -> str:
    return f"{number} colour{'s' if number > 1 else ''}"
