"""A studio in a separate process, and checks of its pages."""

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.support.npm import install_npm_packages
from tests.support.processes import make_command


class StudioProcess:
    """A studio that answers on a free port; each restart uses the same port.

    Parameters
    ----------
    folder : Path
        The folder of its jobs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.address = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self, *arguments: object) -> None:
        """Start the studio and wait until it has printed its address."""
        command = ("studio", "--port", self.port, "--folder", self.folder, *arguments)
        self.process = subprocess.Popen(
            make_command(*command), stdout=subprocess.PIPE, text=True, env={**os.environ}
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert match, line
        self.address, self.port = match[0], int(match[1])

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        """End the studio with a signal; return its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(100)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return code


def read_axe_core(folder: Path) -> str:
    """Install axe-core from npm; return its source text."""
    return (install_npm_packages(folder, "axe-core@4") / "axe-core" / "axe.min.js").read_text(
        "utf-8"
    )


def assert_accessible(page: Any, axe: str, page_name: str, rules: str = "") -> None:
    """Assert that axe-core finds no violation on a page; ``rules`` may extend its options."""
    page.evaluate(axe)
    report = page.evaluate(f"axe.run(document, {{ iframes: false{rules} }})")
    violations = [
        f"{rule['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for rule in report["violations"]
        for node in rule["nodes"]
    ]
    assert violations == [], page_name


def download_file(page: Any, kind: str) -> bytes:
    """Download a file of the finished job that the page shows; return its bytes."""
    page.evaluate("document.querySelector('#more-files').open = true")
    with page.expect_download(timeout=300_000) as download:
        page.click(f"#files [data-kind={kind}]")
    return Path(download.value.path()).read_bytes()
