"""Row by row at once: a plan a quarter as long as the real-time one, at any size."""

from __future__ import annotations

from tetrisprinter.planners.rows.planner import plan_rows

__all__ = ["plan_rows"]
