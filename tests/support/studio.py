"""A studio as a process of its own, and what judges its pages."""

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.support.npm import install_npm_packages
from tests.support.processes import make_command


class StudioProcess:
    """A studio that answers on a free port; started again on the same one.

    Parameters
    ----------
    folder : Path
        Where its jobs lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.address = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self, *more: object) -> None:
        """Start it and wait until it has told its address."""
        words = ("studio", "--port", self.port, "--folder", self.folder, *more)
        self.process = subprocess.Popen(
            make_command(*words), stdout=subprocess.PIPE, text=True, env={**os.environ}
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        self.address, self.port = found[0], int(found[1])

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        """End it, gently or not."""
        assert self.process is not None
        self.process.send_signal(how)
        code = self.process.wait(100)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return code


def read_axe_core(folder: Path) -> str:
    """Return the text of axe-core, an npm package."""
    return (install_npm_packages(folder, "axe-core@4") / "axe-core" / "axe.min.js").read_text(
        "utf-8"
    )


def assert_accessible(page: Any, axe: str, where: str, rules: str = "") -> None:
    """Let axe-core judge a page; ``rules`` may choose some of its rules."""
    page.evaluate(axe)
    found = page.evaluate(f"axe.run(document, {{ iframes: false{rules} }})")
    wrong = [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
    assert wrong == [], where


def download_file(page: Any, kind: str) -> bytes:
    """Download a file of the print that is shown."""
    page.evaluate("document.querySelector('#more-files').open = true")
    with page.expect_download(timeout=300_000) as coming:
        page.click(f"#files [data-kind={kind}]")
    return Path(coming.value.path()).read_bytes()
