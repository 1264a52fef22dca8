"""The compiled choice of paths: how to play one pass, or two passes that follow each other.

Two successive passes are chosen together, as paths through their graphs that agree: what the first
pass leaves in its top row lies in the lowest row of the second.
"""

from __future__ import annotations

from typing import Any

from tetrisprinter.support.kernels import zeros  # first: it refuses to run uncompiled
import cython
from cython import double as Real
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.rows._kernel import PassGraph
    from cython.cimports.tetrisprinter.support.kernels import (
        finish_hash,
        hash_first,
        hash_next,
        select_rank,
    )
else:
    from tetrisprinter.planners.rows._kernel import PassGraph
    from tetrisprinter.support.kernels import finish_hash, hash_first, hash_next, select_rank

__all__ = [
    "PAIRS_KEPT",
    "PathChoice",
    "choose_paths",
    "compute_path_weights",
    "find_filled_columns",
    "find_fullest_path",
    "remove_dead_ends",
]

_PAIRS_MET = 1 << 13
"""The number of pairs of states within a cell for which memory is reserved."""
PAIRS_KEPT = 200
"""The number of pairs kept after a cell for which memory is reserved."""

_CARRY_DISCOUNT = cython.declare(Real, 0.3)
"""The weight of a path is multiplied by this for each square that it carries in the top row."""


@cython.cclass
class PathChoice:
    """The choice of paths for one pass or two, with its memory: pairs of states, cell by cell.

    - first, second, filled, gains: the pairs before a cell and after it, in alternating order. A
      pair has a state of each pass, whether the first pass fills the shared square, and the
      greatest gain of its paths, which falls with each carried square.
    - scores: for each pair its gain times the weights of its states.
    - slots, stamps: a hash table of pairs, and the stamp of the cell of each entry.
    - origin, edge: for each pair after a cell the pair before the cell, and the step.
    - parents, edges: the same for the pairs that are kept after each choice.

    The present cell:

    - x, row: its column and row; the rows of the second pass follow those of the first.
    - all_rows: the number of rows of the two passes together.
    - ahead: the index, 0 or 1, of the pairs after the cell.
    - fixed: for a lowest cell of the first pass: whether the cell is filled before; -1 if that does
      not matter.
    - linked: for a lowest cell of the second pass: 0 if the cell does not depend on the first
      pass, else 2 if the cell must be filled, 1 if not.
    - is_first, is_first_top: whether the cell is in the first pass, and in the top row of it.
    - is_carried: whether a square there is carried.
    - begin, end, base: the range of its steps, and the number of the first state after it.
    """

    first: Int[:, ::1]
    second: Int[:, ::1]
    filled: Int[:, ::1]
    gains: Real[:, ::1]
    scores: Real[::1]
    scratch: Real[::1]
    slots: Short[::1]
    stamps: Int[::1]
    stamp: Int
    origin: Short[::1]
    edge: Short[::1]
    parents: Short[:, ::1]
    edges: Short[:, ::1]
    x: Int
    row: Int
    all_rows: Int
    ahead: Int
    fixed: Int
    linked: Int
    is_first: cython.bint
    is_first_top: cython.bint
    is_carried: cython.bint
    begin: Int
    end: Int
    base: Int

    def __init__(self, cells: int) -> None:
        self.first, self.second = zeros("q", 2, _PAIRS_MET), zeros("q", 2, _PAIRS_MET)
        self.filled, self.gains = zeros("q", 2, _PAIRS_MET), zeros("d", 2, _PAIRS_MET)
        self.scores, self.scratch = zeros("d", _PAIRS_MET), zeros("d", _PAIRS_MET)
        self.slots, self.stamps = zeros("i", 4 * _PAIRS_MET), zeros("q", 4 * _PAIRS_MET)
        self.stamp = 0
        self.origin, self.edge = zeros("i", _PAIRS_MET), zeros("i", _PAIRS_MET)
        self.parents, self.edges = zeros("i", cells, PAIRS_KEPT), zeros("i", cells, PAIRS_KEPT)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weigh_states(graph: PassGraph) -> cython.void:
    """Compute the weights of all states, from the last cell to the first."""
    cells: Int = graph.ends.shape[0]
    for i in range(graph.weights.shape[0]):
        graph.weights[i] = 0.0
    graph.weights[graph.starts[cells] + graph.goal] = 1.0
    for back in range(cells):
        cell: Int = cells - 1 - back
        begin: Int = graph.ends[cell - 1] if cell else 0
        first_before: Int = graph.starts[cell]
        first_after: Int = graph.starts[cell + 1]
        fixed: Int = graph.lowest[cell // graph.rows] if cell % graph.rows == 0 else -1
        is_carried: cython.bint = graph.carries and cell % graph.rows == graph.rows - 1
        greatest: Real = 0.0
        for edge in range(begin, graph.ends[cell]):
            if fixed >= 0 and (graph.step[edge] & 1) == fixed:
                continue
            weight: Real = graph.weights[first_after + graph.target[edge]]
            if is_carried and graph.step[edge] & 1:
                weight *= _CARRY_DISCOUNT
            graph.weights[first_before + graph.source[edge]] += weight
        for i in range(first_before, first_after):
            greatest = max(greatest, graph.weights[i])
        if greatest > 0.0:
            for i in range(first_before, first_after):
                graph.weights[i] /= greatest


def compute_path_weights(graph: PassGraph) -> None:
    """Count the paths from each state to the end and store them as weights."""
    with cython.nogil:
        _weigh_states(graph)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _remove_dead_ends(graph: PassGraph, numbers: Short[::1]) -> Int:
    """Remove dead ends, with ``numbers`` as working memory; return the number of steps kept."""
    cells: Int = graph.ends.shape[0]
    half: Int = numbers.shape[0] // 2
    first_state: Int = graph.starts[0]
    kept_states: Int = 0
    kept_steps: Int = 0
    begin: Int = 0
    place_before: Int = half
    for cell in range(cells + 1):
        # the states before this cell, or at the end
        place: Int = half - place_before
        end: Int = graph.starts[cell + 1]
        graph.starts[cell] = kept_states
        for i in range(first_state, end):
            numbers[place + i - first_state] = -1
            if graph.weights[i] > 0.0:
                numbers[place + i - first_state] = cython.cast(
                    Short, kept_states - graph.starts[cell]
                )
                graph.weights[kept_states] = graph.weights[i]
                kept_states += 1
        first_state = end
        if cell:
            # the steps that lead to them
            for edge in range(begin, graph.ends[cell - 1]):
                before: Short = numbers[place_before + graph.source[edge]]
                after: Short = numbers[place + graph.target[edge]]
                if before >= 0 and after >= 0:
                    graph.source[kept_steps], graph.target[kept_steps] = before, after
                    graph.step[kept_steps] = graph.step[edge]
                    kept_steps += 1
            begin = graph.ends[cell - 1]
            graph.ends[cell - 1] = kept_steps
        place_before = place
    graph.starts[cells + 1] = kept_states
    return kept_steps


def remove_dead_ends(graph: PassGraph, memory: Any) -> int:
    """Remove the states from which no path reaches the end, and their steps, in place.

    Most states are removed; the others are renumbered. Returns the number of steps kept.
    """
    numbers: Short[::1] = memoryview(memory)
    kept_steps: Int = 0
    with cython.nogil:
        kept_steps = _remove_dead_ends(graph, numbers)
    return kept_steps


def find_filled_columns(graph: PassGraph) -> list[int]:
    """Return a code for each column's top row: 1 never filled, 2 always, 3 sometimes."""
    codes = []
    for column in range(graph.ends.shape[0] // graph.rows):
        top_cell: Int = (column + 1) * graph.rows - 1
        code: Int = 0
        for edge in range(graph.ends[top_cell - 1], graph.ends[top_cell]):
            code |= 1 + (graph.step[edge] & 1)
        codes.append(code)
    return codes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compute_values(graph: PassGraph, values: Int[::1], row: Int, counted: Int[::1]) -> cython.void:
    """Store for each state the highest value of a path from the state to the end."""
    cells: Int = graph.ends.shape[0]
    worth: Int = cells + 1
    for i in range(values.shape[0]):
        values[i] = -worth
    values[graph.starts[cells] + graph.goal] = 0
    for back in range(cells):
        cell: Int = cells - 1 - back
        gain: Int = -1 if cell % graph.rows == graph.rows - 1 else 0
        if cell % graph.rows == row and counted[cell // graph.rows]:
            gain = worth
        for edge in range(graph.ends[cell - 1] if cell else 0, graph.ends[cell]):
            value: Int = values[graph.starts[cell + 1] + graph.target[edge]]
            value += gain * (graph.step[edge] & 1)
            state: Int = graph.starts[cell] + graph.source[edge]
            values[state] = max(values[state], value)


def find_fullest_path(graph: PassGraph, row: int, counted: Any) -> list[int]:
    """Return the steps of the path that leaves most squares in a row and then fewest on top."""
    is_counted: Int[::1] = memoryview(counted)
    values: Int[::1] = zeros("q", len(graph.weights) + 1)
    at_row: Int = row
    with cython.nogil:
        _compute_values(graph, values, at_row, is_counted)
    chosen: list[int] = []
    state: Int = 0
    for cell in range(graph.ends.shape[0]):
        best_edge: Int = -1
        best_value: Int = 0
        gain: Int = 0
        if cell % graph.rows == graph.rows - 1:
            gain = -1
        if cell % graph.rows == row and is_counted[cell // graph.rows]:
            gain = graph.ends.shape[0] + 1
        begin: Int = graph.ends[cell - 1] if cell else 0
        for edge in range(begin, graph.ends[cell]):
            if graph.source[edge] == state:
                value: Int = values[graph.starts[cell + 1] + graph.target[edge]]
                value += gain * (graph.step[edge] & 1)
                if best_edge < 0 or value > best_value:
                    best_edge, best_value = edge, value
        chosen.append(graph.step[best_edge])
        state = graph.target[best_edge]
    return chosen


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_first_step(graph: PassGraph, begin: Int, end: Int, state: Int) -> Int:
    """Return the first step of a state by binary search; steps are sorted by source."""
    while begin < end:
        middle: Int = (begin + end) // 2
        if graph.source[middle] < state:
            begin = middle + 1
        else:
            end = middle
    return begin


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_pair(choice: PathChoice, first: Int, second: Int, filled: Int, count: Int) -> Int:
    """Return the index of a pair after a cell; a new pair is added with the index ``count``."""
    mask: Int = choice.slots.shape[0] - 1
    code: Word = finish_hash(hash_next(hash_first(first), second << 1 | filled))
    slot: Int = cython.cast(Int, code & cython.cast(Word, mask))
    while choice.stamps[slot] == choice.stamp:
        index: Int = choice.slots[slot]
        if (
            choice.first[choice.ahead, index] == first
            and choice.second[choice.ahead, index] == second
            and choice.filled[choice.ahead, index] == filled
        ):
            return index
        slot = slot + 1 & mask
    choice.stamps[slot] = choice.stamp
    choice.slots[slot] = cython.cast(Short, count)
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _score_pair(
    graph1: PassGraph, graph2: PassGraph, choice: PathChoice, first: Int, second: Int, gain: Real
) -> Real:
    """Return the score of a pair of states: its gain times the weights of both."""
    row: Int = min(choice.row + 1, graph1.rows)
    score: Real = gain * graph1.weights[graph1.starts[choice.x * graph1.rows + row] + first]
    if choice.all_rows > graph1.rows:
        row = max(0, choice.row + 1 - graph1.rows)
        score *= graph2.weights[
            graph2.starts[choice.x * (choice.all_rows - graph1.rows) + row] + second
        ]
    return score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expand_pairs(
    graph: PassGraph,
    graph1: PassGraph,
    graph2: PassGraph,
    choice: PathChoice,
    pairs: Int,
) -> Int:
    """Generate the pairs of states after a cell of ``graph``; return their number."""
    now: Int = 1 - choice.ahead
    count: Int = 0
    for i in range(pairs):
        was_filled: Int = choice.filled[now, i]
        state: Int = choice.first[now, i] if choice.is_first else choice.second[now, i]
        edge: Int = _find_first_step(graph, choice.begin, choice.end, state) - 1
        while edge + 1 < choice.end and graph.source[edge + 1] == state:
            edge += 1
            filled: Int = graph.step[edge] & 1
            if graph.weights[choice.base + graph.target[edge]] <= 0.0 or filled == choice.fixed:
                continue
            if choice.linked and filled == was_filled and (filled or choice.linked == 2):
                continue
            if count == choice.scores.shape[0]:
                continue
            first: Int = graph.target[edge] if choice.is_first else choice.first[now, i]
            second: Int = choice.second[now, i] if choice.is_first else graph.target[edge]
            shared: Int = filled if choice.is_first_top else (was_filled if choice.is_first else 0)
            gain: Real = choice.gains[now, i]
            if filled and choice.is_carried:
                gain *= _CARRY_DISCOUNT
            index: Int = _find_pair(choice, first, second, shared, count)
            if index == count:
                count += 1
            elif choice.gains[choice.ahead, index] >= gain:
                continue
            choice.first[choice.ahead, index], choice.second[choice.ahead, index] = first, second
            choice.filled[choice.ahead, index], choice.gains[choice.ahead, index] = shared, gain
            choice.scores[index] = _score_pair(graph1, graph2, choice, first, second, gain)
            choice.origin[index] = cython.cast(Short, i)
            choice.edge[index] = cython.cast(Short, edge)
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_best(choice: PathChoice, count: Int, beam: Int) -> Int:
    """Keep the pairs with the best scores; return their number."""
    best: Real = 0.0
    for i in range(count):
        best = max(best, choice.gains[choice.ahead, i])
    for i in range(count):
        choice.gains[choice.ahead, i] /= best
    if count <= beam:
        return count
    least_score: Real = select_rank(choice.scores, count, count - beam, choice.scratch)
    kept: Int = 0
    for i in range(count):
        if choice.scores[i] >= least_score and kept < beam:
            choice.first[choice.ahead, kept] = choice.first[choice.ahead, i]
            choice.second[choice.ahead, kept] = choice.second[choice.ahead, i]
            choice.filled[choice.ahead, kept] = choice.filled[choice.ahead, i]
            choice.gains[choice.ahead, kept] = choice.gains[choice.ahead, i]
            choice.origin[kept], choice.edge[kept] = choice.origin[i], choice.edge[i]
            kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _describe_cell(
    graph1: PassGraph, graph2: PassGraph, choice: PathChoice, linked: Int
) -> cython.void:
    """Set the fields of a cell from its column and row."""
    choice.is_first = choice.row < graph1.rows
    choice.fixed = choice.linked = -1
    if choice.is_first:
        number: Int = choice.x * graph1.rows + choice.row
        choice.begin, choice.end = graph1.ends[number - 1] if number else 0, graph1.ends[number]
        choice.base = graph1.starts[number + 1]
        choice.fixed = graph1.lowest[choice.x] if choice.row == 0 else -1
        choice.linked = 0
    else:
        number = choice.x * (choice.all_rows - graph1.rows) + choice.row - graph1.rows
        choice.begin, choice.end = graph2.ends[number - 1] if number else 0, graph2.ends[number]
        choice.base = graph2.starts[number + 1]
        choice.linked = linked if choice.row == graph1.rows else 0
    choice.is_first_top = choice.row == graph1.rows - 1
    choice.is_carried = (graph1.carries and choice.is_first_top) or (
        graph2.carries and choice.row == choice.all_rows - 1
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_agreeing(
    graph1: PassGraph,
    graph2: PassGraph,
    choice: PathChoice,
    linked: Int[::1],
    beam: Int,
) -> cython.bint:
    """Process all cells; return whether two agreeing paths exist."""
    choice.first[0, 0] = choice.second[0, 0] = choice.filled[0, 0] = 0
    choice.gains[0, 0] = 1.0
    choice.ahead = 1
    pairs: Int = 1
    for number in range(linked.shape[0] * choice.all_rows):
        choice.x, choice.row = number // choice.all_rows, number % choice.all_rows
        _describe_cell(graph1, graph2, choice, linked[choice.x])
        choice.stamp += 1
        if choice.is_first:
            pairs = _expand_pairs(graph1, graph1, graph2, choice, pairs)
        else:
            pairs = _expand_pairs(graph2, graph1, graph2, choice, pairs)
        pairs = _keep_best(choice, pairs, beam)
        if not pairs:
            return False
        for i in range(pairs):
            choice.parents[number, i], choice.edges[number, i] = choice.origin[i], choice.edge[i]
        choice.ahead = 1 - choice.ahead
    return True


def choose_paths(
    graph1: PassGraph, graph2: PassGraph | None, linked: Any, beam: int, choice: PathChoice
) -> tuple[list[int], list[int]] | None:
    """Find two paths, one through each graph, that agree on the row between their passes.

    ``linked`` says for each column whether the lowest cell of the second pass depends on the top
    row of the first: 0 if not, 2 if one of the passes must fill the cell, 1 if it may stay empty.
    """
    second: PassGraph = graph1 if graph2 is None else graph2
    columns: Int[::1] = memoryview(linked)
    choice.all_rows = graph1.rows + (0 if graph2 is None else second.rows)
    agrees: cython.bint = False
    pairs_kept: Int = beam
    with cython.nogil:
        agrees = _find_agreeing(graph1, second, choice, columns, pairs_kept)
    if not agrees:
        return None
    chosen: tuple[list[int], list[int]] = ([], [])
    pair: Int = 0
    for cell in range(columns.shape[0] * choice.all_rows - 1, -1, -1):
        edge: Int = choice.edges[cell, pair]
        is_second: Int = cell % choice.all_rows >= graph1.rows
        chosen[is_second].append(second.step[edge] if is_second else graph1.step[edge])
        pair = choice.parents[cell, pair]
    return chosen[0][::-1], chosen[1][::-1]
