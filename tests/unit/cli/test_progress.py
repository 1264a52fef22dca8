"""The progress line: short, below everything else, and right about the time left."""

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import click
import pytest

from tests.support.waiting import linger, wait_until
from tetrisprinter.cli import progress
from tetrisprinter.cli.progress import (
    show_counted_progress,
    show_measured_progress,
    show_search_progress,
)
from tetrisprinter.planners import Progress
from tetrisprinter.planners.run import Stage
from tetrisprinter.support import signals
from tetrisprinter.support.signals import Stop, TimeLeft


class Terminal(io.StringIO):
    """A terminal that shows what was written to it."""

    encoding = "utf-8"
    errors = "strict"

    def isatty(self) -> bool:
        return True

    def list_lines(self) -> list[str]:
        """Return the lines of the screen, each as it was last."""
        lines = []
        for line in self.getvalue().split("\n"):
            shown = ""
            for part in re.split(r"(\r\x1b\[2K)", line):
                shown = "" if part.startswith("\r") else shown + part
            lines.append(shown)
        return lines


@contextmanager
def open_terminal(interval: float = 0.0) -> Iterator[Terminal]:
    """Let stdout and stderr be a terminal; pytest takes them over again after each fixture."""
    screen = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        patch.setattr(sys, "stdout", screen)
        patch.setattr(progress, "_INTERVAL", interval)
        patch.setenv("TERM", "xterm-256color")
        yield screen


@pytest.mark.parametrize(
    ("show", "news"),
    [(show_search_progress, (Progress("row 3 of 16", 0.5),)), (show_measured_progress, (3, 6))],
)
def test_notes_stand_above_the_line_however_they_are_written(
    show: Callable[..., Any], news: tuple[Any, ...]
) -> None:
    with open_terminal() as terminal, show("planning owl.png") as report:
        report(*news)
        click.echo("a note of click", err=True)
        print("in", "parts")
        report(*news)
        print("unfinished ", end="")
        report(*news)
        print("line", file=sys.stderr)
        assert terminal.list_lines()[:3] == ["a note of click", "in parts", "unfinished line"]
        assert terminal.list_lines()[3].startswith("planning owl.png")
    assert terminal.list_lines()[3:] == [""]


def test_every_kind_of_progress_has_at_most_sixty_columns() -> None:
    name = "a rather long name of a file 絵絵絵絵絵絵絵.png"
    with open_terminal() as terminal:
        with show_search_progress(name) as report:
            text = "a stage with a long name and many figures, of which the last are cut"
            report(Progress(text, 0.5))
        with show_measured_progress(f"drawing {name}", 3) as measure:
            measure(1, 3)
        with show_counted_progress(name, None) as advance:
            advance()
    shown = re.split(r"\r\x1b\[2K|\n", terminal.getvalue())
    widths = [sum(1 + ("\u2e80" < letter < "\uff00") for letter in line) for line in shown]
    assert 50 < max(widths) <= 60


def test_the_first_game_shows_its_rows_and_when_it_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The share of the whole search tells nothing then: it is 0."""
    now, shown = [100.0], list[str]()
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    name = "a-portrait-of-my-grandmother.png"
    line = progress.SearchLine(name, Stop(), 1.0, shown.append)
    for row in range(1, 128, 3):
        stage = f"row {row} of 128, {150 * row} pieces"
        line.report(Progress(stage, game_fraction=row / 128))
        assert stage in shown[-1]
        assert shown[-1].startswith("a-portra")
        assert len(shown[-1]) <= 60
        if row > 1:
            assert shown[-1].endswith(f"first game in {max(1, round((128 - row) * 0.25))} s")
        now[0] += 0.75
    line.report(Progress(Stage.FIRST, 0.1, 19200))
    assert "19200 pieces" in shown[-1]
    assert "first" not in shown[-1]
    for searching in (Stage.TYPES, Stage.BANDS, Stage.WINDOWS, Stage.WHOLE, Stage.PROOF):
        line.report(Progress(searching, 0.1, 19200))
        assert shown[-1].endswith(progress._STAGE_TEXTS[searching])
        assert len(shown[-1]) <= 60


def test_the_line_lives_while_a_stage_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_TICK", 0.01)
    shown: list[str] = []
    line = progress.SearchLine("owl.png", Stop(), 1.0, shown.append)
    with progress.repeat(line.refresh):
        line.drops = 12
        wait_until(lambda: shown[-1] == "owl.png: 12 pieces", "the pieces of a better game")
    count = len(shown)
    linger(0.05)
    assert len(shown) == count


def test_ctrl_c_names_what_is_written() -> None:
    line = progress.SearchLine("owl.png", Stop(), 1.0, lambda text: None)
    assert line.describe_stop(is_preview=False) == "stopping"
    line.drops = 12
    assert line.describe_stop(is_preview=False).endswith("the best game so far (12 pieces)")
    assert "the preview" in line.describe_stop(is_preview=True)


def test_the_last_of_many_reports_is_shown() -> None:
    with open_terminal(0.05) as terminal, show_search_progress("planning") as report:
        for k in range(100):
            report(Progress(f"stage {k}"))
        wait_until(lambda: terminal.list_lines()[-1] == "planning: stage 99", "the last stage")
        assert terminal.getvalue().count("stage") < 50


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with show_search_progress("planning") as report:
        report(Progress("row 1 of 16", 0.1))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("speeds", [(1,), (0, 2), (0, 0, 0, 0, 5)])
def test_the_time_left_is_right_within_a_factor_of_two(
    speeds: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(signals, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert TimeLeft().seconds is None
    time_left, done = TimeLeft(), 0
    for k, speed in enumerate(speeds * (200 // len(speeds))):
        now[0] += 0.1
        done += speed
        time_left.update(done / 200)
        left = 20 - now[0]
        if 20 < k < 180:
            assert time_left.seconds is not None
            assert left / 2 <= time_left.seconds <= 2 * left
    assert time_left.seconds is not None
    assert time_left.seconds < 1


@pytest.mark.parametrize("term", ["", "unknown"])
def test_a_terminal_without_a_cursor_gets_notes_only(
    term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_terminal() as terminal:
        monkeypatch.setenv("TERM", term)
        with show_search_progress("planning") as report:
            report(Progress("row 1 of 16", 0.1))
            click.echo("a note", err=True)
        assert terminal.getvalue() == "a note\n"
