"""Measure the CPU time, wall time and memory of commands, each in its own process.

    scripts/bench commands [GROUP ...] [--runs N]

Groups: *start* (``--help``, a bare Python), *print* (planners and files), *patterns* (tables and
packings), *tile* (all covers of 6x10 by the twelve pentominoes, beside other exact cover solvers
where they are installed, and counting) and *triplex* (all levels of a size; generating 8x8 takes
1.8 GB). Default: all but triplex. The table shows the best of N runs (3).
"""

import argparse
import importlib.util
import tempfile

from checkout import PYTHON, ROOT
from processes import measure_process

# Builds the exact cover for other solvers. Our command also builds it, so times are comparable.
_COVER = """
from tetrisprinter.tilings import TilingBoard, PieceSet, TilingProblem
problem = TilingProblem(TilingBoard(6, 10), PieceSet.parse("pentominoes"))
options = [[60 + p.kind, *(y * 6 + x for x, y in p.cells)] for p in problem.all_placements]
"""
_EXACT_COVER = f"""{_COVER}
import numpy, exact_cover
table = numpy.zeros((len(options), 72), bool)
for row, items in enumerate(options):
    table[row, items] = True
print(exact_cover.get_solution_count(table))
"""
_PRINT = f"print {ROOT / 'examples' / 'mushroom.png'} --json -o"
GROUPS = {
    "start": ("--help",),
    "print": (
        *(f"{_PRINT} out.png --planner {name}" for name in ("table", "article", "rows", "auto")),
        *(f"{_PRINT} out.{kind} --planner table" for kind in ("gif", "apng", "webp")),
    ),
    "patterns": (
        "patterns build -o tables --workers 2",
        "patterns verify",
        "patterns find --emitted 4 --rows 4 --at 0,5,9,16",
    ),
    "tile": (
        "tile 6x10 pentominoes --all",
        "tile 6x10 pentominoes",
        "tile 6x10 pentominoes --count --up-to-symmetry",
        "tile 8x8 dominoes --count",
        "tile 20x20 dominoes --count",
    ),
    "triplex": (
        "triplex table",
        *(f"triplex generate {size}" for size in ("6x6", "7x7", "8x7", "8x8")),
    ),
}  # fmt: skip
OTHERS = {
    "start": {"a bare Python": ("", "pass")},
    "tile": {
        "xcover 6x10, all": ("xcover", f"{_COVER}import xcover\nlist(xcover.covers(options))"),
        "exact-cover 6x10, count": ("exact_cover", _EXACT_COVER),
    },
}


def list_commands(group: str) -> dict[str, list[str]]:
    """Return the commands of a group by name; other programs only if they are installed."""
    found = {}
    for line in GROUPS[group]:
        found[line.replace(str(ROOT) + "/", "")] = [PYTHON, "-m", "tetrisprinter", *line.split()]
    for name, (module, code) in OTHERS.get(group, {}).items():
        if not module or importlib.util.find_spec(module) is not None:
            found[name] = [PYTHON, "-c", code]
    return found


def main() -> None:
    """Measure the commands and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[[], *GROUPS])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| command | CPU s | s | MiB | drops |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for group in options.groups or [name for name in GROUPS if name != "triplex"]:
            for name, command in list_commands(group).items():
                runs = [
                    measure_process(folder, command).require_success() for _ in range(options.runs)
                ]
                best = min(runs, key=lambda one: one.processor)
                drops = best.report["drops"] if "--json" in command else ""
                figures = f"{best.processor:.2f} | {best.wall:.2f} | {best.memory:.0f}"
                print(f"| {name} | {figures} | {drops} |", flush=True)


if __name__ == "__main__":
    main()
