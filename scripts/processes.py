"""Run commands as processes and measure them."""

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

from checkout import PYTHON, ROOT


@dataclass(frozen=True)
class Figures:
    """Output and cost of a process."""

    command: tuple[str, ...]
    code: int
    out: str
    errors: str
    wall: float  # seconds
    processor: float  # seconds, with those of its children
    memory: float  # the peak, in MiB

    @property
    def report(self) -> Any:
        """The output, read as JSON; empty if the process failed."""
        return json.loads(self.out) if self.code == 0 else {}

    def require_success(self) -> Figures:
        """Return the figures unchanged; end the script if the process failed."""
        if self.code:
            sys.exit(f"{self.errors}{' '.join(self.command)}: exit code {self.code}")
        return self


def measure(folder: str | Path, *arguments: str) -> Figures:
    """Run the command ``tetrisprinter`` with these arguments in a folder; return its figures."""
    return measure_process(folder, [PYTHON, "-m", "tetrisprinter", *arguments])


def measure_process(folder: str | Path, command: Sequence[str]) -> Figures:
    """Run any command in a folder, with this package importable; return its figures."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        environment = {**kept, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return Figures(
            tuple(command),
            process.returncode,
            out.read().decode(),
            errors.read().decode(errors="replace"),
            wall,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024,
        )


def time_loop() -> float:
    """Return the CPU seconds of a fixed Python loop, to compare the speed of machines."""
    began = time.process_time()
    total = 0
    for i in range(5_000_000):
        total += i & 7
    return time.process_time() - began
