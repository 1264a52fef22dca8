"""What notebooks show."""

import html
import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

from tests.support.plans import make_random_plan
from tests.support.processes import run_python
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.packings.problem import Packing
from tetrisprinter.packings.tables import read_emitter_table
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.render.page import make_page
from tetrisprinter.render.still import draw_packings_html

SVG = "{http://www.w3.org/2000/svg}"
PACKING = "DDEEC\nDDEEC\nAABBC\nAABBC"


def pixels(png: bytes | None) -> Image.Image:
    assert png is not None
    return Image.open(io.BytesIO(png)).convert("RGBA")


def test_a_plan_shows_a_player_and_its_figures() -> None:
    plan = make_random_plan(10, 20, 30, seed=1)
    shown_as = plan._repr_html_()
    assert f"{len(plan)} drops" in shown_as
    assert len(shown_as) < 60_000
    frame = re.search(r'<iframe sandbox="allow-scripts" .*? srcdoc="([^"]*)">', shown_as, re.S)
    assert frame is not None
    assert html.unescape(frame[1]) == make_page(plan, autoplay=False)


def test_a_plan_a_game_and_a_picture_show_what_is_left() -> None:
    plan = make_random_plan(10, 20, 30, seed=1)
    game = play_through(plan)
    picture = make_field_picture(plan, game.field)
    assert repr(plan) == f"<Plan {len(plan)} drops, {len(plan.passes)} passes on 10x20>"
    assert repr(game) == f"<Game {len(plan)} drops, {game.lines} lines on 10x20>"
    assert repr(picture) == "<Picture 10x20 of 3 colours>"
    images = pixels(plan._repr_png_()), pixels(game._repr_png_()), pixels(picture._repr_png_())
    assert {image.size for image in images} == {(80, 160)}
    black = (0, 0, 0, 255)
    for y in range(20):
        for x in range(10):
            of_plan, of_game, of_picture = (
                image.getpixel((8 * x + 4, 8 * (19 - y) + 4)) for image in images
            )
            color = picture.rows[y][x]
            wanted = (*bytes.fromhex(color), 255) if color else None
            assert of_plan == (wanted or black)
            assert of_picture == (wanted or (0, 0, 0, 0))
            assert (of_game == black) == (game.field[x, y] == 0)


def test_a_plan_shows_itself_though_nothing_that_draws_is_loaded() -> None:
    code = (
        "import sys; from tetrisprinter.game.plan import Plan\n"
        "assert not any('render' in name for name in sys.modules)\n"
        "print(Plan.parse('board 4x4\\n\\nAAAA')._repr_html_())"
    )
    done = run_python("-c", code)
    assert done.stdout.startswith("<figure"), done.stderr


def test_a_photograph_is_drawn() -> None:
    colors = tuple(f"{i:06x}" for i in range(100))
    drawn = pixels(Picture((colors, (*colors[1:], None)))._repr_png_())
    assert drawn.size == (400, 8)
    assert [drawn.getpixel((4 * i + 1, 5))[:3] for i in range(100)] == [  # type: ignore[index]
        tuple(bytes.fromhex(color)) for color in colors
    ]
    assert drawn.getpixel((399, 0)) == (0, 0, 0, 0)
    assert Picture(())._repr_png_() is None


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
    table = read_emitter_table(
        Path(__file__).resolve().parents[3] / "patterns" / "emitters6.txt", 6
    )
    assert "84 packings" in table._repr_html_()
    assert draw_packings_html(table, max_shown=3).count("<svg ") == 3
