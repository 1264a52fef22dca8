"""Screens of a terminal: a scripted one with a simulated clock, and a reader of half blocks."""

import os
import re
from collections.abc import Sequence

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
