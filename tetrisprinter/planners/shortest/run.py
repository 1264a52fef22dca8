"""One run of the planner: its clock, its workers, and how it is interrupted.

Results must not depend on how fast or busy the machine is. Each solve is therefore
limited in the solver's deterministic time and uses one thread; what runs side by side is
a batch of *different* solves, fixed beforehand, whose results come back in the order of
the batch. The clock matters only to a caller who sets a time limit, and to Ctrl-C: both
stop whatever is running, and the planner goes home with the best plan it has.

A part of the run that another part may make needless is a *branch*, which can be stopped
on its own. Branches run side by side and make batches of their own, so the workers belong
to the run and not to a batch: whatever is solved waits for one of its *seats*. (One pool
of threads for the whole run would not do: a thread that makes a batch waits for it, and
when all threads of the pool wait, nobody is left to solve. So batches have threads, which
are cheap, and the run has seats.)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeVar

from tetrisprinter.planners.run import Progress
from tetrisprinter.planners.shortest.model import solve
from tetrisprinter.planners.shortest.problem import PassProblem, PassSolution, SolveLimits

__all__ = ["SolverRun"]

Job = TypeVar("Job")
Result = TypeVar("Result")

Solver = Callable[[PassProblem, SolveLimits, Callable[[Any], bool]], PassSolution]
"""Solves a problem within limits; tells whoever may stop it when it begins."""


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
        How many solves may run at once, those of all branches counted. Results do not
        depend on it.
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
        Deterministic time of all its own solves.
    interrupted : bool
        Whether somebody stopped it.
    parent : SolverRun or None
        The run this is a branch of.
    solver : callable
        Solves one problem; see :func:`~tetrisprinter.planners.shortest.model.solve`.
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
    parent: SolverRun | None = None
    solver: Solver = solve
    _running: list[Any] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _seats: threading.Semaphore | None = None
    _telling: threading.Lock = field(default_factory=threading.Lock)
    _stages: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._seats is None:  # a branch has those of its run
            self._seats = threading.Semaphore(max(1, self.workers))

    @property
    def stopped(self) -> bool:
        """Whether the run is to end with what it has."""
        above = self.parent is not None and self.parent.stopped
        return self.interrupted or above or time.monotonic() >= self.deadline

    @property
    def seat(self) -> threading.Semaphore:
        """Whoever runs a solver does it ``with`` a seat, and asks for no second one in it."""
        assert self._seats is not None
        return self._seats

    def branch(self) -> SolverRun:
        """Return a part of this run that ends with it, and can be stopped before."""
        return replace(self, parent=self, spent=0.0, _running=[], _lock=threading.Lock())

    def found(self, drops: int) -> None:
        """Remember the drops of a complete plan, if they are the fewest so far."""
        if self.parent is not None:
            self.parent.found(drops)
            return
        with self._lock:
            self.best = min(drops, self.best or drops)

    def report(self, stage: str, fraction: float = 0.0) -> None:
        """Tell the progress display that so much of a stage is done, 0 to 1."""
        if self.parent is not None:
            self.parent.report(stage, fraction)
        elif self.tell is not None:
            with self._telling:
                self._stages[stage] = max(fraction, self._stages.get(stage, 0.0))
                left = prod(1 - done / 2 for done in self._stages.values())
                self.tell(Progress(stage, 1 - left, self.best, self.bound))

    def solve(self, problem: PassProblem, work: float, *, core: bool = True) -> PassSolution:
        """Solve one problem; see :meth:`solve_all`."""
        return self.solve_all([(problem, work, core)])[0]

    def solve_all(self, jobs: Sequence[tuple[PassProblem, float, bool]]) -> list[PassSolution]:
        """Solve problems side by side: (problem, deterministic seconds, core-based or not).

        A solve that was stopped early reports what it has.
        """
        results = self.side_by_side(self._one, jobs)
        self.spent += sum(found.work for found in results)  # in the order of the batch
        return results

    def side_by_side(self, call: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
        """Call a function with each job, as many at once as there are workers.

        The calls may make solves side by side in their turn; these share the workers.
        """
        with ThreadPoolExecutor(max(1, min(self.workers, len(jobs)))) as pool:
            futures = [pool.submit(call, job) for job in jobs]
            try:
                wait(futures)
            except KeyboardInterrupt:
                self.stop()  # and whatever it is a branch of: it is the whole run that ends
                above = self.parent
                while above is not None:
                    above.stop()
                    above = above.parent
            return [future.result() for future in futures]

    def in_order(
        self,
        attempts: Sequence[Callable[[SolverRun], Result]],
        is_enough: Callable[[Result], bool],
    ) -> list[Result]:
        """Make attempts side by side, each in a branch; one that is enough stops those after it.

        None of these could count any more, so nothing depends on which attempt is faster.
        """
        branches = [self.branch() for _ in attempts]

        def made(number: int) -> Result:
            result = attempts[number](branches[number])
            if is_enough(result):
                for later in branches[number + 1 :]:
                    later.stop()
            return result

        results = self.side_by_side(made, range(len(attempts)))
        self.spent += sum(branch.spent for branch in branches)
        return results

    def _one(self, job: tuple[PassProblem, float, bool]) -> PassSolution:
        problem, work, core = job
        running: list[Any] = []

        def started(solver: Any) -> bool:
            running.append(solver)
            return self._started(solver)

        with self.seat:
            if self.stopped:  # perhaps while it waited
                return PassSolution(None, False)
            limits = SolveLimits(
                work=work * self.effort,
                seconds=max(0.01, self.deadline - time.monotonic()),
                seed=self.seed,
                core=core,
                stopped=lambda: self.stopped,
            )
            try:
                return self.solver(problem, limits, started)
            finally:
                for solver in running:
                    self._ended(solver)

    def _started(self, solver: Any) -> bool:
        """Remember a solver that is about to run; False if it need not start."""
        with self._lock:
            self._running.append(solver)
        above = self.parent is None or self.parent._started(solver)
        return above and not self.interrupted

    def _ended(self, solver: Any) -> None:
        with self._lock:
            self._running.remove(solver)
        if self.parent is not None:
            self.parent._ended(solver)

    def stop(self) -> None:
        """Stop whatever is running, and start nothing more."""
        self.interrupted = True
        with self._lock:
            for solver in self._running:
                solver.stop_search()
