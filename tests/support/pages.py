"""The page of a print in a headless Chromium, as the tests of it use it."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.render.colors import choose_display_colors
from tetrisprinter.render.page import make_page


class Page:
    """The page in the browser."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver, self.path = driver, path

    def open(self, plan: Plan, fragment: str = "", **options: Any) -> None:
        self.path.write_text(make_page(plan, **{"autoplay": False, **options}))
        if self.driver.current_url.startswith("file:"):
            self.js("localStorage.clear()")
        self.driver.get("about:blank")
        self.driver.get(self.path.as_uri() + fragment)

    def size(self, width: int, height: int, ratio: float, *, mobile: bool = False) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": mobile},
        )

    def prefers(self, **features: str) -> None:
        listed = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})

    def js(self, code: str, *values: Any) -> Any:
        return self.driver.execute_script(code, *values)

    def click(self, name: str) -> None:
        self.driver.find_element("id", name).click()

    def press(self, keys: str) -> None:
        self.driver.find_element("css selector", "body").send_keys(keys)

    def text(self, name: str) -> str:
        return str(self.js("return document.getElementById(arguments[0]).textContent", name))

    def stands_after(self, drops: int) -> bool:
        return self.drop == drops

    @property
    def drop(self) -> int:
        return int(self.text("n-drop"))

    def pixels(self) -> NDArray[np.uint8]:
        url = self.js("return document.getElementById('board').toDataURL()")
        image = Image.open(io.BytesIO(base64.b64decode(url.split(",")[1])))
        return np.asarray(image.convert("RGB"))

    def frames(self, count: int) -> None:
        """Let the browser draw some frames, which is what the player moves with."""
        self.driver.execute_async_script(
            "const [count, done] = arguments; let n = 0;"
            "const next = () => n++ < count ? requestAnimationFrame(next) : done();"
            "next()",
            count,
        )


def field_after(plan: Plan, drops: int) -> Playfield:
    field = plan.field()
    for drop in play(plan, field):
        if drop.index + 1 == drops:
            break
    return field if drops else plan.field()


def assert_shows(page: Page, plan: Plan, drops: int) -> None:
    """Compare the middle of every square with the field after some drops."""
    field = plan.background or "000000"
    colors = {0: field, **{int(k): c for k, c in choose_display_colors(plan, field).items()}}
    pixels = page.pixels()
    scale = pixels.shape[1] // plan.width
    assert pixels.shape == (plan.height * scale, plan.width * scale, 3)
    rows = field_after(plan, drops).rows
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            middle = pixels[(plan.height - 1 - y) * scale + scale // 2, x * scale + scale // 2]
            assert middle.tobytes().hex() == colors[value], (drops, x, y)


def set_speed(page: Page, slider: int) -> None:
    page.js(
        "const s = document.getElementById('speed'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input'))",
        slider,
    )
