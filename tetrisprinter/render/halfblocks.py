"""Pictures as text for a terminal, two squares to a character.

The upper half block shows the upper square in its foreground and the lower one in its
background. So squares are square, and the classic board of 42 rows fits into 24 lines. Colours
are exact if the terminal can show them, else the nearest of 256, else only the shape is drawn.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture, parse_rgb
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.field_color import choose_field_for

ColorMode = Literal["truecolor", "256", "none"]


def detect_color_mode() -> ColorMode:
    """Return which colours the terminal has, according to the environment."""
    term = os.environ.get("TERM", "")
    if os.environ.get("NO_COLOR") or term in ("", "dumb"):
        return "none"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit") or term.endswith("-direct"):
        return "truecolor"
    # Current terminals support 256 colours even if TERM is only "xterm".
    known = ("256", "xterm", "screen", "tmux", "linux", "alacritty", "kitty")
    return "256" if any(name in term for name in known) else "none"


def _find_nearest_256(color: str) -> int:
    """Return the nearest colour of the 6x6x6 cube or the grey ramp."""
    channels = parse_rgb(color)
    levels = (0, 95, 135, 175, 215, 255)
    steps = [min(range(6), key=lambda i: abs(levels[i] - c)) for c in channels]
    cube = [levels[i] for i in steps]
    grey = min(range(24), key=lambda i: sum(abs(8 + 10 * i - c) for c in channels))

    def measure_distance(candidate: Sequence[int]) -> int:
        return sum((a - b) ** 2 for a, b in zip(candidate, channels, strict=True))

    if measure_distance([8 + 10 * grey] * 3) < measure_distance(cube):
        return 232 + grey
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]


def _format_color(color: str, layer: int, mode: ColorMode) -> str:
    """Return the SGR parameters of a colour; layer 38 is the foreground, 48 the background."""
    if mode == "truecolor":
        return "{};2;{};{};{}".format(layer, *parse_rgb(color))
    return f"{layer};5;{_find_nearest_256(color)}"


def draw_half_blocks(
    rows: Sequence[Sequence[str | None]], mode: ColorMode, field: str = BACKGROUND
) -> list[str]:
    """Draw rows of colours (bottom row first) as lines of text, two rows to a line."""
    if len(rows) % 2:
        rows = [*rows, [None] * len(rows[0])]
    return [_draw_line(rows[y + 1], rows[y], mode, field) for y in range(len(rows) - 2, -1, -2)]


def _draw_line(
    upper: Sequence[str | None], lower: Sequence[str | None], mode: ColorMode, field: str
) -> str:
    """Draw two rows as one line of the terminal."""
    if mode == "none":
        return "".join(
            " ▄▀█"[2 * (a is not None) + (b is not None)] for a, b in zip(upper, lower, strict=True)
        )
    parts: list[str] = []
    last = None
    for a, b in zip(upper, lower, strict=True):
        pair = (a or field, b or field)
        if pair != last:
            upper_code, lower_code = (
                _format_color(pair[0], 38, mode),
                _format_color(pair[1], 48, mode),
            )
            parts.append(f"\x1b[{upper_code};{lower_code}m")
        parts.append("▀")
        last = pair
    return "".join(parts) + "\x1b[0m"


def draw_as_text(plan: Plan, mode: ColorMode) -> str:
    """Return the finished picture as text, without the empty rows above it."""
    field = choose_field_for(plan)
    rows = list(make_field_picture(plan, play_through(plan).field).rows)
    while len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    return "\n".join(draw_half_blocks(rows, mode, field)) + "\n"
