"""Processor time of every compiled loop on fixed cases, and a digest of the answers.

    scripts/bench kernels [CASE ...]     default: all cases

The last column divides the time by that of a C loop that every Python has (zlib compressing 3 MB),
measured in the same run: two commits can be compared on a busy machine. The digest covers all plans
and tables: as long as it stays the same, a change of the loops changed no answer.
"""

from __future__ import annotations

import hashlib
import importlib
import random
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from typing import Any

from checkout import ROOT

_TIMES: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that notes how long it takes."""

    @wraps(function)
    def measured(*arguments: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*arguments)
        finally:
            _TIMES[name][0] += time.thread_time() - began
            _TIMES[name][1] += 1

    return measured


def watch() -> None:
    """Time every function that the package calls as an attribute of a compiled module."""
    for path in sorted((ROOT / "tetrisprinter").rglob("_kernel*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        module = importlib.import_module(name)
        for word in module.__all__:
            function = getattr(module, word, None)  # some are for C only
            if callable(function) and not isinstance(function, type) and word[0].islower():
                setattr(
                    module, word, timed(f"{name.removeprefix('tetrisprinter.')}.{word}", function)
                )


def time_zlib() -> float:
    """Return the seconds that zlib takes for 3 MB of random words."""
    pick = random.Random(0)
    data = b"".join(pick.choice((b"one", b"two", b"six")) for _ in range(1 << 20))
    began = time.thread_time()
    zlib.compress(data, 6)
    return time.thread_time() - began


def print_examples(planner: str, names: str, seed: int = 0, **asked: Any) -> str:
    """Return the plans of some examples."""
    from tetrisprinter.api import print_picture
    from tetrisprinter.support.limits import Limit

    limit = Limit(None, 1, effort=asked.pop("effort", 1.0), seed=seed)
    plans = [
        print_picture(ROOT / "examples" / f"{name}.png", planner=planner, limit=limit, **asked).plan
        for name in names.split()
    ]
    return "\n".join(str(plan) for plan in plans)


def rows() -> str:
    """Print sprites row by row, and a default print."""
    return print_examples("rows", "mushroom fish heart owl fox") + print_examples(
        "auto", "mushroom heart"
    )


def dealt() -> str:
    """Print a sprite with a piece queue."""
    return print_examples("dealt", "heart", pieces="bag:1")


def packings() -> str:
    """Backtrack where three rows are impossible, and for a packing of seven."""
    from tetrisprinter.packings.finders.backtracker import BACKTRACKER, Backtracker
    from tetrisprinter.packings.problem import emitter_problem

    exhaustive = Backtracker(attempts=None)
    found = [exhaustive.find(emitter_problem(21, 3, [x])) for x in (3, 7, 11, 15)]
    return repr(found + [BACKTRACKER.find(emitter_problem(21, 7, [x])) for x in (3, 7, 11, 15)])


def automaton() -> str:
    """Build the automaton of four rows, in all its forms."""
    from tetrisprinter.packings.automaton import graph

    codes, found = graph.trim(*graph.explore(4, squares=False))
    classes, reduced = graph.merge_bisimilar(found)
    dfa = graph.determinise(reduced)
    parts = [codes, found.offsets, found.targets, classes, reduced.offsets, reduced.targets]
    return (
        repr([part.tolist() for part in parts])
        + repr(dfa)
        + repr(graph.has_common_word(found, dfa))
    )


def triplex() -> str:
    """Make all puzzles of some sizes."""
    from tetrisprinter.triplex.generator import generate

    return repr([generate(*size) for size in ((3, 4), (4, 4), (5, 4))])


CASES = (rows, dealt, packings, automaton, triplex)


def main() -> None:
    """Measure and print."""
    watch()
    print("| case | loop | CPU s | calls | zlibs |\n|---|---|---|---|---|")
    for case in CASES:
        if sys.argv[1:] and case.__name__ not in sys.argv[1:]:
            continue
        _TIMES.clear()
        unit = time_zlib()
        began = time.process_time()
        digest = hashlib.sha256(case().encode()).hexdigest()[:12]
        whole = time.process_time() - began
        unit = (unit + time_zlib()) / 2
        for name, (seconds, calls) in sorted(_TIMES.items()):
            row = f"| {case.__name__} | {name} | {seconds:.3f} | {calls} | {seconds / unit:.2f} |"
            print(row, flush=True)
        shown = f"all of it: answers {digest}"
        print(f"| {case.__name__} | {shown} | {whole:.3f} | 1 | {whole / unit:.2f} |", flush=True)


if __name__ == "__main__":
    main()
