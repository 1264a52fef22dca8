"""The interface to the compiled search, which finds the pieces of a pass from its squares."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tetrisprinter.game.levels import order_drops
from tetrisprinter.game.pieces import Placement
from tetrisprinter.planners.budgets import PACE
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.stacks import CARRIED, MAX_ROWS, PassStack
from tetrisprinter.planners.run import Work
from tetrisprinter.support.arrays import copy_view, make_numbers, repeat_number, zeros


@dataclass(frozen=True, slots=True)
class PassSquares:
    """The squares that the columns of a stack hold and may hold, as bit sets of rows."""

    # For each column: the rows that are filled before the pass; the rows that the pass must fill,
    # clearing rows included; the rows that it should fill
    before: array[int]
    must: array[int]
    wanted: array[int]
    # For each row of each column, column by column: the types that may be left, as a bit set (bit
    # ``int(type)``)
    allowed: array[int]
    ground: array[int]  # for each column whether there is a square right below the stack


Columns = frozenset[int]
Pieces = tuple[tuple[Placement, int], ...]
"""The pieces of a pass with their levels, from the left."""


@dataclass(frozen=True, slots=True)
class PassGraph:
    """All ways to play a pass that the search found: the paths through a graph of states."""

    stack: PassStack  # its rows
    starts: array[int]  # number of the first state before each cell, and of the first final state
    ends: memoryview[Any]  # the end of the steps of each cell
    source: memoryview[Any]  # the steps, see ``StepGraph``
    target: memoryview[Any]
    step: memoryview[Any]
    goal: int  # index of the final state; -1, without any steps, if the pass cannot be played
    is_complete: bool  # whether the search found all ways
    weights: memoryview[Any]  # for each state the number of paths to the end, scaled
    must: array[int]  # whether each column's lowest cell must be filled, before or by the pass

    def find_carried_columns(self) -> tuple[Columns, Columns]:
        """Return the columns of the top row that no path fills, and those that each path fills."""
        from tetrisprinter.planners.rows import _kernel_paths

        filled = _kernel_paths.find_filled_columns(self.ends, self.step, len(self.stack.row_kinds))
        never = frozenset(x for x, kinds in enumerate(filled) if kinds == 1)
        return never, frozenset(x for x, kinds in enumerate(filled) if kinds == 2)

    @property
    def size(self) -> int:
        """The number of entries in the arrays of the graph."""
        return len(self.step) + len(self.weights) + len(self.starts) + len(self.ends)

    @property
    def is_empty(self) -> bool:
        """Whether there is no way to play the pass."""
        return self.goal < 0


class PassFinder:
    """A search for passes on boards of one width, with its working memory."""

    def __init__(self, width: int, beam: int, work: Work | None = None) -> None:
        from tetrisprinter.planners.rows import _kernel_paths, _kernel_records

        self.width, self.work = width, work or Work()
        self.beam = min(beam, BUDGETS.compute_state_limit(width))
        self._state_numbers = zeros("i", 16 * self.beam)
        self._memory = _kernel_records.PassMemory(width, self.beam)
        self._steps = _kernel_records.StepGraph(BUDGETS.most_steps)
        self._pairs = _kernel_paths.PairMemory(2 * MAX_ROWS * width)
        self._weights = zeros("d", 1 << 12)

    def explore(
        self,
        stack: PassStack,
        squares: PassSquares,
        beam: int,
        free: frozenset[int] = frozenset(),
        exact: bool = False,
    ) -> PassGraph:
        """Return the graph of the ways to play a pass.

        An exact search returns a graph of all ways, or an empty one if it has to give up.
        ``free`` are columns whose lowest square may be filled before the pass or by it.
        """
        from tetrisprinter.planners.rows import _kernel, _kernel_paths, _kernel_records

        rows, lines = len(stack.row_kinds), stack.clearing.bit_count()
        # Stacks that print several rows are optional attempts, so they get a smaller beam.
        wide_beam = self.beam if stack.row_kinds.count("p") < 2 else min(beam, self.beam)
        shape = _kernel_records.Shape(
            rows, stack.level_bits, lines, stack.begin, stack.fields, stack.masks
        )
        free_columns = mark_columns(free, self.width)
        query = _kernel_records.PassQuery(
            squares,
            free_columns,
            min(beam, self.beam),
            wide_beam,
            exact,
            BUDGETS.choose_spread(self.width),
        )
        counts, ends = zeros("q", self.width * rows + 1), zeros("q", self.width * rows)
        self._steps.begin(counts, ends)
        steps, goal, is_lost, tried_steps = _kernel.explore(shape, query, self._memory, self._steps)
        starts = make_numbers(accumulate(counts, initial=0))
        self.work.add(PACE.search + PACE.step * tried_steps)
        source, target, step = self._steps.part(steps)
        pairs = zip(squares.must, squares.before, strict=True)
        lowest = make_numbers((must | before) & 1 for must, before in pairs)
        goal = goal if steps else -1
        weights = self._make_weights(starts[-1] if steps else 0)
        graph = PassGraph(
            stack, starts, ends, source, target, step, goal, not is_lost, weights, lowest
        )
        if graph.is_empty:
            return graph
        self._weigh(graph, repeat_number(-1, self.width), weights)
        kept_steps = _kernel_paths.remove_dead_ends(
            self._make_paths(graph, lowest, weights), self._state_numbers
        )
        source, target, step = (copy_view(values[:kept_steps]) for values in (source, target, step))
        weights = copy_view(weights[: starts[-1]])
        return PassGraph(stack, starts, ends, source, target, step, 0, not is_lost, weights, lowest)

    def _make_weights(self, count: int) -> memoryview[Any]:
        """Return a reusable buffer for ``count`` weights."""
        if len(self._weights) < count:
            self._weights = zeros("d", 2 * count)
        return self._weights[:count]

    def _mark_lowest(self, graph: PassGraph, carried: frozenset[int]) -> array[int]:
        """Return for each column whether its lowest cell is filled: 1 yes, 0 no, -1 either."""
        lowest = make_numbers(is_required - 1 for is_required in graph.must)
        for x in carried:
            lowest[x] = 1
        return lowest

    def can_play(self, graph: PassGraph, carried: frozenset[int]) -> bool:
        """Return whether the pass can be played over the carried squares."""
        if graph.is_empty:
            return False
        weights = self._make_weights(len(graph.weights))
        self.work.add(PACE.path * len(graph.step))
        self._weigh(graph, self._mark_lowest(graph, carried), weights)
        return bool(weights[0] > 0)

    def _make_paths(self, graph: PassGraph, lowest: array[int], weights: memoryview[Any]) -> Any:
        """Return the paths of a graph for the compiled choice, whose weights go to a buffer."""
        from tetrisprinter.planners.rows import _kernel_paths

        row_kinds = graph.stack.row_kinds
        return _kernel_paths.PassPaths(
            len(row_kinds), graph, lowest, row_kinds[-1] in CARRIED, BUDGETS.carry_discount, weights
        )

    def _weigh(self, graph: PassGraph, lowest: array[int], weights: memoryview[Any]) -> None:
        """Compute the weights of all states of a graph."""
        from tetrisprinter.planners.rows import _kernel_paths

        _kernel_paths.compute_path_weights(self._make_paths(graph, lowest, weights))

    def choose_pieces(
        self, first: PassGraph, carried: frozenset[int], second: PassGraph | None, beam: int
    ) -> tuple[Pieces, ...] | None:
        """Return the pieces of one pass, or of two successive passes; None if no paths agree."""
        from tetrisprinter.planners.rows import _kernel_paths

        if first.is_empty or (second is not None and second.is_empty):
            return None
        lowest = self._mark_lowest(first, carried)
        weights = self._make_weights(len(first.weights))
        self.work.add(PACE.path * len(first.step))
        self._weigh(first, lowest, weights)
        if weights[0] <= 0:
            return None
        rows = len(first.stack.row_kinds) + (0 if second is None else len(second.stack.row_kinds))
        self.work.add(PACE.path * beam * self.width * rows)
        linked = repeat_number(0, self.width)
        if second is not None and first.stack.row_kinds[-1] in CARRIED:
            linked = make_numbers(1 + must for must in second.must)
        first_paths = self._make_paths(first, lowest, weights)
        second_paths = (
            None if second is None else self._make_paths(second, second.must, second.weights)
        )
        chosen_steps = _kernel_paths.choose_paths(
            first_paths, second_paths, linked, min(beam, _kernel_paths.PAIRS_KEPT), self._pairs
        )
        if chosen_steps is None:
            return None
        chosen = (_unpack(first.stack, chosen_steps[0]),)
        return chosen if second is None else (*chosen, _unpack(second.stack, chosen_steps[1]))


def _unpack(stack: PassStack, steps: Sequence[int]) -> Pieces:
    """Return the pieces of a pass from the steps of a path."""
    pieces = []
    for cell, step in enumerate(steps):
        if step > 1:
            x, row = divmod(cell, len(stack.row_kinds))
            variant = stack.variants[stack.begin[row] + step // 2 - 1]
            pieces.append((Placement(variant.orientation, x, variant.y), variant.level))
    return tuple(pieces)


def find_fullest_pieces(graph: PassGraph, row: int, counted: Columns) -> Pieces | None:
    """Return the pieces that fill the most of some columns in a row; None for an empty graph."""
    from tetrisprinter.planners.rows import _kernel_paths

    if graph.is_empty:
        return None
    columns = len(graph.must)
    steps = _kernel_paths.find_fullest_path(graph, row, mark_columns(counted, columns), columns)
    return _unpack(graph.stack, steps)


def mark_columns(columns: Iterable[int], width: int) -> array[int]:
    """Return an array with a 1 for each given column and a 0 for every other."""
    marks = repeat_number(0, width)
    for x in columns:
        marks[x] = 1
    return marks


def sort_drops(pieces: Pieces) -> tuple[Placement, ...]:
    """Return pieces in a legal drop order: by level, the leftmost first where several may drop."""
    cells, levels = [piece.cells for piece, _ in pieces], [level for _, level in pieces]
    return tuple(pieces[number][0] for number in order_drops(cells, levels))
