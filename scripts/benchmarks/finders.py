"""Processor seconds of the packing finders on the problems of the tables.

scripts/bench finders [--repeats 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from statistics import median

import checkout  # noqa: F401

from tetrisprinter.packings.finders.backtracker import BACKTRACKER, Backtracker
from tetrisprinter.packings.finders.cpsat import CPSAT
from tetrisprinter.packings.finders.sat import SAT
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Result,
    emitter_problem,
)
from tetrisprinter.packings.tables import TABLE_WIDTH, emitter_positions
from tetrisprinter.support.limits import Limit

HARD = (3, 7, 11, 15)
"""The columns at which a single square needs seven rows."""


def time_finder(
    find: Callable[[PackingProblem], Result], problems: Iterable[PackingProblem], answer: type
) -> list[float]:
    """Time a finder on problems that have the same kind of answer."""
    spent = []
    for problem in problems:
        began = time.process_time()
        result = find(problem)
        spent.append(time.process_time() - began)
        assert isinstance(result, answer), result
    return spent


def search_exhaustively(problem: PackingProblem) -> Result:
    """Backtrack without a limit."""
    return Backtracker(attempts=None).find(problem)


def main() -> None:
    """Measure everything once, the seeded searches several times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="seeds for each question")
    repeats = parser.parse_args().repeats
    three = [emitter_problem(TABLE_WIDTH, 3, [x]) for x in HARD]
    seven = [emitter_problem(TABLE_WIDTH, 7, [x]) for x in HARD]
    for find in (CPSAT.find, SAT.find, search_exhaustively):  # imports and compilation
        find(emitter_problem(9, 3, [3]))

    for name, find in (
        ("cpsat", CPSAT.find),
        ("sat", SAT.find),
        ("backtracker", search_exhaustively),
    ):
        spent = sum(time_finder(find, three, Infeasible))
        print(f"no packing of 3 rows, all four columns, {name}: {spent:.3f} s")
    seeded: dict[str, Callable[[PackingProblem, int], Result]] = {
        "backtracker": lambda problem, seed: BACKTRACKER.find(problem, Limit(seed=seed)),
        "cpsat": lambda problem, seed: CPSAT.find(problem, Limit(seed=seed)),
        "sat": lambda problem, seed: SAT.find(problem, Limit(seed=seed)),
    }
    for name, answer in seeded.items():
        spent = [
            seconds
            for seed in range(1, repeats + 1)
            for seconds in time_finder(lambda p, a=answer, s=seed: a(p, s), seven, Packing)  # type: ignore[misc]
        ]
        print(
            f"a packing of 7 rows, {name}: median {median(spent):.3f} s, "
            f"worst {max(spent):.3f} s of {len(spent)}"
        )
    for emitted, rows in ((1, 3), (6, 2)):
        began = time.process_time()
        none = sum(
            isinstance(search_exhaustively(emitter_problem(TABLE_WIDTH, rows, p)), Infeasible)
            for p in emitter_positions(emitted)
        )
        print(
            f"exhaustive backtracking over n = {emitted}, {rows} rows: "
            f"{time.process_time() - began:.3f} s, {none} without a packing"
        )


if __name__ == "__main__":
    main()
