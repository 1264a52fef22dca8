"""Tall pictures cut into segments: the same plan whoever prints them, and each from its rows."""

import os
import random
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.judge import play_in_oracle
from tests.support.strategies import PALETTE
from tests.support.waiting import wait_until
from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Progress, Run, make_plan
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.planners.rows import segments
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.segments import find_cuts
from tetrisprinter.planners.rows.slices import Slices
from tetrisprinter.planners.rows.steps import PassChooser, StuckError
from tetrisprinter.planners.rows.target import RowState, RowStep, make_row_target
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import share_types
from tetrisprinter.support.executors import Machines


def tall(width: int, height: int, seed: int = 0, colors: int = 2) -> Picture:
    pick = random.Random(seed)
    rows = [[pick.choice((*PALETTE[:colors], None)) for _ in range(width)] for _ in range(height)]
    for row in rows:
        row[pick.randrange(width)] = PALETTE[0]
    return Picture(tuple(map(tuple, rows)), "tall")


TASK = Task.of(tall(9, 12))


@pytest.fixture(autouse=True)
def _short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "BUDGETS", replace(BUDGETS, segment_rows=4))


def check(task: Task, plan: Plan) -> None:
    assert play_in_oracle(plan) == task.wanted.cells()


def printed(task: Task = TASK, **run: object) -> Plan:
    options = {name: run.pop(name) for name in ("workers", "seconds") if name in run}
    made = make_plan(task, "rows", Run(Limit(**options), **run))  # type: ignore[arg-type]
    assert made.fallbacks == ()
    return made.plan


def test_where_a_picture_is_cut_is_up_to_the_picture() -> None:
    assert find_cuts(make_row_target(TASK, share_types(TASK.picture))) == [4, 8]
    # Eight columns leave fours only: segments of so many squares, or none.
    rows = (("d03020",) * 4, ("d03020", "d03020", None, None))
    for picture, expected in (
        (Picture(rows[:1] * 12), [4, 8]),
        (Picture((rows[1], *rows[:1] * 10, rows[1])), []),
        (Picture((*rows[1:] * 2, *rows[:1] * 8, *rows[1:] * 2)), [4, 8]),
    ):
        task = Task.of(picture, "8x22")
        assert find_cuts(make_row_target(task, share_types(picture))) == expected


def test_segments_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    kept: list[Plan] = []
    plan = printed(report=lambda news: reported.append(str(news)), keep=kept.append)
    check(TASK, plan)
    assert kept == [plan]
    assert any(line.startswith("3 of 3 segments") for line in reported)
    monkeypatch.setattr(segments, "BUDGETS", BUDGETS)
    assert plan != printed()


@pytest.mark.slow
def test_each_goes_on_from_its_own_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = printed()
    stop_at: set[int] = set()
    step = PassChooser.find_next

    def until(steps: PassChooser, state: RowState) -> Slices[RowStep]:
        if stop_at and state.rows >= min(stop_at):  # a pass may print two rows
            raise KeyboardInterrupt
        return (yield from step(steps, state))

    monkeypatch.setattr(PassChooser, "find_next", until)
    for rows in (1, 5, 9):
        journal = RowsJournal.of(TASK, tmp_path / f"{rows}.txt")
        stop_at.add(rows)
        with pytest.raises(KeyboardInterrupt):
            printed(journal=journal)
        stop_at.clear()
        unfinished = journal.gather_rows()
        assert unfinished is not None
        there = RowsJournal.of(TASK, tmp_path / f"{rows}.txt", resumes=True)
        plan = printed(journal=there, unfinished=unfinished)
        assert plan.passes[: len(unfinished.passes)] == unfinished.passes
        check(TASK, plan)
        assert there.gather_rows() == plan
    # A segment further up, whose rows below are not there yet, is not lost either.
    journal = RowsJournal.of(TASK, tmp_path / "plan.txt")
    count = range(len(whole.passes))
    first = next(n for n in count if rows_of(whole.passes[:n], whole) == 8)
    last = next(n for n in count if rows_of(whole.passes[:n], whole, clean=False) == 11)
    between = whole.passes[first:last]
    above = Plan(between, whole.colors, whole.width, whole.height)
    journal.make_writer(8)(above, 11)
    seen: set[int] = set()

    def record_row(steps: PassChooser, state: RowState) -> Slices[RowStep]:
        seen.add(state.rows)
        return (yield from step(steps, state))

    monkeypatch.setattr(PassChooser, "find_next", record_row)
    there = RowsJournal.of(TASK, tmp_path / "plan.txt", resumes=True)
    check(TASK, printed(journal=there))
    assert {8, 9, 10}.isdisjoint(seen)
    # Without ``resumes`` it starts over.
    printed(journal=RowsJournal.of(TASK, tmp_path / "plan.txt"))
    assert 8 in seen


def rows_of(passes: object, plan: Plan, clean: bool = True) -> int:
    field = play_through(Plan(passes, plan.colors, plan.width, plan.height)).field  # type: ignore[arg-type]
    wanted = TASK.wanted.rows
    colors = plan.color_of
    rows = 0
    for row, asked in zip(field.rows, wanted, strict=False):
        if [colors.get(v) if v else None for v in row] != list(asked):  # type: ignore[call-overload]
            break
        rows += 1
    return rows if max(field.tops) == rows or not clean else -1


def test_a_segment_that_does_not_end_is_printed_with_its_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = printed()

    def stuck(steps: PassChooser, state: RowState) -> Slices[RowStep]:
        if steps.context.target.rows == 8:
            raise StuckError
        return (yield from step(steps, state))

    def none(*_: object) -> Slices[None]:
        yield

    step = PassChooser.find_next
    monkeypatch.setattr(PassChooser, "find_next", stuck)
    for way in ("print_clean", "print_on_platform"):
        monkeypatch.setattr(f"tetrisprinter.planners.rows.segment.{way}", none)
    made = make_plan(TASK, "rows", Run())
    check(TASK, made.plan)
    assert made.fallbacks == (("segment printed with its neighbour", 1),)
    assert made.plan.passes[0] == whole.passes[0]
    assert made.plan.passes[-1] != whole.passes[-1]


def test_lost_workers_cost_no_print(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object, machines: Machines, **__: object) -> None:
        assert machines == Machines(3)
        raise JobError("workers died 3 times")

    monkeypatch.setattr(segments, "run_units", lost)
    made = make_plan(TASK, "rows", Run(processes=3))
    assert made.fallbacks == (("segments printed by one process", 1),)
    check(TASK, made.plan)


def test_how_far_it_is_while_others_print_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def shared(
        function: Any, units: Any, *, local_function: Any, on_result: Any, **_: object
    ) -> None:
        on_result(2, function(units[2]))  # by another process
        on_result(0, local_function(units[0]))
        on_result(1, local_function(units[1]))

    monkeypatch.setattr(segments, "run_units", shared)
    reported: list[Progress] = []
    plan = printed(processes=2, report=reported.append)
    assert plan == printed()
    fractions = [news.fraction for news in reported]
    assert fractions == sorted(fractions)
    assert fractions[0] == 4 / 12
    assert fractions[-1] == 1
    assert any("1 of 3 segments" in news.stage and "row 3 of 12" in news.stage for news in reported)


@pytest.mark.slow
def test_any_number_of_workers_prints_the_same(tmp_path: Path) -> None:
    journal = RowsJournal.of(TASK, tmp_path / "plan.txt")
    assert printed(processes=2, journal=journal) == printed() == journal.gather_rows()


@pytest.mark.slow
def test_a_cluster_prints_the_same_though_a_worker_is_killed_in_the_middle(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        task = Task.of(tall(9, 80))  # enough segments for the kill to come before the end
        journal = RowsJournal.of(task, tmp_path / "plan.txt")
        killed = threading.Event()

        def kill() -> None:
            wait_until(lambda: journal.count_segments() >= 1, "a stored segment")
            os.kill(victim, signal.SIGKILL)
            killed.set()

        killer = threading.Thread(target=kill)
        killer.start()
        plan = printed(task, dask=cluster.scheduler_address, journal=journal)
        killer.join()
    assert killed.is_set()
    assert plan == printed(task)
