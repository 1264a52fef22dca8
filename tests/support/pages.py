"""The player's page of a plan in a headless Chromium, with helpers for its tests."""

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tests.support.browser import BrowserPage
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.render.page import make_page
from tetrisprinter.render.paint import choose_display_colors


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


def set_speed(page: Page, slider: int) -> None:
    set_slider(page, "speed", slider)
