"""The colour of empty squares, the *field*: visibly different from all colours of the picture.

A picture with a background is drawn on that background, however similar its other colours are.
Any other picture is drawn on the first colour of a short list that differs visibly from all its
colours, or on the most different one. The list begins with black, on which a picture with black
outlines would not be recognised.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.pictures.squares import Point, to_oklab
from tetrisprinter.render.colors import BACKGROUND, GRID, shade

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
