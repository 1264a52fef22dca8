"""The formula of a window: conditions that every game satisfies in some rows of its stack.

``docs/bounds.md`` proves that each game whose stack contains the window gives a model. So a formula
without a model excludes these stacks.

If ``m`` rows of the window clear, a piece has a time from 0 to ``2m``. A row of rank ``k`` has gone
for a piece whose time is ``2k + 2`` or more. Rows that go at once have any order of ranks.
:mod:`tetrisprinter.game.levels` explains times, ranks, and the levels that planners use instead.
The formula shares no code with the planners, on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from tetrisprinter.bounds.cnf import Literal, negate
from tetrisprinter.bounds.stack_formula import StackFormula
from tetrisprinter.bounds.stacks import TypeColors, WindowContents
from tetrisprinter.bounds.windows import CLEARING, Part, list_parts
from tetrisprinter.game.pieces import Cell

__all__ = ["ENCODING", "WindowFormula"]

ENCODING = 3
"""The version of the encoding, which each certificate names."""


class WindowFormula(StackFormula):
    """The formula of a window."""

    def __init__(self, scene: WindowContents, pulse: Callable[[], None] = lambda: None) -> None:
        target, window = scene.target, scene.window
        super().__init__(target, window.rows, scene.numbers, window.lines, pulse)
        self.window = window
        self._clears = [y == CLEARING for y in self.rows]
        self._cover(list_parts(target, window))
        self.cnf.at_most(window.spare, [v for v in self.covered.values() if v is not True])
        if self.lines:
            self._rank_rows()
            for cell in self.covered:
                last = 2 * self.lines - (self.rows[cell[1]] == CLEARING)
                self._date(cell, last, not window.below)
            self._join_cells()
            for part, literal in self.parts:
                self._time_part(part, literal)
            for v in self.rank:
                self._complete_row(v)
            self._order_columns()
        self._hold_pieces()

    # -- colours, cover ----------------------------------------------------------------

    def _cover(self, parts: Iterable[Part]) -> None:
        """Add the parts; cover each required cell once and every other cell at most once."""
        self.parts = [(part, self.cnf.new()) for part in parts]
        covering: dict[Cell, list[int]] = defaultdict(list)
        for part, literal in self.parts:
            for cell in part.cells:
                covering[cell].append(literal)
            if self.shows:
                shade = next(self._shades(part), 0)
                if shade:
                    self.cnf.any_of(-literal, self.shows[part.orientation.piece, shade])
        for v, y in enumerate(self.rows):
            for x in range(self.width):
                by = covering.get((x, v), [])
                if y == CLEARING or (x, y) in self.target.required:
                    there: Literal = True
                elif by:
                    there = self.cnf.new()
                else:
                    continue
                self.covered[x, v] = there
                self.cnf.exactly_one(by if there is True else [negate(there), *by])
            if y != CLEARING and all((x, v) in self.covered for x in range(self.width)):
                self.cnf.any_of(*(negate(self.covered[x, v]) for x in range(self.width)))

    def _shades(self, part: Part) -> Iterator[int]:
        """Yield the colour numbers of the squares that a piece leaves."""
        shades = self.target.shades
        for x, v in part.cells:
            if shades is not None and self.rows[v] != CLEARING:
                yield shades[self.rows[v]][x]

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
