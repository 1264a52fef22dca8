"""The command line as a user runs it."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, Draw, Run, run_here
from tests.support.images import draw_rows
from tetrisprinter.planners.auto import AutoPlanner
from tetrisprinter.planners.run import Run as PlannerRun
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["EXAMPLES", "Draw", "Run"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run ``tetrisprinter`` in an empty folder; the exit code must be the one expected.

    The first argument may hold several words, as they are typed.
    """

    def call(first: object, *more: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        result = run_here((*str(first).split(), *more), tmp_path)
        assert result.returncode == code, result.stderr
        assert "Traceback" not in result.stderr
        return result

    return call


@pytest.fixture
def draw(tmp_path: Path) -> Draw:
    """Write an image given as rows of letters: r, g, b, y opaque, h half transparent."""
    inks = {"r": "d03020", "g": "208040", "b": "3060c0", "y": "f0c040", "h": "d0302080"}

    def write(name: str, *rows: str) -> Path:
        path = tmp_path / name
        draw_rows(rows, inks).save(path)
        return path

    return write


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
