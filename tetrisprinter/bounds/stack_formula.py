"""The conditions on pieces that all formulas of stacks share.

They say which cells are covered, that all cells of a piece have the same time, that one piece
completes each row that clears, which piece of a column drops first, and that each piece is
supported. A subclass defines its own scale of times: when a piece may drop, and which rows have
gone by then. :class:`TimedFormula` leaves the ranks of rows open and counts times
(:mod:`tetrisprinter.game.levels` explains them).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from tetrisprinter.bounds.cnf import Cnf, Literal, negate
from tetrisprinter.bounds.windows import CLEARING, Part
from tetrisprinter.game.levels import order_drops
from tetrisprinter.game.pieces import Cell, Orientation, PieceType
from tetrisprinter.printing.target import Target

__all__ = ["StackFormula", "TimedFormula"]


class StackFormula:
    """A formula about the pieces of a stack."""

    def __init__(
        self,
        target: Target,
        rows: Sequence[int],
        numbers: tuple[int, ...],
        pulse: Callable[[], None],
    ) -> None:
        self.target, self.rows, self.width = target, tuple(rows), target.width
        self.cnf = Cnf(pulse)
        self.shows: dict[tuple[PieceType, int], int] = {}
        self.parts: list[tuple[Part, int]] = []
        self.covered: dict[Cell, Literal] = {}
        self._joined: dict[tuple[Cell, Cell], int] = {}
        for piece in PieceType if numbers else ():
            for number in numbers:
                self.shows[piece, number] = self.cnf.new()
            self.cnf.at_most_one([self.shows[piece, number] for number in numbers])

    # -- what a subclass defines -------------------------------------------------------

    def _is_there(self, _row: int) -> Literal:
        """Return whether a row that clears is in the game."""
        return True

    def _later(self, cell: Cell, time: int) -> Literal:
        """Return whether the piece that covers a cell has this time or a later one."""
        raise NotImplementedError

    def _order(self, lower: Cell, upper: Cell) -> None:
        """Let the piece at the lower cell drop first, or after the upper row has gone."""
        raise NotImplementedError

    def _holds(self, part: Part, foot: Cell) -> Literal:
        """Return whether something supports a foot of a piece."""
        raise NotImplementedError

    def _time_of(self, part: Part, true: set[int]) -> int:
        """Return the time of a piece in a model."""
        raise NotImplementedError

    # -- colours, cover ----------------------------------------------------------------

    def _lay(self, parts: Iterable[Part]) -> None:
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
                if y == CLEARING:
                    there = self._is_there(v)
                elif (x, y) in self.target.required:
                    there = True
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

    def _join_cells(self, steps: int) -> None:
        """Give all cells of a piece the same time, for each step of the scale."""
        by_pair: dict[tuple[Cell, Cell], list[int]] = defaultdict(list)
        for part, literal in self.parts:
            for one, other in _joints(part.cells):
                by_pair[one, other].append(literal)
        for pair, literals in by_pair.items():
            join = self.cnf.new()
            self._joined[pair] = join
            for literal in literals:
                self.cnf.any_of(-literal, join)
            self.cnf.any_of(-join, *literals)
            for time in range(1, steps + 1):
                first, second = (self._later(cell, time) for cell in pair)
                self.cnf.any_of(-join, negate(first), second)
                self.cnf.any_of(-join, first, negate(second))

    def _complete_once(self, v: int, last: Sequence[Literal]) -> None:
        """Let exactly one piece of a row have a time at which the row is complete.

        ``last`` has a literal for each column: whether the piece there has such a time.
        """
        missing = negate(self._is_there(v))
        self.cnf.any_of(missing, *last)
        first = list(last[:1])
        for x, (before, one) in enumerate(pairwise(last)):
            join = self._joined.get(((x, v), (x + 1, v)), False)
            self.cnf.any_of(missing, negate(before), negate(one), join)
            begin = self.cnf.new()
            self.cnf.any_of(missing, negate(one), before, begin)
            first.append(begin)
        self.cnf.at_most_one(first)

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
                    lie = CLEARING not in (self.rows[upper], self.rows[lower])
                    if lie and self.covered[x, lower] is True:
                        break  # cells further down come before this one

    def _hold_pieces(self) -> None:
        """Let every piece be supported in some column."""
        for part, literal in self.parts:
            if part.feet is not None:
                holds = [self._holds(part, foot) for foot in part.feet]
                self.cnf.any_of(-literal, *holds)

    # -- models ------------------------------------------------------------------------

    def game(self, model: Sequence[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the game of a model of a whole stack: pieces and their columns, in order.

        Pieces drop in the order of their times; with equal times, lower ones drop first.
        """
        true = {literal for literal in model if literal > 0}
        used = [part for part, literal in self.parts if literal in true]
        times = [self._time_of(part, true) for part in used]
        order = order_drops([part.cells for part in used], times)
        return tuple((used[number].orientation, used[number].x) for number in order)


class TimedFormula(StackFormula):
    """A formula in which times and the ranks of rows (first, second, ...) are open.

    A subclass fills in ``rank`` and ``_at_once`` before cells get times.
    """

    def __init__(
        self,
        target: Target,
        rows: Sequence[int],
        numbers: tuple[int, ...],
        lines: int,
        pulse: Callable[[], None],
    ) -> None:
        super().__init__(target, rows, numbers, pulse)
        self.lines = lines
        self.rank: dict[int, list[Literal]] = {}
        self.times: dict[Cell, list[Literal]] = {}
        self._at_once: list[Literal] = []
        self._gone: dict[tuple[Cell, int], Literal] = {}

    def _later(self, cell: Cell, time: int) -> Literal:
        """Return whether the piece that covers a cell has this time or a later one."""
        if time <= 0:
            return True
        times = self.times[cell]
        return times[time - 1] if time <= len(times) else False

    def _after(self, cell: Cell, k: int) -> Literal:
        """Return whether the row of a rank has gone when the piece at a cell drops.

        A piece that completes several rows at once drops before any of them goes.
        """
        later = self._later(cell, 2 * k + 2)
        if self._at_once[k] is False or later is False:
            return later
        if (cell, k) not in self._gone:
            gone = self._gone[cell, k] = self.cnf.new()
            at_once, after = self._at_once[k], self._after(cell, k + 1)
            self.cnf.any_of(-gone, later)
            self.cnf.any_of(-gone, negate(at_once), after)
            self.cnf.any_of(gone, negate(later), at_once)
            self.cnf.any_of(gone, negate(later), negate(after))
        return self._gone[cell, k]

    def _date(self, cell: Cell, last: int, below_ceiling: bool) -> None:
        """Give the piece at a cell a time, up to ``last``."""
        v = cell[1]
        self.times[cell] = [self.cnf.new() for _ in range(last)]
        for earlier, later in pairwise(self.times[cell]):
            self.cnf.any_of(earlier, negate(later))
        for k, rank in enumerate(self.rank.get(v, ())):
            # A time after the row's own is possible only with a row that goes at once with it
            late, later = (self._later(cell, 2 * k + more) for more in (2, 3))
            self.cnf.any_of(negate(rank), negate(late), later)
            self.cnf.any_of(negate(rank), negate(later), self._at_once[k])
        if below_ceiling and v >= self.target.height:
            k = min(v - self.target.height, self.lines - 1)
            self.cnf.any_of(negate(self.covered[cell]), self._after(cell, k))
        for k in range(self.lines - 1):  # nothing drops between rows that go at once
            first, last_of = (self._later(cell, 2 * k + more) for more in (1, 3))
            self.cnf.any_of(negate(self._at_once[k]), negate(first), last_of)

    def _complete_row(self, v: int) -> None:
        """Require that exactly one piece of a row completes it."""
        last: list[Literal] = []
        for x in range(self.width):
            one = self.cnf.new()
            last.append(one)
            for k, rank in enumerate(self.rank[v]):
                time = self._later((x, v), 2 * k + 1)
                self.cnf.any_of(negate(rank), negate(time), one)
                self.cnf.any_of(negate(rank), time, -one)
        self._complete_once(v, last)

    def _holds(self, _part: Part, foot: Cell) -> Literal:
        x, v = foot
        return self._has_support_in(x, v, v - 1)

    def _has_support_in(self, x: int, foot: int, v: int) -> Literal:
        """Return whether row ``v``, or one below it, supports a foot in a row above."""
        raise NotImplementedError

    def _time_of(self, part: Part, true: set[int]) -> int:
        return sum(one in true for one in self.times.get(part.cells[0], []))


def _joints(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
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
