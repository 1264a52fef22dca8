"""The compiled choice of paths: which way to play one pass, or two that follow each other.

Passes that follow one another are chosen together, as paths through their graphs that agree:
what one leaves in its top row lies in the lowest row of the next.
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
    "find_fullest",
    "thin",
]

_PAIRS_MET = 1 << 13
"""The number of pairs of states within a cell for which memory is reserved."""
PAIRS_KEPT = 200
"""The same for the pairs that are kept after it."""


@cython.cclass
class PassPaths:
    """The paths through the graph of a pass: each is one way to play it.

    - rows: the number of rows of the stack.
    - starts, ends, source, target, step: as in
      :class:`~tetrisprinter.planners.rows._kernel.StepGraph`; ``starts`` sum up its ``counts``.
    - goal: the last state.
    - lowest: for each column whether the lowest row is filled before: 0, 1, or -1 for either.
    - carries: whether squares are carried in the top row.
    - thrift: a path that carries ``n`` squares in the next row counts as ``thrift ** n``.
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
    thrift: Real
    weights: Real[::1]

    def __init__(
        self, rows: int, graph: Any, lowest: Any, carries: bool, thrift: float, weights: Any
    ) -> None:
        self.rows, self.goal, self.carries, self.thrift = rows, graph.goal, carries, thrift
        self.starts, self.ends = memoryview(graph.starts), memoryview(graph.ends)
        self.source, self.target = memoryview(graph.source), memoryview(graph.target)
        self.step, self.lowest = memoryview(graph.step), memoryview(lowest)
        self.weights = memoryview(weights)


@cython.cclass
class PairMemory:
    """Working memory for one search at a time.

    - first, second, filled, gains: the pairs before a cell and after it, in turn. A pair has a
      state of each pass; whether the first pass fills the shared square; and its greatest gain,
      which falls with each carried square.
    - scores: for each pair its gain times the weights of its states.
    - slots, stamps: a hash table of pairs, and the stamp of the cell of each entry.
    - origin, edge: for each pair after a cell the pair before it, and the step.
    - parents, edges: the same after each cell, for the pairs that are kept.
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
    cells: Int = paths.ends.shape[0]
    for i in range(paths.weights.shape[0]):
        paths.weights[i] = 0.0
    paths.weights[paths.starts[cells] + paths.goal] = 1.0
    for back in range(cells):
        cell: Int = cells - 1 - back
        begin: Int = paths.ends[cell - 1] if cell else 0
        here: Int = paths.starts[cell]
        there: Int = paths.starts[cell + 1]
        fixed: Int = paths.lowest[cell // paths.rows] if cell % paths.rows == 0 else -1
        thrifty: cython.bint = paths.carries and cell % paths.rows == paths.rows - 1
        most: Real = 0.0
        for edge in range(begin, paths.ends[cell]):
            if fixed >= 0 and (paths.step[edge] & 1) == fixed:
                continue
            part: Real = paths.weights[there + paths.target[edge]]
            if thrifty and paths.step[edge] & 1:
                part *= paths.thrift
            paths.weights[here + paths.source[edge]] += part
        for i in range(here, there):
            most = max(most, paths.weights[i])
        if most > 0.0:
            for i in range(here, there):
                paths.weights[i] /= most


def compute_path_weights(paths: PassPaths) -> None:
    """Count the paths from each state to the end and store them as weights."""
    with cython.nogil:
        _weigh_states(paths)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _thin_out(paths: PassPaths, names: Short[::1]) -> Int:
    cells: Int = paths.ends.shape[0]
    half: Int = names.shape[0] // 2
    old: Int = paths.starts[0]
    left: Int = 0
    kept: Int = 0
    begin: Int = 0
    base: Int = half
    for cell in range(cells + 1):
        # the states before this cell, or at the end
        here: Int = half - base
        end: Int = paths.starts[cell + 1]
        paths.starts[cell] = left
        for i in range(old, end):
            names[here + i - old] = -1
            if paths.weights[i] > 0.0:
                names[here + i - old] = cython.cast(Short, left - paths.starts[cell])
                paths.weights[left] = paths.weights[i]
                left += 1
        old = end
        if cell:
            # the steps that lead to them
            for edge in range(begin, paths.ends[cell - 1]):
                before: Short = names[base + paths.source[edge]]
                after: Short = names[here + paths.target[edge]]
                if before >= 0 and after >= 0:
                    paths.source[kept], paths.target[kept] = before, after
                    paths.step[kept] = paths.step[edge]
                    kept += 1
            begin = paths.ends[cell - 1]
            paths.ends[cell - 1] = kept
        base = here
    paths.starts[cells + 1] = left
    return kept


def thin(paths: PassPaths, memory: Any) -> int:
    """Remove the states from which no path reaches the end, and their steps, in place.

    Most states are removed; the others are renumbered.
    """
    names: Short[::1] = memoryview(memory)
    left: Int = 0
    with cython.nogil:
        left = _thin_out(paths, names)
    return left


def find_filled_columns(ends: Any, step: Any, rows: int) -> list[int]:
    """Return a code for each column's top row: 1 never filled, 2 always, 3 sometimes."""
    until: Int[::1] = memoryview(ends)
    steps: cython.short[::1] = memoryview(step)
    found = []
    for column in range(until.shape[0] // rows):
        last: Int = (column + 1) * rows - 1
        kinds: Int = 0
        for edge in range(until[last - 1], until[last]):
            kinds |= 1 + (steps[edge] & 1)
        found.append(kinds)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compute_values(paths: PassPaths, values: Int[::1], row: Int, counted: Int[::1]) -> cython.void:
    """Give each state the highest value of a path from it to the end."""
    cells: Int = paths.ends.shape[0]
    worth: Int = cells + 1
    for i in range(values.shape[0]):
        values[i] = -worth
    values[paths.starts[cells] + paths.goal] = 0
    for back in range(cells):
        cell: Int = cells - 1 - back
        each: Int = -1 if cell % paths.rows == paths.rows - 1 else 0
        if cell % paths.rows == row and counted[cell // paths.rows]:
            each = worth
        for edge in range(paths.ends[cell - 1] if cell else 0, paths.ends[cell]):
            value: Int = values[paths.starts[cell + 1] + paths.target[edge]]
            value += each * (paths.step[edge] & 1)
            at: Int = paths.starts[cell] + paths.source[edge]
            values[at] = max(values[at], value)


def find_fullest(graph: Any, row: int, counted: Any, columns: int) -> list[int]:
    """Return the steps of the path that leaves most squares in a row, then the fewest on top."""
    is_counted: Int[::1] = memoryview(counted)
    values: Int[::1] = zeros("q", len(graph.weights) + 1)
    at_row: Int = row
    paths = PassPaths(len(graph.ends) // columns, graph, counted, False, 1.0, graph.weights)
    with cython.nogil:
        _compute_values(paths, values, at_row, is_counted)
    chosen: list[int] = []
    state: Int = 0
    for cell in range(paths.ends.shape[0]):
        best: Int = -1
        most: Int = 0
        each: Int = 0
        if cell % paths.rows == paths.rows - 1:
            each = -1
        if cell % paths.rows == row and is_counted[cell // paths.rows]:
            each = paths.ends.shape[0] + 1
        begin: Int = paths.ends[cell - 1] if cell else 0
        for edge in range(begin, paths.ends[cell]):
            if paths.source[edge] == state:
                value: Int = values[paths.starts[cell + 1] + paths.target[edge]]
                value += each * (paths.step[edge] & 1)
                if best < 0 or value > most:
                    best, most = edge, value
        chosen.append(paths.step[best])
        state = paths.target[best]
    return chosen


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find_first_step(paths: PassPaths, begin: Int, end: Int, state: Int) -> Int:
    """Find the first step of a state by binary search; steps are sorted by source."""
    while begin < end:
        middle: Int = (begin + end) // 2
        if paths.source[middle] < state:
            begin = middle + 1
        else:
            end = middle
    return begin


@cython.cclass
class _Cell:
    """A cell of one of two passes.

    - x, row: where it is; rows of the second pass follow those of the first.
    - both: the number of rows of the two passes together.
    - ahead: the index in ``PairMemory``, 0 or 1, of the pairs after the cell.
    - fixed: for the lowest cells of the first pass: whether it is filled before; -1 if it does not
      matter.
    - linked: for the lowest cells of the second pass: 0 if they do not depend on the first; 2 if
      the cell must be filled, 1 if not.
    - is_first, is_first_top: whether it is a cell of the first pass; whether of its top row.
    - thrifty: whether a square there is carried.
    - begin, end, base: the range of its steps, and the number of the first state after it.
    """

    x: Int
    row: Int
    both: Int
    ahead: Int
    fixed: Int
    linked: Int
    is_first: cython.bint
    is_first_top: cython.bint
    thrifty: cython.bint
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
        name: Int = memory.slots[slot]
        if (
            memory.first[ahead, name] == first
            and memory.second[ahead, name] == second
            and memory.filled[ahead, name] == filled
        ):
            return name
        slot = slot + 1 & mask
    memory.stamps[slot] = memory.stamp
    memory.slots[slot] = cython.cast(Short, count)
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _score_pair(
    one: PassPaths, two: PassPaths, at: _Cell, first: Int, second: Int, gain: Real
) -> Real:
    """Return the score of a pair of states: its gain times the weights of both."""
    row: Int = min(at.row + 1, one.rows)
    score: Real = gain * one.weights[one.starts[at.x * one.rows + row] + first]
    if at.both > one.rows:
        row = max(0, at.row + 1 - one.rows)
        score *= two.weights[two.starts[at.x * (at.both - one.rows) + row] + second]
    return score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expand_pairs(
    paths: PassPaths, one: PassPaths, two: PassPaths, memory: PairMemory, at: _Cell, live: Int
) -> Int:
    """Generate the pairs of states after a cell; return their number."""
    now: Int = 1 - at.ahead
    count: Int = 0
    for i in range(live):
        left: Int = memory.filled[now, i]
        own: Int = memory.first[now, i] if at.is_first else memory.second[now, i]
        edge: Int = _find_first_step(paths, at.begin, at.end, own) - 1
        while edge + 1 < at.end and paths.source[edge + 1] == own:
            edge += 1
            filled: Int = paths.step[edge] & 1
            if paths.weights[at.base + paths.target[edge]] <= 0.0 or filled == at.fixed:
                continue
            if at.linked and filled == left and (filled or at.linked == 2):
                continue
            if count == memory.scores.shape[0]:
                continue
            first: Int = paths.target[edge] if at.is_first else memory.first[now, i]
            second: Int = memory.second[now, i] if at.is_first else paths.target[edge]
            keeps: Int = filled if at.is_first_top else (left if at.is_first else 0)
            gain: Real = memory.gains[now, i]
            if filled and at.thrifty:
                gain *= one.thrift
            name: Int = _find_pair(memory, at.ahead, first, second, keeps, count)
            if name == count:
                count += 1
            elif memory.gains[at.ahead, name] >= gain:
                continue
            memory.first[at.ahead, name], memory.second[at.ahead, name] = first, second
            memory.filled[at.ahead, name], memory.gains[at.ahead, name] = keeps, gain
            memory.scores[name] = _score_pair(one, two, at, first, second, gain)
            memory.origin[name] = cython.cast(Short, i)
            memory.edge[name] = cython.cast(Short, edge)
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
    least: Real = select_rank(memory.scores, count, count - beam, memory.scratch)
    kept: Int = 0
    for i in range(count):
        if memory.scores[i] >= least and kept < beam:
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
def _describe_cell(one: PassPaths, two: PassPaths, at: _Cell, linked: Int) -> cython.void:
    """Set the fields of a cell from its column and row."""
    at.is_first = at.row < one.rows
    at.fixed = at.linked = -1
    if at.is_first:
        cell: Int = at.x * one.rows + at.row
        at.begin, at.end = one.ends[cell - 1] if cell else 0, one.ends[cell]
        at.base = one.starts[cell + 1]
        at.fixed = one.lowest[at.x] if at.row == 0 else -1
        at.linked = 0
    else:
        cell = at.x * (at.both - one.rows) + at.row - one.rows
        at.begin, at.end = two.ends[cell - 1] if cell else 0, two.ends[cell]
        at.base = two.starts[cell + 1]
        at.linked = linked if at.row == one.rows else 0
    at.is_first_top = at.row == one.rows - 1
    at.thrifty = (one.carries and at.is_first_top) or (two.carries and at.row == at.both - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_agreeing(
    one: PassPaths, two: PassPaths, memory: PairMemory, at: _Cell, linked: Int[::1], beam: Int
) -> cython.bint:
    """Process all cells; return whether two agreeing paths exist."""
    memory.first[0, 0] = memory.second[0, 0] = memory.filled[0, 0] = 0
    memory.gains[0, 0] = 1.0
    at.ahead = 1
    live: Int = 1
    for cell in range(linked.shape[0] * at.both):
        at.x, at.row = cell // at.both, cell % at.both
        _describe_cell(one, two, at, linked[at.x])
        memory.stamp += 1
        if at.is_first:
            live = _expand_pairs(one, one, two, memory, at, live)
        else:
            live = _expand_pairs(two, one, two, memory, at, live)
        live = _keep_best(memory, at.ahead, live, beam)
        if not live:
            return False
        for i in range(live):
            memory.parents[cell, i], memory.edges[cell, i] = memory.origin[i], memory.edge[i]
        at.ahead = 1 - at.ahead
    return True


def choose_paths(
    one: PassPaths, two: PassPaths | None, linked: Any, beam: int, memory: PairMemory
) -> tuple[list[int], list[int]] | None:
    """Find two paths, one through each graph, that agree on the row between their passes.

    ``linked`` says for each column whether the second pass's lowest cell depends on what the first
    leaves in its top row: 0 if not, 2 if one of them must fill it, 1 if it may stay empty.
    """
    other: PassPaths = one if two is None else two
    columns: Int[::1] = memoryview(linked)
    at = _Cell()
    at.both = one.rows + (0 if two is None else other.rows)
    found: cython.bint = False
    kept: Int = beam
    with cython.nogil:
        found = _find_agreeing(one, other, memory, at, columns, kept)
    if not found:
        return None
    chosen: tuple[list[int], list[int]] = ([], [])
    pair: Int = 0
    for cell in range(columns.shape[0] * at.both - 1, -1, -1):
        edge: Int = memory.edges[cell, pair]
        is_second: Int = cell % at.both >= one.rows
        chosen[is_second].append(other.step[edge] if is_second else one.step[edge])
        pair = memory.parents[cell, pair]
    return chosen[0][::-1], chosen[1][::-1]
