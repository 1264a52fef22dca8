"""A game as a sequence of frames: what they show, how long, their pixels, and their sound.

A frame is a copy of the field and, in smooth animations, a falling piece. Frames are generated one
by one, so an animation of any length needs the memory of two frames. Equal neighbours are merged.
Durations are in seconds; each format rounds them to its own unit, and rounding errors do not add
up, because each frame ends at the rounded true time.

The sound has a short tone for every piece and a chord for cleared rows, as in the page. An
animation lists its notes, and the encoder synthesizes them one second at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import Drop, play
from tetrisprinter.pictures.text import draw_label
from tetrisprinter.render.paint import Look, Painter, choose_display_colors, choose_field_for
from tetrisprinter.support import LazyModule
from tetrisprinter.support.options import check_options, option, read_flag, read_number, read_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tetrisprinter.game.steering import MovedDrop
    from tetrisprinter.render import Rendering, Report
    from tetrisprinter.render.paint import Pixels

    Squares = NDArray[np.uint8]
    Pieces = NDArray[np.int32]
else:
    np = LazyModule("numpy")


PLAYING_SECONDS: Final = 20.0
"""The default duration of an animation, with its first and last frames."""

_MAX_FPS: Final = 50.0
_MIN_SECONDS: Final = 10.0
_FILM_FPS: Final = 25.0
_SHORT_GAME: Final = 150
"""Up to this number of drops, each piece is shown falling, at one pace; longer games accelerate."""
_SHORT_SECONDS: Final = 25.0
"""The most seconds of such a game: the pieces of a game of 150 fall for a sixth of a second."""
_SLOW_DROPS_PER_SECOND: Final = 2.0
_FAST_STEP: Final = 0.04  # the least seconds of a frame that shows the result of several drops
_LEAST_FALL: Final = 0.1
"""The least seconds in which a piece is seen falling; three frames of a GIF."""
_MOST_FALL: Final = 1.0  # the most seconds in which it falls; in a slower film it waits afterwards
_OPENING_FRAMES: Final = 8
"""In so many steps the picture that opens a film gives way to the empty board."""
_SMOOTH_DROPS_PER_SECOND: Final = 4.0
_ENTRY_ROWS: Final = 2  # rows above the highest square of a game, in which its pieces appear


FallingPiece = tuple["Orientation", float, float]
"""A moving piece and the lower left corner of its box, in squares."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: the field, the falling piece and the duration."""

    squares: Squares  # the field, bottom row first: a PieceType, or 0 where empty
    seconds: float  # the duration of the frame
    falling: FallingPiece | None = None
    # For each square the number of the drop that placed it, from 1; None if lines are not drawn
    pieces: Pieces | None = None
    flashing: tuple[int, ...] = ()  # full rows that flash before they clear
    is_finished: bool = False  # whether this is the finished picture


def _read_every(value: object) -> int | Literal["pass"]:
    """Read a number of drops, or ``"pass"``."""
    return "pass" if value == "pass" else read_whole(1)(value)


_read_pause: Final = read_number(0, 600)


@dataclass(frozen=True, slots=True)
class Timing:
    """The options for the frames of an animation and their durations."""

    every: int | Literal["pass"] | None = option(
        None,
        "A frame after this many drops, or after every pass. [default: a film, in which pieces "
        "fall, full lines flash, and a long game plays faster and faster]",
        _read_every,
        "N|pass",
        "int or str",
    )
    smooth: bool = option(False, "Show how each piece falls, however long the game is.", read_flag)
    # With ``every`` at most 50, such that the animation takes 20 seconds with the hold
    fps: float | None = option(
        None,
        "Frames per second. [default: 25, in videos 60]",
        read_number(0.01, 1000),
        "NUMBER",
        "float",
    )
    seconds: float | None = option(
        None,
        "How long the game plays. [default: two drops per second, at most 25; 16 for more than 150 "
        "pieces; smooth: four drops per second]",
        read_number(0.001, 86_400),
        "SECONDS",
        "float",
    )
    hold: float = option(
        3.0,
        "How long the finished picture is shown after the game.",
        _read_pause,
        "SECONDS",
        "float",
    )
    # Many programs show only the first frame of an animation
    first: float = option(
        1.0,
        "How long the finished picture is shown before the game; 0: not at all.",
        _read_pause,
        "SECONDS",
        "float",
    )

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def is_film(self) -> bool:
        """Whether the pace follows the length of the game."""
        return not self.smooth and self.every is None and self.fps is None

    def schedule(
        self, plan: Plan, smooth_fps: float = _FILM_FPS, fast_step: float = _FAST_STEP
    ) -> Schedule:
        """Return the complete timing of a plan: choose the numbers that the options leave open.

        ``fast_step`` is the least seconds of a frame that shows several drops of a film.
        """
        drops = len(plan)
        if self.smooth:
            fps = self.fps or smooth_fps
            seconds = self.seconds or drops / _SMOOTH_DROPS_PER_SECOND
            per_drop = max(1.0, fps * seconds / max(1, drops))
            ends = [per_drop * number for number in range(1, drops + 1)]
            return Schedule(fps, self.hold, _make_beats(ends, plan.stops, 1, 1), self.first)
        playing_seconds = self.seconds or max(
            _MIN_SECONDS, PLAYING_SECONDS - self.hold - self.first
        )
        if self.is_film:
            opening = _OPENING_FRAMES if self.first and not plan.stops else 0
            paces = _choose_paces(plan, self.seconds, playing_seconds - opening * _FAST_STEP)
            ends = [smooth_fps * end for end in accumulate(paces)]
            least_fall = math.ceil(_LEAST_FALL * smooth_fps)
            most_fall = round(_MOST_FALL * smooth_fps)
            fast_frames = round(fast_step * smooth_fps)
            beats = _make_beats(ends, plan.stops, least_fall, fast_frames, most_fall)
            return Schedule(smooth_fps, self.hold, beats, self.first, opening)
        if self.every == "pass":
            marks = list(accumulate(len(pass_.pieces) for pass_ in plan.passes))
        else:
            # The two extra frames are the empty board and the picture.
            interval = self.every or math.ceil((drops + 2) / (playing_seconds * _MAX_FPS)) or 1
            marks = list(range(interval, drops + 1, interval))
        default_fps = min(_MAX_FPS, (len(marks) + 2) / playing_seconds)
        if self.seconds is None:
            default_fps = max(default_fps, _SLOW_DROPS_PER_SECOND)
        fps = self.fps or default_fps
        return Schedule(fps, self.hold, mark_frames(marks, plan.stops), self.first)


class Beat(NamedTuple):
    """Drops that a film shows together."""

    drops: int
    frames: int  # how long, in frames; 0: no frame shows their result
    falls: bool = False  # whether their piece, a single one, is seen falling


@dataclass(frozen=True, slots=True)
class Schedule:
    """The complete timing of one plan."""

    fps: float  # frames per second
    hold: float  # seconds for which the last frame stays
    beats: tuple[Beat, ...] = ()  # all drops up to the last one that a frame shows
    first: float = 0.0  # seconds for which the finished picture is shown first
    opening: int = 0  # frames in which this picture then vanishes

    def count_frames(self, plan: Plan) -> int:
        """Return the number of frames of the plan."""
        return (
            2
            + ((1 + self.opening) if self.first > 0 and not plan.stops else 0)
            + sum(beat.frames if beat.falls else beat.frames > 0 for beat in self.beats)
            + sum(stop < len(plan) for stop in plan.stops)
        )


def mark_frames(marks: Sequence[int], stops: Sequence[int] = ()) -> tuple[Beat, ...]:
    """Return the beats of a game with a frame after each marked drop; drops count from 1.

    >>> mark_frames([2, 4], stops=[3])
    (Beat(drops=2, frames=1, falls=False), Beat(drops=1, frames=0, falls=False), \
Beat(drops=1, frames=1, falls=False))
    """
    ends = sorted({*marks, *stops})
    return tuple(
        Beat(end - begin, int(end in marks)) for begin, end in zip([0, *ends], ends, strict=False)
    )


def _make_beats(
    ends: Sequence[float],
    stops: Sequence[int],
    least_fall: int,
    fast_step: int,
    most_fall: int | None = None,
) -> tuple[Beat, ...]:
    """Return the beats of drops that end at these times, in frames.

    A drop of ``least_fall`` frames is seen falling, for at most ``most_fall`` frames; faster drops
    share frames of ``fast_step``. Rounding errors do not add up, and a beat ends at each stop.
    """
    beats: list[Beat] = []
    frames_done = drops = 0
    for number, end in enumerate(ends, 1):
        frames, drops = round(end) - frames_done, drops + 1
        falls = drops == 1 and frames >= least_fall
        is_stop = number in stops or number == len(ends)
        if falls and not is_stop and most_fall is not None and frames > most_fall:
            beats += [Beat(1, most_fall, True), Beat(0, frames - most_fall)]
            frames_done, drops = round(end), 0
        elif falls or frames >= fast_step or is_stop:
            beats.append(Beat(drops, frames, falls))
            frames_done, drops = round(end), 0
    return tuple(beats)


def _choose_paces(plan: Plan, seconds: float | None, long_seconds: float) -> list[float]:
    """Return the seconds of each drop of a film; a long game takes ``long_seconds`` by default.

    A long game begins with 0.4 seconds a drop. Sixteen drops later it plays three times as fast,
    and so on, to a pace that the rest of the time decides. The last ten drops are slow again.
    """
    drops = len(plan)
    if plan.stops or drops <= _SHORT_GAME:
        pace = min(1 / _SLOW_DROPS_PER_SECOND, _SHORT_SECONDS / max(1, drops))
        return [pace if seconds is None else seconds / max(1, drops)] * drops
    paces = [
        0.4 * math.exp(-number / 16) + 0.3 * min(1.0, math.exp(number - drops + 10))
        for number in range(drops)
    ]
    slow_seconds = sum(paces)
    wanted = long_seconds if seconds is None else seconds
    rest = max(0.2 * wanted, wanted - slow_seconds)
    scale = (wanted - rest) / slow_seconds
    return [scale * pace + rest / drops for pace in paces]


def copy_squares(field: Playfield) -> Squares:
    """Copy a field into an array, bottom row first."""
    rows = np.frombuffer(b"".join(field.rows), dtype=np.uint8)
    return rows.reshape(field.height, field.width)


def make_last_frame(plan: Plan) -> Frame:
    """Return the picture that a plan leaves as a frame, with the drop of each square."""
    field = plan.make_field()
    numbers = np.zeros((plan.height, plan.width), np.int32)
    for drop in play(plan, field):
        numbers = _number_drop(numbers, drop)
    return Frame(_copy_picture(plan, field), 0.0, None, numbers, is_finished=True)


def play_frames(plan: Plan, schedule: Schedule, *, with_pieces: bool = False) -> Iterator[Frame]:
    """Play a plan and yield its frames: the finished picture (optional), the empty board, the game.

    The last frame shows only ``Plan.square_colors``: exactly the picture that
    :func:`tetrisprinter.pictures.picture.make_field_picture` returns. In a slideshow every picture
    stays as long as the last one, and no picture is shown first.
    """
    if schedule.first and not plan.stops:
        last_frame = make_last_frame(plan)
        squares, pieces = last_frame.squares, last_frame.pieces if with_pieces else None
        yield Frame(squares, schedule.first, None, pieces, is_finished=True)
        for remaining in _clear_picture(squares, schedule.opening):
            yield Frame(remaining, _FAST_STEP, None, pieces, is_finished=True)
    field = plan.make_field()
    frame_seconds = 1 / schedule.fps
    yield Frame(copy_squares(field), frame_seconds)
    yield from _play_beats(plan, field, schedule)
    pieces = make_last_frame(plan).pieces if with_pieces else None
    seconds = frame_seconds + schedule.hold
    yield Frame(_copy_picture(plan, field), seconds, None, pieces, is_finished=True)


def _clear_picture(squares: Squares, count: int) -> Iterator[Squares]:
    """Yield ``count`` fields in which a picture vanishes from its highest row downwards."""
    height = int(np.flatnonzero(squares.any(axis=1)).max(initial=-1)) + 1
    for number in range(count):
        squares = squares.copy()
        squares[round(height * (count - number) / (count + 1)) :] = 0
        yield squares


def shrink_board(plan: Plan) -> Plan:
    """Return the plan on the lowest board on which its game can be shown."""
    used_rows = len(plan.start)
    field = plan.make_field()
    for drop in play(plan, field):
        used_rows = max(used_rows, *(y + 1 for _, y in drop.landing.cells))
    return replace(plan, height=min(plan.height, used_rows + _ENTRY_ROWS))


def _number_landing(numbers: Pieces, drop: Drop) -> Pieces:
    """Return the numbers of the drops on each square after a landing, before any row clears."""
    numbers = numbers.copy()
    for x, y in drop.landing.cells:
        numbers[y, x] = drop.index + 1
    return numbers


def _number_drop(numbers: Pieces, drop: Drop) -> Pieces:
    """Return the numbers of the drops on each square after a landing and its cleared rows."""
    numbers = _number_landing(numbers, drop)
    cleared = list(drop.landing.cleared)
    if not cleared:
        return numbers
    rest = np.delete(numbers, cleared, axis=0)
    return np.pad(rest, ((0, len(cleared)), (0, 0)))


def _copy_picture(plan: Plan, field: Playfield) -> Squares:
    """Copy the visible squares of a field into an array, bottom row first."""
    squares = copy_squares(field)
    visible = [int(value) for value in plan.square_colors]
    return np.where(np.isin(squares, visible), squares, 0).astype(np.uint8)


def _play_beats(plan: Plan, field: Playfield, schedule: Schedule) -> Iterator[Frame]:
    """Play all drops of a plan and yield the frames of its beats and stops."""

    from tetrisprinter.game.steering import play_for_display

    frame_seconds = 1 / schedule.fps
    has_falls = any(beat.falls for beat in schedule.beats)
    # Without falling pieces no paths are needed, whose search takes most of the time.
    moves = play_for_display(plan, field) if has_falls else None
    drops = play(plan, field) if moves is None else (moved.drop for moved in moves)
    numbers = np.zeros((plan.height, plan.width), np.int32)
    number = 0  # drops played
    for beat in schedule.beats:
        if beat.falls and moves is not None:
            before = copy_squares(field)
            moved = next(moves)
            after, landed = copy_squares(field), _number_landing(numbers, moved.drop)
            for i in range(1, beat.frames):
                place = follow_drop(moved, i, beat.frames)
                if isinstance(place, tuple):
                    yield Frame(before, frame_seconds, place, numbers)
                    continue
                opened = _open_full_rows(moved, before, place)
                flashing = moved.drop.landing.cleared if place < 0 else ()
                yield Frame(opened, frame_seconds, None, landed, flashing)
            numbers = _number_drop(numbers, moved.drop)
            yield Frame(after, frame_seconds, None, numbers)
        else:
            for drop in itertools.islice(drops, beat.drops):
                numbers = _number_drop(numbers, drop)
            if beat.frames:
                yield Frame(copy_squares(field), beat.frames * frame_seconds, None, numbers)
        number += beat.drops
        if number in plan.stops and number < len(plan):
            yield Frame(_copy_picture(plan, field), frame_seconds + schedule.hold)
    for _ in drops:  # after the last marked one
        pass


_FALL_BEGINS, _FALL_ENDS = 0.4, 0.65
"""When a piece begins to fall and, if rows clear, has landed, as fractions of the drop's time."""
_STEERED: Final = 8
"""The least frames of a drop that shows how the piece is steered; otherwise it only falls."""


def follow_drop(moved: MovedDrop, number: int, count: int) -> FallingPiece | float:
    """Return where a piece is in a frame before the last; ``number`` counts from 1 to ``count``.

    When the piece has landed, return how far its full rows have opened, from -1 to 1. Below 0 they
    flash.
    """
    t = number / count
    landing = moved.drop.landing
    landed_at = _FALL_ENDS if landing.cleared else 1.0
    if t >= landed_at:
        return 2 * (t - landed_at) / (1 - landed_at) - 1
    fall_begins = _FALL_BEGINS if count >= _STEERED else 0.0
    entry, top = moved.path[:-1], moved.path[-2]
    if t < fall_begins:
        position = t / fall_begins * (len(entry) - 1)
        placement, fraction = entry[int(position)], position % 1
        next_placement = entry[min(int(position) + 1, len(entry) - 1)]
        if next_placement.orientation is not placement.orientation:
            next_placement = placement
        x = placement.x + fraction * (next_placement.x - placement.x)
        y = placement.y + fraction * (next_placement.y - placement.y)
        return placement.orientation, x, y
    share = ((t - fall_begins) / (landed_at - fall_begins)) ** 2  # the piece gathers speed
    return top.orientation, top.x, top.y + share * (landing.y - top.y)


def list_open_columns(width: int, share: float) -> list[int]:
    """Return the columns in which full rows have opened, from the middle; ``share`` may be < 0."""
    half = max(0.0, share) * (width / 2 + 1)
    return [x for x in range(width) if abs(x + 0.5 - width / 2) < half]


def _open_full_rows(moved: MovedDrop, before: Squares, share: float) -> Squares:
    """Return the field with the piece locked and full rows opening from the middle."""
    squares = before.copy()
    landing = moved.drop.landing
    for x, y in landing.cells:
        squares[y, x] = landing.orientation.piece
    for y in landing.cleared:
        squares[y, list_open_columns(squares.shape[1], share)] = 0
    return squares


PaintedFrame = tuple["Pixels", float]
"""A painted frame as palette indices, and its duration in seconds."""


@dataclass(frozen=True, slots=True)
class Animation:
    """A sequence of painted frames, ready for an encoder."""

    size: tuple[int, int]  # pixels across and down
    palette: list[str]  # ``rrggbb`` of each pixel value, at most 256
    images: Iterator[PaintedFrame]  # the frames, painted on demand
    frames: int  # the number of frames
    fps: float  # frames per second, for formats with a constant rate
    loop: int = 0  # how many times the animation plays; 0 is forever
    notes: tuple[Note, ...] = ()  # the sound, for formats with sound


LONGEST_SIDE: Final = 480
"""The most pixels of the longer side of an animation whose scale the program chooses."""


def make_animation(
    plan: Plan,
    rendering: Rendering,
    report: Report | None = None,
    *,
    smooth_fps: float = _FILM_FPS,
    fast_step: float = _FAST_STEP,
    longest_side: int = LONGEST_SIDE,
) -> Animation:
    """Return the animation of a game, on the rows that the game uses or on its board.

    If the program chooses the scale, the board has a frame, and the picture is at last in the
    middle of the board. With a given scale the animation has nothing but the squares.
    """
    shown_plan = plan if rendering.full else shrink_board(plan)
    canvas = _make_canvas(shown_plan, rendering, longest_side)
    schedule = rendering.timing.schedule(shown_plan, smooth_fps, fast_step)
    images = paint_frames(shown_plan, canvas, schedule, report)
    notes = tuple(make_notes(shown_plan, schedule)) if rendering.sound else ()
    frame_count = schedule.count_frames(shown_plan)
    height, width = canvas.ground.shape
    return Animation(
        (width, height),
        canvas.painter.palette,
        images,
        frame_count,
        schedule.fps,
        rendering.loop,
        notes,
    )


def make_picture_film(plan: Plan, rendering: Rendering, seconds: Sequence[float]) -> Animation:
    """Return an animation of the finished pictures of a slideshow, and of nothing between them.

    ``seconds`` are the times of the pictures, in order. The first picture may be an empty board.
    The frames have the size that all pictures together need.
    """
    stops = [*(stop for stop in plan.stops if stop < len(plan)), len(plan)]
    frames = list(play_frames(plan, Schedule(1 / min(seconds), 0.0, mark_frames([], stops))))
    boards = np.array([frame.squares for frame in frames[-len(seconds) :]])
    rows, columns = (np.flatnonzero(boards.any(axis=axes)) for axes in ((0, 2), (0, 1)))
    if len(columns) and not rendering.full:
        boards = boards[:, : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = boards.shape[1:]
    canvas = _make_canvas(plan, rendering, LONGEST_SIDE, (width, height))
    images = (
        (canvas.place(canvas.painter.paint(board)), duration)
        for board, duration in zip(boards, seconds, strict=True)
    )
    return Animation(
        canvas.ground.shape[::-1],
        canvas.painter.palette,
        images,
        len(seconds),
        1 / min(seconds),
        rendering.loop,
    )


@dataclass(frozen=True, slots=True)
class _Canvas:
    """What the frames of an animation have in common: the ground and the place of the board."""

    painter: Painter
    ground: Pixels  # a frame without the board
    left: int  # the place of the board, in pixels
    top: int
    shift: int = 0  # pixels to the right by which the finished picture moves to the middle

    def place(self, pixels: Pixels) -> Pixels:
        """Return a frame of the animation with these pixels of the board."""
        width, height = self.painter.size
        image = self.ground.copy()
        image[self.top : self.top + height, self.left : self.left + width] = pixels
        return image


def _make_canvas(
    plan: Plan, rendering: Rendering, longest_side: int, size: tuple[int, int] | None = None
) -> _Canvas:
    """Return the canvas of an animation: its size, the frame, and the caption.

    ``size`` is the width and height of what is shown in squares, by default of the board.
    """
    size = size or (plan.width, plan.height)
    scale, margin, shape = rendering.look.scale, rendering.margin or 0, rendering.shape
    has_frame = scale is None
    if has_frame and margin == 0 and (shape is not None or rendering.caption):
        margin = 1
    if scale is None:
        scale = longest_side // max(size)
        while scale > 1 and max(_measure(size, scale, margin, shape, rendering.caption)) > (
            longest_side
        ):
            scale -= 1
    painter = make_painter(plan, replace(rendering.look, scale=max(1, scale)), size)
    board_width, board_height = painter.size
    if not has_frame:
        width, height = _extend((board_width, board_height), margin * scale, shape)
        ground = np.zeros((height, width), np.uint8)
        return _Canvas(painter, ground, (width - board_width) // 2, (height - board_height) // 2)
    edge = _choose_edge(painter.scale)
    width, height = _measure(size, painter.scale, margin, shape, rendering.caption)
    if shape is not None and max(width, height) < longest_side:
        # A whole number of pixels per square seldom fills the shape; the ground does.
        longer = max(shape)
        width, height = (round(longest_side * side / longer) for side in shape)
    caption_height = _choose_caption_height(board_width) if rendering.caption else 0
    ground = np.full((height, width), painter.ground_index, np.uint8)
    left, top = (width - board_width) // 2, (height - caption_height - board_height) // 2
    ground[top - edge : top + board_height + edge, left - edge : left + board_width + edge] = (
        painter.frame_index
    )
    if rendering.caption:
        text = _draw_caption(rendering.caption, width, caption_height)
        below = top + board_height + edge
        ground[below : below + caption_height][text] = painter.text_index
    columns = np.flatnonzero(make_last_frame(plan).squares.any(axis=0))
    margins = (int(columns[0]), plan.width - 1 - int(columns[-1])) if len(columns) else (0, 0)
    is_whole = size == (plan.width, plan.height)
    shift = 0 if plan.stops or not is_whole else (margins[1] - margins[0]) * painter.scale // 2
    return _Canvas(painter, ground, left, top, shift)


def _choose_edge(scale: int) -> int:
    """Return the thickness of the frame of a board in pixels."""
    return max(2, scale // 5)


def _choose_caption_height(board_width: int) -> int:
    """Return the pixels of the line of text below a board."""
    return max(18, board_width // 10)


def _measure(
    size: tuple[int, int], scale: int, margin: int, shape: tuple[int, int] | None, caption: str
) -> tuple[int, int]:
    """Return the pixels across and down of an animation with a frame."""
    edges = 2 * _choose_edge(scale)
    width, height = (side * scale for side in size)
    caption_height = _choose_caption_height(width) if caption else 0
    return _extend((width + edges, height + edges + caption_height), margin * scale, shape)


def _extend(size: tuple[int, int], margin: int, shape: tuple[int, int] | None) -> tuple[int, int]:
    """Return a size with a margin, extended to a shape."""
    width, height = (side + 2 * margin for side in size)
    if shape is None:
        return width, height
    return (
        max(width, round(height * shape[0] / shape[1])),
        max(height, round(width * shape[1] / shape[0])),
    )


def _draw_caption(text: str, width: int, height: int) -> NDArray[np.bool_]:
    """Return a mask of the pixels of a centred line of text, made smaller if it is too long."""
    from PIL import Image, ImageDraw, ImageFont

    size, max_width = 0.62 * height, 0.94 * width
    image = Image.new("L", (width, height))
    if label := draw_label(text, size, max_width):
        mask, _ = label
        image.paste(mask, ((width - mask.width) // 2, (height - mask.height) // 2))
        return np.asarray(image) > 110
    length = ImageFont.load_default(size).getlength(text)
    font = ImageFont.load_default(size * min(1.0, max_width / max(1.0, length)))
    ImageDraw.Draw(image).text((width / 2, height / 2), text, 255, font=font, anchor="mm")
    return np.asarray(image) > 110


def make_painter(plan: Plan, look: Look, size: tuple[int, int] | None = None) -> Painter:
    """Return a painter of boards whose squares are piece types, each in its display colour."""
    field_color = choose_field_for(plan, look.field)
    colors = choose_display_colors(plan, field_color)
    type_colors = [colors[value] for value in sorted(colors)]
    hidden_types = [piece for piece, _ in plan.colors if piece not in plan.visible_colors]
    width, height = size or (plan.width, plan.height)
    return Painter(width, height, field_color, type_colors, look, hidden_types)


def paint_frames(
    plan: Plan, canvas: _Canvas, schedule: Schedule, report: Report | None = None
) -> Iterator[PaintedFrame]:
    """Yield every frame of a game as palette indices with its duration in seconds."""
    painter = canvas.painter
    total = schedule.count_frames(plan)
    with_pieces = painter.look.style == "outlines"
    for number, frame in enumerate(play_frames(plan, schedule, with_pieces=with_pieces), 1):
        pixels = painter.paint(frame.squares, frame.pieces, frame.flashing)
        if frame.falling is not None:
            orientation, left, bottom = frame.falling
            for x, y in orientation.cells:
                painter.stamp(pixels, orientation.piece, left + x, bottom + y)
        if frame.is_finished and canvas.shift:
            pixels = _move_right(pixels, canvas.shift)
        yield canvas.place(pixels), frame.seconds
        if report is not None:
            report(min(number, total), total)


def _move_right(pixels: Pixels, shift: int) -> Pixels:
    """Move a picture over empty squares; a negative shift moves it to the left."""
    moved = np.zeros_like(pixels)
    if shift > 0:
        moved[:, shift:] = pixels[:, :-shift]
    else:
        moved[:, :shift] = pixels[:, -shift:]
    return moved


_SCALE: Final = (220, 247, 277, 330, 370, 440, 494)
"""Hertz of a landing piece by its type: a pentatonic scale, free of dissonances."""
_CHORD: Final = (440, 554, 660)
_RISE_PER_ROW: Final = 1.12
"""A second row raises the chord by this factor, and each further row by as many hertz."""
_TONE_SECONDS, _CHORD_SECONDS = 0.08, 0.35


@dataclass(frozen=True, slots=True)
class Note:
    """Tones that sound together."""

    start: float  # seconds from the start of the animation
    pitches: tuple[float, ...]  # in hertz
    seconds: float  # the duration


def make_notes(plan: Plan, schedule: Schedule) -> Iterator[Note]:
    """Play a plan and yield its notes, each at the start of its frame.

    A frame of several drops has one note: the chord of their cleared rows, or else the tone of the
    last piece.
    """
    frame_seconds = 1 / schedule.fps
    time = frame_seconds
    if not plan.stops:
        time += schedule.first + (schedule.opening * _FAST_STEP if schedule.first else 0.0)
    rows = number = 0
    drops = play(plan, plan.make_field())
    for beat in schedule.beats:
        number += beat.drops
        for drop in itertools.islice(drops, beat.drops):
            rows += len(drop.landing.cleared)
        # A falling piece sounds when it has landed, any other one at the start of its frame.
        start = time + (beat.frames - 1) * frame_seconds if beat.falls else time
        time += beat.frames * frame_seconds
        if rows and beat.frames:
            factor = 1 + (rows - 1) * (_RISE_PER_ROW - 1)
            yield Note(start, tuple(factor * pitch for pitch in _CHORD), _CHORD_SECONDS)
        elif beat.drops and beat.frames:
            yield Note(start, (_SCALE[drop.landing.orientation.piece % 7],), _TONE_SECONDS)
        if beat.frames:
            rows = 0
        if number in plan.stops and number < len(plan):
            time += frame_seconds + schedule.hold
