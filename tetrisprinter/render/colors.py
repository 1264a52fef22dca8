"""The colour of each piece type during a game.

A plan colours only the types that may stay; types of the background's colour look like empty
squares. All other types are on the field for a while, too. They get *muted* colours: tinted greys,
as far from the plan's colours, the background and each other as a fixed list allows. The last frame
never shows muted colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import parse_rgb

BACKGROUND: Final = "000000"
"""The colour of an empty square, unless the picture has black squares (``field_color``)."""

GRID: Final = "26262b"
"""The colour of the lines between squares on this background."""

# Slate, taupe, sage, mauve, steel, clay, olive, indigo: dim first, then lighter.
_MUTED: Final = (
    *("545d6a", "6a6055", "566459", "655a6b", "4a6272", "70574f", "60664a", "56587a"),
    *("8a93a0", "9c9286", "8b998e", "978ca0", "8099a8", "a58d86", "959b80", "8c8eae"),
)


def shade(color: str, amount: float) -> str:
    """Move a colour towards white (``amount > 0``) or black (``amount < 0``).

    >>> shade("804000", 0.5), shade("804000", -0.5)
    ('c0a080', '402000')
    """
    target_channel = 255 if amount > 0 else 0
    return bytes(round(c + (target_channel - c) * abs(amount)) for c in parse_rgb(color)).hex()


def _compute_distance(a: str, b: str) -> float:
    """Return the "redmean" distance, which is closer to perception than plain RGB."""
    (r1, g1, b1), (r2, g2, b2) = parse_rgb(a), parse_rgb(b)
    mean = (r1 + r2) / 2
    return (
        (2 + mean / 256) * (r1 - r2) ** 2
        + 4 * (g1 - g2) ** 2
        + (2 + (255 - mean) / 256) * (b1 - b2) ** 2
    )


def choose_muted(count: int, taken: Sequence[str]) -> list[str]:
    """Choose ``count`` muted colours, far from the taken colours and from each other."""
    chosen: list[str] = []
    for _ in range(count):
        used = [*taken, *chosen]
        unused = [color for color in _MUTED if color not in chosen]
        chosen.append(
            max(unused, key=lambda c: min((_compute_distance(c, u) for u in used), default=0))
        )
    return chosen


def choose_display_colors(plan: Plan, field_color: str = BACKGROUND) -> dict[PieceType, str]:
    """Return a colour for every piece type: the plan's, the field's, or a muted one."""
    # Types of the background's colour must not be visible on any field.
    plan_colors = {piece: plan.visible_colors.get(piece, field_color) for piece, _ in plan.colors}
    other_types = [piece for piece in PieceType if piece not in plan_colors]
    muted = choose_muted(len(other_types), [field_color, *plan_colors.values()])
    return {**plan_colors, **dict(zip(other_types, muted, strict=True))}
