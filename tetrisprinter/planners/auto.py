"""The planner *auto*: it runs the search of :mod:`~tetrisprinter.planners.search` to its end.

The planner *shortest* is the same search with more work.

How long a search takes is estimated from its work and the speed of this machine. The search may end
early, with a proof that no game is shorter, and the work of a large picture depends on its colours.
So the estimate only decides whether to ask before a long job; no number is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from tetrisprinter.errors import Obstacle
from tetrisprinter.planners.dealt import DEALT
from tetrisprinter.planners.rows import ROWS
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.search import estimate_default_work, improve
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task


@dataclass(frozen=True, slots=True)
class AutoPlanner:
    """The planners ``auto`` and ``shortest``."""

    name: str = "auto"
    summary: str = "improves a first plan until its work is spent"
    times: float = 1.0  # the work, as a multiple of the usual work
    resumes: bool = True
    can_start_from_board: bool = True

    def find_refusal(self, task: Task) -> Obstacle | None:
        """Return why no game can print the picture, with the task's piece queue if it has one."""
        return (ROWS if task.pieces is None else DEALT).find_refusal(task)

    def scale_run(self, run: Run) -> Run:
        """Return the run of a search as long as this planner's; a long one does not give up."""
        limit = run.limit.scale_effort(self.times)
        return replace(run, limit=limit, gives_up=run.gives_up and limit.effort <= 1)

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Return the last plan of the search."""
        *_, best = self.list_plans(task, run)
        return best

    def list_plans(self, task: Task, run: Run) -> Iterator[PrintResult]:
        """Yield the plans of the search, each better than the one before; the last one comes twice.

        Raises
        ------
        JobError
            If a theorem forbids the picture, or no plan was found.
        """
        obstacle = self.find_refusal(task)
        if obstacle is not None:
            raise obstacle.error(task.name)
        began = time.monotonic()
        result: PrintResult | None = None
        for result in improve(task, self.scale_run(run)):
            yield replace(result, planner=self.name, seconds=time.monotonic() - began)
        assert result is not None  # without a plan there is an error
        run.work.spent += result.work
        run.fallbacks.update(result.fallbacks)


AUTO = AutoPlanner()
SHORTEST = AutoPlanner("shortest", "searches twenty times as long", 20.0)


_LOOP_COUNT: Final = 200_000
"""Iterations of the loop that measures the speed of this machine."""
_REFERENCE_SECONDS: Final = 0.011
"""Seconds of that loop on the reference machine, where a unit of work takes _WORK_UNIT_SECONDS."""
_WORK_UNIT_SECONDS: Final = 0.6


def estimate_seconds(task: Task, run: Run) -> float:
    """Estimate the processor seconds that a search takes at most."""
    return (
        run.limit.effort * estimate_default_work(task, run) * _WORK_UNIT_SECONDS / _measure_speed()
    )


@cache
def _measure_speed() -> float:
    """Return the present speed of this machine relative to the reference machine."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        total = 0
        for number in range(_LOOP_COUNT):
            total += number
        times.append(time.perf_counter() - began)
    return _REFERENCE_SECONDS / min(times)
