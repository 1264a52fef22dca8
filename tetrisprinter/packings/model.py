"""The model of a packed matrix: an exact cover in which every piece has a level.

A piece has a **level** (:mod:`tetrisprinter.game.replay`): the number of rows that have cleared
when it lands. Here all rows clear, from below. A drop order exists if and only if levels in ``0 ..
rows`` exist such that

1. in every column levels never decrease upwards,
2. in every row ``r`` exactly one piece has a level above ``r``: the one that completes it,
3. no piece has a level above its *latest* one,
4. presets have level 0,
5. a piece that must be dropped last has level ``rows``, and nothing lies above it.

The latest level is the highest one at which the piece is supported. A piece over a square of row -1
is supported at any level. So is a piece that is not *flat* (its columns have different bottoms):
the row under its highest bottom has one of its cells, so that row is incomplete before the piece
lands. A flat piece in row ``r`` must land before row ``r - 1`` is complete. So its latest level is
``r - 1``, and in row 0 nothing supports it.

A row with a hole never clears. So the levels count the other rows: condition 2 holds for these,
with their number from below in place of ``r``, and the hole itself may have any level.
:func:`find_latest_level` says what supports a piece over holes.

``docs/encoding.md`` proves the equivalence. Every condition is local to a cell and its neighbours,
which keeps the model small.

:class:`PackingModel` states the model once. It is written as a propositional formula, which
certificates hold (:attr:`PackingModel.clauses`), and as constraints of OR-tools' CP-SAT
(:func:`write_cpsat`). The column automata read the same candidates from left to right. Tried
instead: a variable for each placement and level, which made CP-SAT twice as slow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.game.replay import order_drops
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem
from tetrisprinter.sat.solve import write_dimacs

ENCODER_VERSION = 1
"""The version of the encoding; it changes whenever the bytes of some formula change."""


def solve_trivial(problem: PackingProblem) -> Packing | Infeasible | None:
    """Answer a problem that needs no search; return None if the problem needs a search."""
    if not problem.is_divisible:
        return Infeasible(f"the {problem.free_cells} cells to fill are not a multiple of 4")
    if problem.free_cells == 0:
        return Packing(problem, ())
    if is_buried(problem):
        return Infeasible("cells above the piece that must be the last one are left unfilled")
    return None


def is_buried(problem: PackingProblem) -> bool:
    """Return whether free cells lie above the piece that must be dropped last."""
    last = problem.last
    return last is not None and any(last.y + top < problem.rows for top in last.orientation.top)


def list_candidates(problem: PackingProblem) -> dict[Placement, int]:
    """Return the placements that a packing can contain, each with its latest level.

    They are sorted by orientation, column and row. A placement is left out if it leaves the matrix,
    overlaps a preset or another required piece, lies on or above the piece that must be dropped
    last, or can never be supported.
    """
    start = problem.start
    holes = problem.holes
    last = problem.last
    reserved = {cell: piece for piece in problem.required for cell in piece.cells}
    last_bottoms: dict[int, int] = {}
    for x, y in last.cells if last else ():
        last_bottoms[x] = min(y, last_bottoms.get(x, y))
    candidates: dict[Placement, int] = {}
    for orientation in problem.orientations:
        for x in range(problem.width - orientation.width + 1):
            has_support = not orientation.is_flat or any(
                x + dx in problem.squares for dx in range(orientation.width)
            )
            for y in range(problem.rows - orientation.height + 1):
                latest = problem.rows if has_support else y - 1
                if (latest < 0 and not holes) or any(
                    y + bottom < start[x + dx] for dx, bottom in enumerate(orientation.bottom)
                ):
                    continue
                placement = Placement(orientation, x, y)
                if placement != last and any(
                    y + top > last_bottoms.get(x + dx, problem.rows)
                    for dx, top in enumerate(orientation.top)
                ):
                    continue
                if any(reserved.get(cell, placement) != placement for cell in placement.cells):
                    continue
                if holes:
                    latest = find_latest_level(problem, placement)
                    if latest < 0 or not holes.isdisjoint(placement.cells):
                        continue
                candidates[placement] = latest
    return candidates


def find_latest_level(problem: PackingProblem, placement: Placement) -> int:
    """Return the highest level at which something supports a piece; -1 if nothing ever does."""
    index = {y: k for k, y in enumerate(problem.clearing_rows)}
    own_rows = {y for _, y in placement.cells}
    latest = -1
    for dx, bottom in enumerate(placement.orientation.bottom):
        x, below = placement.x + dx, placement.y + bottom - 1
        if below in index and below not in own_rows:
            latest = max(latest, index[below])  # the row supports the piece until it clears
            while below in index:  # when it has cleared, the rows below it have, too
                below -= 1
        if (x in problem.squares) if below < 0 else ((x, below) not in problem.holes):
            return problem.rows  # a square, or a row that does not clear before the piece lands
    return latest


def build_packing(problem: PackingProblem, chosen: Iterable[tuple[Placement, int]]) -> Packing:
    """Build a packing from pairs (piece, level), and replay the packing.

    Pieces drop by level; pieces of one level drop from below.
    """
    pieces = sorted(chosen, key=lambda pair: (pair[0].y, pair[0].x))
    order = order_drops([piece.cells for piece, _ in pieces], [level for _, level in pieces])
    packing = Packing(problem, tuple(pieces[number][0] for number in order))
    packing.check()
    return packing


Clause = tuple[int, ...]
"""Literals of which at least one is true: variables from 1, negative if negated."""


@dataclass(frozen=True)
class PackingModel:
    """The packings of a problem as constraints over numbered variables.

    The variables, in the order of their numbers (:meth:`describe_variables` lists them):

    ``choose j``
        the packing solves problem ``j``. A model can stand for several problems of one
        size; it says that *at least one* of them has a packing.
    ``piece T x y``
        a piece of orientation T has the lower left corner of its bounding box at (x, y).
    ``filled x y``
        a piece, not a preset, covers the cell.
    ``level x y k``
        the piece that covers the cell has a level of at least ``k`` (order encoding).

    The methods ``state_...`` are the model. :attr:`clauses` writes it as a formula, and
    :func:`write_cpsat` as constraints of CP-SAT with the same numbers.
    """

    # The model has a solution if and only if one of these problems has a packing
    problems: Sequence[PackingProblem]
    presets_first: bool = True  # whether the presets are dropped before everything else
    is_symmetric: bool = False  # whether the pieces must be their own mirror image

    def __post_init__(self) -> None:
        if not self.problems:
            raise InputError("no problems are given; expected at least one")
        if len({(p.width, p.rows) for p in self.problems}) > 1:
            raise InputError("the problems have different sizes; expected problems of one size")
        if not all(problem.free_cells for problem in self.problems):
            raise InputError("a problem has no free cells; expected at least one")
        if len({problem.holes for problem in self.problems}) > 1:
            raise InputError("the problems have different holes; expected the same holes")

    @property
    def width(self) -> int:
        """Columns of the matrix."""
        return self.problems[0].width

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return self.problems[0].rows

    @cached_property
    def _candidates_of(self) -> list[dict[Placement, int]]:
        """The candidates of each problem, with their latest levels."""
        return [{} if is_buried(problem) else list_candidates(problem) for problem in self.problems]

    @cached_property
    def pieces(self) -> dict[Placement, int]:
        """The candidates of all problems together, each with its highest latest level.

        Clauses restrict the problems with a lower one.
        """
        merged: dict[Placement, int] = {}
        for candidates in self._candidates_of:
            for piece, latest in candidates.items():
                merged[piece] = max(latest, merged.get(piece, latest))
        # This order numbers the variables, so stored certificates depend on it.
        order = sorted(merged, key=lambda p: (p.orientation.index, p.y, p.x))
        return {piece: merged[piece] for piece in order}

    @property
    def variables(self) -> int:
        """Number of variables."""
        return self.get_level_variable((0, self.rows), 1) - 1

    def get_choice_variable(self, problem: int) -> int:
        """Return the variable "the packing solves this problem"."""
        return 1 + problem

    def get_piece_variable(self, index: int) -> int:
        """Return the variable "the packing contains this candidate"."""
        return 1 + len(self.problems) + index

    def list_piece_variables(self, packing: Packing) -> list[int]:
        """Return the variables of the pieces of a packing."""
        placed = set(packing.pieces)
        return [
            self.get_piece_variable(index)
            for index, piece in enumerate(self.pieces)
            if piece in placed
        ]

    def get_cover_variable(self, cell: Cell) -> int:
        """Return the variable that is true if a piece, not a preset, covers the cell."""
        return self.get_piece_variable(len(self.pieces)) + cell[1] * self.width + cell[0]

    def get_level_variable(self, cell: Cell, k: int) -> int:
        """Return the variable "the piece covering the cell has level ``k`` (1..rows) or more"."""
        first = self.get_cover_variable((0, self.rows))
        return first + (cell[1] * self.width + cell[0]) * self.rows + k - 1

    def describe_variables(self) -> Iterator[str]:
        """Yield a line of text for each variable, in order."""
        yield from (f"choose {j}" for j in range(len(self.problems)))
        for piece in self.pieces:
            name = piece.orientation.piece.name
            yield f"piece {name}{piece.orientation.turns} {piece.x} {piece.y}"
        yield from (f"filled {x} {y}" for x, y in self._cells)
        yield from (f"level {x} {y} {k}" for x, y in self._cells for k in range(1, self.rows + 1))

    @property
    def _cells(self) -> list[Cell]:
        return [(x, y) for y in range(self.rows) for x in range(self.width)]

    def state_choice(self) -> Iterator[Clause]:
        """State that a problem is chosen, with its presets, latest levels and last piece."""
        index = {piece: i for i, piece in enumerate(self.pieces)}
        yield tuple(self.get_choice_variable(j) for j in range(len(self.problems)))
        for j, problem in enumerate(self.problems):
            choice = self.get_choice_variable(j)
            if problem.last is not None and problem.last not in self._candidates_of[j]:
                yield (-choice,)  # the last piece is buried, or nothing can support it
                continue
            unfilled = {cell for cells in problem.presets for cell in cells} | problem.holes
            for cell in self._cells:
                filled = self.get_cover_variable(cell)
                yield -choice, -filled if cell in unfilled else filled
            for i, (piece, latest) in enumerate(self.pieces.items()):
                own_latest = self._candidates_of[j].get(piece)
                if own_latest is None:
                    yield -choice, -self.get_piece_variable(i)
                elif own_latest < latest:
                    too_late = self.get_level_variable(piece.cells[0], own_latest + 1)
                    yield -choice, -self.get_piece_variable(i), -too_late
            if problem.last is not None:
                yield -choice, self.get_piece_variable(index[problem.last])
                yield -choice, self.get_level_variable(problem.last.cells[0], self.rows)

    def state_presets(self) -> Iterator[Clause]:
        """State that presets have level 0 or, if they need not come first, one level each."""
        if self.presets_first:
            yield from (
                (self.get_cover_variable(c), -self.get_level_variable(c, 1))
                for c in self._cells
                if c not in self.problems[0].holes
            )
            return
        for j, problem in enumerate(self.problems):
            choice = self.get_choice_variable(j)
            for preset in problem.presets:
                for a, b in pairwise(preset):
                    for k in range(1, self.rows + 1):
                        yield -choice, -self.get_level_variable(a, k), self.get_level_variable(b, k)
                        yield -choice, self.get_level_variable(a, k), -self.get_level_variable(b, k)

    def state_cover(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield for each cell its variable, and those of the candidates that cover the cell.

        One of them is in the packing if the cell is filled, and otherwise none.
        """
        covering: dict[Cell, list[int]] = {cell: [] for cell in self._cells}
        for i, piece in enumerate(self.pieces):
            for cell in piece.cells:
                covering[cell].append(self.get_piece_variable(i))
        for cell, variables in covering.items():
            yield self.get_cover_variable(cell), tuple(variables)

    def state_levels(self) -> Iterator[Clause]:
        """State that levels are unary, never decrease upwards and are equal within a piece."""
        for x, y in self._cells:
            for k in range(1, self.rows):
                yield -self.get_level_variable((x, y), k + 1), self.get_level_variable((x, y), k)
            if y + 1 < self.rows:
                for k in range(1, self.rows + 1):
                    yield (
                        -self.get_level_variable((x, y), k),
                        self.get_level_variable((x, y + 1), k),
                    )
        for i, (piece, latest) in enumerate(self.pieces.items()):
            chosen = self.get_piece_variable(i)
            if latest < self.rows:
                yield -chosen, -self.get_level_variable(piece.cells[0], latest + 1)
            for a, b in pairwise(piece.cells):
                for k in range(1, min(latest + 1, self.rows) + 1):
                    yield -chosen, -self.get_level_variable(a, k), self.get_level_variable(b, k)
                    yield -chosen, self.get_level_variable(a, k), -self.get_level_variable(b, k)

    def state_completion(self) -> Iterator[tuple[Clause, list[list[tuple[int, int]]]]]:
        """Yield a pair for each row that clears; exactly one piece completes the row.

        The first value has for each column the literal "the piece on the row's cell is late": its
        level is above the row's number. The second value has for each column the variables of the
        candidates (and of the problems with a preset) that cover this cell, each with the leftmost
        cell of the row that it covers.
        """
        groups = [(self.get_piece_variable(i), piece.cells) for i, piece in enumerate(self.pieces)]
        if not self.presets_first:  # else they have level 0 and complete nothing
            groups += [
                (self.get_choice_variable(j), preset)
                for j, problem in enumerate(self.problems)
                for preset in problem.presets
            ]
        covering: dict[Cell, list[tuple[int, int]]] = {cell: [] for cell in self._cells}
        for variable, cells in groups:
            leftmost = {y: x for x, y in sorted(cells, reverse=True)}
            for x, y in cells:
                covering[x, y].append((variable, leftmost[y]))
        for number, y in enumerate(self.problems[0].clearing_rows, 1):
            yield (
                tuple(self.get_level_variable((x, y), number) for x in range(self.width)),
                [covering[x, y] for x in range(self.width)],
            )

    def state_symmetry(self) -> Iterator[Clause]:
        """State that with each piece its mirror image is there, if the model is symmetric."""
        if not self.is_symmetric:
            return
        index = {frozenset(piece.cells): i for i, piece in enumerate(self.pieces)}
        for i, piece in enumerate(self.pieces):
            image = index.get(frozenset((self.width - 1 - x, y) for x, y in piece.cells))
            if image is None:
                yield (-self.get_piece_variable(i),)
            elif image != i:
                yield -self.get_piece_variable(i), self.get_piece_variable(image)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The model as clauses.

        Published certificates depend on the exact bytes of a formula, and sceptics should be able
        to read it. Therefore "at most one" is encoded pairwise, without auxiliary variables.
        """
        return (
            *self.state_choice(),
            *self.state_presets(),
            *self._encode_cover(),
            *self.state_levels(),
            *self._encode_completion(),
            *self.state_symmetry(),
        )

    def _encode_cover(self) -> Iterator[Clause]:
        """Encode that exactly one piece covers each filled cell, and no piece any other cell."""
        covers = list(self.state_cover())
        yield from ((-filled, *pieces) for filled, pieces in covers)
        for i, piece in enumerate(self.pieces):
            for cell in piece.cells:
                yield -self.get_piece_variable(i), self.get_cover_variable(cell)
        # Two pieces can share several cells. Each pair has one clause, in an order that stays.
        pairs = {pair for _, pieces in covers for pair in combinations(pieces, 2)}
        yield from ((-first, -second) for first, second in sorted(pairs))

    def _encode_completion(self) -> Iterator[Clause]:
        """Encode that some cell of each row is late, and that late cells belong to one piece."""
        for late, covering in self.state_completion():
            yield late
            columns = [dict.fromkeys(groups) for groups in covering]
            for a, b in combinations(range(len(columns)), 2):
                shared = (pair[0] for pair in columns[a] if pair in columns[b])
                yield -late[a], -late[b], *shared

    def to_dimacs(self, *, variable_map: bool = False) -> str:
        """Write the model in DIMACS form, optionally with the variable map as comments."""
        names = enumerate(self.describe_variables() if variable_map else (), 1)
        comments = (f"c {number} {name}\n" for number, name in names)
        return "".join(comments) + write_dimacs(self.variables, self.clauses)

    def to_opb(self, cost: Callable[[Placement], int] | None = None) -> str:
        """Write the model in OPB form for pseudo-Boolean solvers, with the map of its variables.

        A cover is one equation here. With a cost of pieces, the least sum of costs is asked for.
        """
        clauses = [
            *self.state_choice(),
            *self.state_presets(),
            *self.state_levels(),
            *self._encode_completion(),
            *self.state_symmetry(),
        ]
        covers = list(self.state_cover())
        lines = [f"* #variable= {self.variables} #constraint= {len(covers) + len(clauses)}"]
        lines += [f"* x{i} {text}" for i, text in enumerate(self.describe_variables(), 1)]
        if cost is not None:
            costs = map(cost, self.pieces)
            terms = [f"{c:+d} x{self.get_piece_variable(i)}" for i, c in enumerate(costs) if c]
            lines.append(" ".join(["min:", *terms, ";"]))
        for filled, pieces in covers:
            terms = [f"+1 x{piece}" for piece in pieces]
            lines.append(" ".join([*terms, f"-1 x{filled} = 0 ;"]))
        for clause in clauses:
            terms = [f"{'+' if literal > 0 else '-'}1 x{abs(literal)}" for literal in clause]
            # A negated literal counts as 1 - x; the ones are on the right side.
            least = 1 - sum(literal < 0 for literal in clause)
            lines.append(" ".join([*terms, f">= {least} ;"]))
        return "\n".join(lines) + "\n"

    def decode(self, model: Iterable[int]) -> Packing:
        """Turn the true literals of a solution, from any solver, into a packing, and replay it.

        Raises an InputError if they are no solution, and a JobError if presets need not come first:
        a :class:`Packing` always drops them first.
        """
        if not self.presets_first:
            raise JobError("cannot decode this model: a packing drops its presets first")
        true = {literal for literal in model if literal > 0}
        # The answer comes from a program that is not trusted, so every clause is checked.
        literals = {v if v in true else -v for v in range(1, self.variables + 1)}
        for clause in self.clauses:
            if literals.isdisjoint(clause):
                raise InputError(f"not a model of the formula: the clause {clause} is violated")
        return self.read_packing(true)

    def read_packing(self, true: Collection[int]) -> Packing:
        """Return the packing of a solution, given its true variables, after a replay."""
        number = next(j for j in range(len(self.problems)) if self.get_choice_variable(j) in true)
        chosen = []
        for index, piece in enumerate(self.pieces):
            if self.get_piece_variable(index) in true:
                cell = piece.cells[0]
                level = sum(
                    self.get_level_variable(cell, k) in true for k in range(1, self.rows + 1)
                )
                chosen.append((piece, level))
        return build_packing(self.problems[number], chosen)


def write_cpsat(
    model: PackingModel, cost: Callable[[Placement], int] | None = None, *, with_names: bool = False
) -> Any:
    """Write a model for CP-SAT, optionally with a cost of pieces to minimise.

    Variable ``v`` of the model has index ``v - 1``; helper variables follow. CP-SAT has a
    constraint "exactly one", so no pairwise clauses are needed.
    """
    from ortools.sat.python import cp_model

    cpsat = cp_model.CpModel()
    proto = cpsat.proto
    for name in model.describe_variables() if with_names else [""] * model.variables:
        variable = proto.variables.add()
        variable.domain.extend((0, 1))
        variable.name = name
    # Literals that every solution makes true. The solver does not presolve, so constraints leave
    # out what is known. If the model has one problem, the first clauses determine its presets and
    # all their levels.
    known: set[int] = set()

    def add_clause(*literals: int) -> None:
        if not known.isdisjoint(literals):
            return
        unknown = [literal for literal in literals if -literal not in known]
        if len(unknown) == 1:
            known.add(unknown[0])
        proto.constraints.add().bool_or.literals.extend(map(_to_reference, unknown))

    def add_exactly_one(literals: Iterable[int]) -> None:
        proto.constraints.add().exactly_one.literals.extend(
            _to_reference(literal) for literal in literals if -literal not in known
        )

    for clause in (*model.state_choice(), *model.state_presets()):
        add_clause(*clause)
    for filled, pieces in model.state_cover():
        add_exactly_one((*pieces, -filled))
    for clause in model.state_levels():
        add_clause(*clause)
    for late_cells, covering in model.state_completion():
        completing = []  # by column: the variable "a late piece has its leftmost cell here"
        for x, late in enumerate(late_cells):
            if -late in known:
                continue
            proto.variables.add().domain.extend((0, 1))
            completes = len(proto.variables)
            starting = [piece for piece, left in covering[x] if left == x]
            add_clause(-completes, late)
            add_clause(-late, completes, *(piece for piece, left in covering[x] if left != x))
            add_clause(-completes, *starting)
            for piece in starting:
                add_clause(-late, -piece, completes)
            completing.append(completes)
        add_exactly_one(completing)
    for clause in model.state_symmetry():
        add_clause(*clause)
    if cost is not None:
        for index, placement in enumerate(model.pieces):
            if weight := cost(placement):
                proto.objective.vars.append(model.get_piece_variable(index) - 1)
                proto.objective.coeffs.append(weight)
    return cpsat


def _to_reference(literal: int) -> int:
    """Return the number by which CP-SAT's models refer to a literal."""
    return literal - 1 if literal > 0 else literal
