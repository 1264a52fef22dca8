"""The colours of a game: of each piece type, and of the empty squares.

A plan colours only the types that may stay; types of the background's colour look like empty
squares. All other types are on the field for a while, too. They get *muted* colours: tinted greys,
as far from the plan's colours, the background and each other as a fixed list allows. The last frame
never shows muted colours.

The *field*, the colour of empty squares, differs visibly from all colours of the picture. A picture
with a background is drawn on that background, however similar its other colours are. Any other
picture is drawn on the first colour of a short list that differs visibly from all its colours, or
on the most different one. The list begins with black, on which a picture with black outlines would
not be recognised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.pictures.reduction import Point, to_oklab

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


def choose_display_colors(plan: Plan, field_color: str = BACKGROUND) -> dict[int, str]:
    """Return a colour for every value of a square: the plan's, the field's, or a muted one."""
    # Types of the background's colour must not be visible on any field.
    plan_colors = dict(plan.square_colors)
    plan_colors |= {piece: plan.visible_colors.get(piece, field_color) for piece, _ in plan.colors}
    other_types = [piece for piece in PieceType if piece not in plan_colors]
    muted = choose_muted(len(other_types), [field_color, *plan_colors.values()])
    return {**plan_colors, **dict(zip(other_types, muted, strict=True))}


AUTO: Final = "auto"
"""The value of an option that lets the program choose the field."""

FIELDS: Final = (
    BACKGROUND,
    *("f4f1e8", "39404d", "9aa3ae", "d9cba8", "5f7a8c", "7d8f6a", "a58a97", "2f4f4a"),
    *("c9d6e2", "6b5a4e", "e8d5dc"),
)
"""Possible fields in the order of preference: black, off-white, slate, grey, sand, ..."""

_DISTINCT: Final = 0.2
"""The least distance in OKLab at which two colours differ at a glance."""


def choose_field(colors: Iterable[str], background: str | None = None) -> str:
    """Choose the colour of empty squares for a picture with these colours."""
    if background is not None:
        return background
    points = [to_oklab(parse_rgb(color)) for color in colors]
    distances = [_find_least_distance(field, points) for field in FIELDS]
    return next(
        (field for field, distance in zip(FIELDS, distances, strict=True) if distance >= _DISTINCT),
        FIELDS[distances.index(max(distances))],
    )


def choose_field_for(plan: Plan, field: str = AUTO) -> str:
    """Choose the colour of empty squares for a game, unless one is given."""
    from tetrisprinter.game.field import TopOutError
    from tetrisprinter.game.replay import play_through
    from tetrisprinter.pictures.picture import make_field_picture

    if field != AUTO:
        return field
    if plan.background is not None:
        return plan.background
    field = choose_field(color for _, color in plan.colors)
    if field == BACKGROUND:
        return field
    try:
        return choose_field(make_field_picture(plan, play_through(plan).field).colors())
    except TopOutError:  # the renderer reports it
        return field


def is_distinct(color: str, field: str) -> bool:
    """Return whether a colour differs from the field at a glance."""
    return _find_least_distance(field, [to_oklab(parse_rgb(color))]) >= _DISTINCT


def choose_grid(field: str) -> str:
    """Choose the colour of grid lines on a field.

    >>> choose_grid("000000")
    '26262b'
    """
    if field == BACKGROUND:
        return GRID
    return shade(field, -0.18 if sum(parse_rgb(field)) > 384 else 0.18)


def _find_least_distance(field: str, points: list[Point]) -> float:
    """Return the distance in OKLab from a colour to the nearest of some points; 1 if none."""
    field_point = to_oklab(parse_rgb(field))
    return min(
        (
            sum((a - b) ** 2 for a, b in zip(field_point, point, strict=True)) ** 0.5
            for point in points
        ),
        default=1.0,
    )
