"""GIF, written frame by frame.

Pillow can write GIFs, but it keeps every frame until the last one has come, which for a
long print means gigabytes. So only Pillow's compressor is used, and the few bytes around
it are written by hand. GIF counts time in hundredths of a second and viewers slow down
what is shorter than two of them, hence at most 50 frames a second.
"""

from __future__ import annotations

import struct
from typing import IO, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.render import Animator, Rendering, Tell
from tetrisprinter.render.animation import (
    Animation,
    find_changes,
    make_animation,
    merge_frames,
    time_frames,
)
from tetrisprinter.render.colors import rgb

__all__ = ["GIF"]

_FASTEST: Final = 50.0
_LONGEST: Final = 65_535  # hundredths of a second


class _Gif:
    extensions = (".gif",)
    summary = "an animation"
    transparent = False

    def check(self, how: Rendering) -> None:
        """Refuse what viewers would slow down."""
        if (how.timing.fps or 0) > _FASTEST:
            raise InputError(
                f"a GIF shows at most {_FASTEST:g} frames per second, not {how.timing.fps:g}: "
                "viewers slow down what is faster"
            )

    def write(self, file: IO[bytes], plan: Plan, how: Rendering, tell: Tell | None = None) -> None:
        """Write the rectangles that change, each over what is there."""
        self.draw(file, make_animation(plan, how, tell))

    def draw(self, file: IO[bytes], film: Animation) -> None:
        """Write any film."""
        from PIL import GifImagePlugin, Image

        bits = max(1, (len(film.palette) - 1).bit_length())
        table = b"".join(bytes(rgb(color)) for color in film.palette)
        file.write(b"GIF89a" + struct.pack("<HHBBB", *film.size, 0xF0 | (bits - 1), 0, 0))
        file.write(table.ljust(3 << bits, b"\0"))
        if film.loop != 1:
            # The extension counts repetitions after the first showing; 0 is forever.
            repeats = film.loop - 1 if film.loop else 0
            file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeats) + b"\0")
        for pixels, left, top, hundredths in find_changes(
            time_frames(merge_frames(film.images), 0.01)
        ):
            # What stays longer than the field can say is drawn again, one pixel of it.
            while hundredths:
                shown = min(hundredths, _LONGEST)
                # Keep what is there (disposal 1) and draw the change over it.
                file.write(b"!\xf9\x04" + struct.pack("<BHBB", 1 << 2, shown, 0, 0))
                image = Image.fromarray(pixels).convert("L")
                file.write(b"".join(GifImagePlugin.getdata(image, (left, top))))
                pixels = pixels[:1, :1]
                hundredths -= shown
        file.write(b";")


GIF: Final[Animator] = _Gif()
