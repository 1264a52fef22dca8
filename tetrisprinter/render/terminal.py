"""Games in the terminal: a picture as text, a viewer with keys, and a live clock.

Two squares share a character: ▀ shows the upper square in its foreground colour and the lower
square in its background colour. So squares are square, and the classic board of 42 rows fits into
24 lines. The terminal shows exact colours or the nearest of 256 colours; without colours only the
shape is drawn.

:class:`Screen` is the full-screen mode with keys; afterwards the terminal is always restored.

:class:`Viewer` plays a print with squares as large as the terminal allows. If a board is too large,
it shows the area around the current drop. The user can step forwards and backwards, because
:class:`_RewindableGame` keeps the drops.

:class:`LiveClock` prints each minute just before it begins. While a minute is shown, another thread
plans the game to the next minute. The game begins so late that its last piece lands when the minute
changes.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, Final, Literal, TextIO

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Playfield, Rows
from tetrisprinter.game.pieces import Cell
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.game.steering import MovedDrop, play_for_display
from tetrisprinter.pictures.picture import make_field_picture, parse_rgb
from tetrisprinter.render import paint
from tetrisprinter.render.frames import PLAYING_SECONDS
from tetrisprinter.support import format_count

RESIZED: Final = "resized"
_RESIZE_SECONDS: Final = 0.2  # a wait for a key looks after this time whether the size changed
_ARROWS: Final = {"\x1b[C": "n", "\x1b[D": "b", "\x1b[A": "+", "\x1b[B": "-"}  # as viewer keys


def can_move_cursor() -> bool:
    """Return whether the terminal understands escape sequences, according to the environment."""
    return os.environ.get("TERM", "") not in ("", "dumb", "unknown") or os.name != "posix"


def describe_terminal() -> str:
    """Return the setting that names the kind of the terminal."""
    return f"TERM={os.environ.get('TERM', '')}"


class Screen:
    """The terminal in full-screen mode: alternate screen, no cursor, keys without Enter.

    A context manager that always restores the terminal, also after a signal: inside
    :func:`~tetrisprinter.support.signals.stop_cleanly` every signal is an exception.
    """

    def __init__(self, out: TextIO, source: TextIO) -> None:
        self.out = out
        self._key_source = source.fileno() if source.isatty() else None
        self._unread = ""
        self._saved_settings: list[Any] | None = None
        self._drawn_size: os.terminal_size | None = None  # the size for which lines were drawn

    def __enter__(self) -> Screen:
        if self._key_source is not None:
            try:
                import termios
                import tty
            except ImportError:  # a system without termios: no keys
                self._key_source = None
            else:
                self._saved_settings = termios.tcgetattr(self._key_source)
                tty.setcbreak(self._key_source)
        self.out.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        self.out.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The terminal may be gone: restore what is possible.
        with contextlib.suppress(OSError):
            self.out.write("\x1b[0m\x1b[?25h\x1b[?1049l")
            self.out.flush()
        if self._key_source is not None and self._saved_settings is not None:
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._key_source, termios.TCSADRAIN, self._saved_settings)

    @property
    def size(self) -> os.terminal_size:
        """Columns and lines."""
        return shutil.get_terminal_size()

    @property
    def has_keys(self) -> bool:
        """Whether keys can be read."""
        return self._key_source is not None

    def read_key(self, seconds: float) -> str:
        """Wait for a key; return it, ``RESIZED``, or an empty string after ``seconds``."""
        until = time.monotonic() + max(0.0, seconds)
        while not self._unread:
            if self._drawn_size not in (None, self.size):
                self._drawn_size = None
                return RESIZED
            wait = max(0.0, min(_RESIZE_SECONDS, until - time.monotonic()))
            if self._key_source is None:
                time.sleep(wait)
            elif select.select([self._key_source], [], [], wait)[0]:
                self._unread = os.read(self._key_source, 64).decode("utf-8", "replace") or "q"
                break
            if time.monotonic() >= until:
                return ""
        for sequence, key in _ARROWS.items():
            if self._unread.startswith(sequence):
                self._unread = self._unread[len(sequence) :]
                return key
        first, self._unread = self._unread[0], self._unread[1:]
        return "q" if first == "\x1b" else first

    def show(self, lines: Sequence[str]) -> None:
        """Draw lines from the top left corner and clear the rest."""
        # The content is undefined after a change of size: clear everything once.
        size = self.size
        clear = "" if self._drawn_size == size else "\x1b[2J"
        self._drawn_size = size
        text = "\n".join(line + "\x1b[K" for line in lines)
        self.out.write(clear + "\x1b[H" + text + "\x1b[J")
        self.out.flush()


ColorMode = Literal["truecolor", "256", "none"]


def detect_color_mode() -> ColorMode:
    """Return which colours the terminal has, according to the environment."""
    term = os.environ.get("TERM", "")
    if os.environ.get("NO_COLOR") or term in ("", "dumb", "unknown"):
        return "none"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit") or term.endswith("-direct"):
        return "truecolor"
    # Current terminals support 256 colours even if TERM is only "xterm".
    with_256_colors = ("256", "xterm", "screen", "tmux", "linux", "alacritty", "kitty")
    return "256" if any(name in term for name in with_256_colors) else "none"


def _find_nearest_256(color: str) -> int:
    """Return the number of the nearest colour in the 256-colour palette: its cube or grey ramp."""
    channels = parse_rgb(color)
    levels = (0, 95, 135, 175, 215, 255)
    cube_steps = [min(range(6), key=lambda i: abs(levels[i] - c)) for c in channels]
    cube_color = [levels[i] for i in cube_steps]
    grey = min(range(24), key=lambda i: sum(abs(8 + 10 * i - c) for c in channels))

    def measure_distance(candidate: Sequence[int]) -> int:
        return sum((a - b) ** 2 for a, b in zip(candidate, channels, strict=True))

    if measure_distance([8 + 10 * grey] * 3) < measure_distance(cube_color):
        return 232 + grey
    return 16 + 36 * cube_steps[0] + 6 * cube_steps[1] + cube_steps[2]


def _format_color(color: str, layer: int, mode: ColorMode) -> str:
    """Return the SGR parameters of a colour; layer 38 is the foreground, 48 the background."""
    if mode == "truecolor":
        return "{};2;{};{};{}".format(layer, *parse_rgb(color))
    return f"{layer};5;{_find_nearest_256(color)}"


def draw_half_blocks(
    rows: Sequence[Sequence[str | None]], mode: ColorMode, field_color: str = paint.BACKGROUND
) -> list[str]:
    """Draw rows of colours (bottom row first) as lines of text, two rows to a line."""
    if len(rows) % 2:
        rows = [*rows, [None] * len(rows[0])]
    return [
        _draw_line(rows[y + 1], rows[y], mode, field_color) for y in range(len(rows) - 2, -1, -2)
    ]


def _draw_line(
    upper: Sequence[str | None], lower: Sequence[str | None], mode: ColorMode, field_color: str
) -> str:
    """Return two rows of colours as one line of text."""
    if mode == "none":
        return "".join(
            " ▄▀█"[2 * (upper_color is not None) + (lower_color is not None)]
            for upper_color, lower_color in zip(upper, lower, strict=True)
        )
    parts: list[str] = []
    last_colors = None
    for upper_color, lower_color in zip(upper, lower, strict=True):
        colors = (upper_color or field_color, lower_color or field_color)
        if colors != last_colors:
            upper_code, lower_code = (
                _format_color(colors[0], 38, mode),
                _format_color(colors[1], 48, mode),
            )
            parts.append(f"\x1b[{upper_code};{lower_code}m")
        parts.append("▀")
        last_colors = colors
    return "".join(parts) + "\x1b[0m"


def draw_as_text(plan: Plan, mode: ColorMode) -> str:
    """Return the finished picture as text, without the empty rows above it."""
    field = paint.choose_field_for(plan)
    rows = list(make_field_picture(plan, play_through(plan).field).rows)
    while len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    return "\n".join(draw_half_blocks(rows, mode, field)) + "\n"


_FRAMES_PER_SECOND: Final = 30.0
_MIN_SPEED, _MAX_SPEED = 0.25, 1000.0
_MAX_SCALE: Final = 4  # the most characters on a square's side
_SNAPSHOT_INTERVAL: Final = 64  # drops between two fields that are kept for going back
_LONG_WAIT: Final = 3600.0  # seconds of a wait for a key while nothing moves

_ColorRows = list[list[str | None]]


def watch(
    plan: Plan,
    *,
    speed: float | None = None,
    mode: ColorMode | None = None,
    title: str = "",
) -> bool:
    """Play a plan live in the terminal; return whether the user watched the game to its end."""
    with Screen(sys.stdout, sys.stdin) as screen:
        return Viewer(plan, screen, speed, mode or detect_color_mode(), title).run()


class _RewindableGame:
    """A game that can be rewound: the current field and the next drop."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        first_field = plan.make_field()
        self._unplayed = play_for_display(plan, first_field)
        self._played: list[MovedDrop] = []
        self._fields: list[tuple[bytes, ...]] = [first_field.rows]
        self._lines = [0]  # the number of cleared lines before the first and after each drop
        self.field = plan.make_field()
        self.position = 0  # the number of drops made

    @property
    def is_over(self) -> bool:
        """Whether all drops are made."""
        return self.position == len(self.plan)

    @property
    def next(self) -> MovedDrop:
        """The next drop."""
        while len(self._played) <= self.position:
            moved = next(self._unplayed)
            self._played.append(moved)
            self._lines.append(self._lines[-1] + len(moved.drop.landing.cleared))
        return self._played[self.position]

    @property
    def lines(self) -> int:
        """The number of lines cleared so far."""
        return self._lines[self.position]

    def advance(self) -> None:
        """Make the next drop."""
        landing = self.next.drop.landing
        self.field.drop(landing.orientation, landing.x, landing.y)
        self.position += 1
        if self.position == _SNAPSHOT_INTERVAL * len(self._fields):
            self._fields.append(self.field.rows)

    def rewind(self, position: int) -> None:
        """Rewind to the field after ``position`` drops."""
        snapshot = position // _SNAPSHOT_INTERVAL
        self.field = Playfield.from_rows(self.plan.width, self.plan.height, self._fields[snapshot])
        self.position = snapshot * _SNAPSHOT_INTERVAL
        while self.position < position:
            self.advance()


class Viewer:
    """A print that plays in the terminal; keys change its speed and position."""

    def __init__(
        self, plan: Plan, screen: Screen, speed: float | None, mode: ColorMode, title: str
    ) -> None:
        self.plan, self.screen, self.mode, self.title = plan, screen, mode, title
        usual_speed = max(2.0, len(plan) / PLAYING_SECONDS)
        self.speed = min(_MAX_SPEED, max(_MIN_SPEED, speed or usual_speed))
        self.paused = self.quit = False
        self.steps = 0  # steps requested but not yet made; a negative number goes back
        self.clock: Callable[[], float] = time.monotonic
        self.field_color = paint.choose_field_for(plan)
        colors = paint.choose_display_colors(plan, self.field_color)
        self.colors: dict[int, str] = {int(k): c for k, c in colors.items()}
        # A falling piece is visible, even if its type has the colour of the field.
        self.falling_colors = self.colors | {
            int(piece): paint.choose_muted(1, list(colors.values()))[0]
            for piece, _ in plan.colors
            if piece not in plan.visible_colors
        }
        self.picture_types = set(plan.square_colors)
        self.game = _RewindableGame(plan)
        self.first_column = 0  # the first visible column
        self.landed: MovedDrop | None = None  # the last drop; None after a step back

    def run(self) -> bool:
        """Show the game; return whether the user watched it to its end."""
        has_ended = False
        self.due = self.drawn = self.clock()
        self.draw()
        while not self.quit:
            if self.steps < 0 or (self.game.is_over and self.steps):
                self.step_back()
            elif self.game.is_over:
                has_ended = True
                self.draw()
                if not self.screen.has_keys:
                    break
                self.obey(self.screen.read_key(_LONG_WAIT))
            elif self.paused and not self.steps:
                self.draw()
                self.obey(self.screen.read_key(_LONG_WAIT))
                self.due = self.clock()
            else:
                self.advance()
        return has_ended

    def step_back(self) -> None:
        """Make the requested steps back; ignore steps beyond the end."""
        if self.steps < 0:
            self.game.rewind(max(0, self.game.position + self.steps))
            self.landed = None
        self.steps = 0

    def advance(self) -> None:
        """Let the next piece fall at the current speed or, for a requested step, land at once."""
        moved, is_step = self.game.next, self.steps > 0
        self.due += 1 / self.speed
        # At low speed the fall of each piece is drawn. At high speed some drops are skipped, but
        # the board is drawn at least ten times per second.
        now = self.clock()
        is_shown = self.due > now or is_step or now - self.drawn > 0.1
        if is_shown and not is_step:
            self.drawn = now
            positions = _list_positions(moved, max(1, round(_FRAMES_PER_SECOND / self.speed)))
            for i, cells in enumerate(positions):
                self.draw((moved, cells))
                self.wait(max(0.0, self.due - self.clock()) / (len(positions) - i))
                if self.quit:
                    return
                if self.steps or self.paused:
                    break  # the landing counts as the first step
        if self.steps < 0:  # to take back the falling piece counts as the first step
            self.steps += 1
            return
        self.game.advance()
        self.steps = max(0, self.steps - 1)
        self.landed = moved
        if is_shown:
            self.draw()
        self.due = max(self.due, self.clock() - 0.1)

    def wait(self, seconds: float) -> None:
        """Wait for some seconds and handle keys; return early if the game is paused or quit."""
        until = self.clock() + seconds
        while True:
            seconds_left = until - self.clock()
            self.obey(self.screen.read_key(seconds_left))
            if seconds_left <= 0 or self.quit or self.paused:
                return

    def obey(self, key: str) -> None:
        """Handle a key."""
        match key:
            case "q" | "Q" | "\r" | "\n" if self.game.is_over or key in "qQ":
                self.quit = True
            case " " if self.game.is_over:
                self.paused, self.steps = False, -len(self.plan)
                self.due = self.clock()
            case " ":
                self.paused = not self.paused
            case "+" | "=":
                self.speed = min(_MAX_SPEED, self.speed * 1.5)
            case "-":
                self.speed = max(_MIN_SPEED, self.speed / 1.5)
            case "n" | ".":
                self.paused = True
                self.steps += 1
            case "b" | ",":
                self.paused = True
                self.steps -= 1
            case _ if key == RESIZED:
                self.drawn = -math.inf

    def draw(self, piece: tuple[MovedDrop, Sequence[Cell]] | None = None) -> None:
        """Draw the screen: the field, the falling piece, the status and the keys."""
        has_ended = self.game.is_over and piece is None
        colors = self.colors
        if has_ended:  # show only the picture
            colors = {k: c for k, c in colors.items() if k in self.picture_types}
        rows: _ColorRows = [[colors.get(v) for v in row] for row in self.game.field.rows]
        top = max((y for y, row in enumerate(rows) if any(row)), default=0)
        focus_cells: Sequence[Cell] = ()
        if piece is not None:
            moved, focus_cells = piece
            for x, y in focus_cells:
                if y < len(rows):
                    rows[y][x] = self.falling_colors[moved.drop.landing.orientation.piece]
        elif self.landed is not None:
            focus_cells = self.landed.drop.landing.cells
        size = self.screen.size
        edge = "│" if self.mode == "none" else ""
        max_columns, max_rows = max(1, size.columns - 2 * len(edge)), 2 * max(1, size.lines - 3)
        scale = max(1, min(_MAX_SCALE, max_columns // len(rows[0]), max_rows // len(rows)))
        rows = self.crop_columns(_crop_rows(rows, max_rows, top), max_columns, focus_cells)
        rows = [
            [color for color in row for _ in range(scale)] for row in rows for _ in range(scale)
        ]
        lines = draw_half_blocks(rows, self.mode, self.field_color)
        header = "  ".join(part for part in (self.title, self.format_status(piece)) if part)
        self.screen.show(
            [
                header[: size.columns - 1],
                *(edge + line + edge for line in lines),
                self.format_footer(size.columns - 1),
            ]
        )

    def crop_columns(
        self, rows: _ColorRows, max_columns: int, focus_cells: Sequence[Cell]
    ) -> _ColorRows:
        """Return at most ``max_columns`` columns; scroll only as far as the falling piece needs."""
        leftmost = min((x for x, _ in focus_cells), default=self.first_column)
        rightmost = max((x for x, _ in focus_cells), default=self.first_column)
        self.first_column = max(min(self.first_column, leftmost), rightmost + 1 - max_columns, 0)
        return [row[self.first_column : self.first_column + max_columns] for row in rows]

    def format_status(self, piece: tuple[MovedDrop, Sequence[Cell]] | None) -> str:
        """Return the progress of the print as text."""
        game = self.game
        if game.is_over and piece is None:
            drops = format_count(len(self.plan), "drop")
            return f"done: {drops}, {format_count(game.lines, 'line')}"
        moved = piece[0] if piece else self.landed
        parts = [f"drop {game.position + (piece is not None)}/{len(self.plan)}"]
        if moved is not None:
            parts.append(f"pass {moved.drop.pass_index + 1}/{len(self.plan.passes)}")
        return "  ".join([*parts, f"lines {game.lines}"])

    def format_footer(self, width: int) -> str:
        """Return the footer: the speed, and as many of the active keys as fit into the width."""
        speed = f"{self.speed:.3g} drops/s"
        if not self.screen.has_keys:
            return speed[:width]
        if self.game.is_over:
            keys = ["space again", "b back"]
        elif self.paused:
            keys, speed = ["space go on", "n step", "b back", "+ - speed"], f"paused, {speed}"
        else:
            keys = ["space pause", "n step", "b back", "+ - speed"]
        while keys and len("   ".join([speed, *keys, "q quit"])) > width:
            keys.pop()
        return "   ".join([speed, *keys, "q quit"])[:width]


def _crop_rows(rows: _ColorRows, max_rows: int, top: int) -> _ColorRows:
    """Return at most ``max_rows`` rows: those around row ``top``, the highest with squares."""
    if len(rows) <= max_rows:
        return rows
    first_row = min(len(rows) - max_rows, max(0, top + 1 - max_rows * 2 // 3))
    first_row += first_row % 2
    return rows[first_row : first_row + max_rows]


def _list_positions(moved: MovedDrop, count: int) -> list[Sequence[Cell]]:
    """Return ``count`` sets of cells on a piece's path, the last at its landing."""
    *entry, landing = moved.path
    path: list[Sequence[Cell]] = [placement.cells for placement in entry]
    entry_end = entry[-1]
    path += [
        entry_end.orientation.place(entry_end.x, y) for y in range(entry_end.y - 1, landing.y, -1)
    ]
    path.append(landing.cells)
    if count >= len(path):
        return path
    return [path[math.ceil((i + 1) * len(path) / count) - 1] for i in range(count)]


_SPEED: Final = 4.0  # drops per second, if time allows
_MARGIN: Final = 0.5  # the last piece lands this many seconds before the minute begins
_FIRST_SPEED: Final = 8.0  # drops per second of the first game, which begins at once
_LATEST_START: Final = 30.0
"""A clock that starts after this second of a minute begins with the next minute."""
_MINUTE: Final = 60.0

MinutePlanner = Callable[[int, Rows], Plan]
"""Plans a minute of the day (0 to 1439) on the rows that the last game left."""


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
        make_executor: Callable[[], Executor] = partial(ThreadPoolExecutor, 1),  # noqa: B008
        end_planning: Callable[[], None] = lambda: None,
    ) -> None:
        self.plan_minute, self.screen, self.mode = plan_minute, screen, mode
        self.now, self.make_executor = now, make_executor
        self.end_planning = end_planning  # is called if the user quits before a plan is there

    def run(self) -> Iterator[tuple[float, Plan]]:
        """Print until the user quits; yield the start and the plan of each minute once printed."""
        viewer: _MinuteViewer | None = None
        board_rows: Rows = ()
        with self.make_executor() as executor:
            while viewer is None or not viewer.quit:
                minute_start = self.find_next_minute(is_first=viewer is None)
                local = time.localtime(minute_start)
                minute_of_day = 60 * local.tm_hour + local.tm_min
                planning = executor.submit(self.plan_minute, minute_of_day, board_rows)
                plan = self.wait_for_plan(planning, viewer)
                if plan is None:  # the user quits, or this minute has no plan: try the next minute
                    if viewer is None:
                        return
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
        while not future.done():
            if viewer is None:
                self.screen.show(["planning the first minute", "q quit"])
                is_over = self.screen.read_key(0.1) in ("q", "Q")
            else:
                viewer.wait(0.1)
                is_over = viewer.quit
            if is_over:
                self.end_planning()
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


def watch_clock(plan_minute: MinutePlanner, end_planning: Callable[[], None]) -> None:
    """Show a clock in the terminal until the user quits; ``end_planning`` is then called."""
    with Screen(sys.stdout, sys.stdin) as screen:
        clock = LiveClock(plan_minute, screen, detect_color_mode(), end_planning=end_planning)
        for _ in clock.run():
            pass


def _format_time(moment: float) -> str:
    """Return a Unix time as the local time of day."""
    return time.strftime("%H:%M", time.localtime(moment))
