"""The measured costs of planning row by row, and the estimated work of a photograph."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture


@dataclass(frozen=True, slots=True)
class PaceBudgets:
    """The measured costs of planning: seconds on an idle machine, and work units."""

    # Seconds that *rows* takes for each square, and for each change of colour along the rows
    square: float = 0.0006
    change: float = 0.007
    # I and O can hardly leave single squares. So each colour that needs I or O adds to the time of
    # a change: this factor times the squared ratio of changes to squares
    single: float = 45.0
    # Work of *rows* for a search for passes, for each generated step, and for each step or pair of
    # states examined when a pass is chosen. Fitted to CPU seconds on smooth pictures and on noise,
    # where most steps are discarded
    search: float = 2.3e-4
    step: float = 5e-8
    path: float = 1e-8


PACE = PaceBudgets()

EASY_COLORS: Final = len(set(PieceType) - {PieceType.I, PieceType.O})
"""The largest number of colours that need neither I nor O."""


def estimate_photo_seconds(picture: Picture, colors: int | None = None) -> float:
    """Estimate the CPU seconds that the planner *rows* takes for a photograph.

    It depends on the number of colour changes along the rows: grain is expensive, a sky is not.
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    surcharge = max(0, (colors or len(picture.colors())) - EASY_COLORS) * (changes / squares) ** 2
    return PACE.square * squares + PACE.change * changes * (1 + PACE.single * surcharge)
