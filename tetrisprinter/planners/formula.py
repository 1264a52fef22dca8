"""The games in some open rows of a stack, as one propositional formula.

In each slot the stack has *candidates*: rows that the game may use and must then clear, from the
lowest to the highest, some at once. A model is a game: it says which candidates are used, which
pieces drop and when, and the colour of each type if types are open.

A kernel writes the clauses; their rules are those of :mod:`~tetrisprinter.bounds.stacks`.
Pieces have levels as in :mod:`tetrisprinter.game.replay`, but unused candidates count, too: once a
piece of level ``l`` has landed, all used rows among the lowest ``l`` candidates have cleared.

In a :class:`Window` only the pieces that reach into some rows are open. All others keep their
positions, and those that drop long before or after the window's pieces also keep their times.
Fixed pieces need no variables, so the formula is as small as the window.

To keep the formula small, a piece drops near its turn and lies across few cleared rows, and no
square below a piece that completes a row is filled later, although it could be once the rest of the
piece has cleared. So an unsatisfiable formula proves nothing about all games. A model is not
trusted, either: its game is played and checked.

The stack has all rows of a game in one vertical order, including those that clear. The rows of a
piece may be apart in the stack: the rows between them had cleared before the piece dropped. A
*slot* is a place for rows that clear: slot ``r`` is right below row ``r`` of the picture, and the
last slot is above all of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from typing import Final

from tetrisprinter.bounds.stacks import CLEARING, TypeColors
from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Playfield, remove_row_numbers
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.game.replay import order_drops
from tetrisprinter.planners._kernel_formula import (
    YES,
    Clauses,
    Stack,
    add_clauses,
    add_counter,
    write_formula,
)
from tetrisprinter.printing.task import Target


@dataclass(frozen=True, slots=True)
class StackedPiece:
    """A piece of a game, in the rows of the stack."""

    orientation: Orientation
    x: int
    cells: tuple[Cell, ...]  # columns, and rows of the stack
    level: int  # how many rows have cleared once it has landed, including those it clears


@dataclass(frozen=True, slots=True)
class StackedGame:
    """A game in the rows of its stack, or its beginning."""

    rows: tuple[int, ...]  # from below: rows of the picture by number, or CLEARING
    pieces: tuple[StackedPiece, ...] = ()
    # The columns of row 0 with a square that lay there before the game; no piece covers row 0 then
    floor: frozenset[int] = frozenset()

    @property
    def lines(self) -> int:
        """The number of rows that clear."""
        return self.rows.count(CLEARING)

    @property
    def height(self) -> int:
        """The number of picture rows up to the highest square."""
        return 1 + max((self.rows[v] for piece in self.pieces for _, v in piece.cells), default=-1)

    def reaches(self, row: int) -> bool:
        """Return whether a square of the game lies in this row of the picture or above it."""
        return self.height > row

    def count_lines_within(self, first: int, last: int) -> int:
        """Return how many rows clear in the slots around rows ``first`` to ``last - 1``."""
        count = slot = 0
        for row in self.rows:
            if row != CLEARING:
                slot = row + 1
            else:
                count += first <= slot <= last
        return count

    def make_window_key(self, first: int, last: int) -> Hashable:
        """Return a key of rows ``first`` to ``last - 1``; equal keys allow the same games.

        The key has the rows of the window and the slots around it, and the pieces that drop at
        about the same time. Rows and levels are counted from those at which the window begins.
        """
        slots = [0]
        for row in self.rows:
            slots.append(slots[-1] if row == CLEARING else row + 1)
        inside = [v for v, slot in enumerate(slots[:-1]) if first <= slot <= last]
        lowest = inside[0]
        begin = self.rows[:lowest].count(CLEARING)
        end = begin + sum(self.rows[v] == CLEARING for v in inside)
        return frozenset(
            (piece.orientation, piece.x, frozenset((x, v - lowest) for x, v in piece.cells),
             piece.level - begin)
            for piece in self.pieces
            if begin - _NEAR <= piece.level <= end + _NEAR
        ) | {(v - lowest, self.rows[v]) for v in inside}  # fmt: skip


_NEAR: Final = 7
"""A piece affects a window if it drops at most this many cleared rows before or after it."""


def stack_game(drops: Sequence[tuple[Orientation, int]], target: Target) -> StackedGame | None:
    """Play drops and return the game in the rows of its stack.

    The stack has the rows that clear, the rows of the target, and rows above that keep squares.
    Returns None if the rows do not clear from the lowest to the highest, which the formula of games
    assumes.
    """
    field, numbers = Playfield(target.width, target.height), list(range(target.height))
    dropped: list[tuple[Orientation, int, tuple[Cell, ...], int]] = []
    cleared_rows: list[int] = []
    for orientation, x in drops:
        landing = field.drop(orientation, x)
        cells = tuple((cx, numbers[y]) for cx, y in landing.cells)
        cleared_rows += sorted(remove_row_numbers(numbers, landing.cleared))
        dropped.append((orientation, x, cells, len(cleared_rows)))
    if any(low > high for low, high in pairwise(cleared_rows)):
        return None
    occupied_rows = {number for _, _, cells, _ in dropped for _, number in cells}.difference(
        cleared_rows
    )
    rows = max(
        target.rows, 1 + max((y for y, n in enumerate(numbers) if n in occupied_rows), default=-1)
    )
    final_row_of = {number: y for y, number in enumerate(numbers[:rows])}
    listed = sorted([*cleared_rows, *final_row_of])
    stack_row_of = {number: v for v, number in enumerate(listed)}
    pieces = tuple(
        StackedPiece(
            orientation, x, tuple((cx, stack_row_of[number]) for cx, number in cells), level
        )
        for orientation, x, cells, level in dropped
    )
    return StackedGame(tuple(final_row_of.get(n, CLEARING) for n in listed), pieces)


def put_on_top(upper: StackedGame, lower: StackedGame) -> StackedGame:
    """Return the game that makes a lower game and then an upper one, whose floor it leaves.

    Row 0 of the upper game is the highest row of the picture in which the lower game has squares.
    """
    floor = lower.height - 1
    begun = next((w for w, row in enumerate(lower.rows) if row > floor), len(lower.rows))
    shift, lines = begun - 1, lower.lines
    return StackedGame(
        lower.rows[:begun]
        + tuple(row if row == CLEARING else row + floor for row in upper.rows[1:]),
        lower.pieces
        + tuple(
            StackedPiece(
                piece.orientation,
                piece.x,
                tuple((x, v + shift) for x, v in piece.cells),
                piece.level + lines,
            )
            for piece in upper.pieces
        ),
    )


_TALL: Final = 4
"""The most rows that a piece covers, and so the most rows that clear at once."""

_SHAPES: Final = array(
    "q", [n for o in ORIENTATIONS for n in (int(o.piece), *(n for cell in o.cells for n in cell))]
)


class FormulaTooLargeError(JobError):
    """A formula has too many clauses."""


@dataclass(frozen=True, slots=True)
class PieceReach:
    """The limits on the positions of pieces in the formula.

    Seven is better and faster than five or four: the owl takes 577 drops with 7, 709 with 4.
    """

    max_crossed: int = 7  # the most cleared candidates between the rows of a piece
    max_early: int = 7  # the most candidates between the level of a piece and that of its row


@dataclass(frozen=True, slots=True)
class FixedPiece:
    """A piece of the game that is not changed."""

    orientation: Orientation
    x: int
    cells: tuple[Cell, ...]  # in the rows of the window's stack
    lowest_level: int  # the lowest level that the piece may have
    highest_level: int  # the highest level that the piece may have


@dataclass(frozen=True, slots=True)
class Window:
    """A stack with some open cells, and the pieces that stay as they are."""

    rows: tuple[int, ...]  # the whole stack from below: picture rows by number, or CLEARING
    open_cells: frozenset[Cell] | None = None  # the cells that open pieces may fill; None: all
    fixed_pieces: tuple[FixedPiece, ...] = ()
    # The numbers of the candidates that the game must use
    required_candidates: frozenset[int] = frozenset()
    floor: frozenset[int] = frozenset()  # as in the game


def open_rows(
    game: StackedGame,
    width: int,
    rows: tuple[int, int],
    top_slot: int,
    min_candidates: int,
    reach: PieceReach,
) -> Window:
    """Open picture rows ``rows[0]`` to ``rows[1] - 1`` of a game, and the slots around them.

    The slots from ``rows[0]`` to ``top_slot`` get at least ``min_candidates`` candidates. If the
    game has no piece above the open rows, the stack ends there.
    """
    first, last = rows
    has_rows_above = game.reaches(last)
    stack: list[int] = []
    stack_row_of: dict[int, int] = {}  # for each row of the game its row in the new stack
    candidate_of: list[int] = []  # for each clearing row of the game its candidate number
    inside: set[int] = set()  # rows of the game that are open
    required: set[int] = set()
    slot = in_slot_count = 0

    def fill_slot() -> None:
        nonlocal in_slot_count
        while first <= slot <= top_slot and in_slot_count < min_candidates:
            stack.append(CLEARING)
            in_slot_count += 1

    for v, row in enumerate(game.rows):
        if row != CLEARING:
            if row >= last and not has_rows_above:
                break
            fill_slot()
            slot, in_slot_count = row + 1, 0
            if first <= row < last:
                inside.add(v)
        else:
            candidate_of.append(stack.count(CLEARING))
            in_slot_count += 1
            if first <= slot <= last:
                inside.add(v)
            else:
                required.add(candidate_of[-1])
        stack_row_of[v] = len(stack)
        stack.append(row)
    fill_slot()
    below = [0]  # for each row of the new stack the number of candidates below it
    for row in stack:
        below.append(below[-1] + (row == CLEARING))
    candidates = below[-1]
    is_open, slot = [], 0
    for row in stack:
        if row != CLEARING:
            slot = row + 1
        is_open.append(first <= row < last if row != CLEARING else first <= slot <= last)
    open_numbers = [v for v, flag in enumerate(is_open) if flag]
    begin = max(0, below[open_numbers[0]] - reach.max_early)
    end = min(candidates, below[open_numbers[-1] + 1] + reach.max_early)
    fixed_pieces, freed_cells = [], set[Cell]()
    for piece in game.pieces:
        cells = tuple((x, stack_row_of[v]) for x, v in piece.cells)
        if not inside.isdisjoint(v for _, v in piece.cells):
            freed_cells.update(cells)
            continue
        lowest = candidate_of[piece.level - 1] + 1 if piece.level else 0
        highest = candidate_of[piece.level] if piece.level < len(candidate_of) else candidates
        if lowest <= end and highest >= begin:
            lowest, highest = min(lowest, begin), max(highest, end)
        # A piece clears at most its own rows and three above them, all at once.
        highest = min(
            highest, *(below[v] + _TALL for _, v in cells if stack[v] == CLEARING), candidates
        )
        fixed_pieces.append(FixedPiece(piece.orientation, piece.x, cells, lowest, highest))
    open_cells = {(x, v) for v in open_numbers for x in range(width)} | freed_cells
    return Window(
        tuple(stack), frozenset(open_cells), tuple(fixed_pieces), frozenset(required), game.floor
    )


class GameFormula:
    """The formula of all games in a window."""

    def __init__(
        self,
        target: Target,
        window: Window,
        reach: PieceReach = PieceReach(),
        max_clauses: int = 1 << 30,
        free_rows: int = 0,  # how many rows at the top of the board no piece may reach
    ) -> None:
        self.target, self.window, self.width = target, window, target.width
        self.shades = target.list_shades()
        rows, width = window.rows, target.width
        candidate_of, candidates_below = array("q"), []
        candidates = 0
        for row in rows:
            candidate_of.append(candidates if row == CLEARING else -1)
            candidates_below.append(candidates)
            candidates += row == CLEARING
        self._candidate_of = candidate_of
        allowed, shade_of, required = (array("q", bytes(8 * len(rows) * width)) for _ in range(3))
        min_level, max_level, owner = (array("q", bytes(8 * len(rows) * width)) for _ in range(3))
        for v, row in enumerate(rows):
            lowest = max(0, candidates_below[v] - reach.max_early)
            highest = min(
                candidates, candidates_below[v] + (_TALL if row == CLEARING else reach.max_early)
            )
            for x in range(width):
                cell = v * width + x
                min_level[cell], max_level[cell], owner[cell] = lowest, highest, -1
                is_open = window.open_cells is None or (x, v) in window.open_cells
                if row == CLEARING:
                    allowed[cell] = -1 if is_open else 0
                elif row < target.rows:
                    allowed[cell] = target.allowed[row][x] if is_open else 0
                    required[cell] = (x, row) in target.required
                    shade_of[cell] = target.shades[row][x] if target.shades else 0
        fixed = array("q")
        known_shades = [0] * 8
        for n, piece in enumerate(window.fixed_pieces):
            fixed.extend([piece.orientation.index, piece.x])
            for x, v in piece.cells:
                cell = v * width + x
                fixed.append(cell)
                min_level[cell], max_level[cell], owner[cell] = (
                    piece.lowest_level,
                    piece.highest_level,
                    n,
                )
                if rows[v] != CLEARING and shade_of[cell]:
                    known_shades[piece.orientation.piece] = shade_of[cell]
        for x in window.floor:  # below all levels, as it lay there before all pieces
            min_level[x], max_level[x], owner[x] = -1, -1, len(window.fixed_pieces)
        used = array(
            "i",
            [
                YES if candidate in window.required_candidates else 0
                for candidate in range(candidates)
            ],
        )
        self._min_level, self._max_level = min_level, max_level
        self._clauses = Clauses(max_clauses)
        shades = max(self.shades, default=0)
        self._stack = Stack(
            width, target.height - free_rows, candidate_of, allowed, shade_of, required, min_level,
            max_level, owner, used, shades, _SHAPES,
        )  # fmt: skip
        write_formula(self._clauses, self._stack, reach.max_crossed, fixed, known_shades)
        self._unit = 1
        self._pieces, self._used, covered, self._levels, self._shows = self._stack.tables()
        if self._clauses.totals[2]:
            raise FormulaTooLargeError(f"a formula of more than {max_clauses} clauses")
        # In every game, ``base`` plus the weights of its true literals is 4 times its open pieces.
        self.base, self.weights = 0, []
        for candidate, literal in enumerate(self._used):
            if candidate not in window.required_candidates:
                self.weights.append((literal, width))
        for cell, literal in enumerate(covered):
            if owner[cell] >= 0 or literal == -YES:
                continue
            candidate = candidate_of[cell // width]
            if literal == YES:
                self.base += 1
            elif candidate < 0:
                self.weights.append((literal, 1))

    @property
    def size(self) -> int:
        """The number of clauses."""
        count: int = self._clauses.totals[1]
        return count

    def pass_clauses(self, add: Callable[[list[int]], object]) -> None:
        """Pass all clauses to a function, as lists."""
        add_clauses(self._clauses, add, 0, 1 << 30)

    def add_line_counter(self) -> list[int]:
        """Add a counter; return literals, the ``n``-th true if over ``n`` candidates are used."""
        literals = array("i", [literal for literal in self._used if abs(literal) != YES])
        counter: list[int] = add_counter(
            self._clauses, literals, array("i", [1] * len(literals)), len(literals)
        )
        return counter

    def compute_weight(self, drops: int) -> int:
        """Return the sum of the weights of the true literals in a game of this many drops."""
        return 4 * (drops - len(self.window.fixed_pieces)) - self.base

    def add_weight_counter(self, max_weight: int) -> list[int]:
        """Add a counter; return literals, the ``n``-th true if the weights sum to over ``n`` units.

        The unit divides all weights. If all squares of the picture are required, the unit is the
        width of the board.
        """
        self._unit = gcd(*(weight for _, weight in self.weights)) or 1
        literals = array("i", [literal for literal, _ in self.weights])
        weights = array("i", [weight // self._unit for _, weight in self.weights])
        counter: list[int] = add_counter(self._clauses, literals, weights, max_weight // self._unit)
        return counter

    def assume_at_most(self, counter: Sequence[int], max_weight: int) -> list[int]:
        """Return assumptions that limit the sum of the weights; see :meth:`add_weight_counter`."""
        n = max_weight // self._unit
        return [-literal for literal in counter[n : n + 1]]

    # -- models ------------------------------------------------------------------------

    def get_piece(self, number: int) -> tuple[Orientation, int, tuple[Cell, ...], int]:
        """Return a piece that may be in the game: orientation, column, cells and literal."""
        orientation, x, literal, _, *cells = self._pieces[8 * number : 8 * number + 8]
        piece_cells = tuple((cell % self.width, cell // self.width) for cell in cells)
        return ORIENTATIONS[orientation], x, piece_cells, literal

    def list_piece_numbers(self) -> range:
        """Return the numbers of all pieces that may be in the game."""
        return range(len(self._pieces) // 8)

    def read_game(self, model: Sequence[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the drops of a model in order, each an orientation and its column.

        Pieces are sorted by time. Among pieces of the same time, lower pieces drop first.
        """
        pieces = []
        times = []
        for n in self.list_piece_numbers():
            literal = self._pieces[8 * n + 2]
            if literal == YES or model[literal - 1] > 0:
                piece = self.get_piece(n)
                pieces.append(piece)
                times.append(self._compute_time(piece[2], model))
        order = order_drops([piece[2] for piece in pieces], times)
        return tuple((pieces[n][0], pieces[n][1]) for n in order)

    def read_stack(self, model: Sequence[int], picture_rows: int) -> StackedGame:
        """Return the game of a model in the rows of its stack; levels are read from the model.

        A replay of the drops could say other levels, because rows may clear in another order.
        The stack gets all rows of the picture.
        """
        used = [literal == YES or (literal != -YES and model[literal - 1] > 0)
                for literal in self._used]  # fmt: skip
        cleared = [0]  # for each level of the formula, how many used rows have cleared
        for flag in used:
            cleared.append(cleared[-1] + flag)
        new_row_of, rows, candidate = {}, list[int](), 0
        for v, row in enumerate(self.window.rows):
            if row == CLEARING:
                candidate += 1
                if not used[candidate - 1]:
                    continue
            new_row_of[v] = len(rows)
            rows.append(row)
        rows += range(1 + max((row for row in rows if row != CLEARING), default=-1), picture_rows)
        pieces = []
        for number in self.list_piece_numbers():
            orientation, x, cells, literal = self.get_piece(number)
            if literal == YES or model[literal - 1] > 0:
                placed = tuple((cx, new_row_of[v]) for cx, v in cells)
                level = cleared[self._read_level(cells, model)]
                pieces.append(StackedPiece(orientation, x, placed, level))
        return StackedGame(tuple(rows), tuple(pieces), self.window.floor)

    def _read_level(self, cells: Sequence[Cell], model: Sequence[int]) -> int:
        """Return the level of the piece with these cells in a model."""
        x, row = cells[0]
        cell = row * self.width + x
        level = self._min_level[cell]
        first = self._levels[cell] - level - 1  # model[first + n] > 0: the level is above n
        while level < self._max_level[cell] and model[first + level] > 0:
            level += 1
        return level

    def _compute_time(self, cells: Sequence[Cell], model: Sequence[int]) -> int:
        """Return a number that orders the pieces of a model by time, from the cells of a piece."""
        level = self._read_level(cells, model)
        own_candidates = [
            self._candidate_of[row] for _, row in cells if self._candidate_of[row] >= 0
        ]
        return 2 * level - any(level > candidate for candidate in own_candidates)

    def read_types(self, model: Sequence[int]) -> TypeColors:
        """Return the colour of each type in a model, if types are open."""
        return tuple(
            (piece, shade)
            for piece in PieceType
            for shade in self.shades
            if (literal := self._shows[8 * shade + piece]) == YES
            or (0 < literal != YES and model[literal - 1] > 0)
        )
