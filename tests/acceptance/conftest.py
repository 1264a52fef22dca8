"""The command line as a user runs it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.support.commands import EXAMPLES, Draw, Run
from tetrisprinter.planners.auto import AutoPlanner
from tetrisprinter.planners.run import Run as PlannerRun
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["EXAMPLES", "Draw", "Run"]


_PLANS: dict[object, list[PrintResult]] = {}


@pytest.fixture
def share_repeated_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan each task once, for all tests that use this: the same request has the same plans."""
    list_plans = AutoPlanner.list_plans

    def list_once(planner: AutoPlanner, task: Task, run: PlannerRun) -> Iterator[PrintResult]:
        unnamed = replace(task, picture=replace(task.picture, name=""))
        choices = run.any_board, run.known, run.unfinished, run.can_play, run.gives_up
        question = planner, unnamed, run.limit, *choices
        if question not in _PLANS:
            _PLANS[question] = list(list_plans(planner, task, run))
        yield from _PLANS[question]

    monkeypatch.setattr(AutoPlanner, "list_plans", list_once)
