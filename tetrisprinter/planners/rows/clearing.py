"""Clearing an old picture from its top, row by row, down to the rows that may stay.

A row whose gaps lie open to the sky can be filled and cleared, which opens the gaps of the
rows below it. So a pass takes the highest rows, all of whose gaps are open, as rows that clear,
with some rows above them if the number of cells requires it. It may also leave squares in
open gaps of the rows below, so that these rows need fewer squares later, or in
a row above, which may gain more squares before it is cleared.

A best-first search finds these passes. It adds up the rows cleared so far, the rows that must
still be cleared, and the extra rows that a row of the old picture usually takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count

from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.plan import Pass
from tetrisprinter.game.start import Rows
from tetrisprinter.planners.rows.budgets import BUDGETS, CLEARING
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.passes import PassSquares, sort_drops
from tetrisprinter.planners.rows.stacks import MAX_LINES, MAX_ROWS, make_stack
from tetrisprinter.planners.rows.target import ANYTHING
from tetrisprinter.planners.rows.wells import fill_wells
from tetrisprinter.support.arrays import make_numbers, repeat_number


def find_open_cells(rows: Rows) -> list[list[bool]]:
    """Return for each square whether it and all squares above it are empty."""
    width = len(rows[0]) if rows else 0
    covered = [False] * width
    found: list[list[bool]] = []
    for row in reversed(rows):
        covered = [above or bool(value) for above, value in zip(covered, row, strict=True)]
        found.append([not one for one in covered])
    return found[::-1]


@dataclass(frozen=True, slots=True)
class _PassKind:
    """A kind of pass: how many rows it clears, keeps and adds."""

    stay: int  # rows above those that it clears, which stay and may gain squares
    clear: int  # how many rows below them it clears
    more: int = 0  # how many new rows above all of them it clears
    carried: bool = False  # whether it may carry squares in a row above all
    careful: bool = False  # whether carried squares must not cover a gap of the row below
    above: int = 0  # open rows above all of them; the pieces fall through their gaps

    @property
    def penalty(self) -> tuple[float, int, int]:
        """The sort key: the estimated wasted rows per cleared row, then two tie-breakers.

        With equal waste, a pass that carries nothing comes first, then one whose carried squares
        cover no gap, then one that clears more rows.
        """
        wasted = (self.more + self.carried) / self.clear
        return wasted, self.carried + (self.carried and not self.careful), -self.clear


@dataclass(frozen=True, slots=True)
class _ClearedField:
    """A field and the passes that led to it."""

    rows: Rows  # the rows, bottom first
    old: int  # how many of them are the old picture's; they are the lowest ones
    lines: int = 0  # how many rows have been cleared
    last: tuple[Pass, ...] = ()  # the passes that led from ``before`` to it
    before: _ClearedField | None = None  # the previous field

    @property
    def penalty(self) -> float:
        """The estimated total of cleared rows in the end."""
        return self.lines + len(self.rows) + BUDGETS.usual_lines * self.old

    def list_passes(self) -> list[Pass]:
        """Return the passes that led to the field."""
        return [*(self.before.list_passes() if self.before else ()), *self.last]


@dataclass(frozen=True, slots=True)
class Clearing:
    """The search for a way to clear an old picture."""

    context: PassContext  # the board and its target

    def clear_down_to(self, rows: Rows, left: int) -> Iterator[tuple[list[Pass], Rows]]:
        """Yield ways to clear the highest rows until at most ``left`` are left: passes and rows."""
        order = count()
        first = self._fill_wells(_ClearedField(rows, len(rows)), left)
        heap = [(0.0, 0, first)]
        known = {first.rows}
        most = CLEARING.most_fields * (len(rows) - left + 1)
        for looked in range(BUDGETS.dead_end_factor * most):
            if not heap:
                return
            if looked == most:  # the budget is spent: continue greedily
                heap = [(float(len(field.rows)), number, field) for _, number, field in heap]
                heapify(heap)
            _, _, field = heappop(heap)
            if len(field.rows) <= left:
                yield field.list_passes(), field.rows
                continue
            found = 0
            for choice in self._list_kinds(field.rows, left, field.old):
                after = self._apply_kind(field, left, choice)
                if after is not None and after.rows not in known:
                    known.add(after.rows)
                    penalty = after.penalty if looked < most else float(len(after.rows))
                    heappush(heap, (penalty, next(order), after))
                    found += 1
                if found == BUDGETS.most_branches:
                    break

    def _fill_wells(self, field: _ClearedField, left: int) -> _ClearedField:
        """Return the field after its wells below the open rows are filled."""
        rows, top = field.rows, left - 1
        keeps = 0 <= top < min(self.context.target.rows, len(rows))
        keeps = keeps and self.context.target.is_complete(top, rows[top])
        first, last = max(0, top + keeps), len(rows) - _count_open(rows, left)
        if first >= last:
            return field
        passes, after, lines = fill_wells(rows, first, last)
        if not passes:
            return field
        dropped = (*field.last, *passes)
        return _ClearedField(after, field.old - lines, field.lines + lines, dropped, field.before)

    def _list_kinds(self, rows: Rows, left: int, old: int) -> list[_PassKind]:
        """List the kinds of passes, cheapest first."""
        is_open = _are_open(rows)
        room = self.context.height - len(rows)
        choices = []
        for stay in range(min(2, len(rows) - old + 1)):
            clear = 0
            while (
                clear < min(CLEARING.at_once, len(rows) - stay, len(rows) - left + 1)
                and is_open[-stay - clear - 1]
            ):
                clear += 1
                for more in range(
                    min(CLEARING.at_once, room, MAX_LINES - clear) + 1 if not stay else 1
                ):
                    for carried, careful in ((False, False), (True, False), (True, True)):
                        if (carried and stay) or (careful and more):
                            continue
                        if more + carried <= room and stay + clear + more + carried <= MAX_ROWS:
                            choices.append(_PassKind(stay, clear, more, carried, careful))
        choices += _list_low_kinds(_count_open(rows, left))
        return sorted(choices, key=lambda choice: choice.penalty)

    def _apply_kind(
        self, field: _ClearedField, left: int, choice: _PassKind
    ) -> _ClearedField | None:
        """Play a pass of the given kind; return the new field, or None if no pass is found."""
        for below in (CLEARING.rows_below, 0):
            found = self._play_pass(field.rows, left, choice, below)
            if found is not None:
                pass_, rows = found
                first = len(field.rows) - choice.above - choice.stay - choice.clear
                old = field.old - sum(y < field.old for y in range(first, first + choice.clear))
                lines = field.lines + choice.clear + choice.more
                return self._fill_wells(_ClearedField(rows, old, lines, (pass_,), field), left)
        return None

    def _play_pass(
        self, rows: Rows, left: int, choice: _PassKind, below: int
    ) -> tuple[Pass, Rows] | None:
        """Return a pass of the given kind and the rows after it; None if there is none."""
        top = len(rows) - choice.above - choice.stay - choice.clear
        above = choice.stay + choice.clear + choice.more + choice.carried
        first = min(top, max(left - 1, top - min(below, MAX_ROWS - above), 0))
        word = (
            "p" * (top - first) + "c" * choice.clear + "p" * choice.stay + "c" * choice.more
            + "b" * choice.carried
        )  # fmt: skip
        squares = self._make_pass_squares(rows, left, word, first, choice.careful)
        graph = self.context.finder.explore(make_stack(word), squares, self.context.beam)
        lowest = frozenset(x for x, value in enumerate(rows[first]) if value)
        found = self.context.finder.choose_pieces(graph, lowest, None, CLEARING.most_pairs)
        if found is None:
            return None
        pieces = sort_drops(found[0])
        field = Playfield.from_rows(self.context.width, self.context.height, rows)
        try:
            cleared = sum(len(field.drop(one.orientation, one.x).cleared) for one in pieces)
        except TopOutError:
            return None
        if cleared != choice.clear + choice.more:
            return None  # squares that were left have completed a row that was to stay
        return Pass(len(word), pieces), field.used_rows

    def _make_pass_squares(
        self, rows: Rows, left: int, word: str, first: int, careful: bool
    ) -> PassSquares:
        """Return the squares of a pass: filled before, to be filled, and the types allowed."""
        width, height = self.context.width, len(word)
        gaps = find_open_cells(rows)
        before, must = repeat_number(0, width), repeat_number(0, width)
        allowed = repeat_number(ANYTHING, width * height)
        for v, kind in enumerate(word):
            y = first + v
            there = [bool(value) for value in rows[y]] if y < len(rows) else [False] * width
            for x, filled in enumerate(there):
                before[x] |= filled << v
                if kind == "c":  # the row clears, so its gaps must be filled
                    must[x] |= (not filled) << v
            if kind == "p":  # the row stays
                allowed[v::height] = make_numbers(
                    self._list_types_to_hold(rows, left, y, x, gaps[y][x]) for x in range(width)
                )
            elif kind != "c" and careful:  # not over a gap of the row under the cleared ones
                under = first + word.index("c") - 1
                if under >= 0:
                    for x, value in enumerate(rows[under]):
                        if not value:
                            allowed[x * height + v] = 0
        below = rows[first - 1] if first else bytes([1] * width)
        ground = make_numbers(map(bool, below))
        return PassSquares(before, must, repeat_number(0, width), allowed, ground)

    def _list_types_to_hold(self, rows: Rows, left: int, y: int, x: int, is_open: bool) -> int:
        """Return the types that may be left in a square of a row that does not clear."""
        if not is_open:
            return 0
        row = self.context.target.allowed[y] if y < self.context.target.rows else None
        if y == left - 1 and row is not None and self.context.target.may_stay(y, rows[y]):
            return row[x] if x in self.context.target.required[y] else 0
        return ANYTHING


def _are_open(rows: Rows) -> list[bool]:
    """Return for each row whether nothing lies above any of its gaps."""
    return [
        all(value or free for value, free in zip(row, gap, strict=True))
        for row, gap in zip(rows, find_open_cells(rows), strict=True)
    ]


def _count_open(rows: Rows, left: int) -> int:
    """Count the open rows from the top down, at most to the highest row that may stay."""
    count, is_open = 0, _are_open(rows)
    while count < min(len(rows), len(rows) - left + 1) and is_open[-count - 1]:
        count += 1
    return count


def _list_low_kinds(open_rows: int) -> Iterator[_PassKind]:
    """Yield kinds of passes that clear the lowest of the open rows at the top.

    Surplus squares lie in the open rows above, which must be filled anyway.
    """
    for clear in range(1, min(CLEARING.at_once, open_rows - 1) + 1):
        stay = min(CLEARING.rows_below, open_rows - clear, MAX_ROWS - clear)
        yield _PassKind(stay, clear, above=open_rows - clear - stay)
