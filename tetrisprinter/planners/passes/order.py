"""From the pieces of a pass to drops in order, drawn."""

from __future__ import annotations

from collections.abc import Sequence

from tetrisprinter.game.levels import drops_in_order
from tetrisprinter.game.pieces import Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.passes.placements import PassPlacement
from tetrisprinter.planners.passes.shape import PassShape

__all__ = ["drawings", "ordered"]


def ordered(pieces: Sequence[tuple[PassPlacement, int]]) -> list[PassPlacement]:
    """Sort placements with their levels into an order in which they can be dropped.

    If pieces bridge, the one that completes a row opens its level: the model keeps everything
    else of that level from lying under it.
    """
    pieces = sorted(pieces, key=lambda one: _place(one[0].placement))
    bridging = any(one.gap for one, _ in pieces)
    levels = [
        (level, not (bridging and any(r == level - 1 for _, r in one.matrix)))
        for one, level in pieces
    ]
    return [pieces[n][0] for n in drops_in_order([one.cells for one, _ in pieces], levels)]


def _place(one: Placement) -> tuple[int, int, int]:
    return one.y, one.x, one.orientation.index


def drawings(order: Sequence[PassPlacement], shape: PassShape) -> tuple[Pass, ...]:
    """Draw the pieces of a pass; where rows have gone that a piece bridges, draw anew.

    Parameters
    ----------
    order : sequence of PassPlacement
        As from :func:`ordered`.
    shape : PassShape
        The shape of the pass.
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
    return tuple(Pass.of(part) for part in parts if part)
