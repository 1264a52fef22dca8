"""What the exact finders know about a packing problem: placements, latest levels, order.

A piece has a **level** (:mod:`tetrisprinter.game.levels`); here all rows clear, from below. A
drop order exists if and only if levels in ``0 .. rows`` can be chosen so that

1. in every column levels never decrease upwards,
2. in every row ``r`` exactly one piece has a level above ``r``: the one that completes it,
3. no piece has a level above its *latest* one,
4. presets have level 0,
5. a piece that has to be the last one has level ``rows``, and nothing lies above it.

The latest level is the highest at which something holds the piece. A piece with a cell of its
own under its highest bottom cell, or over a square of row -1, is held at any level. What remains
are *flat* pieces: with the bottom in row ``r`` they must come before row ``r - 1`` is complete, at
level ``r - 1`` at the latest, and in row 0 nothing holds them at all.

``docs/encoding.md`` has the proof of the equivalence. All conditions are local to a cell
and its neighbours, which is what makes the models of the exact finders small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tetrisprinter.game.levels import drops_in_order
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

    Parameters
    ----------
    problem : PackingProblem
        Any problem.

    Returns
    -------
    Packing, Infeasible or None
        The answer, if counting, or that there is nothing to fill, is enough for it.

    Examples
    --------
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
    """Whether something would have to lie on the piece that must be the last one.

    Parameters
    ----------
    problem : PackingProblem
        If it has no last piece, nothing can lie on it.
    """
    last = problem.last
    return last is not None and any(last.y + t < problem.rows for t in last.orientation.top)


def candidates(problem: PackingProblem) -> tuple[Candidate, ...]:
    """List the placements that could be part of a packing, in a fixed order.

    Left out are those that leave the matrix, overlap a preset, lie on or above a piece
    that must be the last one, or that nothing could ever hold.

    Parameters
    ----------
    problem : PackingProblem
        What is to be packed.

    Returns
    -------
    tuple of Candidate
        By orientation, then column, then row: the order that encoders number them in.
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
    """Say for every cell which of the candidates, by index, cover it.

    Parameters
    ----------
    listed : iterable of Candidate
        In any order; their indices are those of this order.

    Returns
    -------
    mapping of (int, int) to tuple of int
        Cells that no candidate covers are not in it.
    """
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
    pieces = sorted(chosen, key=lambda pair: (pair[0].y, pair[0].x))
    order = drops_in_order([piece.cells for piece, _ in pieces], [level for _, level in pieces])
    packing = Packing(problem, tuple(pieces[number][0] for number in order))
    packing.check()
    return packing
