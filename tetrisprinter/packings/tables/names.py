"""The names of the tables, and the places of their entries.

Seven tables hold, for n = 1..7, an entry for every way to set n emitter pieces side by side
over a row of the classic width; one more holds the platforms. Entries are sorted by the
leftmost columns of their emitter pieces, their *positions*, so the place of an entry is the
:func:`find_rank` of its positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Final

from tetrisprinter.game.pieces import PieceType, list_orientations
from tetrisprinter.packings.problem import Packing
from tetrisprinter.support.files import find_shipped

TABLE_WIDTH: Final = 21
"""Columns of every entry."""

EMITTED: Final = range(1, TABLE_WIDTH // 3 + 1)
"""The numbers of emitted squares that have a table."""

PLATFORMS_FILE: Final = "platforms.txt"
"""The name of the table of platforms."""

ENTRIES: Final = sum(comb(TABLE_WIDTH - 2 * n, n) for n in EMITTED) + 10
"""Patterns and platforms in all tables."""

EMITTERS: Final = {
    list_orientations(piece)[0]: nub
    for piece, nub in ((PieceType.J, 2), (PieceType.T, 1), (PieceType.L, 0))
}
"""J, T and L, nub down, with the column of the nub among their three."""


def name_emitter_file(emitted: int) -> str:
    """Return the name of the table for a number of emitted squares.

    Parameters
    ----------
    emitted : int
        1..7.
    """
    return f"emitters{emitted}.txt"


def list_emitter_positions(emitted: int, width: int = TABLE_WIDTH) -> Iterator[tuple[int, ...]]:
    """Yield every way to set some triples of columns side by side, in order.

    Parameters
    ----------
    emitted : int
        How many triples.
    width : int
        Columns there are.

    Yields
    ------
    tuple of int
        The leftmost column of each triple, ascending.

    Examples
    --------
    >>> [sum(1 for _ in list_emitter_positions(n)) for n in EMITTED]
    [19, 136, 455, 715, 462, 84, 1]
    """
    for chosen in combinations(range(width - 2 * emitted), emitted):
        yield tuple(c + 2 * i for i, c in enumerate(chosen))


def find_rank(positions: Sequence[int]) -> int:
    """Return the index of sorted positions in :func:`list_emitter_positions`.

    Parameters
    ----------
    positions : sequence of int
        Leftmost columns, ascending, three or more apart.

    Examples
    --------
    >>> positions = list(list_emitter_positions(4))
    >>> [find_rank(p) for p in positions] == list(range(715))
    True
    """
    size = TABLE_WIDTH - 2 * len(positions)
    index = 0
    previous = -1
    for i, position in enumerate(positions):
        chosen = position - 2 * i
        for skipped in range(previous + 1, chosen):
            index += comb(size - skipped - 1, len(positions) - i - 1)
        previous = chosen
    return index


def read_positions(packing: Packing) -> tuple[int, ...]:
    """Return the leftmost columns of an entry's emitter pieces, or of a platform's T.

    Parameters
    ----------
    packing : Packing
        An entry of a table.

    Returns
    -------
    tuple of int
        In the order of the presets, which is ascending.
    """
    return tuple(preset[0][0] for preset in packing.problem.presets)


@cache
def find_tables() -> Path:
    """Return the folder of the tables that come with the package."""
    return find_shipped("patterns")
