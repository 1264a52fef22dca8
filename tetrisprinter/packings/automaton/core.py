"""The core of an automaton: a small part of it that accepts the same language.

The full automaton has millions of states and every packing, but one packing for each row is enough.
So the part grows until no word is missing. Its minimal automaton and that of the target language
give the shortest missing words, and each word adds a cheapest path that reuses the part.

The target need not be the exact language: any superset will do, such as all rows that divisibility
allows. A word without a path becomes an exception. When no word is missing, the part accepts the
target without the exceptions, which is exactly the language. This determines the taller automata,
which have too many subsets to follow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import JobError
from tetrisprinter.packings.automaton.dfa import (
    Dfa,
    Word,
    build_finite,
    combine,
    find_differences,
    minimise,
)
from tetrisprinter.packings.automaton.graph import ColumnGraph, determinise

_BATCH = 24  # words to add before the next comparison
_PRICES = 1, 4  # of a new transition, and extra for a new state
_EXCEPTIONS = 500  # more than these mean a wrong bound


def choose_core(graph: ColumnGraph, bound: Dfa) -> tuple[NDArray[np.int64], Dfa]:
    """Choose transitions that spell the whole language.

    ``bound`` is the language, or a superset with few more words. Returns sorted indices into
    ``graph.targets`` and the minimal automaton of the language. Raises a JobError if the bound has
    too many more words.
    """
    chosen = np.zeros(len(graph.targets), np.bool_)
    states = np.zeros(graph.states, np.bool_)
    states[[graph.initial, graph.final]] = True
    exceptions: list[Word] = []
    while True:
        part = minimise(determinise(_extract_subgraph(graph, chosen)))
        added = 0
        for word in find_differences(bound, part):
            path = _find_cheapest(graph, word, chosen, states)
            if path is None:
                exceptions.append(word)
            else:
                chosen[path] = True
                states[graph.targets[path]] = True
            added += 1
            if added == _BATCH:
                break
        if not added:
            return np.flatnonzero(chosen), part
        if exceptions:
            if len(exceptions) > _EXCEPTIONS:
                raise JobError(f"the language lacks more than {_EXCEPTIONS} words of its bound")
            unwanted = build_finite(exceptions, graph.letters)
            bound = combine([bound, unwanted], lambda outputs: int(outputs[0] > outputs[1]))


def _find_cheapest(
    graph: ColumnGraph, word: Word, chosen: NDArray[np.bool_], states: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    """Return the transitions of a cheapest path that spells the word; None if there is none."""
    from tetrisprinter.packings.automaton import _kernel_graphs

    ends = (graph.initial, graph.final)
    prices = _kernel_graphs.Prices(chosen, states, *_PRICES)
    path = _kernel_graphs.find_cheapest(graph.to_edges(), np.array(word, np.int64), ends, prices)
    return np.array(path) if path else None


def find_sources(
    graph: ColumnGraph, edges: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the source state and the letter of each transition."""
    owner = np.searchsorted(graph.offsets, edges, side="right") - 1
    state, letter = np.divmod(owner, graph.letters)
    return state, letter


def _extract_subgraph(graph: ColumnGraph, chosen: NDArray[np.bool_]) -> ColumnGraph:
    """Keep the chosen transitions and the states that they connect."""
    edges = np.flatnonzero(chosen)
    state, letter = find_sources(graph, edges)
    targets = graph.targets[edges]
    used = np.unique(np.concatenate([state, targets, [graph.initial, graph.final]]))
    key = np.searchsorted(used, state) * graph.letters + letter
    offsets = np.searchsorted(key, np.arange(len(used) * graph.letters + 1))
    return ColumnGraph(
        graph.letters,
        offsets.astype(np.int64),
        np.searchsorted(used, targets).astype(np.int32),
        int(np.searchsorted(used, graph.initial)),
        int(np.searchsorted(used, graph.final)),
    )
