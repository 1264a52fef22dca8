"""Send a signal to a command at some moment, and see how it ends."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.processes import module_command, obeying_interrupts
from tests.support.waiting import linger, wait_until

__all__ = ["Ending", "moments", "stop_at"]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended after a signal.

    Attributes
    ----------
    code : int
        Its exit code; 128 + the signal if the signal was in time.
    seconds : float
        Wall time from the signal to the end.
    """

    code: int
    seconds: float
    output: str
    errors: str


def moments(seed: int, number: int = 20, last: float = 4.0) -> list[tuple[float, signal.Signals]]:
    """Draw moments, in seconds after the start, and which signal comes then."""
    draw = random.Random(seed)
    signals = (signal.SIGINT, signal.SIGTERM)
    return [(draw.uniform(0.0, last), draw.choice(signals)) for _ in range(number)]


def heeds_signals(process: subprocess.Popen[str]) -> bool:
    """Whether Python has started and our own code has set handlers (on Linux; else a guess)."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        linger(0.5)
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt"))
    return (
        bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1) or process.poll() is not None
    )


def stop_at(moment: float, number: signal.Signals, folder: Path, *words: object) -> Ending:
    """Run a command in a folder and send it a signal some seconds after it began to heed them."""
    with obeying_interrupts():
        process = subprocess.Popen(
            module_command(*words),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    wait_until(lambda: heeds_signals(process), "the command's own handlers")
    linger(moment)
    sent = time.monotonic()
    process.send_signal(number)
    try:
        output, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        errors += "\nkilled after 60 s"
    return Ending(process.returncode, time.monotonic() - sent, output, errors)
