"""The conditions on pieces that all formulas of stacks share.

They say which cells are covered, that all cells of a piece have the same time, that one piece
completes each row that clears, which piece of a column drops first, and that each piece is
supported. A subclass says which rows clear, what is covered, and when a piece may drop.
:mod:`tetrisprinter.game.levels` explains times and the ranks (first, second, ...) of rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from tetrisprinter.bounds.cnf import Cnf, Literal, negate
from tetrisprinter.bounds.windows import Part
from tetrisprinter.game.levels import order_drops
from tetrisprinter.game.pieces import Cell, Orientation, PieceType
from tetrisprinter.printing.target import Target


class StackFormula:
    """A formula about the pieces of a stack.

    A subclass fills in whether rows clear, their ranks and which rows go at once, before cells get
    times.
    """

    def __init__(
        self,
        target: Target,
        rows: Sequence[int],
        numbers: tuple[int, ...],
        lines: int,
        pulse: Callable[[], None],
    ) -> None:
        self.target, self.rows, self.width = target, tuple(rows), target.width
        self.lines = lines
        self.cnf = Cnf(pulse)
        self.shows: dict[tuple[PieceType, int], int] = {}
        self.parts: list[tuple[Part, int]] = []
        self.covered: dict[Cell, Literal] = {}
        self.rank: dict[int, list[Literal]] = {}
        self.times: dict[Cell, list[Literal]] = {}
        self._clears: list[Literal] = []
        self._at_once: list[Literal] = []
        self._gone: dict[tuple[Cell, int], Literal] = {}
        self._joined: dict[tuple[Cell, Cell], int] = {}
        self._held: dict[tuple[int, int, int], Literal] = {}
        for piece in PieceType if numbers else ():
            for number in numbers:
                self.shows[piece, number] = self.cnf.add_variable()
            self.cnf.add_at_most_one([self.shows[piece, number] for number in numbers])

    # -- times -------------------------------------------------------------------------

    def _is_later(self, cell: Cell, time: int) -> Literal:
        """Return whether the piece that covers a cell has this time or a later one."""
        if time <= 0:
            return True
        times = self.times[cell]
        return times[time - 1] if time <= len(times) else False

    def _has_gone(self, cell: Cell, k: int) -> Literal:
        """Return whether the row of a rank has gone when the piece at a cell drops.

        A piece that completes several rows at once drops before any of them goes.
        """
        later = self._is_later(cell, 2 * k + 2)
        if self._at_once[k] is False or later is False:
            return later
        if (cell, k) not in self._gone:
            gone = self._gone[cell, k] = self.cnf.add_variable()
            at_once, after = self._at_once[k], self._has_gone(cell, k + 1)
            self.cnf.add_clause(-gone, later)
            self.cnf.add_clause(-gone, negate(at_once), after)
            self.cnf.add_clause(gone, negate(later), at_once)
            self.cnf.add_clause(gone, negate(later), negate(after))
        return self._gone[cell, k]

    def _date(self, cell: Cell, last: int, below_ceiling: bool) -> None:
        """Give the piece at a cell a time, up to ``last``."""
        v = cell[1]
        self.times[cell] = [self.cnf.add_variable() for _ in range(last)]
        for earlier, later in pairwise(self.times[cell]):
            self.cnf.add_clause(earlier, negate(later))
        for k, rank in enumerate(self.rank.get(v, ())):
            # A time after the row's own is possible only with a row that goes at once with it
            late, later = (self._is_later(cell, 2 * k + more) for more in (2, 3))
            self.cnf.add_clause(negate(rank), negate(late), later)
            self.cnf.add_clause(negate(rank), negate(later), self._at_once[k])
        if below_ceiling and v >= self.target.height:
            k = min(v - self.target.height, self.lines - 1)
            self.cnf.add_clause(negate(self.covered[cell]), self._has_gone(cell, k))
        for k in range(self.lines - 1):  # nothing drops between rows that go at once
            first, last_of = (self._is_later(cell, 2 * k + more) for more in (1, 3))
            self.cnf.add_clause(negate(self._at_once[k]), negate(first), last_of)

    def _complete_row(self, v: int) -> None:
        """Require that exactly one piece of a row has a time at which the row is complete."""
        last: list[Literal] = []  # for each column: whether its piece has such a time
        for x in range(self.width):
            one = self.cnf.add_variable()
            last.append(one)
            for k, rank in enumerate(self.rank[v]):
                time = self._is_later((x, v), 2 * k + 1)
                self.cnf.add_clause(negate(rank), negate(time), one)
                self.cnf.add_clause(negate(rank), time, -one)
        missing = negate(self._clears[v])
        self.cnf.add_clause(missing, *last)
        first = list(last[:1])  # for each column: whether such a piece begins there
        for x, (before, one) in enumerate(pairwise(last)):
            join = self._joined.get(((x, v), (x + 1, v)), False)
            self.cnf.add_clause(missing, negate(before), negate(one), join)
            begin = self.cnf.add_variable()
            self.cnf.add_clause(missing, negate(one), before, begin)
            first.append(begin)
        self.cnf.add_at_most_one(first)

    def _join_cells(self) -> None:
        """Give all cells of a piece the same time."""
        by_pair: dict[tuple[Cell, Cell], list[int]] = defaultdict(list)
        for part, literal in self.parts:
            for one, other in _list_joints(part.cells):
                by_pair[one, other].append(literal)
        for pair, literals in by_pair.items():
            join = self.cnf.add_variable()
            self._joined[pair] = join
            for literal in literals:
                self.cnf.add_clause(-literal, join)
            self.cnf.add_clause(-join, *literals)
            for time in range(1, 2 * self.lines + 1):
                first, second = (self._is_later(cell, time) for cell in pair)
                self.cnf.add_clause(-join, negate(first), second)
                self.cnf.add_clause(-join, first, negate(second))

    def _order_columns(self) -> None:
        """In each column, let lower cells drop first, or after the upper row has gone."""
        for x in range(self.width):
            for upper in range(len(self.rows)):
                if (x, upper) not in self.covered:
                    continue
                for lower in range(upper - 1, -1, -1):
                    if (x, lower) not in self.covered:
                        continue
                    self._order((x, lower), (x, upper))
                    stay = self._clears[upper] is False and self._clears[lower] is False
                    if stay and self.covered[x, lower] is True:
                        break  # cells further down come before this one

    def _order(self, lower: Cell, upper: Cell) -> None:
        """Let the piece at the lower cell drop first, or after the upper row has gone."""
        there, clears = negate(self.covered[lower]), self._clears[upper[1]]
        free = there, negate(self.covered[upper]), clears
        for time in range(1, 2 * self.lines + 1) if clears is not True else ():
            then = negate(self._is_later(lower, time)), self._is_later(upper, time)
            self.cnf.add_clause(*free, *then)
        for k, rank in enumerate(self.rank.get(upper[1], ())):
            gone = self._has_gone(lower, k)
            for time in range(1, 2 * self.lines):
                then = negate(self._is_later(lower, time)), self._is_later(upper, time)
                self.cnf.add_clause(negate(rank), there, gone, *then)

    # -- support -----------------------------------------------------------------------

    def _hold_pieces(self) -> None:
        """Let every piece be supported in some column."""
        for part, literal in self.parts:
            if part.feet is not None:
                held = [self._has_support_in(x, v, v - 1) for x, v in part.feet]
                self.cnf.add_clause(-literal, *held)

    def _has_support_in(self, x: int, foot: int, v: int) -> Literal:
        """Return whether row ``v``, or one below it, supports a foot in a row above.

        All rows between the two have gone by then.
        """
        clears = self._clears[v] if v >= 0 else False
        if v < 0 or (clears is False and (x, v) not in self.covered):
            return v < 0
        key = (x, foot, v)
        if key not in self._held:
            held = self._held[key] = self.cnf.add_variable()
            further = clears is not False and self._has_support_in(x, foot, v - 1)
            ranks = self.rank.get(foot, ())
            self.cnf.add_clause(-held, self.covered[x, v])
            for k, its in enumerate(ranks):  # before the foot's row goes
                self.cnf.add_clause(-held, clears, negate(its), negate(self._has_gone((x, v), k)))
            for j, rank in enumerate(self.rank.get(v, ())):
                gone = self._has_gone((x, foot), j)
                self.cnf.add_clause(-held, negate(rank), negate(gone), further)
                for k, its in enumerate(ranks):
                    after = negate(self._has_gone((x, v), k))
                    self.cnf.add_clause(-held, negate(rank), gone, negate(its), after)
        return self._held[key]

    # -- models ------------------------------------------------------------------------

    def read_game(self, model: Sequence[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the game of a model of a whole stack: pieces and their columns, in order.

        Pieces drop in the order of their times; with equal times, lower ones drop first.
        """
        true = {literal for literal in model if literal > 0}
        used = [part for part, literal in self.parts if literal in true]
        times = [sum(one in true for one in self.times.get(part.cells[0], ())) for part in used]
        order = order_drops([part.cells for part in used], times)
        return tuple((used[number].orientation, used[number].x) for number in order)


def _list_joints(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield pairs of cells that connect all cells of a part, in rows and between rows."""
    rows: dict[int, list[int]] = defaultdict(list)
    for x, v in sorted(cells):
        rows[v].append(x)
    listed = sorted(rows)
    for v in listed:
        for x in rows[v][1:]:
            yield (x - 1, v), (x, v)
    for low, high in pairwise(listed):
        x = next(x for x in rows[low] if x in rows[high])
        yield (x, low), (x, high)
