"""The compiled search for passes, column by column.

Between two cells only four things about the pieces placed so far matter: the cells, with levels,
that they occupy in the rest of this column and in the next three; the squares that they rely
on there; which clearing rows have the piece that completes them; and the level reached in
this column. Together they are a *state*. Every reachable state is visited once, so the time is
linear in the width. The states and the steps between them form a graph. Its paths from end to
end are all ways to play the pass, unless there are more states than the search may keep.

A state takes two numbers; :class:`Shape` gives the position of each field in them. The first has
the levels of this column's cells, then of the next one's (0 if empty, else one more); the level
reached; the complete lines; the filled cells of this column. The second has the levels in the
column after the next; the cells of the one after that; the squares relied on in this and the next
three columns.
"""

from __future__ import annotations

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Short
from cython import longlong as Int
from cython import ulonglong as Word

if cython.compiled:
    from cython.cimports.tetrisprinter.planners.rows._kernel_records import (
        ColumnFits,
        SearchCursor,
        PassQuery,
        PassMemory,
        Shape,
        StepGraph,
    )
    from cython.cimports.tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next
else:
    from tetrisprinter.planners.rows._kernel_records import (
        ColumnFits,
        SearchCursor,
        PassQuery,
        PassMemory,
        Shape,
        StepGraph,
    )
    from tetrisprinter.support.word_ops import finish_hash, hash_first, hash_next

__all__ = ["explore"]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _make_ones(count: Int) -> Int:
    one: Int = 1
    return (one << count) - 1


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
    left: Int = needed & under & ~filled
    count: Int = 0
    while left:
        left &= left - 1
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _spread_rows(shape: Shape, rows: Int) -> Int:
    """Spread a bit set of rows to the spacing of the level fields in a state."""
    one: Int = 1
    apart: Int = 0
    for r in range(shape.rows):
        if rows >> r & 1:
            apart |= one << r * shape.bits
    return apart


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _penalize(shape: Shape, query: PassQuery, memory: PassMemory, at: SearchCursor) -> cython.void:
    """Give each state after a cell a penalty (holes; chance breaks ties) and count the penalties.

    A hole is an unfilled cell that must be filled, below a filled one, in the next two columns.
    Each further hole lowers the share of states that can be completed to a third (measured on rows
    of noise), but some passes need holes. A wanted square that is left out counts as four holes, up
    to seven squares more than in the best state.
    """
    width = query.must.shape[0]
    needed1: Int = _spread_rows(shape, query.must[at.x + 1] if at.x + 1 < width else 0)
    needed2: Int = _spread_rows(shape, query.must[at.x + 2] if at.x + 2 < width else 0)
    after: Int = 1 - at.now
    for i in range(memory.often.shape[0]):
        memory.often[i] = 0
    fewest: Int = memory.missed[after, 0]
    for i in range(at.met):
        fewest = min(fewest, memory.missed[after, i])
    for i in range(at.met):
        holes: Int = 4 * min(7, memory.missed[after, i] - fewest)
        holes += _count_holes(
            memory.states[after, 0, i] >> shape.at_next & shape.column, needed1, shape.bits
        )
        holes += _count_holes(memory.states[after, 1, i] & shape.column, needed2, shape.bits)
        penalty: Word = cython.cast(Word, holes)
        penalty = (penalty << 58) + (memory.codes[0, i] >> 2)
        memory.codes[0, i] = penalty
        memory.often[cython.cast(Int, penalty >> 51)] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_highest(memory: PassMemory, count: Int, limit: Int) -> Word:
    """Return the highest penalty among the states to keep."""
    # states in lower buckets are kept, those in higher ones are not
    bucket: Int = 0
    before: Int = 0
    while before + memory.often[bucket] < limit:
        before += memory.often[bucket]
        bucket += 1
    found: Int = 0
    for i in range(count):
        penalty: Word = memory.codes[0, i]
        if cython.cast(Int, penalty >> 51) == bucket:
            at: Int = found
            while at and memory.codes[1, at - 1] > penalty:
                memory.codes[1, at] = memory.codes[1, at - 1]
                at -= 1
            memory.codes[1, at] = penalty
            found += 1
    return memory.codes[1, limit - before - 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _select_states(
    shape: Shape,
    query: PassQuery,
    memory: PassMemory,
    graph: StepGraph,
    at: SearchCursor,
    limit: Int,
) -> cython.void:
    """Keep and renumber the states with the lowest penalties, and the edges to them."""
    _penalize(shape, query, memory, at)
    highest: Word = _find_highest(memory, at.met, limit)
    after: Int = 1 - at.now
    kept: Int = 0
    for i in range(at.met):
        memory.names[i] = -1
        if memory.codes[0, i] <= highest and kept < limit:
            memory.states[after, 0, kept] = memory.states[after, 0, i]
            memory.states[after, 1, kept] = memory.states[after, 1, i]
            memory.missed[after, kept] = memory.missed[after, i]
            memory.names[i] = kept
            kept += 1
    at.met = kept
    at.is_lost = True
    cell: Int = at.x * shape.rows + at.v
    left: Int = graph.ends[cell - 1] if cell else 0
    for edge in range(left, at.steps):
        name = memory.names[graph.target[edge]]
        if name >= 0:
            graph.source[left] = graph.source[edge]
            graph.target[left] = name
            graph.step[left] = graph.step[edge]
            left += 1
    at.steps = left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits_at(shape: Shape, query: PassQuery, x: Int, one: Int) -> cython.bint:
    """Return whether a piece that begins in a column may fill all of its cells."""
    for k in range(4):
        cx: Int = x + shape.fields[one, 10 + 2 * k]
        cy: Int = shape.fields[one, 11 + 2 * k]
        if cx >= query.before.shape[0] or query.before[cx] >> cy & 1:
            return False
        if not query.allowed[cx, cy] >> shape.fields[one, 0] & 1:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _group_by_cells(fits: ColumnFits, first: Int, end: Int, cells: Int) -> cython.void:
    """Record for each piece of a row the end of the group that needs the same free cells."""
    until: Int = end
    for back in range(end - first):
        choice: Int = end - 1 - back
        fits.cells[choice] = fits.free1[choice] & cells
        if choice + 1 < end and (
            fits.cells[choice] != fits.cells[choice + 1]
            or fits.free2[choice] != fits.free2[choice + 1]
        ):
            until = choice + 1
        fits.after[choice] = until


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_fitting(shape: Shape, query: PassQuery, fits: ColumnFits, x: Int) -> cython.void:
    """List for each row of a column the pieces that may begin there."""
    bit: Int = 1
    count: Int = 0
    cells: Int = (bit << shape.at_level) - 1
    for v in range(shape.rows):
        for one in range(shape.begin[v], shape.begin[v + 1]):
            if not _fits_at(shape, query, x, one):
                continue
            needs: Int = 0
            counts_on: Int = 0
            dx: Int = shape.fields[one, 7]
            row: Int = shape.fields[one, 8]
            if row == -1 and not query.ground[x + dx]:
                continue
            if row >= 0 and not (query.must[x + dx] | query.before[x + dx]) >> row & 1:
                if not query.allowed[x + dx, row]:
                    continue
                if dx:
                    needs = bit << (shape.at_need + shape.rows * dx + row)
                else:
                    counts_on = bit << (shape.at_filled + row)
            fits.free1[count], fits.sets1[count] = shape.masks[one, 0], shape.masks[one, 1]
            fits.free2[count], fits.sets2[count] = shape.masks[one, 2], shape.masks[one, 3] | needs
            fits.counts_on[count], fits.level[count] = counts_on, shape.fields[one, 1]
            fits.stands[count] = shape.masks[one, 4]
            fits.step[count] = 2 * (one - shape.begin[v] + 1) + 1
            count += 1
        fits.ends[v + 1] = count
        _group_by_cells(fits, fits.ends[v], count, cells)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _has_level(shape: Shape, a: Int, b: Int, level: Int) -> cython.bint:
    """Return whether any cell of the next two columns has a level."""
    here: Int = a >> shape.at_next
    beyond: Int = b
    for _ in range(shape.rows):
        if here & shape.level == level + 1 or beyond & shape.level == level + 1:
            return True
        here >>= shape.bits
        beyond >>= shape.bits
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _list_successors(
    shape: Shape, fits: ColumnFits, memory: PassMemory, at: SearchCursor, a: Int, b: Int
) -> Int:
    """List the successors of a state; return their number."""
    one: Int = 1
    shift: Int = at.v * shape.bits
    here: Int = a >> shift & shape.level
    level: Int = a >> shape.at_level & shape.level
    later: Int = b & ~(one << (shape.at_need + at.v))
    begun_a: Int = a & ~(shape.level << shape.at_level) | at.noted
    if here:
        if at.was_filled or here - 1 < level:
            return 0
        new: Int = begun_a & ~(shape.level << shift) | (here - 1) << shape.at_level
        memory.after[0, 0], memory.after[0, 1], memory.after[0, 2] = new, later, 1
        return 1
    memory.after[0, 0], memory.after[0, 1], memory.after[0, 2] = a, later, 0
    if at.was_filled:
        return 0 if a >> shape.at_filled & ((one << at.v) - 1) else 1
    count: Int = 0 if at.needed or b >> (shape.at_need + at.v) & 1 else 1
    choice: Int = fits.ends[at.v] - 1
    end: Int = fits.ends[at.v + 1]
    while choice + 1 < end:
        choice += 1
        if a & fits.cells[choice] | b & fits.free2[choice]:
            choice = fits.after[choice] - 1
            continue
        if a & fits.free1[choice]:
            continue
        its: Int = fits.level[choice]
        if its < level or fits.counts_on[choice] & ~a:
            continue
        if its > level and fits.stands[choice]:
            # A piece has the least level that the cells below it allow. So further right a
            # cell of its level must lie under it: the cell is there already, or the piece
            # that completes the row below the level is still to come.
            if fits.stands[choice] == 2:
                continue
            if a >> (shape.at_done + its - 1) & 1 and not _has_level(shape, a, b, its):
                continue
        memory.after[count, 0] = begun_a | fits.sets1[choice]
        memory.after[count, 1] = later | fits.sets2[choice]
        memory.after[count, 2] = fits.step[choice]
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rehash(memory: PassMemory, count: Int, span: Int) -> cython.void:
    """Rehash some states into the first slots of the table."""
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
    shape: Shape, fits: ColumnFits, memory: PassMemory, graph: StepGraph, at: SearchCursor
) -> cython.void:
    """Generate all states after a cell."""
    now: Int = at.now
    after: Int = 1 - now
    size: Int = memory.slots.shape[0]
    most: Int = memory.states.shape[2]
    # use no more slots than needed: a small table fits a faster cache
    span: Int = 256
    while span < 4 * at.live and span < size:
        span *= 2
    memory.stamp += 1
    begun_at: Int = memory.stamp << 32
    count: Int = 0
    steps: Int = at.steps
    for i in range(at.live):
        for k in range(
            _list_successors(
                shape, fits, memory, at, memory.states[now, 0, i], memory.states[now, 1, i]
            )
        ):
            if count == most or (steps == graph.source.shape[0] and not _enlarge_steps(graph)):
                at.is_lost = True
                continue
            a: Int = memory.after[k, 0]
            b: Int = memory.after[k, 1]
            missed: Int = memory.missed[now, i] + (at.wanted and not memory.after[k, 2])
            # find the state in the hash table
            code: Word = finish_hash(hash_next(hash_first(a), b))
            slot: Int = cython.cast(Int, code & cython.cast(Word, span - 1))
            name: Int = count
            while memory.slots[slot] >= begun_at:
                known: Int = memory.slots[slot] & 0x7FFFFFFF
                if memory.states[after, 0, known] == a and memory.states[after, 1, known] == b:
                    name = known
                    break
                slot = slot + 1 & span - 1
            if name == count:
                memory.slots[slot] = begun_at | count
                memory.states[after, 0, count], memory.states[after, 1, count] = a, b
                memory.missed[after, count] = cython.cast(Short, missed)
                memory.codes[0, count] = code
                count += 1
                if 2 * count > span and span < size:
                    span *= 4 if 2 * span < size else 2
                    _rehash(memory, count, span)
                    begun_at = memory.stamp << 32
            elif missed < memory.missed[after, name]:
                memory.missed[after, name] = cython.cast(Short, missed)
            graph.source[steps], graph.target[steps] = i, name
            graph.step[steps] = memory.after[k, 2]
            steps += 1
    at.made += steps - at.steps
    at.met, at.steps = count, steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _process_column(
    shape: Shape,
    query: PassQuery,
    fits: ColumnFits,
    memory: PassMemory,
    graph: StepGraph,
    at: SearchCursor,
    most: Int,
) -> cython.bint:
    """Process a column from bottom to top; return False if an exact search must give up."""
    one: Int = 1
    x: Int = at.x
    _list_fitting(shape, query, fits, x)
    at.remembered = 0
    for v in range(shape.rows):
        if query.before[x] >> v or (query.allowed[x, v] and not query.must[x] >> v & 1):
            at.remembered |= one << v
    for v in range(shape.rows):
        at.v = v
        at.needed = query.must[x] >> v & 1 and not (query.free[x] and v == 0)
        at.wanted = query.wanted[x] >> v & 1
        at.was_filled = query.before[x] >> v & 1
        at.noted = (one << v & at.remembered) << shape.at_filled
        graph.counts[x * shape.rows + v] = at.live
        _process_cell(shape, fits, memory, graph, at)
        kept: Int = most if v == shape.rows - 1 else query.spread * most
        if at.met > kept:
            if query.exact:
                at.is_lost = True
                return False
            _select_states(shape, query, memory, graph, at, kept)
        graph.ends[x * shape.rows + v] = at.steps
        at.live = at.met
        at.now = 1 - at.now
        if not at.live:
            break
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shift(shape: Shape, memory: PassMemory, at: SearchCursor) -> cython.void:
    """Shift the states at the end of a column by one column: they begin the next one."""
    for i in range(at.live):
        a: Int = memory.states[at.now, 0, i]
        b: Int = memory.states[at.now, 1, i]
        far: Int = b & shape.column
        farther: Int = 0
        for r in range(shape.rows):
            if b >> (shape.at_last + r) & 1:
                farther |= far & shape.level << r * shape.bits
        done: Int = a >> shape.at_done & _make_ones(shape.lines)
        memory.states[at.now, 0, i] = (
            a >> shape.at_next & shape.column | far << shape.at_next | done << shape.at_done
        )
        memory.states[at.now, 1, i] = farther | b >> (shape.at_need + shape.rows) << shape.at_need


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _save_states(memory: PassMemory, at: SearchCursor) -> cython.void:
    """Save the states before a column."""
    memory.live[at.x] = at.live
    for i in range(at.live):
        memory.kept[at.x, 0, i] = memory.states[at.now, 0, i]
        memory.kept[at.x, 1, i] = memory.states[at.now, 1, i]
        memory.kept[at.x, 2, i] = memory.missed[at.now, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _restore_states(
    memory: PassMemory, graph: StepGraph, at: SearchCursor, rows: Int
) -> cython.void:
    """Restore the states before a column."""
    at.live = memory.live[at.x]
    for i in range(at.live):
        memory.states[at.now, 0, i] = memory.kept[at.x, 0, i]
        memory.states[at.now, 1, i] = memory.kept[at.x, 1, i]
        memory.missed[at.now, i] = cython.cast(Short, memory.kept[at.x, 2, i])
    at.steps = graph.ends[at.x * rows - 1] if at.x else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_goal(shape: Shape, memory: PassMemory, at: SearchCursor) -> Int:
    """Return the index of the final state, with all lines complete and no cell open; -1 if none."""
    goal: Int = -1
    for i in range(at.live):
        done: Int = _make_ones(shape.lines) << shape.at_done
        if memory.states[at.now, 0, i] == done and memory.states[at.now, 1, i] == 0:
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
    at: SearchCursor,
) -> Int:
    """Process all columns, backing up from dead ends; return the index of the final state or -1."""
    width: Int = query.before.shape[0]
    memory.states[0, 0, 0] = memory.states[0, 1, 0] = 0
    memory.missed[0, 0] = 0
    at.live = 1
    goal: Int = -1
    worst: Int = -1
    tries: Int = 0
    wide_until: Int = 0
    while at.x < width:
        _save_states(memory, at)
        most: Int = query.wide if at.x < wide_until else query.beam
        if not _process_column(shape, query, fits, memory, graph, at, most):
            return -1
        _shift(shape, memory, at)
        goal = _find_goal(shape, memory, at) if at.x == width - 1 else -1
        if at.live and (at.x < width - 1 or goal >= 0):
            at.x += 1
            continue
        # a dead end: some columns further left keep more states
        if at.x > worst:
            worst, tries = at.x, 0
        tries += 1
        if not at.is_lost or tries > 2 or query.wide <= query.beam:
            return -1
        wide_until = min(width, at.x + 4)
        at.x = max(0, at.x - 8 * tries)
        _restore_states(memory, graph, at, shape.rows)
    graph.counts[width * shape.rows] = at.live
    return goal


def explore(
    shape: Shape, query: PassQuery, memory: PassMemory, graph: StepGraph
) -> tuple[int, int, bool, int]:
    """Explore the states of a pass, cell by cell.

    ``graph`` receives the steps. Returns the number of steps kept, the index of the final state
    (-1: none), whether states were left out, and the number of steps tried.
    """
    fits = ColumnFits(shape.rows, shape.fields.shape[0])
    at = SearchCursor()
    at.x = at.v = at.now = at.live = at.met = at.steps = at.made = 0
    at.is_lost = False
    memory.renew(shape.fields.shape[0])
    goal: Int = -1
    with cython.nogil:
        goal = _sweep_columns(shape, query, fits, memory, graph, at)
    if graph.failure is not None:
        failure, graph.failure = graph.failure, None
        raise failure
    return at.steps if goal >= 0 else 0, goal, at.is_lost, at.made
