"""What the exact finders know about a packing problem: placements, latest levels, order.

The hard part of packing is time: a piece may only be dropped while something holds it,
and rows vanish on the way. Modelled naively that takes a start time for every piece or
an order for every pair. Instead every piece gets one small number, its **level**: how
many rows are complete once it lies there. A drop order exists if and only if levels in
``0 .. rows`` can be chosen so that

1. in every column levels never decrease upwards,
2. in every row ``r`` exactly one piece has a level above ``r``: the one that completes it,
3. no piece has a level above its *latest* one,
4. presets have level 0,
5. a piece that has to be the last one has level ``rows``, and nothing lies above it.

Latest levels express support. A piece is held as long as the row below its highest
bottom cell is incomplete. If the piece has a cell of its own in that row, it is so by
itself; over a square of row -1 it is held in any case. What remains are *flat* pieces:
with the bottom in row ``r`` they must come before row ``r - 1`` is complete, at level
``r - 1`` at the latest, and in row 0 nothing holds them at all.

``docs/encoding.md`` has the proof of the equivalence. All conditions are local to a cell
and its neighbours, which is what makes the models of the exact finders small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

from tetrisprinter.game.pieces import Cell, Placement
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem

__all__ = ["Candidate", "candidates", "covering", "drop_order", "is_buried", "settled"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A placement that could be part of a packing.

    Attributes
    ----------
    placement : Placement
        The piece and where it lies.
    cells : tuple of (int, int)
        The cells it covers.
    latest : int
        The highest level it may have; the number of rows if nothing limits it.
    """

    placement: Placement
    cells: tuple[Cell, ...]
    latest: int


def settled(problem: PackingProblem) -> Packing | Infeasible | None:
    """Answer a problem that needs no search; None if it needs one.

    >>> settled(PackingProblem(20, 3, (((5, 0), (6, 0), (7, 0)),)))
    Infeasible(reason='the 57 cells to fill are not a multiple of 4')
    """
    if not problem.is_divisible:
        return Infeasible(f"the {problem.free_cells} cells to fill are not a multiple of 4")
    if problem.free_cells == 0:
        return Packing(problem, ())
    if is_buried(problem):
        return Infeasible("cells above the piece that must be the last one are left unfilled")
    return None


def is_buried(problem: PackingProblem) -> bool:
    """Whether something would have to lie on the piece that must be the last one."""
    last = problem.last
    return last is not None and any(last.y + t < problem.rows for t in last.orientation.top)


def candidates(problem: PackingProblem) -> tuple[Candidate, ...]:
    """List the placements that could be part of a packing, in a fixed order.

    Left out are those that leave the matrix, overlap a preset, lie on or above a piece
    that must be the last one, or that nothing could ever hold.
    """
    start = problem.start
    last = problem.last
    lowest_of_last: dict[int, int] = {}
    for x, y in last.cells if last else ():
        lowest_of_last[x] = min(y, lowest_of_last.get(x, y))
    found: list[Candidate] = []
    for orientation in problem.orientations:
        for x in range(problem.width - orientation.width + 1):
            held = not orientation.is_flat or any(
                x + dx in problem.squares for dx in range(orientation.width)
            )
            for y in range(problem.rows - orientation.height + 1):
                latest = problem.rows if held else y - 1
                if latest < 0 or any(
                    y + bottom < start[x + dx] for dx, bottom in enumerate(orientation.bottom)
                ):
                    continue
                placement = Placement(orientation, x, y)
                if placement != last and any(
                    y + top > lowest_of_last.get(x + dx, problem.rows)
                    for dx, top in enumerate(orientation.top)
                ):
                    continue
                found.append(Candidate(placement, placement.cells, latest))
    return tuple(found)


def covering(listed: Iterable[Candidate]) -> Mapping[Cell, tuple[int, ...]]:
    """Say for every cell which of the candidates, by index, cover it."""
    cover: dict[Cell, list[int]] = {}
    for index, candidate in enumerate(listed):
        for cell in candidate.cells:
            cover.setdefault(cell, []).append(index)
    return {cell: tuple(indices) for cell, indices in cover.items()}


def drop_order(problem: PackingProblem, chosen: Iterable[tuple[Placement, int]]) -> Packing:
    """Turn pieces with levels into a packing, and replay it.

    By level, and within a level from below: the lowest piece that lies on nothing
    missing comes next.

    Parameters
    ----------
    problem : PackingProblem
        What they solve.
    chosen : iterable of (Placement, int)
        The pieces and their levels.

    Raises
    ------
    PackingError
        If they are no packing: a finder is wrong.
    """
    pieces = sorted(chosen, key=lambda pair: (pair[1], pair[0].y, pair[0].x))
    columns: dict[int, list[tuple[int, int]]] = {}
    for index, (piece, _) in enumerate(pieces):
        for dx, bottom in enumerate(piece.orientation.bottom):
            columns.setdefault(piece.x + dx, []).append((piece.y + bottom, index))
    above: list[list[int]] = [[] for _ in pieces]
    waits = [0] * len(pieces)  # in how many columns a piece is not the next one
    for column in columns.values():
        column.sort()
        for (_, lower), (_, upper) in pairwise(column):
            above[lower].append(upper)
            waits[upper] += 1
    ready = [index for index, count in enumerate(waits) if not count]
    ordered: list[Placement] = []
    while ready:
        index = heappop(ready)
        ordered.append(pieces[index][0])
        for upper in above[index]:
            waits[upper] -= 1
            if not waits[upper]:
                heappush(ready, upper)
    packing = Packing(problem, tuple(ordered))
    packing.check()
    return packing
