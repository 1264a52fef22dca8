"""Print random small pictures, and compare the slowest of each size with the median.

    scripts/fuzz slow [--cases N] [--seed N] [--effort E] [--factor F] [--memory MB] [--each]

A case is a picture of up to 10x8 squares in up to seven colours. Its board is random or chosen by
the package, its types are classic or chosen. Refused pictures do not count. Times are CPU seconds.
A case is a fault if it takes more than F times the median of its size (default 5) or more than MB.
An internal error is a fault, too. Faults are printed; then the exit code is 1.
``--each`` prints every case when it ends; ``--cases 1 --seed N --each`` repeats one case.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import checkout  # noqa: F401

import tetrisprinter as tp
import tetrisprinter.api.prints
import tetrisprinter.planners.search
from tetrisprinter.errors import InputError, JobError

SIZES: Final = (5, 10, 20, 40, 80)
"""The size classes of pictures: the largest number of squares in each."""

INKS: Final = ("d03020", "308040", "3060c0", "f0c040", "8040a0", "20a0a0", "f0f0f0")


@dataclass(frozen=True, slots=True)
class Case:
    """A picture, and the board and the types for its print."""

    rows: tuple[str, ...]
    board: str
    types: str

    @classmethod
    def make_random(cls, seed: int) -> Case:
        """Return the random case of a seed."""
        rng = random.Random(seed)
        width, height = rng.randint(1, 10), rng.randint(1, 8)
        colors = rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 7))
        empty = rng.choice((0.0, 0.2, 0.5, 0.8))
        rows = [
            "".join(
                "." if rng.random() < empty else str(rng.randint(1, colors)) for _ in range(width)
            )
            for _ in range(height)
        ]
        if set("".join(rows)) == {"."}:
            rows[-1] = "1" + rows[-1][1:]
        board = "auto"
        if rng.random() < 0.6:
            board = f"{max(4, width + rng.randint(0, 6))}x{height + rng.randint(1, 14)}"
        few = len(set("".join(rows)) - {"."}) <= 3
        return cls(tuple(rows), board, rng.choice(("auto", "classic")) if few else "auto")

    @property
    def size(self) -> int:
        """The largest number of squares in the size class of the picture."""
        squares = len(self.rows) * len(self.rows[0])
        return next(most for most in SIZES if squares <= most)

    def __str__(self) -> str:
        return f"{'/'.join(self.rows)} --board {self.board} --types {self.types}"

    def print_picture(self, effort: float) -> str:
        """Print the picture; return the number of drops, or why there is no print."""
        inks = {str(number): ink for number, ink in enumerate(INKS, 1)}
        picture = tp.Picture.parse("\n".join(self.rows), **inks)
        try:
            result = tp.print_picture(picture, effort=effort, board=self.board, types=self.types)
        except InputError as error:
            return f"refused: {error}"
        except JobError as error:
            return f"{'refused' if error.obstacle else 'none found'}: {error}"
        return f"{result.drops} drops"


@dataclass(frozen=True, slots=True)
class Cost:
    """The outcome of a case, and its time and memory."""

    seed: int
    case: Case
    outcome: str
    seconds: float  # CPU time
    memory: float  # the peak in MB

    def __str__(self) -> str:
        cost = f"{self.seconds:.2f} s, {self.memory:.0f} MB"
        return f"seed {self.seed}: {cost}: {self.outcome}\n  {self.case}"


def measure(seed: int, effort: float) -> Cost:
    """Print the case of a seed in its own process, and return its cost."""
    case = Case.make_random(seed)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "outcome.txt"
        child = os.fork()
        if not child:
            try:
                report.write_text(case.print_picture(effort))
            except KeyboardInterrupt:  # Ctrl-C also reaches the parent, which ends the run
                os._exit(130)
            except BaseException:  # every other exception is a fault
                report.write_text(f"failed: {traceback.format_exc()}")
            os._exit(0)
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        outcome = f"failed: exit code {code}" if code else report.read_text()
    return Cost(seed, case, outcome, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> int:
    """Measure the cases; print a line for each size, and the faults."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--factor", type=float, default=5.0, help="of the median (default 5)")
    parser.add_argument("--memory", type=float, default=1000.0, help="MB (default 1000)")
    parser.add_argument("--each", action="store_true", help="print every case at once")
    options = parser.parse_args()
    costs = []
    for seed in range(options.seed, options.seed + options.cases):
        costs.append(measure(seed, options.effort))
        if options.each:
            print(costs[-1], flush=True)
    counted = [cost for cost in costs if not cost.outcome.startswith("refused")]
    faults = {cost.seed: cost for cost in costs if cost.outcome.startswith("failed")}
    print("squares  cases  none found  median s  slowest s  times  MB")
    for size in SIZES:
        group = [cost for cost in counted if cost.case.size == size]
        if not group:
            continue
        median = statistics.median(cost.seconds for cost in group)
        slowest = max(cost.seconds for cost in group)
        memory = max(cost.memory for cost in group)
        none = sum(cost.outcome.startswith("none") for cost in group)
        print(
            f"{f'to {size}':>7}{len(group):>7}{none:>12}{median:>10.2f}{slowest:>11.2f}"
            f"{slowest / median:>7.1f}{memory:>4.0f}"
        )
        slow = (
            c for c in group if c.seconds > options.factor * median or c.memory > options.memory
        )
        faults.update({cost.seed: cost for cost in slow})
    refused = len(costs) - len(counted)
    print(f"{refused} of {len(costs)} are refused; the slowest of these takes", end=" ")
    print(f"{max((c.seconds for c in costs if c not in counted), default=0.0):.2f} s")
    for cost in sorted(faults.values(), key=lambda one: -one.seconds):
        print(cost)
    print(f"{len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
