"""What holds a piece, said by levels and by times, and found out by dropping pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from tetrisprinter.bounds.stacks import WindowContents
from tetrisprinter.bounds.window_formula import WindowFormula
from tetrisprinter.bounds.windows import CLEARING, Part, WindowRows, list_parts
from tetrisprinter.game.levels import find_cleared_rows, find_row_under, order_drops
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Placement
from tetrisprinter.packings.placements import list_candidates
from tetrisprinter.packings.problem import PackingProblem
from tetrisprinter.planners.shortest.formula import GameFormula, Neighbourhood, PieceReach
from tetrisprinter.printing.target import Target

Ranks = tuple[int | None, ...]
"""For each row of a stack its rank, None for a row of the picture."""


def target_of(width: int, ranks: Ranks, cells: frozenset[Cell]) -> Target:
    """Let pieces of any type stay in some squares of the stack's rows of the picture."""
    picture = [v for v, rank in enumerate(ranks) if rank is None]
    allowed = tuple(tuple(127 * ((x, v) in cells) for x in range(width)) for v in picture)
    required = frozenset(
        (x, y) for y, v in enumerate(picture) for x in range(width) if (x, v) in cells
    )
    return Target(width, 40, allowed, required)


def window_of(ranks: Ranks) -> WindowRows:
    number = iter(range(len(ranks)))
    rows = tuple(next(number) if rank is None else CLEARING for rank in ranks)
    return WindowRows(rows, False, False, 0)


@cache
def pieces_of(width: int, ranks: Ranks) -> tuple[Part, ...]:
    """List the pieces that lie in a stack whose pictures take any square."""
    everything = frozenset((x, v) for x in range(width) for v in range(len(ranks)))
    return tuple(list_parts(target_of(width, ranks, everything), window_of(ranks)))


@st.composite
def lying(draw: st.DrawFn) -> tuple[int, Ranks, tuple[Part, ...]]:
    """Fill the clearing rows of a stack, and some of the picture's squares, with pieces."""
    width = draw(st.integers(4, 6))
    lines = draw(st.integers(1, 3))
    rows = 1 + draw(st.integers(lines - 1, 3 if lines < 3 else 4))
    clearing = (0, *draw(st.permutations(range(1, rows)))[: lines - 1])
    if draw(st.booleans()):
        clearing = tuple(sorted(clearing))
        order = dict(zip(clearing, range(lines), strict=True))
    else:
        order = dict(zip(clearing, draw(st.permutations(range(lines))), strict=True))
    ranks = tuple(order.get(v) for v in range(rows))
    rng = draw(st.randoms(use_true_random=False))
    every = pieces_of(width, ranks)
    due = [(x, v) for x in range(width) for v in range(rows) if ranks[v] is not None]

    def fill(used: tuple[Part, ...], covered: frozenset[Cell]) -> tuple[Part, ...] | None:
        cell = next((one for one in due if one not in covered), None)
        if cell is None:
            return used
        able = [p for p in every if cell in p.cells and not covered.intersection(p.cells)]
        rng.shuffle(able)
        for piece in able:
            found = fill((*used, piece), covered.union(piece.cells))
            if found is not None:
                return found
        return None

    found = fill((), frozenset())
    if found is None:
        return width, ranks, ()
    picture = [v for v, rank in enumerate(ranks) if rank is None]
    covered = {cell for piece in found for cell in piece.cells}
    if any(all((x, v) in covered for x in range(width)) for v in picture):
        return width, ranks, ()  # a row of the picture is never full
    return width, ranks, found


class Dropping:
    """Pieces that are dropped straight into a stack whose full rows vanish."""

    def __init__(self, width: int, ranks: Ranks, pieces: Sequence[Part]) -> None:
        self.width, self.ranks, self.pieces = width, ranks, pieces

    def full(self, dropped: frozenset[int]) -> frozenset[int]:
        """Return the rows that are full once some pieces lie."""
        filled = {cell for n in dropped for cell in self.pieces[n].cells}
        rows = range(len(self.ranks))
        return frozenset(v for v in rows if all((x, v) in filled for x in range(self.width)))

    def is_next(self, dropped: frozenset[int], number: int) -> bool:
        """Whether a piece lands where it is to lie, and completes the rows whose turn it is."""
        gone = self.full(dropped)
        there = [v for v in range(len(self.ranks)) if v not in gone]
        filled = {cell for n in dropped for cell in self.pieces[n].cells}
        piece = self.pieces[number]
        y = len(there)
        while y and not any(
            (piece.x + dx, v) in filled
            for dx, dy in piece.orientation.cells
            for v in there[y - 1 + dy : y + dy]
        ):
            y -= 1
        if y + piece.orientation.height > len(there):
            return False
        cells = {(piece.x + dx, there[y + dy]) for dx, dy in piece.orientation.cells}
        full = {self.ranks[v] for v in self.full(dropped | {number})}
        return cells == set(piece.cells) and full == set(range(len(full)))

    def can_be_done(self) -> bool:
        """Try all orders."""

        @cache
        def goes_on(dropped: frozenset[int]) -> bool:
            rest = [n for n in range(len(self.pieces)) if n not in dropped]
            return not rest or any(
                self.is_next(dropped, n) and goes_on(dropped | {n}) for n in rest
            )

        return goes_on(frozenset())

    def times(self, order: Sequence[int]) -> list[int]:
        """Drop the pieces in some order; return their times."""
        dropped: frozenset[int] = frozenset()
        times = {}
        for n in order:
            assert self.is_next(dropped, n)
            before = len(self.full(dropped))
            dropped |= {n}
            level = len(self.full(dropped))
            times[n] = 2 * level - (level > before)
        return [times[n] for n in range(len(order))]


def by_levels(
    width: int, ranks: Ranks, pieces: Sequence[Part], dropping: Dropping
) -> list[int] | None:
    """Ask the planner's formula for levels of these pieces, and sort them by these."""
    cells = frozenset(c for piece in pieces for c in piece.cells if ranks[c[1]] is None)
    rows = Neighbourhood(window_of(ranks).rows)
    formula = GameFormula(target_of(width, ranks, cells), rows, PieceReach(8, 8))
    wanted = {(one.orientation.piece, frozenset(one.cells)) for one in pieces}
    assumed = [
        literal if (orientation.piece, frozenset(lies)) in wanted else -literal
        for orientation, _, lies, literal in map(formula.part, formula.parts())
    ]
    with Solver("glucose4") as solver:
        formula.hand_over(solver.add_clause)
        if not solver.solve(assumptions=[*assumed, *formula.there]):
            return None
        game = formula.game(solver.get_model())
    order: list[int] = []
    for drop in game:
        same = [n for n, one in enumerate(pieces) if (one.orientation, one.x) == drop]
        order += [n for n in same if n not in order and dropping.is_next(frozenset(order), n)][:1]
    assert len(order) == len(pieces)
    return order


def times_fit(
    width: int, ranks: Ranks, pieces: Sequence[Part], times: Sequence[int] | None = None
) -> bool:
    """Ask the formula of bounds whether these pieces can be dropped, perhaps at these times."""
    cells = frozenset(c for piece in pieces for c in piece.cells if ranks[c[1]] is None)
    formula = WindowFormula(WindowContents(target_of(width, ranks, cells), window_of(ranks)))
    wanted = {(one.orientation.piece, frozenset(one.cells)) for one in pieces}
    assumed = [
        literal if (part.orientation.piece, frozenset(part.cells)) in wanted else -literal
        for part, literal in formula.parts
    ]
    for v, rank in enumerate(ranks):
        if rank is not None and formula.rank[v][rank] is not True:
            assumed.append(formula.rank[v][rank])
    for piece, time in zip(pieces, times or (), strict=False):
        for number, literal in enumerate(formula.times[piece.cells[0]], 1):
            assumed.append(literal if time >= number else -literal)
    with Solver("glucose4", bootstrap_with=formula.cnf.clauses) as solver:
        return bool(solver.solve(assumptions=assumed))


@pytest.mark.slow
def test_levels_times_and_dropping_agree() -> None:
    seen: Counter[bool] = Counter()
    both: Counter[bool] = Counter()

    @settings(max_examples=100, deadline=None)
    @given(lying())
    def compare(case: tuple[int, Ranks, tuple[Part, ...]]) -> None:
        width, ranks, pieces = case
        assume(pieces)
        dropping = Dropping(width, ranks, pieces)
        possible = dropping.can_be_done()
        seen[possible] += 1
        assert times_fit(width, ranks, pieces) == possible
        completes = [rank for rank in ranks if rank is not None]
        if completes != sorted(completes):
            return  # levels are for rows that complete from below
        order = by_levels(width, ranks, pieces, dropping)
        assert (order is not None) == possible
        both[possible] += 1
        if order is not None:
            assert times_fit(width, ranks, pieces, dropping.times(order))

    compare()
    assert min(seen[True], seen[False]) > 5
    assert min(both[True], both[False]) > 5


def test_a_latest_level_is_the_highest_at_which_something_holds_a_piece() -> None:
    for squares in (frozenset(), frozenset({2})):
        problem = PackingProblem(6, 4, squares=squares)
        listed = {one.placement: one.latest for one in list_candidates(problem)}
        for o in ORIENTATIONS:
            for x in range(problem.width - o.width + 1):
                for y in range(problem.rows - o.height + 1):
                    own = sum(1 << v for v in range(y, y + o.height))
                    held = [
                        level
                        for level in range(problem.rows + 1)
                        if any(
                            find_row_under(
                                y + foot, find_cleared_rows(range(problem.rows), level) & ~own
                            )
                            >= 0
                            or x + dx in squares
                            for dx, foot in enumerate(o.bottom)
                        )
                    ]
                    assert listed.get(Placement(o, x, y), -1) == max(held, default=-1)


def test_pieces_of_a_level_come_from_below_and_else_in_their_order() -> None:
    pieces = [[(0, 2), (1, 2)], [(1, 0)], [(0, 0), (0, 1)], [(2, 0)]]
    assert order_drops(pieces, [1, 1, 1, 0]) == [3, 1, 2, 0]
    assert order_drops(pieces, [1, 2, 1, 1]) == [2, 0, 3, 1]
