"""Every placement that a pass could use.

The clearing rows of a pass complete in an order that its shape fixes; they are numbered in
that order. A piece is given a **level**: at least ``r + 1`` means "dropped when or after
clearing row ``r`` completes". A piece that covers clearing row ``r`` and has level ``r + 1``
or more is the one that completes it.

Once the first ``k`` clearing rows have gone, rows that were apart are neighbours. A piece
that lies across such a seam **bridges** ``gap = k`` rows: it comes after row ``k - 1`` has
completed and before row ``k`` does (unless it completes that itself), and in its columns
it passes through what used to lie in the rows that have gone. So does a piece that lies
wholly under a row that has gone. Without such pieces each square below the matrix must be
reached before the matrix closes over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Placement
from tetrisprinter.planners.passes.shape import PassShape
from tetrisprinter.printing.target import Target

__all__ = ["PassPlacement", "pass_placements"]


class PassPlacement(NamedTuple):
    """A placement in the virtual rows of a pass, at all levels it could have.

    Attributes
    ----------
    placement : Placement
        The piece; y counts the rows of the shape that are there when it drops.
    gap : int
        How many clearing rows it bridges; 0 if its rows are neighbours from the start.
    matrix : tuple of (int, int)
        Its cells in clearing rows: (x, number of the clearing row).
    picture : tuple of (int, int)
        Its cells in picture rows: (x, y).
    levels : range
        The levels that keep its geometry true.
    feet : tuple of (int, int)
        For each column: x and the height of its lowest cell among the virtual rows.
    cells : tuple of (int, int)
        The same as in ``matrix`` and then those in ``picture``: x and the height among the
        virtual rows.
    shade : int
        The number of its squares' colour in the target, if types have no colours yet and it
        leaves any; else 0.
    """

    placement: Placement
    gap: int
    matrix: tuple[Cell, ...]
    picture: tuple[Cell, ...]
    levels: range
    feet: tuple[Cell, ...]
    cells: tuple[Cell, ...] = ()
    shade: int = 0


@lru_cache(maxsize=256)
def _outlines(width: int, shape: PassShape) -> tuple[PassPlacement, ...]:
    """List the placements of a shape that begins at the floor, without their picture rows."""
    rows = shape.rows()
    clearing = sorted((~y, v) for v, y in enumerate(rows) if y < 0)
    first = min((v for _, v in clearing), default=0)
    listed = []
    for gap in range(max(1, len(clearing) if shape.bridging else 1)):
        gone = [v for r, v in clearing if r < gap]
        there = [v for v in range(len(rows)) if v not in gone]
        for o in ORIENTATIONS:
            for y in range(len(there) - o.height + 1):
                spanned = there[y : y + o.height]
                # Above all that has gone it is the same piece as before; what lies wholly
                # below the matrix belongs to a pass without clearing rows.
                if (gap > 0 and max(gone) < spanned[0]) or (clearing and spanned[-1] < first):
                    continue
                covered = {~rows[v] for v in spanned if rows[v] < 0}
                under = {r for r, v in clearing if v < spanned[0]}
                levels = _true_levels(gap, covered, under, len(clearing))
                for x in range(width - o.width + 1):
                    feet = tuple((x + dx, spanned[b]) for dx, b in enumerate(o.bottom))
                    cells = [(x + dx, spanned[dy]) for dx, dy in o.cells]
                    cells.sort(key=lambda cell: rows[cell[1]] >= 0)
                    matrix = tuple((cx, ~rows[v]) for cx, v in cells if rows[v] < 0)
                    place = Placement(o, x, y)
                    listed.append(PassPlacement(place, gap, matrix, (), levels, feet, tuple(cells)))
    return tuple(listed)


def _true_levels(gap: int, covered: set[int], under: set[int], lines: int) -> range:
    """Return the levels at which a piece has its geometry.

    Rows that go under it change nothing; then it can only complete what it covers itself.
    """
    end = gap
    while not gap and end in under:
        end += 1
    while end in covered:
        end += 1
    return range(gap, min(end, lines) + 1)


def pass_placements(
    shape: PassShape, target: Target, filled: frozenset[Cell] = frozenset()
) -> list[PassPlacement]:
    """Return every placement a pass may use, always in the same order.

    Parameters
    ----------
    shape : PassShape
        The shape of the pass.
    target : Target
        What may stay where.
    filled : frozenset of (int, int)
        Picture squares that are filled already.
    """
    rows = shape.rows()
    allowed = [_allowed(target, y, filled) for y in rows]
    listed: list[PassPlacement] = []
    for one in _outlines(target.width, replace(shape, base=shape.below)):
        spots = one.cells[len(one.matrix) :]
        if not spots:
            listed.append(one)
            continue
        bit = 1 << one.placement.orientation.piece
        if all(allowed[v][x] & bit for x, v in spots):
            picture = tuple([(x, rows[v]) for x, v in spots])
            shade = _shade(target, picture)
            if shade is not None:
                listed.append(one._replace(picture=picture, shade=shade))
    return listed


def _allowed(target: Target, y: int, filled: frozenset[Cell]) -> Sequence[int]:
    """Return for each square of a row the set of types that a pass may leave there."""
    if not 0 <= y < target.rows:
        return (0,) * target.width
    return [0 if (x, y) in filled else mask for x, mask in enumerate(target.allowed[y])]


def _shade(target: Target, picture: Sequence[Cell]) -> int | None:
    """Return the number of the colour of some squares, 0 without one, None if they differ."""
    if target.shades is None:
        return 0
    numbers = {target.shades[y][x] for x, y in picture}
    return None if len(numbers) > 1 else max(numbers, default=0)
