"""The printable picture that is nearest to an unprintable picture.

Four things are impossible for every planner, and each has a smallest repair (proofs in
:mod:`~tetrisprinter.printing.obstacles`):

- *an empty row below squares*: fill one pixel that joins the squares above and below;
- *a full row*: remove a pixel at one of its ends;
- *a run of odd length in a colour that only O has*: give the pixel at one end the colour beside
  it, or remove the pixel;
- *a number of pixels that the width cannot leave*: fill or remove one to three pixels, whichever
  takes fewer changes; of as many changes, those that an eye sees least.

An eye sees a notch, a hole, a thin line and a rare colour change before it sees a corner or a flat
edge change, and it sees where a symmetric figure is no longer symmetric.

Empty rows and all numbers of pixels are possible where a type may have the background's colour:
then a game leaves invisible squares there. The theorem *cut* has no such repair, because it
depends on the types of the colours as much as on the pixels. Every change is reported, so that
the artist can decide otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from tetrisprinter.game.field import find_unit
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import find_odd_runs


@dataclass(frozen=True, slots=True)
class Change:
    """One changed pixel of a picture."""

    x: int  # column, and row from the top of the image, both counted from 0
    y: int
    before: Color | None  # None is empty
    after: Color | None
    reason: str

    def __str__(self) -> str:
        before, after = self.before or "empty", self.after or "empty"
        return f"column {self.x}, row {self.y}: {before} -> {after} ({self.reason})"


_Grid = list[list[Color | None]]
_Shape = Literal["alone", "end", "corner", "line", "edge", "inside"]

# How visible a change is, by the shape of the filled squares around it. The order is reasoned: a
# corner is missed less than a line. It was looked at on 28 repairs of examples in 7 to 9 columns.
_FILLED: Final[dict[_Shape, int]] = {
    "alone": 9,
    "end": 4,  # a nub on an edge
    "corner": 3,  # the inner corner of a stair
    "line": 8,  # a gap between two squares
    "edge": 8,  # a notch
    "inside": 12,
}
_REMOVED: Final[dict[_Shape, int]] = {
    "alone": 10,
    "end": 6,  # the tip of a line
    "corner": 2,
    "line": 10,  # it breaks
    "edge": 4,  # a dent
    "inside": 12,
}
_HOLE: Final = 14
"""How visible it is that a hole, such as an eye, is filled."""
_DETAIL: Final = 6
"""The same of a pixel that is removed from a rare colour, or that lies alone in its colour."""
_ASYMMETRIC: Final = 4
"""The same of a change on one side of a symmetric picture."""
_RARE: Final = 4
"""A colour of at most this number of pixels is a detail."""


def repair_task(task: Task) -> tuple[Picture, tuple[Change, ...]]:
    """Return the printable picture nearest to a task's picture, and the changes.

    Don't-care squares make empty rows and all numbers of pixels possible. No square gets the colour
    of the background. A pixel may be added above the picture; then the task's board may be too low.
    """
    picture, width, types = task.picture, task.board.width, task.known_types
    grid: _Grid = [list(row) for row in picture.rows]
    changes: list[Change] = []

    def change_pixel(x: int, y: int, color: Color | None, reason: str) -> None:
        column, row = picture.image_column(x), picture.image_row(y)
        changes.append(Change(column, row, grid[y][x], color, reason))
        grid[y][x] = color

    # Empty rows below squares.
    forbidden_colors = _find_o_only_colors(types)
    for y, row in enumerate(grid):
        if not task.has_dont_care_squares and all(color is None for color in row):
            x, color = _choose_joint(grid, y, forbidden_colors)
            change_pixel(x, y, color, "the row was empty below squares")
    # Odd runs of a colour that only O has.
    unusable = {*forbidden_colors, task.background}
    spare_color = next((color for color in types.values() if color not in unusable), None)
    for color in forbidden_colors:
        for y, x, length in find_odd_runs(grid, color):
            end_x, new_color = _choose_run_end(grid, y, x, length, forbidden_colors, spare_color)
            if new_color != grid[y][end_x]:
                change_pixel(end_x, y, new_color, "an O leaves squares in pairs only")
    # Full rows.
    for y, row in enumerate(grid):
        if len(row) == width and None not in row:
            columns = sorted(
                range(width), key=lambda x: (row[x] in forbidden_colors, min(x, width - 1 - x))
            )
            change_pixel(columns[0], y, None, "a full row vanishes")
    # The number of pixels.
    unit = find_unit(width)
    squares = sum(color is not None for row in grid for color in row)
    reason = f"a board of {width} columns cannot leave {squares} squares"
    surplus, missing = squares % unit, -squares % unit
    if task.has_dont_care_squares:
        surplus = missing = 0
    above = picture.rows_above
    fill, fill_cost = _choose_cells_to_fill(grid, missing, width, forbidden_colors)
    remove, remove_cost = _choose_cells_to_remove(grid, surplus, forbidden_colors)
    if len(remove) == surplus and (
        len(fill) < missing or (surplus, remove_cost) < (missing, fill_cost)
    ):
        for x, y in remove:
            change_pixel(x, y, None, reason)
    else:
        for _ in range(missing):
            if len(fill) == missing:
                break
            # The picture is full: add a row above it.
            grid.append([None] * len(grid[0]))
            above -= 1
            fill, _ = _choose_cells_to_fill(grid, missing, width, forbidden_colors)
        for (x, y), new_color in fill:
            change_pixel(x, y, new_color, reason)
    repaired = replace(picture, rows=tuple(map(tuple, grid)), rows_above=above)
    return repaired, tuple(changes)


def _find_o_only_colors(types: Mapping[PieceType, Color]) -> frozenset[Color]:
    """Return the colours that O has and no other type has."""
    other_colors = {color for piece, color in types.items() if piece is not PieceType.O}
    return frozenset(
        color
        for piece, color in types.items()
        if piece is PieceType.O and color not in other_colors
    )


def _get_color(grid: _Grid, y: int, x: int) -> Color | None:
    """Return the colour of a square; None if it is empty or outside the columns."""
    return grid[y][x] if 0 <= x < len(grid[y]) else None


def _choose_joint(grid: _Grid, y: int, forbidden_colors: frozenset[Color]) -> tuple[int, Color]:
    """Choose the column and colour of the pixel that best joins the rows around an empty row."""
    above = next(row for row in grid[y + 1 :] if any(row))
    below = grid[y - 1]
    scores = [(2 * (below[x] is not None) + (above[x] is not None), x) for x in range(len(grid[y]))]
    x = max(scores, key=lambda pair: (pair[0], -pair[1]))[1]
    color = below[x] or above[x]
    assert color is not None  # the row below has a square: a picture starts with one
    return x, color if color not in forbidden_colors else (
        _find_most_common(grid, forbidden_colors) or color
    )


def _find_most_common(grid: _Grid, forbidden_colors: frozenset[Color]) -> Color | None:
    """Return the most common colour that is not forbidden; None if there is none."""
    counts = Counter(c for row in grid for c in row if c is not None and c not in forbidden_colors)
    return counts.most_common(1)[0][0] if counts else None


def _choose_run_end(
    grid: _Grid,
    y: int,
    x: int,
    length: int,
    forbidden_colors: frozenset[Color],
    spare_color: Color | None,
) -> tuple[int, Color | None]:
    """Choose the column of the end of an odd run to change, and its new colour (None: empty).

    The only square of a row is never removed: it gets a colour of the picture, else
    ``spare_color``. If there is neither, the square keeps its colour.
    """
    for end_x, beside_x in ((x, x - 1), (x + length - 1, x + length)):
        color = _get_color(grid, y, beside_x)
        if color is not None and color not in forbidden_colors:
            return end_x, color
    end_x = x + length - 1
    neighbor_colors = [
        c for c in _list_neighbor_colors(grid, end_x, y) if c not in forbidden_colors
    ]
    if neighbor_colors:
        return end_x, neighbor_colors[0]
    if sum(color is not None for color in grid[y]) > 1:
        return end_x, None
    return end_x, _find_most_common(grid, forbidden_colors) or spare_color or grid[y][end_x]


def _list_neighbor_colors(grid: _Grid, x: int, y: int) -> list[Color]:
    """List the colours of the filled squares below, beside and above a square."""
    return [
        color
        for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1))
        if 0 <= y + dy < len(grid) and (color := _get_color(grid, y + dy, x + dx)) is not None
    ]


def choose_cells_to_fill(picture: Picture, count: int, width: int) -> list[tuple[Cell, Color]]:
    """Return the empty cells that are least visible when filled, each with its new colour.

    A crowded picture may have fewer than ``count`` such cells.
    """
    return _choose_cells_to_fill([list(row) for row in picture.rows], count, width, frozenset())[0]


def _choose_cells_to_fill(
    grid: _Grid, count: int, width: int, forbidden_colors: frozenset[Color]
) -> tuple[list[tuple[Cell, Color]], int]:
    """Return the cells that are least visible when filled, their colours, and how visible they are.

    Of equally visible cells the lowest comes first. No cell is chosen that would fill a row of the
    board.
    """
    grid, cost = [list(row) for row in grid], 0
    filled_cells: list[tuple[Cell, Color]] = []
    for _ in range(count):
        outside, is_symmetric = _find_outside(grid), _is_symmetric(grid)
        candidates = []
        for y, row in enumerate(grid):
            if sum(color is not None for color in row) >= width - 1:
                continue
            for x, color in enumerate(row):
                neighbor_colors = [
                    c for c in _list_neighbor_colors(grid, x, y) if c not in forbidden_colors
                ]
                if color is None and neighbor_colors:
                    new_color = Counter(neighbor_colors).most_common(1)[0][0]
                    visible = _HOLE if (x, y) not in outside else _FILLED[_find_shape(grid, x, y)]
                    # Between two ears, or in a heart's notch
                    if any(row[:x]) and any(row[x + 1 :]):
                        visible = max(visible, _FILLED["edge"])
                    if is_symmetric and 2 * x != len(row) - 1:
                        visible += _ASYMMETRIC
                    candidates.append((visible, y, x, new_color))
        if not candidates:
            break
        visible, y, x, new_color = min(candidates)
        grid[y][x] = new_color
        filled_cells.append(((x, y), new_color))
        cost += visible
    return filled_cells, cost


def _choose_cells_to_remove(
    grid: _Grid, count: int, forbidden_colors: frozenset[Color]
) -> tuple[list[Cell], int]:
    """Return up to ``count`` pixels that are least visible when removed, and how visible they are.

    The only pixel of a row is never removed.
    """
    grid, cost = [list(row) for row in grid], 0
    removed: list[Cell] = []
    for _ in range(count):
        is_symmetric = _is_symmetric(grid)
        counts = Counter(color for row in grid for color in row)
        candidates = []
        for y, row in enumerate(grid):
            if sum(color is not None for color in row) < 2:
                continue
            for x, color in enumerate(row):
                if color is None or color in forbidden_colors:
                    continue
                visible = _REMOVED[_find_shape(grid, x, y)]
                if counts[color] <= _RARE or color not in _list_neighbor_colors(grid, x, y):
                    visible += _DETAIL
                if is_symmetric and 2 * x != len(row) - 1:
                    visible += _ASYMMETRIC
                candidates.append((visible, y, x))
        if not candidates:
            break
        visible, y, x = min(candidates)
        grid[y][x] = None
        removed.append((x, y))
        cost += visible
    return removed, cost


def _find_shape(grid: _Grid, x: int, y: int) -> _Shape:
    """Return how the filled squares beside, below and above a square lie."""
    left, right, below, above = (
        0 <= v < len(grid) and _get_color(grid, v, u) is not None
        for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    )
    count = left + right + below + above
    if count == 2:
        return "line" if left == right else "corner"
    shapes: tuple[_Shape, ...] = ("alone", "end", "corner", "edge", "inside")
    return shapes[count]


def _find_outside(grid: _Grid) -> set[Cell]:
    """Return the empty cells that are connected to the outside of a picture."""
    width, height = len(grid[0]), len(grid)
    new = [
        (x, y)
        for y in range(height)
        for x in range(width)
        if grid[y][x] is None and (x in (0, width - 1) or y in (0, height - 1))
    ]
    outside = set(new)
    while new:
        x, y = new.pop()
        for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if 0 <= u < width and 0 <= v < height and grid[v][u] is None and (u, v) not in outside:
                outside.add((u, v))
                new.append((u, v))
    return outside


def _is_symmetric(grid: _Grid) -> bool:
    """Return whether the left half of a figure's outline mirrors the right half.

    Colours do not count: a heart with a glint, or a ghost that looks aside, is symmetric.
    """
    outline = [[color is not None for color in row] for row in grid]
    return all(row == row[::-1] for row in outline)
