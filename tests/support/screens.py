"""Screens of a terminal: scripted in a time of their own, and read back."""

import os
import re
from collections.abc import Sequence

SGR = re.compile(r"\x1b\[([0-9;]*)m")


def read_half_blocks(lines: list[str]) -> list[list[str | None]]:
    """Read half blocks in true colour back: rows, bottom first, None where black."""
    rows: list[list[str | None]] = []
    for line in lines:
        upper: list[str | None] = []
        lower: list[str | None] = []
        ink: tuple[str, str] | None = None
        for part in re.split(r"(\x1b\[[0-9;]*m|▀)", line):
            if part == "▀":
                assert ink is not None
                upper.append(ink[0] if ink[0] != "000000" else None)
                lower.append(ink[1] if ink[1] != "000000" else None)
            elif match := SGR.fullmatch(part):
                v = match[1].split(";")
                if len(v) == 10:
                    assert (v[:2], v[5:7]) == (["38", "2"], ["48", "2"])
                    ink = (bytes(map(int, v[2:5])).hex(), bytes(map(int, v[7:10])).hex())
        rows[:0] = [lower, upper]
    return rows


class ScriptedScreen:
    """A screen in a time of its own, in which keys are pressed at the moments given."""

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
        moment, key = self.keys[0]
        if moment > self.now + max(0.0, seconds):
            self.now += max(0.0, seconds)
            return ""
        self.keys.pop(0)
        self.now = max(self.now, moment)
        return key

    def text(self, moment: float) -> str:
        """Return what is seen at a moment."""
        return next(text for shown, text in reversed(self.shown) if shown <= moment)

    def board(self, moment: float) -> list[str]:
        return self.text(moment).split("\n")[1:-1]

    def drops(self, start: float, end: float) -> list[int]:
        """Return the drops shown in a span of time, each once."""
        texts = "".join(text for moment, text in self.shown if start <= moment < end)
        return sorted({int(number) for number in re.findall(r"drop (\d+)/", texts)})
