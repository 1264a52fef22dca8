"""The live viewer of a print in the terminal, and its keys.

The squares are as large as the terminal allows. Of a board that is too large, the viewer shows the
part around the current drop. The user can step forwards and backwards; :class:`_Tape` keeps the
drops.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TextIO

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.srs import play_for_display
from tetrisprinter.game.steering import MovedDrop
from tetrisprinter.render.colors import choose_display_colors, choose_muted
from tetrisprinter.render.field_color import choose_field_for
from tetrisprinter.render.frames import PLAYING_SECONDS
from tetrisprinter.render.halfblocks import ColorMode, detect_color_mode, draw_half_blocks
from tetrisprinter.render.terminal import RESIZED, Screen
from tetrisprinter.support.counts import format_count

if TYPE_CHECKING:
    from collections.abc import Callable


_FRAMES_PER_SECOND: Final = 30.0
_SLOWEST, _FASTEST = 0.25, 1000.0
_LARGEST: Final = 4  # the most characters on a square's side
_SNAPSHOT_INTERVAL: Final = 64  # drops between two fields that are kept for going back
_LONG: Final = 3600.0  # seconds of a wait for a key while nothing moves

Rows = list[list[str | None]]


def watch(
    plan: Plan,
    *,
    speed: float | None = None,
    mode: ColorMode | None = None,
    title: str = "",
    out: TextIO | None = None,
    source: TextIO | None = None,
) -> bool:
    """Play a plan live in the terminal; return whether it was watched to its end."""
    out, source = out or sys.stdout, source or sys.stdin
    with Screen(out, source) as screen:
        return Viewer(plan, screen, speed, mode or detect_color_mode(), title).run()


class _Tape:
    """A game that can be rewound: the current field and the next drop."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        head = plan.make_field()
        self._coming = play_for_display(plan, head)
        self._played: list[MovedDrop] = []
        self._fields: list[tuple[bytes, ...]] = [head.rows]
        self._lines = [0]  # after each drop
        self.field = plan.make_field()
        self.at = 0

    @property
    def ended(self) -> bool:
        """Whether all drops are made."""
        return self.at == len(self.plan)

    @property
    def next(self) -> MovedDrop:
        """The next drop."""
        while len(self._played) <= self.at:
            moved = next(self._coming)
            self._played.append(moved)
            self._lines.append(self._lines[-1] + len(moved.drop.landing.cleared))
        return self._played[self.at]

    @property
    def lines(self) -> int:
        """The number of lines cleared so far."""
        return self._lines[self.at]

    def advance(self) -> None:
        """Make the next drop."""
        landing = self.next.drop.landing
        self.field.drop(landing.orientation, landing.x, landing.y)
        self.at += 1
        if self.at == _SNAPSHOT_INTERVAL * len(self._fields):
            self._fields.append(self.field.rows)

    def rewind(self, at: int) -> None:
        """Rewind to the field after ``at`` drops."""
        kept = at // _SNAPSHOT_INTERVAL
        self.field = Playfield.from_rows(self.plan.width, self.plan.height, self._fields[kept])
        self.at = kept * _SNAPSHOT_INTERVAL
        while self.at < at:
            self.advance()


class Viewer:
    """A print that plays in the terminal; keys change its speed and position."""

    def __init__(
        self, plan: Plan, screen: Screen, speed: float | None, mode: ColorMode, title: str
    ) -> None:
        self.plan, self.screen, self.mode, self.title = plan, screen, mode, title
        usual = max(2.0, len(plan) / PLAYING_SECONDS)
        self.speed = min(_FASTEST, max(_SLOWEST, speed or usual))
        self.paused = self.quit = False
        self.steps = 0  # steps requested but not yet made; negative ones go back
        self.clock: Callable[[], float] = time.monotonic
        self.field = choose_field_for(plan)
        colors = choose_display_colors(plan, self.field)
        self.colors: dict[int, str] = {int(k): c for k, c in colors.items()}
        # A piece of the field's colour is visible until it lands.
        self.moving = self.colors | {
            int(piece): choose_muted(1, list(colors.values()))[0]
            for piece, _ in plan.colors
            if piece not in plan.visible_colors
        }
        self.visible = {int(piece) for piece in plan.visible_colors}
        self.tape = _Tape(plan)
        self.left = 0  # the first visible column
        self.landed: MovedDrop | None = None

    def run(self) -> bool:
        """Show the print; return whether it was watched to its end."""
        ended = False
        self.due = self.drawn = self.clock()
        self.draw()
        while not self.quit:
            if self.steps < 0 or (self.tape.ended and self.steps):
                self.step_back()
            elif self.tape.ended:
                ended = True
                self.draw()
                if not self.screen.has_keys:
                    break
                self.obey(self.screen.read_key(_LONG))
            elif self.paused and not self.steps:
                self.draw()
                self.obey(self.screen.read_key(_LONG))
                self.due = self.clock()
            else:
                self.advance()
        return ended

    def step_back(self) -> None:
        """Make the requested steps back; ignore steps beyond the end."""
        if self.steps < 0:
            self.tape.rewind(max(0, self.tape.at + self.steps))
            self.landed = None
        self.steps = 0

    def advance(self) -> None:
        """Let the next piece fall at the current speed, or make a step at once."""
        moved, stepping = self.tape.next, self.steps > 0
        self.due += 1 / self.speed
        # At low speed the fall of each piece is drawn. At high speed some drops are skipped, but
        # the board is drawn at least ten times per second.
        now = self.clock()
        shown = self.due > now or stepping or now - self.drawn > 0.1
        if shown and not stepping:
            self.drawn = now
            positions = _list_positions(moved, max(1, round(_FRAMES_PER_SECOND / self.speed)))
            for i, cells in enumerate(positions):
                self.draw((moved, cells))
                self.wait(max(0.0, self.due - self.clock()) / (len(positions) - i))
                if self.quit:
                    return
                if self.steps or self.paused:
                    break  # the landing counts as the first step
        if self.steps < 0:  # taking the falling piece back counts as the first step
            self.steps += 1
            return
        self.tape.advance()
        self.steps = max(0, self.steps - 1)
        self.landed = moved
        if shown:
            self.draw()
        self.due = max(self.due, self.clock() - 0.1)

    def wait(self, seconds: float) -> None:
        """Wait for some seconds, handling keys."""
        until = self.clock() + seconds
        while True:
            left = until - self.clock()
            self.obey(self.screen.read_key(left))
            if left <= 0 or self.quit or self.paused:
                return

    def obey(self, key: str) -> None:
        """Handle a key."""
        match key:
            case "q" | "Q" | "\r" | "\n" if self.tape.ended or key in "qQ":
                self.quit = True
            case " " if self.tape.ended:
                self.paused, self.steps = False, -len(self.plan)
                self.due = self.clock()
            case " ":
                self.paused = not self.paused
            case "+" | "=":
                self.speed = min(_FASTEST, self.speed * 1.5)
            case "-":
                self.speed = max(_SLOWEST, self.speed / 1.5)
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
        ended = self.tape.ended and piece is None
        colors = self.colors
        if ended:  # show only the picture
            colors = {k: c for k, c in colors.items() if k in self.visible}
        rows: Rows = [[colors.get(v) for v in row] for row in self.tape.field.rows]
        top = max((y for y, row in enumerate(rows) if any(row)), default=0)
        focus: Sequence[Cell] = ()
        if piece is not None:
            moved, focus = piece
            for x, y in focus:
                if y < len(rows):
                    rows[y][x] = self.moving[moved.drop.landing.orientation.piece]
        elif self.landed is not None:
            focus = self.landed.drop.landing.cells
        size = self.screen.size
        edge = "│" if self.mode == "none" else ""
        wide, high = max(1, size.columns - 2 * len(edge)), 2 * max(1, size.lines - 3)
        scale = max(1, min(_LARGEST, wide // len(rows[0]), high // len(rows)))
        rows = self.crop_columns(_crop_rows(rows, high, top), wide, focus)
        lines = draw_half_blocks(_enlarge(rows, scale), self.mode, self.field)
        head = "  ".join(part for part in (self.title, self.format_status(piece)) if part)
        self.screen.show(
            [
                head[: size.columns - 1],
                *(edge + line + edge for line in lines),
                self.format_footer(size.columns - 1),
            ]
        )

    def crop_columns(self, rows: Rows, room: int, focus: Sequence[Cell]) -> Rows:
        """Crop a board that is too wide; scroll only as far as the falling piece needs."""
        first = min((x for x, _ in focus), default=self.left)
        last = max((x for x, _ in focus), default=self.left)
        self.left = max(min(self.left, first), last + 1 - room, 0)
        return [row[self.left : self.left + room] for row in rows]

    def format_status(self, piece: tuple[MovedDrop, Sequence[Cell]] | None) -> str:
        """Return the progress of the print as text."""
        tape = self.tape
        if tape.ended and piece is None:
            drops = format_count(len(self.plan), "drop")
            return f"done: {drops}, {format_count(tape.lines, 'line')}"
        moved = piece[0] if piece else self.landed
        parts = [f"drop {tape.at + (piece is not None)}/{len(self.plan)}"]
        if moved is not None:
            parts.append(f"pass {moved.drop.pass_index + 1}/{len(self.plan.passes)}")
        return "  ".join([*parts, f"lines {tape.lines}"])

    def format_footer(self, room: int) -> str:
        """Return the footer: the speed, and as many of the active keys as fit."""
        speed = f"{self.speed:.3g} drops/s"
        if not self.screen.has_keys:
            return speed[:room]
        if self.tape.ended:
            keys = ["space again", "b back"]
        elif self.paused:
            keys, speed = ["space go on", "n step", "b back", "+ - speed"], f"paused, {speed}"
        else:
            keys = ["space pause", "n step", "b back", "+ - speed"]
        while keys and len("   ".join([speed, *keys, "q quit"])) > room:
            keys.pop()
        return "   ".join([speed, *keys, "q quit"])[:room]


def _crop_rows(rows: Rows, room: int, top: int) -> Rows:
    """Crop a board that is too high to the rows around the top of the stack."""
    if len(rows) <= room:
        return rows
    start = min(len(rows) - room, max(0, top + 1 - room * 2 // 3))
    start += start % 2
    return rows[start : start + room]


def _enlarge(rows: Rows, scale: int) -> Rows:
    """Enlarge every square by a factor."""
    return [[color for color in row for _ in range(scale)] for row in rows for _ in range(scale)]


def _list_positions(moved: MovedDrop, count: int) -> list[Sequence[Cell]]:
    """Return ``count`` sets of cells on a piece's path, the last at its landing."""
    *entry, landing = moved.path
    path: list[Sequence[Cell]] = [placement.cells for placement in entry]
    last = entry[-1]
    path += [last.orientation.place(last.x, y) for y in range(last.y - 1, landing.y, -1)]
    path.append(landing.cells)
    if count >= len(path):
        return path
    return [path[math.ceil((i + 1) * len(path) / count) - 1] for i in range(count)]
