"""Emitters on any board: what leaves squares in a row, and which go together.

An *emitter* is a piece that leaves its lowest cells in the row being printed and presets
the matrix above with the others, which must begin in the row right above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, Placement

__all__ = ["SHAPES", "Emitter", "Shape", "most_squares"]


@dataclass(frozen=True, slots=True)
class Shape:
    """An orientation as an emitter: what it leaves in the row, what it presets above."""

    orientation: Orientation
    squares: tuple[int, ...]  # columns of its lowest row
    presets: tuple[tuple[int, int], ...]  # cells from the row above on

    @property
    def rows(self) -> int:
        """How many rows of the matrix it presets."""
        return max((y + 1 for _, y in self.presets), default=0)


def _shapes() -> tuple[Shape, ...]:
    return tuple(
        Shape(
            o,
            tuple(x for x, y in o.cells if y == 0),
            tuple((x, y - 1) for x, y in o.cells if y > 0),
        )
        for o in ORIENTATIONS
        if max(o.bottom) <= 1
    )


SHAPES: Final = _shapes()


@dataclass(frozen=True, slots=True)
class Emitter:
    """A shape at a column."""

    shape: Shape
    x: int

    @property
    def columns(self) -> list[int]:
        """The columns in which it leaves a square."""
        return [self.x + dx for dx in self.shape.squares]

    @property
    def end(self) -> int:
        """The first column to the right of it."""
        return self.x + self.shape.orientation.width

    @property
    def placement(self) -> Placement:
        """The piece, with the row being printed as row 0."""
        return Placement(self.shape.orientation, self.x, 0)


def most_squares(emitters: Sequence[Emitter], width: int) -> list[list[Emitter]]:
    """For each remainder of presets modulo 4, choose emitters that leave most squares.

    They must lie side by side. A path along the columns: best[x][r] is the best choice
    left of column x whose presets have remainder r.
    """
    ending: dict[int, list[Emitter]] = {}
    for emitter in emitters:
        ending.setdefault(emitter.end, []).append(emitter)
    best: list[list[tuple[int, Emitter | None, int] | None]] = [[(0, None, 0), None, None, None]]
    for x in range(1, width + 1):
        now = list(best[x - 1])
        now = [None if entry is None else (entry[0], None, 0) for entry in now]
        for emitter in ending.get(x, ()):
            presets = len(emitter.shape.presets)
            for before, entry in enumerate(best[emitter.x]):
                if entry is None:
                    continue
                squares = entry[0] + len(emitter.shape.squares)
                after = (before + presets) % 4
                old = now[after]
                if old is None or squares > old[0]:
                    now[after] = (squares, emitter, before)
        best.append(now)
    chosen: list[list[Emitter]] = []
    for remainder in range(4):
        if best[width][remainder] is None:
            continue
        path: list[Emitter] = []
        x, r = width, remainder
        while x > 0:
            entry = best[x][r]
            assert entry is not None
            if entry[1] is None:
                x -= 1
            else:
                path.append(entry[1])
                x, r = entry[1].x, entry[2]
        chosen.append(path[::-1])
    return chosen
