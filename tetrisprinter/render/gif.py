"""GIF, written frame by frame.

Pillow keeps all frames in memory until the last one, which means gigabytes for a long print. So
only its compressor is used, and the few bytes around the frames are written here. Viewers slow
down frames shorter than two hundredths of a second, hence at most 50 frames per second.
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

_FASTEST: Final = 50.0
_LONGEST: Final = 65_535  # hundredths of a second


class _Gif(AnimationRenderer):
    extensions = (".gif",)

    def check(self, how: Rendering) -> None:
        """Refuse frame rates that viewers would slow down."""
        if (how.timing.fps or 0) > _FASTEST:
            raise InputError(
                f"a GIF cannot show {how.timing.fps:g} frames per second; expected at most "
                f"{_FASTEST:g}, because viewers slow down faster ones"
            )

    def draw(self, file: IO[bytes], film: Animation) -> None:
        """Write an animation: the changed rectangles, each over the frame before."""
        from PIL import GifImagePlugin, Image

        bits = max(1, (len(film.palette) - 1).bit_length())
        table = b"".join(bytes(parse_rgb(color)) for color in film.palette)
        file.write(b"GIF89a" + struct.pack("<HHBBB", *film.size, 0xF0 | (bits - 1), 0, 0))
        file.write(table.ljust(3 << bits, b"\0"))
        if film.loop != 1:
            # The extension counts repetitions after the first showing; 0 is forever.
            repeats = film.loop - 1 if film.loop else 0
            file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeats) + b"\0")
        for pixels, left, top, hundredths in find_changes(
            time_frames(merge_frames(film.images), 0.01)
        ):
            # A longer time than 16 bits hold takes more frames, of one pixel each.
            while hundredths:
                shown = min(hundredths, _LONGEST)
                # Keep the frame before (disposal method 1) and draw the change over it.
                file.write(b"!\xf9\x04" + struct.pack("<BHBB", 1 << 2, shown, 0, 0))
                image = Image.fromarray(pixels).convert("L")
                file.write(b"".join(GifImagePlugin.getdata(image, (left, top))))
                pixels = pixels[:1, :1]
                hundredths -= shown
        file.write(b";")


GIF: Final[Animator] = _Gif()
