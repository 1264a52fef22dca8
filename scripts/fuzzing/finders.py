"""The packing finders compared with each other on every preset row of small boards.

    scripts/fuzz finders --widths 1-7 --rows 1-4 --squares --finders brute,backtracker,sat,cpsat

The tests cover the small sizes; larger ones take minutes to hours. Prints one line for each size;
the exit code is 1 if two finders disagree.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import checkout  # noqa: F401

from tests.oracles.brute_packing import Brute
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.packings.finders.cpsat import CPSAT
from tetrisprinter.packings.finders.sat import SAT
from tetrisprinter.packings.problem import Packing, PackingProblem, Unknown

FINDERS: dict[str, Callable[[PackingProblem], object]] = {
    "backtracker": Backtracker(attempts=None).find,
    "sat": SAT.find,
    "cpsat": CPSAT.find,
}


def span(text: str) -> range:
    """Read 3 or 1-4."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def compare(width: int, rows: int, squares: bool, names: list[str]) -> int:
    """Compare all rows of one size; return how many disagree."""
    seconds = dict.fromkeys(names, 0.0)
    problems = feasible = wrong = 0
    for under in range(1 << width) if squares else [0]:
        columns = frozenset(x for x in range(width) if under >> x & 1)
        brute = Brute(width, rows, columns)
        for row in range(1 << width):
            start = tuple(row >> x & 1 for x in range(width))
            if all(start) and rows > 1:
                continue  # complete before anything is dropped
            presets = tuple(((x, 0),) for x in range(width) if start[x])
            problem = PackingProblem(width, rows, presets, columns)
            answers = set()
            for name in names:
                began = time.perf_counter()
                if name == "brute":
                    answers.add(brute.can_fill(start))
                else:
                    result = FINDERS[name](problem)
                    assert not isinstance(result, Unknown)
                    answers.add(isinstance(result, Packing))
                seconds[name] += time.perf_counter() - began
            problems += 1
            feasible += True in answers
            if len(answers) > 1:
                wrong += 1
                print(f"disagree: {width}x{rows} presets {row:b} squares {under:b}")
    times = ", ".join(f"{name} {spent:.0f} s" for name, spent in seconds.items())
    print(
        f"{width}x{rows}: {problems} problems, {feasible} feasible, {wrong} disagree; {times}",
        flush=True,
    )
    return wrong


def main() -> None:
    """Compare the finders on each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--widths", type=span, default="1-6")
    parser.add_argument("--rows", type=span, default="1-4")
    parser.add_argument("--squares", action="store_true", help="over every row of squares")
    parser.add_argument("--finders", default="brute,backtracker,sat,cpsat")
    arguments = parser.parse_args()
    wrong = sum(
        compare(width, rows, arguments.squares, arguments.finders.split(","))
        for width in arguments.widths
        for rows in arguments.rows
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
