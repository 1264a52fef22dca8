"""Videos, decoded again; they skip without PyAV."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.plans import random_plan
from tetrisprinter.errors import InputError
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import shown
from tetrisprinter.render import Rendering
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look
from tetrisprinter.render.save import check_output, save


@pytest.mark.parametrize("suffix", [".mp4", ".webm"])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("scale", [6, 7])
def test_last_frame_shows_the_picture(
    tmp_path: Path, suffix: str, smooth: bool, scale: int
) -> None:
    av = pytest.importorskip("av", reason="the extra tetrisprinter[video] is not installed")
    plan = random_plan(9, 17, 30, seed=8)
    path = tmp_path / f"print{suffix}"
    timing = Timing(every=None if smooth else 1, smooth=smooth, seconds=2, hold=0.5)
    save(plan, path, Rendering(Look(scale), timing, full=True))
    with av.open(str(path)) as video:
        images = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
        rate = float(video.streams.video[0].average_rate)
    assert len(images) / rate == pytest.approx(3.5, abs=0.4)
    last = images[-1].astype(int)
    assert last.shape[0] % 2 == last.shape[1] % 2 == 0
    picture = shown(plan, play_through(plan).field)
    for y, row in enumerate(picture.rows):
        for x, color in enumerate(row):
            top, left = (plan.height - 1 - y) * scale, x * scale
            middle = last[top + 2 : top + scale - 2, left + 2 : left + scale - 2].mean((0, 1))
            wanted = np.array(list(bytes.fromhex(color or "000000")))
            assert abs(middle - wanted).max() < 40, (x, y, color, middle)


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def without_av(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "av":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_av)
    with pytest.raises(InputError, match=r"tetrisprinter\[video\]"):
        check_output(tmp_path / "print.mp4")
