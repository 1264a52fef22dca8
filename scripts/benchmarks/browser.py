"""Measure the page in Chromium: how long each step takes and blocks the interface.

    scripts/bench browser

A photo of 12 megapixels is dropped while the engine loads. Its print is started, stopped,
downloaded and finished. Each line has the wall seconds of a step. The CPU and wall time of the
main thread's longest task in it comes from Chromium's trace. Other programs do not change the CPU
time. The memory is the peak of the process that shows the page and runs both workers: private
memory, as the browser's task manager counts it, and with memory that other processes share.
"""

import io
import re
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import checkout  # noqa: F401

from tests.support.browser import start_chromium
from tests.support.page_server import serve_page
from tests.support.photographs import landscape
from tetrisprinter.studio.page import publish

_DRIVER: Final = "blink.mojom.DevTools"


class _Trace:
    """Chromium's record of the tasks of all threads."""

    def __init__(self, browser: Any, page: Any) -> None:
        self._page, self._events = page, []
        self._session = browser.new_browser_cdp_session()
        self._session.on("Tracing.dataCollected", lambda data: self._events.extend(data["value"]))
        self._session.on("Tracing.tracingComplete", lambda _: self._ends.append(True))
        self._process = 0  # the one that shows the page; Chromium shows its own pages in others

    def start(self) -> None:
        self._events, self._ends = [], []
        config = {"includedCategories": ["toplevel", "devtools.timeline"]}
        how = {"transferMode": "ReportEvents", "traceConfig": config}
        self._session.send("Tracing.start", how)

    def find_longest_task(self) -> tuple[float, float]:
        """Stop the trace; return the most CPU and wall milliseconds of any task of the page."""
        self._session.send("Tracing.end")
        while not self._ends:
            self._page.wait_for_timeout(50)
        self._process = self._process or self._find_process()
        main = {
            (event["pid"], event["tid"])
            for event in self._events
            if event["name"] == "thread_name"
            and event["args"]["name"] == "CrRendererMain"
            and event["pid"] == self._process
        }
        spans = [
            (event["pid"], event["tid"], event["ts"], event["ts"] + event["dur"], event)
            for event in self._events
            if event.get("ph") == "X" and (event["pid"], event["tid"]) in main
        ]
        # Tasks of this script's own commands: a visitor's browser does not run them.
        sent = [span for span in spans if _DRIVER in str(span[4].get("args"))]
        tasks = [
            (span[4].get("tdur", 0) / 1000, span[4]["dur"] / 1000)
            for span in spans
            if not any(
                span[:2] == one[:2] and span[2] < one[3] and one[2] < span[3] for one in sent
            )
        ]
        return max(cpu for cpu, _ in tasks), max(wall for _, wall in tasks)

    def _find_process(self) -> int:
        """Return the id of the process that opened the page."""
        opened = (event for event in self._events if event["name"] == "CommitLoad")
        at = (event["pid"] for event in opened if self._page.url == event["args"]["data"]["url"])
        return next(at)

    def watch_memory(self) -> Callable[[], tuple[int, int]]:
        """Watch the page's process; the returned function gives its peak bytes, private and all."""
        status, peak, done = Path(f"/proc/{self._process}/status"), [0], threading.Event()

        def sample_memory() -> None:
            while not done.wait(0.02):
                peak[0] = max(peak[0], _read_bytes(status, "RssAnon"))

        watcher = threading.Thread(target=sample_memory, daemon=True)
        watcher.start()

        def end() -> tuple[int, int]:
            done.set()
            watcher.join()
            return peak[0], _read_bytes(status, "VmHWM")

        return end


def _read_bytes(status: Path, name: str) -> int:
    """Return a memory figure of ``/proc/PID/status`` in bytes; 0 if it is missing."""
    found = re.search(rf"^{name}:\s+(\d+) kB", status.read_text("utf-8"), re.MULTILINE)
    return 1024 * int(found[1]) if found else 0


def measure(address: str, photo: Path) -> None:
    """Visit the page and print the table."""
    with start_chromium() as browser:
        page = browser.new_context(locale="en", accept_downloads=True).new_page()
        trace = _Trace(browser, page)

        def step(name: str, act: Callable[[], object]) -> None:
            trace.start()
            began = time.perf_counter()
            act()
            seconds = time.perf_counter() - began
            cpu, wall = trace.find_longest_task()
            print(f"{name}: {seconds:.2f} s; longest task {cpu:.0f} CPU ms, {wall:.0f} ms wall")

        def drop_photo() -> None:
            page.goto(address)
            page.wait_for_selector("html[data-ready]", state="attached")
            # The preview changes its size with the photo; reading its pixels would block the page.
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

        step("visit, drop a photo, see it", drop_photo)
        end_watch = trace.watch_memory()
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
        own, whole = end_watch()
        print(f"memory: {own / 1e6:.0f} MB, {whole / 1e6:.0f} MB with what it shares")


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
