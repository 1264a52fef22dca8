"""All games near a known one as one propositional formula.

Between the picture's rows the stack has *candidates*: rows that the game may use and must then
clear, from the lowest to the highest, some at once. A model is a game: it says which candidates are
used, which pieces drop and when, and the colour of each type if that is open.

The rules are those of all :mod:`formulas <tetrisprinter.bounds.window_formula>`, written by
a kernel. Pieces have levels as in :mod:`tetrisprinter.game.levels`, but unused candidates count,
too: once a piece of level ``l`` has landed, all used rows among the lowest ``l`` candidates have
cleared.

In a :class:`Neighbourhood` only the pieces that reach into some rows are open. All others keep
their positions, and those that drop long before or after the window's pieces also keep their times.
These need no variables, so the formula is as small as the window.

To keep it small, a piece drops near its turn and lies across few cleared rows. So an unsatisfiable
formula proves nothing about all games. A model is not trusted, either: its game is played and
checked.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.errors import JobError
from tetrisprinter.game.levels import order_drops
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType
from tetrisprinter.planners.shortest._kernel_formula import (
    YES,
    Clauses,
    Stack,
    add_clauses,
    add_counter,
    write_formula,
)
from tetrisprinter.planners.shortest.stack import StackedGame
from tetrisprinter.printing.target import Target

__all__ = [
    "FormulaTooLargeError",
    "GameFormula",
    "Neighbourhood",
    "PieceReach",
    "make_neighbourhood",
]

_TALL: Final = 4
"""The most rows that a piece covers, and so the most rows that clear at once."""

_SHAPES: Final = array(
    "q", [n for o in ORIENTATIONS for n in (int(o.piece), *(n for cell in o.cells for n in cell))]
)


class FormulaTooLargeError(JobError):
    """A formula has too many clauses."""


@dataclass(frozen=True, slots=True)
class PieceReach:
    """The limits on the positions of pieces in the formula."""

    across: int = 7  # the most cleared candidates between the rows of a piece
    early: int = 7  # candidates between the level of a piece and that of its row, at most


@dataclass(frozen=True, slots=True)
class FixedPiece:
    """A piece of the incumbent that is not changed."""

    orientation: Orientation
    x: int
    cells: tuple[Cell, ...]  # in the rows of the window's stack
    least: int  # the lowest level that it may have
    most: int  # the highest level that it may have


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A stack with some open cells, and the pieces that stay fixed."""

    rows: tuple[int, ...]  # the whole stack from below: picture rows by number, or CLEARING
    open_cells: frozenset[Cell] | None = None  # where open pieces may lie; None: everywhere
    staying: tuple[FixedPiece, ...] = ()
    # The numbers of the candidates that the game must use
    required_candidates: frozenset[int] = frozenset()


def make_neighbourhood(
    game: StackedGame, width: int, first: int, last: int, free: int, reach: PieceReach
) -> Neighbourhood:
    """Open picture rows ``first`` to ``last - 1``, with at least ``free`` candidates per slot."""
    rows: list[int] = []
    place: list[int] = []  # for each row of the game its row in the new stack
    numbers: list[int] = []  # for each clearing row of the game its candidate number
    inside: list[int] = []  # rows of the game that are open
    slot = in_slot = 0

    def fill() -> None:
        nonlocal in_slot
        while first <= slot <= last and in_slot < free:
            rows.append(CLEARING)
            in_slot += 1

    for v, row in enumerate(game.rows):
        if row != CLEARING:
            fill()
            slot, in_slot = row + 1, 0
            if first <= row < last:
                inside.append(v)
        else:
            numbers.append(rows.count(CLEARING))
            in_slot += 1
            if first <= slot <= last:
                inside.append(v)
        place.append(len(rows))
        rows.append(row)
    fill()
    open_rows = set(inside)
    total = rows.count(CLEARING)
    required_candidates = frozenset(
        number
        for number, v in zip(
            numbers, (v for v, row in enumerate(game.rows) if row == CLEARING), strict=True
        )
        if v not in open_rows
    )
    begin, end = _count_candidates(rows, first, last)
    begin, end = max(0, begin - reach.early), min(total, end + reach.early)
    staying, freed = [], set[Cell]()
    for piece in game.pieces:
        cells = tuple((x, place[v]) for x, v in piece.cells)
        if any(v in open_rows for _, v in piece.cells):
            freed |= set(cells)
            continue
        least = numbers[piece.level - 1] + 1 if piece.level else 0
        most = numbers[piece.level] if piece.level < len(numbers) else total
        if least <= end and most >= begin:
            least, most = min(least, begin), max(most, end)
        staying.append(FixedPiece(piece.orientation, piece.x, cells, least, most))
    opened = {v for v, row in enumerate(rows) if _is_open(rows, v, first, last)}
    open_cells = frozenset({(x, v) for v in opened for x in range(width)} | freed)
    return Neighbourhood(tuple(rows), open_cells, tuple(staying), required_candidates)


def _is_open(rows: Sequence[int], v: int, first: int, last: int) -> bool:
    """Return whether a row of a stack lies in a window."""
    if rows[v] != CLEARING:
        return first <= rows[v] < last
    below = max((row for row in rows[:v] if row != CLEARING), default=-1)
    return first <= below + 1 <= last


def _count_candidates(rows: Sequence[int], first: int, last: int) -> tuple[int, int]:
    """Return the number of candidate rows below the start and below the end of a window."""
    begin = end = slot = 0
    for row in rows:
        if row != CLEARING:
            slot = row + 1
        else:
            begin += slot < first
            end += slot <= last
    return begin, end


class GameFormula:
    """The formula of a window."""

    def __init__(
        self,
        target: Target,
        window: Neighbourhood,
        reach: PieceReach = PieceReach(),
        clauses: int = 1 << 30,
    ) -> None:
        self.target, self.window, self.width = target, window, target.width
        self.numbers = target.list_shades()
        rows, width = window.rows, target.width
        number, turns = array("q"), []
        count = 0
        for row in rows:
            number.append(count if row == CLEARING else -1)
            turns.append(count)
            count += row == CLEARING
        self._number = number
        allowed, shade, due = (array("q", bytes(8 * len(rows) * width)) for _ in range(3))
        least, most, owner = (array("q", bytes(8 * len(rows) * width)) for _ in range(3))
        for v, row in enumerate(rows):
            low = max(0, turns[v] - reach.early)
            high = min(count, turns[v] + (_TALL if row == CLEARING else reach.early))
            for x in range(width):
                c = v * width + x
                least[c], most[c], owner[c] = low, high, -1
                is_open = window.open_cells is None or (x, v) in window.open_cells
                if row == CLEARING:
                    allowed[c] = -1 if is_open else 0
                elif row < target.rows:
                    allowed[c] = target.allowed[row][x] if is_open else 0
                    due[c] = (x, row) in target.required
                    shade[c] = target.shades[row][x] if target.shades else 0
        fixed = array("q")
        known = [0] * 8
        for n, piece in enumerate(window.staying):
            fixed.extend([piece.orientation.index, piece.x])
            for x, v in piece.cells:
                c = v * width + x
                fixed.append(c)
                least[c], most[c], owner[c] = piece.least, piece.most, n
                if rows[v] != CLEARING and shade[c]:
                    known[piece.orientation.piece] = shade[c]
        there = array("i", [YES if k in window.required_candidates else 0 for k in range(count)])
        self._least, self._most = least, most
        self._clauses = Clauses(clauses)
        shades = max(self.numbers, default=0)
        self._stack = Stack(
            width, target.height, number, allowed, shade, due, least, most, owner, there, shades,
            _SHAPES,
        )  # fmt: skip
        write_formula(self._clauses, self._stack, reach.across, fixed, known)
        self._unit = 1
        self._literals: dict[tuple[int, int, frozenset[int]], int] = {}  # by shape, column, cells
        self._parts, self.there, covered, self._levels, self._shows = self._stack.tables()
        if self._clauses.totals[2]:
            raise FormulaTooLargeError(f"a formula of more than {clauses} clauses")
        self.base, self.weights = 0, []
        for k, literal in enumerate(self.there):
            if k not in window.required_candidates:
                self.weights.append((literal, width))
        for c, literal in enumerate(covered):
            if owner[c] >= 0 or literal == -YES:
                continue
            k = number[c // width]
            if literal == YES:
                self.base += 1
            elif k < 0:
                self.weights.append((literal, 1))

    @property
    def size(self) -> int:
        """The number of clauses."""
        count: int = self._clauses.totals[1]
        return count

    def pass_clauses(
        self, add: Callable[[list[int]], object], begin: int = 0, count: int = 1 << 30
    ) -> int:
        """Pass some clauses to a function, as lists; return where to continue, or -1 at the end."""
        end: int = add_clauses(self._clauses, add, begin, count)
        return end

    def forget_clauses(self) -> None:
        """Free the memory of the clauses, once a solver has its own copy of them."""
        self._clauses = Clauses(0)

    def compute_weight(self, drops: int) -> int:
        """Return the weight sum of the true literals in a game with this number of drops."""
        return 4 * (drops - len(self.window.staying)) - self.base

    def add_weight_counter(self, most: int) -> list[int]:
        """Add a counter; return literals, the ``n``-th true if the weights sum to over ``n`` units.

        The unit divides all weights. It is the width if all squares of the picture are required.
        """
        self._unit = gcd(*(weight for _, weight in self.weights)) or 1
        literals = array("i", [literal for literal, _ in self.weights])
        weights = array("i", [weight // self._unit for _, weight in self.weights])
        found: list[int] = add_counter(self._clauses, literals, weights, most // self._unit)
        return found

    def assume_at_most(self, counter: Sequence[int], weight: int) -> list[int]:
        """Return assumptions that limit the sum of the weights; see :meth:`add_weight_counter`."""
        n = weight // self._unit
        return [-literal for literal in counter[n : n + 1]]

    # -- games -------------------------------------------------------------------------

    def locate_rows(self, game: StackedGame) -> list[int] | None:
        """Return the stack row for each row of a game; None if a slot is too small."""
        found: list[int] = []
        stack, v = self.window.rows, 0
        for row in game.rows:
            while v < len(stack) and stack[v] != row:
                if row == CLEARING:
                    return None
                v += 1
            if v == len(stack):
                return None
            found.append(v)
            v += 1
        return found

    def contains_game(self, game: StackedGame) -> bool:
        """Return whether a game has all fixed pieces of the formula, and its rows fit the stack."""
        place = self.locate_rows(game)
        if place is None:
            return False
        lying = {
            (piece.orientation, piece.x, frozenset((x, place[v]) for x, v in piece.cells))
            for piece in game.pieces
        }
        return all(
            (one.orientation, one.x, frozenset(one.cells)) in lying for one in self.window.staying
        )

    def fix(self, game: StackedGame, first: int, last: int) -> list[int]:
        """Return assumptions that keep a game unchanged outside some rows of the picture.

        Pieces without a literal in the formula stay free.
        """
        place = self.locate_rows(game)
        assert place is not None
        inside = {place[v] for v in game.list_rows(first, last)}
        used, fixed, slot = set(place), [], 0
        for piece in game.pieces:
            cells = [(x, place[v]) for x, v in piece.cells]
            if not any(v in inside for _, v in cells):
                literal = self.find_literal(piece.orientation, piece.x, cells)
                if literal is not None:
                    fixed.append(literal)
        for v, row in enumerate(self.window.rows):
            if row != CLEARING:
                slot = row + 1
            elif v not in used and not first <= slot <= last:
                fixed.append(-self.there[self._number[v]])
        return fixed

    def find_literal(self, orientation: Orientation, x: int, cells: Iterable[Cell]) -> int | None:
        """Return the literal of a piece; None if it is fixed or not in the formula."""
        if not self._literals:
            numbers = list(self._parts)
            for at in range(0, len(numbers), 8):
                if numbers[at + 2] != YES:
                    key = (numbers[at], numbers[at + 1], frozenset(numbers[at + 4 : at + 8]))
                    self._literals[key] = numbers[at + 2]
        piece_cells = frozenset(v * self.width + x for x, v in cells)
        return self._literals.get((orientation.index, x, piece_cells))

    # -- models ------------------------------------------------------------------------

    def get_piece(self, number: int) -> tuple[Orientation, int, tuple[Cell, ...], int]:
        """Return a piece that may be in the game: orientation, column, cells and literal."""
        shape, x, literal, _, *cells = self._parts[8 * number : 8 * number + 8]
        placed = tuple((c % self.width, c // self.width) for c in cells)
        return ORIENTATIONS[shape], x, placed, literal

    def list_piece_numbers(self) -> range:
        """Return the numbers of all pieces that may be in the game."""
        return range(len(self._parts) // 8)

    def read_game(self, model: Sequence[int]) -> tuple[tuple[Orientation, int], ...]:
        """Return the drops of a model in order, each an orientation and its column.

        Pieces are sorted by time. Among pieces of the same time, lower pieces drop first.
        """
        used = []
        times = []
        for n in self.list_piece_numbers():
            literal = self._parts[8 * n + 2]
            if literal == YES or model[literal - 1] > 0:
                piece = self.get_piece(n)
                used.append(piece)
                times.append(self._compute_time(piece[2], model))
        order = order_drops([piece[2] for piece in used], times)
        return tuple((used[n][0], used[n][1]) for n in order)

    def _compute_time(self, cells: Sequence[Cell], model: Sequence[int]) -> int:
        x, v = cells[0]
        c = v * self.width + x
        level = self._least[c]
        first = self._levels[c] - level - 1  # model[first + n] > 0: the level is above n
        while level < self._most[c] and model[first + level] > 0:
            level += 1
        own = [self._number[v] for _, v in cells if self._number[v] >= 0]
        return 2 * level - any(level > k for k in own)

    def read_types(self, model: Sequence[int]) -> TypeColors:
        """Return the colour of each type in a model, if types are open."""
        return tuple(
            (piece, shade)
            for piece in PieceType
            for shade in self.numbers
            if (literal := self._shows[8 * shade + piece]) == YES
            or (0 < literal != YES and model[literal - 1] > 0)
        )
