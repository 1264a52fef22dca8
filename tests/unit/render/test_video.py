"""Videos, decoded again; they skip without PyAV."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrisprinter.game.plan import Plan
from tetrisprinter.render import Rendering, save
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look


@pytest.mark.parametrize("suffix", [".mp4", ".webm"])
def test_a_piece_is_heard_when_it_lands(tmp_path: Path, suffix: str) -> None:
    av = pytest.importorskip("av", reason="the extra tetrisprinter[video] is not installed")
    plan = Plan.parse("board 9x30 O=ff0000\n\n...AA....\n...AA....\n")
    path = tmp_path / f"print{suffix}"
    # A second of the picture, one of the empty board, then the piece lies there.
    timing = Timing(every=1, fps=1, first=1, hold=2)
    save(plan, path, Rendering(Look(8), timing, sound=True))
    with av.open(str(path)) as video:
        rate = video.streams.audio[0].rate
        heard = np.concatenate(
            [
                np.abs(frame.to_ndarray().astype(float)).max(axis=0)
                for frame in video.decode(audio=0)
            ]
        )
        pictures = video.streams.video[0].duration
    assert pictures is None or len(heard) / rate == pytest.approx(6, abs=0.2)
    loud = np.flatnonzero(heard > heard.max() / 4) / rate
    assert 1.9 < loud[0] < 2.05
    assert loud[-1] < 2.2
    save(plan, path, Rendering(Look(8), timing))
    with av.open(str(path)) as video:
        assert not video.streams.audio  # off until it is asked for


@pytest.mark.parametrize(
    ("options", "size"),
    [({}, None), ({"shape": (9, 16)}, (540, 960)), ({"shape": (1, 1), "caption": "A"}, (960, 960))],
)
def test_an_mp4_plays_everywhere(
    tmp_path: Path, options: dict[str, Any], size: tuple[int, int] | None
) -> None:
    av = pytest.importorskip("av", reason="the extra tetrisprinter[video] is not installed")
    plan = Plan.parse("board 9x30 O=ff0000\n\n...AA....\n...AA....\n")
    save(plan, tmp_path / "print.mp4", Rendering().with_options(first=0, hold=0.2, **options))
    with av.open(str(tmp_path / "print.mp4")) as video:
        codec = video.streams.video[0].codec_context
        assert (codec.name, codec.pix_fmt) == ("h264", "yuv420p")
        assert codec.width % 2 == codec.height % 2 == 0
        assert size is None or (codec.width, codec.height) == size
        *_, last = (frame.to_ndarray(format="rgb24") for frame in video.decode(video=0))
    # An odd size is extended with its own edge: the frame, or the ground.
    assert abs(last[:, -1].astype(int) - last[:, -3]).max() < 12
    assert abs(last[-1].astype(int) - last[-3]).max() < 12
