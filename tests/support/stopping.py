"""Send a signal to a command at some moment, and check how the command ends."""

import json
import os
import random
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import psutil
from PIL import Image

from tests.support.commands import EXAMPLES
from tests.support.processes import make_command, obey_interrupts
from tests.support.waiting import linger, wait_until
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan

COMMANDS: Final[dict[str, tuple[object, ...]]] = {
    "bound": ("bound", EXAMPLES / "invader.png"),
    "certificate": ("bound", EXAMPLES / "invader.png", "--certificate", "folder"),
    "prove": ("patterns", "prove", "--emitted", 1, "--rows", 11, "--width", 101, "--at", 6),
    "sweep": ("tile", "12x12", "tetrominoes,L4*40", "--count"),
    "cpsat": ("tile", "12x12", "pentominoes,L4*30", "--all", "--method", "cpsat"),
    "triplex": ("triplex", "generate", "8x7", "--memory", 8, "-o", "levels.txt"),
    "atlas": ("patterns", "atlas", "--width", "5..300", "--emitted", "1..60", "--workers", 2,
              "--picture", "o.png"),
    "automaton": ("patterns", "automaton", "build", 6, "-o", "folder"),
    "verify": ("patterns", "automaton", "verify", "--rows", "1,6", "--thorough"),
    "patterns": ("patterns", "build", "--workers", 2, "-o", "folder"),
    "search": ("patterns", "find", "--emitted", 8, "--rows", 5, "--width", 32, "--finder", "cpsat",
               "--all"),
    "sprite": ("print", EXAMPLES / "cat.png", "-o", "o.gif", "--plan", "o.txt", "--effort", 4),
    "photo": ("print", EXAMPLES / "owl.png", "-o", "o.gif", "--plan", "o.txt"),
    "photo2": ("print", EXAMPLES / "owl.png", "-o", "o.gif", "--plan", "o.txt", "--effort", 2),
    "photo4": ("print", EXAMPLES / "owl.png", "-o", "o.gif", "--plan", "o.txt", "--effort", 4),
    "text": ("text", "Tetris prints pictures", "-o", "o.gif"),
    "bag": ("print", EXAMPLES / "cat.png", "--pieces", "bag", "-o", "o.gif"),
    "article": ("print", EXAMPLES / "owl.png", "--planner", "table", "-o", "o.gif"),
    "qr": ("qr", "https://example.org/a", "-o", "o.gif"),
    "slideshow": ("slideshow", EXAMPLES / "cat.png", EXAMPLES / "lighthouse.png", "-o", "o.gif"),
}  # fmt: skip
"""Commands that run until, or nearly until, the last moment of the tests."""

SECONDS: Final = 15.0  # the limit; an idle machine takes 2, a busy one up to 10


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended after a signal."""

    code: int  # 128 + the signal if the signal was in time
    seconds: float  # wall time from the signal to the end
    output: str
    errors: str


def draw_moments(
    seed: int, number: int = 20, last: float = 4.0
) -> list[tuple[float, signal.Signals]]:
    """Draw pairs of a moment, in CPU seconds after the start, and the signal to send then."""
    rng = random.Random(seed)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    return [(rng.uniform(0.0, last), rng.choice(signals)) for _ in range(number)]


def heeds_signals(process: subprocess.Popen[bytes]) -> bool:
    """Return whether the command has set its signal handlers; without ``/proc`` only wait."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        linger(0.5)
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt"))
    return (
        bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1) or process.poll() is not None
    )


def has_worked(process: psutil.Process, seconds: float) -> bool:
    """Return whether a process and its workers have used some CPU seconds, or have ended."""
    try:
        times = [member.cpu_times() for member in (process, *process.children(recursive=True))]
    except psutil.Error:
        return True
    used = sum(member.user + member.system for member in times)
    return bool(used >= seconds) or process.status() == psutil.STATUS_ZOMBIE


def stop_command(moment: float, number: signal.Signals, folder: Path, *arguments: object) -> Ending:
    """Run a command in a folder; send it a signal some CPU seconds after it can handle one.

    Ctrl-C also goes to the workers of the command, as from a terminal.
    """
    with TemporaryFile("w+") as stdout, TemporaryFile("w+") as stderr:
        with obey_interrupts():  # no pipes: a full pipe would block it
            process = subprocess.Popen(
                make_command(*arguments),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        try:
            wait_until(lambda: heeds_signals(process), "the command's own handlers")
            ps_process = psutil.Process(process.pid)
            seconds_before = sum(ps_process.cpu_times()[:2])
            wait_until(lambda: has_worked(ps_process, seconds_before + moment), "work")
            signal_time = time.monotonic()
            if number == signal.SIGINT and hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            process.wait(300)
        finally:
            process.kill()
        seconds = time.monotonic() - signal_time
        for stream in (stdout, stderr):
            stream.seek(0)
        return Ending(process.returncode, seconds, stdout.read(), stderr.read())


def find_damage(path: Path) -> str:
    """Return what is wrong with a file that a command wrote; empty if nothing is."""
    data = path.read_bytes()
    try:
        if data.startswith((b"\x89PNG", b"GIF8", b"RIFF")):
            with Image.open(path) as image:
                for frame in range(getattr(image, "n_frames", 1)):
                    image.seek(frame)
                    image.load()
            assert not data.startswith(b"GIF8") or data.endswith(b";")
        elif path.suffix == ".jsonl":  # a torn last line is left out when it is read
            [json.loads(line) for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
        elif data.startswith(b"{"):
            json.loads(data)
        elif data.startswith(b"board"):
            read_game(path)
        elif data.lower().startswith(b"<!doctype"):
            assert data.rstrip().endswith(b"</html>")
        elif not data and path.suffix != ".journal" and path.name != "lock":
            return f"{path.name} is empty"
    except Exception as error:
        return f"{path.name} is not whole: {type(error).__name__}: {error}"
    return ""


def find_fault(ending: Ending, number: signal.Signals, folder: Path) -> str:
    """Return what is wrong with an ending; empty if nothing is, or if the signal came too late."""
    errors = ending.errors
    for text in ("Traceback", "Error", "ignored", "resource_tracker", "\n\n"):
        if text in errors:
            return f"{text!r} in {errors!r}"
    if ending.seconds > SECONDS:
        return f"took {ending.seconds:.1f} s"
    if unfinished := list(folder.rglob(".tetrisprinter.*")):
        return f"half-written files are left: {unfinished}"
    for path in folder.rglob("*"):
        if path.is_file() and (damage := find_damage(path)):
            return damage
    if (plan := folder / "o.txt").exists():
        drops = len(Plan.parse(plan.read_text(encoding="utf-8")))
        # A slice that ends at the signal may still hand in a shorter game than was announced.
        reported = re.search(r"best game so far \((\d+) pieces\)", errors)
        if "best game" in errors and (reported is None or drops > int(reported[1])):
            return f"{drops} pieces are written after {errors!r}"
    if ending.code != 128 + number:
        return f"exit code {ending.code} after {errors!r}" if "stopping" in errors else ""
    return "" if "tetrisprinter: stopping" in errors else f"stopped without a word: {errors!r}"
