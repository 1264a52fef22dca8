"""Measure how long someone waits for a print: for the first game, the last better one and the end.

    scripts/bench waits [IMAGE ...] [--before FOLDER] [--options TEXT] [--first]

Each image is printed by the library in a process of its own, with the default effort. The table has
the drops of the first game and of the last one, and the seconds until the first game, until a game
within a tenth of the last one, until the last one, and until the end; all of them from the start of
the process. --before names another checkout with a virtual environment of its own, which prints
each image, too, before this one does. --options are arguments of ``print_steps``, such as ``fit=96,
effort=4``. With --first the process ends at the first game. Without an image: the examples.
"""

import argparse
import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from checkout import ROOT

SCRIPT: Final = """
import json, sys
import tetrisprinter as tp

if __name__ == "__main__":
    for result in tp.print_steps(sys.argv[1], {options}):
        print(json.dumps(result.drops), flush=True)
        if {first}:
            break
"""
NEAR: Final = 1.1
"""A game is near the last one if it has at most this multiple of its drops."""


@dataclass(frozen=True)
class Wait:
    """The games of one print with their seconds since the start, and the cost of all."""

    games: tuple[tuple[float, int], ...]
    wall: float
    processor: float

    @property
    def last(self) -> int:
        """The drops of the last game."""
        return self.games[-1][1]

    @property
    def first(self) -> tuple[float, int]:
        """The seconds and drops of the first game."""
        return self.games[0]

    def find_time(self, drops: float) -> float:
        """Return the seconds until the first game of at most ``drops`` drops."""
        return next(seconds for seconds, number in self.games if number <= drops)

    @property
    def needless(self) -> float:
        """The share of the time that follows the last better game."""
        return 1 - self.find_time(self.last) / self.wall

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the table."""
        seconds, drops = self.first
        near, reached = self.find_time(NEAR * self.last), self.find_time(self.last)
        return (
            f"{drops} at {seconds:.1f}", f"{self.last}", f"{near:.1f}", f"{reached:.1f}",
            f"{self.wall:.1f}", f"{self.processor:.1f}",
        )  # fmt: skip


def measure_wait(checkout: Path, image: Path, options: str, first: bool) -> Wait | str:
    """Print an image with the package of a checkout; return a sentence if that fails."""
    script = SCRIPT.format(options=options, first=first)
    command = [checkout / ".venv" / "bin" / "python", "-", image.resolve()]
    began, games = time.perf_counter(), []
    process = subprocess.Popen(
        command, cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(checkout)},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(script)
    process.stdin.close()
    for line in process.stdout:
        games.append((time.perf_counter() - began, json.loads(line)))
    errors = process.stderr.read()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    if not games:
        return errors.strip().splitlines()[-1] if errors.strip() else "no game"
    wall = time.perf_counter() - began
    return Wait(tuple(games), wall, usage.ru_utime + usage.ru_stime)


def print_sums(name: str, waits: Sequence[Wait]) -> None:
    """Print the sums and medians of one checkout."""
    firsts = sorted(wait.first[0] for wait in waits)
    print(
        f"\n{name}: {len(waits)} images, {sum(wait.last for wait in waits)} drops, "
        f"{sum(wait.wall for wait in waits):.0f} s, {sum(wait.processor for wait in waits):.0f} "
        f"CPU s; first game: median {median(firsts):.1f} s, 95 % "
        f"{firsts[int(0.95 * (len(firsts) - 1))]:.1f} s, most {firsts[-1]:.1f} s; after the last "
        f"better game: {100 * median(wait.needless for wait in waits):.0f} % in the median",
        flush=True,
    )


def main() -> None:
    """Print the table and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="*", type=Path, metavar="IMAGE")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--options", default="")
    parser.add_argument("--first", action="store_true")
    arguments = parser.parse_args()
    checkouts = [arguments.before.resolve()] if arguments.before else []
    checkouts.append(ROOT)
    waits: dict[Path, list[Wait]] = {checkout: [] for checkout in checkouts}
    print("| image | first game | drops | within a tenth | last better | end | CPU s |")
    print(f"|{'---|' * 7}", flush=True)
    for image in arguments.images or sorted((ROOT / "examples").glob("*.png")):
        for checkout in checkouts:
            wait = measure_wait(checkout, image, arguments.options, arguments.first)
            name = image.stem if checkout == ROOT else f"{image.stem}, before"
            if isinstance(wait, str):
                print(f"| {name} | {wait} |", flush=True)
                continue
            waits[checkout].append(wait)
            print(f"| {' | '.join((name, *wait.cells))} |", flush=True)
    for checkout, found in waits.items():
        if found:
            print_sums("this checkout" if checkout == ROOT else "before", found)


if __name__ == "__main__":
    main()
