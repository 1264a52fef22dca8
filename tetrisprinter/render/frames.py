"""A game as a sequence of frames, before they are drawn.

A frame is a copy of the field and, in smooth animations, a falling piece. Frames are generated
one by one, so an animation of any length needs the memory of one frame. Durations are in seconds;
each format rounds them to its own unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal

from tetrisprinter.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tetrisprinter.game.field import Playfield
    from tetrisprinter.game.pieces import Orientation
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.game.replay import Drop
    from tetrisprinter.game.steering import MovedDrop

    Squares = NDArray[np.uint8]
    Pieces = NDArray[np.int32]


PLAYING_SECONDS: Final = 20.0
"""The default duration of an animation, with its first and last frames."""

_MAX_FPS: Final = 50.0
_MIN_SECONDS: Final = 10.0
_SHORT_GAME: Final = 60
"""Games with fewer drops than this are played slowly enough to follow each drop ..."""
_SLOW_DROPS_PER_SECOND: Final = 2.0
"""... at this many drops per second."""
_SMOOTH_DROPS_PER_SECOND: Final = 4.0
_ENTRY_ROWS: Final = 2
"""Rows above the highest square of a game, in which its pieces appear."""


@dataclass(frozen=True, slots=True)
class FallingPiece:
    """A moving piece and the lower left corner of its box, in squares."""

    orientation: Orientation
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: the field, the falling piece and the duration."""

    squares: Squares  # the field, bottom row first: a PieceType, or 0 where empty
    seconds: float  # the duration of the frame
    falling: FallingPiece | None = None
    # For each square the number of the drop that placed it, from 1; None if lines are not drawn
    pieces: Pieces | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """The options for the frames of an animation and their durations."""

    # A frame after this many drops, or after every pass. None: after every drop, or after every
    # few drops of a long game
    every: int | Literal["pass"] | None = None
    smooth: bool = False  # show each piece moving; ``every`` is then ignored
    # Frames per second. None: at most 50, such that the animation takes 20 seconds with the
    # hold; 2 for fewer than 60 drops, 25 in smooth animations
    fps: float | None = None
    # Duration before the hold. None: as ``fps`` says; smooth animations show four drops per second
    seconds: float | None = None
    hold: float = 3.0  # seconds for which the last frame, the finished picture, stays
    # Seconds for which the finished picture is shown first, because many programs show only the
    # first frame of an animation. 0: not at all
    first: float = 1.0

    def __post_init__(self) -> None:
        if self.every is not None and self.every != "pass" and self.every < 1:
            raise InputError(f"a frame every {self.every} drops is impossible; expected 1 or more")
        if self.fps is not None and not 0.01 <= self.fps <= 1000:
            raise InputError(
                f"{self.fps:g} frames per second are out of range; expected 0.01 to 1000"
            )
        if self.seconds is not None and not 0.001 <= self.seconds <= 86_400:
            raise InputError(
                f"a duration of {self.seconds:g} seconds is out of range; expected 0.001 to 86400"
            )
        if not 0 <= self.first <= 600:
            raise InputError(
                f"a first frame of {self.first:g} seconds is out of range; expected 0 to 600"
            )
        if not 0 <= self.hold <= 600:
            raise InputError(f"a hold of {self.hold:g} seconds is out of range; expected 0 to 600")

    def schedule(self, plan: Plan, smooth_fps: float = 25.0) -> Schedule:
        """Return the complete timing of a plan: choose the numbers that the options leave open."""
        drops = len(plan)
        if self.smooth:
            fps = self.fps or smooth_fps
            seconds = self.seconds or drops / _SMOOTH_DROPS_PER_SECOND
            per_drop = max(1.0, fps * seconds / max(1, drops))
            return Schedule(fps, self.hold, per_drop=per_drop, first=self.first)
        playing_seconds = self.seconds or max(
            _MIN_SECONDS, PLAYING_SECONDS - self.hold - self.first
        )
        if self.every == "pass":
            marks = tuple(accumulate(len(pass_.pieces) for pass_ in plan.passes))
        else:
            # The two extra frames are the empty board and the picture.
            interval = self.every or math.ceil((drops + 2) / (playing_seconds * _MAX_FPS)) or 1
            marks = tuple(range(interval, drops + 1, interval))
        default_fps = min(_MAX_FPS, (len(marks) + 2) / playing_seconds)
        if self.seconds is None and drops < _SHORT_GAME:
            default_fps = _SLOW_DROPS_PER_SECOND
        elif self.seconds is None:
            default_fps = max(default_fps, _SLOW_DROPS_PER_SECOND)
        return Schedule(self.fps or default_fps, self.hold, marks, first=self.first)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The complete timing of one plan."""

    fps: float  # frames per second
    hold: float  # seconds for which the last frame stays
    marks: tuple[int, ...] = ()  # numbers of the drops, from 1, that are followed by a frame
    per_drop: float = 0.0  # frames per drop in smooth animations, which have no marks; else 0
    first: float = 0.0  # seconds for which the finished picture is shown first

    def count_frames(self, plan: Plan) -> int:
        """Return the number of frames of the plan."""
        return (
            2
            + (self.first > 0 and not plan.stops)
            + (round(len(plan) * self.per_drop) if self.per_drop else len(self.marks))
            + sum(stop < len(plan) for stop in plan.stops)
        )


def copy_squares(field: Playfield) -> Squares:
    """Copy a field into an array, bottom row first."""
    import numpy as np

    rows = np.frombuffer(b"".join(field.rows), dtype=np.uint8)
    return rows.reshape(field.height, field.width)


def make_last_frame(plan: Plan) -> Frame:
    """Return the picture that a plan leaves as a frame, with the drop of each square."""
    from tetrisprinter.game.replay import play

    field = plan.make_field()
    drop_numbers = _DropNumbers(plan)
    for drop in play(plan, field):
        drop_numbers.follow(drop)
    return Frame(_copy_picture(plan, field), 0.0, None, drop_numbers.numbers)


def play_frames(plan: Plan, schedule: Schedule, *, with_pieces: bool = False) -> Iterator[Frame]:
    """Play a plan and yield its frames: the finished picture (optional), the empty board, the game.

    The last frame shows only ``Plan.visible_colors``: exactly the picture that
    :func:`tetrisprinter.pictures.picture.make_field_picture` returns. In a slideshow every picture
    stays as long as the last one, and no picture is shown first.
    """
    from tetrisprinter.game.replay import play

    if schedule.first and not plan.stops:
        last_frame = make_last_frame(plan)
        yield replace(
            last_frame, seconds=schedule.first, pieces=last_frame.pieces if with_pieces else None
        )
    field = plan.make_field()
    frame_seconds = 1 / schedule.fps
    yield Frame(copy_squares(field), frame_seconds)
    if schedule.per_drop:
        yield from _play_smoothly(plan, field, schedule)
    else:
        marks = set(schedule.marks)
        stops = {stop for stop in plan.stops if stop < len(plan)}
        drop_numbers = _DropNumbers(plan)
        for drop in play(plan, field):
            drop_numbers.follow(drop)
            if drop.index + 1 in marks:
                yield Frame(copy_squares(field), frame_seconds, None, drop_numbers.numbers.copy())
            if drop.index + 1 in stops:
                yield Frame(_copy_picture(plan, field), frame_seconds + schedule.hold)
    pieces = make_last_frame(plan).pieces if with_pieces else None
    yield Frame(_copy_picture(plan, field), frame_seconds + schedule.hold, None, pieces)


def shrink_board(plan: Plan) -> Plan:
    """Return the plan on the lowest board on which its game can be shown."""
    from tetrisprinter.game.replay import play

    used_rows = len(plan.start)
    field = plan.make_field()
    for drop in play(plan, field):
        used_rows = max(used_rows, *(y + 1 for _, y in drop.landing.cells))
    return replace(plan, height=min(plan.height, used_rows + _ENTRY_ROWS))


class _DropNumbers:
    """The number (from 1) of the drop that placed each square of the field; 0 if empty."""

    def __init__(self, plan: Plan) -> None:
        import numpy as np

        self.numbers: Pieces = np.zeros((plan.height, plan.width), dtype=np.int32)

    def land(self, drop: Drop) -> Pieces:
        """Return the numbers after a landing, before any row clears."""
        numbers = self.numbers.copy()
        for x, y in drop.landing.cells:
            numbers[y, x] = drop.index + 1
        return numbers

    def follow(self, drop: Drop) -> None:
        """Update the numbers for a landing and its cleared rows."""
        import numpy as np

        numbers = self.land(drop)
        cleared = list(drop.landing.cleared)
        if cleared:
            rest = np.delete(numbers, cleared, axis=0)
            numbers = np.pad(rest, ((0, len(cleared)), (0, 0)))
        self.numbers = numbers


def _copy_picture(plan: Plan, field: Playfield) -> Squares:
    """Copy the visible squares of a field into an array, bottom row first."""
    import numpy as np

    squares = copy_squares(field)
    visible = [int(piece) for piece in plan.visible_colors]
    return np.where(np.isin(squares, visible), squares, 0).astype(np.uint8)


def _play_smoothly(plan: Plan, field: Playfield, schedule: Schedule) -> Iterator[Frame]:
    """Play a plan and yield frames in which each piece moves."""
    from tetrisprinter.game.srs import play_for_display

    frame_seconds = 1 / schedule.fps
    before = copy_squares(field)
    drop_numbers = _DropNumbers(plan)
    frames_done = 0
    for moved in play_for_display(plan, field):
        after = copy_squares(field)
        numbers_before, numbers_landed = drop_numbers.numbers, drop_numbers.land(moved.drop)
        drop_numbers.follow(moved.drop)
        # Each drop gets a whole number of frames; all together have the right duration.
        end = round((moved.drop.index + 1) * schedule.per_drop)
        count = end - frames_done
        for i in range(1, count + 1):
            squares, falling = _interpolate(moved, before, after, i / count)
            pieces = numbers_before if falling else numbers_landed
            if squares is after:
                pieces = drop_numbers.numbers
            yield Frame(squares, frame_seconds, falling, pieces)
        if moved.drop.index + 1 in plan.stops and moved.drop.index + 1 < len(plan):
            yield Frame(_copy_picture(plan, field), frame_seconds + schedule.hold)
        frames_done, before = end, after


_FALL_BEGINS, _FALL_ENDS = 0.4, 0.75
"""When a piece begins to fall and, if rows clear, has landed, as fractions of the drop's time."""


def _interpolate(
    moved: MovedDrop, before: Squares, after: Squares, t: float
) -> tuple[Squares, FallingPiece | None]:
    """Return the field and the moving piece at time ``t`` of a drop, from 0 to 1."""
    if t >= 1:
        return after, None
    landing = moved.drop.landing
    landed_at = _FALL_ENDS if landing.cleared else 1.0
    if t >= landed_at:
        return _open_full_rows(moved, before, (t - landed_at) / (1 - landed_at)), None
    entry, top = moved.path[:-1], moved.path[-2]
    if t < _FALL_BEGINS:
        position = t / _FALL_BEGINS * (len(entry) - 1)
        placement, fraction = entry[int(position)], position % 1
        next_placement = entry[min(int(position) + 1, len(entry) - 1)]
        if next_placement.orientation is not placement.orientation:
            next_placement = placement
        x, y = (
            placement.x + fraction * (next_placement.x - placement.x),
            placement.y + fraction * (next_placement.y - placement.y),
        )
        return before, FallingPiece(placement.orientation, x, y)
    share = ((t - _FALL_BEGINS) / (landed_at - _FALL_BEGINS)) ** 2  # the piece gathers speed
    return before, FallingPiece(top.orientation, top.x, top.y + share * (landing.y - top.y))


def _open_full_rows(moved: MovedDrop, before: Squares, share: float) -> Squares:
    """Return the field with the piece locked and full rows opening from the middle."""
    squares = before.copy()
    landing = moved.drop.landing
    for x, y in landing.cells:
        squares[y, x] = landing.orientation.piece
    width = squares.shape[1]
    half = share * (width / 2 + 1)
    open_columns = [x for x in range(width) if abs(x + 0.5 - width / 2) < half]
    for y in landing.cleared:
        squares[y, open_columns] = 0
    return squares
