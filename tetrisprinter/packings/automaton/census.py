"""The census of one width: which sets of emitter positions have a matrix, and why others do not.

Divisibility comes first, because it excludes most cases and is easy to check. For the other cases
the column automaton counts the position sets without enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton.atlas import build_atlas, list_unprintable
from tetrisprinter.packings.automaton.automaton import SHIPPED
from tetrisprinter.packings.automaton.query import build_least_height
from tetrisprinter.packings.problem import list_emitter_positions


@dataclass(frozen=True, slots=True)
class Census:
    """The numbers of position sets, and of those that matrices of one size can print."""

    width: int
    emitted: int
    rows: int
    positions: int  # number of position sets
    printable: int  # number of position sets with a gap-free matrix of exactly ``rows`` rows

    @property
    def cells(self) -> int:
        """Number of matrix cells that the emitter pieces leave free."""
        return self.width * self.rows - 3 * self.emitted

    @property
    def is_divisible(self) -> bool:
        """Whether the number of free cells is a multiple of 4."""
        return self.cells >= 0 and self.cells % 4 == 0

    @property
    def reason(self) -> str:
        """Why some positions have no matrix; empty if all have one."""
        if self.printable == self.positions:
            return "" if self.positions else "the pieces do not fit side by side"
        if not self.is_divisible:
            allowed = [n for n in range(1, 5) if (self.width * n - 3 * self.emitted) % 4 == 0]
            return (
                f"divisibility: {self.width} x {self.rows} - {3 * self.emitted} = {self.cells} "
                "cells are left to fill, which is not a multiple of 4; "
                + (
                    f"it is with {', '.join(map(str, allowed))}, and so on in steps of 4 rows"
                    if allowed
                    else "no number of rows makes it one"
                )
            )
        return (
            f"the column automaton of {self.rows} rows, which covers all gap-free games, "
            "rejects them"
        )

    def list_printable(self) -> Iterator[tuple[int, ...]]:
        """Yield the position sets that have a matrix, each as the pieces' leftmost columns."""
        if not self.printable:
            return
        rows = build_least_height((self.rows,))
        for positions in list_emitter_positions(self.emitted, self.width):
            covered = {x + i for x in positions for i in range(3)}
            if rows.final[rows.run(int(x in covered) for x in range(self.width))]:
                yield positions

    def list_unprintable(self) -> Iterator[tuple[int, ...]]:
        """Yield the position sets that have no matrix."""
        if self.printable == 0:
            return list_emitter_positions(self.emitted, self.width)
        return list_unprintable(self.width, self.emitted, [self.rows])


def take_census(width: int, emitted: int, rows: int) -> Census:
    """Count the position sets of emitter pieces that have a matrix of ``rows`` rows.

    Raises an InputError if divisibility gives no answer and no automaton of that height exists.

    >>> census = take_census(21, 1, 3)
    >>> census.printable, census.positions, list(census.list_unprintable())
    (15, 19, [(3,), (7,), (11,), (15,)])
    >>> print(take_census(21, 1, 4).reason)  # doctest: +ELLIPSIS
    divisibility: 21 x 4 - 3 = 81 cells are left to fill, which is not a multiple of 4; it is ...
    """
    free = width - 2 * emitted
    positions = comb(free, emitted) if free >= emitted else 0
    census = Census(width, emitted, rows, positions, 0)
    if not census.is_divisible or not positions:
        return census
    if rows not in SHIPPED:
        raise InputError(
            f"{rows} rows is out of range; automata exist for {SHIPPED[0]} to {SHIPPED[-1]} rows; "
            "to search each set of positions instead: tetrisprinter proofs search "
            f"--emitted {emitted} --rows {rows} --width {width}"
        )
    (entry,) = build_atlas([width], [emitted], [rows])
    return Census(width, emitted, rows, positions, entry.by_height[0])
