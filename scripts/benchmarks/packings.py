"""Packing finders and column automata on the problems of the tables, and on wide rows.

    scripts/bench packings [--repeats N]

Times are the best of N runs (5) in CPU seconds; seeded finders run with N seeds.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from statistics import median

import checkout  # noqa: F401

from tetrisprinter.packings.automaton.automaton import load
from tetrisprinter.packings.automaton.query import build_printable
from tetrisprinter.packings.finders.automaton import AUTOMATON, find_least_rows
from tetrisprinter.packings.finders.backtracker import BACKTRACKER, Backtracker
from tetrisprinter.packings.finders.cpsat import CPSAT
from tetrisprinter.packings.finders.sat import SAT
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, emitter_problem
from tetrisprinter.packings.tables import EMITTED, TABLE_WIDTH, emitter_positions
from tetrisprinter.support.limits import Limit

HARD = (3, 7, 11, 15)
"""The columns at which a single square needs seven rows."""


def time_call(function: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    began = time.process_time()
    function()
    return time.process_time() - began


def draw_word(rows: int, width: int, seed: int) -> list[int]:
    """Return a random row that can be printed."""
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


def measure_automata(repeats: int) -> None:
    """Load automata, decide all rows of the tables, pack wide rows."""
    fresh = [time_call(lambda: [load.__wrapped__(r) for r in range(1, 7)]) for _ in range(repeats)]
    print(f"loading 1 to 6 rows: {1e3 * min(fresh):.1f} ms")
    words = []
    for emitted in EMITTED:
        for positions in emitter_positions(emitted):
            words.append(
                [int(any(x <= at < x + 3 for x in positions)) for at in range(TABLE_WIDTH)]
            )
    spent = min(
        time_call(lambda: [find_least_rows(word, range(1, 5)) for word in words])
        for _ in range(repeats)
    )
    print(f"least heights of {len(words)} rows of width {TABLE_WIDTH}: {1e3 * spent:.1f} ms")
    for rows, width in ((3, 21), (3, 161), (3, 10_000), (4, 161), (5, 161)):
        word = draw_word(rows, width, 0)
        problem = PackingProblem(width, rows, tuple(((x, 0),) for x in range(width) if word[x]))
        packing = min(time_call(lambda p=problem: AUTOMATON.find(p)) for _ in range(repeats))  # type: ignore[misc]
        accepts = build_printable(rows).accepts
        deciding = time_call(lambda ask=accepts, w=word: [ask(w) for _ in range(100)]) / 100  # type: ignore[misc]
        print(
            f"width {width}, {rows} rows: packing {1e3 * packing:.2f} ms, "
            f"deciding {1e6 * deciding:.1f} us"
        )


def measure_finders(repeats: int) -> None:
    """Time the finders where three rows are impossible and seven are not."""
    exhaustive = Backtracker(attempts=None).find
    for name, find in (("cpsat", CPSAT.find), ("sat", SAT.find), ("backtracker", exhaustive)):
        answers = [find(emitter_problem(9, 3, [3]))]  # imports its library
        spent = time_call(
            lambda f=find, a=answers: a.extend(
                f(emitter_problem(TABLE_WIDTH, 3, [x])) for x in HARD
            )  # type: ignore[misc]
        )
        assert all(isinstance(answer, Infeasible) for answer in answers)
        print(f"no packing of 3 rows, all four columns, {name}: {spent:.3f} s")
    for name, finder in (("backtracker", BACKTRACKER), ("cpsat", CPSAT), ("sat", SAT)):
        times = []
        for seed in range(1, repeats + 1):
            for x in HARD:
                began = time.process_time()
                answer = finder.find(emitter_problem(TABLE_WIDTH, 7, [x]), Limit(seed=seed))
                times.append(time.process_time() - began)
                assert isinstance(answer, Packing), answer
        print(
            f"a packing of 7 rows, {name}: median {median(times):.3f} s, "
            f"worst {max(times):.3f} s of {len(times)}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    measure_automata(repeats)
    measure_finders(repeats)


if __name__ == "__main__":
    main()
