"""An animation of several games side by side, which shows whose picture is finished first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tetrisprinter.game.plan import Plan
from tetrisprinter.render.animation import Animation, Image, make_painter
from tetrisprinter.render.frames import Schedule, play_frames, shrink_board
from tetrisprinter.render.paint import Look

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]


_FPS: Final = 25.0
_MIN_SIDE: Final = 300
"""The least number of pixels of the longest side of all boards."""
_GAP: Final = 16
_CAPTION_HEIGHT: Final = 34
_BACKGROUND, _TEXT = "faf8f3", "22262e"


def make_race(
    games: Sequence[tuple[str, Plan]],
    *,
    seconds: float = 14.0,
    first: float = 1.0,
    last: float = 3.0,
    look: Look | None = None,
) -> Animation:
    """Return an animation of games that are played at once, all at the same speed."""
    import numpy as np

    look = look or Look()
    plans = [shrink_board(plan) for _, plan in games]
    rows = max(plan.height for plan in plans)
    side = max(rows, *(plan.width for plan in plans))
    scale = look.scale or max(4, -(-_MIN_SIDE // side))
    painters = [
        make_painter(plan, Look(scale, look.style, look.grid, look.field)) for plan in plans
    ]
    palette, palette_offsets = [_BACKGROUND, _TEXT], []
    for painter in painters:
        palette_offsets.append(len(palette))
        palette += painter.palette
    max_drops = max(map(len, plans))
    interval = max(1, math.ceil(max_drops / (seconds * _FPS)))
    fps = max(1, max_drops // interval) / seconds
    height = rows * scale + 2 * _GAP + _CAPTION_HEIGHT
    width = sum(painter.size[0] + _GAP for painter in painters) + _GAP

    def paint_images() -> Iterator[Image]:
        """Yield the frames of the animation, each with the next or the last frame of every game."""
        frames_of_games = []
        for plan in plans:
            marks = tuple(range(interval, len(plan) + 1, interval))
            frames_of_games.append(play_frames(plan, Schedule(fps, 0.0, marks, first=first)))
        present = [next(frames) for frames in frames_of_games]
        canvas = np.zeros((height, width), np.uint8)
        for number in range(frame_count):
            left = _GAP
            for game, painter in enumerate(painters):
                if number:
                    present[game] = next(frames_of_games[game], present[game])
                pixels = (
                    painter.paint(present[game].squares, present[game].pieces)
                    + palette_offsets[game]
                )
                board_width, board_height = painter.size
                bottom = _GAP + rows * scale
                canvas[bottom - board_height : bottom, left : left + board_width] = pixels
                if not number:
                    label = _draw_label(games[game][0], board_width)
                    below = canvas[
                        bottom + 6 : bottom + 6 + label.shape[0], left : left + board_width
                    ]
                    below[label] = 1
                left += board_width + _GAP
            is_last = number == frame_count - 1
            yield canvas.copy(), first if not number else 1 / fps + (last if is_last else 0.0)

    frame_count = 3 + max_drops // interval
    return Animation((width, height), palette, paint_images(), frame_count, fps)


def _draw_label(text: str, width: int) -> Mask:
    """Return a mask of the pixels of a centred line of text, cut off at the width."""
    import numpy as np
    from PIL import Image as Images
    from PIL import ImageDraw, ImageFont

    image = Images.new("L", (width, _CAPTION_HEIGHT - 8))
    font = ImageFont.load_default(17)
    ImageDraw.Draw(image).text((width / 2, 12), text, 255, font=font, anchor="mm")
    return np.asarray(image) > 110
