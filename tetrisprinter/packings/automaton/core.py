"""The core of an automaton: a small part of it that accepts the same language.

There are millions of states, since every way to tile shows up in them, but one packing
is enough. So paths are collected until nothing is missing. As long as the part accepts
less than it should, the shortest words that it lacks are found from the two minimal
automata, and each gets a path through the whole that needs as little as possible that is
not in the part yet.

What it should accept need not be known: anything that includes the language will do,
such as all rows that divisibility allows. A word that has no path is then an exception,
and no longer missing. When nothing is, the part accepts all but the exceptions, hence
exactly the language. That is how the taller automata are determined, whose subsets are
too many to be followed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import JobError
from tetrisprinter.packings.automaton.dfa import Dfa, Word, difference, finite, minimise, product
from tetrisprinter.packings.automaton.graph import Graph, determinise

__all__ = ["choose_core", "sources"]

_BATCH = 24  # words to add before looking again what is missing
_PRICES = 1, 4  # of a transition, and of a state
_EXCEPTIONS = 500  # beyond which they are no exceptions


def choose_core(
    graph: Graph, bound: Dfa, *, on_round: Callable[[int], None] = lambda _: None
) -> tuple[NDArray[np.int64], Dfa]:
    """Choose transitions that are enough for the language.

    Parameters
    ----------
    graph : Graph
        The whole, trim.
    bound : Dfa
        The language, or one that includes it and has few words more.
    on_round : callable
        Called with the number of transitions chosen so far.

    Returns
    -------
    edges, language
        Sorted indices into ``graph.targets``, and the minimal deterministic automaton of
        the language.

    Raises
    ------
    JobError
        If the bound has too many words more.
    """
    chosen = np.zeros(len(graph.targets), np.bool_)
    states = np.zeros(graph.states, np.bool_)
    states[[graph.initial, graph.final]] = True
    exceptions: list[Word] = []
    while True:
        part = minimise(determinise(_subgraph(graph, chosen)))
        added = 0
        for word in difference(bound, part):
            path = _cheapest(graph, word, chosen, states)
            if path is None:
                exceptions.append(word)
            else:
                chosen[path] = True
                states[graph.targets[path]] = True
            added += 1
            if added == _BATCH:
                break
        on_round(int(chosen.sum()))
        if not added:
            return np.flatnonzero(chosen), part
        if exceptions:
            if len(exceptions) > _EXCEPTIONS:
                raise JobError(f"the language is {_EXCEPTIONS} words smaller than its bound")
            unwanted = finite(exceptions, graph.letters)
            bound = product([bound, unwanted], lambda said: int(said[0] > said[1]))


def _cheapest(
    graph: Graph, word: Word, chosen: NDArray[np.bool_], states: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    from tetrisprinter.packings.automaton import _kernel_graphs

    ends = (graph.initial, graph.final)
    prices = _kernel_graphs.Prices(chosen, states, *_PRICES)
    path = _kernel_graphs.cheapest(graph.edges(), np.array(word, np.int64), ends, prices)
    return np.array(path) if path else None


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
