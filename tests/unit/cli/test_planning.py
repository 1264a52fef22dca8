"""What is said and asked before a planner begins."""

from __future__ import annotations

import sys
from dataclasses import replace

import click
import pytest

from tetrisprinter.cli.planning import Planning
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.run import LOG, Run
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

HUGE = Task.of(Picture((("d03020",) * 300,) * 300, "huge"))
PLANNING = Planning("auto", Limit(), None, None)


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
    PLANNING._ask(small)
    for sure in (replace(PLANNING, sure=True), replace(PLANNING, limit=Limit(seconds=9))):
        sure._ask(HUGE)
    assert not asked
    capsys.readouterr()
    if sits_there:
        with pytest.raises(click.Abort):
            PLANNING._ask(HUGE)
        assert asked == ["Go on?"]
    else:
        PLANNING._ask(HUGE)
        assert not asked
    said = capsys.readouterr().err
    assert said.startswith("huge: about ")
    assert ("--yes" in said) == sits_there


def test_other_ways_are_logged_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    run = Run()
    with caplog.at_level("INFO", LOG.name):
        run.fell_back("row printed alone", "heart: row 3")
        run.fell_back("row printed alone", "heart: row 4")
    assert caplog.messages == ["heart: row 3: row printed alone", "heart: row 4: row printed alone"]
    assert run.fallbacks == {"row printed alone": 2}
