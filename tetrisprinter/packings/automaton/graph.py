"""The nondeterministic automaton of a height: explore, trim, reduce, determinise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.automaton import _kernel, _kernel_graphs
from tetrisprinter.packings.automaton.columns import MAX_ROWS, Columns, accepting
from tetrisprinter.packings.automaton.dfa import Dfa

__all__ = ["Graph", "determinise", "explore", "meets", "quotient", "trim"]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A nondeterministic automaton in arrays.

    Attributes
    ----------
    letters : int
        How many letters there are.
    offsets, targets : array of int
        State ``i`` leads by letter ``a`` to
        ``targets[offsets[i * letters + a]:offsets[i * letters + a + 1]]``, sorted.
    initial, final : int
        The states to begin and to end in.
    """

    letters: int
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    initial: int
    final: int

    @property
    def states(self) -> int:
        """How many states there are."""
        return (len(self.offsets) - 1) // self.letters

    def edges(self) -> _kernel_graphs.Edges:
        """Return the graph for the compiled loops."""
        return _kernel_graphs.Edges(self.letters, self.offsets, self.targets)


def explore(rows: int, *, squares: bool, limit: int = 2**31 - 2) -> tuple[NDArray[np.int64], Graph]:
    """Reach every state there is.

    Parameters
    ----------
    rows : int
        Rows of the matrix.
    squares : bool
        Whether there may be squares in row -1: four letters instead of two.
    limit : int
        States to give up at.

    Returns
    -------
    codes, graph
        What the states mean (see :mod:`tetrisprinter.packings.automaton.columns`), and how they
        follow one another.

    Raises
    ------
    InputError
        If states of that height do not fit into 63 bits.
    JobError
        If there are more states than the limit.
    """
    bits = (12 if squares else 10) * rows
    if not 1 <= rows <= MAX_ROWS or bits > 63:
        raise InputError(
            f"an automaton has 1 to {MAX_ROWS} rows, 1 to {MAX_ROWS - 1} with squares, not {rows}"
        )
    letters = 4 if squares else 2
    moves = _kernel.Moves(rows, Columns.of(rows, squares=squares).tables)
    codes, offsets, targets = _kernel.explore(moves, letters, limit)
    if not len(codes):
        raise JobError(f"the automaton of {rows} rows has more than {limit} states")
    final = np.flatnonzero(codes == accepting(rows))
    if not len(final):
        raise JobError(f"no matrix of {rows} rows can be packed at all")
    return codes, Graph(letters, offsets, targets, 0, int(final[0]))


def trim(codes: NDArray[np.int64], graph: Graph) -> tuple[NDArray[np.int64], Graph]:
    """Leave out the states from which no matrix can be completed."""
    alive = _kernel_graphs.predecessors_reached(graph.edges(), graph.final)
    if not alive[graph.initial]:
        raise JobError("no matrix can be packed at all")
    order = np.flatnonzero(alive)
    order = order[np.argsort(codes[order])]
    names = np.full(graph.states, -1, np.int32)
    names[order] = np.arange(len(order), dtype=np.int32)
    return codes[order], _renamed(graph, names, order)


def _renamed(graph: Graph, names: NDArray[np.int32], chosen: NDArray[np.int64]) -> Graph:
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
    return Graph(
        letters,
        offsets.astype(np.int64),
        targets.astype(np.int32),
        int(names[graph.initial]),
        int(names[graph.final]),
    )


def quotient(graph: Graph) -> tuple[NDArray[np.int32], Graph]:
    """Put bisimilar states together.

    The coarsest partition in which equal states lead to equal sets of classes, by
    refining until nothing changes (Kanellakis and Smolka 1983; for a deterministic graph
    it is Moore's minimisation). Signatures are compared by hash on the way; the result
    is checked without.

    Returns
    -------
    classes, graph
        The class of each state, and the graph of the classes. They are numbered by
        their first state.
    """
    edges = graph.edges()
    classes = np.zeros(graph.states, np.int32)
    classes[graph.final] = 1
    count = 2 if graph.states > 1 else 1
    while True:
        hashes = _kernel_graphs.signatures(edges, classes)
        _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        order = np.argsort(first)
        rank[order] = np.arange(len(first), dtype=np.int32)
        classes = rank[inverse]
        if len(first) == count:
            break
        count = len(first)
    chosen = first[order]
    reduced = _renamed(graph, classes, chosen)
    _check_stable(graph, classes, reduced)
    return classes, reduced


def _check_stable(graph: Graph, classes: NDArray[np.int32], reduced: Graph) -> None:
    """Refuse a partition that two different signatures of equal hash have spoilt."""
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
        raise JobError("two signatures have the same hash; this automaton cannot be reduced")


def determinise(graph: Graph) -> Dfa:
    """Follow sets of states (Rabin and Scott 1959)."""
    stepper = _kernel_graphs.Stepper(graph.edges())
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


def meets(graph: Graph, dfa: Dfa) -> bool:
    """Whether the two accept a word in common."""
    ends = (graph.initial, graph.final)
    table, final = np.array(dfa.table, np.int32), np.array(dfa.final, np.bool_)
    return bool(_kernel_graphs.meets(graph.edges(), ends, table, final))
