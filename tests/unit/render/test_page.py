"""The page: played in a headless Chromium, compared with the game pixel by pixel."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.support.pages import Page, assert_shows, play_drops, set_slider, set_speed
from tests.support.plans import make_long_plan, make_random_plan
from tests.support.waiting import wait_until
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play, play_through
from tetrisprinter.game.srs import play_by_guideline
from tetrisprinter.game.steering import IllegalMoveError
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render.page import make_page
from tetrisprinter.render.paint import Look, Style, choose_display_colors
from tetrisprinter.render.still import draw_png

# Clears rows, leaves squares of uncoloured types to hide at the end, has many passes.
PLAN = make_random_plan(8, 18, 60, seed=11)
ENDS = [0, *np.cumsum([len(pass_.pieces) for pass_ in PLAN.passes]).tolist()]
"""The number of drops before the first pass and at the end of each."""

PLAY_LABEL = "return document.getElementById('play').ariaLabel"


def page_data(plan: Plan) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', make_page(plan))
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
    said = make_page(plan, rules="srs")
    keys = json.loads(re.findall(r'id="data">(.*?)</script>', said)[0])["keys"]
    assert keys == [" ".join(moved.keys) for moved in play_by_guideline(plan)]
    assert '"keys":' not in re.findall(r'id="data">(.*?)</script>', make_page(PLAN))[0]
    column = "\n" + "....A....\n" * 4
    tower = Plan.parse("board 9x10 I=ff0000\n" + 2 * column + "\nAAAA.....\n")
    with pytest.raises(IllegalMoveError, match="drop 3 of 3"):
        make_page(Plan(tower.passes, tower.colors, 9, 9), rules="srs")


def test_the_page_is_told_the_unusual_ways() -> None:
    assert page_data(make_long_plan(200))["detours"] == {}
    # A tower up to the top: the second piece has to enter above the board.
    assert page_data(Plan.parse(TOWER))["detours"] == {"1": [2, "rrrr"]}


@pytest.mark.parametrize(
    ("bevel", "grid", "ratio"),
    [(False, False, 1), (True, False, 1.5), (False, True, 3), (True, True, 1)],
)
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


@pytest.mark.parametrize(
    "plan",
    [PLAN, make_random_plan(21, 42, 150, 2), make_long_plan(130), make_random_plan(5, 9, 20, 3)],
)
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


def test_seek_by_pass(page: Page) -> None:
    page.open(PLAN)
    for number in range(len(PLAN.passes)):
        set_slider(page, "seek-pass", number)
        assert page.drop == ENDS[number]
        assert page.text("n-pass") == str(number + 1)


def test_tells_which_picture_rows_a_pass_prints(page: Page) -> None:
    """Against the rows found by following every square through the game."""
    page.open(PLAN)
    field: dict[tuple[int, int], tuple[int, int]] = {}
    playfield = Playfield(PLAN.width, PLAN.height)
    for drop in play(PLAN, playfield):
        for cell in drop.landing.cells:
            field[cell] = (drop.pass_index, drop.landing.orientation.piece)
        for row in reversed(drop.landing.cleared):
            field = {(x, y - (y > row)): v for (x, y), v in field.items() if y != row}
    visible = {piece for piece, _ in PLAN.colors}
    for number in range(len(PLAN.passes)):
        rows = {y + 1 for (_, y), (p, piece) in field.items() if p == number and piece in visible}
        page.js("location.hash = '#drop=' + arguments[0]", ENDS[number])
        page.reload()
        low, high = min(rows, default=0), max(rows, default=0)
        one = f"row {low}" if low == high else f"rows {low}–{high}"
        assert page.text("n-row") == (one if rows else "support")


def test_keyboard(page: Page) -> None:
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
    before = page.text("speed-text")
    page.press("+")
    assert page.text("speed-text") != before
    page.press("-")
    assert page.text("speed-text") == before
    pressed = "return document.getElementById(arguments[0]).getAttribute('aria-pressed')"
    for key, name in (("b", "bevel"), ("g", "grid")):
        assert page.js(pressed, name) == "false"
        page.press(key)
        assert page.js(pressed, name) == "true"


def test_plays_and_pauses(page: Page) -> None:
    plan = make_long_plan(1000)
    page.open(plan)
    set_speed(page, 60)
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


@pytest.mark.parametrize("slider", [60, 100])
def test_stops_at_the_end_with_the_picture(page: Page, slider: int) -> None:
    page.open(PLAN)
    set_speed(page, slider)
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


def test_space_plays_after_a_click_and_the_slider_of_one_pass_is_not_there(page: Page) -> None:
    page.open(PLAN)
    page.click("step")
    page.click("grid")
    page.click("grid")
    page.press(" ")
    assert page.js(PLAY_LABEL) == "Pause"
    page.press(" ")
    hidden = "return document.getElementById('seek-pass').hidden"
    assert not page.js(hidden)
    page.open(Plan(PLAN.passes[:1], PLAN.colors, PLAN.width, PLAN.height))
    assert page.js(hidden)


def test_what_was_chosen_is_remembered(page: Page) -> None:
    page.open(PLAN)
    page.press("b")
    page.press("g")
    set_speed(page, 30)
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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_rows_that_are_printed_are_marked(page: Page, theme: str) -> None:
    page.prefer(color_scheme=theme)
    page.open(PLAN)
    rows = page.js(
        "const c = document.getElementById('picture'), d = c.getContext('2d')"
        ".getImageData(0, 0, 1, c.height).data;"
        "return [...Array(c.height).keys()].map(y => [...d.slice(4 * y, 4 * y + 4)])"
    )
    marks = [row[:3] for row in rows if row[3]]
    assert marks
    panel = page.js("return getComputedStyle(document.querySelector('.card')).backgroundColor")
    ground = [int(n) for n in re.findall(r"\d+", panel)[:3]]
    assert all(sum(abs(a - b) for a, b in zip(mark, ground, strict=True)) > 150 for mark in marks)
    page.prefer()


def test_a_piece_is_seen_on_its_way(page: Page) -> None:
    page.open(PLAN, "#drop=5")
    settled = page.pixels()
    set_speed(page, 0)
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
    set_speed(page, 30)
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(page: Page, scheme: str) -> None:
    brightness = (
        "return getComputedStyle(document.body)[arguments[0]].match(/\\d+/g)"
        ".slice(0, 3).reduce((a, b) => a + +b, 0)"
    )

    def is_dark() -> bool:
        page_, ink = (page.js(brightness, name) for name in ("backgroundColor", "color"))
        assert abs(page_ - ink) > 450, "hard to read"
        return bool(page_ < ink)

    page.prefer(color_scheme=scheme)
    page.open(PLAN)
    assert is_dark() == (scheme == "dark")
    page.click("theme")
    assert is_dark() == (scheme == "light")
    page.prefer()


@pytest.mark.parametrize(
    "size", [(390, 844), (340, 640), (312, 568), (844, 390), (562, 700), (1040, 700), (1600, 900)]
)
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


def test_sound_is_off_until_it_is_asked_for(page: Page) -> None:
    page.open(PLAN)
    pressed = "return document.getElementById('sound').getAttribute('aria-pressed')"
    assert page.js(pressed) == "false"
    page.click("sound")
    page.click("step")
    assert page.js(pressed) == "true"
    page.click("sound")
    assert page.js(pressed) == "false"


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
    page = make_page(PLAN, title="</title><script>alert('1')</script>{{data}}")
    assert "<script>alert" not in page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found is not None
    assert json.loads(found[1])["width"] == PLAN.width
