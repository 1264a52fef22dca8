"""Choose a pass among all ways to play it, alone or together with the next pass.

The graphs of all ways to play a pass over carried squares are cached: they are the same
for many choices.
"""

from __future__ import annotations

from dataclasses import replace

from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.pass_context import PassContext
from tetrisprinter.planners.rows.passes import Columns, PassGraph, Pieces
from tetrisprinter.planners.rows.stacks import CARRIED, make_stack
from tetrisprinter.planners.rows.target import RowState, RowStep

Pair = tuple[RowStep, RowStep | None]
"""A pass and a possible next pass; None instead of the next one if the pass carries nothing."""


class _Graphs(dict[tuple[RowState, str, Columns, bool], PassGraph]):
    """A cache of graphs within a memory limit; the oldest are forgotten first."""

    size = 0

    def keep(self, key: tuple[RowState, str, Columns, bool], graph: PassGraph) -> None:
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

    def copy_for_context(self, context: PassContext) -> PassChoice:
        """Return a choice on the same board with another context; it shares the cache."""
        other = PassChoice(context)
        other._graphs = self._graphs
        return other

    def find_playable_graph(self, state: RowState, word: str) -> PassGraph | None:
        """Return the graph of a pass; None if it cannot be played over the carried squares."""
        graph = self._find_graph(state, word)
        return graph if self.context.finder.can_play(graph, state.carried) else None

    def choose_alone(self, state: RowState, word: str) -> RowStep | None:
        """Choose a pass without looking ahead; None if there is none."""
        return self._choose_from_graph(state, self._find_graph(state, word))

    def choose_with_another(self, state: RowState, first: PassGraph, second: str) -> Pair | None:
        """Choose a pass together with a possible next pass, or alone if it carries nothing."""
        word, carried = first.stack.word, state.carried
        if word[-1] not in CARRIED:
            step = self._choose_from_graph(state, first)
            return None if step is None else (step, None)
        follows = self._find_graph_after(self.context.carry_all(state, word), second, first)
        found = self.context.finder.choose_pieces(first, carried, follows, BUDGETS.most_pairs)
        step = None if found is None else self._make_step(state, word, found[0])
        if step is None or found is None:
            return None
        lookahead = self._make_step(step.after, second, found[1])
        return None if lookahead is None else (step, lookahead)

    def _choose_from_graph(self, state: RowState, graph: PassGraph) -> RowStep | None:
        found = self.context.finder.choose_pieces(graph, state.carried, None, BUDGETS.most_pairs)
        return None if found is None else self._make_step(state, graph.stack.word, found[0])

    def _find_graph(self, state: RowState, word: str) -> PassGraph:
        """Return the graph of a pass: a complete one from the cache, or else a new search."""
        free = self._all_columns if state.carried else frozenset()
        known = self._graphs.get((replace(state, carried=frozenset()), word, free, False))
        if known is not None and known.is_complete:
            return known
        stack = make_stack(word)
        squares = self.context.target.describe_squares(
            stack, state.rows, state.ground, state.carried
        )
        return self.context.finder.explore(stack, squares, self.context.beam)

    def _find_graph_after(self, state: RowState, word: str, first: PassGraph) -> PassGraph:
        """Return the graph of a pass after ``first``, over squares that ``first`` may carry.

        A complete graph over any carried squares serves every first pass. On a wide board it is
        nearly always incomplete, so it is not tried there.
        """
        if not state.carried:
            return self._find_graph_over(state, word, frozenset(), frozenset())
        if self.context.width <= BUDGETS.wide_board:
            graph = self._find_graph_over(state, word, state.carried, frozenset(), exact=True)
            if graph.is_complete:
                return graph
        never, always = first.find_carried_columns()
        return self._find_graph_over(state, word, self._all_columns - never - always, always)

    def _find_graph_over(
        self, state: RowState, word: str, free: Columns, carried: Columns, exact: bool = False
    ) -> PassGraph:
        """Return the cached graph of a pass over squares that are carried or, if free, may be."""
        key = (replace(state, carried=carried), word, free)
        known = self._graphs.get((*key, False))
        if known is None and exact:
            known = self._graphs.get((*key, True))
        if known is None:
            stack = make_stack(word)
            squares = self.context.target.describe_squares(stack, state.rows, state.ground, carried)
            known = self.context.finder.explore(stack, squares, self.context.beam, free, exact)
            self._graphs.keep((*key, exact and not known.is_complete), known)
        return known

    def _make_step(self, state: RowState, word: str, pieces: Pieces) -> RowStep | None:
        """Return the step of a pass; None if it fills a row that must stay or spoils the count."""
        filled: list[set[int]] = [set() for _ in word]
        for piece, _ in pieces:
            for x, v in piece.cells:
                filled[v].add(x)
        filled[0] |= state.carried
        rows, ground, carried = state.rows, state.ground, frozenset[int]()
        for kind, columns in zip(word, filled, strict=True):
            if kind == "p":
                rows, ground = rows + 1, frozenset(columns)
            elif kind in CARRIED:
                carried = frozenset(columns)
            if kind != "c" and len(columns) == self.context.target.width:
                return None
        if not self.context.target.can_end(rows, len(carried)):
            return None
        stays = word[-1] == "q" and bool(carried)
        return RowStep(((word, pieces),), RowState(rows, ground, carried, stays))
