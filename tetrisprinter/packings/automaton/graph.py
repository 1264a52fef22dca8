"""The nondeterministic automaton of a height: explore, trim, reduce, determinise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.automaton import _kernel, _kernel_graphs
from tetrisprinter.packings.automaton.columns import MAX_ROWS, ColumnMoves, encode_complete
from tetrisprinter.packings.automaton.dfa import Dfa


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


def explore(
    rows: int, *, squares: bool, limit: int = 2**31 - 2
) -> tuple[NDArray[np.int64], ColumnGraph]:
    """Reach every state; with ``squares`` four letters instead of two.

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
    alive = _kernel_graphs.mark_ancestors(graph.to_edges(), graph.final)
    if not alive[graph.initial]:
        raise JobError("no matrix can be packed")
    order = np.flatnonzero(alive)
    order = order[np.argsort(codes[order])]
    names = np.full(graph.states, -1, np.int32)
    names[order] = np.arange(len(order), dtype=np.int32)
    return codes[order], _restrict_graph(graph, names, order)


def _restrict_graph(
    graph: ColumnGraph, names: NDArray[np.int32], chosen: NDArray[np.int64]
) -> ColumnGraph:
    """Restrict a graph to chosen states, one for each new name, and rename its targets."""
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
    and Smolka 1983; for a deterministic graph, Moore's minimisation). Refinement compares
    signatures by hash; the result is checked exactly. Classes are numbered by their first state.
    """
    edges = graph.to_edges()
    classes = np.zeros(graph.states, np.int32)
    classes[graph.final] = 1
    count = 2 if graph.states > 1 else 1
    while True:
        hashes = _kernel_graphs.hash_signatures(edges, classes)
        _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        order = np.argsort(first)
        rank[order] = np.arange(len(first), dtype=np.int32)
        classes = rank[inverse]
        if len(first) == count:
            break
        count = len(first)
    chosen = first[order]
    reduced = _restrict_graph(graph, classes, chosen)
    _check_stable(graph, classes, reduced)
    return classes, reduced


def _check_stable(graph: ColumnGraph, classes: NDArray[np.int32], reduced: ColumnGraph) -> None:
    """Raise a JobError if a hash collision has spoilt the partition."""
    letters = graph.letters
    owner = np.repeat(np.arange(graph.states * letters), np.diff(graph.offsets))
    source, letter = np.divmod(owner, letters)
    width = np.int64(reduced.states)
    mine = np.unique(owner * width + classes[graph.targets])
    key = classes[source].astype(np.int64) * letters + letter
    expected = np.diff(reduced.offsets)[
        classes.astype(np.int64)[:, None] * letters + np.arange(letters)
    ].ravel()
    counts = np.bincount(mine // width, minlength=graph.states * letters)
    wide = np.repeat(np.arange(reduced.states * letters), np.diff(reduced.offsets))
    allowed = wide * width + reduced.targets
    inside = np.isin(np.unique(key * width + classes[graph.targets]), allowed)
    if not inside.all() or (counts != expected).any():
        raise JobError("hash collision: this automaton cannot be reduced")


def determinise(graph: ColumnGraph) -> Dfa:
    """Build the subset automaton (Rabin and Scott 1959)."""
    stepper = _kernel_graphs.Stepper(graph.to_edges())
    first = np.array([graph.initial], np.int32)
    known = {first.tobytes(): 0}
    names = list(known)
    table: list[tuple[int, ...]] = []
    final: list[int] = []
    while len(table) < len(names):
        final.append(int(np.isin(graph.final, np.frombuffer(names[len(table)], np.int32))))
        row = []
        for letter in range(graph.letters):
            key = stepper.step(names[len(table)], letter)
            if key not in known:
                known[key] = len(names)
                names.append(key)
            row.append(known[key])
        table.append(tuple(row))
    return Dfa(tuple(table), tuple(final))


def has_common_word(graph: ColumnGraph, dfa: Dfa) -> bool:
    """Return whether the two accept a common word."""
    ends = (graph.initial, graph.final)
    table, final = np.array(dfa.table, np.int32), np.array(dfa.final, np.bool_)
    return bool(_kernel_graphs.has_common_word(graph.to_edges(), ends, table, final))
