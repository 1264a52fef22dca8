"""Choose a pass among all ways to play it, alone or together with the next pass.

The graphs of all ways to play a pass over carried squares are cached, because many choices use
the same graphs.
"""

from __future__ import annotations

from dataclasses import replace

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.passes import Columns, PassGraph, Pieces
from tetrisprinter.planners.rows.stacks import CARRIED, make_stack
from tetrisprinter.planners.rows.target import RowState, RowStep

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
