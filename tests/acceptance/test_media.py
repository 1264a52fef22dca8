"""The pictures of the documentation show what the present defaults make."""

import hashlib
import json
from pathlib import Path

import pytest

import tetrisprinter as tp
from tests.acceptance import quality
from tests.support.commands import EXAMPLES, ROOT
from tetrisprinter.api.request import find_default_limits
from tetrisprinter.errors import Setting
from tetrisprinter.pictures.convert import Conversion
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.render.still import draw_packing_svg

PLANS = EXAMPLES / "plans"
IMAGES = ROOT / "docs" / "images"
MEDIA = json.loads((IMAGES / "media.json").read_text())
OTHERS = {
    *("atlas.png", "curve.svg", "examples.png", "media.json", "pattern.svg"),
    *("steps.png", "strokes.png"),
}
"""What is no single print: ``patterns atlas`` and the playground's plans make them."""


def squares(picture: tp.Picture, plan: tp.Plan) -> dict[tuple[int, int], str]:
    """What is seen of a picture beside the background, from its lower left corner on."""
    cells = {
        (x, y): color
        for y, row in enumerate(picture.rows)
        for x, color in enumerate(row)
        if color not in (None, plan.background)
    }
    left, low = min(x for x, _ in cells), min(y for _, y in cells)
    return {(x - left, y - low): color for (x, y), color in cells.items() if color}


def test_the_pattern_of_the_readme_is_an_entry_of_the_tables() -> None:
    packing = tp.patterns.find(rows=5, at=[0, 9, 18])
    assert isinstance(packing, tp.patterns.Packing)
    assert (IMAGES / "pattern.svg").read_text() == draw_packing_svg(packing)


def test_every_picture_of_the_documentation_is_on_the_list() -> None:
    assert {path.name for path in IMAGES.iterdir()} - OTHERS == set(MEDIA)


AGAIN = "scripts/media makes the pictures of the documentation again"


@pytest.mark.parametrize("name", sorted(MEDIA))
def test_a_picture_of_the_documentation_shows_the_present_image(name: str) -> None:
    path = ROOT / MEDIA[name]["picture"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == MEDIA[name]["sha256"], AGAIN


@pytest.mark.slow
def test_a_picture_of_the_documentation_shows_the_present_game() -> None:
    """The quickest of them; quality.json guards the games of the others."""
    said = MEDIA["heart.gif"]
    result = tp.print_picture(ROOT / said["picture"])
    assert (result.drops, str(result.task.board)) == (said["drops"], said["board"]), AGAIN


def test_no_recorded_print_is_shorter_than_the_ready_plan() -> None:
    recorded = {Path(one["picture"]).stem: one["drops"] for one in MEDIA.values()}
    for case, found in quality.recorded()["auto"].items():
        name = case.removesuffix(", any board")
        if (PLANS / f"{name}.txt").is_file() and found.drops is not None:
            recorded[name] = min(found.drops, recorded.get(name, found.drops))
    assert len(recorded) > 10
    for name, drops in recorded.items():
        ready = tp.read_plan(PLANS / f"{name}.txt")
        assert len(ready) <= drops, f"scripts/plans {name} makes a shorter ready plan"


def test_a_sentence_that_names_a_number_of_drops_is_not_old() -> None:
    assert f"a heart in {MEDIA['heart.gif']['drops']} drops" in (
        ROOT / "docs" / "watching.md"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.png")), ids=lambda path: path.stem)
def test_an_example_is_printed_as_it_is(path: Path) -> None:
    converted = find_source(path).read(Conversion(defaults=find_default_limits(None, None)))
    assert not [step for step in converted.steps if step.setting in (Setting.FIT, Setting.COLORS)]
    assert max(converted.picture.width, converted.picture.height) <= 48
    plan = tp.read_plan(PLANS / f"{path.stem}.txt")
    left = tp.play(plan).field
    assert squares(make_field_picture(plan, left), plan) == squares(converted.picture, plan)
    assert f"`{path.name}`" in (EXAMPLES / "README.md").read_text()
