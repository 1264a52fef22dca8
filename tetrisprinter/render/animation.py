"""GIF, APNG and WebP, written frame by frame.

Pillow can write all three, but it keeps every frame of a GIF or an APNG until the last
one has come, which for a long print means gigabytes. So only Pillow's compressors are
used here, and the few bytes around them are written by hand: a GIF and an APNG then
need the memory of two frames, and hold no more than the rectangle that changed. WebP's
own encoder keeps its frames compressed; it is given them one by one.

Frames that look like the one before are merged with it. GIF counts time in hundredths of
a second and viewers slow down what is shorter than two of them, hence at most 50 frames
a second; the others count milliseconds. Rounding never adds up: each frame ends at the
rounded true time.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.colors import display_colors, rgb
from tetrisprinter.render.frames import Timing, frames
from tetrisprinter.render.paint import Look, Painter

if TYPE_CHECKING:
    from tetrisprinter.render.paint import Pixels

__all__ = ["FORMATS", "Progress", "paint_frames", "painter_of", "write_animation"]

Progress = Callable[[int, int], None]
"""Told how many of how many frames are done."""

FORMATS: Final = (".gif", ".apng", ".webp")
"""What :func:`write_animation` can write, by file name extension."""

_GIF_FASTEST: Final = 50.0
_Image = tuple["Pixels", float]


def painter_of(plan: Plan, look: Look) -> Painter:
    """Return a painter whose values are the piece types, in display colours."""
    colors = display_colors(plan)
    return Painter(plan.width, plan.height, [colors[piece] for piece in PieceType], look)


def paint_frames(
    plan: Plan,
    painter: Painter,
    timing: Timing,
    *,
    smooth_fps: float = 25.0,
    progress: Progress | None = None,
) -> Iterator[_Image]:
    """Yield every frame of a print as palette indices with the seconds it is shown."""
    schedule = timing.schedule(plan, smooth_fps)
    total = schedule.frames(plan)
    for number, frame in enumerate(frames(plan, schedule), 1):
        pixels = painter.paint(frame.squares)
        if frame.falling is not None:
            falling = frame.falling
            for x, y in falling.orientation.cells:
                painter.stamp(pixels, falling.orientation.piece, falling.x + x, falling.y + y)
        yield pixels, frame.seconds
        if progress is not None:
            progress(min(number, total), total)


def _merged(images: Iterator[_Image]) -> Iterator[_Image]:
    """Join frames that look the same."""
    last, seconds = next(images)
    for pixels, more in images:
        if (pixels == last).all():
            seconds += more
        else:
            yield last, seconds
            last, seconds = pixels, more
    yield last, seconds


def _timed(images: Iterator[_Image], unit: float) -> Iterator[tuple[Pixels, int]]:
    """Round each frame's end to whole units of time, so that errors do not add up."""
    elapsed, shown = 0.0, 0
    for pixels, seconds in images:
        elapsed += seconds
        units = max(1, round(elapsed / unit) - shown)
        shown += units
        yield pixels, units


def _changes(
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


def _write_gif(file: IO[bytes], images: Iterator[_Image], painter: Painter, loop: int) -> None:
    from PIL import GifImagePlugin, Image

    bits = max(1, (len(painter.palette) - 1).bit_length())
    table = b"".join(bytes(rgb(color)) for color in painter.palette)
    file.write(b"GIF89a" + struct.pack("<HHBBB", *painter.size, 0xF0 | (bits - 1), 0, 0))
    file.write(table.ljust(3 << bits, b"\0"))
    if loop != 1:
        # The extension counts repetitions after the first showing; 0 is forever.
        repeats = loop - 1 if loop else 0
        file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeats) + b"\0")
    for pixels, left, top, hundredths in _changes(_timed(_merged(images), 0.01)):
        # Keep what is there (disposal 1) and draw the change over it.
        file.write(b"!\xf9\x04" + struct.pack("<BHBB", 1 << 2, min(hundredths, 65535), 0, 0))
        file.write(b"\0")
        image = Image.fromarray(pixels)
        image = image.convert("L")
        file.write(b"".join(GifImagePlugin.getdata(image, (left, top))))
    file.write(b";")


def _chunk(file: IO[bytes], name: bytes, data: bytes) -> None:
    file.write(struct.pack(">I", len(data)) + name + data)
    file.write(struct.pack(">I", zlib.crc32(name + data)))


def _write_apng(file: IO[bytes], images: Iterator[_Image], painter: Painter, loop: int) -> None:
    file.write(b"\x89PNG\r\n\x1a\n")
    _chunk(file, b"IHDR", struct.pack(">IIBBBBB", *painter.size, 8, 3, 0, 0, 0))
    counted = file.tell()
    _chunk(file, b"acTL", struct.pack(">II", 1, loop))
    _chunk(file, b"PLTE", b"".join(bytes(rgb(color)) for color in painter.palette))
    number = sequence = 0
    for pixels, left, top, thousandths in _changes(_timed(_merged(images), 0.001)):
        height, width = pixels.shape
        # A longer time than the field holds is counted in tenths of a second.
        time, unit = (thousandths, 1000) if thousandths < 65536 else (thousandths // 100, 10)
        control = struct.pack(
            ">IIIIIHHBB", sequence, width, height, left, top, min(time, 65535), unit, 0, 0
        )
        _chunk(file, b"fcTL", control)
        data = zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels), 6)
        if number == 0:
            _chunk(file, b"IDAT", data)
            sequence += 1
        else:
            _chunk(file, b"fdAT", struct.pack(">I", sequence + 1) + data)
            sequence += 2
        number += 1
    _chunk(file, b"IEND", b"")
    file.seek(counted)
    _chunk(file, b"acTL", struct.pack(">II", number, loop))
    file.seek(0, 2)


def _write_webp(
    file: IO[bytes], images: Iterator[_Image], painter: Painter, loop: int, number: int
) -> None:
    from PIL import Image

    durations: list[int] = []
    timed = _timed(images, 0.001)

    class Reel(Image.Image):
        # Pillow makes a list of images to append, but goes through the frames of one
        # image one by one; so this is an image that paints a frame when it is sought.
        n_frames = number

        def seek(self, frame: int) -> None:
            if frame == len(durations):
                pixels, units = next(timed)
                self.paste(Image.fromarray(painter.rgb(pixels)))
                durations.append(units)

    reel = Reel()
    reel.__setstate__(Image.new("RGB", painter.size).__getstate__())
    reel.save(file, "WEBP", save_all=True, duration=durations, loop=loop, lossless=True, quality=0)


def write_animation(
    file: IO[bytes],
    suffix: str,
    plan: Plan,
    *,
    look: Look | None = None,
    timing: Timing | None = None,
    loop: int = 0,
    progress: Progress | None = None,
) -> None:
    """Write the print of a plan as an animation.

    Parameters
    ----------
    file : binary file
        Where to; it must be possible to move in it.
    suffix : str
        The format, one of :data:`FORMATS`.
    plan : Plan
        What is played.
    look : Look, optional
        How squares are drawn.
    timing : Timing, optional
        Which frames there are and how fast they go.
    loop : int
        How many times it plays; 0 is for ever.
    progress : callable, optional
        Told how many frames of how many are done.

    Raises
    ------
    InputError
        If the format cannot do what is asked for.
    TopOutError
        If the plan tops out.

    Examples
    --------
    >>> import io
    >>> plan = Plan.parse("board 4x6 O=ff0000\\n\\n.AA.\\n.AA.\\n")
    >>> out = io.BytesIO()
    >>> write_animation(out, ".gif", plan)
    >>> out.getvalue()[:6]
    b'GIF89a'
    """
    look, timing = look or Look(), timing or Timing()
    if suffix == ".gif" and (timing.fps or 0) > _GIF_FASTEST:
        raise InputError(
            f"a GIF cannot show {timing.fps:g} frames a second, viewers slow it down: "
            f"{_GIF_FASTEST:g} is the most"
        )
    if not 0 <= loop < 65536:
        raise InputError(f"an animation cannot play {loop} times: 0 (for ever) to 65535")
    painter = painter_of(plan, look)
    images = paint_frames(plan, painter, timing, progress=progress)
    match suffix:
        case ".gif":
            _write_gif(file, images, painter, loop)
        case ".apng":
            _write_apng(file, images, painter, loop)
        case ".webp":
            number = timing.schedule(plan).frames(plan)
            _write_webp(file, images, painter, loop, number)
        case _:
            raise ValueError(f"{suffix} is not one of {', '.join(FORMATS)}")
