"""The command line as a user runs it."""

from dataclasses import replace

import pytest

from tests.support.commands import EXAMPLES, Draw, Run
from tetrisprinter.planners.auto import AutoPlanner
from tetrisprinter.planners.run import Run as PlannerRun
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["EXAMPLES", "Draw", "Run"]


_ANSWERS: dict[object, PrintResult] = {}


@pytest.fixture
def share_repeated_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan each task once, for all tests that use this: the same request has the same plan."""
    plan = AutoPlanner.plan

    def once(planner: AutoPlanner, task: Task, run: PlannerRun) -> PrintResult:
        unnamed = replace(task, picture=replace(task.picture, name=""))
        question = unnamed, run.limit, run.any_board, run.known, run.unfinished, run.can_play
        if question not in _ANSWERS:
            _ANSWERS[question] = plan(planner, task, run)
        return _ANSWERS[question]

    monkeypatch.setattr(AutoPlanner, "plan", once)
