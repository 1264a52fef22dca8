"""Random games as stacks, and the types of a stack's target."""

from collections.abc import Iterable
from dataclasses import replace

from tests.oracles.slices import Field
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.target import Target


def describe_stack(played: Field, height: int) -> tuple[Target, tuple[int, ...], dict[int, int]]:
    """Return what a game leaves, its stack, and where each of its rows is in that."""
    rows = sorted({row for drop in played.drops for _, row in drop.cells} | played.gone)
    where = {row: v for v, row in enumerate(rows)}
    kept = [row for row in rows if row not in played.gone]
    allowed = tuple(
        tuple(
            1 << PieceType[played.filled[row][x]] if x in played.filled.get(row, {}) else 0
            for x in range(played.width)
        )
        for row in kept
    )
    required = frozenset(
        (x, y) for y, row in enumerate(allowed) for x, mask in enumerate(row) if mask
    )
    counts = [0] * (len(kept) + 1)
    for row in played.gone:
        counts[sum(other < row for other in kept)] += 1
    return Target(played.width, height, allowed, required), tuple(counts), where


def get_needed_height(played: Field) -> int:
    """Return the lowest board on which the game can be played."""
    return 1 + max(y for drop in played.drops for _, y in drop.real)


def assign_shades(target: Target, shades: Iterable[tuple[PieceType, int]]) -> Target:
    """Give each type its shade; a target whose types have colours stays unchanged."""
    if target.shades is None:
        return target
    masks: dict[int, int] = {}
    for piece, shade in shades:
        masks[shade] = masks.get(shade, 0) | 1 << piece
    allowed = tuple(tuple(masks.get(shade, 0) for shade in row) for row in target.shades)
    above = masks.get(target.dont_care_shade, 0) if target.above else 0
    return replace(target, allowed=allowed, shades=None, above=above, dont_care_shade=0)
