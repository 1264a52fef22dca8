"""Animated WebP by Pillow, whose encoder takes frames one by one and keeps them compressed."""

from __future__ import annotations

from typing import IO, Final

from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Animator
from tetrisprinter.render.animation import Animation, AnimationRenderer, time_frames


class _WebPRenderer(AnimationRenderer):
    extensions = (".webp",)

    def draw(self, file: IO[bytes], animation: Animation) -> None:
        """Write an animation without loss."""
        import numpy as np
        from PIL import Image

        # One 32-bit word per colour: four times as fast as looking up three bytes per pixel.
        colors = np.array([(*parse_rgb(color), 255) for color in animation.palette], dtype=np.uint8)
        color_words = colors.view(np.uint32)[:, 0]
        durations: list[int] = []
        frames = time_frames(animation.images, 0.001)

        class FrameSource(Image.Image):
            # Pillow would keep all images of a list, but it seeks the frames of a single image one
            # by one. So this is a single image that paints each frame when Pillow seeks it.
            n_frames = animation.frames

            def seek(self, frame: int) -> None:
                if frame == len(durations):
                    pixels, units = next(frames)
                    pixel_words = color_words[pixels]
                    self.paste(
                        Image.frombuffer("RGB", animation.size, pixel_words, "raw", "RGBX", 0, 1)
                    )
                    durations.append(units)

        source = FrameSource()
        source.__setstate__(Image.new("RGB", animation.size).__getstate__())
        # Method 1 writes a quarter of the bytes of method 0 in the same time, and higher methods
        # gain nothing. Without key frames no frame is encoded twice.
        settings = {"save_all": True, "lossless": True, "quality": 0, "method": 1}
        settings |= {"kmin": 0, "kmax": 0}
        source.save(file, "WEBP", duration=durations, loop=animation.loop, **settings)
        next(frames, None)  # yields nothing but reports the last frame as done


WEBP: Final[Animator] = _WebPRenderer()
