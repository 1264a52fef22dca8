"""The studio in a browser, used as a person does."""

import io
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from PIL import Image

from tests.support.browser import open_page, slow_down
from tests.support.images import count_long_frames
from tests.support.judge import play_first_drops, shift_left
from tests.support.page_server import DROP
from tests.support.processes import make_command
from tests.support.studio import assert_accessible, download_file, read_axe_core
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.studio.app import PAGE_ADDRESS

READY = "html[data-ready]"
PAGES = ("/", "/patterns", "/tilings")
HEART = (".##.##.", "#######", "#######", ".#####.", "..###..", "...#...")


class StudioProcess:
    """A studio in a process of its own on a free port, which it keeps when it starts again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.address = folder, 0, ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the studio and wait until it has printed its address."""
        command = make_command("studio", "--port", self.port, "--folder", self.folder)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        match = re.search(r"http://127\.0\.0\.1:(\d+)/", self.process.stdout.readline())
        assert match
        self.address, self.port = match[0], int(match[1])

    def end(self) -> int:
        """End the studio as Ctrl-C does; return its exit code."""
        assert self.process is not None
        process, self.process = self.process, None
        process.send_signal(signal.SIGINT)
        with process:
            return process.wait(100)


@pytest.fixture(scope="module")
def studio_process(
    tmp_path_factory: pytest.TempPathFactory, browser: Any
) -> Iterator[StudioProcess]:
    """One studio for all tests; the browser first, as without it there is nothing to test."""
    process = StudioProcess(tmp_path_factory.mktemp("studio"))
    yield process
    if process.process is not None:
        process.end()


@pytest.fixture
def studio(studio_process: StudioProcess) -> StudioProcess:
    """The studio without jobs; an earlier test may have ended it."""
    if studio_process.process is None:
        studio_process.start()
    with urlopen(f"{studio_process.address}api/state") as answer:
        jobs = json.load(answer)["jobs"]
    for job in jobs:
        address = f"{studio_process.address}api/jobs/{job['id']}"
        urlopen(Request(address, method="DELETE")).close()
    return studio_process


@pytest.fixture
def page(studio: StudioProcess, browser: Any) -> Iterator[Any]:
    """A page of the studio that must not complain of anything."""
    with open_page(browser) as made:
        made.goto(studio.address)
        made.wait_for_selector(READY, state="attached")
        made.click("#more-settings summary")
        yield made


SQUARES = """canvas => {
  const [w, h] = WANTED, c = canvas.getContext("2d"), found = [];
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
    const at = [(x + .3) * canvas.width / w, (y + .3) * canvas.height / h].map(Math.floor);
    found.push([...c.getImageData(at[0], at[1], 1, 1).data.slice(0, 3)]);
  }
  return found;
}"""


def squares(canvas: Any, size: tuple[int, int]) -> list[tuple[int, ...]]:
    """The colour of every square of a canvas, row by row."""
    return [tuple(color) for color in canvas.evaluate(SQUARES.replace("WANTED", str([*size])))]


def read_preview(page: Any, size: tuple[int, int]) -> list[tuple[int, ...]]:
    """The squares of the picture that is shown without a board."""
    assert "board" not in page.inner_text("#about")
    return squares(page.query_selector("#preview"), size)


def draw_bar() -> bytes:
    """Return an image that is printed at once: seven squares in a row, and one is empty."""
    image, stream = Image.new("RGBA", (7, 1), "#d03020"), io.BytesIO()
    image.putpixel((3, 0), (0, 0, 0, 0))
    image.save(stream, "PNG")
    return stream.getvalue()


def add_job(page: Any, name: str, rows: str) -> None:
    """Let the studio print a drawing that the page does not show."""
    wanted = {"kind": "drawing", "source": f"r=d03020 b=2040a0\n{rows}", "name": name}
    address = page.url.split("#")[0] + "api/jobs"
    assert page.request.post(address, data={**wanted, "effort": 0}).status == 201


def choose(page: Any, example: str) -> None:
    """Choose an example as the picture."""
    page.click("[data-source=example]")
    page.click(f"text={example}")


def print_it(page: Any, effort: str) -> Any:
    """Press the button and wait for the player."""
    page.select_option("#effort", effort)
    page.click("#print")
    page.wait_for_selector("#player", timeout=300_000)
    return page.frame_locator("#player")


def assert_the_end_is_the_picture(page: Any, player: Any) -> Image.Image:
    player.locator("#end").click()
    path = page.get_attribute("#player", "src").replace("/play/", "").split("?")[0].split("/")
    address = f"{page.url.split('#')[0]}api/jobs/{path[0]}/files/png?version={path[1]}"
    answer = page.request.get(f"{address}&scale=1&full=1")
    small = Image.open(io.BytesIO(answer.body())).convert("RGB")
    pixels = [small.getpixel((x, y)) for y in range(small.height) for x in range(small.width)]
    assert squares(player.locator("#board").element_handle(), small.size) == pixels
    return small


def read_end_picture(path: Path) -> Picture:
    plan = read_game(path)
    return make_field_picture(plan, play_through(plan).field).trim()


def one_plan(page: Any, player: Any) -> int:
    """Player, figures, queue and files show the same number of drops; return it."""
    page.wait_for_function(
        "() => document.querySelector('#player').contentDocument?.querySelector('#of-drop')"
        "?.textContent === 'of ' + document.querySelector('#figures dd').textContent"
    )
    drops = int(page.text_content("#figures dd >> nth=0") or 0)
    assert f"{drops:,} drops" in page.inner_text("#queue")
    plan = Plan.parse(download_file(page, "plan").decode())
    assert len(plan) == drops
    return drops


@pytest.mark.slow
def test_a_photo_is_dropped_marked_repaired_printed_and_taken_away(
    page: Any, tmp_path: Path
) -> None:
    # An i with its dot: the row between cannot stay empty, nor be left black where nobody sees it,
    # as its foot is black.
    image = Image.new("RGBA", (5, 6))
    for x, y in ((2, 0), (1, 2), (2, 2), (2, 3), (2, 4), (1, 5), (2, 5), (3, 5)):
        image.putpixel((x, y), (0, 0, 0, 255) if y == 5 else (48, 96, 192, 255))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    page.evaluate(DROP, [[*stream.getvalue()], "an i.png"])
    page.wait_for_selector("#unrepair")  # it is repaired before anybody asks
    assert page.is_enabled("#print")
    page.click("#unrepair")
    page.wait_for_selector("#repair")
    assert page.is_disabled("#print")
    assert "empty" in page.inner_text("#trouble")
    page.evaluate("document.querySelector('#trouble details').open = true")
    assert "never leaves an empty row below a square" in page.inner_text("#trouble")
    page.click("#repair")
    page.wait_for_selector("#unrepair")
    page.select_option("#board", "10x22")
    page.wait_for_selector("#print:enabled")
    page.fill("#name", "an i")
    player = print_it(page, "0")
    page.wait_for_selector("#queue >> text=done", timeout=300_000)
    assert_the_end_is_the_picture(page, player)
    wanted = read_end_picture(_written(tmp_path / "plan.txt", download_file(page, "plan")))
    assert {y for _, y in wanted.cells()} == set(range(6))
    for kind, name in (("fumen", "a.fumen"), ("drops", "a.drops.json")):
        left = read_end_picture(_written(tmp_path / name, download_file(page, kind)))
        assert left.cells() == wanted.cells(), kind
    for kind in ("gif", "webp"):
        film = Image.open(io.BytesIO(download_file(page, kind)))
        assert getattr(film, "n_frames", 1) > 1
    assert b"<canvas" in download_file(page, "html")
    assert Image.open(io.BytesIO(download_file(page, "png"))).size == (8 * 5, 8 * 8)


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_the_queue_becomes_a_film(page: Any, tmp_path: Path) -> None:
    """Ordered with the keys and by dragging, one left out; played, and taken away."""
    drawn = {"bar": "rrr", "hook": "r..\nrrr", "low": "b..b\nbbbb", "out": "r"}
    for name, rows in drawn.items():
        add_job(page, name, rows)
    page.wait_for_function("document.querySelectorAll('#queue li').length === 4")
    page.click("#film")
    names = page.locator("#frames b")
    assert names.all_inner_texts() == ["bar", "hook", "low", "out"]
    page.get_by_label("Leave out out").press("Enter")
    page.get_by_label("Move low up").press("Enter")
    page.keyboard.press("Enter")  # the focus went with it
    assert names.all_inner_texts() == ["low", "bar", "hook"]
    assert page.evaluate("document.activeElement.ariaLabel") == "Move low down"
    page.drag_and_drop("#frames li:nth-child(3)", "#frames li:nth-child(1)")
    order = ["hook", "low", "bar"]
    assert names.all_inner_texts() == order
    page.fill("#film-hold", "2.5")
    page.fill("#film-board", "13x20")
    page.check("#film-loop")
    page.click("#make-film")
    page.wait_for_selector("#player", timeout=300_000)
    page.wait_for_selector("#queue >> text=Slideshow · done", timeout=300_000)
    assert page.inner_text("#job-name") == "hook, low, bar"
    player = page.frame_locator("#player")
    one_plan(page, player)
    assert_the_end_is_the_picture(page, player)
    plan = Plan.parse(download_file(page, "plan").decode())
    for name, stop in zip([*order[1:], order[0]], plan.stops, strict=True):
        wanted = Picture.parse(f"r=d03020 b=2040a0\n{drawn[name]}").cells()
        assert shift_left(play_first_drops(plan, stop)) == wanted, name
    assert str(plan.board) == "13x20"
    assert plan.start  # it begins with the picture to which it comes back
    assert count_long_frames(download_file(page, "gif"), 2500) == len(order)
    assert b'"stops":[' in download_file(page, "html")


@pytest.mark.slow
def test_picture_and_settings_survive_a_reload_and_the_keys_print(page: Any) -> None:
    page.click("[data-source=text]")
    page.fill("#text", "T")
    page.select_option("#background", "color")
    page.fill("#background-color", "#e8e0d0")
    page.select_option("#board", "10x22")
    page.select_option("#effort", "0")
    page.wait_for_selector("#about:has-text('board 10 × 22')")
    page.reload()
    page.wait_for_selector("#about:has-text('board 10 × 22')")
    assert page.input_value("#text") == "T"
    assert page.input_value("#background-color") == "#e8e0d0"
    assert page.is_visible("#background-color")
    assert page.input_value("#effort") == "0"
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#queue >> text=done", timeout=300_000)  # no better plan comes
    player = page.frame_locator("#player")
    player.locator("#end").wait_for(timeout=300_000)
    assert page.is_hidden("#look")  # the print is where the picture was
    assert_the_end_is_the_picture(page, player)
    board = squares(player.locator("#board").element_handle(), (10, 22))
    assert board[0] == (0xE8, 0xE0, 0xD0)
    page.click("#back-to-picture")
    assert page.is_visible("#preview")
    assert page.is_hidden("#job")


def test_a_known_game_plays_until_a_picture_is_chosen(page: Any) -> None:
    assert page.is_visible("#demo")
    assert page.is_hidden("#preview")
    assert page.is_enabled("#print")  # it can be printed as it is
    choose(page, "heart")
    page.wait_for_selector("#about:has-text('104 squares')")
    assert page.is_hidden("#demo")
    assert page.locator("#palette i").count() == 2
    page.reload()
    page.wait_for_selector("#about:has-text('104 squares')")
    assert page.is_visible("#preview")


def test_pieces_of_a_tiling_are_chosen_by_their_shapes(page: Any, studio: StudioProcess) -> None:
    page.goto(studio.address + "tilings")
    page.wait_for_selector(READY, state="attached")
    page.click("#no-pieces")
    page.click("#one")
    page.wait_for_selector("#answer:has-text('No piece is chosen')")
    page.click("[data-shape=L4]")
    page.click("[data-shape=T4]")
    assert page.input_value("#pieces") == "L4*inf,T4*inf"
    page.select_option("#how-many", "counted")
    page.focus("[data-shape=L4]")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # the focus stays
    assert page.input_value("#pieces") == "L4*3,T4*1"
    assert page.get_attribute("[data-shape=L4]", "aria-label") == "L4: 3"
    page.fill("#columns", "4")
    page.fill("#rows", "4")
    page.press("#rows", "Tab")
    page.click("#one")
    page.wait_for_selector("#answer:has-text('There is no tiling')")
    page.click("[data-shape=L4]")
    page.click("#one")
    page.wait_for_selector("#tilings canvas")


def test_a_refused_file_leaves_no_other_picture_to_print(page: Any) -> None:
    """What is wrong with it is a sentence, above the page or beside the picture."""
    page.evaluate(DROP, [[*b"J J"], "a.txt"])
    page.wait_for_selector(".toast:has-text('a.txt:1: ')")
    page.evaluate(DROP, [[*b"no picture"], "a.png"])
    page.wait_for_selector(".toast:has-text('unknown image format')")
    choose(page, "invader")
    page.wait_for_selector("#print:enabled")
    assert page.locator("#link").count() == 0
    for data, name, why in (
        (b"<svg", "x.svg", "x.svg: "),
        (b"", "x.png", "x.png: this file is empt"),
    ):
        page.evaluate(DROP, [[*data], name])
        page.wait_for_selector(f"#trouble:has-text('{why}')")
        assert page.inner_text("#about") == ""
        assert page.is_disabled("#print")
        page.check("#dither")  # which looks at the picture again
        assert page.is_disabled("#print")
        page.uncheck("#dither")
    choose(page, "heart")
    page.wait_for_selector("#print:enabled")
    assert page.is_hidden("#trouble")


def test_a_cleared_text_leaves_no_other_picture_to_print(page: Any) -> None:
    page.click("[data-source=text]")
    page.fill("#text", "T")
    page.wait_for_selector("#print:enabled")
    page.fill("#text", " ")
    page.wait_for_selector("#trouble:has-text('is blank; nothing to print')")
    assert page.is_disabled("#print")
    page.fill("#text", "中")
    page.wait_for_selector("#trouble:has-text('; a font of the command `text --font` may have it')")


@pytest.mark.slow
def test_late_answers_do_no_harm(page: Any) -> None:
    """A film of two prints, while every answer comes after two seconds and news before it."""
    add_job(page, "hook", "r..\nrrr")
    slow_down(page)
    page.evaluate(DROP, [[*draw_bar()], "bar.png"])
    page.wait_for_selector("#about:has-text('7 × 1')", timeout=300_000)
    page.wait_for_selector("#print:enabled", timeout=300_000)
    print_it(page, "0")
    page.click("#back-to-picture")
    page.click("#film", timeout=300_000)
    page.click("#make-film")
    page.wait_for_selector("#queue >> text=Slideshow · done", timeout=300_000)
    page.wait_for_selector("#player", timeout=300_000)


@pytest.mark.slow
def test_a_plan_is_held_until_the_best_is_wanted(page: Any) -> None:
    choose(page, "heart")
    page.wait_for_selector("#about:has-text('104 squares')")
    player = print_it(page, "0")
    page.click("#hold", timeout=300_000)
    first = one_plan(page, player)
    page.wait_for_selector("#take", timeout=600_000)
    assert one_plan(page, player) == first
    page.reload()
    page.wait_for_selector("#take", timeout=300_000)
    assert one_plan(page, page.frame_locator("#player")) == first
    page.wait_for_selector("#queue >> text=done", timeout=600_000)
    # The better game goes on where this one is, and plays as this one does.
    player = page.frame_locator("#player")
    player.locator("#pass-on").click()
    player.locator("#speed").fill("0")  # else it may end before the other one comes
    player.locator("#play").click()
    played = int(player.locator("#n-drop").inner_text())
    page.click("#take")
    best = one_plan(page, player)
    assert best < first
    assert 0 < round(played / first * best) <= int(player.locator("#n-drop").inner_text())
    assert player.locator("#play").get_attribute("aria-label") == "Pause"
    assert page.locator("iframe").count() == 1


@pytest.mark.slow
def test_a_heart_with_the_keyboard_alone(page: Any) -> None:
    page.focus("#draw")
    page.keyboard.press("Enter")
    page.wait_for_selector("#easel")
    for y, row in enumerate(HEART):
        for x, letter in enumerate(row):
            if letter == "#":
                page.keyboard.press(" ")
            if x + 1 < len(row):
                page.keyboard.press("ArrowRight")
        for _ in range(len(row) - 1 if y + 1 < len(HEART) else 0):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    page.keyboard.press("0")
    page.keyboard.press(" ")  # nothing: it is empty below
    page.keyboard.press("1")
    page.keyboard.press(" ")
    page.keyboard.press("Control+z")
    page.keyboard.press("Enter")
    page.wait_for_selector("#easel", state="detached")
    page.wait_for_selector("#about:has-text('27 squares')")
    red = (0xD0, 0x30, 0x20)
    drawn = read_preview(page, (7, 6))  # without the empty columns beside the heart
    assert [drawn[y * 7 + x] == red for y in range(6) for x in range(7)] == [
        letter == "#" for row in HEART for letter in row
    ]
    page.focus("#print")
    page.keyboard.press("Enter")
    page.wait_for_selector("#player", timeout=300_000)


@pytest.mark.slow
def test_two_tabs_show_one_print_until_one_of_them_removes_it(
    page: Any, studio: StudioProcess
) -> None:
    other = page.context.new_page()
    other.goto(studio.address)
    choose(page, "mushroom")
    page.select_option("#board", "21x42")
    print_it(page, "2")
    other.wait_for_selector("#queue >> text=mushroom")
    page.reload()
    page.wait_for_selector("#player")
    other.click("#queue button")
    other.click("#remove")
    page.wait_for_selector("#no-jobs")
    assert page.is_hidden("#job")
    assert studio.end() in (0, 130)


@pytest.mark.slow
def test_a_player_that_cannot_be_loaded_is_loaded_later(page: Any, studio: StudioProcess) -> None:
    """The better plan's player fails to load; it comes with the next news, from a new server."""
    choose(page, "heart")
    better = re.compile(r"/play/\w+/(?!1$)")
    failed: list[str] = []
    page.on("requestfailed", lambda one: failed.append(one.url))
    page.route(better, lambda one: one.abort())
    print_it(page, "0")
    shown = page.get_attribute("#player", "src")
    page.wait_for_selector("#queue >> text=done", timeout=300_000)
    page.wait_for_function("() => document.querySelectorAll('#screen iframe').length === 1")
    assert page.get_attribute("#player", "src") == shown
    assert failed
    page.unroute(better)
    studio.end()
    studio.start()
    page.wait_for_function("src => document.querySelector('#player').src !== src", arg=shown)
    one_plan(page, page.frame_locator("#player"))


@pytest.mark.slow
def test_a_link_carries_a_plan(
    page: Any, studio: StudioProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link leads to the public page; here it is the studio that opens it, twice."""
    monkeypatch.setenv(PAGE_ADDRESS, studio.address)
    studio.end()
    studio.start()
    page.reload()
    page.wait_for_selector(READY, state="attached")
    add_job(page, "invader", "r..\nrrr")
    page.wait_for_selector("#queue >> text=done", timeout=300_000)
    page.click("#queue [data-job]")
    page.click("#link")
    page.wait_for_selector("#link[data-link]", state="attached")
    link = page.get_attribute("#link", "data-link")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(READY, state="attached")  # the link is opened
    assert page.locator("#queue li").count() == 1  # the job that the link came from
    page.click("#remove")
    page.wait_for_selector("#no-jobs")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#player")
    assert "invader" in page.inner_text("#queue")
    assert "#plan" not in page.url
    studio.end()  # the next one has the usual address


@pytest.mark.slow
def test_what_only_a_server_does_is_proved_and_counted(page: Any, studio: StudioProcess) -> None:
    page.goto(studio.address + "patterns")
    page.wait_for_selector(READY, state="attached")
    page.click("#clear")
    page.click("#row [data-x='7']")
    page.wait_for_selector("#heights [data-rows='3'].none")
    page.click("#heights [data-rows='3']")
    page.click("#prove")
    page.wait_for_selector("#proof-text:not([hidden])", timeout=300_000)
    assert "Proved" in page.inner_text("#proof-state")
    assert page.locator("#proof-files button").count() == 4
    page.goto(studio.address + "tilings")
    page.wait_for_selector(READY, state="attached")
    page.click("#board button:nth-child(1)")
    page.click("#board button:nth-child(64)")
    page.click("#count")
    page.wait_for_selector("#answer:has-text('no tiling')")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_shows_all(
    studio: StudioProcess, browser: Any, tmp_path: Path, theme: str
) -> None:
    """The dark theme on a phone, where a finger draws."""
    axe, is_phone = read_axe_core(tmp_path), theme == "dark"
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(
        color_scheme=theme, locale="en", reduced_motion="reduce", **(phone if is_phone else {})
    )
    page = context.new_page()
    for address in PAGES:
        page.goto(studio.address.rstrip("/") + address)
        page.wait_for_selector(READY, state="attached")
        if is_phone:
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
        if address == "/" and is_phone:
            page.tap("#draw")
            page.wait_for_selector("#easel")
            assert_accessible(page, axe, "the editor")
            box = page.locator("#easel").bounding_box()
            assert box["width"] <= 360
            page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.tap("#editor-done")
            page.wait_for_selector("#about:has-text('1 square')")
        elif address == "/":
            add_job(page, "hook", "r..\nrrr")
            page.wait_for_selector("#queue >> text=done", timeout=300_000)
            page.click("#queue [data-job]")
            page.wait_for_selector("#player")
        # The other theme has other colours and nothing else.
        rules = "" if is_phone or address == "/" else ", runOnly: ['color-contrast']"
        assert_accessible(page, axe, f"{address} in {theme}", rules)
    context.close()
