"""The piece types that each row of the picture must and may hold.

A picture has colours; a pass leaves piece types. Squares of the background's colour, and
transparent ones if there is a background, may stay empty or hold a type of that colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tetrisprinter.game.field import can_leave, find_unit
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows._kernel import PassSquares, PassStack
from tetrisprinter.planners.rows.passes import (
    CARRIED,
    MAX_ROWS,
    Columns,
    Pieces,
    mark_columns,
    sort_drops,
)
from tetrisprinter.printing.task import Target, Task, extend_upwards, make_target
from tetrisprinter.support.kernels import make_numbers, repeat_number

USUAL_LINES: Final = 1.5
"""The usual number of rows cleared per picture row. To clear a row of an old picture usually takes
this number of further rows."""

MOST_LINES: Final = 3
"""The most clearing rows of a pass that is chosen with the next one."""

ANYTHING: Final = sum(1 << piece for piece in PieceType)
"""All types, as a bit set."""


@dataclass(frozen=True, slots=True)
class RowState:
    """The squares on the board between two passes."""

    rows: int  # the number of printed rows
    ground: Columns  # columns with a square in the highest printed row
    carried: Columns  # columns with a square in the row above the printed rows
    stays: bool = False  # whether the carried squares are the picture's and may stay

    def carry(self, columns: Columns) -> RowState:
        """Return the state with other carried squares."""
        return replace(self, carried=columns)


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
    """The squares that every row of a board must and may hold at the end of the game."""

    # ``allowed[y][x]``: the types that may stay in a square of the board, as a bit set
    allowed: tuple[tuple[int, ...], ...]
    required: tuple[Columns, ...]  # for each row the columns in which it must not end empty
    height: int  # rows of the board

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
        return can_leave(self.width, needed - carried, most_squares - needed)

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

    def describe_squares(self, stack: PassStack, state: RowState) -> PassSquares:
        """Return the squares of a pass that begins in a state of the board."""
        rows, row = len(stack.row_kinds), state.rows
        must = repeat_number(0, self.width)
        allowed = repeat_number(ANYTHING, self.width * rows)
        for stack_row, kind in enumerate(stack.row_kinds):
            if kind in "pq":
                allowed[stack_row::rows] = make_numbers(self.allowed[row])
            if kind == "c":
                must = make_numbers(filled | 1 << stack_row for filled in must)
            if kind == "p":
                for x in self.required[row]:
                    must[x] |= 1 << stack_row
                row += 1
        for x in state.carried:
            must[x] &= ~1
        before, ground = (mark_columns(one, self.width) for one in (state.carried, state.ground))
        return PassSquares(before, must, repeat_number(0, self.width), allowed, ground)

    def has_room(self, state: RowState, row_kinds: str) -> bool:
        """Return whether a stack fits above the printed rows."""
        return len(row_kinds) <= min(MAX_ROWS, self.height - state.rows)

    def _fits(self, state: RowState, row_kinds: str) -> bool:
        """Return whether a stack has room and its lowest row may hold the carried squares."""
        can_hold_carried = row_kinds[0] == "c" or state.stays or not state.carried
        return can_hold_carried and self.has_room(state, row_kinds)

    def carry_all(self, state: RowState, row_kinds: str) -> RowState:
        """Return the state after a pass, as if it filled the whole row above it."""
        rows = state.rows + row_kinds.count("p")
        ground = self.required[rows - 1] if rows > state.rows else state.ground
        carried = frozenset(range(self.width) if row_kinds[-1] in CARRIED else ())
        return RowState(rows, ground, carried, row_kinds[-1] == "q")

    def list_row_stacks(self, state: RowState, most_rows: int) -> list[str]:
        """Return the stacks that print 1 to ``most_rows`` rows, the cheapest first."""
        rows_left = self.rows - state.rows
        stacks = []
        for rows in range(1, min(rows_left, most_rows) + 1):
            top_kinds = ("b", "q") if rows < rows_left else ("",)
            for lines in range(MOST_LINES + 1):
                stacks += ["c" * lines + "p" * rows + top_kind for top_kind in top_kinds]
                if lines:
                    stacks += [
                        "p" + "c" * lines + "p" * (rows - 1) + top_kind for top_kind in top_kinds
                    ]
        stacks = [row_kinds for row_kinds in stacks if self._fits(state, row_kinds)]
        return sorted(stacks, key=lambda row_kinds: (estimate_cost(row_kinds), len(row_kinds)))

    def list_stacks(self, state: RowState, lines: int, any_squares: bool = False) -> Iterator[str]:
        """Yield the stacks that print the next row with this number of lines over carried squares.

        With ``any_squares`` any squares may be carried, and they may also stay.
        """
        is_last = state.rows + 1 == self.rows
        if is_last and not any_squares and self.is_exact(state.rows):
            cells = self.width * lines + len(self.required[state.rows])
            if (cells - len(state.carried)) % 4:
                return
        for below in range(lines, -1, -1):
            row_kinds = "c" * below + "p" + "c" * (lines - below) + ("" if is_last else "b")
            can_fit = self.has_room if any_squares else self._fits
            if can_fit(state, row_kinds):
                yield row_kinds


def make_row_target(task: Task, types: Mapping[PieceType, Color]) -> RowTarget:
    """Return the types that each row must and may hold at the end of a task.

    If no game can leave this number of squares, squares of the background's colour may also stay
    in the row above the picture.
    """
    size = (task.board.width, task.board.height)
    target = make_target(task.picture, types, *size, task.column, task.background)
    row_target = _split_by_rows(target, task.board.height)
    if row_target.can_end(0, 0):
        return row_target
    return _split_by_rows(extend_upwards(target, 1), task.board.height)


def _split_by_rows(target: Target, height: int) -> RowTarget:
    """Return a target with one entry per row, without the rows above the picture."""
    required: list[set[int]] = [set() for _ in range(target.rows)]
    for x, y in target.required:
        required[y].add(x)
    return RowTarget(target.allowed, tuple(map(frozenset, required)), height)


def estimate_cost(row_kinds: str) -> float:
    """Return the number of rows that a stack clears, minus the usual number for what it prints."""
    return row_kinds.count("c") - USUAL_LINES * row_kinds.count("p")
