"""One scale from a plan that is there at once to the shortest."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan, shortest
from tetrisprinter.planners.auto import AutoPlanner
from tetrisprinter.planners.effort import STEPS
from tetrisprinter.planners.rows import RowsPlanner
from tetrisprinter.planners.shortest import SHORTEST
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import share_types

PICTURE = Picture.parse("rgr\nrrr")
TYPES = share_types(PICTURE)
SQUARE = Task.of(PICTURE, "9x14", TYPES)


class Recorder:
    """Stands in for the planner shortest: notes how it was called, and gives what it was given."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, tuple[Plan, ...] | None]] = []

    def plan(self, task: Task, run: Run) -> PrintResult:
        self.calls.append((run.limit.effort, run.candidates))
        if not run.candidates:
            raise JobError("nothing was found")
        return PrintResult.of(task, run.candidates[0], "shortest")

    def at_once(self, task: Task, run: Run, drops: int) -> None:
        """Find nothing."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setattr(shortest, "SHORTEST", recorder)
    return recorder


@pytest.mark.parametrize(
    ("effort", "steps"), [(0.01, 0), (1, 0), (1.9, 0), (2, 1), (3.5, 2), (inf, len(STEPS) - 2)]
)
def test_each_step_begins_with_what_is_there(asked: Recorder, effort: float, steps: int) -> None:
    first = make_plan(SQUARE, "rows").plan
    result = make_plan(SQUARE, "auto", Limit(effort=effort))
    assert asked.calls == [(2.0**n, (first,)) for n in range(steps)]
    assert (result.plan, result.planner) == (first, "rows")


@pytest.mark.slow
def test_more_effort_is_never_worse_and_ends_where_there_is_nothing_to_gain() -> None:
    drops = [make_plan(SQUARE, "auto", Limit(effort=effort)).drops for effort in (1, 2, 3)]
    assert drops == sorted(drops, reverse=True)
    shortest = make_plan(SQUARE, "shortest", Limit()).drops
    assert drops[1] <= shortest


def test_a_long_search_is_not_begun_unasked(asked: Recorder) -> None:
    class Failing(RowsPlanner):
        def plan(self, task: Task, run: Run) -> PrintResult:
            raise JobError("no row could be printed")

    planner = AutoPlanner(rows=Failing())
    wide = Task.of(Picture((("d03020",) * 40,) * 40), types="classic")
    with pytest.raises(JobError, match="no row could be printed"):
        planner.plan(wide, Run())
    assert not asked.calls
    notes: list[str] = []
    run = Run(note=notes.append)
    with pytest.raises(JobError, match="nothing was found"):
        planner.plan(SQUARE, run)
    assert asked.calls == [(1.0, ())]
    assert run.fallbacks == {"printed by the planner shortest": 1}
    assert len(notes) == 1


def test_what_was_not_needed_is_not_counted() -> None:
    assert make_plan(SQUARE, "auto").fallbacks == ()
    assert replace(make_plan(SQUARE, "rows"), fallbacks=(("a", 1),)).fallbacks == (("a", 1),)


def test_on_a_narrow_board_a_game_without_a_clear_is_found_at_once() -> None:
    task = Task.of(Picture.parse("rrrrgggg\nrrrrgggg"), "10x12")
    result = make_plan(task, "auto", Limit())
    assert (result.drops, result.lines) == (4, 0)
    assert SHORTEST.at_once(task, Run(), 4) is None


@pytest.mark.parametrize(("width", "several"), [(9, True), (11, True), (21, False)])
def test_on_a_narrow_board_several_games_are_followed(width: int, several: bool) -> None:
    result = make_plan(Task.of(PICTURE, f"{width}x14", TYPES), "rows", Limit())
    assert (Stage.SEVERAL_GAMES in result.made_by) == several
    assert (Stage.PAIRS in result.made_by) != several
