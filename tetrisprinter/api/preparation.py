"""Preparation: from a picture to a printable task, and simpler versions if no plan is found.

All options are respected (:mod:`~tetrisprinter.api.request`). If no game leaves the picture, it is
replaced by the nearest picture that some game leaves (:mod:`~tetrisprinter.printing.obstacles`).
Each change is reported as a :class:`~tetrisprinter.pictures.convert.Step` with its setting.

If still no plan is found, :func:`iterate_simpler_sizes` removes a colour and reduces the size,
in turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.api.request import PictureRequest
from tetrisprinter.errors import Hint, InputError, Setting
from tetrisprinter.game.field import CLASSIC_BOARD
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture, DefaultLimits, Step
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.pictures.sources import Source, find_source
from tetrisprinter.planners import Planner, get_planner
from tetrisprinter.planners.rows import estimate_photo_seconds
from tetrisprinter.printing.obstacles import Change, find_obstacle, repair_task
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import NEARLY_SINGLE, SINGLE
from tetrisprinter.render.paint import is_distinct
from tetrisprinter.support import format_count, format_size

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image


_PLANNER_SETTINGS: Final = (Setting.BOARD, Setting.TYPES)
"""Settings that a planner may choose differently, unless the user set them."""

_NAMED_CHANGES: Final = 3
"""A step names at most this many changed squares."""

_MIN_SIDE: Final = 4
"""Pictures whose longer side has fewer squares are not tried."""

_MIN_SIZE_FRACTION: Final = 1 / 3
"""No side of a picture is reduced to less than this fraction."""

_ALL_ROWS_FRACTION: Final = 0.4
"""Planning all rows may take, by estimate, at most this fraction of the remaining time."""

_FIRST_GAME: Final = (1.5, 0.2)
"""The seconds of the first game of a search: the first number, plus this share of the estimate for
a print by rows. It is the median of 42 photos and emoji of 48x48 squares and half a second more;
with less, two emoji of four pictures are far smaller at a limit of 5 s. So a portrait is printed in
48x48 instead of 34x34 squares at a limit of 10 s."""

_QUICK_SECONDS: Final = 0.5
"""Planning may take this number of seconds even if that exceeds the fraction of the time."""

_FIRST_PLAN_FRACTION: Final = 0.6
"""The first plan must exist after this fraction of the remaining time."""

_TIME_EXPONENT: Final = 1.7
"""The planning time of a photograph grows with about this power of its width (measured)."""

_ALL_COLORS_FRACTION: Final = 0.6
"""If time is short, a picture is scaled to this fraction of its size before it loses colours."""

_FREE_COLORS: Final = len(SINGLE) + len(NEARLY_SINGLE)
"""Planning is fast up to this number of colours: each has a type that leaves single squares."""

_ENTRY_ROWS: Final = 3
"""Rows above a picture in which any piece can appear, turn and move."""

_GRACE_SECONDS: Final = 10.0
"""Seconds after the time limit during which the smallest version may still be planned."""


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A task with the steps that led to it."""

    source: Source  # the given picture
    # The options. A planner may choose another board or other types unless
    # ``request.has_named_board`` or ``request.has_named_types``
    request: PictureRequest
    task: Task  # the picture to print, perhaps repaired
    steps: tuple[Step, ...] = ()  # the conversions and choices
    changes: tuple[Change, ...] = ()  # the repaired squares
    background: Color | None = None  # the colour that was left empty
    # The task of the repaired picture, if this task prints the exact picture with don't-care
    # squares. The alternative is printed instead if it takes clearly fewer drops
    alternative: PreparedTask | None = None
    # The number of columns to which the image was scaled, with those of only background that the
    # picture lacks; 0: as many as the picture has
    image_width: int = 0

    def __repr__(self) -> str:
        steps = f": {', '.join(map(str, self.steps))}" if self.steps else ""
        return f"<PreparedTask {self.task!r}{steps}>"

    @property
    def image_size(self) -> tuple[int, int]:
        """The width and height that a smaller version of the image has to be less than."""
        return max(self.image_width, self.task.picture.width), self.task.picture.height

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


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a picture that is planned: the picture as it was prepared, or a simpler one."""

    prepared: PreparedTask
    description: str = ""  # what is simpler; empty for the picture as it was prepared
    is_simpler: bool = False  # whether another version had its share of the work before
    has_simpler: bool = False  # whether another version follows if this one has no game
    # The time (of ``time.monotonic()``) at which a search without a plan gives up, so that a
    # simpler version can still be planned
    first_plan_deadline: float = inf


def prepare(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    **options: Any,
) -> PreparedTask:
    """Convert a picture to a task; do not plan its game."""
    return prepare_source(find_source(picture), PictureRequest.of(options, ("planner",)), planner)


def preview(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8] | Source,
    *,
    planner: str | Planner = "auto",
    **options: Any,
) -> Picture:
    """Return the picture that :func:`~tetrisprinter.print_picture` would print; plan no game.

    If the drops of two games decide whether squares are repaired, this picture is not repaired.

    Parameters
    ----------
    picture : Picture, str, Path, PIL.Image.Image, array or figure of matplotlib
        The picture, as for ``print_picture``.
    planner : str or Planner
        The planner, as for ``print_picture``.
    **options
        The options of ``print_picture``, such as ``colors=4``.

    Examples
    --------
    >>> print(preview("r=d03020 b=2040a0\\nrb.\\nrrr", colors=1))
    a=cd2312
    aa.
    aaa
    """
    return prepare(picture, planner=planner, **options).task.picture


def prepare_source(
    source: Source,
    request: PictureRequest,
    planner: str | Planner = "auto",
    *,
    may_repair: bool = True,
) -> PreparedTask:
    """Return the task of a source; see :func:`prepare`.

    A planner that supports only the classic board and types gets these, if the options allow it.
    Without ``may_repair`` no square is changed, whatever the options allow.
    """
    prepared = _convert_and_repair(source, request, choose_conversion(request), may_repair)
    may_use_classic = (
        request.board is None and request.types in (None, "classic") and not request.is_exact
    )
    if may_use_classic and planner != "auto":  # *auto* supports every board and all types
        chosen_planner = get_planner(planner)
        obstacle = chosen_planner.find_refusal(prepared.task)
        if obstacle is not None and not obstacle.theorem:  # only this planner refuses the task
            classic = replace(request, board=CLASSIC_BOARD, types="classic")
            conversion = choose_conversion(classic)
            prepared_classic = _convert_and_repair(source, classic, conversion, may_repair)
            if chosen_planner.find_refusal(prepared_classic.task) is None:
                return prepared_classic
    return prepared


def choose_conversion(
    request: PictureRequest, limits: DefaultLimits | None = None, **size: Any
) -> Conversion:
    """Return the conversion of a request; ``limits`` and ``size`` are those of a simpler version.

    ``size`` has the arguments ``fit`` and ``colors`` of a conversion.
    """
    conversion = request.conversion
    background = conversion.background or (None if request.is_exact else "auto")
    limits = limits or request.find_limits()
    return replace(conversion, background=background, defaults=limits, **size)


def _convert_and_repair(
    source: Source, request: PictureRequest, conversion: Conversion, may_repair: bool = True
) -> PreparedTask:
    """Return the task of a source, converted and, if allowed, repaired."""
    converted = source.read(conversion)
    if request.has_named_board and not conversion.fit:
        _check_size(source, request, converted)
    background, picture = converted.background, converted.picture
    # Transparent margins are left out before an image is scaled.
    image_width = 0 if background is None else picture.width
    if not request.is_place_meant(picture.width):
        picture = picture.trim_columns()

    def make_prepared(
        task: Task,
        *steps: Step,
        changes: tuple[Change, ...] = (),
        alternative: PreparedTask | None = None,
    ) -> PreparedTask:
        choices = []
        if request.board is None and task.board != CLASSIC_BOARD:
            choices.append(Step(f"board {task.board}", Setting.BOARD))
            if request.types is None:
                choices.append(Step("piece types: shared among the colours", Setting.TYPES))
        return PreparedTask(
            source,
            request,
            task,
            (*converted.steps, *steps, *choices),
            changes,
            background,
            alternative,
            image_width=image_width,
        )

    task = request.make_task(picture, background)
    repaired, changes = repair_task(task) if request.repairs and may_repair else (picture, ())
    if not changes:
        return make_prepared(task)
    squares = "; ".join(map(str, changes[:_NAMED_CHANGES]))
    if len(changes) > _NAMED_CHANGES:
        squares += f"; and {len(changes) - _NAMED_CHANGES} more"
    repair = Step(f"{format_count(len(changes), 'square')} repaired: {squares}", Setting.EXACT)
    alternative = make_prepared(request.make_task(repaired, background), repair, changes=changes)
    exact_task = None if request.is_exact else _make_dont_care_task(request, task, background)
    if exact_task is None:
        return alternative
    step = Step(f"empty squares may show {exact_task.background}", Setting.BACKGROUND)
    return make_prepared(exact_task, step, alternative=alternative)


def _make_dont_care_task(
    request: PictureRequest, task: Task, found_background: Color | None
) -> Task | None:
    """Return the task with don't-care squares; None if the options or a theorem forbid it."""
    background = found_background or request.field
    if background is None or request.has_named_types or task.has_dont_care_squares:
        return None
    if found_background is None and not all(
        is_distinct(color, background) for color in task.picture.colors()
    ):
        return None
    open_task = request.make_task(task.picture, background, "auto")
    if (
        not open_task.has_dont_care_squares
        or repair_task(open_task)[1]
        or find_obstacle(open_task) is not None
    ):
        return None
    return open_task


def _check_size(source: Source, request: PictureRequest, converted: ConvertedPicture) -> None:
    """Refuse a named board that would reduce a picture to less than a third of its size."""
    if all(step.setting is not Setting.FIT for step in converted.steps):
        return
    unscaled = source.read(request.conversion)
    if any(step.setting is Setting.FIT for step in unscaled.steps):
        return  # the picture is scaled on any board
    scaled, original = converted.picture, unscaled.picture
    if (
        scaled.width >= _MIN_SIZE_FRACTION * original.width
        and scaled.height >= _MIN_SIZE_FRACTION * original.height
    ):
        return
    size = format_size(scaled.width, scaled.height)
    raise InputError(
        f"{source.name}: too large for a board of {request.board}: "
        f"{format_size(original.width, original.height)} squares would be scaled to {size}, less "
        "than a third",
        # With a piece queue the automatic board is always GUIDELINE_BOARD.
        *([Hint("{} is large enough", Setting.AUTO_BOARD)] if request.pieces is None else ()),
        Hint(f"{{}} {size} prints it at that size", Setting.FIT),
    )


def iterate_versions(
    prepared: PreparedTask, deadline: float = inf, searches: bool = False
) -> Iterator[Version]:
    """Yield the given task, then simpler versions of its picture.

    With a deadline the first version is the largest that can be planned in time; a planner that
    searches has its first game sooner than others have theirs. A game on a board with squares
    prints its picture, or fails.
    """
    if prepared.task.start:
        yield Version(prepared)
    elif deadline == inf:
        yield from _iterate_all_versions(prepared)
    else:
        yield from _iterate_versions_within_deadline(prepared, deadline, searches)


def _iterate_all_versions(prepared: PreparedTask) -> Iterator[Version]:
    """Yield the versions of a picture that has no deadline."""
    simpler = iterate_simpler_sizes(prepared)
    following = next(simpler, None)
    yield Version(prepared, has_simpler=following is not None)
    while following is not None:
        (fit, colors, description), following = following, next(simpler, None)
        version = _convert_again(prepared, fit, colors)
        yield Version(version, description, is_simpler=True, has_simpler=following is not None)


def _iterate_versions_within_deadline(
    prepared: PreparedTask, deadline: float, searches: bool
) -> Iterator[Version]:
    """Yield smaller and smaller versions; the first fits the time by estimate."""
    # The estimate knows nothing of a piece queue, for which a smaller picture is hardly quicker.
    is_last = prepared.request.is_exact or prepared.task.pieces is not None
    description, smaller = "", prepared
    seconds_left = max(0.0, deadline - time.monotonic())
    allowed_seconds = max(
        _allow_estimate(seconds_left, searches), min(_QUICK_SECONDS, seconds_left)
    )
    while not is_last:
        if estimate_photo_seconds(smaller.task.picture) > allowed_seconds:
            smaller, is_last = _reduce_to_time(prepared, allowed_seconds)
            size = format_size(smaller.task.picture.width, smaller.task.picture.height)
            description = f"{size} squares in {format_count(len(smaller.task.colors), 'colour')}"
        if not is_last:
            now = time.monotonic()
            first_plan_deadline = now + _FIRST_PLAN_FRACTION * max(0.0, deadline - now)
            yield Version(smaller, description, first_plan_deadline=first_plan_deadline)
            seconds_left = max(0.0, deadline - time.monotonic())
            allowed_seconds = min(
                _allow_estimate(seconds_left, searches),
                estimate_photo_seconds(smaller.task.picture) / 2,
            )
    # The smallest version is quick and may be late: a late print is better than none.
    last_deadline = deadline if smaller is prepared else deadline + _GRACE_SECONDS
    last_deadline = max(last_deadline, time.monotonic())
    yield Version(smaller, description, first_plan_deadline=last_deadline)


def _allow_estimate(seconds_left: float, searches: bool) -> float:
    """Return the estimate that a picture may have if this time is left."""
    seconds = _ALL_ROWS_FRACTION * seconds_left
    least, share = _FIRST_GAME
    return max(seconds, (seconds - least) / share) if searches else seconds


def _reduce_to_time(prepared: PreparedTask, seconds: float) -> tuple[PreparedTask, bool]:
    """Return the largest version that can probably be planned in time, and False.

    If there is none, return the smallest version that is allowed, and True. A source that cannot be
    scaled gets fewer colours. Any other is scaled and keeps as many colours as the time allows.
    """
    conversion, picture = prepared.request.conversion, prepared.task.picture
    version = prepared
    if not prepared.source.scales:
        for colors in range(len(prepared.task.colors) - 1, 1, -1):
            version = _convert_again(prepared, conversion.fit, colors)
            if estimate_photo_seconds(version.task.picture) <= seconds:
                return version, False
        return version, True
    limits = prepared.request.find_limits()
    assert limits is not None  # an exact picture is not reduced
    color_limit = min(_FREE_COLORS, limits.max_colors, conversion.colors or _FREE_COLORS)
    limits = replace(
        limits,
        max_colors=color_limit,
        costs=estimate_photo_seconds,
        seconds=seconds,
        least_colors=2,
    )

    def scale(fraction: float) -> PreparedTask:
        width, height = prepared.image_size
        fit = (math.ceil(width * fraction), math.ceil(height * fraction))
        return _convert_again(prepared, fit, None, limits)

    estimated_seconds = estimate_photo_seconds(picture, min(color_limit, len(prepared.task.colors)))
    fraction = min(1.0, (seconds / estimated_seconds) ** (1 / _TIME_EXPONENT))
    if fraction > _MIN_SIZE_FRACTION:
        for size_fraction in (max(fraction, _ALL_COLORS_FRACTION), fraction):
            version = scale(size_fraction)
            if estimate_photo_seconds(version.task.picture) <= seconds:
                return version, False
    return scale(_MIN_SIZE_FRACTION), True


def _convert_again(
    prepared: PreparedTask,
    fit: tuple[int, int] | None,
    colors: int | None,
    limits: DefaultLimits | None = None,
) -> PreparedTask:
    """Return the task of the same source in another size or another number of colours."""
    conversion = choose_conversion(prepared.request, limits, fit=fit, colors=colors)
    return _convert_and_repair(prepared.source, prepared.request, conversion)


def iterate_simpler_sizes(
    prepared: PreparedTask,
) -> Iterator[tuple[tuple[int, int] | None, int | None, str]]:
    """Yield sizes and numbers of colours for a picture that could not be planned, with a text.

    A picture that fills its board loses rows until pieces have room to appear. Then colours are
    removed one by one and the size is reduced in steps, down to a third. A text keeps its size, and
    an exact picture has no simpler versions.
    """
    request = prepared.request
    if request.is_exact:
        return
    image_width, image_height = prepared.image_size
    fit, color_limit = request.conversion.fit, request.conversion.colors
    colors, size = len(prepared.task.colors), (float(image_width), float(image_height))
    can_shrink = prepared.source.scales
    if can_shrink and request.has_named_board:
        for height in range(image_height - 1, prepared.task.board.height - _ENTRY_ROWS - 1, -1):
            size_text = format_size(image_width, height)
            yield (image_width, height), colors, f"{size_text} squares"
    while colors > 1 or can_shrink:
        if colors > 1:
            colors = color_limit = colors - 1
            yield fit, color_limit, format_count(colors, "colour")
        if can_shrink:
            size = (size[0] * 0.8, size[1] * 0.8)
            smaller = (max(1, int(size[0])), max(1, int(size[1])))
            can_shrink = max(smaller) >= _MIN_SIDE and max(size) >= _MIN_SIZE_FRACTION * max(
                image_width, image_height
            )
        if can_shrink:
            fit = smaller
            yield fit, color_limit, f"{format_size(*fit)} squares"
