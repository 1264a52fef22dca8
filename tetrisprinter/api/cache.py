"""Found games, remembered in a folder so that nobody waits twice for the same game.

An entry is a file named by a hash of the converted picture, the options that decide its game and
the version of the package. It holds the plan, what is known about it, and how long the search for
it was. A checksum protects it; a file that is damaged or of another program counts as missing. A
remembered plan is played and compared with the picture like any other plan.

The folder holds 64 MB; the games that were not used for longest are removed. No error of the file
system matters here, because every game can be found again.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter import __version__
from tetrisprinter.errors import ArgumentError, Hint, InputError, Setting, TetrisPrinterError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import Step
from tetrisprinter.support.files import write_text

CACHE_VARIABLE: Final = "TETRISPRINTER_CACHE"
"""The environment variable that names another folder; if it is empty, nothing is remembered."""

_MAX_BYTES: Final = 64 * 2**20
"""The bytes of all entries; a game of 1,000 drops takes about 10 KB."""

_SUFFIX: Final = ".game"


@dataclass(frozen=True, slots=True)
class RememberedGame:
    """A game that an earlier search found, and how long that search was."""

    plan: Plan
    is_alternative: bool  # whether it prints the repaired picture instead of the exact one
    steps: tuple[Step, ...]  # the choices of the planner
    made_by: tuple[str, ...]
    bound: int  # no game of hard drops on the plan's board has fewer drops
    work: float  # work units of the search
    effort: float  # the effort of the longest search that was not stopped; 0: each was stopped
    seconds: float  # the wall time of the longest search


@dataclass(frozen=True, slots=True)
class RememberedFailure:
    """A search that found no game, so that a simpler picture is tried at once."""

    message: str  # without the name of the picture
    hints: tuple[Hint, ...]
    effort: float
    gave_up: bool  # whether it ended soon because a simpler picture followed


def find_folder(cache: bool | str | Path) -> Path | None:
    """Return the folder that the argument of a call names; None: nothing is remembered."""
    if isinstance(cache, bool):
        return find_default_folder() if cache else None
    if isinstance(cache, str | Path):
        return Path(cache)
    name = type(cache).__name__  # type: ignore[unreachable]
    raise ArgumentError(f"cache: expected True, False or a folder, got {name}")


def _find_path(folder: Path, key: str) -> Path:
    return folder / f"{sha256(key.encode()).hexdigest()}{_SUFFIX}"


def read_entry(folder: Path, key: str) -> RememberedGame | RememberedFailure | None:
    """Return the entry of a key; None if there is none that can be read."""
    path = _find_path(folder, key)
    try:
        text = path.read_text(encoding="utf-8")
        checksum, _, body = text.partition("\n")
        if checksum != sha256(body.encode()).hexdigest():
            return None
        entry = _parse_entry(json.loads(body))
    except (OSError, ValueError, LookupError, TypeError, TetrisPrinterError):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # it was used now
    return entry


def write_entry(folder: Path, key: str, entry: RememberedGame | RememberedFailure) -> None:
    """Remember an entry, and remove those that were not used for longest."""
    values = {field.name: getattr(entry, field.name) for field in fields(entry)}
    if isinstance(entry, RememberedGame):
        values["plan"] = str(entry.plan)
        values["steps"] = [(step.text, step.setting) for step in entry.steps]
    else:
        values["hints"] = [(hint.text, hint.settings) for hint in entry.hints]
    body = json.dumps(values)
    with contextlib.suppress(OSError, InputError):
        folder.mkdir(parents=True, exist_ok=True)
        write_text(_find_path(folder, key), f"{sha256(body.encode()).hexdigest()}\n{body}")
        _remove_old_games(folder)


def _remove_old_games(folder: Path) -> None:
    """Remove the least recently used games until the rest fits."""
    entries = []
    for path in folder.glob("?" * 64 + _SUFFIX):
        with contextlib.suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= _MAX_BYTES:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def _parse_entry(values: dict[str, Any]) -> RememberedGame | RememberedFailure:
    """Return the entry that :func:`write_entry` wrote as plain data."""
    if "message" in values:
        hints = tuple(Hint(str(text), *map(Setting, names)) for text, names in values["hints"])
        return RememberedFailure(
            str(values["message"]), hints, float(values["effort"]), bool(values["gave_up"])
        )
    return RememberedGame(
        Plan.parse(values["plan"]),
        bool(values["is_alternative"]),
        tuple(Step(str(text), Setting(setting)) for text, setting in values["steps"]),
        tuple(map(str, values["made_by"])),
        int(values["bound"]),
        float(values["work"]),
        float(values["effort"]),
        float(values["seconds"]),
    )


def make_key(*parts: object) -> str:
    """Return the key of a game from everything that decides it."""
    return json.dumps([__version__, *parts], default=str)


def find_default_folder() -> Path | None:
    """Return the folder of the command line, where the platform keeps such files; None: nowhere.

    See the XDG Base Directory Specification for Linux.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home
        return None
    if sys.platform == "win32":
        parent = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        parent = home / "Library" / "Caches"
    else:
        xdg_folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
        parent = xdg_folder if xdg_folder.is_absolute() else home / ".cache"
    return parent / "tetrisprinter"
