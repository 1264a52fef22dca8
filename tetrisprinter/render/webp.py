"""Animated WebP, by Pillow: its encoder keeps frames compressed, and is given them one by one."""

from __future__ import annotations

from typing import IO, Final

from tetrisprinter.game.plan import Plan
from tetrisprinter.render import Renderer, Rendering, Tell
from tetrisprinter.render.animation import paint_frames, painter_of, timed

__all__ = ["WEBP"]


class _WebP:
    extensions = (".webp",)
    summary = "an animation"
    transparent = False

    def check(self, how: Rendering) -> None:
        """Refuse nothing."""

    def write(self, file: IO[bytes], plan: Plan, how: Rendering, tell: Tell | None = None) -> None:
        """Write the frames without loss."""
        from PIL import Image

        painter = painter_of(plan, how.look)
        durations: list[int] = []
        coming = timed(paint_frames(plan, painter, how.timing, tell=tell), 0.001)

        class Reel(Image.Image):
            # Pillow makes a list of images to append, but goes through the frames of one
            # image one by one; so this is an image that paints a frame when it is sought.
            n_frames = how.timing.schedule(plan).frames(plan)

            def seek(self, frame: int) -> None:
                if frame == len(durations):
                    pixels, units = next(coming)
                    self.paste(Image.fromarray(painter.rgb(pixels)))
                    durations.append(units)

        reel = Reel()
        reel.__setstate__(Image.new("RGB", painter.size).__getstate__())
        settings = {"save_all": True, "lossless": True, "quality": 0}
        reel.save(file, "WEBP", duration=durations, loop=how.loop, **settings)
        next(coming, None)  # nothing comes, but the last frame is told as done


WEBP: Final[Renderer] = _WebP()
