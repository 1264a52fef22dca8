"""The nondeterministic automaton of a height: explore, trim, reduce, determinise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.automaton import _kernel, _kernel_graphs
from tetrisprinter.packings.automaton.columns import MAX_ROWS, ColumnMoves, encode_complete
from tetrisprinter.packings.automaton.dfa import Dfa, number_states


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

    def to_edges(self) -> _kernel_graphs.Edges:
        """Return the graph for the compiled loops."""
        return _kernel_graphs.Edges(self.letters, self.offsets, self.targets)

    def follow(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all targets of some rows of ``offsets``, each with its row's index in ``rows``."""
        counts = self.offsets[rows + 1] - self.offsets[rows]
        place = np.repeat(np.arange(len(rows)), counts)
        skipped = self.offsets[rows] - (np.cumsum(counts) - counts)
        return self.targets[np.arange(len(place)) + skipped[place]], place


def explore(
    rows: int, *, squares: bool, limit: int = 2**31 - 2
) -> tuple[NDArray[np.int64], ColumnGraph]:
    """Build the graph of all reachable states; ``squares`` gives four letters instead of two.

    Returns the codes of the states (:mod:`tetrisprinter.packings.automaton.columns`) and the graph.
    Raises an InputError if states of that height do not fit into 63 bits, and a JobError if there
    are more states than the limit.
    """
    bits = (12 if squares else 10) * rows
    if not 1 <= rows <= MAX_ROWS or bits > 63:
        raise InputError(
            f"{rows} rows is out of range; expected 1 to {MAX_ROWS}"
            f" (1 to {MAX_ROWS - 1} with squares)"
        )
    letters = 4 if squares else 2
    moves = _kernel.Moves(rows, ColumnMoves.build(rows, squares=squares).tables)
    codes, offsets, targets = _kernel.explore(moves, letters, limit)
    if not len(codes):
        raise JobError(f"the automaton of {rows} rows has more than {limit} states")
    final = np.flatnonzero(codes == encode_complete(rows))
    if not len(final):
        raise JobError(f"no matrix of {rows} rows can be packed")
    return codes, ColumnGraph(letters, offsets, targets, 0, int(final[0]))


def trim(codes: NDArray[np.int64], graph: ColumnGraph) -> tuple[NDArray[np.int64], ColumnGraph]:
    """Drop the states from which no matrix can be completed."""
    alive = _find_ancestors(graph)
    if not alive[graph.initial]:
        raise JobError("no matrix can be packed")
    order = np.flatnonzero(alive)
    order = order[np.argsort(codes[order])]
    names = np.full(graph.states, -1, np.int32)
    names[order] = np.arange(len(order), dtype=np.int32)
    return codes[order], _restrict_graph(graph, names, order)


def _find_ancestors(graph: ColumnGraph) -> NDArray[np.bool_]:
    """Mark the states that lead to the final one, breadth first along reversed transitions."""
    order = np.argsort(graph.targets, kind="stable")
    counts = np.bincount(graph.targets, minlength=graph.states)
    sources = (np.searchsorted(graph.offsets, order, side="right") - 1) // graph.letters
    offsets = np.concatenate(([0], np.cumsum(counts)))
    backwards = ColumnGraph(1, offsets, sources.astype(np.int32), graph.final, graph.initial)
    found = np.zeros(graph.states, np.bool_)
    layer = np.array([graph.final])
    while len(layer):
        found[layer] = True
        before, _ = backwards.follow(layer)
        layer = np.unique(before[~found[before]]).astype(np.int64)
    return found


def _restrict_graph(
    graph: ColumnGraph, names: NDArray[np.int32], chosen: NDArray[np.int64]
) -> ColumnGraph:
    """Restrict a graph to chosen states, one for each new number, and renumber its targets."""
    letters = graph.letters
    owner = np.repeat(np.arange(graph.states * letters), np.diff(graph.offsets))
    row_of = np.full(graph.states, -1, np.int64)
    row_of[chosen] = np.arange(len(chosen))
    source, letter = np.divmod(owner, letters)
    keep = (row_of[source] >= 0) & (names[graph.targets] >= 0)
    key = row_of[source[keep]] * letters + letter[keep]
    width = np.int64(len(chosen))
    pairs = np.unique(key * width + names[graph.targets[keep]])
    key, targets = np.divmod(pairs, width)
    offsets = np.searchsorted(key, np.arange(len(chosen) * letters + 1))
    return ColumnGraph(
        letters,
        offsets.astype(np.int64),
        targets.astype(np.int32),
        int(names[graph.initial]),
        int(names[graph.final]),
    )


def merge_bisimilar(graph: ColumnGraph) -> tuple[NDArray[np.int32], ColumnGraph]:
    """Merge bisimilar states; return the class of each state and the graph of the classes.

    This is the coarsest partition in which equal states lead to equal sets of classes (Kanellakis
    and Smolka 1983; for a deterministic graph, Moore's minimisation). Classes are numbered by their
    first state.
    """
    rows = graph.states * graph.letters
    owner = np.repeat(np.arange(rows), np.diff(graph.offsets))
    classes = np.zeros(graph.states, np.int64)
    classes[graph.final] = 1
    count = len(np.unique(classes))
    while True:
        # A state's signature: its class, and the sorted pairs (letter, class of a target).
        pairs = np.unique(owner * graph.states + classes[graph.targets])
        starts = np.arange(graph.states + 1) * graph.letters * graph.states
        bounds = 8 * np.searchsorted(pairs, starts)
        text = (pairs % starts[1]).tobytes()
        names: dict[tuple[int, bytes], int] = {}
        signatures = zip(classes.tolist(), bounds.tolist(), bounds[1:].tolist(), strict=False)
        classes = np.array(
            [names.setdefault((own, text[a:b]), len(names)) for own, a, b in signatures]
        )
        if len(names) == count:
            break
        count = len(names)
    _, chosen = np.unique(classes, return_index=True)
    merged = classes.astype(np.int32)
    return merged, _restrict_graph(graph, merged, chosen)


def determinise(graph: ColumnGraph) -> Dfa:
    """Build the subset automaton (Rabin and Scott 1959)."""

    def step(members: bytes, letter: int) -> bytes:
        targets, _ = graph.follow(np.frombuffer(members, np.int64) * graph.letters + letter)
        return np.flatnonzero(np.bincount(targets)).tobytes()

    first = np.array([graph.initial], np.int64).tobytes()
    sets, table = number_states(first, graph.letters, step)
    return Dfa(table, tuple(int(graph.final in np.frombuffer(s, np.int64)) for s in sets))


def has_common_word(graph: ColumnGraph, dfa: Dfa) -> bool:
    """Return whether graph and automaton share a word; search pairs of states breadth first."""
    table, size = np.array(dfa.table), len(dfa.table)
    seen = np.zeros(graph.states * size, np.bool_)
    layer = np.array([graph.initial * size])
    while len(layer):
        seen[layer] = True
        state, other = np.divmod(layer, size)
        found = []
        for letter in range(graph.letters):
            targets, place = graph.follow(state * graph.letters + letter)
            found.append(targets.astype(np.int64) * size + table[other[place], letter])
        after = np.concatenate(found)
        layer = np.unique(after[~seen[after]])
    return bool((seen.reshape(-1, size)[graph.final] & np.array(dfa.final, np.bool_)).any())
