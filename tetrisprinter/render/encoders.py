"""Games as files that play: GIF, APNG, WebP, MP4 and WebM (``tetrisprinter[video]``), a C header.

Each encoder of frames takes the frames of an :class:`~tetrisprinter.render.frames.Animation` one by
one, so the memory does not grow with the game. Pillow keeps all frames of a GIF or an APNG until
the last one, which means gigabytes for a long print. So this module writes the few bytes around
these frames; each is cropped to the rectangle that changed. Pillow's WebP encoder takes frames one
by one and keeps them compressed.

Videos have the pixel format 4:2:0, which all players understand. It needs even numbers of pixels,
so an odd size gets one more row or column of pixels.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import IO, TYPE_CHECKING, Any, Final

from tetrisprinter.errors import InputError, JobError, format_install_command
from tetrisprinter.game.field import Rows
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Renderer, Rendering, Report
from tetrisprinter.render.frames import (
    LONGEST_SIDE,
    Animation,
    Note,
    PaintedFrame,
    make_animation,
    shrink_board,
)
from tetrisprinter.render.paint import choose_display_colors, choose_field_for
from tetrisprinter.support import LazyModule, format_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tetrisprinter.render.paint import Pixels
else:
    np = LazyModule("numpy")


_MAX_FPS: Final = 50.0
_MAX_FILM_BYTES: Final = 1_500_000  # many networks and messengers take no larger GIF
_FAST_STEPS: Final = (0.04, 0.08, 0.16, 0.32, 0.64)
"""The seconds of a frame that shows several drops, from the first try to the last."""
_MAX_HUNDREDTHS: Final = 65_535  # the longest duration of a frame, in hundredths of a second


def _merge_frames(images: Iterator[PaintedFrame]) -> Iterator[PaintedFrame]:
    """Yield the frames; equal neighbours become one frame with the sum of their durations."""
    last, seconds = next(images)
    for pixels, more_seconds in images:
        if (pixels == last).all():
            seconds += more_seconds
        else:
            yield last, seconds
            last, seconds = pixels, more_seconds
    yield last, seconds


def _time_frames(images: Iterator[PaintedFrame], unit: float) -> Iterator[tuple[Pixels, int]]:
    """Yield the frames with durations in whole units; the end of each frame is rounded."""
    elapsed, elapsed_units = 0.0, 0
    for pixels, seconds in images:
        elapsed += seconds
        units = max(1, round(elapsed / unit) - elapsed_units)
        elapsed_units += units
        yield pixels, units


def _find_changes(
    images: Iterator[PaintedFrame], unit: float
) -> Iterator[tuple[Pixels, int, int, int]]:
    """Yield the changed rectangle of each frame: its pixels, left, top, and the frame's units."""
    last: Pixels | None = None
    for pixels, units in _time_frames(_merge_frames(images), unit):
        if last is None:
            yield pixels, 0, 0, units
        else:
            changed = pixels != last
            rows = changed.any(axis=1).nonzero()[0]
            columns = changed.any(axis=0).nonzero()[0]
            top, left = int(rows[0]), int(columns[0])
            yield pixels[top : rows[-1] + 1, left : columns[-1] + 1], left, top, units
        last = pixels


def _make_animator(extension: str, draw: Callable[[IO[bytes], Animation], None]) -> Renderer:
    """Return the renderer of an animation that shows a game at its own pace."""

    def write(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None) -> None:
        draw(file, make_animation(plan, rendering, report))

    return Renderer((extension,), "an animation", write, draw=draw)


def _check_gif(rendering: Rendering) -> None:
    """Refuse frame rates that viewers would slow down."""
    if (rendering.timing.fps or 0) > _MAX_FPS:
        raise InputError(
            f"a GIF cannot show {rendering.timing.fps:g} frames per second; expected at most "
            f"{_MAX_FPS:g}, because viewers slow down faster ones"
        )


def _write_gif(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None) -> None:
    """Write a game; a film that becomes too large shows fewer frames of its fast part."""
    if not rendering.timing.is_film:
        _draw_gif(file, make_animation(plan, rendering, report))
        return
    buffer = io.BytesIO()
    for attempt, fast_step in enumerate(_FAST_STEPS):
        # The bar may not fall: an attempt gets half of what is left of it.
        steps = None if report is None else partial(_report_attempt, report, attempt)
        buffer = io.BytesIO()
        _draw_gif(buffer, make_animation(plan, rendering, steps, fast_step=fast_step))
        if buffer.tell() <= _MAX_FILM_BYTES:
            break
    file.write(buffer.getvalue())
    if report is not None:
        report(1000, 1000)


def _report_attempt(report: Report, attempt: int, done: int, total: int) -> None:
    """Report the progress of an attempt to write a film, of 1000 steps in total."""
    report(round(1000 * (1 - 0.5**attempt * (1 - 0.5 * done / total))), 1000)


def _draw_gif(file: IO[bytes], animation: Animation) -> None:
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
    for pixels, left, top, hundredths in _find_changes(animation.images, 0.01):
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


GIF: Final = Renderer((".gif",), "an animation", _write_gif, _check_gif, draw=_draw_gif)


def _write_chunk(file: IO[bytes], name: bytes, data: bytes) -> None:
    """Write a PNG chunk: length, name, data and checksum."""
    file.write(struct.pack(">I", len(data)) + name + data)
    file.write(struct.pack(">I", zlib.crc32(name + data)))


def _draw_apng(file: IO[bytes], animation: Animation) -> None:
    """Write an animation; the number of frames is filled in at the end."""
    file.write(b"\x89PNG\r\n\x1a\n")
    _write_chunk(file, b"IHDR", struct.pack(">IIBBBBB", *animation.size, 8, 3, 0, 0, 0))
    count_position = file.tell()
    _write_chunk(file, b"acTL", struct.pack(">II", 1, animation.loop))
    _write_chunk(file, b"PLTE", b"".join(bytes(parse_rgb(color)) for color in animation.palette))
    number = sequence = 0
    for pixels, left, top, thousandths in _find_changes(animation.images, 0.001):
        height, width = pixels.shape
        # Times beyond 16 bits are counted in tenths of a second.
        time, unit = (thousandths, 1000) if thousandths < 65536 else (round(thousandths / 100), 10)
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


APNG: Final = _make_animator(".apng", _draw_apng)


def _draw_webp(file: IO[bytes], animation: Animation) -> None:
    """Write an animation without loss."""
    from PIL import Image

    # One 32-bit word per colour: four times as fast as looking up three bytes per pixel.
    colors = np.array([(*parse_rgb(color), 255) for color in animation.palette], dtype=np.uint8)
    color_words = colors.view(np.uint32)[:, 0]
    durations: list[int] = []
    frames = _time_frames(animation.images, 0.001)

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


WEBP: Final = _make_animator(".webp", _draw_webp)


_SMOOTH_FPS: Final = 60.0
_SHAPED_SIDE: Final = 960
"""The pixels of the longer side of a video with a shape, which phones show on the whole screen."""


def require_video(work: str = "writing .mp4 and .webm") -> Any:
    """Return the PyAV module; refuse if it is not installed."""
    try:
        import av
    except ImportError as error:
        raise InputError(
            f"{work} needs the package av; install it with: {format_install_command('av')} "
            "(.gif, .apng, .webp and .html need no other package)"
        ) from error
    return av


RATE: Final = 48_000
"""Samples of sound per second."""
_VOLUME: Final = 0.12


def synthesize(notes: Sequence[Note]) -> Iterator[NDArray[np.int16]]:
    """Yield the waveform of sorted notes, one second at a time and without end."""
    rest = np.zeros(0)
    position, second = 0, 0
    while True:
        wave = np.zeros(2 * RATE)
        wave[: len(rest)] = rest
        while position < len(notes) and notes[position].start < second + 1:
            note = notes[position]
            seconds = np.arange(round(note.seconds * RATE)) / RATE
            # A fading triangle wave for each pitch; no note lasts a second.
            phases = np.outer(note.pitches, seconds)
            sound = (2 * np.abs(2 * (phases % 1) - 1) - 1).sum(axis=0)
            first_sample = round((note.start - second) * RATE)
            wave[first_sample : first_sample + len(seconds)] += (
                _VOLUME * sound * 0.01 ** (seconds / note.seconds)
            )
            position += 1
        rest = wave[RATE:]
        yield (np.clip(wave[:RATE], -1, 1) * 32_000).astype(np.int16)
        second += 1


def _make_yuv_tables(palette: list[str]) -> tuple[Pixels, Pixels, Pixels]:
    """Return the brightness and the two colour differences of a palette (BT.601, studio range).

    Converting palettes rather than frames takes a tenth of the time.
    """
    red, green, blue = np.array([parse_rgb(color) for color in palette], dtype=np.float64).T / 255
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    tables = (16 + 219 * luma, 128 + 224 * (blue - luma) / 1.772, 128 + 224 * (red - luma) / 1.402)
    y, u, v = (np.round(table).astype(np.uint8) for table in tables)
    return y, u, v


_CODECS: Final[Mapping[str, tuple[str, dict[str, str], str]]] = {
    "mp4": ("libx264", {"preset": "superfast", "tune": "animation", "crf": "18"}, "aac"),
    "webm": (
        "libvpx-vp9",
        {"deadline": "realtime", "cpu-used": "8", "crf": "24", "b": "0"},
        "libopus",
    ),
}
"""For each container: its codec, settings for flat colours and sharp edges, the codec of sound."""


def _make_video_renderer(container: str) -> Renderer:
    """Return the renderer of a video, of 60 frames per second if it is smooth."""
    draw = partial(_draw_video, container)

    def write(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None) -> None:
        side = _SHAPED_SIDE if rendering.shape else LONGEST_SIDE
        draw(
            file,
            make_animation(plan, rendering, report, smooth_fps=_SMOOTH_FPS, longest_side=side),
        )

    return Renderer((f".{container}",), "a video", write, lambda _: require_video(), draw=draw)


def _draw_video(container: str, file: IO[bytes], animation: Animation) -> None:
    """Encode an animation at a constant frame rate, with its sound if it has notes."""
    from fractions import Fraction

    av = require_video()
    from av.video.reformatter import ColorRange, Colorspace

    codec, options, audio_codec = _CODECS[container]
    rate = Fraction(animation.fps).limit_denominator(1000)
    width, height = (size + size % 2 for size in animation.size)
    # The same game gives the same bytes: no random identifiers, no version.
    exact = {"fflags": "bitexact"}
    with av.open(file, "w", container, container_options=exact) as out:
        stream = out.add_stream(codec, rate=rate, options=options)
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuv420p"
        # Without these tags players guess the matrix of the colours from the size.
        stream.codec_context.colorspace = Colorspace.SMPTE170M
        stream.codec_context.color_range = ColorRange.MPEG

        audio: Any = None
        if animation.notes:
            audio = out.add_stream(audio_codec, rate=RATE, layout="mono")
        waves, encoded_seconds = synthesize(animation.notes), 0

        luma, blue, red = _make_yuv_tables(animation.palette)

        def encode(pixels: Pixels) -> None:
            """Encode one frame of palette indices."""
            rows, columns = pixels.shape
            padded = np.pad(pixels, ((0, height - rows), (0, width - columns)), "edge")
            half = padded[::2, ::2]
            planes = [luma[padded].ravel(), blue[half].ravel(), red[half].ravel()]
            planar = np.concatenate(planes).reshape(height * 3 // 2, width)
            frame = av.VideoFrame.from_ndarray(planar, format="yuv420p")
            out.mux(stream.encode(frame))

        def encode_sound(samples: int) -> None:
            """Encode the first ``samples`` samples of the next second of sound."""
            wave = next(waves)[None, :samples]
            sound = av.AudioFrame.from_ndarray(wave, format="s16", layout="mono")
            sound.sample_rate, sound.pts = RATE, encoded_seconds * RATE
            sound.time_base = Fraction(1, RATE)
            out.mux(audio.encode(sound))

        elapsed, frames_done = 0.0, 0
        for pixels, seconds in animation.images:
            elapsed += seconds
            while frames_done < round(elapsed * rate):
                encode(pixels)
                frames_done += 1
            while audio is not None and encoded_seconds + 1 <= elapsed:
                encode_sound(RATE)
                encoded_seconds += 1
        out.mux(stream.encode(None))
        if audio is not None:
            if samples_left := round((elapsed - encoded_seconds) * RATE):
                encode_sound(samples_left)
            out.mux(audio.encode(None))


MP4: Final = _make_video_renderer("mp4")
WEBM: Final = _make_video_renderer("webm")


# A C99 header, the film for clocks and panels of microcontrollers. Two bytes describe a drop: the
# orientation in bits 10 to 14 (its number in game.pieces.ORIENTATIONS), the column in bits 0 to 9,
# and in bit 15 whether a picture is complete after this drop. The player
# examples/makers/tetris_player.h knows the nineteen shapes and the rules; it finds the row in which
# a piece lands.

_COLUMN_BITS: Final = 10
_STOP: Final = 1 << 15
_PER_LINE: Final = 12
_COLOR_COUNT: Final = 10  # the field, seven types, grey, and a row that flashes


def format_header(plan: Plan, name: str) -> str:
    """Return a game as a C99 header; its names begin with ``name``.

    >>> plan = Plan.parse("board 4x6 O=ff0000\\n\\n.AA.\\n.AA.\\n")
    >>> "square_drops[1] = {0xA801}" in format_header(plan, "square").replace("\\n    ", "")
    True
    """
    if plan.slides:
        raise JobError(
            f"{name}: {format_count(len(plan.slides), 'piece')} tucked under other squares; in a C "
            "header pieces only fall"
        )
    play_through(plan)  # raises an error if the plan tops out
    return _format_game(plan, _make_prefix(name), [])


def format_cycle(start: Rows, games: Sequence[Plan], numbers: Sequence[int], name: str) -> str:
    """Return games that lead from picture to picture as a C99 header.

    ``start`` is the first picture, and ``numbers`` has for each picture the game that leads from it
    to the next one. In the header the games follow each other, each with a stop at its end.
    """
    prefix = _make_prefix(name)
    ends = list(accumulate(map(len, games)))
    parts = [
        "",
        f"#define {prefix.upper()}_PICTURES {len(numbers)}",
        "",
        "/* For each picture the game that leads to the next one, ... */",
        *_format_array(
            "uint16_t" if len(games) > 255 else "uint8_t", f"{prefix}_game", map(str, numbers)
        ),
        "",
        "/* ... and for each game its first drop: set the next drop of the player to it. */",
        *_format_array("uint16_t", f"{prefix}_first", map(str, [0, *ends[:-1]])),
    ]
    return _format_game(Plan.join(games, start=start), prefix, parts)


def _make_prefix(name: str) -> str:
    """Return the beginning of the names of a header."""
    prefix = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_").lower() or "game"
    return f"game_{prefix}" if prefix[0].isdigit() else prefix


def _format_game(plan: Plan, prefix: str, more_parts: Sequence[str]) -> str:
    """Return a header; ``more_parts`` are lines about the drops."""
    upper = prefix.upper()
    stops = {*plan.stops, len(plan)}
    drops = [
        piece.orientation.index << _COLUMN_BITS | piece.x | _STOP * (number in stops)
        for number, piece in enumerate(plan, 1)
    ]
    start = [value for row in plan.start for value in row]
    pictures = f", {len(stops - {0})} pictures" if plan.stops else ""
    parts = [
        f"/* A game of Tetris on {plan.board}: {format_count(len(plan), 'piece')}{pictures}.",
        "   Made by tetrisprinter; include tetris_player.h before this file. */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "",
        "#include <stdint.h>",
        "",
        "#ifndef TETRIS_CONST",
        "#define TETRIS_CONST const /* on AVR: const PROGMEM */",
        "#endif",
        "",
        f"#define {upper}_WIDTH {plan.width}",
        f"#define {upper}_HEIGHT {plan.height}",
        f"#define {upper}_DROPS {len(plan)}",
        f"#define {upper}_START_ROWS {len(plan.start)}",
        f"#define {upper}_VISIBLE {sum(1 << value for value in plan.square_colors)}",
        "",
        "/* RGB565: the field, I J L O S T Z, grey, and a full row that flashes. */",
        *_format_array("uint16_t", f"{prefix}_colors", map("0x{:04X}".format, _list_colors(plan))),
        "",
        "/* Bit 15: a picture is complete; bits 10 to 14: orientation; bits 0 to 9: column. */",
        *_format_array("uint16_t", f"{prefix}_drops", map("0x{:04X}".format, drops or [0])),
    ]
    if start:
        parts += [
            "",
            "/* The squares before the first drop, the lowest row first. */",
            *_format_array("uint8_t", f"{prefix}_start", map(str, start)),
        ]
    parts += [
        *more_parts,
        "",
        "#ifdef TETRIS_PLAYER_H",
        f"static const tetris_game {prefix} = {{",
        f"    {upper}_WIDTH, {upper}_HEIGHT, {upper}_START_ROWS, {upper}_VISIBLE, {upper}_DROPS,",
        f"    {prefix}_drops, {f'{prefix}_start' if start else '0'}, {prefix}_colors",
        "};",
        "#endif",
        "",
        f"#endif /* {upper}_H */",
        "",
    ]
    return "\n".join(parts)


def _list_colors(plan: Plan) -> list[int]:
    """Return the colours of a game's squares as RGB565, by the values of squares."""
    field_color = choose_field_for(plan)
    colors = {0: field_color, **choose_display_colors(plan, field_color)}
    listed = [colors.get(value, field_color) for value in range(_COLOR_COUNT - 1)]
    flash_color = "ffffff" if sum(parse_rgb(field_color)) <= 384 else "000000"
    return [
        round(red * 31 / 255) << 11 | round(green * 63 / 255) << 5 | round(blue * 31 / 255)
        for red, green, blue in map(parse_rgb, [*listed, flash_color])
    ]


def _format_array(kind: str, name: str, values: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the definition of a constant array."""
    items = list(values)
    yield f"static TETRIS_CONST {kind} {name}[{len(items)}] = {{"
    for first in range(0, len(items), _PER_LINE):
        comma = "," if first + _PER_LINE < len(items) else "};"
        yield f"    {', '.join(items[first : first + _PER_LINE])}{comma}"


def _write_header(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None) -> None:
    """Write the game on the rows that it uses, or on its board."""
    shown_plan = plan if rendering.full else shrink_board(plan)
    file.write(format_header(shown_plan, rendering.title or "game").encode())


C_HEADER: Final = Renderer((".h",), "a C header for panels", _write_header)
