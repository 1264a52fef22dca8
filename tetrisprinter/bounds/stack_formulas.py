"""Two formulas about whole stacks: the master problem and the monolithic encoding.

The master problem is about all stacks that no nogood excludes. It has a variable for each slot (see
``stacks``) and number of rows that clear in it, and one for each type and colour if the types of
colours are open. If it has no model, no game clears the number of rows in question.

The monolithic encoding is one formula for all stacks with a given number of cleared rows. Each row
of the stack either clears or is a row of the picture, and the solver decides which. Times are
relative: the formula says which rows have gone when a piece drops, which rows it completes, and
which of two rows clears first. To stay small, the formula does not order rows that are further
apart than its *reach*. ``docs/bounds.md`` proves the conditions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Final

from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.stacks import Nogood, TypeColors
from tetrisprinter.errors import JobError
from tetrisprinter.game.field import can_leave
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.printing.task import Target
from tetrisprinter.sat.solve import Cnf, Literal, negate


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """Does a game clear this number of rows and leave at most this number of optional squares?"""

    target: Target  # what the game leaves, with every row that may then hold a square
    lines: int  # the number of rows that clear
    spare: int = 0  # the most optional squares that the game may leave


def list_questions(target: Target, drops: int) -> list[BoundQuestion]:
    """List the pairs of cleared rows and optional squares that a number of drops allows."""
    questions = []
    most_spare = target.count_spare()
    for lines in range(4 * drops // target.width + 1):
        spare = 4 * drops - len(target.required) - target.width * lines
        if 0 <= spare <= most_spare:
            questions.append(BoundQuestion(target, lines, spare))
    return questions


def find_next_drops(target: Target, drops: int) -> int:
    """Return the next number of drops that arithmetic allows."""
    if not can_leave(target.width, len(target.required), target.count_spare()):
        raise JobError(f"no game on {target.width} columns leaves {len(target.required)} squares")
    drops += 1
    while not list_questions(target, drops):
        drops += 1
    return drops


def iterate_questions_below(target: Target, bound: int) -> Iterator[BoundQuestion]:
    """Yield the questions that must be refuted for a bound to hold.

    Questions that the least number of parts already refutes are left out, and those that another
    question with as many cleared rows and more optional squares includes.
    """
    drops = find_drop_bound(target)
    largest: dict[int, BoundQuestion] = {}
    while drops < bound:
        for question in list_questions(target, drops):
            largest[question.lines] = question  # more drops leave more optional squares
        drops = find_next_drops(target, drops)
    if drops != bound:
        raise JobError(f"invalid bound {bound}: no game has that number of drops")
    yield from largest.values()


def make_exclusion_clause(
    formula: MasterProblem | MonolithicFormula, nogood: Nogood
) -> list[Literal]:
    """Return a nogood's clause: a slot has another count, or a type of ``without`` its colour."""
    clause: list[Literal] = []
    for slot, count in zip(nogood.window.slots, nogood.window.counts, strict=True):
        at_least = [True, *formula.more_than[slot], False]  # [n]: at least n rows clear in the slot
        clause += [negate(at_least[count]), at_least[count + 1]]
    clause += [formula.shows[key] for key in nogood.without]
    return [literal for literal in clause if literal is not False]


def _add_slot_counts(cnf: Cnf, slots: int, lines: int) -> list[list[int]]:
    """Add and return the variables ``[slot][n]``: whether more than n rows clear in the slot."""
    more_than = [[cnf.add_variable() for _ in range(lines)] for _ in range(slots)]
    for counts in more_than:
        for fewer, more in pairwise(counts):
            cnf.add_clause(fewer, -more)
    return more_than


class MasterProblem:
    """The formula whose models are the stacks that no known nogood excludes."""

    def __init__(
        self,
        question: BoundQuestion,
        nogoods: Iterable[Nogood] = (),
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        self.cnf = Cnf(pulse)
        self.more_than = _add_slot_counts(self.cnf, question.target.rows + 1, question.lines)
        self._require_sum(question.lines)
        self.shows: dict[tuple[PieceType, int], int] = {}
        if question.target.shades is not None:
            for piece in PieceType:
                pairs = [(piece, number) for number in question.target.list_shades()]
                self.shows.update((key, self.cnf.add_variable()) for key in pairs)
                self.cnf.add_exactly_one([self.shows[key] for key in pairs])
        for nogood in nogoods:
            self.cnf.add_clause(*make_exclusion_clause(self, nogood))

    def _require_sum(self, lines: int) -> None:
        """Require that the counts of all slots add up to a number."""
        below: list[Literal] = [True, *([False] * (lines + 1))]  # [n]: at least n in lower slots
        for counts in self.more_than:
            here: list[Literal] = [True, *counts, False]
            up_to: list[Literal] = [True, *(self.cnf.add_variable() for _ in range(lines)), False]
            for n in range(lines + 1):
                for m in range(lines + 1 - n):
                    self.cnf.add_clause(negate(below[n]), negate(here[m]), up_to[n + m])
                    self.cnf.add_clause(below[n + 1], here[m + 1], negate(up_to[n + m + 1]))
                self.cnf.add_clause(negate(below[n + 1]), negate(here[lines - n]))
            below = up_to
        self.cnf.add_clause(below[lines])

    def read_model(self, model: Sequence[int]) -> tuple[tuple[int, ...], TypeColors]:
        """Return a model's stack (the number of rows that clear in each slot) and type colours."""
        true = set(model)
        counts = tuple(sum(literal in true for literal in slot) for slot in self.more_than)
        return counts, tuple(key for key, literal in self.shows.items() if literal in true)


_CLAUSES: Final = 2_000_000
"""The reach is the greatest with which a formula has at most about this number of clauses."""

_LEAST_REACH: Final = 4
"""The least reach: a piece has up to four rows."""

Slice = tuple[Orientation, int, int, int]
"""One row of a piece: the piece's orientation, the number of the row in the piece from below, the
left column of the piece, and the row of the stack in which the row lies."""


def estimate_clauses(target: Target, lines: int, reach: int) -> int:
    """Estimate the number of clauses of a formula, erring on the high side."""
    cells = target.width * (target.rows + lines)
    return cells * (150 * reach + 17 * reach**2)


def choose_reach(target: Target, lines: int) -> int:
    """Return the greatest distance at which a formula encodes the order of two rows."""
    max_reach = max(1, target.rows + lines - 1)
    reach = min(_LEAST_REACH, max_reach)
    while reach < max_reach and estimate_clauses(target, lines, reach + 1) <= _CLAUSES:
        reach += 1
    return reach


@cache
def _list_columns(orientation: Orientation, dy: int) -> tuple[int, ...]:
    """List the columns of a piece's cells in one of its rows, from the left of the piece."""
    return tuple(sorted(x for x, y in orientation.cells if y == dy))


@cache
def _list_common_columns(orientation: Orientation, dy: int) -> tuple[int, ...]:
    """List the columns in which a piece has cells in a row and in the next row."""
    above = _list_columns(orientation, dy + 1)
    return tuple(x for x in _list_columns(orientation, dy) if x in above)


class MonolithicFormula:
    """The formula of all stacks of a question.

    A cell ``(x, v)`` is column ``x`` of row ``v`` of the stack; row ``w`` is within reach of row
    ``v``. A foot of a piece is the lowest cell of one of its columns.
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
        self.more_than = _add_slot_counts(self.cnf, target.rows + 1, self.lines)
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

    def _list_rows_near(self, *rows: int) -> range:
        """Return the rows of the stack within reach of all given rows, which are among them."""
        lowest, highest = max(rows) - self.reach, min(rows) + self.reach
        return range(max(0, lowest), min(self.height, highest + 1))

    # -- rows --------------------------------------------------------------------------

    def _place_rows(self) -> None:
        """Require that each row of the stack either clears or is the next row of the picture."""
        # below[n]: at least n of the rows below clear
        below: list[Literal] = [True, *([False] * (self.lines + 1))]
        for v, clears in enumerate(self._clears):
            for count in range(self.lines + 1):
                y = v - count
                if 0 <= y < self.target.rows:
                    is_row_y = self._is_picture_row[v, y] = self.cnf.add_variable()
                    count_is_exact = below[count], negate(below[count + 1])
                    for literal in (negate(clears), *count_is_exact):
                        self.cnf.add_clause(-is_row_y, literal)
                    self.cnf.add_clause(is_row_y, clears, *map(negate, count_is_exact))
            above: list[Literal] = [True]  # the same, for the rows up to row v
            for minimum in range(1, self.lines + 1):
                at_least = self.cnf.add_variable()
                self.cnf.add_clause(negate(below[minimum]), at_least)
                self.cnf.add_clause(negate(clears), negate(below[minimum - 1]), at_least)
                self.cnf.add_clause(-at_least, below[minimum], clears)
                self.cnf.add_clause(-at_least, below[minimum], below[minimum - 1])
                above.append(at_least)
            self.cnf.add_clause(negate(clears), negate(below[self.lines]))
            below = [*above, False]
        self.cnf.add_clause(below[self.lines])

    def _count_slots(self) -> None:
        """Count the rows that clear in each slot, with the variables of the master problem."""
        last_row = self.target.rows - 1
        for (v, y), row in self._is_picture_row.items():
            if y == 0:
                self._set_slot_count(0, v, row)
            if y == last_row:
                self._set_slot_count(y + 1, self.height - 1 - v, row)
            for count in range(self.lines + 1):
                if (v + 1 + count, y + 1) in self._is_picture_row:
                    self._set_slot_count(
                        y + 1, count, row, self._is_picture_row[v + 1 + count, y + 1]
                    )

    def _set_slot_count(self, slot: int, count: int, *rows: int) -> None:
        """Require that ``count`` rows clear in a slot if the literals of its border rows hold."""
        at_least = [True, *self.more_than[slot], False]
        missing = [-row for row in rows]
        self.cnf.add_clause(*missing, at_least[count])
        self.cnf.add_clause(*missing, negate(at_least[count + 1]))

    # -- cells -------------------------------------------------------------------------

    def _cover_cells(self) -> None:
        """Cover each cell by at most one slice; required cells and those in clearing rows by one.

        In rows of the picture, a type covers only squares that it may show.
        """
        by_type: dict[tuple[PieceType, Cell], list[int]] = defaultdict(list)
        for o in ORIENTATIONS:
            for dy in range(o.height):
                for x in range(self.width - o.width + 1):
                    for v in range(dy, self.height - (o.height - 1 - dy)):
                        literal = self._slices[o, dy, x, v] = self.cnf.add_variable()
                        for dx in _list_columns(o, dy):
                            self._slices_at[x + dx, v].append(((o, dy, x, v), literal))
                            by_type[o.piece, (x + dx, v)].append(literal)
        for (piece, cell), literals in by_type.items():
            covered_by_type = self.cnf.add_variable()
            for literal in literals:
                self.cnf.add_clause(-literal, covered_by_type)
            self._restrict_type(piece, cell, covered_by_type)
        for v, clears in enumerate(self._clears):
            for x in range(self.width):
                covered = self._covered[x, v] = self.cnf.add_variable()
                self.cnf.add_clause(-clears, covered)
                for y, row in self._list_possible_rows(v):
                    is_required = (x, y) in self.target.required
                    self.cnf.add_clause(negate(row), covered if is_required else -covered)
                self.cnf.add_exactly_one([-covered, *(one for _, one in self._slices_at[x, v])])

    def _list_possible_rows(self, v: int) -> list[tuple[int, Literal]]:
        """List the rows of the picture that a row of the stack may be, with their literals."""
        ys = range(max(0, v - self.lines), min(v + 1, self.target.rows))
        return [(y, self._is_picture_row[v, y]) for y in ys]

    def _restrict_type(self, piece: PieceType, cell: Cell, covered_by_type: int) -> None:
        """Require that a type covers cells of picture rows only where it may show their colour."""
        x, v = cell
        shades = self.target.shades
        for y, row in self._list_possible_rows(v):
            if not self.target.may_hold(x, y, piece):
                self.cnf.add_clause(-covered_by_type, negate(row))
            elif shades is not None:
                self.cnf.add_clause(-covered_by_type, negate(row), self.shows[piece, shades[y][x]])

    def _add_clear_variables(self) -> None:
        """Add the variables ``_gone`` and ``_completes``; both imply that the row clears."""
        for (x, v), covered in self._covered.items():
            for w in self._list_rows_near(v):
                for table in (self._gone, self._completes) if w != v else (self._completes,):
                    literal = table[x, v, w] = self.cnf.add_variable()
                    self.cnf.add_clause(-literal, self._clears[w])
                    self.cnf.add_clause(-literal, covered)

    def _require_same_clears(self, condition: int, first: Cell, second: Cell) -> None:
        """Require, if a condition holds, that two cells agree in ``_gone`` and ``_completes``."""
        for w in self._list_rows_near(first[1], second[1]):
            for table in (self._gone, self._completes):
                literal, other_literal = table.get((*first, w)), table.get((*second, w))
                if literal and other_literal:
                    self.cnf.add_clause(-condition, -literal, other_literal)
                    self.cnf.add_clause(-condition, literal, -other_literal)

    def _join_sideways(self) -> None:
        """Add a literal for any two neighbouring cells of a row: the same piece covers both."""
        for v in range(self.height):
            for x in range(self.width - 1):
                on_right = {literal for _, literal in self._slices_at[x + 1, v]}
                shared = [literal for _, literal in self._slices_at[x, v] if literal in on_right]
                joined = self._beside[x, v] = self.cnf.add_variable()
                for literal in shared:
                    self.cnf.add_clause(-literal, joined)
                self.cnf.add_clause(-joined, *shared)
                self._require_same_clears(joined, (x, v), (x + 1, v))

    # -- from row to row of a piece ----------------------------------------------------

    def _make_links(self) -> None:
        """Add a literal for two cells of a column: a piece covers both and none between them.

        A piece may also continue out of reach if all rows within reach on that side have gone.
        """
        for x in range(self.width):
            for low in range(self.height):
                for high in range(low + 1, self._list_rows_near(low).stop):
                    self._links[x, low, high] = self.cnf.add_variable()
        for x, v in self._covered:
            near = self._list_rows_near(v)
            above, below = range(v + 1, near.stop), range(near.start, v)
            self._up[x, v] = [self._links[x, v, w] for w in above]
            self._down[x, v] = [self._links[x, w, v] for w in below]
            for rows, links, is_end in (
                (above, self._up[x, v], above.stop == self.height),
                (below, self._down[x, v], below.start == 0),
            ):
                if not is_end:
                    out_of_reach = self.cnf.add_variable()
                    links.append(out_of_reach)
                    for w in rows:
                        self.cnf.add_clause(-out_of_reach, self._gone[x, v, w])
                self.cnf.add_at_most_one(links)

    def _link_slices(self) -> None:
        """Require that each row of a piece is linked to the rows of the piece next to it."""
        continuing: dict[Cell, list[int]] = defaultdict(list)
        continued: dict[Cell, list[int]] = defaultdict(list)
        for (o, dy, x, v), literal in self._slices.items():
            for dx in _list_common_columns(o, dy) if dy + 1 < o.height else ():
                continuing[x + dx, v].append(literal)
                self.cnf.add_clause(-literal, *self._up[x + dx, v])
                for w in range(v + 1, self._list_rows_near(v).stop):
                    next_literal = self._slices.get((o, dy + 1, x, w), False)
                    self.cnf.add_clause(-self._links[x + dx, v, w], -literal, next_literal)
            for dx in _list_common_columns(o, dy - 1) if dy else ():
                continued[x + dx, v].append(literal)
                self.cnf.add_clause(-literal, *self._down[x + dx, v])
                for w in range(self._list_rows_near(v).start, v):
                    next_literal = self._slices.get((o, dy - 1, x, w), False)
                    self.cnf.add_clause(-self._links[x + dx, w, v], -literal, next_literal)
            cell = x + _list_columns(o, dy)[0], v
            for w in self._list_rows_near(v):  # a piece completes only rows between its ends
                if (w > v and dy == o.height - 1) or (w < v and dy == 0):
                    self.cnf.add_clause(-literal, -self._completes[(*cell, w)])
        for cell in self._covered:
            for links, slices in ((self._up, continuing), (self._down, continued)):
                for link in links[cell]:
                    self.cnf.add_clause(-link, *slices[cell])

    def _join_links(self) -> None:
        """Require that the rows between linked cells have cleared and that both drop together."""
        for x in range(self.width):
            for low in range(self.height):
                between: int | None = None  # the literal "all rows between have gone"
                for high in range(low + 1, self._list_rows_near(low).stop):
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
            for w in self._list_rows_near(u):
                if u != w:
                    order[u, w] = self.cnf.add_variable()
                    self.cnf.add_clause(-order[u, w], clears[u])
                    self.cnf.add_clause(-order[u, w], clears[w])
        for u, w in order:
            if u < w:
                self.cnf.add_clause(-clears[u], -clears[w], order[u, w], order[w, u])
            for z in self._list_rows_near(u, w):
                if z not in (u, w):
                    self.cnf.add_clause(-order[u, w], -order[w, z], order[u, z])

    def _order_cells(self) -> None:
        """Require that ``_gone`` and ``_completes`` agree with ``_no_later``."""
        gone, completes, order = self._gone, self._completes, self._no_later
        for x, v in self._covered:
            completes_own = completes[x, v, v]
            for w in self._list_rows_near(v):
                if w == v:
                    continue
                gone_before, during = gone[x, v, w], completes[x, v, w]
                self.cnf.add_clause(-gone_before, -during)
                # A piece drops no later than its row clears
                self.cnf.add_clause(-gone_before, -self._clears[v], order[w, v])
                self.cnf.add_clause(-gone_before, -order[v, w])
                self.cnf.add_clause(-during, -self._clears[v], order[w, v])
                # The piece that completes a row completes all rows that clear together with it
                self.cnf.add_clause(-completes_own, -order[w, v], order[v, w], gone_before)
                self.cnf.add_clause(-completes_own, -order[w, v], -order[v, w], during)
                self.cnf.add_clause(-completes_own, -during, order[w, v])
                self.cnf.add_clause(-completes_own, -during, order[v, w])
                for u in self._list_rows_near(v, w):
                    if u not in (v, w):
                        self.cnf.add_clause(-gone_before, -order[u, w], gone[x, v, u])
                        self.cnf.add_clause(
                            -during, -order[u, w], gone[x, v, u], completes[x, v, u]
                        )

    def _add_completion_clauses(self, v: int) -> None:
        """Require that exactly one piece completes a row that clears."""
        completing = [self._completes[x, v, v] for x in range(self.width)]
        self.cnf.add_clause(-self._clears[v], *completing)
        begins = [completing[0]]  # for each column: whether the completing piece begins there
        for x, (before, here) in enumerate(pairwise(completing)):
            self.cnf.add_clause(-before, -here, self._beside[x, v])
            begin = self.cnf.add_variable()
            self.cnf.add_clause(-here, before, begin)
            begins.append(begin)
        self.cnf.add_at_most_one(begins)

    def _add_order_clauses(self) -> None:
        """Require that lower cells of a column drop first, or after the upper row has gone."""
        for x in range(self.width):
            for upper in range(self.height):
                for lower in range(self._list_rows_near(upper).start, upper):
                    self._order_pair((x, lower), (x, upper))

    def _order_pair(self, lower: Cell, upper: Cell) -> None:
        """Require that the lower cell drops no later, or that the upper row has cleared by then."""
        gone, completes = self._gone, self._completes
        exceptions = -self._covered[lower], -self._covered[upper], gone[(*lower, upper[1])]
        for w in self._list_rows_near(lower[1], upper[1]):
            during = completes[(*lower, w)]
            for_upper = [completes[(*upper, w)]]
            if w != upper[1]:
                for_upper.append(gone[(*upper, w)])
            self.cnf.add_clause(*exceptions, -during, *for_upper)
            if w not in (lower[1], upper[1]):
                self.cnf.add_clause(*exceptions, -gone[(*lower, w)], gone[(*upper, w)])

    # -- support, ceiling --------------------------------------------------------------

    def _get_support_literal(self, x: int, foot: int, v: int) -> Literal:
        """Return the literal "row ``v``, or a row below it, supports the foot in a row above".

        All rows between the foot and its support have cleared. A row out of reach always supports.
        """
        if v not in self._list_rows_near(foot):
            return True
        key = (x, foot, v)
        if key not in self._supports:
            supports = self._supports[key] = self.cnf.add_variable()
            lower_supports = self._get_support_literal(x, foot, v - 1)
            gone = self._gone[x, foot, v]
            self.cnf.add_clause(-supports, gone, self._covered[x, v])
            self.cnf.add_clause(-supports, gone, -self._gone[x, v, foot])
            self.cnf.add_clause(-supports, -gone, lower_supports)
        return self._supports[key]

    def _require_support(self) -> None:
        """Require that every piece is supported in some column.

        If no foot in the lower rows is supported, ``waiting`` requires one in the rows above.
        """
        waiting = {cell: self.cnf.add_variable() for cell in self._covered}
        for (o, dy, x, v), slice_literal in self._slices.items():
            feet = (dx for dx, low in enumerate(o.bottom) if low == dy)
            supports = [self._get_support_literal(x + dx, v, v - 1) for dx in feet]
            above: list[int] = []
            if any(low > dy for low in o.bottom):
                above = [self.cnf.add_variable()]
                column = x + _list_common_columns(o, dy)[0]
                for w in range(v + 1, self._list_rows_near(v).stop):
                    link = self._links[column, v, w]
                    self.cnf.add_clause(-slice_literal, -above[0], -link, waiting[column, w])
            if dy == 0:
                self.cnf.add_clause(-slice_literal, *supports, *above)
            else:
                column = x + _list_common_columns(o, dy - 1)[0]
                self.cnf.add_clause(-slice_literal, -waiting[column, v], *supports, *above)

    def _keep_below_ceiling(self) -> None:
        """Require that enough rows below a piece have cleared for it to lie below the ceiling.

        Rows out of reach count as gone.
        """
        for (x, v), covered in self._covered.items():
            below = range(self._list_rows_near(v).start, v)
            needed = v + 1 - self.target.height - below.start
            if needed <= 0:
                continue
            counted: list[Literal] = [True, *([False] * needed)]  # [n]: at least n have gone
            for w in below:
                before, counted = counted, [True]
                for fewer, enough in pairwise(before):
                    literal = self.cnf.add_variable()
                    self.cnf.add_clause(-literal, enough, self._gone[x, v, w])
                    self.cnf.add_clause(-literal, enough, fewer)
                    counted.append(literal)
            self.cnf.add_clause(-covered, counted[needed])

    # -- models ------------------------------------------------------------------------

    def read_game(self, model: Collection[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the game of a model: pieces and their columns, in drop order.

        The game is empty if pieces leave the rows within reach, or wait for each other in a circle.
        """
        pieces = list(self._read_pieces(model))
        owner = {cell: number for number, (_, _, cells) in enumerate(pieces) for cell in cells}
        if len(owner) != sum(one in model for one in self._covered.values()):
            return ()
        earlier_pieces = self._find_earlier_pieces(owner, model)
        try:
            order = list(TopologicalSorter(earlier_pieces).static_order())
        except CycleError:
            return ()
        return tuple(pieces[number][:2] for number in order)

    def _read_pieces(self, model: Collection[int]) -> Iterator[tuple[Orientation, int, list[Cell]]]:
        """Yield the pieces of a model, up to an incomplete one: orientation, column and cells."""
        next_row = {(x, low): high for (x, low, high), one in self._links.items() if one in model}
        for (o, dy, x, v), one in self._slices.items():
            if dy or one not in model:
                continue
            rows = [v]
            for row in range(o.height - 1):
                above = next_row.get((x + _list_common_columns(o, row)[0], rows[-1]))
                if above is None:
                    return
                rows.append(above)
            yield o, x, [(x + dx, rows[y]) for dx, y in o.cells]

    def _find_earlier_pieces(
        self, owner: dict[Cell, int], model: Collection[int]
    ) -> dict[int, set[int]]:
        """Map each piece of a model, by number, to the pieces that drop before it."""
        earlier: dict[int, set[int]] = {number: set() for number in owner.values()}
        completing = {v: owner[x, v] for x, v in owner if self._completes[x, v, v] in model}
        for (x, v), number in owner.items():
            if v in completing:
                earlier[completing[v]].add(number)
            for w in self._list_rows_near(v):
                if w != v and w in completing:
                    pair = (number, completing[w])
                    first, second = pair if self._gone[x, v, w] in model else pair[::-1]
                    earlier[first].add(second)
            for low in range(self._list_rows_near(v).start, v):
                if (x, low) in owner:
                    pair = (number, owner[x, low])
                    first, second = pair[::-1] if self._gone[x, low, v] in model else pair
                    earlier[first].add(second)
        return {number: pieces - {number} for number, pieces in earlier.items()}
