"""The board and the types that take the fewest drops, of some of both."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan, portfolio
from tetrisprinter.planners.portfolio import choose
from tetrisprinter.planners.rows import RowsPlanner
from tetrisprinter.planners.rows.segment import BehindError, Pace, Segment
from tetrisprinter.planners.rows.target import State
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")


def free(workers: int = 1, seed: int = 0) -> Run:
    return Run(Limit(workers=workers, seed=seed), any_board=True)


@pytest.fixture(autouse=True)
def _little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "CHOICE", replace(portfolio.CHOICE, work=0.15))


def test_the_choice_is_printed_and_said() -> None:
    task = Task.of(FLAG)
    result = make_plan(task, "auto", free())
    assert result.task.picture == task.picture
    assert result.made_by[0] == Stage.CHOSEN
    assert f"{result.task.board.width} columns: fewest drops of" in str(result.steps[-1])
    assert result.shown.rows == task.picture.rows
    usual = make_plan(task, "rows", Limit())
    assert result.drops <= usual.drops


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_nothing(workers: int) -> None:
    alone, together = choose(Task.of(FLAG), free()), choose(Task.of(FLAG), free(workers))
    assert alone is not None
    assert together == alone


def test_what_is_named_is_kept() -> None:
    fixed = Task.of(FLAG, "11x20", "classic")
    assert choose(fixed, Run()) is None
    on_board = choose(Task.of(FLAG, "11x20"), Run())
    assert on_board is not None
    assert on_board.task.board == fixed.board
    assert isinstance(on_board.task.types, TypeColors)
    assert "types: fewest drops of" in str(on_board.step)
    named = Task.of(FLAG, types=share_types(FLAG))
    other_board = choose(named, free())
    assert other_board is not None
    assert other_board.task.types == named.types


def test_of_a_large_picture_some_rows_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "CHOICE", replace(portfolio.CHOICE, work=0.01))
    tall = Picture(FLAG.rows * 6, "tall")
    choice = choose(Task.of(tall), free())
    assert choice is not None
    assert choice.plan is None
    assert choice.task.picture == tall
    result = make_plan(Task.of(tall), "auto", free())
    assert result.task.board == choice.task.board
    assert result.shown.rows == tall.rows


def test_the_sample_is_of_the_whole_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "CHOICE", replace(portfolio.CHOICE, work=0.01, sample=2.4))
    tall = Picture(FLAG.rows * 6, "tall")
    firsts = set()

    class Noting(Segment):
        def printed(self, plan: Plan, state: State, until: int | None = None) -> Plan:
            firsts.add(state.rows)
            assert until is not None
            return super().printed(plan, state, until)

    monkeypatch.setattr(portfolio, "Segment", Noting)
    choice = choose(Task.of(tall), free())
    assert choice is not None
    assert choice.plan is None
    assert min(firsts) < tall.height / 3
    assert max(firsts) > tall.height / 2


def test_what_fails_is_printed_on_a_wider_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "CHOICE", replace(portfolio.CHOICE, work=0.01))
    tall = Task.of(Picture(FLAG.rows * 6, "tall"))
    choice = choose(tall, free())
    assert choice is not None
    narrow, asked = choice.task.board, []

    class Failing(RowsPlanner):
        def plan(self, task: Task, run: Run) -> PrintResult:
            asked.append(task)
            if task.board == narrow:
                raise JobError("a row could not be printed")
            return RowsPlanner().plan(task, run)

    monkeypatch.setattr("tetrisprinter.planners.auto.ROWS", Failing())
    result = make_plan(tall, "auto", free())
    assert [task.board for task in asked] == [narrow, tall.board]
    assert {task.types for task in asked} == {choice.task.types}
    assert result.shown.rows == tall.picture.rows
    assert dict(result.fallbacks)["printed on a wider board"] == 1


def test_a_print_that_falls_behind_ends() -> None:
    pace = Pace((0, 5, 9, 12), 3.0)
    pace.check(1, 7, 8)
    for rows, drops, left in ((1, 8, 8), (2, 11, 0), (2, 9, 12)):
        with pytest.raises(BehindError):
            pace.check(rows, drops, left)


def test_where_nothing_was_printed_the_narrowest_board_is_chosen() -> None:
    choice = choose(Task.of(FLAG), replace(free(), deadline=-inf))
    assert choice is not None
    assert choice.plan is None
    assert choice.task.board.width == FLAG.width + 1
    assert choice.task.types == TypeColors.of(share_types(FLAG))
    assert str(choice.step) == "9 columns: the narrowest board"
    assert choose(Task.of(Picture.parse("rb\n..\nrb")), free()) is None, "no game prints it"
