"""The formula of a window: conditions that every game satisfies in some rows of its stack.

The conditions are 1 to 6 of ``docs/bounds.md``, for the ``m`` rows of the window that clear and for
*parts*. A part here is a piece's cells in the window and the cleared rows between them. Its feet
are the lowest cells of its columns, if all of them lie inside. Conditions 1, 2, 4 and 6 are
unchanged.

Times
    All cells of a part have the same time, 0 to ``2m``. A cell of the row of rank ``k`` has a time
    of ``2k + 2`` or more only if the time is ``2k + 3`` or more and the rows of rank ``k`` and
    ``k + 1`` clear together. Then no cell has a time of ``2k + 1`` or ``2k + 2``. The row of rank
    ``k`` has gone iff the time is ``2k + 2`` or more and, if both clear together, so has the other.
Completion (3)
    In the row of rank ``k`` exactly one part has a time of ``2k + 1`` or more. A part of time
    ``2k + 1`` covers that row. A part of that row with a time of ``2k + 3`` or more covers the row
    of rank ``k + 1``, too.
Support (5)
    Some foot of a part has support in the next row below that has not gone. The square there is
    covered by a piece that drops before the foot's row goes. The floor and the rows below the
    window support everything.

Each game whose stack contains the window gives a model: its pieces give the parts, and its ranks
and times count only the window's rows. Pieces separated only by clears outside then have equal
times, which every clause allows. If a piece rests on a square outside, its part has no feet. Or
all window rows below a foot have gone, and the rows below the window support it. So a formula
without a model excludes these stacks.

:mod:`tetrisprinter.game.replay` explains times and ranks. The formula shares no code with the
planners, on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from tetrisprinter.bounds.stacks import CLEARING, Part, TypeColors, WindowContents, list_parts
from tetrisprinter.game.pieces import Cell, Orientation, PieceType
from tetrisprinter.game.replay import order_drops
from tetrisprinter.sat.solve import Cnf, Literal, negate

ENCODING = 5
"""The version of all encodings, which each certificate names."""


class WindowFormula:
    """The formula of a window."""

    def __init__(self, contents: WindowContents, pulse: Callable[[], None] = lambda: None) -> None:
        self.target, self.rows, self.width = contents.target, contents.rows, contents.target.width
        self.lines = contents.lines
        self.cnf = Cnf(pulse)
        self.shows: dict[tuple[PieceType, int], int] = {}
        self.parts: list[tuple[Part, int]] = []
        self.covered: dict[Cell, Literal] = {}
        self.rank: dict[int, list[Literal]] = {}  # [v][k]: row v of the window has rank k
        self.times: dict[Cell, list[Literal]] = {}  # [cell][k]: the cell's time is above k
        self._at_once: list[Literal] = []  # [k]: the rows of rank k and k + 1 clear together
        self._gone: dict[tuple[Cell, int], Literal] = {}
        self._joined: dict[tuple[Cell, Cell], int] = {}
        self._supports: dict[tuple[int, int, int], Literal] = {}
        for piece in PieceType if contents.numbers else ():
            for number in contents.numbers:
                self.shows[piece, number] = self.cnf.add_variable()
            self.cnf.add_at_most_one([self.shows[piece, number] for number in contents.numbers])
        self._cover_cells(list_parts(contents))
        self.cnf.add_at_most(contents.spare, [v for v in self.covered.values() if v is not True])
        if self.lines:
            self._rank_rows()
            for cell in self.covered:
                last = 2 * self.lines - (self.rows[cell[1]] == CLEARING)
                self._add_times(cell, last, not contents.below)
            self._join_cells()
            for part, literal in self.parts:
                self._restrict_time(part, literal)
            for v in self.rank:
                self._add_completion_clauses(v)
            self._add_order_clauses()
        self._require_support()

    # -- colours, cover ----------------------------------------------------------------

    def _cover_cells(self, parts: Iterable[Part]) -> None:
        """Add the parts; cover each required cell once and every other cell at most once."""
        self.parts = [(part, self.cnf.add_variable()) for part in parts]
        covering: dict[Cell, list[int]] = defaultdict(list)
        shades = self.target.shades or ()
        for part, literal in self.parts:
            for cell in part.cells:
                covering[cell].append(literal)
            if self.shows:
                staying = ((x, self.rows[v]) for x, v in part.cells if self.rows[v] != CLEARING)
                shade = next((shades[y][x] for x, y in staying), 0)
                if shade:
                    self.cnf.add_clause(-literal, self.shows[part.orientation.piece, shade])
        for v, y in enumerate(self.rows):
            for x in range(self.width):
                pieces = covering.get((x, v), [])
                if y == CLEARING or (x, y) in self.target.required:
                    is_covered: Literal = True
                elif pieces:
                    is_covered = self.cnf.add_variable()
                else:
                    continue
                self.covered[x, v] = is_covered
                self.cnf.add_exactly_one(
                    pieces if is_covered is True else [negate(is_covered), *pieces]
                )
            if y != CLEARING and all((x, v) in self.covered for x in range(self.width)):
                self.cnf.add_clause(*(negate(self.covered[x, v]) for x in range(self.width)))

    # -- times -------------------------------------------------------------------------

    def _get_later_literal(self, cell: Cell, time: int) -> Literal:
        """Return the literal "the piece that covers the cell drops at this time or later"."""
        if time <= 0:
            return True
        times = self.times[cell]
        return times[time - 1] if time <= len(times) else False

    def _get_cleared_literal(self, cell: Cell, k: int) -> Literal:
        """Return the literal "the row of this rank has cleared when the piece at the cell drops".

        A piece that completes several rows at once drops before any of them goes.
        """
        later = self._get_later_literal(cell, 2 * k + 2)
        if self._at_once[k] is False or later is False:
            return later
        if (cell, k) not in self._gone:
            cleared = self._gone[cell, k] = self.cnf.add_variable()
            at_once, next_cleared = self._at_once[k], self._get_cleared_literal(cell, k + 1)
            self.cnf.add_clause(-cleared, later)
            self.cnf.add_clause(-cleared, negate(at_once), next_cleared)
            self.cnf.add_clause(cleared, negate(later), at_once)
            self.cnf.add_clause(cleared, negate(later), negate(next_cleared))
        return self._gone[cell, k]

    def _add_times(self, cell: Cell, max_time: int, below_ceiling: bool) -> None:
        """Add the variables of a cell's time, which is at most ``max_time``, and their clauses."""
        v = cell[1]
        self.times[cell] = [self.cnf.add_variable() for _ in range(max_time)]
        for earlier, later in pairwise(self.times[cell]):
            self.cnf.add_clause(earlier, negate(later))
        for k, rank in enumerate(self.rank.get(v, ())):
            # A cell has a later time than its row only if the next row clears together with the row
            late, later = (self._get_later_literal(cell, 2 * k + offset) for offset in (2, 3))
            self.cnf.add_clause(negate(rank), negate(late), later)
            self.cnf.add_clause(negate(rank), negate(later), self._at_once[k])
        if below_ceiling and v >= self.target.height:
            k = min(v - self.target.height, self.lines - 1)
            self.cnf.add_clause(negate(self.covered[cell]), self._get_cleared_literal(cell, k))
        for k in range(self.lines - 1):  # nothing drops between rows that clear together
            first, after_both = (self._get_later_literal(cell, 2 * k + offset) for offset in (1, 3))
            self.cnf.add_clause(negate(self._at_once[k]), negate(first), after_both)

    def _add_completion_clauses(self, v: int) -> None:
        """Require that exactly one piece of a row has a time at which the row is complete."""
        completing: list[Literal] = []  # for each column: whether its piece has such a time
        for x in range(self.width):
            literal = self.cnf.add_variable()
            completing.append(literal)
            for k, rank in enumerate(self.rank[v]):
                time = self._get_later_literal((x, v), 2 * k + 1)
                self.cnf.add_clause(negate(rank), negate(time), literal)
                self.cnf.add_clause(negate(rank), time, -literal)
        self.cnf.add_clause(*completing)
        begins = list(completing[:1])  # for each column: whether such a piece begins there
        for x, (before, literal) in enumerate(pairwise(completing)):
            join = self._joined.get(((x, v), (x + 1, v)), False)
            self.cnf.add_clause(negate(before), negate(literal), join)
            begin = self.cnf.add_variable()
            self.cnf.add_clause(negate(literal), before, begin)
            begins.append(begin)
        self.cnf.add_at_most_one(begins)

    def _join_cells(self) -> None:
        """Give all cells of a piece the same time."""
        by_pair: dict[tuple[Cell, Cell], list[int]] = defaultdict(list)
        for part, literal in self.parts:
            for cell, next_cell in _iterate_joints(part.cells):
                by_pair[cell, next_cell].append(literal)
        for pair, literals in by_pair.items():
            joined = self.cnf.add_variable()
            self._joined[pair] = joined
            for literal in literals:
                self.cnf.add_clause(-literal, joined)
            self.cnf.add_clause(-joined, *literals)
            for time in range(1, 2 * self.lines + 1):
                first, second = (self._get_later_literal(cell, time) for cell in pair)
                self.cnf.add_clause(-joined, negate(first), second)
                self.cnf.add_clause(-joined, first, negate(second))

    def _add_order_clauses(self) -> None:
        """Require that lower cells of a column drop first, or after the upper row has gone."""
        for x in range(self.width):
            for upper in range(len(self.rows)):
                if (x, upper) not in self.covered:
                    continue
                for lower in range(upper - 1, -1, -1):
                    if (x, lower) not in self.covered:
                        continue
                    self._order_pair((x, lower), (x, upper))
                    stay = CLEARING not in (self.rows[upper], self.rows[lower])
                    if stay and self.covered[x, lower] is True:
                        break  # the clauses of that cell order the cells below it

    def _order_pair(self, lower: Cell, upper: Cell) -> None:
        """Require that the lower cell drops no later, or that the upper row has gone by then."""
        uncovered = negate(self.covered[lower])
        if self.rows[upper[1]] != CLEARING:
            exceptions = uncovered, negate(self.covered[upper])
            for time in range(1, 2 * self.lines + 1):
                ordered = (
                    negate(self._get_later_literal(lower, time)),
                    self._get_later_literal(upper, time),
                )
                self.cnf.add_clause(*exceptions, *ordered)
        for k, rank in enumerate(self.rank.get(upper[1], ())):
            gone = self._get_cleared_literal(lower, k)
            for time in range(1, 2 * self.lines):
                ordered = (
                    negate(self._get_later_literal(lower, time)),
                    self._get_later_literal(upper, time),
                )
                self.cnf.add_clause(negate(rank), uncovered, gone, *ordered)

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

    def _restrict_time(self, part: Part, literal: int) -> None:
        """Require that rows between a part's cells have cleared, and odd times complete rows."""
        cell = part.cells[0]
        clearing = sorted({v for _, v in part.cells if self.rows[v] == CLEARING})
        for v in part.rows_between:
            for k, rank in enumerate(self.rank[v]):
                self.cnf.add_clause(-literal, negate(rank), self._get_cleared_literal(cell, k))
        for k in range(self.lines):
            self.cnf.add_clause(
                -literal,
                negate(self._get_later_literal(cell, 2 * k + 1)),
                self._get_later_literal(cell, 2 * k + 2),
                *(self.rank[v][k] for v in clearing),
            )
            if k + 1 < self.lines:
                for v in clearing:
                    others = (self.rank[u][k + 1] for u in clearing if u != v)
                    self.cnf.add_clause(
                        -literal,
                        negate(self.rank[v][k]),
                        negate(self._get_later_literal(cell, 2 * k + 3)),
                        *others,
                    )

    # -- support -----------------------------------------------------------------------

    def _require_support(self) -> None:
        """Require that every piece is supported in some column."""
        for part, literal in self.parts:
            if part.feet is not None:
                supports = [self._get_support_literal(x, v, v - 1) for x, v in part.feet]
                self.cnf.add_clause(-literal, *supports)

    def _get_support_literal(self, x: int, foot: int, v: int) -> Literal:
        """Return the literal "row ``v``, or a row below it, supports the foot in a row above".

        All rows between the foot and its support have gone when the piece of the foot drops.
        """
        clears = v >= 0 and self.rows[v] == CLEARING
        if v < 0 or (not clears and (x, v) not in self.covered):
            return v < 0
        key = (x, foot, v)
        if key not in self._supports:
            supports = self._supports[key] = self.cnf.add_variable()
            lower_supports = clears and self._get_support_literal(x, foot, v - 1)
            ranks = self.rank.get(foot, ())
            self.cnf.add_clause(-supports, self.covered[x, v])
            for k, foot_rank in enumerate(ranks):  # the support drops before the foot's row goes
                self.cnf.add_clause(
                    -supports,
                    clears,
                    negate(foot_rank),
                    negate(self._get_cleared_literal((x, v), k)),
                )
            for j, rank in enumerate(self.rank.get(v, ())):
                gone = self._get_cleared_literal((x, foot), j)
                self.cnf.add_clause(-supports, negate(rank), negate(gone), lower_supports)
                for k, foot_rank in enumerate(ranks):
                    drops_before = negate(self._get_cleared_literal((x, v), k))
                    self.cnf.add_clause(
                        -supports, negate(rank), gone, negate(foot_rank), drops_before
                    )
        return self._supports[key]

    # -- models ------------------------------------------------------------------------

    def read_game(self, model: Sequence[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the game of a model of a complete stack: pieces and their columns, in drop order.

        Pieces drop in the order of their times; of pieces with equal times, lower ones drop first.
        """
        true = {literal for literal in model if literal > 0}
        used = [part for part, literal in self.parts if literal in true]
        times = [sum(one in true for one in self.times.get(part.cells[0], ())) for part in used]
        order = order_drops([part.cells for part in used], times)
        return tuple((used[number].orientation, used[number].x) for number in order)

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


def _iterate_joints(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield pairs of cells of a part, within a row or in two rows, that together connect it."""
    rows: dict[int, list[int]] = defaultdict(list)
    for x, v in sorted(cells):
        rows[v].append(x)
    row_numbers = sorted(rows)
    for v in row_numbers:
        for x in rows[v][1:]:
            yield (x - 1, v), (x, v)
    for low, high in pairwise(row_numbers):
        x = next(x for x in rows[low] if x in rows[high])
        yield (x, low), (x, high)
