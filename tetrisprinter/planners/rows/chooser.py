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
from tetrisprinter.planners.rows._kernel import PassGraph, PassSquares
from tetrisprinter.planners.rows.passes import (
    CARRIED,
    MAX_LINES,
    WIDE_BOARD,
    Columns,
    PassFinder,
    Pieces,
    choose_states,
    find_carried_columns,
    find_fullest_pieces,
    make_stack,
)
from tetrisprinter.planners.rows.target import (
    ANYTHING,
    MOST_LINES,
    USUAL_LINES,
    RowState,
    RowStep,
    RowTarget,
    estimate_cost,
)
from tetrisprinter.planners.run import Stage
from tetrisprinter.support.kernels import make_numbers, repeat_number

_NOTHING: Final[Columns] = frozenset()

MOST_GAMES: Final = 3
"""The greatest beam width; also the number of rows by which the games in the beam are ahead of the
pass that is played."""

_MOST_ROWS: Final = 2
"""Rows of the picture, at most, that a pass completes."""

_MOST_PAIRS: Final = 200
"""Pairs of states kept per column when two passes are chosen together."""

_GRAPH_MEMORY: Final = 2e6
"""States and steps of all cached graphs."""

MOST_PASSES: Final = 16
MOST_BRANCHES: Final = 3
"""For a row printed in several passes: the most passes, and the continuations tried after each pass
(also when an old picture is cleared)."""

_MISSING_COST: Final = 20.0
"""The estimated clearing squares for each square of the row that a pass leaves out."""

_PARTS_WORK: Final = 1.0
"""Work after which the first set of passes that prints a row is good enough."""

_MOST_SEARCHES: Final = 40
"""For a row printed in several passes: the most states whose continuations are searched."""


_MOST_PLATFORMS: Final = 6
"""The most platforms that are tried for a row."""


@dataclass(slots=True)
class RowInParts:
    """A depth-first search for passes that print a row together.

    Between these passes the row counts as printed: the ground of a state is what is filled in the
    row, and the carried squares are those left above it.
    """

    target: RowTarget  # the end of the game, on the board
    finder: PassFinder  # the search for passes
    start: RowState  # the board before; carried squares lie in the row
    cost_limit: float = inf  # the passes must cost fewer rows than this
    closed: Columns = _NOTHING  # columns in which nothing may be left above the row
    _work_end: float = field(init=False)
    # The passes after each state, and whether other squares lie in the row
    _results: dict[tuple[RowState, bool], list[RowStep] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # More states make attempts slower, so raise the limit to keep their number.
        factor = self.finder.beam / choose_states(self.target.width)
        self._work_end = self.finder.work.spent + _PARTS_WORK * factor

    @property
    def _is_late(self) -> bool:
        """Whether the search has used so much work that the first result is good enough."""
        return self.finder.work.spent > self._work_end

    @property
    def row(self) -> int:
        """The number of the printed row."""
        return self.start.rows

    @property
    def is_last(self) -> bool:
        """Whether the row is the last one, above which nothing may remain."""
        return self.row + 1 == self.target.rows

    def find_passes(self) -> RowStep | None:
        """Find passes that print the row; None if none are found."""
        stays = self.start.stays
        in_row = self.start.carried if stays else _NOTHING
        start = RowState(self.row + 1, in_row, _NOTHING)
        steps = self._find_rest(start, _NOTHING if stays else self.start.carried, 0)
        if not steps:
            return None
        return RowStep(tuple(step.passes[0] for step in steps), steps[-1].after, Stage.IN_PARTS)

    def _find_rest(self, state: RowState, carried: Columns, depth: int) -> list[RowStep] | None:
        """Return passes that print the missing squares and clear few rows; None if not found."""
        if depth and self._is_done(state):
            return []
        results, key = self._results, (state, bool(carried))
        if depth == MOST_PASSES or key in results or len(results) == _MOST_SEARCHES:
            return results.get(key)
        results[key] = None
        best = inf if depth else self.cost_limit
        candidates = self._list_next_passes(state, carried, best)
        candidates.sort(key=self._estimate_cost)
        for step in candidates[:MOST_BRANCHES]:
            if self._estimate_cost(step) >= best or (self._is_late and results[key] is not None):
                break
            rest = self._find_rest(step.after, _NOTHING, depth + 1)
            if rest is not None and self._compute_cost([step, *rest]) < best:
                results[key] = [step, *rest]
                best = self._compute_cost([step, *rest])
        return results[key]

    def _compute_cost(self, steps: list[RowStep]) -> float:
        """Return the number of rows that the passes clear, minus a credit for the squares above."""
        above = len(steps[-1].after.carried)
        return sum(step.lines for step in steps) - above / self.target.width

    def _estimate_cost(self, step: RowStep) -> float:
        """Return the rows that a pass clears, plus an estimate for the squares still missing."""
        missing, above = self.target.required[self.row] - step.after.ground, step.after.carried
        missing_cost = _MISSING_COST * (len(missing) + len(missing & above)) + len(above)
        return step.lines + missing_cost / self.target.width

    def _is_done(self, state: RowState) -> bool:
        """Return whether the row is complete and the squares above it may be carried."""
        if not self.target.required[self.row] <= state.ground:
            return False
        above = state.carried
        return not above or (not self.is_last and self.target.can_end(self.row + 1, len(above)))

    def _list_next_passes(
        self, state: RowState, carried: Columns, least_cost: float
    ) -> list[RowStep]:
        """Return passes that print more squares of the row, or clear the squares left above it."""
        steps: list[RowStep] = []
        has_squares = bool(state.ground or state.carried)
        for lines in range(1 if state.carried or carried else 0, MAX_LINES + 1):
            for row_kinds in _list_stacks(lines, has_squares, bool(carried)):
                ends = ("b", "") if self.is_last else ("b",)
                for end in ends:
                    if not self.target.has_room(self.start, row_kinds + end):
                        continue
                    step = self._find_pass(row_kinds + end, state, carried)
                    if step is not None:
                        if self._is_late or not self.is_last:
                            least_cost = min(least_cost, self._estimate_cost(step))
                        steps.append(step)
            if lines + 1 >= least_cost:
                break
        return steps

    def _find_pass(self, row_kinds: str, state: RowState, carried: Columns) -> RowStep | None:
        """Return the pass that leaves the most squares of the row; None if it adds no square.

        A pass without a top row ``b`` may add no square: it clears the squares above the row.
        """
        width, row, is_open = self.target.width, row_kinds.index("p"), row_kinds[-1] == "b"
        needed, stack, in_row = self.target.required[self.row], make_stack(row_kinds), state.ground
        squares = self.target.describe_squares(
            stack, RowState(self.row, self.start.ground, in_row | carried)
        )
        for x in state.carried:
            squares.before[x] |= 1 << row + 1
        if is_open:
            closed = needed - in_row if in_row else _NOTHING
            for x in closed | self.closed:
                squares.allowed[x, len(row_kinds) - 1] = 0
        for x, must in enumerate(squares.must):
            squares.wanted[x] = must & 1 << row
            squares.must[x] = must & ~(squares.before[x] | 1 << row)
        pieces = find_fullest_pieces(self.finder.explore(stack, squares), row, needed)
        if pieces is None:
            return None
        cells = [cell for piece, _ in pieces for cell in piece.cells]
        filled = in_row | {x for x, y in cells if y == row}
        top = frozenset(x for x, y in cells if is_open and y == len(row_kinds) - 1)
        added = len((filled - in_row) & needed) + (not is_open)
        if not added or len(filled) == width or len(top) == width:
            return None
        return RowStep(((row_kinds, pieces),), RowState(self.row + 1, filled, top))


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


def print_on_platform(target: RowTarget, finder: PassFinder, state: RowState) -> RowStep | None:
    """Return a step that prints the next row on a platform; None if there is none.

    If no platform fits over the carried squares, a pass first adds squares to them. After the last
    row nothing is left above.
    """
    step = _print_on_first_platform(target, finder, state)
    if step is None and state.carried:
        for carrying_step in _carry_more(target, finder, state):
            step = _print_on_first_platform(target, finder, carrying_step.after)
            if step is not None:
                return replace(step, passes=(*carrying_step.passes, *step.passes))
    return step


def _print_on_first_platform(
    target: RowTarget, finder: PassFinder, state: RowState
) -> RowStep | None:
    """Return a step that prints a row on the first suitable platform; None if there is none."""
    tried = 0
    surplus = "b" if len(state.carried) % 4 else ""
    if not target.has_room(state, "b" * PLATFORM_ROWS + surplus):
        return None
    for row_kinds, slot in _list_platforms(target, state):
        base = _build_base(target, finder, state, row_kinds + surplus, slot)
        if base is None:
            continue
        row_step = _print_above(target, finder, state, row_kinds, slot, base)
        if row_step is not None:
            last = "c" * PLATFORM_ROWS, ((slot, 0),)
            return RowStep(
                ((row_kinds + surplus, base), *row_step.passes, last),
                row_step.after,
                Stage.PLATFORM,
            )
        tried += 1
        if tried == _MOST_PLATFORMS:
            break
    return None


def _print_above(
    target: RowTarget,
    finder: PassFinder,
    state: RowState,
    row_kinds: str,
    slot: Placement,
    base: Pieces,
) -> RowStep | None:
    """Print a row on a platform; nothing is left above the slot."""
    # Don't-care squares must not block the slot either.
    slot_columns = frozenset(x for x, _ in slot.cells)
    allowed = list(target.allowed)
    allowed[state.rows] = tuple(
        0 if x in slot_columns else mask for x, mask in enumerate(allowed[state.rows])
    )
    full = frozenset(range(target.width)) - slot_columns
    carried = frozenset(x for piece, _ in base for x, y in piece.cells if y == len(row_kinds))
    target_above = RowTarget(tuple(allowed), target.required, target.height - row_kinds.count("b"))
    start = RowState(state.rows, full, carried)
    return RowInParts(target_above, finder, start, closed=slot_columns).find_passes()


def _build_base(
    target: RowTarget, finder: PassFinder, state: RowState, row_kinds: str, slot: Placement
) -> Pieces | None:
    """Return the pieces of a platform above the existing rows; None if no platform fits."""
    required = repeat_number((1 << PLATFORM_ROWS) - 1, target.width)
    allowed = repeat_number(ANYTHING, target.width * len(row_kinds))
    for x, y in slot.cells:
        for row in range(y, len(row_kinds)):
            allowed[x * len(row_kinds) + row] = 0
        required[x] &= ~(1 << y)
    chosen = finder.choose_pieces(
        _explore_pass(target, finder, state, row_kinds, required, allowed), state.carried, None, 1
    )
    return None if chosen is None else chosen[0]


def _carry_more(target: RowTarget, finder: PassFinder, state: RowState) -> Iterator[RowStep]:
    """Yield passes that add squares to the carried row and clear the rows above this row."""
    for lines in range(1, MAX_LINES + 1):
        row_kinds = "p" + "c" * lines
        if not target.has_room(state, row_kinds):
            return
        required = repeat_number((1 << len(row_kinds)) - 2, target.width)
        allowed = repeat_number(ANYTHING, target.width * len(row_kinds))
        graph = _explore_pass(target, finder, state, row_kinds, required, allowed)
        pieces = find_fullest_pieces(graph, 0, frozenset(range(target.width)))
        if pieces is not None:
            added = frozenset(x for piece, _ in pieces for x, y in piece.cells if not y)
            if added and len(added | state.carried) < target.width:
                wider = RowState(state.rows, state.ground, added | state.carried)
                yield RowStep(((row_kinds, pieces),), wider)


def _explore_pass(
    target: RowTarget,
    finder: PassFinder,
    state: RowState,
    row_kinds: str,
    required: array[int],
    allowed: array[int],
) -> PassGraph:
    """Return the graph of a pass that prints no row of the picture."""
    stack = make_stack(row_kinds)
    squares = target.describe_squares(stack, state)
    needed = make_numbers(
        rows & ~filled for rows, filled in zip(required, squares.before, strict=True)
    )
    squares = PassSquares(squares.before, needed, squares.wanted, allowed, squares.ground)
    return finder.explore(stack, squares)


def _list_platforms(target: RowTarget, state: RowState) -> Iterator[tuple[str, Placement]]:
    """Yield the stacks of platforms and their slots, in columns without squares of the row.

    If the slot is for a hooked J or L, the lowest row of the platform clears before it carries
    anything, so the slot needs no support. A slot for an upright I must be over a square.
    """
    squares, width = target.required[state.rows], target.width
    hook_columns = [x for x in range(width - 1) if squares.isdisjoint((x, x + 1))]
    for x in sorted(hook_columns, key=lambda x: min(x, width - 2 - x)):
        for hook in _HOOKS:
            yield "c" + "b" * (PLATFORM_ROWS - 1), Placement(hook, x, 1)
    for x in sorted(state.ground - squares - state.carried):
        yield "b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0)


Pair = tuple[RowStep, RowStep | None]
"""A pass and a possible next pass; None instead of the next pass if the first carries nothing."""


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
        cost = lines + (lookahead.lines if lookahead else 0) - USUAL_LINES * last.after.rows
        return _RowGame(step.after, lines, (*self.steps, step), lookahead, cost)


class PassChooser:
    """The choice of passes for a picture, from the lowest row to the highest.

    Its caches of graphs, pairs and fallbacks serve several prints of the picture.
    """

    def __init__(self, target: RowTarget, finder: PassFinder, beam_width: int = 1) -> None:
        self.target, self.finder, self.beam_width = target, finder, beam_width
        self._by_pairs = True
        self._is_wide = target.width > WIDE_BOARD
        self._rows_ahead = MOST_GAMES if beam_width > 1 else 1
        self._branches = 2 if beam_width > 1 else 1
        self._all_columns = frozenset(range(target.width))
        # The oldest graph comes first; the last part of a key marks an exact search that gave up
        self._graphs: dict[tuple[RowState, str, Columns, bool], PassGraph] = {}
        self._graph_size = 0
        self._pairs: dict[tuple[RowState, str, str], Pair | None] = {}
        self._fallbacks: dict[RowState, Pair | None] = {}
        self._state: RowState | None = None
        self._games: list[_RowGame] = []

    @property
    def stage(self) -> Stage:
        """The stage that is named in results."""
        if self.beam_width > 1:
            return Stage.SEVERAL_GAMES
        return Stage.PAIRS if self._by_pairs else Stage.PASSES

    def begin(self, by_pairs: bool) -> None:
        """Begin another print, in which passes are ranked by pairs or alone."""
        self._by_pairs, self._state = by_pairs, None

    # -- games -----------------------------------------------------------------------------------

    def find_next(self, state: RowState) -> RowStep | None:
        """Return the next pass; None if no pass is found that continues from the state.

        After the last row it is the pass that clears the carried squares.
        """
        rows = self.target.rows
        if state != self._state:
            self._games = [_RowGame(state)]
        self._state = None
        if state.rows == rows:
            return self._games[0].lookahead or self._clear_carried(state)
        self._advance_games(min(rows, state.rows + self._rows_ahead))
        best = min(self._games, key=lambda game: game.cost, default=None)
        if best is None or not best.steps:
            return None
        step = best.steps[0]
        self._games = [
            replace(game, lines=game.lines - step.lines, steps=game.steps[1:])
            for game in self._games
            if game.steps[0] == step
        ]
        self._state = step.after
        return step

    def _advance_games(self, end_row: int) -> None:
        """Continue all games until the rows below ``end_row`` are printed, or no game is left."""
        dead_ends: list[_RowGame] = []
        while self._games and not self._games[0].is_stuck:
            row = min(game.state.rows for game in self._games)
            if row >= end_row:
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
            self._games = games_ahead or self._leave_dead_end(dead_ends)

    def _extend_game(self, game: _RowGame) -> list[_RowGame]:
        """Return the games that continue a game by one pass."""
        first_graphs: dict[str, PassGraph | None] = {}
        extended: dict[str, _RowGame] = {}
        for row_kinds, second in self._list_stack_pairs(game):
            if row_kinds in extended:
                continue
            key = (game.state, row_kinds, second)
            if key not in self._pairs:
                if row_kinds not in first_graphs:
                    first_graphs[row_kinds] = self._find_playable_graph(game.state, row_kinds)
                first = first_graphs[row_kinds]
                self._pairs[key] = (
                    None if first is None else self._choose_pair(game.state, first, second)
                )
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

        Pairs are sorted by the cost of both stacks, or by that of the first. The second stack is
        empty if the first carries nothing.
        """
        rows = 1 if self._is_wide else _MOST_ROWS
        ranked_pairs: list[tuple[float, str, str]] = []
        for row_kinds in self.target.list_row_stacks(game.state, rows):
            second_stacks = [""]
            if row_kinds[-1] in CARRIED:
                state_after = self.target.carry_all(game.state, row_kinds)
                second_stacks = self.target.list_row_stacks(state_after, rows)
            if self._is_wide and game.lookahead is not None and row_kinds.count("c") > 1:
                # The search for such pairs takes longest and succeeds once in a hundred times.
                second_stacks = [
                    second for second in second_stacks if second.count("c") < MOST_LINES
                ]
            ranked_pairs += [
                (estimate_cost(row_kinds) + estimate_cost(second), row_kinds, second)
                for second in second_stacks
            ]
        if self._by_pairs:
            ranked_pairs.sort(key=lambda pair: pair[0])
        return [(row_kinds, second) for _, row_kinds, second in ranked_pairs]

    def _leave_dead_end(self, dead_ends: list[_RowGame]) -> list[_RowGame]:
        """Continue from a dead end by a fallback; else mark the best clean game as stuck."""
        clean_games = [game for game in dead_ends if not game.state.carried]
        dead_ends.sort(key=_rank_by_rows)
        game = dead_ends.pop()  # each game is tried once
        if game.state not in self._fallbacks:
            self._fallbacks[game.state] = self._find_fallback(game.state)
        pair = self._fallbacks[game.state]
        if pair is not None:
            return [game.add_pass(*pair)]
        if not clean_games:
            return []
        return [replace(max(clean_games, key=_rank_by_rows), is_stuck=True)]

    # -- fallbacks -------------------------------------------------------------------------------

    def _find_fallback(self, state: RowState) -> Pair | None:
        """Print a row by a fallback, or else clear the carried squares; None if both fail."""
        step = self._find_single_pass(state)
        if step is not None:
            return step, None
        clearing_step = self._clear_carried(state, Stage.CLEARED) if state.carried else None
        next_step, cost_limit = None, inf
        if clearing_step is not None:
            next_step = self._find_single_pass(clearing_step.after)
            if next_step is not None:
                credit = len(next_step.after.carried) / self.target.width
                cost_limit = clearing_step.lines + next_step.lines - credit
        row_step = RowInParts(self.target, self.finder, state, cost_limit).find_passes()
        if row_step is not None:
            return row_step, None
        if clearing_step is not None and next_step is not None:
            return clearing_step, next_step
        pair = self._clear_and_carry(state) if state.carried else None
        if pair is not None:
            return replace(pair[0], fallback=Stage.CARRIED_AGAIN), pair[1]
        return None if clearing_step is None else (clearing_step, None)

    def _clear_carried(self, state: RowState, fallback: str = "") -> RowStep | None:
        """Return a step that clears the carried squares and carries nothing; None if none is."""
        for lines in range(1, MAX_LINES + 1):
            cells = self.target.width * lines - len(state.carried)
            if cells % 4 == 0 and self.target.has_room(state, "c" * lines):
                step = self._choose_alone(
                    state, self._find_graph(state, "c" * lines), fallback=fallback
                )
                if step is not None:
                    return step
        return None

    def _find_single_pass(self, state: RowState) -> RowStep | None:
        """Print a row in one pass, whatever squares it carries; return None if there is none."""
        for lines in range(MAX_LINES + 1):
            for row_kinds in self.target.list_stacks(state, lines):
                graph = self._find_graph(state, row_kinds)
                step = self._choose_alone(state, graph, fallback=Stage.SINGLE_PASS)
                if step is not None:
                    return step
        return None

    def _clear_and_carry(self, state: RowState) -> Pair | None:
        """Clear the carried squares and carry others over which the row can be printed, or None."""
        for lines in range(2, 2 * MOST_LINES + 1):
            for first_lines in range(1, min(MOST_LINES, lines - 1) + 1):
                for top_kind in CARRIED:
                    row_kinds = "c" * first_lines + top_kind
                    if lines - first_lines > MOST_LINES or not self.target.has_room(
                        state, row_kinds
                    ):
                        continue
                    first = self._find_playable_graph(state, row_kinds)
                    if first is None:
                        continue
                    # Squares that must stay lie in the lowest row of the next pass.
                    lowest = "p" if top_kind == "q" else "c"
                    for second in self.target.list_stacks(state, lines - first_lines, True):
                        if second[0] == lowest:
                            pair = self._choose_pair(state, first, second)
                            if pair is not None:
                                return pair
        return None

    # -- passes and their graphs -----------------------------------------------------------------

    def _choose_alone(
        self, state: RowState, graph: PassGraph, fallback: str = ""
    ) -> RowStep | None:
        """Return a pass chosen from its graph without looking ahead; None if there is none."""
        chosen = self.finder.choose_pieces(graph, state.carried, None, _MOST_PAIRS)
        if chosen is None:
            return None
        return self._make_step(state, graph.stack.row_kinds, chosen[0], fallback)

    def _choose_pair(self, state: RowState, first: PassGraph, second: str) -> Pair | None:
        """Return a pass and a possible next pass, chosen together; None if no passes agree."""
        row_kinds = first.stack.row_kinds
        if row_kinds[-1] not in CARRIED:
            step = self._choose_alone(state, first)
            return None if step is None else (step, None)
        second_graph = self._find_graph_after(
            self.target.carry_all(state, row_kinds), second, first
        )
        chosen = self.finder.choose_pieces(first, state.carried, second_graph, _MOST_PAIRS)
        step = None if chosen is None else self._make_step(state, row_kinds, chosen[0])
        if step is None or chosen is None:
            return None
        lookahead = self._make_step(step.after, second, chosen[1])
        return None if lookahead is None else (step, lookahead)

    def _make_step(
        self, state: RowState, row_kinds: str, pieces: Pieces, fallback: str = ""
    ) -> RowStep | None:
        """Return the step of a pass; None if it fills a row that must stay, or no count fits."""
        filled: list[set[int]] = [set() for _ in row_kinds]
        for piece, _ in pieces:
            for x, row in piece.cells:
                filled[row].add(x)
        filled[0] |= state.carried
        rows, ground, carried = state.rows, state.ground, _NOTHING
        for kind, columns in zip(row_kinds, filled, strict=True):
            if kind == "p":
                rows, ground = rows + 1, frozenset(columns)
            elif kind in CARRIED:
                carried = frozenset(columns)
            if kind != "c" and len(columns) == self.target.width:
                return None
        if not self.target.can_end(rows, len(carried)):
            return None
        stays = row_kinds[-1] == "q" and bool(carried)
        return RowStep(((row_kinds, pieces),), RowState(rows, ground, carried, stays), fallback)

    def _find_playable_graph(self, state: RowState, row_kinds: str) -> PassGraph | None:
        """Return the graph of a pass; None if no way to play it fits the carried squares."""
        graph = self._find_graph(state, row_kinds)
        return graph if self.finder.can_play(graph, state.carried) else None

    def _find_graph(self, state: RowState, row_kinds: str) -> PassGraph:
        """Return the graph of a pass: a complete one from the cache, or else a new one."""
        free = self._all_columns if state.carried else _NOTHING
        cached = self._graphs.get((state.carry(_NOTHING), row_kinds, free, False))
        if cached is not None and cached.is_complete:
            return cached
        return self._explore(state, row_kinds)

    def _find_graph_after(self, state: RowState, row_kinds: str, first: PassGraph) -> PassGraph:
        """Return the graph of a pass after ``first``, over squares that ``first`` may carry.

        A complete graph over any carried squares serves every first pass. On a wide board such a
        graph is nearly always incomplete, so it is not tried there.
        """
        if not state.carried:
            return self._find_graph_over(state, row_kinds, _NOTHING)
        if not self._is_wide:
            clean = state.carry(_NOTHING)
            graph = self._find_graph_over(clean, row_kinds, self._all_columns, exact=True)
            if graph.is_complete:
                return graph
        never, always = find_carried_columns(first)
        free = self._all_columns - never - always
        return self._find_graph_over(state.carry(always), row_kinds, free)

    def _find_graph_over(
        self, state: RowState, row_kinds: str, free: Columns, exact: bool = False
    ) -> PassGraph:
        """Return the cached graph of a pass over carried squares and any of the free columns.

        If memory is short, the oldest graphs are forgotten.
        """
        key = (state, row_kinds, free)
        graph = self._graphs.get((*key, False))
        if graph is None and exact:
            graph = self._graphs.get((*key, True))
        if graph is None:
            graph = self._explore(state, row_kinds, free, exact)
            self._graph_size += graph.size
            while self._graphs and self._graph_size > _GRAPH_MEMORY:
                self._graph_size -= self._graphs.pop(next(iter(self._graphs))).size
            self._graphs[(*key, exact and not graph.is_complete)] = graph
        return graph

    def _explore(
        self, state: RowState, row_kinds: str, free: Columns = _NOTHING, exact: bool = False
    ) -> PassGraph:
        """Return a new graph of a pass over carried squares and any of the free columns."""
        stack = make_stack(row_kinds)
        squares = self.target.describe_squares(stack, state)
        return self.finder.explore(stack, squares, free, exact)


def _rank_by_rows(game: _RowGame) -> tuple[int, float]:
    return game.state.rows, -game.cost
