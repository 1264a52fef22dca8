"""A pass: what is asked of the search, and the pieces that it answers with."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tetrisprinter.game.levels import drops_in_order
from tetrisprinter.game.pieces import Placement
from tetrisprinter.planners.budgets import PACE
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_ROWS, Stack
from tetrisprinter.planners.run import Work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["Columns", "Finder", "Graph", "Pieces", "Squares", "drop_order", "fullest"]


@dataclass(frozen=True, slots=True)
class Squares:
    """What the columns of a stack hold and may hold; sets of rows are bit sets.

    Attributes
    ----------
    before, must, wanted : array of shape (columns,)
        Rows filled before the pass; rows that must be filled by it, clearing rows among
        them; rows that should be.
    allowed : array of shape (columns, rows)
        The types that may be left, as a bit set (bit ``int(type)``).
    ground : array of shape (columns,)
        Whether there is a square right below the stack.
    """

    before: Ints
    must: Ints
    wanted: Ints
    allowed: Ints
    ground: Ints


Columns = frozenset[int]
Pieces = tuple[tuple[Placement, int], ...]
"""The pieces of a pass with their levels, from the left."""


@dataclass(frozen=True, slots=True)
class Graph:
    """All ways to play a pass that the search has met: the paths through a graph of states.

    Attributes
    ----------
    stack : Stack
        Its rows.
    starts : array
        Number of the first state before each cell, and of the first at the end.
    ends : array
        End of the steps of each cell.
    source, target, step : array
        The steps, see the search.
    goal : int
        Which of the last states counts; -1 if there is no way, which leaves no steps.
    must : array of shape (columns,)
        Whether the lowest row must be filled, by it or before.
    certain : bool
        Whether the search met all there is.
    weights : array
        Of each state the share of paths to the end.
    """

    stack: Stack
    starts: Ints
    ends: Ints
    source: Any
    target: Any
    step: Any
    goal: int
    certain: bool
    weights: Any
    must: Ints

    def carried(self) -> tuple[Columns, Columns]:
        """Return the columns of the top row that no way fills, and those that every way does."""
        rows = len(self.stack.word)
        never, always = set(), set()
        for x, end in enumerate(self.ends[rows - 1 :: rows].tolist()):
            filled = self.step[self.ends[(x + 1) * rows - 2] : end] & 1
            if not filled.any():
                never.add(x)
            elif filled.all():
                always.add(x)
        return frozenset(never), frozenset(always)

    @property
    def size(self) -> int:
        """How many steps and states it has, and twice as many cells."""
        return len(self.step) + len(self.weights) + len(self.starts) + len(self.ends)

    @property
    def is_empty(self) -> bool:
        """Whether there is no way at all."""
        return self.goal < 0


class Finder:
    """Finds passes on a board of some width, keeping its room to work in.

    Parameters
    ----------
    width : int
        Columns of the board.
    beam : int
        The most states that will be asked to be kept per column.
    work : Work, optional
        Where the steps are counted that it looks at.
    """

    def __init__(self, width: int, beam: int, work: Work | None = None) -> None:
        import numpy as np

        from tetrisprinter.planners.rows import _kernel_paths, _kernel_records

        self.width, self.beam, self.work = width, beam, work or Work()
        self._names = np.empty(16 * beam, np.int32)
        self._room = _kernel_records.Room(width, beam)
        most = max(1 << 22, width * beam * 40)
        self._steps = (np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int16))
        self._pairs = _kernel_paths.Room(2 * MAX_ROWS * width)

    def counting(self, work: Work) -> Finder:
        """Return the same finder, which counts its steps elsewhere."""
        other = copy(self)
        other.work = work
        return other

    def explore(
        self,
        stack: Stack,
        squares: Squares,
        beam: int,
        free: frozenset[int] = frozenset(),
        sure: bool = False,
    ) -> Graph:
        """Look for the ways to play a pass.

        Parameters
        ----------
        stack : Stack
            Its rows.
        squares : Squares
            One for each column of the board.
        beam : int
            States kept per column.
        free : frozenset of int
            Columns whose lowest square may be filled before, as the pass likes.
        sure : bool
            Give up as soon as there are more states than are kept; then the graph is empty.
        """
        import numpy as np

        from tetrisprinter.planners.rows import _kernel, _kernel_paths, _kernel_records

        rows, lines = len(stack.word), stack.clearing.bit_count()
        # Rows that are printed together are something to try: others are there if it fails.
        wide = self.beam if stack.word.count("p") < 2 else min(beam, self.beam)
        likes = np.zeros(self.width, np.int64)
        likes[list(free)] = 1
        counts = np.zeros(self.width * rows + 1, np.int64)
        ends = np.zeros(self.width * rows, np.int64)
        shape = _kernel_records.Shape(
            rows, stack.level_bits, lines, stack.begin, stack.fields, stack.masks
        )
        question = _kernel_records.Question(squares, likes, min(beam, self.beam), wide, sure)
        steps, goal, lost = _kernel.explore(
            shape, question, self._room, _kernel_records.Steps(counts, ends, *self._steps)
        )
        self.work.add(PACE.step * (int(counts.sum()) + 2 * steps))
        if not steps:
            goal = -1
        starts = np.concatenate(([0], np.cumsum(counts)))
        source, target, step = (part[:steps] for part in self._steps)
        weights = np.zeros(int(starts[-1]) if steps else 0, np.float64)
        lowest = (squares.must | squares.before) & 1
        graph = Graph(stack, starts, ends, source, target, step, goal, not lost, weights, lowest)
        if graph.is_empty:
            return graph
        self._weigh(graph, np.full(self.width, -1), weights)
        left = _kernel_paths.thin(self._ways(graph, lowest, weights), self._names)
        source, target, step = (part[:left].copy() for part in self._steps)
        weights = weights[: starts[-1]].copy()
        return Graph(stack, starts, ends, source, target, step, 0, not lost, weights, lowest)

    def _lowest(self, graph: Graph, carried: frozenset[int]) -> Ints:
        """Return for each column whether the lowest row is filled before; -1: as one likes."""

        lowest = graph.must - 1
        lowest[list(carried)] = 1
        return lowest

    def exists(self, graph: Graph, carried: frozenset[int]) -> bool:
        """Whether there is a way over what is carried."""
        import numpy as np

        if graph.is_empty:
            return False
        weights = np.empty_like(graph.weights)
        self.work.add(PACE.step * len(graph.step))
        self._weigh(graph, self._lowest(graph, carried), weights)
        return bool(weights[0] > 0)

    def _ways(self, graph: Graph, lowest: Ints, weights: Any) -> Any:
        from tetrisprinter.planners.rows import _kernel_paths

        word = graph.stack.word
        return _kernel_paths.Ways(
            len(word), graph, lowest, word[-1] in CARRIED, BUDGETS.thrift, weights
        )

    def _weigh(self, graph: Graph, lowest: Ints, weights: Any) -> None:
        from tetrisprinter.planners.rows import _kernel_paths

        _kernel_paths.weigh(self._ways(graph, lowest, weights))

    def meet(
        self, first: Graph, carried: frozenset[int], second: Graph | None, beam: int
    ) -> tuple[Pieces, ...] | None:
        """Choose ways to play one pass, or two that follow one another.

        Parameters
        ----------
        first : Graph
            The first pass.
        carried : frozenset of int
            Columns in which its lowest row is filled before.
        second : Graph or None
            The second pass. If its lowest row clears, what the first leaves in a top row
            ``b`` lies there.
        beam : int
            Pairs of states kept after each cell, 200 at most.
        """
        import numpy as np

        from tetrisprinter.planners.rows import _kernel_paths

        if first.is_empty or (second is not None and second.is_empty):
            return None
        lowest = self._lowest(first, carried)
        weights = np.empty_like(first.weights)
        self.work.add(PACE.step * len(first.step))
        self._weigh(first, lowest, weights)
        if weights[0] <= 0:
            return None
        rows = len(first.stack.word) + (0 if second is None else len(second.stack.word))
        self.work.add(PACE.step * beam * self.width * rows)
        linked = np.zeros(self.width, np.int64)
        if second is not None and first.stack.word[-1] in CARRIED:
            linked = 1 + second.must
        one = self._ways(first, lowest, weights)
        two = None if second is None else self._ways(second, second.must, second.weights)
        found = _kernel_paths.meet(
            one, two, linked, min(beam, _kernel_paths.PAIRS_KEPT), self._pairs
        )
        if found is None:
            return None
        chosen = (_unpacked(first.stack, found[0]),)
        return chosen if second is None else (*chosen, _unpacked(second.stack, found[1]))


def _unpacked(stack: Stack, steps: Sequence[int]) -> Pieces:
    """Return the pieces of a pass from the steps of a path."""
    pieces = []
    starts = stack.begin.tolist()
    for cell, step in enumerate(steps):
        if step > 1:
            x, row = divmod(cell, len(stack.word))
            one = stack.variants[starts[row] + step // 2 - 1]
            pieces.append((Placement(one.orientation, x, one.y), one.level))
    return tuple(pieces)


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
        None if there is no way. Of those that leave as many, one that carries little.
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
    return _unpacked(graph.stack, steps.tolist())


def drop_order(pieces: Pieces) -> tuple[Placement, ...]:
    """Sort pieces into an order in which they can be dropped, the leftmost first."""
    cells, levels = [piece.cells for piece, _ in pieces], [level for _, level in pieces]
    return tuple(pieces[number][0] for number in drops_in_order(cells, levels))
