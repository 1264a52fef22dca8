"""Choose the next pass.

The search (:class:`PassChooser`) follows one game row by row, or with more effort a beam of
several. Each game continues with a pass that is chosen together with a possible next pass, which
the carried squares must suit: the pair that clears the fewest rows for what it prints. When several
games are a few rows ahead, the first pass of the best game is played, and games with another first
pass are dropped. So the memory does not grow with the picture.

If no game can be continued, a fallback is played: the row is printed by a pass chosen alone, with
more clearing rows, or *in parts* (:class:`RowInParts`), in several passes each of which leaves as
many squares of the row as it can. The squares that a pass leaves stay, and the next pass lies on
them. Surplus squares lie above the row: the next pass clears them, or the search for the next row
does. Otherwise the carried squares are cleared first, and other squares may be carried in their
place.

If all that fails, the row is printed on a **platform** (:func:`print_on_platform`), which works
from nearly any state. A platform is some full rows above the state, except for a *slot* as large as
one piece. On the platform every square of the row has support, as on the floor. The slot lies where
the row leaves columns free. In the end a piece falls into the slot, the platform clears, and the
row comes down, with the squares above it. Carried squares become a part of the platform's lowest
row. If the number of its other cells is not a multiple of four, some squares lie on the platform
and are carried in turn.
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
    CARRIED,
    MAX_LINES,
    Columns,
    PassGraph,
    Pieces,
    find_fullest_pieces,
    make_stack,
)
from tetrisprinter.planners.rows.target import (
    ANYTHING,
    PassContext,
    RowState,
    RowStep,
    estimate_cost,
)
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


Pair = tuple[RowStep, RowStep | None]
"""A pass and a possible next pass; None instead of the next pass if the first carries nothing."""


class _Graphs(dict[tuple[RowState, str, Columns, bool], PassGraph]):
    """A cache of graphs within a memory limit; the oldest are forgotten first."""

    size = 0

    def store(self, key: tuple[RowState, str, Columns, bool], graph: PassGraph) -> None:
        """Store a graph, and forget the oldest if memory is short."""
        self.size += graph.size
        while self and self.size > BUDGETS.graph_memory:
            self.size -= self.pop(next(iter(self))).size
        self[key] = graph


class PassChoice:
    """The choice of passes for a picture on a board, with a cache of their graphs."""

    def __init__(self, context: PassContext) -> None:
        self.context = context
        self._all_columns = frozenset(range(context.width))
        self._graphs = _Graphs()

    def find_playable_graph(self, state: RowState, row_kinds: str) -> PassGraph | None:
        """Return the graph of a pass; None if no way to play it fits the carried squares."""
        graph = self._find_graph(state, row_kinds)
        return graph if self.context.finder.can_play(graph, state.carried) else None

    def choose_alone(self, state: RowState, row_kinds: str) -> RowStep | None:
        """Return a pass chosen without looking ahead; None if there is none."""
        return self._choose_from_graph(state, self._find_graph(state, row_kinds))

    def choose_with_another(self, state: RowState, first: PassGraph, second: str) -> Pair | None:
        """Return a pass and a possible next pass, chosen together; None if no passes agree."""
        row_kinds, carried = first.stack.row_kinds, state.carried
        if row_kinds[-1] not in CARRIED:
            step = self._choose_from_graph(state, first)
            return None if step is None else (step, None)
        second_graph = self._find_graph_after(
            self.context.carry_all(state, row_kinds), second, first
        )
        chosen = self.context.finder.choose_pieces(first, carried, second_graph, BUDGETS.most_pairs)
        step = None if chosen is None else self._make_step(state, row_kinds, chosen[0])
        if step is None or chosen is None:
            return None
        lookahead = self._make_step(step.after, second, chosen[1])
        return None if lookahead is None else (step, lookahead)

    def _choose_from_graph(self, state: RowState, graph: PassGraph) -> RowStep | None:
        """Return the step of a pass chosen from its graph; None if there is none."""
        chosen = self.context.finder.choose_pieces(graph, state.carried, None, BUDGETS.most_pairs)
        return None if chosen is None else self._make_step(state, graph.stack.row_kinds, chosen[0])

    def _find_graph(self, state: RowState, row_kinds: str) -> PassGraph:
        """Return the graph of a pass: a complete one from the cache, or else a new one."""
        free = self._all_columns if state.carried else frozenset()
        cached = self._graphs.get((replace(state, carried=frozenset()), row_kinds, free, False))
        if cached is not None and cached.is_complete:
            return cached
        stack = make_stack(row_kinds)
        squares = self.context.target.describe_squares(
            stack, state.rows, state.ground, state.carried
        )
        return self.context.finder.explore(stack, squares, self.context.beam)

    def _find_graph_after(self, state: RowState, row_kinds: str, first: PassGraph) -> PassGraph:
        """Return the graph of a pass after ``first``, over squares that ``first`` may carry.

        A complete graph over any carried squares serves every first pass. On a wide board such a
        graph is nearly always incomplete, so it is not tried there.
        """
        if not state.carried:
            return self._find_graph_over(state, row_kinds, frozenset(), frozenset())
        if self.context.width <= BUDGETS.wide_board:
            graph = self._find_graph_over(state, row_kinds, state.carried, frozenset(), exact=True)
            if graph.is_complete:
                return graph
        never, always = first.find_carried_columns()
        return self._find_graph_over(state, row_kinds, self._all_columns - never - always, always)

    def _find_graph_over(
        self, state: RowState, row_kinds: str, free: Columns, carried: Columns, exact: bool = False
    ) -> PassGraph:
        """Return the cached graph of a pass over carried squares and any of the free columns."""
        key = (replace(state, carried=carried), row_kinds, free)
        graph = self._graphs.get((*key, False))
        if graph is None and exact:
            graph = self._graphs.get((*key, True))
        if graph is None:
            stack = make_stack(row_kinds)
            squares = self.context.target.describe_squares(stack, state.rows, state.ground, carried)
            graph = self.context.finder.explore(stack, squares, self.context.beam, free, exact)
            self._graphs.store((*key, exact and not graph.is_complete), graph)
        return graph

    def _make_step(self, state: RowState, row_kinds: str, pieces: Pieces) -> RowStep | None:
        """Return the step of a pass; None if it fills a row that must stay, or no count fits."""
        filled: list[set[int]] = [set() for _ in row_kinds]
        for piece, _ in pieces:
            for x, row in piece.cells:
                filled[row].add(x)
        filled[0] |= state.carried
        rows, ground, carried = state.rows, state.ground, frozenset[int]()
        for kind, columns in zip(row_kinds, filled, strict=True):
            if kind == "p":
                rows, ground = rows + 1, frozenset(columns)
            elif kind in CARRIED:
                carried = frozenset(columns)
            if kind != "c" and len(columns) == self.context.target.width:
                return None
        if not self.context.target.can_end(rows, len(carried)):
            return None
        stays = row_kinds[-1] == "q" and bool(carried)
        return RowStep(((row_kinds, pieces),), RowState(rows, ground, carried, stays))


def find_fallback(choice: PassChoice, state: RowState) -> Pair | None:
    """Print a row by a fallback, or else clear the carried squares; return None if both fail."""
    step = _find_single_pass(choice, state)
    if step is not None:
        return step, None
    clearing_step = clear_carried(choice, state) if state.carried else None
    next_step, cost_limit = None, inf
    if clearing_step is not None:
        clearing_step = replace(clearing_step, fallback=Stage.CLEARED)
        next_step = _find_single_pass(choice, clearing_step.after)
        if next_step is not None:
            cost_limit = (
                clearing_step.lines
                + next_step.lines
                - len(next_step.after.carried) / choice.context.target.width
            )
    row_step = RowInParts(choice.context, state, cost_limit).find_passes()
    if row_step is not None:
        return row_step, None
    if clearing_step is not None and next_step is not None:
        return clearing_step, next_step
    pair = _clear_and_carry(choice, state) if state.carried else None
    if pair is not None:
        return replace(pair[0], fallback=Stage.CARRIED_AGAIN), pair[1]
    return None if clearing_step is None else (clearing_step, None)


def clear_carried(choice: PassChoice, state: RowState) -> RowStep | None:
    """Return a step that clears the carried squares and carries nothing; None if there is none."""
    for lines in range(1, MAX_LINES + 1):
        cells = choice.context.target.width * lines - len(state.carried)
        if cells % 4 == 0 and choice.context.has_room(state, "c" * lines):
            step = choice.choose_alone(state, "c" * lines)
            if step is not None:
                return step
    return None


def _find_single_pass(choice: PassChoice, state: RowState) -> RowStep | None:
    """Print a row in one pass, whatever squares it carries; return None if there is none."""
    for lines in range(MAX_LINES + 1):
        for row_kinds in choice.context.list_stacks(state, lines):
            step = choice.choose_alone(state, row_kinds)
            if step is not None:
                return replace(step, fallback=Stage.SINGLE_PASS)
    return None


def _clear_and_carry(choice: PassChoice, state: RowState) -> Pair | None:
    """Clear the carried squares and carry others over which the row can be printed, if possible."""
    for lines in range(2, 2 * BUDGETS.most_lines + 1):
        for first_lines in range(1, min(BUDGETS.most_lines, lines - 1) + 1):
            for top_kind in CARRIED:
                row_kinds = "c" * first_lines + top_kind
                if lines - first_lines > BUDGETS.most_lines or not choice.context.has_room(
                    state, row_kinds
                ):
                    continue
                first = choice.find_playable_graph(state, row_kinds)
                if first is None:
                    continue
                # Squares that must stay lie in the lowest row of the next pass.
                lowest = "p" if top_kind == "q" else "c"
                for second in choice.context.list_stacks(state, lines - first_lines, True):
                    if second[0] == lowest:
                        pair = choice.choose_with_another(state, first, second)
                        if pair is not None:
                            return pair
    return None


class StuckError(Exception):
    """No pass was found that continues from a state."""


@dataclass(frozen=True, slots=True)
class _RowGame:
    """A game in the beam: its passes since the current state."""

    state: RowState  # the state after these passes
    lines: int = 0  # the number of rows that the game has cleared
    steps: tuple[RowStep, ...] = ()  # its passes
    lookahead: RowStep | None = None  # a pass that can follow
    # The number of cleared rows, with those of the lookahead, minus the usual number for the
    # picture rows that are printed then
    cost: float = 0.0
    is_stuck: bool = False  # whether no pass is known that can follow

    def add_pass(self, step: RowStep, lookahead: RowStep | None = None) -> _RowGame:
        """Return this game with one more pass and its lookahead."""
        lines = self.lines + step.lines
        last = lookahead or step
        cost = lines + (lookahead.lines if lookahead else 0) - BUDGETS.usual_lines * last.after.rows
        return _RowGame(step.after, lines, (*self.steps, step), lookahead, cost)


class PassChooser:
    """The choice of passes for a picture, from the lowest row to the highest."""

    def __init__(self, context: PassContext, beam_width: int = 1, by_pairs: bool = True) -> None:
        self.context, self.by_pairs = context, by_pairs
        self._is_wide = context.width > BUDGETS.wide_board
        self.beam_width = beam_width
        self._rows_ahead = BUDGETS.most_games if self.beam_width > 1 else 1
        self._branches = 2 if self.beam_width > 1 else 1
        self.choice = PassChoice(context)
        self._pairs: dict[tuple[RowState, str, str], Pair | None] = {}
        self._fallbacks: dict[RowState, Pair | None] = {}
        self._state: RowState | None = None
        self._games: list[_RowGame] = []

    @property
    def stage(self) -> Stage:
        """The stage that is named in results."""
        if self.beam_width > 1:
            return Stage.SEVERAL_GAMES
        return Stage.PAIRS if self.by_pairs else Stage.PASSES

    def vary(self, by_pairs: bool) -> PassChooser:
        """Return a chooser of one game with another order that shares the caches of this one."""
        varied = PassChooser(self.context, by_pairs=by_pairs)
        varied.choice, varied._pairs, varied._fallbacks = self.choice, self._pairs, self._fallbacks
        return varied

    def find_next(self, state: RowState) -> RowStep:
        """Return the next pass; after the last row, the pass that clears the carried squares."""
        rows = self.context.target.rows
        if state != self._state:
            self._games = [_RowGame(state)]
        self._state = None
        if state.rows == rows:
            last = self._games[0].lookahead or clear_carried(self.choice, state)
            if last is None:
                raise StuckError
            return last
        self._advance_games(min(rows, state.rows + self._rows_ahead))
        best = min(self._games, key=lambda game: game.cost)
        if not best.steps:
            raise StuckError
        step = best.steps[0]
        self._games = [
            replace(game, lines=game.lines - step.lines, steps=game.steps[1:])
            for game in self._games
            if game.steps[0] == step
        ]
        self._state = step.after
        return step

    def _advance_games(self, end_row: int) -> None:
        """Continue all games until the rows below ``end_row`` are printed."""
        dead_ends: list[_RowGame] = []
        while True:
            row = min(game.state.rows for game in self._games)
            if row >= end_row or self._games[0].is_stuck:
                return
            lowest_games = [game for game in self._games if game.state.rows == row]
            lowest_games.sort(key=lambda game: game.cost)
            games_ahead = [game for game in self._games if game.state.rows > row]
            known_states: set[RowState] = set()
            for game in lowest_games:
                if game.state in known_states or len(known_states) == self.beam_width:
                    continue
                known_states.add(game.state)
                extended = self._extend_game(game)
                games_ahead += extended
                if not extended:
                    dead_ends.append(game)
            self._games = games_ahead or [self._leave_dead_end(dead_ends)]

    def _extend_game(self, game: _RowGame) -> list[_RowGame]:
        """Return the games that continue a game by one pass."""
        first_graphs: dict[str, PassGraph | None] = {}
        extended: dict[str, _RowGame] = {}
        for row_kinds, second in self._list_stack_pairs(game):
            if row_kinds in extended:
                continue
            key = (game.state, row_kinds, second)
            if key not in self._pairs:
                self._pairs[key] = self._choose_pair(*key, first_graphs)
            pair = self._pairs[key]
            if pair is not None:
                extended[row_kinds] = game.add_pass(*pair)
            if len(extended) == self._branches:
                break
        if not extended and game.lookahead is not None:
            return [game.add_pass(game.lookahead)]
        return list(extended.values())

    def _list_stack_pairs(self, game: _RowGame) -> list[tuple[str, str]]:
        """Return pairs of stacks, of the next pass and of the pass after it, the cheapest first.

        Pairs are sorted by the cost of both stacks; without ``self.by_pairs`` by that of the first.
        The second stack is empty if the first carries nothing.
        """
        rows = 1 if self._is_wide else BUDGETS.most_rows
        ranked_pairs: list[tuple[float, str, str]] = []
        for row_kinds in self.context.list_row_stacks(game.state, rows):
            second_stacks = [""]
            if row_kinds[-1] in CARRIED:
                state_after = self.context.carry_all(game.state, row_kinds)
                second_stacks = self.context.list_row_stacks(state_after, rows)
            if self._is_wide and game.lookahead is not None and row_kinds.count("c") > 1:
                # The search for such pairs takes longest and succeeds once in a hundred times.
                second_stacks = [
                    second for second in second_stacks if second.count("c") < BUDGETS.most_lines
                ]
            ranked_pairs += [
                (estimate_cost(row_kinds) + estimate_cost(second), row_kinds, second)
                for second in second_stacks
            ]
        if self.by_pairs:
            ranked_pairs.sort(key=lambda pair: pair[0])
        return [(row_kinds, second) for _, row_kinds, second in ranked_pairs]

    def _choose_pair(
        self,
        state: RowState,
        row_kinds: str,
        second: str,
        first_graphs: dict[str, PassGraph | None],
    ) -> Pair | None:
        """Return a pass of a stack and a pass that could follow; None if there are none."""
        if row_kinds not in first_graphs:
            first_graphs[row_kinds] = self.choice.find_playable_graph(state, row_kinds)
        first = first_graphs[row_kinds]
        return None if first is None else self.choice.choose_with_another(state, first, second)

    def _leave_dead_end(self, dead_ends: list[_RowGame]) -> _RowGame:
        """Continue from a dead end by a fallback; otherwise mark the best clean game as stuck."""
        clean_games = [game for game in dead_ends if not game.state.carried]
        dead_ends.sort(key=_rank_by_rows)
        game = dead_ends.pop()  # each game is tried once
        if game.state not in self._fallbacks:
            self._fallbacks[game.state] = find_fallback(self.choice, game.state)
        pair = self._fallbacks[game.state]
        if pair is not None:
            return game.add_pass(*pair)
        if not clean_games:
            raise StuckError
        return replace(max(clean_games, key=_rank_by_rows), is_stuck=True)


def _rank_by_rows(game: _RowGame) -> tuple[int, float]:
    return game.state.rows, -game.cost
