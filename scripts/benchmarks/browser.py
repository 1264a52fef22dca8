"""The page in Chromium: what a visitor waits for, and for how long the interface is blocked.

    scripts/bench browser

A photo of 12 megapixels is dropped while the engine loads, printed, stopped, downloaded, and
printed to the end. Each line has the wall seconds of a step and the processor milliseconds of the
longest task of the page's main thread in it, from Chromium's trace: other programs do not change
these. The memory is the peak of the process that shows the page and runs both workers.
"""

import io
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import checkout  # noqa: F401

from tests.support.browser import chromium
from tests.support.page_server import serve_page
from tests.support.photographs import landscape
from tetrisprinter.studio.page_files import publish

_DRIVER: Final = "blink.mojom.DevTools"


class _Trace:
    """Chromium's record of the tasks of all threads."""

    def __init__(self, browser: Any, page: Any) -> None:
        self._page, self._events = page, []
        self._session = browser.new_browser_cdp_session()
        self._session.on("Tracing.dataCollected", lambda data: self._events.extend(data["value"]))
        self._session.on("Tracing.tracingComplete", lambda _: self._ends.append(True))

    def start(self) -> None:
        self._events, self._ends = [], []
        config = {"includedCategories": ["toplevel", "devtools.timeline"]}
        how = {"transferMode": "ReportEvents", "traceConfig": config}
        self._session.send("Tracing.start", how)

    def longest(self) -> tuple[float, float]:
        """End the record; return the most CPU and wall milliseconds of a task of the page."""
        self._session.send("Tracing.end")
        while not self._ends:
            self._page.wait_for_timeout(50)
        main = {
            (event["pid"], event["tid"])
            for event in self._events
            if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
        }
        spans = [
            (event["pid"], event["tid"], event["ts"], event["ts"] + event["dur"], event)
            for event in self._events
            if event.get("ph") == "X" and (event["pid"], event["tid"]) in main
        ]
        # What this program sends to the page: no visitor's browser runs it.
        sent = [span for span in spans if _DRIVER in str(span[4].get("args"))]
        tasks = [
            (span[4].get("tdur", 0) / 1000, span[4]["dur"] / 1000)
            for span in spans
            if not any(
                span[:2] == one[:2] and span[2] < one[3] and one[2] < span[3] for one in sent
            )
        ]
        return max(cpu for cpu, _ in tasks), max(wall for _, wall in tasks)

    def peak_memory(self) -> int:
        """Return the most bytes that a page's process has had."""
        processes = self._session.send("SystemInfo.getProcessInfo")["processInfo"]
        peaks = []
        for process in processes:
            if process["type"] == "renderer":
                status = Path(f"/proc/{process['id']}/status").read_text("utf-8")
                peaks.append(int(status.partition("VmHWM:")[2].split()[0]))
        return 1024 * max(peaks)


def measure(address: str, photo: Path) -> None:
    """Visit the page and print the table."""
    with chromium() as browser:
        page = browser.new_context(locale="en", accept_downloads=True).new_page()
        trace = _Trace(browser, page)

        def step(name: str, act: Callable[[], object]) -> None:
            trace.start()
            began = time.perf_counter()
            act()
            seconds = time.perf_counter() - began
            cpu, wall = trace.longest()
            print(f"{name}: {seconds:.2f} s; longest task {cpu:.0f} CPU ms, {wall:.0f} ms wall")

        def bring() -> None:
            page.goto(address)
            page.wait_for_selector("html[data-ready]", state="attached")
            # Its size says when the photo is shown; reading its pixels would block the page.
            size = (
                "(({ width, height }) => `${width}x${height}`)(document.querySelector('#preview'))"
            )
            before = page.evaluate(size)
            page.set_input_files("#file", photo)
            page.wait_for_function(f"before => {size} !== before", arg=before)

        def cancel() -> None:
            page.click("#stop")
            page.wait_for_selector("#resume")

        def download(kind: str) -> None:
            with page.expect_download() as coming:
                page.click(f"#files [data-kind={kind}]")
            coming.value.path()

        step("visit, drop a photo, see it", bring)
        step("engine ready", lambda: page.wait_for_selector("#print:enabled"))
        ready = page.evaluate("document.documentElement.dataset.engineReady")
        print(f"  {int(ready) / 1000:.1f} s after the visit")
        page.click("#print")
        step("first plan", lambda: page.wait_for_selector("#player"))
        step("printing, playing", lambda: page.wait_for_timeout(10_000))
        step("cancel", cancel)
        for kind in ("gif", "png", "html"):
            step(kind, lambda kind=kind: download(kind))
        page.click("#resume")
        page.wait_for_selector("#queue >> text=done", timeout=600_000)
        print(f"memory: {trace.peak_memory() / 1e6:.0f} MB")


def main() -> None:
    """Make the page and measure it."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "page"
        publish(folder)
        files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
        packed = sum(len(zlib.compress(data, 9)) for data in files)
        print(f"files: {sum(map(len, files)) / 1e6:.1f} MB, {packed / 1e6:.1f} MB compressed")
        photo = Path(name) / "photo.jpg"
        data = io.BytesIO()
        landscape(4000, 3000).save(data, "JPEG", quality=90)
        photo.write_bytes(data.getvalue())
        with serve_page(folder) as address:
            measure(address, photo)


if __name__ == "__main__":
    main()
