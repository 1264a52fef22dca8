"""The process in which one job is done, and nothing else.

It is told what to do in one line of JSON on its standard input and tells what happens in
lines of JSON on its standard output. The input stays open: a line ``stop`` asks for the best
there is, and its end means that the server is gone, so that nobody is left behind to work for
nobody. Memory and processor time are limited before anything is read, so that a picture that
unfolds to gigabytes takes this process down and no other.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from tetrisprinter.errors import InputError, TetrisPrinterError
from tetrisprinter.studio.words import told

__all__ = ["Say", "main"]

Say = Callable[[dict[str, Any]], None]
"""Tells the server something."""


def main() -> None:
    """Do what the first line of the input says, and exit."""
    out = _private_output()
    lock = threading.Lock()

    def say(news: dict[str, Any]) -> None:
        with lock:
            out.write(json.dumps(news, separators=(",", ":")) + "\n")
            out.flush()

    asked = json.loads(sys.stdin.buffer.readline())
    _limit(asked["memory"], asked["seconds"])
    threading.Thread(target=_listen, daemon=True).start()
    try:
        from tetrisprinter.studio.works import WORKS

        say({"event": "done", **WORKS[asked["work"]](asked, say)})
    except KeyboardInterrupt:
        say({"event": "stopped"})
    except TetrisPrinterError as error:
        code = 400 if isinstance(error, InputError) else 409
        say({"event": "failed", "error": told(error), "code": code})
    except MemoryError:
        sentence = "this takes more memory than a job may have; something smaller may do"
        say({"event": "failed", "error": sentence, "code": 409})
    out.flush()
    os._exit(0)  # whatever still runs in threads of solvers is not waited for


def _private_output() -> IO[str]:
    """Return the standard output, and let whatever else is printed go to stderr."""
    descriptor = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(descriptor, "w", encoding="utf-8")


def _limit(memory: int, seconds: int) -> None:
    """Take no more memory (bytes) and time of processors than was granted."""
    try:
        import resource
    except ImportError:  # no such limits on this system; the server watches the clock
        return
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (allowed, allowed))
    os.nice(5)  # the page stays quick while a job takes all processors


def _listen() -> None:
    for line in sys.stdin.buffer:
        if line.strip() == b"stop":
            os.kill(os.getpid(), signal.SIGINT)
    os._exit(3)


if __name__ == "__main__":
    main()
