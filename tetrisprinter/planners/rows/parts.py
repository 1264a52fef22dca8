"""Print a row in several passes, each of which leaves as many squares as it can.

The squares that a pass leaves stay, and the next pass lies on them. Surplus squares lie above
the row: the next pass clears them, or the search for the next row does.

If that fails, too, the row is printed on a **platform**, which works from nearly any state. A
platform is some full rows above the state, except for a *slot* as large as one piece. On the
platform every square of the row has support, as on the floor. The slot lies where the row leaves
columns free. In the end a piece falls into the slot, the platform clears, and the row comes down,
with the squares above it. Carried squares become a part of the platform's lowest row. If the number
of its other cells is not a multiple of four, some squares lie on the platform and are carried in
turn.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.passes import (
    MAX_LINES,
    Columns,
    PassGraph,
    Pieces,
    find_fullest_pieces,
    make_stack,
)
from tetrisprinter.planners.rows.target import ANYTHING, PassContext, RowState, RowStep
from tetrisprinter.planners.run import Stage
from tetrisprinter.support.arrays import make_numbers, repeat_number

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


_HOOKS: Final = tuple(o for o in ORIENTATIONS if o.row_widths == (1, 1, 2) and o.width == 2)
_UPRIGHT: Final = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)


def print_on_platform(context: PassContext, state: RowState) -> RowStep | None:
    """Return a step that prints the next row on a platform; None if there is none.

    If no platform fits over the carried squares, a pass first adds squares to them. After the last
    row nothing is left above.
    """
    step = _print_on_first_platform(context, state)
    if step is None and state.carried:
        for carrying_step in _carry_more(context, state):
            step = _print_on_first_platform(context, carrying_step.after)
            if step is not None:
                return replace(step, passes=(*carrying_step.passes, *step.passes))
    return step


def _print_on_first_platform(context: PassContext, state: RowState) -> RowStep | None:
    """Return a step that prints a row on the first suitable platform; None if there is none."""
    tried = 0
    surplus = "b" if len(state.carried) % 4 else ""
    if not context.has_room(state, "b" * PLATFORM_ROWS + surplus):
        return None
    for row_kinds, slot in _list_platforms(context, state):
        base = _build_base(context, state, row_kinds + surplus, slot)
        if base is None:
            continue
        row_step = _print_above(context, state, row_kinds, slot, base)
        if row_step is not None:
            last = "c" * PLATFORM_ROWS, ((slot, 0),)
            return RowStep(
                ((row_kinds + surplus, base), *row_step.passes, last),
                row_step.after,
                Stage.PLATFORM,
            )
        tried += 1
        if tried == BUDGETS.most_platforms:
            break
    return None


def _print_above(
    context: PassContext, state: RowState, row_kinds: str, slot: Placement, base: Pieces
) -> RowStep | None:
    """Print a row on a platform; nothing is left above the slot."""
    # Don't-care squares must not block the slot either.
    slot_columns = frozenset(x for x, _ in slot.cells)
    allowed = list(context.target.allowed)
    allowed[state.rows] = tuple(
        0 if x in slot_columns else mask for x, mask in enumerate(allowed[state.rows])
    )
    full = frozenset(range(context.width)) - slot_columns
    carried = frozenset(x for piece, _ in base for x, y in piece.cells if y == len(row_kinds))
    target = replace(context.target, allowed=tuple(allowed))
    context_above = replace(context, target=target, height=context.height - row_kinds.count("b"))
    return RowInParts(
        context_above, RowState(state.rows, full, carried), closed=slot_columns
    ).find_passes()


def _build_base(
    context: PassContext, state: RowState, row_kinds: str, slot: Placement
) -> Pieces | None:
    """Return the pieces of a platform above the existing rows; None if no platform fits."""
    required = repeat_number((1 << PLATFORM_ROWS) - 1, context.width)
    allowed = _allow_anything(context, row_kinds)
    for x, y in slot.cells:
        for row in range(y, len(row_kinds)):
            allowed[x * len(row_kinds) + row] = 0
        required[x] &= ~(1 << y)
    chosen = context.finder.choose_pieces(
        _explore_pass(context, state, row_kinds, required, allowed), state.carried, None, 1
    )
    return None if chosen is None else chosen[0]


def _carry_more(context: PassContext, state: RowState) -> Iterator[RowStep]:
    """Yield passes that add squares to the carried row and clear the rows above this row."""
    for lines in range(1, MAX_LINES + 1):
        row_kinds = "p" + "c" * lines
        if not context.has_room(state, row_kinds):
            return
        required = repeat_number((1 << len(row_kinds)) - 2, context.width)
        graph = _explore_pass(
            context, state, row_kinds, required, _allow_anything(context, row_kinds)
        )
        pieces = find_fullest_pieces(graph, 0, frozenset(range(context.width)))
        if pieces is not None:
            added = frozenset(x for piece, _ in pieces for x, y in piece.cells if not y)
            if added and len(added | state.carried) < context.width:
                wider = replace(state, carried=added | state.carried, stays=False)
                yield RowStep(((row_kinds, pieces),), wider)


def _allow_anything(context: PassContext, row_kinds: str) -> array[int]:
    """Return the allowed types of a pass that may leave any type in any square."""
    return repeat_number(ANYTHING, context.width * len(row_kinds))


def _explore_pass(
    context: PassContext, state: RowState, row_kinds: str, required: array[int], allowed: array[int]
) -> PassGraph:
    """Return the graph of a pass that prints no row of the picture."""
    stack = make_stack(row_kinds)
    squares = context.target.describe_squares(stack, state.rows, state.ground, state.carried)
    needed = make_numbers(
        rows & ~filled for rows, filled in zip(required, squares.before, strict=True)
    )
    squares = replace(squares, must=needed, allowed=allowed)
    return context.finder.explore(stack, squares, context.beam)


def _list_platforms(context: PassContext, state: RowState) -> Iterator[tuple[str, Placement]]:
    """Yield the stacks of platforms and their slots, in columns without squares of the row.

    If the slot is for a hooked J or L, the lowest row of the platform clears before it carries
    anything, so the slot needs no support. A slot for an upright I must be over a square.
    """
    squares, width = context.target.required[state.rows], context.width
    hook_columns = [x for x in range(width - 1) if squares.isdisjoint((x, x + 1))]
    for x in sorted(hook_columns, key=lambda x: min(x, width - 2 - x)):
        for hook in _HOOKS:
            yield "c" + "b" * (PLATFORM_ROWS - 1), Placement(hook, x, 1)
    for x in sorted(state.ground - squares - state.carried):
        yield "b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0)
