"""A plain simulator of the game, written from the rules alone.

It shares no code with the package and is slow on purpose: a dictionary of squares, and
every rule checked where it is stated. It reads a drop log (``.drops.json``).
"""

from collections.abc import Mapping
from typing import Any

Square = tuple[int, int]

SHAPES = {
    "I": ["####"],
    "J": ["#..", "###"],
    "L": ["..#", "###"],
    "O": ["##", "##"],
    "S": [".##", "##."],
    "T": [".#.", "###"],
    "Z": ["##.", ".##"],
}


def _normal(cells: set[Square]) -> frozenset[Square]:
    left, low = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - low) for x, y in cells)


def _rotations(drawing: list[str]) -> set[frozenset[Square]]:
    cells = {(x, -y) for y, row in enumerate(drawing) for x, c in enumerate(row) if c == "#"}
    found = set()
    for _ in range(4):
        cells = {(y, -x) for x, y in cells}
        found.add(_normal(cells))
    return found


ROTATIONS = {name: _rotations(drawing) for name, drawing in SHAPES.items()}


class RuleBrokenError(Exception):
    """The log does not describe a legal game."""


def replay(log: dict[str, Any], start: Mapping[Square, str] | None = None) -> dict[Square, str]:
    """Play a log of drops; return the piece letter of every square that is left.

    It begins with ``start``, else with what the log says lies there: rows, top row first.
    """
    width, height = log["width"], log["height"]
    drawn = reversed(log.get("start", []))
    lies = {(x, y): c for y, row in enumerate(drawn) for x, c in enumerate(row) if c != "."}
    field: dict[Square, str] = dict(lies if start is None else start)
    for number, drop in enumerate(log["drops"], 1):
        cells = {(x, y) for x, y in drop["cells"]}
        if len(cells) != 4 or _normal(cells) not in ROTATIONS[drop["piece"]]:
            raise RuleBrokenError(f"drop {number} is not a {drop['piece']}")
        for x, y in cells:
            if not (0 <= x < width and 0 <= y < height):
                raise RuleBrokenError(f"drop {number} is outside the field")
            for above in range(y, height):
                if (x, above) in field:
                    raise RuleBrokenError(f"drop {number} fell through a square")
        if not any(y == 0 or (x, y - 1) in field for x, y in cells):
            raise RuleBrokenError(f"drop {number} hangs in the air")
        for cell in cells:
            field[cell] = drop["piece"]
        for y in range(height - 1, -1, -1):
            if all((x, y) in field for x in range(width)):
                field = {(x, fy - (fy > y)): piece for (x, fy), piece in field.items() if fy != y}
    return field


def picture(log: dict[str, Any]) -> dict[Square, str]:
    """Return the colours that are left, after checking every drop."""
    colors = log["colors"]
    return {cell: colors[piece] for cell, piece in replay(log).items() if piece in colors}
