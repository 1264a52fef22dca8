"""A second encoder, written from docs/encoding.md alone; it shares no code with the package.

It has no formula in common with the first, either: there the levels of cells are written
in unary and pieces have one variable each. Here a variable says that a piece lies in a
place *at exactly one level*, and counters along a chain of auxiliary variables say that of
many such things one is true. What both must agree on is whether there is a model.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pysat.solvers import Solver

Cell = tuple[int, int]
Shape = tuple[Cell, ...]

DRAWN = {
    "I": ["####"],
    "O": ["##", "##"],
    "T": ["###", " # "],
    "S": [" ##", "## "],
    "Z": ["## ", " ##"],
    "J": ["###", "  #"],
    "L": ["###", "#  "],
}


def shapes() -> Iterator[tuple[str, Shape]]:
    """Every tetromino in each of its orientations, its corner at (0, 0)."""
    for name, drawing in DRAWN.items():
        cells = [(x, y) for y, line in enumerate(drawing) for x, c in enumerate(line) if c == "#"]
        seen = set()
        for _ in range(4):
            cells = [(y, -x) for x, y in cells]
            left, low = min(x for x, _ in cells), min(y for _, y in cells)
            shape = tuple(sorted((x - left, y - low) for x, y in cells))
            if shape not in seen:
                seen.add(shape)
                yield name, shape


SHAPES = tuple(shapes())
assert len(SHAPES) == 19


@dataclass(frozen=True)
class Question:
    """Can a matrix be packed?

    Presets lie there from the start, or (``at_any_time``) fall whenever they like, held by
    whatever. ``squares`` are columns of row -1. ``last`` must be dropped last of all.
    """

    width: int
    rows: int
    presets: tuple[Shape, ...] = ()
    squares: frozenset[int] = frozenset()
    at_any_time: bool = False
    last: Shape | None = None

    def has_answer(self) -> bool:
        """Whether there is an order of drops, as a solver says."""
        formula = _Clauses(self)
        if formula.is_impossible:
            return False
        with Solver("glucose42", bootstrap_with=formula.clauses) as solver:
            return bool(solver.solve())


class _Clauses:
    def __init__(self, question: Question) -> None:
        self.question = question
        self.clauses: list[list[int]] = []
        self.count = 0
        self.height = question.rows
        self.is_impossible = False  # something must be one of no choices
        self.write()

    def new(self) -> int:
        self.count += 1
        return self.count

    def exactly_one(self, literals: list[int]) -> None:
        """Of a row of variables: walk along it, and remember whether one was met."""
        self.is_impossible = self.is_impossible or not literals
        self.clauses.append(literals)
        met = None
        for literal in literals:
            met_now = self.new()
            self.clauses.append([-literal, met_now])
            if met is not None:
                self.clauses += [[-met, met_now], [-met, -literal]]
            met = met_now

    def latest_level(self, cells: Shape) -> int:
        """The levels at which something holds a piece are those up to this; -1 for none."""
        lowest: dict[int, int] = {}
        for x, y in cells:
            lowest[x] = min(y, lowest.get(x, y))
        if self.question.squares & lowest.keys():
            return self.height
        if len(set(lowest.values())) > 1:
            return self.height
        return lowest[cells[0][0]] - 1

    def places(self) -> Iterator[tuple[Shape, int]]:
        """Where pieces may lie, with the latest level of each."""
        question = self.question
        taken = {cell for preset in question.presets for cell in preset}
        floor: dict[int, int] = {}  # no piece lies above the last one
        if question.last is not None:
            taken |= {*question.last}
            for x, y in question.last:
                floor[x] = min(y, floor.get(x, y))
            yield question.last, self.latest_level(question.last)
        for _, shape in SHAPES:
            for x in range(question.width):
                for y in range(question.rows):
                    cells = tuple((x + i, y + j) for i, j in shape)
                    if all(
                        a < question.width
                        and b < question.rows
                        and (a, b) not in taken
                        and b < floor.get(a, question.rows)
                        for a, b in cells
                    ):
                        yield cells, self.latest_level(cells)

    def write(self) -> None:
        question, height = self.question, self.height
        lies: list[tuple[Shape, int, int]] = []  # cells, level, variable
        for cells, latest in self.places():
            is_last = cells == question.last
            lies += [
                (cells, level, self.new()) for level in range(height if is_last else 0, latest + 1)
            ]
        moving = question.presets if question.at_any_time else ()
        lies += [(cells, level, self.new()) for cells in moving for level in range(height + 1)]

        covering: dict[Cell, list[int]] = {
            (x, y): [] for x in range(question.width) for y in range(height)
        }
        for cells, _, variable in lies:
            for cell in cells:
                covering[cell].append(variable)
        fixed = () if question.at_any_time else question.presets
        still = {cell for preset in fixed for cell in preset}
        for cell, variables in covering.items():
            if cell not in still:
                self.exactly_one(variables)
        if self.is_impossible:
            return

        # How late a cell is covered: late[cell][k - 1] says at level k or more.
        late = {cell: [self.new() for _ in range(height)] for cell in covering}
        for cells, level, variable in lies:
            for cell in cells:
                for k, at_least in enumerate(late[cell], 1):
                    self.clauses.append([-variable, at_least if k <= level else -at_least])
        for cell in still:
            self.clauses += [[-at_least] for at_least in late[cell]]
        for (x, y), levels in late.items():
            if y + 1 < height:
                self.clauses += [[-a, b] for a, b in zip(levels, late[x, y + 1], strict=True)]
        for row in range(height):
            self.exactly_one(
                [v for cells, level, v in lies if level > row and any(y == row for _, y in cells)]
            )


def emitters(
    width: int, rows: int, columns: Iterable[int], *, squares_hold: bool, at_any_time: bool
) -> Question:
    """Emitter pieces with their three cells of row 0 at some leftmost columns."""
    presets = tuple(tuple((x + i, 0) for i in range(3)) for x in columns)
    below = frozenset(x for preset in presets for x, _ in preset) if squares_hold else frozenset()
    return Question(width, rows, presets, below, at_any_time)


def platforms(width: int, column: int) -> Iterator[Question]:
    """Four rows over a flat T, nub up, taken away by a piece in two outermost columns."""
    tee = ((column, 0), (column + 1, 0), (column + 1, 1), (column + 2, 0))
    below = frozenset(range(column, column + 3))
    for _, shape in SHAPES:
        for x in range(width):
            for y in range(4):
                last = tuple((x + i, y + j) for i, j in shape)
                columns = {a for a, _ in last}
                inside = max(a for a, _ in last) < width and max(b for _, b in last) < 4
                at_edge = columns <= {0, 1} or columns <= {width - 2, width - 1}
                if inside and at_edge and not {*last} & {*tee}:
                    yield Question(width, 4, (tee,), below, last=last)
