"""Processor time of tilings, beside other exact cover solvers where they are installed.

    scripts/bench tiling [RUNS]

Each run is one process that finds all 9,356 covers of 6x10 by the twelve pentominoes. This package
writes them to a file as text; the others only count them. The table shows the best of RUNS.
"""

from __future__ import annotations

import importlib.util
import sys

from checkout import PYTHON, ROOT
from processes import measure_process

# The items and options of the exact cover, for the peers; ours does this, too.
OPTIONS = """
from tetrisprinter.tilings import TilingBoard, PieceSet, TilingProblem
problem = TilingProblem(TilingBoard(6, 10), PieceSet.parse("pentominoes"))
options = [[60 + p.kind, *(y * 6 + x for x, y in p.cells)] for p in problem.raw]
"""
XCOVER = OPTIONS + "import xcover\nprint(sum(1 for _ in xcover.covers(options)))"
EXACT_COVER = (
    OPTIONS
    + """
import numpy, exact_cover
table = numpy.zeros((len(options), 72), bool)
for row, items in enumerate(options):
    table[row, items] = True
print(exact_cover.get_solution_count(table))
"""
)

TILE = [PYTHON, "-m", "tetrisprinter", "tile"]
RUNS = (
    ("tile 6x10 pentominoes --all", None, [*TILE, "6x10", "pentominoes", "--all"]),
    ("xcover 6x10, all", "xcover", [PYTHON, "-c", XCOVER]),
    ("exact-cover 6x10, count", "exact_cover", [PYTHON, "-c", EXACT_COVER]),
    ("tile 6x10 pentominoes (the first)", None, [*TILE, "6x10", "pentominoes"]),
    (
        "tile 6x10 pentominoes --count --up-to-symmetry",
        None,
        [*TILE, "6x10", "pentominoes", "--count", "--up-to-symmetry"],
    ),
    ("tile 8x8 dominoes --count", None, [*TILE, "8x8", "dominoes", "--count"]),
    ("tile 12x12 dominoes --count", None, [*TILE, "12x12", "dominoes", "--count"]),
    ("a bare Python start", None, [PYTHON, "-c", "pass"]),
)  # fmt: skip


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for name, module, command in RUNS:
        if module is not None and importlib.util.find_spec(module) is None:
            print(f"{name}: not installed, skipped")
            continue
        if module is not None:
            measure_process(ROOT, command).require_success()
        seen = [measure_process(ROOT, command).require_success() for _ in range(runs)]
        print(f"{name}: {min(seen, key=lambda one: one.processor)}", flush=True)


if __name__ == "__main__":
    main()
