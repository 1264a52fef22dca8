"""How many jobs run at once, and what a progress display is told meanwhile."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.waiting import linger
from tetrisprinter.planners.run import Progress
from tetrisprinter.planners.shortest.running import SearchRun


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
def test_no_more_jobs_at_once_than_workers(workers: int) -> None:
    crowd = Crowd()

    def counted(job: int) -> int:
        with crowd.enter():
            return job

    assert SearchRun(workers=workers).side_by_side(counted, range(7)) == list(range(7))
    assert (crowd.entered, crowd.most) == (7, workers)


def test_news_from_several_threads_is_told_one_by_one_and_never_gets_worse() -> None:
    crowd, told = Crowd(), []

    def show(step: Progress) -> None:
        with crowd.enter():
            told.append(step)

    run = SearchRun(workers=4, bound=3, tell=show)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(10):
            run.record_plan(rng.randrange(5, 100))
            run.report(rng.choice("abc"), rng.random())

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
    run = SearchRun(tell=lambda step: told.append(step.fraction))
    for stage, fraction in (("a", 0.0), ("a", 0.5), ("b", 0.0), ("a", 0.2), ("a", 1.0), ("b", 1.0)):
        run.report(stage, fraction)
    assert told == [0.0, 0.25, 0.25, 0.25, 0.5, 0.75]


def test_an_interrupt_stops_the_whole_run() -> None:
    run = SearchRun(workers=1)

    def interrupting(job: int) -> int:
        linger(0.2)  # until it is waited for
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        while not run.interrupted:
            linger(0.005)
        return job

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert run.side_by_side(interrupting, [1]) == [1]
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.stopped
