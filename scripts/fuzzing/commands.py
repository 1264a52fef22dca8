"""The command line with odd input: no traceback, no half-written file, a legal game.

    scripts/fuzz commands [--cases N] [--seed N] [--kind KIND] [--keep FOLDER]

A case is a folder of random, partly damaged files and one command. The command must end with a
documented exit code and, if it fails, one sentence. A print must be a legal game that leaves the
picture; an independent simulator checks it (tests/oracles/game.py). Cases are numbered from --seed;
a case that fails prints the command that repeats it and keeps its files. The exit code is 1 if any
case fails.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import checkout  # noqa: F401

from tests.fuzz.cases import KINDS
from tests.fuzz.judge import judge_case


def main() -> int:
    """Run the cases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    parser.add_argument("--kind", choices=list(KINDS), default="", help="only of this kind")
    parser.add_argument("--keep", type=Path, help="folder for the files of a single case")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    codes: dict[str, Counter[int]] = {}
    failed = 0
    for seed in range(options.seed, options.seed + options.cases):
        verdict = judge_case(seed, options.kind, options.keep)
        codes.setdefault(verdict.kind, Counter())[verdict.code] += 1
        if verdict.fault:
            failed += 1
            print(
                f"case {seed} of kind {verdict.kind}: {verdict.fault}\n  {verdict.command}\n"
                f"  again: scripts/fuzz commands --cases 1 --seed {seed} "
                f"--kind {verdict.kind} --keep fuzz-{seed}",
                flush=True,
            )
    for kind, counted in sorted(codes.items()):
        found = (f"{number} with code {code}" for code, number in sorted(counted.items()))
        print(f"{kind}: {counted.total()} cases: {', '.join(found)}")
    print(f"{sum(c.total() for c in codes.values())} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
