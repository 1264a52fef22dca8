"""How a piece can be used in a row of the stack, whatever the row: the same for every picture.

An **outlook** says of a row of the stack and the three above it which of them clear: bit ``i``
is set if the row ``i`` above does. Rows that clear complete from below. A piece begins in the
row with its lowest cell, the leftmost of these. If it drops when rows of the outlook have gone,
it lies in those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation

__all__ = ["OUTLOOK_ROWS", "Use", "is_narrow", "uses"]

OUTLOOK_ROWS: Final = 4
"""Rows of an outlook; pieces that reach further, over rows that have gone, are left out."""
WIDEST: Final = 12
"""Columns of a board that a state has room for."""


def is_narrow(width: int) -> bool:
    """Return whether whole games can be searched on a board of so many columns."""
    return width <= WIDEST


@dataclass(frozen=True, slots=True)
class Use:
    """One way to use a piece."""

    orientation: Orientation  # the piece
    late: int  # how many rows of the outlook have gone when it drops
    completes: int  # the row of the outlook that it completes; -1 if none
    rows: tuple[int, ...]  # for each row of the piece the row of the outlook it lies in

    @property
    def is_timed(self) -> bool:
        """Whether it is certain how many rows have gone when it drops."""
        return self.late > 0 or self.completes >= 0

    def cells(self) -> list[Cell]:
        """Return its cells: columns, counted from the one in which it begins, and rows."""
        cells = sorted(self.orientation.cells, key=lambda cell: (cell[1], cell[0]))
        return [(x - cells[0][0], self.rows[y]) for x, y in cells]

    def feet(self) -> list[Cell]:
        """Return the lowest cell in each of its columns."""
        lowest: dict[int, int] = {}
        for x, row in reversed(self.cells()):
            lowest[x] = row
        return sorted(lowest.items())


def uses(outlook: int) -> Iterator[Use]:
    """Yield all uses of pieces that begin in the lowest row of an outlook."""
    clears = [bool(outlook >> row & 1) for row in range(OUTLOOK_ROWS)]
    rank = [sum(clears[:row]) for row in range(OUTLOOK_ROWS)]
    for orientation in ORIENTATIONS:
        for late in range(0 if clears[0] else min(2, sum(clears)), -1, -1):
            there = [row for row in range(OUTLOOK_ROWS) if not (clears[row] and rank[row] < late)]
            rows = tuple(there[: orientation.height])
            if len(rows) < orientation.height:
                continue
            yield Use(orientation, late, -1, rows)
            lowest = next((row for row in rows if clears[row]), None)
            if lowest is not None and rank[lowest] == late:
                yield Use(orientation, late, lowest, rows)
