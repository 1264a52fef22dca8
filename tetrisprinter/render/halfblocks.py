"""Pictures as text for a terminal, two squares to a character.

The character ▀ shows the upper square in its foreground colour and the lower square in its
background colour. So squares are square, and the classic board of 42 rows fits into 24 lines. The
terminal shows exact colours or the nearest of 256 colours; without colours only the shape is drawn.
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
    rows: Sequence[Sequence[str | None]], mode: ColorMode, field_color: str = BACKGROUND
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
    field = choose_field_for(plan)
    rows = list(make_field_picture(plan, play_through(plan).field).rows)
    while len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    return "\n".join(draw_half_blocks(rows, mode, field)) + "\n"
