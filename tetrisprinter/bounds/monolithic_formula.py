"""The monolithic encoding: one formula for all stacks with a given number of cleared rows.

Each row of the stack either clears or is a row of the picture, and the solver decides which. Times
are relative: the formula says which rows have gone when a piece drops, which ones it completes, and
which of two rows clears first. It does not order rows that are further apart than its *reach*, so
the formula stays small. ``docs/bounds.md`` proves the conditions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Final

from tetrisprinter.bounds.cnf import Cnf, Literal, negate
from tetrisprinter.bounds.master_problem import BoundQuestion, make_exclusion_clause
from tetrisprinter.bounds.stacks import Nogood
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.printing.target import Target

_CLAUSES: Final = 2_000_000
"""The reach is the greatest for which a formula has about this number of clauses or fewer."""

_LEAST_REACH: Final = 4
"""The least reach: a piece has up to four rows."""

Slice = tuple[Orientation, int, int, int]
"""One row of a piece: its orientation, the number of the row from below, the left column of the
piece, and the row of the stack."""


def estimate_clauses(target: Target, lines: int, reach: int) -> int:
    """Estimate the number of clauses of a formula, erring on the high side."""
    cells = target.width * (target.rows + lines)
    return cells * (150 * reach + 17 * reach**2)


def choose_reach(target: Target, lines: int) -> int:
    """Return the greatest distance at which a formula encodes the order of two rows."""
    most = max(1, target.rows + lines - 1)
    reach = min(_LEAST_REACH, most)
    while reach < most and estimate_clauses(target, lines, reach + 1) <= _CLAUSES:
        reach += 1
    return reach


@cache
def _list_columns(orientation: Orientation, dy: int) -> tuple[int, ...]:
    """List the columns of a piece's cells in one of its rows, from the left of the piece."""
    return tuple(sorted(x for x, y in orientation.cells if y == dy))


@cache
def _list_common_columns(orientation: Orientation, dy: int) -> tuple[int, ...]:
    """List the columns in which a piece has cells in a row and in the next one."""
    above = _list_columns(orientation, dy + 1)
    return tuple(x for x in _list_columns(orientation, dy) if x in above)


class MonolithicFormula:
    """The formula of all stacks of a question.

    A cell ``(x, v)`` is column ``x`` of row ``v`` of the stack; row ``w`` is within reach of it.
    ``_gone[x, v, w]`` says that row ``w`` clears before the piece at the cell drops.
    ``_completes[x, v, w]`` says that row ``w`` clears when this piece drops.
    """

    def __init__(
        self,
        question: BoundQuestion,
        pulse: Callable[[], None] = lambda: None,
        reach: int | None = None,
    ) -> None:
        target = question.target
        self.target, self.width, self.lines = target, target.width, question.lines
        self.height = target.rows + question.lines
        self.reach = reach or choose_reach(target, question.lines)
        self.cnf = Cnf(pulse)
        self.shows: dict[tuple[PieceType, int], int] = {}
        for piece in PieceType if target.list_shades() else ():
            for number in target.list_shades():
                self.shows[piece, number] = self.cnf.add_variable()
            self.cnf.add_at_most_one([self.shows[piece, number] for number in target.list_shades()])
        self._clears = [self.cnf.add_variable() for _ in range(self.height)]
        self._is_picture_row: dict[tuple[int, int], Literal] = {}
        self._place_rows()
        self.more_than: list[list[int]] = []
        self._count_slots()
        self._slices: dict[Slice, int] = {}
        self._slices_at: dict[Cell, list[tuple[Slice, int]]] = defaultdict(list)
        self._covered: dict[Cell, int] = {}
        self._cover_cells()
        self._gone: dict[tuple[int, int, int], int] = {}
        self._completes: dict[tuple[int, int, int], int] = {}
        self._add_clear_variables()
        self._beside: dict[Cell, int] = {}
        self._join_sideways()
        self._links: dict[tuple[int, int, int], int] = {}
        self._up: dict[Cell, list[int]] = {}
        self._down: dict[Cell, list[int]] = {}
        self._make_links()
        self._link_slices()
        self._join_links()
        self._no_later: dict[tuple[int, int], int] = {}
        self._order_rows()
        self._order_cells()
        for v in range(self.height):
            self._add_completion_clauses(v)
        self._add_order_clauses()
        self._supports: dict[tuple[int, int, int], int] = {}
        self._require_support()
        self._keep_below_ceiling()

    def make_exclusion_clause(self, refuted: Nogood) -> list[Literal]:
        """Return the clause of a nogood."""
        return make_exclusion_clause(refuted, self.more_than, self.shows)

    def _list_near(self, *rows: int) -> range:
        """Return the rows of the stack within reach of all given rows, including those rows."""
        lowest, highest = max(rows) - self.reach, min(rows) + self.reach
        return range(max(0, lowest), min(self.height, highest + 1))

    # -- rows --------------------------------------------------------------------------

    def _place_rows(self) -> None:
        """Require that each row of the stack either clears or is the next row of the picture."""
        # below[n]: at least n of the rows below clear
        below: list[Literal] = [True, *([False] * (self.lines + 1))]
        for v, clears in enumerate(self._clears):
            for few in range(self.lines + 1):
                y = v - few
                if 0 <= y < self.target.rows:
                    row = self._is_picture_row[v, y] = self.cnf.add_variable()
                    count_is_few = below[few], negate(below[few + 1])
                    for literal in (negate(clears), *count_is_few):
                        self.cnf.add_clause(-row, literal)
                    self.cnf.add_clause(row, clears, *map(negate, count_is_few))
            above: list[Literal] = [True]
            for many in range(1, self.lines + 1):
                here = self.cnf.add_variable()
                self.cnf.add_clause(negate(below[many]), here)
                self.cnf.add_clause(negate(clears), negate(below[many - 1]), here)
                self.cnf.add_clause(-here, below[many], clears)
                self.cnf.add_clause(-here, below[many], below[many - 1])
                above.append(here)
            self.cnf.add_clause(negate(clears), negate(below[self.lines]))
            below = [*above, False]
        self.cnf.add_clause(below[self.lines])

    def _count_slots(self) -> None:
        """Count the rows that clear in each slot, with the variables of the master problem."""
        last = self.target.rows - 1
        self.more_than = [
            [self.cnf.add_variable() for _ in range(self.lines)] for _ in range(last + 2)
        ]
        for counts in self.more_than:
            for few, many in pairwise(counts):
                self.cnf.add_clause(few, -many)
        for (v, y), row in self._is_picture_row.items():
            if y == 0:
                self._set_slot_count(0, v, row)
            if y == last:
                self._set_slot_count(y + 1, self.height - 1 - v, row)
            for many in range(self.lines + 1):
                if (v + 1 + many, y + 1) in self._is_picture_row:
                    self._set_slot_count(
                        y + 1, many, row, self._is_picture_row[v + 1 + many, y + 1]
                    )

    def _set_slot_count(self, slot: int, many: int, *rows: int) -> None:
        """Require that ``many`` rows clear in a slot if the literals of its border rows hold."""
        at_least = [True, *self.more_than[slot], False]
        missing = [-row for row in rows]
        self.cnf.add_clause(*missing, at_least[many])
        self.cnf.add_clause(*missing, negate(at_least[many + 1]))

    # -- cells -------------------------------------------------------------------------

    def _cover_cells(self) -> None:
        """Cover each cell by at most one row of a piece, required or clearing ones by exactly one.

        In rows of the picture, a type covers only squares that it may show.
        """
        by_type: dict[tuple[PieceType, Cell], list[int]] = defaultdict(list)
        for o in ORIENTATIONS:
            for dy in range(o.height):
                for x in range(self.width - o.width + 1):
                    for v in range(dy, self.height - (o.height - 1 - dy)):
                        one = self._slices[o, dy, x, v] = self.cnf.add_variable()
                        for dx in _list_columns(o, dy):
                            self._slices_at[x + dx, v].append(((o, dy, x, v), one))
                            by_type[o.piece, (x + dx, v)].append(one)
        for (piece, cell), literals in by_type.items():
            there = self.cnf.add_variable()
            for literal in literals:
                self.cnf.add_clause(-literal, there)
            self._color(piece, cell, there)
        for v, clears in enumerate(self._clears):
            for x in range(self.width):
                covered = self._covered[x, v] = self.cnf.add_variable()
                self.cnf.add_clause(-clears, covered)
                for y, row in self._list_possible_rows(v):
                    due = (x, y) in self.target.required
                    self.cnf.add_clause(negate(row), covered if due else -covered)
                self.cnf.add_exactly_one([-covered, *(one for _, one in self._slices_at[x, v])])

    def _list_possible_rows(self, v: int) -> list[tuple[int, Literal]]:
        """List the rows of the picture that a row of the stack may be, with their literals."""
        ys = range(max(0, v - self.lines), min(v + 1, self.target.rows))
        return [(y, self._is_picture_row[v, y]) for y in ys]

    def _color(self, piece: PieceType, cell: Cell, there: int) -> None:
        """Require that a type covers only squares of the picture whose colour it may show."""
        x, v = cell
        shades = self.target.shades
        for y, row in self._list_possible_rows(v):
            if not self.target.may_hold(x, y, piece):
                self.cnf.add_clause(-there, negate(row))
            elif shades is not None:
                self.cnf.add_clause(-there, negate(row), self.shows[piece, shades[y][x]])

    def _add_clear_variables(self) -> None:
        """Add variables: the rows cleared before a cell's piece drops, and those it completes."""
        for (x, v), covered in self._covered.items():
            for w in self._list_near(v):
                for table in (self._gone, self._completes) if w != v else (self._completes,):
                    one = table[x, v, w] = self.cnf.add_variable()
                    self.cnf.add_clause(-one, self._clears[w])
                    self.cnf.add_clause(-one, covered)

    def _require_same_clears(self, join: int, one: Cell, other: Cell) -> None:
        """Require, if ``join``, that the same rows clear before, and at, the drops of two cells."""
        for w in self._list_near(one[1], other[1]):
            for table in (self._gone, self._completes):
                first, second = table.get((*one, w)), table.get((*other, w))
                if first and second:
                    self.cnf.add_clause(-join, -first, second)
                    self.cnf.add_clause(-join, first, -second)

    def _join_sideways(self) -> None:
        """Add a literal for each two neighbouring cells of a row: one piece covers both."""
        for v in range(self.height):
            for x in range(self.width - 1):
                right = {one for _, one in self._slices_at[x + 1, v]}
                both = [one for _, one in self._slices_at[x, v] if one in right]
                join = self._beside[x, v] = self.cnf.add_variable()
                for one in both:
                    self.cnf.add_clause(-one, join)
                self.cnf.add_clause(-join, *both)
                self._require_same_clears(join, (x, v), (x + 1, v))

    # -- from row to row of a piece ----------------------------------------------------

    def _make_links(self) -> None:
        """Add a literal for each two rows of a column: a piece has cells in both and none between.

        A piece may also continue out of reach, if all rows within reach on that side have gone.
        """
        for x in range(self.width):
            for low in range(self.height):
                for high in self._list_near(low)[self._list_near(low).index(low) + 1 :]:
                    self._links[x, low, high] = self.cnf.add_variable()
        for x, v in self._covered:
            above, below = (
                range(v + 1, self._list_near(v).stop),
                range(self._list_near(v).start, v),
            )
            self._up[x, v] = [self._links[x, v, w] for w in above]
            self._down[x, v] = [self._links[x, w, v] for w in below]
            for rows, links, is_end in (
                (above, self._up[x, v], above.stop == self.height),
                (below, self._down[x, v], below.start == 0),
            ):
                if not is_end:
                    far = self.cnf.add_variable()
                    links.append(far)
                    for w in rows:
                        self.cnf.add_clause(-far, self._gone[x, v, w])
                self.cnf.add_at_most_one(links)

    def _link_slices(self) -> None:
        """Require that each row of a piece is linked to its next row and to the one before."""
        continuing: dict[Cell, list[int]] = defaultdict(list)
        continued: dict[Cell, list[int]] = defaultdict(list)
        for (o, dy, x, v), one in self._slices.items():
            for dx in _list_common_columns(o, dy) if dy + 1 < o.height else ():
                continuing[x + dx, v].append(one)
                self.cnf.add_clause(-one, *self._up[x + dx, v])
                for w in range(v + 1, self._list_near(v).stop):
                    other = self._slices.get((o, dy + 1, x, w), False)
                    self.cnf.add_clause(-self._links[x + dx, v, w], -one, other)
            for dx in _list_common_columns(o, dy - 1) if dy else ():
                continued[x + dx, v].append(one)
                self.cnf.add_clause(-one, *self._down[x + dx, v])
                for w in range(self._list_near(v).start, v):
                    other = self._slices.get((o, dy - 1, x, w), False)
                    self.cnf.add_clause(-self._links[x + dx, w, v], -one, other)
            cell = x + _list_columns(o, dy)[0], v
            for w in self._list_near(v):  # a piece completes no row beyond its own
                if (w > v and dy == o.height - 1) or (w < v and dy == 0):
                    self.cnf.add_clause(-one, -self._completes[(*cell, w)])
        for cell in self._covered:
            for links, slices in ((self._up, continuing), (self._down, continued)):
                for link in links[cell]:
                    self.cnf.add_clause(-link, *slices[cell])

    def _join_links(self) -> None:
        """Require that the rows between linked cells have cleared and that both drop together."""
        for x in range(self.width):
            for low in range(self.height):
                between: int | None = None  # all rows between have gone
                for high in range(low + 1, self._list_near(low).stop):
                    link = self._links[x, low, high]
                    if high > low + 1:
                        further = self.cnf.add_variable()
                        self.cnf.add_clause(-further, self._gone[x, low, high - 1])
                        if between is not None:
                            self.cnf.add_clause(-further, between)
                        self.cnf.add_clause(-link, further)
                        between = further
                    self.cnf.add_clause(-link, -self._gone[x, low, high])
                    self.cnf.add_clause(-link, -self._gone[x, high, low])
                    self._require_same_clears(link, (x, low), (x, high))

    # -- order -------------------------------------------------------------------------

    def _order_rows(self) -> None:
        """Order the rows that clear; rows may clear together.

        ``_no_later[u, w]`` says that row ``u`` clears no later than row ``w``.
        """
        clears, order = self._clears, self._no_later
        for u in range(self.height):
            for w in self._list_near(u):
                if u != w:
                    order[u, w] = self.cnf.add_variable()
                    self.cnf.add_clause(-order[u, w], clears[u])
                    self.cnf.add_clause(-order[u, w], clears[w])
        for u, w in order:
            if u < w:
                self.cnf.add_clause(-clears[u], -clears[w], order[u, w], order[w, u])
            for z in self._list_near(u, w):
                if z not in (u, w):
                    self.cnf.add_clause(-order[u, w], -order[w, z], order[u, z])

    def _order_cells(self) -> None:
        """Require that the rows cleared before and at a piece's drop agree with ``_no_later``."""
        gone, completes, order = self._gone, self._completes, self._no_later
        for x, v in self._covered:
            own = completes[x, v, v]
            for w in self._list_near(v):
                if w == v:
                    continue
                before, at = gone[x, v, w], completes[x, v, w]
                self.cnf.add_clause(-before, -at)
                # A piece drops no later than its row clears
                self.cnf.add_clause(-before, -self._clears[v], order[w, v])
                self.cnf.add_clause(-before, -order[v, w])
                self.cnf.add_clause(-at, -self._clears[v], order[w, v])
                # The piece that completes a row completes all that clear with it
                self.cnf.add_clause(-own, -order[w, v], order[v, w], before)
                self.cnf.add_clause(-own, -order[w, v], -order[v, w], at)
                self.cnf.add_clause(-own, -at, order[w, v])
                self.cnf.add_clause(-own, -at, order[v, w])
                for u in self._list_near(v, w):
                    if u not in (v, w):
                        self.cnf.add_clause(-before, -order[u, w], gone[x, v, u])
                        self.cnf.add_clause(-at, -order[u, w], gone[x, v, u], completes[x, v, u])

    def _add_completion_clauses(self, v: int) -> None:
        """Require that exactly one piece completes a row that clears."""
        last = [self._completes[x, v, v] for x in range(self.width)]
        self.cnf.add_clause(-self._clears[v], *last)
        first = [last[0]]  # for each column: whether such a piece begins there
        for x, (before, one) in enumerate(pairwise(last)):
            self.cnf.add_clause(-before, -one, self._beside[x, v])
            begin = self.cnf.add_variable()
            self.cnf.add_clause(-one, before, begin)
            first.append(begin)
        self.cnf.add_at_most_one(first)

    def _add_order_clauses(self) -> None:
        """Require that lower cells of a column drop first, or after the upper row has gone."""
        for x in range(self.width):
            for upper in range(self.height):
                for lower in range(self._list_near(upper).start, upper):
                    self._order_pair((x, lower), (x, upper))

    def _order_pair(self, lower: Cell, upper: Cell) -> None:
        """Require that the lower cell drops no later, or that the upper row has cleared by then."""
        gone, completes = self._gone, self._completes
        free = -self._covered[lower], -self._covered[upper], gone[(*lower, upper[1])]
        for w in self._list_near(lower[1], upper[1]):
            at = completes[(*lower, w)]
            then = [completes[(*upper, w)]]
            if w != upper[1]:
                then.append(gone[(*upper, w)])
            self.cnf.add_clause(*free, -at, *then)
            if w not in (lower[1], upper[1]):
                self.cnf.add_clause(*free, -gone[(*lower, w)], gone[(*upper, w)])

    # -- support, ceiling --------------------------------------------------------------

    def _get_support_literal(self, x: int, foot: int, v: int) -> Literal:
        """Return the literal "row ``v``, or one below it, supports a foot in a row above".

        All rows between the two have cleared. A row out of reach counts as a support.
        """
        if v not in self._list_near(foot):
            return True
        key = (x, foot, v)
        if key not in self._supports:
            held = self._supports[key] = self.cnf.add_variable()
            further = self._get_support_literal(x, foot, v - 1)
            gone = self._gone[x, foot, v]
            self.cnf.add_clause(-held, gone, self._covered[x, v])
            self.cnf.add_clause(-held, gone, -self._gone[x, v, foot])
            self.cnf.add_clause(-held, -gone, further)
        return self._supports[key]

    def _require_support(self) -> None:
        """Require that every piece is supported in some column.

        If no foot in the lower rows is supported, ``waiting`` requires one in the rows above.
        """
        waiting = {cell: self.cnf.add_variable() for cell in self._covered}
        for (o, dy, x, v), one in self._slices.items():
            feet = (dx for dx, low in enumerate(o.bottom) if low == dy)
            held = [self._get_support_literal(x + dx, v, v - 1) for dx in feet]
            rest: list[int] = []
            if any(low > dy for low in o.bottom):
                rest = [self.cnf.add_variable()]
                column = x + _list_common_columns(o, dy)[0]
                for w in range(v + 1, self._list_near(v).stop):
                    link = self._links[column, v, w]
                    self.cnf.add_clause(-one, -rest[0], -link, waiting[column, w])
            if dy == 0:
                self.cnf.add_clause(-one, *held, *rest)
            else:
                column = x + _list_common_columns(o, dy - 1)[0]
                self.cnf.add_clause(-one, -waiting[column, v], *held, *rest)

    def _keep_below_ceiling(self) -> None:
        """Require that enough rows below a cell have cleared for its piece to lie on the board.

        Rows out of reach count as gone.
        """
        for (x, v), covered in self._covered.items():
            below = range(self._list_near(v).start, v)
            least = v + 1 - self.target.height - below.start
            if least <= 0:
                continue
            counted: list[Literal] = [True, *([False] * least)]  # [n]: at least n have gone
            for w in below:
                before, counted = counted, [True]
                for few, many in pairwise(before):
                    here = self.cnf.add_variable()
                    self.cnf.add_clause(-here, many, self._gone[x, v, w])
                    self.cnf.add_clause(-here, many, few)
                    counted.append(here)
            self.cnf.add_clause(-covered, counted[least])

    # -- models ------------------------------------------------------------------------

    def read_game(self, true: Collection[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the game of a model, given its literals: pieces and their columns, in order.

        It is empty if pieces continue out of reach, or wait for each other in a circle.
        """
        pieces = list(self._list_pieces(true))
        owner = {cell: number for number, (_, _, its) in enumerate(pieces) for cell in its}
        if len(owner) != sum(one in true for one in self._covered.values()):
            return ()
        first = self._list_earlier(owner, true)
        try:
            order = list(TopologicalSorter(first).static_order())
        except CycleError:
            return ()
        return tuple(pieces[number][:2] for number in order)

    def _list_pieces(self, true: Collection[int]) -> Iterator[tuple[Orientation, int, list[Cell]]]:
        """Yield the pieces of a model: orientation, column and cells."""
        next_row = {(x, low): high for (x, low, high), one in self._links.items() if one in true}
        for (o, dy, x, v), one in self._slices.items():
            if dy or one not in true:
                continue
            rows = [v]
            for row in range(o.height - 1):
                above = next_row.get((x + _list_common_columns(o, row)[0], rows[-1]))
                if above is None:
                    return
                rows.append(above)
            yield o, x, [(x + dx, rows[y]) for dx, y in o.cells]

    def _list_earlier(self, owner: dict[Cell, int], true: Collection[int]) -> dict[int, set[int]]:
        """Return for each piece of a model the pieces that drop before it."""
        earlier: dict[int, set[int]] = {number: set() for number in owner.values()}
        last = {v: owner[x, v] for x, v in owner if self._completes[x, v, v] in true}
        for (x, v), number in owner.items():
            if v in last:
                earlier[last[v]].add(number)
            for w in self._list_near(v):
                if w != v and w in last:
                    pair = (number, last[w])
                    one, other = pair if self._gone[x, v, w] in true else pair[::-1]
                    earlier[one].add(other)
            for low in range(self._list_near(v).start, v):
                if (x, low) in owner:
                    pair = (number, owner[x, low])
                    one, other = pair[::-1] if self._gone[x, low, v] in true else pair
                    earlier[one].add(other)
        return {number: its - {number} for number, its in earlier.items()}
