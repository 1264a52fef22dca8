"""Games in which pieces may come to rest over holes, which no finder of the package looks for.

The matrix is filled by hard drops. A piece falls until some column of it rests on
something; cells below the others may stay empty, and are filled later, after what covers
them has vanished. So rows need not become complete from below upwards, and a piece may end
up in rows that were not neighbours at the beginning. Two ways to decide whether all rows
can be made to vanish: every order of drops, for the smallest sizes, and SAT.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations

from tests.oracles.brute_packing import SHAPES

Order = tuple[tuple[int, ...], ...]
Field = tuple[int, ...]  # for each row that is left, from below, its columns as bits


class BruteWithGaps:
    """All orders of drops over the same squares of row -1."""

    def __init__(self, width: int, squares: frozenset[int] = frozenset()) -> None:
        self.width, self.squares = width, squares
        self.can_clear = cache(self._can_clear)

    def drops(self, field: Field) -> set[Field]:
        """The fields after each drop that stays inside the rows that are left."""
        # Where nothing is, a piece would fall into row -1, and that is not allowed.
        heights = [0 if x in self.squares else -1 for x in range(self.width)]
        for y, row in enumerate(field, 1):
            heights = [y if row >> x & 1 else h for x, h in enumerate(heights)]
        found = set()
        for shape in SHAPES:
            for x in range(self.width - len(shape) + 1):
                y = max(heights[x + i] - low for i, (low, _) in enumerate(shape))
                if y < 0 or y + max(low + length for low, length in shape) > len(field):
                    continue
                rows = list(field)
                for i, (low, length) in enumerate(shape, x):
                    for row in range(y + low, y + low + length):
                        rows[row] |= 1 << i
                found.add(tuple(row for row in rows if row + 1 != 1 << self.width))
        return found

    def _can_clear(self, field: Field) -> bool:
        return not field or any(self.can_clear(after) for after in self.drops(field))


def orders(rows: Iterable[int]) -> Iterator[Order]:
    """Every order in which rows can vanish, some of them at once."""
    left = tuple(rows)
    if not left:
        yield ()
    for count in range(1, len(left) + 1):
        for first in combinations(left, count):
            for rest in orders(row for row in left if row not in first):
                yield (first, *rest)


def list_clauses(width: int, rows: int, order: Order) -> list[list[int]]:
    """Say that a matrix can be made to vanish in an order, whatever lies there first.

    Variable 1 + x says that a preset lies in column x of the bottom row, variable
    1 + width + x that a square of row -1 does.

    The *phase* of a piece is how often rows have vanished before it is dropped; it lies in
    neighbouring rows of those that are left. Within a phase nothing vanishes, so there the
    pieces can be dropped from below upwards, and only these things count:

    - each cell is filled once; a piece does not pass cells filled in an earlier phase;
    - something is under one of its columns: a filled cell or a square of row -1;
    - a phase ends with a piece that has cells in all rows that vanish then, and that has no
      piece of its phase above it. Everything else can be dropped before.
    """
    leaves = {row: phase for phase, gone in enumerate(order) for row in gone}
    cells = [(x, y) for x in range(width) for y in range(rows)]
    covers: dict[tuple[int, int], list[tuple[int, int]]] = {cell: [] for cell in cells}
    for x in range(width):
        covers[x, 0].append((1 + x, -1))  # a preset is there before all phases
    pieces = []
    number = 2 * width
    for phase in range(len(order)):
        left = [row for row in range(rows) if leaves[row] >= phase]
        for shape in SHAPES:
            for x in range(width - len(shape) + 1):
                for y in range(len(left) + 1 - max(low + length for low, length in shape)):
                    where = [
                        (x + i, left[y + row])
                        for i, (low, length) in enumerate(shape)
                        for row in range(low, low + length)
                    ]
                    number += 1
                    below = [(x + i, y + low - 1) for i, (low, _) in enumerate(shape)]
                    pieces.append((number, phase, where, below, left))
                    for cell in where:
                        covers[cell].append((number, phase))
    clauses: list[list[int]] = []
    filled: dict[tuple[tuple[int, int], int], int] = {}  # in this phase or before
    for cell in cells:
        for phase in range(len(order)):
            number += 1
            filled[cell, phase] = number
            early = [cover for cover, when in covers[cell] if when <= phase]
            clauses += [[-cover, number] for cover in early] + [[-number, *early]]
        clauses.append([cover for cover, _ in covers[cell]])
        so_far = 0
        for cover, _ in covers[cell]:  # at most one, with the help of "one so far"
            number += 1
            clauses += [[-cover, number]]
            clauses += [[-so_far, number], [-so_far, -cover]] if so_far else []
            so_far = number
    ends: list[list[int]] = [[] for _ in order]
    for piece, phase, where, below, left in pieces:
        above = [
            (x, row)
            for x in {x for x, _ in where}
            for row in left
            if row > max(y for column, y in where if column == x)
        ]
        if phase:
            clauses += [[-piece, -filled[cell, phase - 1]] for cell in above]
        held = (filled[(x, left[y]), phase] if y >= 0 else 1 + width + x for x, y in below)
        clauses.append([-piece, *held])
        if set(order[phase]) <= {row for _, row in where}:
            number += 1
            ends[phase].append(number)
            clauses += [[-number, piece], *([-number, -filled[cell, phase]] for cell in above)]
    return clauses + ends


class Vanishing:
    """Whether rows of one width can be made to vanish, holes or not: one solver for each order.

    Presets and squares are assumptions, so that a solver is asked of many of them.
    """

    def __init__(self, width: int, rows: int) -> None:
        from pysat.solvers import Solver

        self.width = width
        self.solvers = {
            order: Solver("cadical153", bootstrap_with=list_clauses(width, rows, order))
            for order in orders(range(rows))
        }

    def orders(self, presets: Sequence[int], squares: Iterable[int]) -> Iterator[Order]:
        """The orders in which all rows can vanish over what lies there first."""
        held = set(squares)
        there = [*map(bool, presets), *(x in held for x in range(self.width))]
        assumed = [number if lies else -number for number, lies in enumerate(there, 1)]
        return (order for order, solver in self.solvers.items() if solver.solve(assumed))


@lru_cache(maxsize=4)
def vanishing(width: int, rows: int) -> Vanishing:
    return Vanishing(width, rows)


def can_clear(presets: Sequence[int], squares: Iterable[int], rows: int) -> bool:
    """Whether some game makes all rows vanish, holes or not; the presets lie there first."""
    return any(True for _ in vanishing(len(presets), rows).orders(presets, squares))
