"""A row printed in several passes, each leaving as many of its squares as it can.

Where no single pass leaves a whole row, some of its squares are left first: they stay, and the
next pass lies on them. What does not come out even is left above them, in a row that the next
pass fills and clears. So a row takes more cleared rows than by one pass, but far fewer than if
every square is printed by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from tetrisprinter.planners.rows.passes import Columns, Finder, Graph, Pieces, unpacked
from tetrisprinter.planners.rows.stacks import stack_of
from tetrisprinter.planners.rows.target import RowTarget

__all__ = ["Part", "Parts"]

_LINES: Final = 4
_PASSES: Final = 8
_START: Final = 0.5
"""What a pass costs beside the rows it clears."""
_TRIES: Final = (3, 2)
"""How many ways to begin are gone on from, and how many of each of these."""


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
    """

    finder: Finder
    target: RowTarget
    height: int
    row: int
    ground: Columns
    beam: int

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
        if depth and self.target.columns(self.row) <= left:
            return []
        if depth == _PASSES:
            return None
        found = sorted(self._parts(left, above, under), key=lambda part: -part.worth)
        best: list[Part] | None = None
        for part in found[: _TRIES[depth] if depth < len(_TRIES) else 1]:
            more = self._rest(part.left, part.above, frozenset(), depth + 1)
            if more is not None and (best is None or _lines([part, *more]) < _lines(best)):
                best = [part, *more]
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
        y, width = self.row, self.target.width
        needed = self.target.columns(y)
        for lines in range(1 if above or under else 0, _LINES + 1):
            # What stays is the lowest row, what is to be cleared, too.
            places = {lines} if under else {0} if left or above else {0, lines}
            for below in sorted(places):
                word = "c" * below + "p" + "c" * (lines - below) + "b"
                if y + len(word) > self.height:
                    continue
                stack = stack_of(word)
                squares = self.target.squares(stack, y, self.ground, under or left)
                before = squares.before.copy()
                before[list(above)] |= 1 << below + 1
                must = squares.must & ~(1 << below) & ~before
                squares = replace(squares, before=before, must=must)
                pieces = fullest(self.finder.explore(stack, squares, self.beam), below, needed)
                if pieces is None:
                    continue
                cells = [cell for piece, _ in pieces for cell in piece.cells]
                now = left | {x for x, v in cells if v == below}
                top = frozenset(x for x, v in cells if v == len(word) - 1)
                gain = len((now - left) & needed)
                if gain and len(now) < width and len(top) < width:
                    yield Part(gain / (lines + _START), word, pieces, now, top)


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
    return unpacked(graph.stack, steps)
