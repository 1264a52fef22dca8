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
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, Final

from tetrisprinter.game.field import CLASSIC_BOARD
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, Placement
from tetrisprinter.game.replay import find_row_under, order_drops
from tetrisprinter.planners.rows import _kernel, _kernel_paths
from tetrisprinter.planners.rows._kernel import PassGraph, PassSquares, PassStack
from tetrisprinter.planners.run import Work
from tetrisprinter.support.kernels import copy_view, make_numbers, repeat_number, zeros

CARRIED: Final = "bq"
"""The letters of rows in which squares are carried."""

MAX_ROWS: Final = 7
MAX_LINES: Final = 6
"""The largest numbers of rows and lines for which a state fits into two 64-bit numbers."""

_ALWAYS_SUPPORTED: Final = (0, -2)
"""The support of a piece that needs none."""

WIDE_BOARD: Final = 40
"""On boards with more columns each pass prints one row, and some slow searches are left out."""

BEAM: Final = 200
_MOST_WIDENING: Final = 3.0
_LEAST_STATES: Final = 50
"""The states kept per column on the classic board. Wider boards keep more with their width, up to
a factor. The third number is the minimum at any effort. With a tenth of the effort the pictures of
``tests/acceptance/quality.json`` take 14 % more drops and two thirds of the work."""

_MEMORY: Final = 2.5e8
_STATE_BYTES, _SAVED_STATE_BYTES, _STEP_BYTES = 2000, 24, 10
"""Bytes for the states of a search, and as much again for the steps of its graph; a search that
needs more leaves states or steps out. Then the bytes of a state in the search, of a state saved
before a column, and of a step."""

_SEARCH_WORK, _STEP_WORK, _PATH_WORK = 2.3e-4, 5e-8, 1e-8
"""Work of a search for passes, of each generated step, and of each step or pair of states examined
when a pass is chosen. Fitted to CPU seconds on smooth pictures and on noise, where most steps are
discarded."""


def choose_states(width: int, effort: float = 1.0) -> int:
    """Return the number of states that a search keeps per column."""
    wider = min(_MOST_WIDENING, max(1.0, width / CLASSIC_BOARD.width))
    return max(_LEAST_STATES, round(BEAM * effort * wider))


Columns = frozenset[int]
Pieces = tuple[tuple[Placement, int], ...]
"""The pieces of a pass with their levels, from the left."""


@lru_cache(maxsize=128)
def make_stack(row_kinds: str) -> PassStack:
    """Return the stack with these rows and all of its pieces."""
    if not re.fullmatch(f"[cp]+[{CARRIED}]*|[{CARRIED}]+", row_kinds):
        raise ValueError(f"{row_kinds!r} is not a stack")
    if len(row_kinds) > MAX_ROWS or row_kinds.count("c") > MAX_LINES:
        raise ValueError(f"a stack of {row_kinds} is too large")
    rows, lines = len(row_kinds), [row for row, kind in enumerate(row_kinds) if kind == "c"]
    pieces = sorted(
        _list_pieces(row_kinds), key=lambda one: one[0].y + one[0].orientation.bottom[0]
    )
    counts = [0] * rows
    for piece, _, _ in pieces:
        counts[piece.y + piece.orientation.bottom[0]] += 1
    assert max(counts) < 1 << 63 // rows
    fields = [_make_fields(lines, *one) for one in pieces]
    masks = [_make_masks(entry, rows, len(lines)) for entry in fields]
    return PassStack(
        row_kinds,
        tuple((piece, level) for piece, level, _ in pieces),
        make_numbers(accumulate(counts, initial=0)),
        _make_table(fields),
        _make_table(masks),
    )


def _make_table(rows: list[list[int]]) -> memoryview[Any]:
    """Return a table of 64-bit numbers; those with the highest bit set become negative."""
    bits = array("Q", (value & (1 << 64) - 1 for row in rows for value in row))
    return memoryview(bits).cast("B").cast("q", (len(rows), len(rows[0])))


def _make_masks(fields: list[int], rows: int, lines: int) -> list[int]:
    """Return the masks of a piece (see ``PassStack.masks``) from its fields."""
    bits = (lines + 1).bit_length()
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


def _list_pieces(row_kinds: str) -> Iterator[tuple[Placement, int, tuple[int, int]]]:
    """Yield all pieces of a stack, in column 0, with their levels and supports.

    A support is the column of the piece that must be supported, and the stack row of the square
    that supports it (-1: the row right below the stack).
    """
    lowest_line = row_kinds.find("c")
    for orientation in ORIENTATIONS:
        for y in range(len(row_kinds) - orientation.height + 1):
            if y + orientation.height <= lowest_line:
                continue  # entirely below the clearing rows: no clear is needed
            for level in range(row_kinds[: y + orientation.height].count("c") + 1):
                for support in _find_supports(row_kinds, orientation, y, level):
                    yield Placement(orientation, 0, y), level, support


def _find_supports(
    row_kinds: str, orientation: Orientation, y: int, level: int
) -> list[tuple[int, int]]:
    """Return the possible supports of a piece; only ``_ALWAYS_SUPPORTED`` if one is certain."""
    supports = []
    clearing = [row for row, kind in enumerate(row_kinds) if kind == "c"]
    cleared = sum(1 << row for row in clearing[:level] if row < y)
    for dx, bottom in enumerate(orientation.bottom):
        row_below = find_row_under(y + bottom, cleared)
        if row_below >= 0 and row_kinds[row_below] == "c":
            return [_ALWAYS_SUPPORTED]  # not complete yet, or covered by the piece itself
        supports.append((dx, row_below))
    return supports


def _make_fields(
    lines: list[int], piece: Placement, level: int, support: tuple[int, int]
) -> list[int]:
    """Return the fields of a piece (see ``PassStack.fields``) for some clearing rows."""
    type_number, columns, cells = _describe_shape(piece.orientation, piece.y)
    covered = columns[0] | columns[1] | columns[2] | columns[3]
    completes = 0
    for r, v in enumerate(lines[:level]):
        completes |= (covered >> v & 1) << r
    return [type_number, level, completes, *columns, *support, not completes, *cells]


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


class PassFinder:
    """A search for passes on boards of one width, with its working memory.

    Before dead ends it may keep ``patience`` times as many states per column as usual.
    """

    def __init__(self, width: int, beam: int, work: Work | None = None, patience: int = 1) -> None:
        self.width, self.beam, self.work = width, beam, work or Work()
        most_states = int(_MEMORY / (_STATE_BYTES + _SAVED_STATE_BYTES * width))
        self._most_beam = min(beam * patience, most_states)
        self._state_numbers = zeros("i", 16 * self._most_beam)
        self._search = _kernel.PassSearch(width, self._most_beam, int(_MEMORY / _STEP_BYTES))
        self._choice = _kernel_paths.PathChoice(2 * MAX_ROWS * width)

    def explore(
        self,
        stack: PassStack,
        squares: PassSquares,
        free: Columns = frozenset(),
        exact: bool = False,
    ) -> PassGraph:
        """Return the graph of the ways to play a pass.

        An exact search returns a graph of all ways, or an empty one if it has to give up.
        ``free`` are columns whose lowest square may be filled before the pass or by it.
        """
        beam, search = min(self.beam, self._most_beam), self._search
        # Stacks that print several rows are optional attempts, so they get a smaller beam.
        wide_beam = self._most_beam if stack.row_kinds.count("p") < 2 else beam
        # How many more states are kept within a column than after it. On wide boards two instead
        # of four saved a quarter of the time, and 2 % of the drops of photos; on narrow boards it
        # cost 2 % of the drops.
        spread = 2 if self.width > WIDE_BOARD else 4
        search.begin(stack, mark_columns(free, self.width), beam, wide_beam, spread, exact)
        steps, goal = _kernel.explore(stack, squares, search)
        self.work.add(_SEARCH_WORK + _STEP_WORK * search.tried_steps)
        starts = make_numbers(accumulate(search.counts, initial=0))
        pairs = zip(squares.must, squares.before, strict=True)
        must = make_numbers((must | before) & 1 for must, before in pairs)
        weights = zeros("d", starts[-1] if steps else 0)
        either, is_complete = repeat_number(-1, self.width), not search.is_lost
        arrays = (starts, search.ends, *search.list_steps(steps))
        graph = PassGraph(stack, arrays, goal, is_complete, must, either, weights)
        if graph.is_empty:
            return graph
        _kernel_paths.compute_path_weights(graph)
        kept_steps = _kernel_paths.remove_dead_ends(graph, self._state_numbers)
        kept = (starts, search.ends, *map(copy_view, search.list_steps(kept_steps)))
        weights = copy_view(weights[: starts[-1]])
        return PassGraph(stack, kept, 0, is_complete, must, either, weights)

    def can_play(self, graph: PassGraph, carried: Columns) -> bool:
        """Return whether the pass can be played over the carried squares."""
        return not graph.is_empty and self._weigh_paths(graph, carried) is not None

    def choose_pieces(
        self, first: PassGraph, carried: Columns, second: PassGraph | None, beam: int
    ) -> tuple[Pieces, ...] | None:
        """Return the pieces of one pass, or of two successive passes; None if no paths agree."""
        if first.is_empty or (second is not None and second.is_empty):
            return None
        weighed = self._weigh_paths(first, carried)
        if weighed is None:
            return None
        rows = len(first.stack.row_kinds) + (0 if second is None else len(second.stack.row_kinds))
        self.work.add(_PATH_WORK * beam * self.width * rows)
        linked = repeat_number(0, self.width)
        if second is not None and first.stack.row_kinds[-1] in CARRIED:
            linked = make_numbers(1 + must for must in second.must)
        chosen_steps = _kernel_paths.choose_paths(
            weighed, second, linked, min(beam, _kernel_paths.PAIRS_KEPT), self._choice
        )
        if chosen_steps is None:
            return None
        chosen = (_unpack(first.stack, chosen_steps[0]),)
        return chosen if second is None else (*chosen, _unpack(second.stack, chosen_steps[1]))

    def _weigh_paths(self, graph: PassGraph, carried: Columns) -> PassGraph | None:
        """Return the graph with its paths weighed over the carried squares; None if it has none."""
        lowest = make_numbers(is_required - 1 for is_required in graph.must)
        for x in carried:
            lowest[x] = 1
        self.work.add(_PATH_WORK * len(graph.step))
        weighed = graph.over_squares(lowest, zeros("d", len(graph.weights)))
        _kernel_paths.compute_path_weights(weighed)
        return weighed if weighed.weights[0] > 0 else None


def find_carried_columns(graph: PassGraph) -> tuple[Columns, Columns]:
    """Return the columns of the top row that no path fills, and those that each path fills."""
    filled = _kernel_paths.find_filled_columns(graph)
    never = frozenset(x for x, kinds in enumerate(filled) if kinds == 1)
    return never, frozenset(x for x, kinds in enumerate(filled) if kinds == 2)


def find_fullest_pieces(graph: PassGraph, row: int, counted: Columns) -> Pieces | None:
    """Return the pieces that fill the most of some columns in a row; None for an empty graph."""
    if graph.is_empty:
        return None
    marks = mark_columns(counted, len(graph.must))
    return _unpack(graph.stack, _kernel_paths.find_fullest_path(graph, row, marks))


def _unpack(stack: PassStack, steps: Sequence[int]) -> Pieces:
    """Return the pieces of a pass from the steps of a path."""
    pieces = []
    for cell, step in enumerate(steps):
        if step > 1:
            x, row = divmod(cell, len(stack.row_kinds))
            piece, level = stack.pieces[stack.begin[row] + step // 2 - 1]
            pieces.append((Placement(piece.orientation, x, piece.y), level))
    return tuple(pieces)


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
