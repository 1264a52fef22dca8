"""The planners *realtime* and *direct*: without a search for fewer drops, whatever the board.

A row that emitters do not reach is printed from the clean state below it, as the planner *rows*
does where nothing else goes on.
"""

from __future__ import annotations

from typing import Final

from tetrisprinter.planners.direct.planner import DirectPlanner
from tetrisprinter.planners.rows.clean import row_alone

__all__ = ["DIRECT", "REALTIME"]

REALTIME: Final = DirectPlanner(row_alone)
"""The article's search where it applies."""
DIRECT: Final = DirectPlanner(row_alone, False, "direct", "prints row by row on any board")
"""Emitters of all orientations, always."""
