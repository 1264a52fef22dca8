"""MP4 and WebM, frame by frame, with PyAV (the extra ``tetrisprinter[video]``).

Each frame goes to the encoder at once, so the memory does not grow with the game. The pixel
format is 4:2:0, which all players understand. This format needs even numbers of pixels, so
an odd size gets one more row or column of pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.render import Animator, Rendering, Report
from tetrisprinter.render.animation import Animation, make_animation
from tetrisprinter.render.sound import RATE, synthesize

if TYPE_CHECKING:
    from tetrisprinter.render.paint import Pixels


_SMOOTH_FPS: Final = 60.0


def require_video() -> Any:
    """Return the PyAV module; refuse if it is not installed."""
    try:
        import av
    except ImportError as error:
        raise InputError(
            "writing .mp4 and .webm needs the package av; install it with: pip install av "
            "(.gif, .apng, .webp and .html need no other package)"
        ) from error
    return av


def _make_yuv_tables(palette: list[str]) -> tuple[Pixels, Pixels, Pixels]:
    """Return the brightness and the two colour differences of a palette (BT.601, studio range).

    Converting palettes rather than frames takes a tenth of the time.
    """
    import numpy as np

    red, green, blue = np.array([parse_rgb(color) for color in palette], dtype=np.float64).T / 255
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    tables = (
        16 + 219 * luma,
        128 + 224 * (blue - luma) / 1.772,
        128 + 224 * (red - luma) / 1.402,
    )
    y, u, v = (np.round(table).astype(np.uint8) for table in tables)
    return y, u, v


@dataclass(frozen=True, slots=True)
class _VideoRenderer:
    """A container and its codec, with settings for flat colours and sharp edges."""

    extensions: tuple[str, ...]
    container: str
    codec: str
    options: dict[str, str]
    audio_codec: str
    summary: str = "a video"
    has_transparency: bool = False

    def check(self, rendering: Rendering) -> None:
        """Refuse if PyAV is not installed."""
        require_video()

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        """Encode the game at a constant frame rate, 60 per second if it is smooth."""
        self.draw(file, make_animation(plan, rendering, report, smooth_fps=_SMOOTH_FPS))

    def draw(self, file: IO[bytes], animation: Animation) -> None:
        """Encode an animation."""
        from fractions import Fraction

        import numpy as np

        av = require_video()
        rate = Fraction(animation.fps).limit_denominator(1000)
        width, height = (size + size % 2 for size in animation.size)
        # The same game gives the same bytes: no random identifiers, no version.
        exact = {"fflags": "bitexact"}
        with av.open(file, "w", self.container, container_options=exact) as out:
            stream = out.add_stream(self.codec, rate=rate, options=self.options)
            stream.width, stream.height = width, height
            stream.pix_fmt = "yuv420p"

            audio: Any = None
            if animation.notes:
                audio = out.add_stream(self.audio_codec, rate=RATE, layout="mono")
            waves, encoded_seconds = synthesize(animation.notes), 0

            luma, blue, red = _make_yuv_tables(animation.palette)

            def encode(pixels: Pixels) -> None:
                """Encode one frame of palette indices."""
                padded = np.zeros((height, width), dtype=np.uint8)
                padded[: pixels.shape[0], : pixels.shape[1]] = pixels
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


# Encoder settings for flat colours and sharp edges.
_H264 = {"preset": "superfast", "tune": "animation", "crf": "18"}
_VP9 = {"deadline": "realtime", "cpu-used": "8", "crf": "24", "b": "0"}

MP4: Final[Animator] = _VideoRenderer((".mp4",), "mp4", "libx264", _H264, "aac")
WEBM: Final[Animator] = _VideoRenderer((".webm",), "webm", "libvpx-vp9", _VP9, "libopus")
