"""The steps that all animations share: paint, merge, time and crop frames.

Frames are generated one by one, so an animation of any length needs the memory of two frames. Equal
neighbours are merged. Each format counts time in its own unit. Rounding errors do not add up,
because each frame ends at the rounded true time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.colors import choose_display_colors
from tetrisprinter.render.field_color import choose_field_for
from tetrisprinter.render.frames import Timing, play_frames, shrink_board
from tetrisprinter.render.paint import Look, Painter
from tetrisprinter.render.sound import Note, make_notes

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering, Report
    from tetrisprinter.render.paint import Pixels


Image = tuple["Pixels", float]
"""A painted frame as palette indices, and its duration in seconds."""


@dataclass(frozen=True, slots=True)
class Animation:
    """A sequence of painted frames, ready for an encoder."""

    size: tuple[int, int]  # pixels across and down
    palette: list[str]  # ``rrggbb`` of each pixel value, at most 256
    images: Iterator[Image]  # the frames, painted on demand
    frames: int  # the number of frames
    fps: float  # frames per second, for formats with a constant rate
    loop: int = 0  # how many times the animation plays; 0 is forever
    notes: tuple[Note, ...] = ()  # the sound, for formats with sound


def make_animation(
    plan: Plan, rendering: Rendering, report: Report | None = None, *, smooth_fps: float = 25.0
) -> Animation:
    """Return the animation of a game, on the rows that the game uses or on its board."""
    shown_plan = plan if rendering.full else shrink_board(plan)
    painter = make_painter(shown_plan, rendering.look)
    schedule = rendering.timing.schedule(shown_plan, smooth_fps)
    images = paint_frames(
        shown_plan, painter, rendering.timing, smooth_fps=smooth_fps, report=report
    )
    size, borders = _compute_border(
        painter.size, (rendering.margin or 0) * painter.scale, rendering.shape
    )
    if any(itertools.chain(*borders)):
        images = _add_borders(images, borders)
    notes = tuple(make_notes(shown_plan, schedule)) if rendering.sound else ()
    frame_count = schedule.count_frames(shown_plan)
    return Animation(
        size, painter.palette, images, frame_count, schedule.fps, rendering.loop, notes
    )


class AnimationRenderer:
    """The base class of the renderers of animations."""

    summary = "an animation"
    has_transparency = False

    def check(self, rendering: Rendering) -> None:
        """Accept all options."""

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Write the animation of a game."""
        self.draw(file, make_animation(plan, rendering, report))

    def draw(self, file: IO[bytes], animation: Animation) -> None:
        """Write an animation."""
        raise NotImplementedError


def _compute_border(
    size: tuple[int, int], margin: int, shape: tuple[int, int] | None
) -> tuple[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]]:
    """Return the size with borders, and the border widths: (above, below), (left, right)."""
    width, height = (side + 2 * margin for side in size)
    extra_width = extra_height = 0
    if shape is not None:
        extra_width = max(0, round(height * shape[0] / shape[1]) - width)
        extra_height = max(0, round(width * shape[1] / shape[0]) - height)
    return (width + extra_width, height + extra_height), (
        (margin + extra_height // 2, margin + extra_height - extra_height // 2),
        (margin + extra_width // 2, margin + extra_width - extra_width // 2),
    )


def _add_borders(
    images: Iterator[Image], borders: tuple[tuple[int, int], tuple[int, int]]
) -> Iterator[Image]:
    """Yield every frame with borders: (above, below), (left, right), in pixels."""
    import numpy as np

    for pixels, seconds in images:
        yield np.pad(pixels, borders), seconds


def make_painter(plan: Plan, look: Look, size: tuple[int, int] | None = None) -> Painter:
    """Return a painter of boards whose squares are piece types, each in its display colour."""
    field_color = choose_field_for(plan, look.field)
    colors = choose_display_colors(plan, field_color)
    type_colors = [colors[piece] for piece in PieceType]
    hidden_types = [piece for piece, _ in plan.colors if piece not in plan.visible_colors]
    width, height = size or (plan.width, plan.height)
    return Painter(width, height, type_colors, replace(look, field=field_color), hidden_types)


def paint_frames(
    plan: Plan,
    painter: Painter,
    timing: Timing,
    *,
    smooth_fps: float = 25.0,
    report: Report | None = None,
) -> Iterator[Image]:
    """Yield every frame of a game as palette indices with its duration in seconds."""
    schedule = timing.schedule(plan, smooth_fps)
    total = schedule.count_frames(plan)
    with_pieces = painter.look.style == "outlines"
    for number, frame in enumerate(play_frames(plan, schedule, with_pieces=with_pieces), 1):
        pixels = painter.paint(frame.squares, frame.pieces)
        if frame.falling is not None:
            falling = frame.falling
            for x, y in falling.orientation.cells:
                painter.stamp(pixels, falling.orientation.piece, falling.x + x, falling.y + y)
        yield pixels, frame.seconds
        if report is not None:
            report(min(number, total), total)


def merge_frames(images: Iterator[Image]) -> Iterator[Image]:
    """Yield the frames; equal neighbours become one frame with the sum of their durations."""
    last, seconds = next(images)
    for pixels, more_seconds in images:
        if (pixels == last).all():
            seconds += more_seconds
        else:
            yield last, seconds
            last, seconds = pixels, more_seconds
    yield last, seconds


def time_frames(images: Iterator[Image], unit: float) -> Iterator[tuple[Pixels, int]]:
    """Yield the frames with durations in whole units; the end of each frame is rounded."""
    elapsed, elapsed_units = 0.0, 0
    for pixels, seconds in images:
        elapsed += seconds
        units = max(1, round(elapsed / unit) - elapsed_units)
        elapsed_units += units
        yield pixels, units


def find_changes(
    images: Iterator[tuple[Pixels, int]],
) -> Iterator[tuple[Pixels, int, int, int]]:
    """Yield the changed rectangle of each frame: its pixels, left, top, and the frame's units."""
    last: Pixels | None = None
    for pixels, units in images:
        if last is None:
            yield pixels, 0, 0, units
        else:
            changed = pixels != last
            rows = changed.any(axis=1).nonzero()[0]
            columns = changed.any(axis=0).nonzero()[0]
            top, left = int(rows[0]), int(columns[0])
            yield pixels[top : rows[-1] + 1, left : columns[-1] + 1], left, top, units
        last = pixels
