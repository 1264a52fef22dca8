"""Preparation: from a picture to a printable task, and simpler versions if no plan is found.

All options are respected (:mod:`~tetrisprinter.api.request`). If no game leaves the picture, it is
replaced by the nearest picture that some game leaves (:mod:`~tetrisprinter.printing.repair`). Each
change is reported as a :class:`~tetrisprinter.pictures.convert.Step` with its setting.

If still no plan is found, :func:`list_simpler_requests` removes a colour and reduces the size, in
turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from tetrisprinter.api.request import PictureRequest, PrintOptions, find_default_limits
from tetrisprinter.errors import Hint, InputError, InternalError, JobError, Setting
from tetrisprinter.game.board import CLASSIC_BOARD
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, ConvertedPicture, Step
from tetrisprinter.pictures.picture import Color
from tetrisprinter.pictures.sources import Source, find_source
from tetrisprinter.planners import Planner, get_planner
from tetrisprinter.planners.budgets import estimate_photo_seconds
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.repair import Change, repair_task
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import NEARLY_SINGLE, SINGLE
from tetrisprinter.render.field_color import is_distinct
from tetrisprinter.support.counts import format_count
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
"""A step names at most this many changed pixels."""

_LEAST_SIDE: Final = 4
"""Pictures whose longer side has fewer squares are not tried."""

_LEAST_PART: Final = 1 / 3
"""A picture is not reduced to less than this part of its size."""

_ROWS_PART: Final = 0.4
"""Planning all rows may take, by estimate, at most this part of the remaining time."""

_ANY_TIME: Final = 0.5
"""A picture that takes at most this many seconds is tried even if less time remains."""

_FIRST_PLAN_PART: Final = 0.6
"""The first plan must exist after this part of the remaining time."""

_TIME_POWER: Final = 1.7
"""The planning time of a photograph grows with about this power of its size (measured)."""

_COLORS_KEPT_PART: Final = 0.6
"""Down to this part of its size a picture keeps its colours if time is short."""

_FREE_COLORS: Final = len(SINGLE) + len(NEARLY_SINGLE)
"""Up to this number of colours each has a type that leaves single squares, so planning is fast."""

_ENTRY_ROWS: Final = 3
"""Rows above a picture in which any piece can appear, turn and move."""

_GRACE: Final = 10.0
"""Seconds after the time limit in which the smallest version may still be planned."""


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A task with the steps that led to it."""

    source: Source  # the given picture
    # The options. A planner may choose another board or other types unless
    # ``request.has_named_board`` or ``request.has_named_types``
    request: PictureRequest
    task: Task  # the picture to print, perhaps repaired
    steps: tuple[Step, ...] = ()  # the conversions and choices
    changes: tuple[Change, ...] = ()  # the repaired pixels
    background: Color | None = None  # the colour that was left empty
    # The repaired picture, if this task prints the exact picture with don't-care squares. It is
    # printed instead if that takes clearly fewer drops
    alternative: PreparedTask | None = None
    # The time (of ``time.monotonic()``) at which a search without a plan gives up, so that a
    # simpler version can still be planned
    first_plan_deadline: float = inf
    is_simpler: bool = False  # whether this is a simpler version, tried after another one

    def __repr__(self) -> str:
        done = f": {', '.join(map(str, self.steps))}" if self.steps else ""
        return f"<PreparedTask {self.task!r}{done}>"

    @property
    def certain_steps(self) -> tuple[Step, ...]:
        """The steps that no choice of the planner can change."""
        steps = tuple(step for step in self.steps if step.setting not in _PLANNER_SETTINGS)
        if self.alternative is None:
            return steps
        return tuple(step for step in steps if step in self.alternative.steps)

    def find_printed(self, result: PrintResult) -> PreparedTask:
        """Return the prepared task that a result prints: this one or its alternative."""
        if self.alternative is None or result.task.picture == self.task.picture:
            return self
        return self.alternative


def prepare(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    **options: Unpack[PrintOptions],
) -> PreparedTask:
    """Convert a picture to a task; do not plan its game."""
    return prepare_source(find_source(picture), PictureRequest.of(options, ("planner",)), planner)


def prepare_source(
    source: Source, request: PictureRequest, planner: str | Planner = "auto"
) -> PreparedTask:
    """Return the task of a source; see :func:`prepare`.

    A planner that supports only the classic board and types gets these, if the options allow it.
    """
    prepared = _convert_and_repair(source, request)
    free = request.board is None and request.types in (None, "classic") and not request.is_exact
    if free and planner != "auto":  # *auto* supports every board and all types
        chosen = get_planner(planner)
        obstacle = chosen.find_refusal(prepared.task)
        if obstacle is not None and not obstacle.theorem:  # only this planner refuses it
            classic = replace(request, board=CLASSIC_BOARD, types="classic")
            prepared_classic = _convert_and_repair(source, classic)
            if chosen.find_refusal(prepared_classic.task) is None:
                return prepared_classic
    return prepared


def _convert_and_repair(source: Source, request: PictureRequest) -> PreparedTask:
    """Read a source, convert it as requested, and repair it if allowed."""
    conversion = request.conversion
    if conversion.defaults == DEFAULT_LIMITS:
        conversion = replace(conversion, defaults=find_default_limits(request.board, request.types))
    if not request.is_exact and conversion.background is None:
        conversion = replace(conversion, background="auto")
    converted = source.read(conversion)
    if request.has_named_board:
        _check_size(source, request, converted)
    background = converted.background
    task = request.make_task(converted.picture, background)
    unrepaired = PreparedTask(source, request, task, converted.steps, (), background)
    if not request.repairs:
        return _add_choice_steps(unrepaired)
    picture, changes = repair_task(task)
    if not changes:
        return _add_choice_steps(unrepaired)
    repaired = replace(
        unrepaired,
        task=request.make_task(picture, background),
        steps=(*converted.steps, Step(_describe_repair(changes), Setting.EXACT)),
        changes=changes,
    )
    repaired = _add_choice_steps(repaired)
    exact = None if request.is_exact else _use_dont_care_squares(unrepaired)
    return repaired if exact is None else replace(exact, alternative=repaired)


def _add_choice_steps(prepared: PreparedTask) -> PreparedTask:
    """Add steps for the chosen board and types."""
    request, task, steps = prepared.request, prepared.task, list(prepared.steps)
    if request.board is None and task.board != CLASSIC_BOARD:
        steps.append(Step(f"board {task.board}", Setting.BOARD))
        if request.types is None:
            steps.append(Step("piece types: shared among the colours", Setting.TYPES))
    return replace(prepared, steps=tuple(steps))


def _use_dont_care_squares(prepared: PreparedTask) -> PreparedTask | None:
    """Return the task with don't-care squares if no theorem then forbids it; otherwise None."""
    request, picture = prepared.request, prepared.task.picture
    ground = prepared.background or request.field
    if ground is None or request.has_named_types or prepared.task.has_dont_care_squares:
        return None
    if prepared.background is None and not all(is_distinct(c, ground) for c in picture.colors()):
        return None
    task = replace(request, types="auto").make_task(picture, ground)
    if not task.has_dont_care_squares or repair_task(task)[1] or find_obstacle(task) is not None:
        return None
    step = Step(f"empty squares may show {ground}", Setting.BACKGROUND)
    return _add_choice_steps(replace(prepared, task=task, steps=(*prepared.steps, step)))


def _check_size(source: Source, request: PictureRequest, converted: ConvertedPicture) -> None:
    """Refuse a named board that would reduce a picture to less than a third of its size."""
    if request.conversion.fit or all(step.setting is not Setting.FIT for step in converted.steps):
        return
    unscaled = source.read(request.conversion)
    if any(step.setting is Setting.FIT for step in unscaled.steps):
        return  # it is scaled on any board
    small, whole = converted.picture, unscaled.picture
    if small.width >= _LEAST_PART * whole.width and small.height >= _LEAST_PART * whole.height:
        return
    size = format_size(small.width, small.height)
    raise InputError(
        f"{source.name}: too large for a board of {request.board}: "
        f"{format_size(whole.width, whole.height)} squares would be scaled to {size}, less "
        "than a third",
        # With a piece queue the automatic board is always the guideline's.
        *([Hint("{} is large enough", Setting.AUTO_BOARD)] if request.pieces is None else ()),
        Hint(f"{{}} {size} prints it at that size", Setting.FIT),
    )


def _describe_repair(changes: tuple[Change, ...]) -> str:
    pixels = "pixel" if len(changes) == 1 else "pixels"
    listed = "; ".join(map(str, changes[:_NAMED_CHANGES]))
    more = f"; and {len(changes) - _NAMED_CHANGES} more" if len(changes) > _NAMED_CHANGES else ""
    return f"{len(changes)} {pixels} repaired: {listed}{more}"


def plan_with_fallbacks(
    prepared: PreparedTask,
    work: Callable[[PreparedTask], _T],
    report: Callable[[str], None] | None = None,
    deadline: float = inf,
) -> _T:
    """Call ``work`` with a prepared task; if that fails, with simpler versions of the picture.

    ``report`` gets a sentence before each simpler version. With a deadline the first version is one
    that can be planned in time.
    """
    failed: JobError | None = None
    for simpler, version in (
        _iterate_simpler(prepared)
        if deadline == inf
        else _iterate_versions_within_deadline(prepared, deadline)
    ):
        if simpler and report is not None:
            name = prepared.source.name
            why = "the time is up" if failed is None else failed.message
            tried = "printed" if failed is None else "tried again"
            report(f"{name}: {why.removeprefix(f'{name}: ')}; {tried} with {simpler}")
        try:
            return work(version)
        except InternalError:  # an internal error: a simpler picture would hide it
            raise
        except JobError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _iterate_simpler(prepared: PreparedTask) -> Iterator[tuple[str, PreparedTask]]:
    """Yield (description, task): first the given task, then simpler versions of its picture."""
    yield "", prepared
    for request, description in list_simpler_requests(prepared):
        version = _convert_and_repair(prepared.source, request)
        yield description, replace(version, is_simpler=True)


def _iterate_versions_within_deadline(
    prepared: PreparedTask, deadline: float
) -> Iterator[tuple[str, PreparedTask]]:
    """Yield (description, task), starting with the largest version that fits the time by estimate.

    The unchanged picture has an empty description.
    """
    description, version, is_last = "", prepared, prepared.request.is_exact
    seconds_left = max(0.0, deadline - time.monotonic())
    allowed_seconds = max(_ROWS_PART * seconds_left, min(_ANY_TIME, seconds_left))
    while not is_last:
        if estimate_photo_seconds(version.task.picture) > allowed_seconds:
            version, is_last = _reduce_to_time(prepared, allowed_seconds)
            size = format_size(version.task.picture.width, version.task.picture.height)
            description = f"{size} squares in {format_count(len(version.task.colors), 'colour')}"
        if not is_last:
            yield description, _set_first_plan_deadline(version, deadline, _FIRST_PLAN_PART)
            seconds_left = max(0.0, deadline - time.monotonic())
            allowed_seconds = min(
                _ROWS_PART * seconds_left, estimate_photo_seconds(version.task.picture) / 2
            )
    # The smallest version takes a moment and may be late: a late print is better than none.
    ends = deadline if version is prepared else deadline + _GRACE
    yield description, _set_first_plan_deadline(version, ends, 1.0)


def _set_first_plan_deadline(prepared: PreparedTask, deadline: float, part: float) -> PreparedTask:
    """Return the task with a first-plan deadline: now plus a part of the remaining time."""
    now = time.monotonic()
    return replace(prepared, first_plan_deadline=now + part * max(0.0, deadline - now))


def _reduce_to_time(prepared: PreparedTask, seconds: float) -> tuple[PreparedTask, bool]:
    """Return the largest version that can be planned in time, and whether it is the smallest.

    A source that cannot be scaled gets fewer colours. Any other is scaled and keeps as many colours
    as the time allows.
    """
    conversion, picture = prepared.request.conversion, prepared.task.picture
    version = prepared
    if not prepared.source.scales:
        for colors in range(len(prepared.task.colors) - 1, 1, -1):
            version = _convert_again(prepared, replace(conversion, colors=colors))
            if estimate_photo_seconds(version.task.picture) <= seconds:
                return version, False
        return version, True
    defaults = conversion.defaults
    if defaults is None or defaults == DEFAULT_LIMITS:
        defaults = find_default_limits(prepared.request.board, prepared.request.types)
    few = min(_FREE_COLORS, defaults.max_colors, conversion.colors or _FREE_COLORS)
    defaults = replace(defaults, max_colors=few, seconds=seconds)

    def scale(part: float) -> PreparedTask:
        fit = (math.ceil(picture.width * part), math.ceil(picture.height * part))
        return _convert_again(
            prepared, replace(conversion, fit=fit, colors=None, defaults=defaults)
        )

    expected = estimate_photo_seconds(picture, min(few, len(prepared.task.colors)))
    part = min(1.0, (seconds / expected) ** (1 / _TIME_POWER))
    if part > _LEAST_PART:
        version = scale(max(part, _COLORS_KEPT_PART))
        if estimate_photo_seconds(version.task.picture) <= seconds:
            return version, False
    return scale(_LEAST_PART), True


def _convert_again(prepared: PreparedTask, conversion: Conversion) -> PreparedTask:
    """Prepare the same source with another conversion."""
    return _convert_and_repair(prepared.source, replace(prepared.request, conversion=conversion))


def list_simpler_requests(prepared: PreparedTask) -> Iterator[tuple[PictureRequest, str]]:
    """Yield (request, description) of simpler versions of a picture that could not be planned.

    A picture that fills its board loses rows until pieces have room to appear. Then colours are
    removed one by one and the size is reduced in steps, down to a third. A text keeps its size, and
    an exact picture has no simpler versions.
    """
    request, picture = prepared.request, prepared.task.picture
    if request.is_exact:
        return
    colors, conversion = len(prepared.task.colors), request.conversion
    size = (float(picture.width), float(picture.height))
    smaller = prepared.source.scales
    if smaller and request.has_named_board:
        for height in range(picture.height - 1, prepared.task.board.height - _ENTRY_ROWS - 1, -1):
            lower = replace(conversion, fit=(picture.width, height), colors=colors)
            size_text = format_size(picture.width, height)
            yield replace(request, conversion=lower), f"{size_text} squares"
    while colors > 1 or smaller:
        if colors > 1:
            colors -= 1
            conversion = replace(conversion, colors=colors)
            yield replace(request, conversion=conversion), format_count(colors, "colour")
        if smaller:
            size = (size[0] * 0.8, size[1] * 0.8)
            fit = (max(1, int(size[0])), max(1, int(size[1])))
            smaller = max(fit) >= _LEAST_SIDE and max(size) >= _LEAST_PART * max(
                picture.width, picture.height
            )
        if smaller:
            conversion = replace(conversion, fit=fit)
            yield replace(request, conversion=conversion), f"{format_size(*fit)} squares"
