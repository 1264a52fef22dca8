"""A row printed in several passes, each leaving as many of its squares as it can.

Where no single pass leaves a whole row, some of its squares are left first: they stay, and the
next pass lies on them. What does not come out even is left above them, in a row that the next
pass fills and clears. So a row takes more cleared rows than by one pass, but far fewer than if
every square is printed by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from tetrisprinter.planners.rows.passes import Columns, Finder, Graph, Pieces, unpacked
from tetrisprinter.planners.rows.stacks import stack_of
from tetrisprinter.planners.rows.target import RowTarget

__all__ = ["Part", "Parts"]

_LINES: Final = 4
_MOST_LINES: Final = 6
"""Of a pass that leaves nothing above the row."""
_PASSES: Final = (8, 16)
"""Passes, at most; if the row is to be left clean."""
_START: Final = 0.5
"""What a pass costs beside the rows it clears."""
_TRIES: Final = (3, 2)
"""How many ways to begin are gone on from, and how many of each of these."""
_CLEAN: Final = 3
"""How many ways are gone on from after each pass if the row is to be left clean."""
_NODES: Final = (16, 40)
"""How often it is looked what may follow, in all; if the row is to be left clean."""


@dataclass(frozen=True, slots=True)
class Part:
    """A pass, and what lies in the row and above it after it.

    Attributes
    ----------
    worth : float
        The squares it leaves of those that must be, for what it costs.
    word : str
        Its stack.
    pieces : Pieces
        Its pieces.
    left, above : frozenset of int
        Columns with a square in the row, and in the row above it.
    """

    worth: float
    word: str
    pieces: Pieces
    left: Columns
    above: Columns

    @property
    def lines(self) -> int:
        """How many rows it clears."""
        return self.word.count("c")


@dataclass(frozen=True, slots=True)
class Parts:
    """A search for passes that print a row together.

    Attributes
    ----------
    finder : Finder
        Of the board's width.
    target : RowTarget
        The end of the game.
    height : int
        Rows of the board.
    row : int
        The row that is printed.
    ground : frozenset of int
        Columns with a square in the row below it.
    beam : int
        States kept per column.
    clean : bool
        Whether nothing may be left above the row in the end. Then the first way that is found
        will do.
    """

    finder: Finder
    target: RowTarget
    height: int
    row: int
    ground: Columns
    beam: int
    clean: bool = False
    _known: dict[tuple[Columns, Columns], list[Part] | None] = field(default_factory=dict)

    def found(self, begun: Columns, stays: bool) -> list[Part] | None:
        """Return the passes, the last of which may begin the row above; None if none are found.

        Parameters
        ----------
        begun : frozenset of int
            Columns in which the row has been begun.
        stays : bool
            Whether that may stay; otherwise it is cleared.
        """
        empty: Columns = frozenset()
        return self._rest(*((begun, empty, empty) if stays else (empty, empty, begun)), 0)

    def _rest(self, left: Columns, above: Columns, under: Columns, depth: int) -> list[Part] | None:
        """Return the passes that print what is missing, those that clear fewest rows."""
        if depth and self.target.columns(self.row) <= left and not (self.clean and above):
            return []
        key, passes, most = (left, above), _PASSES[self.clean], _NODES[self.clean]
        if depth == passes or key in self._known or len(self._known) == most:
            return self._known.get(key)
        self._known[key] = None
        tries = _CLEAN if self.clean else _TRIES[depth] if depth < len(_TRIES) else 1
        found = sorted(self._parts(left, above, under), key=lambda part: -part.worth)
        best: list[Part] | None = None
        for part in found[:tries]:
            more = self._rest(part.left, part.above, frozenset(), depth + 1)
            if more is not None and (best is None or _lines([part, *more]) < _lines(best)):
                best = [part, *more]
            if best and self.clean:
                break
        self._known[key] = best
        return best

    def _parts(self, left: Columns, above: Columns, under: Columns) -> Iterator[Part]:
        """Yield passes that leave some more squares.

        Parameters
        ----------
        left, above : frozenset of int
            Columns with a square in the row, and in the row above it.
        under : frozenset of int
            Columns with a square in the row that is to be cleared first.
        """
        needed, reached = self.target.columns(self.row), left
        anything: Columns = frozenset()
        for lines in range(1 if above or under else 0, _LINES + 1):
            # What stays is the lowest row, what is to be cleared, too.
            places = {lines} if under else {0} if left or above else {0, lines}
            for below in sorted(places):
                word = "c" * below + "p" + "c" * (lines - below) + "b"
                part = self._part(word, left, above, under, anything)
                if part is not None:
                    reached |= part.left
                    yield part
        if self.clean:
            yield from self._last(left, above)
        elif reached != left:
            return
        # Of all the ways to play a pass few may leave a certain square: ask for it.
        for x in sorted(needed - reached):
            for lines in range(1, _LINES + 1):
                word = "c" * lines + "pb" if under else "p" + "c" * lines + "b"
                part = self._part(word, left, above, under, frozenset({x}))
                if part is not None:
                    yield part
                    break

    def _last(self, left: Columns, above: Columns) -> Iterator[Part]:
        """Yield passes that leave nothing above: with all that is missing, or with nothing."""
        nothing: Columns = frozenset()
        missing = self.target.columns(self.row) - left
        exact = self.target.is_exact(self.row)
        for lines in range(1 if above else 0, _MOST_LINES + 1):
            for more in {missing, nothing} if above else {missing}:
                cells = self.target.width * lines + len(more) - len(above)
                if exact and cells % 4:
                    continue
                for below in {0} if left or above else {0, lines}:
                    word = "c" * below + "p" + "c" * (lines - below)
                    part = self._part(word, left, above, nothing, more)
                    if part is not None:
                        yield part

    def _part(
        self, word: str, left: Columns, above: Columns, under: Columns, must: Columns
    ) -> Part | None:
        """Return a pass that leaves more squares, some of them for sure; None if there is none.

        Without a top row ``b`` it may be none that it leaves: it clears what lies above.
        """
        y, width, below = self.row, self.target.width, word.index("p")
        if y + len(word) > self.height:
            return None
        needed, is_open = self.target.columns(y), word[-1] == "b"
        stack = stack_of(word)
        squares = self.target.squares(stack, y, self.ground, under or left)
        before = squares.before.copy()
        if above:
            before[sorted(above)] |= 1 << below + 1
        fill = squares.must & ~before & ~(1 << below)
        fill[list(must)] |= 1 << below
        squares = replace(squares, before=before, must=fill)
        pieces = fullest(self.finder.explore(stack, squares, self.beam), below, needed)
        if pieces is None:
            return None
        cells = [cell for piece, _ in pieces for cell in piece.cells]
        now = left | {x for x, v in cells if v == below}
        top = frozenset(x for x, v in cells if is_open and v == len(word) - 1)
        gain = len((now - left) & needed) + (not is_open)
        if not gain or len(now) == width or len(top) == width:
            return None
        return Part(gain / (word.count("c") + _START), word, pieces, now, top)


def _lines(parts: list[Part]) -> int:
    """Return how many rows some passes clear."""
    return sum(part.lines for part in parts)


def fullest(graph: Graph, row: int, counted: Columns) -> Pieces | None:
    """Return the way to play a pass that leaves most squares in a row of its stack.

    Parameters
    ----------
    graph : Graph
        All ways to play it.
    row : int
        The row of the stack.
    counted : frozenset of int
        The columns that count.

    Returns
    -------
    Pieces or None
        None if there is no way. Of those that leave as many, one that begins little.
    """
    import numpy as np

    if graph.is_empty:
        return None
    rows, ends = len(graph.stack.word), graph.ends.tolist()
    cells, many = len(ends), len(ends) + 1
    most = np.full(int(graph.starts[-1]) + 1, -many, np.int64)
    most[graph.starts[cells] + graph.goal] = 0
    worth = np.empty(len(graph.step), np.int64)
    for cell in range(cells - 1, -1, -1):
        edges = slice(ends[cell - 1] if cell else 0, ends[cell])
        x, v = divmod(cell, rows)
        each = many if v == row and x in counted else -1 if v == rows - 1 else 0
        ahead = most[graph.starts[cell + 1] + graph.target[edges]]
        worth[edges] = ahead + each * (graph.step[edges] & 1)
        np.maximum.at(most, graph.starts[cell] + graph.source[edges], worth[edges])
    steps, state = np.zeros(cells, np.int64), 0
    for cell in range(cells):
        first = ends[cell - 1] if cell else 0
        here = np.flatnonzero(graph.source[first : ends[cell]] == state) + first
        edge = here[np.argmax(worth[here])]
        steps[cell], state = graph.step[edge], int(graph.target[edge])
    return unpacked(graph.stack, steps.tolist())
