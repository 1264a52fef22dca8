"""One run of the planner: its clock, its workers, and how it is interrupted.

Results must not depend on how fast or busy the machine is. Each solve is therefore limited in the
solver's deterministic time and uses one thread; what runs side by side is a batch of *different*
jobs, fixed beforehand, whose results come back in the order of the batch. The clock matters only
to a caller who sets a time limit, and to Ctrl-C: both stop whatever is running, and the planner
goes home with the best plan it has.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeVar

from tetrisprinter.planners.cpsat.model import solve
from tetrisprinter.planners.cpsat.problem import PassProblem, PassSolution
from tetrisprinter.planners.run import Progress

__all__ = ["SolverRun"]

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(slots=True)
class SolverRun:
    """State of a run.

    Attributes
    ----------
    seed : int
        Seed of every solve.
    effort : float
        Factor on all deterministic limits.
    workers : int
        How many jobs may run at once. Results do not depend on it.
    deadline : float
        ``time.monotonic()`` at which to stop.
    tell : callable or None
        Where news goes, from any thread of the run but never from two at once. What it is
        told never gets worse: neither drops nor bound nor fraction. Nobody knows how many
        stages will follow, so each counts for half of what was left when it began.
    bound : int
        Lower bound on the drops of any game of straight drops.
    best : int or None
        Drops of the best complete plan.
    spent : float
        Deterministic time of all that was solved.
    interrupted : bool
        Whether somebody stopped it.
    solver : callable
        Solves one problem; see :func:`~tetrisprinter.planners.cpsat.model.solve`.
    """

    seed: int = 0
    effort: float = 1.0
    workers: int = 2
    deadline: float = float("inf")
    tell: Callable[[Progress], None] | None = None
    bound: int = 0
    best: int | None = None
    spent: float = 0.0
    interrupted: bool = False
    solver: Callable[..., PassSolution] = solve
    _running: list[Any] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _telling: threading.Lock = field(default_factory=threading.Lock)
    _stages: dict[str, float] = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether the run is to end with what it has."""
        return self.interrupted or time.monotonic() >= self.deadline

    def found(self, drops: int) -> None:
        """Remember the drops of a complete plan, if they are the fewest so far."""
        self.best = min(drops, self.best or drops)

    def report(self, stage: str, fraction: float = 0.0) -> None:
        """Tell the progress display that so much of a stage is done, 0 to 1."""
        if self.tell is not None:
            with self._telling:
                self._stages[stage] = max(fraction, self._stages.get(stage, 0.0))
                left = prod(1 - done / 2 for done in self._stages.values())
                self.tell(Progress(stage, 1 - left, self.best, self.bound))

    def solve(self, problem: PassProblem, work: float, seed: int = 0) -> PassSolution:
        """Solve one problem in so much deterministic time, which is not counted here.

        A solve that was stopped early reports what it has. Any thread may call this; whoever
        waits for the thread adds to ``spent`` what was used, in an order that is always the same.

        Parameters
        ----------
        problem : PassProblem
            What to solve.
        work : float
            Deterministic seconds, before the factor of the effort.
        seed : int
            Is added to that of the run.
        """
        if self.stopped:  # perhaps while it waited
            return PassSolution(None, False)
        running: list[Any] = []

        def started(solver: Any) -> bool:
            running.append(solver)
            with self._lock:
                self._running.append(solver)
            return not self.interrupted

        try:
            return self.solver(
                problem,
                work * self.effort,
                seed=self.seed + seed,
                seconds=max(0.01, self.deadline - time.monotonic()),
                stopped=lambda: self.stopped,
                started=started,
            )
        finally:
            with self._lock:
                for solver in running:
                    self._running.remove(solver)

    def solve_all(self, problems: Sequence[PassProblem], work: float) -> list[PassSolution]:
        """Solve problems side by side, each in so much deterministic time."""
        results = self.side_by_side(lambda problem: self.solve(problem, work), problems)
        self.spent += sum(found.work for found in results)
        return results

    def side_by_side(self, call: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
        """Call a function with each job, as many at once as there are workers."""
        with ThreadPoolExecutor(max(1, min(self.workers, len(jobs)))) as pool:
            futures = [pool.submit(call, job) for job in jobs]
            try:
                wait(futures)
            except KeyboardInterrupt:
                self.stop()
            return [future.result() for future in futures]

    def stop(self) -> None:
        """Stop whatever is running, and start nothing more."""
        self.interrupted = True
        with self._lock:
            for solver in self._running:
                solver.stop_search()
