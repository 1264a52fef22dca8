"""Print a row in several passes, each of which leaves as many squares as it can.

The squares that a pass leaves stay, and the next pass lies on them. Surplus squares lie above
the row: the next pass clears them, or the search for the next row does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.passes import Columns, Pieces, find_fullest_pieces
from tetrisprinter.planners.rows.stacks import MAX_LINES, make_stack
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.stages import Stage

_NOTHING: Final[Columns] = frozenset()


@dataclass(frozen=True, slots=True)
class _RowPass:
    """One pass of a row, and the columns that are filled in and above the row after it."""

    row_kinds: str  # its stack
    pieces: Pieces  # its pieces with their levels
    in_row: Columns  # columns with a square in the row
    above: Columns  # columns with a square in the row above
    cost: float  # the rows that it clears, plus an estimate for the squares that are still missing


@dataclass(slots=True)
class RowInParts:
    """A depth-first search for passes that print a row together."""

    context: PassContext  # the board, and the search for passes on it
    start: RowState  # the board before; carried squares lie in the row
    cost_limit: float = inf  # the passes must cost fewer rows than this
    closed: Columns = _NOTHING  # columns in which nothing may be left above the row
    _work_end: float = field(init=False)
    _results: dict[tuple[Columns, Columns, bool], list[_RowPass] | None] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        # More states make attempts slower, so raise the limit to keep their number.
        factor = self.context.beam / BUDGETS.choose_states(self.context.width)
        self._work_end = self.context.finder.work.spent + BUDGETS.parts_work * factor

    @property
    def _is_late(self) -> bool:
        """Whether the search has used so much work that the first result is good enough."""
        return self.context.finder.work.spent > self._work_end

    @property
    def row(self) -> int:
        """The number of the printed row."""
        return self.start.rows

    @property
    def is_last(self) -> bool:
        """Whether the row is the last one, above which nothing may remain."""
        return self.row + 1 == self.context.target.rows

    def find_passes(self) -> RowStep | None:
        """Find passes that print the row; None if none are found."""
        in_row, carried = _NOTHING, self.start.carried
        if self.start.stays:
            in_row, carried = carried, in_row
        row_passes = self._find_rest(in_row, _NOTHING, carried, 0)
        if not row_passes:
            return None
        after = RowState(self.row + 1, row_passes[-1].in_row, row_passes[-1].above)
        return RowStep(
            tuple((row_pass.row_kinds, row_pass.pieces) for row_pass in row_passes),
            after,
            Stage.IN_PARTS,
        )

    def _find_rest(
        self, in_row: Columns, above: Columns, carried: Columns, depth: int
    ) -> list[_RowPass] | None:
        """Return passes that print the missing squares and clear few rows; None if not found."""
        if depth and self._is_done(in_row, above):
            return []
        results, key = self._results, (in_row, above, bool(carried))
        if depth == BUDGETS.most_passes or key in results or len(results) == BUDGETS.most_searches:
            return results.get(key)
        results[key] = None
        best = inf if depth else self.cost_limit
        candidates = self._list_next_passes(in_row, above, carried, best)
        candidates.sort(key=lambda row_pass: row_pass.cost)
        for row_pass in candidates[: BUDGETS.most_branches]:
            if row_pass.cost >= best or (self._is_late and results[key] is not None):
                break
            rest = self._find_rest(row_pass.in_row, row_pass.above, _NOTHING, depth + 1)
            if rest is not None and self._compute_cost([row_pass, *rest]) < best:
                results[key] = [row_pass, *rest]
                best = self._compute_cost([row_pass, *rest])
        return results[key]

    def _compute_cost(self, row_passes: list[_RowPass]) -> float:
        """Return the number of rows that the passes clear, minus a credit for the squares above."""
        lines = sum(row_pass.row_kinds.count("c") for row_pass in row_passes)
        return lines - len(row_passes[-1].above) / self.context.target.width

    def _is_done(self, in_row: Columns, above: Columns) -> bool:
        """Return whether the row is complete and the squares above it may be carried."""
        if not self.context.target.required[self.row] <= in_row:
            return False
        return not above or (
            not self.is_last and self.context.target.can_end(self.row + 1, len(above))
        )

    def _list_next_passes(
        self, in_row: Columns, above: Columns, carried: Columns, least_cost: float
    ) -> list[_RowPass]:
        """Return passes that print more squares of the row, or clear the squares left above it."""
        row_passes: list[_RowPass] = []
        for lines in range(1 if above or carried else 0, MAX_LINES + 1):
            for row_kinds in _list_stacks(lines, bool(in_row or above), bool(carried)):
                ends = ("b", "") if self.is_last else ("b",)
                for end in ends:
                    if not self.context.has_room(self.start, row_kinds + end):
                        continue
                    row_pass = self._find_pass(row_kinds + end, in_row, above, carried)
                    if row_pass is not None:
                        if self._is_late or not self.is_last:
                            least_cost = min(least_cost, row_pass.cost)
                        row_passes.append(row_pass)
            if lines + 1 >= least_cost:
                break
        return row_passes

    def _find_pass(
        self, row_kinds: str, in_row: Columns, above: Columns, carried: Columns
    ) -> _RowPass | None:
        """Return the pass that leaves the most squares of the row; None if it adds no square.

        A pass without a top row ``b`` may add no square: it clears the squares above the row.
        """
        width, row, is_open = self.context.target.width, row_kinds.index("p"), row_kinds[-1] == "b"
        needed, stack = self.context.target.required[self.row], make_stack(row_kinds)
        squares = self.context.target.describe_squares(
            stack, self.row, self.start.ground, in_row | carried
        )
        for x in above:
            squares.before[x] |= 1 << row + 1
        if is_open:
            closed = needed - in_row if in_row else _NOTHING
            for x in closed | self.closed:
                squares.allowed[(x + 1) * len(row_kinds) - 1] = 0
        for x, must in enumerate(squares.must):
            squares.wanted[x] = must & 1 << row
            squares.must[x] = must & ~(squares.before[x] | 1 << row)
        pieces = find_fullest_pieces(
            self.context.finder.explore(stack, squares, self.context.beam), row, needed
        )
        if pieces is None:
            return None
        cells = [cell for piece, _ in pieces for cell in piece.cells]
        filled = in_row | {x for x, y in cells if y == row}
        top = frozenset(x for x, y in cells if is_open and y == len(row_kinds) - 1)
        added = len((filled - in_row) & needed) + (not is_open)
        if not added or len(filled) == width or len(top) == width:
            return None
        missing = needed - filled
        missing_cost = BUDGETS.missing_cost * (len(missing) + len(missing & top)) + len(top)
        return _RowPass(row_kinds, pieces, filled, top, row_kinds.count("c") + missing_cost / width)


def _list_stacks(lines: int, has_squares: bool, carried: bool) -> Iterator[str]:
    """Yield stacks that have the row among their clearing rows.

    If the row has squares, it is the lowest row of the stack; carried squares need a ``c`` there.
    """
    if not carried:
        yield "p" + "c" * lines
    if lines and not has_squares:
        for below in range(1, lines + 1):
            yield "c" * below + "p" + "c" * (lines - below)
