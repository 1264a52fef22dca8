"""The formula of all stacks compared with all games on small boards, and with a second program.

    scripts/fuzz stacks [--seed N] [--count N]

Pictures have several colours, backgrounds and open types by chance. A second of a processor is
enough for thirty. An answer that differs ends it with its seed.
"""

import argparse
from collections import Counter

import checkout  # noqa: F401

from tests.oracles.test_all_stacks import compare


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=2_000)
    parser.add_argument("--count", type=int, default=3_200)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for first in range(options.seed, options.seed + options.count, 50):
        total += compare(first, min(first + 50, options.seed + options.count))
        print(first, dict(sorted(total.items())), flush=True)


if __name__ == "__main__":
    main()
