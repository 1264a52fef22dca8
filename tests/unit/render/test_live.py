"""The clock in the terminal, with time and keys as the test says."""

import json
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import cache
from itertools import pairwise
from typing import Any, cast

import pytest

from tests.oracles.game import replay
from tests.support.screens import ScriptedScreen, read_half_blocks
from tetrisprinter.api.slideshows import make_clock_tasks
from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Rows
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.planners import make_plan
from tetrisprinter.printing.task import Task
from tetrisprinter.render.terminal import LiveClock, Screen
from tetrisprinter.support.options import Limit

BEGIN = 1_000_000_000 // 60 * 60
"""The beginning of some minute."""


class AtOnce(Executor):
    """Does what it is given before it goes on."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except JobError as error:
            done.set_exception(error)
        return done


def task_of(minute: int) -> Task:
    (task,) = make_clock_tasks(minute, 1)
    return task


@cache
def plan_of(minute: int, lies: Rows) -> Plan:
    limit = Limit(workers=1, effort=0.1)
    return make_plan(task_of(minute).with_start(lies), "auto", limit).plan


def minute_at(moment: float) -> int:
    local = time.localtime(moment)
    return 60 * local.tm_hour + local.tm_min


def clock_on(screen: ScriptedScreen, plan: Callable[[int, Rows], Plan] = plan_of) -> LiveClock:
    return LiveClock(plan, cast(Screen, screen), "truecolor", screen.clock, AtOnce)


@pytest.mark.parametrize("second", [3.0, pytest.param(41.5, marks=pytest.mark.slow)])
def test_each_minute_stands_when_it_begins(second: float) -> None:
    screen = ScriptedScreen((BEGIN + 170, "q"))
    screen.now = BEGIN + second
    shown: list[tuple[float, float, Plan]] = []
    for coming, plan in clock_on(screen).run():
        assert coming <= screen.now
        assert screen.now - coming < (0.2 if shown or second > 30 else 30)
        left = replay(json.loads(json.dumps(make_drop_log(plan, play_through(plan)))))
        assert set(left) == set(task_of(minute_at(coming)).wanted.cells())
        shown.append((screen.now, coming, plan))
    minutes = [(coming - BEGIN) / 60 for _, coming, _ in shown]
    assert minutes == ([0, 1, 2] if second < 30 else [1, 2])
    for (_, _, before), (stood, coming, plan) in pairwise(shown):
        end = play_through(before).field.rows
        assert plan.start == tuple(row for row in end if any(row))
        # Four drops a second until shortly before the minute begins, and no earlier than that.
        assert 18 <= len(screen.drops(coming - 6, coming - 1)) <= 22
        assert not screen.drops(coming - 5 - len(plan) / 4, coming - 2 - len(plan) / 4)
        assert time.strftime("%H:%M", time.localtime(coming)) in screen.text(stood)
        assert "→" not in screen.text(stood)


def test_what_stands_is_what_is_seen() -> None:
    screen = ScriptedScreen((BEGIN + 50, "q"))
    screen.now = BEGIN
    for coming, _ in clock_on(screen).run():
        drawn = read_half_blocks(screen.board(screen.now))
        task = task_of(minute_at(coming))
        lit = sum(color == "f5f5f5" for row in drawn for color in row)
        assert lit
        assert lit % task.pixels == 0


def test_a_minute_that_nothing_leads_to_is_left_out() -> None:
    missing = minute_at(BEGIN + 60)

    def some(minute: int, lies: Rows) -> Plan:
        if minute == missing:
            raise JobError("could not be cleared")
        return plan_of(minute, lies)

    screen = ScriptedScreen((BEGIN + 130, "q"))
    screen.now = BEGIN
    minutes = [(coming - BEGIN) / 60 for coming, _ in clock_on(screen, some).run()]
    assert minutes == [0, 2]


def test_it_stops_at_q_in_the_middle_of_a_print() -> None:
    screen = ScriptedScreen((BEGIN + 2, "q"))
    screen.now = BEGIN
    assert list(clock_on(screen).run()) == []
    assert screen.now < BEGIN + 3
