"""The game Triplex in a headless Chromium, with methods for what a player does and sees."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.browser import BrowserPage
from tests.support.triplex_levels import KINDS, MadeLevel, make_levels
from tests.support.waiting import wait_until
from tetrisprinter.triplex.levels import make_triplex_page

LEVELS = [*make_levels(4, 2), *make_levels(3, 3), *make_levels(4, 3)]


class Page(BrowserPage):
    """The game in the browser."""

    levels = ("error", "warning")

    def open(
        self,
        levels: Sequence[MadeLevel] = LEVELS,
        fragment: str = "",
        *,
        fresh: bool = True,
    ) -> None:
        """Write the page of some levels and load it; ``fresh`` forgets earlier progress."""
        text = make_triplex_page([level.level for level in levels])
        self.path.write_text(text, encoding="utf-8")
        if fresh and self.tab.url.startswith("file:"):
            self.js("localStorage.clear()")
        self.visit(self.path.as_uri() + fragment)

    def wait(self, done: Callable[[], bool], seconds: float = 100) -> None:
        wait_until(done, seconds=seconds)

    @property
    def level(self) -> str:
        return str(self.js("return location.hash"))

    def solved(self) -> bool:
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

    def solve(self, level: MadeLevel) -> None:
        for kind, x, y in level.places():
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


def format_name(level: MadeLevel) -> str:
    return f"{level.width}x{level.height}:" + "".join(str(kind) for kind, _, _ in level.places())


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
