"""A packing problem as a propositional formula.

The levels of :mod:`tetrisprinter.packings.placements`, written down in clauses. Numbers of
rows are small, so a level is written in unary: one variable says "at least ``k``". The
variables, in the order in which they are numbered (:meth:`Formula.variable_map` lists
them; ``docs/encoding.md`` argues clause by clause):

``choose j``
    the packing solves problem ``j``. A formula may stand for several problems of one
    size; it says that *at least one* of them has a packing.
``piece T x y``
    a piece of orientation T has the lower left corner of its bounding box at (x, y).
``filled x y``
    a piece, not a preset, covers the cell.
``level x y k``
    the piece that covers the cell has a level of at least ``k``.

No auxiliary variable beyond these: a formula is meant to be read by a sceptic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.packings.placements import Candidate, candidates, covering, drop_order, is_buried
from tetrisprinter.packings.problem import Packing, PackingProblem

__all__ = ["ENCODER_VERSION", "Clause", "Formula", "encode"]

ENCODER_VERSION = 1
"""Changes whenever the bytes of some formula change."""

Clause = tuple[int, ...]


@dataclass(frozen=True)
class Formula:
    """Clauses, and what their variables mean.

    Attributes
    ----------
    problems : tuple of PackingProblem
        The formula is satisfiable iff one of these has a packing.
    pieces : tuple of Candidate
        Of all problems together.
    clauses : tuple of tuple of int
        Literals as in DIMACS: variables from 1, negative if negated.
    presets_first : bool
        Whether the presets are dropped before everything else.
    """

    problems: tuple[PackingProblem, ...]
    pieces: tuple[Candidate, ...]
    clauses: tuple[Clause, ...]
    presets_first: bool = True

    @property
    def width(self) -> int:
        """Columns of the matrix."""
        return self.problems[0].width

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return self.problems[0].rows

    @property
    def variables(self) -> int:
        """How many variables there are."""
        return (
            self.choose(0)
            + len(self.problems)
            - 1
            + len(self.pieces)
            + (self.width * self.rows * (1 + self.rows))
        )

    def choose(self, problem: int) -> int:
        """Return the variable: the packing solves this problem."""
        return 1 + problem

    def piece(self, index: int) -> int:
        """Return the variable: this candidate is part of the packing."""
        return 1 + len(self.problems) + index

    def filled(self, cell: Cell) -> int:
        """Return the variable: a piece, not a preset, covers the cell."""
        return self.piece(len(self.pieces)) + cell[1] * self.width + cell[0]

    def level(self, cell: Cell, k: int) -> int:
        """Return the variable: what covers the cell has level ``k`` (1..rows) or more."""
        first = self.filled((0, self.rows))
        return first + (cell[1] * self.width + cell[0]) * self.rows + k - 1

    def variable_map(self) -> Iterator[str]:
        """List the variables, one line of text for each, in order."""
        yield from (f"choose {j}" for j in range(len(self.problems)))
        for candidate in self.pieces:
            placement = candidate.placement
            name = placement.orientation.piece.name
            yield f"piece {name}{placement.orientation.turns} {placement.x} {placement.y}"
        cells = [(x, y) for y in range(self.rows) for x in range(self.width)]
        yield from (f"filled {x} {y}" for x, y in cells)
        yield from (f"level {x} {y} {k}" for x, y in cells for k in range(1, self.rows + 1))

    def dimacs(self, *, variable_map: bool = False) -> str:
        """Write the formula in DIMACS form, on request with the map as comments."""
        lines = [f"c {i} {text}" for i, text in enumerate(self.variable_map(), 1)] * variable_map
        lines.append(f"p cnf {self.variables} {len(self.clauses)}")
        lines += [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join(lines) + "\n"

    def decode(self, model: Sequence[int]) -> Packing:
        """Turn a model, from any solver, into a packing, and replay it.

        Parameters
        ----------
        model : sequence of int
            The literals that are true; those that are missing count as false.

        Raises
        ------
        InputError
            If it is no model of this formula.
        JobError
            If presets need not come first in this formula; a :class:`Packing` has them
            first.
        """
        if not self.presets_first:
            raise JobError("a packing whose presets wait for other pieces cannot be written down")
        true = {literal for literal in model if literal > 0}
        literals = {v if v in true else -v for v in range(1, self.variables + 1)}
        for clause in self.clauses:
            if literals.isdisjoint(clause):
                raise InputError(f"not a model of the formula: the clause {clause} is violated")
        number = next(j for j in range(len(self.problems)) if self.choose(j) in true)
        chosen = []
        for index, candidate in enumerate(self.pieces):
            if self.piece(index) in true:
                cell = candidate.cells[0]
                level = sum(self.level(cell, k) in true for k in range(1, self.rows + 1))
                chosen.append((candidate.placement, level))
        return drop_order(self.problems[number], chosen)


def encode(problems: Sequence[PackingProblem], *, presets_first: bool = True) -> Formula:
    """Write down that at least one of some problems has a packing.

    Parameters
    ----------
    problems : sequence of PackingProblem
        All of one size.
    presets_first : bool
        False lets the pieces that the presets belong to be dropped at any time, with no
        regard to what holds them: more is possible, so more is excluded if even that is
        not. Such a formula is for proofs only.

    Returns
    -------
    Formula
        The same problems give the same formula, byte by byte.

    Raises
    ------
    InputError
        If there is no problem, they differ in size, or one has nothing to fill.
    """
    if not problems:
        raise InputError("a formula needs a problem")
    if len({(p.width, p.rows) for p in problems}) > 1:
        raise InputError("the problems of a formula must be of one size")
    if not all(problem.free_cells for problem in problems):
        raise InputError("a formula needs cells to fill")
    allowed = [
        {c.placement: c for c in candidates(problem)} if not is_buried(problem) else {}
        for problem in problems
    ]
    # The most that some problem allows; the others restrict it by clauses of their own.
    most: dict[Placement, Candidate] = {}
    for placement, candidate in (item for those in allowed for item in those.items()):
        if most.setdefault(placement, candidate).latest < candidate.latest:
            most[placement] = candidate
    pieces = tuple(most[p] for p in sorted(most, key=lambda p: (p.orientation.index, p.y, p.x)))
    formula = Formula(tuple(problems), pieces, (), presets_first)
    return replace(
        formula,
        clauses=(
            *_choice(formula, allowed),
            *_presets(formula),
            *_cover(formula),
            *_levels(formula),
            *_completion(formula),
        ),
    )


def _cells(formula: Formula) -> list[Cell]:
    return [(x, y) for y in range(formula.rows) for x in range(formula.width)]


def _choice(formula: Formula, allowed: Sequence[Mapping[Placement, Candidate]]) -> Iterator[Clause]:
    """One problem is chosen: its presets, its support, its last piece the last."""
    index = {c.placement: i for i, c in enumerate(formula.pieces)}
    yield tuple(formula.choose(j) for j in range(len(formula.problems)))
    for j, problem in enumerate(formula.problems):
        chosen = formula.choose(j)
        if problem.last is not None and problem.last not in allowed[j]:
            yield (-chosen,)  # buried, or nothing would ever hold it
            continue
        preset = {cell for cells in problem.presets for cell in cells}
        for cell in _cells(formula):
            yield -chosen, -formula.filled(cell) if cell in preset else formula.filled(cell)
        for i, candidate in enumerate(formula.pieces):
            own = allowed[j].get(candidate.placement)
            if own is None:
                yield -chosen, -formula.piece(i)
            elif own.latest < candidate.latest:
                limit = formula.level(candidate.cells[0], own.latest + 1)
                yield -chosen, -formula.piece(i), -limit
        if problem.last is not None:
            yield -chosen, formula.piece(index[problem.last])
            yield -chosen, formula.level(problem.last.cells[0], formula.rows)


def _presets(formula: Formula) -> Iterator[Clause]:
    """Presets have level 0; or, if they need not come first, one level each."""
    if formula.presets_first:
        yield from ((formula.filled(c), -formula.level(c, 1)) for c in _cells(formula))
        return
    for j, problem in enumerate(formula.problems):
        for preset in problem.presets:
            for a, b in pairwise(preset):
                for k in range(1, formula.rows + 1):
                    yield -formula.choose(j), -formula.level(a, k), formula.level(b, k)
                    yield -formula.choose(j), formula.level(a, k), -formula.level(b, k)


def _cover(formula: Formula) -> Iterator[Clause]:
    """A filled cell is covered by one piece, any other by none."""
    cover = covering(formula.pieces)
    for cell in _cells(formula):
        yield -formula.filled(cell), *(formula.piece(i) for i in cover.get(cell, ()))
    for i, candidate in enumerate(formula.pieces):
        yield from ((-formula.piece(i), formula.filled(cell)) for cell in candidate.cells)
    pairs = {pair for indices in cover.values() for pair in combinations(indices, 2)}
    yield from ((-formula.piece(i), -formula.piece(j)) for i, j in sorted(pairs))


def _levels(formula: Formula) -> Iterator[Clause]:
    """Levels are numbers, never decrease upwards, and are the same within a piece."""
    for x, y in _cells(formula):
        for k in range(1, formula.rows):
            yield -formula.level((x, y), k + 1), formula.level((x, y), k)
        if y + 1 < formula.rows:
            for k in range(1, formula.rows + 1):
                yield -formula.level((x, y), k), formula.level((x, y + 1), k)
    for i, candidate in enumerate(formula.pieces):
        piece = formula.piece(i)
        if candidate.latest < formula.rows:
            yield -piece, -formula.level(candidate.cells[0], candidate.latest + 1)
        for a, b in pairwise(candidate.cells):
            for k in range(1, min(candidate.latest + 1, formula.rows) + 1):
                yield -piece, -formula.level(a, k), formula.level(b, k)
                yield -piece, formula.level(a, k), -formula.level(b, k)


def _completion(formula: Formula) -> Iterator[Clause]:
    """In every row exactly one piece has a level above the row's number."""
    together: dict[tuple[Cell, Cell], list[int]] = {}  # in which problems one preset has both
    if not formula.presets_first:
        for j, problem in enumerate(formula.problems):
            for pair in (p for cells in problem.presets for p in combinations(sorted(cells), 2)):
                together.setdefault(pair, []).append(formula.choose(j))
    cover = covering(formula.pieces)
    for y in range(formula.rows):
        late = [formula.level((x, y), y + 1) for x in range(formula.width)]
        yield tuple(late)
        for a, b in combinations(range(formula.width), 2):
            common = set(cover.get((a, y), ())) & set(cover.get((b, y), ()))
            pieces = (formula.piece(i) for i in sorted(common))
            yield -late[a], -late[b], *pieces, *together.get(((a, y), (b, y)), ())
