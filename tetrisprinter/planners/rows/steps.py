"""Choose the next pass.

The search follows one game row by row, or with more effort a beam of several. Each continues with a
pass that is chosen together with a possible next pass, so that the carried squares suit it: the
pair that clears the fewest rows for what it prints. When several games are a few rows ahead, the
first pass of the best one is played, and games with another first pass are dropped. So the memory
does not grow with the picture.

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
from tetrisprinter.planners.rows.slices import Slices
from tetrisprinter.planners.rows.stacks import CARRIED
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.run import Work
from tetrisprinter.planners.stages import Stage


class StuckError(Exception):
    """No pass was found that continues from a state."""


@dataclass(frozen=True, slots=True)
class _RowGame:
    """A game in the beam: its passes since the current state."""

    state: RowState  # what it leaves
    lines: int = 0  # the rows it has cleared
    steps: tuple[RowStep, ...] = ()  # its passes
    lookahead: RowStep | None = None  # a pass that can follow
    # Cleared rows, the lookahead included, minus the usual number for the picture rows that are
    # printed then
    cost: float = 0.0
    stuck: bool = False  # whether no pass is known that can follow

    def add_pass(self, step: RowStep, lookahead: RowStep | None = None) -> _RowGame:
        """Return this game with one more pass and its lookahead."""
        lines = self.lines + step.lines
        last = lookahead or step
        cost = lines + (lookahead.lines if lookahead else 0) - BUDGETS.usual_lines * last.after.rows
        return _RowGame(step.after, lines, (*self.steps, step), lookahead, cost)


class PassChooser:
    """The choice of passes for a picture, from the lowest row to the highest."""

    def __init__(self, context: PassContext, beam_width: int = 1, together: bool = True) -> None:
        self.context, self.together = context, together
        self._is_wide = context.width > BUDGETS.wide_board
        self.beam_width = beam_width
        self._lead = BUDGETS.most_games if self.beam_width > 1 else 1
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
        return Stage.PAIRS if self.together else Stage.PASSES

    def vary(self, work: Work, together: bool, beam_width: int = 1) -> PassChooser:
        """Return a chooser with other settings that shares the caches of this one."""
        context = replace(self.context, finder=self.context.finder.copy_with_work(work))
        other = PassChooser(context, beam_width, together)
        other.choice = self.choice.copy_for_context(context)
        other._pairs, other._fallbacks = self._pairs, self._fallbacks
        return other

    def find_next(self, state: RowState) -> Slices[RowStep]:
        """Return the next pass; after the last row, the pass that clears the rows above."""
        rows = self.context.target.rows
        if state != self._state:
            self._games = [_RowGame(state)]
        self._state = None
        if state.rows == rows:
            last = self._games[0].lookahead or clear_carried(self.choice, state)
            if last is None:
                raise StuckError
            return last
        yield from self._follow(min(rows, state.rows + self._lead))
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

    def _follow(self, until: int) -> Slices[None]:
        """Continue all games until the rows up to ``until`` are printed."""
        ends: list[_RowGame] = []
        while True:
            row = min(game.state.rows for game in self._games)
            if row >= until or self._games[0].stuck:
                return
            here = [game for game in self._games if game.state.rows == row]
            here.sort(key=lambda game: game.cost)
            ahead = [game for game in self._games if game.state.rows > row]
            known: set[RowState] = set()
            for game in here:
                if game.state in known or len(known) == self.beam_width:
                    continue
                known.add(game.state)
                grown = yield from self._extend_game(game)
                ahead += grown
                if not grown:
                    ends.append(game)
            self._games = ahead or [(yield from self._leave_dead_end(ends))]

    def _extend_game(self, game: _RowGame) -> Slices[list[_RowGame]]:
        """Return the continuations of a game by one pass."""
        firsts: dict[str, PassGraph | None] = {}
        grown: dict[str, _RowGame] = {}
        for word, second in self._list_stack_pairs(game):
            if word in grown:
                continue
            key = (game.state, word, second)
            if key not in self._pairs:
                self._pairs[key] = self._choose_pair(*key, firsts)
                yield
            found = self._pairs[key]
            if found is not None:
                grown[word] = game.add_pass(*found)
            if len(grown) == self._branches:
                break
        if not grown and game.lookahead is not None:
            return [game.add_pass(game.lookahead)]
        return list(grown.values())

    def _list_stack_pairs(self, game: _RowGame) -> list[tuple[str, str]]:
        """Return pairs of stacks, the next and the one after it, the cheapest first.

        The cost is that of both stacks; without ``self.together`` that of the first decides. The
        second stack is empty if the first carries nothing.
        """
        rows = 1 if self._is_wide else BUDGETS.most_rows
        found: list[tuple[float, str, str]] = []
        for word in self.context.list_row_stacks(game.state, rows):
            seconds = [""]
            if word[-1] in CARRIED:
                after = self.context.carry_all(game.state, word)
                seconds = self.context.list_row_stacks(after, rows)
            if self._is_wide and game.lookahead is not None and word.count("c") > 1:
                # The search for these takes longest and succeeds once in a hundred times.
                seconds = [second for second in seconds if second.count("c") < BUDGETS.most_lines]
            found += [
                (estimate_cost(word) + estimate_cost(second), word, second) for second in seconds
            ]
        if self.together:
            found.sort(key=lambda pair: pair[0])
        return [(word, second) for _, word, second in found]

    def _choose_pair(
        self, state: RowState, word: str, second: str, firsts: dict[str, PassGraph | None]
    ) -> Pair | None:
        """Choose a pass of a stack, and one that could follow; None if there are none."""
        if word not in firsts:
            firsts[word] = self.choice.find_playable_graph(state, word)
        first = firsts[word]
        return None if first is None else self.choice.choose_with_another(state, first, second)

    def _leave_dead_end(self, ends: list[_RowGame]) -> Slices[_RowGame]:
        """Continue from a dead end by a fallback; otherwise mark the best clean game as stuck."""
        clean = [game for game in ends if not game.state.carried]
        ends.sort(key=_rank_by_rows)
        game = ends.pop()  # each game is tried once
        if game.state not in self._fallbacks:
            self._fallbacks[game.state] = yield from find_fallback(self.choice, game.state)
        found = self._fallbacks[game.state]
        if found is not None:
            return game.add_pass(*found)
        if not clean:
            raise StuckError
        return replace(max(clean, key=_rank_by_rows), stuck=True)


def _rank_by_rows(game: _RowGame) -> tuple[int, float]:
    return game.state.rows, -game.cost
