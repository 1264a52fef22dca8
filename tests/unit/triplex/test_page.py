"""The game in a headless Chromium: solved by mouse, finger and keyboard, and what it remembers."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.oracles import brute_triplex as brute
from tests.support.browser import BrowserPage
from tests.support.waiting import wait_until
from tetrisprinter.errors import InputError
from tetrisprinter.triplex import levels
from tetrisprinter.triplex.generator import find_rotatable_pieces
from tetrisprinter.triplex.levels import Level, Puzzle, make_triplex_page

# ---- Levels, found by plain search.
KINDS = tuple(kind.cells for kind in levels.KINDS)
"""The cells of each kind of piece, in reading order."""


def turn_kind(kind: int, times: int = 1) -> int:
    """Return the kind of a piece after some clockwise quarter turns."""
    for _ in range(times):
        kind = levels.TURNED[kind]
    return kind


def list_places(level: Level) -> list[tuple[int, int, int]]:
    """Return (kind, x, y) of every piece of the solution, in reading order."""
    cells: dict[str, list[tuple[int, int]]] = {}
    for y, row in enumerate(level.solution):
        for x, letter in enumerate(row):
            cells.setdefault(letter, []).append((x, y))
    corners = ((min(x for x, _ in spots), min(y for _, y in spots)) for spots in cells.values())
    kinds = levels.list_kinds(level.solution, level.width, level.height)
    return [(kind, *corner) for kind, corner in zip(kinds, corners, strict=True)]


@cache
def make_levels(width: int, height: int) -> tuple[Level, ...]:
    """Return all levels of a size; symmetric levels and straight cuts are allowed."""
    found: list[Level] = []
    for counts, (number, drawing) in sorted(brute.all_counts(width, height).items()):
        if number > 1 or sum(counts) < 3:
            continue
        solution = tuple("".join(chr(65 + piece) for piece in row) for row in drawing)
        kinds = find_rotatable_pieces(Puzzle(width, height, counts))
        rotatable = max(kinds, default=None)
        turns = 1 + len(found) % 3 if kinds else 0
        difficulty = 10 * sum(counts) + len(found)
        found.append(Level(width, height, counts, solution, difficulty, rotatable, turns))
    return tuple(found)


# ---- What a player does and sees.
LEVELS = [*make_levels(4, 2), *make_levels(3, 3), *make_levels(4, 3)]


class Page(BrowserPage):
    """The game in the browser."""

    levels = ("error", "warning")

    def open(
        self,
        levels: Sequence[Level] = LEVELS,
        fragment: str = "",
        *,
        fresh: bool = True,
    ) -> None:
        """Write the page of some levels and load it; ``fresh`` forgets earlier progress."""
        text = make_triplex_page(levels)
        self.path.write_text(text, encoding="utf-8")
        if fresh and self.tab.url.startswith("file:"):
            self.js("localStorage.clear()")
        self.visit(self.path.as_uri() + fragment)

    def wait(self, done: Callable[[], bool], seconds: float = 100) -> None:
        wait_until(done, seconds=seconds)

    @property
    def level(self) -> str:
        return str(self.js("return location.hash"))

    def is_solved(self) -> bool:
        return bool(self.js("return !document.getElementById('card').hidden"))

    def pieces(self) -> list[dict[str, Any]]:
        """Return a dictionary for each piece; ``on`` means on the board, ``free`` movable."""
        pieces: list[dict[str, Any]] = self.js(
            "return [...document.querySelectorAll('.piece')].map(e => {"
            "const r = e.getBoundingClientRect(), d = e.dataset; return {id: +d.piece,"
            "kind: +d.kind, on: d.on === '1', x: +d.x, y: +d.y, free: e.tabIndex === 0,"
            "marked: !!e.querySelector('.mark'), label: e.ariaLabel,"
            "box: [r.left, r.top, r.width, r.height]}})"
        )
        return pieces

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
        """Return the middle of a square of the board, on the screen."""
        left, top, width, columns = self.js(
            "const e = document.querySelector('#board svg'), r = e.getBoundingClientRect();"
            "return [r.left, r.top, r.width, e.viewBox.baseVal.width / 100]"
        )
        cell = width / columns
        return left + (x + 0.5) * cell, top + (y + 0.5) * cell

    def pull(
        self, start: tuple[float, float], end: tuple[float, float], *, pointer: str = "mouse"
    ) -> None:
        """Press, move in two steps and let go: real pointer actions."""
        path = [tuple(map(round, start))]
        if start != end:
            path.append((round((start[0] + end[0]) / 2), round((start[1] + end[1]) / 2)))
            path.append((round(end[0]), round(end[1])))
        if pointer == "touch":
            for kind, (x, y) in zip(("touchStart", *["touchMove"] * 2), path, strict=False):
                self._touch(kind, [{"x": x, "y": y}])
            self._touch("touchEnd", [])
            return
        mouse = self.tab.mouse
        mouse.move(*path[0])
        mouse.down()
        for x, y in path[1:]:
            mouse.move(x, y)
        mouse.up()

    def _touch(self, kind: str, points: list[dict[str, int]]) -> None:
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def taken(self, kind: int) -> dict[str, Any]:
        """Return a piece of a kind in the tray; turn the rotatable piece until it has the kind."""
        for _ in range(4):
            pieces_in_tray = [p for p in self.pieces() if p["free"] and not p["on"]]
            for piece in sorted(pieces_in_tray, key=lambda p: p["marked"]):
                if piece["kind"] == kind:
                    return piece
            marked = next(p for p in pieces_in_tray if p["marked"])
            self.pull(self.grip(marked), self.grip(marked))
        raise AssertionError(f"no piece of kind {kind}")

    def place(self, kind: int, x: int, y: int) -> None:
        dx, dy = KINDS[kind][0]
        self.pull(self.grip(self.taken(kind)), self.square(x + dx, y + dy))

    def solve(self, level: Level) -> None:
        for kind, x, y in list_places(level):
            self.place(kind, x, y)

    def progress(self) -> dict[str, int]:
        progress: dict[str, int] = self.js(
            "return JSON.parse(localStorage['triplex.progress'] || '{}')"
        )
        return progress

    def enter_code(self, code: str) -> str:
        """Enter a code of progress; return the page's answer."""
        self.js(
            "document.getElementById('entered').value = arguments[0];"
            "document.getElementById('restore').requestSubmit()",
            code,
        )
        return self.text("said")


def format_name(level: Level) -> str:
    kinds = (str(kind) for kind, _, _ in list_places(level))
    return f"{level.width}x{level.height}:" + "".join(kinds)


def copy_code(page: Page) -> str:
    page.click("code")
    code = page.text("own")
    page.js("document.querySelector('#d-code .close').click()")
    return code


def open_game(browser: Any, folder: Path) -> Page:
    """Return a page for the game in a window of 1100 x 760 pixels, without animations."""
    page = Page(browser, folder / "triplex.html")
    page.size(1100, 760)
    page.tab.emulate_media(reduced_motion="reduce")
    return page


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    page = open_game(browser, tmp_path_factory.mktemp("page"))
    yield page
    page.close()


WIDE = Level(
    12, 3, (6, 12, 0, 0, 0, 0, 0, 0), ("AABBCCDDEEFF", "GHIJKLMNOPQR", "GHIJKLMNOPQR"), 1, 0, 1
)


def test_is_small_and_self_contained() -> None:
    page = make_triplex_page(LEVELS)
    assert len(page.encode()) < 75_000 + 40 * len(LEVELS)
    assert "http" not in page.replace("http-equiv", "")
    assert not re.search(r"<(script|img|iframe|link)[^>]+src=|@import|url\(", page)


def test_refuses_a_page_without_levels() -> None:
    with pytest.raises(InputError, match="needs at least one"):
        make_triplex_page([])


@pytest.mark.slow
def test_three_levels_by_dragging_and_reload(page: Page) -> None:
    page.open()
    for number, level in enumerate(LEVELS[:3]):
        assert page.level == f"#4x2-{number + 1}"
        assert page.text("number") == f"Level {number + 1} of {len(make_levels(4, 2))}"
        page.solve(level)
        assert page.is_solved()
        assert page.text("card-title") == "Solved"
        if number == 0:  # by itself, if left alone
            page.wait(lambda: page.level == "#4x2-2")
        else:
            page.click("next")
    assert page.level == "#4x2-4"
    expected = {format_name(level): 1 for level in LEVELS[:3]}
    assert page.progress() == expected
    page.reload()
    assert page.level == "#4x2-4"
    page.click("levels")
    solved = page.js(
        "return [...document.querySelectorAll('#list .solved')].map(e => e.textContent)"
    )
    assert solved == ["1", "2", "3"]
    assert page.text("tally").startswith(f"3 of {len(LEVELS)} solved.")
    page.js("document.querySelector('#d-levels .close').click()")
    page.solve(LEVELS[3])
    page.reload()
    assert page.level == "#4x2-5", "a level that was finished is not what one comes back for"
    page.visit(page.path.as_uri() + "#4x2-2")
    assert page.level == "#4x2-2", "but a link leads where it says"


def test_pieces_can_be_taken_out_and_do_not_lie_on_each_other(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    kind, x, y = list_places(level)[0]
    dx, dy = KINDS[kind][0]
    page.pull(page.grip(page.taken(kind)), page.square(x + dx - 0.4, y + dy + 0.35))
    assert page.lying() == {(kind, x, y): 1}, "it snaps to the nearest place"
    other, _, _ = list_places(level)[1]
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
    page.reload()
    assert page.lying() == {(kind, x, y): 1}, "a game goes on where it was left"


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
            assert after == (turn_kind(before, times) if piece["marked"] else before)
    marked = next(p for p in page.pieces() if p["marked"])
    assert sum(p["marked"] for p in page.pieces()) == 1
    assert marked["kind"] == turn_kind(kind, level.turns)
    assert "turning piece" in marked["label"]
    page.js("document.activeElement.blur()")
    page.press("r")
    assert next(p for p in page.pieces() if p["marked"])["kind"] == turn_kind(kind, level.turns + 1)


def test_touch_on_a_phone(page: Page) -> None:
    level = next(m for m in LEVELS if m.rotatable is not None and m.height == 3)
    page.size(360, 640, phone=True)
    page.open([level])
    cell = page.square(1, 0)[0] - page.square(0, 0)[0]
    for number, (kind, x, y) in enumerate(list_places(level)):
        for _ in range(4):
            there = [p for p in page.pieces() if p["free"] and not p["on"]]
            piece = next(
                (p for p in sorted(there, key=lambda p: p["marked"]) if p["kind"] == kind), None
            )
            if piece:
                break
            marked = next(p for p in there if p["marked"])
            page.pull(page.grip(marked), page.grip(marked), pointer="touch")
        assert piece is not None
        across, down = (1 + max(c[axis] for c in KINDS[kind]) for axis in (0, 1))
        middle = page.square(x + (across - 1) / 2, y + (down - 1) / 2)
        if number % 2:  # tap the piece, tap its place
            page.pull(page.grip(piece), page.grip(piece), pointer="touch")
            if piece["marked"]:  # which turned it: once round
                for _ in range(1 if kind < 4 else 3):
                    page.pull(page.grip(piece), page.grip(piece), pointer="touch")
            page.pull(middle, middle, pointer="touch")
        else:  # the finger stays below the piece that it carries
            finger = (middle[0], middle[1] + down * cell / 2 + 34)
            page.pull(page.grip(piece), finger, pointer="touch")
    assert page.is_solved()
    assert page.progress() == {format_name(level): 1}
    page.size(1100, 760)


def test_keyboard_only(page: Page) -> None:
    level = next(
        m for m in LEVELS if m.rotatable is not None and m.turns in (1, 3) and m.height == 3
    )
    page.open([level])
    focused = "return document.activeElement.dataset.piece ?? -1"
    for kind, x, y in list_places(level):
        for _ in range(40):
            page.press("Tab")
            piece = next((p for p in page.pieces() if p["id"] == int(page.js(focused))), None)
            if piece is None or piece["on"]:
                continue
            for _ in range(4):
                if piece["kind"] == kind or not piece["marked"]:
                    break
                page.press("r")
                piece = next(p for p in page.pieces() if p["id"] == piece["id"])
            if piece["kind"] == kind:
                break
        page.press("Enter")
        assert "fits" in page.text("status")
        page.press(*["ArrowLeft"] * 4, *["ArrowUp"] * 4)
        page.press(*["ArrowRight"] * x, *["ArrowDown"] * y)
        assert f"olumn {x + 1}, row {y + 1}, fits" in page.text("status")
        page.press("Enter")
        if not page.is_solved():
            assert page.lying()[kind, x, y] == 1
    assert page.is_solved()
    assert page.js("return document.activeElement.id") == "again"
    page.press("Enter")
    assert not page.is_solved()
    # Escape gives back what is in the hand, and what lies.
    page.press("ArrowDown")
    assert page.js("return document.querySelectorAll('.piece.lift').length") == 1
    page.press("Escape")
    assert page.js("return document.querySelectorAll('.piece.lift').length") == 0
    page.press("Enter", "Enter")
    assert len(page.lying()) == 1
    page.press("Escape")
    assert page.lying() == {}
    page.press("u")
    assert len(page.lying()) == 1


@pytest.mark.parametrize("size", [(390, 844), (320, 568), (844, 390), (1600, 900)])
def test_fits_any_screen(page: Page, size: tuple[int, int]) -> None:
    page.size(*size, phone=True)
    page.open([WIDE, LEVELS[-1]], "#12x3-1")
    elements = "button, #board, .slot, .piece, #status"
    page.assert_fits(size, elements, 38, ("piece", "status", "board"))
    # Nor does the card at the end cover what was solved.
    for fragment in ("#12x3-1", "#4x3-1"):
        page.open([WIDE, LEVELS[-1]], fragment)
        page.js("document.getElementById('show').click(); document.getElementById('yes').click()")
        assert page.is_solved()
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
    page.reload()
    assert page.js(light) != before


# ---- What the game remembers: hints taken, levels solved, and the codes that carry them.
@pytest.mark.parametrize("seed", range(2))
def test_hints_lead_to_the_solution_from_anywhere(page: Page, seed: int) -> None:
    draw = random.Random(seed)
    level = max(LEVELS, key=lambda m: (m.rotatable is not None, -m.counts.count(0)))
    wanted, right = Counter(list_places(level)), 0
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
    while not page.is_solved():
        page.click("hint")
        lying = page.lying()
        squares = [(x + dx, y + dy) for kind, x, y in lying.elements() for dx, dy in KINDS[kind]]
        assert len(set(squares)) == len(squares)
        assert (wanted & lying).total() > right
        right = (wanted & lying).total()
    assert page.lying() == wanted
    assert page.text("card-title") == "Solved with help"
    assert page.progress() == {format_name(level): 2}


def test_levels_solved_with_help_are_counted_apart(page: Page) -> None:
    page.open()
    page.solve(LEVELS[0])
    page.click("next")
    while not page.is_solved():
        page.click("hint")
    assert (
        page.text("card-text")
        == f"1 of {len(make_levels(4, 2))} levels of 4 × 2 solved, 1 more with help"
    )
    page.click("next")
    page.click("levels")
    assert page.text("tally").startswith(f"1 of {len(LEVELS)} solved, 1 more with help.")
    assert f"1 + 1 / {len(make_levels(4, 2))}" in page.text("list")


def test_the_solution_is_shown_and_does_not_count(page: Page) -> None:
    page.open(LEVELS, "#4x2-2")
    level = LEVELS[1]
    page.click("show")
    page.click("no")
    assert page.lying() == {}
    page.click("show")
    page.click("yes")
    assert page.is_solved()
    assert page.text("card-title") == "The solution"
    assert page.lying() == Counter(list_places(level))
    assert page.progress() == {format_name(level): 2}
    page.click("again")
    page.solve(level)
    assert page.text("card-title") == "Solved"
    assert page.progress() == {format_name(level): 1}


def test_a_hint_undone_is_still_help(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    page.click("hint")
    page.click("undo")
    page.solve(level)
    assert page.progress() == {format_name(level): 2}


def test_levels_open_one_after_another(page: Page) -> None:
    begins = [len(make_levels(4, 2)), len(make_levels(4, 2)) + len(make_levels(3, 3))]
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


LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


@pytest.mark.parametrize("seed", range(3))
def test_codes_say_what_is_solved(page: Page, seed: int) -> None:
    draw = random.Random(seed)
    statuses = [draw.choice([0, 1, 1, 2] if seed else [0]) for _ in LEVELS]
    if seed == 1:
        statuses = [1] * len(LEVELS)
    page.open()
    kept = {format_name(m): s for m, s in zip(LEVELS, statuses, strict=True) if s}
    page.js("localStorage['triplex.progress'] = arguments[0]", json.dumps(kept))
    page.reload()
    code = copy_code(page)
    assert set(code) <= set(LETTERS + "-")
    if len(set(statuses)) == 1:
        assert len(code) <= 11
    page.open()
    page.click("code")
    page.enter_code(code.lower().replace("-", " "))
    assert page.progress() == kept
    assert page.text("own") == code


def test_wrong_codes_are_refused(page: Page) -> None:
    page.open(LEVELS[:6])
    foreign = copy_code(page)
    page.open()
    page.solve(LEVELS[0])
    code = copy_code(page).replace("-", "")
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
    assert page.progress() == {format_name(LEVELS[0]): 1}
    page.click("forget")
    page.click("yes")
    assert page.progress() == {}


def test_without_storage(page: Page, browser: Any, tmp_path: Path) -> None:
    page.open()
    page.solve(LEVELS[0])
    forgetful = open_game(browser, tmp_path)
    forgetful.tab.add_init_script(
        "Object.defineProperty(window, 'localStorage',"
        "{get() { throw new DOMException('no', 'SecurityError') }})"
    )
    forgetful.open(fresh=False)
    forgetful.solve(LEVELS[0])
    assert forgetful.is_solved()
    assert copy_code(forgetful) == copy_code(page)
    assert "keeps nothing" in forgetful.text("kept")
    forgetful.close()


@pytest.mark.parametrize("kept", ["nonsense", '{"game": 7, "level": []}', "null"])
def test_spoilt_storage_does_no_harm(page: Page, kept: str) -> None:
    page.open()
    page.js(
        "localStorage['triplex.progress'] = localStorage['triplex.settings'] = arguments[0]", kept
    )
    page.reload()
    assert page.level == "#4x2-1"
    page.solve(LEVELS[0])
    assert page.is_solved()
