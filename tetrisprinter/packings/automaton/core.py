"""The core of an automaton: a few of its states and transitions that accept the same language.

The full automaton has millions of states and contains every packing, but one packing for each row
is enough. So the core grows until no word is missing. Comparing its minimal automaton with that of
the target language gives the shortest missing words, and each word adds a cheapest path, on which
transitions of the core are free.

The target need not be the exact language: any superset will do, such as all rows that divisibility
allows. A word without a path becomes an exception. When no word is missing, the core accepts the
target without the exceptions, which is exactly the language. This determines the taller automata,
whose subset automata are too large to build.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import JobError
from tetrisprinter.packings.automaton.dfa import (
    Dfa,
    Word,
    build_finite_language,
    combine,
    find_differences,
    minimise,
)
from tetrisprinter.packings.automaton.graph import ColumnGraph, determinise

_WORDS_PER_ROUND = 24  # words to add before the languages are compared again
_PRICES = 1, 4  # price of a new transition, and extra price of a new state
_MAX_EXCEPTIONS = 500  # more exceptions mean that the bound is wrong


def choose_core(graph: ColumnGraph, bound: Dfa) -> tuple[NDArray[np.int64], Dfa]:
    """Choose transitions that spell the whole language.

    ``bound`` is the language, or a superset with a few more words. Returns sorted indices into
    ``graph.targets`` and the minimal automaton of the language. Raises a JobError if the bound has
    too many more words.
    """
    chosen = np.zeros(len(graph.targets), np.bool_)
    chosen_states = np.zeros(graph.states, np.bool_)
    chosen_states[[graph.initial, graph.final]] = True
    exceptions: list[Word] = []
    while True:
        core = minimise(determinise(_extract_subgraph(graph, chosen)))
        word_count = 0
        for word in find_differences(bound, core):
            path = _find_cheapest_path(graph, word, chosen, chosen_states)
            if path is None:
                exceptions.append(word)
            else:
                chosen[path] = True
                chosen_states[graph.targets[path]] = True
            word_count += 1
            if word_count == _WORDS_PER_ROUND:
                break
        if not word_count:
            return np.flatnonzero(chosen), core
        if exceptions:
            if len(exceptions) > _MAX_EXCEPTIONS:
                raise JobError(f"the language lacks more than {_MAX_EXCEPTIONS} words of its bound")
            unwanted = build_finite_language(exceptions, graph.letters)
            bound = combine([bound, unwanted], lambda outputs: int(outputs[0] > outputs[1]))


def _find_cheapest_path(
    graph: ColumnGraph, word: Word, chosen: NDArray[np.bool_], chosen_states: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    """Return the transitions of a cheapest path that spells a word; None if no path does."""
    from tetrisprinter.packings.automaton import _kernel_graphs

    initial_and_final = (graph.initial, graph.final)
    prices = _kernel_graphs.Prices(chosen, chosen_states, *_PRICES)
    path = _kernel_graphs.find_cheapest(
        graph.to_edges(), np.array(word, np.int64), initial_and_final, prices
    )
    return np.array(path) if path else None


def find_sources(
    graph: ColumnGraph, edges: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the source state and the letter of each transition."""
    rows = np.searchsorted(graph.offsets, edges, side="right") - 1
    state, letter = np.divmod(rows, graph.letters)
    return state, letter


def _extract_subgraph(graph: ColumnGraph, chosen: NDArray[np.bool_]) -> ColumnGraph:
    """Return the graph of the chosen transitions and of the states that they connect."""
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
