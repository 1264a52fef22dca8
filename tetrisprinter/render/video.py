"""MP4 and WebM, frame by frame, with PyAV (the extra ``tetrisprinter[video]``).

Frames go to the encoder as they are made, so the memory does not grow with the game.
The pixel format is the one every player understands, 4:2:0, which needs an even number
of pixels both ways: an odd board gets one more black line.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.animation import Progress, paint_frames, painter_of
from tetrisprinter.render.colors import rgb
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look

if TYPE_CHECKING:
    from tetrisprinter.render.paint import Pixels

__all__ = ["FORMATS", "require_video", "write_video"]

FORMATS: Final = (".mp4", ".webm")
"""What :func:`write_video` can write, by file name extension."""

_SMOOTH_FPS: Final = 60.0

# Flat colours and sharp edges: tuned as a cartoon, coarse where nothing moves.
_CODECS: Final[dict[str, tuple[str, str, dict[str, str]]]] = {
    ".mp4": ("mp4", "libx264", {"preset": "superfast", "tune": "animation", "crf": "18"}),
    ".webm": (
        "webm",
        "libvpx-vp9",
        {"deadline": "realtime", "cpu-used": "8", "crf": "24", "b": "0"},
    ),
}


def require_video() -> Any:
    """Return the PyAV module.

    Raises
    ------
    InputError
        Saying what to install, if it is missing.
    """
    try:
        import av
    except ImportError as error:
        raise InputError(
            "writing .mp4 and .webm needs PyAV: pip install 'tetrisprinter[video]' "
            "(.gif, .apng, .webp and .html need nothing more)"
        ) from error
    return av


def _yuv_tables(palette: list[str]) -> tuple[Pixels, Pixels, Pixels]:
    """Return brightness and colour differences of a palette (BT.601, studio range).

    Converting palettes rather than frames takes a tenth of the time.
    """
    import numpy as np

    red, green, blue = np.array([rgb(color) for color in palette], dtype=np.float64).T / 255
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    tables = (
        16 + 219 * luma,
        128 + 224 * (blue - luma) / 1.772,
        128 + 224 * (red - luma) / 1.402,
    )
    y, u, v = (np.round(table).astype(np.uint8) for table in tables)
    return y, u, v


def write_video(
    file: IO[bytes] | str | Path,
    suffix: str,
    plan: Plan,
    *,
    look: Look | None = None,
    timing: Timing | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the print of a plan as a video.

    Parameters
    ----------
    file : binary file or path
        Where to; a file must be possible to move in.
    suffix : str
        The format, one of :data:`FORMATS`.
    plan : Plan
        What is played.
    look : Look, optional
        How squares are drawn.
    timing : Timing, optional
        Which frames there are and how fast they go; a smooth video has 60 a second.
    progress : callable, optional
        Told how many frames of how many are done.

    Raises
    ------
    InputError
        If PyAV is missing.
    TopOutError
        If the plan tops out.
    """
    import numpy as np

    av = require_video()
    look, timing = look or Look(), timing or Timing()
    container_format, codec, options = _CODECS[suffix]
    painter = painter_of(plan, look)
    rate = Fraction(timing.schedule(plan, _SMOOTH_FPS).fps).limit_denominator(1000)
    width, height = (size + size % 2 for size in painter.size)
    with av.open(str(file) if isinstance(file, Path) else file, "w", container_format) as out:
        stream = out.add_stream(codec, rate=rate, options=options)
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuv420p"

        luma, blue, red = _yuv_tables(painter.palette)

        def encode(pixels: Pixels) -> None:
            padded = np.zeros((height, width), dtype=np.uint8)
            padded[: pixels.shape[0], : pixels.shape[1]] = pixels
            half = padded[::2, ::2]
            planes = [luma[padded].ravel(), blue[half].ravel(), red[half].ravel()]
            planar = np.concatenate(planes).reshape(height * 3 // 2, width)
            frame = av.VideoFrame.from_ndarray(planar, format="yuv420p")
            out.mux(stream.encode(frame))

        elapsed, shown = 0.0, 0
        for pixels, seconds in paint_frames(
            plan, painter, timing, smooth_fps=_SMOOTH_FPS, progress=progress
        ):
            elapsed += seconds
            while shown < round(elapsed * rate):
                encode(pixels)
                shown += 1
        out.mux(stream.encode(None))
