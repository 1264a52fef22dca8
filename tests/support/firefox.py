"""A headless Firefox for the test of the page, without a driver: Marionette over a socket.

The protocol is Firefox's own: a message is its length, a colon, and an array in JSON.
"""

import base64
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

__all__ = ["Firefox", "start_firefox"]

_PATIENCE: Final = 300  # seconds to wait for an answer

_SETTINGS: Final = (
    'user_pref("marionette.port", 0);\n'
    'user_pref("browser.shell.checkDefaultBrowser", false);\n'
    'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
    'user_pref("intl.accept_languages", "en");\n'
    'user_pref("ui.prefersReducedMotion", 1);\n'
)


class Firefox:
    """A page in Firefox."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), _PATIENCE)
        self._answers = self._socket.makefile("rb")
        self._number = 0
        self._receive()  # the greeting
        self._send("WebDriver:NewSession", strictFileInteractability=False)
        timeouts = {"script": 1000 * _PATIENCE, "pageLoad": 1000 * _PATIENCE, "implicit": 0}
        self._send("WebDriver:SetTimeouts", **timeouts)

    def _receive(self) -> Any:
        """Read one message and return its array."""
        digits = b""
        while not digits.endswith(b":"):
            digits += self._answers.read(1)
        return json.loads(self._answers.read(int(digits[:-1])))

    def _send(self, command: str, **values: Any) -> Any:
        """Send a command and return the value of its answer."""
        self._number += 1
        message = json.dumps([0, self._number, command, values]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, number, error, answer = self._receive()
        assert number == self._number
        assert error is None, error
        return answer.get("value") if isinstance(answer, dict) else answer

    def visit(self, address: str) -> None:
        """Load an address."""
        self._send("WebDriver:Navigate", url=address)

    def js(self, code: str, *values: Any) -> Any:
        """Run the body of an asynchronous function, called with ``values``; return its result."""
        script = (
            "const values = [...arguments], done = values.pop();"
            f"(async (...values) => {{ {code} }})(...values)"
            ".then(found => done([found]), wrong => done([null, String(wrong)]));"
        )
        result = self._send("WebDriver:ExecuteAsyncScript", script=script, args=list(values))
        assert len(result) == 1, result[1]
        return result[0]

    def wait(self, condition: str, *values: Any) -> Any:
        """Wait until an expression is true; return its value."""
        return self.js(
            f"for (;;) {{ const found = {condition}; if (found) return found;"
            "await new Promise(done => setTimeout(done, 50)); }",
            *values,
        )

    def set_offline(self, offline: bool) -> None:
        """Disconnect the browser from any network, or connect it again."""
        self._send("Marionette:SetContext", value="chrome")
        self._send("WebDriver:ExecuteScript", script=f"Services.io.offline = {json.dumps(offline)}")
        self._send("Marionette:SetContext", value="content")

    def screenshot(self, path: Path) -> None:
        """Write a screenshot as a PNG file."""
        path.write_bytes(base64.b64decode(self._send("WebDriver:TakeScreenshot", full=False)))

    def close(self) -> None:
        """End the browser."""
        self._send("Marionette:Quit", flags=["eForceQuit"])
        self._answers.close()
        self._socket.close()


@contextmanager
def start_firefox(folder: Path) -> Iterator[Firefox]:
    """Start the system's Firefox with a fresh profile in a folder; skip the test without it."""
    binary = shutil.which("firefox-esr") or shutil.which("firefox")
    if binary is None:
        pytest.skip("no firefox here")
    folder.mkdir()
    (folder / "user.js").write_text(_SETTINGS)
    command = [binary, "--headless", "--marionette", "--remote-allow-system-access"]
    command += ["--no-remote", "--profile", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        browser = Firefox(_find_port(folder, process))
        yield browser
        browser.close()
    finally:
        process.kill()
        process.wait()


def _find_port(folder: Path, process: subprocess.Popen[bytes]) -> int:
    """Wait until Firefox has written the port that it chose; return this port."""
    for _ in range(20 * _PATIENCE):
        assert process.poll() is None, "firefox ended"
        port_file = folder / "MarionetteActivePort"
        if port_file.is_file() and (text := port_file.read_text().strip()):
            return int(text)
        time.sleep(0.05)
    raise AssertionError("firefox does not answer")
