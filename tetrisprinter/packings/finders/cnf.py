"""A packing problem as a propositional formula.

The clauses state the levels of :mod:`tetrisprinter.packings.placements` in unary (order encoding):
each variable says that a level is "at least ``k``". The variables, in the order of their numbers
(:meth:`PackingFormula.describe_variables` lists them; ``docs/encoding.md`` explains the clauses):

``choose j``
    the packing solves problem ``j``. A formula can stand for several problems of one
    size; it says that *at least one* of them has a packing.
``piece T x y``
    a piece of orientation T has the lower left corner of its bounding box at (x, y).
``filled x y``
    a piece, not a preset, covers the cell.
``level x y k``
    the piece that covers the cell has a level of at least ``k``.

Published certificates depend on the exact bytes of a formula, and sceptics should be able to read
it. Therefore "at most one" is encoded pairwise, without auxiliary variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.packings.placements import (
    CandidatePlacement,
    build_packing,
    index_by_cell,
    is_buried,
    list_candidates,
)
from tetrisprinter.packings.problem import Packing, PackingProblem

ENCODER_VERSION = 1
"""The version of the encoding; it changes whenever the bytes of some formula change."""

Clause = tuple[int, ...]


@dataclass(frozen=True)
class PackingFormula:
    """Clauses and the meaning of their variables."""

    # The formula is satisfiable if and only if one of these problems has a packing
    problems: tuple[PackingProblem, ...]
    pieces: tuple[CandidatePlacement, ...]  # the candidates of all problems together
    clauses: tuple[Clause, ...]  # literals as in DIMACS: variables from 1, negative if negated
    presets_first: bool = True  # whether the presets are dropped before everything else

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
        """Number of variables."""
        return (
            self.get_choice_variable(0)
            + len(self.problems)
            - 1
            + len(self.pieces)
            + (self.width * self.rows * (1 + self.rows))
        )

    def get_choice_variable(self, problem: int) -> int:
        """Return the variable "the packing solves this problem"."""
        return 1 + problem

    def get_piece_variable(self, index: int) -> int:
        """Return the variable "the packing contains this candidate"."""
        return 1 + len(self.problems) + index

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
        for candidate in self.pieces:
            placement = candidate.placement
            name = placement.orientation.piece.name
            yield f"piece {name}{placement.orientation.turns} {placement.x} {placement.y}"
        cells = [(x, y) for y in range(self.rows) for x in range(self.width)]
        yield from (f"filled {x} {y}" for x, y in cells)
        yield from (f"level {x} {y} {k}" for x, y in cells for k in range(1, self.rows + 1))

    def to_dimacs(self, *, variable_map: bool = False) -> str:
        """Write the formula in DIMACS form, optionally with the variable map as comments."""
        lines = [
            f"c {i} {text}" for i, text in enumerate(self.describe_variables(), 1)
        ] * variable_map
        lines.append(f"p cnf {self.variables} {len(self.clauses)}")
        lines += [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join(lines) + "\n"

    def decode(self, model: Sequence[int]) -> Packing:
        """Turn the true literals of a model, from any solver, into a packing, and replay it.

        Raises an InputError if they are not a model, and a JobError if presets need not come first:
        a :class:`Packing` always drops them first.
        """
        if not self.presets_first:
            raise JobError("cannot decode this model: a packing drops its presets first")
        true = {literal for literal in model if literal > 0}
        literals = {v if v in true else -v for v in range(1, self.variables + 1)}
        for clause in self.clauses:
            if literals.isdisjoint(clause):
                raise InputError(f"not a model of the formula: the clause {clause} is violated")
        number = next(j for j in range(len(self.problems)) if self.get_choice_variable(j) in true)
        chosen = []
        for index, candidate in enumerate(self.pieces):
            if self.get_piece_variable(index) in true:
                cell = candidate.cells[0]
                level = sum(
                    self.get_level_variable(cell, k) in true for k in range(1, self.rows + 1)
                )
                chosen.append((candidate.placement, level))
        return build_packing(self.problems[number], chosen)


def encode(problems: Sequence[PackingProblem], *, presets_first: bool = True) -> PackingFormula:
    """Return a formula that has a model if and only if at least one problem has a packing.

    All problems have the same size. With ``presets_first=False`` presets may drop at any time; all
    cells of a preset share a level.
    """
    if not problems:
        raise InputError("no problems are given; expected at least one")
    if len({(p.width, p.rows) for p in problems}) > 1:
        raise InputError("the problems have different sizes; expected problems of one size")
    if not all(problem.free_cells for problem in problems):
        raise InputError("a problem has no free cells; expected at least one")
    candidates_of = [
        {c.placement: c for c in list_candidates(problem)} if not is_buried(problem) else {}
        for problem in problems
    ]
    # Give each placement the highest latest level of any problem; clauses restrict the problems
    # with a lower one.
    merged: dict[Placement, CandidatePlacement] = {}
    for placement, candidate in (item for those in candidates_of for item in those.items()):
        if merged.setdefault(placement, candidate).latest < candidate.latest:
            merged[placement] = candidate
    pieces = tuple(merged[p] for p in sorted(merged, key=lambda p: (p.orientation.index, p.y, p.x)))
    formula = PackingFormula(tuple(problems), pieces, (), presets_first)
    return replace(
        formula,
        clauses=(
            *_encode_choice(formula, candidates_of),
            *_encode_presets(formula),
            *_encode_cover(formula),
            *_encode_levels(formula),
            *_encode_completion(formula),
        ),
    )


def _list_cells(formula: PackingFormula) -> list[Cell]:
    return [(x, y) for y in range(formula.rows) for x in range(formula.width)]


def _encode_choice(
    formula: PackingFormula, candidates_of: Sequence[Mapping[Placement, CandidatePlacement]]
) -> Iterator[Clause]:
    """Encode that a problem is chosen, with its presets, latest levels and last piece."""
    index = {c.placement: i for i, c in enumerate(formula.pieces)}
    yield tuple(formula.get_choice_variable(j) for j in range(len(formula.problems)))
    for j, problem in enumerate(formula.problems):
        choice = formula.get_choice_variable(j)
        if problem.last is not None and problem.last not in candidates_of[j]:
            yield (-choice,)  # the last piece is buried, or nothing can support it
            continue
        preset = {cell for cells in problem.presets for cell in cells}
        for cell in _list_cells(formula):
            yield (
                -choice,
                -formula.get_cover_variable(cell)
                if cell in preset
                else formula.get_cover_variable(cell),
            )
        for i, candidate in enumerate(formula.pieces):
            own_candidate = candidates_of[j].get(candidate.placement)
            if own_candidate is None:
                yield -choice, -formula.get_piece_variable(i)
            elif own_candidate.latest < candidate.latest:
                too_late = formula.get_level_variable(candidate.cells[0], own_candidate.latest + 1)
                yield -choice, -formula.get_piece_variable(i), -too_late
        if problem.last is not None:
            yield -choice, formula.get_piece_variable(index[problem.last])
            yield -choice, formula.get_level_variable(problem.last.cells[0], formula.rows)


def _encode_presets(formula: PackingFormula) -> Iterator[Clause]:
    """Encode that presets have level 0 or, if they need not come first, one level each."""
    if formula.presets_first:
        yield from (
            (formula.get_cover_variable(c), -formula.get_level_variable(c, 1))
            for c in _list_cells(formula)
        )
        return
    for j, problem in enumerate(formula.problems):
        for preset in problem.presets:
            for a, b in pairwise(preset):
                for k in range(1, formula.rows + 1):
                    yield (
                        -formula.get_choice_variable(j),
                        -formula.get_level_variable(a, k),
                        formula.get_level_variable(b, k),
                    )
                    yield (
                        -formula.get_choice_variable(j),
                        formula.get_level_variable(a, k),
                        -formula.get_level_variable(b, k),
                    )


def _encode_cover(formula: PackingFormula) -> Iterator[Clause]:
    """Encode that exactly one piece covers each filled cell, and no piece any other cell."""
    cover = index_by_cell(formula.pieces)
    for cell in _list_cells(formula):
        yield (
            -formula.get_cover_variable(cell),
            *(formula.get_piece_variable(i) for i in cover.get(cell, ())),
        )
    for i, candidate in enumerate(formula.pieces):
        yield from (
            (-formula.get_piece_variable(i), formula.get_cover_variable(cell))
            for cell in candidate.cells
        )
    pairs = {pair for indices in cover.values() for pair in combinations(indices, 2)}
    yield from (
        (-formula.get_piece_variable(i), -formula.get_piece_variable(j)) for i, j in sorted(pairs)
    )


def _encode_levels(formula: PackingFormula) -> Iterator[Clause]:
    """Encode unary levels that never decrease upwards and are equal within a piece."""
    for x, y in _list_cells(formula):
        for k in range(1, formula.rows):
            yield -formula.get_level_variable((x, y), k + 1), formula.get_level_variable((x, y), k)
        if y + 1 < formula.rows:
            for k in range(1, formula.rows + 1):
                yield (
                    -formula.get_level_variable((x, y), k),
                    formula.get_level_variable((x, y + 1), k),
                )
    for i, candidate in enumerate(formula.pieces):
        piece = formula.get_piece_variable(i)
        if candidate.latest < formula.rows:
            yield -piece, -formula.get_level_variable(candidate.cells[0], candidate.latest + 1)
        for a, b in pairwise(candidate.cells):
            for k in range(1, min(candidate.latest + 1, formula.rows) + 1):
                yield -piece, -formula.get_level_variable(a, k), formula.get_level_variable(b, k)
                yield -piece, formula.get_level_variable(a, k), -formula.get_level_variable(b, k)


def _encode_completion(formula: PackingFormula) -> Iterator[Clause]:
    """Encode that in every row exactly one piece has a level above the row's number."""
    # The choices of problems where one preset covers both cells
    preset_choices: dict[tuple[Cell, Cell], list[int]] = {}
    if not formula.presets_first:
        for j, problem in enumerate(formula.problems):
            for pair in (p for cells in problem.presets for p in combinations(sorted(cells), 2)):
                preset_choices.setdefault(pair, []).append(formula.get_choice_variable(j))
    cover = index_by_cell(formula.pieces)
    for y in range(formula.rows):
        late = [formula.get_level_variable((x, y), y + 1) for x in range(formula.width)]
        yield tuple(late)
        for a, b in combinations(range(formula.width), 2):
            common_pieces = set(cover.get((a, y), ())) & set(cover.get((b, y), ()))
            pieces = (formula.get_piece_variable(i) for i in sorted(common_pieces))
            yield -late[a], -late[b], *pieces, *preset_choices.get(((a, y), (b, y)), ())
