"""The show in the terminal: what is drawn, and that the terminal gets back what it had."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.plans import make_long_plan, make_random_plan
from tests.support.processes import WatchedCommand
from tests.support.screens import ScriptedScreen, read_half_blocks
from tests.support.waiting import wait_until
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render.terminal import RESIZED, Screen, Viewer, draw_as_text, draw_half_blocks

pytest.importorskip("pty", reason="no pseudo-terminals on this system")
termios = pytest.importorskip("termios")


@pytest.mark.parametrize("height", [6, 7])
def test_true_colour_shows_every_square(height: int) -> None:
    plan = make_random_plan(9, height, 20, seed=3)
    rows = list(make_field_picture(plan, play_through(plan).field).rows)
    drawn = read_half_blocks(draw_half_blocks(rows, "truecolor"))
    assert [list(row) for row in rows] == drawn[:height]
    assert not any(any(row) for row in drawn[height:])


def test_fewer_colours() -> None:
    red_over_green = [["00ff00"], ["ff0000"]]
    assert draw_half_blocks(red_over_green, "256") == ["\x1b[38;5;196;48;5;46m▀\x1b[0m"]
    assert draw_half_blocks([["808080"], ["808080"]], "256") == ["\x1b[38;5;244;48;5;244m▀\x1b[0m"]
    both: list[list[str | None]] = [
        [None, None, "ff0000", "ff0000"],
        [None, "ff0000", None, "00f000"],
    ]
    assert draw_half_blocks(both, "none") == [" ▀▄█"]


def play_scripted(plan: Plan, speed: float, *keys: tuple[float, str]) -> ScriptedScreen:
    return play_on(ScriptedScreen(*keys), plan, speed)


def play_on(screen: ScriptedScreen, plan: Plan, speed: float) -> ScriptedScreen:
    show = Viewer(plan, cast(Screen, screen), speed, "none", "")
    show.clock = screen.clock
    show.run()
    return screen


def test_as_many_drops_in_a_second_as_was_said() -> None:
    plan = make_long_plan(300)
    assert play_scripted(plan, 8).drops(0, 3) == [*range(25)]
    faster = play_scripted(plan, 8, (1, "+"), (1, "+"))
    assert faster.drops(2.01, 3.01)[-1] - faster.drops(1.01, 2.01)[-1] == 18
    slower = play_scripted(plan, 8, (1, "-"), (1, "-"), (1, "-"))
    assert slower.drops(1.01, 4.01)[-1] - slower.drops(0, 1.01)[-1] == 7  # 2.37 a second


def test_so_many_steps_as_keys() -> None:
    """Forward while a piece is on its way, which lands first; and back."""
    screen = play_scripted(
        make_long_plan(300),
        8,
        (1.04, "n"),
        (1.05, "n"),
        (1.06, "n"),
        *((5.0, "b"),) * 2,
        (9.0, "n"),
    )
    begun = screen.drops(0, 1.04)[-1]
    assert screen.drops(1.04, 4) == [begun, begun + 1, begun + 2]
    assert screen.drops(5.0, 8)[0] == begun
    assert screen.drops(9.0, 12)[-1] == begun + 1


def test_wound_back_the_field_is_what_it_was() -> None:
    plan = make_random_plan(10, 20, 30, seed=1)
    ahead = play_scripted(plan, 8, (0, "n"), *((n + 1.0, "n") for n in range(29)))
    boards = [ahead.board(n + 1.5) for n in range(27)]  # after 2 to 28 drops
    back = play_scripted(plan, 1000, *((n + 2.0, "b") for n in range(31)))
    assert [back.board(n + 2.5) for n in range(1, 28)] == boards[::-1]
    assert "drop 0/" in back.shown[-1][1]
    again = play_scripted(plan, 8, (5.0, " "))
    assert again.drops(5.01, 10) == [*range(1, 31)]


def test_a_low_terminal_shows_where_the_print_is() -> None:
    plan = make_random_plan(8, 60, 60, seed=2)
    low = ScriptedScreen()
    low.size = os.terminal_size((80, 14))
    texts = [text for _, text in play_on(low, plan, 8).shown]
    assert all(text.count("\n") < 14 for text in texts)
    # Every piece that has just landed is in sight: what is shown changes with each drop.
    boards = {tuple(text.split("\n")[1:-1]) for text in texts}
    assert len(boards) > len(plan) // 2


def test_what_is_said_is_so() -> None:
    screen = play_scripted(make_long_plan(300), 8, (1, "+"), (2, " "), (3, "+"), (4, RESIZED))
    assert "12 drops/s   space pause" in screen.text(1.5)
    assert "paused, 12 drops/s   space go on" in screen.text(2.5)
    assert "paused, 18 drops/s" in screen.text(3.5)
    done = play_scripted(make_random_plan(10, 20, 30, seed=1), 1000)
    assert "space again   b back   q quit" in done.shown[-1][1]
    narrow = ScriptedScreen()
    narrow.size = os.terminal_size((30, 24))
    assert {
        len(text.split("\n")[-1]) for _, text in play_on(narrow, make_long_plan(300), 8).shown
    } == {len("8 drops/s   q quit")}


def test_squares_are_as_large_as_there_is_room_and_a_wide_board_is_cut() -> None:
    plan = make_random_plan(10, 20, 30, seed=1)
    small, large = ScriptedScreen(), ScriptedScreen()
    small.size, large.size = os.terminal_size((80, 13)), os.terminal_size((80, 43))
    ends = [play_on(screen, plan, 1000).shown[-1][1].split("\n")[1:-1] for screen in (small, large)]
    assert [len(board) for board in ends] == [10, 40]
    upper, lower = ({"▀": "█", "▄": " "}, {"▀": " ", "▄": "█"})
    for y, line in enumerate(ends[0]):
        for half, table in enumerate((upper, lower)):
            squares = "".join(table.get(c, c) * 4 for c in line[1:-1])
            assert [row[1:-1] for row in ends[1][4 * y + 2 * half :][:2]] == [squares] * 2
    wide = ScriptedScreen()
    wide.size = os.terminal_size((20, 24))
    texts = [text for _, text in play_on(wide, make_random_plan(40, 20, 60, seed=1), 8).shown]
    assert max(len(line) for text in texts for line in text.split("\n")) == 20


# The command line with its standard input as the controlling terminal of its session, so
# that Ctrl-C becomes an interrupt as it does for a user.
_RUN = """
import fcntl, runpy, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
runpy.run_module("tetrisprinter", run_name="__main__")
"""


started: list[Terminal] = []


class Terminal(WatchedCommand):
    """A command whose streams are all a pseudo-terminal."""

    def __init__(
        self, *arguments: str, lines: int = 60, variables: dict[str, str] | None = None
    ) -> None:
        self.open_terminal()
        self.set_size(lines)
        self.before: list[Any] = termios.tcgetattr(self.terminal)
        self.start(
            [sys.executable, "-c", _RUN, *arguments],
            {"COLORTERM": "truecolor", **(variables or {})},
            ("stdin", "stdout", "stderr"),
            start_new_session=True,
        )
        started.append(self)

    def set_size(self, lines: int) -> None:
        termios.tcsetwinsize(self.terminal, (lines, 100))

    def resize(self, lines: int) -> None:
        self.set_size(lines)
        self.process.send_signal(signal.SIGWINCH)

    def read_until(self, what: str, after: str = "", seconds: float = 150) -> str:
        until = time.monotonic() + seconds
        while what not in self.text[max(0, self.text.rfind(after)) if after else 0 :]:
            assert time.monotonic() < until, f"{what!r} did not come: {self.text[-500:]!r}"
            self.read(0.5)
        return self.text

    @property
    def drop(self) -> int:
        """The number of the drop shown last."""
        self.read(0.05)
        return int(re.findall(r"drop (\d+)/", self.text)[-1])

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def end(self, screens: int = 1) -> int:
        """Wait for the command, then check that the terminal is as it was."""
        code = self.wait_for_end(150)
        assert termios.tcgetattr(self.terminal) == self.before
        assert self.text.count("\x1b[?1049h") == self.text.count("\x1b[?1049l") == screens
        assert self.text.rfind("\x1b[?25h") >= self.text.rfind("\x1b[?25l")
        return code


@pytest.fixture(autouse=True)
def nothing_left_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start commands without variables that change what is drawn; end those that still run."""
    for name in ("NO_COLOR", "LINES", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    yield
    while started:
        started.pop().close()


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.txt"
    path.write_text(str(make_random_plan(10, 20, 30, seed=1)))
    return path


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    path = tmp_path / "long.txt"
    path.write_text(str(make_long_plan(2000)))
    return path


def test_watched_to_the_end_it_leaves_the_picture(plan_file: Path) -> None:
    """In the end nothing is told from the background, which one of the types has."""
    plan = Plan.read(plan_file)
    there = {v for row in play_through(plan).field.rows for v in row}
    plan = replace(plan, background=next(color for piece, color in plan.colors if piece in there))
    plan_file.write_text(str(plan))
    terminal = Terminal("watch", str(plan_file), "--speed", "200", lines=14)
    terminal.read_until("done: ")
    rows = make_field_picture(plan, play_through(plan).field).rows
    expected = [[color or plan.background for color in row] for row in rows]
    text = terminal.read_until("\x1b[J", after="done: ")
    board = text[text.rindex("\x1b[H") :].split("\r\n")[1:-1]
    assert read_half_blocks([line.replace("\x1b[K", "") for line in board[:10]]) == expected
    terminal.press("x")  # does nothing
    terminal.press("\r")
    assert terminal.end() == 0
    left = terminal.text[terminal.text.index("\x1b[?1049l") :]
    assert draw_as_text(plan, "truecolor").strip().replace("\n", "\r\n") in left


def test_keys_pause_step_and_change_the_speed(long_file: Path) -> None:
    terminal = Terminal("watch", str(long_file), "--speed", "8")
    terminal.read_until("drop 2/")
    terminal.press(" ")
    terminal.read_until("paused")
    stood = terminal.drop
    terminal.press("nnn")
    wait_until(lambda: terminal.drop == stood + 3, "three steps")
    terminal.press("\x1b[D\x1b[D")
    wait_until(lambda: terminal.drop == stood + 1, "two steps back")
    terminal.text += "resized"
    terminal.resize(20)
    terminal.read_until("long", after="resized")
    terminal.press("++ ")
    terminal.read_until("18 drops/s")
    terminal.press("---")
    terminal.read_until("5.33 drops/s")
    terminal.press("\x1b")
    assert terminal.end() == 0


@pytest.mark.parametrize("how", ["key", "SIGINT", "SIGTERM"])
def test_interrupted_it_restores_the_terminal(long_file: Path, how: str) -> None:
    terminal = Terminal("watch", str(long_file), "--speed", "5")
    terminal.read_until("drop 2/")
    if how == "key":
        terminal.press("\x03")
    else:
        terminal.process.send_signal(signal.Signals[how])
    assert terminal.end() == (143 if how == "SIGTERM" else 130)


@pytest.mark.parametrize(
    ("variables", "present", "absent"),
    [
        ({"COLORTERM": "", "TERM": "xterm-256color"}, "\x1b[38;5;", "\x1b[38;2;"),
        ({"NO_COLOR": "1"}, "▄", "\x1b[38;"),
    ],
)
def test_degrades(plan_file: Path, variables: dict[str, str], present: str, absent: str) -> None:
    terminal = Terminal("watch", str(plan_file), "--speed", "100", variables=variables)
    terminal.read_until("done: ")
    terminal.press("q")
    assert terminal.end() == 0
    assert present in terminal.text
    assert absent not in terminal.text


@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_a_terminal_without_a_cursor_gets_the_picture_only(plan_file: Path, term: str) -> None:
    terminal = Terminal("watch", str(plan_file), variables={"TERM": term})
    terminal.read_until("done: ")
    assert terminal.end(screens=0) == 0
    assert "▄" in terminal.text
    assert "\x1b" not in terminal.text
    clock = Terminal("clock", "--live", variables={"TERM": term})
    clock.read_until("cannot move the cursor")
    assert clock.end(screens=0) == 2
    assert "\x1b" not in clock.text


def test_a_terminal_sees_how_far_a_file_is(long_file: Path, tmp_path: Path) -> None:
    terminal = Terminal("play", str(long_file), "-o", str(tmp_path / "a.webp"))
    terminal.read_until("drawing a.webp")
    assert terminal.end(screens=0) == 0
    assert (tmp_path / "a.webp").exists()


def test_interrupted_it_leaves_no_half_file(long_file: Path, tmp_path: Path) -> None:
    terminal = Terminal("play", str(long_file), "-o", str(tmp_path / "a.webp"), "--scale", "32")
    terminal.read_until("drawing a.webp")
    terminal.press("\x03")
    assert terminal.end(screens=0) == 130
    assert {path.name for path in tmp_path.iterdir()} == {"long.txt"}
