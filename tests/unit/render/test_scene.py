"""The scene for streams, in a browser: what it shows, and the plans that it gets by messages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import open_page
from tests.support.plans import make_loop, make_random_plan
from tests.support.waiting import wait_until
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render import Rendering, save

ROOT = Path(__file__).parents[3]
PLAN = Plan.parse("board 6x8 O=ff0000 T=00ff00\n\n..CC..\n..CC.B\nAAAABB\n.....B\n")
PLAY = """text => {
  begin(text);
  for (const drop of game.drops) { land(drop); clearRows(); }
  const last = rows;
  restart();
  return last;
}"""


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    with open_page(browser, home="file:") as opened:
        yield opened


@pytest.fixture
def page(tab: Any, tmp_path: Path) -> Any:
    """The scene of the plan, just loaded."""
    save(PLAN, tmp_path / "scene.html", Rendering(transparent=True))
    tab.set_viewport_size({"width": 600, "height": 500})
    tab.goto((tmp_path / "scene.html").as_uri())
    return tab


def read_colors(page: Any, plan: Plan) -> dict[tuple[int, int], str]:
    """The colours of all squares, read in their middles; transparent ones are left out."""
    found = page.evaluate(
        """() => {
          const side = Math.floor(Math.min(canvas.width / game.width, canvas.height / game.rows));
          const edge = Math.floor((canvas.width - side * game.width) / 2);
          const floor = Math.floor((canvas.height + side * game.rows) / 2);
          const seen = [];
          for (let y = 0; y < game.rows; y++) for (let x = 0; x < game.width; x++) {
            const at = [edge + (x + 0.5) * side, floor - (y + 0.5) * side];
            const [r, g, b, alpha] = pen.getImageData(...at, 1, 1).data;
            const color = [r, g, b].map(c => c.toString(16).padStart(2, "0")).join("");
            if (alpha) seen.push([x, y, color]);
          }
          return seen;
        }"""
    )
    return {(x, y): color for x, y, color in found}


def show_end(page: Any) -> None:
    """Show the finished picture at once and for long."""
    page.evaluate("() => { restart(); hold = 1000; while (phase !== 'hold') advance(); draw(); }")


def test_it_is_transparent_where_the_board_is_empty(page: Any) -> None:
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgba(0, 0, 0, 0)"
    assert page.locator("button, a, input").count() == 0
    show_end(page)
    picture = make_field_picture(PLAN, play_through(PLAN).field)
    assert read_colors(page, PLAN) == picture.cells()
    page.set_viewport_size({"width": 200, "height": 900})
    page.evaluate("draw()")
    assert page.evaluate("[canvas.width, canvas.height]") == [200, 900]
    assert read_colors(page, PLAN) == picture.cells()


def test_it_plays_by_itself_and_again(page: Any) -> None:
    page.evaluate("hold = 0.2")
    for state in ("playing", "finished", "playing"):
        wait_until(lambda: page.evaluate("document.body.dataset.state") == state)  # noqa: B023
    wait_until(lambda: page.evaluate("landed") == 1)
    assert page.evaluate("rows.flat().filter(Boolean).length") == 4


def test_it_plays_a_plan_that_comes_by_a_message(page: Any) -> None:
    other = make_random_plan(9, 20, 25, seed=2)
    page.evaluate("postMessage({plan: 'no plan'}, '*')")
    page.evaluate("plan => postMessage({plan, hold: 9}, '*')", str(other))
    wait_until(lambda: page.evaluate("[game.width, hold]") == [9, 9])
    show_end(page)
    picture = make_field_picture(other, play_through(other).field)
    assert read_colors(page, other) == picture.cells()


def test_it_reads_every_plan(page: Any) -> None:
    plans = [Plan.read(path) for path in sorted((ROOT / "examples" / "plans").glob("*.txt"))[:6]]
    plans += [make_random_plan(7 + seed, 24, 200, seed) for seed in range(3)]
    plans += [make_loop(), Plan.read(ROOT / "tests" / "acceptance" / "heart-plan.txt")]
    for plan in plans:
        rows = page.evaluate(PLAY, str(plan))
        game = play_through(plan)
        wanted = [
            ["" if not value else ".IJLOSTZG"[value] for value in row]
            for row in game.field.used_rows
        ]
        assert rows == wanted
        assert page.evaluate("[...game.stops]") == list(plan.stops)
