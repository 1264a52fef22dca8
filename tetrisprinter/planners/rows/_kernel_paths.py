"""The compiled choice of paths: how to play one pass, or two passes that follow each other.

Two successive passes are chosen together, as paths through their graphs that agree: what the first
pass leaves in its top row lies in the lowest row of the second.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import double as Real
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

from tetrisprinter.support.arrays import zeros

if cython.compiled:
    from cython.cimports.tetrisprinter.support.word_ops import (
        finish_hash,
        hash_first,
        hash_next,
        select_rank,
    )
else:
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next, select_rank

__all__ = [
    "PAIRS_KEPT",
    "PairMemory",
    "PassPaths",
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


@cython.cclass
class PassPaths:
    """The paths through the graph of a pass: each is one way to play it.

    - rows: the number of rows of the stack.
    - starts, ends, source, target, step: as in
      :class:`~tetrisprinter.planners.rows._kernel.StepGraph`; ``starts`` sum up its ``counts``.
    - goal: the index of the final state.
    - lowest: for each column whether its lowest cell is filled before: 0, 1, or -1 for either.
    - carries: whether squares are carried in the top row.
    - discount: a path that carries ``n`` squares in the top row counts as ``discount ** n``.
    - weights: for each state the number of paths to the end, divided by the largest number at the
      same cell.
    """

    rows: Int
    starts: Int[::1]
    ends: Int[::1]
    source: Short[::1]
    target: Short[::1]
    step: cython.short[::1]
    goal: Int
    lowest: Int[::1]
    carries: cython.bint
    discount: Real
    weights: Real[::1]

    def __init__(
        self, rows: int, graph: Any, lowest: Any, carries: bool, discount: float, weights: Any
    ) -> None:
        self.rows, self.goal, self.carries, self.discount = rows, graph.goal, carries, discount
        self.starts, self.ends = memoryview(graph.starts), memoryview(graph.ends)
        self.source, self.target = memoryview(graph.source), memoryview(graph.target)
        self.step, self.lowest = memoryview(graph.step), memoryview(lowest)
        self.weights = memoryview(weights)


@cython.cclass
class PairMemory:
    """Working memory for one search at a time.

    - first, second, filled, gains: the pairs before a cell and after it, in alternating order. A
      pair has a state of each pass, whether the first pass fills the shared square, and the
      greatest gain of its paths, which falls with each carried square.
    - scores: for each pair its gain times the weights of its states.
    - slots, stamps: a hash table of pairs, and the stamp of the cell of each entry.
    - origin, edge: for each pair after a cell the pair before the cell, and the step.
    - parents, edges: the same for the pairs that are kept after each cell.
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
def _weigh_states(paths: PassPaths) -> cython.void:
    """Compute the weights of all states, from the last cell to the first."""
    cells: Int = paths.ends.shape[0]
    for i in range(paths.weights.shape[0]):
        paths.weights[i] = 0.0
    paths.weights[paths.starts[cells] + paths.goal] = 1.0
    for back in range(cells):
        cell: Int = cells - 1 - back
        begin: Int = paths.ends[cell - 1] if cell else 0
        first_before: Int = paths.starts[cell]
        first_after: Int = paths.starts[cell + 1]
        fixed: Int = paths.lowest[cell // paths.rows] if cell % paths.rows == 0 else -1
        is_carried: cython.bint = paths.carries and cell % paths.rows == paths.rows - 1
        greatest: Real = 0.0
        for edge in range(begin, paths.ends[cell]):
            if fixed >= 0 and (paths.step[edge] & 1) == fixed:
                continue
            weight: Real = paths.weights[first_after + paths.target[edge]]
            if is_carried and paths.step[edge] & 1:
                weight *= paths.discount
            paths.weights[first_before + paths.source[edge]] += weight
        for i in range(first_before, first_after):
            greatest = max(greatest, paths.weights[i])
        if greatest > 0.0:
            for i in range(first_before, first_after):
                paths.weights[i] /= greatest


def compute_path_weights(paths: PassPaths) -> None:
    """Count the paths from each state to the end and store them as weights."""
    with cython.nogil:
        _weigh_states(paths)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _remove_dead_ends(paths: PassPaths, numbers: Short[::1]) -> Int:
    """Remove dead ends, with ``numbers`` as working memory; return the number of steps kept."""
    cells: Int = paths.ends.shape[0]
    half: Int = numbers.shape[0] // 2
    first_state: Int = paths.starts[0]
    kept_states: Int = 0
    kept_steps: Int = 0
    begin: Int = 0
    place_before: Int = half
    for cell in range(cells + 1):
        # the states before this cell, or at the end
        place: Int = half - place_before
        end: Int = paths.starts[cell + 1]
        paths.starts[cell] = kept_states
        for i in range(first_state, end):
            numbers[place + i - first_state] = -1
            if paths.weights[i] > 0.0:
                numbers[place + i - first_state] = cython.cast(
                    Short, kept_states - paths.starts[cell]
                )
                paths.weights[kept_states] = paths.weights[i]
                kept_states += 1
        first_state = end
        if cell:
            # the steps that lead to them
            for edge in range(begin, paths.ends[cell - 1]):
                before: Short = numbers[place_before + paths.source[edge]]
                after: Short = numbers[place + paths.target[edge]]
                if before >= 0 and after >= 0:
                    paths.source[kept_steps], paths.target[kept_steps] = before, after
                    paths.step[kept_steps] = paths.step[edge]
                    kept_steps += 1
            begin = paths.ends[cell - 1]
            paths.ends[cell - 1] = kept_steps
        place_before = place
    paths.starts[cells + 1] = kept_states
    return kept_steps


def remove_dead_ends(paths: PassPaths, memory: Any) -> int:
    """Remove the states from which no path reaches the end, and their steps, in place.

    Most states are removed; the others are renumbered. Returns the number of steps kept.
    """
    numbers: Short[::1] = memoryview(memory)
    kept_steps: Int = 0
    with cython.nogil:
        kept_steps = _remove_dead_ends(paths, numbers)
    return kept_steps


def find_filled_columns(ends: Any, step: Any, rows: int) -> list[int]:
    """Return a code for each column's top row: 1 never filled, 2 always, 3 sometimes."""
    step_ends: Int[::1] = memoryview(ends)
    steps: cython.short[::1] = memoryview(step)
    codes = []
    for column in range(step_ends.shape[0] // rows):
        top_cell: Int = (column + 1) * rows - 1
        code: Int = 0
        for edge in range(step_ends[top_cell - 1], step_ends[top_cell]):
            code |= 1 + (steps[edge] & 1)
        codes.append(code)
    return codes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compute_values(paths: PassPaths, values: Int[::1], row: Int, counted: Int[::1]) -> cython.void:
    """Store for each state the highest value of a path from the state to the end."""
    cells: Int = paths.ends.shape[0]
    worth: Int = cells + 1
    for i in range(values.shape[0]):
        values[i] = -worth
    values[paths.starts[cells] + paths.goal] = 0
    for back in range(cells):
        cell: Int = cells - 1 - back
        gain: Int = -1 if cell % paths.rows == paths.rows - 1 else 0
        if cell % paths.rows == row and counted[cell // paths.rows]:
            gain = worth
        for edge in range(paths.ends[cell - 1] if cell else 0, paths.ends[cell]):
            value: Int = values[paths.starts[cell + 1] + paths.target[edge]]
            value += gain * (paths.step[edge] & 1)
            state: Int = paths.starts[cell] + paths.source[edge]
            values[state] = max(values[state], value)


def find_fullest_path(graph: Any, row: int, counted: Any, columns: int) -> list[int]:
    """Return the steps of the path that leaves most squares in a row and then fewest on top."""
    is_counted: Int[::1] = memoryview(counted)
    values: Int[::1] = zeros("q", len(graph.weights) + 1)
    at_row: Int = row
    paths = PassPaths(len(graph.ends) // columns, graph, counted, False, 1.0, graph.weights)
    with cython.nogil:
        _compute_values(paths, values, at_row, is_counted)
    chosen: list[int] = []
    state: Int = 0
    for cell in range(paths.ends.shape[0]):
        best_edge: Int = -1
        best_value: Int = 0
        gain: Int = 0
        if cell % paths.rows == paths.rows - 1:
            gain = -1
        if cell % paths.rows == row and is_counted[cell // paths.rows]:
            gain = paths.ends.shape[0] + 1
        begin: Int = paths.ends[cell - 1] if cell else 0
        for edge in range(begin, paths.ends[cell]):
            if paths.source[edge] == state:
                value: Int = values[paths.starts[cell + 1] + paths.target[edge]]
                value += gain * (paths.step[edge] & 1)
                if best_edge < 0 or value > best_value:
                    best_edge, best_value = edge, value
        chosen.append(paths.step[best_edge])
        state = paths.target[best_edge]
    return chosen


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_first_step(paths: PassPaths, begin: Int, end: Int, state: Int) -> Int:
    """Return the first step of a state by binary search; steps are sorted by source."""
    while begin < end:
        middle: Int = (begin + end) // 2
        if paths.source[middle] < state:
            begin = middle + 1
        else:
            end = middle
    return begin


@cython.cclass
class _CurrentCell:
    """The cell, of one of two passes, that the search is at.

    - x, row: its column and row; the rows of the second pass follow those of the first.
    - all_rows: the number of rows of the two passes together.
    - ahead: the index in ``PairMemory``, 0 or 1, of the pairs after the cell.
    - fixed: for a lowest cell of the first pass: whether the cell is filled before; -1 if that does
      not matter.
    - linked: for a lowest cell of the second pass: 0 if the cell does not depend on the first
      pass, else 2 if the cell must be filled, 1 if not.
    - is_first, is_first_top: whether the cell is in the first pass, and in the top row of it.
    - is_carried: whether a square there is carried.
    - begin, end, base: the range of its steps, and the number of the first state after it.
    """

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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_pair(
    memory: PairMemory, ahead: Int, first: Int, second: Int, filled: Int, count: Int
) -> Int:
    """Return the index of a pair after a cell; a new pair is added with the index ``count``."""
    mask: Int = memory.slots.shape[0] - 1
    code: Word = finish_hash(hash_next(hash_first(first), second << 1 | filled))
    slot: Int = cython.cast(Int, code & cython.cast(Word, mask))
    while memory.stamps[slot] == memory.stamp:
        index: Int = memory.slots[slot]
        if (
            memory.first[ahead, index] == first
            and memory.second[ahead, index] == second
            and memory.filled[ahead, index] == filled
        ):
            return index
        slot = slot + 1 & mask
    memory.stamps[slot] = memory.stamp
    memory.slots[slot] = cython.cast(Short, count)
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _score_pair(
    paths1: PassPaths, paths2: PassPaths, cell: _CurrentCell, first: Int, second: Int, gain: Real
) -> Real:
    """Return the score of a pair of states: its gain times the weights of both."""
    row: Int = min(cell.row + 1, paths1.rows)
    score: Real = gain * paths1.weights[paths1.starts[cell.x * paths1.rows + row] + first]
    if cell.all_rows > paths1.rows:
        row = max(0, cell.row + 1 - paths1.rows)
        score *= paths2.weights[
            paths2.starts[cell.x * (cell.all_rows - paths1.rows) + row] + second
        ]
    return score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expand_pairs(
    paths: PassPaths,
    paths1: PassPaths,
    paths2: PassPaths,
    memory: PairMemory,
    cell: _CurrentCell,
    pairs: Int,
) -> Int:
    """Generate the pairs of states after a cell of ``paths``; return their number."""
    now: Int = 1 - cell.ahead
    count: Int = 0
    for i in range(pairs):
        was_filled: Int = memory.filled[now, i]
        state: Int = memory.first[now, i] if cell.is_first else memory.second[now, i]
        edge: Int = _find_first_step(paths, cell.begin, cell.end, state) - 1
        while edge + 1 < cell.end and paths.source[edge + 1] == state:
            edge += 1
            filled: Int = paths.step[edge] & 1
            if paths.weights[cell.base + paths.target[edge]] <= 0.0 or filled == cell.fixed:
                continue
            if cell.linked and filled == was_filled and (filled or cell.linked == 2):
                continue
            if count == memory.scores.shape[0]:
                continue
            first: Int = paths.target[edge] if cell.is_first else memory.first[now, i]
            second: Int = memory.second[now, i] if cell.is_first else paths.target[edge]
            shared: Int = filled if cell.is_first_top else (was_filled if cell.is_first else 0)
            gain: Real = memory.gains[now, i]
            if filled and cell.is_carried:
                gain *= paths1.discount
            index: Int = _find_pair(memory, cell.ahead, first, second, shared, count)
            if index == count:
                count += 1
            elif memory.gains[cell.ahead, index] >= gain:
                continue
            memory.first[cell.ahead, index], memory.second[cell.ahead, index] = first, second
            memory.filled[cell.ahead, index], memory.gains[cell.ahead, index] = shared, gain
            memory.scores[index] = _score_pair(paths1, paths2, cell, first, second, gain)
            memory.origin[index] = cython.cast(Short, i)
            memory.edge[index] = cython.cast(Short, edge)
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_best(memory: PairMemory, ahead: Int, count: Int, beam: Int) -> Int:
    """Keep the pairs with the best scores; return their number."""
    best: Real = 0.0
    for i in range(count):
        best = max(best, memory.gains[ahead, i])
    for i in range(count):
        memory.gains[ahead, i] /= best
    if count <= beam:
        return count
    least_score: Real = select_rank(memory.scores, count, count - beam, memory.scratch)
    kept: Int = 0
    for i in range(count):
        if memory.scores[i] >= least_score and kept < beam:
            memory.first[ahead, kept] = memory.first[ahead, i]
            memory.second[ahead, kept] = memory.second[ahead, i]
            memory.filled[ahead, kept] = memory.filled[ahead, i]
            memory.gains[ahead, kept] = memory.gains[ahead, i]
            memory.origin[kept], memory.edge[kept] = memory.origin[i], memory.edge[i]
            kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _describe_cell(
    paths1: PassPaths, paths2: PassPaths, cell: _CurrentCell, linked: Int
) -> cython.void:
    """Set the fields of a cell from its column and row."""
    cell.is_first = cell.row < paths1.rows
    cell.fixed = cell.linked = -1
    if cell.is_first:
        number: Int = cell.x * paths1.rows + cell.row
        cell.begin, cell.end = paths1.ends[number - 1] if number else 0, paths1.ends[number]
        cell.base = paths1.starts[number + 1]
        cell.fixed = paths1.lowest[cell.x] if cell.row == 0 else -1
        cell.linked = 0
    else:
        number = cell.x * (cell.all_rows - paths1.rows) + cell.row - paths1.rows
        cell.begin, cell.end = paths2.ends[number - 1] if number else 0, paths2.ends[number]
        cell.base = paths2.starts[number + 1]
        cell.linked = linked if cell.row == paths1.rows else 0
    cell.is_first_top = cell.row == paths1.rows - 1
    cell.is_carried = (paths1.carries and cell.is_first_top) or (
        paths2.carries and cell.row == cell.all_rows - 1
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_agreeing(
    paths1: PassPaths,
    paths2: PassPaths,
    memory: PairMemory,
    cell: _CurrentCell,
    linked: Int[::1],
    beam: Int,
) -> cython.bint:
    """Process all cells; return whether two agreeing paths exist."""
    memory.first[0, 0] = memory.second[0, 0] = memory.filled[0, 0] = 0
    memory.gains[0, 0] = 1.0
    cell.ahead = 1
    pairs: Int = 1
    for number in range(linked.shape[0] * cell.all_rows):
        cell.x, cell.row = number // cell.all_rows, number % cell.all_rows
        _describe_cell(paths1, paths2, cell, linked[cell.x])
        memory.stamp += 1
        if cell.is_first:
            pairs = _expand_pairs(paths1, paths1, paths2, memory, cell, pairs)
        else:
            pairs = _expand_pairs(paths2, paths1, paths2, memory, cell, pairs)
        pairs = _keep_best(memory, cell.ahead, pairs, beam)
        if not pairs:
            return False
        for i in range(pairs):
            memory.parents[number, i], memory.edges[number, i] = memory.origin[i], memory.edge[i]
        cell.ahead = 1 - cell.ahead
    return True


def choose_paths(
    paths1: PassPaths, paths2: PassPaths | None, linked: Any, beam: int, memory: PairMemory
) -> tuple[list[int], list[int]] | None:
    """Find two paths, one through each graph, that agree on the row between their passes.

    ``linked`` says for each column whether the lowest cell of the second pass depends on the top
    row of the first: 0 if not, 2 if one of the passes must fill the cell, 1 if it may stay empty.
    """
    second: PassPaths = paths1 if paths2 is None else paths2
    columns: Int[::1] = memoryview(linked)
    current = _CurrentCell()
    current.all_rows = paths1.rows + (0 if paths2 is None else second.rows)
    agrees: cython.bint = False
    pairs_kept: Int = beam
    with cython.nogil:
        agrees = _find_agreeing(paths1, second, memory, current, columns, pairs_kept)
    if not agrees:
        return None
    chosen: tuple[list[int], list[int]] = ([], [])
    pair: Int = 0
    for cell in range(columns.shape[0] * current.all_rows - 1, -1, -1):
        edge: Int = memory.edges[cell, pair]
        is_second: Int = cell % current.all_rows >= paths1.rows
        chosen[is_second].append(second.step[edge] if is_second else paths1.step[edge])
        pair = memory.parents[cell, pair]
    return chosen[0][::-1], chosen[1][::-1]
