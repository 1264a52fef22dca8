"""The command, the library and the studio print a picture in the same way."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image, ImageFilter

import tetrisprinter as tp
from tests.support.commands import EXAMPLES
from tests.support.images import draw_gradient
from tests.support.photographs import landscape
from tetrisprinter.api import PreparedTask, prepare
from tetrisprinter.studio.prints import find_picture_file, make_source, read_print
from tetrisprinter.studio.prints import prepare as prepare_preview
from tetrisprinter.studio.worker import choose_effort, print_picture, read_picture

INKS = ("d83a34", "3060c0", "f0c040", "208040", "f5f5f5", "8040a0", "111111")


def dots(width: int, height: int, colors: int, seed: int, share: float) -> Image.Image:
    """Dots on nothing."""
    chance = random.Random(seed)
    image = Image.new("RGBA", (width, height))
    for y in range(height):
        for x in range(width):
            if chance.random() < share:
                ink = bytes.fromhex(chance.choice(INKS[:colors]))
                image.putpixel((x, y), (*ink, 255))
    return image


def put_on(ground: str, image: Image.Image) -> Image.Image:
    """The same on an opaque ground."""
    whole = Image.new("RGBA", image.size, ground)
    whole.alpha_composite(image)
    return whole.convert("RGB")


def draw_all() -> Iterator[tuple[str, Image.Image]]:
    """Pictures of our own of many kinds, most of them small."""
    for name in ("glyph", "heart", "invader"):
        yield name, Image.open(EXAMPLES / f"{name}.png")
    for seed, (width, height) in enumerate(((4, 4), (5, 3), (6, 5))):
        for colors in (1, 3):
            yield f"dots {width}x{height} of {colors}", dots(width, height, colors, seed, 0.5)
    for ground in ("white", "navy"):
        yield f"on {ground}", put_on(ground, dots(5, 4, 2, 7, 0.4))
    yield "few on white", put_on("white", dots(4, 3, 1, 7, 0.4))
    yield "seven colours", dots(5, 3, 7, 5, 0.8)
    yield "gap", dots(5, 5, 1, 11, 0.15)
    yield "lonely", dots(8, 6, 1, 12, 0.06)
    yield "full", Image.new("RGB", (6, 4), "teal")
    yield "half", Image.new("RGBA", (5, 5), (9, 99, 9, 90))
    yield "palette", draw_gradient(6, 4).convert("P")
    yield "bits", dots(8, 8, 1, 9, 0.5).getchannel("A").convert("1")
    yield "enlarged", dots(5, 5, 2, 4, 0.5).resize((40, 40), Image.Resampling.NEAREST)
    yield "blurred", put_on("white", dots(6, 5, 2, 4, 0.5)).filter(ImageFilter.GaussianBlur(0.5))


PICTURES = dict(draw_all())
EVERY_DAY = ("dots 4x4 of 1", "few on white", "full", "gap")
"""What takes least to be printed three times: of one colour, on a ground, full, repaired."""
PRINTED = (*EVERY_DAY, "on navy", "half")
"""All are prepared alike; these are also printed, one of each kind."""


def print_by_command(path: Path, folder: Path, *options: str) -> dict[str, Any]:
    from tetrisprinter.cli.print import command

    plan = folder / "plan.txt"
    asked = [str(path), "--plan", str(plan), "-o", str(folder / "printed.png"), "--json"]
    asked += ["--workers", "1", *options]
    done = CliRunner().invoke(command, asked, catch_exceptions=False)
    report = json.loads(done.stdout)
    drawn = "empty squares drawn"
    steps = [step for step in report.get("conversion", []) if not step.startswith(drawn)]
    return {"drops": report["drops"], "steps": steps, "plan": plan.read_text()}


def upload_to_studio(path: Path, folder: Path) -> tuple[dict[str, Any], Path]:
    """Upload a file to a studio; return the request of the page and the upload."""
    upload = folder / f"{'0' * 16}.png"
    read_picture({"source": str(path), "name": path.name, "target": str(upload)}, lambda _: None)
    wanted = {"kind": "upload", "source": "0" * 16, "name": path.name, "repair": True}
    assert find_picture_file(wanted, folder) == upload
    return wanted, upload


def print_in_studio(path: Path, folder: Path) -> dict[str, Any]:
    wanted, upload = upload_to_studio(path, folder)
    news: list[dict[str, Any]] = []
    settings: dict[str, Any] = {"seed": 0, "workers": 1, "name": path.name, "folder": str(folder)}
    settings |= {"wanted": wanted, "path": str(upload), "effort": 0}
    print_picture(settings, news.append)
    best = [one["best"] for one in news if one["event"] == "best"][-1]
    plan = tp.read_plan(folder / f"plan-{best['version']}.txt")
    return {"drops": best["drops"], "steps": best["steps"], "plan": str(plan)}


def test_a_large_photo_is_prepared_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    landscape(1600, 1200).save(path)
    assert "scaled from 1600x1200 " in str(assert_prepared_alike(path, tmp_path).steps[0])


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_prepared_alike(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    PICTURES[name].save(path)
    assert_prepared_alike(path, tmp_path)


def assert_prepared_alike(path: Path, folder: Path) -> PreparedTask:
    """Prepare a file here and in the studio, and compare."""
    here = prepare(str(path))
    wanted, upload = upload_to_studio(path, folder)
    source = make_source(wanted, upload)
    _, there, _ = prepare_preview(read_print(wanted), source, repair=True)
    assert there.task.picture.rows == here.task.picture.rows
    assert (there.task.board, there.task.types) == (here.task.board, here.task.types)
    assert there.task.background == here.task.background
    assert there.steps == here.steps
    assert (there.alternative is None) == (here.alternative is None)
    return here


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in EVERY_DAY else pytest.mark.slow) for name in PRINTED],
)
def test_a_picture_is_printed_alike(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    PICTURES[name].save(path)
    effort = choose_effort(0)
    result = tp.print_picture(path, limit=tp.Limit(workers=1, effort=effort))
    command = print_by_command(path, tmp_path, "--effort", str(effort))
    studio = print_in_studio(path, tmp_path)
    plan = str(result.plan)
    assert command == {"drops": result.drops, "steps": [*map(str, result.steps)], "plan": plan}
    assert (studio["drops"], studio["steps"]) == (result.drops, command["steps"])
    assert choose_effort(1) == tp.Limit().effort, "the default"
