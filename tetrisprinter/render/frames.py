"""A game as a sequence of frames, before they are drawn.

A frame is a copy of the field and, in smooth animations, a falling piece. Frames are generated
one by one, so an animation of any length needs the memory of one. Durations are in seconds;
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
"""The default duration of a print, its last frame included."""

_FASTEST: Final = 50.0
_LEAST_SECONDS: Final = 10.0
_FOLLOWED: Final = 60
"""Games with fewer drops than this are played slowly enough to follow each drop ..."""
_FOLLOWED_PER_SECOND: Final = 2.0
"""... at this many drops per second."""
_SMOOTH_DROPS_PER_SECOND: Final = 4.0
_ROOM: Final = 2
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
    seconds: float  # its duration
    falling: FallingPiece | None = None
    # The number of the drop that each square came with, from 1; None if only the picture is shown
    pieces: Pieces | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """The options for the frames of an animation and their durations."""

    # A frame after this many drops, or after every pass. None: after every drop, or after every
    # few drops of a long game
    every: int | Literal["pass"] | None = None
    smooth: bool = False  # show each piece moving; ``every`` is then ignored
    # Frames per second. None: at most 50, such that the print ends after 20 seconds with the
    # hold; 2 for fewer than 60 drops, 25 in smooth animations
    fps: float | None = None
    # Duration before the hold. None: see above; smooth animations show four drops per second
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
        """Return the complete timing of a plan: choose what the options leave open."""
        drops = len(plan)
        if self.smooth:
            fps = self.fps or smooth_fps
            seconds = self.seconds or drops / _SMOOTH_DROPS_PER_SECOND
            per_drop = max(1.0, fps * seconds / max(1, drops))
            return Schedule(fps, self.hold, per_drop=per_drop, first=self.first)
        playing = self.seconds or max(_LEAST_SECONDS, PLAYING_SECONDS - self.hold - self.first)
        if self.every == "pass":
            marks = tuple(accumulate(len(pass_.pieces) for pass_ in plan.passes))
        else:
            # The two extra frames are the empty board and the picture.
            every = self.every or math.ceil((drops + 2) / (playing * _FASTEST)) or 1
            marks = tuple(range(every, drops + 1, every))
        usual = min(_FASTEST, (len(marks) + 2) / playing)
        if self.seconds is None:
            usual = max(usual, _FOLLOWED_PER_SECOND) if drops >= _FOLLOWED else _FOLLOWED_PER_SECOND
        return Schedule(self.fps or usual, self.hold, marks, first=self.first)


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
    owners = _DropNumbers(plan)
    for drop in play(plan, field):
        owners.follow(drop)
    return Frame(_copy_picture(plan, field), 0.0, None, owners.numbers)


def play_frames(plan: Plan, schedule: Schedule, *, with_pieces: bool = False) -> Iterator[Frame]:
    """Play a plan and yield its frames: the finished picture (optional), the empty board, the game.

    The last frame shows only visible types: exactly the picture that
    :func:`tetrisprinter.pictures.picture.make_field_picture` returns. In a slideshow every picture
    stays as long as the last one, and no picture is shown first.
    """
    from tetrisprinter.game.replay import play

    if schedule.first and not plan.stops:
        opening = make_last_frame(plan)
        yield replace(
            opening, seconds=schedule.first, pieces=opening.pieces if with_pieces else None
        )
    field = plan.make_field()
    tick = 1 / schedule.fps
    yield Frame(copy_squares(field), tick)
    if schedule.per_drop:
        yield from _play_smoothly(plan, field, schedule)
    else:
        marks = set(schedule.marks)
        stops = {stop for stop in plan.stops if stop < len(plan)}
        owners = _DropNumbers(plan)
        for drop in play(plan, field):
            owners.follow(drop)
            if drop.index + 1 in marks:
                yield Frame(copy_squares(field), tick, None, owners.numbers.copy())
            if drop.index + 1 in stops:
                yield Frame(_copy_picture(plan, field), tick + schedule.hold)
    pieces = make_last_frame(plan).pieces if with_pieces else None
    yield Frame(_copy_picture(plan, field), tick + schedule.hold, None, pieces)


def shrink_board(plan: Plan) -> Plan:
    """Return the plan on the lowest board on which its game can be shown."""
    from tetrisprinter.game.replay import play

    highest = len(plan.start)
    field = plan.make_field()
    for drop in play(plan, field):
        highest = max(highest, *(y + 1 for _, y in drop.landing.cells))
    return replace(plan, height=min(plan.height, highest + _ROOM))


class _DropNumbers:
    """For each square of the field the number (from 1) of the drop that placed it; 0 if empty."""

    def __init__(self, plan: Plan) -> None:
        import numpy as np

        self.numbers: Pieces = np.zeros((plan.height, plan.width), dtype=np.int32)

    def land(self, drop: Drop) -> Pieces:
        """Return the numbers after a landing, before any row clears."""
        owners = self.numbers.copy()
        for x, y in drop.landing.cells:
            owners[y, x] = drop.index + 1
        return owners

    def follow(self, drop: Drop) -> None:
        """Update the numbers for a landing and its cleared rows."""
        import numpy as np

        owners = self.land(drop)
        cleared = list(drop.landing.cleared)
        if cleared:
            left = np.delete(owners, cleared, axis=0)
            owners = np.pad(left, ((0, len(cleared)), (0, 0)))
        self.numbers = owners


def _copy_picture(plan: Plan, field: Playfield) -> Squares:
    """Copy the visible squares of a field into an array, bottom row first."""
    import numpy as np

    squares = copy_squares(field)
    visible = [int(piece) for piece in plan.visible_colors]
    return np.where(np.isin(squares, visible), squares, 0).astype(np.uint8)


def _play_smoothly(plan: Plan, field: Playfield, schedule: Schedule) -> Iterator[Frame]:
    """Play a plan and yield frames in which each piece moves."""
    from tetrisprinter.game.srs import play_for_display

    tick = 1 / schedule.fps
    before = copy_squares(field)
    owners = _DropNumbers(plan)
    shown = 0
    for moved in play_for_display(plan, field):
        after = copy_squares(field)
        resting, locked = owners.numbers, owners.land(moved.drop)
        owners.follow(moved.drop)
        # Each drop gets whole frames, rounded such that the total is right.
        end = round((moved.drop.index + 1) * schedule.per_drop)
        number = end - shown
        for i in range(1, number + 1):
            squares, falling = _interpolate(moved, before, after, i / number)
            pieces = owners.numbers if squares is after else resting if falling else locked
            yield Frame(squares, tick, falling, pieces)
        if moved.drop.index + 1 in plan.stops and moved.drop.index + 1 < len(plan):
            yield Frame(_copy_picture(plan, field), tick + schedule.hold)
        shown, before = end, after


_STEER, _FALL = 0.4, 0.75
"""The parts of a drop's time at which it begins to fall and, if rows clear, has landed."""


def _interpolate(
    moved: MovedDrop, before: Squares, after: Squares, t: float
) -> tuple[Squares, FallingPiece | None]:
    """Return the field and the moving piece at time ``t`` of a drop, from 0 to 1."""
    if t >= 1:
        return after, None
    landing = moved.drop.landing
    fallen = _FALL if landing.cleared else 1.0
    if t >= fallen:
        return _open_full_rows(moved, before, (t - fallen) / (1 - fallen)), None
    entry, top = moved.path[:-1], moved.path[-2]
    if t < _STEER:
        place = t / _STEER * (len(entry) - 1)
        here, part = entry[int(place)], place % 1
        there = entry[min(int(place) + 1, len(entry) - 1)]
        if there.orientation is not here.orientation:
            there = here
        x, y = here.x + part * (there.x - here.x), here.y + part * (there.y - here.y)
        return before, FallingPiece(here.orientation, x, y)
    share = ((t - _STEER) / (fallen - _STEER)) ** 2  # it gathers speed
    return before, FallingPiece(top.orientation, top.x, top.y + share * (landing.y - top.y))


def _open_full_rows(moved: MovedDrop, before: Squares, share: float) -> Squares:
    """Return the field with the piece locked and full rows opening from the middle."""
    squares = before.copy()
    landing = moved.drop.landing
    for x, y in landing.cells:
        squares[y, x] = landing.orientation.piece
    width = squares.shape[1]
    half = share * (width / 2 + 1)
    gone = [x for x in range(width) if abs(x + 0.5 - width / 2) < half]
    for y in landing.cleared:
        squares[y, gone] = 0
    return squares
