"""The page: its engine under node, its files, and all of it in a browser."""

import ast
import base64
import json
import re
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageSequence

import tetrisprinter as tp
from tests.support.browser import open_page
from tests.support.commands import EXAMPLES
from tests.support.page_engine import (
    FIVE,
    NodePixels,
    ask_here,
    ask_node,
    list_plans,
    make_print_request,
    prepare_print,
    without_solvers,
)
from tests.support.page_server import DROP, PageHandler, serve_page
from tests.support.photographs import landscape
from tests.support.scenes import SCENES
from tests.support.studio import download_file
from tetrisprinter.api.slideshows import compute_default_seconds, plan_slideshow
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.formats import parse_map
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion
from tetrisprinter.pictures.picture import PALETTES, make_field_picture
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.render.frames import Frame, Timing, play_frames, shrink_board
from tetrisprinter.studio import page as page_files
from tetrisprinter.studio import page_engine
from tetrisprinter.studio.page import LEFT_OUT, NODE, find_cache, make_engine, publish
from tetrisprinter.studio.page_engine import make_pixel_source
from tetrisprinter.studio.prints import find_matrix, make_matrix_plan, query_heights
from tetrisprinter.studio.worker import DOWNLOADS, choose_effort

ROOT = Path(__file__).resolve().parents[3]
TEXTS = ("html", "art", "fumen", "drops", "tetrio", "lesson")


def make_link(plan: Plan, page: str) -> str:
    """Return a link to a page with a plan: deflated without a header (RFC 1951), as base64url."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = compressor.compress(str(plan).encode()) + compressor.flush()
    return f"{page}#plan={base64.urlsafe_b64encode(deflated).decode().rstrip('=')}&name=plan"


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, compiled unless it is in the cache."""
    for command in (NODE[0], "npm"):
        if shutil.which(command) is None:
            pytest.skip(f"no {command} here")
    folder = tmp_path_factory.mktemp("engine")
    try:
        make_engine(folder, find_cache())
    except TetrisPrinterError as error:
        if not re.search(r"(npm pack|pip download) .* failed", str(error)):
            raise  # what was fetched does not compile, for instance
        pytest.skip(f"the engine's sources cannot be fetched: {error}")
    return folder


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_the_page_leaves_out_exists(name: str) -> None:
    assert list((ROOT / "tetrisprinter").glob(f"{name}*"))


def imported_names() -> list[str]:
    """List what the modules of the page import from elsewhere, anywhere in their code."""
    names = set()
    for path in (ROOT / "tetrisprinter").rglob("*.py"):
        if path.relative_to(ROOT / "tetrisprinter").as_posix().startswith(LEFT_OUT):
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                names.add(node.module)
    return sorted(name for name in names if name.partition(".")[0] != "tetrisprinter")


@pytest.mark.slow
def test_plans_are_those_of_the_command_byte_for_byte(engine: Path) -> None:
    """A browser cannot start solvers, so its plans are those of the command without them.

    With solvers the command finds shorter games. ``scripts/bench page`` compares 40 pictures.
    """
    names = ("bar", "hook", "ring", "invader")
    requests = [make_print_request(FIVE[name], effort=0) for name in names]
    requests.append(make_print_request(FIVE["bar"], pieces="bag:3", steered=True, effort=0.2))
    words = {"kind": "text", "source": "\u00c4\u0434", "name": "words", "effort": 0}
    requests.append(words)
    questions: list[tuple[str, dict[str, Any]]] = [("modules", {"names": imported_names()})]
    for request in requests:
        questions += [("preview", request), ("work", prepare_print(request))]
    prints = [[name, prepare_print(requests[n])] for n, name in enumerate(names[:2])]
    job = ask_here("slideshow", {"hold": 1.5, "loop": True, "prints": prints})["answer"]["job"]
    assert job["hold"] == 1.5
    film = {"work": "film", "workers": 1, **job}
    questions.append(("work", film))
    game = str(tp.print_picture(tp.Picture.parse(FIVE["bar"]), board="10x20", pieces="bag:0").plan)
    files = {}  # every text format is written and read
    for kind in TEXTS:
        wanted = {"plan": game, "name": "bar", "hold": 1.0, "kind": kind}
        files[kind] = ask_here("file", wanted)["answer"]
        questions.append(("file", wanted))
        if kind in ("art", "fumen"):
            plan = {"work": "plan", "text": files[kind], "suffix": DOWNLOADS[kind][0], "name": "a"}
            questions.append(("work", plan))
    questions.append(("query", {"width": 21, "at": [4]}))
    questions.append(("tile", {"board": "....\n....", "pieces": "L4*2"}))
    there = ask_node(engine, questions)
    # Nothing that the page imports, at once or later, was left out.
    modules = there.pop(0)["answer"]
    assert set(modules["faults"].values()) == {"No module named 'numpy'"}
    assert not [name for name in modules["faults"] if "planners.dealt" in name]
    assert {name for name in modules["missing"] if not name.startswith("cython")} <= {
        # of processes and signals
        *("ctypes", "multiprocessing", "multiprocessing.connection", "resource"),
        *("tty", "importlib.metadata"),  # of terminals, and of finders that are not offered
        *("numpy", "numpy.typing", "ortools.sat.python", "distributed"),  # of such finders, too
        *("PIL", "PIL.PngImagePlugin", "pillow_heif", "resvg_py", "segno"),  # of images in files
        *("av", "av.video.reformatter"),  # of films
    }
    for (what, asked), answer in zip(questions[1:], there, strict=True):
        here = ask_here(what, asked)
        assert list_plans(answer) == list_plans(here)
        if what in ("preview", "query", "tile"):
            assert answer["answer"] == here["answer"]
        if what == "file":
            assert answer["answer"] == files[str(asked["kind"])]
    with without_solvers():
        result = tp.print_picture(tp.Picture.parse(FIVE["bar"]), effort=choose_effort(0))
    assert list_plans(there[1])[-1] == str(result.plan)
    slideshow = list_plans(there[questions.index(("work", film)) - 1])[0]
    assert len(Plan.parse(slideshow).stops) == len(prints)


def test_the_page_draws_the_frames_of_the_command() -> None:
    """Of a print and of a slideshow, and with the borders of an upright or square animation.

    A falling piece stands on whole squares, and the picture that opens the film does not vanish row
    by row.
    """
    tasks = [tp.Task.of(tp.Picture.parse(FIVE[name]), "7x8") for name in ("bar", "hook")]
    slideshow = plan_slideshow(tasks).plan
    for plan in (tp.read_plan(ROOT / "docs" / "heart.txt"), slideshow):
        seconds = compute_default_seconds(plan) if plan.stops else None
        timing = Timing(seconds=seconds, hold=1.5) if plan.stops else Timing()
        shown = shrink_board(plan)
        schedule = timing.schedule(shown)
        frames = play_frames(shown, replace(schedule, opening=0))
        wanted: list[Frame | None] = [next(frames) for _ in range(1 if plan.stops else 2)]
        number = 0
        for beat in schedule.beats:
            number += beat.drops
            *falling, last = islice(frames, beat.frames if beat.falls else 1)
            wanted += [None] * len(falling)  # the page draws pieces on whole squares
            seconds = (1 if beat.falls else beat.frames) / schedule.fps
            wanted.append(replace(last, seconds=seconds))
            wanted += islice(frames, number in plan.stops and number < len(plan))
        *_, last_frame = rest = list(frames)
        wanted += rest
        film = ask_here("film", {"plan": str(plan), "hold": 1.5})["answer"]
        assert len(film["frames"]) == len(wanted)
        for (drawing, seconds), frame in zip(film["frames"], wanted, strict=True):
            if frame is None:
                assert len(drawing) == film["width"] * film["height"]
                continue
            assert drawing == "".join(map(str, frame.squares[::-1].flat))
            assert seconds == pytest.approx(frame.seconds)
    for place, shape in (("square", 1), ("9:16", 9 / 16)):
        film = ask_here("film", {"plan": str(plan), "hold": 1.5, "place": place})["answer"]
        assert film["width"] == round(film["height"] * shape)
        drawing = film["frames"][-1][0]
        assert len(drawing) == film["width"] * film["height"]
        assert sorted(drawing.replace("0", "")) == sorted(
            "".join(map(str, last_frame.squares.flat)).replace("0", "")
        )


def test_a_row_that_needs_seven_rows_is_looked_up_in_the_tables() -> None:
    def working(at: int) -> list[int]:
        heights = query_heights(21, (at,))["heights"]
        return [one["rows"] for one in heights if one["status"] == "matrix"]

    assert (working(3), working(4)) == ([7], [3])
    packing = find_matrix(21, 7, (3,))
    assert packing is not None
    left = play_through(make_matrix_plan(packing)).field
    assert sum(map(bool, b"".join(left.rows))) == 1
    assert find_matrix(21, 7, (4,)) is None


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="contains other files; choose a new folder"):
        publish(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_building_needs_is_named_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before anything is fetched, and with a command that works where it is said."""

    def refuse() -> str:
        with pytest.raises(InputError) as caught:
            make_engine(tmp_path / "engine", tmp_path)
        assert not list(tmp_path.iterdir())
        return str(caught.value)

    with monkeypatch.context() as patch:
        patch.setattr(page_files, "_PACKAGES", ("Cython", "no_such_package", "neither_this"))
        missing = "no_such_package and neither_this"
        assert f"the page needs {missing}: run pip install -e '.[page]' in /" in refuse()
        patch.setattr(page_files, "__file__", "/usr/lib/tetrisprinter/studio/page.py")
        assert "installed copy: run pip install -e '.[page]' in the folder" in refuse()
    monkeypatch.setattr(page_files, "_PACKAGES", ())
    with monkeypatch.context() as patch:
        patch.setattr(page_files, "_PROGRAMS", ("no-node", "sh", "no-patch"))
        assert "needs no-node and no-patch, not found on the PATH; install node 20" in refuse()
    monkeypatch.setattr(page_files, "_PROGRAMS", ())
    monkeypatch.setattr(page_files, "run_tool", lambda command: "v18.19.1\n")
    assert refuse() == "the page needs node 20 or newer; this is node v18.19.1"


def test_one_process_at_a_time_fills_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two builds at once would delete each other's files."""
    fcntl = pytest.importorskip("fcntl")

    def fetch(cache: Path, report: object) -> Path:
        with (cache / "lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        raise JobError("fetched")

    monkeypatch.setattr(page_files, "_fetch_pyodide", fetch)
    for name in ("one", "another"):  # the first gives the lock back
        with pytest.raises(JobError, match="fetched"):
            make_engine(tmp_path / name, tmp_path)


@pytest.fixture(scope="module")
def address(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page on a server of its own; its address."""
    folder = tmp_path_factory.mktemp("published") / "page"
    publish(folder)
    sizes = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert sum(map(len, sizes)) <= 18e6
    assert sum(len(zlib.compress(data, 9)) for data in sizes) <= 8e6
    with serve_page(folder) as address:
        yield address


@pytest.fixture
def page(address: str, browser: Any) -> Iterator[Any]:
    """The page in a browser, which must not complain of anything, nor ask another server."""
    with open_page(browser, address.rpartition("/")[0]) as made:
        made.goto(address)
        yield made


READY = "html[data-engine-ready]"
SEEN = "document.querySelector('#preview').toDataURL()"
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4">'
    '<path fill="#d03020" d="M0 0h3v4H0z"/><path fill="#2040a0" d="M3 2h5v2H3z"/></svg>'
)


@pytest.mark.slow
def test_the_whole_way_and_without_a_network(page: Any, address: str, tmp_path: Path) -> None:
    """Drop, preview, print, play, download, stop, link, reload, offline."""
    page.wait_for_selector("#demo")
    page.wait_for_selector(READY, state="attached", timeout=600_000)
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=300_000)
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector("#print:enabled", timeout=600_000)
    photo = BytesIO()
    landscape(1200, 800).save(photo, "JPEG")
    page.evaluate(DROP, [[*photo.getvalue()], "photo.jpg"])
    page.wait_for_selector("#about:has-text('58 × 39')", timeout=300_000)
    assert page.evaluate("document.querySelector('#cropper').width") > 200
    page.evaluate(DROP, [[*SVG.encode()], "drawn.svg"])
    page.wait_for_selector("#about:has-text('8 × 4')", timeout=300_000)
    page.click("#print")
    page.wait_for_selector("#player", timeout=600_000)
    page.wait_for_selector("#queue >> text=done", timeout=300_000)
    player = page.frame_locator("#player")
    player.locator("#end").click()
    drops = int(page.text_content("#figures dd >> nth=0") or 0)
    assert player.locator("#n-drop").inner_text() == str(drops)  # it has played
    plan = Plan.parse(download_file(page, "plan").decode())
    assert len(plan) == drops
    with Image.open(BytesIO(download_file(page, "gif"))) as film:
        times = [0.0]
        for frame in ImageSequence.Iterator(film):
            times.append(times[-1] + frame.info["duration"] / 1000)
        assert len(times) > 10
        del times[-1]
    av = pytest.importorskip("av", reason="PyAV is not installed")
    with av.open(BytesIO(download_file(page, "mp4"))) as video:
        seen = [float(frame.time) for frame in video.decode(video=0)]
    assert seen == pytest.approx(times, abs=0.006)  # a GIF counts hundredths of a second
    with Image.open(BytesIO(download_file(page, "png"))) as still:
        colors = {color for _, color in still.convert("RGB").getcolors() or []}
    left = make_field_picture(plan, play_through(plan).field)
    assert {tuple(bytes.fromhex(color)) for color in left.colors()} <= colors
    assert b"<canvas" in download_file(page, "html")
    # No link leads to a page of this machine: another person gets the game as a file.
    with page.expect_download(timeout=300_000) as coming:
        page.click("#link")
    assert b"<canvas" in Path(coming.value.path()).read_bytes()
    page.click("#back-to-picture")
    page.click("[data-source=example]")
    page.click("text=owl")
    page.wait_for_selector("#print:enabled", timeout=300_000)
    page.click("#print")
    page.wait_for_selector("#stop", timeout=300_000)
    page.click("#stop")
    page.wait_for_selector("#queue >> text=stopped")
    page.click("#resume")
    page.wait_for_selector("#stop", timeout=300_000)
    page.click("#stop")
    page.wait_for_selector("#resume")
    page.reload()
    page.wait_for_selector(f"#queue >> text={drops} drops")  # kept in the browser
    page.click("#queue >> text=drawn")
    page.wait_for_selector("#player", timeout=600_000)
    page.wait_for_selector("#screen p", state="detached", timeout=600_000)  # the engine is there
    page.click("#remove")
    page.goto("about:blank")
    page.goto(make_link(plan, address))
    page.wait_for_selector("#player", timeout=600_000)
    assert int(page.text_content("#figures dd >> nth=0") or 0) == drops
    page.context.set_offline(False)


@pytest.mark.slow
def test_a_photo_is_shown_before_the_engine_and_its_failure_is_reported(
    address: str, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first picture waits for the engine; a photo that is dropped meanwhile does not.

    A worker decodes it and chooses its colours: a large one would block the page.
    """
    photo = BytesIO()
    landscape(300, 200).save(photo, "JPEG")
    context = browser.new_context(locale="en", service_workers="block")
    page = context.new_page()
    page.add_init_script(
        "for (const name of ['createImageBitmap', 'Image'])"
        "  window[name] = () => { throw new Error('decoded on the page'); };"
    )
    monkeypatch.setattr(PageHandler, "has_engine", False)
    PageHandler.engine_gate.clear()
    try:
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        first = page.evaluate(SEEN)
        page.evaluate(DROP, [[*photo.getvalue()], "photo.jpg"])
        while page.evaluate(SEEN) == first:
            page.wait_for_timeout(50)
        assert page.is_disabled("#print")
        assert page.inner_text("#engine").startswith("The engine is being loaded: ")
    finally:
        PageHandler.engine_gate.set()
    page.wait_for_selector("#trouble:has-text('the engine cannot be loaded')")
    assert page.is_hidden("#engine")
    context.close()


def tab_to(page: Any, selector: str) -> None:
    """Press Tab until an element has the focus, which must be seen on each element before it."""
    for _ in range(90):
        page.keyboard.press("Tab")
        reached, is_seen = page.evaluate(
            "selector => { const e = document.activeElement; return [e.matches(selector),"
            "e.tagName === 'IFRAME' || getComputedStyle(e).outlineStyle !== 'none'] }",
            selector,
        )
        assert is_seen, page.evaluate("document.activeElement.outerHTML")
        if reached:
            return
    raise AssertionError(f"Tab never reaches {selector}")


@pytest.mark.slow
def test_the_keyboard_alone_prints_for_a_place(page: Any, tmp_path: Path) -> None:
    """Choose a file and a place, print, play, download: on a phone in the dark."""
    page.on("filechooser", lambda _: None)  # from now on the browser shows no dialog of its own
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.wait_for_selector(READY, state="attached", timeout=600_000)
    page.wait_for_selector("#print:enabled", timeout=300_000)
    image = Image.new("RGBA", (5, 2), (208, 48, 32, 255))
    image.putpixel((2, 0), (0, 0, 0, 0))
    image.save(tmp_path / "arch.png")
    tab_to(page, "[data-source=upload]")
    page.keyboard.press("Enter")
    tab_to(page, "#choose")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(tmp_path / "arch.png")
    page.wait_for_selector("#about:has-text('5 × 2')", timeout=300_000)
    tab_to(page, "#more-settings summary")
    page.keyboard.press("Enter")
    tab_to(page, "#place")
    page.keyboard.type("TETR")
    page.wait_for_selector("#about:has-text('10 × 20')", timeout=300_000)
    tab_to(page, "#dealt-queue")
    assert page.input_value("#dealt-queue") == "bag:0"
    tab_to(page, "#print")
    page.keyboard.press("Enter")
    page.wait_for_selector("#queue >> text=done", timeout=600_000)
    assert page.evaluate("document.activeElement.id") == "job-name"
    tab_to(page, "#player")
    player = page.frame_locator("#player")
    page.keyboard.press("End")
    drops = page.text_content("#figures dd >> nth=0")
    assert player.locator("#n-drop").inner_text() == drops
    tab_to(page, "#files [data-kind=plan]")
    with page.expect_download(timeout=300_000) as coming:
        page.keyboard.press("Enter")
    plan = Plan.parse(Path(coming.value.path()).read_text())
    assert len(plan) == int(drops)
    assert plan.queue is not None
    tab_to(page, "#files [data-kind=tetrio]")
    with page.expect_download(timeout=300_000) as coming:
        page.keyboard.press("Enter")
    pieces = parse_map(Path(coming.value.path()).read_text()).pieces
    assert len(pieces) >= int(drops)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("name", "colors"),
    [
        *(("heart", None), ("tears", None), ("potion_large", None)),
        *(("curves", None), ("landscape", 4)),
    ],
)
def test_an_image_is_converted_as_by_the_command(
    name: str, colors: int | None, tmp_path: Path
) -> None:
    """Photos, emoji, enlarged pixel art, a chart with thin strokes: every square is the same."""
    path = EXAMPLES / f"{name}.png"
    if not path.exists():
        path = tmp_path / f"{name}.png"
        SCENES[name][1]().save(path)
    how = Conversion(defaults=DEFAULT_LIMITS, background="auto", colors=colors)
    if shutil.which(NODE[0]) is None:
        pytest.skip(f"no {NODE[0]} here")
    with Image.open(path) as image, NodePixels.decode(image) as pixels:
        here = make_pixel_source(pixels, name).read(how)
    there = find_source(str(path)).read(how)
    assert here.picture.rows == there.picture.rows
    assert here.background == there.background
    assert here.steps == there.steps


def test_an_image_is_converted_once_for_a_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    """Glance, preview and no repair need one conversion; another size or palette needs its own."""
    sizes: list[tuple[int, int]] = []
    scale = NodePixels.scale

    def count(self: NodePixels, width: int, height: int) -> bytes:
        sizes.append((width, height))
        return scale(self, width, height)

    monkeypatch.setattr(NodePixels, "scale", count)
    monkeypatch.setattr(page_engine, "_DecodedImage", lambda found: found)
    asked = {"kind": "upload", "source": "0" * 16, "name": "photo", "colors": 3, "repair": True}
    changes: list[dict[str, Any]]
    changes = [{"glance": True}, {}, {"repair": False}, {"fit": 30}, {"palette": "gameboy"}]
    with NodePixels.decode(landscape(120, 80)) as pixels:
        for more in changes:
            options = json.dumps(asked | more)
            answer = json.loads(page_engine.answer("preview", options, print, pixels))["answer"]
    assert sizes == [(58, 39), (30, 20), (58, 39)]
    assert 2 <= len(answer["picture"]["colors"]) <= 3
    assert set(answer["picture"]["colors"]) <= set(PALETTES["gameboy"])
