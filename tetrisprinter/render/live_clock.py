"""A live clock in the terminal: the game prints each minute just before it begins.

While a minute is shown, another thread plans the game to the next one. The game begins so late
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
_SPARE: Final = 0.5
"""The last piece lands this many seconds before the minute begins."""
_FIRST: Final = 8.0
"""Drops per second of the first print, which begins at once."""
_EARLY: Final = 30.0
"""A clock that starts after this second of a minute begins with the next minute."""
_MINUTE: Final = 60.0

PlanOf = Callable[[int, Rows], Plan]
"""Plans a minute of the day (0 to 1439) on the rows that the last game left."""


def _make_thread_pool() -> Executor:
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

    def format_footer(self, room: int) -> str:
        """Return the footer: the available key."""
        return ("q quit" if self.screen.has_keys else "")[:room]


class LiveClock:
    """A clock that prints one minute after the other, each in time."""

    def __init__(
        self,
        plan_of: PlanOf,
        screen: Screen,
        mode: ColorMode,
        now: Callable[[], float] = time.time,
        make_executor: Callable[[], Executor] = _make_thread_pool,
    ) -> None:
        self.plan_of, self.screen, self.mode = plan_of, screen, mode
        self.now, self.make_executor = now, make_executor

    def run(self) -> Iterator[tuple[float, Plan]]:
        """Print until the user quits; yield each minute and its plan when it is shown."""
        show: _MinuteViewer | None = None
        board_rows: Rows = ()
        with self.make_executor() as executor:
            while show is None or not show.quit:
                minute_start = self.find_next_minute(first=show is None)
                plan = self.wait_for_plan(
                    executor.submit(self.plan_of, _find_minute_of_day(minute_start), board_rows),
                    show,
                )
                if plan is None:  # the user quits, or this minute has no plan: try the next one
                    if show is not None:
                        self.hold(show, minute_start)
                    continue
                before, show = show, self.show(plan, minute_start, show is None)
                if before is not None:
                    self.hold(before, minute_start - _SPARE - len(plan) / show.speed)
                    show.quit = before.quit
                show.due = show.drawn = self.now()
                while not (show.quit or show.tape.ended):
                    show.advance()
                self.hold(show, minute_start)
                if show.quit:
                    return
                show.title = _format_time(minute_start)
                show.draw()
                board_rows = show.tape.field.used_rows
                yield minute_start, plan

    def find_next_minute(self, first: bool) -> float:
        """Return the Unix time at which the minute to print next begins."""
        now = self.now()
        begun = now - now % _MINUTE
        return begun if first and now - begun <= _EARLY else begun + _MINUTE

    def wait_for_plan(self, future: Future[Plan], show: _MinuteViewer | None) -> Plan | None:
        """Wait for a plan; None if there is none or the user quits."""
        while show is not None and not future.done():
            show.wait(0.1)
            if show.quit:
                return None
        try:
            return future.result()
        except JobError:
            if show is None:
                raise
            return None

    def show(self, plan: Plan, minute_start: float, first: bool) -> _MinuteViewer:
        """Return the viewer of a minute, fast enough to end in time."""
        left = minute_start - self.now() - _SPARE
        usual = _FIRST if first else _SPEED
        speed = max(usual, len(plan) / left) if left > 0 else usual
        show = _MinuteViewer(plan, self.screen, speed, self.mode, f"→ {_format_time(minute_start)}")
        show.clock = self.now
        return show

    def hold(self, show: _MinuteViewer, until: float) -> None:
        """Show a minute until a time, handling keys."""
        show.draw()
        while not show.quit and (left := until - self.now()) > 0:
            show.wait(min(left, 1.0))


def watch_clock(plan_of: PlanOf) -> None:
    """Show a clock in the terminal until the user quits."""
    with Screen(sys.stdout, sys.stdin) as screen:
        for _ in LiveClock(plan_of, screen, detect_color_mode()).run():
            pass


def _find_minute_of_day(moment: float) -> int:
    local = time.localtime(moment)
    return 60 * local.tm_hour + local.tm_min


def _format_time(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))
