"""The Hypothesis tests with random examples, for an hour by default.

    scripts/fuzz tests [--seconds N] [--seed N] [ARGUMENTS]

``scripts/test`` draws the same examples every time; this draws others, round by round. The first
round that fails prints its seed and the command that repeats it; the exit code is 1. ARGUMENTS go
to pytest, as in ``scripts/fuzz tests --seconds 300 tests/unit/packings``.
"""

import argparse
import random
import shlex
import subprocess
import sys
import time

from checkout import PYTHON, ROOT

NO_TESTS = 5  # the exit code of pytest


def main() -> int:
    """Run rounds until the time is up or one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3600, help="how long (default: an hour)")
    parser.add_argument("--seed", type=int, help="of the first round (default: any)")
    options, arguments = parser.parse_known_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    deadline = time.monotonic() + options.seconds
    rounds = 0
    while (left := deadline - time.monotonic()) > 0:
        command = [
            PYTHON, "-m", "pytest", "-m", "hypothesis", "-n", "2", "--dist", "worksteal",
            "--hypothesis-profile", "random", "--hypothesis-seed", str(seed), *arguments,
        ]  # fmt: skip
        print(f"round {rounds + 1}: seed {seed}", flush=True)
        try:
            code = subprocess.run(command, cwd=ROOT, check=False, timeout=left).returncode
        except subprocess.TimeoutExpired:
            break
        if code:
            if code != NO_TESTS:
                print(f"round {rounds + 1} failed; again:\n  {shlex.join(command)}")
            return 1
        rounds += 1
        seed = (seed + 1) % 2**32
    print(f"time is up: {rounds} whole rounds, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
