"""A game laid out in the rows of its stack: positions and times of its pieces.

The stack has all rows of a game in one vertical order, including those that clear. The rows of a
piece may be apart in the stack: the rows between them had cleared before the piece dropped. A
*slot* is a place for rows that clear: slot ``r`` is right below row ``r`` of the picture, and the
last slot is above all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.game.field import Playfield, remove_row_numbers
from tetrisprinter.game.pieces import Cell, Orientation
from tetrisprinter.printing.target import Target


@dataclass(frozen=True, slots=True)
class StackedPiece:
    """A piece of a game, in the rows of the stack."""

    orientation: Orientation
    x: int
    cells: tuple[Cell, ...]  # columns, and rows of the stack
    level: int  # how many rows have cleared once it has landed, including those it clears


@dataclass(frozen=True, slots=True)
class StackedGame:
    """A game in the rows of its stack, or its beginning."""

    rows: tuple[int, ...]  # from below: rows of the picture by number, or CLEARING
    pieces: tuple[StackedPiece, ...] = ()

    @property
    def lines(self) -> int:
        """The number of rows that clear."""
        return self.rows.count(CLEARING)

    @property
    def height(self) -> int:
        """The number of picture rows up to the highest square."""
        return 1 + max((self.rows[v] for piece in self.pieces for _, v in piece.cells), default=-1)

    def reaches(self, row: int) -> bool:
        """Return whether a square of the game lies in this row of the picture or above it."""
        return self.height > row

    def count_lines_within(self, first: int, last: int) -> int:
        """Return how many rows clear in the slots around rows ``first`` to ``last - 1``."""
        count = slot = 0
        for row in self.rows:
            if row != CLEARING:
                slot = row + 1
            else:
                count += first <= slot <= last
        return count

    def make_window_key(self, first: int, last: int) -> Hashable:
        """Return a key of rows ``first`` to ``last - 1``; equal keys allow the same games.

        The key has the rows of the window and the slots around it, and the pieces that drop at
        about the same time. Rows and levels are counted from those at which the window begins.
        """
        slots = [0]
        for row in self.rows:
            slots.append(slots[-1] if row == CLEARING else row + 1)
        inside = [v for v, slot in enumerate(slots[:-1]) if first <= slot <= last]
        lowest = inside[0]
        begin = self.rows[:lowest].count(CLEARING)
        end = begin + sum(self.rows[v] == CLEARING for v in inside)
        return frozenset(
            (piece.orientation, piece.x, frozenset((x, v - lowest) for x, v in piece.cells),
             piece.level - begin)
            for piece in self.pieces
            if begin - _NEAR <= piece.level <= end + _NEAR
        ) | {(v - lowest, self.rows[v]) for v in inside}  # fmt: skip


_NEAR: Final = 7
"""A piece affects a window if it drops at most this many cleared rows before or after it."""


def stack_game(drops: Sequence[tuple[Orientation, int]], target: Target) -> StackedGame | None:
    """Play drops and return the game in the rows of its stack.

    The stack has the rows that clear, the rows of the target, and rows above that keep squares.
    Returns None if the rows do not clear from the lowest to the highest, which the formula of games
    assumes.
    """
    field, numbers = Playfield(target.width, target.height), list(range(target.height))
    dropped: list[tuple[Orientation, int, tuple[Cell, ...], int]] = []
    cleared_rows: list[int] = []
    for orientation, x in drops:
        landing = field.drop(orientation, x)
        cells = tuple((cx, numbers[y]) for cx, y in landing.cells)
        cleared_rows += sorted(remove_row_numbers(numbers, landing.cleared))
        dropped.append((orientation, x, cells, len(cleared_rows)))
    if any(low > high for low, high in pairwise(cleared_rows)):
        return None
    occupied_rows = {number for _, _, cells, _ in dropped for _, number in cells}.difference(
        cleared_rows
    )
    rows = max(
        target.rows, 1 + max((y for y, n in enumerate(numbers) if n in occupied_rows), default=-1)
    )
    final_row_of = {number: y for y, number in enumerate(numbers[:rows])}
    listed = sorted([*cleared_rows, *final_row_of])
    stack_row_of = {number: v for v, number in enumerate(listed)}
    pieces = tuple(
        StackedPiece(
            orientation, x, tuple((cx, stack_row_of[number]) for cx, number in cells), level
        )
        for orientation, x, cells, level in dropped
    )
    return StackedGame(tuple(final_row_of.get(n, CLEARING) for n in listed), pieces)
