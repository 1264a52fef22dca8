"""Stacks (how many rows clear between the rows of the picture), their windows, a window's formula.

List all rows of a game from below: those of the picture, and those that clear. Between two rows of
the picture, under the lowest one and over the highest one there is a *slot*. A stack is the number
of rows that clear in each slot. A :class:`StackWindow` is some neighbouring picture rows with the
numbers for the slots between them. A window that no game fits is a *nogood*: it excludes every
stack that contains it.

Parts of pieces lie in a window. A piece lies in neighbouring rows of the board at the moment when
it drops. In the stack its rows may be apart, because the rows between them have cleared. If a piece
lies partly outside the window, only its cells inside count.

The formula of a window states conditions that every game satisfies in its rows: conditions 1 to 6
of ``docs/bounds.md``, for the ``m`` rows of the window that clear and for *parts*. A part here is a
piece's cells in the window and the cleared rows between them. Its feet are the lowest cells of its
columns, if all of them lie inside. Conditions 1, 2, 4 and 6 are unchanged.

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
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, pairwise
from math import comb
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.game.replay import order_drops
from tetrisprinter.printing.task import Target, extend_upwards
from tetrisprinter.sat.solve import Cnf, Literal, negate

CLEARING = -1
"""Stands for a row that clears among the rows of a window."""


@dataclass(frozen=True, slots=True)
class WindowContents:
    """Everything that the formula of a window depends on; equal contents have the same formula."""

    # The target of the picture rows in the window, numbered from 0. Its board is as high as the
    # window, unless the ceiling lies in the window
    target: Target
    rows: tuple[int, ...]  # from below: the number of a picture row, or :data:`CLEARING`
    below: bool  # whether the stack has unknown rows below
    above: bool  # whether the stack has unknown rows above
    spare: int  # how many optional squares the game may leave
    numbers: tuple[int, ...]  # the numbers of the colours, if types are open

    @property
    def lines(self) -> int:
        """The number of rows that clear."""
        return self.rows.count(CLEARING)


@dataclass(frozen=True, slots=True)
class Part:
    """The cells of a piece that lie in a window."""

    orientation: Orientation
    x: int  # the left column of the piece
    cells: tuple[Cell, ...]  # its cells in the window: column, and row of the window
    # The clearing rows between its cells, which have cleared before the piece drops
    rows_between: tuple[int, ...]
    # The lowest cell in each column; None if such a cell lies outside the window, where something
    # may support the piece
    feet: tuple[Cell, ...] | None


_Rows = tuple[tuple[int | None, ...], tuple[int, ...]]
"""The window row of each row of a piece (None: outside), and the cleared rows between them."""


@lru_cache(maxsize=256)
def _list_row_choices(
    clears: tuple[bool, ...], below: bool, above: bool, height: int
) -> list[_Rows]:
    """List the choices of window rows for a piece's rows; the rows between must clear."""
    choices: list[_Rows] = []

    def extend(
        rows: tuple[int | None, ...],
        rows_between: tuple[int, ...],
        next_row: int,
        has_row_inside: bool,
    ) -> None:
        """Add all choices that continue the chosen rows from ``next_row`` upwards."""
        if len(rows) == height:
            if has_row_inside:
                choices.append((rows, rows_between))
            return
        cleared = rows_between
        for v in range(next_row, len(clears)):
            extend((*rows, v), cleared, v + 1, True)
            if not clears[v]:
                return
            cleared = (*cleared, v)
        if above and has_row_inside:
            rest = height - len(rows)
            choices.append(((*rows, *(None,) * rest), cleared))

    for start in range(len(clears)):
        extend((start,), (), start + 1, True)
    if below:
        for outside in range(1, height):
            extend((None,) * outside, (), 0, False)
    return choices


def count_fewest_parts(width: int, rows: Sequence[int]) -> int:
    """Return a lower bound on the number of parts of a window, without listing them.

    Count placements whose rows all lie in one run of clearing rows, with or without gaps.

    >>> count_fewest_parts(4, (0, CLEARING, 1)), count_fewest_parts(4, (CLEARING,) * 4)
    (1, 218)
    """
    runs = [len(list(group)) for row, group in groupby(rows) if row == CLEARING]
    return sum(
        max(0, width - o.width + 1) * comb(run, o.height) for run in runs for o in ORIENTATIONS
    )


def list_parts(window: WindowContents) -> list[Part]:
    """List the parts of pieces in a window.

    If parts differ only in their feet, only the part that needs the least support is listed.
    """
    target, clears = window.target, tuple(row == CLEARING for row in window.rows)
    parts: dict[tuple[PieceType, tuple[Cell, ...], tuple[int, ...]], Part] = {}
    for o in ORIENTATIONS:
        for rows, rows_between in _list_row_choices(clears, window.below, window.above, o.height):
            inside = [(dx, v) for dx, dy in o.cells if (v := rows[dy]) is not None]
            lows = [(dx, v) for dx, low in enumerate(o.bottom) if (v := rows[low]) is not None]
            remaining = [(dx, y) for dx, v in inside if (y := window.rows[v]) != CLEARING]
            for x in range(target.width - o.width + 1) if inside else ():
                if not all(target.may_hold(x + dx, y, o.piece) for dx, y in remaining):
                    continue
                if target.shades and len({target.shades[y][x + dx] for dx, y in remaining}) > 1:
                    continue
                cells = tuple([(x + dx, v) for dx, v in inside])
                key = (o.piece, cells, rows_between)
                if key not in parts or len(lows) < o.width:
                    feet = tuple([(x + dx, v) for dx, v in lows])
                    parts[key] = Part(
                        o, x, cells, rows_between, feet if len(lows) == o.width else None
                    )
    return list(parts.values())


TypeColor = tuple[PieceType, int]
"""A piece type and the number of the colour that it shows."""

TypeColors = tuple[TypeColor, ...]
"""The colours of some types; those of other types are open."""


@dataclass(frozen=True, slots=True, order=True)
class StackWindow:
    """Some neighbouring rows of the picture, and the slots between them."""

    first: int  # the lowest row
    counts: tuple[int, ...]  # how many rows clear in each slot, from below
    # ``floor``: the lowest row is row 0, and the first count is of the slot under it;
    # ``top``: the last count is of the slot over the highest row, the last slot of the stack
    floor: bool
    top: bool

    @property
    def slots(self) -> range:
        """The slots whose number of clearing rows is given; slot ``y`` is under row ``y``."""
        start = self.first + (not self.floor)
        return range(start, start + len(self.counts))

    @property
    def picture_rows(self) -> range:
        """The rows of the picture."""
        return range(self.first, self.first + len(self.counts) + 1 - self.floor - self.top)


ALL_STACKS: Final = StackWindow(0, (), floor=True, top=True)
"""A window without rows, for all stacks of a question; its nogood holds for that question only."""


@dataclass(frozen=True, slots=True, order=True)
class Nogood:
    """A window that no game fits."""

    window: StackWindow
    # If types are open: no game fits unless one of these types shows the colour paired with it.
    # (A type that may show more colours fits wherever it fits with fewer.)
    without: TypeColors = ()
    spare: int = 0  # it holds for games that leave at most this number of optional squares


def make_window_contents(target: Target, window: StackWindow, spare: int) -> WindowContents:
    """Return the contents of a window in which at most ``spare`` optional squares stay."""
    picture_rows = window.picture_rows
    count_of_slot = dict(zip(window.slots, window.counts, strict=True))
    rows: list[int] = []
    for y in picture_rows:
        rows += [CLEARING] * count_of_slot.get(y, 0)
        rows.append(y - picture_rows.start)
    if window.top:
        rows += [CLEARING] * window.counts[-1]
    window_target = Target(
        target.width,
        min(target.height, len(rows)) if window.floor else len(rows),
        target.allowed[picture_rows.start : picture_rows.stop],
        frozenset((x, y - picture_rows.start) for x, y in target.required if y in picture_rows),
        target.shades and target.shades[picture_rows.start : picture_rows.stop],
    )
    spare = min(spare, len(window_target.optional()))
    numbers = target.list_shades()
    floor, top = window.floor, window.top
    return WindowContents(window_target, tuple(rows), not floor, not top, spare, numbers)


def trim_to_final_rows(target: Target) -> Target:
    """Return a target with exactly the rows in which the game may leave squares.

    Without a background these are the rows up to the highest required square. With a background
    these are all rows of the board, because don't-care squares may be filled anywhere.
    """
    if target.above:
        return extend_upwards(target, target.height - target.rows)
    used = 1 + max((y for _, y in target.required), default=-1)
    shades = target.shades and target.shades[:used]
    return replace(target, allowed=target.allowed[:used], shades=shades)


def iterate_windows_by_height(counts: tuple[int, ...]) -> Iterator[list[StackWindow]]:
    """Yield lists of a stack's windows: those with one picture row, those with two, and so on.

    Windows at the floor or the top are listed twice: with and without the slot beyond them.
    """
    rows = len(counts) - 1
    for height in range(1, rows + 1):
        windows = []
        for first in range(rows - height + 1):
            counts_between = counts[first + 1 : first + height]
            if height > 1:
                windows.append(StackWindow(first, counts_between, floor=False, top=False))
            if first == 0:
                windows.append(StackWindow(0, counts[:height], floor=True, top=False))
            if first == rows - height:
                windows.append(StackWindow(first, counts[first + 1 :], floor=False, top=True))
        if height == rows:
            windows.append(StackWindow(0, counts, floor=True, top=True))
        elif height == 1:
            windows += [StackWindow(y, (), floor=False, top=False) for y in range(rows)]
        yield windows


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
