"""The shortest planner on the command line: it can be stopped, and keeps what it has."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.game import picture as replayed_picture
from tests.support.commands import EXAMPLES, Draw, Run
from tests.support.images import squares_of

pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")

SPRITE = EXAMPLES / "heart.png"
HARD = ("r.b..rb.b.r", "b..r.b.r..b", ".rb..r.b.r.", "r..b.b..r.b")
HARD_OPTIONS = ("--types", "I=d03020,Z=3060c0", "--board", "11x30")
"""Types that only this planner knows what to do with, and not at once."""
OUTPUTS = ("-o", "o.png", "--plan", "p.txt", "--drops", "d.json")


class Printing:
    """A long print whose progress goes to a terminal."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.terminal, stderr = pty.openpty()
        self.text = ""
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tetrisprinter", "print", *map(str, options)],
            cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "160"},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        os.close(stderr)

    def read(self, seconds: float) -> None:
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.text += os.read(self.terminal, 65536).decode("utf-8", "replace")
            except OSError:  # nobody writes to the terminal any more
                time.sleep(0.05)

    def wait_for(self, pattern: str, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < until, f"{pattern!r} did not come: {self.text[-500:]!r}"
            assert self.process.poll() is None, f"ended early: {self.text[-500:]!r}"
            self.read(1)

    def interrupt(self) -> tuple[int, str]:
        """Send Ctrl-C; return the exit code and what was written to stdout."""
        self.process.send_signal(signal.SIGINT)
        until = time.monotonic() + 30
        while self.process.poll() is None:
            assert time.monotonic() < until, "Ctrl-C did not end it"
            self.read(0.1)
        assert "Traceback" not in self.text
        assert self.process.stdout is not None
        return self.process.returncode, self.process.stdout.read()


def check(folder: Path, report: dict[str, Any]) -> None:
    log = json.loads((folder / "d.json").read_text())
    assert replayed_picture(log) == squares_of(SPRITE)
    assert report["drops"] == len(log["drops"])
    assert report["bound"] < report["drops"]
    assert (folder / "o.png").exists()
    assert (folder / "p.txt").exists()


@pytest.mark.parametrize("seconds", [0, 4])
def test_ctrl_c_takes_the_best_plan_so_far(tmp_path: Path, seconds: float) -> None:
    printing = Printing(tmp_path, SPRITE, *OUTPUTS, "--planner", "shortest", "--json")
    printing.wait_for(r"\d+ drops, at least")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        printing.read(0.1)
    code, stdout = printing.interrupt()
    assert code == 0, printing.text
    report = json.loads(stdout)
    assert report["stopped"]
    check(tmp_path, report)


def test_ctrl_c_before_there_is_a_plan_writes_nothing(tmp_path: Path, draw: Draw) -> None:
    image = draw("a.png", *HARD)
    printing = Printing(tmp_path, image, *OUTPUTS, "--planner", "shortest", *HARD_OPTIONS)
    printing.wait_for("no plan yet")
    code, _ = printing.interrupt()
    assert code == 130, printing.text
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_a_time_limit_takes_the_best_plan_so_far(run: Run, tmp_path: Path) -> None:
    began = time.monotonic()
    options = (*OUTPUTS, "--planner", "shortest", "--time-limit", 3, "--json")
    report = json.loads(run("print", SPRITE, *options).stdout)
    assert time.monotonic() - began < 20
    assert report["stopped"]
    check(tmp_path, report)


def test_no_plan_in_the_time_given_is_told(run: Run, tmp_path: Path, draw: Draw) -> None:
    draw("a.png", *HARD)
    options = (*HARD_OPTIONS, "--planner", "shortest", "--time-limit", 0.01)
    result = run("print", "a.png", "-o", "o.png", *options, code=1)
    assert "a.png: no plan was found in the time given; try" in result.stderr.splitlines()[-1]
    assert not (tmp_path / "o.png").exists()
