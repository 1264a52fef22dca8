"""The compiled search for passes, column by column.

Between two cells only four facts about the pieces placed so far matter: the cells, with levels,
that the pieces occupy in the rest of this column and in the next three columns; the squares that
they rely on there; which clearing rows already have the piece that completes them; and the level
reached in this column. Together these facts are a *state*. Every reachable state is visited once,
so the time is linear in the width. The states and the steps between them form a graph. Its paths
from end to end are all ways to play the pass, unless there are more states than the search may
keep.

A state takes two numbers; :class:`PassStack` gives the position of each field in them. The first
has the levels of the cells of this column and of the next column (0 if empty, else the level plus
one), the level reached, the complete lines, and the filled cells of this column. The second has the
levels in the second column after this one, the cells of the third, and the squares relied on in
all four columns. The types of the fields of the classes are in the ``.pxd``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tetrisprinter.support.kernels import zeros  # first: it refuses to run uncompiled
import cython
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.support.kernels import (
        finish_hash,
        hash_first,
        hash_next,
        select_rank,
    )
else:
    from tetrisprinter.support.kernels import finish_hash, hash_first, hash_next, select_rank

__all__ = ["PassGraph", "PassSearch", "PassSquares", "PassStack", "explore"]

_FIRST = 1 << 16
"""The number of steps for which memory is reserved at first."""


@cython.cclass
class PassStack:
    """The rows of a pass with the pieces that fit into them, and the layout of the states.

    - row_kinds: the kind of each row, the lowest first; see :mod:`.passes`.
    - pieces: all pieces in column 0, with their levels. Those whose lowest cell in their first
      column is in row ``v`` have the numbers ``begin[v]:begin[v + 1]``.
    - fields: for each piece its type, its level, the clearing rows that it completes, its rows in
      columns 0 to 3, the column and row of the square that must support it (row -2 if none),
      whether it completes nothing, and its cells (column and row, four times).
    - masks: for each piece the bits that it adds to the two numbers of a state (entries 1 and 3),
      and the bits that must not be set before (0 and 2): its cells except the first, and the rows
      that it completes. Entry 4 is 0 if its level may exceed the level reached, 2 if it may not,
      and 1 if it may only over a cell of its own level.
    - rows, lines: the numbers of rows and of clearing rows.
    - bits: the number of bits of a cell in a state: its level plus one, or 0 if it is empty.
    - at_next, at_level, at_done, at_filled: bit positions, in the first number of a state, of the
      next column, the level, the complete lines, and the filled cells.
    - at_last, at_need: those, in the second number, of the last column and the squares relied on.
    - column, level: bit masks of a column and of a level.
    """

    def __init__(self, row_kinds: str, pieces: Any, begin: Any, fields: Any, masks: Any) -> None:
        self.row_kinds, self.pieces = row_kinds, pieces
        self.begin, self.fields, self.masks = memoryview(begin), fields, masks
        self.rows, self.lines = len(row_kinds), row_kinds.count("c")
        self.bits = (self.lines + 1).bit_length()
        self.at_next = self.at_last = self.rows * self.bits
        self.at_level = 2 * self.at_next
        self.at_done = self.at_level + self.bits
        self.at_filled = self.at_done + self.lines
        self.at_need = self.at_last + self.rows
        self.column = (1 << self.rows * self.bits) - 1
        self.level = (1 << self.bits) - 1


@cython.cclass
class PassSquares:
    """The squares that the columns of a stack hold and may hold, as bit sets of rows.

    - before, must, wanted: for each column the rows that are filled before the pass; those that the
      pass must fill, clearing rows included; those that it should fill (states that leave out few
      of them are preferred).
    - allowed: ``allowed[x, row]``: the types that may be left there, as a bit set (bit
      ``int(type)``).
    - ground: for each column, whether there is a square right below the stack.
    """

    def __init__(self, before: Any, must: Any, wanted: Any, allowed: Any, ground: Any) -> None:
        self.before, self.must = memoryview(before), memoryview(must)
        self.wanted, self.ground = memoryview(wanted), memoryview(ground)
        width = len(self.must)
        types = memoryview(allowed).cast("B")
        self.allowed = types.cast("q", (width, len(allowed) // width))


@cython.cclass
class PassGraph:
    """All ways to play a pass that the search found: the paths through a graph of states.

    - stack: its rows.
    - starts: the number of the first state before each cell, and of the first final state.
    - ends, source, target, step: the steps, as in :class:`PassSearch`.
    - goal: the index of the final state; -1, without any steps, if the pass cannot be played.
    - is_complete: whether the search found all ways.
    - must: whether each column's lowest cell must be filled, before or by the pass.
    - lowest: for each column whether its lowest cell is filled before: 0, 1, or -1 for either.
    - weights: for each state the number of paths to the end, divided by the largest number at the
      same cell.
    - carries: whether squares are carried in the top row.
    """

    def __init__(
        self,
        stack: PassStack,
        arrays: Sequence[Any],
        goal: int,
        is_complete: bool,
        must: Any,
        lowest: Any,
        weights: Any,
    ) -> None:
        self.stack, self.goal, self.is_complete = stack, goal, is_complete
        self.rows, self.carries = stack.rows, stack.row_kinds.endswith(("b", "q"))
        self.starts, self.ends = memoryview(arrays[0]), memoryview(arrays[1])
        self.source, self.target = memoryview(arrays[2]), memoryview(arrays[3])
        self.step = memoryview(arrays[4])
        self.must, self.lowest = memoryview(must), memoryview(lowest)
        self.weights = memoryview(weights)

    def over_squares(self, lowest: Any, weights: Any) -> PassGraph:
        """Return this graph over other squares, with another array for its weights."""
        arrays: list[Any] = [self.starts, self.ends, self.source, self.target, self.step]
        return PassGraph(
            self.stack, arrays, self.goal, self.is_complete, self.must, lowest, weights
        )

    @property
    def size(self) -> int:
        """The number of entries in the arrays of the graph."""
        return len(self.step) + len(self.weights) + len(self.starts) + len(self.ends)

    @property
    def is_empty(self) -> bool:
        """Whether there is no way to play the pass."""
        return self.goal < 0


@cython.cclass
class PassSearch:
    """A search for passes on boards of one width: its limits, its memory, and where it is.

    The limits:

    - beam, wide_beam: states kept after a column; the second applies to columns before a dead end.
    - spread: the factor by which more states are kept within a column.
    - exact: whether to give up instead of leaving out a state.
    - free: for each column whether its lowest square may be filled before or by the pass.
    - most_steps: the most steps that get memory; further steps are left out.

    The graph of states and steps, in memory that grows with it:

    - counts, ends: for each cell the number of states before it, and the end of its steps;
      ``counts`` ends with the number of final states.
    - source, target, step: the steps: a state before the cell, one after it, and twice the number
      of the piece that begins there (0 if none), plus 1 if the cell is filled.
    - failure: the exception raised by the last attempt to enlarge the memory, or None.

    The memory for states:

    - states: the states before a cell and after it, in alternating order.
    - left_out: for each state the fewest wanted squares that a path to it leaves out.
    - codes, scratch: the hashes, then the penalties of states; memory for their selection.
    - slots, stamp: a hash table of states; the upper half of an entry is the stamp of its cell.
    - new_numbers: the new number of each state; -1 if the state is dropped.
    - saved, saved_counts: the states before each column with ``left_out``, and their number.
    - successors: for each successor of a state its two numbers and the step.

    The pieces that may begin in each row of the present column, whatever the state:

    - piece_ends: the end of each row's pieces, after a zero.
    - cells, group_end: the cells in ``free1``; the end of the group of pieces with the same cells:
      if one piece of a group does not fit, none fits.
    - free1, free2: the bits that must not be set in the two numbers of a state.
    - sets1, sets2: the bits that the piece sets in the two numbers.
    - needed_bits: the bits that must be set in the first number.
    - level, level_rule: the level of the piece; entry 4 of ``PassStack.masks``.
    - piece_step: the code of the step.

    The present cell:

    - x, v: its column and row.
    - now: the index in ``states``, 0 or 1, of the states before the cell.
    - state_count, new_count: the numbers of states before the cell and after it.
    - steps, tried_steps: the number of steps kept; the number of all steps, dropped ones included.
    - is_lost: whether states were left out.
    - needed, is_wanted, was_filled: whether the cell must be filled by the pass; whether it should
      be filled; whether it was filled before.
    - filled_bit: the bit that records that the cell is filled; 0 if no later check needs it.
    - recorded_rows: the rows of the column whose filled cells are recorded.
    """

    def __init__(self, width: int, most_beam: int, most_steps: int) -> None:
        first = min(most_steps, _FIRST)
        self.most_steps = most_steps
        self.failure: BaseException | None = None
        self.source, self.target = zeros("i", first), zeros("i", first)
        self.step = zeros("h", first)
        most_states = 16 * most_beam
        self.states = zeros("q", 2, 2, most_states)
        self.left_out = zeros("i", 2, most_states)
        self.codes, self.scratch = zeros("Q", most_states), zeros("Q", most_states)
        self.slots = zeros("q", 1 << (2 * most_states).bit_length())
        self.stamp = 0
        self.new_numbers = zeros("i", most_states)
        self.saved = zeros("q", width, 3, most_beam)
        self.saved_counts = zeros("q", width)

    def begin(
        self, stack: PassStack, free: Any, beam: int, wide_beam: int, spread: int, exact: bool
    ) -> None:
        """Begin a new search, with its limits: make room for its graph and for the pieces."""
        self.free, self.beam, self.wide_beam = memoryview(free), beam, wide_beam
        self.spread, self.exact = spread, exact
        width, rows, pieces = len(free), stack.rows, len(stack.fields)
        self.counts, self.ends = zeros("q", width * rows + 1), zeros("q", width * rows)
        self.successors = zeros("q", pieces + 1, 3)
        self.piece_ends = zeros("q", rows + 1)
        arrays = [zeros("q", pieces) for _ in range(10)]
        self.free1, self.sets1, self.free2, self.sets2 = arrays[:4]
        self.needed_bits, self.level, self.level_rule, self.piece_step = arrays[4:8]
        self.cells, self.group_end = arrays[8:]
        if self.stamp > 1 << 29:  # a larger stamp overflows the slots
            self.slots = zeros("q", len(self.slots))
            self.stamp = 0
        self.x = self.v = self.now = self.state_count = 0
        self.new_count = self.steps = self.tried_steps = 0
        self.filled_bit = self.recorded_rows = 0
        self.is_lost = self.needed = self.is_wanted = self.was_filled = False

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

    def list_steps(self, count: int) -> tuple[Any, Any, Any]:
        """Return the first ``count`` steps: arrays of sources, targets and codes."""
        steps = memoryview(self.source), memoryview(self.target), memoryview(self.step)
        return steps[0][:count], steps[1][:count], steps[2][:count]


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
def _spread_rows(stack: PassStack, rows: Int) -> Int:
    """Spread a bit set of rows to the spacing of the level fields in a state."""
    bit: Int = 1
    spread: Int = 0
    for r in range(stack.rows):
        if rows >> r & 1:
            spread |= bit << r * stack.bits
    return spread


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _penalize(stack: PassStack, squares: PassSquares, search: PassSearch) -> cython.void:
    """Give each state after a cell a penalty (holes; chance breaks ties).

    A hole is an unfilled cell that must be filled, below a filled one, in the next two columns.
    Each further hole lowers the share of states that can be completed to a third (measured on rows
    of noise), but some passes need holes. A wanted square that is left out counts as four holes,
    for up to seven more such squares than in the best state.
    """
    width = squares.must.shape[0]
    needed1: Int = _spread_rows(stack, squares.must[search.x + 1] if search.x + 1 < width else 0)
    needed2: Int = _spread_rows(stack, squares.must[search.x + 2] if search.x + 2 < width else 0)
    after: Int = 1 - search.now
    fewest: Int = search.left_out[after, 0]
    for i in range(search.new_count):
        fewest = min(fewest, search.left_out[after, i])
    for i in range(search.new_count):
        holes: Int = 4 * min(7, search.left_out[after, i] - fewest)
        holes += _count_holes(
            search.states[after, 0, i] >> stack.at_next & stack.column, needed1, stack.bits
        )
        holes += _count_holes(search.states[after, 1, i] & stack.column, needed2, stack.bits)
        penalty: Word = cython.cast(Word, holes)
        penalty = (penalty << 58) + (search.codes[i] >> 2)
        search.codes[i] = penalty


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _select_states(
    stack: PassStack,
    squares: PassSquares,
    search: PassSearch,
    limit: Int,
) -> cython.void:
    """Keep and renumber the states with the lowest penalties, and the edges to them."""
    _penalize(stack, squares, search)
    highest: Word = select_rank(search.codes, search.new_count, limit - 1, search.scratch)
    after: Int = 1 - search.now
    kept: Int = 0
    for i in range(search.new_count):
        search.new_numbers[i] = -1
        if search.codes[i] <= highest and kept < limit:
            search.states[after, 0, kept] = search.states[after, 0, i]
            search.states[after, 1, kept] = search.states[after, 1, i]
            search.left_out[after, kept] = search.left_out[after, i]
            search.new_numbers[i] = kept
            kept += 1
    search.new_count = kept
    search.is_lost = True
    cell: Int = search.x * stack.rows + search.v
    kept_steps: Int = search.ends[cell - 1] if cell else 0
    for edge in range(kept_steps, search.steps):
        number = search.new_numbers[search.target[edge]]
        if number >= 0:
            search.source[kept_steps] = search.source[edge]
            search.target[kept_steps] = number
            search.step[kept_steps] = search.step[edge]
            kept_steps += 1
    search.steps = kept_steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits_at(stack: PassStack, squares: PassSquares, x: Int, piece: Int) -> cython.bint:
    """Return whether a piece that begins in column ``x`` may fill all of its cells."""
    for k in range(4):
        cx: Int = x + stack.fields[piece, 10 + 2 * k]
        cy: Int = stack.fields[piece, 11 + 2 * k]
        if cx >= squares.before.shape[0] or squares.before[cx] >> cy & 1:
            return False
        if not squares.allowed[cx, cy] >> stack.fields[piece, 0] & 1:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _group_by_cells(search: PassSearch, first: Int, end: Int, cells: Int) -> cython.void:
    """Record for each piece of a row the end of its group, which needs the same free cells."""
    until: Int = end
    for back in range(end - first):
        choice: Int = end - 1 - back
        search.cells[choice] = search.free1[choice] & cells
        if choice + 1 < end and (
            search.cells[choice] != search.cells[choice + 1]
            or search.free2[choice] != search.free2[choice + 1]
        ):
            until = choice + 1
        search.group_end[choice] = until


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_fitting(
    stack: PassStack, squares: PassSquares, search: PassSearch, x: Int
) -> cython.void:
    """List for each row of a column the pieces that may begin there."""
    bit: Int = 1
    count: Int = 0
    cells: Int = (bit << stack.at_level) - 1
    for v in range(stack.rows):
        for piece in range(stack.begin[v], stack.begin[v + 1]):
            if not _fits_at(stack, squares, x, piece):
                continue
            needs: Int = 0
            needed_bits: Int = 0
            dx: Int = stack.fields[piece, 7]
            row: Int = stack.fields[piece, 8]
            if row == -1 and not squares.ground[x + dx]:
                continue
            if row >= 0 and not (squares.must[x + dx] | squares.before[x + dx]) >> row & 1:
                if not squares.allowed[x + dx, row]:
                    continue
                if dx:
                    needs = bit << (stack.at_need + stack.rows * dx + row)
                else:
                    needed_bits = bit << (stack.at_filled + row)
            search.free1[count], search.sets1[count] = stack.masks[piece, 0], stack.masks[piece, 1]
            search.free2[count], search.sets2[count] = (
                stack.masks[piece, 2],
                stack.masks[piece, 3] | needs,
            )
            search.needed_bits[count], search.level[count] = needed_bits, stack.fields[piece, 1]
            search.level_rule[count] = stack.masks[piece, 4]
            search.piece_step[count] = 2 * (piece - stack.begin[v] + 1) + 1
            count += 1
        search.piece_ends[v + 1] = count
        _group_by_cells(search, search.piece_ends[v], count, cells)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _has_level(stack: PassStack, a: Int, b: Int, level: Int) -> cython.bint:
    """Return whether any cell of the next two columns has a level."""
    next_column: Int = a >> stack.at_next
    column_after: Int = b
    for _ in range(stack.rows):
        if next_column & stack.level == level + 1 or column_after & stack.level == level + 1:
            return True
        next_column >>= stack.bits
        column_after >>= stack.bits
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _list_successors(stack: PassStack, search: PassSearch, a: Int, b: Int) -> Int:
    """Store the successors of a state in the working memory; return their number."""
    bit: Int = 1
    shift: Int = search.v * stack.bits
    cell_level: Int = a >> shift & stack.level
    level: Int = a >> stack.at_level & stack.level
    b_after: Int = b & ~(bit << (stack.at_need + search.v))
    a_after: Int = a & ~(stack.level << stack.at_level) | search.filled_bit
    if cell_level:
        if search.was_filled or cell_level - 1 < level:
            return 0
        a_landed: Int = a_after & ~(stack.level << shift) | (cell_level - 1) << stack.at_level
        search.successors[0, 0] = a_landed
        search.successors[0, 1], search.successors[0, 2] = b_after, 1
        return 1
    search.successors[0, 0], search.successors[0, 1], search.successors[0, 2] = a, b_after, 0
    if search.was_filled:
        return 0 if a >> stack.at_filled & ((bit << search.v) - 1) else 1
    count: Int = 0 if search.needed or b >> (stack.at_need + search.v) & 1 else 1
    choice: Int = search.piece_ends[search.v] - 1
    end: Int = search.piece_ends[search.v + 1]
    while choice + 1 < end:
        choice += 1
        if a & search.cells[choice] | b & search.free2[choice]:
            choice = search.group_end[choice] - 1
            continue
        if a & search.free1[choice]:
            continue
        piece_level: Int = search.level[choice]
        if piece_level < level or search.needed_bits[choice] & ~a:
            continue
        if piece_level > level and search.level_rule[choice]:
            # A piece has the least level that the cells below it allow. So further right a
            # cell of its level must lie under it: the cell is there already, or the piece
            # that completes the row below the level is still to come.
            if search.level_rule[choice] == 2:
                continue
            if a >> (stack.at_done + piece_level - 1) & 1 and not _has_level(
                stack, a, b, piece_level
            ):
                continue
        search.successors[count, 0] = a_after | search.sets1[choice]
        search.successors[count, 1] = b_after | search.sets2[choice]
        search.successors[count, 2] = search.piece_step[choice]
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rehash(search: PassSearch, count: Int, span: Int) -> cython.void:
    """Insert the first ``count`` states into a hash table of ``span`` slots, a power of 2."""
    search.stamp += 1
    for j in range(count):
        slot: Int = cython.cast(Int, search.codes[j] & cython.cast(Word, span - 1))
        while search.slots[slot] >> 32 == search.stamp:
            slot = slot + 1 & span - 1
        search.slots[slot] = search.stamp << 32 | j


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enlarge_steps(search: PassSearch) -> cython.bint:
    """Enlarge the memory for steps; return whether that succeeds.

    Ctrl-C may come while Python allocates. The calling loops raise nothing, so the exception is
    kept for :func:`explore`.
    """
    is_grown: cython.bint = False
    with cython.gil:
        try:
            is_grown = search.failure is None and search.grow()
        except BaseException as failure:
            search.failure = failure
    return is_grown


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _process_cell(stack: PassStack, search: PassSearch) -> cython.void:
    """Generate all states after a cell, and the steps to them."""
    now: Int = search.now
    after: Int = 1 - now
    size: Int = search.slots.shape[0]
    most_states: Int = search.states.shape[2]
    # use no more slots than needed: a small table fits a faster cache
    span: Int = 256
    while span < 4 * search.state_count and span < size:
        span *= 2
    search.stamp += 1
    begun_at: Int = search.stamp << 32
    count: Int = 0
    steps: Int = search.steps
    for i in range(search.state_count):
        for k in range(
            _list_successors(stack, search, search.states[now, 0, i], search.states[now, 1, i])
        ):
            if count == most_states or (
                steps == search.source.shape[0] and not _enlarge_steps(search)
            ):
                search.is_lost = True
                continue
            a: Int = search.successors[k, 0]
            b: Int = search.successors[k, 1]
            left_out: Int = search.left_out[now, i] + (
                search.is_wanted and not search.successors[k, 2]
            )
            # find the state in the hash table
            code: Word = finish_hash(hash_next(hash_first(a), b))
            slot: Int = cython.cast(Int, code & cython.cast(Word, span - 1))
            number: Int = count
            while search.slots[slot] >= begun_at:
                candidate: Int = search.slots[slot] & 0x7FFFFFFF
                if (
                    search.states[after, 0, candidate] == a
                    and search.states[after, 1, candidate] == b
                ):
                    number = candidate
                    break
                slot = slot + 1 & span - 1
            if number == count:
                search.slots[slot] = begun_at | count
                search.states[after, 0, count], search.states[after, 1, count] = a, b
                search.left_out[after, count] = cython.cast(Short, left_out)
                search.codes[count] = code
                count += 1
                if 2 * count > span and span < size:
                    span *= 4 if 2 * span < size else 2
                    _rehash(search, count, span)
                    begun_at = search.stamp << 32
            elif left_out < search.left_out[after, number]:
                search.left_out[after, number] = cython.cast(Short, left_out)
            search.source[steps], search.target[steps] = i, number
            search.step[steps] = search.successors[k, 2]
            steps += 1
    search.tried_steps += steps - search.steps
    search.new_count, search.steps = count, steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _process_column(
    stack: PassStack,
    squares: PassSquares,
    search: PassSearch,
    beam: Int,
) -> cython.bint:
    """Process a column from the bottom up; return False if an exact search must give up."""
    bit: Int = 1
    x: Int = search.x
    _list_fitting(stack, squares, search, x)
    search.recorded_rows = 0
    for v in range(stack.rows):
        if squares.before[x] >> v or (squares.allowed[x, v] and not squares.must[x] >> v & 1):
            search.recorded_rows |= bit << v
    for v in range(stack.rows):
        search.v = v
        search.needed = squares.must[x] >> v & 1 and not (search.free[x] and v == 0)
        search.is_wanted = squares.wanted[x] >> v & 1
        search.was_filled = squares.before[x] >> v & 1
        search.filled_bit = (bit << v & search.recorded_rows) << stack.at_filled
        search.counts[x * stack.rows + v] = search.state_count
        _process_cell(stack, search)
        limit: Int = beam if v == stack.rows - 1 else search.spread * beam
        if search.new_count > limit:
            if search.exact:
                search.is_lost = True
                return False
            _select_states(stack, squares, search, limit)
        search.ends[x * stack.rows + v] = search.steps
        search.state_count = search.new_count
        search.now = 1 - search.now
        if not search.state_count:
            break
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shift_states(stack: PassStack, search: PassSearch) -> cython.void:
    """Turn the states at the end of a column into those at the start of the next column."""
    for i in range(search.state_count):
        a: Int = search.states[search.now, 0, i]
        b: Int = search.states[search.now, 1, i]
        second_column: Int = b & stack.column
        third_column: Int = 0
        for r in range(stack.rows):
            if b >> (stack.at_last + r) & 1:
                third_column |= second_column & stack.level << r * stack.bits
        done: Int = a >> stack.at_done & _make_ones(stack.lines)
        search.states[search.now, 0, i] = (
            a >> stack.at_next & stack.column
            | second_column << stack.at_next
            | done << stack.at_done
        )
        search.states[search.now, 1, i] = (
            third_column | b >> (stack.at_need + stack.rows) << stack.at_need
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _save_states(search: PassSearch) -> cython.void:
    """Save the states before a column."""
    search.saved_counts[search.x] = search.state_count
    for i in range(search.state_count):
        search.saved[search.x, 0, i] = search.states[search.now, 0, i]
        search.saved[search.x, 1, i] = search.states[search.now, 1, i]
        search.saved[search.x, 2, i] = search.left_out[search.now, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _restore_states(search: PassSearch, rows: Int) -> cython.void:
    """Restore the states before a column."""
    search.state_count = search.saved_counts[search.x]
    for i in range(search.state_count):
        search.states[search.now, 0, i] = search.saved[search.x, 0, i]
        search.states[search.now, 1, i] = search.saved[search.x, 1, i]
        search.left_out[search.now, i] = cython.cast(Short, search.saved[search.x, 2, i])
    search.steps = search.ends[search.x * rows - 1] if search.x else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_goal(stack: PassStack, search: PassSearch) -> Int:
    """Return the index of the state with all lines complete and no cells ahead; -1 if none."""
    goal: Int = -1
    for i in range(search.state_count):
        done: Int = _make_ones(stack.lines) << stack.at_done
        if search.states[search.now, 0, i] == done and search.states[search.now, 1, i] == 0:
            goal = i
    return goal


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep_columns(
    stack: PassStack,
    squares: PassSquares,
    search: PassSearch,
) -> Int:
    """Process all columns; back up at dead ends. Return the index of the final state or -1."""
    width: Int = squares.before.shape[0]
    search.states[0, 0, 0] = search.states[0, 1, 0] = 0
    search.left_out[0, 0] = 0
    search.state_count = 1
    goal: Int = -1
    farthest: Int = -1
    tries: Int = 0
    wide_until: Int = 0
    while search.x < width:
        _save_states(search)
        beam: Int = search.wide_beam if search.x < wide_until else search.beam
        if not _process_column(stack, squares, search, beam):
            return -1
        _shift_states(stack, search)
        goal = _find_goal(stack, search) if search.x == width - 1 else -1
        if search.state_count and (search.x < width - 1 or goal >= 0):
            search.x += 1
            continue
        # a dead end: go back, and keep more states in the columns before it
        if search.x > farthest:
            farthest, tries = search.x, 0
        tries += 1
        if not search.is_lost or tries > 2 or search.wide_beam <= search.beam:
            return -1
        wide_until = min(width, search.x + 4)
        search.x = max(0, search.x - 8 * tries)
        _restore_states(search, stack.rows)
    search.counts[width * stack.rows] = search.state_count
    return goal


def explore(stack: PassStack, squares: PassSquares, search: PassSearch) -> tuple[int, int]:
    """Explore the states of a pass, cell by cell, in a search that has begun.

    The search receives the graph. Returns the number of steps kept and the index of the final
    state (-1: none).
    """
    goal: Int = -1
    with cython.nogil:
        goal = _sweep_columns(stack, squares, search)
    if search.failure is not None:
        failure, search.failure = search.failure, None
        raise failure
    return search.steps if goal >= 0 else 0, goal
