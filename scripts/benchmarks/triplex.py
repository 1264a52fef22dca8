"""Processor time and memory of generating all Triplex levels of a size.

scripts/bench triplex [WxH ...]     default: the table up to 36 cells, 6x6, 7x7, 8x7, 8x8
"""

from __future__ import annotations

import sys

from checkout import ROOT
from processes import Figures, measure


def run(*arguments: str) -> Figures:
    """Run the command; stop if it fails."""
    return measure(ROOT, "triplex", *arguments).require_success()


def line(name: str, found: Figures, levels: int) -> str:
    """Return a line of the table."""
    return f"| {name} | {found.processor:.1f} | {found.wall:.1f} | {found.memory:.0f} | {levels} |"


def main() -> None:
    """Measure and print."""
    run("generate", "4x3")
    print("| what | CPU s | wall s | MiB | levels |\n|---|---|---|---|---|")
    sizes = sys.argv[1:]
    if not sizes:
        found = run("table")
        rows = [row.split() for row in found.out.splitlines() if row[0].isdigit()]
        print(line("table", found, sum(int(row[1]) for row in rows)), flush=True)
        sizes = ["6x6", "7x7", "8x7", "8x8"]
    for size in sizes:
        found = run("generate", size)
        print(line(size, found, found.out.count("difficulty=")), flush=True)


if __name__ == "__main__":
    main()
