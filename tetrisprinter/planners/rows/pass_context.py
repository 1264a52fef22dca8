"""The surroundings of a pass: the board, its target, and the stacks that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.passes import PassFinder
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_ROWS
from tetrisprinter.planners.rows.target import RowState, RowTarget
from tetrisprinter.planners.run import Work


def estimate_cost(row_kinds: str) -> float:
    """Return the number of rows that a stack clears, minus the usual number for what it prints."""
    return row_kinds.count("c") - BUDGETS.usual_lines * row_kinds.count("p")


@dataclass(frozen=True, slots=True)
class PassContext:
    """A board with its target, and the search for passes on it."""

    finder: PassFinder  # for the board's width
    target: RowTarget  # the end of the game: what must be left, and what may stay
    height: int  # rows of the board
    beam: int  # states kept per column

    @classmethod
    def of(
        cls, target: RowTarget, height: int, beam: int, work: Work | None = None, patience: int = 1
    ) -> PassContext:
        """Return a context; its search may keep ``patience * beam`` states before dead ends."""
        return cls(PassFinder(target.width, beam * patience, work), target, height, beam)

    @property
    def width(self) -> int:
        """Columns of the board."""
        return self.target.width

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
        ground = self.target.required[rows - 1] if rows > state.rows else state.ground
        carried = frozenset(range(self.width) if row_kinds[-1] in CARRIED else ())
        return RowState(rows, ground, carried, row_kinds[-1] == "q")

    def list_row_stacks(self, state: RowState, most_rows: int) -> list[str]:
        """Return the stacks that print 1 to ``most_rows`` rows, the cheapest first."""
        rows_left = self.target.rows - state.rows
        stacks = []
        for rows in range(1, min(rows_left, most_rows) + 1):
            top_kinds = ("b", "q") if rows < rows_left else ("",)
            for lines in range(BUDGETS.most_lines + 1):
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
        if any_squares:
            state = replace(state, carried=frozenset(range(self.width)), stays=True)
        is_last = state.rows + 1 == self.target.rows
        if is_last and not any_squares and self.target.is_exact(state.rows):
            cells = self.width * lines + len(self.target.required[state.rows])
            if (cells - len(state.carried)) % 4:
                return
        for below in range(lines, -1, -1):
            row_kinds = "c" * below + "p" + "c" * (lines - below) + ("" if is_last else "b")
            if self._fits(state, row_kinds):
                yield row_kinds
