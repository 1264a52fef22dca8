"""The tuned numbers of the planner *rows* that several of its modules share, and its pace.

None of these changes whether a plan is correct. A number of one module stands in that module.
"""

from __future__ import annotations

import itertools
from typing import Final

from tetrisprinter.game.field import CLASSIC_BOARD
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture

BEAM: Final = 200
_MOST_WIDENING: Final = 3.0
_LEAST_STATES: Final = 50
"""The states kept per column on the classic board. Wider boards keep more with their width, up to
a factor. The third number is the minimum at any effort."""

DEAD_END_FACTOR: Final = 6
"""The factor for the states kept if the usual number finds nothing, and for the fields that are
expanded then to clear an old picture."""

WIDE_BOARD: Final = 40
"""On boards with more columns each pass prints one row, and some slow searches are left out."""

USUAL_LINES: Final = 1.5
"""The usual number of rows cleared per picture row. To clear a row of an old picture usually takes
this number of further rows."""

MOST_LINES: Final = 3
"""The most clearing rows of a pass that is chosen with the next one."""

MOST_PASSES: Final = 16
MOST_BRANCHES: Final = 3
"""For a row printed in several passes: the most passes, and the continuations tried after each pass
(also when an old picture is cleared)."""


def choose_states(width: int, effort: float = 1.0) -> int:
    """Return the number of states that a search keeps per column."""
    wider = min(_MOST_WIDENING, max(1.0, width / CLASSIC_BOARD.width))
    return max(_LEAST_STATES, round(BEAM * effort * wider))


_SQUARE_SECONDS: Final = 0.0006
_CHANGE_SECONDS: Final = 0.007
"""Seconds that *rows* takes on an idle machine for each square, and for each change of colour along
the rows."""

_SINGLE_SURCHARGE: Final = 45.0
"""I and O can hardly leave single squares. So each colour that needs I or O adds to the time of a
change: this factor times the squared ratio of changes to squares."""

EASY_COLORS: Final = len(set(PieceType) - {PieceType.I, PieceType.O})
"""The largest number of colours that need neither I nor O."""


def estimate_photo_seconds(picture: Picture, colors: int | None = None) -> float:
    """Estimate the CPU seconds that the planner *rows* takes for a photograph.

    It depends on the number of colour changes along the rows: grain is expensive, a sky is not.
    """
    changes = sum(a != b for row in picture.rows for a, b in itertools.pairwise(row))
    squares = len(picture.cells())
    surcharge = max(0, (colors or len(picture.colors())) - EASY_COLORS) * (changes / squares) ** 2
    change_seconds = _CHANGE_SECONDS * changes * (1 + _SINGLE_SURCHARGE * surcharge)
    return _SQUARE_SECONDS * squares + change_seconds
