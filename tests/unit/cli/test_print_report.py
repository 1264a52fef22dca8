"""What the sentence about a print says, and what only ``--verbose`` adds."""

import json
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import EXAMPLES, Draw, Run
from tetrisprinter.cli import printing
from tetrisprinter.cli.files import OutputFiles
from tetrisprinter.cli.print_options import PrintJob
from tetrisprinter.cli.printing import _describe_print
from tetrisprinter.pictures.sources import make_sources

REPORT = {
    "image": "a.png", "drops": 940, "lines": 80, "pixels": 5, "stopped": False, "proof": "bound",
    "width": 5, "height": 1, "passes": 1, "cells_per_pixel": 4.5, "seconds": 1.0,
    "remembered": "no", "pieces": {"d03020": 940},
}  # fmt: skip


@pytest.mark.parametrize(
    ("drops", "bound", "is_shown"),
    [(940, 214, False), (100, 79, False), (100, 80, True), (3, 2, False), (5, 4, True),
     (1, 0, False), (0, 0, False)],
)  # fmt: skip
def test_a_bound_far_below_the_drops_is_not_shown(drops: int, bound: int, is_shown: bool) -> None:
    target = OutputFiles(make_sources(["a.png"])[0], ("a.gif",))
    claim = f"any game on a board of 5x20 has at least {bound}"
    report = {**REPORT, "drops": drops, "bound": bound, "claim": claim}
    assert (claim in _describe_print(report, target, verbose=False)) == is_shown
    assert claim in _describe_print(report, target, verbose=True)


def test_a_picture_has_squares_and_a_game_has_pieces(run: Run) -> None:
    """Pixels are what an image file has; a picture and a board have squares."""
    heart, options = (
        EXAMPLES / "heart.png",
        ("--board", "15x24", "--planner", "rows", "--plan", "p.txt"),
    )
    report = json.loads(run("print", heart, *options, "--json").stdout)
    done = run("print", heart, *options, "-v")
    text = done.stdout + done.stderr
    assert f"{report['drops']} pieces clear" in text
    assert sum(report["pieces"].values()) == report["drops"]
    colors = ", ".join(f"{count} {color}" for color, count in report["pieces"].items())
    assert f"pieces by colour: {colors};" in text
    assert "squares dropped for each one printed" in text
    assert "cell" not in text
    assert "pixel" not in text


def test_no_shorter_game_is_promised_when_the_first_one_is_proved(run: Run, draw: Draw) -> None:
    done = run("print", draw("bar.png", "rrrr"), "-o", "out.gif", "--board", "9x12")
    assert "printed" in done.stdout
    assert "1 piece clears 0 lines" in done.stdout
    assert "searching for a shorter game" not in done.stderr


def test_each_frame_has_all_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gif"
    frames = [Image.new("RGB", (4, 2), color) for color in ("red", "blue")]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    jobs: list[PrintJob] = []
    monkeypatch.setattr(printing, "_print_and_report", lambda _, job, __: jobs.append(job))
    outputs = (str(tmp_path / "{}.gif"),)
    printing.print_all(make_sources([path]), PrintJob(outputs=outputs, all_frames=True))
    assert [job.began for job in jobs] == [None]
