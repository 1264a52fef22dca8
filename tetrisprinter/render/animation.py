"""What all animations share: frames painted, merged, timed and cut down to what changed.

Frames come one by one and are never kept, so an animation of any length needs the memory
of two. Frames that look like the one before are merged with it. Each file counts time in
its own unit; rounding never adds up, because each frame ends at the rounded true time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.colors import display_colors
from tetrisprinter.render.empty import field_of
from tetrisprinter.render.frames import Timing, frames
from tetrisprinter.render.paint import Look, Painter

if TYPE_CHECKING:
    from tetrisprinter.render import Tell
    from tetrisprinter.render.paint import Pixels

__all__ = ["Image", "changes", "merged", "paint_frames", "painter_of", "timed"]

Image = tuple["Pixels", float]
"""Palette indices, and how many seconds they are shown."""


def painter_of(plan: Plan, look: Look) -> Painter:
    """Return a painter whose values are the piece types, in display colours."""
    field = field_of(plan, look.field)
    colors = display_colors(plan, field)
    in_order = [colors[piece] for piece in PieceType]
    unseen = [piece for piece, _ in plan.colors if piece not in plan.seen]
    return Painter(plan.width, plan.height, in_order, replace(look, field=field), unseen)


def paint_frames(
    plan: Plan,
    painter: Painter,
    timing: Timing,
    *,
    smooth_fps: float = 25.0,
    tell: Tell | None = None,
) -> Iterator[Image]:
    """Yield every frame of a print as palette indices with the seconds it is shown."""
    schedule = timing.schedule(plan, smooth_fps)
    total = schedule.frames(plan)
    for number, frame in enumerate(frames(plan, schedule), 1):
        pixels = painter.paint(frame.squares, frame.pieces)
        if frame.falling is not None:
            falling = frame.falling
            for x, y in falling.orientation.cells:
                painter.stamp(pixels, falling.orientation.piece, falling.x + x, falling.y + y)
        yield pixels, frame.seconds
        if tell is not None:
            tell(min(number, total), total)


def merged(images: Iterator[Image]) -> Iterator[Image]:
    """Join frames that look the same."""
    last, seconds = next(images)
    for pixels, more in images:
        if (pixels == last).all():
            seconds += more
        else:
            yield last, seconds
            last, seconds = pixels, more
    yield last, seconds


def timed(images: Iterator[Image], unit: float) -> Iterator[tuple[Pixels, int]]:
    """Round each frame's end to whole units of time, so that errors do not add up."""
    elapsed, shown = 0.0, 0
    for pixels, seconds in images:
        elapsed += seconds
        units = max(1, round(elapsed / unit) - shown)
        shown += units
        yield pixels, units


def changes(
    images: Iterator[tuple[Pixels, int]],
) -> Iterator[tuple[Pixels, int, int, int]]:
    """Cut each frame down to the rectangle that changed: pixels, left, top, time."""
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
