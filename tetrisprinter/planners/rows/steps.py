"""Choose the next pass.

The search follows one game row by row, or with more effort a beam of several. Each game continues
with a pass that is chosen together with a possible next pass, which the carried squares must suit:
the pair that clears the fewest rows for what it prints. When several games are a few rows ahead,
the first pass of the best game is played, and games with another first pass are dropped. So the
memory does not grow with the picture.

If no game can be continued, a fallback is played
(:mod:`~tetrisprinter.planners.rows.fallback`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.choice import Pair, PassChoice
from tetrisprinter.planners.rows.fallback import clear_carried, find_fallback
from tetrisprinter.planners.rows.pass_context import PassContext, estimate_cost
from tetrisprinter.planners.rows.passes import PassGraph
from tetrisprinter.planners.rows.stacks import CARRIED
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.stages import Stage


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
