"""What is said and asked before a planner begins."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import pytest

from tetrisprinter.api import PreparedTask, prepare, prints
from tetrisprinter.bounds import refinement
from tetrisprinter.bounds.window_solver import WindowAnswer, WindowQuery, solve_window
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import LOG, Run
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

HUGE = Task.of(Picture((("d03020", "2050c0") * 150,) * 300, "huge"))
PICTURE = Picture.parse("r.b.r.\n.b.r.b")
TYPES = {piece: PICTURE.colors()[number % 2] for number, piece in enumerate(PieceType)}
SHORT = Task.of(PICTURE, (6, 12), TYPES, None, 0)
PLANNING = PlannerOptions("auto", Limit(effort=20), None, None)


@pytest.mark.parametrize("sits_there", [True, False])
def test_a_long_job_is_told_and_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sits_there: bool
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: sits_there)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: sits_there)
    asked: list[str] = []

    def no(question: str, err: bool) -> bool:
        asked.append(question)
        return False

    monkeypatch.setattr(click, "confirm", no)
    small = Task.of(Picture.parse("rr"))
    PLANNING._confirm_long_job(small)
    for sure in (replace(PLANNING, sure=True), replace(PLANNING, limit=Limit(seconds=9))):
        sure._confirm_long_job(HUGE)
    assert not asked
    capsys.readouterr()
    if sits_there:
        with pytest.raises(click.Abort):
            PLANNING._confirm_long_job(HUGE)
        assert asked == ["Continue?"]
    else:
        PLANNING._confirm_long_job(HUGE)
        assert not asked
    said = capsys.readouterr().err
    assert said.startswith("huge: a long job, probably over 5 minutes")
    assert ("--yes" in said) == sits_there


def test_other_ways_are_logged_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    run = Run()
    with caplog.at_level("INFO", LOG.name):
        run.log_fallback("row printed alone", "heart: row 3")
        run.log_fallback("row printed alone", "heart: row 4")
    assert caplog.messages == ["heart: row 3: row printed alone", "heart: row 4: row printed alone"]
    assert run.fallbacks == {"row printed alone": 2}


def test_a_proof_that_was_interrupted_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    long = make_plan(SHORT, "rows", Limit(workers=1))
    planning = replace(PLANNING, prove=True, limit=Limit(workers=1))
    looked: list[WindowQuery] = []

    most = [100]

    def counted(asked: WindowQuery) -> WindowAnswer:
        if len(looked) == most[0]:
            raise KeyboardInterrupt
        looked.append(asked)
        return solve_window(asked)

    monkeypatch.setattr(refinement, "solve_window", counted)
    whole = planning._prove(long, lambda *_: None, tmp_path / "whole.txt")
    assert (whole.drops, whole.proof) == (6, Proof.ALL_GAMES)
    assert not list(tmp_path.iterdir())  # it came to its end
    alone = len(looked)
    plan = tmp_path / "plan.txt"
    most[0] = 2 * alone - 1
    begun = planning._prove(long, lambda *_: None, plan)
    assert begun.stopped
    assert begun.drops == long.drops
    assert begun.proof is not Proof.ALL_GAMES
    assert "continues from there" in capsys.readouterr().err
    assert (tmp_path / "plan.txt.bound").is_dir()
    looked.clear()
    most[0] = 100
    ended = planning._prove(long, lambda *_: None, plan)
    assert (ended.drops, ended.proof) == (6, Proof.ALL_GAMES)
    assert len(looked) <= alone
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_up", [True, False])
def test_half_of_the_time_is_left_for_the_proof(
    monkeypatch: pytest.MonkeyPatch, is_up: bool
) -> None:
    """A plan whose half is up is proved all the same, one that was interrupted is not."""
    long = make_plan(SHORT, "rows", Limit(workers=1))
    halves: list[float] = []

    def plan(found: PreparedTask, _planner: str, run: Run) -> Iterator[PrintResult]:
        halves.append(run.stop.seconds_left / 100)
        if not is_up:
            run.stop.request(2)
        yield replace(long, stopped=True)

    monkeypatch.setattr(prints, "find_plans", plan)
    asked = replace(PLANNING, prove=True, limit=Limit(seconds=100.0, workers=1)).start_clock()
    result = asked.plan(prepare(PICTURE, types=TYPES, board=(6, 12)))
    assert 0.4 < halves[0] <= 0.5
    assert (result.proof is Proof.ALL_GAMES) == is_up
    assert result.stopped != is_up
