"""The clock, the workers and the interruption of one run.

Results must not depend on how fast or busy the machine is. So the search is limited in
work, not in time; what runs side by side is a batch of *different* jobs, fixed beforehand, whose
results come back in the order of the batch. The clock matters only to a caller who sets a time
limit, and to Ctrl-C: both end whatever is running, and the planner goes home with the best plan
it has.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from math import prod
from typing import TypeVar

from tetrisprinter.planners.run import Progress
from tetrisprinter.support.stop import Stop

__all__ = ["SearchRun"]

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(slots=True)
class SearchRun:
    """The state of a run."""

    seed: int = 0  # which of equally good things are tried
    effort: float = 1.0  # factor on all budgets
    workers: int = 2  # how many jobs may run at once. Results do not depend on it
    stop: Stop = field(default_factory=Stop)  # what ends it from outside
    # Where news goes, from any thread of the run but never from two at once. The news never
    # gets worse: neither drops nor bound nor fraction. The number of stages to come is unknown, so
    # each counts for half of what was left when it began
    tell: Callable[[Progress], None] | None = None
    bound: int = 0  # lower bound on the drops of any game of hard drops
    best: int | None = None  # drops of the best complete plan
    spent: float = 0.0  # work of all that was solved
    interrupted: bool = False  # whether a stop was requested
    _telling: threading.Lock = field(default_factory=threading.Lock)
    _stages: dict[str, float] = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether the run must end with the best plan it has."""
        return self.interrupted or self.stop.is_set

    def record_plan(self, drops: int) -> None:
        """Record the drops of a complete plan if they are the fewest so far."""
        self.best = min(drops, self.best or drops)

    def report(self, stage: str, fraction: float = 0.0) -> None:
        """Report the finished fraction of a stage, 0 to 1."""
        if self.tell is not None:
            with self._telling:
                self._stages[stage] = max(fraction, self._stages.get(stage, 0.0))
                left = prod(1 - done / 2 for done in self._stages.values())
                self.tell(Progress(stage, 1 - left, self.best, self.bound))

    def side_by_side(self, call: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
        """Call a function with each job, as many at once as there are workers."""
        with ThreadPoolExecutor(max(1, min(self.workers, len(jobs)))) as pool:
            futures = [pool.submit(call, job) for job in jobs]
            try:
                wait(futures)
            except KeyboardInterrupt:
                self.interrupted = True
            return [future.result() for future in futures]
