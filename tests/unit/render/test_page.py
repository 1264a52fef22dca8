"""The page: played in a headless Chromium, compared with the game pixel by pixel."""

import base64
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.support.browser import BrowserPage
from tests.support.plans import make_long_plan, make_random_plan
from tests.support.waiting import wait_until
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.api.slideshows import (
    continue_game,
    make_clock_tasks,
    make_slideshow_tasks,
    plan_slideshow,
)
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play, play_through
from tetrisprinter.game.steering import IllegalMoveError, play_by_guideline
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.pictures.text import parse_minutes
from tetrisprinter.render.page import make_page
from tetrisprinter.render.paint import Look, Style, choose_display_colors
from tetrisprinter.render.still import draw_png
from tetrisprinter.support.options import Limit


class Page(BrowserPage):
    """The player's page in the browser."""

    def open(self, plan: Plan, fragment: str = "", **options: Any) -> None:
        """Write the page of a plan and load it, without what an earlier page stored."""
        self.path.write_text(make_page(plan, **{"autoplay": False, **options}))
        if self.tab.url.startswith("file:"):
            self.js("localStorage.clear()")
        self.visit(self.path.as_uri() + fragment)

    def prefer(self, **features: str) -> None:
        """Emulate preferences of the user's system; without arguments reset them."""
        self.tab.emulate_media(
            color_scheme=features.get("color_scheme", "null"),
            reduced_motion=features.get("reduced_motion", "null"),
        )

    @property
    def drop(self) -> int:
        return int(self.text("n-drop"))

    def pixels(self) -> NDArray[np.uint8]:
        """Return the colours of the board's pixels, by row, column and channel."""
        url = self.js("return document.getElementById('board').toDataURL()")
        image = Image.open(io.BytesIO(base64.b64decode(url.split(",")[1])))
        return np.asarray(image.convert("RGB"))

    def frames(self, count: int) -> None:
        """Wait until the browser has drawn some frames; the player moves with them."""
        self.frame.evaluate(
            "count => new Promise(done => { let n = 0;"
            "const next = () => n++ < count ? requestAnimationFrame(next) : done();"
            "next() })",
            count,
        )


def play_drops(plan: Plan, drops: int) -> Playfield:
    """Return the field after the first drops of a plan."""
    field = plan.make_field()
    for drop in play(plan, field):
        if drop.index + 1 == drops:
            break
    return field if drops else plan.make_field()


def assert_shows(page: Page, plan: Plan, drops: int) -> None:
    """Assert that the middle of every square shows the field after some drops."""
    field_color = plan.background or "000000"
    colors = {
        0: field_color,
        **{int(k): c for k, c in choose_display_colors(plan, field_color).items()},
    }
    pixels = page.pixels()
    scale = pixels.shape[1] // plan.width
    assert pixels.shape == (plan.height * scale, plan.width * scale, 3)
    rows = play_drops(plan, drops).rows
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            middle = pixels[(plan.height - 1 - y) * scale + scale // 2, x * scale + scale // 2]
            assert middle.tobytes().hex() == colors[value], (drops, x, y)


def set_slider(page: Page, name: str, value: int) -> None:
    """Move a slider of the page as a user would."""
    page.js(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event('input'))",
        name,
        value,
    )


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    page = Page(browser, tmp_path_factory.mktemp("page") / "page.html")
    page.size(1000, 760)
    yield page
    page.close()


# Clears rows, leaves squares of uncoloured types to hide at the end, has many passes.
PLAN = make_random_plan(8, 18, 60, seed=11)
ENDS = [0, *np.cumsum([len(pass_.pieces) for pass_ in PLAN.passes]).tolist()]
"""The number of drops before the first pass and at the end of each."""

PLAY_LABEL = "return document.getElementById('play').ariaLabel"


def page_data(plan: Plan, **options: Any) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', make_page(plan, **options))
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


TOWER = "board 10x4 I=ff0000 O=00ff00\n\n" + ".......A..\n" * 4 + "\n" + "........AA\n" * 2


def assert_shows_picture(
    page: Page, plan: Plan, style: Style = "plain", grid: bool = False
) -> None:
    """Compare all pixels with the still picture of what the game leaves."""
    pixels = page.pixels()
    look = Look(pixels.shape[1] // plan.width, style, grid, field=plan.background or "000000")
    still = draw_png(make_field_picture(plan, play_through(plan).field), look=look)
    assert np.array_equal(pixels, np.asarray(Image.open(io.BytesIO(still))))


def test_the_page_is_told_the_keys_of_today_s_rules() -> None:
    plan = Plan(PLAN.passes, PLAN.colors, PLAN.width, 24)  # room to spawn above
    keys = page_data(plan, rules="srs")["keys"]
    assert keys == [" ".join(moved.keys) for moved in play_by_guideline(plan)]
    assert "keys" not in page_data(PLAN)
    column = "\n" + "....A....\n" * 4
    tower = Plan.parse("board 9x10 I=ff0000\n" + 2 * column + "\nAAAA.....\n")
    with pytest.raises(IllegalMoveError, match="drop 3 of 3"):
        make_page(Plan(tower.passes, tower.colors, 9, 9), rules="srs")


def test_the_page_is_told_the_unusual_ways() -> None:
    assert page_data(make_long_plan(200))["detours"] == {}
    # A tower up to the top: the second piece has to enter above the board.
    assert page_data(Plan.parse(TOWER))["detours"] == {"1": [2, "rrrr"]}


@pytest.mark.parametrize(("bevel", "grid", "ratio"), [(False, False, 1.5), (True, True, 1)])
def test_the_end_is_the_picture_pixel_by_pixel(
    page: Page, bevel: bool, grid: bool, ratio: float
) -> None:
    page.size(1000, 760, ratio)
    page.open(PLAN, look=Look(8, "bevel" if bevel else "plain", grid))
    page.click("end")
    assert_shows_picture(page, PLAN, "bevel" if bevel else "plain", grid)
    page.size(1000, 760)


def test_what_has_the_background_s_colour_is_not_told_from_it(page: Page) -> None:
    left = {v for row in play_through(PLAN).field.rows for v in row}
    seen = [(piece, color) for piece, color in PLAN.colors if piece in left]
    assert len(seen) > 1
    plan = replace(PLAN, background=seen[0][1])
    page.open(plan)
    page.click("end")
    assert_shows_picture(page, plan)
    # While it is played, a line tells where such a piece lies.
    page.click("back")
    assert_shows(page, plan, page.drop)
    squares, s = tiles(page, plan)
    rows = play_drops(plan, page.drop).rows[::-1]
    unseen = [
        squares[y, x] for y, row in enumerate(rows) for x, v in enumerate(row) if v == seen[0][0]
    ]
    assert unseen
    for square in unseen:
        assert (square[:, 0] != square[s // 2, s // 2]).any(axis=1).all()


@pytest.mark.parametrize("plan", [PLAN, make_long_plan(130)])
def test_any_drop_can_be_sought(page: Page, plan: Plan) -> None:
    page.open(plan)
    for drops in (0, 1, 63, 64, 65, 3, len(plan) - 1):
        drops = min(drops, len(plan) - 1)
        set_slider(page, "seek", drops)
        assert page.drop == drops
        assert_shows(page, plan, drops)


def test_buttons_and_counters(page: Page) -> None:
    page.open(PLAN)
    game = play_through(PLAN)
    assert page.drop == 0
    for button, drop in (
        *(("step", 1), ("step", 2), ("back", 1), ("pass-on", ENDS[1]), ("pass-on", ENDS[2])),
        *(("pass-back", ENDS[1]), ("end", len(PLAN)), ("pass-back", ENDS[-2]), ("start", 0)),
    ):
        page.click(button)
        assert page.drop == drop, button
        if drop == 2:
            assert_shows(page, PLAN, 2)
        if button == "end":
            assert int(page.text("n-line")) == game.lines > 0
            assert page.text("n-row") == "done"
    assert page.text("of-drop") == f"of {len(PLAN)}"
    assert page.text("of-pass") == f"of {len(PLAN.passes)}"


def test_keyboard_and_sliders(page: Page) -> None:
    page.open(PLAN)
    for key, drop in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("ArrowUp", ENDS[1]),
        ("PageUp", ENDS[2]),
        ("ArrowDown", ENDS[1]),
        ("End", len(PLAN)),
        ("Home", 0),
    ):
        page.press(key)
        assert page.drop == drop, key
    for number, end in enumerate(ENDS[:-1]):
        set_slider(page, "seek-pass", number)
        assert (page.drop, page.text("n-pass")) == (end, str(number + 1))
    before = page.text("speed-text")
    page.press("+")
    assert page.text("speed-text") != before
    page.press("-")
    assert page.text("speed-text") == before
    pressed = "return document.getElementById(arguments[0]).getAttribute('aria-pressed')"
    assert page.js(pressed, "sound") == "false", "off until it is asked for"
    for key, name in (("b", "bevel"), ("g", "grid")):
        assert page.js(pressed, name) == "false"
        page.press(key)
        assert page.js(pressed, name) == "true"


def test_plays_and_pauses(page: Page) -> None:
    plan = make_long_plan(1000)
    page.open(plan)
    set_slider(page, "speed", 60)
    assert page.js(PLAY_LABEL) == "Play"
    page.press(" ")
    assert page.js(PLAY_LABEL) == "Pause"
    wait_until(lambda: page.drop >= 3)
    page.press(" ")
    assert page.js(PLAY_LABEL) == "Play"
    stopped = page.drop
    page.frames(12)
    assert page.drop == stopped
    page.press(" ")
    wait_until(lambda: page.drop > stopped)


def test_stops_at_the_end_with_the_picture(page: Page) -> None:
    page.open(PLAN)
    set_slider(page, "speed", 100)
    page.click("play")
    wait_until(lambda: page.drop == len(PLAN))
    assert page.js(PLAY_LABEL) == "Play"
    assert_shows_picture(page, PLAN)


def tiles(page: Page, plan: Plan) -> tuple[NDArray[np.uint8], int]:
    """Return the pixels of every square: from the top row down, from the left."""
    pixels = page.pixels()
    s = pixels.shape[1] // plan.width
    cut = pixels[: plan.height * s, : plan.width * s]
    return cut.reshape(plan.height, s, plan.width, s, 3).transpose(0, 2, 1, 3, 4), s


def test_the_piece_just_laid_is_marked_and_the_next_one_shown_where_it_lands(page: Page) -> None:
    page.size(1000, 760, 2)
    page.open(PLAN)
    colors = choose_display_colors(PLAN)
    drops = list(play(PLAN, Playfield(PLAN.width, PLAN.height)))
    for number in (1, 2, 7, len(PLAN) - 1):
        laid, coming = drops[number - 1].landing, drops[number].landing
        page.js("location.hash = '#drop=' + arguments[0]", number)
        wait_until(lambda: page.drop == number, "following #drop")  # noqa: B023
        shown_, s = tiles(page, PLAN)
        marked, ghosts = set(), set()
        hollow = tuple(bytes.fromhex(colors[coming.orientation.piece]))
        for y in range(PLAN.height):
            for x in range(PLAN.width):
                tile = shown_[PLAN.height - 1 - y, x]
                edges = [tile[0, s // 2], tile[-1, s // 2], tile[s // 2, 0], tile[s // 2, -1]]
                if any(tuple(edge) == (255, 255, 255) for edge in edges):
                    marked.add((x, y))
                if not tile[s // 2, s // 2].any() and any(tuple(e) == hollow for e in edges):
                    ghosts.add((x, y))
        assert ghosts == set(coming.cells)
        if not laid.cleared:
            assert marked == set(laid.cells) - ghosts
    page.click("end")
    assert (page.pixels() != 255).any(axis=2).all(), "the picture has no marks"
    page.size(1000, 760)


def test_pieces_of_one_colour_are_told_apart(page: Page) -> None:
    plan = Plan.parse("board 8x8 I=ff0000\n\n" + "AAAA....\n\n" * 4)
    for look, parted in ((Look(8), True), (Look(8, "flat"), False)):
        page.open(plan, "#drop=3", look=look)
        shown_, s = tiles(page, plan)
        for x in range(4):
            lowest, above = shown_[-1, x], shown_[-2, x]
            assert (lowest[0, s // 2] != lowest[s // 2, s // 2]).any() == parted
            assert (above[0, s // 2] != above[s // 2, s // 2]).any() == parted
            assert (lowest[s // 2, 0] == lowest[s // 2, s // 2]).all(), "within a piece"


def test_what_was_chosen_is_remembered(page: Page) -> None:
    page.open(PLAN)
    page.press("b")
    page.press("g")
    set_slider(page, "speed", 30)
    theme = "return document.documentElement.dataset.theme"
    page.press("t")
    chosen = page.js(theme), page.text("speed-text")
    page.reload()
    assert (page.js(theme), page.text("speed-text")) == chosen
    for name in ("bevel", "grid"):
        assert page.js(f"return document.getElementById('{name}').ariaPressed") == "true"


def test_a_link_leads_to_the_drop_and_the_board_is_saved(page: Page, tmp_path: Path) -> None:
    page.open(PLAN, title="A print!")
    for _ in range(3):
        page.click("step")
    page.click("link")
    assert page.js("return location.hash") == "#drop=3"
    wait_until(lambda: "drop 3" in page.text("note"), "a note")
    with page.tab.expect_download() as download:
        page.click("save")
    assert download.value.suggested_filename == "A-print-3.png"
    download.value.save_as(tmp_path / "saved.png")
    saved = np.asarray(Image.open(tmp_path / "saved.png").convert("RGB"))
    assert np.array_equal(saved, page.pixels())


def test_a_piece_is_seen_on_its_way(page: Page) -> None:
    page.open(PLAN, "#drop=5")
    settled = page.pixels()
    set_slider(page, "speed", 0)
    page.click("play")
    scale = settled.shape[1] // PLAN.width

    def differing() -> int:
        return int((page.pixels() != settled).any(axis=2).sum())

    wait_until(lambda: differing() >= 3 * scale**2, "all of the piece")
    page.click("play")
    # Four squares of the piece, and the outline of where it will land.
    assert 3 * scale**2 <= differing() <= 6 * scale**2
    assert page.drop == 5
    page.click("back")
    assert np.array_equal(page.pixels(), settled)


def test_an_unusual_way_is_played(page: Page) -> None:
    plan = Plan.parse(TOWER)
    page.open(plan, "#drop=1")
    set_slider(page, "speed", 30)
    page.click("play")
    wait_until(lambda: page.drop == 2)
    assert_shows(page, plan, 2)


def test_begins_by_itself_unless_motion_is_unwelcome(page: Page) -> None:
    page.open(PLAN, autoplay=True)
    wait_until(lambda: page.drop > 0)
    page.prefer(reduced_motion="reduce")
    page.open(PLAN, autoplay=True)
    page.frames(30)
    assert page.drop == 0
    page.prefer()


@pytest.mark.parametrize("size", [(390, 844), (312, 568), (844, 390), (1040, 700)])
def test_fits_any_screen(page: Page, size: tuple[int, int]) -> None:
    page.size(*size, 2, phone=True)
    page.open(make_random_plan(21, 42, 100, 2))
    small = ("board", "seek", "seek-pass", "speed")
    page.assert_fits(size, "button, input, #board", 32, small)
    board = page.js("return document.getElementById('board').getBoundingClientRect().height")
    assert board > 0.5 * size[1]
    # No label runs over two lines, and everything in a card lies inside of it.
    broken = page.js(
        "return [...document.querySelectorAll('dt, dd, button, label, output, .card h2')].filter("
        "e => e.offsetHeight && !e.querySelector('svg')).filter(e => { const r = "
        "document.createRange(); r.selectNodeContents(e); return new Set([...r.getClientRects()]"
        ".filter(q => q.width).map(q => Math.round(q.bottom / 8))).size > 2})"
        ".map(e => e.textContent)"
    )
    assert broken == []
    outside = page.js(
        "return [...document.querySelectorAll('.card')].flatMap(card => {"
        "const b = card.getBoundingClientRect();"
        "return [...card.querySelectorAll('canvas, dt, dd')].filter(e => e.offsetWidth && "
        "(r => r.left < b.left || r.right > b.right + .5 || "
        "r.top < b.top || r.bottom > b.bottom + .5)(e.getBoundingClientRect()))"
        ".map(e => e.id || e.textContent)})"
    )
    assert outside == []
    page.size(1000, 760)


def test_everything_has_a_name(page: Page) -> None:
    page.open(PLAN)
    nameless = page.js(
        "return [...document.querySelectorAll('button, input, canvas')].filter(e =>"
        "!(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)"
        ")).map(e => e.id)"
    )
    assert nameless == []
    page.click("step")
    assert "drop 1 of" in page.text("status")
    assert page.js("return document.getElementById('board').getAttribute('aria-label')") == (
        f"The board after drop 1 of {len(PLAN)}"
    )


def test_a_plan_of_no_drop(page: Page) -> None:
    page.open(Plan((), (), 6, 8))
    page.press(" ")
    page.press("n")
    assert page.drop == 0
    assert not page.pixels().any()


def test_a_notebook_s_player_plays_in_its_frame(page: Page) -> None:
    page.size(1000, 760)
    page.path.write_text("<!doctype html><meta charset=utf-8>" + PLAN._repr_html_())
    page.visit(page.path.as_uri())
    page.frame = page.tab.frames[1]
    try:
        wait_until(lambda: page.pixels().shape[0] >= PLAN.height)
        page.click("end")
        assert_shows_picture(page, PLAN)
    finally:
        page.frame = page.tab


def test_is_small_and_self_contained() -> None:
    page = make_page(make_long_plan(1000), title="A thousand drops")
    assert len(make_page(Plan((), (), 4, 4)).encode()) < 200_000
    assert len(page.encode()) < 200_000
    assert "http" not in page.replace("http-equiv", "")
    assert not re.search(r"<(script|img|iframe)[^>]+src=|@import|url\(", page)


def test_nothing_in_a_title_can_break_out() -> None:
    title = "</title><script>alert('1')</script>{{data}}"
    assert "<script>alert" not in make_page(PLAN, title=title)
    assert page_data(PLAN, title=title)["width"] == PLAN.width


_RECORD = """
const drop = document.getElementById("n-drop"); window.seen = [];
const look = now => {
  const at = +drop.textContent;
  if (!seen.length || seen[seen.length - 1][0] !== at) seen.push([at, now]);
  requestAnimationFrame(look);
};
look(performance.now());
"""


@cache
def film_plan(*, loop: bool = False, over: bool = False) -> Plan:
    first, second = Picture.parse("r..r\nrrrr", "first"), Picture.parse("bb\n.b\nrb", "second")
    tasks, _ = make_slideshow_tasks([first, second], PictureRequest.of({"board": "9x12"}))
    limit = Limit(workers=1, effort=0.1)
    if not over:
        return plan_slideshow(tasks, loop=loop, limit=limit).plan
    _, _, lies = continue_game(plan_slideshow(tasks[:1], limit=limit).plan, [second])
    return plan_slideshow([tasks[1], tasks[1]], start=lies, limit=limit).plan


@pytest.mark.slow
@pytest.mark.parametrize("over", [False, True])
def test_a_film_holds_each_picture_and_ends(page: Page, over: bool) -> None:
    plan = film_plan(over=over)
    stop = plan.stops[0]
    assert (stop < len(plan)) != over  # the same picture again takes no drop
    page.open(plan, hold=0.8)
    assert_shows(page, plan, 0)
    page.js(_RECORD)
    set_slider(page, "speed", 100)
    page.press(" ")
    if not over:
        wait_until(lambda: page.drop == stop)
        assert_shows(page, plan, stop)
    wait_until(lambda: page.drop == len(plan))
    assert_shows(page, plan, len(plan))
    page.frames(60)  # longer than a picture stands
    assert page.drop == len(plan)
    since = dict(page.js("return seen"))
    later = [moment for drop, moment in since.items() if drop > stop]
    assert over or min(later) - since[stop] >= 780


def test_the_picture_so_far_is_that_of_the_next_stop(page: Page) -> None:
    """In full colour what is printed, paler what is to come, of the picture being printed."""
    plan = film_plan()
    middles = (
        "const c = document.getElementById('picture'), d = c.getContext('2d');"
        "const s = c.height / arguments[0], bar = (c.width - arguments[1] * s) / 2;"
        "return [...Array(arguments[0]).keys()].map(y => [...Array(arguments[1]).keys()].map(x =>"
        "[...d.getImageData(bar + (x + .5) * s, c.height - (y + .5) * s, 1, 1).data.slice(0, 3)]))"
    )
    for drops, number in ((plan.stops[0], 0), (plan.stops[0] + 1, 1), (len(plan), 1)):
        page.open(plan, f"#drop={drops}")
        ends = [play_drops(plan, stop) for stop in plan.stops]
        used = [x for end in ends for row in end.used_rows for x, v in enumerate(row) if v]
        left, right = min(used), max(used) + 1
        high = max(len(end.used_rows) for end in ends)
        wanted = [[bool(v) for v in row[left:right]] for row in ends[number].rows[:high]]
        seen = page.js(middles, high, right - left)
        assert [[any(color) for color in row] for row in seen] == wanted, drops
        if drops in plan.stops:
            assert all(max(color) > 150 for row in seen for color in row if any(color))


def test_a_film_that_loops_begins_again(page: Page) -> None:
    plan = film_plan(loop=True)
    page.open(plan, hold=0.3)
    page.js(_RECORD)
    set_slider(page, "speed", 100)
    page.press(" ")
    wait_until(lambda: page.js("return seen.filter(one => one[0] === arguments[0]).length > 1",
                               len(plan)), "the end, twice")  # fmt: skip
    page.press(" ")
    assert_shows(page, plan, page.drop)


_AT = """
const [hours, minutes, seconds] = arguments, real = window.realNow || Date.now;
window.realNow = real;
const then = new Date(2024, 0, 10, hours, minutes, seconds).getTime();
Date.now = () => then;
"""


@pytest.mark.slow
def test_a_clock_follows_the_time_of_day(page: Page) -> None:
    limit = Limit(workers=1, effort=0.02)
    plan = plan_slideshow(make_clock_tasks(parse_minutes("09:58"), 3), limit=limit).plan
    first, second, last = plan.stops
    page.open(plan, first_minute=parse_minutes("09:58"))
    page.js(_AT, 9, 58, 10)
    page.press(" ")
    for time, least, most in (
        ((9, 58, 20), first, first),
        ((9, 58, 56), first + 1, second - 1),
        ((9, 59, 0), second, second),
        ((9, 59, 57), second + 1, last - 1),
        ((10, 0, 30), last, last),
        ((9, 58, 5), first, first),
        ((23, 0, 0), last, last),
        ((9, 57, 59), last, last),
    ):
        page.js(_AT, *time)
        wait_until(lambda: least <= page.drop <= most, f"{time}", 100)  # noqa: B023
        if least == most:
            page.frames(3)
            assert_shows(page, plan, least)
