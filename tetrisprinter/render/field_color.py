"""The colour of empty squares: visibly different from every colour of the picture.

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
from tetrisprinter.render.colors import BACKGROUND, GRID, shade

AUTO: Final = "auto"
"""The value of an option that lets the program choose the field."""

FIELDS: Final = (
    BACKGROUND,
    *("f4f1e8", "39404d", "9aa3ae", "d9cba8", "5f7a8c", "7d8f6a", "a58a97", "2f4f4a"),
    *("c9d6e2", "6b5a4e", "e8d5dc"),
)
"""Possible fields in the order of preference: black, paper, slate, grey, sand, ..."""

_DISTINCT: Final = 0.2
"""The least distance in OKLab at which two colours differ at a glance."""


def choose_field(colors: Iterable[str], background: str | None = None) -> str:
    """Choose the colour of empty squares for a picture with these colours."""
    if background is not None:
        return background
    seen = [_convert_to_oklab(color) for color in colors]
    gaps = [_find_least_distance(field, seen) for field in FIELDS]
    return next(
        (field for field, gap in zip(FIELDS, gaps, strict=True) if gap >= _DISTINCT),
        FIELDS[gaps.index(max(gaps))],
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
    return _find_least_distance(field, [_convert_to_oklab(color)]) >= _DISTINCT


def choose_grid(field: str) -> str:
    """Choose the colour of grid lines on a field.

    >>> choose_grid("000000")
    '26262b'
    """
    if field == BACKGROUND:
        return GRID
    return shade(field, -0.18 if sum(parse_rgb(field)) > 384 else 0.18)


def _find_least_distance(field: str, seen: list[tuple[float, float, float]]) -> float:
    """Return the distance in OKLab from a colour to the nearest of some others."""
    own = _convert_to_oklab(field)
    return min(
        (sum((a - b) ** 2 for a, b in zip(own, other, strict=True)) ** 0.5 for other in seen),
        default=1.0,
    )


def _convert_to_oklab(color: str) -> tuple[float, float, float]:
    """Return a colour in OKLab, where equal distances look about equal (Ottosson 2020).

    :func:`tetrisprinter.pictures.squares.to_point` does the same with stretched hues.
    """
    red, green, blue = (
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
        for v in (channel / 255 for channel in parse_rgb(color))
    )
    cones = [
        (a * red + b * green + c * blue) ** (1 / 3)
        for a, b, c in (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        )
    ]
    light, green_red, blue_yellow = (
        sum(weight * cone for weight, cone in zip(weights, cones, strict=True))
        for weights in (
            (0.2104542553, 0.7936177850, -0.0040720468),
            (1.9779984951, -2.4285922050, 0.4505937099),
            (0.0259040371, 0.7827717662, -0.8086757660),
        )
    )
    return light, green_red, blue_yellow
