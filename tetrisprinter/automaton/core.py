"""The core of an automaton: a small part of it that accepts the same language.

There are hundreds of thousands of states, since every way to tile shows up in them, but
one packing is enough. So paths are collected until nothing is missing: as long as the
part accepts less than the whole, the shortest words that it lacks are found from the two
minimal automata, and each gets a path through the whole that needs as little as possible
that is not in the part yet. It is finished when the two minimal automata are equal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.automaton.dfa import Dfa, Word, difference, minimise
from tetrisprinter.automaton.graph import Graph, determinise

__all__ = ["choose_core", "sources"]

_BATCH = 24  # words to add before looking again what is missing
_NEW_STATE, _NEW_EDGE = 4, 1


def choose_core(
    graph: Graph, language: Dfa, *, on_round: Callable[[int], None] = lambda _: None
) -> NDArray[np.int64]:
    """Choose transitions that are enough for the language.

    Parameters
    ----------
    graph : Graph
        The whole, trim.
    language : Dfa
        Its minimal deterministic automaton.
    on_round : callable
        Called with the number of transitions chosen so far.

    Returns
    -------
    array of int
        Sorted indices into ``graph.targets``.
    """
    chosen = np.zeros(len(graph.targets), np.bool_)
    states = np.zeros(graph.states, np.bool_)
    states[[graph.initial, graph.final]] = True
    paths = _Paths(graph)
    while True:
        part = minimise(determinise(_subgraph(graph, chosen)))
        added = 0
        for word in difference(language, part):
            for edge in paths.cheapest(word, chosen, states):
                chosen[edge] = True
                states[graph.targets[edge]] = True
            added += 1
            if added == _BATCH:
                break
        on_round(int(chosen.sum()))
        if not added:
            return np.flatnonzero(chosen)


def sources(graph: Graph, edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the states that transitions leave, and their letters."""
    owner = np.searchsorted(graph.offsets, edges, side="right") - 1
    state, letter = np.divmod(owner, graph.letters)
    return state, letter


def _subgraph(graph: Graph, chosen: NDArray[np.bool_]) -> Graph:
    """Keep chosen transitions, and the states that they connect."""
    edges = np.flatnonzero(chosen)
    state, letter = sources(graph, edges)
    targets = graph.targets[edges]
    used = np.unique(np.concatenate([state, targets, [graph.initial, graph.final]]))
    key = np.searchsorted(used, state) * graph.letters + letter
    offsets = np.searchsorted(key, np.arange(len(used) * graph.letters + 1))
    return Graph(
        graph.letters,
        offsets.astype(np.int64),
        np.searchsorted(used, targets).astype(np.int32),
        int(np.searchsorted(used, graph.initial)),
        int(np.searchsorted(used, graph.final)),
    )


class _Paths:
    """Cheapest paths, by dynamic programming over the letters of a word."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.best = np.full(graph.states, -1, np.int32)
        self.via = np.empty(graph.states, np.int64)

    def cheapest(
        self, word: Word, chosen: NDArray[np.bool_], states: NDArray[np.bool_]
    ) -> list[int]:
        """Return the transitions of an accepting path with the least that is new."""
        from tetrisprinter.automaton import _kernel

        graph = self.graph
        members = np.array([graph.initial], np.int32)
        costs = np.zeros(1, np.int32)
        layers: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []
        for letter in word:
            members, costs, edges = _kernel.layer(
                members, costs, letter, graph.letters, graph.offsets, graph.targets,
                chosen, states, (_NEW_EDGE, _NEW_STATE), self.best, self.via,
            )  # fmt: skip
            layers.append((members, edges))
        path: list[int] = []
        state = graph.final
        for members, edges in reversed(layers):
            edge = int(edges[np.searchsorted(members, state)])
            path.append(edge)
            state = (int(np.searchsorted(graph.offsets, edge, side="right")) - 1) // graph.letters
        return path[::-1]
