"""Column automata: loading, deciding and packing (docs/automaton.md), best of several runs.

scripts/bench automaton
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable

import checkout  # noqa: F401

START = "import time; t = time.process_time()\n"
END = "\nprint(time.process_time() - t)"
LOAD = """from tetrisprinter.packings.automaton.automaton import load
for rows in range(1, 5): load(rows)"""


def best(function: Callable[[], object], runs: int = 5) -> float:
    """Return the least processor time of the runs, in seconds."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        function()
        times.append(time.process_time() - began)
    return min(times)


def printable_word(rows: int, width: int, seed: int) -> list[int]:
    """Return a random row that can be printed."""
    from tetrisprinter.packings.automaton.query import build_printable

    dfa = build_printable(rows)
    alive = [{state for state, final in enumerate(dfa.final) if final}]
    for _ in range(width):
        alive.append({s for s, row in enumerate(dfa.table) if alive[-1] & set(row)})
    choose = random.Random(seed).choice
    word: list[int] = []
    state = 0
    for left in reversed(range(width)):
        word.append(choose([a for a in (0, 1) if dfa.table[state][a] in alive[left]]))
        state = dfa.table[state][word[-1]]
    return word


def main() -> None:
    """Measure and print."""
    fresh = [
        float(
            subprocess.run(
                [sys.executable, "-c", START + LOAD + END],
                check=True, capture_output=True, text=True,
            ).stdout
        )
        for _ in range(5)
    ]  # fmt: skip
    from tetrisprinter.packings.automaton.automaton import load
    from tetrisprinter.packings.automaton.query import build_printable
    from tetrisprinter.packings.finders.automaton import AUTOMATON, find_least_rows
    from tetrisprinter.packings.problem import PackingProblem
    from tetrisprinter.packings.tables import EMITTED, emitter_positions

    print(f"importing the package and loading 1 to 4 rows: {1e3 * min(fresh):.0f} ms")
    again = best(lambda: [load.__wrapped__(rows) for rows in range(1, 5)])
    print(f"loading 1 to 4 rows: {1e3 * again:.1f} ms")

    words = []
    for emitted in EMITTED:
        for positions in emitter_positions(emitted):
            word = [0] * 21
            for x in positions:
                word[x : x + 3] = [1, 1, 1]
            words.append(word)
    seconds = best(lambda: [find_least_rows(word, range(1, 5)) for word in words])
    print(f"least heights of {len(words)} rows of width 21: {1e3 * seconds:.1f} ms")

    for rows, width in ((3, 10_000), *((h, w) for h in (2, 3, 4, 5) for w in (21, 41, 81, 161))):
        problems = [
            PackingProblem(width, rows, tuple(((x, 0),) for x in range(width) if word[x]))
            for word in (printable_word(rows, width, seed) for seed in range(20))
        ]
        if width == 10_000:
            first = min(best(lambda p=p: AUTOMATON.find(p), 1) for p in problems[:3])
            print(f"packing a row of width {width}, {rows} rows: {1e3 * first:.0f} ms")
            continue
        packing = best(lambda all_=problems: [AUTOMATON.find(p) for p in all_]) / len(problems)
        word = printable_word(rows, width, 0)
        accepts = build_printable(rows).accepts
        deciding = best(lambda ask=accepts, word=word: [ask(word) for _ in range(100)]) / 100
        print(
            f"width {width}, {rows} rows: packing {1e3 * packing:.2f} ms, "
            f"deciding {1e6 * deciding:.1f} us"
        )


if __name__ == "__main__":
    main()
