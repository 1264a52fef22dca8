"""The compiled search for passes, column by column.

Between two cells only four facts about the pieces placed so far matter: the cells, with levels,
that the pieces occupy in the rest of this column and in the next three columns; the squares that
they rely on there; which clearing rows already have the piece that completes them; and the level
reached in this column. Together these facts are a *state*. Every reachable state is visited once,
so the time is linear in the width. The states and the steps between them form a graph. Its paths
from end to end are all ways to play the pass, unless there are more states than the search may
keep.

A state takes two numbers; :class:`Shape` gives the position of each field in them. The first has
the levels of the cells of this column and of the next column (0 if empty, else the level plus one),
the level reached, the complete lines, and the filled cells of this column. The second has the
levels in the second column after this one, the cells of the third, and the squares relied on in
all four columns. The types of the fields of the classes are in the ``.pxd``.
"""

from __future__ import annotations

from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

from tetrisprinter.support.arrays import zeros

if cython.compiled:
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next

__all__ = ["PassMemory", "PassQuery", "Shape", "StepGraph", "explore"]

_FIRST = 1 << 16
"""The number of steps for which memory is reserved at first."""


@cython.cclass
class Shape:
    """A stack, and the layout of its states.

    - rows, bits, lines: the numbers of rows, of bits for a level plus one, and of clearing rows.
    - begin, fields, masks: its pieces; see ``PassStack``.
    - at_next, at_level, at_done, at_filled: bit positions, in the first number of a state, of the
      next column, the level, the complete lines, and the filled cells.
    - at_last, at_need: those, in the second number, of the last column and the squares relied on.
    - column, level: bit masks of a column and of a level.
    """

    def __init__(
        self, rows: int, bits: int, lines: int, begin: Any, fields: Any, masks: Any
    ) -> None:
        self.rows, self.bits, self.lines = rows, bits, lines
        self.begin, self.fields, self.masks = memoryview(begin), fields, masks
        self.at_next = self.at_last = rows * bits
        self.at_level = 2 * self.at_next
        self.at_done = self.at_level + bits
        self.at_filled = self.at_done + lines
        self.at_need = self.at_last + rows
        self.column = (1 << rows * bits) - 1
        self.level = (1 << bits) - 1


@cython.cclass
class PassQuery:
    """The input of a search: what the columns hold and may hold, and its limits.

    - before, must, wanted: for each column, bit sets of the rows that are filled before, that must
      be filled, and that should be filled (states that leave out few of them are preferred).
    - allowed: ``allowed[x, row]``: the types that may be left there, as a bit set.
    - ground: for each column, whether there is a square right below the stack.
    - free: for each column whether its lowest square may be filled before or by the pass.
    - beam, wide_beam: states kept after a column; the second applies to columns before a dead end.
    - exact: whether to give up instead of leaving out a state.
    - spread: the factor by which more states are kept within a column.
    """

    def __init__(
        self, squares: Any, free: Any, beam: int, wide_beam: int, exact: bool, spread: int = 4
    ) -> None:
        self.before, self.must = memoryview(squares.before), memoryview(squares.must)
        self.wanted, self.ground = memoryview(squares.wanted), memoryview(squares.ground)
        width = len(self.must)
        bits = memoryview(squares.allowed).cast("B")
        self.allowed = bits.cast("q", (width, len(squares.allowed) // width))
        self.free = memoryview(free)
        self.beam, self.wide_beam, self.exact, self.spread = beam, wide_beam, exact, spread


@cython.cclass
class StepGraph:
    """The graph of the search, in memory that grows with it.

    - counts, ends: for each cell the number of states before it, and the end of its steps;
      ``counts`` ends with the number of final states.
    - source, target, step: the steps: a state before the cell, one after it, and twice the number
      of the piece that begins there (0 if none), plus 1 if the cell is filled.
    - most_steps: the most steps that get memory; further steps are left out.
    - failure: the exception raised by the last attempt to enlarge the memory, or None.
    """

    def __init__(self, most_steps: int) -> None:
        self.counts = self.ends = zeros("q", 1)
        self.most_steps = most_steps
        self.failure: BaseException | None = None
        first = min(most_steps, _FIRST)
        self.source, self.target = zeros("i", first), zeros("i", first)
        self.step = zeros("h", first)

    def begin(self, counts: Any, ends: Any) -> None:
        """Begin a new graph, with its ``counts`` and ``ends``; the steps are overwritten."""
        self.counts, self.ends = counts, ends

    def grow(self) -> bool:
        """Double the memory for steps; return whether the limit allows it."""
        old = len(self.step)
        count = min(self.most_steps, 2 * old)
        if count <= old:
            return False
        source, target, step = zeros("i", count), zeros("i", count), zeros("h", count)
        source[:old], target[:old], step[:old] = self.source, self.target, self.step
        self.source, self.target, self.step = source, target, step
        return True

    def part(self, count: int) -> tuple[Any, Any, Any]:
        """Return the first ``count`` steps: arrays of sources, targets and codes."""
        steps = memoryview(self.source), memoryview(self.target), memoryview(self.step)
        return steps[0][:count], steps[1][:count], steps[2][:count]


@cython.cclass
class PassMemory:
    """Working memory for one search at a time.

    - states: the states before a cell and after it, in alternating order.
    - left_out: for each state the fewest wanted squares that a path to it leaves out.
    - codes: the hashes, then the penalties of states; the second row is scratch memory.
    - slots, stamp: a hash table of states; the upper half of an entry is the stamp of its cell.
    - histogram: the number of states in each bucket of penalties.
    - new_numbers: the new number of each state; -1 if the state is dropped.
    - saved, saved_counts: the states before each column with ``left_out``, and their number.
    - successors: for each successor of a state its two numbers and the step.
    """

    def __init__(self, width: int, beam: int) -> None:
        most_states = 16 * beam
        self.states = zeros("q", 2, 2, most_states)
        self.left_out = zeros("i", 2, most_states)
        self.codes = zeros("Q", 2, most_states)
        self.slots = zeros("q", 1 << (2 * most_states).bit_length())
        self.stamp = 0
        self.histogram = zeros("q", 1 << 13)
        self.new_numbers = zeros("i", most_states)
        self.saved = zeros("q", width, 3, beam)
        self.saved_counts = zeros("q", width)
        self.successors = zeros("q", 1, 3)

    def renew(self, pieces: int) -> None:
        """Make room for the successors of a state in a stack with this number of pieces."""
        if len(self.successors) <= pieces:
            self.successors = zeros("q", pieces + 1, 3)
        if self.stamp > 1 << 29:  # a larger stamp overflows the slots
            self.slots = zeros("q", len(self.slots))
            self.stamp = 0


@cython.cclass
class ColumnFits:
    """The pieces that may begin in each row of a column, whatever the state.

    - ends: the end of each row's pieces, after a zero.
    - cells, group_end: the cells in ``free1``; the end of the group of pieces with the same cells:
      if one piece of a group does not fit, none fits.
    - free1, free2: the bits that must not be set in the two numbers of a state.
    - sets1, sets2: the bits that the piece sets in the two numbers.
    - needed_bits: the bits that must be set in the first number.
    - level: the level of the piece.
    - level_rule: the last of ``PassStack.masks``: 0, 1 or 2.
    - step: the code of the step, see ``StepGraph``.
    """

    def __init__(self, rows: int, most_pieces: int) -> None:
        self.ends = zeros("q", rows + 1)
        arrays = [zeros("q", most_pieces) for _ in range(10)]
        self.free1, self.sets1, self.free2, self.sets2 = arrays[:4]
        self.needed_bits, self.level, self.level_rule, self.step = arrays[4:8]
        self.cells, self.group_end = arrays[8:]


@cython.cclass
class SearchCursor:
    """The cursor of the search: its cell and its counters.

    - x, v: the cell.
    - now: the index in ``PassMemory.states``, 0 or 1, of the states before the cell.
    - state_count, new_count: the numbers of states before the cell and after it.
    - steps, tried_steps: the number of steps kept; the number of all steps, dropped ones included.
    - is_lost: whether states were left out.
    - needed, wanted, was_filled: whether the cell must be filled by the pass; whether it should be
      filled; whether it was filled before.
    - filled_bit: the bit that records that the cell is filled; 0 if no later check needs it.
    - recorded_rows: the rows of the column whose filled cells are recorded.
    """

    x: Int
    v: Int
    now: Int
    state_count: Int
    new_count: Int
    steps: Int
    tried_steps: Int
    is_lost: cython.bint
    needed: cython.bint
    wanted: cython.bint
    was_filled: cython.bint
    filled_bit: Int
    recorded_rows: Int


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _make_ones(count: Int) -> Int:
    bit: Int = 1
    return (bit << count) - 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _count_holes(column: Int, needed: Int, bits: Int) -> Int:
    """Count the holes of a column: empty needed cells under a filled one."""
    filled: Int = column
    if bits > 1:
        filled |= column >> 1
    if bits > 2:
        filled |= column >> 2
    under: Int = filled >> bits
    under |= under >> bits
    under |= under >> 2 * bits
    under |= under >> 4 * bits
    holes: Int = needed & under & ~filled
    count: Int = 0
    while holes:
        holes &= holes - 1
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _spread_rows(shape: Shape, rows: Int) -> Int:
    """Spread a bit set of rows to the spacing of the level fields in a state."""
    bit: Int = 1
    spread: Int = 0
    for r in range(shape.rows):
        if rows >> r & 1:
            spread |= bit << r * shape.bits
    return spread


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _penalize(
    shape: Shape, query: PassQuery, memory: PassMemory, cursor: SearchCursor
) -> cython.void:
    """Give each state after a cell a penalty (holes; chance breaks ties) and count the penalties.

    A hole is an unfilled cell that must be filled, below a filled one, in the next two columns.
    Each further hole lowers the share of states that can be completed to a third (measured on rows
    of noise), but some passes need holes. A wanted square that is left out counts as four holes,
    for up to seven more such squares than in the best state.
    """
    width = query.must.shape[0]
    needed1: Int = _spread_rows(shape, query.must[cursor.x + 1] if cursor.x + 1 < width else 0)
    needed2: Int = _spread_rows(shape, query.must[cursor.x + 2] if cursor.x + 2 < width else 0)
    after: Int = 1 - cursor.now
    for i in range(memory.histogram.shape[0]):
        memory.histogram[i] = 0
    fewest: Int = memory.left_out[after, 0]
    for i in range(cursor.new_count):
        fewest = min(fewest, memory.left_out[after, i])
    for i in range(cursor.new_count):
        holes: Int = 4 * min(7, memory.left_out[after, i] - fewest)
        holes += _count_holes(
            memory.states[after, 0, i] >> shape.at_next & shape.column, needed1, shape.bits
        )
        holes += _count_holes(memory.states[after, 1, i] & shape.column, needed2, shape.bits)
        penalty: Word = cython.cast(Word, holes)
        penalty = (penalty << 58) + (memory.codes[0, i] >> 2)
        memory.codes[0, i] = penalty
        memory.histogram[cython.cast(Int, penalty >> 51)] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_highest(memory: PassMemory, count: Int, limit: Int) -> Word:
    """Return the highest penalty among the ``limit`` states with the lowest penalties."""
    # states in lower buckets are kept, those in higher ones are not
    bucket: Int = 0
    count_below: Int = 0
    while count_below + memory.histogram[bucket] < limit:
        count_below += memory.histogram[bucket]
        bucket += 1
    count_in_bucket: Int = 0
    for i in range(count):
        penalty: Word = memory.codes[0, i]
        if cython.cast(Int, penalty >> 51) == bucket:
            place: Int = count_in_bucket
            while place and memory.codes[1, place - 1] > penalty:
                memory.codes[1, place] = memory.codes[1, place - 1]
                place -= 1
            memory.codes[1, place] = penalty
            count_in_bucket += 1
    return memory.codes[1, limit - count_below - 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _select_states(
    shape: Shape,
    query: PassQuery,
    memory: PassMemory,
    graph: StepGraph,
    cursor: SearchCursor,
    limit: Int,
) -> cython.void:
    """Keep and renumber the states with the lowest penalties, and the edges to them."""
    _penalize(shape, query, memory, cursor)
    highest: Word = _find_highest(memory, cursor.new_count, limit)
    after: Int = 1 - cursor.now
    kept: Int = 0
    for i in range(cursor.new_count):
        memory.new_numbers[i] = -1
        if memory.codes[0, i] <= highest and kept < limit:
            memory.states[after, 0, kept] = memory.states[after, 0, i]
            memory.states[after, 1, kept] = memory.states[after, 1, i]
            memory.left_out[after, kept] = memory.left_out[after, i]
            memory.new_numbers[i] = kept
            kept += 1
    cursor.new_count = kept
    cursor.is_lost = True
    cell: Int = cursor.x * shape.rows + cursor.v
    kept_steps: Int = graph.ends[cell - 1] if cell else 0
    for edge in range(kept_steps, cursor.steps):
        number = memory.new_numbers[graph.target[edge]]
        if number >= 0:
            graph.source[kept_steps] = graph.source[edge]
            graph.target[kept_steps] = number
            graph.step[kept_steps] = graph.step[edge]
            kept_steps += 1
    cursor.steps = kept_steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits_at(shape: Shape, query: PassQuery, x: Int, piece: Int) -> cython.bint:
    """Return whether a piece that begins in column ``x`` may fill all of its cells."""
    for k in range(4):
        cx: Int = x + shape.fields[piece, 10 + 2 * k]
        cy: Int = shape.fields[piece, 11 + 2 * k]
        if cx >= query.before.shape[0] or query.before[cx] >> cy & 1:
            return False
        if not query.allowed[cx, cy] >> shape.fields[piece, 0] & 1:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _group_by_cells(fits: ColumnFits, first: Int, end: Int, cells: Int) -> cython.void:
    """Record for each piece of a row the end of its group, which needs the same free cells."""
    until: Int = end
    for back in range(end - first):
        choice: Int = end - 1 - back
        fits.cells[choice] = fits.free1[choice] & cells
        if choice + 1 < end and (
            fits.cells[choice] != fits.cells[choice + 1]
            or fits.free2[choice] != fits.free2[choice + 1]
        ):
            until = choice + 1
        fits.group_end[choice] = until


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_fitting(shape: Shape, query: PassQuery, fits: ColumnFits, x: Int) -> cython.void:
    """List for each row of a column the pieces that may begin there."""
    bit: Int = 1
    count: Int = 0
    cells: Int = (bit << shape.at_level) - 1
    for v in range(shape.rows):
        for piece in range(shape.begin[v], shape.begin[v + 1]):
            if not _fits_at(shape, query, x, piece):
                continue
            needs: Int = 0
            needed_bits: Int = 0
            dx: Int = shape.fields[piece, 7]
            row: Int = shape.fields[piece, 8]
            if row == -1 and not query.ground[x + dx]:
                continue
            if row >= 0 and not (query.must[x + dx] | query.before[x + dx]) >> row & 1:
                if not query.allowed[x + dx, row]:
                    continue
                if dx:
                    needs = bit << (shape.at_need + shape.rows * dx + row)
                else:
                    needed_bits = bit << (shape.at_filled + row)
            fits.free1[count], fits.sets1[count] = shape.masks[piece, 0], shape.masks[piece, 1]
            fits.free2[count], fits.sets2[count] = (
                shape.masks[piece, 2],
                shape.masks[piece, 3] | needs,
            )
            fits.needed_bits[count], fits.level[count] = needed_bits, shape.fields[piece, 1]
            fits.level_rule[count] = shape.masks[piece, 4]
            fits.step[count] = 2 * (piece - shape.begin[v] + 1) + 1
            count += 1
        fits.ends[v + 1] = count
        _group_by_cells(fits, fits.ends[v], count, cells)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _has_level(shape: Shape, a: Int, b: Int, level: Int) -> cython.bint:
    """Return whether any cell of the next two columns has a level."""
    next_column: Int = a >> shape.at_next
    column_after: Int = b
    for _ in range(shape.rows):
        if next_column & shape.level == level + 1 or column_after & shape.level == level + 1:
            return True
        next_column >>= shape.bits
        column_after >>= shape.bits
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _list_successors(
    shape: Shape, fits: ColumnFits, memory: PassMemory, cursor: SearchCursor, a: Int, b: Int
) -> Int:
    """Store the successors of a state in the working memory; return their number."""
    bit: Int = 1
    shift: Int = cursor.v * shape.bits
    cell_level: Int = a >> shift & shape.level
    level: Int = a >> shape.at_level & shape.level
    b_after: Int = b & ~(bit << (shape.at_need + cursor.v))
    a_after: Int = a & ~(shape.level << shape.at_level) | cursor.filled_bit
    if cell_level:
        if cursor.was_filled or cell_level - 1 < level:
            return 0
        a_landed: Int = a_after & ~(shape.level << shift) | (cell_level - 1) << shape.at_level
        memory.successors[0, 0] = a_landed
        memory.successors[0, 1], memory.successors[0, 2] = b_after, 1
        return 1
    memory.successors[0, 0], memory.successors[0, 1], memory.successors[0, 2] = a, b_after, 0
    if cursor.was_filled:
        return 0 if a >> shape.at_filled & ((bit << cursor.v) - 1) else 1
    count: Int = 0 if cursor.needed or b >> (shape.at_need + cursor.v) & 1 else 1
    choice: Int = fits.ends[cursor.v] - 1
    end: Int = fits.ends[cursor.v + 1]
    while choice + 1 < end:
        choice += 1
        if a & fits.cells[choice] | b & fits.free2[choice]:
            choice = fits.group_end[choice] - 1
            continue
        if a & fits.free1[choice]:
            continue
        piece_level: Int = fits.level[choice]
        if piece_level < level or fits.needed_bits[choice] & ~a:
            continue
        if piece_level > level and fits.level_rule[choice]:
            # A piece has the least level that the cells below it allow. So further right a
            # cell of its level must lie under it: the cell is there already, or the piece
            # that completes the row below the level is still to come.
            if fits.level_rule[choice] == 2:
                continue
            if a >> (shape.at_done + piece_level - 1) & 1 and not _has_level(
                shape, a, b, piece_level
            ):
                continue
        memory.successors[count, 0] = a_after | fits.sets1[choice]
        memory.successors[count, 1] = b_after | fits.sets2[choice]
        memory.successors[count, 2] = fits.step[choice]
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rehash(memory: PassMemory, count: Int, span: Int) -> cython.void:
    """Insert the first ``count`` states into a hash table of ``span`` slots, a power of 2."""
    memory.stamp += 1
    for j in range(count):
        slot: Int = cython.cast(Int, memory.codes[0, j] & cython.cast(Word, span - 1))
        while memory.slots[slot] >> 32 == memory.stamp:
            slot = slot + 1 & span - 1
        memory.slots[slot] = memory.stamp << 32 | j


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enlarge_steps(graph: StepGraph) -> cython.bint:
    """Enlarge the memory for steps; return whether that succeeds.

    Ctrl-C may come while Python allocates. The calling loops raise nothing, so the exception is
    kept for :func:`explore`.
    """
    is_grown: cython.bint = False
    with cython.gil:
        try:
            is_grown = graph.failure is None and graph.grow()
        except BaseException as failure:
            graph.failure = failure
    return is_grown


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _process_cell(
    shape: Shape, fits: ColumnFits, memory: PassMemory, graph: StepGraph, cursor: SearchCursor
) -> cython.void:
    """Generate all states after a cell, and the steps to them."""
    now: Int = cursor.now
    after: Int = 1 - now
    size: Int = memory.slots.shape[0]
    most_states: Int = memory.states.shape[2]
    # use no more slots than needed: a small table fits a faster cache
    span: Int = 256
    while span < 4 * cursor.state_count and span < size:
        span *= 2
    memory.stamp += 1
    begun_at: Int = memory.stamp << 32
    count: Int = 0
    steps: Int = cursor.steps
    for i in range(cursor.state_count):
        for k in range(
            _list_successors(
                shape, fits, memory, cursor, memory.states[now, 0, i], memory.states[now, 1, i]
            )
        ):
            if count == most_states or (
                steps == graph.source.shape[0] and not _enlarge_steps(graph)
            ):
                cursor.is_lost = True
                continue
            a: Int = memory.successors[k, 0]
            b: Int = memory.successors[k, 1]
            left_out: Int = memory.left_out[now, i] + (
                cursor.wanted and not memory.successors[k, 2]
            )
            # find the state in the hash table
            code: Word = finish_hash(hash_next(hash_first(a), b))
            slot: Int = cython.cast(Int, code & cython.cast(Word, span - 1))
            number: Int = count
            while memory.slots[slot] >= begun_at:
                candidate: Int = memory.slots[slot] & 0x7FFFFFFF
                if (
                    memory.states[after, 0, candidate] == a
                    and memory.states[after, 1, candidate] == b
                ):
                    number = candidate
                    break
                slot = slot + 1 & span - 1
            if number == count:
                memory.slots[slot] = begun_at | count
                memory.states[after, 0, count], memory.states[after, 1, count] = a, b
                memory.left_out[after, count] = cython.cast(Short, left_out)
                memory.codes[0, count] = code
                count += 1
                if 2 * count > span and span < size:
                    span *= 4 if 2 * span < size else 2
                    _rehash(memory, count, span)
                    begun_at = memory.stamp << 32
            elif left_out < memory.left_out[after, number]:
                memory.left_out[after, number] = cython.cast(Short, left_out)
            graph.source[steps], graph.target[steps] = i, number
            graph.step[steps] = memory.successors[k, 2]
            steps += 1
    cursor.tried_steps += steps - cursor.steps
    cursor.new_count, cursor.steps = count, steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _process_column(
    shape: Shape,
    query: PassQuery,
    fits: ColumnFits,
    memory: PassMemory,
    graph: StepGraph,
    cursor: SearchCursor,
    beam: Int,
) -> cython.bint:
    """Process a column from the bottom up; return False if an exact search must give up."""
    bit: Int = 1
    x: Int = cursor.x
    _list_fitting(shape, query, fits, x)
    cursor.recorded_rows = 0
    for v in range(shape.rows):
        if query.before[x] >> v or (query.allowed[x, v] and not query.must[x] >> v & 1):
            cursor.recorded_rows |= bit << v
    for v in range(shape.rows):
        cursor.v = v
        cursor.needed = query.must[x] >> v & 1 and not (query.free[x] and v == 0)
        cursor.wanted = query.wanted[x] >> v & 1
        cursor.was_filled = query.before[x] >> v & 1
        cursor.filled_bit = (bit << v & cursor.recorded_rows) << shape.at_filled
        graph.counts[x * shape.rows + v] = cursor.state_count
        _process_cell(shape, fits, memory, graph, cursor)
        limit: Int = beam if v == shape.rows - 1 else query.spread * beam
        if cursor.new_count > limit:
            if query.exact:
                cursor.is_lost = True
                return False
            _select_states(shape, query, memory, graph, cursor, limit)
        graph.ends[x * shape.rows + v] = cursor.steps
        cursor.state_count = cursor.new_count
        cursor.now = 1 - cursor.now
        if not cursor.state_count:
            break
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shift_states(shape: Shape, memory: PassMemory, cursor: SearchCursor) -> cython.void:
    """Turn the states at the end of a column into those at the start of the next column."""
    for i in range(cursor.state_count):
        a: Int = memory.states[cursor.now, 0, i]
        b: Int = memory.states[cursor.now, 1, i]
        second_column: Int = b & shape.column
        third_column: Int = 0
        for r in range(shape.rows):
            if b >> (shape.at_last + r) & 1:
                third_column |= second_column & shape.level << r * shape.bits
        done: Int = a >> shape.at_done & _make_ones(shape.lines)
        memory.states[cursor.now, 0, i] = (
            a >> shape.at_next & shape.column
            | second_column << shape.at_next
            | done << shape.at_done
        )
        memory.states[cursor.now, 1, i] = (
            third_column | b >> (shape.at_need + shape.rows) << shape.at_need
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _save_states(memory: PassMemory, cursor: SearchCursor) -> cython.void:
    """Save the states before a column."""
    memory.saved_counts[cursor.x] = cursor.state_count
    for i in range(cursor.state_count):
        memory.saved[cursor.x, 0, i] = memory.states[cursor.now, 0, i]
        memory.saved[cursor.x, 1, i] = memory.states[cursor.now, 1, i]
        memory.saved[cursor.x, 2, i] = memory.left_out[cursor.now, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _restore_states(
    memory: PassMemory, graph: StepGraph, cursor: SearchCursor, rows: Int
) -> cython.void:
    """Restore the states before a column."""
    cursor.state_count = memory.saved_counts[cursor.x]
    for i in range(cursor.state_count):
        memory.states[cursor.now, 0, i] = memory.saved[cursor.x, 0, i]
        memory.states[cursor.now, 1, i] = memory.saved[cursor.x, 1, i]
        memory.left_out[cursor.now, i] = cython.cast(Short, memory.saved[cursor.x, 2, i])
    cursor.steps = graph.ends[cursor.x * rows - 1] if cursor.x else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_goal(shape: Shape, memory: PassMemory, cursor: SearchCursor) -> Int:
    """Return the index of the state with all lines complete and no cells ahead; -1 if none."""
    goal: Int = -1
    for i in range(cursor.state_count):
        done: Int = _make_ones(shape.lines) << shape.at_done
        if memory.states[cursor.now, 0, i] == done and memory.states[cursor.now, 1, i] == 0:
            goal = i
    return goal


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep_columns(
    shape: Shape,
    query: PassQuery,
    fits: ColumnFits,
    memory: PassMemory,
    graph: StepGraph,
    cursor: SearchCursor,
) -> Int:
    """Process all columns; back up at dead ends. Return the index of the final state or -1."""
    width: Int = query.before.shape[0]
    memory.states[0, 0, 0] = memory.states[0, 1, 0] = 0
    memory.left_out[0, 0] = 0
    cursor.state_count = 1
    goal: Int = -1
    farthest: Int = -1
    tries: Int = 0
    wide_until: Int = 0
    while cursor.x < width:
        _save_states(memory, cursor)
        beam: Int = query.wide_beam if cursor.x < wide_until else query.beam
        if not _process_column(shape, query, fits, memory, graph, cursor, beam):
            return -1
        _shift_states(shape, memory, cursor)
        goal = _find_goal(shape, memory, cursor) if cursor.x == width - 1 else -1
        if cursor.state_count and (cursor.x < width - 1 or goal >= 0):
            cursor.x += 1
            continue
        # a dead end: go back, and keep more states in the columns before it
        if cursor.x > farthest:
            farthest, tries = cursor.x, 0
        tries += 1
        if not cursor.is_lost or tries > 2 or query.wide_beam <= query.beam:
            return -1
        wide_until = min(width, cursor.x + 4)
        cursor.x = max(0, cursor.x - 8 * tries)
        _restore_states(memory, graph, cursor, shape.rows)
    graph.counts[width * shape.rows] = cursor.state_count
    return goal


def explore(
    shape: Shape, query: PassQuery, memory: PassMemory, graph: StepGraph
) -> tuple[int, int, bool, int]:
    """Explore the states of a pass, cell by cell.

    ``graph`` receives the steps. Returns the number of steps kept, the index of the final state
    (-1: none), whether states were left out, and the number of steps tried.
    """
    fits = ColumnFits(shape.rows, shape.fields.shape[0])
    cursor = SearchCursor()
    cursor.x = cursor.v = cursor.now = cursor.state_count = 0
    cursor.new_count = cursor.steps = cursor.tried_steps = 0
    cursor.is_lost = False
    memory.renew(shape.fields.shape[0])
    goal: Int = -1
    with cython.nogil:
        goal = _sweep_columns(shape, query, fits, memory, graph, cursor)
    if graph.failure is not None:
        failure, graph.failure = graph.failure, None
        raise failure
    return cursor.steps if goal >= 0 else 0, goal, cursor.is_lost, cursor.tried_steps
