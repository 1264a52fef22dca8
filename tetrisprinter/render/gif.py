"""GIF, written frame by frame.

Pillow keeps all frames in memory until the last one, which means gigabytes for a long print. So
only its compressor is used, and the few bytes around the frames are written here. Viewers slow
down frames shorter than two hundredths of a second, so at most 50 frames per second are allowed.
"""

from __future__ import annotations

import struct
from typing import IO, Final

from tetrisprinter.errors import InputError
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Animator, Rendering
from tetrisprinter.render.animation import (
    Animation,
    AnimationRenderer,
    find_changes,
    merge_frames,
    time_frames,
)

_MAX_FPS: Final = 50.0
_MAX_HUNDREDTHS: Final = 65_535  # the longest duration of a frame, in hundredths of a second


class _GifRenderer(AnimationRenderer):
    extensions = (".gif",)

    def check(self, rendering: Rendering) -> None:
        """Refuse frame rates that viewers would slow down."""
        if (rendering.timing.fps or 0) > _MAX_FPS:
            raise InputError(
                f"a GIF cannot show {rendering.timing.fps:g} frames per second; expected at most "
                f"{_MAX_FPS:g}, because viewers slow down faster ones"
            )

    def draw(self, file: IO[bytes], animation: Animation) -> None:
        """Write an animation: each changed rectangle over the frame before."""
        from PIL import GifImagePlugin, Image

        bits = max(1, (len(animation.palette) - 1).bit_length())
        color_table = b"".join(bytes(parse_rgb(color)) for color in animation.palette)
        file.write(b"GIF89a" + struct.pack("<HHBBB", *animation.size, 0xF0 | (bits - 1), 0, 0))
        file.write(color_table.ljust(3 << bits, b"\0"))
        if animation.loop != 1:
            # The extension counts repetitions after the first showing; 0 is forever.
            repeats = animation.loop - 1 if animation.loop else 0
            file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeats) + b"\0")
        for pixels, left, top, hundredths in find_changes(
            time_frames(merge_frames(animation.images), 0.01)
        ):
            # A duration of more than 16 bits takes further frames, of one pixel each.
            while hundredths:
                shown_hundredths = min(hundredths, _MAX_HUNDREDTHS)
                # Keep the frame before (disposal method 1) and draw the change over it.
                file.write(b"!\xf9\x04" + struct.pack("<BHBB", 1 << 2, shown_hundredths, 0, 0))
                image = Image.fromarray(pixels).convert("L")
                file.write(b"".join(GifImagePlugin.getdata(image, (left, top))))
                pixels = pixels[:1, :1]
                hundredths -= shown_hundredths
        file.write(b";")


GIF: Final[Animator] = _GifRenderer()
