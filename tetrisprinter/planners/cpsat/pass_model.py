"""One pass in the model: its variables, and what makes it one that can be played.

**Constraints** of a pass that happens, all of them local to a few columns:

* every cell of a clearing row is covered once; a picture square is printed afterwards
  iff it was before or a placement covers it now;
* a square can only be printed where nothing lies above it yet (*access*), and nothing at
  all lies at the base or above when a pass with clearing rows begins;
* levels and what holds a piece are as :mod:`tetrisprinter.game.levels` says: levels grow up
  each column, exactly one piece completes each clearing row, and some column of every piece
  stands on something that has not gone (*support*);
* ``4 * pieces = width * lines + squares printed``: implied, but no solver sees it
  through the exact cover (*count*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from typing import Any, NamedTuple

from tetrisprinter.game.levels import gone_at, row_under
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.planners.cpsat.clauses import FALSE, TRUE, Clauses, Literal
from tetrisprinter.planners.cpsat.problem import PassProblem
from tetrisprinter.planners.passes.placements import PassPlacement, pass_placements
from tetrisprinter.planners.passes.shape import PassShape

__all__ = ["AtLevel", "PassModel", "Printed"]

Printed = dict[Cell, Literal]
"""Which squares are printed; those that are missing are not."""


class AtLevel(NamedTuple):
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
    choices : list of AtLevel
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
        before: Printed,
    ) -> None:
        self.shape, self.problem, self.clauses = shape, problem, clauses
        self.width = problem.target.width
        self.rows = shape.rows()
        self.heights = shape.heights()
        self.before = before
        self.after = before
        self.choices: list[AtLevel] = []
        self.covering: dict[Cell, list[AtLevel]] = defaultdict(list)  # by (x, virtual row)
        self.bridging: dict[Cell, list[AtLevel]] = {}  # those of them that bridge
        self._early: dict[tuple[int, int, int], Literal] = {}
        filled = frozenset(cell for cell, literal in before.items() if literal == TRUE)
        found = pass_placements(shape, problem.target, filled)
        self.active: Literal = clauses.new() if shape.lines and not problem.all_used else TRUE
        if shape.lines:
            self._begin_with_nothing_above()
        if self.active == FALSE:
            return
        self._choose(found, shows)
        if any(placement.gap for placement in found):
            for cell, by in self.covering.items():
                bridging = [choice for choice in by if choice.placement.gap]
                if bridging:
                    self.bridging[cell] = bridging
        self.after = dict(before)
        self._fill_picture_rows()
        self._fill_clearing_rows()
        self._add_access()
        if shape.lines:
            self._add_levels()
        self._add_support()
        self._add_count()

    # -- what is there when it begins --------------------------------------------------

    def _begin_with_nothing_above(self) -> None:
        """Only over an empty base and nothing above can rows clear."""
        for cell, literal in self.before.items():
            if cell[1] >= self.shape.base:
                if literal == TRUE:
                    if self.active == TRUE:
                        self.clauses.contradict()
                    self.active = FALSE
                    break
                self.clauses.any_of((~self.active, ~literal))

    # -- what is dropped ---------------------------------------------------------------

    def _choose(self, found: list[PassPlacement], shows: dict[tuple[PieceType, int], int]) -> None:
        """Make a literal for each placement at each level."""
        new, covering = self.clauses.new, self.covering
        for placement in found:
            chosen = [AtLevel(placement, level, new()) for level in placement.levels]
            self.choices += chosen
            for cell in placement.cells:
                covering[cell] += chosen
            if not placement.matrix and self.active != TRUE:
                for _, _, literal in chosen:
                    self.clauses.implication(literal, self.active)
            if placement.shade:
                shown = shows[placement.placement.orientation.piece, placement.shade]
                for _, _, literal in chosen:
                    self.clauses.implication(literal, shown)

    def _fill_picture_rows(self) -> None:
        """A square is printed afterwards iff it was before or a piece covers it now."""
        for (x, v), by in self.covering.items():
            y = self.rows[v]
            if y >= 0:
                new = self.after[x, y] = self.clauses.new()
                old = self.before.get((x, y), FALSE)
                self.clauses.exactly_one([old, ~new], [p for _, _, p in by])

    def _fill_clearing_rows(self) -> None:
        """Cover each cell of a clearing row once."""
        for x in range(self.width):
            for r in range(self.shape.lines):
                by = self.covering.get((x, self.heights[~r]), [])
                self.clauses.exactly_one([~self.active], [p for _, _, p in by])

    # -- where a square can be printed -------------------------------------------------

    def _changed(self) -> list[tuple[Cell, Literal, Literal]]:
        """List the squares that the pass may print: before, and after it."""
        before = self.before
        return [
            (cell, before.get(cell, FALSE), new)
            for cell, new in self.after.items()
            if before.get(cell) != new
        ]

    def _add_access(self) -> None:
        """Print a square only where nothing lies above it yet."""
        columns: dict[int, list[tuple[int, Literal]]] = defaultdict(list)
        for (x, y), literal in self.before.items():
            columns[x].append((y, literal))
        for (x, y), old, new in self._changed():
            for above, literal in columns[x]:
                if above > y:
                    self.clauses.implies(new, old, ~literal)

    # -- when a piece can be dropped ---------------------------------------------------

    def _add_levels(self) -> None:
        """Let levels grow up each column, and complete each row once."""
        for k in range(1, self.shape.lines + 1):
            row = self.heights[~(k - 1)]
            completing = dict.fromkeys(self._covering_row(row, k))
            self.clauses.exactly_one([~self.active], list(completing))
            for x in range(self.width):
                self._add_column(x, k, completing if self.bridging else {})
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
            bridged = {one.gap for one, _, _ in self.bridging.get((x, v), ())}
            for gap in (0, *sorted(bridged)):
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
                for some in self.bridging.values()
                for placement, level, p in some
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
        ranks = [None if y >= 0 else ~y for y in self.rows]
        gone_by_level = [gone_at(ranks, level) for level in range(self.shape.lines + 1)]
        held: dict[tuple[Cell, int], Literal] = {}
        for placement, level, literal in self.choices:
            gone = gone_by_level[level]
            for _, v in placement.cells:
                gone &= ~(1 << v)
            holds = [~literal]
            for foot in placement.feet:
                holding = held.get((foot, gone))
                if holding is None:
                    holding = held[foot, gone] = self._held(foot, gone)
                if holding == TRUE:
                    break
                if holding != FALSE:
                    holds.append(holding)
            else:
                self.clauses.clause(holds)

    def _held(self, foot: Cell, gone: int) -> Literal:
        """Whether something lies under a foot once some rows, a bit set, have gone."""
        x, v = foot
        below = row_under(v, gone)
        if below >= 0:
            return self._there_early((x, below), self.rows[v])
        lowest = self.shape.lowest
        return TRUE if lowest == 0 else self.after.get((x, lowest - 1), FALSE)

    def _there_early(self, cell: Cell, foot: int) -> Literal:
        """Whether a square is there when a piece comes to stand on it.

        It is, unless what fills it comes only when the row of the foot has gone.
        """
        x, v = cell
        square = TRUE if self.rows[v] < 0 else self.after.get((x, self.rows[v]), FALSE)
        if foot >= 0 or square == FALSE:
            return square
        later = [p for one, _, p in self.bridging.get(cell, ()) if one.gap > ~foot]
        if not later:
            return square
        key = (x, v, ~foot)
        if key not in self._early:
            self._early[key] = early = self.clauses.new()
            if square != TRUE:
                self.clauses.implication(early, square)
            self.clauses.at_most_one([early, *later])
        return self._early[key]

    def _add_count(self) -> None:
        """State that cells come in fours."""
        variable, area = self.clauses.variable, self.width * self.shape.lines
        terms: list[Any] = []
        for _, old, new in self._changed():
            terms.append(variable(new))
            if old != FALSE:
                terms.append(-variable(old))
        if terms or self.active != TRUE:
            count = self.clauses.number((area + len(terms)) // 4 + 1)
            self.clauses.model.add(sum(terms) + area * variable(self.active) == 4 * count)
