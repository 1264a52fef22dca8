"""How many solves run at once, and what a progress display is told meanwhile."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from tests.support.cases import target_of_case
from tests.support.waiting import linger, never, wait_until
from tetrisprinter.planners.run import Progress
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.planners.shortest.model import solve
from tetrisprinter.planners.shortest.pool import offer
from tetrisprinter.planners.shortest.problem import PassProblem, PassSolution, SolveLimits
from tetrisprinter.planners.shortest.run import SolverRun
from tetrisprinter.planners.shortest.shape import plain
from tetrisprinter.planners.shortest.whole import lying_problem


class Crowd:
    """Counts who is inside at once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = self.most = self.entered = 0

    @contextmanager
    def enter(self) -> Iterator[None]:
        with self.lock:
            self.inside += 1
            self.entered += 1
            self.most = max(self.most, self.inside)
        try:
            linger(0.005)
            yield
        finally:
            with self.lock:
                self.inside -= 1


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_batches_of_branches_share_the_workers(workers: int) -> None:
    crowd = Crowd()

    def counted(game: Any, limits: Any, started: Any) -> PassSolution:
        with crowd.enter():
            return PassSolution(None, False, 1.0)

    run = SolverRun(workers=workers, solver=counted)

    def batch(branch: SolverRun) -> int:
        inner = branch.branch()
        found = inner.side_by_side(lambda one: one.solve_all(jobs), [inner.branch(), inner])
        return len(found) + len(branch.solve_all(jobs))

    jobs: list[Any] = [(None, 1.0, True)] * 4
    assert run.side_by_side(batch, [run.branch() for _ in range(4)]) == [6] * 4
    assert crowd.entered == 4 * 3 * 4
    assert crowd.most == workers


def test_no_more_solvers_than_workers_in_a_whole_run() -> None:
    crowd = Crowd()

    def counted(game: PassProblem, limits: SolveLimits, started: Any) -> PassSolution:
        with crowd.enter():
            return solve(game, limits, started)

    problem = lying_problem(target_of_case("auto"))
    run = SolverRun(workers=2, solver=counted)
    run.in_order([lambda one: one.solve_all([(problem, 1.0, True)] * 3)] * 3, lambda _: False)
    assert crowd.entered == 9
    assert crowd.most == 2


def test_a_solve_that_waited_until_the_run_was_stopped_is_not_begun() -> None:
    begun = []

    def stopping(game: Any, limits: Any, started: Any) -> PassSolution:
        begun.append(game)
        linger(0.05)  # the others come and wait
        run.stop()
        return PassSolution(None, False, 1.0)

    run = SolverRun(workers=1, solver=stopping)
    branches: list[SolverRun] = [run.branch() for _ in range(3)]
    run.workers = 3  # so that all three wait for the only seat
    job: Any = (None, 1.0, True)
    run.side_by_side(lambda branch: branch.solve_all([job]), branches)
    assert len(begun) == 1


def test_news_from_several_threads_is_told_one_by_one_and_never_gets_worse() -> None:
    crowd, told = Crowd(), []

    def show(step: Progress) -> None:
        with crowd.enter():
            told.append(step)

    run = SolverRun(workers=4, bound=3, tell=show)

    def work(seed: int) -> None:
        branch, rng = run.branch(), random.Random(seed)
        for _ in range(10):
            branch.found(rng.randrange(5, 100))
            branch.report(rng.choice("abc"), rng.random())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 40
    assert crowd.most == 1
    fractions = [step.fraction for step in told]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < fractions[-1] < 1
    drops = [step.drops or 0 for step in told]
    assert drops == sorted(drops, reverse=True)
    assert drops[-1] == run.best


def test_each_stage_counts_for_half_of_what_was_left() -> None:
    told: list[float] = []
    run = SolverRun(tell=lambda step: told.append(step.fraction))
    for stage, fraction in (("a", 0.0), ("a", 0.5), ("b", 0.0), ("a", 0.2), ("a", 1.0), ("b", 1.0)):
        run.report(stage, fraction)
    assert told == [0.0, 0.25, 0.25, 0.25, 0.5, 0.75]


def test_an_interrupt_stops_the_whole_run() -> None:
    run = SolverRun(workers=1)
    branch = run.branch().branch()

    def interrupting(job: int) -> int:
        linger(0.2)  # until it is waited for
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        while not run.interrupted:
            linger(0.005)
        return job

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert branch.side_by_side(interrupting, [1]) == [1]
    finally:
        signal.signal(signal.SIGINT, before)
    assert branch.stopped


def test_a_model_is_not_built_to_its_end_when_the_run_is_stopped() -> None:
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) == 2  # when some of the passes are built

    target = target_of_case("auto")
    shapes = offer(target, DEFAULT, [0], plain(3, 2, 1), target.rows)
    problem = PassProblem(target, shapes, frozenset(), frozenset())
    found = solve(problem, SolveLimits(stopped=stopped))
    assert (found.passes, found.complete, len(asked)) == (None, False, 2)


def made_at_once(drops: int, _run: SolverRun) -> int:
    return drops


def made_when_stopped(drops: int, run: SolverRun) -> int:
    wait_until(lambda: run.stopped, "that somebody stops it")
    return drops


def made_unless_stopped(drops: int, run: SolverRun) -> int:
    return drops if never(lambda: run.stopped, 0.1) else 0


@pytest.mark.parametrize("workers", [1, 2])
def test_an_attempt_that_is_enough_stops_those_after_it(workers: int) -> None:
    run = SolverRun(workers=workers)
    attempts = [partial(made_at_once, 5), partial(made_when_stopped, 6)]
    assert run.in_order(attempts, lambda drops: drops <= 5) == [5, 6]
    assert not run.stopped
    before = [partial(made_unless_stopped, 6), partial(made_at_once, 5)]
    assert run.in_order(before, lambda drops: drops <= 5) == [6, 5]


def test_stopping_the_run_stops_its_branches() -> None:
    run = SolverRun()
    branches = [run.branch(), run.branch()]
    branches[0].stop()
    assert [branch.stopped for branch in branches] == [True, False]
    run.stop()
    assert [branch.stopped for branch in (*branches, run.branch())] == [True] * 3


def test_a_branch_tells_the_run_what_was_found() -> None:
    run = SolverRun(bound=2)
    branch = run.branch()
    branch.found(9)
    run.found(12)
    assert run.best == 9
