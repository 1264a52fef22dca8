"""The game in a headless Chromium: solved by mouse, finger and keyboard."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.render.browser import chromium
from tests.triplex.made import KINDS, Made, made_levels, turned
from tetrisprinter.errors import InputError
from tetrisprinter.triplex.page import triplex_page

LEVELS = [*made_levels(4, 2), *made_levels(3, 3), *made_levels(4, 3)]


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_is_small_and_self_contained() -> None:
    page = triplex_page(LEVELS)
    assert len(page.encode()) < 75_000 + 40 * len(LEVELS)
    assert "http" not in page.replace("http-equiv", "")
    assert not re.search(r"<(script|img|iframe|link)[^>]+src=|@import|url\(", page)


def test_the_data_are_the_levels_by_size() -> None:
    data = data_of(triplex_page(list(reversed(LEVELS)), language="ru"))
    assert data["language"] == "ru"
    assert [tuple(size[:2]) for size in data["sizes"]] == [(4, 2), (3, 3), (4, 3)]
    for width, height, listed in data["sizes"]:
        levels = [
            level for level in reversed(LEVELS) if (level.width, level.height) == (width, height)
        ]
        for level, (kinds, mark, turns, difficulty) in zip(levels, listed, strict=True):
            assert [int(digit) for digit in kinds] == [kind for kind, _, _ in level.places()]
            assert (mark if mark >= 0 else None) == level.rotatable
            assert (turns, difficulty) == (level.turns, level.difficulty)


@pytest.mark.parametrize(
    ("levels", "language", "why"),
    [
        ([], "en", "at least one level"),
        (LEVELS, "de", "speaks en and ru"),
        ([Made(4, 2, ("AABB", "CCDD", "EEFF"))], "en", "do not make that rectangle"),
        ([Made(4, 2, ("ABBC", "BACC"))], "en", "A is not a piece"),
        ([Made(4, 2, ("AAAA", "BBCC"))], "en", "A is not a piece"),
    ],
)
def test_refuses(levels: Sequence[Made], language: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        triplex_page(levels, language=language)


class Page:
    """The game in the browser."""

    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver, self.path = driver, folder / "triplex.html"

    def open(
        self,
        levels: Sequence[Made] = LEVELS,
        fragment: str = "",
        *,
        language: str = "en",
        fresh: bool = True,
    ) -> None:
        self.path.write_text(triplex_page(levels, language=language), encoding="utf-8")
        if fresh:
            if not self.driver.current_url.startswith("file:"):
                self.driver.get(self.path.as_uri())
            self.js("localStorage.clear()")
        self.driver.get("about:blank")
        self.driver.get(self.path.as_uri() + fragment)

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setTouchEmulationEnabled", {"enabled": phone, "maxTouchPoints": 1}
        )

    def js(self, code: str, *values: Any) -> Any:
        return self.driver.execute_script(code, *values)

    def text(self, name: str) -> str:
        return str(self.js("return document.getElementById(arguments[0]).textContent", name))

    def click(self, name: str) -> None:
        self.driver.find_element("id", name).click()

    def keys(self, *keys: str) -> None:
        self.driver.switch_to.active_element.send_keys(*keys)

    def wait(self, done: Callable[[], bool], seconds: float = 10) -> None:
        until = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < until, "did not happen"
            time.sleep(0.02)

    @property
    def level(self) -> str:
        return str(self.js("return location.hash"))

    def solved(self) -> bool:
        return bool(self.js("return !document.getElementById('card').hidden"))

    def pieces(self) -> list[dict[str, Any]]:
        """Return every piece: kind, on, x, y, marked, whether it can be taken, its box."""
        found: list[dict[str, Any]] = self.js(
            "return [...document.querySelectorAll('.piece')].map(e => {"
            "const r = e.getBoundingClientRect(), d = e.dataset; return {id: +d.piece,"
            "kind: +d.kind, on: d.on === '1', x: +d.x, y: +d.y, free: e.tabIndex === 0,"
            "marked: !!e.querySelector('.mark'), label: e.ariaLabel,"
            "box: [r.left, r.top, r.width, r.height]}})"
        )
        return found

    def lying(self) -> Counter[tuple[int, int, int]]:
        return Counter((p["kind"], p["x"], p["y"]) for p in self.pieces() if p["on"])

    def grip(self, piece: dict[str, Any]) -> tuple[float, float]:
        """Return the middle of the first square of a piece, on the screen."""
        left, top, width, height = piece["box"]
        cells = KINDS[piece["kind"]]
        across, down = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
        x, y = cells[0]
        return left + width * (x + 0.5) / across, top + height * (y + 0.5) / down

    def square(self, x: float, y: float) -> tuple[float, float]:
        left, top, width, columns = self.js(
            "const e = document.querySelector('#board svg'), r = e.getBoundingClientRect();"
            "return [r.left, r.top, r.width, e.viewBox.baseVal.width / 100]"
        )
        cell = width / columns
        return left + (x + 0.5) * cell, top + (y + 0.5) * cell

    def pull(
        self, start: tuple[float, float], end: tuple[float, float], *, how: str = "mouse"
    ) -> None:
        """Press, move in two steps and let go: real pointer actions."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        device: Any = PointerInput
        chain = ActionChains(self.driver, duration=0, devices=[device(how, how)])
        pointer: Any = chain.w3c_actions.pointer_action
        pointer.move_to_location(*map(round, start)).pointer_down()
        if start != end:
            pointer.move_to_location(*(round((a + b) / 2) for a, b in zip(start, end, strict=True)))
            pointer.move_to_location(*map(round, end))
        pointer.pointer_up()
        chain.perform()

    def taken(self, kind: int) -> dict[str, Any]:
        """Return a piece of a kind that lies in the tray; turn the marked one if need be."""
        for _ in range(4):
            there = [p for p in self.pieces() if p["free"] and not p["on"]]
            for piece in sorted(there, key=lambda p: p["marked"]):
                if piece["kind"] == kind:
                    return piece
            marked = next(p for p in there if p["marked"])
            self.pull(self.grip(marked), self.grip(marked))
        raise AssertionError(f"no piece of kind {kind}")

    def place(self, kind: int, x: int, y: int) -> None:
        dx, dy = KINDS[kind][0]
        self.pull(self.grip(self.taken(kind)), self.square(x + dx, y + dy))

    def solve(self, level: Made) -> None:
        for kind, x, y in level.places():
            self.place(kind, x, y)

    def progress(self) -> dict[str, int]:
        kept: dict[str, int] = self.js(
            "return JSON.parse(localStorage['triplex.progress'] || '{}')"
        )
        return kept

    def enter_code(self, code: str) -> str:
        self.js(
            "document.getElementById('entered').value = arguments[0];"
            "document.getElementById('restore').requestSubmit()",
            code,
        )
        return self.text("said")


def name_of(level: Made) -> str:
    return f"{level.width}x{level.height}:" + "".join(str(kind) for kind, _, _ in level.places())


def own_code(page: Page) -> str:
    page.click("code")
    code = page.text("own")
    page.js("document.querySelector('#d-code .close').click()")
    return code


def watch(driver: Any, folder: Path) -> Iterator[Page]:
    """Yield a page; afterwards nothing may be on the console and nothing asked for."""
    page = Page(driver, folder)
    page.size(1100, 760)
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]},
    )
    yield page
    assert [e for e in driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")] == []
    asked = set()
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.add(message["params"]["request"]["url"].split("#")[0])
    local = ("file:", "data:", "about:", "chrome:")  # chrome: is the browser's own tab
    assert [url for url in asked if not url.startswith(local)] == []


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("browser")
    with chromium(folder / "profile") as driver:
        yield from watch(driver, folder)


def test_three_levels_by_dragging_and_reload(page: Page) -> None:
    page.open()
    for number, level in enumerate(LEVELS[:3]):
        assert page.level == f"#4x2-{number + 1}"
        assert page.text("number") == f"Level {number + 1} of {len(made_levels(4, 2))}"
        page.solve(level)
        assert page.solved()
        assert page.text("card-title") == "Solved"
        if number == 0:  # by itself, if left alone
            page.wait(lambda: page.level == "#4x2-2")
        else:
            page.click("next")
    assert page.level == "#4x2-4"
    expected = {name_of(level): 1 for level in LEVELS[:3]}
    assert page.progress() == expected
    page.driver.refresh()
    assert page.level == "#4x2-4"
    page.click("levels")
    solved = page.js(
        "return [...document.querySelectorAll('#list .solved')].map(e => e.textContent)"
    )
    assert solved == ["1", "2", "3"]
    assert page.text("tally").startswith(f"3 of {len(LEVELS)} solved.")


def test_pieces_can_be_taken_out_and_do_not_lie_on_each_other(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    kind, x, y = level.places()[0]
    page.place(kind, x, y)
    assert page.lying() == {(kind, x, y): 1}
    other, _, _ = level.places()[1]
    page.place(other, x, y)
    assert page.lying() == {(kind, x, y): 1}
    placed = next(p for p in page.pieces() if p["on"])
    page.pull(page.grip(placed), (12, 400))
    assert page.lying() == {}
    page.click("undo")
    assert page.lying() == {(kind, x, y): 1}
    page.click("reset")
    assert page.lying() == {}
    page.click("undo")
    page.driver.refresh()
    assert page.lying() == {(kind, x, y): 1}, "a game goes on where it was left"


def test_a_piece_snaps_to_the_nearest_place(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    kind, x, y = level.places()[0]
    dx, dy = KINDS[kind][0]
    page.pull(page.grip(page.taken(kind)), page.square(x + dx - 0.4, y + dy + 0.35))
    assert page.lying() == {(kind, x, y): 1}


def test_equal_pieces_may_be_swapped(page: Page) -> None:
    level = next(m for m in LEVELS if max(Counter(k for k, _, _ in m.places()).values()) > 1)
    twin = next(k for k, n in Counter(k for k, _, _ in level.places()).items() if n > 1)
    who = []
    for order in (1, -1):
        page.open([level])
        for kind, x, y in level.places()[::order]:
            page.place(kind, x, y)
        assert page.solved()
        who.append({(p["x"], p["y"]): p["id"] for p in page.pieces() if p["kind"] == twin})
    assert who[0] != who[1]
    assert who[0].keys() == who[1].keys()


@pytest.mark.parametrize("kind", [1, 2, 6])
def test_only_the_marked_piece_turns(page: Page, kind: int) -> None:
    level = next(m for m in LEVELS if m.rotatable == kind)
    page.open([level])
    for piece in page.pieces():
        before = piece["kind"]
        for times in (1, 2, 3, 4):
            if piece["free"]:
                here = next(p for p in page.pieces() if p["id"] == piece["id"])
                page.pull(page.grip(here), page.grip(here))
            after = next(p for p in page.pieces() if p["id"] == piece["id"])["kind"]
            assert after == (turned(before, times) if piece["marked"] else before)
    marked = next(p for p in page.pieces() if p["marked"])
    assert sum(p["marked"] for p in page.pieces()) == 1
    assert marked["kind"] == turned(kind, level.turns)
    assert "turning piece" in marked["label"]
    page.js("document.activeElement.blur()")
    page.keys("r")
    assert next(p for p in page.pieces() if p["marked"])["kind"] == turned(kind, level.turns + 1)


def test_a_placed_piece_turns_where_there_is_room(page: Page) -> None:
    level = next(
        m
        for m in LEVELS
        if m.rotatable == 2 and m.height == 3 and [k for k, _, _ in m.places()].count(2) == 1
    )
    page.open([level])
    page.place(2, 0, 1)
    for expected in [(3, 1, 0), (2, 0, 1)]:
        placed = next(p for p in page.pieces() if p["on"])
        page.pull(page.grip(placed), page.grip(placed))
        assert page.lying() == {expected: 1}


def test_touch_on_a_phone(page: Page) -> None:
    level = next(m for m in LEVELS if m.rotatable is not None and m.height == 3)
    page.size(360, 640, phone=True)
    page.open([level])
    cell = page.square(1, 0)[0] - page.square(0, 0)[0]
    for number, (kind, x, y) in enumerate(level.places()):
        for _ in range(4):
            there = [p for p in page.pieces() if p["free"] and not p["on"]]
            piece = next(
                (p for p in sorted(there, key=lambda p: p["marked"]) if p["kind"] == kind), None
            )
            if piece:
                break
            marked = next(p for p in there if p["marked"])
            page.pull(page.grip(marked), page.grip(marked), how="touch")
        assert piece is not None
        across, down = (1 + max(c[axis] for c in KINDS[kind]) for axis in (0, 1))
        middle = page.square(x + (across - 1) / 2, y + (down - 1) / 2)
        if number % 2:  # tap the piece, tap its place
            page.pull(page.grip(piece), page.grip(piece), how="touch")
            if piece["marked"]:  # which turned it: once round
                for _ in range(1 if kind < 4 else 3):
                    page.pull(page.grip(piece), page.grip(piece), how="touch")
            page.pull(middle, middle, how="touch")
        else:  # the finger stays below the piece that it carries
            finger = (middle[0], middle[1] + down * cell / 2 + 34)
            page.pull(page.grip(piece), finger, how="touch")
    assert page.solved()
    assert page.progress() == {name_of(level): 1}
    page.size(1100, 760)


def test_keyboard_only(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    level = next(
        m for m in LEVELS if m.rotatable is not None and m.turns in (1, 3) and m.height == 3
    )
    page.open([level])
    focused = "return document.activeElement.dataset.piece ?? -1"
    for kind, x, y in level.places():
        for _ in range(40):
            page.keys(Keys.TAB)
            piece = next((p for p in page.pieces() if p["id"] == int(page.js(focused))), None)
            if piece is None or piece["on"]:
                continue
            for _ in range(4):
                if piece["kind"] == kind or not piece["marked"]:
                    break
                page.keys("r")
                piece = next(p for p in page.pieces() if p["id"] == piece["id"])
            if piece["kind"] == kind:
                break
        page.keys(Keys.ENTER)
        assert "fits" in page.text("status")
        page.keys(*[Keys.ARROW_LEFT] * 4, *[Keys.ARROW_UP] * 4)
        page.keys(*[Keys.ARROW_RIGHT] * x, *[Keys.ARROW_DOWN] * y)
        assert f"olumn {x + 1}, row {y + 1}, fits" in page.text("status")
        page.keys(Keys.ENTER)
        if not page.solved():
            assert page.lying()[kind, x, y] == 1
    assert page.solved()
    assert page.js("return document.activeElement.id") == "again"
    page.keys(Keys.ENTER)
    assert not page.solved()
    # Escape gives back what is in the hand, and what lies.
    page.keys(Keys.ARROW_DOWN)
    assert page.js("return document.querySelectorAll('.piece.lift').length") == 1
    page.keys(Keys.ESCAPE)
    assert page.js("return document.querySelectorAll('.piece.lift').length") == 0
    page.keys(Keys.ENTER, Keys.ENTER)
    assert len(page.lying()) == 1
    page.keys(Keys.ESCAPE)
    assert page.lying() == {}
    page.keys("u")
    assert len(page.lying()) == 1


@pytest.mark.parametrize("seed", range(3))
def test_hints_lead_to_the_solution_from_anywhere(page: Page, seed: int) -> None:
    draw = random.Random(seed)
    level = max(LEVELS, key=lambda m: (m.rotatable is not None, len({k for k, _, _ in m.places()})))
    wanted, right = Counter(level.places()), 0
    page.open([level])
    # Something wrong over the first place, then anything anywhere.
    x, y = 0, 0
    for _ in range(4):
        free = [p for p in page.pieces() if p["free"] and not p["on"]]
        wrong = [p["kind"] for p in free if (p["kind"], x, y) not in wanted]
        if wrong:
            page.place(draw.choice(wrong), x, y)
        x, y = draw.randrange(level.width), draw.randrange(level.height)
    assert not wanted & page.lying()
    assert page.lying()
    while not page.solved():
        page.click("hint")
        lying = page.lying()
        squares = [(x + dx, y + dy) for kind, x, y in lying.elements() for dx, dy in KINDS[kind]]
        assert len(set(squares)) == len(squares)
        assert (wanted & lying).total() > right
        right = (wanted & lying).total()
    assert page.lying() == wanted
    assert page.text("card-title") == "Solved with help"
    assert page.progress() == {name_of(level): 2}


def test_the_solution_is_shown_and_does_not_count(page: Page) -> None:
    page.open(LEVELS, "#4x2-2")
    level = LEVELS[1]
    page.click("show")
    page.click("no")
    assert page.lying() == {}
    page.click("show")
    page.click("yes")
    assert page.solved()
    assert page.text("card-title") == "The solution"
    assert page.lying() == Counter(level.places())
    assert page.progress() == {name_of(level): 2}
    page.click("again")
    page.solve(level)
    assert page.text("card-title") == "Solved"
    assert page.progress() == {name_of(level): 1}


def test_a_hint_undone_is_still_help(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    page.click("hint")
    page.click("undo")
    page.solve(level)
    assert page.progress() == {name_of(level): 2}


def test_levels_open_one_after_another(page: Page) -> None:
    begins = [len(made_levels(4, 2)), len(made_levels(4, 2)) + len(made_levels(3, 3))]
    page.open()
    opened = (
        "return [...document.querySelectorAll('#list [data-level]')]"
        ".filter(e => !e.ariaDisabled).map(e => +e.dataset.level)"
    )
    page.click("levels")
    assert page.js(opened) == [0, 1, 2, *(b + k for b in begins for k in range(3))]
    page.js("document.querySelector('[data-level=\"3\"]').click()")
    assert page.level == "#4x2-1"
    page.js(f"document.querySelector('[data-level=\"{begins[0] + 2}\"]').click()")
    assert page.level == "#3x3-3"
    page.solve(LEVELS[begins[0] + 2])
    page.js("document.getElementById('levels').click()")
    assert page.js(opened) == [
        0,
        1,
        2,
        *(begins[0] + k for k in range(4)),
        *(begins[1] + k for k in range(3)),
    ]
    page.open(LEVELS, "#4x3-9", fresh=False)
    assert page.level != "#4x3-9", "not by its address either"


# A second implementation of the codes, from their description.
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def read_code(code: str, levels: Sequence[Made]) -> list[int]:
    values = [LETTERS.index(letter) for letter in code.replace("-", "")]

    def digest(numbers: Sequence[int], base: int, modulus: int) -> int:
        total = 0
        for value in numbers:
            total = (total * base + value + 1) % modulus
        return total

    def number(digits: Sequence[int]) -> int:
        return sum(digit * 32**place for place, digit in enumerate(reversed(digits)))

    assert number(values[-4:]) == digest(values[:-4], 7919, 1_048_573)
    names = ";".join(name_of(level) for level in levels)
    assert number(values[:3]) == digest([ord(letter) for letter in names], 257, 32_749)
    share = Fraction(number(values[3:-4]), 32 ** (len(values) - 7))
    weights = {before: [1, 1, 1] for before in (None, 0, 1, 2)}
    statuses: list[int] = []
    for last, level in pairwise([None, *levels]):
        assert level is not None
        same = last is not None and (last.width, last.height) == (level.width, level.height)
        weight = weights[statuses[-1] if same else None]
        low = Fraction(0)
        for status in range(3):
            part = Fraction(weight[status], sum(weight))
            if share < low + part or status == 2:
                break
            low += part
        share = (share - low) / part
        weight[status] += 6
        statuses.append(status)
    return statuses


@pytest.mark.parametrize("seed", range(3))
def test_codes_say_what_is_solved(page: Page, seed: int) -> None:
    draw = random.Random(seed)
    statuses = [draw.choice([0, 1, 1, 2] if seed else [0]) for _ in LEVELS]
    if seed == 1:
        statuses = [1] * len(LEVELS)
    page.open()
    kept = {name_of(m): s for m, s in zip(LEVELS, statuses, strict=True) if s}
    page.js("localStorage['triplex.progress'] = arguments[0]", json.dumps(kept))
    page.driver.refresh()
    code = own_code(page)
    assert set(code) <= set(LETTERS + "-")
    assert read_code(code, LEVELS) == statuses
    if len(set(statuses)) == 1:
        assert len(code) <= 11
    page.open()
    page.click("code")
    page.enter_code(code.lower().replace("-", " "))
    assert page.progress() == kept
    assert page.text("own") == code


def test_a_code_carries_progress_into_another_profile(page: Page, tmp_path: Path) -> None:
    page.open()
    page.solve(LEVELS[0])
    code = own_code(page)
    with chromium(tmp_path / "profile") as driver:
        for other in watch(driver, tmp_path):
            other.open()
            assert other.progress() == {}
            other.click("code")
            other.driver.find_element("id", "entered").send_keys(code, "\n")
            assert other.text("said") == "Restored: 1 level more."
            assert other.progress() == {name_of(LEVELS[0]): 1}
            assert other.enter_code(code) == "The code is right; nothing new in it."


def test_wrong_codes_are_refused(page: Page) -> None:
    page.open(LEVELS[:6])
    foreign = own_code(page)
    page.open()
    page.solve(LEVELS[0])
    code = own_code(page).replace("-", "")
    page.open()
    page.click("code")
    assert page.enter_code("  ") == "Type a code first."
    assert page.enter_code(foreign) == "This code belongs to another set of levels."
    for at in range(len(code)):  # every wrong letter, every two neighbours swapped
        other = LETTERS[(LETTERS.index(code[at]) + 1 + at) % 32]
        wrong = {
            code[:at] + other + code[at + 1 :],
            code[:at] + code[at + 1 : at + 2] + code[at] + code[at + 2 :],
        }
        for typed in wrong - {code}:
            assert page.enter_code(typed).startswith("This code is not right"), typed
    assert page.enter_code(code[:-1]).startswith("This code is not right")
    assert "“0” never occurs" in page.enter_code("0" + code)
    assert page.progress() == {}
    latin, cyrillic = "ABEKMHPCTYX", "АВЕКМНРСТУХ"
    assert page.enter_code(code.translate(str.maketrans(latin, cyrillic))).startswith("Restored")
    assert page.progress() == {name_of(LEVELS[0]): 1}


def test_progress_can_be_forgotten(page: Page) -> None:
    page.open()
    page.solve(LEVELS[0])
    page.click("code")
    page.click("forget")
    page.click("yes")
    assert page.progress() == {}


def test_in_russian(page: Page) -> None:
    page.open(language="ru")
    assert page.js("return document.documentElement.lang") == "ru"
    assert page.text("number") == f"Уровень 1 из {len(made_levels(4, 2))}"
    assert "Подсказка" in page.text("hint")
    level = LEVELS[0]
    left = {1: "Осталась 1 фигура", 2: "Осталось 2 фигуры", 3: "Осталось 3 фигуры"}
    for number, (kind, x, y) in enumerate(level.places(), 1):
        page.place(kind, x, y)
        rest = len(level.places()) - number
        if rest:
            assert left[rest] in page.text("status")
    assert page.text("card-title") == "Решено"
    assert page.text("card-text") == f"4 × 2: решён 1 уровень из {len(made_levels(4, 2))}"
    page.click("language")
    assert page.text("card-title") == "Solved"
    page.driver.refresh()
    assert page.js("return document.documentElement.lang") == "en", "the choice is remembered"
    page.click("language")
    # Nothing may be left in the other language, or without a text.
    bare = page.js(
        "return [...document.querySelectorAll('button, h2, label, .body p, .body li, .body dd')]"
        ".filter(e => e.id !== 'language' &&"
        "/[a-z]{3}|undefined|null/i.test((e.ariaLabel || '') + e.textContent))"
        ".map(e => e.outerHTML)"
    )
    assert bare == []


def test_without_storage(page: Page) -> None:
    made = page.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "Object.defineProperty(window, 'localStorage',"
            "{get() { throw new DOMException('no', 'SecurityError') }})"
        },
    )
    page.open(fresh=False)
    page.solve(LEVELS[0])
    assert page.solved()
    page.click("code")
    assert "keeps nothing" in page.text("kept")
    assert read_code(page.text("own"), LEVELS)[:2] == [1, 0]
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)
    page.driver.get("about:blank")


@pytest.mark.parametrize("kept", ["nonsense", '{"game": 7, "level": []}', "null"])
def test_spoilt_storage_does_no_harm(page: Page, kept: str) -> None:
    page.open()
    page.js(
        "localStorage['triplex.progress'] = localStorage['triplex.settings'] = arguments[0]", kept
    )
    page.driver.refresh()
    assert page.level == "#4x2-1"
    page.solve(LEVELS[0])
    assert page.solved()


WIDE = Made(12, 3, ("AABBCCDDEEFF", "GHIJKLMNOPQR", "GHIJKLMNOPQR"), 0, 1)


@pytest.mark.parametrize(
    ("size", "language"),
    [((390, 844), "en"), ((320, 568), "ru"), ((844, 390), "ru"), ((1600, 900), "en")],
)
def test_fits_any_screen(page: Page, size: tuple[int, int], language: str) -> None:
    page.size(*size, phone=True)
    page.open([WIDE, LEVELS[-1]], "#12x3-1", language=language)
    inside = page.js(
        "const e = document.documentElement;"
        "return e.scrollWidth <= innerWidth && e.scrollHeight <= innerHeight"
    )
    assert inside
    boxes = page.js(
        "return [...document.querySelectorAll('button, #board, .slot, .piece, #status')]"
        ".filter(e => e.offsetParent).map(e => {"
        "const r = e.getBoundingClientRect();"
        "return [e.id || e.className, r.left, r.top, r.right, r.bottom]})"
    )
    assert len(boxes) > 20
    for name, left, top, right, bottom in boxes:
        assert left >= 0, name
        assert top >= 0, name
        assert right <= size[0] + 0.5, name
        assert bottom <= size[1] + 0.5, name
        if name != "piece" and name not in ("status", "board"):
            assert min(right - left, bottom - top) >= 38, f"{name} is too small for a finger"
    # Nor does the card at the end cover what was solved.
    for fragment in ("#12x3-1", "#4x3-1"):
        page.open([WIDE, LEVELS[-1]], fragment, language=language)
        page.js("document.getElementById('show').click(); document.getElementById('yes').click()")
        assert page.solved()
        card, board = page.js(
            "return ['card', 'board'].map(id => {"
            "const r = document.getElementById(id).getBoundingClientRect();"
            "return [r.left, r.top, r.right, r.bottom]})"
        )
        assert card[1] >= board[3] or card[0] >= board[2]
        assert 0 <= card[0] <= card[2] <= size[0]
        assert 0 <= card[1] <= card[3] <= size[1]
    page.size(1100, 760)


def test_everything_has_a_name_and_can_be_read(page: Page) -> None:
    page.open()
    nameless = page.js(
        "return [...document.querySelectorAll('button, input, dialog, [role]')].filter(e =>"
        "!['status', 'alert'].includes(e.role) && e.id !== 'yes' &&"
        "!(e.ariaLabel || e.getAttribute('aria-labelledby') || e.textContent.trim() ||"
        "e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []
    assert page.js("return document.getElementById('board').ariaLabel") == (
        "Rectangle, 4 columns, 2 rows, 8 squares free"
    )
    light = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] > 127"
    before = page.js(light)
    page.click("theme")
    assert page.js(light) != before
    page.driver.refresh()
    assert page.js(light) != before
