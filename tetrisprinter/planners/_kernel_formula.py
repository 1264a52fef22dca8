"""The compiled writer of formulas: all games in some rows of a stack, as clauses in one array.

The formula is described in :mod:`~tetrisprinter.planners.formula`; this module
writes the formula. A literal is the number of a variable, negative for its negation; :data:`YES` is
true and its negative false. These two never reach the array: a clause with a true literal is left
out, and false literals are left out of their clauses. So the fixed pieces of a window cost nothing.

A cell has the number ``row * width + column``; candidates are numbered from the lowest. A *foot* is
the lowest cell of a piece in a column.
"""

from __future__ import annotations

from array import array
from typing import Any

import tetrisprinter.support.kernels  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import int as Lit
from cython import longlong as Int

__all__ = ["YES", "Clauses", "Stack", "add_clauses", "add_counter", "write_formula"]

YES = 1 << 30
"""A literal that stands for true."""

_TRUE = cython.declare(Lit, 1 << 30)
_TALL = cython.declare(Int, 4)  # the most rows of a piece
_ROOM = cython.declare(Int, 1 << 14)  # how many literals the next clause may have
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
    end, is_true
        Of the clause that is being written: its end in ``out``, and whether a literal is true.
    variables
        The number of variables, which are numbered from 1.
    limit
        The most clauses; further clauses are not written, and ``full`` is set.
    scratch
        Literals that functions pass to each other.
    """

    out: Lit[::1]
    size: Int
    end: Int
    count: Int
    variables: Int
    limit: Int
    full: cython.bint
    is_true: cython.bint
    scratch: Lit[::1]

    def __init__(self, limit: int) -> None:
        self.out = memoryview(array("i", bytes(4 * 4 * _ROOM)))
        self.scratch = memoryview(array("i", bytes(4 * 4 * _ROOM)))
        self.size = self.end = self.count = self.variables = 0
        self.limit = limit
        self.full = self.is_true = False

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
        The number of stack rows, the width of the board, and how high pieces may lie.
    candidates, shades
        The numbers of candidates and of colours.
    candidate_of
        For each row its number among the candidates, or -1.
    allowed, shade, required
        For each cell the types that may stay in it (as bits), the number of its colour, and
        whether it must be covered.
    min_level, max_level
        For each cell the lowest and the highest level that a piece in it may have.
    owner
        For each cell the number of the fixed piece there, or -1.
    used
        For each candidate the literal that it is in the game.
    covered, levels
        For each cell the literal that it is covered, and the first variable of its level.
    shows
        For each colour and type the literal that the type shows the colour.
    pieces, count
        For each piece eight numbers: orientation, column, literal, the number of candidates
        that it lies across, and its four cells. Functions get the offset of a piece in this array
        as ``piece``. ``count`` is the number of pieces.
    shapes
        For each orientation nine numbers: the type, and column and row of each of its cells.
    joined
        For each pair of cells (see ``_find_pair_index``) the literal that one piece covers both.
    supports, support_depth
        The literals of ``_get_support_literal``, and how many of them a cell may have.
    """

    rows: Int
    width: Int
    ceiling: Int
    candidates: Int
    shades: Int
    candidate_of: Int[::1]
    allowed: Int[::1]
    shade: Int[::1]
    required: Int[::1]
    min_level: Int[::1]
    max_level: Int[::1]
    owner: Int[::1]
    used: Lit[::1]
    covered: Lit[::1]
    levels: Lit[::1]
    shows: Lit[::1]
    pieces: Int[::1]
    count: Int
    shapes: Int[::1]
    joined: Lit[::1]
    supports: Lit[::1]
    support_depth: Int

    def __init__(
        self,
        width: int,
        ceiling: int,
        candidate_of: Any,
        allowed: Any,
        shade: Any,
        required: Any,
        min_level: Any,
        max_level: Any,
        owner: Any,
        used: Any,
        shades: int,
        shapes: Any,
    ) -> None:
        self.rows, self.width, self.ceiling = len(candidate_of), width, ceiling
        self.candidates, self.shades = len(used), shades
        self.candidate_of, self.allowed = memoryview(candidate_of), memoryview(allowed)
        self.shade, self.required = memoryview(shade), memoryview(required)
        self.min_level, self.max_level = memoryview(min_level), memoryview(max_level)
        self.owner, self.used = memoryview(owner), memoryview(used)
        self.shapes = memoryview(shapes)
        cells = self.rows * width
        self.covered = memoryview(array("i", bytes(4 * cells)))
        self.levels = memoryview(array("i", bytes(4 * cells)))
        self.shows = memoryview(array("i", bytes(4 * 8 * (shades + 1))))
        self.joined = memoryview(array("i", bytes(4 * cells * _GAPS)))
        run_length = longest_run = 0
        for candidate in candidate_of:
            run_length = run_length + 1 if candidate >= 0 else 0
            longest_run = max(longest_run, run_length)
        self.support_depth = longest_run + 2
        self.supports = memoryview(array("i", bytes(4 * cells * self.support_depth)))
        self.pieces = memoryview(array("q", bytes(8 * 8 * _ROOM)))
        self.count = 0

    def tables(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return ``pieces``, ``used``, ``covered``, ``levels`` and ``shows``."""
        return (
            memoryview(self.pieces)[: 8 * self.count],
            memoryview(self.used),
            memoryview(self.covered),
            memoryview(self.levels),
            memoryview(self.shows),
        )


# -- clauses --------------------------------------------------------------------------


@cython.cfunc
@cython.inline
def _add_variable(cnf: Clauses) -> Lit:
    """Return a new variable."""
    cnf.variables += 1
    return cnf.variables


@cython.cfunc
def _begin_clause(cnf: Clauses) -> cython.void:
    """Begin a clause; make the array large enough for ``_ROOM`` literals."""
    if cnf.size + _ROOM > cnf.out.shape[0]:
        grown = array("i", bytes(4 * 2 * cnf.out.shape[0]))
        grown_view: Lit[::1] = memoryview(grown)
        grown_view[: cnf.size] = cnf.out[: cnf.size]
        cnf.out = grown_view
    cnf.end = cnf.size
    cnf.is_true = False


@cython.cfunc
@cython.inline
def _add_literal(cnf: Clauses, literal: Lit) -> cython.void:
    """Add a literal to the present clause, or note that the clause is true."""
    if literal == _TRUE:
        cnf.is_true = True
    elif literal != -_TRUE and cnf.end < cnf.out.shape[0] - 1:
        cnf.out[cnf.end] = literal
        cnf.end += 1


@cython.cfunc
@cython.inline
def _end_clause(cnf: Clauses) -> cython.void:
    """End the present clause; leave it out if it is true or the limit is reached."""
    if cnf.is_true:
        return
    if cnf.count >= cnf.limit:
        cnf.full = True
        return
    cnf.out[cnf.end] = 0
    cnf.size = cnf.end + 1
    cnf.count += 1


@cython.cfunc
@cython.inline
def _add_clause_of_2(cnf: Clauses, first: Lit, second: Lit) -> cython.void:
    if first == _TRUE or second == _TRUE:
        return
    _begin_clause(cnf)
    _add_literal(cnf, first)
    _add_literal(cnf, second)
    _end_clause(cnf)


@cython.cfunc
@cython.inline
def _add_clause_of_3(cnf: Clauses, first: Lit, second: Lit, third: Lit) -> cython.void:
    if first == _TRUE or second == _TRUE or third == _TRUE:
        return
    _begin_clause(cnf)
    _add_literal(cnf, first)
    _add_literal(cnf, second)
    _add_literal(cnf, third)
    _end_clause(cnf)


@cython.cfunc
@cython.inline
def _add_clause_of_4(cnf: Clauses, first: Lit, second: Lit, third: Lit, fourth: Lit) -> cython.void:
    if first == _TRUE or second == _TRUE or third == _TRUE or fourth == _TRUE:
        return
    _begin_clause(cnf)
    _add_literal(cnf, first)
    _add_literal(cnf, second)
    _add_literal(cnf, third)
    _add_literal(cnf, fourth)
    _end_clause(cnf)


@cython.cfunc
def _encode_at_most_one(cnf: Clauses, begin: Int, count: Int) -> cython.void:
    """Add clauses: at most one of ``count`` scratch literals from ``begin`` on is true.

    Small sets get a clause per pair. Larger sets form a table in which at most one row and at most
    one column has a true literal (product encoding, Chen 2010).
    """
    max_pairwise: Int = 5
    if count <= max_pairwise:
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
        cnf.scratch[end + k] = _add_variable(cnf)
    for i in range(count):
        _add_clause_of_2(cnf, -cnf.scratch[begin + i], cnf.scratch[end + i % across])
        _add_clause_of_2(cnf, -cnf.scratch[begin + i], cnf.scratch[end + across + i // across])
    # Rows first: the tables of rows lie behind the rows, and those of columns overwrite only rows.
    _encode_at_most_one(cnf, end + across, down)
    _encode_at_most_one(cnf, end, across)


@cython.cfunc
def _add_at_most_one(cnf: Clauses, count: Int) -> cython.void:
    """Add clauses: at most one of the first ``count`` scratch literals is true.

    Some literals may be known to be true or false.
    """
    kept_count: Int = 0
    true_index: Int = -1
    for i in range(count):
        literal: Lit = cnf.scratch[i]
        if literal == -_TRUE:
            continue
        if literal == _TRUE and true_index < 0:
            true_index = kept_count
        cnf.scratch[kept_count] = literal
        kept_count += 1
    if true_index < 0:
        _encode_at_most_one(cnf, 0, kept_count)
        return
    for i in range(kept_count):
        if i != true_index:
            _begin_clause(cnf)
            _add_literal(cnf, -cnf.scratch[i])
            _end_clause(cnf)


# -- pieces ---------------------------------------------------------------------------


@cython.cfunc
def _add_piece(stack: Stack, shape: Int, x: Int, literal: Lit, crossed: Int) -> Int:
    """Add a piece whose cells the caller fills in; return its offset in ``pieces``."""
    piece: Int = 8 * stack.count
    if piece + 8 > stack.pieces.shape[0]:
        grown = array("q", bytes(8 * 2 * stack.pieces.shape[0]))
        grown_view: Int[::1] = memoryview(grown)
        grown_view[:piece] = stack.pieces[:piece]
        stack.pieces = grown_view
    stack.pieces[piece] = shape
    stack.pieces[piece + 1] = x
    stack.pieces[piece + 2] = literal
    stack.pieces[piece + 3] = crossed
    stack.count += 1
    return piece


@cython.cfunc
def _fits(stack: Stack, shape: Int, x: Int, r0: Int, r1: Int, r2: Int, r3: Int) -> cython.bint:
    """Return whether an orientation may lie in four rows with its left side in column ``x``.

    Row ``y`` of the orientation is row ``r0``, ``r1``, ``r2`` or ``r3`` of the stack.
    """
    piece_type: Int = stack.shapes[9 * shape]
    shade: Int = 0
    row: Int = 0
    for i in range(4):
        dy: Int = stack.shapes[9 * shape + 2 + 2 * i]
        row = r0 if dy == 0 else r1 if dy == 1 else r2 if dy == 2 else r3
        cell: Int = row * stack.width + x + stack.shapes[9 * shape + 1 + 2 * i]
        if stack.owner[cell] >= 0 or not stack.allowed[cell] >> piece_type & 1:
            return False
        if stack.candidate_of[row] < 0 and stack.shade[cell]:
            if shade and shade != stack.shade[cell]:
                return False
            shade = stack.shade[cell]
            literal: Lit = stack.shows[8 * shade + piece_type]
            if literal == -_TRUE:
                return False
    return True


@cython.cfunc
def _add_pieces_in_rows(
    cnf: Clauses, stack: Stack, shape: Int, crossed: Int, r0: Int, r1: Int, r2: Int, r3: Int
) -> cython.void:
    """Add the pieces of one orientation that fit into four rows; see :func:`_fits`."""
    width: Int = 0
    row: Int = 0
    for i in range(4):
        width = max(width, stack.shapes[9 * shape + 1 + 2 * i] + 1)
    for x in range(stack.width - width + 1):
        if not _fits(stack, shape, x, r0, r1, r2, r3):
            continue
        piece: Int = _add_piece(stack, shape, x, _add_variable(cnf), crossed)
        for i in range(4):
            cell_dy: Int = stack.shapes[9 * shape + 2 + 2 * i]
            row = r0 if cell_dy == 0 else r1 if cell_dy == 1 else r2 if cell_dy == 2 else r3
            column: Int = x + stack.shapes[9 * shape + 1 + 2 * i]
            stack.pieces[piece + 4 + i] = row * stack.width + column


@cython.cfunc
def _try_next_rows(
    cnf: Clauses,
    stack: Stack,
    shape: Int,
    height: Int,
    crossed: Int,
    max_crossed: Int,
    rows: Int[::1],
) -> cython.void:
    """Try each next row of a piece; when all its rows are chosen, add the pieces in them.

    The next row is the one above the row chosen before, or lies above rows that may clear between
    the two. ``rows`` has the rows chosen so far, and their number at index 4.
    """
    chosen: Int = rows[4]
    if chosen == height:
        _add_pieces_in_rows(cnf, stack, shape, crossed, rows[0], rows[1], rows[2], rows[3])
        return
    row: Int = rows[chosen - 1] + 1
    while row < stack.rows and not cnf.full:
        rows[chosen] = row
        rows[4] = chosen + 1
        _try_next_rows(cnf, stack, shape, height, crossed, max_crossed, rows)
        rows[4] = chosen
        if stack.candidate_of[row] < 0 or crossed >= max_crossed:
            return
        crossed += 1
        row += 1


@cython.cfunc
def _add_pieces(cnf: Clauses, stack: Stack, max_crossed: Int) -> cython.void:
    """Add all open pieces; ``max_crossed`` limits the candidates between the rows of a piece."""
    rows: Int[::1] = memoryview(array("q", bytes(8 * 5)))
    for shape in range(stack.shapes.shape[0] // 9):
        height: Int = 0
        for i in range(4):
            height = max(height, stack.shapes[9 * shape + 2 + 2 * i] + 1)
        for row in range(stack.rows):
            rows[0] = row
            rows[4] = 1
            _try_next_rows(cnf, stack, shape, height, 0, max_crossed, rows)


@cython.cfunc
def _require_cover(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that pieces cover each required cell once, and every other cell at most once.

    No row of the picture may be full.
    """
    width: Int = stack.width
    cells: Int = stack.rows * width
    starts: Int[::1] = memoryview(array("q", bytes(8 * (cells + 1))))
    for p in range(stack.count):
        for i in range(4):
            starts[stack.pieces[8 * p + 4 + i] + 1] += 1
    for cell in range(cells):
        starts[cell + 1] += starts[cell]
    piece_literals: Lit[::1] = memoryview(array("i", bytes(4 * max(1, 4 * stack.count))))
    for p in range(stack.count):
        for i in range(4):
            piece_cell: Int = stack.pieces[8 * p + 4 + i]
            piece_literals[starts[piece_cell]] = stack.pieces[8 * p + 2]
            starts[piece_cell] += 1
    begin: Int = 0
    for cell in range(cells):  # starts[c] has become the end of the pieces of cell c
        end: Int = starts[cell]
        count: Int = end - begin
        is_candidate: cython.bint = stack.candidate_of[cell // width] >= 0
        is_covered: Lit = -_TRUE
        if is_candidate:
            is_covered = stack.used[stack.candidate_of[cell // width]]
        elif stack.required[cell] or stack.owner[cell] >= 0:
            is_covered = _TRUE
        elif count:
            is_covered = _add_variable(cnf)
        stack.covered[cell] = is_covered
        if is_covered != -_TRUE and stack.owner[cell] < 0:
            if count + 1 > cnf.scratch.shape[0] // 2 or count + 8 > _ROOM:
                cnf.full = True
                return
            cnf.scratch[0] = -is_covered
            for i in range(count):
                cnf.scratch[i + 1] = piece_literals[begin + i]
            _begin_clause(cnf)
            for i in range(count + 1):
                _add_literal(cnf, cnf.scratch[i])
            _end_clause(cnf)
            _add_at_most_one(cnf, count + 1)
        begin = end
    for row in range(stack.rows):
        if stack.candidate_of[row] < 0:
            _begin_clause(cnf)
            for x in range(width):
                _add_literal(cnf, -stack.covered[row * width + x])
            _end_clause(cnf)


# -- levels ---------------------------------------------------------------------------


@cython.cfunc
@cython.inline
def _get_level_literal(stack: Stack, cell: Int, level: Int) -> Lit:
    """Return the literal "the piece that covers the cell has this level or a higher one"."""
    if level <= stack.min_level[cell]:
        return _TRUE
    if level > stack.max_level[cell]:
        return -_TRUE
    return stack.levels[cell] + level - stack.min_level[cell] - 1


@cython.cfunc
def _add_level_variables(cnf: Clauses, stack: Stack) -> cython.void:
    """Add variables for the level of each cell (order encoding); those of a fixed piece share."""
    cells: Int = stack.rows * stack.width
    memory = array("i", bytes(4 * (cells + 1)))
    first_variables: Lit[::1] = memoryview(memory)
    for cell in range(cells):
        steps: Int = stack.max_level[cell] - stack.min_level[cell]
        if stack.covered[cell] == -_TRUE or steps <= 0:
            continue
        owner: Int = stack.owner[cell]
        if owner >= 0 and first_variables[owner]:
            stack.levels[cell] = first_variables[owner]
            continue
        begin: Lit = cnf.variables + 1
        cnf.variables += steps
        stack.levels[cell] = begin
        if owner >= 0:
            first_variables[owner] = begin
        for step in range(1, steps):
            _add_clause_of_2(cnf, begin + step - 1, -(begin + step))


@cython.cfunc
@cython.inline
def _find_pair_index(stack: Stack, cell: Int, other_cell: Int) -> Int:
    """Return the index of two cells of a piece: neighbours in a row, or one above the other."""
    if other_cell == cell + 1:
        return cell * _GAPS
    return cell * _GAPS + (other_cell - cell) // stack.width


@cython.cfunc
def _join_cells(cnf: Clauses, stack: Stack) -> cython.void:
    """Give all cells of a piece the same level."""
    width: Int = stack.width
    pairs: Int = stack.rows * width * _GAPS
    memory = array("q", bytes(8 * (pairs + 1)))
    starts: Int[::1] = memoryview(memory)
    pairs_of_piece: Int[::1] = memoryview(array("q", bytes(8 * max(1, 3 * stack.count))))
    for p in range(stack.count):
        for i in range(3):
            pairs_of_piece[3 * p + i] = -1
        if stack.pieces[8 * p + 2] == _TRUE:
            continue
        pair_count: Int = 0
        for i in range(4):
            cell: Int = stack.pieces[8 * p + 4 + i]
            above: Int = -1
            for j in range(4):
                other_cell: Int = stack.pieces[8 * p + 4 + j]
                if other_cell == cell + 1 and other_cell % width and pair_count < 3:
                    pairs_of_piece[3 * p + pair_count] = _find_pair_index(stack, cell, other_cell)
                    pair_count += 1
                if (
                    other_cell > cell
                    and (other_cell - cell) % width == 0
                    and (above < 0 or other_cell < above)
                ):
                    above = other_cell
            if above >= 0:  # if two columns join the same rows, the left one is enough
                has_column_to_left: cython.bint = False
                for j in range(4):
                    for k in range(4):
                        low: Int = stack.pieces[8 * p + 4 + j]
                        high: Int = stack.pieces[8 * p + 4 + k]
                        if (
                            low // width == cell // width
                            and high // width == above // width
                            and low % width == high % width
                            and low % width < cell % width
                        ):
                            has_column_to_left = True
                if not has_column_to_left and pair_count < 3:
                    pairs_of_piece[3 * p + pair_count] = _find_pair_index(stack, cell, above)
                    pair_count += 1
        for i in range(pair_count):
            starts[pairs_of_piece[3 * p + i] + 1] += 1
    for pair in range(pairs):
        starts[pair + 1] += starts[pair]
    literals_of_pair: Int[::1] = memoryview(array("q", bytes(8 * max(1, 3 * stack.count))))
    for p in range(stack.count):
        for i in range(3):
            if pairs_of_piece[3 * p + i] >= 0:
                literals_of_pair[starts[pairs_of_piece[3 * p + i]]] = stack.pieces[8 * p + 2]
                starts[pairs_of_piece[3 * p + i]] += 1
    begin: Int = 0
    for pair in range(pairs):
        end: Int = starts[pair]
        if end == begin:
            stack.joined[pair] = -_TRUE
            continue
        join: Lit = _add_variable(cnf)
        stack.joined[pair] = join
        for i in range(begin, end):
            _add_clause_of_2(cnf, -literals_of_pair[i], join)
        first: Int = pair // _GAPS
        gap: Int = pair % _GAPS
        second: Int = first + 1 if gap == 0 else first + gap * width
        if gap == 0 and end - begin + 8 < _ROOM:
            _begin_clause(cnf)
            _add_literal(cnf, -join)
            for i in range(begin, end):
                _add_literal(cnf, literals_of_pair[i])
            _end_clause(cnf)
        lowest: Int = min(stack.min_level[first], stack.min_level[second])
        highest: Int = max(stack.max_level[first], stack.max_level[second])
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
    """Forbid drops between the clearing of two rows that clear at once."""
    count: Int = stack.candidates
    clears_with_next: Lit[::1] = memoryview(array("i", bytes(4 * (count + 1))))
    for candidate in range(count):
        clears_with_next[candidate] = _add_variable(cnf)
    for cell in range(stack.rows * stack.width):
        if stack.covered[cell] == -_TRUE:
            continue
        first: Int = stack.candidate_of[cell // stack.width]
        if first >= 0:
            for candidate in range(first, min(count, first + _TALL) - 1):
                _add_clause_of_3(
                    cnf,
                    -stack.used[first],
                    -_get_level_literal(stack, cell, candidate + 2),
                    clears_with_next[candidate],
                )
        for candidate in range(
            max(0, stack.min_level[cell] - 1), min(count, stack.max_level[cell])
        ):
            _add_clause_of_3(
                cnf,
                -clears_with_next[candidate],
                -_get_level_literal(stack, cell, candidate + 1),
                _get_level_literal(stack, cell, candidate + 2),
            )


@cython.cfunc
def _require_completion(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that exactly one piece completes each candidate that is in the game.

    The cells whose level is above the candidate belong to this piece, so they are adjacent.
    """
    width: Int = stack.width
    for row in range(stack.rows):
        candidate: Int = stack.candidate_of[row]
        if candidate < 0:
            continue
        missing: Lit = -stack.used[candidate]
        _begin_clause(cnf)
        _add_literal(cnf, missing)
        for x in range(width):
            _add_literal(cnf, _get_level_literal(stack, row * width + x, candidate + 1))
        _end_clause(cnf)
        cnf.scratch[0] = _get_level_literal(stack, row * width, candidate + 1)
        for x in range(1, width):
            cell: Int = row * width + x
            left_completes: Lit = _get_level_literal(stack, cell - 1, candidate + 1)
            completes: Lit = _get_level_literal(stack, cell, candidate + 1)
            join: Lit = stack.joined[(cell - 1) * _GAPS]
            if stack.owner[cell] >= 0 or stack.owner[cell - 1] >= 0:
                join = _TRUE if stack.owner[cell] == stack.owner[cell - 1] else -_TRUE
            _add_clause_of_4(cnf, missing, -left_completes, -completes, join)
            run_begins: Lit = -_TRUE
            if left_completes != _TRUE and completes != -_TRUE:
                run_begins = _add_variable(cnf)
                _add_clause_of_4(cnf, missing, -completes, left_completes, run_begins)
            cnf.scratch[x] = run_begins
        if stack.used[candidate] != -_TRUE:
            _add_at_most_one(cnf, width)


@cython.cfunc
def _add_order_clauses(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that lower cells of a column drop first, unless the upper row had cleared by then."""
    width: Int = stack.width
    for x in range(width):
        for upper in range(stack.rows):
            upper_cell: Int = upper * width + x
            if stack.covered[upper_cell] == -_TRUE:
                continue
            for lower in range(upper - 1, -1, -1):
                lower_cell: Int = lower * width + x
                if stack.covered[lower_cell] == -_TRUE:
                    continue
                candidate: Int = stack.candidate_of[upper]
                upper_cleared: Lit = -_TRUE
                if candidate >= 0:
                    upper_cleared = _get_level_literal(stack, lower_cell, candidate + 1)
                if upper_cleared != _TRUE and (
                    stack.owner[lower_cell] < 0
                    or stack.owner[lower_cell] != stack.owner[upper_cell]
                ):
                    for level in range(
                        stack.min_level[upper_cell] + 1, stack.max_level[lower_cell] + 1
                    ):
                        upper_reaches: Lit = _get_level_literal(stack, upper_cell, level)
                        lower_reaches: Lit = _get_level_literal(stack, lower_cell, level)
                        if upper_reaches == _TRUE or lower_reaches == -_TRUE:
                            continue
                        _begin_clause(cnf)
                        _add_literal(cnf, -stack.covered[lower_cell])
                        _add_literal(cnf, -stack.covered[upper_cell])
                        _add_literal(cnf, upper_cleared)
                        _add_literal(cnf, -lower_reaches)
                        _add_literal(cnf, upper_reaches)
                        _end_clause(cnf)
                if (
                    candidate < 0
                    and stack.candidate_of[lower] < 0
                    and stack.covered[lower_cell] == _TRUE
                ):
                    break  # clauses of this lower cell order the cells further down


@cython.cfunc
@cython.inline
def _has_cell(stack: Stack, piece: Int, cell: Int) -> cython.bint:
    """Return whether a piece has a cell."""
    return (
        stack.pieces[piece + 4] == cell
        or stack.pieces[piece + 5] == cell
        or stack.pieces[piece + 6] == cell
        or stack.pieces[piece + 7] == cell
    )


@cython.cfunc
@cython.inline
def _has_cell_in_row(stack: Stack, piece: Int, row: Int) -> cython.bint:
    """Return whether a piece has a cell in a row."""
    return (
        stack.pieces[piece + 4] // stack.width == row
        or stack.pieces[piece + 5] // stack.width == row
        or stack.pieces[piece + 6] // stack.width == row
        or stack.pieces[piece + 7] // stack.width == row
    )


@cython.cfunc
@cython.inline
def _is_foot(stack: Stack, piece: Int, cell: Int) -> cython.bint:
    """Return whether a cell of a piece is the piece's lowest in that column."""
    for i in range(4):
        other_cell: Int = stack.pieces[piece + 4 + i]
        if other_cell < cell and (cell - other_cell) % stack.width == 0:
            return False
    return True


@cython.cfunc
def _keep_other_rows(
    cnf: Clauses,
    stack: Stack,
    piece: Int,
    literal: Lit,
    cell: Int,
    highest_row: Int,
    row_of: Int[::1],
) -> cython.void:
    """Limit the level of a piece by the rows in which it has no cell.

    ``literal`` implies the limits, and ``cell`` is in the lowest row of the piece.
    """
    lowest_row: Int = cell // stack.width
    for row in range(lowest_row + 1, highest_row):
        # A row between two rows of the piece has cleared before the piece drops.
        candidate: Int = stack.candidate_of[row]
        if candidate >= 0 and not _has_cell_in_row(stack, piece, row):
            is_gone: Lit = _get_level_literal(stack, cell, candidate + 1)
            _add_clause_of_3(cnf, -literal, -stack.used[candidate], is_gone)
    # If the piece has a cell in a row but none in one that may clear at once, it cannot complete
    # the other row.
    next_candidate: Int = 0
    for row in range(lowest_row, highest_row + 1):
        own_candidate: Int = stack.candidate_of[row]
        if own_candidate < 0 or not _has_cell_in_row(stack, piece, row):
            continue
        next_candidate = max(next_candidate, own_candidate + 1)
        while next_candidate < min(stack.candidates, own_candidate + _TALL):
            if not _has_cell_in_row(stack, piece, row_of[next_candidate]):
                is_earlier: Lit = -_get_level_literal(stack, cell, next_candidate + 1)
                _add_clause_of_3(cnf, -literal, is_earlier, -stack.used[next_candidate])
            next_candidate += 1


@cython.cfunc
def _limit_levels(cnf: Clauses, stack: Stack, max_crossed: Int, row_of: Int[::1]) -> cython.void:
    """Limit the level of each piece by its rows; ``row_of`` has the stack row of each candidate."""
    width: Int = stack.width
    count: Int = stack.candidates
    # A piece completes only candidates whose numbers differ at most this much from the number of
    # candidates below its feet.
    max_distance: Int = max_crossed + _TALL
    keys_per_foot: Int = 2 * max_distance + 1
    completing: Lit[::1] = memoryview(
        array("i", bytes(4 * (stack.rows * width * keys_per_foot + 1)))
    )
    candidates_below: Int[::1] = memoryview(array("q", bytes(8 * (stack.rows + 1))))
    for row in range(stack.rows):
        candidates_below[row + 1] = candidates_below[row] + (stack.candidate_of[row] >= 0)
    # Pieces in the same rows that share their first cell share their clauses about other rows.
    gaps: Int = max_crossed + 2
    groups: dict[int, int] = {}
    for p in range(stack.count):
        if cnf.full:
            return
        piece: Int = 8 * p
        literal: Lit = stack.pieces[piece + 2]
        cell: Int = stack.rows * width  # the leftmost cell in the lowest row
        highest_row: Int = 0
        for i in range(4):
            cell = min(cell, stack.pieces[piece + 4 + i])
            highest_row = max(highest_row, stack.pieces[piece + 4 + i] // width)
        lowest_row: Int = cell // width
        if literal == _TRUE:
            _keep_other_rows(cnf, stack, piece, literal, cell, highest_row, row_of)
        else:
            group_key: Int = cell
            previous_row: Int = lowest_row
            unused_gaps: Int = 3
            for row in range(lowest_row + 1, highest_row + 1):
                if _has_cell_in_row(stack, piece, row):
                    group_key = group_key * gaps + row - previous_row
                    previous_row = row
                    unused_gaps -= 1
            for _ in range(unused_gaps):
                group_key *= gaps
            group: Lit = groups.get(group_key, 0)
            if group == 0:
                group = _add_variable(cnf)
                groups[group_key] = group
                _keep_other_rows(cnf, stack, piece, group, cell, highest_row, row_of)
            _add_clause_of_2(cnf, -literal, group)
        for row in range(lowest_row, highest_row + 1):
            completed: Int = stack.candidate_of[row]
            if completed < 0 or not _has_cell_in_row(stack, piece, row):
                continue
            is_cleared: Lit = _get_level_literal(stack, cell, completed + 1)
            if is_cleared == -_TRUE:
                continue
            for i in range(4):
                foot: Int = stack.pieces[piece + 4 + i]
                if not _is_foot(stack, piece, foot):
                    continue
                keeps_cell: cython.bint = False  # whether a cell stays in the foot's column
                for j in range(4):
                    column_cell: Int = stack.pieces[piece + 4 + j]
                    candidate = stack.candidate_of[column_cell // width]
                    if column_cell % width == foot % width and (
                        candidate < 0 or candidate > completed
                    ):
                        keeps_cell = True
                if keeps_cell:
                    key: Int = (
                        foot * keys_per_foot
                        + completed
                        - candidates_below[foot // width]
                        + max_distance
                    )
                    if completing[key] == 0:
                        completing[key] = _add_variable(cnf)
                    _add_clause_of_3(cnf, -literal, -is_cleared, completing[key])
        # If a cell above the piece, in one of its rows, is filled later, that row clears later.
        lowest_later: Int = count
        for i in range(4):
            piece_cell: Int = stack.pieces[piece + 4 + i]
            for upper in range(piece_cell // width + 1, highest_row + 1):
                candidate = stack.candidate_of[upper]
                if 0 <= candidate < lowest_later and _has_cell_in_row(stack, piece, upper):
                    if not _has_cell(stack, piece, upper * width + piece_cell % width):
                        lowest_later = candidate
        if lowest_later < count:
            _add_clause_of_2(cnf, -literal, -_get_level_literal(stack, cell, lowest_later + 1))
    # Cells below a piece that completes a row, outside the completed rows, dropped before it.
    for foot in range(stack.rows * width):
        for shifted in range(keys_per_foot):
            literal = completing[foot * keys_per_foot + shifted]
            if literal:
                candidate = shifted + candidates_below[foot // width] - max_distance
                for cell_below in range(foot - width, -1, -width):
                    if stack.covered[cell_below] != -_TRUE:
                        drops_before: Lit = -_get_level_literal(stack, cell_below, candidate + 1)
                        _add_clause_of_3(cnf, -literal, -stack.covered[cell_below], drops_before)


# -- the ceiling ----------------------------------------------------------------------


@cython.cclass
class _Unused:
    """Literals that count unused candidates, and compare two counts."""

    counts: Lit[::1]
    gaps: Lit[::1]
    open_below: Int[::1]
    size: Int

    def __init__(self, stack: Stack) -> None:
        self.open_below = memoryview(array("q", bytes(8 * (stack.candidates + 1))))
        for candidate in range(stack.candidates):
            is_open: cython.bint = stack.used[candidate] != _TRUE
            self.open_below[candidate + 1] = self.open_below[candidate] + is_open
        self.size = self.open_below[stack.candidates] + 1


@cython.cfunc
def _count_unused(cnf: Clauses, stack: Stack, unused: _Unused) -> cython.void:
    """Add the literals "of the lowest ``n`` open candidates at least ``k`` are unused"."""
    size: Int = unused.size
    n: Int = 0
    unused.counts = memoryview(array("i", bytes(4 * size * size)))
    unused.gaps = memoryview(array("i", bytes(4 * size * size * size)))
    unused.counts[0] = _TRUE
    for k in range(1, size):
        unused.counts[k] = -_TRUE
    for candidate in range(stack.candidates):
        used: Lit = stack.used[candidate]
        if used == _TRUE:
            continue
        n += 1
        row: Int = n * size
        unused.counts[row] = _TRUE
        for k in range(1, size):
            if k > n:
                unused.counts[row + k] = -_TRUE
                continue
            without: Lit = unused.counts[row - size + k]
            one_less: Lit = unused.counts[row - size + k - 1]
            literal: Lit = _add_variable(cnf)
            unused.counts[row + k] = literal
            _add_clause_of_2(cnf, -without, literal)
            _add_clause_of_3(cnf, -one_less, used, literal)
            _add_clause_of_2(cnf, one_less, -literal)
            _add_clause_of_3(cnf, without, -used, -literal)


@cython.cfunc
def _get_gap_literal(cnf: Clauses, unused: _Unused, below: Int, top: Int, gap: Int) -> Lit:
    """Return a literal that implies: of candidates ``below`` to ``top - 1`` ``gap`` are unused."""
    first: Int = unused.open_below[below]
    last: Int = unused.open_below[top]
    size: Int = unused.size
    if last - first < gap:
        return -_TRUE
    key: Int = (first * size + last) * size + gap
    if unused.gaps[key] == 0:
        literal: Lit = _add_variable(cnf)
        unused.gaps[key] = literal
        for k in range(first + 1):
            more: Lit = unused.counts[last * size + k + gap] if k + gap < size else -_TRUE
            _add_clause_of_3(cnf, -literal, -unused.counts[first * size + k], more)
    return unused.gaps[key]


@cython.cfunc
def _count_own(stack: Stack, piece: Int, level: Int) -> Int:
    """Return how many of the lowest ``level`` candidates are rows of the piece."""
    count: Int = 0
    for i in range(4):
        row: Int = stack.pieces[piece + 4 + i] // stack.width
        is_new: cython.bint = 0 <= stack.candidate_of[row] < level
        for j in range(i):
            if stack.pieces[piece + 4 + j] // stack.width == row:
                is_new = False
        count += is_new
    return count


@cython.cfunc
def _keep_below_ceiling(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that each piece lies below the ceiling when it drops.

    When a piece of level ``l`` drops, the lowest ``l`` candidates are gone, but for its own rows.
    Of the candidates above, those that are not used take no room either.
    """
    candidates_below: Int[::1] = memoryview(array("q", bytes(8 * (stack.rows + 1))))
    for row in range(stack.rows):
        candidates_below[row + 1] = candidates_below[row] + (stack.candidate_of[row] >= 0)
    unused: _Unused = _Unused(stack)
    is_counted: cython.bint = False
    for p in range(stack.count):
        if cnf.full:
            return
        piece: Int = 8 * p
        cell: Int = stack.pieces[piece + 4]
        highest_row: Int = 0
        for i in range(4):
            highest_row = max(highest_row, stack.pieces[piece + 4 + i] // stack.width)
        top: Int = candidates_below[highest_row]
        ceiling: Int = stack.ceiling
        if stack.candidate_of[highest_row] < 0:
            ceiling = max(ceiling, highest_row - top + 1)  # a row of the picture has room
        for level in range(stack.min_level[cell], stack.max_level[cell] + 1):
            below: Int = min(level, top)
            # How many of the candidates between must be unused
            gap: Int = highest_row + 1 - ceiling - below + _count_own(stack, piece, below)
            if gap <= 0:
                break
            if not is_counted:
                is_counted = True
                _count_unused(cnf, stack, unused)
            _add_clause_of_3(
                cnf,
                -stack.pieces[piece + 2],
                _get_level_literal(stack, cell, level + 1),
                _get_gap_literal(cnf, unused, below, top, gap),
            )


# -- support --------------------------------------------------------------------------


@cython.cfunc
def _get_support_literal(cnf: Clauses, stack: Stack, foot: Int, row: Int) -> Lit:
    """Return the literal that row ``row`` or, past cleared rows, a lower row supports a foot."""
    if row < 0:
        return _TRUE
    cell_below: Int = row * stack.width + foot % stack.width
    is_covered: Lit = stack.covered[cell_below]
    candidate: Int = stack.candidate_of[row]
    foot_candidate: Int = stack.candidate_of[foot // stack.width]
    is_in_time: Lit = _TRUE
    if candidate < 0:
        if foot_candidate >= 0:
            is_in_time = -_get_level_literal(stack, cell_below, foot_candidate + 1)
        if is_covered == -_TRUE or is_in_time == _TRUE:
            return is_covered
        if is_covered == _TRUE:
            return is_in_time
    key: Int = foot * stack.support_depth + foot // stack.width - row
    if stack.supports[key]:
        return stack.supports[key]
    support: Lit = 0
    if candidate >= 0:
        is_cleared: Lit = _get_level_literal(stack, foot, candidate + 1)
        if is_covered == _TRUE and is_cleared == -_TRUE:
            return _TRUE
        lower_support: Lit = _get_support_literal(cnf, stack, foot, row - 1)
        if lower_support == _TRUE or is_cleared == _TRUE or is_covered == -_TRUE:
            support = lower_support
        else:
            support = _add_variable(cnf)
            _add_clause_of_3(cnf, -support, -is_cleared, lower_support)
            _add_clause_of_3(cnf, -support, is_covered, lower_support)
    else:
        support = _add_variable(cnf)
        _add_clause_of_2(cnf, -support, is_covered)
        _add_clause_of_2(cnf, -support, is_in_time)
    stack.supports[key] = support
    return support


@cython.cfunc
def _require_support(cnf: Clauses, stack: Stack) -> cython.void:
    """Require support under some column of every piece."""
    width: Int = stack.width
    for p in range(stack.count):
        piece: Int = 8 * p
        count: Int = 0
        for i in range(4):
            foot: Int = stack.pieces[piece + 4 + i]
            if _is_foot(stack, piece, foot):
                row: Int = foot // width
                support: Lit = _TRUE
                if row and not (
                    stack.candidate_of[row - 1] >= 0 and _has_cell_in_row(stack, piece, row - 1)
                ):
                    support = _get_support_literal(cnf, stack, foot, row - 1)
                cnf.scratch[count] = support
                count += 1
        literal: Lit = stack.pieces[piece + 2]
        _begin_clause(cnf)
        _add_literal(cnf, -literal)
        for i in range(count):
            _add_literal(cnf, cnf.scratch[i])
        _end_clause(cnf)


# -- the formula ----------------------------------------------------------------------


@cython.cfunc
def _add_type_literals(cnf: Clauses, stack: Stack, known_shades: Any) -> cython.void:
    """Add a literal for each type and colour; each type shows at most one colour.

    ``known_shades`` has the number of the colour of each type, or 0 if that is open.
    """
    for piece_type in range(1, 8):
        known_shade: Int = known_shades[piece_type]
        for shade in range(1, stack.shades + 1):
            literal: Lit = _TRUE if shade == known_shade else -_TRUE
            if known_shade == 0:
                literal = _add_variable(cnf)
            stack.shows[8 * shade + piece_type] = literal
            cnf.scratch[shade - 1] = literal
        if known_shade == 0:
            _encode_at_most_one(cnf, 0, stack.shades)


@cython.cfunc
def _require_type_colors(cnf: Clauses, stack: Stack) -> cython.void:
    """Require that the type of each piece shows the colour of its picture squares."""
    for p in range(stack.count):
        piece: Int = 8 * p
        for i in range(4):
            cell: Int = stack.pieces[piece + 4 + i]
            shade: Int = stack.shade[cell]
            if shade and stack.candidate_of[cell // stack.width] < 0:
                piece_type: Int = stack.shapes[9 * stack.pieces[piece]]
                literal: Lit = stack.pieces[piece + 2]
                _add_clause_of_2(cnf, -literal, stack.shows[8 * shade + piece_type])
                break


def write_formula(
    cnf: Clauses, stack: Stack, max_crossed: int, fixed: Any, known_shades: Any
) -> None:
    """Write all clauses about the pieces of a stack.

    Parameters
    ----------
    cnf : Clauses
        Receives the clauses.
    stack : Stack
        The rows, and the tables that are filled in.
    max_crossed : int
        The most cleared candidates between the rows of a piece.
    fixed : array of int64
        For each piece that stays as it is, its orientation, its column and its four cells.
    known_shades : sequence of int
        For each type the number of the colour that it shows, or 0 if that is open.
    """
    row_of: Int[::1] = memoryview(array("q", bytes(8 * (stack.candidates + 1))))
    for row in range(stack.rows):
        if stack.candidate_of[row] >= 0:
            row_of[stack.candidate_of[row]] = row
    for candidate in range(stack.candidates):
        if stack.used[candidate] == 0:
            stack.used[candidate] = _add_variable(cnf)
    for candidate in range(stack.candidates - 1):
        # Adjacent candidates are interchangeable: the game uses the lower ones.
        if row_of[candidate + 1] == row_of[candidate] + 1:
            _add_clause_of_2(cnf, stack.used[candidate], -stack.used[candidate + 1])
    if stack.shades:
        _add_type_literals(cnf, stack, known_shades)
    fixed_numbers: Int[::1] = memoryview(fixed)
    for p in range(fixed_numbers.shape[0] // 6):
        piece: Int = _add_piece(stack, fixed_numbers[6 * p], fixed_numbers[6 * p + 1], _TRUE, 0)
        for i in range(4):
            stack.pieces[piece + 4 + i] = fixed_numbers[6 * p + 2 + i]
    _add_pieces(cnf, stack, max_crossed)
    if stack.shades:
        _require_type_colors(cnf, stack)
    _require_cover(cnf, stack)
    _add_level_variables(cnf, stack)
    _join_cells(cnf, stack)
    if stack.candidates:
        _forbid_drops_between_clears(cnf, stack)
        _require_completion(cnf, stack)
    _add_order_clauses(cnf, stack)
    _limit_levels(cnf, stack, max_crossed, row_of)
    _keep_below_ceiling(cnf, stack)
    _require_support(cnf, stack)


def add_counter(cnf: Clauses, literals: Any, weights: Any, limit: int) -> list[int]:
    """Add a counter; return literals, the ``n``-th true if the true inputs weigh more than ``n``.

    Parameters
    ----------
    cnf : Clauses
        Receives the clauses.
    literals, weights : sequence of int
        The counted literals and their weights.
    limit : int
        The largest ``n``.
    """
    counter: Lit[::1] = memoryview(array("i", bytes(4 * (limit + 2))))
    next_counter: Lit[::1] = memoryview(array("i", bytes(4 * (limit + 2))))
    size: Int = 0
    for number in range(len(literals)):
        literal: Lit = literals[number]
        weight: Int = weights[number]
        next_size: Int = min(size + weight, limit + 1)
        for n in range(next_size):
            next_counter[n] = _add_variable(cnf)
        for n in range(min(size, next_size)):
            _add_clause_of_2(cnf, -counter[n], next_counter[n])
        for n in range(next_size):
            is_over_without: Lit = _TRUE if n < weight else counter[n - weight]
            _add_clause_of_3(cnf, -literal, -is_over_without, next_counter[n])
        for n in range(next_size):
            counter[n] = next_counter[n]
        size = next_size
    return [counter[n] for n in range(size)]


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
    offset: Int = begin
    passed: Int = 0
    clause: list[int] = []
    while offset < cnf.size and passed < count:
        literal: Lit = cnf.out[offset]
        offset += 1
        if literal:
            clause.append(literal)
        else:
            add(clause)
            clause = []
            passed += 1
    return offset if offset < cnf.size else -1
