"""Build the automaton of a height, from the placement model to the file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tetrisprinter.errors import JobError
from tetrisprinter.packings.automaton.automaton import ColumnAutomaton, Sizes, Transition
from tetrisprinter.packings.automaton.columns import ColumnMoves
from tetrisprinter.packings.automaton.core import choose_core, find_sources
from tetrisprinter.packings.automaton.dfa import combine, minimise
from tetrisprinter.packings.automaton.graph import (
    determinise,
    explore,
    has_common_word,
    merge_bisimilar,
    trim,
)
from tetrisprinter.packings.automaton.languages import build_fillable, build_isolated


def build(
    rows: int,
    *,
    squares: bool,
    by_subsets: bool | None = None,
    on_stage: Callable[[str], None] = lambda _: None,
) -> ColumnAutomaton:
    """Build the automaton of ``rows`` rows: 1 to 5 with squares, 2 to 6 without.

    ``by_subsets`` selects how to find the language. True determinises the graph, which is general
    and slow. False bounds the language from above by divisibility and isolated presets, and from
    below by the core. None chooses True below four rows and False otherwise. ``on_stage`` receives
    a message after each stage.

    >>> build(2, squares=False).sizes
    Sizes(reachable=41, trim=23, classes=18, minimal=14)
    """
    codes, graph = explore(rows, squares=squares)
    reachable = graph.states
    on_stage(f"{reachable} states are reachable")
    codes, graph = trim(codes, graph)
    on_stage(f"{graph.states} of them can be completed")
    classes = None
    if by_subsets is None:
        by_subsets = rows < 4
    if not by_subsets:
        isolated = build_isolated(graph.letters)
        if has_common_word(graph, isolated):
            raise JobError(
                "internal error: isolated presets should be unprintable; please report it"
            )
        dfa = combine(
            [build_fillable(rows, graph.letters), isolated],
            lambda outputs: int(outputs[0] > outputs[1]),
        )
    else:
        _, reduced = merge_bisimilar(graph)
        classes = reduced.states
        on_stage(f"{classes} classes of bisimilar states")
        dfa = minimise(determinise(reduced))
    edges, dfa = choose_core(graph, dfa)
    on_stage(f"{len(edges)} transitions of the core")
    on_stage(f"{len(dfa.table)} states of the minimal deterministic automaton")

    # Number the states of the core: 0 the initial one, 1 the final one, then the others.
    state, letter = find_sources(graph, edges)
    target = graph.targets[edges]
    inner_states = np.setdiff1d(np.union1d(state, target), [graph.initial, graph.final])
    core_numbers = {graph.initial: 0, graph.final: 1} | {
        int(s): i for i, s in enumerate(inner_states, 2)
    }
    columns = ColumnMoves.build(rows, squares=squares)
    core = []
    for s, a, t in zip(state.tolist(), letter.tolist(), target.tolist(), strict=True):
        fillings = columns.list_fillings(int(codes[s]), a)
        trail = next(trail for state, trail in fillings if state == codes[t])
        core.append(Transition(core_numbers[s], a, core_numbers[t], columns.decode_trail(trail)))
    core.sort(key=lambda t: (t.source, t.letter, t.target))
    sizes = Sizes(reachable, graph.states, classes, len(dfa.table))
    return ColumnAutomaton(rows, squares, sizes, dfa, tuple(core))
