"""Animated WebP by Pillow, whose encoder takes frames one by one and keeps them compressed."""

from __future__ import annotations

from typing import IO, Final

from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Animator
from tetrisprinter.render.animation import Animation, AnimationRenderer, time_frames


class _WebP(AnimationRenderer):
    extensions = (".webp",)

    def draw(self, file: IO[bytes], film: Animation) -> None:
        """Write an animation without loss."""
        import numpy as np
        from PIL import Image

        # One 32-bit word per colour: four times as fast as looking up three bytes per pixel.
        colors = np.array([(*parse_rgb(color), 255) for color in film.palette], dtype=np.uint8)
        table = colors.view(np.uint32)[:, 0]
        durations: list[int] = []
        coming = time_frames(film.images, 0.001)

        class Reel(Image.Image):
            # Pillow keeps a list of appended images, but it seeks the frames of a single image
            # one by one. So this is one image that paints a frame when it is sought.
            n_frames = film.frames

            def seek(self, frame: int) -> None:
                if frame == len(durations):
                    pixels, units = next(coming)
                    words = table[pixels]
                    self.paste(Image.frombuffer("RGB", film.size, words, "raw", "RGBX", 0, 1))
                    durations.append(units)

        reel = Reel()
        reel.__setstate__(Image.new("RGB", film.size).__getstate__())
        # Method 1 writes a quarter of the bytes of method 0 in the same time, and higher methods
        # gain nothing. Without key frames no frame is encoded twice.
        settings = {"save_all": True, "lossless": True, "quality": 0, "method": 1}
        settings |= {"kmin": 0, "kmax": 0}
        reel.save(file, "WEBP", duration=durations, loop=film.loop, **settings)
        next(coming, None)  # yields nothing but reports the last frame as done


WEBP: Final[Animator] = _WebP()
