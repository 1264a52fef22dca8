"""Facts about a packing problem that all exact finders use: placements, latest levels, order.

A piece has a **level** (:mod:`tetrisprinter.game.levels`): the number of rows that have cleared
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

``docs/encoding.md`` proves the equivalence. Every condition is local to a cell and its neighbours,
which keeps the models of the exact finders small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tetrisprinter.game.levels import order_drops
from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem


@dataclass(frozen=True, slots=True)
class CandidatePlacement:
    """A placement that a packing can contain."""

    placement: Placement  # the piece and where it lies
    cells: tuple[Cell, ...]  # the cells it covers
    latest: int  # the highest level that the piece may have; at most the number of rows


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


def list_candidates(problem: PackingProblem) -> tuple[CandidatePlacement, ...]:
    """List the placements that a packing can contain, by orientation, column and row.

    A placement is left out if it leaves the matrix, overlaps a preset, lies on or above the piece
    that must be dropped last, or can never be supported. The CP-SAT model numbers the candidates in
    this order.
    """
    start = problem.start
    last = problem.last
    last_bottoms: dict[int, int] = {}
    for x, y in last.cells if last else ():
        last_bottoms[x] = min(y, last_bottoms.get(x, y))
    candidates: list[CandidatePlacement] = []
    for orientation in problem.orientations:
        for x in range(problem.width - orientation.width + 1):
            has_support = not orientation.is_flat or any(
                x + dx in problem.squares for dx in range(orientation.width)
            )
            for y in range(problem.rows - orientation.height + 1):
                latest = problem.rows if has_support else y - 1
                if latest < 0 or any(
                    y + bottom < start[x + dx] for dx, bottom in enumerate(orientation.bottom)
                ):
                    continue
                placement = Placement(orientation, x, y)
                if placement != last and any(
                    y + top > last_bottoms.get(x + dx, problem.rows)
                    for dx, top in enumerate(orientation.top)
                ):
                    continue
                candidates.append(CandidatePlacement(placement, placement.cells, latest))
    return tuple(candidates)


def index_by_cell(candidates: Iterable[CandidatePlacement]) -> Mapping[Cell, tuple[int, ...]]:
    """Map every cell to the indices of the candidates that cover it."""
    cover: dict[Cell, list[int]] = {}
    for index, candidate in enumerate(candidates):
        for cell in candidate.cells:
            cover.setdefault(cell, []).append(index)
    return {cell: tuple(indices) for cell, indices in cover.items()}


def build_packing(problem: PackingProblem, chosen: Iterable[tuple[Placement, int]]) -> Packing:
    """Build a packing from pairs (piece, level), and replay the packing.

    Pieces drop by level; pieces of one level drop from below.
    """
    pieces = sorted(chosen, key=lambda pair: (pair[0].y, pair[0].x))
    order = order_drops([piece.cells for piece, _ in pieces], [level for _, level in pieces])
    packing = Packing(problem, tuple(pieces[number][0] for number in order))
    packing.check()
    return packing
