"""What notebooks show."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

from tests.render.plans import random_plan
from tetrisprinter.game.plan import Plan
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.tables import read_emitters
from tetrisprinter.render.notebook import packings_html

SVG = "{http://www.w3.org/2000/svg}"
PACKING = "DDEEC\nDDEEC\nAABBC\nAABBC"


def test_a_plan_shows_its_picture_and_its_figures() -> None:
    plan = random_plan(10, 20, 30, seed=1)
    page = plan._repr_html_()
    assert f"{len(plan)} drops" in page
    found = re.search(r"base64,([^\"]+)", page)
    assert found is not None
    image = Image.open(io.BytesIO(base64.b64decode(found[1])))
    assert image.size == (80, 160)
    assert plan._repr_png_() == base64.b64decode(found[1])


def test_a_plan_that_cannot_be_played_says_so() -> None:
    plan = Plan.parse("board 4x6 I=ff0000\n\n" + "A...\n" * 4 + "\n" + "A...\n" * 4)
    assert "tops out at drop 2" in plan._repr_html_()
    assert plan._repr_png_() is None


def areas(path: str) -> float:
    """The area that an SVG path of straight lines encloses."""
    total = 0.0
    for loop in re.findall(r"M([^Z]*)Z", path):
        points = [tuple(map(float, p.split())) for p in loop.split(" L")]
        total += sum(
            (x0 * y1 - x1 * y0) / 2
            for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True)
        )
    return abs(total)


@pytest.mark.parametrize("presets", [0, 1])
def test_a_packing_is_drawn_piece_by_piece(presets: int) -> None:
    packing = Packing.parse(PACKING, presets)
    root = ET.fromstring(packing._repr_svg_())
    paths = root.findall(f"{SVG}path")
    assert len(paths) == 5
    assert all(areas(path.attrib["d"]) == 4 * 22 * 22 for path in paths)
    letters = [text.text for text in root.findall(f"{SVG}text")]
    assert letters == list("ABCDE")
    fills = [path.attrib["fill"] for path in paths]
    assert len(set(fills)) == 2 + presets  # O and I, and grey


def test_a_shipped_table_shows_itself() -> None:
    table = read_emitters(Path(__file__).parents[2] / "patterns" / "emitters6.txt", 6)
    assert "84 packings" in table._repr_html_()


def test_a_table_shows_its_first_packings() -> None:
    packing = Packing.parse(PACKING)
    page = packings_html([packing] * 20, most=3)
    assert page.count("<svg ") == 3
    assert "20 packings" in page
