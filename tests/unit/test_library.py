"""What a user of the library types first."""

import inspect
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import tetrisprinter as tp
from tests.support.commands import EXAMPLES
from tetrisprinter.api.request import OPTIONS
from tetrisprinter.render import RENDERING


@pytest.fixture(scope="module")
def heart() -> tp.PrintResult:
    return tp.print_picture("r=d03020 b=2040a0\nrb.\nrrr", effort=0.1)


def seconds_of(path: Path) -> float:
    with Image.open(path) as image:
        frames: int = getattr(image, "n_frames", 1)
        durations: list[float] = []
        for frame in range(frames):
            image.seek(frame)
            durations.append(image.info["duration"])
    return sum(durations) / 1000


def test_a_print_is_saved_with_options_by_name(heart: tp.PrintResult, tmp_path: Path) -> None:
    for name, save in (("a.gif", heart.save), ("b.gif", lambda *a, **b: tp.save(heart, *a, **b))):
        save(tmp_path / name, seconds=10, style="outlines", scale=9, hold=2, first=0, loop=1)
        assert seconds_of(tmp_path / name) == pytest.approx(12, abs=0.5)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    rendering = tp.Rendering(tp.Look(9, "outlines"), tp.Timing(seconds=10, hold=2, first=0), loop=1)
    heart.save(tmp_path / "c.gif", rendering)
    assert (tmp_path / "c.gif").read_bytes() == (tmp_path / "a.gif").read_bytes()
    heart.save(tmp_path / "d.gif", rendering, style="flat")
    assert (tmp_path / "d.gif").read_bytes() != (tmp_path / "a.gif").read_bytes()
    limit = tp.Limit(effort=0.1)
    slideshow = tp.print_slideshow(["r=d03020\nrr", "r=d03020\nr"], board="7x9", limit=limit)
    slideshow.save(tmp_path / "e.gif", seconds=4, hold=1)


def test_a_wrong_option_is_named(heart: tp.PrintResult, tmp_path: Path) -> None:
    with pytest.raises(tp.InputError, match="unknown argument 'second'; did you mean 'seconds'"):
        heart.save(tmp_path / "a.gif", second=10)
    with pytest.raises(tp.InputError, match="unknown argument 'zzz'; choose from scale, style"):
        tp.save(heart, tmp_path / "a.gif", zzz=10)
    with pytest.raises(tp.InputError, match="style: invalid value 'round'; choose"):
        heart.save(tmp_path / "a.gif", style="round")
    assert not list(tmp_path.iterdir())


class Figure:
    """What a figure of matplotlib is to the library."""

    def savefig(self, file: io.BytesIO, *, format: str) -> None:
        Image.open(EXAMPLES / "heart.png").save(file, format)


class Axes:
    figure = Figure()


def test_a_figure_is_a_picture() -> None:
    expected = tp.preview(EXAMPLES / "heart.png").rows
    assert tp.preview(Figure()).rows == expected  # type: ignore[arg-type]
    assert tp.preview(Axes()).rows == expected  # type: ignore[arg-type]
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    figure, axes = pyplot.subplots(figsize=(2, 2))
    axes.bar([1, 2, 3], [3, 1, 2], color="#d03020")
    for thing in (figure, axes):
        assert tp.preview(thing, fit=24).width <= 24
    pyplot.close(figure)


def test_help_explains_every_option() -> None:
    for function, options in (
        (tp.print_picture, OPTIONS),
        (tp.save, RENDERING),
    ):
        text = inspect.getdoc(function) or ""
        section: Any = text.split("Parameters\n")[1].split("Raises\n")[0]
        names = {name for name in inspect.signature(function).parameters if name != "options"}
        for name in names | set(options):
            assert any(
                name in line.partition(" : ")[0].replace(",", "").split()
                for line in section.splitlines()
                if not line.startswith(" ")
            ), f"{function.__name__}: {name}"
