"""A print, live in the terminal.

The board is drawn as :mod:`tetrisprinter.render.halfblocks` draws it. Everything goes
through :class:`Screen`, which takes the terminal over and gives it back as it was,
whatever ends the show.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final, TextIO

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.steering import MovedDrop, play_moves
from tetrisprinter.render.colors import display_colors
from tetrisprinter.render.empty import field_of
from tetrisprinter.render.frames import PLAYING_SECONDS
from tetrisprinter.render.halfblocks import ColorMode, color_mode, half_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Screen", "watch"]

_FRAMES_PER_SECOND: Final = 30.0
_SLOWEST, _FASTEST = 0.25, 1000.0
_ARROWS: Final = {"\x1b[C": "n", "\x1b[A": "+", "\x1b[B": "-"}
_KEYS: Final = "space pause   + - speed   n step   q quit"


class Screen:
    """The terminal, taken over: alternate screen, no cursor, keys without Enter.

    Used as a context. Leaving it, by whatever way, restores the terminal; a request to
    terminate is turned into an exit so that it does so too.

    Parameters
    ----------
    out : text file
        The terminal to draw on.
    source : text file
        Where keys come from; without a terminal there, there are none.
    """

    def __init__(self, out: TextIO, source: TextIO) -> None:
        self.out = out
        self._keys = source.fileno() if source.isatty() else None
        self._typed = ""
        self._saved: list[Any] | None = None
        self._on_term: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Screen:
        self._on_term = signal.signal(signal.SIGTERM, _exit)
        if self._keys is not None:
            try:
                import termios
                import tty
            except ImportError:  # a system without terminals of this kind: no keys
                self._keys = None
            else:
                self._saved = termios.tcgetattr(self._keys)
                tty.setcbreak(self._keys)
        self.out.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        self.out.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The terminal may be gone; what can still be restored is.
        with contextlib.suppress(OSError):
            self.out.write("\x1b[0m\x1b[?25h\x1b[?1049l")
            self.out.flush()
        if self._keys is not None and self._saved is not None:
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._keys, termios.TCSADRAIN, self._saved)
        signal.signal(signal.SIGTERM, self._on_term or signal.SIG_DFL)

    @property
    def has_keys(self) -> bool:
        """Whether anybody can press keys."""
        return self._keys is not None

    def key(self, seconds: float) -> str:
        """Wait for a key; empty if none came in time, ``q`` if none can come any more."""
        if self._keys is None:
            time.sleep(max(0.0, seconds))
            return ""
        if not self._typed:
            ready, _, _ = select.select([self._keys], [], [], max(0.0, seconds))
            if not ready:
                return ""
            self._typed = os.read(self._keys, 64).decode("utf-8", "replace") or "q"
        for sequence, key in _ARROWS.items():
            if self._typed.startswith(sequence):
                self._typed = self._typed[len(sequence) :]
                return key
        first, self._typed = self._typed[0], self._typed[1:]
        return "q" if first == "\x1b" else first

    def show(self, lines: Sequence[str]) -> None:
        """Draw lines from the top left corner, wiping what was there."""
        body = "\n".join(line + "\x1b[K" for line in lines)
        self.out.write("\x1b[H" + body + "\x1b[J")
        self.out.flush()


def _exit(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def watch(
    plan: Plan,
    *,
    speed: float | None = None,
    mode: ColorMode | None = None,
    title: str = "",
    out: TextIO | None = None,
    source: TextIO | None = None,
) -> bool:
    """Play a plan live in the terminal.

    Parameters
    ----------
    plan : Plan
        What is played.
    speed : float, optional
        Drops per second to begin with; by default the print takes about 20 seconds.
    mode : {'truecolor', '256', 'none'}, optional
        How to say colours; by default what the terminal can do.
    title : str
        Shown above the board.
    out, source : text file, optional
        The terminal to draw on and the one that sends keys: by default standard
        output and input.

    Returns
    -------
    bool
        Whether the print was watched to its end.

    Raises
    ------
    TopOutError
        If the plan tops out.
    """
    out, source = out or sys.stdout, source or sys.stdin
    with Screen(out, source) as screen:
        show = _Show(plan, screen, speed, mode or color_mode(), title)
        return show.run()


class _Show:
    """What the keys change while a print runs."""

    def __init__(
        self, plan: Plan, screen: Screen, speed: float | None, mode: ColorMode, title: str
    ) -> None:
        self.plan, self.screen, self.mode, self.title = plan, screen, mode, title
        usual = max(2.0, len(plan) / PLAYING_SECONDS)
        self.speed = min(_FASTEST, max(_SLOWEST, speed or usual))
        self.paused = self.quit = self.step = False
        self.lines = 0
        self.field = field_of(plan)
        self.clock: Callable[[], float] = time.monotonic
        self.colors: dict[int, str] = {
            int(k): c for k, c in display_colors(plan, self.field).items()
        }
        self.visible = {int(piece) for piece, _ in plan.colors}

    def run(self) -> bool:
        field = Playfield(self.plan.width, self.plan.height)
        self.draw(field, None, "")
        due = drawn = self.clock()
        for before, moved, after in _with_fields(self.plan, field):
            self.lines += len(moved.drop.landing.cleared)
            number = moved.drop.index + 1
            status = (
                f"drop {number}/{len(self.plan)}  pass {moved.drop.pass_index + 1}/"
                f"{len(self.plan.passes)}  lines {self.lines}"
            )
            due += 1 / self.speed
            # At low speed each piece is drawn on its way, at high speed only some drops
            # are drawn at all; but ten times a second, whatever the machine manages.
            now = self.clock()
            if due > now or self.paused or now - drawn > 0.1:
                drawn = now
                count = max(1, round(_FRAMES_PER_SECOND / self.speed))
                positions = _positions(moved, count)
                for i, cells in enumerate(positions):
                    self.draw(before, (moved, cells), status)
                    left = due - self.clock()
                    self.wait(max(0.0, left) / (len(positions) - i))
                    if self.quit:
                        return False
                    if self.step:
                        break
                self.draw(after, None, status)
            due = max(due, self.clock() - 0.1)
            self.pause(after, status)
            if self.quit:
                return False
            if self.paused or self.step:
                due = self.clock()
        self.finish(field)
        return True

    def wait(self, seconds: float) -> None:
        """Let time pass, obeying keys."""
        until = self.clock() + seconds
        while True:
            left = until - self.clock()
            self.obey(self.screen.key(left))
            if left <= 0 or self.quit or self.paused:
                return

    def pause(self, field: Playfield, status: str) -> None:
        self.step = False
        while self.paused and not self.quit and not self.step:
            self.draw(field, None, status)
            self.obey(self.screen.key(3600))

    def obey(self, key: str) -> None:
        match key:
            case "q" | "Q":
                self.quit = True
            case " ":
                self.paused = not self.paused
            case "+" | "=":
                self.speed = min(_FASTEST, self.speed * 1.5)
            case "-":
                self.speed = max(_SLOWEST, self.speed / 1.5)
            case "n" | ".":
                self.paused = self.step = True

    def finish(self, field: Playfield) -> None:
        """Show the picture alone and wait for the watcher to leave."""
        self.colors = {k: c for k, c in self.colors.items() if k in self.visible}
        status = f"done: {len(self.plan)} drops, {self.lines} lines"
        self.draw(field, None, status)
        while self.screen.has_keys and not self.screen.key(3600):
            pass

    def draw(
        self, field: Playfield, piece: tuple[MovedDrop, Sequence[Cell]] | None, status: str
    ) -> None:
        rows: list[list[str | None]] = [[self.colors.get(v) for v in row] for row in field.rows]
        top = max((y for y, row in enumerate(rows) if any(row)), default=0)
        if piece is not None:
            moved, cells = piece
            for x, y in cells:
                if y < len(rows):
                    rows[y][x] = self.colors[moved.drop.landing.orientation.piece]
        size = shutil.get_terminal_size()
        lines = half_blocks(_window(rows, 2 * max(1, size.lines - 3), top), self.mode, self.field)
        speed = "paused" if self.paused else f"{self.speed:.3g} drops/s"
        head = "  ".join(part for part in (self.title, status) if part)
        foot = f"{speed}   {_KEYS}" if self.screen.has_keys else speed
        width = max(1, size.columns - 1)
        edge = "│" if self.mode == "none" else ""
        self.screen.show([head[:width], *(edge + li + edge for li in lines), foot[:width]])


def _window(rows: list[list[str | None]], room: int, top: int) -> list[list[str | None]]:
    """Cut a board that is too high down to what the print is about: around its top."""
    if len(rows) <= room:
        return rows
    start = min(len(rows) - room, max(0, top + 1 - room * 2 // 3))
    start += start % 2
    return rows[start : start + room]


def _with_fields(plan: Plan, field: Playfield) -> Iterator[tuple[Playfield, MovedDrop, Playfield]]:
    """Play on one field, and yield a field that lags one drop behind with each drop."""
    behind = Playfield(plan.width, plan.height)
    for moved in play_moves(plan, field, lenient=True):
        yield behind, moved, field
        behind.drop(moved.drop.landing.orientation, moved.drop.landing.x)


def _positions(moved: MovedDrop, count: int) -> list[Sequence[Cell]]:
    """Return ``count`` sets of cells on a piece's way, the last where it lands."""
    *entry, landing = moved.path
    way: list[Sequence[Cell]] = [placement.cells for placement in entry]
    last = entry[-1]
    way += [last.orientation.at(last.x, y) for y in range(last.y - 1, landing.y, -1)]
    way.append(landing.cells)
    if count >= len(way):
        return way
    return [way[math.ceil((i + 1) * len(way) / count) - 1] for i in range(count)]
