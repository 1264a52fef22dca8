"""One pass in the model: its variables, and what makes it one that can be played.

**Constraints** of a pass that happens, all of them local to a few columns:

* every cell of a clearing row is covered once; a picture square is printed afterwards
  iff it was before or a placement covers it now;
* a square can only be printed where nothing lies above it yet (*access*), and nothing at
  all lies at the base or above when a pass with clearing rows begins;
* up a column, what has a lower level never follows what has a higher one, holes included,
  since whatever lands below a cell has to pass it (*levels*);
* exactly one piece covering clearing row ``r`` has level ``r + 1`` or more;
* some column of a piece stands on something: the floor, a printed square, a cell of its
  own matrix whose row is not complete yet. Going down from its foot, a clearing row below
  the piece's level has gone and the next row counts. A piece that covers a row itself
  proves that the row is still there (*support*);
* squares of a row that a pass begins and carries are printed like others; the next pass
  that clears rows has its base there, finds them in its lowest row, and nothing comes to
  lie over or under them before;
* ``4 * pieces = width * lines + squares printed``: implied, but no solver sees it
  through the exact cover (*count*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from typing import Any, NamedTuple

from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.planners.shortest.clauses import Clauses, Literal, negated
from tetrisprinter.planners.shortest.placements import PassPlacement, pass_placements
from tetrisprinter.planners.shortest.problem import PassProblem
from tetrisprinter.planners.shortest.shape import PassShape, carried_row, is_carried, row_carried

__all__ = ["Choice", "PassModel", "State"]

State = dict[Cell, Literal]
"""Which squares are printed; those that are missing are not."""


class Choice(NamedTuple):
    """A placement at one of its levels, and whether it is used."""

    placement: PassPlacement
    level: int
    literal: int


class PassModel:
    """A pass that may happen.

    Parameters
    ----------
    shape : PassShape
        Its shape.
    problem : PassProblem
        What it is offered for.
    clauses : Clauses
        Where its constraints go.
    shows : mapping of (PieceType, int) to literal
        Which type shows which colour, if that is open.
    before : mapping of (int, int) to literal
        What is printed when it begins.

    Attributes
    ----------
    active : literal
        Whether it happens.
    choices : list of Choice
        What may be dropped in it.
    after : mapping of (int, int) to literal
        What is printed when it has ended.
    """

    def __init__(
        self,
        shape: PassShape,
        problem: PassProblem,
        clauses: Clauses,
        shows: dict[tuple[PieceType, int], int],
        before: State,
    ) -> None:
        self.shape, self.problem, self.clauses = shape, problem, clauses
        self.width = problem.target.width
        self.rows = shape.rows()
        self.heights = shape.heights()
        self.before = before
        self.after = before
        self.choices: list[Choice] = []
        self.covering: dict[Cell, list[Choice]] = defaultdict(list)  # by (x, virtual row)
        self.gaps: dict[Cell, list[int]] = {}  # of what bridges and covers such a cell
        self.changed: set[Cell] = set()  # what it may print or clear
        self._early: dict[tuple[int, int, int], Literal] = {}
        filled = frozenset(cell for cell, literal in before.items() if literal is True)
        found = pass_placements(shape, problem.target, filled)
        self.active: Literal = clauses.new() if shape.lines and not problem.all_used else True
        self.carried = self._carried()
        self._begin_with_nothing_above()
        if self.active is False:
            return
        self._choose(found, shows)
        if any(placement.gap for placement in found):
            for cell, by in self.covering.items():
                gaps = {placement.gap for placement, _, _ in by}
                if gaps != {0}:
                    self.gaps[cell] = sorted(gaps - {0})
        self.after = dict(before)
        cleared = self._clear_what_was_carried()
        self._fill_picture_rows()
        self._fill_clearing_rows(cleared)
        self._bury_nothing()
        self._add_access()
        if shape.lines:
            self._add_levels()
        self._add_support()
        self._add_count()

    # -- what is there when it begins --------------------------------------------------

    def _carried(self) -> dict[int, Literal]:
        """Return which squares of its lowest row the pass may find filled, by column."""
        if not self.shape.lines or self.shape.stack.rows[0] < 0:
            return {}
        row = carried_row(self.shape.base)
        return {x: v for (x, y), v in self.before.items() if y == row and v is not False}

    def _begin_with_nothing_above(self) -> None:
        """Only over an empty base and nothing above can rows clear."""
        if not self.shape.lines:
            return
        base = self.shape.base
        for (x, y), literal in self.before.items():
            if y >= base and not (y == carried_row(base) and x in self.carried):
                if literal is True:
                    if self.active is True:
                        self.clauses.contradict()
                    self.active = False
                    break
                self.clauses.any_of((negated(self.active), negated(literal)))

    # -- what is dropped ---------------------------------------------------------------

    def _choose(self, found: list[PassPlacement], shows: dict[tuple[PieceType, int], int]) -> None:
        """Make a literal for each placement at each level."""
        new, covering = self.clauses.new, self.covering
        for placement in found:
            chosen = [Choice(placement, level, new()) for level in placement.levels]
            self.choices += chosen
            for cell in placement.cells:
                covering[cell] += chosen
            if not placement.matrix and self.active is not True:
                for _, _, literal in chosen:
                    self.clauses.implication(literal, self.active)
            if placement.shade:
                shown = shows[placement.placement.orientation.piece, placement.shade]
                for _, _, literal in chosen:
                    self.clauses.implication(literal, shown)

    def _clear_what_was_carried(self) -> dict[int, Literal]:
        """Return which squares the pass before left in the lowest clearing row, by column."""
        cleared: dict[int, Literal] = {}
        row = carried_row(self.shape.base)
        for x, literal in self.carried.items():
            self.after[x, row], cleared[x] = self._shared(literal)
            self.changed.add((x, row))
        if self.carried:
            self._reach_under()
        return cleared

    def _shared(self, literal: Literal) -> tuple[Literal, Literal]:
        """Return whether a square of a row that has been begun stays, or is cleared now."""
        if self.active is True:
            return False, literal
        if literal is True:
            return negated(self.active), self.active
        left, taken = self.clauses.new(), self.clauses.new()
        self.clauses.exactly_one([~literal, left, taken])
        self.clauses.implication(taken, self.active)
        self.clauses.implication(left, ~self.active)
        return left, taken

    def _reach_under(self) -> None:
        """Reach under a row that has been begun only when it has gone."""
        number = ~self.rows[self.shape.below]
        for placement, _, literal in self.choices:
            if placement.gap <= number:
                for x, y in placement.picture:
                    if y < self.shape.base and x in self.carried:
                        self.clauses.implies(literal, negated(self.carried[x]))

    def _fill_picture_rows(self) -> None:
        """A square is printed afterwards iff it was before or a piece covers it now."""
        for (x, v), by in self.covering.items():
            y = self.rows[v]
            if y >= 0:
                new = self.clauses.new()
                old = self.before.get((x, y), False)
                self.after[x, y] = new
                self.changed.add((x, y))
                self.clauses.exactly_one([old, ~new], [p for _, _, p in by])

    def _fill_clearing_rows(self, cleared: dict[int, Literal]) -> None:
        """Cover each cell of a clearing row once."""
        for x in range(self.width):
            for r in range(self.shape.lines):
                by = self.covering.get((x, self.heights[~r]), [])
                is_lowest = ~r == self.rows[self.shape.below]
                there = [cleared[x]] if x in cleared and is_lowest else []
                self.clauses.exactly_one([negated(self.active), *there], [p for _, _, p in by])

    # -- where a square can be printed -------------------------------------------------

    def _bury_nothing(self) -> None:
        """Begin a row only over squares that are not due any more."""
        for (x, y), new in self.after.items():
            if is_carried(y) and (x, y) not in self.before:
                for below in range(row_carried(y)):
                    if (x, below) in self.problem.target.required:
                        self.clauses.implies(new, self.after.get((x, below), False))

    def _add_access(self) -> None:
        """Print a square only where nothing lies above it yet."""
        gone = {(x, carried_row(self.shape.base)) for x in self.carried}
        columns: dict[int, list[tuple[int, Literal]]] = defaultdict(list)
        begun: dict[int, int] = {}
        for (x, y), literal in self.before.items():
            if literal is not False and (x, y) not in gone:
                columns[x].append((y, literal))
                if is_carried(y):
                    if row_carried(y) not in begun:
                        begun[row_carried(y)] = self.clauses.new()
                    self.clauses.implies(literal, begun[row_carried(y)])
        for (x, y), new in self.after.items():
            old = self.before.get((x, y), False)
            if (x, y) not in self.changed or is_carried(y):
                continue
            for above, literal in columns[x]:
                if above > y:
                    self.clauses.implies(new, old, negated(literal))
            for row, there in begun.items():
                if y >= row:
                    self.clauses.implies(new, old, ~there)

    # -- when a piece can be dropped ---------------------------------------------------

    def _add_levels(self) -> None:
        """Let levels grow up each column, and complete each row once."""
        for k in range(1, self.shape.lines + 1):
            row = self.heights[~(k - 1)]
            completing = dict.fromkeys(self._covering_row(row, k))
            self.clauses.exactly_one([negated(self.active)], list(completing))
            for x in range(self.width):
                self._add_column(x, k, completing if self.gaps else {})
        self._add_seams()

    def _covering_row(self, v: int, level: int) -> list[int]:
        """List what has a level or a higher one and covers cells of a row, for each of these."""
        return [
            p
            for x in range(self.width)
            for _, its, p in self.covering.get((x, v), ())
            if its >= level
        ]

    def _add_column(self, x: int, k: int, completing: Container[int]) -> None:
        """Let what has level ``k`` or more in a column stay below nothing of a lower level.

        Chains of literals run up the column, one for each number of bridged rows: "something
        below has level k or more". A piece that bridges a gap binds nothing in the rows that
        have gone. What completes row ``k - 1`` is the first of its level, so nothing of that
        level lies under it; only bridging pieces need to be told.
        """
        at_most_one = self.clauses.at_most_one
        chains: dict[int, int] = {}
        for v, y in enumerate(self.rows):
            by = self.covering.get((x, v))
            if not by:
                continue
            low = [p for _, level, p in by if level < k]
            first = [one for one in by if one.literal in completing] if chains else []
            for gap, chain in chains.items():
                if not (y < 0 and ~y < gap):
                    if gap:
                        at_most_one([chain, *low])
                    opening = [p for one, _, p in first if one.gap < gap or (x, v) in one.feet]
                    if opening:
                        at_most_one([chain, *opening])
            for gap in (0, *self.gaps.get((x, v), ())):
                high = [p for one, level, p in by if level >= k and one.gap == gap]
                if gap and not high:
                    continue
                before = chains.get(gap)
                chain = self.clauses.new()
                if before is not None:
                    self.clauses.implication(before, chain)
                if gap == 0:
                    at_most_one([chain, *low])
                at_most_one([~chain, *high])
                chains[gap] = chain

    def _add_seams(self) -> None:
        """A bridging piece drops between two completions, so they must not be one."""
        for k in range(1, self.shape.lines):
            row = self.heights[~(k - 1)]
            bridging = dict.fromkeys(
                p
                for cell in self.gaps
                for placement, level, p in self.covering[cell]
                if level == k and placement.gap == k
            )
            both = dict.fromkeys(self._covering_row(row, k + 1))
            if bridging and both:
                one = self.clauses.new()
                for p in both:
                    self.clauses.implication(p, one)
                for p in bridging:
                    self.clauses.implication(p, ~one)

    # -- what a piece stands on --------------------------------------------------------

    def _add_support(self) -> None:
        """Let some column of every piece stand on something."""
        bridging = {
            cell: [(placement.gap, p) for placement, _, p in self.covering[cell] if placement.gap]
            for cell in self.gaps
        }
        held: dict[tuple[Cell, int], Literal] = {}
        one, own = None, 0
        for placement, level, literal in self.choices:
            if placement is not one:  # its levels follow each other
                one, own = placement, 0
                for _, r in placement.matrix:
                    own |= 1 << r
            gone = ((1 << level) - 1) & ~own
            holds = [~literal]
            for foot in placement.feet:
                holding = held.get((foot, gone))
                if holding is None:
                    holding = held[foot, gone] = self._held(foot, gone, bridging)
                if holding is True:
                    break
                if holding is not False:
                    holds.append(holding)
            else:
                self.clauses.clause(holds)

    def _held(self, foot: Cell, gone: int, bridging: dict[Cell, list[tuple[int, int]]]) -> Literal:
        """Whether something lies under a foot once some clearing rows, a bit set, have gone."""
        x, v = foot
        for below in range(v - 1, -1, -1):
            y = self.rows[below]
            if y >= 0 or not gone >> ~y & 1:
                return self._there_early((x, below), self.rows[v], bridging.get((x, below), ()))
        lowest = self.shape.lowest
        return True if lowest == 0 else self.after.get((x, lowest - 1), False)

    def _there_early(
        self, cell: Cell, foot: int, bridging: list[tuple[int, int]] | tuple[()]
    ) -> Literal:
        """Whether a square is there when a piece comes to stand on it.

        It is, unless what fills it comes only when the row of the foot has gone.
        """
        x, v = cell
        square = True if self.rows[v] < 0 else self.after.get((x, self.rows[v]), False)
        if foot >= 0 or square is False:
            return square
        later = [p for gap, p in bridging if gap > ~foot]
        if not later:
            return square
        key = (x, v, ~foot)
        if key not in self._early:
            self._early[key] = early = self.clauses.new()
            if square is not True:
                self.clauses.implication(early, square)
            self.clauses.at_most_one([early, *later])
        return self._early[key]

    def _add_count(self) -> None:
        """State that cells come in fours."""
        variable = self.clauses.variable
        terms: list[Any] = []
        for cell, new in self.after.items():
            if cell in self.changed:
                terms.append(variable(new))
                old = self.before.get(cell, False)
                if old is not False:
                    terms.append(-variable(old))
        area = self.width * self.shape.lines
        if not terms and self.active is True:
            return
        count = self.clauses.number((area + len(terms)) // 4 + 1)
        terms.append(area * variable(self.active))
        self.clauses.model.add(sum(terms) == 4 * count)
