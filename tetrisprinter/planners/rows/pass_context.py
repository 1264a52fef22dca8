"""The surroundings of a pass: the board, its target, and the stacks that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.passes import PassFinder
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_ROWS
from tetrisprinter.planners.rows.target import RowState, RowTarget
from tetrisprinter.planners.run import Work


def estimate_cost(word: str) -> float:
    """Return the number of rows a stack clears, minus the usual number for the rows it prints."""
    return word.count("c") - BUDGETS.usual_lines * word.count("p")


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

    def has_room(self, state: RowState, word: str) -> bool:
        """Return whether a stack fits above the printed rows."""
        return len(word) <= min(MAX_ROWS, self.height - state.rows)

    def _fits(self, state: RowState, word: str) -> bool:
        """Return whether a stack has room and its lowest row fits the carried squares."""
        lies = word[0] == "c" or state.stays or not state.carried
        return lies and self.has_room(state, word)

    def carry_all(self, state: RowState, word: str) -> RowState:
        """Return the state after a pass, as if it filled the whole row above it."""
        rows = state.rows + word.count("p")
        ground = self.target.required[rows - 1] if rows > state.rows else state.ground
        carried = frozenset(range(self.width) if word[-1] in CARRIED else ())
        return RowState(rows, ground, carried, word[-1] == "q")

    def list_row_stacks(self, state: RowState, most: int) -> list[str]:
        """Return the stacks that print 1 to ``most`` rows, the cheapest first."""
        left = self.target.rows - state.rows
        words = []
        for rows in range(1, min(left, most) + 1):
            ends = ("b", "q") if rows < left else ("",)
            for lines in range(BUDGETS.most_lines + 1):
                words += ["c" * lines + "p" * rows + end for end in ends]
                if lines:
                    words += ["p" + "c" * lines + "p" * (rows - 1) + end for end in ends]
        words = [word for word in words if self._fits(state, word)]
        return sorted(words, key=lambda word: (estimate_cost(word), len(word)))

    def list_stacks(self, state: RowState, lines: int, anything: bool = False) -> Iterator[str]:
        """Yield the stacks that print the next row with this number of lines, over carried squares.

        With ``anything`` any squares may be carried, and they may stay.
        """
        if anything:
            state = replace(state, carried=frozenset(range(self.width)), stays=True)
        last = state.rows + 1 == self.target.rows
        if last and not anything and self.target.is_exact(state.rows):
            cells = self.width * lines + len(self.target.required[state.rows])
            if (cells - len(state.carried)) % 4:
                return
        for below in range(lines, -1, -1):
            word = "c" * below + "p" + "c" * (lines - below) + ("" if last else "b")
            if self._fits(state, word):
                yield word
