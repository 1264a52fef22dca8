"""Build the tables by search: the same seed writes the same files on any number of machines.

Heights that divisibility excludes are skipped. A pattern gets the least of the other heights at
which the search succeeds. :mod:`tetrisprinter.packings.proofs.minimality` proves that this height
is minimal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tetrisprinter import __version__
from tetrisprinter.errors import JobError
from tetrisprinter.packings.problem import (
    Packing,
    Unknown,
    list_emitter_positions,
    list_platform_problems,
    make_emitter_problem,
)
from tetrisprinter.packings.tables.read import TABLE_WIDTH
from tetrisprinter.packings.tables.replay import replay_emitters, replay_platform
from tetrisprinter.support.executors import HERE, Journal, Machines, run_units
from tetrisprinter.support.limits import Limit

_TRIES: Final = 50
_ATTEMPTS: Final = 1000
"""Number of random starts, and of placements in each, before an exhaustive search begins."""

_UNIT: Final = 32
"""Patterns that are searched together, as a unit of work."""

_EXHAUSTIVE_LIMIT: Final = 300_000
"""Placements that an exhaustive search may try before it gives way to the next height."""


def build_emitters(
    emitted: int,
    *,
    seed: int = 0,
    machines: Machines = HERE,
    journal: Path | None = None,
    on_pattern: Callable[[], None] = lambda: None,
) -> list[Packing]:
    """Build the table for a number of emitted squares by search, and replay every pattern.

    Parameters
    ----------
    emitted : int
        1..7.
    seed : int
        The random seed: the same seed gives the same table on any machines.
    machines : Machines
        The processes or machines that search.
    journal : Path or None
        The file that stores finished patterns, so that an interrupted search can be resumed.
    on_pattern : callable
        Called after each pattern, for progress.
    """
    position_sets = list(list_emitter_positions(emitted))
    units = [
        (tuple(position_sets[i : i + _UNIT]), seed) for i in range(0, len(position_sets), _UNIT)
    ]

    def advance(_index: int, texts: list[str]) -> None:
        for _ in texts:
            on_pattern()

    unit_journal = Journal(journal, {"table": emitted, "version": __version__}) if journal else None
    blocks = run_units(
        _search_unit, units, machines=machines, journal=unit_journal, on_result=advance
    )
    return [Packing.parse(text, emitted) for texts in blocks for text in texts]


def _search_unit(unit: tuple[tuple[tuple[int, ...], ...], int]) -> list[str]:
    """Find and replay the patterns of one unit of work; return them as text."""
    position_sets, seed = unit
    texts = []
    for positions in position_sets:
        packing = find_smallest_matrix(positions, seed=seed)
        replay_emitters(packing)
        texts.append(str(packing))
    return texts


def find_smallest_matrix(positions: Sequence[int], *, seed: int = 0) -> Packing:
    """Return a gap-free packing of the smallest height at which the search finds one."""
    from tetrisprinter.packings.finders.backtracker import Backtracker
    from tetrisprinter.packings.finders.fastest import Fastest

    limit = Limit(seed=seed)
    for rows in range(1, 13):
        problem = make_emitter_problem(TABLE_WIDTH, rows, positions)
        if not problem.is_divisible:
            continue
        result = Fastest(Backtracker(_ATTEMPTS, _TRIES)).find(problem, limit)
        if isinstance(result, Unknown):
            result = Backtracker(_EXHAUSTIVE_LIMIT, 1).find(problem, limit)
        if isinstance(result, Packing):
            return result
    raise JobError(f"no matrix of up to 12 rows found for emitters at {tuple(positions)}")


def build_platforms(
    *, seed: int = 0, on_pattern: Callable[[], None] = lambda: None
) -> list[Packing]:
    """Search for a platform for every column of the T.

    Columns where the search finds none are left out, without a proof that none exists.

    Parameters
    ----------
    seed : int
        The random seed of the search.
    on_pattern : callable
        Called after each column, for progress.

    Returns
    -------
    list of Packing
        The platforms by column; each has been replayed.
    """
    from tetrisprinter.packings.finders.backtracker import Backtracker

    finder, limit = Backtracker(retries=_TRIES), Limit(seed=seed)
    packings: list[Packing] = []
    for column in range(TABLE_WIDTH - 2):
        for problem in list_platform_problems(TABLE_WIDTH, column):
            result = finder.find(problem, limit)
            if isinstance(result, Packing):
                replay_platform(result)
                packings.append(result)
                break
        on_pattern()
    return packings
