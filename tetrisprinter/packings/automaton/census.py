"""Some pieces, some rows, one width: how many sets of positions have a matrix, which, why not.

Divisibility is looked at first, because it excludes most questions and anybody can check it;
the rest is counted by the column automaton of the height, without enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton.atlas import atlas, positions_without
from tetrisprinter.packings.automaton.automaton import SHIPPED
from tetrisprinter.packings.automaton.query import least_height

__all__ = ["Census", "census"]


@dataclass(frozen=True, slots=True)
class Census:
    """The answer for all positions of some emitter pieces.

    Attributes
    ----------
    width, emitted, rows : int
        What was asked.
    positions : int
        In how many ways the pieces fit side by side.
    printable : int
        For how many of them there is a matrix of exactly these rows (gap-free: no piece comes
        to rest over a hole).
    """

    width: int
    emitted: int
    rows: int
    positions: int
    printable: int

    @property
    def cells(self) -> int:
        """How many cells of the matrix are left to fill beside the emitter pieces."""
        return self.width * self.rows - 3 * self.emitted

    @property
    def is_divisible(self) -> bool:
        """Whether they can be filled with pieces of four."""
        return self.cells >= 0 and self.cells % 4 == 0

    @property
    def reason(self) -> str:
        """Why some positions have no matrix; empty if all have one."""
        if self.printable == self.positions:
            return "" if self.positions else "so many pieces do not fit side by side"
        if not self.is_divisible:
            allowed = [rows for rows in range(1, 5) if self._leaves(rows) % 4 == 0]
            return (
                f"divisibility: {self.width} x {self.rows} - {3 * self.emitted} = {self.cells} "
                "cells are left to fill, which is not a multiple of 4; "
                + (
                    f"it is with {', '.join(map(str, allowed))}, and so on in steps of 4 rows"
                    if allowed
                    else "with no number of rows it is"
                )
            )
        return (
            f"the column automaton of {self.rows} rows, which knows all gap-free games, does not "
            "accept them"
        )

    def _leaves(self, rows: int) -> int:
        return self.width * rows - 3 * self.emitted

    def at(self) -> Iterator[tuple[int, ...]]:
        """Yield the positions that have a matrix: the first columns of the pieces."""
        if not self.printable:
            return
        rows = least_height((self.rows,))
        for at in _positions(self.width, self.emitted):
            covered = {x + i for x in at for i in range(3)}
            if rows.final[rows.run(int(x in covered) for x in range(self.width))]:
                yield at

    def without(self) -> Iterator[tuple[int, ...]]:
        """Yield the positions that have none."""
        if self.printable == 0:
            return _positions(self.width, self.emitted)
        return positions_without(self.width, self.emitted, [self.rows])


def _positions(width: int, emitted: int, start: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield the ways to set pieces of three columns side by side."""
    if not emitted:
        yield ()
        return
    for x in range(start, width - 3 * emitted + 1):
        for rest in _positions(width, emitted - 1, x + 3):
            yield (x, *rest)


def census(width: int, emitted: int, rows: int) -> Census:
    """Count the positions of emitter pieces that have a matrix of some rows.

    Parameters
    ----------
    width, emitted, rows : int
        Columns, emitter pieces, rows of the matrix.

    Raises
    ------
    InputError
        If divisibility does not settle it, and there is no automaton of that height.

    Examples
    --------
    >>> found = census(21, 1, 3)
    >>> found.printable, found.positions, list(found.without())
    (15, 19, [(3,), (7,), (11,), (15,)])
    >>> print(census(21, 1, 4).reason)  # doctest: +ELLIPSIS
    divisibility: 21 x 4 - 3 = 81 cells are left to fill, which is not a multiple of 4; it is ...
    """
    free = width - 2 * emitted
    positions = comb(free, emitted) if free >= emitted else 0
    found = Census(width, emitted, rows, positions, 0)
    if not found.is_divisible or not positions:
        return found
    if rows not in SHIPPED:
        raise InputError(
            f"{rows} rows: there are automata of {SHIPPED[0]} to {SHIPPED[-1]} rows, which count; "
            "of more rows each set of positions has to be searched: tetrisprinter search "
            f"--emitted {emitted} --rows {rows} --width {width}"
        )
    (entry,) = atlas([width], [emitted], [rows])
    return Census(width, emitted, rows, positions, entry.by_height[0])
