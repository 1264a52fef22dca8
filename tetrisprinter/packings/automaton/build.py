"""Build the automaton of a height, from the placement model to the file.

The nondeterministic automaton of a height is explored, trimmed, reduced and determinised.

The *core* of an automaton is a few of its states and transitions that accept the same language. The
full automaton has millions of states and contains every packing, but one packing for each row is
enough. So the core grows until no word is missing. Comparing its minimal automaton with that of the
target language gives the shortest missing words, and each word adds a cheapest path, on which
transitions of the core are free.

The target need not be the exact language: any superset will do, such as all rows that divisibility
allows. A word without a path becomes an exception. When no word is missing, the core accepts the
target without the exceptions, which is exactly the language. This determines the taller automata,
whose subset automata are too large to build.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings import automaton
from tetrisprinter.packings.automaton import ColumnAutomaton, Dfa, Transition, Word, _kernel


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

    >>> automaton = build(2, squares=False)
    >>> automaton.reachable, automaton.trim, automaton.classes, len(automaton.dfa.table)
    (41, 23, 18, 14)
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
        isolated = automaton.build_isolated(graph.letters)
        if has_common_word(graph, isolated):
            raise JobError(
                "internal error: isolated presets should be unprintable; please report it"
            )
        dfa = automaton.combine(
            [automaton.build_fillable(rows, graph.letters), isolated],
            lambda outputs: int(outputs[0] > outputs[1]),
        )
    else:
        reduced = merge_bisimilar(graph)
        classes = reduced.states
        on_stage(f"{classes} classes of bisimilar states")
        dfa = automaton.minimise(determinise(reduced))
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
    moves, tables = automaton.list_moves(rows, squares)
    columns = _kernel.Moves(rows, tables)
    core = []
    for s, a, t in zip(state.tolist(), letter.tolist(), target.tolist(), strict=True):
        fillings = _kernel.list_fillings(columns, int(codes[s]), a)
        trail = next(trail for state, trail in fillings if state == codes[t])
        core.append(
            Transition(core_numbers[s], a, core_numbers[t], automaton.decode_trail(moves, trail))
        )
    core.sort(key=lambda t: (t.source, t.letter, t.target))
    return ColumnAutomaton(rows, squares, reachable, graph.states, classes, dfa, tuple(core))


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
        core = automaton.minimise(determinise(_extract_subgraph(graph, chosen)))
        word_count = 0
        for word in automaton.find_differences(bound, core):
            path = _kernel.find_cheapest(
                (graph.letters, graph.offsets, graph.targets),
                chosen,
                chosen_states,
                _PRICES,
                np.array(word, np.int64),
                (graph.initial, graph.final),
            )
            if path:
                chosen[path] = True
                chosen_states[graph.targets[path]] = True
            else:
                exceptions.append(word)
            word_count += 1
            if word_count == _WORDS_PER_ROUND:
                break
        if not word_count:
            return np.flatnonzero(chosen), core
        if exceptions:
            if len(exceptions) > _MAX_EXCEPTIONS:
                raise JobError(f"the language lacks more than {_MAX_EXCEPTIONS} words of its bound")
            unwanted = automaton.build_finite_language(exceptions, graph.letters)
            bound = automaton.combine(
                [bound, unwanted], lambda outputs: int(outputs[0] > outputs[1])
            )


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


@dataclass(frozen=True, slots=True, eq=False)
class ColumnGraph:
    """A nondeterministic automaton in arrays."""

    letters: int
    # State ``i`` leads by letter ``a`` to ``targets[offsets[i * letters + a]:offsets[i * letters +
    # a + 1]]``, sorted
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    initial: int
    final: int

    @property
    def states(self) -> int:
        """Number of states."""
        return (len(self.offsets) - 1) // self.letters

    def follow(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all targets of some rows of ``offsets``, and the index in ``rows`` of each."""
        counts = self.offsets[rows + 1] - self.offsets[rows]
        row_index = np.repeat(np.arange(len(rows)), counts)
        skipped = self.offsets[rows] - (np.cumsum(counts) - counts)
        return self.targets[np.arange(len(row_index)) + skipped[row_index]], row_index


_MAX_STATES = 2**31 - 2  # numbers of states have 31 bits


def explore(rows: int, *, squares: bool) -> tuple[NDArray[np.int64], ColumnGraph]:
    """Build the graph of all reachable states; with ``squares`` it has four letters, else two.

    Returns the codes of the states (:mod:`tetrisprinter.packings.automaton`) and the
    graph. Raises an InputError if states of that height do not fit into 63 bits, and a JobError if
    there are too many states.
    """
    bits = (12 if squares else 10) * rows
    if not 1 <= rows <= automaton.MAX_ROWS or bits > 63:
        raise InputError(
            f"{rows} rows is out of range; expected 1 to {automaton.MAX_ROWS}"
            f" (1 to {automaton.MAX_ROWS - 1} with squares)"
        )
    letters = 4 if squares else 2
    columns = _kernel.Moves(rows, automaton.list_moves(rows, squares)[1])
    codes, offsets, targets = _kernel.explore(columns, letters, _MAX_STATES)
    if not len(codes):
        raise JobError(f"the automaton of {rows} rows has more than {_MAX_STATES} states")
    final = np.flatnonzero(codes == automaton.encode_complete(rows))
    if not len(final):
        raise JobError(f"no matrix of {rows} rows can be packed")
    return codes, ColumnGraph(letters, offsets, targets, 0, int(final[0]))


def trim(codes: NDArray[np.int64], graph: ColumnGraph) -> tuple[NDArray[np.int64], ColumnGraph]:
    """Drop the states that lead to no complete matrix; the others are sorted by their codes."""
    can_finish = _find_ancestors(graph)
    if not can_finish[graph.initial]:
        raise JobError("no matrix can be packed")
    kept_states = np.flatnonzero(can_finish)
    kept_states = kept_states[np.argsort(codes[kept_states])]
    new_numbers = np.full(graph.states, -1, np.int32)
    new_numbers[kept_states] = np.arange(len(kept_states), dtype=np.int32)
    return codes[kept_states], _restrict_graph(graph, new_numbers, kept_states)


def _find_ancestors(graph: ColumnGraph) -> NDArray[np.bool_]:
    """Return for each state whether it leads to the final one; follow transitions backwards."""
    by_target = np.argsort(graph.targets, kind="stable")
    counts = np.bincount(graph.targets, minlength=graph.states)
    sources = (np.searchsorted(graph.offsets, by_target, side="right") - 1) // graph.letters
    offsets = np.concatenate(([0], np.cumsum(counts)))
    backwards = ColumnGraph(1, offsets, sources.astype(np.int32), graph.final, graph.initial)
    is_ancestor = np.zeros(graph.states, np.bool_)
    new_states = np.array([graph.final])
    while len(new_states):
        is_ancestor[new_states] = True
        predecessors, _ = backwards.follow(new_states)
        new_states = np.unique(predecessors[~is_ancestor[predecessors]]).astype(np.int64)
    return is_ancestor


def _restrict_graph(
    graph: ColumnGraph, new_numbers: NDArray[np.int32], chosen: NDArray[np.int64]
) -> ColumnGraph:
    """Restrict a graph to one chosen state for each new number, and renumber the targets."""
    letters = graph.letters
    rows = np.repeat(np.arange(graph.states * letters), np.diff(graph.offsets))
    row_of = np.full(graph.states, -1, np.int64)
    row_of[chosen] = np.arange(len(chosen))
    source, letter = np.divmod(rows, letters)
    keep = (row_of[source] >= 0) & (new_numbers[graph.targets] >= 0)
    key = row_of[source[keep]] * letters + letter[keep]
    width = np.int64(len(chosen))
    pairs = np.unique(key * width + new_numbers[graph.targets[keep]])
    key, targets = np.divmod(pairs, width)
    offsets = np.searchsorted(key, np.arange(len(chosen) * letters + 1))
    return ColumnGraph(
        letters,
        offsets.astype(np.int64),
        targets.astype(np.int32),
        int(new_numbers[graph.initial]),
        int(new_numbers[graph.final]),
    )


def merge_bisimilar(graph: ColumnGraph) -> ColumnGraph:
    """Merge bisimilar states; return the graph of their classes.

    Classes are the coarsest partition in which states of a class lead to the same sets of classes
    (Kanellakis and Smolka 1983; for a deterministic graph, Moore's minimisation). Classes are
    numbered in the order of their first states.
    """
    rows = graph.states * graph.letters
    rows_of_targets = np.repeat(np.arange(rows), np.diff(graph.offsets))
    classes = np.zeros(graph.states, np.int64)
    classes[graph.final] = 1
    count = len(np.unique(classes))
    while True:
        # A state's signature: its class, and the sorted pairs (letter, class of a target).
        pairs = np.unique(rows_of_targets * graph.states + classes[graph.targets])
        starts = np.arange(graph.states + 1) * graph.letters * graph.states
        bounds = 8 * np.searchsorted(pairs, starts)  # in bytes
        pair_bytes = (pairs % starts[1]).tobytes()
        class_numbers: dict[tuple[int, bytes], int] = {}
        signatures = zip(classes.tolist(), bounds.tolist(), bounds[1:].tolist(), strict=False)
        classes = np.array(
            [
                class_numbers.setdefault((own, pair_bytes[a:b]), len(class_numbers))
                for own, a, b in signatures
            ]
        )
        if len(class_numbers) == count:
            break
        count = len(class_numbers)
    _, chosen = np.unique(classes, return_index=True)
    return _restrict_graph(graph, classes.astype(np.int32), chosen)


def determinise(graph: ColumnGraph) -> Dfa:
    """Build the deterministic automaton of the sets of states (Rabin and Scott 1959)."""

    def step(members: bytes, letter: int) -> bytes:
        targets, _ = graph.follow(np.frombuffer(members, np.int64) * graph.letters + letter)
        return np.flatnonzero(np.bincount(targets)).tobytes()

    initial_set = np.array([graph.initial], np.int64).tobytes()
    sets, table = automaton.number_states(initial_set, graph.letters, step)
    return Dfa(table, tuple(int(graph.final in np.frombuffer(s, np.int64)) for s in sets))


def has_common_word(graph: ColumnGraph, dfa: Dfa) -> bool:
    """Return whether graph and automaton share a word: search the pairs of states breadth first."""
    table, size = np.array(dfa.table), len(dfa.table)
    seen = np.zeros(graph.states * size, np.bool_)
    new_pairs = np.array([graph.initial * size])
    while len(new_pairs):
        seen[new_pairs] = True
        state, dfa_state = np.divmod(new_pairs, size)
        successors = []
        for letter in range(graph.letters):
            targets, row_index = graph.follow(state * graph.letters + letter)
            successors.append(targets.astype(np.int64) * size + table[dfa_state[row_index], letter])
        reached = np.concatenate(successors)
        new_pairs = np.unique(reached[~seen[reached]])
    return bool((seen.reshape(-1, size)[graph.final] & np.array(dfa.final, np.bool_)).any())
