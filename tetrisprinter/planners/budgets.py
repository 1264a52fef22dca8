"""The numbers of experience of those planners that have no table of their own; what they take.

None of these changes whether a plan is correct. Tables stand in ``rows/budgets.py``,
``shortest/budgets.py``, ``dealt/budgets.py`` and ``portfolio.py``, too.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture

__all__ = ["COMMON", "EASY", "PACE", "CommonBudgets", "PaceBudgets", "seconds_of_photo"]


@dataclass(frozen=True, slots=True)
class PaceBudgets:
    """How long planners take on a quiet machine."""

    lines: float = 2.0  # rows that *rows* clears for a row of the picture
    # Seconds that *rows* takes for each square, and for each change of colour along the rows
    square: float = 0.0006
    change: float = 0.007
    # A change takes this factor longer for each colour that I or O have to show, times the
    # share of changes among squares, twice: these can hardly leave squares that stand alone
    single: float = 45.0
    # Work of *rows* for a state or a step of a graph, or for a pair of states at a cell: about
    # seconds
    step: float = 4e-8
    direct: int = 5  # drops for a square of those who search for no shorter game
    drop: float = 0.0003  # seconds for each of these


@dataclass(frozen=True, slots=True)
class CommonBudgets:
    """What small searches may use."""

    abreast: float = 2.5  # the effort of *rows* in *auto* above the first step
    # Up to this board area the shortest plan is searched if nothing else is found
    solvable: int = 480
    # How many starts a search for a packing makes, and in how many heights of the matrix
    starts: int = 20
    heights: int = 2
    # Whole games over another picture: fields that are looked at with an effort of 1, and those of
    # one number of drops that are gone on from where there are too many
    fields: int = 8_000_000
    best: int = 20_000


PACE = PaceBudgets()
COMMON = CommonBudgets()

EASY: Final = len(set(PieceType) - {PieceType.I, PieceType.O})
"""The largest number of colours that need neither I nor O."""


def seconds_of_photo(picture: Picture, colors: int | None = None) -> float:
    """Estimate the CPU seconds that the planner *rows* takes for a photograph.

    What decides is how often the colour changes along its rows: grain is dear, a sky is not.
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    dear = max(0, (colors or len(picture.colors())) - EASY) * (changes / squares) ** 2
    return PACE.square * squares + PACE.change * changes * (1 + PACE.single * dear)
