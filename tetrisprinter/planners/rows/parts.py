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
from tetrisprinter.planners.rows.passes import Columns, Pieces, find_fullest
from tetrisprinter.planners.rows.slices import Slices
from tetrisprinter.planners.rows.stacks import MAX_LINES, make_stack
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.stages import Stage

_NOTHING: Final[Columns] = frozenset()


@dataclass(frozen=True, slots=True)
class _RowPart:
    """A pass, and the columns filled in the row and above it after the pass."""

    word: str  # its stack
    pieces: Pieces  # its pieces with their levels
    left: Columns  # columns with a square in the row, and in the row above it
    above: Columns
    cost: float  # the rows that it clears, plus the estimated rows for what it leaves out


@dataclass(slots=True)
class RowInParts:
    """A depth-first search for passes that print a row together."""

    context: PassContext  # where it is printed
    start: RowState  # the board before; carried squares lie in the row
    most: float = inf  # the passes must cost less than this, in rows
    closed: Columns = _NOTHING  # columns in which nothing may be left above the row
    _until: float = field(init=False)
    _known: dict[tuple[Columns, Columns, bool], list[_RowPart] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # More states make attempts slower, so raise the limit to keep their number.
        longer = self.context.beam / BUDGETS.choose_states(self.context.width)
        self._until = self.context.finder.work.spent + BUDGETS.parts_work * longer

    @property
    def _is_late(self) -> bool:
        """Whether the search took so long that the first result is good enough."""
        return self.context.finder.work.spent > self._until

    @property
    def row(self) -> int:
        """The number of the printed row."""
        return self.start.rows

    @property
    def is_last(self) -> bool:
        """Whether the row is the last one, above which nothing may remain."""
        return self.row + 1 == self.context.target.rows

    def find_passes(self) -> Slices[RowStep | None]:
        """Find passes that print the row; None if none are found."""
        left, carried = _NOTHING, self.start.carried
        if self.start.stays:
            left, carried = carried, left
        parts = yield from self._find_parts(left, _NOTHING, carried, 0)
        if not parts:
            return None
        after = RowState(self.row + 1, parts[-1].left, parts[-1].above)
        return RowStep(tuple((part.word, part.pieces) for part in parts), after, Stage.IN_PARTS)

    def _find_parts(
        self, left: Columns, above: Columns, carried: Columns, depth: int
    ) -> Slices[list[_RowPart] | None]:
        """Return passes that print the missing squares and clear few rows; None if not found."""
        if depth and self._is_done(left, above):
            return []
        known, key = self._known, (left, above, bool(carried))
        if depth == BUDGETS.most_passes or key in known or len(known) == BUDGETS.most_searches:
            return known.get(key)
        known[key] = None
        best = inf if depth else self.most
        found = yield from self._list_next_parts(left, above, carried, best)
        found.sort(key=lambda part: part.cost)
        for part in found[: BUDGETS.most_branches]:
            if part.cost >= best or (self._is_late and known[key] is not None):
                break
            yield
            more = yield from self._find_parts(part.left, part.above, _NOTHING, depth + 1)
            if more is not None and self._count_cost([part, *more]) < best:
                known[key] = [part, *more]
                best = self._count_cost([part, *more])
        return known[key]

    def _count_cost(self, parts: list[_RowPart]) -> float:
        """Return the number of rows that the passes clear, less a credit for squares above."""
        lines = sum(part.word.count("c") for part in parts)
        return lines - len(parts[-1].above) / self.context.target.width

    def _is_done(self, left: Columns, above: Columns) -> bool:
        """Return whether the row is complete and the squares above it may be carried."""
        if not self.context.target.required[self.row] <= left:
            return False
        return not above or (
            not self.is_last and self.context.target.can_end(self.row + 1, len(above))
        )

    def _list_next_parts(
        self, left: Columns, above: Columns, carried: Columns, best: float
    ) -> Slices[list[_RowPart]]:
        """List passes that print more squares of the row, or clear the squares left above it."""
        found: list[_RowPart] = []
        for lines in range(1 if above or carried else 0, MAX_LINES + 1):
            for word in _list_stacks(lines, bool(left or above), bool(carried)):
                ends = ("b", "") if self.is_last else ("b",)
                for end in ends:
                    if not self.context.has_room(self.start, word + end):
                        continue
                    part = self._find_part(word + end, left, above, carried)
                    yield
                    if part is not None:
                        if self._is_late or not self.is_last:
                            best = min(best, part.cost)
                        found.append(part)
            if lines + 1 >= best:
                break
        return found

    def _find_part(
        self, word: str, left: Columns, above: Columns, carried: Columns
    ) -> _RowPart | None:
        """Return the pass that leaves the most squares of the row; None if it gains nothing.

        Without a top row ``b`` the pass may leave no square: it then clears the squares above.
        """
        width, below, is_open = self.context.target.width, word.index("p"), word[-1] == "b"
        needed, stack = self.context.target.required[self.row], make_stack(word)
        squares = self.context.target.describe_squares(
            stack, self.row, self.start.ground, left | carried
        )
        for x in above:
            squares.before[x] |= 1 << below + 1
        if is_open:
            closed = needed - left if left else _NOTHING
            for x in closed | self.closed:
                squares.allowed[(x + 1) * len(word) - 1] = 0
        for x, must in enumerate(squares.must):
            squares.wanted[x] = must & 1 << below
            squares.must[x] = must & ~(squares.before[x] | 1 << below)
        pieces = find_fullest(
            self.context.finder.explore(stack, squares, self.context.beam), below, needed
        )
        if pieces is None:
            return None
        cells = [cell for piece, _ in pieces for cell in piece.cells]
        now = left | {x for x, v in cells if v == below}
        top = frozenset(x for x, v in cells if is_open and v == len(word) - 1)
        gain = len((now - left) & needed) + (not is_open)
        if not gain or len(now) == width or len(top) == width:
            return None
        missing = needed - now
        ahead = BUDGETS.missing_cost * (len(missing) + len(missing & top)) + len(top)
        return _RowPart(word, pieces, now, top, word.count("c") + ahead / width)


def _list_stacks(lines: int, has_squares: bool, carried: bool) -> Iterator[str]:
    """Yield stacks that contain the row among their clearing rows.

    If the row has squares, it is the lowest row of the stack; carried squares need a ``c`` there.
    """
    if not carried:
        yield "p" + "c" * lines
    if lines and not has_squares:
        for below in range(1, lines + 1):
            yield "c" * below + "p" + "c" * (lines - below)
