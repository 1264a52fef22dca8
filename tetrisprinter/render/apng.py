"""APNG, written frame by frame.

Pillow keeps all frames in memory until the last one. So this module writes the chunks, each frame
cropped to the rectangle that changed (PNG specification, third edition).
"""

from __future__ import annotations

import struct
import zlib
from typing import IO, Final

from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Animator
from tetrisprinter.render.animation import (
    Animation,
    AnimationRenderer,
    find_changes,
    merge_frames,
    time_frames,
)


def _write_chunk(file: IO[bytes], name: bytes, data: bytes) -> None:
    """Write a PNG chunk: length, name, data and checksum."""
    file.write(struct.pack(">I", len(data)) + name + data)
    file.write(struct.pack(">I", zlib.crc32(name + data)))


class _ApngRenderer(AnimationRenderer):
    extensions = (".apng",)

    def draw(self, file: IO[bytes], animation: Animation) -> None:
        """Write an animation; the number of frames is filled in at the end."""
        file.write(b"\x89PNG\r\n\x1a\n")
        _write_chunk(file, b"IHDR", struct.pack(">IIBBBBB", *animation.size, 8, 3, 0, 0, 0))
        count_position = file.tell()
        _write_chunk(file, b"acTL", struct.pack(">II", 1, animation.loop))
        _write_chunk(
            file, b"PLTE", b"".join(bytes(parse_rgb(color)) for color in animation.palette)
        )
        number = sequence = 0
        for pixels, left, top, thousandths in find_changes(
            time_frames(merge_frames(animation.images), 0.001)
        ):
            height, width = pixels.shape
            # Times beyond 16 bits are counted in tenths of a second.
            time, unit = (thousandths, 1000) if thousandths < 65536 else (thousandths // 100, 10)
            control = struct.pack(
                ">IIIIIHHBB", sequence, width, height, left, top, min(time, 65535), unit, 0, 0
            )
            _write_chunk(file, b"fcTL", control)
            data = zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels), 6)
            if number == 0:
                _write_chunk(file, b"IDAT", data)
                sequence += 1
            else:
                _write_chunk(file, b"fdAT", struct.pack(">I", sequence + 1) + data)
                sequence += 2
            number += 1
        _write_chunk(file, b"IEND", b"")
        file.seek(count_position)
        _write_chunk(file, b"acTL", struct.pack(">II", number, animation.loop))
        file.seek(0, 2)


APNG: Final[Animator] = _ApngRenderer()
