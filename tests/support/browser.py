"""A headless Chromium for tests of pages; a test without Chromium skips and says why."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_PATIENCE = 150_000  # milliseconds to wait for what an idle machine does at once
_LOCAL = ("file:", "data:", "about:", "blob:")


@contextmanager
def start_chromium() -> Iterator[Any]:
    """Start the system's Chromium under Playwright; yield the browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    if binary is None:
        pytest.skip("no chromium here (scripts/install-chromium gets it)")
    with playwright.sync_playwright() as playwright_api:
        browser = playwright_api.chromium.launch(executable_path=binary, args=["--no-sandbox"])
        new_context = browser.new_context

        def new_patient_context(**options: Any) -> Any:
            context = new_context(**options)
            context.set_default_timeout(_PATIENCE)
            return context

        browser.new_context = new_patient_context
        try:
            yield browser
        finally:
            browser.close()


def slow_down(page: Any) -> None:
    """Give a page a sixth of the processor and a network latency of two seconds."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 2000, "downloadThroughput": -1, "uploadThroughput": -1},
    )


@contextmanager
def open_page(browser: Any, home: str = "") -> Iterator[Any]:
    """Open an empty page; at the end raise an error if its scripts reported an error.

    With ``home`` the page may request only addresses that begin with it. Without ``home`` errors of
    a missing server are tolerated. ``TETRISPRINTER_SLOW_BROWSER=1`` slows every page down.
    """
    context = browser.new_context(locale="en", reduced_motion="reduce", accept_downloads=True)
    faults: list[str] = []
    page, allowed_urls = context.new_page(), (home, "blob:", "data:")
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else None
    )
    context.on(
        "request",
        lambda sent: None if sent.url.startswith(allowed_urls) else faults.append(sent.url),
    )
    if os.environ.get("TETRISPRINTER_SLOW_BROWSER"):
        slow_down(page)
    yield page
    context.close()
    tolerated = () if home else ("ERR_", "Failed to load resource")
    assert [fault for fault in faults if not any(text in fault for text in tolerated)] == []


class BrowserPage:
    """A page in a fresh profile, with logs of console messages and of requests to the network."""

    levels: tuple[str, ...] = ("error",)  # the levels of console messages that are faults

    def __init__(self, browser: Any, path: Path) -> None:
        self.path = path
        self.context = browser.new_context(no_viewport=True, accept_downloads=True)
        self.tab: Any = self.context.new_page()
        self.frame: Any = self.tab  # the frame that receives scripts and clicks
        self.devtools = self.context.new_cdp_session(self.tab)
        self.logged: list[str] = []
        self.requested: list[str] = []
        self.tab.on("pageerror", lambda error: self.logged.append(str(error)))
        self.tab.on("console", self._log)
        self.tab.on("request", self._request)

    def _log(self, message: Any) -> None:
        if message.type in self.levels:
            self.logged.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith(_LOCAL):
            self.requested.append(request.url)

    def close(self) -> None:
        """Close the page; raise an error if it logged a fault or requested a remote address."""
        self.context.close()
        assert self.logged == []
        assert self.requested == []

    def visit(self, address: str) -> None:
        """Load an address afresh, even if only its fragment differs."""
        self.tab.goto("about:blank")
        self.tab.goto(address)

    def reload(self) -> None:
        self.tab.reload()

    def size(self, width: int, height: int, ratio: float = 1, *, phone: bool = False) -> None:
        """Set the size of the screen in CSS pixels and the pixel ratio; a phone has touch."""
        self.devtools.send(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": phone},
        )
        touch = {"enabled": phone, "maxTouchPoints": 1}
        self.devtools.send("Emulation.setTouchEmulationEnabled", touch)

    def js(self, code: str, *values: Any) -> Any:
        """Run the body of a function with arguments; return its result."""
        return self.frame.evaluate(
            f"values => (function () {{ {code} }}).apply(null, values)", list(values)
        )

    def text(self, name: str) -> str:
        return str(self.js("return document.getElementById(arguments[0]).textContent", name))

    def click(self, name: str) -> None:
        self.frame.click(f"#{name}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    def assert_fits(
        self, size: tuple[int, int], elements: str, finger: int, small: tuple[str, ...]
    ) -> None:
        """Assert that elements are on the screen and, except ``small``, as large as a finger."""
        assert self.js(
            "const e = document.documentElement;"
            "return e.scrollWidth <= innerWidth && e.scrollHeight <= innerHeight"
        )
        boxes = self.js(
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent)"
            ".map(e => { const r = e.getBoundingClientRect();"
            "return [e.id || e.className, r.left, r.top, r.right, r.bottom]})",
            elements,
        )
        assert len(boxes) > 15
        for name, left, top, right, bottom in boxes:
            assert min(left, top) >= 0, name
            assert right <= size[0] + 0.5, name
            assert bottom <= size[1] + 0.5, name
            assert name in small or min(right - left, bottom - top) >= finger, name
