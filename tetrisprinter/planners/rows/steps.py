"""Which pass comes next.

A game, or with more effort several side by side, is followed row after row. Each goes on with
a pass that is chosen together with one that could follow it, so that what it begins suits that:
the two that clear the fewest rows for what they print together. Of several games, once they
are a few rows ahead, the first pass of the best is played and the games that do not begin with
it are forgotten: so what has to be remembered does not grow with the picture.

Where no game is known to go on, a pass is chosen alone, with more clearing rows and more
states; or what is begun is cleared and something else begun in its place that the row can be
printed over; in the end nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.passes.stack import BEGUN
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.parts import RowInParts
from tetrisprinter.planners.rows.passes import Columns, Finder, Graph, Pieces, drop_order
from tetrisprinter.planners.rows.stacks import MAX_ROWS, stack_of
from tetrisprinter.planners.rows.target import RowTarget, State
from tetrisprinter.planners.run import Work
from tetrisprinter.planners.stages import Stage

__all__ = ["Step", "Steps", "StuckError"]

_ROWS: Final = 2
"""Rows of the picture, at most, that a pass completes."""
_WIDE: Final = 40
"""On more columns one game is followed, a row at a time: more would take too long."""


class StuckError(Exception):
    """Nothing is known that goes on from a state."""


@dataclass(frozen=True, slots=True)
class Step:
    """A pass that is played; where a row takes several, all of these.

    Attributes
    ----------
    passes : tuple of (str, Pieces)
        The stack of each, and its pieces with their levels.
    after : State
        What lies there after it.
    way : str
        How it was found where no pass was found together with one that could follow it.
    """

    passes: tuple[tuple[str, Pieces], ...]
    after: State
    way: str = ""

    @property
    def lines(self) -> int:
        """How many rows are cleared."""
        return sum(word.count("c") for word, _ in self.passes)

    def played(self) -> tuple[Pass, ...]:
        """Return what is dropped."""
        return tuple(Pass(len(word), drop_order(pieces)) for word, pieces in self.passes)


_Pair = tuple[Step, Step | None]
"""A pass, and one that could follow unless it begins nothing."""


@dataclass(frozen=True, slots=True)
class _Game:
    """A game that is followed: its passes since the state it began at.

    Attributes
    ----------
    state : State
        What it leaves.
    lines : int
        The rows it has cleared.
    steps : tuple of Step
        Its passes.
    lookahead : Step or None
        A pass that is known to go on from there.
    cost : float
        Rows that were cleared, with those of the lookahead, less what is usual for the rows that
        are printed by that.
    stuck : bool
        Whether nothing is known that goes on from there.
    """

    state: State
    lines: int = 0
    steps: tuple[Step, ...] = ()
    lookahead: Step | None = None
    cost: float = 0.0
    stuck: bool = False

    def and_then(self, step: Step, lookahead: Step | None = None) -> _Game:
        """Return this game with one more pass, and one that could follow."""
        lines = self.lines + step.lines
        last = lookahead or step
        cost = lines + (lookahead.lines if lookahead else 0) - BUDGETS.usual * last.after.rows
        return _Game(step.after, lines, (*self.steps, step), lookahead, cost)


class Steps:
    """Chooses passes for a picture, from the lowest row to the highest.

    Parameters
    ----------
    target : RowTarget
        The end of the game.
    height : int
        Rows of the board.
    beam : int
        States kept per column.
    beam_width : int
        How many games are followed side by side.
    work : Work, optional
        Where it is counted how much is searched.

    Attributes
    ----------
    together : bool
        Whether a pass and the next are to be the cheapest pair, or the pass alone as cheap as it
        can be. Which is better in the end is up to the picture. What came of a pair is
        remembered, so to begin anew in the other way takes little time.
    """

    def __init__(
        self,
        target: RowTarget,
        height: int,
        beam: int,
        beam_width: int = 1,
        work: Work | None = None,
    ) -> None:
        self.target, self.height, self.beam = target, height, beam
        self._is_wide = target.width > _WIDE
        self.together = True
        self._tried: dict[tuple[State, str, str], _Pair | None] = {}
        self._fallbacks: dict[State, _Pair | None] = {}
        self._rows = 1 if self._is_wide else _ROWS
        self.follow(beam_width)
        self.finder = Finder(target.width, beam * BUDGETS.patience, work)
        self._all = frozenset(range(target.width))
        self._ahead: dict[tuple[State, str, Columns, bool], Graph] = {}
        self._kept = 0
        self._state: State | None = None
        self._games: list[_Game] = []

    def follow(self, beam_width: int) -> None:
        """Follow so many games side by side from the next pass on; one on a wide board."""
        self.beam_width = 1 if self._is_wide else beam_width
        self._lead = BUDGETS.games if self.beam_width > 1 else 1
        self._branches = 2 if self.beam_width > 1 else 1

    def next(self, state: State) -> Step:
        """Return the next pass; after the last row, the one that clears what lies above it.

        Raises
        ------
        StuckError
            If none is found.
        """
        if state != self._state:
            self._games = [_Game(state)]
        self._state = None
        if state.rows == self.target.rows:
            last = self._games[0].lookahead or self._cleared(state)
            if last is None:
                raise StuckError
            return last
        self._follow(min(self.target.rows, state.rows + self._lead))
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

    def _follow(self, until: int) -> None:
        """Go on with all games until so many rows are printed."""
        ends: list[_Game] = []
        while True:
            row = min(game.state.rows for game in self._games)
            if row >= until or self._games[0].stuck:
                return
            here = [game for game in self._games if game.state.rows == row]
            here.sort(key=lambda game: game.cost)
            ahead = [game for game in self._games if game.state.rows > row]
            known: set[State] = set()
            for game in here:
                if game.state in known or len(known) == self.beam_width:
                    continue
                known.add(game.state)
                grown = self._grown(game)
                ahead += grown
                if not grown:
                    ends.append(game)
            self._games = ahead or [self._from_dead_end(ends)]

    def _grown(self, game: _Game) -> list[_Game]:
        """Return a game with each of the passes it goes on with."""
        firsts: dict[str, Graph | None] = {}
        grown: dict[str, _Game] = {}
        for word, second in self._pairs(game):
            if word in grown:
                continue
            key = (game.state, word, second)
            if key not in self._tried:
                self._tried[key] = self._pair(*key, firsts)
            found = self._tried[key]
            if found is not None:
                grown[word] = game.and_then(*found)
            if len(grown) == self._branches:
                break
        if not grown and game.lookahead is not None:
            return [game.and_then(game.lookahead)]
        return list(grown.values())

    def _pairs(self, game: _Game) -> list[tuple[str, str]]:
        """Return the stacks to go on with, each with one that could follow, the cheapest first.

        What counts is what both clear for what both print, then the first alone; or only that.
        The second is empty where the first begins nothing.
        """
        state = game.state
        found: list[tuple[float, str, str]] = []
        for word in self._words(state):
            seconds = self._words(self._begun(state, word)) if word[-1] in BEGUN else [""]
            if self._is_wide and game.lookahead is not None and word.count("c") > 1:
                # Searched for longest, found once in a hundred times.
                seconds = [second for second in seconds if second.count("c") < BUDGETS.lines]
            found += [(_cost(word) + _cost(second), word, second) for second in seconds]
        if self.together:
            found.sort(key=lambda pair: pair[0])
        return [(word, second) for _, word, second in found]

    def _begun(self, state: State, word: str) -> State:
        """Return what a pass may leave, all of the row above it begun."""
        rows = state.rows + word.count("p")
        ground = self.target.columns(rows - 1) if rows > state.rows else state.ground
        begun = self._all if word[-1] in BEGUN else frozenset()
        return State(rows, ground, begun, word[-1] == "q")

    def _pair(
        self, state: State, word: str, second: str, firsts: dict[str, Graph | None]
    ) -> _Pair | None:
        """Choose a pass of a stack, and one that could follow; None if there are none."""
        if word not in firsts:
            graph = self._graph(state, word)
            firsts[word] = graph if self.finder.exists(graph, state.carried) else None
        first = firsts[word]
        return None if first is None else self._with_another(state, first, second)

    def _with_another(self, state: State, first: Graph, second: str) -> _Pair | None:
        """Choose a pass together with one that could follow; alone if it begins nothing."""
        word, carried = first.stack.word, state.carried
        if word[-1] not in BEGUN:
            step = self._alone(state, first)
            return None if step is None else (step, None)
        follows = self._after(self._begun(state, word), second, first)
        found = self.finder.meet(first, carried, follows, BUDGETS.pairs)
        step = None if found is None else self._step(state, word, found[0])
        if step is None or found is None:
            return None
        lookahead = self._step(step.after, second, found[1])
        return None if lookahead is None else (step, lookahead)

    def _alone(self, state: State, graph: Graph) -> Step | None:
        found = self.finder.meet(graph, state.carried, None, BUDGETS.pairs)
        return None if found is None else self._step(state, graph.stack.word, found[0])

    def _from_dead_end(self, ends: list[_Game]) -> _Game:
        """Go on from a dead end; if that is not known, from a clean row others may.

        Raises
        ------
        StuckError
            If there is none of either.
        """
        clean = [game for game in ends if not game.state.carried]
        ends.sort(key=lambda game: (game.state.rows, -game.cost))
        for _ in range(min(BUDGETS.fallbacks, len(ends))):
            game = ends.pop()
            if game.state not in self._fallbacks:
                self._fallbacks[game.state] = self._fallback(game.state)
            found = self._fallbacks[game.state]
            if found is not None:
                return game.and_then(*found)
        if not clean:
            raise StuckError
        return replace(max(clean, key=lambda game: (game.state.rows, -game.cost)), stuck=True)

    def _fallback(self, state: State) -> _Pair | None:
        """Print a row in a way that takes long, or clear what is begun."""
        step = self._by_itself(state, self.beam)
        if step is not None:
            return step, None
        cleared = self._cleared(state) if state.carried else None
        anew, most = None, inf
        if cleared is not None:
            cleared = replace(cleared, way=Stage.CLEARED)
            anew = self._by_itself(cleared.after, self.beam)
            most = inf if anew is None else cleared.lines + self._wasted(anew)
        parts = self._in_parts(state, most)
        if parts is not None:
            return parts, None
        if cleared is not None and anew is not None:
            return cleared, anew
        found = self._begun_anew(state) if state.carried else None
        if found is not None:
            return replace(found[0], way=Stage.BEGUN_ANEW), found[1]
        return None if cleared is None else (cleared, None)

    def _wasted(self, step: Step) -> float:
        """Return the rows that are cleared, less what is begun of the next."""
        return step.lines - len(step.after.carried) / self.target.width

    def _by_itself(self, state: State, beam: int) -> Step | None:
        """Print a row in one pass, whatever that begins."""
        for lines in range(BUDGETS.most_lines + 1):
            for word in self._one_row(state, lines):
                step = self._alone(state, self._graph(state, word, beam))
                if step is not None:
                    return replace(step, way=Stage.BY_ITSELF)
        return None

    def _in_parts(self, state: State, most: float) -> Step | None:
        """Print a row in several passes that waste fewer rows; what is left begins the next."""
        last = state.rows + 1 == self.target.rows
        row = RowInParts(self.finder, self.target, self.height, state, self.beam, last, most)
        parts = row.found()
        if not parts:
            return None
        after = State(state.rows + 1, parts[-1].left, parts[-1].above)
        return Step(tuple((part.word, part.pieces) for part in parts), after, Stage.IN_PARTS)

    def _begun_anew(self, state: State) -> _Pair | None:
        """Clear what is begun, beginning something that the row can be printed over."""
        for lines in range(2, 2 * BUDGETS.lines + 1):
            for number in range(1, min(BUDGETS.lines, lines - 1) + 1):
                for end in BEGUN:
                    word = "c" * number + end
                    if lines - number > BUDGETS.lines or state.rows + len(word) > self.height:
                        continue
                    # Squares that are to stay are the lowest of the next pass.
                    lowest = "p" if end == "q" else "c"
                    graph = self._graph(state, word)
                    if not self.finder.exists(graph, state.carried):
                        continue
                    for second in self._one_row(state, lines - number, begun=True):
                        pair = None
                        if second[0] == lowest:
                            pair = self._with_another(state, graph, second)
                        if pair is not None:
                            return pair
        return None

    def _cleared(self, state: State) -> Step | None:
        """Clear what is begun and begin nothing."""
        for lines in range(1, BUDGETS.most_lines + 1):
            left = self.target.width * lines - len(state.carried)
            if left % 4 == 0 and state.rows + lines <= self.height:
                step = self._alone(state, self._graph(state, "c" * lines))
                if step is not None:
                    return step
        return None

    def _words(self, state: State) -> list[str]:
        """Return the stacks to go on with, the cheapest first for what they print."""
        left = self.target.rows - state.rows
        words = []
        for rows in range(1, min(left, self._rows) + 1):
            ends = ("b", "q") if rows < left else ("",)
            for lines in range(BUDGETS.lines + 1):
                words += ["c" * lines + "p" * rows + end for end in ends]
                if lines:
                    words += ["p" + "c" * lines + "p" * (rows - 1) + end for end in ends]
        words = [word for word in words if self._fits(state, word)]
        return sorted(words, key=lambda word: (_cost(word), len(word)))

    def _one_row(self, state: State, lines: int, begun: bool = False) -> Iterator[str]:
        """Yield the stacks that print the next row with so many lines."""
        if begun:
            state = replace(state, carried=self._all, stays=True)
        last = state.rows + 1 == self.target.rows
        if last and not begun and self.target.is_exact(state.rows):
            cells = self.target.width * lines + len(self.target.columns(state.rows))
            if (cells - len(state.carried)) % 4:
                return
        for below in range(lines, -1, -1):
            word = "c" * below + "p" + "c" * (lines - below) + ("" if last else "b")
            if self._fits(state, word):
                yield word

    def _fits(self, state: State, word: str) -> bool:
        """Whether a stack fits the board and what is begun on it."""
        if len(word) > min(MAX_ROWS, self.height - state.rows):
            return False
        return word[0] == "c" or state.stays or not state.carried

    def _graph(self, state: State, word: str, beam: int = 0) -> Graph:
        """Return the ways to play a pass; with more states than usual if that is asked."""
        free = self._all if state.carried else frozenset()
        known = self._ahead.get((replace(state, carried=frozenset()), word, free, False))
        if known is not None and known.certain:
            return known
        stack = stack_of(word)
        squares = self.target.squares(stack, state.rows, state.ground, state.carried)
        return self.finder.explore(stack, squares, beam or self.beam)

    def _after(self, state: State, word: str, first: Graph) -> Graph:
        """Return the ways to play a pass over whatever another one may begin.

        That is, over anything; unless not all of those ways could be kept.
        """
        if not state.carried:
            return self._over(state, word, frozenset(), frozenset())
        graph = self._over(state, word, state.carried, frozenset(), sure=True)
        if graph.certain:
            return graph
        never, always = first.begun()
        return self._over(state, word, self._all - never - always, always)

    def _over(
        self, state: State, word: str, free: Columns, begun: Columns, sure: bool = False
    ) -> Graph:
        """Return the ways over some squares that are begun, and some that may be; kept.

        If only all of those ways will do, what is not certain is empty.
        """
        key = (replace(state, carried=begun), word, free)
        known = self._ahead.get((*key, False))
        if known is None and sure:
            known = self._ahead.get((*key, True))
        if known is None:
            stack = stack_of(word)
            squares = self.target.squares(stack, state.rows, state.ground, begun)
            known = self.finder.explore(stack, squares, self.beam, free, sure)
            self._kept += known.size
            while self._ahead and self._kept > BUDGETS.graphs:
                self._kept -= self._ahead.pop(next(iter(self._ahead))).size
            self._ahead[*key, sure and not known.certain] = known
        return known

    def _step(self, state: State, word: str, pieces: Pieces) -> Step | None:
        """Return the step; None if it fills a row that must stay, or no count leads on."""
        filled: list[set[int]] = [set() for _ in word]
        for piece, _ in pieces:
            for x, v in piece.cells:
                filled[v].add(x)
        filled[0] |= state.carried
        rows, ground, carried = state.rows, state.ground, frozenset[int]()
        for kind, columns in zip(word, filled, strict=True):
            if kind == "p":
                rows, ground = rows + 1, frozenset(columns)
            elif kind in BEGUN:
                carried = frozenset(columns)
            if kind != "c" and len(columns) == self.target.width:
                return None
        if not self.target.can_end(rows, len(carried)):
            return None
        stays = word[-1] == "q" and bool(carried)
        return Step(((word, pieces),), State(rows, ground, carried, stays))


def _cost(word: str) -> float:
    """Return the rows that a stack clears, less what is usual for those it prints."""
    return word.count("c") - BUDGETS.usual * word.count("p")
