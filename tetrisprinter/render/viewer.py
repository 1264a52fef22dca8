"""The live viewer of a print in the terminal, and its keys.

The squares are as large as the terminal allows. If a board is too large, the viewer shows the area
around the current drop. The user can step forwards and backwards, because :class:`_RewindableGame`
keeps the drops.
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
_MIN_SPEED, _MAX_SPEED = 0.25, 1000.0
_MAX_SCALE: Final = 4  # the most characters on a square's side
_SNAPSHOT_INTERVAL: Final = 64  # drops between two fields that are kept for going back
_LONG_WAIT: Final = 3600.0  # seconds of a wait for a key while nothing moves

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
    """Play a plan live in the terminal; return whether the user watched the game to its end."""
    out, source = out or sys.stdout, source or sys.stdin
    with Screen(out, source) as screen:
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
        self.field_color = choose_field_for(plan)
        colors = choose_display_colors(plan, self.field_color)
        self.colors: dict[int, str] = {int(k): c for k, c in colors.items()}
        # A falling piece is visible, even if its type has the colour of the field.
        self.falling_colors = self.colors | {
            int(piece): choose_muted(1, list(colors.values()))[0]
            for piece, _ in plan.colors
            if piece not in plan.visible_colors
        }
        self.picture_types = {int(piece) for piece in plan.visible_colors}
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
        rows: Rows = [[colors.get(v) for v in row] for row in self.game.field.rows]
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
        lines = draw_half_blocks(_enlarge(rows, scale), self.mode, self.field_color)
        header = "  ".join(part for part in (self.title, self.format_status(piece)) if part)
        self.screen.show(
            [
                header[: size.columns - 1],
                *(edge + line + edge for line in lines),
                self.format_footer(size.columns - 1),
            ]
        )

    def crop_columns(self, rows: Rows, max_columns: int, focus_cells: Sequence[Cell]) -> Rows:
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


def _crop_rows(rows: Rows, max_rows: int, top: int) -> Rows:
    """Return at most ``max_rows`` rows: those around row ``top``, the highest with squares."""
    if len(rows) <= max_rows:
        return rows
    first_row = min(len(rows) - max_rows, max(0, top + 1 - max_rows * 2 // 3))
    first_row += first_row % 2
    return rows[first_row : first_row + max_rows]


def _enlarge(rows: Rows, scale: int) -> Rows:
    """Return rows in which every square is enlarged by a factor."""
    return [[color for color in row for _ in range(scale)] for row in rows for _ in range(scale)]


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
