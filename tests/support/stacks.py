"""Random games of the oracle as stacks, and the types of a stack's target."""

from collections.abc import Iterable
from dataclasses import replace

from tests.oracles.slices import Field
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.target import Target


def describe_stack(played: Field, height: int) -> tuple[Target, tuple[int, ...], dict[int, int]]:
    """Return the target of a game, its cleared rows below each row, and a stack index by row."""
    rows = sorted({row for drop in played.drops for _, row in drop.cells} | played.gone)
    stack_index = {row: v for v, row in enumerate(rows)}
    rows_left = [row for row in rows if row not in played.gone]
    allowed = tuple(
        tuple(
            1 << PieceType[played.filled[row][x]] if x in played.filled.get(row, {}) else 0
            for x in range(played.width)
        )
        for row in rows_left
    )
    required = frozenset(
        (x, y) for y, row in enumerate(allowed) for x, mask in enumerate(row) if mask
    )
    counts = [0] * (len(rows_left) + 1)
    for row in played.gone:
        counts[sum(row_left < row for row_left in rows_left)] += 1
    return Target(played.width, height, allowed, required), tuple(counts), stack_index


def get_needed_height(played: Field) -> int:
    """Return the height of the lowest board on which a game can be played."""
    return 1 + max(y for drop in played.drops for _, y in drop.real)


def assign_shades(target: Target, shades: Iterable[tuple[PieceType, int]]) -> Target:
    """Give each piece type its shade; a target that has colours already stays unchanged."""
    if target.shades is None:
        return target
    masks: dict[int, int] = {}
    for piece, shade in shades:
        masks[shade] = masks.get(shade, 0) | 1 << piece
    allowed = tuple(tuple(masks.get(shade, 0) for shade in row) for row in target.shades)
    above = masks.get(target.dont_care_shade, 0) if target.above else 0
    return replace(target, allowed=allowed, shades=None, above=above, dont_care_shade=0)
