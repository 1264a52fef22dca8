"""The compiled writer of formulas: all games in some rows of a stack, as clauses in one array.

The formula is described in :mod:`~tetrisprinter.planners.shortest.formula`; this module
writes it. A literal is the number of a variable, negative for its negation; :data:`YES` is true and
its negative false. These never reach the array: a clause with a true literal is left out, and
false ones are left out of their clauses. So the fixed pieces of a window cost nothing.
"""

from __future__ import annotations

from array import array
from typing import Any

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Lit
from cython import longlong as Int

__all__ = ["YES", "Clauses", "Stack", "add_clauses", "add_counter", "write_formula"]

YES = 1 << 30
"""A literal that stands for true."""

_TRUE = cython.declare(Lit, 1 << 30)
_TALL = cython.declare(Int, 4)  # the most rows of a piece
_ROOM = cython.declare(Int, 1 << 14)  # numbers reserved for the next clause
_GAPS = cython.declare(Int, 16)  # pair indices per cell: 0 for the right neighbour, n for n rows up


@cython.cclass
class Clauses:
    """A growing array of clauses.

    Attributes
    ----------
    out
        The literals; a zero ends each clause.
    size, count
        The used length of ``out``, and the number of clauses.
    variables
        The number of variables, which are numbered from 1.
    limit
        The most clauses; further ones are not written, and ``full`` is set.
    """

    out: Lit[::1]
    size: Int
    at: Int
    count: Int
    variables: Int
    limit: Int
    full: cython.bint
    holds: cython.bint
    scratch: Lit[::1]

    def __init__(self, limit: int) -> None:
        self.out = memoryview(array("i", bytes(4 * 4 * _ROOM)))
        self.scratch = memoryview(array("i", bytes(4 * 4 * _ROOM)))
        self.size = self.at = self.count = self.variables = 0
        self.limit = limit
        self.full = self.holds = False

    @property
    def totals(self) -> tuple[int, int, bool]:
        """The numbers of variables and clauses, and whether a limit left clauses out."""
        return self.variables, self.count, self.full

    def literals(self) -> Any:
        """Return the literals of all clauses, each clause with a zero at its end."""
        return memoryview(self.out)[: self.size]


@cython.cclass
class Stack:
    """The rows of the formula, with the variables of its pieces and cells.

    Attributes
    ----------
    rows, width, ceiling
        The number of stack rows, and the width and height of the board.
    number
        For each row its number among the candidates, or -1.
    allowed, shade, due
        For each cell the types that may stay in it (as bits), the number of its colour, and
        whether it must be covered.
    least, most
        For each cell the lowest and the highest level that a piece in it may have.
    owner
        For each cell the number of the fixed piece there, or -1.
    there
        For each candidate the literal that it is in the game.
    covered, levels
        For each cell the literal that it is covered, and the first variable of its level.
    parts
        For each piece eight numbers: orientation, column, literal, the number of cleared rows
        that it lies across, and its four cells.
    shows
        For each colour and type the literal that the type shows the colour.
    """

    rows: Int
    width: Int
    ceiling: Int
    candidates: Int
    shades: Int
    number: Int[::1]
    allowed: Int[::1]
    shade: Int[::1]
    due: Int[::1]
    least: Int[::1]
    most: Int[::1]
    owner: Int[::1]
    there: Lit[::1]
    covered: Lit[::1]
    levels: Lit[::1]
    shows: Lit[::1]
    parts: Int[::1]
    count: Int
    shapes: Int[::1]
    joined: Lit[::1]
    held: Lit[::1]
    deep: Int

    def __init__(
        self,
        width: int,
        ceiling: int,
        number: Any,
        allowed: Any,
        shade: Any,
        due: Any,
        least: Any,
        most: Any,
        owner: Any,
        there: Any,
        shades: int,
        shapes: Any,
    ) -> None:
        self.rows, self.width, self.ceiling = len(number), width, ceiling
        self.candidates, self.shades = len(there), shades
        self.number, self.allowed = memoryview(number), memoryview(allowed)
        self.shade, self.due = memoryview(shade), memoryview(due)
        self.least, self.most = memoryview(least), memoryview(most)
        self.owner, self.there = memoryview(owner), memoryview(there)
        self.shapes = memoryview(shapes)
        cells = self.rows * width
        self.covered = memoryview(array("i", bytes(4 * cells)))
        self.levels = memoryview(array("i", bytes(4 * cells)))
        self.shows = memoryview(array("i", bytes(4 * 8 * (shades + 1))))
        self.joined = memoryview(array("i", bytes(4 * cells * _GAPS)))
        run = longest = 0
        for one in number:
            run = run + 1 if one >= 0 else 0
            longest = max(longest, run)
        self.deep = longest + 2
        self.held = memoryview(array("i", bytes(4 * cells * self.deep)))
        self.parts = memoryview(array("q", bytes(8 * 8 * _ROOM)))
        self.count = 0

    def tables(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return ``parts``, ``there``, ``covered``, ``levels`` and ``shows``."""
        return (
            memoryview(self.parts)[: 8 * self.count],
            memoryview(self.there),
            memoryview(self.covered),
            memoryview(self.levels),
            memoryview(self.shows),
        )


# -- clauses --------------------------------------------------------------------------


@cython.cfunc
@cython.inline
def _new(cnf: Clauses) -> Lit:
    cnf.variables += 1
    return cnf.variables


@cython.cfunc
def _begin(cnf: Clauses) -> cython.void:
    """Begin a clause; make the array large enough for ``_ROOM`` literals."""
    if cnf.size + _ROOM > cnf.out.shape[0]:
        grown = array("i", bytes(4 * 2 * cnf.out.shape[0]))
        more: Lit[::1] = memoryview(grown)
        more[: cnf.size] = cnf.out[: cnf.size]
        cnf.out = more
    cnf.at = cnf.size
    cnf.holds = False


@cython.cfunc
@cython.inline
def _put(cnf: Clauses, literal: Lit) -> cython.void:
    """Add a literal to the clause."""
    if literal == _TRUE:
        cnf.holds = True
    elif literal != -_TRUE and cnf.at < cnf.out.shape[0] - 1:
        cnf.out[cnf.at] = literal
        cnf.at += 1


@cython.cfunc
@cython.inline
def _end(cnf: Clauses) -> cython.void:
    """End the clause; leave it out if it is true or the limit is reached."""
    if cnf.holds:
        return
    if cnf.count >= cnf.limit:
        cnf.full = True
        return
    cnf.out[cnf.at] = 0
    cnf.size = cnf.at + 1
    cnf.count += 1


@cython.cfunc
@cython.inline
def _add_clause_of_2(cnf: Clauses, one: Lit, other: Lit) -> cython.void:
    if one == _TRUE or other == _TRUE:
        return
    _begin(cnf)
    _put(cnf, one)
    _put(cnf, other)
    _end(cnf)


@cython.cfunc
@cython.inline
def _add_clause_of_3(cnf: Clauses, one: Lit, two: Lit, three: Lit) -> cython.void:
    if one == _TRUE or two == _TRUE or three == _TRUE:
        return
    _begin(cnf)
    _put(cnf, one)
    _put(cnf, two)
    _put(cnf, three)
    _end(cnf)


@cython.cfunc
@cython.inline
def _add_clause_of_4(cnf: Clauses, one: Lit, two: Lit, three: Lit, four: Lit) -> cython.void:
    if one == _TRUE or two == _TRUE or three == _TRUE or four == _TRUE:
        return
    _begin(cnf)
    _put(cnf, one)
    _put(cnf, two)
    _put(cnf, three)
    _put(cnf, four)
    _end(cnf)


@cython.cfunc
def _at_most_one(cnf: Clauses, begin: Int, count: Int) -> cython.void:
    """Add clauses: at most one of some literals in the scratch array is true.

    Small sets get a clause per pair. Larger sets form a table in which at most one row and at most
    one column has a true literal (product encoding, Chen 2010).
    """
    few: Int = 5
    if count <= few:
        for i in range(begin + 1, begin + count):
            for j in range(begin, i):
                _add_clause_of_2(cnf, -cnf.scratch[i], -cnf.scratch[j])
        return
    across: Int = 1
    while across * across < count:
        across += 1
    down: Int = (count + across - 1) // across
    end: Int = begin + count
    if end + across + down > cnf.scratch.shape[0]:
        cnf.full = True
        return
    for k in range(across + down):
        cnf.scratch[end + k] = _new(cnf)
    for i in range(count):
        _add_clause_of_2(cnf, -cnf.scratch[begin + i], cnf.scratch[end + i % across])
        _add_clause_of_2(cnf, -cnf.scratch[begin + i], cnf.scratch[end + across + i // across])
    # Rows first: their tables lie behind them, and those of the columns overwrite only rows.
    _at_most_one(cnf, end + across, down)
    _at_most_one(cnf, end, across)


@cython.cfunc
def _add_at_most_one(cnf: Clauses, count: Int) -> cython.void:
    """Add clauses: at most one of the first literals is true; some values may be known."""
    kept: Int = 0
    known: Int = -1
    for i in range(count):
        literal: Lit = cnf.scratch[i]
        if literal == -_TRUE:
            continue
        if literal == _TRUE and known < 0:
            known = kept
        cnf.scratch[kept] = literal
        kept += 1
    if known < 0:
        _at_most_one(cnf, 0, kept)
        return
    for i in range(kept):
        if i != known:
            _begin(cnf)
            _put(cnf, -cnf.scratch[i])
            _end(cnf)


# -- pieces ---------------------------------------------------------------------------


@cython.cfunc
def _add_part(stack: Stack, shape: Int, x: Int, literal: Lit, over: Int) -> Int:
    """Add a piece whose cells the caller fills in; return its offset in ``parts``."""
    at: Int = 8 * stack.count
    if at + 8 > stack.parts.shape[0]:
        grown = array("q", bytes(8 * 2 * stack.parts.shape[0]))
        more: Int[::1] = memoryview(grown)
        more[:at] = stack.parts[:at]
        stack.parts = more
    stack.parts[at] = shape
    stack.parts[at + 1] = x
    stack.parts[at + 2] = literal
    stack.parts[at + 3] = over
    stack.count += 1
    return at


@cython.cfunc
def _fits(stack: Stack, shape: Int, x: Int, r0: Int, r1: Int, r2: Int, r3: Int) -> cython.bint:
    """Return whether a piece may lie in these rows with its left side at this column."""
    kind: Int = stack.shapes[9 * shape]
    shade: Int = 0
    row: Int = 0
    for i in range(4):
        dy: Int = stack.shapes[9 * shape + 2 + 2 * i]
        row = r0 if dy == 0 else r1 if dy == 1 else r2 if dy == 2 else r3
        cell: Int = row * stack.width + x + stack.shapes[9 * shape + 1 + 2 * i]
        if stack.owner[cell] >= 0 or not stack.allowed[cell] >> kind & 1:
            return False
        if stack.number[row] < 0 and stack.shade[cell]:
            if shade and shade != stack.shade[cell]:
                return False
            shade = stack.shade[cell]
            literal: Lit = stack.shows[8 * shade + kind]
            if literal == -_TRUE:
                return False
    return True


@cython.cfunc
def _lay_in(
    cnf: Clauses, stack: Stack, shape: Int, over: Int, r0: Int, r1: Int, r2: Int, r3: Int
) -> cython.void:
    """Add the pieces of one shape that fit into these rows."""
    wide: Int = 0
    high: Int = 0
    for i in range(4):
        wide = max(wide, stack.shapes[9 * shape + 1 + 2 * i] + 1)
        high = max(high, stack.shapes[9 * shape + 2 + 2 * i])
    top: Int = r0 if high == 0 else r1 if high == 1 else r2 if high == 2 else r3
    gone: Int = top + 1 - stack.ceiling
    row: Int = 0
    for i in range(4):  # to fit below the ceiling, it must not wait until its own row clears
        dy: Int = stack.shapes[9 * shape + 2 + 2 * i]
        row = r0 if dy == 0 else r1 if dy == 1 else r2 if dy == 2 else r3
        if 0 <= stack.number[row] < gone:
            return
    for x in range(stack.width - wide + 1):
        if not _fits(stack, shape, x, r0, r1, r2, r3):
            continue
        at: Int = _add_part(stack, shape, x, _new(cnf), over)
        for i in range(4):
            low: Int = stack.shapes[9 * shape + 2 + 2 * i]
            row = r0 if low == 0 else r1 if low == 1 else r2 if low == 2 else r3
            left: Int = x + stack.shapes[9 * shape + 1 + 2 * i]
            stack.parts[at + 4 + i] = row * stack.width + left


@cython.cfunc
def _lay_above(
    cnf: Clauses, stack: Stack, shape: Int, height: Int, over: Int, across: Int, rows: Int[::1]
) -> cython.void:
    """Choose the next row of a piece: the next in the stack, or one above cleared rows."""
    done: Int = rows[4]
    if done == height:
        _lay_in(cnf, stack, shape, over, rows[0], rows[1], rows[2], rows[3])
        return
    v: Int = rows[done - 1] + 1
    while v < stack.rows and not cnf.full:
        rows[done] = v
        rows[4] = done + 1
        _lay_above(cnf, stack, shape, height, over, across, rows)
        rows[4] = done
        if stack.number[v] < 0 or over >= across:
            return
        over += 1
        v += 1


@cython.cfunc
def _lay_pieces(cnf: Clauses, stack: Stack, across: Int) -> cython.void:
    room = array("q", bytes(8 * 5))
    rows: Int[::1] = memoryview(room)
    for shape in range(stack.shapes.shape[0] // 9):
        height: Int = 0
        for i in range(4):
            height = max(height, stack.shapes[9 * shape + 2 + 2 * i] + 1)
        for v in range(stack.rows):
            rows[0] = v
            rows[4] = 1
            _lay_above(cnf, stack, shape, height, 0, across, rows)


@cython.cfunc
def _cover(cnf: Clauses, stack: Stack) -> cython.void:
    """Cover each due cell exactly once, and every other cell at most once."""
    width: Int = stack.width
    cells: Int = stack.rows * width
    starts: Int[::1] = memoryview(array("q", bytes(8 * (cells + 1))))
    total: Int = 0
    for p in range(stack.count):
        for i in range(4):
            starts[stack.parts[8 * p + 4 + i] + 1] += 1
    for c in range(cells):
        starts[c + 1] += starts[c]
    by: Lit[::1] = memoryview(array("i", bytes(4 * max(1, 4 * stack.count))))
    for p in range(stack.count):
        for i in range(4):
            cell: Int = stack.parts[8 * p + 4 + i]
            by[starts[cell]] = stack.parts[8 * p + 2]
            starts[cell] += 1
    total = 0
    for c in range(cells):  # by now starts[c] is the end of the pieces of cell c
        end: Int = starts[c]
        count: Int = end - total
        clears: cython.bint = stack.number[c // width] >= 0
        there: Lit = -_TRUE
        if clears:
            there = stack.there[stack.number[c // width]]
        elif stack.due[c] or stack.owner[c] >= 0:
            there = _TRUE
        elif count:
            there = _new(cnf)
        stack.covered[c] = there
        if there != -_TRUE and stack.owner[c] < 0:
            if count + 1 > cnf.scratch.shape[0] // 2 or count + 8 > _ROOM:
                cnf.full = True
                return
            cnf.scratch[0] = -there
            for i in range(count):
                cnf.scratch[i + 1] = by[total + i]
            _begin(cnf)
            for i in range(count + 1):
                _put(cnf, cnf.scratch[i])
            _end(cnf)
            _add_at_most_one(cnf, count + 1)
        total = end
    for v in range(stack.rows):
        if stack.number[v] < 0:
            _begin(cnf)
            for x in range(width):
                _put(cnf, -stack.covered[v * width + x])
            _end(cnf)


# -- levels ---------------------------------------------------------------------------


@cython.cfunc
@cython.inline
def _get_level_literal(stack: Stack, cell: Int, level: Int) -> Lit:
    """Return the literal "the piece that covers the cell has this level or a higher one"."""
    if level <= stack.least[cell]:
        return _TRUE
    if level > stack.most[cell]:
        return -_TRUE
    return stack.levels[cell] + level - stack.least[cell] - 1


@cython.cfunc
def _add_level_variables(cnf: Clauses, stack: Stack) -> cython.void:
    """Add the variables of each cell's level (order encoding); a fixed piece has one set in all."""
    cells: Int = stack.rows * stack.width
    first = array("i", bytes(4 * (cells + 1)))
    of_piece: Lit[::1] = memoryview(first)
    for c in range(cells):
        steps: Int = stack.most[c] - stack.least[c]
        if stack.covered[c] == -_TRUE or steps <= 0:
            continue
        owner: Int = stack.owner[c]
        if owner >= 0 and of_piece[owner]:
            stack.levels[c] = of_piece[owner]
            continue
        begin: Lit = cnf.variables + 1
        cnf.variables += steps
        stack.levels[c] = begin
        if owner >= 0:
            of_piece[owner] = begin
        for step in range(1, steps):
            _add_clause_of_2(cnf, begin + step - 1, -(begin + step))


@cython.cfunc
@cython.inline
def _find_pair_index(stack: Stack, one: Int, other: Int) -> Int:
    """Return the index of a pair of cells: neighbours in a row, or in a column of a piece."""
    if other == one + 1:
        return one * _GAPS
    return one * _GAPS + (other - one) // stack.width


@cython.cfunc
def _join_cells(cnf: Clauses, stack: Stack) -> cython.void:
    """Give all cells of a piece the same level."""
    width: Int = stack.width
    pairs: Int = stack.rows * width * _GAPS
    sums = array("q", bytes(8 * (pairs + 1)))
    starts: Int[::1] = memoryview(sums)
    mine: Int[::1] = memoryview(array("q", bytes(8 * max(1, 3 * stack.count))))
    for p in range(stack.count):
        for i in range(3):
            mine[3 * p + i] = -1
        if stack.parts[8 * p + 2] == _TRUE:
            continue
        found: Int = 0
        for i in range(4):
            one: Int = stack.parts[8 * p + 4 + i]
            above: Int = -1
            for j in range(4):
                other: Int = stack.parts[8 * p + 4 + j]
                if other == one + 1 and other % width and found < 3:
                    mine[3 * p + found] = _find_pair_index(stack, one, other)
                    found += 1
                if other > one and (other - one) % width == 0 and (above < 0 or other < above):
                    above = other
            if above >= 0:  # the leftmost of two columns is enough
                left: cython.bint = False
                for j in range(4):
                    for k in range(4):
                        low: Int = stack.parts[8 * p + 4 + j]
                        high: Int = stack.parts[8 * p + 4 + k]
                        if (
                            low // width == one // width
                            and high // width == above // width
                            and low % width == high % width
                            and low % width < one % width
                        ):
                            left = True
                if not left and found < 3:
                    mine[3 * p + found] = _find_pair_index(stack, one, above)
                    found += 1
        for i in range(found):
            starts[mine[3 * p + i] + 1] += 1
    for pair in range(pairs):
        starts[pair + 1] += starts[pair]
    of_pair: Int[::1] = memoryview(array("q", bytes(8 * max(1, 3 * stack.count))))
    for p in range(stack.count):
        for i in range(3):
            if mine[3 * p + i] >= 0:
                of_pair[starts[mine[3 * p + i]]] = stack.parts[8 * p + 2]
                starts[mine[3 * p + i]] += 1
    begin: Int = 0
    for pair in range(pairs):
        end: Int = starts[pair]
        if end == begin:
            stack.joined[pair] = -_TRUE
            continue
        join: Lit = _new(cnf)
        stack.joined[pair] = join
        for i in range(begin, end):
            _add_clause_of_2(cnf, -of_pair[i], join)
        first: Int = pair // _GAPS
        gap: Int = pair % _GAPS
        second: Int = first + 1 if gap == 0 else first + gap * width
        if gap == 0 and end - begin + 8 < _ROOM:
            _begin(cnf)
            _put(cnf, -join)
            for i in range(begin, end):
                _put(cnf, of_pair[i])
            _end(cnf)
        lowest: Int = min(stack.least[first], stack.least[second])
        highest: Int = max(stack.most[first], stack.most[second])
        for level in range(lowest + 1, highest + 1):
            _add_clause_of_3(
                cnf,
                -join,
                -_get_level_literal(stack, first, level),
                _get_level_literal(stack, second, level),
            )
            _add_clause_of_3(
                cnf,
                -join,
                _get_level_literal(stack, first, level),
                -_get_level_literal(stack, second, level),
            )
        begin = end


@cython.cfunc
def _forbid_drops_between_clears(cnf: Clauses, stack: Stack) -> cython.void:
    """Forbid drops between two rows that clear at once."""
    count: Int = stack.candidates
    at_once: Lit[::1] = memoryview(array("i", bytes(4 * (count + 1))))
    for k in range(count):
        at_once[k] = _new(cnf)
    for c in range(stack.rows * stack.width):
        if stack.covered[c] == -_TRUE:
            continue
        first: Int = stack.number[c // stack.width]
        if first >= 0:
            for k in range(first, min(count, first + _TALL) - 1):
                _add_clause_of_3(
                    cnf, -stack.there[first], -_get_level_literal(stack, c, k + 2), at_once[k]
                )
        for k in range(max(0, stack.least[c] - 1), min(count, stack.most[c])):
            _add_clause_of_3(
                cnf,
                -at_once[k],
                -_get_level_literal(stack, c, k + 1),
                _get_level_literal(stack, c, k + 2),
            )


@cython.cfunc
def _complete_rows(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that exactly one piece completes each candidate that is in the game."""
    width: Int = stack.width
    for v in range(stack.rows):
        k: Int = stack.number[v]
        if k < 0:
            continue
        missing: Lit = -stack.there[k]
        _begin(cnf)
        _put(cnf, missing)
        for x in range(width):
            _put(cnf, _get_level_literal(stack, v * width + x, k + 1))
        _end(cnf)
        cnf.scratch[0] = _get_level_literal(stack, v * width, k + 1)
        for x in range(1, width):
            c: Int = v * width + x
            before: Lit = _get_level_literal(stack, c - 1, k + 1)
            one: Lit = _get_level_literal(stack, c, k + 1)
            join: Lit = stack.joined[(c - 1) * _GAPS]
            if stack.owner[c] >= 0 or stack.owner[c - 1] >= 0:
                join = _TRUE if stack.owner[c] == stack.owner[c - 1] else -_TRUE
            _add_clause_of_4(cnf, missing, -before, -one, join)
            begin: Lit = -_TRUE
            if before != _TRUE and one != -_TRUE:
                begin = _new(cnf)
                _add_clause_of_4(cnf, missing, -one, before, begin)
            cnf.scratch[x] = begin
        if stack.there[k] != -_TRUE:
            _add_at_most_one(cnf, width)


@cython.cfunc
def _add_order_clauses(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that lower cells of a column drop first, unless the upper row had cleared by then."""
    width: Int = stack.width
    for x in range(width):
        for upper in range(stack.rows):
            high: Int = upper * width + x
            if stack.covered[high] == -_TRUE:
                continue
            for lower in range(upper - 1, -1, -1):
                low: Int = lower * width + x
                if stack.covered[low] == -_TRUE:
                    continue
                k: Int = stack.number[upper]
                gone: Lit = -_TRUE
                if k >= 0:
                    gone = _get_level_literal(stack, low, k + 1)
                if gone != _TRUE and (
                    stack.owner[low] < 0 or stack.owner[low] != stack.owner[high]
                ):
                    for level in range(stack.least[high] + 1, stack.most[low] + 1):
                        then: Lit = _get_level_literal(stack, high, level)
                        before: Lit = _get_level_literal(stack, low, level)
                        if then == _TRUE or before == -_TRUE:
                            continue
                        _begin(cnf)
                        _put(cnf, -stack.covered[low])
                        _put(cnf, -stack.covered[high])
                        _put(cnf, gone)
                        _put(cnf, -before)
                        _put(cnf, then)
                        _end(cnf)
                if k < 0 and stack.number[lower] < 0 and stack.covered[low] == _TRUE:
                    break  # its own clauses put cells further down before it


@cython.cfunc
@cython.inline
def _piece_has_cell(stack: Stack, at: Int, cell: Int) -> cython.bint:
    """Return whether a piece has a cell."""
    return (
        stack.parts[at + 4] == cell
        or stack.parts[at + 5] == cell
        or stack.parts[at + 6] == cell
        or stack.parts[at + 7] == cell
    )


@cython.cfunc
@cython.inline
def _lies_in(stack: Stack, at: Int, row: Int) -> cython.bint:
    """Return whether a piece has a cell in a row."""
    return (
        stack.parts[at + 4] // stack.width == row
        or stack.parts[at + 5] // stack.width == row
        or stack.parts[at + 6] // stack.width == row
        or stack.parts[at + 7] // stack.width == row
    )


@cython.cfunc
@cython.inline
def _is_foot(stack: Stack, at: Int, cell: Int) -> cython.bint:
    """Return whether a cell of a piece is the piece's lowest in that column."""
    for i in range(4):
        other: Int = stack.parts[at + 4 + i]
        if other < cell and (cell - other) % stack.width == 0:
            return False
    return True


@cython.cfunc
def _limit_levels(cnf: Clauses, stack: Stack, across: Int, row_of: Int[::1]) -> cython.void:
    """Limit the level of each piece; ``row_of`` has the stack row of each candidate."""
    width: Int = stack.width
    count: Int = stack.candidates
    # A piece completes only rows near its feet.
    near: Int = across + _TALL
    wide: Int = 2 * near + 1
    completing: Lit[::1] = memoryview(array("i", bytes(4 * (stack.rows * width * wide + 1))))
    turn: Int[::1] = memoryview(array("q", bytes(8 * (stack.rows + 1))))
    for v in range(stack.rows):
        turn[v + 1] = turn[v] + (stack.number[v] >= 0)
    for p in range(stack.count):
        if cnf.full:
            return
        at: Int = 8 * p
        literal: Lit = stack.parts[at + 2]
        cell: Int = stack.parts[at + 4]
        low: Int = stack.rows
        high: Int = 0
        for i in range(4):
            low = min(low, stack.parts[at + 4 + i] // width)
            high = max(high, stack.parts[at + 4 + i] // width)
        for v in range(low + 1, high):
            if not _lies_in(stack, at, v):  # it lies across this row, which has gone
                k: Int = stack.number[v]
                if k >= 0:
                    _add_clause_of_3(
                        cnf, -literal, -stack.there[k], _get_level_literal(stack, cell, k + 1)
                    )
        if high + 1 - stack.ceiling > 0:
            _add_clause_of_2(
                cnf, -literal, _get_level_literal(stack, cell, high + 1 - stack.ceiling)
            )
        for v in range(low, high + 1):
            own: Int = stack.number[v]
            if own < 0 or not _lies_in(stack, at, v):
                continue
            for other in range(own + 1, min(count, own + _TALL)):
                if not _lies_in(stack, at, row_of[other]):  # it cannot complete that row
                    after: Lit = -_get_level_literal(stack, cell, other + 1)
                    _add_clause_of_3(cnf, -literal, after, -stack.there[other])
            done: Lit = _get_level_literal(stack, cell, own + 1)
            if done == -_TRUE:
                continue
            for i in range(4):
                foot: Int = stack.parts[at + 4 + i]
                if not _is_foot(stack, at, foot):
                    continue
                lies: cython.bint = False  # whether some cell of this column is still there
                for j in range(4):
                    its: Int = stack.parts[at + 4 + j]
                    k = stack.number[its // width]
                    if its % width == foot % width and (k < 0 or k > own):
                        lies = True
                if lies:
                    key: Int = foot * wide + own - turn[foot // width] + near
                    if completing[key] == 0:
                        completing[key] = _new(cnf)
                    _add_clause_of_3(cnf, -literal, -done, completing[key])
        for i in range(4):  # a cell above it in its own row is filled later, and so is that row
            one: Int = stack.parts[at + 4 + i]
            for upper in range(one // width + 1, high + 1):
                k = stack.number[upper]
                if k >= 0 and _lies_in(stack, at, upper):
                    if not _piece_has_cell(stack, at, upper * width + one % width):
                        _add_clause_of_2(cnf, -literal, -_get_level_literal(stack, cell, k + 1))
    # Cells below a piece that completes a row, outside the completed rows, dropped before it.
    for foot in range(stack.rows * width):
        for at in range(wide):
            literal = completing[foot * wide + at]
            if literal:
                k = at + turn[foot // width] - near
                for under in range(foot - width, -1, -width):
                    if stack.covered[under] != -_TRUE:
                        then: Lit = -_get_level_literal(stack, under, k + 1)
                        _add_clause_of_3(cnf, -literal, -stack.covered[under], then)


# -- support --------------------------------------------------------------------------


@cython.cfunc
def _get_support_literal(cnf: Clauses, stack: Stack, foot: Int, v: Int) -> Lit:
    """Return the literal that row ``v`` or, past cleared rows, a lower one supports a foot."""
    if v < 0:
        return _TRUE
    under: Int = v * stack.width + foot % stack.width
    there: Lit = stack.covered[under]
    k: Int = stack.number[v]
    of_foot: Int = stack.number[foot // stack.width]
    early: Lit = _TRUE
    if k < 0:
        if of_foot >= 0:
            early = -_get_level_literal(stack, under, of_foot + 1)
        if there == -_TRUE or early == _TRUE:
            return there
        if there == _TRUE:
            return early
    key: Int = foot * stack.deep + foot // stack.width - v
    if stack.held[key]:
        return stack.held[key]
    held: Lit = 0
    if k >= 0:
        gone: Lit = _get_level_literal(stack, foot, k + 1)
        if there == _TRUE and gone == -_TRUE:
            return _TRUE
        further: Lit = _get_support_literal(cnf, stack, foot, v - 1)
        if further == _TRUE or gone == _TRUE or there == -_TRUE:
            held = further
        else:
            held = _new(cnf)
            _add_clause_of_3(cnf, -held, -gone, further)
            _add_clause_of_3(cnf, -held, there, further)
    else:
        held = _new(cnf)
        _add_clause_of_2(cnf, -held, there)
        _add_clause_of_2(cnf, -held, early)
    stack.held[key] = held
    return held


@cython.cfunc
def _require_support(cnf: Clauses, stack: Stack) -> cython.void:
    """Require support under some column of every piece."""
    width: Int = stack.width
    for p in range(stack.count):
        at: Int = 8 * p
        count: Int = 0
        for i in range(4):
            foot: Int = stack.parts[at + 4 + i]
            if _is_foot(stack, at, foot):
                v: Int = foot // width
                by: Lit = _TRUE
                if v and not (stack.number[v - 1] >= 0 and _lies_in(stack, at, v - 1)):
                    by = _get_support_literal(cnf, stack, foot, v - 1)
                cnf.scratch[count] = by
                count += 1
        literal: Lit = stack.parts[at + 2]
        _begin(cnf)
        _put(cnf, -literal)
        for i in range(count):
            _put(cnf, cnf.scratch[i])
        _end(cnf)


# -- the whole formula ----------------------------------------------------------------


@cython.cfunc
def _add_type_literals(cnf: Clauses, stack: Stack, known: Any) -> cython.void:
    """Add a literal per type and colour: each type shows at most one colour; some are known."""
    for kind in range(1, 8):
        its: Int = known[kind]
        for shade in range(1, stack.shades + 1):
            literal: Lit = _new(cnf) if its == 0 else _TRUE if shade == its else -_TRUE
            stack.shows[8 * shade + kind] = literal
            cnf.scratch[shade - 1] = literal
        if its == 0:
            _at_most_one(cnf, 0, stack.shades)


@cython.cfunc
def _require_type_colors(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that the type of each piece shows the colour of its picture squares."""
    for p in range(stack.count):
        at: Int = 8 * p
        for i in range(4):
            cell: Int = stack.parts[at + 4 + i]
            shade: Int = stack.shade[cell]
            if shade and stack.number[cell // stack.width] < 0:
                kind: Int = stack.shapes[9 * stack.parts[at]]
                literal: Lit = stack.parts[at + 2]
                _add_clause_of_2(cnf, -literal, stack.shows[8 * shade + kind])
                break


def write_formula(cnf: Clauses, stack: Stack, across: int, fixed: Any, known: Any) -> None:
    """Write all clauses about the pieces of a stack.

    Parameters
    ----------
    cnf : Clauses
        Receives the clauses.
    stack : Stack
        The rows, and the tables that are filled in.
    across : int
        The most cleared candidates between the rows of a piece.
    fixed : array of int64
        Pieces that stay as they are: for each the orientation, the column and four cells.
    known : sequence of int
        For each type the number of the colour that it shows, or 0 if that is open.
    """
    row_of: Int[::1] = memoryview(array("q", bytes(8 * (stack.candidates + 1))))
    for v in range(stack.rows):
        if stack.number[v] >= 0:
            row_of[stack.number[v]] = v
    for k in range(stack.candidates):
        if stack.there[k] == 0:
            stack.there[k] = _new(cnf)
    for k in range(stack.candidates - 1):
        # Adjacent candidates are interchangeable: the game uses the lower ones.
        if row_of[k + 1] == row_of[k] + 1:
            _add_clause_of_2(cnf, stack.there[k], -stack.there[k + 1])
    if stack.shades:
        _add_type_literals(cnf, stack, known)
    pieces: Int[::1] = memoryview(fixed)
    for p in range(pieces.shape[0] // 6):
        at: Int = _add_part(stack, pieces[6 * p], pieces[6 * p + 1], _TRUE, 0)
        for i in range(4):
            stack.parts[at + 4 + i] = pieces[6 * p + 2 + i]
    _lay_pieces(cnf, stack, across)
    if stack.shades:
        _require_type_colors(cnf, stack)
    _cover(cnf, stack)
    _add_level_variables(cnf, stack)
    _join_cells(cnf, stack)
    if stack.candidates:
        _forbid_drops_between_clears(cnf, stack)
        _complete_rows(cnf, stack)
    _add_order_clauses(cnf, stack)
    _limit_levels(cnf, stack, across, row_of)
    _require_support(cnf, stack)


def add_counter(cnf: Clauses, literals: Any, weights: Any, most: int) -> list[int]:
    """Add a counter; return literals, the ``n``-th true if the true inputs weigh more than ``n``.

    Parameters
    ----------
    cnf : Clauses
        Receives the clauses.
    literals, weights : sequence of int
        The counted literals and their weights.
    most : int
        The largest ``n``.
    """
    sums: Lit[::1] = memoryview(array("i", bytes(4 * (most + 2))))
    here: Lit[::1] = memoryview(array("i", bytes(4 * (most + 2))))
    had: Int = 0
    for number in range(len(literals)):
        literal: Lit = literals[number]
        weight: Int = weights[number]
        has: Int = min(had + weight, most + 1)
        for n in range(has):
            here[n] = _new(cnf)
        for n in range(min(had, has)):
            _add_clause_of_2(cnf, -sums[n], here[n])
        for n in range(has):
            before: Lit = _TRUE if n < weight else sums[n - weight]
            _add_clause_of_3(cnf, -literal, -before, here[n])
        for n in range(has):
            sums[n] = here[n]
        had = has
    return [sums[n] for n in range(had)]


def add_clauses(cnf: Clauses, add: Any, begin: int, count: int) -> int:
    """Pass some clauses to a solver; return the index of the next one, or -1 after the last.

    Parameters
    ----------
    cnf : Clauses
        The clauses.
    add : callable
        Called with each clause, as a list.
    begin : int
        The index in the array at which the first clause begins.
    count : int
        The most clauses to pass.
    """
    at: Int = begin
    done: Int = 0
    clause: list[int] = []
    while at < cnf.size and done < count:
        literal: Lit = cnf.out[at]
        at += 1
        if literal:
            clause.append(literal)
        else:
            add(clause)
            clause = []
            done += 1
    return at if at < cnf.size else -1
