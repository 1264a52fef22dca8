"""A game laid out in the rows of its stack: positions and times of its pieces.

The stack has all rows of a game in one vertical order, including those that clear. The rows of a
piece may be apart in the stack: the rows between them had cleared before the piece dropped. A
*slot* is a place for rows that clear: slot ``r`` is right below row ``r`` of the picture, and the
last slot is above all of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.game.field import Playfield, remove_row_numbers
from tetrisprinter.game.pieces import Cell, Orientation
from tetrisprinter.game.plan import Pass
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
    """A game in the rows of its stack."""

    rows: tuple[int, ...]  # from below: rows of the picture by number, or CLEARING
    pieces: tuple[StackedPiece, ...]
    is_upward: bool  # whether the rows clear in order from the lowest to the highest

    def count_slot_clears(self, rows: int) -> list[int]:
        """Return how many rows clear in each slot of a picture with this many rows."""
        counts, slot = [0] * (1 + max(rows, 1 + max(self.rows, default=0))), 0
        for row in self.rows:
            if row == CLEARING:
                counts[slot] += 1
            else:
                slot = row + 1
        return counts

    def list_rows(self, first: int, last: int) -> list[int]:
        """List the stack rows of picture rows ``first`` to ``last - 1`` and of their slots."""
        listed, slot = [], 0
        for v, row in enumerate(self.rows):
            if row != CLEARING:
                slot = row + 1
            if first <= row < last if row != CLEARING else first <= slot <= last:
                listed.append(v)
        return listed

    def make_window_key(self, first: int, last: int) -> frozenset[Hashable]:
        """Return a key for a window; windows with equal keys allow the same games.

        The key has the rows of the window, and the pieces that drop at about the same time. Rows
        and levels are counted from those at which the window begins.
        """
        inside = self.list_rows(first, last)
        lowest = inside[0]
        begin = sum(row == CLEARING for row in self.rows[:lowest])
        end = begin + sum(self.rows[v] == CLEARING for v in inside)
        return frozenset(
            (piece.orientation, piece.x, frozenset((x, v - lowest) for x, v in piece.cells),
             piece.level - begin)
            for piece in self.pieces
            if begin - _NEAR <= piece.level <= end + _NEAR
        ) | {(v - lowest, self.rows[v]) for v in inside}  # fmt: skip


_NEAR: Final = 7
"""A piece affects a window if it drops at most this many cleared rows before or after it."""


def stack_game(passes: tuple[Pass, ...], target: Target) -> StackedGame:
    """Play the passes of a game and return the game in the rows of its stack.

    The stack has the rows that clear, the rows of the target, and rows above that keep squares.
    """
    field, numbers = Playfield(target.width, target.height), list(range(target.height))
    dropped: list[tuple[Orientation, int, tuple[Cell, ...], int]] = []
    cleared_rows: list[int] = []
    for group in passes:
        for piece in group.pieces:
            landing = field.drop(piece.orientation, piece.x)
            cells = tuple((x, numbers[y]) for x, y in landing.cells)
            cleared_rows += sorted(remove_row_numbers(numbers, landing.cleared))
            dropped.append((piece.orientation, piece.x, cells, len(cleared_rows)))
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
    is_upward = all(low < high for low, high in pairwise(cleared_rows))
    return StackedGame(tuple(final_row_of.get(n, CLEARING) for n in listed), pieces, is_upward)
