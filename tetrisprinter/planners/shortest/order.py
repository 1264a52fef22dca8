"""From the pieces of a pass to drops in order, drawn.

Sorted by level and then by what lies on what, the pieces of a pass are in an order in which
they can be dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from tetrisprinter.game.pieces import Placement
from tetrisprinter.planners.shortest.placements import PassPlacement
from tetrisprinter.planners.shortest.shape import PassShape

__all__ = ["drawings", "drop_order"]

_Columns = dict[int, tuple[int, int]]
"""For each column of a piece the heights of its lowest and highest cell."""


def drop_order(
    pieces: Sequence[tuple[PassPlacement, int]], shape: PassShape
) -> list[PassPlacement]:
    """Sort placements with their levels into an order in which they can be dropped.

    If pieces bridge, the one that completes a row opens its level (the model keeps
    everything else of that level from lying under it). Within a level a
    piece follows whatever it has a cell above of; that relation has no cycle for
    column-convex pieces, so repeated selection always ends.
    """
    height_of = shape.heights()
    bridging = any(placement.gap for placement, _ in pieces)

    def columns(placement: PassPlacement) -> _Columns:
        found: _Columns = {}
        for x, y in (*((x, ~r) for x, r in placement.matrix), *placement.picture):
            v = height_of[y]
            low, high = found.get(x, (v, v))
            found[x] = (min(low, v), max(high, v))
        return found

    ordered: list[PassPlacement] = []
    for level in sorted({level for _, level in pieces}):
        own = [placement for placement, its in pieces if its == level]
        own.sort(key=lambda s: (s.placement.y, s.placement.x, s.placement.orientation.index))
        opening = [s for s in own if bridging and any(r == level - 1 for _, r in s.matrix)]
        ordered += opening
        left = [(placement, columns(placement)) for placement in own if placement not in opening]
        while left:
            ready = next(
                one
                for one in left
                if not any(_on(one[1], other[1]) for other in left if other is not one)
            )
            left.remove(ready)
            ordered.append(ready[0])
    return ordered


def _on(upper: _Columns, lower: _Columns) -> bool:
    """Whether the first piece has a cell over one of the second's."""
    return any(x in lower and low > lower[x][1] for x, (low, _) in upper.items())


def drawings(order: Sequence[PassPlacement], shape: PassShape) -> tuple[tuple[Placement, ...], ...]:
    """Draw the pieces of a pass; where rows have gone that a piece bridges, draw anew.

    Parameters
    ----------
    order : sequence of PassPlacement
        As from :func:`drop_order`.
    shape : PassShape
        The shape of the pass.

    Returns
    -------
    tuple of tuple of Placement
        One drawing after the other; y counts the rows that are there.
    """
    height_of = shape.heights()
    parts: list[list[Placement]] = [[]]
    gap = 0
    for one in order:
        if one.gap > gap:
            gap = one.gap
            parts.append([])
        gone = sum(height_of[~r] < one.feet[0][1] for r in range(one.gap, gap))
        placement = one.placement
        parts[-1].append(Placement(placement.orientation, placement.x, placement.y - gone))
    return tuple(map(tuple, parts))
