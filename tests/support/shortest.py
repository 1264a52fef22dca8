"""Calls of the planner ``shortest``, for tests that vary a single option."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Progress, Run, make_plan
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.options import Limit


def plan_shortest(
    picture: Picture,
    *,
    types: str | Mapping[PieceType, str] = "classic",
    background: str | None = None,
    width: int = 21,
    height: int = 42,
    column: int | None = None,
    candidates: Sequence[Plan] | None = None,
    report: Callable[[Progress], None] = lambda _: None,
    time_limit: float | None = None,
    **limit: Any,
) -> PrintResult:
    """Run the shortest planner from the plans ``candidates``, or from that of ``rows``."""
    task = Task.of(picture, (width, height), types, background, column)
    run = Run(
        Limit(**{"seconds": time_limit, "workers": 2, **limit}),
        report,
        known=tuple(candidates or ()),
    )
    return make_plan(task, "shortest", run)
