"""Calls of planners with keyword options, for tests that vary a single option."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Progress, Run, make_plan
from tetrisprinter.planners.dealt.beam import DealtTarget
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.arrays import zeros
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


def plan_with(
    planner: str,
    picture: Picture,
    board: tuple[int, int] | None = None,
    types: str | Mapping[PieceType, str] = "auto",
    background: str | None = None,
    **run: Any,
) -> Plan:
    """Return a planner's plan of a picture; without ``board`` the board is chosen."""
    task = Task.of(picture, board or "auto", types, background)
    names = ("seconds", "workers", "seed", "effort")
    limit = Limit(**{name: run.pop(name) for name in names if name in run})
    return make_plan(task, planner, Run(limit, **run)).plan


def make_target_for(
    width: int, cells: Collection[tuple[int, int]], height: int = 12, **options: bool
) -> DealtTarget:
    """Return the target that leaves exactly these squares, of any types."""
    masks = zeros("i", 1 + max(y for _, y in cells), 8)
    for x, y in cells:
        for kind in range(8):
            masks[y, kind] |= 1 << x
    return DealtTarget(width, height, masks, **options)
