"""An animation of several games side by side: which picture is finished first."""

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
_SIDE: Final = 300
"""The least number of pixels of the longest side of all boards."""
_GAP: Final = 16
_CAPTION: Final = 34
_PAPER, _INK = "faf8f3", "22262e"


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
    height = max(plan.height for plan in plans)
    side = max(height, *(plan.width for plan in plans))
    scale = look.scale or max(4, -(-_SIDE // side))
    painters = [
        make_painter(plan, Look(scale, look.style, look.grid, look.field)) for plan in plans
    ]
    palette, starts = [_PAPER, _INK], []
    for painter in painters:
        starts.append(len(palette))
        palette += painter.palette
    most_drops = max(map(len, plans))
    every = max(1, math.ceil(most_drops / (seconds * _FPS)))
    fps = max(1, most_drops // every) / seconds
    tall = height * scale + 2 * _GAP + _CAPTION
    wide = sum(painter.size[0] + _GAP for painter in painters) + _GAP

    def paint_images() -> Iterator[Image]:
        reels = []
        for plan in plans:
            marks = tuple(range(every, len(plan) + 1, every))
            reels.append(play_frames(plan, Schedule(fps, 0.0, marks, first=first)))
        shown = [next(reel) for reel in reels]
        canvas = np.zeros((tall, wide), np.uint8)
        for number in range(frames_in_all):
            left = _GAP
            for at, painter in enumerate(painters):
                if number:
                    shown[at] = next(reels[at], shown[at])
                pixels = painter.paint(shown[at].squares, shown[at].pieces) + starts[at]
                across, down = painter.size
                low = _GAP + height * scale
                canvas[low - down : low, left : left + across] = pixels
                if not number:
                    text = _draw_label(games[at][0], across)
                    canvas[low + 6 : low + 6 + text.shape[0], left : left + across][text] = 1
                left += across + _GAP
            is_last = number == frames_in_all - 1
            yield canvas.copy(), first if not number else 1 / fps + (last if is_last else 0.0)

    frames_in_all = 3 + most_drops // every
    return Animation((wide, tall), palette, paint_images(), frames_in_all, fps)


def _draw_label(words: str, width: int) -> Mask:
    """Draw a centred line of text, cut off at the width."""
    import numpy as np
    from PIL import Image as Images
    from PIL import ImageDraw, ImageFont

    image = Images.new("L", (width, _CAPTION - 8))
    font = ImageFont.load_default(17)
    ImageDraw.Draw(image).text((width / 2, 12), words, 255, font=font, anchor="mm")
    return np.asarray(image) > 110
