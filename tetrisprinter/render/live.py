"""A clock, live in the terminal: each minute is printed so that it stands when it begins.

While a minute stands, the game to the next one is planned beside it. It begins so late that its
last piece lands when the minute changes.
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
from tetrisprinter.render.halfblocks import ColorMode, color_mode
from tetrisprinter.render.terminal import RESIZED, Screen
from tetrisprinter.render.watching import Show

__all__ = ["LiveClock", "watch_clock"]

_SPEED: Final = 4.0
"""Drops per second, if there is so much time."""
_SPARE: Final = 0.5
"""Seconds by which the last piece lands before the minute begins."""
_FIRST: Final = 8.0
"""Drops per second of the first print, which begins at once."""
_EARLY: Final = 30.0
"""Up to this second in a minute it is that minute that is printed first, later the next one."""
_MINUTE: Final = 60.0

PlanOf = Callable[[int, Rows], Plan]
"""Plans a minute of the day over what lies on the board."""


def _one_thread() -> Executor:
    return ThreadPoolExecutor(1)


class _Minute(Show):
    """One minute being printed; the only key that does something is q."""

    def obey(self, key: str) -> None:
        """Do what a key asks for."""
        if key in ("q", "Q"):
            self.quit = True
        elif key == RESIZED:
            self.drawn = float("-inf")
            self.draw()

    def foot(self, room: int) -> str:
        """Say which key there is."""
        return ("q quit" if self.screen.has_keys else "")[:room]


class LiveClock:
    """Prints minute after minute, each in time."""

    def __init__(
        self,
        plan_of: PlanOf,
        screen: Screen,
        mode: ColorMode,
        now: Callable[[], float] = time.time,
        beside: Callable[[], Executor] = _one_thread,
    ) -> None:
        self.plan_of, self.screen, self.mode = plan_of, screen, mode
        self.now, self.beside = now, beside

    def run(self) -> Iterator[tuple[float, Plan]]:
        """Print until the user quits; yield each minute when it stands, and its plan."""
        show: _Minute | None = None
        lies: Rows = ()
        with self.beside() as beside:
            while show is None or not show.quit:
                coming = self.coming(first=show is None)
                plan = self.plan_minute(
                    beside.submit(self.plan_of, _minute_of_day(coming), lies), show
                )
                if plan is None:  # the user quits, or no plan leads there: the next one may
                    if show is not None:
                        self.hold(show, coming)
                    continue
                before, show = show, self.show(plan, coming, show is None)
                if before is not None:
                    self.hold(before, coming - _SPARE - len(plan) / show.speed)
                    show.quit = before.quit
                show.due = show.drawn = self.now()
                while not (show.quit or show.tape.ended):
                    show.forward()
                self.hold(show, coming)
                if show.quit:
                    return
                show.title = _label(coming)
                show.draw()
                lies = show.tape.field.used_rows
                yield coming, plan

    def coming(self, first: bool) -> float:
        """Return the beginning of the minute that is printed now."""
        now = self.now()
        begun = now - now % _MINUTE
        return begun if first and now - begun <= _EARLY else begun + _MINUTE

    def plan_minute(self, future: Future[Plan], show: _Minute | None) -> Plan | None:
        """Wait for a plan while a minute stands; None if there is none, or the user quits."""
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

    def show(self, plan: Plan, coming: float, first: bool) -> _Minute:
        """Return what prints a minute, at a speed with which it stands in time."""
        left = coming - self.now() - _SPARE
        usual = _FIRST if first else _SPEED
        speed = max(usual, len(plan) / left) if left > 0 else usual
        show = _Minute(plan, self.screen, speed, self.mode, f"→ {_label(coming)}")
        show.clock = self.now
        return show

    def hold(self, show: _Minute, until: float) -> None:
        """Let a minute stand, obeying keys."""
        show.draw()
        while not show.quit and (left := until - self.now()) > 0:
            show.wait(min(left, 1.0))


def watch_clock(plan_of: PlanOf, mode: ColorMode | None = None) -> None:
    """Show a clock in the terminal until the user quits."""
    with Screen(sys.stdout, sys.stdin) as screen:
        for _ in LiveClock(plan_of, screen, mode or color_mode()).run():
            pass


def _minute_of_day(moment: float) -> int:
    local = time.localtime(moment)
    return 60 * local.tm_hour + local.tm_min


def _label(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))
