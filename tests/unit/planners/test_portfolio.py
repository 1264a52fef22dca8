"""The board and the types that take the fewest drops, of some of both."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf

import pytest

from tests.support.strategies import PALETTE
from tetrisprinter.api import print_picture
from tetrisprinter.errors import JobError
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.auto import AutoPlanner
from tetrisprinter.planners.portfolio import ChoiceBudgets, Chosen, choose
from tetrisprinter.planners.rows import RowsPlanner
from tetrisprinter.planners.rows.segment import BehindError, Pace
from tetrisprinter.planners.rows.target import row_target
from tetrisprinter.planners.sample import Sample
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")


def free(workers: int = 1, seed: int = 0) -> Run:
    return Run(Limit(workers=workers, seed=seed), any_board=True)


LITTLE = ChoiceBudgets(work=0.15)
LESS = replace(LITTLE, work=0.01)
"""Of this, only a sample of a tall picture is printed."""

TALL = Picture(FLAG.rows * 6, "tall")


def chosen(task: Task, run: Run, budgets: ChoiceBudgets = LITTLE) -> Chosen:
    choice = choose(task, run, budgets)
    assert choice is not None
    return choice


def test_the_choice_is_printed_and_said() -> None:
    task = Task.of(FLAG)
    result = make_plan(task, AutoPlanner(choice=LITTLE), free())
    assert result.task.picture == task.picture
    assert result.made_by[0] == Stage.CHOSEN
    assert f"{result.task.board.width} columns: fewest drops of" in str(result.steps[-1])
    assert result.shown.rows == task.picture.rows
    usual = make_plan(task, "rows", Limit())
    assert result.drops <= usual.drops


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_nothing(workers: int) -> None:
    assert chosen(Task.of(FLAG), free(workers)) == chosen(Task.of(FLAG), free())


def test_what_is_named_is_kept() -> None:
    fixed = Task.of(FLAG, "11x20", "classic")
    assert choose(fixed, Run(), LITTLE) is None
    on_board = chosen(Task.of(FLAG, "11x20"), Run())
    assert on_board.task.board == fixed.board
    assert isinstance(on_board.task.types, TypeColors)
    assert "types: fewest drops of" in str(on_board.step)
    named = Task.of(FLAG, types=share_types(FLAG))
    assert chosen(named, free()).task.types == named.types


def test_of_a_large_picture_some_rows_decide() -> None:
    choice = chosen(Task.of(TALL), free(), LESS)
    assert choice.plan is None
    assert choice.task.picture == TALL
    result = make_plan(Task.of(TALL), AutoPlanner(choice=LESS), free())
    assert result.task.board == choice.task.board
    assert result.shown.rows == TALL.rows


@pytest.mark.parametrize(("rows", "strips", "each"), [(30, 1, 30), (12, 2, 6), (7, 1, 7)])
def test_the_sample_is_of_the_whole_picture(rows: int, strips: int, each: int) -> None:
    sample = Sample.of(TALL.height, rows, 5)
    assert (sample.strips, sample.rows, sample.is_whole) == (strips, each, rows == TALL.height)
    lows = sample.lows(row_target(Task.of(TALL), share_types(TALL)))
    assert len(lows) == strips
    parts = [range(low, low + each) for low in lows]
    assert all(one.stop <= other.start for one, other in pairwise(parts))
    for number, part in enumerate(parts):  # one in the middle of each half, or third, or so
        middle = (number + 0.5) * TALL.height / strips
        assert part.start <= middle <= part.stop


def test_what_fails_is_printed_on_a_wider_board() -> None:
    task = Task.of(TALL)
    choice = chosen(task, free(), LESS)
    narrow, asked = choice.task.board, []

    class Failing(RowsPlanner):
        def plan(self, task: Task, run: Run) -> PrintResult:
            asked.append(task)
            if task.board == narrow:
                raise JobError("a row could not be printed")
            return RowsPlanner().plan(task, run)

    result = make_plan(task, AutoPlanner(rows=Failing(), choice=LESS), free())
    assert [task.board for task in asked] == [narrow, task.board]
    assert {task.types for task in asked} == {choice.task.types}
    assert result.shown.rows == TALL.rows
    assert dict(result.fallbacks)["printed on a wider board"] == 1


def test_a_print_that_falls_behind_ends() -> None:
    pace = Pace((0, 5, 9, 12), 3.0)
    pace.check(1, 7, 8)
    for rows, drops, left in ((1, 8, 8), (2, 11, 0), (2, 9, 12)):
        with pytest.raises(BehindError):
            pace.check(rows, drops, left)


def test_where_nothing_was_printed_the_narrowest_board_is_chosen() -> None:
    choice = chosen(Task.of(FLAG), replace(free(), deadline=-inf))
    assert choice.plan is None
    assert choice.task.board.width == FLAG.width + 1
    assert choice.task.types == TypeColors.of(share_types(FLAG))
    assert str(choice.step) == "9 columns: the narrowest board"
    assert choose(Task.of(Picture.parse("rb\n..\nrb")), free(), LITTLE) is None, "no game prints it"


@pytest.mark.slow
def test_types_in_which_a_row_resists_take_little_work() -> None:
    """Two by six squares in six colours, of which one has the I alone: minutes, before."""
    drawn = ("ab", "cd", "dc", "ef", "cf", "fa")
    colors = dict(zip("abcdef", PALETTE, strict=False))
    picture = Picture(tuple(tuple(colors[letter] for letter in row) for row in drawn))
    found = print_picture(picture, board="10x22", exact=True, limit=Limit(workers=1))
    assert found.work < 10
