"""What must hold of every case, whatever it is."""

import contextlib
import functools
import importlib
import json
import random
import shlex
import signal
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.cases import KINDS, WEIGHTS, Case, list_left, trim_rows
from tests.oracles.game import RuleBrokenError
from tests.support.commands import run_here
from tests.support.stopping import find_damage

_PATIENCE = 120.0  # seconds, after which a case is interrupted; a busy disk can take 30
_CODES = {0, 1, 2, 3, 130}
_OF_PROVE = {10, 20}


@dataclass(frozen=True)
class Verdict:
    """How a case went."""

    kind: str
    seed: int
    code: int  # the exit code
    fault: str  # what must not be; empty if all is well
    command: str  # for a shell, in the folder that the case made


def choose_kind(seed: int) -> str:
    """Return the kind of the case of a seed."""
    return random.Random(seed).choices(list(WEIGHTS), list(WEIGHTS.values()))[0]


def judge_case(seed: int, kind: str = "", folder: Path | None = None) -> Verdict:
    """Make a case, run it, and judge it; its files lie in a folder, which is kept if given."""
    kind = kind or choose_kind(seed)
    rng = random.Random(f"{kind} {seed}")
    with contextlib.ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz")))
        case = KINDS[kind](rng, place)
        before = set(place.rglob("*"))
        try:
            code, said = _here(case, place)
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
        "PIL.Image", "tetrisprinter.triplex._kernel", "tetrisprinter.packings._kernel",
        "tetrisprinter.planners.rows._kernel", "tetrisprinter.packings.automaton.atlas",
    ):  # fmt: skip
        importlib.import_module(module)


def _here(case: Case, folder: Path) -> tuple[int, str]:
    _warm()
    with _interrupt_after(_PATIENCE):
        try:
            result = run_here(case.words, folder)
        except KeyboardInterrupt:  # before or after the command itself
            return 130, "interrupted"
    said = result.stderr or (result.stdout if result.returncode == 1 else "")  # an answer: no
    return result.returncode, said


@contextlib.contextmanager
def _interrupt_after(seconds: float) -> Iterator[None]:
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


def _fault(case: Case, code: int, said: str, folder: Path, before: set[Path]) -> str:
    allowed = _CODES | (_OF_PROVE if case.words[:2] == ("patterns", "prove") else set())
    if code not in allowed:
        return f"exit code {code}: {said[-300:]}"
    if "Traceback" in said:
        return said[-600:]
    if code in (1, 2) and not said.strip():
        return f"exit code {code} and not a word"
    if "Warning:" in said:
        return f"a warning was let through: {said[-300:]}"
    with contextlib.suppress(OSError):
        for path in folder.rglob("*"):
            if path.name.startswith(".tetrisprinter."):
                return f"a temporary file stayed: {path.name}"
            if path not in before and path.is_file() and (fault := find_damage(path)):
                return fault
    return _of_game(case, code, folder)


def _of_game(case: Case, code: int, folder: Path) -> str:
    """Play the game as written by the rules alone, and compare it with what was asked for."""
    if code or not (folder / "d.drops.json").is_file():
        return ""
    try:
        left = list_left(json.loads((folder / "d.drops.json").read_text()))
    except RuleBrokenError as error:
        return f"the game is not legal: {error}"
    if case.wanted is not None and left != trim_rows(case.wanted):
        return f"the print is not what was asked for: {left}"
    return ""
