"""The show in the terminal: what is drawn, and that the terminal gets back what it had.

The clock in the terminal runs with time and keys as the test says.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from tests.oracles.game import replay
from tests.support.plans import make_long_plan, make_random_plan
from tests.support.processes import WatchedCommand
from tests.support.waiting import wait_until
from tetrisprinter.api.slideshows import make_clock_tasks
from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Rows
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.planners import make_plan
from tetrisprinter.printing.task import Task
from tetrisprinter.render.terminal import (
    RESIZED,
    LiveClock,
    Screen,
    Viewer,
    draw_as_text,
    draw_half_blocks,
)
from tetrisprinter.support.options import Limit

SGR = re.compile(r"\x1b\[([0-9;]*)m")


def read_half_blocks(lines: list[str]) -> list[list[str | None]]:
    """Return the colours of half blocks in true colour by row, bottom first; None is black."""
    rows: list[list[str | None]] = []
    for line in lines:
        upper: list[str | None] = []
        lower: list[str | None] = []
        cell_colors: tuple[str, str] | None = None
        for part in re.split(r"(\x1b\[[0-9;]*m|▀)", line):
            if part == "▀":
                assert cell_colors is not None
                upper.append(cell_colors[0] if cell_colors[0] != "000000" else None)
                lower.append(cell_colors[1] if cell_colors[1] != "000000" else None)
            elif match := SGR.fullmatch(part):
                codes = match[1].split(";")
                if len(codes) == 10:
                    assert (codes[:2], codes[5:7]) == (["38", "2"], ["48", "2"])
                    cell_colors = (
                        bytes(map(int, codes[2:5])).hex(),
                        bytes(map(int, codes[7:10])).hex(),
                    )
        rows[:0] = [lower, upper]
    return rows


class ScriptedScreen:
    """A screen with a simulated clock; keys are pressed at given moments."""

    has_keys = True

    def __init__(self, *keys: tuple[float, str]) -> None:
        self.now, self.keys = 0.0, [*keys, (100.0, "q")]
        self.size = os.terminal_size((80, 24))
        self.shown: list[tuple[float, str]] = []

    def clock(self) -> float:
        return self.now

    def show(self, lines: Sequence[str]) -> None:
        self.shown.append((self.now, "\n".join(lines)))

    def read_key(self, seconds: float) -> str:
        """Return the next key if its moment comes within some seconds, else an empty text."""
        moment, key = self.keys[0]
        if moment > self.now + max(0.0, seconds):
            self.now += max(0.0, seconds)
            return ""
        self.keys.pop(0)
        self.now = max(self.now, moment)
        return key

    def text(self, moment: float) -> str:
        """Return the text that the screen shows at a moment."""
        return next(text for shown, text in reversed(self.shown) if shown <= moment)

    def board(self, moment: float) -> list[str]:
        return self.text(moment).split("\n")[1:-1]

    def drops(self, start: float, end: float) -> list[int]:
        """Return the drop numbers shown from ``start`` until ``end``, each once, ascending."""
        texts = "".join(text for moment, text in self.shown if start <= moment < end)
        return sorted({int(number) for number in re.findall(r"drop (\d+)/", texts)})


pytest.importorskip("pty", reason="no pseudo-terminals on this system")
termios = pytest.importorskip("termios")


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
    assert play_scripted(plan, 8, (4, "q")).drops(0, 3) == [*range(25)]
    faster = play_scripted(plan, 8, (1, "+"), (1, "+"), (4, "q"))
    assert faster.drops(2.01, 3.01)[-1] - faster.drops(1.01, 2.01)[-1] == 18
    slower = play_scripted(plan, 8, (1, "-"), (1, "-"), (1, "-"), (5, "q"))
    assert slower.drops(1.01, 4.01)[-1] - slower.drops(0, 1.01)[-1] == 7  # 2.37 a second


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
    keys = [(1, "+"), (2, " "), (3, "+"), (4, RESIZED), (5, "q")]
    screen = play_scripted(make_long_plan(300), 8, *keys)
    assert "12 drops/s   space pause" in screen.text(1.5)
    assert "paused, 12 drops/s   space go on" in screen.text(2.5)
    assert "paused, 18 drops/s" in screen.text(3.5)
    done = play_scripted(make_random_plan(10, 20, 30, seed=1), 1000)
    assert "space again   b back   q quit" in done.shown[-1][1]
    narrow = ScriptedScreen((2, "q"))
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


def test_a_terminal_without_a_cursor_gets_the_picture_only(plan_file: Path) -> None:
    terminal = Terminal("watch", str(plan_file), variables={"TERM": "dumb"})
    terminal.read_until("done: ")
    assert terminal.end(screens=0) == 0
    assert "▄" in terminal.text
    assert "\x1b" not in terminal.text
    clock = Terminal("clock", "--live", variables={"TERM": "dumb"})
    clock.read_until("cannot move the cursor")
    assert clock.end(screens=0) == 2
    assert "\x1b" not in clock.text


def test_interrupted_it_leaves_no_half_file(long_file: Path, tmp_path: Path) -> None:
    terminal = Terminal("play", str(long_file), "-o", str(tmp_path / "a.webp"), "--scale", "32")
    terminal.read_until("drawing a.webp")
    terminal.press("\x03")
    assert terminal.end(screens=0) == 130
    assert {path.name for path in tmp_path.iterdir()} == {"long.txt"}


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
    return make_plan(task_of(minute).with_start(lies), "rows", limit).plan


def minute_at(moment: float) -> int:
    local = time.localtime(moment)
    return 60 * local.tm_hour + local.tm_min


def clock_on(screen: ScriptedScreen, plan: Callable[[int, Rows], Plan] = plan_of) -> LiveClock:
    return LiveClock(plan, cast(Screen, screen), "truecolor", screen.clock, AtOnce)


@pytest.mark.parametrize("second", [pytest.param(3.0, marks=pytest.mark.slow), 41.5])
def test_each_minute_stands_when_it_begins(second: float) -> None:
    screen = ScriptedScreen((BEGIN + 170, "q"))
    screen.now = BEGIN + second
    shown: list[tuple[float, float, Plan]] = []
    for coming, plan in clock_on(screen).run():
        assert coming <= screen.now
        assert screen.now - coming < (0.2 if shown or second > 30 else 30)
        task = task_of(minute_at(coming))
        left = replay(json.loads(json.dumps(make_drop_log(plan, play_through(plan)))))
        assert set(left) == set(task.wanted.cells())
        drawn = [color for row in read_half_blocks(screen.board(screen.now)) for color in row]
        assert drawn.count("f5f5f5") in {task.pixels * scale**2 for scale in range(1, 5)}
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


def test_the_first_wait_has_a_word_and_ends_at_q() -> None:
    """The first minute may be planned for twenty seconds; its search is stopped, too."""
    planning, stopped_at = Future[Plan](), list[float]()

    class Planning(AtOnce):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return planning

    screen = ScriptedScreen((5, "q"))
    clock = LiveClock(
        plan_of, cast(Screen, screen), "truecolor", screen.clock, Planning,
        lambda: stopped_at.append(screen.now),
    )  # fmt: skip
    assert list(clock.run()) == []
    assert stopped_at == [5]
    assert "planning the first minute" in screen.text(1)
