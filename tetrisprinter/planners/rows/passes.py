"""The interface to the compiled search, which finds the pieces of a pass from its squares.
A pass fills neighbouring rows among all rows of a game. Its **stack** has a letter, the *row kind*,
for each row, the lowest first: ``p`` is the next row of the picture; ``c`` is a row that is filled
and clears, after those below it. On top there may be rows in which the pass carries squares, and
which the next pass clears: in ``b`` it may leave squares of any type; in ``q`` only those that the
picture has there, so that they may also stay. A pass without ``c`` clears nothing.

A piece in a stack is an orientation, its lowest row and its **level**. A level of at least
``r + 1`` means that the piece completes clearing row ``r`` or lands later. If level and rows
do not ensure that the piece has support, it needs a square of the picture in one of its columns, or
a square right below the stack. Such a piece occurs once for each column that could support it,
with that square as a condition. Stacks do not depend on the row or the picture, so the pieces are
computed once per stack, as arrays that the compiled search reads.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, Final

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, Placement
from tetrisprinter.game.replay import find_row_under, order_drops
from tetrisprinter.planners.rows import _kernel, _kernel_paths
from tetrisprinter.planners.rows.budgets import WIDE_BOARD
from tetrisprinter.planners.run import Work
from tetrisprinter.support.arrays import copy_view, make_numbers, repeat_number, zeros

CARRIED: Final = "bq"
"""The letters of rows in which squares are carried."""

MAX_ROWS: Final = 7
MAX_LINES: Final = 6
"""The largest numbers of rows and lines for which a state fits into two 64-bit numbers."""

_ALWAYS_SUPPORTED: Final = -2
"""The row of the support of a piece that always has support."""

_CARRY_DISCOUNT: Final = 0.3
"""The weight of a path is multiplied by this for each square that it carries."""

_MEMORY: Final = 2.5e8
_STATE_BYTES, _SAVED_STATE_BYTES, _STEP_BYTES = 2000, 24, 10
"""Bytes for the states of a search, and as much again for the steps of its graph; a search that
needs more leaves states or steps out. Then the bytes of a state in the search, of a state saved
before a column, and of a step."""

_SEARCH_WORK, _STEP_WORK, _PATH_WORK = 2.3e-4, 5e-8, 1e-8
"""Work of a search for passes, of each generated step, and of each step or pair of states examined
when a pass is chosen. Fitted to CPU seconds on smooth pictures and on noise, where most steps are
discarded."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to place a piece in the rows of a pass, at any column."""

    orientation: Orientation  # the piece
    y: int  # its lowest row in the stack
    level: int  # how many clearing rows are complete after it lands; see the module
    # The column of the piece that must be supported, and the stack row of the square that supports
    # it (-1: the row right below the stack). None if the piece always has support
    support: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class PassStack:
    """A stack with the pieces that fit into it."""

    row_kinds: str  # the kind of each row, the lowest first
    clearing: int  # its clearing rows, as a bit set
    # All pieces. Those whose lowest cell in their first column is in row ``v`` have the numbers
    # ``begin[v]:begin[v + 1]``
    variants: tuple[Variant, ...]
    begin: array[int]  # the first piece of each row, then the number of all pieces
    # For each piece: its type, its level, the clearing rows that it completes, its rows in columns
    # 0 to 3, the column and row of the square that must support it (row -2 if none), whether it
    # completes nothing, and its cells (column and row, four times)
    fields: Any
    # For each piece: the bits that it adds to the two numbers of a state of the search (entries 1
    # and 3), and the bits that must not be set before (0 and 2): its cells except the first, and
    # the rows that it completes. Entry 4 is 0 if its level may exceed the level reached, 2 if it
    # may not, and 1 if it may only over a cell of its own level
    masks: Any

    @property
    def level_bits(self) -> int:
        """The number of bits of a cell in a state: its level plus one, or 0 if it is empty."""
        return _count_level_bits(self.clearing.bit_count())


def _count_level_bits(lines: int) -> int:
    return (lines + 1).bit_length()


@lru_cache(maxsize=128)
def make_stack(row_kinds: str) -> PassStack:
    """Return the stack with these rows and all of its pieces."""
    if not re.fullmatch(f"[cp]+[{CARRIED}]*|[{CARRIED}]+", row_kinds):
        raise ValueError(f"{row_kinds!r} is not a stack")
    if len(row_kinds) > MAX_ROWS or row_kinds.count("c") > MAX_LINES:
        raise ValueError(f"a stack of {row_kinds} is too large")
    rows, lines = len(row_kinds), [row for row, kind in enumerate(row_kinds) if kind == "c"]
    variants = sorted(
        _list_variants(row_kinds), key=lambda variant: variant.y + variant.orientation.bottom[0]
    )
    counts = [0] * rows
    for variant in variants:
        counts[variant.y + variant.orientation.bottom[0]] += 1
    assert max(counts) < 1 << 63 // rows
    fields = [_make_fields(lines, variant) for variant in variants]
    masks = [_make_masks(entry, rows, len(lines)) for entry in fields]
    begin = make_numbers(accumulate(counts, initial=0))
    return PassStack(
        row_kinds,
        sum(1 << row for row in lines),
        tuple(variants),
        begin,
        _make_table(fields),
        _make_table(masks),
    )


def _make_table(rows: list[list[int]]) -> memoryview[Any]:
    """Return a table of 64-bit numbers; those with the highest bit set become negative."""
    bits = array("Q", (value & (1 << 64) - 1 for row in rows for value in row))
    return memoryview(bits).cast("B").cast("q", (len(rows), len(rows[0])))


def _make_masks(fields: list[int], rows: int, lines: int) -> list[int]:
    """Return the masks of a piece (see ``PassStack.masks``) from its fields."""
    bits = _count_level_bits(lines)
    full = (1 << bits) - 1
    at_level = 2 * rows * bits
    level, completes, columns = fields[1], fields[2], fields[3:7]
    free1 = completes << at_level + bits
    sets1, free2, sets2 = free1 | level << at_level, 0, columns[3] << rows * bits
    first = columns[0] & -columns[0]  # the lowest cell of the first column begins the piece
    for r in range(rows):
        for column, shift in ((columns[0] & ~first, r * bits), (columns[1], (rows + r) * bits)):
            if column >> r & 1:
                free1 |= full << shift
                sets1 |= level + 1 << shift
        if columns[2] >> r & 1:
            free2 |= full << r * bits
            sets2 |= level + 1 << r * bits
    level_rule = 0 if not fields[9] else 2 if not columns[1] else 1
    return [free1, sets1, free2, sets2, level_rule]


def _list_variants(row_kinds: str) -> Iterator[Variant]:
    """Yield all pieces of a stack."""
    lowest_line = row_kinds.find("c")
    for orientation in ORIENTATIONS:
        for y in range(len(row_kinds) - orientation.height + 1):
            if y + orientation.height <= lowest_line:
                continue  # entirely below the clearing rows: no clear is needed
            for level in range(row_kinds[: y + orientation.height].count("c") + 1):
                supports = _find_supports(row_kinds, orientation, y, level)
                if supports is None:
                    yield Variant(orientation, y, level, None)
                else:
                    yield from (Variant(orientation, y, level, support) for support in supports)


def _find_supports(
    row_kinds: str, orientation: Orientation, y: int, level: int
) -> list[tuple[int, int]] | None:
    """Return the column and row of each possible support of a piece; None if support is certain."""
    supports = []
    clearing = [row for row, kind in enumerate(row_kinds) if kind == "c"]
    cleared = sum(1 << row for row in clearing[:level] if row < y)
    for dx, bottom in enumerate(orientation.bottom):
        row_below = find_row_under(y + bottom, cleared)
        if row_below >= 0 and row_kinds[row_below] == "c":
            return None  # a row that is not complete yet, or that the piece covers itself
        supports.append((dx, row_below))
    return supports


def _make_fields(lines: list[int], variant: Variant) -> list[int]:
    """Return the fields of a piece (see ``PassStack.fields``) for some clearing rows."""
    piece, columns, cells = _describe_shape(variant.orientation, variant.y)
    covered = columns[0] | columns[1] | columns[2] | columns[3]
    completes = 0
    for r, v in enumerate(lines[: variant.level]):
        completes |= (covered >> v & 1) << r
    support = variant.support or (0, _ALWAYS_SUPPORTED)
    return [piece, variant.level, completes, *columns, *support, not completes, *cells]


@cache
def _describe_shape(
    orientation: Orientation, y: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the type of an orientation in row ``y``, its rows in columns 0 to 3, and its cells."""
    columns = [0] * 4
    for dx, cy in orientation.cells:
        columns[dx] |= 1 << (y + cy)
    return (
        int(orientation.piece),
        tuple(columns),
        tuple(value for dx, cy in orientation.cells for value in (dx, y + cy)),
    )


@dataclass(frozen=True, slots=True)
class PassSquares:
    """The squares that the columns of a stack hold and may hold, as bit sets of rows."""

    # For each column: the rows that are filled before the pass; the rows that the pass must fill,
    # clearing rows included; the rows that it should fill
    before: array[int]
    must: array[int]
    wanted: array[int]
    # For each row of each column, column by column: the types that may be left, as a bit set (bit
    # ``int(type)``)
    allowed: array[int]
    ground: array[int]  # for each column whether there is a square right below the stack


Columns = frozenset[int]
Pieces = tuple[tuple[Placement, int], ...]
"""The pieces of a pass with their levels, from the left."""


@dataclass(frozen=True, slots=True)
class PassGraph:
    """All ways to play a pass that the search found: the paths through a graph of states."""

    stack: PassStack  # its rows
    starts: array[int]  # number of the first state before each cell, and of the first final state
    ends: memoryview[Any]  # the end of the steps of each cell
    source: memoryview[Any]  # the steps, see ``StepGraph``
    target: memoryview[Any]
    step: memoryview[Any]
    goal: int  # index of the final state; -1, without any steps, if the pass cannot be played
    is_complete: bool  # whether the search found all ways
    weights: memoryview[Any]  # for each state the number of paths to the end, scaled
    must: array[int]  # whether each column's lowest cell must be filled, before or by the pass

    def find_carried_columns(self) -> tuple[Columns, Columns]:
        """Return the columns of the top row that no path fills, and those that each path fills."""
        filled = _kernel_paths.find_filled_columns(self.ends, self.step, len(self.stack.row_kinds))
        never = frozenset(x for x, kinds in enumerate(filled) if kinds == 1)
        return never, frozenset(x for x, kinds in enumerate(filled) if kinds == 2)

    @property
    def size(self) -> int:
        """The number of entries in the arrays of the graph."""
        return len(self.step) + len(self.weights) + len(self.starts) + len(self.ends)

    @property
    def is_empty(self) -> bool:
        """Whether there is no way to play the pass."""
        return self.goal < 0


class PassFinder:
    """A search for passes on boards of one width, with its working memory."""

    def __init__(self, width: int, beam: int, work: Work | None = None) -> None:
        self.width, self.work = width, work or Work()
        self.beam = min(beam, int(_MEMORY / (_STATE_BYTES + _SAVED_STATE_BYTES * width)))
        self._state_numbers = zeros("i", 16 * self.beam)
        self._memory = _kernel.PassMemory(width, self.beam)
        self._steps = _kernel.StepGraph(int(_MEMORY / _STEP_BYTES))
        self._pairs = _kernel_paths.PairMemory(2 * MAX_ROWS * width)
        self._weights = zeros("d", 1 << 12)

    def explore(
        self,
        stack: PassStack,
        squares: PassSquares,
        beam: int,
        free: frozenset[int] = frozenset(),
        exact: bool = False,
    ) -> PassGraph:
        """Return the graph of the ways to play a pass.

        An exact search returns a graph of all ways, or an empty one if it has to give up.
        ``free`` are columns whose lowest square may be filled before the pass or by it.
        """
        rows, lines = len(stack.row_kinds), stack.clearing.bit_count()
        # Stacks that print several rows are optional attempts, so they get a smaller beam.
        wide_beam = self.beam if stack.row_kinds.count("p") < 2 else min(beam, self.beam)
        # How many more states are kept within a column than after it. On wide boards two instead
        # of four saved a quarter of the time, and 2 % of the drops of photos; on narrow boards it
        # cost 2 % of the drops.
        spread = 2 if self.width > WIDE_BOARD else 4
        shape = _kernel.Shape(rows, stack.level_bits, lines, stack.begin, stack.fields, stack.masks)
        query = _kernel.PassQuery(
            squares, mark_columns(free, self.width), min(beam, self.beam), wide_beam, exact, spread
        )
        counts, ends = zeros("q", self.width * rows + 1), zeros("q", self.width * rows)
        self._steps.begin(counts, ends)
        steps, goal, is_lost, tried_steps = _kernel.explore(shape, query, self._memory, self._steps)
        self.work.add(_SEARCH_WORK + _STEP_WORK * tried_steps)
        starts = make_numbers(accumulate(counts, initial=0))
        pairs = zip(squares.must, squares.before, strict=True)
        must = make_numbers((must | before) & 1 for must, before in pairs)
        source, target, step = self._steps.part(steps)
        weights = self._make_weights(starts[-1] if steps else 0)
        graph = PassGraph(
            stack, starts, ends, source, target, step, goal, not is_lost, weights, must
        )
        if graph.is_empty:
            return graph
        paths = self._make_paths(graph, repeat_number(-1, self.width), weights)
        _kernel_paths.compute_path_weights(paths)
        kept_steps = _kernel_paths.remove_dead_ends(paths, self._state_numbers)
        source, target, step = (copy_view(values[:kept_steps]) for values in (source, target, step))
        weights = copy_view(weights[: starts[-1]])
        return PassGraph(stack, starts, ends, source, target, step, 0, not is_lost, weights, must)

    def can_play(self, graph: PassGraph, carried: frozenset[int]) -> bool:
        """Return whether the pass can be played over the carried squares."""
        return not graph.is_empty and self._weigh_paths(graph, carried) is not None

    def choose_pieces(
        self, first: PassGraph, carried: frozenset[int], second: PassGraph | None, beam: int
    ) -> tuple[Pieces, ...] | None:
        """Return the pieces of one pass, or of two successive passes; None if no paths agree."""
        if first.is_empty or (second is not None and second.is_empty):
            return None
        first_paths = self._weigh_paths(first, carried)
        if first_paths is None:
            return None
        rows = len(first.stack.row_kinds) + (0 if second is None else len(second.stack.row_kinds))
        self.work.add(_PATH_WORK * beam * self.width * rows)
        linked, second_paths = repeat_number(0, self.width), None
        if second is not None:
            second_paths = self._make_paths(second, second.must, second.weights)
            if first.stack.row_kinds[-1] in CARRIED:
                linked = make_numbers(1 + must for must in second.must)
        chosen_steps = _kernel_paths.choose_paths(
            first_paths, second_paths, linked, min(beam, _kernel_paths.PAIRS_KEPT), self._pairs
        )
        if chosen_steps is None:
            return None
        chosen = (_unpack(first.stack, chosen_steps[0]),)
        return chosen if second is None else (*chosen, _unpack(second.stack, chosen_steps[1]))

    def _weigh_paths(self, graph: PassGraph, carried: frozenset[int]) -> Any:
        """Return the paths of a graph, weighed over the carried squares; None if there is none."""
        # The lowest cell of a column is filled before: 1 yes, 0 no, -1 either
        lowest = make_numbers(is_required - 1 for is_required in graph.must)
        for x in carried:
            lowest[x] = 1
        self.work.add(_PATH_WORK * len(graph.step))
        weights = self._make_weights(len(graph.weights))
        paths = self._make_paths(graph, lowest, weights)
        _kernel_paths.compute_path_weights(paths)
        return paths if weights[0] > 0 else None

    def _make_weights(self, count: int) -> memoryview[Any]:
        """Return a reusable buffer for ``count`` weights."""
        if len(self._weights) < count:
            self._weights = zeros("d", 2 * count)
        return self._weights[:count]

    def _make_paths(self, graph: PassGraph, lowest: array[int], weights: memoryview[Any]) -> Any:
        """Return the paths of a graph for the compiled choice, whose weights go to a buffer."""
        row_kinds = graph.stack.row_kinds
        is_carrying = row_kinds[-1] in CARRIED
        return _kernel_paths.PassPaths(
            len(row_kinds), graph, lowest, is_carrying, _CARRY_DISCOUNT, weights
        )


def _unpack(stack: PassStack, steps: Sequence[int]) -> Pieces:
    """Return the pieces of a pass from the steps of a path."""
    pieces = []
    for cell, step in enumerate(steps):
        if step > 1:
            x, row = divmod(cell, len(stack.row_kinds))
            variant = stack.variants[stack.begin[row] + step // 2 - 1]
            pieces.append((Placement(variant.orientation, x, variant.y), variant.level))
    return tuple(pieces)


def find_fullest_pieces(graph: PassGraph, row: int, counted: Columns) -> Pieces | None:
    """Return the pieces that fill the most of some columns in a row; None for an empty graph."""
    if graph.is_empty:
        return None
    columns = len(graph.must)
    steps = _kernel_paths.find_fullest_path(graph, row, mark_columns(counted, columns), columns)
    return _unpack(graph.stack, steps)


def mark_columns(columns: Iterable[int], width: int) -> array[int]:
    """Return an array with a 1 for each given column and a 0 for every other."""
    marks = repeat_number(0, width)
    for x in columns:
        marks[x] = 1
    return marks


def sort_drops(pieces: Pieces) -> tuple[Placement, ...]:
    """Return pieces in a legal drop order: by level, the leftmost first where several may drop."""
    cells, levels = [piece.cells for piece, _ in pieces], [level for _, level in pieces]
    return tuple(pieces[number][0] for number in order_drops(cells, levels))
