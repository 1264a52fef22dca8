"""The monolithic encoding: one formula for all stacks with a given number of cleared rows.

Each row of the stack either clears or is a row of the picture, and the solver decides which. So
the formula has a model if and only if ``WindowFormula`` has one for some whole stack. It is faster
where hundreds of tall windows would have to be refuted. ``docs/bounds.md`` proves the conditions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise

from tetrisprinter.bounds.cnf import Literal, negate
from tetrisprinter.bounds.master_problem import BoundQuestion, exclusion_clause
from tetrisprinter.bounds.stack_formula import StackFormula
from tetrisprinter.bounds.stacks import Nogood
from tetrisprinter.bounds.windows import CLEARING, Part, WindowRows, list_parts
from tetrisprinter.game.pieces import Cell, Orientation, PieceType


class MonolithicFormula(StackFormula):
    """The formula of all stacks of a question."""

    def __init__(self, question: BoundQuestion, pulse: Callable[[], None] = lambda: None) -> None:
        target = question.target
        rows = (CLEARING,) * (target.rows + question.lines)
        super().__init__(target, rows, target.list_shades(), question.lines, pulse)
        self._clears = [self.cnf.new() for _ in rows]
        self._is: dict[tuple[int, int], Literal] = {}
        self._place_rows()
        self.more: list[list[int]] = []
        self._count_slots()
        self._cover(list_parts(target, WindowRows(rows, below=False, above=False), self.lines))
        self.rank = {v: [self.cnf.new() for _ in range(self.lines)] for v in range(len(rows))}
        self._at_once = [*(self.cnf.new() for _ in range(self.lines - 1)), False]
        self._rank_rows()
        for cell in self.covered:
            self._date(cell, 2 * self.lines, below_ceiling=True)
        self._join_cells()
        self._across: dict[tuple[Cell, int], int] = {}
        self._within: dict[tuple[Cell, tuple[int, ...]], int] = {}
        self._odd: dict[Cell, int] = {}
        self._dones: dict[tuple[Cell, int], tuple[int, int]] = {}
        self._following: dict[tuple[int, int], int] = {}
        for part, literal in self.parts:
            self._time_part(part, literal)
        for v in range(len(rows)):
            self._complete_row(v)
        self._order_columns()
        self._hold_pieces()

    def exclusion_clause(self, refuted: Nogood) -> list[Literal]:
        """Return the clause of a nogood."""
        return exclusion_clause(refuted, self.more, self.shows)

    # -- rows --------------------------------------------------------------------------

    def _place_rows(self) -> None:
        """Let each row of the stack either clear or be the next row of the picture."""
        # below[n]: of the rows below, at least n clear
        below: list[Literal] = [True, *([False] * (self.lines + 1))]
        for v, clears in enumerate(self._clears):
            for few in range(self.lines + 1):
                y = v - few
                if 0 <= y < self.target.rows:
                    row = self._is[v, y] = self.cnf.new()
                    so_many = below[few], negate(below[few + 1])
                    for literal in (negate(clears), *so_many):
                        self.cnf.any_of(-row, literal)
                    self.cnf.any_of(row, clears, *map(negate, so_many))
            above: list[Literal] = [True]
            for many in range(1, self.lines + 1):
                here = self.cnf.new()
                self.cnf.any_of(negate(below[many]), here)
                self.cnf.any_of(negate(clears), negate(below[many - 1]), here)
                self.cnf.any_of(-here, below[many], clears)
                self.cnf.any_of(-here, below[many], below[many - 1])
                above.append(here)
            self.cnf.any_of(negate(clears), negate(below[self.lines]))
            below = [*above, False]
        self.cnf.any_of(below[self.lines])

    def _count_slots(self) -> None:
        """Count the rows that clear in each slot, with the variables of the master problem."""
        last = self.target.rows - 1
        self.more = [[self.cnf.new() for _ in range(self.lines)] for _ in range(last + 2)]
        for more in self.more:
            for few, many in pairwise(more):
                self.cnf.any_of(few, -many)
        for (v, y), row in self._is.items():
            if y == 0:
                self._count(0, v, row)
            if y == last:
                self._count(y + 1, len(self.rows) - 1 - v, row)
            for many in range(self.lines + 1):
                if (v + 1 + many, y + 1) in self._is:
                    self._count(y + 1, many, row, self._is[v + 1 + many, y + 1])

    def _count(self, slot: int, many: int, *rows: int) -> None:
        """Set the number of rows that clear in a slot, given the places of its border rows."""
        more = [True, *self.more[slot], False]
        missing = [-row for row in rows]
        self.cnf.any_of(*missing, more[many])
        self.cnf.any_of(*missing, negate(more[many + 1]))

    # -- colours, cover ----------------------------------------------------------------

    def _cover(self, parts: Sequence[Part]) -> None:
        self.parts = [(part, self.cnf.new()) for part in parts]
        covering: dict[Cell, list[int]] = defaultdict(list)
        by_type: dict[tuple[PieceType, Cell], list[int]] = defaultdict(list)
        for (orientation, _, cells), literals in self._group_parts().items():
            there = self.cnf.new()
            self.cnf.exactly_one([-there, *literals])
            for cell in cells:
                covering[cell].append(there)
                by_type[orientation.piece, cell].append(there)
        for (piece, cell), literals in by_type.items():
            there = self.cnf.new()
            for literal in literals:
                self.cnf.any_of(-literal, there)
            self._color(piece, cell, there)
        for v in range(len(self.rows)):
            for x in range(self.width):
                covered = self.covered[x, v] = self.cnf.new()
                self.cnf.any_of(negate(self._clears[v]), covered)
                for y, row in self._list_possible_rows(v):
                    due = (x, y) in self.target.required
                    self.cnf.any_of(negate(row), covered if due else -covered)
                self.cnf.exactly_one([-covered, *covering[x, v]])

    def _group_parts(self) -> dict[tuple[Orientation, int, tuple[Cell, ...]], list[int]]:
        """Group the parts by their cells in each row: there are few such slices."""
        slices: dict[tuple[Orientation, int, tuple[Cell, ...]], list[int]] = defaultdict(list)
        for part, literal in self.parts:
            rows = sorted({v for _, v in part.cells})
            for dy, v in enumerate(rows):
                cells = tuple(cell for cell in part.cells if cell[1] == v)
                slices[part.orientation, dy, cells].append(literal)
        return slices

    def _list_possible_rows(self, v: int) -> list[tuple[int, Literal]]:
        """List the rows of the picture that a row of the stack may be, with their literals."""
        ys = range(max(0, v - self.lines), min(v + 1, self.target.rows))
        return [(y, self._is[v, y]) for y in ys]

    def _color(self, piece: PieceType, cell: Cell, there: int) -> None:
        """In rows of the picture, let a type cover only squares of its colour."""
        x, v = cell
        shades = self.target.shades
        for y, row in self._list_possible_rows(v):
            if not self.target.may_hold(x, y, piece):
                self.cnf.any_of(-there, negate(row))
            elif shades is not None:
                self.cnf.any_of(-there, negate(row), self.shows[piece, shades[y][x]])

    # -- times -------------------------------------------------------------------------

    def _rank_rows(self) -> None:
        for clears, ranks in zip(self._clears, self.rank.values(), strict=True):
            self.cnf.exactly_one([negate(clears), *ranks])
        for k in range(self.lines):
            self.cnf.exactly_one([ranks[k] for ranks in self.rank.values()])

    def _time_part(self, part: Part, literal: int) -> None:
        """Let a piece drop at a possible time; conditions of many pieces share a variable."""
        cell = part.cells[0]
        for v in part.over:
            if (cell, v) not in self._across:
                after = self._across[cell, v] = self.cnf.new()
                self.cnf.any_of(-after, self._clears[v])
                for k, rank in enumerate(self.rank[v]):
                    self.cnf.any_of(-after, -rank, self._after(cell, k))
            self.cnf.any_of(-literal, self._across[cell, v])
        rows = tuple(sorted({v for _, v in part.cells}))
        if (cell, rows) not in self._within:
            self._within[cell, rows] = self.cnf.new()
            self._time_rows(cell, rows, self._within[cell, rows])
        self.cnf.any_of(-literal, self._within[cell, rows])

    def _time_rows(self, cell: Cell, rows: tuple[int, ...], there: int) -> None:
        """Let odd times complete a row of the piece, and all rows that go at once with it."""
        self.cnf.any_of(-there, -self._odd_time(cell), *(self._done(cell, v)[0] for v in rows))
        for v in rows:
            further = (self._follows(v, u) for u in rows if u != v)
            self.cnf.any_of(-there, -self._done(cell, v)[1], *further)

    def _odd_time(self, cell: Cell) -> int:
        """Return a literal that is true if the time of the piece at a cell is odd."""
        if cell not in self._odd:
            odd = self._odd[cell] = self.cnf.new()
            for k in range(self.lines):
                before, after = (self._later(cell, 2 * k + more) for more in (1, 2))
                self.cnf.any_of(negate(before), after, odd)
        return self._odd[cell]

    def _done(self, cell: Cell, v: int) -> tuple[int, int]:
        """Return two literals about a row and the piece at a cell.

        The first implies that the row is complete once the piece lies. The second is implied if a
        row of a later rank is complete then, too.
        """
        key = (cell, v)
        if key not in self._dones:
            done, more = self._dones[key] = self.cnf.new(), self.cnf.new()
            self.cnf.any_of(-done, self._clears[v])
            for k, rank in enumerate(self.rank[v]):
                self.cnf.any_of(-done, -rank, self._later(cell, 2 * k + 1))
                self.cnf.any_of(more, -rank, negate(self._later(cell, 2 * k + 3)))
        return self._dones[key]

    def _follows(self, v: int, u: int) -> int:
        """Return a literal which implies that row ``u`` has the rank after that of row ``v``."""
        if (v, u) not in self._following:
            then = self._following[v, u] = self.cnf.new()
            for rank, after in pairwise([*zip(self.rank[v], self.rank[u], strict=True)]):
                self.cnf.any_of(-then, -rank[0], after[1])
        return self._following[v, u]
