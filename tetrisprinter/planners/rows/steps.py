"""Which pass comes next.

From the fewest lines to more, a pass is chosen together with one for the next row, so that
what it carries suits that; the second is then known to be possible and is played if nothing
better is found from there. Without one, a pass is chosen alone. Where no pass prints the
row over what is carried, that is cleared, and something else is carried in its place that
the row can be printed over; in the end nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.planners.rows.passes import Columns, Finder, Graph, Pieces
from tetrisprinter.planners.rows.stacks import MAX_ROWS, stack_of
from tetrisprinter.planners.rows.target import RowTarget

__all__ = ["State", "Step", "Steps", "StuckError"]

_PAIRS: Final = 500
"""Pairs of states kept when two passes are chosen together."""
_LINES: Final = 3
"""Clearing rows, at most, of passes that are chosen together."""
_MOST_LINES: Final = 6
_PATIENCE: Final = 6
"""How many times as many states are kept in the end."""
_KEPT: Final = 16
"""How many graphs are kept."""


class StuckError(Exception):
    """Nothing is known that goes on from a state."""


@dataclass(frozen=True, slots=True)
class State:
    """What lies on the board.

    Attributes
    ----------
    rows : int
        How many rows are printed.
    ground : frozenset of int
        Columns with a square in the highest of them.
    carried : frozenset of int
        Columns in which the row above has been begun.
    """

    rows: int
    ground: Columns
    carried: Columns


@dataclass(frozen=True, slots=True)
class Step:
    """A pass that is played: its stack, its pieces with their levels, the state after it."""

    word: str
    pieces: Pieces
    after: State

    @property
    def lines(self) -> int:
        """How many rows it clears."""
        return self.word.count("c")


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
    """

    def __init__(self, target: RowTarget, height: int, beam: int) -> None:
        self.target, self.height, self.beam = target, height, beam
        self.finder = Finder(target.width, beam * _PATIENCE)
        self._ahead: dict[tuple[State, str, Columns, Columns], Graph] = {}
        self._all = frozenset(range(target.width))
        self._promised: dict[State, Step] = {}

    def next(self, state: State) -> Step:
        """Return the next pass.

        Raises
        ------
        StuckError
            If none is found.
        """
        promised = self._promised.pop(state, None)
        most = promised.lines if promised is not None else _LINES
        step = self._with_next_row(state, most) or promised
        for beam, fewest, lines in (
            (self.beam, 0, _LINES),
            (self.beam, _LINES + 1, _MOST_LINES),
            (self.beam * _PATIENCE, 0, _MOST_LINES),
        ):
            step = step or self._alone(state, beam, range(fewest, lines + 1))
            if fewest == _LINES + 1 and state.carried:
                step = step or self._carried_anew(state)
        if step is None and state.carried:
            step = self._cleared(state)
        if step is None:
            raise StuckError
        return step

    def _with_next_row(self, state: State, most: int) -> Step | None:
        """Choose a pass together with one for the row after."""
        if state.rows + 1 >= self.target.rows:
            return None
        row = self.target.columns(state.rows)
        known: dict[str, Graph] = {}
        for lines in range(2 * _LINES + 1):
            for first in range(min(most, _LINES, lines) + 1):
                if not 0 < lines - first <= _LINES:
                    continue
                for word in self._words(state, first):
                    if word not in known:
                        known[word] = self._graph(state, word, self.beam)
                    if known[word].is_empty:
                        continue
                    after = State(state.rows + 1, row, frozenset())
                    for second in self._words(after, lines - first):
                        graph = self._after(after, second, known[word])
                        step = self._both(state, known[word], graph)
                        if step is not None:
                            return step
        return None

    def _alone(self, state: State, beam: int, lines: range) -> Step | None:
        for number in lines:
            for word in self._words(state, number, others=True):
                graph = self._graph(state, word, beam)
                found = self.finder.meet(graph, state.carried, None, _PAIRS)
                step = None if found is None else self._step(state, word, found[0])
                if step is not None:
                    return step
        return None

    def _carried_anew(self, state: State) -> Step | None:
        """Clear what is carried, carrying something that the row can be printed over."""
        for lines in range(2, 2 * _LINES + 1):
            for number in range(1, min(_LINES, lines - 1) + 1):
                if lines - number > _LINES:
                    continue
                word = "c" * number + "b"
                if state.rows + len(word) > self.height:
                    continue
                graph = self._graph(state, word, self.beam)
                for second in self._words(state, lines - number):
                    step = self._both(state, graph, self._after(state, second, graph))
                    if step is not None:
                        return step
        return None

    def _cleared(self, state: State) -> Step | None:
        """Clear what is carried and carry nothing."""
        for lines in range(1, _MOST_LINES + 1):
            word = "c" * lines
            left = self.target.width * lines - len(state.carried)
            if left % 4 == 0 and state.rows + lines <= self.height:
                graph = self._graph(state, word, self.beam)
                found = self.finder.meet(graph, state.carried, None, _PAIRS)
                if found is not None:
                    return self._step(state, word, found[0])
        return None

    def _words(self, state: State, lines: int, others: bool = False) -> Iterator[str]:
        """Yield the stacks that print the next row with so many lines.

        The row stands on all of them; with ``others`` also under some of them.
        """
        last = state.rows + 1 == self.target.rows
        if last and self.target.is_exact(state.rows):
            cells = self.target.width * lines + len(self.target.columns(state.rows))
            if (cells - len(state.carried)) % 4:
                return
        end = "" if last else "b"
        for below in range(lines, -1 if others else lines - 1, -1):
            word = "c" * below + "p" + "c" * (lines - below) + end
            if len(word) <= min(MAX_ROWS, self.height - state.rows) and not (
                state.carried and not below
            ):
                yield word

    def _graph(self, state: State, word: str, beam: int) -> Graph:
        stack = stack_of(word)
        squares = self.target.squares(stack, state.rows, state.ground, state.carried)
        return self.finder.explore(stack, squares, beam)

    def _after(self, state: State, word: str, first: Graph) -> Graph:
        """Return the ways to play a pass over what another one could leave for it."""
        never, always = first.begun() if first.stack.word[-1] == "b" else (self._all, frozenset())
        key = (state, word, never, always)
        if key not in self._ahead:
            if len(self._ahead) >= _KEPT:
                self._ahead.clear()
            stack = stack_of(word)
            squares = self.target.squares(stack, state.rows, state.ground, always)
            free = self._all - never - always
            self._ahead[key] = self.finder.explore(stack, squares, self.beam, free)
        return self._ahead[key]

    def _both(self, state: State, first: Graph, second: Graph) -> Step | None:
        """Choose two passes together; the second is kept as a promise."""
        found = self.finder.meet(first, state.carried, second, _PAIRS)
        if found is None:
            return None
        step = self._step(state, first.stack.word, found[0])
        if step is None:
            return None
        promised = self._step(step.after, second.stack.word, found[1])
        if promised is None:
            return None
        self._promised = {step.after: promised}
        return step

    def _step(self, state: State, word: str, pieces: Pieces) -> Step | None:
        """Return the step; None if it would fill a row that must stay."""
        filled: list[set[int]] = [set() for _ in word]
        for piece, _ in pieces:
            for x, v in piece.cells:
                filled[v].add(x)
        rows, ground, carried = state.rows, state.ground, frozenset[int]()
        for kind, columns in zip(word, filled, strict=True):
            if kind == "p":
                rows, ground = rows + 1, frozenset(columns)
            elif kind == "b":
                carried = frozenset(columns)
            if kind != "c" and len(columns) == self.target.width:
                return None
        return Step(word, pieces, State(rows, ground, carried))
