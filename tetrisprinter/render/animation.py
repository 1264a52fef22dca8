"""The steps that all animations share: paint, merge, time and crop frames.

Frames are generated one by one, so an animation of any length needs the memory of two. Equal
neighbours are merged. Formats count time in units of their own; rounding errors do not add up,
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
    frames: int  # their number
    fps: float  # frames per second, for formats with a constant rate
    loop: int = 0  # how many times it plays; 0 is forever
    notes: tuple[Note, ...] = ()  # the sound, for formats that have it


def make_animation(
    plan: Plan, how: Rendering, report: Report | None = None, *, smooth_fps: float = 25.0
) -> Animation:
    """Return the animation of a game, on the rows that it uses or the whole board."""
    shown = plan if how.full else shrink_board(plan)
    painter = make_painter(shown, how.look)
    schedule = how.timing.schedule(shown, smooth_fps)
    images = paint_frames(shown, painter, how.timing, smooth_fps=smooth_fps, report=report)
    size, borders = _add_border(painter.size, (how.margin or 0) * painter.scale, how.shape)
    if any(itertools.chain(*borders)):
        images = _pad(images, borders)
    notes = tuple(make_notes(shown, schedule)) if how.sound else ()
    count = schedule.count_frames(shown)
    return Animation(size, painter.palette, images, count, schedule.fps, how.loop, notes)


class AnimationRenderer:
    """The base class of the renderers of animations."""

    summary = "an animation"
    transparent = False

    def check(self, how: Rendering) -> None:
        """Accept all options."""

    def write(
        self, file: IO[bytes], plan: Plan, how: Rendering, report: Report | None = None
    ) -> None:
        """Write the animation of a game."""
        self.draw(file, make_animation(plan, how, report))

    def draw(self, file: IO[bytes], film: Animation) -> None:
        """Write an animation."""
        raise NotImplementedError


def _add_border(
    size: tuple[int, int], margin: int, shape: tuple[int, int] | None
) -> tuple[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]]:
    """Return the size with borders, and their widths: (above, below), (left, right)."""
    width, height = (side + 2 * margin for side in size)
    across = down = 0
    if shape is not None:
        across = max(0, round(height * shape[0] / shape[1]) - width)
        down = max(0, round(width * shape[1] / shape[0]) - height)
    return (width + across, height + down), (
        (margin + down // 2, margin + down - down // 2),
        (margin + across // 2, margin + across - across // 2),
    )


def _pad(
    images: Iterator[Image], around: tuple[tuple[int, int], tuple[int, int]]
) -> Iterator[Image]:
    """Add borders to every frame: (above, below), (left, right)."""
    import numpy as np

    for pixels, seconds in images:
        yield np.pad(pixels, around), seconds


def make_painter(plan: Plan, look: Look, size: tuple[int, int] | None = None) -> Painter:
    """Return a painter for squares with piece types as values, each in its display colour."""
    field = choose_field_for(plan, look.field)
    colors = choose_display_colors(plan, field)
    in_order = [colors[piece] for piece in PieceType]
    unseen = [piece for piece, _ in plan.colors if piece not in plan.visible_colors]
    width, height = size or (plan.width, plan.height)
    return Painter(width, height, in_order, replace(look, field=field), unseen)


def paint_frames(
    plan: Plan,
    painter: Painter,
    timing: Timing,
    *,
    smooth_fps: float = 25.0,
    report: Report | None = None,
) -> Iterator[Image]:
    """Yield every frame of a print as palette indices with its duration in seconds."""
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
    """Merge neighbouring frames that are equal."""
    last, seconds = next(images)
    for pixels, more in images:
        if (pixels == last).all():
            seconds += more
        else:
            yield last, seconds
            last, seconds = pixels, more
    yield last, seconds


def time_frames(images: Iterator[Image], unit: float) -> Iterator[tuple[Pixels, int]]:
    """Replace seconds by whole units of time, rounding the end of each frame."""
    elapsed, shown = 0.0, 0
    for pixels, seconds in images:
        elapsed += seconds
        units = max(1, round(elapsed / unit) - shown)
        shown += units
        yield pixels, units


def find_changes(
    images: Iterator[tuple[Pixels, int]],
) -> Iterator[tuple[Pixels, int, int, int]]:
    """Crop each frame to the rectangle that changed: pixels, left, top, time."""
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
