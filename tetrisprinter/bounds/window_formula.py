"""The formula of a window: conditions that every game satisfies in some rows of its stack.

The conditions are 1 to 6 of ``docs/bounds.md``, for the ``m`` rows of the window that clear and
for *parts*: what the window shows of a piece, the clearing rows it lies across, and its feet (the
lowest cell of each column), if all of them lie inside. 1, 2, 4 and 6 are stated as they are.

Times
    All cells of a part have the same time, 0 to ``2m``. A cell of the row of rank ``k`` has a time
    of ``2k + 2`` or more only if it is ``2k + 3`` or more and the rows of rank ``k`` and ``k + 1``
    go at once. If they do, nothing has a time of ``2k + 1`` or ``2k + 2``. The row of rank ``k``
    has gone iff the time is ``2k + 2`` or more and, if they go at once, the other one has gone.
Completion (3)
    In the row of rank ``k`` exactly one part has a time of ``2k + 1`` or more. A part of time
    ``2k + 1`` covers that row. A part of that row with a time of ``2k + 3`` or more covers the row
    of rank ``k + 1``, too.
Support (5)
    Some foot of a part is held: by a covered square of a row of the picture, or by a clearing row,
    if that has not gone and what lies there drops before the foot's row goes; else by the next row
    below. The floor holds, and so does what lies below the window.

Each game whose stack contains the window gives a model: set parts by its pieces, ranks and times
with only the window's rows counted. Pieces separated only by clears outside then have equal times,
which every clause allows. If a piece rests on something outside, its part has no feet, or all rows
of the window below a foot have gone, and what lies below the window holds it. So a formula without
a model excludes these stacks.

:mod:`tetrisprinter.game.levels` explains times and ranks. The formula shares no code with the
planners, on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from tetrisprinter.bounds.cnf import Literal, negate
from tetrisprinter.bounds.stack_formula import StackFormula
from tetrisprinter.bounds.stacks import TypeColors, WindowContents
from tetrisprinter.bounds.windows import CLEARING, Part, list_parts
from tetrisprinter.game.pieces import Cell

ENCODING = 4
"""The version of all encodings, which each certificate names."""


class WindowFormula(StackFormula):
    """The formula of a window."""

    def __init__(self, scene: WindowContents, pulse: Callable[[], None] = lambda: None) -> None:
        target, window = scene.target, scene.window
        super().__init__(target, window.rows, scene.numbers, window.lines, pulse)
        self.window = window
        self._clears = [y == CLEARING for y in self.rows]
        self._cover(list_parts(target, window))
        self.cnf.add_at_most(window.spare, [v for v in self.covered.values() if v is not True])
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
        self.parts = [(part, self.cnf.add_variable()) for part in parts]
        covering: dict[Cell, list[int]] = defaultdict(list)
        for part, literal in self.parts:
            for cell in part.cells:
                covering[cell].append(literal)
            if self.shows:
                shade = next(self._list_shades(part), 0)
                if shade:
                    self.cnf.add_clause(-literal, self.shows[part.orientation.piece, shade])
        for v, y in enumerate(self.rows):
            for x in range(self.width):
                by = covering.get((x, v), [])
                if y == CLEARING or (x, y) in self.target.required:
                    there: Literal = True
                elif by:
                    there = self.cnf.add_variable()
                else:
                    continue
                self.covered[x, v] = there
                self.cnf.add_exactly_one(by if there is True else [negate(there), *by])
            if y != CLEARING and all((x, v) in self.covered for x in range(self.width)):
                self.cnf.add_clause(*(negate(self.covered[x, v]) for x in range(self.width)))

    def _list_shades(self, part: Part) -> Iterator[int]:
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
                self.rank[v] = [self.cnf.add_variable() for _ in range(self.lines)]
                self.cnf.add_exactly_one(self.rank[v])
            for k in range(self.lines):
                self.cnf.add_exactly_one([self.rank[v][k] for v in clearing])
        self._at_once = [self.cnf.add_variable() for _ in range(self.lines - 1)] + [False]

    def _time_part(self, part: Part, literal: int) -> None:
        """Let a piece drop after the rows it lies across have gone; odd times complete rows."""
        cell = part.cells[0]
        clearing = sorted({v for _, v in part.cells if self.rows[v] == CLEARING})
        for v in part.over:
            for k, rank in enumerate(self.rank[v]):
                self.cnf.add_clause(-literal, negate(rank), self._has_gone(cell, k))
        for k in range(self.lines):
            self.cnf.add_clause(
                -literal,
                negate(self._is_later(cell, 2 * k + 1)),
                self._is_later(cell, 2 * k + 2),
                *(self.rank[v][k] for v in clearing),
            )
            if k + 1 < self.lines:
                for v in clearing:
                    others = (self.rank[u][k + 1] for u in clearing if u != v)
                    self.cnf.add_clause(
                        -literal,
                        negate(self.rank[v][k]),
                        negate(self._is_later(cell, 2 * k + 3)),
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
