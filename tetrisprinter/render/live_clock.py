"""A live clock in the terminal: a game prints each minute just before the minute begins.

While a minute is shown, another thread plans the game to the next minute. The game begins so late
that its last piece lands when the minute changes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Final

from tetrisprinter.errors import JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.start import Rows
from tetrisprinter.render.halfblocks import ColorMode, detect_color_mode
from tetrisprinter.render.terminal import RESIZED, Screen
from tetrisprinter.render.viewer import Viewer

_SPEED: Final = 4.0
"""Drops per second, if time allows."""
_MARGIN: Final = 0.5
"""The last piece lands this many seconds before the minute begins."""
_FIRST_SPEED: Final = 8.0
"""Drops per second of the first game, which begins at once."""
_LATEST_START: Final = 30.0
"""A clock that starts after this second of a minute begins with the next minute."""
_MINUTE: Final = 60.0

MinutePlanner = Callable[[int, Rows], Plan]
"""Plans a minute of the day (0 to 1439) on the rows that the last game left."""


def _make_planning_thread() -> Executor:
    return ThreadPoolExecutor(1)


class _MinuteViewer(Viewer):
    """The viewer of one minute; its only key is q."""

    def obey(self, key: str) -> None:
        """Handle a key."""
        if key in ("q", "Q"):
            self.quit = True
        elif key == RESIZED:
            self.drawn = float("-inf")
            self.draw()

    def format_footer(self, width: int) -> str:
        """Return the footer: the available key."""
        return ("q quit" if self.screen.has_keys else "")[:width]


class LiveClock:
    """A clock in the terminal that prints each minute just before it begins."""

    def __init__(
        self,
        plan_minute: MinutePlanner,
        screen: Screen,
        mode: ColorMode,
        now: Callable[[], float] = time.time,
        make_executor: Callable[[], Executor] = _make_planning_thread,
    ) -> None:
        self.plan_minute, self.screen, self.mode = plan_minute, screen, mode
        self.now, self.make_executor = now, make_executor

    def run(self) -> Iterator[tuple[float, Plan]]:
        """Print until the user quits; yield the start and the plan of each minute once printed."""
        viewer: _MinuteViewer | None = None
        board_rows: Rows = ()
        with self.make_executor() as executor:
            while viewer is None or not viewer.quit:
                minute_start = self.find_next_minute(is_first=viewer is None)
                plan = self.wait_for_plan(
                    executor.submit(
                        self.plan_minute, _find_minute_of_day(minute_start), board_rows
                    ),
                    viewer,
                )
                if plan is None:  # the user quits, or this minute has no plan: try the next minute
                    if viewer is not None:
                        self.hold(viewer, minute_start)
                    continue
                last_viewer, viewer = viewer, self.make_viewer(plan, minute_start, viewer is None)
                if last_viewer is not None:
                    self.hold(last_viewer, minute_start - _MARGIN - len(plan) / viewer.speed)
                    viewer.quit = last_viewer.quit
                viewer.due = viewer.drawn = self.now()
                while not (viewer.quit or viewer.game.is_over):
                    viewer.advance()
                self.hold(viewer, minute_start)
                if viewer.quit:
                    return
                viewer.title = _format_time(minute_start)
                viewer.draw()
                board_rows = viewer.game.field.used_rows
                yield minute_start, plan

    def find_next_minute(self, is_first: bool) -> float:
        """Return the Unix time at which the minute to print next begins."""
        now = self.now()
        this_minute = now - now % _MINUTE
        starts_now = is_first and now - this_minute <= _LATEST_START
        return this_minute if starts_now else this_minute + _MINUTE

    def wait_for_plan(self, future: Future[Plan], viewer: _MinuteViewer | None) -> Plan | None:
        """Wait for a plan and return it; None if the minute has no plan or the user quits."""
        while viewer is not None and not future.done():
            viewer.wait(0.1)
            if viewer.quit:
                return None
        try:
            return future.result()
        except JobError:
            if viewer is None:
                raise
            return None

    def make_viewer(self, plan: Plan, minute_start: float, is_first: bool) -> _MinuteViewer:
        """Return the viewer of a minute, whose game ends before the minute begins."""
        seconds_left = minute_start - self.now() - _MARGIN
        usual_speed = _FIRST_SPEED if is_first else _SPEED
        speed = max(usual_speed, len(plan) / seconds_left) if seconds_left > 0 else usual_speed
        viewer = _MinuteViewer(
            plan, self.screen, speed, self.mode, f"→ {_format_time(minute_start)}"
        )
        viewer.clock = self.now
        return viewer

    def hold(self, viewer: _MinuteViewer, until: float) -> None:
        """Show a minute until a Unix time, handling keys."""
        viewer.draw()
        while not viewer.quit and (seconds_left := until - self.now()) > 0:
            viewer.wait(min(seconds_left, 1.0))


def watch_clock(plan_minute: MinutePlanner) -> None:
    """Show a clock in the terminal until the user quits."""
    with Screen(sys.stdout, sys.stdin) as screen:
        for _ in LiveClock(plan_minute, screen, detect_color_mode()).run():
            pass


def _find_minute_of_day(moment: float) -> int:
    local = time.localtime(moment)
    return 60 * local.tm_hour + local.tm_min


def _format_time(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))
