"""What must hold of every case, whatever it is."""

import contextlib
import functools
import importlib
import json
import random
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from tests.fuzz.cases import KINDS, WEIGHTS, Case, left_by, trimmed
from tests.oracles.game import RuleBrokenError
from tests.support.commands import run_here
from tests.support.processes import module_command, obeying_interrupts
from tetrisprinter.formats import read_game

_PATIENCE = 30.0  # seconds, after which a case is interrupted
_CODES = {0, 1, 2, 3, 130}
_OF_PROVE = {10, 20}


@dataclass(frozen=True)
class Verdict:
    """How a case went.

    Attributes
    ----------
    kind, seed : str, int
        Which case.
    code : int
        The exit code.
    fault : str
        What must not be; empty if all is well.
    command : str
        For a shell, in the folder that the case made.
    """

    kind: str
    seed: int
    code: int
    fault: str
    command: str


def kind_of(seed: int) -> str:
    """Return the kind of the case of a seed."""
    return random.Random(seed).choices(list(WEIGHTS), list(WEIGHTS.values()))[0]


def judged(seed: int, kind: str = "", folder: Path | None = None) -> Verdict:
    """Make a case, run it, and judge it; its files lie in a folder, which is kept if given."""
    kind = kind or kind_of(seed)
    rng = random.Random(f"{kind} {seed}")
    with contextlib.ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz")))
        case = KINDS[kind](rng, place)
        before = set(place.rglob("*"))
        try:
            code, said = (_apart if case.signal else _here)(case, place)
            fault = _fault(case, code, said, place, before)
        except Exception as error:  # what gets out of a command would be a traceback
            code, fault = 1, f"traceback: {type(error).__name__}: {error}"
    words = shlex.join(["tetrisprinter", *case.words]).encode("utf-8", "replace").decode()
    return Verdict(kind, seed, code, fault, words)


@functools.cache
def _warm() -> None:
    """Load what is large: interrupted in the middle of that, a process could not go on."""
    for module in (
        "numpy", "ortools.sat.python.cp_model", "pysat.solvers",
        "PIL.Image", "tetrisprinter.triplex._kernel", "tetrisprinter.packings.finders._kernel",
        "tetrisprinter.planners.rows._kernel", "tetrisprinter.packings.automaton.atlas",
    ):  # fmt: skip
        importlib.import_module(module)


def _here(case: Case, folder: Path) -> tuple[int, str]:
    _warm()
    with _interrupted_after(_PATIENCE):
        try:
            result = run_here(case.words, folder)
        except KeyboardInterrupt:  # before or after the command itself
            return 130, "interrupted"
    said = result.stderr or (result.stdout if result.returncode == 1 else "")  # an answer: no
    return result.returncode, said


@contextlib.contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Interrupt what takes long, as somebody at a terminal would."""
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(seconds, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _apart(case: Case, folder: Path) -> tuple[int, str]:
    with obeying_interrupts(), tempfile.TemporaryFile("w+b") as errors:
        process = subprocess.Popen(
            module_command(*case.words), cwd=folder, stdout=subprocess.DEVNULL, stderr=errors
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(case.after)
        process.send_signal(case.signal)
        began = time.monotonic()
        code = process.wait(300)
        if time.monotonic() - began > 60:
            return code, "fuzz: took more than 60 s to end"
        errors.seek(0)
        return code, errors.read().decode("utf-8", "replace")


def _fault(case: Case, code: int, said: str, folder: Path, before: set[Path]) -> str:
    allowed = _CODES | (_OF_PROVE if case.words[:2] == ("proofs", "prove") else set())
    if case.signal:
        allowed |= {128 + case.signal, -case.signal, *_OF_PROVE}
    if code not in allowed:
        return f"exit code {code}: {said[-300:]}"
    # Ctrl-C before the command has begun is answered by Python itself.
    begun = case.signal != signal.SIGINT or ", in main" in said
    if ("Traceback" in said and begun) or "fuzz:" in said:
        return said[-600:]
    if code in (1, 2) and not said.strip():
        return f"exit code {code} and not a word"
    if "Warning:" in said:
        return f"a warning was let through: {said[-300:]}"
    with contextlib.suppress(OSError):
        for path in folder.rglob("*"):
            if path.name.startswith(".tetrisprinter."):
                return f"a temporary file stayed: {path.name}"
            if path not in before and path.is_file():
                fault = _of_file(path)
                if fault:
                    return fault
    return _of_game(case, code, folder)


def _of_file(path: Path) -> str:
    """Say what is wrong with a file that a command wrote; empty if nothing.

    What it is its first bytes say, as a name may be anything.
    """
    data = path.read_bytes()
    try:
        if data.startswith((b"\x89PNG", b"GIF8", b"RIFF")):
            with Image.open(path) as image:
                for frame in range(getattr(image, "n_frames", 1)):
                    image.seek(frame)
                    image.load()
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


def _of_game(case: Case, code: int, folder: Path) -> str:
    """Play the game as written by the rules alone, and compare it with what was asked for."""
    if code or not (folder / "d.json").is_file():
        return ""
    try:
        left = left_by(json.loads((folder / "d.json").read_text()))
    except RuleBrokenError as error:
        return f"the game is not legal: {error}"
    if case.wanted is not None and left != trimmed(case.wanted):
        return f"the print is not what was asked for: {left}"
    return ""
