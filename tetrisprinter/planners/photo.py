"""How long the planner *rows* takes for a picture, before it is begun."""

from __future__ import annotations

import itertools
from typing import Final

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.budgets import PACE

__all__ = ["EASY", "seconds_of_photo"]

EASY: Final = len(set(PieceType) - {PieceType.I, PieceType.O})
"""So many colours need neither I nor O."""


def seconds_of_photo(picture: Picture, colors: int | None = None) -> float:
    """Say about how many seconds of a processor *rows* takes for a photograph.

    What decides is how often the colour changes along its rows: grain is dear, a sky is not.

    Parameters
    ----------
    picture : Picture
        What is to be printed.
    colors : int, optional
        In so many colours; by default those that it has.

    Examples
    --------
    >>> round(seconds_of_photo(Picture((("d03020", "2050c0") * 24,) * 48)))
    17
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    dear = max(0, (colors or len(picture.colors())) - EASY) * (changes / squares) ** 2
    return PACE.square * squares + PACE.change * changes * (1 + PACE.single * dear)
