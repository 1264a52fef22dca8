"""The planner *realtime*: without a search for fewer drops, whatever the board.

A row that it cannot print is printed alone by the passes of the planner *rows*.
"""

from __future__ import annotations

from typing import Final

from tetrisprinter.planners.at_once import RealtimePlanner
from tetrisprinter.planners.rows.alone import row_alone

__all__ = ["REALTIME", "RealtimePlanner"]

REALTIME: Final = RealtimePlanner(row_alone)
