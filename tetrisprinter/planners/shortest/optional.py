"""Whole games as a formula in which rows of the stack may clear or not be there at all.

The stack has the picture's rows and between them *candidates*: rows that clear in the game if they
are in it, the lower ones first (some at once). A model is a game: which candidates are in it, which
pieces there are and in which order they drop. How a game clears few rows is then a question that
a solver answers at once, with no stack proposed to it.

Most rules are those of all :mod:`formulas <tetrisprinter.bounds.rules>`. Pieces have levels as in
:mod:`tetrisprinter.game.levels`, with candidates counted whether they are in the game or not: a
piece of level ``l`` drops when those of the lowest ``l`` that are in it have gone, or makes the
last of them go. Times, as the bounds have them, would be twice as many steps and need ranks, which
have no meaning for rows that are not there; so what has gone for a piece is said by levels, here.

To keep it small, a piece drops near its turn and lies across few rows that have gone; so having no
model proves nothing about all games. Nothing is relied on that the formula says, either: a game
that is found is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tetrisprinter.bounds.cnf import Literal, negated
from tetrisprinter.bounds.rules import StackFormula
from tetrisprinter.bounds.windows import CLEARING, Part, Window, parts_of
from tetrisprinter.game.pieces import Cell
from tetrisprinter.printing.target import Target

__all__ = ["OptionalRows", "Reach"]

_TALL: Final = 4
"""Rows that a piece covers at most, and so rows that go at once."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far pieces are from what is usual.

    Attributes
    ----------
    across : int
        Candidates that a piece lies across, at most.
    early : int
        Candidates between the level of a piece and that of its row, at most.
    """

    across: int = 7
    early: int = 7


class OptionalRows(StackFormula):
    """The formula.

    Parameters
    ----------
    target : Target
        The end of the game.
    rows : sequence of int
        The stack from below: rows of the picture by their numbers, and candidates, which are
        told as rows that clear.
    reach : Reach
        How far pieces are from what is usual.
    pulse : callable
        Called now and then while the formula is made; what it raises ends the making.

    Attributes
    ----------
    there : list of int
        For each candidate whether it is in the game.
    """

    def __init__(
        self,
        target: Target,
        rows: Sequence[int],
        reach: Reach = Reach(),
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(target, rows, target.numbers(), pulse)
        self.reach = reach
        listed = [v for v, row in enumerate(rows) if row == CLEARING]
        self.number = {v: k for k, v in enumerate(listed)}
        self.there = [self.cnf.new() for _ in listed]
        self._turn = [sum(v < row for v in listed) for row in range(len(self.rows))]
        self._levels: dict[Cell, list[int]] = {}
        self._held: dict[tuple[Cell, int], Literal] = {}
        self._lay(self._pieces())
        self._give_levels()
        self._join_cells(len(self.there))
        self._go_at_once()
        for v, k in self.number.items():
            self._complete_once(v, [self._later((x, v), k + 1) for x in range(self.width)])
        self._order_columns()
        completing: dict[tuple[int, int, int], int] = {}
        for part, literal in self.parts:
            self._time(part, literal, completing)
        self._order_completing(completing)
        self._hold_pieces()

    def _pieces(self) -> Iterator[Part]:
        """Yield the pieces that may lie in the stack, below the ceiling when they drop."""
        window = Window(self.rows, below=False, above=False)
        for part in parts_of(self.target, window, self.reach.across):
            gone = max(v for _, v in part.cells) + 1 - self.target.height
            if min(self._covers(part), default=gone) >= gone:
                yield part

    def _covers(self, part: Part) -> list[int]:
        """Return the candidates in which a piece has cells, by their numbers."""
        return sorted({self.number[v] for _, v in part.cells if v in self.number})

    def _is_there(self, row: int) -> Literal:
        return self.there[self.number[row]]

    # -- levels -----------------------------------------------------------------------

    def _give_levels(self) -> None:
        for cell in self.covered:
            least, most = self._span(cell[1])
            levels = [self.cnf.new() for _ in range(most - least)]
            self._levels[cell] = levels
            for lower, higher in pairwise(levels):
                self.cnf.any_of(lower, -higher)

    def _span(self, v: int) -> tuple[int, int]:
        """Return the levels from which and up to which a piece may cover a row."""
        turn, early = self._turn[v], self.reach.early
        most = turn + (_TALL - 1 if v in self.number else early)
        return max(0, turn - early), min(len(self.there), most)

    def _later(self, cell: Cell, time: int) -> Literal:
        """Return whether what covers a cell has this level or a higher one."""
        least, most = self._span(cell[1])
        if least < time <= most:
            return self._levels[cell][time - least - 1]
        return time <= least

    def _go_at_once(self) -> None:
        """Where a row goes with the next one, nothing drops between."""
        at_once = [self.cnf.new() for _ in self.there]
        for cell in self.covered:
            v = cell[1]
            if v in self.number:
                first = self.number[v]
                for k in range(first, min(len(self.there), first + _TALL) - 1):
                    its = -self.there[first], negated(self._later(cell, k + 2))
                    self.cnf.any_of(*its, at_once[k])
            for k, literal in enumerate(at_once):
                then = negated(self._later(cell, k + 1)), self._later(cell, k + 2)
                self.cnf.any_of(-literal, *then)

    def _order(self, lower: Cell, upper: Cell) -> None:
        both = [negated(self.covered[cell]) for cell in (lower, upper)]
        gone: Literal = False
        if upper[1] in self.number:
            gone = self._later(lower, self.number[upper[1]] + 1)
        for level in range(1, len(self.there) + 1):
            then = negated(self._later(lower, level)), self._later(upper, level)
            self.cnf.any_of(*both, gone, *then)

    def _time(self, part: Part, literal: int, completing: dict[tuple[int, int, int], int]) -> None:
        """Say when a piece may drop."""
        cell, number, covers = part.cells[0], self.number, self._covers(part)
        for v in part.over:
            k = number[v]
            self.cnf.any_of(-literal, -self.there[k], self._later(cell, k + 1))
        gone = max(v for _, v in part.cells) + 1 - self.target.height
        self.cnf.any_of(-literal, self._later(cell, gone))
        for k in covers:
            for other in range(k + 1, min(len(self.there), k + _TALL)):
                if other not in covers:  # it cannot be what makes that row go
                    after = negated(self._later(cell, other + 1))
                    self.cnf.any_of(-literal, after, -self.there[other])
            done = self._later(cell, k + 1)
            for x, foot in part.feet or ():
                if any(number.get(v, k + 1) > k for cx, v in part.cells if cx == x):
                    key = (x, foot, k)
                    if key not in completing:
                        completing[key] = self.cnf.new()
                    self.cnf.any_of(-literal, negated(done), completing[key])
        for x, v in part.cells:  # what lies above it in a row of its own comes later
            for upper in {row for _, row in part.cells if row > v and row in number}:
                if (x, upper) not in part.cells:
                    self.cnf.any_of(-literal, negated(self._later(cell, number[upper] + 1)))

    def _order_completing(self, completing: dict[tuple[int, int, int], int]) -> None:
        """What lies below a piece that makes a row go, and in no such row, came before."""
        for (x, foot, k), literal in completing.items():
            for v in range(foot):
                if (x, v) in self.covered:
                    there = negated(self.covered[x, v])
                    self.cnf.any_of(-literal, there, negated(self._later((x, v), k + 1)))

    # -- support ----------------------------------------------------------------------

    def _holds(self, part: Part, foot: Cell) -> Literal:
        x, v = foot
        if v and self.number.get(v - 1) in self._covers(part):
            return True  # a row of its own has not gone: what else is there came before
        return self._held_by(x, v, v - 1)

    def _held_by(self, x: int, foot: int, v: int) -> Literal:
        """Return whether row ``v`` or one below it holds what has its foot in a row above."""
        if v < 0:
            return True
        there = self.covered.get((x, v), False)
        clears = v in self.number
        if not clears:
            if foot not in self.number or there is False:
                return there
            early = negated(self._later((x, v), self.number[foot] + 1))
            if there is True:
                return early
        key = ((x, foot), v)
        if key not in self._held:
            held = self._held[key] = self.cnf.new()
            if clears:
                further = self._held_by(x, foot, v - 1)
                gone = self._later((x, foot), self.number[v] + 1)
                self.cnf.any_of(-held, negated(gone), further)
                self.cnf.any_of(-held, there, further)
            else:
                self.cnf.any_of(-held, there)
                self.cnf.any_of(-held, early)
        return self._held[key]

    # -- models -----------------------------------------------------------------------

    def more_cells(self, most: int) -> list[int]:
        """Return literals of which the ``n``-th holds if a game leaves or clears more cells.

        Counted are the cells of rows that clear and of squares that need not be left; without the
        latter, rows.

        Parameters
        ----------
        most : int
            The last number that is asked about.
        """
        free = [v for v in self.covered.values() if v is not True and v not in self.there]
        weight = self.width if free else 1
        return self.cnf.more_than(
            most, [*((row, weight) for row in self.there), *((square, 1) for square in free)]
        )

    def _time_of(self, part: Part, true: set[int]) -> int:
        cell = part.cells[0]
        level = self._span(cell[1])[0] + sum(it in true for it in self._levels[cell])
        return 2 * level - any(level > k for k in self._covers(part))
