"""Whole games as a formula in which rows of the stack may clear or not be there at all.

The stack has the picture's rows and between them *candidates*: rows that clear in the game if they
are in it, the lower ones first (some at once). A model is a game: which candidates are in it, which
pieces there are and in which order they drop. How a game clears few rows is then a question that
a solver answers at once, with no stack proposed to it.

Pieces have levels as in :mod:`tetrisprinter.game.levels`, with candidates counted whether they are
in the game or not: a piece of level ``l`` drops when those of the lowest ``l`` that are in it have
gone, or makes the last of them go. To keep it small, a piece drops near its turn and lies across
few rows that have gone; so having no model proves nothing about all games. Nothing is relied on
that the formula says, either: a game that is found is played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tetrisprinter.bounds.cnf import Cnf, Literal, negated
from tetrisprinter.bounds.formula import joints
from tetrisprinter.game.levels import drops_in_order
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation
from tetrisprinter.printing.target import Target

__all__ = ["CANDIDATE", "OptionalRows", "Reach"]

CANDIDATE: Final = -1
"""Among the rows of a stack: one that clears if it is in the game."""

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

    across: int = 4
    early: int = 4


@dataclass(frozen=True, slots=True)
class _Lying:
    """A way in which a piece may lie in the stack.

    Attributes
    ----------
    orientation : Orientation
        The piece.
    x : int
        Its leftmost column.
    cells : tuple of (int, int)
        Column and row of the stack.
    over : tuple of int
        Candidates that it lies across, by their numbers.
    covers : tuple of int
        Candidates in which it has cells.
    literal : int
        Its variable.
    """

    orientation: Orientation
    x: int
    cells: tuple[Cell, ...]
    over: tuple[int, ...]
    covers: tuple[int, ...]
    literal: int

    @property
    def columns(self) -> range:
        """The columns in which it has cells."""
        return range(self.x, self.x + self.orientation.width)

    def foot(self, x: int) -> int:
        """Return the lowest row of its cells in a column."""
        return min(row for column, row in self.cells if column == x)


class OptionalRows:
    """The formula.

    Parameters
    ----------
    target : Target
        The end of the game, every square of which is required or stays empty, in types that
        have colours.
    rows : sequence of int
        The stack from below: rows of the picture by their numbers, and :data:`CANDIDATE`.
    reach : Reach
        How far pieces are from what is usual.
    pulse : callable
        Called now and then while the formula is made; what it raises ends the making.

    Attributes
    ----------
    cnf : Cnf
        The formula.
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
        self.target, self.rows, self.reach = target, tuple(rows), reach
        self.cnf = Cnf(pulse)
        listed = [v for v, row in enumerate(rows) if row == CANDIDATE]
        self.number = {v: k for k, v in enumerate(listed)}
        self.there = [self.cnf.new() for _ in listed]
        self._turn = [sum(v < row for v in listed) for row in range(len(self.rows))]
        self._lying = list(self._ways_to_lie())
        self._covered: dict[Cell, Literal] = {}
        self._levels: dict[Cell, list[int]] = {}
        self._joined: dict[tuple[Cell, Cell], int] = {}
        self._held: dict[tuple[Cell, int], Literal] = {}
        self._cover()
        self._join()
        self._go_at_once()
        self._complete()
        self._order_columns()
        completing: dict[tuple[int, int, int], int] = {}
        for one in self._lying:
            self._time(one, completing)
            holds = [self._holds(one, x) for x in one.columns]
            self.cnf.any_of(-one.literal, *holds)
        self._order_completing(completing)

    # -- pieces, and what they cover --------------------------------------------------

    def _ways_to_lie(self) -> Iterator[_Lying]:
        width, height = self.target.width, self.target.height
        choices = {tall: list(self._rows_for(tall)) for tall in range(1, _TALL + 1)}
        for o in ORIENTATIONS:
            for rows, over in choices[o.height]:
                covers = tuple(self.number[v] for v in rows if v in self.number)
                too_high = rows[-1] + 1 - height  # so many rows have to go before
                if covers and covers[0] < too_high:
                    continue
                for x in range(width - o.width + 1):
                    cells = tuple((x + dx, rows[dy]) for dx, dy in o.cells)
                    if all(
                        v in self.number or self.target.may_hold(cx, self.rows[v], o.piece)
                        for cx, v in cells
                    ):
                        yield _Lying(o, x, cells, over, covers, self.cnf.new())

    def _rows_for(self, tall: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield rows that a piece may cover, with the candidates between that it lies across."""

        def go_on(rows: tuple[int, ...], over: tuple[int, ...]) -> Iterator[
            tuple[tuple[int, ...], tuple[int, ...]]
        ]:  # fmt: skip
            if len(rows) == tall:
                yield rows, over
                return
            passed = over
            for v in range(rows[-1] + 1, len(self.rows)):
                yield from go_on((*rows, v), passed)
                if v not in self.number or len(passed) == self.reach.across:
                    return
                passed = (*passed, self.number[v])

        for start in range(len(self.rows)):
            yield from go_on((start,), ())

    def _cover(self) -> None:
        """Cover what has to be covered once; each square that is has a level."""
        covering: dict[Cell, list[int]] = defaultdict(list)
        for one in self._lying:
            for cell in one.cells:
                covering[cell].append(one.literal)
        for v, row in enumerate(self.rows):
            for x in range(self.target.width):
                if v in self.number:
                    there = self.there[self.number[v]]
                    self._covered[x, v] = there
                    self.cnf.exactly_one([-there, *covering[x, v]])
                elif (x, row) in self.target.required:
                    self._covered[x, v] = True
                    self.cnf.exactly_one(covering[x, v])
        for cell in self._covered:
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

    def _level(self, cell: Cell, level: int) -> Literal:
        """Return whether what covers a cell has this level or a higher one."""
        least, most = self._span(cell[1])
        if least < level <= most:
            return self._levels[cell][level - least - 1]
        return level <= least

    # -- levels -----------------------------------------------------------------------

    def _join(self) -> None:
        """All cells of a piece have its level."""
        pairs: dict[tuple[Cell, Cell], list[int]] = defaultdict(list)
        for one in self._lying:
            for pair in joints(one.cells):
                pairs[pair].append(one.literal)
        for pair, literals in pairs.items():
            join = self._joined[pair] = self.cnf.new()
            for literal in literals:
                self.cnf.any_of(-literal, join)
            self.cnf.any_of(-join, *literals)
            for level in range(1, len(self.there) + 1):
                first, second = (self._level(cell, level) for cell in pair)
                self.cnf.any_of(-join, negated(first), second)
                self.cnf.any_of(-join, first, negated(second))

    def _go_at_once(self) -> None:
        """Where a row goes with the next one, nothing drops between."""
        at_once = [self.cnf.new() for _ in self.there]
        for cell in self._covered:
            v = cell[1]
            if v in self.number:
                first = self.number[v]
                for k in range(first, min(len(self.there), first + _TALL) - 1):
                    its = -self.there[first], negated(self._level(cell, k + 2))
                    self.cnf.any_of(*its, at_once[k])
            for k, literal in enumerate(at_once):
                then = negated(self._level(cell, k + 1)), self._level(cell, k + 2)
                self.cnf.any_of(-literal, *then)

    def _complete(self) -> None:
        """Let exactly one piece of a row that clears have a level at which it is complete."""
        for v, k in self.number.items():
            there = -self.there[k]
            last = [self._level((x, v), k + 1) for x in range(self.target.width)]
            self.cnf.any_of(there, *last)
            begins = last[:1]
            for x, (before, one) in enumerate(pairwise(last)):
                join = self._joined.get(((x, v), (x + 1, v)), False)
                self.cnf.any_of(there, negated(before), negated(one), join)
                begin = self.cnf.new()
                self.cnf.any_of(there, negated(one), before, begin)
                begins.append(begin)
            self.cnf.at_most_one(begins)

    def _order_columns(self) -> None:
        """What lies below came before, or came when the row of what lies above had gone."""
        for x in range(self.target.width):
            column = [v for v in range(len(self.rows)) if (x, v) in self._covered]
            for at, upper in enumerate(column):
                for lower in reversed(column[:at]):
                    self._order((x, lower), (x, upper))
                    if upper not in self.number and lower not in self.number:
                        break  # what lies further down came before that

    def _order(self, lower: Cell, upper: Cell) -> None:
        both = [negated(self._covered[cell]) for cell in (lower, upper)]
        gone: Literal = False
        if upper[1] in self.number:
            gone = self._level(lower, self.number[upper[1]] + 1)
        for level in range(1, len(self.there) + 1):
            then = negated(self._level(lower, level)), self._level(upper, level)
            self.cnf.any_of(*both, gone, *then)

    def _time(self, one: _Lying, completing: dict[tuple[int, int, int], int]) -> None:
        """Say when a piece may drop."""
        cell, literal, number = one.cells[0], one.literal, self.number
        for k in one.over:
            self.cnf.any_of(-literal, -self.there[k], self._level(cell, k + 1))
        self.cnf.any_of(-literal, self._level(cell, max(v for _, v in one.cells) + 1
                                              - self.target.height))  # fmt: skip
        for k in one.covers:
            for other in range(k + 1, min(len(self.there), k + _TALL)):
                if other not in one.covers:  # it cannot be what makes that row go
                    after = negated(self._level(cell, other + 1))
                    self.cnf.any_of(-literal, after, -self.there[other])
            done = self._level(cell, k + 1)
            for x in one.columns:
                if any(number.get(v, k + 1) > k for cx, v in one.cells if cx == x):
                    key = (x, one.foot(x), k)
                    if key not in completing:
                        completing[key] = self.cnf.new()
                    self.cnf.any_of(-literal, negated(done), completing[key])
        for x, v in one.cells:  # what lies above it in a row of its own comes later
            for upper in {row for _, row in one.cells if row > v and row in number}:
                if (x, upper) not in one.cells:
                    self.cnf.any_of(-literal, negated(self._level(cell, number[upper] + 1)))

    def _order_completing(self, completing: dict[tuple[int, int, int], int]) -> None:
        """What lies below a piece that makes a row go, and in no such row, came before."""
        for (x, foot, k), literal in completing.items():
            for v in range(foot):
                if (x, v) in self._covered:
                    there = negated(self._covered[x, v])
                    self.cnf.any_of(-literal, there, negated(self._level((x, v), k + 1)))

    # -- support ----------------------------------------------------------------------

    def _holds(self, one: _Lying, x: int) -> Literal:
        """Return whether a piece stands on something in a column."""
        foot = one.foot(x)
        if foot and self.number.get(foot - 1) in one.covers:
            return True  # a row of its own has not gone: what else is there came before
        return self._holds_any(x, foot, foot - 1)

    def _holds_any(self, x: int, foot: int, v: int) -> Literal:
        """Return whether row ``v`` or one below it holds what has its foot in a row above."""
        if v < 0:
            return True
        if v not in self.number:
            if (x, v) not in self._covered:
                return False
            if foot not in self.number:
                return True
            return negated(self._level((x, v), self.number[foot] + 1))
        key = ((x, foot), v)
        if key not in self._held:
            held = self.cnf.new()
            self._held[key] = held
            further = self._holds_any(x, foot, v - 1)
            k = self.number[v]
            self.cnf.any_of(-held, negated(self._level((x, foot), k + 1)), further)
            self.cnf.any_of(-held, self.there[k], further)
        return self._held[key]

    # -- models -----------------------------------------------------------------------

    def at_most(self, most: int) -> None:
        """Let so many candidates be in the game at most."""
        self.cnf.at_most(most, self.there)

    def game(self, model: Sequence[int]) -> list[tuple[Orientation, int]]:
        """Return the game of a model: pieces and their columns, in order."""
        true = set(model)
        used = [one for one in self._lying if one.literal in true]
        times = []
        for one in used:
            cell = one.cells[0]
            level = self._span(cell[1])[0] + sum(it in true for it in self._levels[cell])
            times.append(2 * level - any(level > k for k in one.covers))
        order = drops_in_order([one.cells for one in used], times)
        return [(used[number].orientation, used[number].x) for number in order]
