"""Times that no file can hold."""

import io

import pytest
from PIL import Image

from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.render import RENDERERS, Rendering
from tetrisprinter.render.frames import Timing, play_frames

PLAN = "board 4x9 I=ff0000\n\n" + "A...\n" * 4


@pytest.mark.parametrize(
    ("timing", "said"),
    [
        ({"fps": 1e-5}, "0.01 to 1000"),
        ({"fps": 1001}, "0.01 to 1000"),
        ({"seconds": 1e-9}, "0.001 to 86400"),
        ({"seconds": 1e6}, "0.001 to 86400"),
        ({"seconds": float("nan")}, "0.001 to 86400"),
    ],
)
def test_times_that_no_file_can_hold(timing: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Timing(**timing)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["gif", "apng", "webp"])
@pytest.mark.parametrize("timing", [Timing(fps=0.01, hold=600), Timing(seconds=3000, hold=600)])
def test_a_slow_animation_takes_as_long_as_it_was_asked_to(kind: str, timing: Timing) -> None:
    plan = Plan.parse(PLAN)
    file = io.BytesIO()
    RENDERERS[kind].write(file, plan, Rendering(timing=timing))
    with Image.open(file) as image:
        shown = 0.0
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            image.load()
            shown += image.info["duration"] / 1000
    wanted = sum(frame.seconds for frame in play_frames(plan, timing.schedule(plan)))
    assert wanted > 600
    assert shown == pytest.approx(wanted, abs=0.01)
