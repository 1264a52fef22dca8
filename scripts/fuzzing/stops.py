"""Send signals at random moments: each command must end soon and leave complete files.

    scripts/fuzz stops [--moments N] [--last SECONDS] [--seed N] [NAME ...]

The commands are those of ``tests/support/stopping.py``. A line for each signal has its moment in
CPU seconds after the start, the exit code, and how long the command took to end. The exit code is 1
if any fault is found.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import checkout  # noqa: F401

from tests.support.stopping import COMMANDS, draw_moments, find_fault, stop_command


def main() -> int:
    """Run the commands and print how they end."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--moments", type=int, default=20, help="signals for each command")
    parser.add_argument("--last", type=float, default=4.0, help="CPU seconds before the last")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMMANDS))
    options = parser.parse_args()
    faults = 0
    for name in options.names or COMMANDS:
        for moment, number in draw_moments(options.seed, options.moments, options.last):
            with tempfile.TemporaryDirectory() as folder:
                ending = stop_command(moment, number, Path(folder), *COMMANDS[name])
                fault = find_fault(ending, number, Path(folder))
            faults += bool(fault)
            last = ending.errors.strip().rpartition("\n")[2]
            print(
                f"{name}: {number.name} after {moment:.2f} CPU s: code {ending.code} "
                f"in {ending.seconds:.2f} s: {fault or last}",
                flush=True,
            )
    print(f"{faults} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
