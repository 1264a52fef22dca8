"""The printable picture nearest to one that no game can print.

Four things are impossible whatever the planner does (proofs in ``docs/printing.md``), and
each has a smallest hint:

- *a row without squares below one with squares*: one pixel is put into it, where it joins
  what is above and below;
- *a row that fills the whole board*: a pixel at one of its ends is left out;
- *a colour that only the O can carry, in a horizontal run of odd length* (an O leaves two
  neighbouring squares of a row or none): the pixel at one end takes the colour of its
  neighbour, or stays empty;
- *a number of pixels that the width cannot leave*: one to three background pixels are
  filled where most of their neighbours are, or as many are removed if that is fewer.

Where a type may have the background's colour, the first and the last are not impossible: squares
of that colour are left there, and nobody sees them.

What the theorem *cut* forbids (``docs/shortest.md``) has no such hint: it depends on which
type shows which colour as much as on the pixels.

Every change is reported, so that the artist can decide otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tetrisprinter.game.divisibility import find_unit
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, assign_rare_types, find_odd_runs_in_rows

__all__ = ["Change", "cells_to_fill", "repair_picture", "repair_task"]


@dataclass(frozen=True, slots=True)
class Change:
    """One pixel of a picture changed."""

    x: int  # column, and row from the top of the image, both counted from 0
    y: int
    before: Color | None  # its colours; None is empty
    after: Color | None
    reason: str  # why

    def __str__(self) -> str:
        before, after = self.before or "empty", self.after or "empty"
        return f"column {self.x}, row {self.y}: {before} -> {after} ({self.reason})"


_Grid = list[list[Color | None]]


def repair_task(task: Task) -> tuple[Picture, tuple[Change, ...]]:
    """Return the printable picture nearest to that of a task, and what was changed.

    A pixel may be put above the picture; then the board that was chosen for it is too low.
    """
    types: Mapping[PieceType, Color] | None = None
    if isinstance(task.types, TypeColors):
        types = task.types
    elif task.types == "auto" and 6 <= len(task.picture.colors()) <= len(PieceType):
        # Six colours need I, seven need O, too: these get the colours that suit them best.
        types = assign_rare_types(task.picture)
    return repair_picture(task.picture, task.board.width, types, unseen=task.has_dont_care_squares)


def repair_picture(
    picture: Picture,
    width: int,
    types: Mapping[PieceType, Color] | None = None,
    *,
    unseen: bool = False,
) -> tuple[Picture, tuple[Change, ...]]:
    """Change as few pixels as it takes to make a picture printable."""
    grid: _Grid = [list(row) for row in picture.rows]
    changes: list[Change] = []

    def put(x: int, y: int, color: Color | None, reason: str) -> None:
        changes.append(Change(x, picture.image_row(y), grid[y][x], color, reason))
        grid[y][x] = color

    forbidden = _only_o(types or {})
    for y, row in enumerate(grid):
        if not unseen and all(color is None for color in row):
            x, color = _joint(grid, y, forbidden)
            put(x, y, color, "the row was empty below squares")
    for color in forbidden:
        for y, x, length in find_odd_runs_in_rows(grid, color):
            at, new = _instead(grid, y, x, length, forbidden)
            put(at, y, new, "an O leaves squares in pairs only")
    for y, row in enumerate(grid):
        if len(row) == width and None not in row:
            ends = sorted(range(width), key=lambda x: (row[x] in forbidden, min(x, width - 1 - x)))
            put(ends[0], y, None, "a full row vanishes")
    unit = find_unit(width)
    squares = sum(color is not None for row in grid for color in row)
    reason = f"a board of {width} columns cannot leave {squares} squares"
    surplus, missing = (0, 0) if unseen else (squares % unit, -squares % unit)
    above = picture.rows_above
    fill = cells_to_fill(_as_picture(grid, picture), missing, width, forbidden)
    remove = _cells_to_remove(grid, surplus, forbidden)
    if len(remove) == surplus and (surplus < missing or len(fill) < missing):
        for x, y in remove:
            put(x, y, None, reason)
    else:
        for _ in range(missing):
            if len(fill) == missing:
                break
            # No room in the picture: go on above it.
            grid.append([None] * len(grid[0]))
            above -= 1
            fill = cells_to_fill(_as_picture(grid, picture), missing, width, forbidden)
        for (x, y), new in fill:
            put(x, y, new, reason)
    return Picture(tuple(map(tuple, grid)), picture.name, above), tuple(changes)


def _as_picture(grid: _Grid, like: Picture) -> Picture:
    return Picture(tuple(map(tuple, grid)), like.name, like.rows_above)


def _only_o(types: Mapping[PieceType, Color]) -> frozenset[Color]:
    others = {color for piece, color in types.items() if piece is not PieceType.O}
    return frozenset(
        color for piece, color in types.items() if piece is PieceType.O and color not in others
    )


def _beside(grid: _Grid, y: int, x: int) -> Color | None:
    return grid[y][x] if 0 <= x < len(grid[y]) else None


def _joint(grid: _Grid, y: int, forbidden: frozenset[Color]) -> tuple[int, Color]:
    """Choose where a pixel in an empty row joins the rows around it best."""
    above = next(row for row in grid[y + 1 :] if any(row))
    below = grid[y - 1]
    scores = [(2 * (below[x] is not None) + (above[x] is not None), x) for x in range(len(grid[y]))]
    x = max(scores, key=lambda pair: (pair[0], -pair[1]))[1]
    color = below[x] or above[x]
    assert color is not None  # the row below has a square: a picture starts with one
    return x, color if color not in forbidden else (_common(grid, forbidden) or color)


def _common(grid: _Grid, forbidden: frozenset[Color]) -> Color | None:
    counts = Counter(c for row in grid for c in row if c is not None and c not in forbidden)
    return counts.most_common(1)[0][0] if counts else None


def _instead(
    grid: _Grid, y: int, x: int, length: int, forbidden: frozenset[Color]
) -> tuple[int, Color | None]:
    """Choose which end of an odd run changes, and into what."""
    for at, beside in ((x, x - 1), (x + length - 1, x + length)):
        color = _beside(grid, y, beside)
        if color is not None and color not in forbidden:
            return at, color
    at = x + length - 1
    around = [c for c in _neighbours(grid, at, y) if c not in forbidden]
    if around:
        return at, around[0]
    alone_in_row = sum(color is not None for color in grid[y]) == 1
    return at, _common(grid, forbidden) if alone_in_row else None


def _neighbours(grid: _Grid, x: int, y: int) -> list[Color]:
    return [
        color
        for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1))
        if 0 <= y + dy < len(grid) and (color := _beside(grid, y + dy, x + dx)) is not None
    ]


def cells_to_fill(
    picture: Picture, count: int, width: int, forbidden: frozenset[Color] = frozenset()
) -> list[tuple[Cell, Color]]:
    """Return background cells of a picture whose filling is seen least, with a colour each.

    Cells with the most filled neighbours first, then the lowest; none that would fill a row of the
    board. A picture that is full of pixels has fewer such cells.
    """
    grid: _Grid = [list(row) for row in picture.rows]
    chosen: list[tuple[Cell, Color]] = []
    for _ in range(count):
        best: tuple[tuple[int, int, int], Cell, Color] | None = None
        for y, row in enumerate(grid):
            if sum(color is not None for color in row) >= width - 1:
                continue
            for x, color in enumerate(row):
                around = [c for c in _neighbours(grid, x, y) if c not in forbidden]
                if color is None and around:
                    key = (len(around), -y, -x)
                    if best is None or key > best[0]:
                        best = (key, (x, y), Counter(around).most_common(1)[0][0])
        if best is None:
            break
        (x, y), new = best[1], best[2]
        grid[y][x] = new
        chosen.append(((x, y), new))
    return chosen


def _cells_to_remove(grid: _Grid, count: int, forbidden: frozenset[Color]) -> list[Cell]:
    """Return pixels that stick out most, never the only one of a row."""
    taken: list[Cell] = []
    for _ in range(count):
        candidates = [
            (len(_neighbours(grid, x, y)), -y, x)
            for y, row in enumerate(grid)
            if sum(color is not None and (x, y) not in taken for x, color in enumerate(row)) > 1
            for x, color in enumerate(row)
            if color is not None and color not in forbidden and (x, y) not in taken
        ]
        if not candidates:
            break
        _, negative_y, x = min(candidates)
        taken.append((x, -negative_y))
    return taken
