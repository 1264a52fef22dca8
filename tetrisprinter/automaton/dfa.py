"""Deterministic automata: the language of printable rows, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetrisprinter.automaton.build import Graph

__all__ = ["Dfa", "determinise", "minimise"]


@dataclass(frozen=True, slots=True, eq=False)
class Dfa:
    """A complete deterministic automaton.

    Attributes
    ----------
    table : array of int, states x letters
        Where each state leads.
    final : array of bool
        Which states accept.
    initial : int
        Where it begins.
    """

    table: NDArray[np.int32]
    final: NDArray[np.bool_]
    initial: int = 0


def determinise(graph: Graph) -> Dfa:
    """Follow sets of states (Rabin and Scott 1959)."""
    from tetrisprinter.automaton import _kernel

    marks = np.zeros(graph.states, np.bool_)
    first = np.array([graph.initial], np.int32)
    known = {first.tobytes(): 0}
    todo = [first]
    table: list[list[int]] = []
    final: list[bool] = []
    while len(table) < len(todo):
        members = todo[len(table)]
        todo[len(table)] = first  # it is in `known` already; memory is short
        final.append(bool(np.isin(graph.final, members)))
        row = []
        for letter in range(graph.letters):
            reached = _kernel.step(
                members, letter, graph.letters, graph.offsets, graph.targets, marks
            )
            key = reached.tobytes()
            if key not in known:
                known[key] = len(todo)
                todo.append(reached)
            row.append(known[key])
        table.append(row)
    return Dfa(np.array(table, np.int32), np.array(final))


def minimise(dfa: Dfa) -> Dfa:
    """Merge equivalent states (Moore 1956) and number them in the order of first visit.

    Every state must be reachable. Two automata of the same language become equal.
    """
    classes = dfa.final.astype(np.int64)
    while True:
        signature = np.column_stack([classes, classes[dfa.table]])
        _, refined = np.unique(signature, axis=0, return_inverse=True)
        if refined.max() == classes.max():
            break
        classes = refined.ravel()
    count = int(classes.max()) + 1
    table = np.empty((count, dfa.table.shape[1]), np.int64)
    table[classes] = classes[dfa.table]
    final = np.empty(count, np.bool_)
    final[classes] = dfa.final
    order = [int(classes[dfa.initial])]
    rank = {order[0]: 0}
    for state in order:  # grows on the way
        for target in map(int, table[state]):
            if target not in rank:
                rank[target] = len(order)
                order.append(target)
    renamed = np.vectorize(rank.__getitem__, otypes=[np.int32])(table[order])
    return Dfa(renamed, final[order])
