"""Runs the command as a process of its own, and tells what that took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ours import PYTHON, ROOT

__all__ = ["Figures", "measure", "measured"]


@dataclass(frozen=True)
class Figures:
    """What a process took and said.

    Attributes
    ----------
    command : tuple of str
        What was run.
    code : int
        Its exit code.
    out, said : str
        Its standard output and its standard error.
    wall, processor : float
        Seconds; the second with what its workers used.
    memory : float
        The most memory it had, in MiB.
    """

    command: tuple[str, ...]
    code: int
    out: str
    said: str
    wall: float
    processor: float
    memory: float

    @property
    def report(self) -> Any:
        """What it said for a program to read; nothing if it failed."""
        return json.loads(self.out) if self.code == 0 else {}

    def checked(self) -> Figures:
        """Return this; end the script if the process failed."""
        if self.code:
            sys.exit(f"{self.said}{' '.join(self.command)}: exit code {self.code}")
        return self

    def __str__(self) -> str:
        """Say what it took."""
        took = f"{self.processor:.2f} s processor, {self.wall:.2f} s wall"
        return f"{took}, {self.memory:.0f} MiB"


def measure(folder: str | Path, *arguments: str) -> Figures:
    """Run the command ``tetrisprinter`` with these arguments in a folder."""
    return measured(folder, [PYTHON, "-m", "tetrisprinter", *arguments])


def _environment() -> dict[str, str]:
    """Return ours, with the package in it; Python keeps what it has read, as it usually does."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def measured(folder: str | Path, command: Sequence[str]) -> Figures:
    """Run any command in a folder; Python finds this package there."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(),
            stdout=out,
            stderr=said,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said.seek(0)
        return Figures(
            tuple(command),
            process.returncode,
            out.read().decode(),
            said.read().decode(errors="replace"),
            wall,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024,
        )
