"""Some neighbouring rows of a stack, and the parts of pieces that can lie in them.

A piece lies in neighbouring rows of the board at the moment when it drops. In the stack its rows
may be apart, because the rows between them have cleared. If a piece lies partly outside the window,
only its cells inside count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import comb

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.printing.target import Target

CLEARING = -1
"""Stands for a row that clears among the rows of a window."""


@dataclass(frozen=True, slots=True)
class WindowRows:
    """Neighbouring rows of a stack."""

    rows: tuple[int, ...]  # from below: the number of a picture row, or :data:`CLEARING`
    below: bool  # whether the stack has unknown rows below
    above: bool  # whether the stack has unknown rows above
    spare: int = 0  # how many optional squares the game may leave

    @property
    def lines(self) -> int:
        """The number of rows that clear."""
        return self.rows.count(CLEARING)


@dataclass(frozen=True, slots=True)
class Part:
    """The cells of a piece that lie in a window."""

    orientation: Orientation
    x: int  # the left column of the piece
    cells: tuple[Cell, ...]  # its cells in the window: column, and row of the window
    # The clearing rows between its cells, which have cleared before the piece drops
    rows_between: tuple[int, ...]
    # The lowest cell in each column; None if such a cell lies outside the window, where something
    # may support the piece
    feet: tuple[Cell, ...] | None


_Rows = tuple[tuple[int | None, ...], tuple[int, ...]]
"""The window row of each row of a piece (None: outside), and the cleared rows between them."""


@lru_cache(maxsize=256)
def _list_row_choices(
    clears: tuple[bool, ...], below: bool, above: bool, height: int
) -> list[_Rows]:
    """List the choices of window rows for a piece's rows; the rows between must clear."""
    choices: list[_Rows] = []

    def extend(
        rows: tuple[int | None, ...],
        rows_between: tuple[int, ...],
        next_row: int,
        has_row_inside: bool,
    ) -> None:
        """Add all choices that continue the chosen rows from ``next_row`` upwards."""
        if len(rows) == height:
            if has_row_inside:
                choices.append((rows, rows_between))
            return
        cleared = rows_between
        for v in range(next_row, len(clears)):
            extend((*rows, v), cleared, v + 1, True)
            if not clears[v]:
                return
            cleared = (*cleared, v)
        if above and has_row_inside:
            rest = height - len(rows)
            choices.append(((*rows, *(None,) * rest), cleared))

    for start in range(len(clears)):
        extend((start,), (), start + 1, True)
    if below:
        for outside in range(1, height):
            extend((None,) * outside, (), 0, False)
    return choices


def count_fewest_parts(width: int, rows: Sequence[int]) -> int:
    """Return a lower bound on the number of parts of a window, without listing them.

    Count placements whose rows all lie in one run of clearing rows, with or without gaps.

    >>> count_fewest_parts(4, (0, CLEARING, 1)), count_fewest_parts(4, (CLEARING,) * 4)
    (1, 218)
    """
    runs = [len(list(group)) for row, group in groupby(rows) if row == CLEARING]
    return sum(
        max(0, width - o.width + 1) * comb(run, o.height) for run in runs for o in ORIENTATIONS
    )


def list_parts(target: Target, window: WindowRows) -> list[Part]:
    """List the parts of pieces in a window.

    If parts differ only in their feet, only the part that needs the least support is listed.
    """
    clears = tuple(row == CLEARING for row in window.rows)
    parts: dict[tuple[PieceType, tuple[Cell, ...], tuple[int, ...]], Part] = {}
    for o in ORIENTATIONS:
        for rows, rows_between in _list_row_choices(clears, window.below, window.above, o.height):
            inside = [(dx, v) for dx, dy in o.cells if (v := rows[dy]) is not None]
            lows = [(dx, v) for dx, low in enumerate(o.bottom) if (v := rows[low]) is not None]
            remaining = [(dx, y) for dx, v in inside if (y := window.rows[v]) != CLEARING]
            for x in range(target.width - o.width + 1) if inside else ():
                if not all(target.may_hold(x + dx, y, o.piece) for dx, y in remaining):
                    continue
                if target.shades and len({target.shades[y][x + dx] for dx, y in remaining}) > 1:
                    continue
                cells = tuple([(x + dx, v) for dx, v in inside])
                key = (o.piece, cells, rows_between)
                if key not in parts or len(lows) < o.width:
                    feet = tuple([(x + dx, v) for dx, v in lows])
                    parts[key] = Part(
                        o, x, cells, rows_between, feet if len(lows) == o.width else None
                    )
    return list(parts.values())
