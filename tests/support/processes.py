"""Commands in separate processes, for tests of signals, terminals and real streams."""

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest


def make_command(*arguments: object) -> list[str]:
    """Return the command line that runs ``tetrisprinter`` with this interpreter."""
    return [sys.executable, "-m", "tetrisprinter", *map(str, arguments)]


def run_python(
    *arguments: object,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run this interpreter in a separate process; ``env`` adds environment variables."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=check,
    )


@contextmanager
def obey_interrupts() -> Iterator[None]:
    """Let processes started in the block obey Ctrl-C, even where this process does not.

    A shell starts background processes with interrupts ignored, and children inherit that.
    A handler is not inherited: with one set here, children get the default.
    """
    handler_before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler_before)


class WatchedCommand:
    """A command with its progress on a pseudo-terminal; it is killed at the end of the block."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.open_terminal()
        self.stdout = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        command, variables = make_command(*arguments), {"COLUMNS": "160"}
        self.start(command, variables, ("stderr",), cwd=folder, stdout=self.stdout)

    def open_terminal(self) -> None:
        """Open the pseudo-terminal."""
        pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")
        self.terminal, self.command_end = pty.openpty()
        self.text = ""  # what it has shown
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def start(
        self, command: list[str], variables: dict[str, str], streams: Iterable[str], **options: Any
    ) -> None:
        """Start a command some of whose streams are the terminal."""
        with obey_interrupts():
            self.process = subprocess.Popen(
                command,
                env={**os.environ, "TERM": "xterm-256color", **variables},
                **dict.fromkeys(streams, self.command_end),
                **options,
            )
        os.close(self.command_end)

    def close(self) -> None:
        """Kill the command if it still runs, and close its terminal."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self.stdout.close()

    def read(self, seconds: float) -> bool:
        """Read what the terminal shows within some seconds; return whether it showed anything."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self.terminal, 65536)
        except OSError:  # no process has the terminal open for writing any more
            return False
        self.text += self._decoder.decode(read)
        return bool(read)

    def wait_for(self, pattern: str, seconds: float = 300) -> None:
        """Wait until the terminal has shown text that matches a pattern."""
        until = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < until, f"{pattern!r} did not come: {self.text[-500:]!r}"
            assert self.process.poll() is None, f"ended early: {self.text[-500:]!r}"
            self.read(0.5)

    def wait_for_end(self, seconds: float = 300) -> int:
        """Wait for the end of the command; return its exit code."""
        until = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < until, f"did not end: {self.text[-500:]!r}"
            self.read(0.05)
        while self.read(0):
            pass
        assert "Traceback" not in self.text, self.text
        return self.process.returncode

    def interrupt(self) -> tuple[int, str]:
        """Send Ctrl-C; return the exit code and stdout of the command."""
        self.process.send_signal(signal.SIGINT)
        code = self.wait_for_end()
        self.stdout.seek(0)
        return code, self.stdout.read()
