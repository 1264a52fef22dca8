"""The process that runs one job.

The request is one line of JSON on standard input, the news are lines of JSON on standard output.
The input stays open: a line ``stop`` ends the job with its best plan, and its end means that the
server is gone, so this process exits, too. Memory and processor time are limited before any file is
read, so a picture that decodes to gigabytes ends this process only.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, Final

from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.studio.messages import describe_error
from tetrisprinter.support.signals import announce_on_stop, stop_cleanly

_STOP_SECONDS: Final = 10.0
"""The server kills a process that takes longer to stop."""

Send = Callable[[dict[str, Any]], None]
"""Sends news to the server."""


def main() -> None:
    """Run the job that the first line of the input requests, and exit."""
    out = _take_over_stdout()
    lock = threading.Lock()

    def send(news: dict[str, Any]) -> None:
        with lock:
            out.write(json.dumps(news, separators=(",", ":")) + "\n")
            out.flush()

    options = json.loads(sys.stdin.buffer.readline())
    _limit_resources(options["memory"], options["seconds"])
    try:
        # A stop may interrupt the import of a library, which then raises an error of its own.
        with stop_cleanly(), announce_on_stop("stopping", _STOP_SECONDS):
            threading.Thread(target=_listen, daemon=True).start()
            from tetrisprinter.studio.job_handlers import JOB_HANDLERS

            send({"event": "done", **JOB_HANDLERS[options["work"]](options, send)})
    except KeyboardInterrupt:
        send({"event": "stopped"})
    except TetrisPrinterError as error:
        send({"event": "failed", **describe_error(error)})
    except MemoryError:
        sentence = "out of memory: this is too large for a job; try something smaller"
        send({"event": "failed", "error": sentence, "code": 409})
    out.flush()
    os._exit(0)  # without waiting for threads of solvers


def _take_over_stdout() -> IO[str]:
    """Return the original standard output, and redirect all prints to stderr."""
    descriptor = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(descriptor, "w", encoding="utf-8")


def _limit_resources(memory: int, seconds: int) -> None:
    """Limit memory (bytes) and processor time."""
    try:
        import resource
    except ImportError:  # no such limits on this system; the server watches the clock
        return
    for resource_kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(resource_kind)[1]
        allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource_kind, (allowed, allowed))
    os.nice(5)  # the page stays quick while a job takes all processors


def _listen() -> None:
    """Interrupt the job at a line ``stop``; exit when the input ends."""
    for line in sys.stdin.buffer:
        if line.strip() == b"stop":
            os.kill(os.getpid(), signal.SIGINT)
    os._exit(3)


if __name__ == "__main__":
    main()
