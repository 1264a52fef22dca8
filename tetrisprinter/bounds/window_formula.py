"""The formula of a window: conditions that every game satisfies in some rows of its stack.

``docs/bounds.md`` proves that each game whose stack contains the window gives a model. So a formula
without a model excludes these stacks.

If ``m`` rows of the window clear, a piece has a time from 0 to ``2m``. A row of rank ``k`` has gone
for a piece whose time is ``2k + 2`` or more. Rows that go at once have any order of ranks.
:mod:`tetrisprinter.game.levels` explains times, ranks, and the levels that planners use instead.
The formula shares no code with the planners, on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tetrisprinter.bounds.cnf import Literal, negate
from tetrisprinter.bounds.stack_formula import TimedFormula
from tetrisprinter.bounds.stacks import TypeColors, WindowContents
from tetrisprinter.bounds.windows import CLEARING, Part, list_parts
from tetrisprinter.game.pieces import Cell

__all__ = ["ENCODING", "WindowFormula"]

ENCODING = 2
"""The version of the encoding, which each certificate names."""


class WindowFormula(TimedFormula):
    """The formula of a window."""

    def __init__(self, scene: WindowContents, pulse: Callable[[], None] = lambda: None) -> None:
        target, window = scene.target, scene.window
        super().__init__(target, window.rows, scene.numbers, window.lines, pulse)
        self.window = window
        self._lay(list_parts(target, window))
        self.cnf.at_most(window.spare, [v for v in self.covered.values() if v is not True])
        if self.lines:
            self._rank_rows()
            for cell in self.covered:
                last = 2 * self.lines - (self.rows[cell[1]] == CLEARING)
                self._date(cell, last, not window.below)
            self._join_cells(2 * self.lines)
            for part, literal in self.parts:
                self._time_part(part, literal)
            for v in self.rank:
                self._complete_row(v)
            self._order_columns()
        self._held: dict[tuple[int, int, int], Literal] = {}
        self._hold_pieces()

    # -- times -------------------------------------------------------------------------

    def _rank_rows(self) -> None:
        """Give each clearing row a rank of its own."""
        clearing = [v for v, y in enumerate(self.rows) if y == CLEARING]
        if self.lines == 1:
            self.rank[clearing[0]] = [True]
        else:
            for v in clearing:
                self.rank[v] = [self.cnf.new() for _ in range(self.lines)]
                self.cnf.exactly_one(self.rank[v])
            for k in range(self.lines):
                self.cnf.exactly_one([self.rank[v][k] for v in clearing])
        self._at_once = [self.cnf.new() for _ in range(self.lines - 1)] + [False]

    def _time_part(self, part: Part, literal: int) -> None:
        """Let a piece drop after the rows it lies across have gone; odd times complete rows."""
        cell = part.cells[0]
        clearing = sorted({v for _, v in part.cells if self.rows[v] == CLEARING})
        for v in part.over:
            for k, rank in enumerate(self.rank[v]):
                self.cnf.any_of(-literal, negate(rank), self._after(cell, k))
        for k in range(self.lines):
            self.cnf.any_of(
                -literal,
                negate(self._later(cell, 2 * k + 1)),
                self._later(cell, 2 * k + 2),
                *(self.rank[v][k] for v in clearing),
            )
            if k + 1 < self.lines:
                for v in clearing:
                    others = (self.rank[u][k + 1] for u in clearing if u != v)
                    self.cnf.any_of(
                        -literal,
                        negate(self.rank[v][k]),
                        negate(self._later(cell, 2 * k + 3)),
                        *others,
                    )

    def _order(self, lower: Cell, upper: Cell) -> None:
        there = negate(self.covered[upper])
        if self.rows[upper[1]] != CLEARING:
            for time in range(1, 2 * self.lines + 1):
                self.cnf.any_of(there, negate(self._later(lower, time)), self._later(upper, time))
            return
        for k, rank in enumerate(self.rank[upper[1]]):
            gone = self._after(lower, k)
            for time in range(1, 2 * self.lines):
                self.cnf.any_of(
                    negate(rank),
                    negate(self._later(lower, time)),
                    gone,
                    self._later(upper, time),
                )

    # -- support -----------------------------------------------------------------------

    def _has_support_in(self, x: int, foot: int, v: int) -> Literal:
        """Return whether row ``v``, or one below it, supports a foot in a row above.

        All rows between the two have gone by then.
        """
        if v < 0:
            return True
        key = (x, foot, v)
        if key not in self._held:
            clears = self.rows[v] == CLEARING
            if not clears and (x, v) not in self.covered:
                self._held[key] = False
            else:
                held = self.cnf.new()
                self._held[key] = held
                self._say_held(held, x, foot, v)
        return self._held[key]

    def _say_held(self, held: int, x: int, foot: int, v: int) -> None:
        if self.rows[v] != CLEARING:
            self.cnf.any_of(-held, self.covered[x, v])
            for k, rank in enumerate(self.rank.get(foot, ())):  # before the foot's row goes
                self.cnf.any_of(-held, negate(rank), negate(self._after((x, v), k)))
            return
        further = self._has_support_in(x, foot, v - 1)
        for j, rank in enumerate(self.rank[v]):
            gone = self._after((x, foot), j)
            self.cnf.any_of(-held, negate(rank), negate(gone), further)
            for k, its in enumerate(self.rank.get(foot, ())):
                self.cnf.any_of(
                    -held,
                    negate(rank),
                    gone,
                    negate(its),
                    negate(self._after((x, v), k)),
                )

    # -- models ------------------------------------------------------------------------

    def read_types(self, model: Sequence[int]) -> TypeColors:
        """Return the types that leave squares in a model, and their colours."""
        shades = self.target.shades or ()
        return tuple(
            sorted(
                {
                    (part.orientation.piece, shades[self.rows[v]][x])
                    for part, literal in self.parts
                    if self.shows and model[literal - 1] > 0
                    for x, v in part.cells
                    if self.rows[v] != CLEARING
                }
            )
        )
