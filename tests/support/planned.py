"""Calls of planners with loose options, for tests that vary one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Progress, Run, make_plan
from tetrisprinter.planners.shortest import ShortestPlanner
from tetrisprinter.planners.shortest.tuning import DEFAULT, Tuning
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

__all__ = ["plan_direct", "plan_shortest"]


def plan_shortest(
    picture: Picture,
    *,
    types: str | Mapping[PieceType, str] = "classic",
    background: str | None = None,
    width: int = 21,
    height: int = 42,
    column: int | None = None,
    candidates: Sequence[Plan] = (),
    progress: Callable[[Progress], None] = lambda _: None,
    time_limit: float | None = None,
    tuning: Tuning = DEFAULT,
    **limit: Any,
) -> PrintResult:
    """Look for the fewest drops, with no first plan but those given."""
    task = Task.of(picture, (width, height), types, background, column)
    run = Run(
        Limit(**{"seconds": time_limit, "workers": 2, **limit}),
        progress,
        candidates=tuple(candidates),
    )
    if tuning is not DEFAULT:
        return ShortestPlanner(tuning=tuning).plan(task, run)
    return make_plan(task, "shortest", run)


def plan_direct(
    picture: Picture,
    board: tuple[int, int] | None = None,
    types: str | Mapping[PieceType, str] = "auto",
    background: str | None = None,
    **run: Any,
) -> Plan:
    """Plan row by row, on the board that is chosen for the picture unless one is given."""
    task = Task.of(picture, board or "auto", types, background)
    limit = Limit(seed=run.pop("seed", 0), workers=run.pop("workers", 1))
    return make_plan(task, "direct", Run(limit, **run)).plan
