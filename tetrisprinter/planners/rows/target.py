"""The piece types that each row of the picture must and may hold.

A picture has colours; a pass leaves piece types. Squares of the background's colour, and
transparent ones if there is a background, may stay empty or hold a type of that colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.game.divisibility import find_unit, is_possible_count
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.passes import (
    Columns,
    PassSquares,
    Pieces,
    mark_columns,
    sort_drops,
)
from tetrisprinter.planners.rows.stacks import PassStack
from tetrisprinter.printing.target import Target, extend_upwards, make_target
from tetrisprinter.printing.task import Task
from tetrisprinter.support.arrays import make_numbers, repeat_number

ANYTHING: Final = sum(1 << piece for piece in PieceType)
"""All types, as a bit set."""


@dataclass(frozen=True, slots=True)
class RowState:
    """The squares on the board between two passes."""

    rows: int  # the number of printed rows
    ground: Columns  # columns with a square in the highest printed row
    carried: Columns  # columns with a square in the row above the printed rows
    stays: bool = False  # whether the carried squares are the picture's and may stay


@dataclass(frozen=True, slots=True)
class RowStep:
    """The next pass, or all passes of a row that takes several."""

    passes: tuple[tuple[str, Pieces], ...]  # each as its stack and its pieces with levels
    after: RowState  # the state after it
    fallback: str = ""  # the fallback that found it, if no pair of passes was found

    @property
    def lines(self) -> int:
        """The number of cleared rows."""
        return sum(row_kinds.count("c") for row_kinds, _ in self.passes)

    def list_drops(self) -> tuple[Pass, ...]:
        """Return the passes with their pieces in a legal drop order."""
        return tuple(Pass(len(row_kinds), sort_drops(pieces)) for row_kinds, pieces in self.passes)


@dataclass(frozen=True, slots=True)
class RowTarget:
    """The squares that every row must and may hold at the end of the game."""

    # ``allowed[y][x]``: the types that may stay in a square of the board, as a bit set
    allowed: tuple[tuple[int, ...], ...]
    required: tuple[Columns, ...]  # for each row the columns in which it must not end empty

    @property
    def rows(self) -> int:
        """Rows of the picture."""
        return len(self.allowed)

    @property
    def width(self) -> int:
        """Columns of the board."""
        return len(self.allowed[0])

    def count_squares_from(self, y: int) -> int:
        """Return the number of squares that this row and all above it must hold."""
        return sum(map(len, self.required[y:]))

    def cut_above(self, rows: int) -> RowTarget:
        """Return the target of the lowest ``rows`` rows, above which nothing may remain."""
        return RowTarget(self.allowed[:rows], self.required[:rows])

    def make_clean_state(self, rows: int) -> RowState:
        """Return the state with exactly this number of rows printed."""
        ground = self.required[rows - 1] if rows else frozenset(range(self.width))
        return RowState(rows, ground, frozenset())

    def is_exact(self, y: int) -> bool:
        """Return whether a row may hold only required squares."""
        return sum(map(bool, self.allowed[y])) == len(self.required[y])

    def can_end(self, y: int, carried: int) -> bool:
        """Return whether the square count allows printing row ``y`` and all rows above it."""
        if find_unit(self.width) == 1:
            return True
        needed = self.count_squares_from(y)
        # A full row clears, so it does not stay.
        most_squares = sum(min(sum(map(bool, row)), self.width - 1) for row in self.allowed[y:])
        return is_possible_count(needed - carried, self.width, most_squares - needed)

    def is_complete(self, y: int, row: Sequence[int]) -> bool:
        """Return whether a row of the field, given as piece types, is row ``y`` of the picture."""
        return self.may_stay(y, row) and all(row[x] for x in self.required[y])

    def find_first_incomplete(self, rows: Sequence[Sequence[int]]) -> int:
        """Return the first row at which a field differs from the picture."""
        first = 0
        while first < min(self.rows, len(rows)) and self.is_complete(first, rows[first]):
            first += 1
        return first

    def read_state(self, rows: Sequence[Sequence[int]]) -> RowState | None:
        """Return the state of a board; None if squares lie above the carried squares."""
        printed = self.find_first_incomplete(rows)
        ground, carried, *above = [
            frozenset(x for x, value in enumerate(row) if value)
            for row in (rows[printed - 1] if printed else [1] * self.width, *rows[printed:], ())
        ]
        if any(above):
            return None
        stays = len(carried) > 0 and printed < self.rows and self.may_stay(printed, rows[printed])
        return RowState(printed, ground, carried, stays)

    def may_stay(self, y: int, row: Sequence[int]) -> bool:
        """Return whether all squares of a row of the field may stay."""
        allowed = self.allowed[y]
        return all(not value or mask >> value & 1 for value, mask in zip(row, allowed, strict=True))

    def describe_squares(
        self,
        stack: PassStack,
        y: int,
        ground: frozenset[int],
        carried: frozenset[int] = frozenset(),
    ) -> PassSquares:
        """Return the squares of a pass, of which the lowest row is row ``y`` of the picture."""
        rows = len(stack.row_kinds)
        before, below = mark_columns(carried, self.width), mark_columns(ground, self.width)
        must = repeat_number(stack.clearing, self.width)
        allowed = repeat_number(ANYTHING, self.width * rows)
        row = y
        for stack_row, kind in enumerate(stack.row_kinds):
            if kind in "pq":
                allowed[stack_row::rows] = make_numbers(self.allowed[row])
            if kind == "p":
                for x in self.required[row]:
                    must[x] |= 1 << stack_row
                row += 1
        for x in carried:
            must[x] &= ~1
        return PassSquares(before, must, repeat_number(0, self.width), allowed, below)


def make_row_target(task: Task, types: Mapping[PieceType, Color]) -> RowTarget:
    """Return the types that each row must and may hold at the end of a task.

    If no game can leave this number of squares, squares of the background's colour may also stay
    in the row above the picture.
    """
    size = (task.board.width, task.board.height)
    target = make_target(task.picture, types, *size, task.column, task.background)
    row_target = _split_by_rows(target)
    return row_target if row_target.can_end(0, 0) else _split_by_rows(extend_upwards(target, 1))


def _split_by_rows(target: Target) -> RowTarget:
    """Return a target with one entry per row, without the rows above the picture."""
    required: list[set[int]] = [set() for _ in range(target.rows)]
    for x, y in target.required:
        required[y].add(x)
    return RowTarget(target.allowed, tuple(map(frozenset, required)))
