"""How a piece can be used in a row of the stack, whatever the row: the same for every picture.

An **outlook** says of a row of the stack and the three above it which of them clear: bit ``i``
is set if the row ``i`` above does. Rows that clear complete from below. A piece begins in the
row with its lowest cell, the leftmost of these. If it drops when rows of the outlook have gone,
it lies in those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["ROWS", "Use", "table", "uses"]

ROWS: Final = 4
"""Rows of an outlook; pieces that reach further, over rows that have gone, are left out."""


class Use(NamedTuple):
    """One way to use a piece.

    Attributes
    ----------
    orientation : Orientation
        The piece.
    late : int
        How many rows of the outlook have gone when it drops.
    completes : int
        The row of the outlook that it completes; -1 if none.
    rows : tuple of int
        For each row of the piece the row of the outlook it lies in.
    """

    orientation: Orientation
    late: int
    completes: int
    rows: tuple[int, ...]

    @property
    def is_timed(self) -> bool:
        """Whether it is certain how many rows have gone when it drops."""
        return self.late > 0 or self.completes >= 0


def uses(outlook: int) -> Iterator[Use]:
    """Yield all uses of pieces that begin in the lowest row of an outlook."""
    clears = [bool(outlook >> row & 1) for row in range(ROWS)]
    rank = [sum(clears[:row]) for row in range(ROWS)]
    for orientation in ORIENTATIONS:
        for late in range(0 if clears[0] else min(2, sum(clears)), -1, -1):
            there = [row for row in range(ROWS) if not (clears[row] and rank[row] < late)]
            rows = tuple(there[: orientation.height])
            if len(rows) < orientation.height:
                continue
            yield Use(orientation, late, -1, rows)
            lowest = next((row for row in rows if clears[row]), None)
            if lowest is not None and rank[lowest] == late:
                yield Use(orientation, late, lowest, rows)


@cache
def table() -> tuple[Ints, Ints]:
    """Return the uses for each outlook as an array, as many for each, and how many there are.

    The fields are: orientation, type, whether it is timed, ``late``, ``completes``; columns of
    its cells, counted from the first, then their rows; width, height; for each column of the
    piece its number and the row of its lowest cell.
    """
    import numpy as np

    listed = [[_fields_of(use) for use in uses(outlook)] for outlook in range(1 << ROWS)]
    counts = np.array([len(some) for some in listed], np.int64)
    fields = np.zeros((1 << ROWS, max(counts), 23), np.int64)
    for outlook, some in enumerate(listed):
        fields[outlook, : len(some)] = some
    return fields.reshape(-1, fields.shape[2]), counts


def _fields_of(use: Use) -> list[int]:
    o = use.orientation
    cells = sorted(o.cells, key=lambda cell: (cell[1], cell[0]))
    first = cells[0][0]
    feet = [value for x, y in enumerate(o.bottom) for value in (x - first, use.rows[y])]
    return [
        o.index,
        int(o.piece),
        int(use.is_timed),
        use.late,
        use.completes,
        *(x - first for x, _ in cells),
        *(use.rows[y] for _, y in cells),
        o.width,
        o.height,
        *feet,
        *[0] * (8 - len(feet)),
    ]
